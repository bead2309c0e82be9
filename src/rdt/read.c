// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads one value.  Documents disagree on whether each CPU has an IA32_QM_EVTSEL or all CPUs of an L3 share one.  So it is
 * written whole right before IA32_QM_CTR is read, on the same CPU, one value at a time; and read back, since another program may
 * have written it in between.
 */
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

enum { TRIES = 3 };

/* Intel SDM vol. 3, "Monitoring Resource Type and Capability Enumeration": event IDs are bit numbers of CPUID 0xF.1 EDX + 1. */
static const unsigned event_ids[UNC_LLC_EVENTS] = {[UNC_LLC_OCCUPANCY] = 1, [UNC_LLC_TOTAL] = 2, [UNC_LLC_LOCAL] = 3};

int unc_llc_evtsel(const struct unc_llc *llc, unsigned event_id, unsigned rmid, uint64_t *ret_evtsel)
{
	const struct unc_llc_regs *regs = &llc->regs;
	uint64_t evtsel = unc_reg_blank(regs->evtsel);
	int rc = unc_field_set(llc->machine->ctx, regs->event, event_id, &evtsel);

	if (rc == 0)
		rc = unc_field_set(llc->machine->ctx, regs->rmid, rmid, &evtsel);
	if (rc == 0)
		*ret_evtsel = evtsel;
	return rc;
}

int unc_llc_select(struct unc_llc *llc, enum unc_llc_event event, unsigned rmid, uint64_t *ret_evtsel)
{
	return unc_llc_evtsel(llc, event_ids[event], rmid, ret_evtsel);
}

/* A selector is rewritten for every value, so any value of it counts as ours. */
int unc_llc_plan_selector(struct unc_llc *llc, struct unc_box *box)
{
	const struct unc_llc_regs *regs = &llc->regs;
	const uint64_t blank = unc_reg_blank(regs->evtsel);
	const struct unc_gate_intent intent = {
		.reg = regs->evtsel,
		.values = &blank,
		.n_values = 1,
		.any = unc_field_mask(regs->event) | unc_field_mask(regs->rmid) |
		       (regs->ext ? unc_field_mask(regs->ext) : 0),
	};

	return unc_gate_plan(box, &intent, llc);
}

static int plan_reader(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	struct unc_box *box = domain->cpus[domain->reader].box;
	int rc = unc_llc_claim(llc, domain);

	if (rc == 0)
		rc = unc_llc_plan_selector(llc, box);
	if (rc == 0)
		domain->planned = box;
	return rc;
}

/*
 * Some hardware reports Unavailable at the first one or two reads after each selection and has the value at the next one; AMD's
 * reports it once more for an RMID that it forgot.  No manual has this; it was seen on machines where pqos, which reads up to
 * four times, got every value.
 */
enum { READS = 4 };

int unc_llc_read_ctr(struct unc_llc *llc, struct unc_box *box, struct unc_llc_reading *ret_reading)
{
	struct unc_llc_reading answer = {.status = UNC_LLC_UNAVAILABLE};
	int rc = UNC_OK;

	while (rc == 0 && answer.status == UNC_LLC_UNAVAILABLE && answer.n_unavailable < READS) {
		answer.before_ns = unc_machine_raw_ns(llc->machine);
		rc = unc_reg_get(box, llc->regs.ctr, 0, &answer.ctr);
		answer.after_ns = unc_machine_raw_ns(llc->machine);
		answer.status = unc_field_get(llc->regs.error, answer.ctr)         ? UNC_LLC_ERROR
				: unc_field_get(llc->regs.unavailable, answer.ctr) ? UNC_LLC_UNAVAILABLE
										   : UNC_LLC_OK;
		answer.n_unavailable += answer.status == UNC_LLC_UNAVAILABLE;
	}
	answer.data = unc_field_get(llc->regs.data, answer.ctr);
	*ret_reading = answer;
	return rc;
}

/* Marks as lost every account of the row with this selector: hardware has started again at 0, and reports that only once. */
static void forget(struct unc_llc_line *line, uint64_t evtsel)
{
	for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++) {
		struct unc_llc_counter *counters = line->events[event].counters;

		for (unsigned node = 0; node < line->nodes && counters; node++)
			if (counters[node].evtsel == evtsel)
				unc_llc_lose(&counters[node].account);
	}
}

/* Takes three accesses, and one more for each time that the counter was Unavailable. */
static int read_once(struct unc_llc *llc, struct unc_llc_domain *domain, uint64_t evtsel,
		     struct unc_llc_reading *reading)
{
	struct unc_box *box = domain->cpus[domain->reader].box;
	const struct unc_llc_regs *regs = &llc->regs;
	uint64_t now = evtsel, before = domain->evtsel;
	unsigned most = reading->n_unavailable, n; /* by an earlier selection, and by this one */
	int rc;

	rc = domain->planned == box ? UNC_OK : plan_reader(llc, domain); /* the reader has changed */
	if (rc == 0)
		rc = unc_gate_write(box, regs->evtsel, 0, evtsel, llc);
	if (rc < 0)
		return rc;
	domain->evtsel = evtsel;
	if (llc->machine->dry_run) { /* nothing was selected, so a read would return another program's value */
		reading->before_ns = reading->after_ns = unc_machine_raw_ns(llc->machine);
		reading->status = UNC_LLC_UNAVAILABLE;
		return UNC_OK;
	}
	rc = unc_llc_read_ctr(llc, box, reading);
	n = reading->n_unavailable;
	reading->n_unavailable = rc == 0 && n > most ? n : most;
	if (rc < 0)
		return rc;
	if (!llc->cfg.no_verify)
		rc = unc_reg_get(box, regs->evtsel, 0, &now);
	if (rc < 0)
		return rc;
	if (((now ^ evtsel) & regs->evtsel_seen) == 0)
		return UNC_OK;
	/*
	 * If it was Unavailable, that report may have been about the RMID that another program had selected: on AMD, its accounts
	 * are lost.
	 */
	for (size_t i = 0; i < llc->n_lines && llc->rdt->amd && n; i++)
		if (llc->lines[i].domain == domain - llc->domains)
			forget(&llc->lines[i], now);
	reading->status = UNC_LLC_DISTURBED;
	if (now == before) { /* the register was not changed by another program: our write was lost */
		unc_gate_missed(box, regs->evtsel, 0);
		domain->evtsel = before;
	}
	return UNC_OK;
}

/* Takes another CPU of the L3 as reader, since the current one is offline.  False: there is none. */
static bool next_reader(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	unsigned was = domain->cpus[domain->reader].number;

	domain->cpus[domain->reader].gone = true;
	for (size_t i = 0; i < 2 * domain->n_cpus; i++) {
		const struct unc_llc_cpu *cpu = &domain->cpus[i % domain->n_cpus];

		/* A CPU that is measured is taken only if there is no other. */
		if (cpu->gone || (i < domain->n_cpus && cpu->group != UNC_LLC_NO_GROUP))
			continue;
		domain->reader = i % domain->n_cpus;
		domain->evtsel = 0;
		if (!domain->failing)
			unc_note(llc->machine->ctx,
				 "cpu %u does not answer any more: L3 %u is read on cpu %u from now on", was,
				 domain->l3->id, cpu->number);
		return true;
	}
	return false;
}

int unc_llc_plan_selectors(struct unc_llc *llc)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		do
			rc = plan_reader(llc, &llc->domains[i]);
		while (rc == UNC_ENODEV && next_reader(llc, &llc->domains[i]));
	}
	return rc == 0 ? unc_gate_ready(llc->machine) : rc;
}

/* True if the bracket is so long that the interval would be late.  Occupancy has no interval. */
static bool is_slow(const struct unc_llc *llc, struct unc_llc_domain *domain, const struct unc_llc_account *account,
		    const struct unc_llc_reading *reading)
{
	uint64_t known_ns = domain->quickest_ns, took_ns = reading->after_ns - reading->before_ns;

	if (known_ns == 0 || took_ns < known_ns)
		domain->quickest_ns = took_ns ? took_ns : 1; /* 0 means not known */
	if (!account)
		return false;
	return unc_read_again(took_ns, known_ns,
			      account->has_baseline ? reading->after_ns - account->since_ns : llc->cfg.interval_ns);
}

int unc_llc_read_value(struct unc_llc *llc, struct unc_llc_domain *domain, uint64_t evtsel,
		       const struct unc_llc_account *account, struct unc_llc_reading *ret_reading)
{
	unsigned n_unavailable = 0;
	int rc = UNC_OK;

	for (unsigned try = 0; try < TRIES; try++) {
		*ret_reading = (struct unc_llc_reading){.status = UNC_LLC_ERROR, .n_unavailable = n_unavailable};
		rc = read_once(llc, domain, evtsel, ret_reading);
		n_unavailable = ret_reading->n_unavailable;
		if (rc == UNC_ENODEV && next_reader(llc, domain))
			continue;
		if (rc < 0 || (ret_reading->status != UNC_LLC_DISTURBED && !is_slow(llc, domain, account, ret_reading)))
			break;
	}
	ret_reading->was_forgotten = llc->rdt->amd && ret_reading->n_unavailable > 0;
	/*
	 * Either AMD's hardware forgot the RMID, or it reports Unavailable after each selection: an RMID that was forgotten is
	 * Unavailable one more time than when it is selected again.
	 */
	if (rc == 0 && ret_reading->was_forgotten && ret_reading->status == UNC_LLC_OK) {
		struct unc_llc_reading again = {.status = UNC_LLC_ERROR};

		rc = read_once(llc, domain, evtsel, &again);
		again.was_forgotten = again.n_unavailable < ret_reading->n_unavailable;
		if (rc == 0 && again.status == UNC_LLC_OK)
			*ret_reading = again;
	}
	if (rc < 0)
		ret_reading->status = UNC_LLC_ERROR;
	domain->failing = rc < 0;
	return rc;
}

int unc_llc_read_owned(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned rmid, unsigned nodes,
		       struct unc_llc_value *ret_value)
{
	int rc = UNC_OK;

	*ret_value = (struct unc_llc_value){0};
	for (unsigned node = 0; node < nodes && rc == 0; node++) {
		struct unc_llc_reading reading = {.status = UNC_LLC_ERROR};
		struct unc_llc_value value;
		uint64_t evtsel = 0;

		rc = unc_llc_select(llc, UNC_LLC_OCCUPANCY, rmid + node * llc->n_rmids, &evtsel);
		if (rc == 0)
			rc = unc_llc_read_value(llc, domain, evtsel, NULL, &reading);
		unc_llc_owned(&reading, &llc->meter, &value);
		unc_llc_add_value(ret_value, &value);
	}
	return rc;
}

/* Reads one row: its values, and handles missing ones. */

enum { ERRORS_MAX = 3 }; /* after so many errors in a row, a value is not read any more */

void unc_llc_round_add(struct unc_llc *llc, struct unc_llc_round *round, int rc)
{
	round->tried++;
	if (rc == 0)
		return;
	round->failed++;
	round->rc = rc;
	unc_msg_save(llc->machine->ctx, &round->msg);
}

int unc_llc_round_end(struct unc_ctx *ctx, const struct unc_llc_round *round)
{
	if (round->failed == 0 || round->failed < round->tried)
		return UNC_OK;
	unc_msg_restore(ctx, &round->msg);
	return round->rc;
}

static void read_counter(struct unc_llc *llc, struct unc_llc_line *line, struct unc_llc_counter *counter,
			 const struct unc_llc_account *account, struct unc_llc_round *round,
			 struct unc_llc_reading *ret_reading)
{
	struct unc_llc_domain *domain = &llc->domains[line->domain];
	int rc = UNC_OK;

	*ret_reading = (struct unc_llc_reading){.status = UNC_LLC_UNASSIGNED};
	if (!counter->unassigned)
		rc = unc_llc_read_value(llc, domain, counter->evtsel, account, ret_reading);
	if (rc == 0 && ret_reading->status == UNC_LLC_OK && counter->shows) {
		rc = unc_llc_still_assigned(llc, domain, counter);
		ret_reading->status = rc < 0 ? UNC_LLC_ERROR : counter->unassigned ? UNC_LLC_UNASSIGNED : UNC_LLC_OK;
	}
	unc_llc_round_add(llc, round, rc);
	if (rc == 0)
		return;
	if (!domain->told)
		unc_note(llc->machine->ctx, "L3 %u: %.900s", domain->l3->id, round->msg.msg);
	domain->told = true;
}

static void read_occupancy(struct unc_llc *llc, struct unc_llc_line *line, struct unc_llc_round *round,
			   struct unc_llc_value *ret_value, uint64_t *ret_ns)
{
	struct unc_llc_event_state *state = &line->events[UNC_LLC_OCCUPANCY];

	*ret_value = (struct unc_llc_value){0};
	for (unsigned node = 0; node < line->nodes; node++) {
		struct unc_llc_reading reading;
		struct unc_llc_value part;

		read_counter(llc, line, &state->counters[node], NULL, round, &reading);
		unc_llc_owned(&reading, &llc->meter, &part);
		unc_llc_add_value(ret_value, &part);
		if (reading.after_ns)
			*ret_ns = reading.after_ns;
	}
}

/* Reads each node's counter into its account. */
enum unc_llc_status unc_llc_read_accounts(struct unc_llc *llc, struct unc_llc_line *line, unsigned event,
					  struct unc_llc_round *round, uint64_t *ret_ns)
{
	struct unc_llc_event_state *state = &line->events[event];
	enum unc_llc_status status = UNC_LLC_NOT_ASKED;

	for (unsigned node = 0; node < line->nodes; node++) {
		struct unc_llc_counter *counter = &state->counters[node];
		struct unc_llc_reading reading;

		read_counter(llc, line, counter, &counter->account, round, &reading);
		if (reading.was_forgotten && line->twin != UNC_LLC_NO_ROW)
			forget(&llc->lines[line->twin], counter->evtsel);
		status = unc_llc_worse(status, unc_llc_account(&counter->account, &llc->meter, &reading));
		if (reading.after_ns)
			*ret_ns = reading.after_ns;
	}
	return status;
}

static void read_bandwidth(struct unc_llc *llc, struct unc_llc_line *line, unsigned event, struct unc_llc_round *round,
			   struct unc_llc_value *ret_value, uint64_t *ret_ns)
{
	struct unc_llc_event_state *state = &line->events[event];
	enum unc_llc_status status = unc_llc_read_accounts(llc, line, event, round, ret_ns);
	bool corrected = line->rmid > llc->rdt->info.exact_rmid;

	*ret_value = (struct unc_llc_value){.status = status};
	/* If it was not read, what it counts goes into the next number. */
	if (status != UNC_LLC_OK && status != UNC_LLC_STALE)
		return;
	*ret_value = (struct unc_llc_value){0};
	state->span = unc_llc_span(&state->counters[0].account);
	for (unsigned node = 0; node < line->nodes; node++) {
		struct unc_llc_account *account = &state->counters[node].account;
		struct unc_llc_value part = {.status = status, .has_raw = true, .raw = account->raw};

		if (status == UNC_LLC_OK)
			unc_llc_moved(account, &llc->meter, corrected, &part);
		else
			unc_llc_begin(account);
		unc_llc_add_value(ret_value, &part);
	}
	state->since_read = llc->n_reads;
}

/* Three errors in a row end the event. */
static void count_errors(struct unc_llc *llc, struct unc_llc_line *line, unsigned event, enum unc_llc_status status)
{
	struct unc_llc_event_state *state = &line->events[event];

	if (status != UNC_LLC_ERROR && status != UNC_LLC_DISTURBED)
		state->errors = 0;
	if (status != UNC_LLC_ERROR || ++state->errors < ERRORS_MAX)
		return;
	state->ended = true;
	if (line->group != UNC_LLC_NO_GROUP)
		unc_note(llc->machine->ctx, "group \"%s\", L3 %u: Error %d times in a row: %s is not read any more",
			 unc_llc_line_name(llc, line), llc->domains[line->domain].l3->id, ERRORS_MAX,
			 unc_llc_event_name(event));
}

/* Fills in the remote part, which is total less local. */
static void fill_remote(const struct unc_llc *llc, const struct unc_llc_line *line, struct unc_llc_row *row)
{
	const struct unc_llc_value *total = &row->values[UNC_LLC_TOTAL], *local = &row->values[UNC_LLC_LOCAL];
	const struct unc_llc_part of_total = {total->bytes, line->events[UNC_LLC_TOTAL].span},
				  of_local = {local->bytes, line->events[UNC_LLC_LOCAL].span};
	uint64_t unit = llc->meter.unit_bytes * line->nodes;

	row->has_remote = unc_llc_remote(&of_total, &of_local, unit, &row->remote_bytes, &row->remote_uncertain_bytes);
	if (row->has_remote)
		return;
	row->remote_uncertain_bytes = 0;
	row->flags |= UNC_LLC_LOCAL_EXCEEDS;
}

void unc_llc_read_line(struct unc_llc *llc, struct unc_llc_line *line, struct unc_llc_round *round,
		       struct unc_llc_row *row)
{
	const struct unc_llc_event_state *total = &line->events[UNC_LLC_TOTAL], *local = &line->events[UNC_LLC_LOCAL];
	bool same_interval = total->since_read == local->since_read, longer;
	uint64_t ns = 0;

	*row = (struct unc_llc_row){0};
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		struct unc_llc_value *value = &row->values[event];

		if (!line->events[event].counters)
			continue;
		value->status = UNC_LLC_ERROR;
		if (line->events[event].ended)
			continue;
		longer = event != UNC_LLC_OCCUPANCY && line->events[event].since_read + 1 != llc->n_reads;
		if (event == UNC_LLC_OCCUPANCY)
			read_occupancy(llc, line, round, value, &ns);
		else
			read_bandwidth(llc, line, event, round, value, &ns);
		if (longer && value->status == UNC_LLC_OK)
			row->flags |= UNC_LLC_LONGER;
		count_errors(llc, line, event, value->status);
		if (value->corrected)
			row->flags |= UNC_LLC_CORRECTED;
		if (value->late)
			row->flags |= UNC_LLC_LATE;
		if (value->status == UNC_LLC_UNASSIGNED)
			row->flags |= UNC_LLC_NO_COUNTER;
	}
	if (row->values[UNC_LLC_TOTAL].status == UNC_LLC_OK && row->values[UNC_LLC_LOCAL].status == UNC_LLC_OK &&
	    same_interval && !llc->cfg.types[UNC_LLC_TOTAL] && !llc->cfg.types[UNC_LLC_LOCAL])
		fill_remote(llc, line, row);
	row->time_ns = ns ? ns : unc_machine_raw_ns(llc->machine);
	row->interval_ns = row->time_ns - line->begin_ns;
	line->begin_ns = row->time_ns;
}

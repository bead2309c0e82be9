// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads one row: its values, and handles missing ones. */
#include "base/err.h"
#include "rdt/llc.h"

enum { ERRORS_MAX = 3 }; /* after so many errors in a row, a value is not read any more */

static struct unc_llc_domain *domain_of(struct unc_llc *llc, const struct unc_llc_line *line)
{
	return &llc->domains[line->domain];
}

static void read_counter(struct unc_llc *llc, struct unc_llc_line *line, const struct unc_llc_counter *counter,
			 const struct unc_llc_account *account, struct unc_llc_round *round,
			 struct unc_llc_reading *ret_reading)
{
	struct unc_llc_domain *domain = domain_of(llc, line);
	int rc = unc_llc_read_value(llc, domain, counter->evtsel, account, ret_reading);

	round->tried++;
	if (rc == 0)
		return;
	round->failed++;
	round->rc = rc;
	unc_msg_save(llc->machine->ctx, &round->msg);
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

void unc_llc_forgotten(struct unc_llc *llc, const struct unc_llc_domain *domain, uint64_t evtsel)
{
	for (size_t i = 0; i < llc->n_lines && llc->rdt->amd; i++)
		if (llc->lines[i].domain == domain - llc->domains)
			forget(&llc->lines[i], evtsel);
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
static void judge(struct unc_llc *llc, struct unc_llc_line *line, unsigned event, enum unc_llc_status status)
{
	struct unc_llc_event_state *state = &line->events[event];

	if (status != UNC_LLC_ERROR && status != UNC_LLC_DISTURBED)
		state->errors = 0;
	if (status != UNC_LLC_ERROR || ++state->errors < ERRORS_MAX)
		return;
	state->ended = true;
	if (line->group != UNC_LLC_NO_GROUP)
		unc_note(llc->machine->ctx, "group \"%s\", L3 %u: Error %d times in a row: %s is not read any more",
			 unc_llc_line_name(llc, line), domain_of(llc, line)->l3->id, ERRORS_MAX,
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
		judge(llc, line, event, value->status);
		if (value->corrected)
			row->flags |= UNC_LLC_CORRECTED;
		if (value->late)
			row->flags |= UNC_LLC_LATE;
	}
	if (row->values[UNC_LLC_TOTAL].status == UNC_LLC_OK && row->values[UNC_LLC_LOCAL].status == UNC_LLC_OK &&
	    same_interval)
		fill_remote(llc, line, row);
	row->time_ns = ns ? ns : unc_machine_raw_ns(llc->machine);
	row->interval_ns = row->time_ns - line->begin_ns;
	line->begin_ns = row->time_ns;
}

int unc_llc_begin_event(struct unc_llc *llc, struct unc_llc_line *line, unsigned event)
{
	struct unc_llc_counter *counters = line->events[event].counters;
	struct unc_llc_round round = {0};
	uint64_t ns;

	unc_llc_read_accounts(llc, line, event, &round, &ns);
	for (unsigned node = 0; node < line->nodes; node++)
		unc_llc_begin(&counters[node].account);
	if (round.failed)
		unc_msg_restore(llc->machine->ctx, &round.msg);
	return round.rc;
}

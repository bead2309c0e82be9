// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading every value once, and what must be done in between. */
#include "base/err.h"
#include "rdt/llc.h"

enum { ERRORS_MAX = 3 }; /* so many in a row, and a value is not read any more */

/* How a round of reading went. */
struct round {
	size_t tried, failed;
	int rc; /* of the last that failed */
	struct unc_saved_msg msg;
};

static bool is_sum(const struct unc_llc_line *line)
{
	return line->domain == UNC_LLC_NO_DOMAIN;
}

static bool is_read(const struct unc_llc_line *line, unsigned event)
{
	return line->events[event].counters && !line->events[event].ended;
}

static struct unc_llc_domain *domain_of(struct unc_llc *llc, const struct unc_llc_line *line)
{
	return &llc->domains[line->domain];
}

static void read_counter(struct unc_llc *llc, struct unc_llc_line *line, const struct unc_llc_counter *counter,
			 struct round *round, struct unc_llc_reading *ret_reading)
{
	struct unc_llc_domain *domain = domain_of(llc, line);
	bool failing = domain->failing;
	int rc = unc_llc_read_value(llc, domain, counter->evtsel, ret_reading);

	round->tried++;
	if (rc == 0)
		return;
	round->failed++;
	round->rc = rc;
	unc_msg_save(llc->machine->ctx, &round->msg);
	if (!failing)
		unc_note(llc->machine->ctx, "L3 %u: %.900s", domain->l3->id, round->msg.msg);
}

/* ---- one value ---- */

static void read_occupancy(struct unc_llc *llc, struct unc_llc_line *line, struct round *round,
			   struct unc_llc_value *ret_value, uint64_t *ret_ns)
{
	struct unc_llc_event_state *state = &line->events[UNC_LLC_OCCUPANCY];

	*ret_value = (struct unc_llc_value){0};
	for (unsigned node = 0; node < line->nodes; node++) {
		struct unc_llc_reading reading;
		struct unc_llc_value part;

		read_counter(llc, line, &state->counters[node], round, &reading);
		unc_llc_owned(&reading, &llc->meter, &part);
		unc_llc_add_value(ret_value, &part);
		if (reading.after_ns)
			*ret_ns = reading.after_ns;
	}
}

/* Each node's counter goes into its account. */
static enum unc_llc_status read_accounts(struct unc_llc *llc, struct unc_llc_line *line, unsigned event,
					 struct round *round, uint64_t *ret_ns)
{
	struct unc_llc_event_state *state = &line->events[event];
	enum unc_llc_status status = UNC_LLC_NOT_ASKED;

	for (unsigned node = 0; node < line->nodes; node++) {
		struct unc_llc_counter *counter = &state->counters[node];
		struct unc_llc_reading reading;

		read_counter(llc, line, counter, round, &reading);
		status = unc_llc_worse(status, unc_llc_account(&counter->account, &llc->meter, &reading));
		if (reading.after_ns)
			*ret_ns = reading.after_ns;
	}
	return status;
}

static void read_bandwidth(struct unc_llc *llc, struct unc_llc_line *line, unsigned event, struct round *round,
			   struct unc_llc_value *ret_value, uint64_t *ret_ns)
{
	struct unc_llc_event_state *state = &line->events[event];
	enum unc_llc_status status = read_accounts(llc, line, event, round, ret_ns);
	bool corrected = line->rmid > llc->rdt->info.exact_rmid;

	*ret_value = (struct unc_llc_value){.status = status};
	/* Where it was not read, what it counts goes into the next number. */
	if (status != UNC_LLC_OK && status != UNC_LLC_STALE)
		return;
	*ret_value = (struct unc_llc_value){0};
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

/* Three errors in a row end it. */
static void judge(struct unc_llc *llc, struct unc_llc_line *line, unsigned event, enum unc_llc_status status)
{
	struct unc_llc_event_state *state = &line->events[event];

	state->last = status;
	state->obtained |= status == UNC_LLC_OK;
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

/* ---- rows ---- */

/* What is not local; hardware may count more local than total. */
static void fill_remote(struct unc_llc_row *row)
{
	uint64_t total = row->values[UNC_LLC_TOTAL].bytes, local = row->values[UNC_LLC_LOCAL].bytes;

	row->has_remote = true;
	row->remote_bytes = total > local ? total - local : 0;
}

static void read_line(struct unc_llc *llc, struct unc_llc_line *line, struct round *round, struct unc_llc_row *row)
{
	const struct unc_llc_event_state *total = &line->events[UNC_LLC_TOTAL], *local = &line->events[UNC_LLC_LOCAL];
	bool same_interval = total->since_read == local->since_read;
	uint64_t ns = 0;

	*row = (struct unc_llc_row){0};
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
		struct unc_llc_value *value = &row->values[event];

		if (!line->events[event].counters)
			continue;
		value->status = UNC_LLC_ERROR;
		if (line->events[event].ended)
			continue;
		if (event == UNC_LLC_OCCUPANCY)
			read_occupancy(llc, line, round, value, &ns);
		else
			read_bandwidth(llc, line, event, round, value, &ns);
		judge(llc, line, event, value->status);
		if (value->corrected)
			row->flags |= UNC_LLC_CORRECTED;
	}
	if (row->values[UNC_LLC_TOTAL].status == UNC_LLC_OK && row->values[UNC_LLC_LOCAL].status == UNC_LLC_OK &&
	    same_interval)
		fill_remote(row);
	row->time_ns = ns ? ns : unc_machine_raw_ns(llc->machine);
	row->interval_ns = row->time_ns - line->begin_ns;
	line->begin_ns = row->time_ns;
}

static void fill_hijacked(struct unc_llc_line *line, struct unc_llc_row *row)
{
	if (!line->hijacked && line->n_hijacked == 0)
		return;
	row->flags |= UNC_LLC_HIJACKED;
	row->rmid_found = line->rmid_found;
	line->hijacked = false;
}

/* rows: those in front of the sum are its parts. */
static void add_up(const struct unc_llc_line *line, struct unc_llc_row *rows, size_t index)
{
	struct unc_llc_row *sum = &rows[index];

	*sum = (struct unc_llc_row){.has_remote = true};
	for (size_t i = index - line->n_parts; i < index; i++) {
		const struct unc_llc_row *part = &rows[i];

		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
			unc_llc_add_value(&sum->values[event], &part->values[event]);
			sum->values[event].has_raw = false; /* of different counters */
			sum->values[event].raw = 0;
			if (part->values[event].status > UNC_LLC_OK)
				sum->flags |= UNC_LLC_PARTIAL;
		}
		sum->flags |= part->flags;
		if (part->flags & UNC_LLC_HIJACKED)
			sum->rmid_found = part->rmid_found;
		sum->has_remote &= part->has_remote;
		sum->remote_bytes += part->remote_bytes;
		if (part->time_ns > sum->time_ns)
			sum->time_ns = part->time_ns;
		if (part->interval_ns > sum->interval_ns)
			sum->interval_ns = part->interval_ns;
	}
	sum->remote_bytes = sum->has_remote ? sum->remote_bytes : 0;
}

/* All that is known to be owned of an L3, each RMID once, and there is no more than that. */
static void flag_over(const struct unc_llc *llc, struct unc_llc_row *rows, ptrdiff_t domain)
{
	uint64_t owned = 0, most = llc->domains[domain].l3->bytes;
	bool over = false;

	for (size_t i = 0; i < llc->n_lines; i++) {
		uint64_t bytes = rows[i].values[UNC_LLC_OCCUPANCY].bytes;

		if (llc->lines[i].domain != domain || llc->lines[i].twice ||
		    rows[i].values[UNC_LLC_OCCUPANCY].status != UNC_LLC_OK)
			continue;
		over |= bytes > most || owned > most - bytes;
		owned += bytes;
	}
	for (size_t i = 0; i < llc->n_lines && over; i++)
		if (llc->lines[i].domain == domain)
			rows[i].flags |= UNC_LLC_OVER;
}

/* ---- all ---- */

static void lose_all(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_lines; i++)
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			for (unsigned node = 0; node < llc->lines[i].nodes && is_read(&llc->lines[i], event); node++)
				unc_llc_lose(&llc->lines[i].events[event].counters[node].account);
}

/* A machine that sleeps loses its registers: what was counted is not known, and who carries what is looked at at once. */
static bool look_for_suspend(struct unc_llc *llc)
{
	if (!unc_was_suspended(&llc->suspend, llc->machine))
		return false;
	lose_all(llc);
	unc_llc_watch_all(llc);
	return true;
}

/* While it was being read, even: then what was just read may have been counted before or behind. */
static void drop_bandwidth(const struct unc_llc *llc, struct unc_llc_row *rows)
{
	for (size_t i = 0; i < llc->n_lines; i++) {
		rows[i].has_remote = false;
		rows[i].remote_bytes = 0;
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (rows[i].values[event].status == UNC_LLC_OK)
				rows[i].values[event] = (struct unc_llc_value){.status = UNC_LLC_STALE};
	}
}

static int finish(struct unc_llc *llc, const struct round *round)
{
	if (round->tried == 0)
		return unc_fail(llc->machine->ctx, UNC_ENODATA,
				"every value has ended: hardware answered Error three times in a row, or could not be "
				"reached");
	if (round->failed < round->tried)
		return UNC_OK;
	unc_msg_restore(llc->machine->ctx, &round->msg);
	return round->rc;
}

int unc_llc_read(struct unc_llc *llc, struct unc_llc_row *ret_rows, size_t n)
{
	uint64_t offset_ns = unc_machine_real_ns(llc->machine) - unc_machine_raw_ns(llc->machine);
	struct round round = {0};

	if (!llc->started || n != llc->n_lines)
		return unc_fail(llc->machine->ctx, UNC_EARG,
				"monitoring that was started gives as many rows as unc_llc_row_count() says");
	llc->n_reads++;
	look_for_suspend(llc);
	for (size_t i = 0; i < n; i++)
		if (!is_sum(&llc->lines[i]))
			read_line(llc, &llc->lines[i], &round, &ret_rows[i]);
	if (look_for_suspend(llc))
		drop_bandwidth(llc, ret_rows);
	llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
	/* Behind the values: what was just read was counted for the RMIDs that are seen now. */
	unc_llc_watch(llc);
	for (size_t i = 0; i < n; i++)
		fill_hijacked(&llc->lines[i], &ret_rows[i]);
	for (size_t i = 0; i < llc->n_domains; i++)
		flag_over(llc, ret_rows, (ptrdiff_t)i);
	for (size_t i = 0; i < n; i++) {
		if (is_sum(&llc->lines[i]))
			add_up(&llc->lines[i], ret_rows, i);
		else
			ret_rows[i].time_ns += offset_ns;
	}
	return finish(llc, &round);
}

/* In between two public reads, what could wrap until the next. */
static void read_between(struct unc_llc *llc)
{
	struct round round = {0};
	uint64_t ns;

	for (size_t i = 0; i < llc->n_lines; i++)
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (is_read(&llc->lines[i], event))
				read_accounts(llc, &llc->lines[i], event, &round, &ns);
	llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
}

static uint64_t after(uint64_t since_ns, uint64_t ns)
{
	return ns > UINT64_MAX - since_ns ? UINT64_MAX : since_ns + ns;
}

int unc_llc_sleep_until(struct unc_llc *llc, uint64_t mono_ns)
{
	struct unc_host *host = llc->machine->host;

	if (!llc->started)
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring has not started");
	if (mono_ns == UINT64_MAX && host->stands_still)
		return UNC_EAGAIN;
	for (;;) {
		uint64_t poll_due = after(llc->read_mono_ns, llc->poll_ns), due = unc_llc_watch_due(llc);
		int rc;

		due = poll_due < due ? poll_due : due;
		due = mono_ns < due ? mono_ns : due;
		rc = host->ops->sleep_until(host, due);
		if (rc < 0 || due == mono_ns)
			return rc;
		look_for_suspend(llc);
		if (due == poll_due)
			read_between(llc);
		unc_llc_watch(llc);
	}
}

/* AMD says Unavailable once of each event of an RMID that it has only begun to follow: that is got over with. */
static int begin_event(struct unc_llc *llc, struct unc_llc_line *line, unsigned event)
{
	struct unc_llc_counter *counters = line->events[event].counters;
	bool says_it_once = llc->rdt->amd && !llc->machine->dry_run;
	struct round round = {0};
	struct unc_llc_value value;
	uint64_t ns;

	if (event == UNC_LLC_OCCUPANCY) {
		if (says_it_once)
			read_occupancy(llc, line, &round, &value, &ns);
	} else if (read_accounts(llc, line, event, &round, &ns) == UNC_LLC_UNAVAILABLE && says_it_once) {
		read_accounts(llc, line, event, &round, &ns);
	}
	for (unsigned node = 0; node < line->nodes; node++)
		unc_llc_begin(&counters[node].account);
	if (round.failed)
		unc_msg_restore(llc->machine->ctx, &round.msg);
	return round.rc;
}

int unc_llc_baseline(struct unc_llc *llc)
{
	bool has_bandwidth = llc->events & (1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL);
	int rc = UNC_OK;

	llc->poll_ns = has_bandwidth ? llc->meter.wrap_ns / 4 : UINT64_MAX;
	for (size_t i = 0; i < llc->n_lines && rc == 0; i++) {
		struct unc_llc_line *line = &llc->lines[i];

		for (unsigned event = 0; event < UNC_LLC_EVENTS && rc == 0; event++)
			if (line->events[event].counters)
				rc = begin_event(llc, line, event);
		line->begin_ns = unc_machine_raw_ns(llc->machine);
	}
	llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
	return rc;
}

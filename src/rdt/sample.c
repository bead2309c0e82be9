// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading every value once, and what must be done in between. */
#include "base/err.h"
#include "rdt/llc.h"

static bool is_sum(const struct unc_llc_line *line)
{
	return line->domain == UNC_LLC_NO_DOMAIN;
}

static bool is_read(const struct unc_llc_line *line, unsigned event)
{
	return line->events[event].counters && !line->events[event].ended;
}

static bool flag(bool was, unsigned n, unsigned flag, struct unc_llc_row *row)
{
	row->flags |= was || n ? flag : 0;
	return was || n;
}

/* Since the last look that found all as it should be, these rows were not certain. */
static void confirm_row(const struct unc_llc_line *line, struct unc_llc_row *row)
{
	row->flags &= ~(unsigned)UNC_LLC_PENDING;
	flag(line->shared, line->n_shared, UNC_LLC_SHARED_RMID, row);
	if (flag(line->hijacked, line->n_hijacked, UNC_LLC_HIJACKED, row))
		row->rmid_found = line->rmid_found;
}

static void confirm_sum(const struct unc_llc *llc, struct unc_llc_row *rows, size_t index)
{
	rows[index].flags &= ~(unsigned)UNC_LLC_PENDING;
	for (size_t i = index - llc->lines[index].n_parts; i < index; i++) {
		rows[index].flags |= rows[i].flags & (UNC_LLC_SHARED_RMID | UNC_LLC_HIJACKED);
		if (rows[i].flags & UNC_LLC_HIJACKED)
			rows[index].rmid_found = rows[i].rmid_found;
	}
}

int unc_llc_confirm(struct unc_llc *llc, struct unc_llc_row *rows, size_t n)
{
	if (!llc->started || n % llc->n_lines != 0)
		return unc_fail(llc->machine->ctx, UNC_EARG,
				"rows of monitoring that was started are confirmed, all of one read or of several");
	if (llc->looked_read != llc->n_reads)
		unc_llc_watch_all(llc);
	llc->looked_read = llc->n_reads;
	for (size_t i = 0; i < n; i++) {
		if (is_sum(&llc->lines[i % llc->n_lines]))
			confirm_sum(llc, rows + i / llc->n_lines * llc->n_lines, i % llc->n_lines);
		else
			confirm_row(&llc->lines[i % llc->n_lines], &rows[i]);
	}
	for (size_t i = 0; i < llc->n_lines; i++)
		llc->lines[i].hijacked = llc->lines[i].shared = false;
	return UNC_OK;
}

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
		rows[i].remote_uncertain_bytes = 0;
		/* Which bandwidth alone is. */
		rows[i].flags &= ~(unsigned)(UNC_LLC_CORRECTED | UNC_LLC_LONGER | UNC_LLC_LATE | UNC_LLC_LOCAL_EXCEEDS);
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (rows[i].values[event].status == UNC_LLC_OK)
				rows[i].values[event] = (struct unc_llc_value){.status = UNC_LLC_STALE};
	}
}

static int finish(struct unc_llc *llc, const struct unc_llc_round *round)
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
	struct unc_llc_round round = {0};

	if (!llc->started || n != llc->n_lines)
		return unc_fail(llc->machine->ctx, UNC_EARG,
				"monitoring that was started gives as many rows as unc_llc_row_count() says");
	llc->n_reads++;
	look_for_suspend(llc);
	for (size_t i = 0; i < n; i++)
		if (!is_sum(&llc->lines[i]))
			unc_llc_read_line(llc, &llc->lines[i], &round, &ret_rows[i]);
	if (look_for_suspend(llc))
		drop_bandwidth(llc, ret_rows);
	llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
	unc_llc_flag_over(llc, ret_rows);
	for (size_t i = 0; i < n; i++) {
		if (is_sum(&llc->lines[i]))
			unc_llc_add_up(&llc->lines[i], ret_rows, i);
		else
			ret_rows[i].time_ns += offset_ns;
		ret_rows[i].flags |= UNC_LLC_PENDING;
	}
	/* After the values: what was just read was counted for the RMIDs that are seen now. */
	if (!llc->cfg.confirm_later)
		unc_llc_confirm(llc, ret_rows, n);
	return finish(llc, &round);
}

static enum unc_llc_status owned_now(struct unc_llc *llc, const struct unc_llc_line *line, struct unc_llc_now *now,
				     int *ret_rc)
{
	struct unc_llc_value sum = {0};

	*ret_rc = UNC_OK;
	for (unsigned node = 0; node < line->nodes && *ret_rc == 0; node++) {
		struct unc_llc_reading reading;
		struct unc_llc_value part;

		*ret_rc = unc_llc_read_value(llc, &llc->domains[line->domain],
					     line->events[UNC_LLC_OCCUPANCY].counters[node].evtsel, &reading);
		unc_llc_owned(&reading, &llc->meter, &part);
		unc_llc_add_value(&sum, &part);
	}
	now->bytes = sum.bytes;
	return sum.status;
}

static enum unc_llc_status moved_now(struct unc_llc *llc, struct unc_llc_line *line, unsigned event,
				     struct unc_llc_now *now, int *ret_rc)
{
	struct unc_llc_round round = {0};
	uint64_t ns;
	enum unc_llc_status status = unc_llc_read_accounts(llc, line, event, &round, &ns);

	*ret_rc = round.rc;
	if (round.failed)
		unc_msg_restore(llc->machine->ctx, &round.msg);
	now->corrected = line->rmid > llc->rdt->info.exact_rmid;
	for (unsigned node = 0; node < line->nodes; node++) {
		struct unc_llc_account *account = &line->events[event].counters[node].account;

		if (status == UNC_LLC_STALE)
			unc_llc_begin(account);
		now->bytes += unc_llc_shown(account, &llc->meter, now->corrected);
	}
	return status;
}

int unc_llc_read_now(struct unc_llc *llc, size_t row, enum unc_llc_event event, struct unc_llc_now *ret_now)
{
	struct unc_llc_line *line = &llc->lines[row];
	int rc;

	*ret_now = (struct unc_llc_now){0};
	if (!line->events[event].counters)
		return UNC_OK; /* not asked */
	look_for_suspend(llc);
	ret_now->before_ns = unc_machine_raw_ns(llc->machine);
	if (event == UNC_LLC_OCCUPANCY)
		ret_now->status = owned_now(llc, line, ret_now, &rc);
	else
		ret_now->status = moved_now(llc, line, event, ret_now, &rc);
	ret_now->after_ns = unc_machine_raw_ns(llc->machine);
	if (ret_now->status != UNC_LLC_OK)
		ret_now->bytes = 0;
	return rc;
}

/* In between two public reads, what could wrap until the next. */
static void read_between(struct unc_llc *llc)
{
	struct unc_llc_round round = {0};
	uint64_t ns;

	for (size_t i = 0; i < llc->n_lines; i++)
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (is_read(&llc->lines[i], event))
				unc_llc_read_accounts(llc, &llc->lines[i], event, &round, &ns);
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

int unc_llc_baseline(struct unc_llc *llc)
{
	bool has_bandwidth = llc->events & (1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL);
	int rc = UNC_OK;

	llc->poll_ns = has_bandwidth ? llc->meter.wrap_ns / 4 : UINT64_MAX;
	for (size_t i = 0; i < llc->n_lines && rc == 0; i++) {
		struct unc_llc_line *line = &llc->lines[i];

		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && rc == 0; event++)
			if (line->events[event].counters)
				rc = unc_llc_begin_event(llc, line, event);
		line->begin_ns = unc_machine_raw_ns(llc->machine);
	}
	llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
	return rc;
}

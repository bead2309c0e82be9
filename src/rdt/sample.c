// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks that the CPUs of groups still carry the RMID that they were given, and that no other CPU of their L3 carries it.
 * resctrl writes IA32_PQR_ASSOC at every context switch, pqos on request.  What one look finds may have been so since the look
 * before, and may stay so until the next: rows of that time are flagged.  After the start, a CPU of nohz_full is looked at only
 * at the end, since a look interrupts it.
 */
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

/* Reads the RMID that the CPU carries now.  False: the read failed, or its value is not valid. */
static bool rmid_now(struct unc_llc *llc, struct unc_llc_cpu *cpu, unsigned *ret_rmid)
{
	bool was_silent = cpu->silent;
	uint64_t pqr;

	cpu->silent = unc_reg_get(cpu->box, llc->regs.pqr, 0, &pqr) < 0;
	if (cpu->silent && !was_silent)
		unc_note(llc->machine->ctx, "which RMID cpu %u carries cannot be told: %.700s", cpu->number,
			 llc->machine->ctx->msg);
	if (cpu->silent)
		return false;
	/* All ones is a failed access.  An RMID that no L3 has may belong to another resource, which has more of them. */
	*ret_rmid = (unsigned)unc_field_get(llc->regs.pqr_rmid, pqr);
	return pqr != UINT64_MAX;
}

/* Returns the row of another group with that RMID, whose numbers include the CPU's work; UNC_LLC_NO_ROW: none. */
static size_t row_shared_by(const struct unc_llc *llc, ptrdiff_t domain, const struct unc_llc_cpu *cpu, unsigned rmid)
{
	unsigned first = llc->rdt->snc == UNC_SNC_LOCAL ? cpu->part * llc->n_rmids : 0;

	/* Rows of groups come first; no group has RMID 0. */
	for (size_t i = 0; i < llc->n_lines && llc->lines[i].group != UNC_LLC_NO_GROUP && rmid != 0; i++) {
		const struct unc_llc_line *line = &llc->lines[i];

		if (line->group != cpu->group && line->domain == domain && line->rmid + first == rmid)
			return i;
	}
	return UNC_LLC_NO_ROW;
}

/* If the CPU does not answer, the result of the last look stays valid: a CPU that goes offline may come back with that RMID. */
static void read_rmid(struct unc_llc *llc, ptrdiff_t domain, struct unc_llc_cpu *cpu)
{
	bool is_ours = cpu->group != UNC_LLC_NO_GROUP;
	unsigned rmid;

	if (!rmid_now(llc, cpu, &rmid))
		return;
	cpu->hijacked = is_ours && rmid != cpu->rmid;
	cpu->shared_row = is_ours && !cpu->hijacked ? UNC_LLC_NO_ROW : row_shared_by(llc, domain, cpu, rmid);
	if (cpu->hijacked) {
		struct unc_llc_line *line = &llc->lines[cpu->row];

		line->rmid_found = rmid;
		if (!line->told_lost)
			unc_note(llc->machine->ctx,
				 "cpu %u: another program gave it RMID %u: what it does is not in the numbers of group "
				 "\"%s\" (RMID %u) any more",
				 cpu->number, rmid, llc->groups[line->group].name, line->rmid);
		line->told_lost = true;
	}
	if (cpu->shared_row != UNC_LLC_NO_ROW) {
		struct unc_llc_line *line = &llc->lines[cpu->shared_row];

		if (!line->soiled)
			unc_note(llc->machine->ctx,
				 "cpu %u: another program gave it RMID %u of group \"%s\", which it is not in: the "
				 "group has no numbers while it carries that RMID, since its work would be in them, "
				 "and no occupancy any more",
				 cpu->number, line->rmid, llc->groups[line->group].name);
		line->soiled = true;
	}
}

/* Looks at all CPUs of the L3s that have groups; without quiet_too except those of nohz_full. */
static void read_rmids(struct unc_llc *llc, bool quiet_too)
{
	for (size_t i = 0; i < llc->n_lines; i++) {
		llc->lines[i].doubt = llc->lines[i].found;
		llc->lines[i].found = 0;
	}
	for (size_t i = 0; i < llc->n_domains; i++) {
		struct unc_llc_domain *domain = &llc->domains[i];

		/* In a dry run no CPU was given anything. */
		for (size_t k = 0; k < domain->n_cpus && domain->has_groups && !llc->machine->dry_run; k++) {
			struct unc_llc_cpu *cpu = &domain->cpus[k];

			if (!cpu->quiet || quiet_too)
				read_rmid(llc, (ptrdiff_t)i, cpu);
			if (cpu->hijacked)
				llc->lines[cpu->row].found |= UNC_LLC_HIJACKED;
			if (cpu->shared_row != UNC_LLC_NO_ROW)
				llc->lines[cpu->shared_row].found |= UNC_LLC_SHARED_RMID;
		}
	}
	for (struct unc_llc_line *line = llc->lines; line < llc->lines + llc->n_lines; line++) {
		line->doubt |= line->found;
		line->of_next |= line->doubt;
		line->of_held |= line->doubt;
	}
	llc->looked_ns = unc_machine_mono_ns(llc->machine);
	llc->unlooked = false;
}

int unc_llc_look_last(struct unc_llc *llc)
{
	if (!llc->started)
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring has not started");
	read_rmids(llc, true);
	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++) {
			const struct unc_llc_cpu *cpu = &llc->domains[i].cpus[k];
			size_t row = cpu->hijacked ? cpu->row : cpu->shared_row;

			if (cpu->quiet && row != UNC_LLC_NO_ROW)
				return unc_fail(
					llc->machine->ctx, UNC_EBUSY,
					"cpu %u: another program gave it an RMID during the run; it is in nohz_full, "
					"so that is seen only at the end: any number of group \"%s\" may be wrong",
					cpu->number, unc_llc_line_name(llc, &llc->lines[row]));
		}
	return UNC_OK;
}

/* Reads every value once, and does what is needed between two reads. */

static bool is_sum(const struct unc_llc_line *line)
{
	return line->domain == UNC_LLC_NO_DOMAIN;
}

static bool is_read(const struct unc_llc_line *line, unsigned event)
{
	return line->events[event].counters && !line->events[event].ended;
}

/* Fills the row of a sum; its parts are the rows before it. */
static void add_up(const struct unc_llc_line *line, struct unc_llc_row *rows, size_t index)
{
	rows[index] = (struct unc_llc_row){.has_remote = true};
	for (size_t i = index - line->n_parts; i < index; i++)
		unc_llc_add_row(&rows[index], &rows[i]);
}

/* Adds up what is owned of each L3, each RMID once, and flags the rows of an L3 if that is more than the L3 has. */
static void flag_over(struct unc_llc *llc, struct unc_llc_row *rows)
{
	for (size_t i = 0; i < llc->n_domains; i++) {
		llc->domains[i].owned = 0;
		llc->domains[i].over = false;
	}
	for (size_t i = 0; i < llc->n_lines; i++) {
		const struct unc_llc_value *value = &rows[i].values[UNC_LLC_OCCUPANCY];
		struct unc_llc_domain *domain;

		if (llc->lines[i].domain == UNC_LLC_NO_DOMAIN || llc->lines[i].twice || value->status != UNC_LLC_OK)
			continue;
		domain = &llc->domains[llc->lines[i].domain];
		domain->over |= value->bytes > domain->l3->bytes || domain->owned > domain->l3->bytes - value->bytes;
		domain->owned += value->bytes;
	}
	for (size_t i = 0; i < llc->n_lines; i++)
		if (llc->lines[i].domain != UNC_LLC_NO_DOMAIN && llc->domains[llc->lines[i].domain].over)
			rows[i].flags |= UNC_LLC_OVER;
}

/* Drops the numbers of that event and of those after it, for that reason, and the flags that are about bandwidth alone. */
static void drop(struct unc_llc_row *row, unsigned event, enum unc_llc_status reason)
{
	row->has_remote = false;
	row->remote_bytes = 0;
	row->remote_uncertain_bytes = 0;
	row->flags &= ~(unsigned)(UNC_LLC_CORRECTED | UNC_LLC_LONGER | UNC_LLC_LATE | UNC_LLC_LOCAL_EXCEEDS);
	for (; event < UNC_LLC_EVENTS; event++)
		if (row->values[event].status == UNC_LLC_OK)
			row->values[event] = (struct unc_llc_value){.status = reason};
}

/* ---- rows that wait for a look ---- */

/* rows: the rows of one read.  Drops numbers that may include another CPU's work. */
static void confirm_rows(struct unc_llc *llc, struct unc_llc_row *rows)
{
	for (size_t i = 0; i < llc->n_lines; i++) {
		struct unc_llc_line *line = &llc->lines[i];
		struct unc_llc_row *row = &rows[i];
		struct unc_llc_value *owned = &row->values[UNC_LLC_OCCUPANCY];

		if (!(row->flags & UNC_LLC_PENDING))
			continue;
		row->flags &= ~(unsigned)UNC_LLC_PENDING;
		if (is_sum(line)) {
			add_up(line, rows, i);
			continue;
		}
		row->flags |= line->of_held;
		if (row->flags & UNC_LLC_HIJACKED)
			row->rmid_found = line->rmid_found;
		if (row->flags & UNC_LLC_SHARED_RMID)
			drop(row, UNC_LLC_OCCUPANCY, UNC_LLC_SHARED);
		if (line->soiled && owned->status == UNC_LLC_OK)
			*owned = (struct unc_llc_value){.status = UNC_LLC_SHARED};
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++) {
			line->events[event].obtained |= row->values[event].status == UNC_LLC_OK;
			line->events[event].last = row->values[event].status;
		}
	}
}

int unc_llc_confirm(struct unc_llc *llc, struct unc_llc_row *rows, size_t n)
{
	if (!llc->started || n % llc->n_lines != 0)
		return unc_fail(llc->machine->ctx, UNC_EARG,
				"rows are confirmed as they were read: all rows of each read");
	if (llc->unlooked)
		read_rmids(llc, false);
	for (size_t i = 0; i < n; i += llc->n_lines)
		confirm_rows(llc, rows + i);
	llc->has_held = false;
	return UNC_OK;
}

/* The look comes after the values: so what was just read was counted for the RMIDs that are seen now. */
static void confirm_or_hold(struct unc_llc *llc, struct unc_llc_row *rows)
{
	uint64_t ns = unc_machine_mono_ns(llc->machine) - llc->looked_ns;
	bool is_due = !llc->cfg.confirm_later || !llc->n_groups;

	/* The last look would be too old at the next read. */
	is_due |= llc->cfg.interval_ns && ns + llc->cfg.interval_ns >= UNC_LLC_LOOK_NS;

	for (size_t i = 0; i < llc->n_lines; i++) {
		rows[i].flags |= UNC_LLC_PENDING | llc->lines[i].of_next;
		llc->lines[i].of_next = 0;
		if (!llc->has_held)
			llc->lines[i].of_held = 0;
	}
	llc->unlooked = true;
	llc->has_held |= !is_due;
	if (!is_due)
		return;
	read_rmids(llc, false);
	confirm_rows(llc, rows);
	/* The next rows begin with this look. */
	for (size_t i = 0; i < llc->n_lines; i++)
		llc->lines[i].of_next = llc->lines[i].found;
}

/* A machine that sleeps loses its registers: what was counted is not known, and the RMIDs of CPUs are looked at immediately. */
static bool look_for_suspend(struct unc_llc *llc)
{
	if (!unc_was_suspended(&llc->suspend, llc->machine))
		return false;
	for (size_t i = 0; i < llc->n_lines; i++)
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			for (unsigned node = 0; node < llc->lines[i].nodes && is_read(&llc->lines[i], event); node++)
				unc_llc_lose(&llc->lines[i].events[event].counters[node].account);
	read_rmids(llc, false);
	return true;
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
	unc_llc_follow_kernel(llc);
	for (size_t i = 0; i < n; i++)
		if (!is_sum(&llc->lines[i]))
			unc_llc_read_line(llc, &llc->lines[i], &round, &ret_rows[i]);
	if (look_for_suspend(llc)) /* what was just read may have been counted before or after that */
		for (size_t i = 0; i < n; i++)
			drop(&ret_rows[i], UNC_LLC_TOTAL, UNC_LLC_STALE);
	for (size_t d = 0; d < llc->n_domains; d++) {
		bool switched = unc_llc_was_switched(llc, &llc->domains[d]);

		for (size_t i = 0; i < n && switched; i++) {
			if (llc->lines[i].domain != (ptrdiff_t)d)
				continue;
			drop(&ret_rows[i], UNC_LLC_TOTAL, UNC_LLC_UNASSIGNED);
			ret_rows[i].flags |= UNC_LLC_NO_COUNTER;
		}
	}
	llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
	flag_over(llc, ret_rows);
	for (size_t i = 0; i < n; i++) {
		if (is_sum(&llc->lines[i]))
			add_up(&llc->lines[i], ret_rows, i);
		else
			ret_rows[i].time_ns += offset_ns;
	}
	confirm_or_hold(llc, ret_rows);
	if (round.tried == 0)
		return unc_fail(
			llc->machine->ctx, UNC_ENODATA,
			"every value has ended: hardware answered Error three times in a row, or could not be reached");
	return unc_llc_round_end(llc->machine->ctx, &round);
}

int unc_llc_read_now(struct unc_llc *llc, size_t row, enum unc_llc_event event, struct unc_llc_now *ret_now)
{
	struct unc_llc_line *line = &llc->lines[row];
	struct unc_llc_round round = {0};
	struct unc_llc_value owned;
	uint64_t ns;
	int rc;

	*ret_now = (struct unc_llc_now){0};
	if (!line->events[event].counters)
		return UNC_OK; /* not requested */
	look_for_suspend(llc);
	ret_now->before_ns = unc_machine_raw_ns(llc->machine);
	if (event == UNC_LLC_OCCUPANCY) {
		rc = unc_llc_read_owned(llc, &llc->domains[line->domain], line->rmid, line->nodes, &owned);
		ret_now->status = owned.status;
		ret_now->bytes = owned.bytes;
	} else {
		ret_now->status = unc_llc_read_accounts(llc, line, event, &round, &ns);
		rc = round.rc;
		if (round.failed)
			unc_msg_restore(llc->machine->ctx, &round.msg);
		ret_now->corrected = line->rmid > llc->rdt->info.exact_rmid;
	}
	ret_now->after_ns = unc_machine_raw_ns(llc->machine);
	for (unsigned node = 0; node < line->nodes && event != UNC_LLC_OCCUPANCY; node++) {
		struct unc_llc_account *account = &line->events[event].counters[node].account;

		if (ret_now->status == UNC_LLC_STALE)
			unc_llc_begin(account);
		ret_now->bytes += unc_llc_shown(account, &llc->meter, ret_now->corrected);
	}
	if (ret_now->status != UNC_LLC_OK)
		ret_now->bytes = 0;
	return rc;
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
		uint64_t poll_due = after(llc->read_mono_ns, llc->poll_ns);
		uint64_t look_due = llc->n_groups ? after(llc->looked_ns, UNC_LLC_LOOK_NS) : UINT64_MAX;
		uint64_t due = look_due, ns;
		struct unc_llc_round round = {0};
		int rc;

		due = poll_due < due ? poll_due : due;
		due = mono_ns < due ? mono_ns : due;
		rc = host->ops->sleep_until(host, due);
		if (rc < 0 || due == mono_ns)
			return rc;
		look_for_suspend(llc);
		/* Between two public reads, reads the counters that could wrap before the next. */
		for (size_t i = 0; due == poll_due && i < llc->n_lines; i++)
			for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
				if (is_read(&llc->lines[i], event))
					unc_llc_read_accounts(llc, &llc->lines[i], event, &round, &ns);
		if (due == poll_due)
			llc->read_mono_ns = unc_machine_mono_ns(llc->machine);
		if (due == look_due)
			read_rmids(llc, false);
	}
}

int unc_llc_baseline(struct unc_llc *llc)
{
	bool has_bandwidth = llc->events & (1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL);
	uint64_t quickest_ns = 0;
	int rc = UNC_OK;

	llc->poll_ns = has_bandwidth ? llc->meter.wrap_ns / 4 : UINT64_MAX;
	for (struct unc_llc_line *line = llc->lines; line < llc->lines + llc->n_lines && rc == 0; line++) {
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && rc == 0; event++) {
			struct unc_llc_counter *counters = line->events[event].counters;
			struct unc_llc_round round = {0};
			uint64_t ns;

			if (!counters)
				continue;
			unc_llc_read_accounts(llc, line, event, &round, &ns);
			for (unsigned node = 0; node < line->nodes; node++)
				unc_llc_begin(&counters[node].account);
			if (round.failed) /* an access did */
				unc_msg_restore(llc->machine->ctx, &round.msg);
			rc = round.rc;
		}
		line->begin_ns = unc_machine_raw_ns(llc->machine);
	}
	llc->read_mono_ns = llc->looked_ns = unc_machine_mono_ns(llc->machine);
	for (size_t i = 0; i < llc->n_domains; i++)
		if (llc->domains[i].quickest_ns > quickest_ns)
			quickest_ns = llc->domains[i].quickest_ns;
	if (rc == 0 && has_bandwidth)
		unc_note_shortest(llc->machine->ctx, quickest_ns, llc->cfg.interval_ns, 0);
	return rc;
}

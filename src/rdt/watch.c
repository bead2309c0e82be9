// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the CPUs of groups still carry the RMID that they were given, and does no other CPU carry one of these?  resctrl writes
 * IA32_PQR_ASSOC at every context switch, pqos when it is told to.  While the session sleeps the CPUs of groups are looked at in
 * turn, each at least once a second; before a row is confirmed, all CPUs of its L3 are.  A CPU of nohz_full is looked at only at the
 * start and at the end, since each look interrupts it.
 */
#include <stdlib.h>

#include "base/err.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

/*
 * A whole turn takes the one, and between two looks there is no more than the other: together they are less than a second,
 * also when a sleep ends a little late.
 */
#define TURN_NS  UINT64_C(400000000)
#define PAUSE_NS UINT64_C(500000000)

int unc_llc_watch_init(struct unc_llc *llc)
{
	size_t n = 0;

	for (size_t i = 0; i < llc->n_groups; i++)
		n += llc->groups[i].n_cpus;
	llc->watched = calloc(n + 1, sizeof(struct unc_llc_cpu *));
	if (!llc->watched)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	llc->n_watched = llc->next_watched = 0;
	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++) {
			struct unc_llc_cpu *cpu = &llc->domains[i].cpus[k];

			if (cpu->group == UNC_LLC_NO_GROUP)
				continue;
			llc->domains[i].has_groups = true;
			if (!cpu->quiet)
				llc->watched[llc->n_watched++] = cpu;
		}
	llc->watched_ns = llc->watch_mono_ns = unc_machine_mono_ns(llc->machine);
	return UNC_OK;
}

static void tell_lost(struct unc_llc *llc, const struct unc_llc_cpu *cpu, struct unc_llc_line *line)
{
	if (line->told)
		return;
	line->told = true;
	unc_note(llc->machine->ctx,
		 "cpu %u: somebody gave it RMID %u: what it does is not in the numbers of group \"%s\" (RMID %u) any "
		 "more",
		 cpu->number, line->rmid_found, llc->groups[line->group].name, line->rmid);
}

static void tell_shared(struct unc_llc *llc, const struct unc_llc_cpu *cpu, struct unc_llc_line *line)
{
	if (line->told_shared)
		return;
	line->told_shared = true;
	unc_note(llc->machine->ctx,
		 "cpu %u is not in group \"%s\", but another program gave it RMID %u: what it does is in the group's numbers",
		 cpu->number, llc->groups[line->group].name, line->rmid);
}

/* Its RMID now.  False: what was read, if anything, says nothing of it. */
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
	/* All ones is an access that failed.  An RMID that no L3 has may be one of another resource, which has more. */
	*ret_rmid = (unsigned)unc_field_get(llc->regs.pqr_rmid, pqr);
	return pqr != UINT64_MAX;
}

static void look_for_own(struct unc_llc *llc, struct unc_llc_cpu *cpu, unsigned rmid)
{
	struct unc_llc_line *line = &llc->lines[cpu->row];
	bool was = cpu->hijacked;

	cpu->hijacked = rmid != cpu->rmid;
	line->hijacked |= was || cpu->hijacked;
	line->n_hijacked += (unsigned)cpu->hijacked - (unsigned)was;
	if (!cpu->hijacked)
		return;
	line->rmid_found = rmid;
	tell_lost(llc, cpu, line);
}

/* The row in whose numbers a CPU with that RMID is, though it is not in the group; UNC_LLC_NO_TWIN: there is none. */
static size_t shares(const struct unc_llc *llc, const struct unc_llc_domain *domain, const struct unc_llc_cpu *cpu,
		     unsigned rmid)
{
	unsigned first = llc->rdt->snc == UNC_SNC_LOCAL ? cpu->part * llc->n_rmids : 0;

	for (size_t i = 0; i < llc->n_lines && rmid != 0; i++) {
		const struct unc_llc_line *line = &llc->lines[i];

		if (line->group != UNC_LLC_NO_GROUP && line->group != cpu->group &&
		    line->domain == domain - llc->domains && line->rmid + first == rmid)
			return i;
	}
	return UNC_LLC_NO_TWIN;
}

static void look_for_others(struct unc_llc *llc, const struct unc_llc_domain *domain, struct unc_llc_cpu *cpu,
			    unsigned rmid)
{
	size_t now = shares(llc, domain, cpu, rmid);

	if (cpu->is_sharing) {
		llc->lines[cpu->shared_row].shared = true;
		llc->lines[cpu->shared_row].n_shared--;
	}
	cpu->is_sharing = now != UNC_LLC_NO_TWIN;
	if (!cpu->is_sharing)
		return;
	cpu->shared_row = now;
	llc->lines[now].shared = true;
	llc->lines[now].n_shared++;
	tell_shared(llc, cpu, &llc->lines[now]);
}

static void look(struct unc_llc *llc, const struct unc_llc_domain *domain, struct unc_llc_cpu *cpu)
{
	unsigned rmid;

	if (!rmid_now(llc, cpu, &rmid))
		return;
	if (cpu->group != UNC_LLC_NO_GROUP)
		look_for_own(llc, cpu, rmid);
	look_for_others(llc, domain, cpu, rmid);
}

/* All that are in nohz_full, or all others. */
static void look_at_all(struct unc_llc *llc, bool quiet)
{
	for (size_t i = 0; i < llc->n_domains; i++) {
		struct unc_llc_domain *domain = &llc->domains[i];

		for (size_t k = 0; k < domain->n_cpus && domain->has_groups; k++)
			if (domain->cpus[k].quiet == quiet)
				look(llc, domain, &domain->cpus[k]);
	}
}

void unc_llc_watch_all(struct unc_llc *llc)
{
	look_at_all(llc, false);
	llc->watched_ns = llc->watch_mono_ns = unc_machine_mono_ns(llc->machine);
}

void unc_llc_watch_end(struct unc_llc *llc)
{
	look_at_all(llc, true);
}

static struct unc_llc_domain *domain_of(struct unc_llc *llc, const struct unc_llc_cpu *cpu)
{
	return &llc->domains[llc->lines[cpu->row].domain];
}

void unc_llc_watch(struct unc_llc *llc)
{
	uint64_t now_ns = unc_machine_mono_ns(llc->machine), due;

	if (llc->n_watched == 0)
		return;
	due = (now_ns - llc->watched_ns) * llc->n_watched / TURN_NS;
	due = due < llc->n_watched ? due : llc->n_watched;
	llc->watched_ns = due == llc->n_watched ? now_ns : llc->watched_ns + due * TURN_NS / llc->n_watched;
	llc->watch_mono_ns = now_ns;
	for (; due > 0; due--) {
		struct unc_llc_cpu *cpu = llc->watched[llc->next_watched];

		look(llc, domain_of(llc, cpu), cpu);
		llc->next_watched = (llc->next_watched + 1) % llc->n_watched;
	}
}

uint64_t unc_llc_watch_due(const struct unc_llc *llc)
{
	return llc->n_watched && !llc->cfg.confirm_later ? llc->watch_mono_ns + PAUSE_NS : UINT64_MAX;
}

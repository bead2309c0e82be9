// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Do the CPUs of groups still carry the RMID that they were given?  resctrl writes IA32_PQR_ASSOC at every context switch, pqos
 * when it is told to.  They are looked at in turn, each at least once a second.
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
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++)
			if (llc->domains[i].cpus[k].group != UNC_LLC_NO_GROUP)
				llc->watched[llc->n_watched++] = &llc->domains[i].cpus[k];
	llc->watched_ns = llc->watch_mono_ns = unc_machine_mono_ns(llc->machine);
	return UNC_OK;
}

static void tell(struct unc_llc *llc, const struct unc_llc_cpu *cpu, struct unc_llc_line *line)
{
	if (line->told)
		return;
	line->told = true;
	unc_note(llc->machine->ctx,
		 "cpu %u: somebody gave it RMID %u: what it does is not in the numbers of group \"%s\" (RMID %u) any "
		 "more",
		 cpu->number, line->rmid_found, llc->groups[line->group].name, line->rmid);
}

/* Its RMID now.  False: what was read, if anything, says nothing of it. */
static bool rmid_now(struct unc_llc *llc, struct unc_llc_cpu *cpu, unsigned *ret_rmid)
{
	bool was_silent = cpu->silent;
	uint64_t pqr;

	cpu->silent = unc_reg_get(cpu->box, llc->regs.pqr, 0, &pqr) < 0;
	if (cpu->silent && !was_silent)
		unc_note(llc->machine->ctx, "whether cpu %u still carries RMID %u cannot be told: %.700s", cpu->number,
			 cpu->rmid, llc->machine->ctx->msg);
	if (cpu->silent)
		return false;
	/* All ones is an access that failed.  An RMID that no L3 has may be one of another resource, which has more. */
	*ret_rmid = (unsigned)unc_field_get(llc->regs.pqr_rmid, pqr);
	return pqr != UINT64_MAX;
}

static void look(struct unc_llc *llc, struct unc_llc_cpu *cpu)
{
	struct unc_llc_line *line = &llc->lines[cpu->row];
	bool was = cpu->hijacked;
	unsigned rmid;

	if (!rmid_now(llc, cpu, &rmid))
		return;
	cpu->hijacked = rmid != cpu->rmid;
	line->hijacked |= was || cpu->hijacked;
	line->n_hijacked += (unsigned)cpu->hijacked - (unsigned)was;
	if (!cpu->hijacked)
		return;
	line->rmid_found = rmid;
	tell(llc, cpu, line);
}

void unc_llc_watch_all(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_watched; i++)
		look(llc, llc->watched[i]);
	llc->watched_ns = llc->watch_mono_ns = unc_machine_mono_ns(llc->machine);
}

void unc_llc_watch(struct unc_llc *llc)
{
	uint64_t now_ns = unc_machine_mono_ns(llc->machine), due;

	if (llc->n_watched == 0)
		return;
	if (now_ns - llc->watched_ns >= TURN_NS) {
		unc_llc_watch_all(llc);
		return;
	}
	due = (now_ns - llc->watched_ns) * llc->n_watched / TURN_NS;
	llc->watched_ns += due * TURN_NS / llc->n_watched;
	llc->watch_mono_ns = now_ns;
	for (; due > 0; due--) {
		look(llc, llc->watched[llc->next_watched]);
		llc->next_watched = (llc->next_watched + 1) % llc->n_watched;
	}
}

uint64_t unc_llc_watch_due(const struct unc_llc *llc)
{
	return llc->n_watched ? llc->watch_mono_ns + PAUSE_NS : UINT64_MAX;
}

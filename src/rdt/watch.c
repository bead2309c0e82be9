// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Checks that the CPUs of groups still carry the RMID that they were given, and that no other CPU of their L3 carries it.
 * resctrl writes IA32_PQR_ASSOC at every context switch, pqos on request.  What one look finds may have been so since the look
 * before, and may stay so until the next: rows of that time are flagged.  After the start, a CPU of nohz_full is looked at only
 * at the end, since a look interrupts it.
 */
#include "base/err.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

static void tell_lost(struct unc_llc *llc, const struct unc_llc_cpu *cpu, struct unc_llc_line *line)
{
	if (line->told_lost)
		return;
	line->told_lost = true;
	unc_note(
		llc->machine->ctx,
		"cpu %u: another program gave it RMID %u: what it does is not in the numbers of group \"%s\" (RMID %u) "
		"any more",
		cpu->number, line->rmid_found, llc->groups[line->group].name, line->rmid);
}

static void tell_shared(struct unc_llc *llc, const struct unc_llc_cpu *cpu, struct unc_llc_line *line)
{
	if (line->soiled)
		return;
	line->soiled = true;
	unc_note(
		llc->machine->ctx,
		"cpu %u: another program gave it RMID %u of group \"%s\", which it is not in: the group has no numbers "
		"while it carries that RMID, since its work would be in them, and no occupancy any more",
		cpu->number, line->rmid, llc->groups[line->group].name);
}

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
static void look_at(struct unc_llc *llc, ptrdiff_t domain, struct unc_llc_cpu *cpu)
{
	bool is_ours = cpu->group != UNC_LLC_NO_GROUP;
	unsigned rmid;

	if (!rmid_now(llc, cpu, &rmid))
		return;
	cpu->hijacked = is_ours && rmid != cpu->rmid;
	cpu->shared_row = is_ours && !cpu->hijacked ? UNC_LLC_NO_ROW : row_shared_by(llc, domain, cpu, rmid);
	if (cpu->hijacked) {
		llc->lines[cpu->row].rmid_found = rmid;
		tell_lost(llc, cpu, &llc->lines[cpu->row]);
	}
	if (cpu->shared_row != UNC_LLC_NO_ROW)
		tell_shared(llc, cpu, &llc->lines[cpu->shared_row]);
}

static void look(struct unc_llc *llc, bool quiet_too)
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
				look_at(llc, (ptrdiff_t)i, cpu);
			if (cpu->hijacked)
				llc->lines[cpu->row].found |= UNC_LLC_HIJACKED;
			if (cpu->shared_row != UNC_LLC_NO_ROW)
				llc->lines[cpu->shared_row].found |= UNC_LLC_SHARED_RMID;
		}
	}
	for (size_t i = 0; i < llc->n_lines; i++) {
		struct unc_llc_line *line = &llc->lines[i];

		line->doubt |= line->found;
		line->of_next |= line->doubt;
		line->of_held |= line->doubt;
	}
	llc->looked_ns = unc_machine_mono_ns(llc->machine);
	llc->unlooked = false;
}

static const char *group_of(const struct unc_llc *llc, const struct unc_llc_cpu *cpu)
{
	return unc_llc_line_name(llc, &llc->lines[cpu->hijacked ? cpu->row : cpu->shared_row]);
}

void unc_llc_look(struct unc_llc *llc)
{
	look(llc, false);
}

int unc_llc_look_last(struct unc_llc *llc)
{
	if (!llc->started)
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring has not started");
	look(llc, true);
	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++) {
			const struct unc_llc_cpu *cpu = &llc->domains[i].cpus[k];

			if (cpu->quiet && (cpu->hijacked || cpu->shared_row != UNC_LLC_NO_ROW))
				return unc_fail(llc->machine->ctx, UNC_EBUSY,
						"cpu %u: another program gave it an RMID during the run; it is in "
						"nohz_full, so that is seen only at the end: any number of group "
						"\"%s\" may be wrong",
						cpu->number, group_of(llc, cpu));
		}
	return UNC_OK;
}

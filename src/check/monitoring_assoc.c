// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA32_PQR_ASSOC: every CPU holds an RMID, whatever its class of service is.  Intel SDM vol. 3, "Assigning RMID to a Logical Processor".
 * Each CPU carries it for the moment of three accesses.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/monitoring.h"
#include "machine/gate.h"
#include "map/field.h"

enum { TRIED_MAX = 16 };

struct tried { /* RMIDs */
	unsigned rmids[TRIED_MAX];
	size_t n;
};

/* The highest and its complement, so that each bit is 1 once and 0 once; in greater depth each bit alone. */
static struct tried choose(const struct unc_mon *mon)
{
	unsigned highest = mon->llc->rdt->info.cpuid_max_rmid, all = 1;
	unsigned n = unc_check_times(mon->c, 2, 3, TRIED_MAX);
	struct tried tried = {.rmids = {highest}, .n = 1};

	while (all < highest)
		all = 2 * all + 1;
	tried.rmids[tried.n++] = all - highest;
	for (unsigned rmid = 1; rmid < highest && tried.n < n; rmid *= 2)
		tried.rmids[tried.n++] = rmid;
	return tried;
}

static int plan(struct unc_mon *mon, struct unc_llc_cpu *cpu, const struct tried *tried)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	uint64_t values[TRIED_MAX + 1];
	const struct unc_gate_intent intent = {
		.reg = regs->pqr,
		.values = values,
		.n_values = tried->n + 1,
		.ours = unc_field_mask(regs->pqr_rmid),
		.was = &cpu->pqr,
	};
	int rc = unc_reg_get(cpu->box, regs->pqr, 0, &cpu->pqr);

	for (size_t i = 0; i <= tried->n && rc == 0; i++) {
		uint64_t rmid = i < tried->n ? tried->rmids[i] : unc_field_get(regs->pqr_rmid, cpu->pqr);

		values[i] = unc_reg_base(regs->pqr, cpu->pqr);
		rc = unc_field_set(mon->c->m->ctx, regs->pqr_rmid, rmid, &values[i]);
	}
	return rc == 0 ? unc_gate_plan(cpu->box, &intent, mon->llc) : rc;
}

/* One access to write, one to look; all of the register is to be as it was but the RMID. */
static int hold(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned rmid, const char *what)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const struct unc_gate_field place = {.reg = regs->pqr, .field = regs->pqr_rmid};
	uint64_t wanted = unc_reg_base(regs->pqr, cpu->pqr), now = 0;
	struct unc_check_seen seen;
	int rc = unc_field_set(mon->c->m->ctx, place.field, rmid, &wanted);

	if (rc == 0)
		rc = unc_gate_set_field(cpu->box, &place, cpu->pqr, rmid, mon->llc);
	if (rc == 0)
		rc = unc_reg_get(cpu->box, place.reg, 0, &now);
	if (rc < 0)
		return rc;
	seen = (struct unc_check_seen){
		.what = what,
		.box = cpu->box,
		.reg = regs->pqr,
		.has_wrote = true,
		.wrote = wanted,
		.read = now,
		.has_expected = true,
		.expected = wanted,
		.compared = unc_reg_mask(regs->pqr, UNC_RW),
	};
	if (!unc_check_see(mon->c, &seen))
		unc_check_fail(mon->c, "%s: RMID %u was written (0x%016" PRIx64 "), but PQR_ASSOC reads 0x%016" PRIx64,
			       cpu->box->name, rmid, wanted, now);
	return UNC_OK;
}

static int try(struct unc_mon *mon, const struct unc_llc_cpu *cpu, const struct tried *tried)
{
	unsigned was = (unsigned)unc_field_get(mon->llc->regs.pqr_rmid, cpu->pqr);
	int rc = UNC_OK, back;

	for (size_t i = 0; i < tried->n && rc == 0; i++)
		rc = hold(mon, cpu, tried->rmids[i], "an RMID, the CLOS as it was");
	back = hold(mon, cpu, was, "the RMID that was found, again");
	return rc < 0 ? rc : back;
}

static int assoc(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct unc_llc_domain *domain = l3->domain;
	struct tried tried = choose(mon);
	int rc = UNC_OK;

	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++)
		rc = plan(mon, &domain->cpus[i], &tried);
	if (rc == 0)
		rc = unc_gate_ready(mon->c->m);
	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++)
		rc = try(mon, &domain->cpus[i], &tried);
	unc_check_pass(mon->c, "%zu RMIDs, of them %u and %u, read back on %s%zu CPU%s, with the CLOS as it was",
		       tried.n, tried.rmids[0], tried.rmids[1], domain->n_cpus > 1 ? "all " : "", domain->n_cpus,
		       domain->n_cpus == 1 ? "" : "s");
	return rc;
}

int unc_mon_assoc(struct unc_check *c)
{
	return unc_mon_each(c, assoc);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IA32_PQR_ASSOC: every CPU holds an RMID, whatever its class of service is.  Intel SDM vol. 3, "Assigning RMID to a Logical
 * Processor".  First each CPU carries one for the time of three accesses.  Then all CPUs carry different ones at the same time,
 * which shows whether CPUs share a register.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/monitoring.h"
#include "machine/gate.h"
#include "map/field.h"

enum { TRIED_MAX = 16 };

struct tried { /* the RMIDs to try */
	unsigned rmids[TRIED_MAX];
	size_t n;
};

/* The highest RMID and its complement, so that each bit is 1 once and 0 once; in greater depth also each bit alone. */
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

/* A different RMID for each CPU of the L3, as long as there are enough. */
static unsigned own_rmid(const struct unc_mon *mon, size_t index)
{
	return 1 + (unsigned)(index % mon->llc->rdt->info.cpuid_max_rmid);
}

static int plan(struct unc_mon *mon, struct unc_llc_cpu *cpu, const struct tried *tried, unsigned own)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	uint64_t values[TRIED_MAX + 2];
	const struct unc_gate_intent intent = {
		.reg = regs->pqr,
		.values = values,
		.n_values = tried->n + 2,
		.ours = unc_field_mask(regs->pqr_rmid),
		.was = &cpu->pqr,
	};
	int rc = unc_reg_get(cpu->box, regs->pqr, 0, &cpu->pqr);

	for (size_t i = 0; i < intent.n_values && rc == 0; i++) {
		uint64_t rmid = i < tried->n    ? tried->rmids[i]
				: i == tried->n ? own
						: unc_field_get(regs->pqr_rmid, cpu->pqr);

		values[i] = unc_reg_base(regs->pqr, cpu->pqr);
		rc = unc_field_set(mon->c->m->ctx, regs->pqr_rmid, rmid, &values[i]);
	}
	return rc == 0 ? unc_gate_plan(cpu->box, &intent, mon->llc) : rc;
}

/* One access writes and one reads; all of the register except the RMID must be as it was. */
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

/* Fails if the CPU's register no longer holds the RMID that was written. */
static void judge_apart(struct unc_mon *mon, const struct unc_llc_domain *domain, size_t index, uint64_t now)
{
	const struct unc_llc_cpu *cpu = &domain->cpus[index];
	unsigned own = own_rmid(mon, index), rmid = (unsigned)unc_field_get(mon->llc->regs.pqr_rmid, now);

	unc_check_see(mon->c, &(struct unc_check_seen){.what = "its own RMID, after all CPUs of the L3 got theirs",
						       .box = cpu->box,
						       .reg = mon->llc->regs.pqr,
						       .read = now});
	if (rmid == own)
		return;
	for (size_t i = 0; i < domain->n_cpus; i++)
		if (own_rmid(mon, i) == rmid)
			unc_check_fail(
				mon->c,
				"cpu %u was given RMID %u, then cpu %u RMID %u: now PQR_ASSOC of cpu %u reads RMID %u: "
				"both have one register",
				cpu->number, own, domain->cpus[i].number, rmid, cpu->number, rmid);
	unc_check_fail(mon->c, "cpu %u was given RMID %u, and PQR_ASSOC reads RMID %u once others got theirs",
		       cpu->number, own, rmid);
}

static int carry_apart(struct unc_mon *mon, const struct unc_llc_domain *domain)
{
	const struct unc_gate_field place = {.reg = mon->llc->regs.pqr, .field = mon->llc->regs.pqr_rmid};
	int rc = UNC_OK;

	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++)
		rc = unc_gate_set_field(domain->cpus[i].box, &place, domain->cpus[i].pqr, own_rmid(mon, i), mon->llc);
	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++) {
		uint64_t now = 0;

		rc = unc_reg_get(domain->cpus[i].box, place.reg, 0, &now);
		if (rc == 0)
			judge_apart(mon, domain, i, now);
	}
	return rc;
}

static int put_back(struct unc_mon *mon, const struct unc_llc_domain *domain)
{
	const struct unc_gate_field place = {.reg = mon->llc->regs.pqr, .field = mon->llc->regs.pqr_rmid};
	int rc = UNC_OK;

	for (size_t i = 0; i < domain->n_cpus; i++) {
		const struct unc_llc_cpu *cpu = &domain->cpus[i];
		int failed = unc_gate_set_field(cpu->box, &place, cpu->pqr,
						(unsigned)unc_field_get(place.field, cpu->pqr), mon->llc);

		rc = rc < 0 ? rc : failed;
	}
	return rc;
}

static int assoc(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct unc_llc_domain *domain = l3->domain;
	struct tried tried = choose(mon);
	int rc = UNC_OK, back;

	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++)
		rc = plan(mon, &domain->cpus[i], &tried, own_rmid(mon, i));
	if (rc == 0)
		rc = unc_gate_ready(mon->c->m);
	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++)
		rc = try(mon, &domain->cpus[i], &tried);
	if (rc == 0) {
		rc = carry_apart(mon, domain);
		back = put_back(mon, domain);
		rc = rc < 0 ? rc : back;
	}
	unc_check_pass(mon->c, "%zu RMIDs, of them %u and %u, read back on %s%zu CPU%s, with the CLOS as it was",
		       tried.n, tried.rmids[0], tried.rmids[1], domain->n_cpus > 1 ? "all " : "", domain->n_cpus,
		       domain->n_cpus == 1 ? "" : "s");
	return rc;
}

int unc_mon_assoc(struct unc_check *c)
{
	return unc_mon_each(c, assoc);
}

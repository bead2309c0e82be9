// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the L3 caches to check, detects other users of cache monitoring, and puts everything back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/monitoring.h"
#include "check/stream.h"
#include "machine/gate.h"
#include "machine/house.h"
#include "map/field.h"
#include "rdt/leaves.h"

int unc_mon_broke(struct unc_check *c, int rc)
{
	switch (rc) {
	case UNC_EBUSY:
	case UNC_EPERM:
	case UNC_EDENIED:
	case UNC_ENOSUP:
	case UNC_ENODEV:
		unc_check_prevented(c, rc, c->m->ctx->msg);
		return UNC_OK;
	default:
		return unc_check_broke(c, rc);
	}
}

/* ---- other users ---- */

static int look_for_programs(struct unc_mon *mon)
{
	struct unc_finding *findings;
	size_t n;
	int rc = unc_house_of_caches(mon->c->m, &findings, &n);

	if (rc < 0)
		return rc;
	if (n && !mon->c->force) {
		mon->busy = true;
		snprintf(mon->why, sizeof(mon->why), "%s (%s); %s, or check it all the same with --force",
			 findings[0].sentence, findings[0].evidence, findings[0].way_out);
	}
	free(findings);
	return UNC_OK;
}

/* False: a CPU of the L3 carries another program's RMID, and the result is skipped. */
static bool is_nobodys(struct unc_mon *mon, const struct unc_mon_l3 *l3)
{
	const struct unc_llc_domain *domain = l3->domain;

	if (mon->busy) {
		unc_check_skip(mon->c, "%s", mon->why);
		return false;
	}
	for (size_t i = 0; i < domain->n_cpus && !mon->c->force; i++) {
		if (domain->cpus[i].rmid == 0)
			continue;
		unc_check_skip(
			mon->c,
			"cpu %u carries RMID %u already: somebody monitors, or left that behind (--force checks it "
			"all the same, and puts that RMID back)",
			domain->cpus[i].number, domain->cpus[i].rmid);
		return false;
	}
	return true;
}

/* ---- opening ---- */

static void mon_close(struct unc_mon *mon)
{
	unc_llc_close(mon->llc);
	mon->llc = NULL;
}

static int mon_open(struct unc_check *c, struct unc_mon *mon)
{
	const struct unc_llc_cfg cfg = {.shared = true, .no_wait = true};
	int rc;

	*mon = (struct unc_mon){.c = c};
	rc = unc_llc_open(c->m, &cfg, &mon->llc);
	if (rc == 0)
		rc = unc_llc_add_rmids(mon->llc);
	if (rc == 0)
		rc = look_for_programs(mon);
	if (rc == 0)
		rc = unc_llc_domains_find(mon->llc);
	return rc;
}

/*
 * Prefers a CPU without an RMID, then one in the first part of a divided cache, since in other parts RMID 0, which all other CPUs
 * carry, is not counted (RMID_SNC_CONFIG, local); then one of the class that may fill the whole cache; then one that does not read
 * the counters.
 */
static struct unc_llc_cpu *choose_cpu(const struct unc_mon *mon, struct unc_llc_domain *domain)
{
	const struct unc_field *clos = unc_reg_field(mon->llc->regs.pqr, "clos");
	struct unc_llc_cpu *best = &domain->cpus[domain->n_cpus - 1];
	unsigned best_marks = 0;

	for (size_t i = domain->n_cpus; i-- > 0;) {
		struct unc_llc_cpu *cpu = &domain->cpus[i];
		unsigned marks = 1 + (i != domain->reader);

		marks += cpu->rmid == 0 ? 16 : 0;
		marks += cpu->part == 0 ? 8 : 0;
		marks += clos && unc_field_get(clos, cpu->pqr) == 0 ? 4 : 0;
		if (marks > best_marks)
			best = cpu;
		best_marks = marks > best_marks ? marks : best_marks;
	}
	return best;
}

static void find_node(const struct unc_machine *m, struct unc_mon_l3 *l3)
{
	const struct unc_host_cpu *cpus;
	size_t n;

	if (unc_machine_cpus(m, &cpus, &n) < 0)
		return;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].cpu == l3->cpu->number && cpus[i].node >= 0)
			l3->node = (unsigned)cpus[i].node;
	l3->shared = unc_stream_is_shared(cpus, n, l3->node);
}

/* CAT: the share of the cache's ways that the mask of the CPU's class has; with CDP, the mask for data. */
static void find_reach(const struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_field *clos = unc_reg_field(mon->llc->regs.pqr, "clos");
	struct unc_machine *m = mon->c->m;
	struct unc_cpuid_regs says = {0};
	uint64_t mask = 0, cdp = 0;
	unsigned cpu = l3->cpu->number, number = clos ? (unsigned)unc_field_get(clos, l3->cpu->pqr) : 0, n = 0, of;

	l3->reach = l3->bytes;
	if (unc_rdt_cpuid_or_0(m, cpu, 0x10, 0, &says) < 0 || !unc_rdt_bit(says.ebx, UNC_RDT_L3) ||
	    unc_rdt_cpuid_or_0(m, cpu, 0x10, UNC_RDT_L3, &says) < 0)
		return;
	of = 1 + says.eax % 32; /* SDM: EAX 4:0 */
	if (unc_rdt_field(m, cpu, "L3_QOS_CFG", 0, "cdp", &cdp) == 0 && cdp)
		number *= 2;
	if (unc_rdt_field(m, cpu, "L3_MASK", number, "mask", &mask) < 0)
		return;
	for (; mask; mask &= mask - 1)
		n++;
	if (n && n < of)
		l3->reach = l3->bytes / of * n;
}

void unc_mon_use_cpu(const struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_llc_cpu *cpu)
{
	l3->cpu = cpu;
	find_node(mon->c->m, l3);
	find_reach(mon, l3);
}

static void l3_init(const struct unc_mon *mon, struct unc_llc_domain *domain, struct unc_mon_l3 *l3)
{
	*l3 = (struct unc_mon_l3){.domain = domain, .bytes = domain->l3->bytes / mon->llc->nodes};
	snprintf(l3->name, sizeof(l3->name), "l3 %u", domain->l3->id);
	unc_mon_use_cpu(mon, l3, choose_cpu(mon, domain));
}

/* ---- one after the other ---- */

/* Puts everything back after each(), also if that failed. */
static int tidy_up(struct unc_mon *mon)
{
	struct unc_check *c = mon->c;
	struct unc_traffic_done done;
	struct unc_saved_msg failure;
	int rc;

	unc_msg_save(c->m->ctx, &failure);
	if (c->m->has_traffic && unc_traffic_stop(c->m, &done) < 0)
		unc_check_fail(c, "%s", c->m->ctx->msg);
	rc = unc_gate_restore(c->m, mon->llc);
	if (rc < 0)
		unc_check_fail(c, "%s", c->m->ctx->msg);
	for (size_t i = 0; i < mon->llc->n_domains; i++) {
		mon->llc->domains[i].planned = NULL;
		mon->llc->domains[i].evtsel = 0;
	}
	unc_msg_restore(c->m->ctx, &failure);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

static int one(struct unc_mon *mon, struct unc_llc_domain *domain, int (*each)(struct unc_mon *, struct unc_mon_l3 *))
{
	struct unc_mon_l3 l3;
	int rc, back;

	l3_init(mon, domain, &l3);
	unc_check_begin(mon->c, l3.name);
	if (!is_nobodys(mon, &l3))
		return UNC_OK;
	rc = unc_mon_broke(mon->c, each(mon, &l3));
	back = tidy_up(mon);
	return rc < 0 ? rc : back;
}

/* Intel has one L3 per package; AMD has many that are alike, of which not all are checked each time. */
static bool is_considered(const struct unc_mon *mon, size_t index)
{
	const struct unc_llc_domain *domains = mon->llc->domains;
	unsigned nth = 0;

	for (size_t i = 0; i < index; i++)
		nth += domains[i].l3->package == domains[index].l3->package;
	return nth < unc_check_times(mon->c, 1, 2, UINT32_MAX);
}

int unc_mon_each(struct unc_check *c, int (*each)(struct unc_mon *mon, struct unc_mon_l3 *l3))
{
	struct unc_mon mon;
	int rc = mon_open(c, &mon);

	if (rc < 0) {
		unc_check_begin(c, "machine");
		rc = unc_mon_broke(c, rc);
	} else {
		for (size_t i = 0; i < mon.llc->n_domains && rc == 0; i++)
			if (mon.llc->domains[i].n_cpus && is_considered(&mon, i))
				rc = one(&mon, &mon.llc->domains[i], each);
	}
	mon_close(&mon);
	return rc;
}

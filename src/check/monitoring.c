// SPDX-License-Identifier: GPL-2.0-or-later
/* The checks of cache monitoring (CMT, MBM), and what they share: caches, RMIDs, and data that a CPU loads on purpose. */
#include "check/monitoring.h"

#include "check/traffic.h"
#include "machine/users.h"
#include "rdt/leaves.h"

uint64_t unc_mon_read(struct unc_mon *mon, struct unc_box *box, const struct unc_reg *reg)
{
	uint64_t value = 0;

	if (!mon->rc)
		mon->rc = unc_reg_get(box, reg, 0, &value);
	return value;
}

void unc_mon_wait(struct unc_mon *mon, uint64_t ns)
{
	if (!mon->rc)
		mon->rc = unc_check_wait(mon->c, ns);
}

void unc_mon_write_rmid(struct unc_mon *mon, struct unc_box *box, uint64_t was, unsigned rmid)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;

	if (!mon->rc)
		mon->rc = unc_gate_set_field(box, regs->pqr, regs->pqr_rmid, was, rmid, mon->llc);
}

uint64_t unc_mon_with_rmid(struct unc_mon *mon, uint64_t was, uint64_t rmid)
{
	uint64_t value = unc_reg_base(mon->llc->regs.pqr, was);

	if (!mon->rc)
		mon->rc = unc_field_set(mon->c->m->ctx, mon->llc->regs.pqr_rmid, rmid, &value);
	return value;
}

/* ==== data that a CPU loads into its cache on purpose ==== */

#define LOOK_NS UINT64_C(500000)
/* Far less than a core loads, even from another node's memory and beside other programs. */
#define SLOW_BYTES_PER_S UINT64_C(100000000)
#define START_NS         UINT64_C(1000000000) /* time for threads to start, and to touch each page of the buffer once */

void unc_mon_walk(struct unc_mon *mon, const struct unc_mon_l3 *l3, uint64_t size_bytes)
{
	const struct unc_traffic traffic = {
		.kind = UNC_TRAFFIC_READ,
		.node = l3->node,
		.cpus = &l3->cpu->number,
		.n_cpus = 1,
		.size_bytes = size_bytes,
	};

	if (!mon->rc)
		mon->rc = unc_traffic_start(mon->c->m, &traffic);
}

void unc_mon_walked(struct unc_mon *mon, uint64_t bytes)
{
	struct unc_machine *m = mon->c->m;
	uint64_t begin_ns = unc_machine_raw_ns(m), most_ns = START_NS + bytes * 1000 / (SLOW_BYTES_PER_S / 1000000);
	struct unc_traffic_done done = {0};

	if (!mon->rc)
		mon->rc = unc_traffic_look(m, &done);
	while (!mon->rc && done.loaded_bytes < bytes) {
		if (unc_machine_raw_ns(m) - begin_ns > most_ns)
			mon->rc = unc_fail(m->ctx, UNC_EIO,
					   "in %" PRIu64 " ms only %" PRIu64 " of %" PRIu64
					   " bytes were loaded: the CPU that loads does not get on",
					   most_ns / 1000000, done.loaded_bytes, bytes);
		unc_mon_wait(mon, LOOK_NS);
		if (!mon->rc)
			mon->rc = unc_traffic_look(m, &done);
	}
}

void unc_mon_rest(struct unc_mon *mon)
{
	struct unc_traffic_done done;

	if (!mon->rc)
		mon->rc = unc_traffic_stop(mon->c->m, &done);
}

/* ==== the caches to check ==== */

/* Chooses the L3 caches to check, detects other users of cache monitoring, and puts everything back. */

int unc_mon_broke(struct unc_check *c, int rc)
{
	if (rc != UNC_EBUSY && rc != UNC_EPERM && rc != UNC_EDENIED && rc != UNC_ENOSUP && rc != UNC_ENODEV)
		return unc_check_broke(c, rc);
	unc_check_prevented(c, rc, c->m->ctx->msg);
	return UNC_OK;
}

/* ---- the CPU ---- */

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

/* CAT: the share of the cache's ways that the mask of the CPU's class has; with CDP, the mask for data. */
static void find_reach(const struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_field *clos = unc_reg_field(mon->llc->regs.pqr, "clos");
	struct unc_machine *m = mon->c->m;
	struct unc_cpuid_regs says = {0};
	uint64_t mask = 0, cdp = 0;
	unsigned cpu = l3->cpu->number, number = clos ? (unsigned)unc_field_get(clos, l3->cpu->pqr) : 0, n, of;

	l3->reach = l3->bytes;
	if (unc_rdt_cpuid_or_0(m, cpu, 0x10, 0, &says) < 0 || !unc_rdt_bit(says.ebx, UNC_RDT_L3) ||
	    unc_rdt_cpuid_or_0(m, cpu, 0x10, UNC_RDT_L3, &says) < 0)
		return;
	of = 1 + says.eax % 32; /* SDM: EAX 4:0 */
	if (unc_rdt_field(m, cpu, "L3_QOS_CFG", 0, "cdp", &cdp) == 0 && cdp)
		number *= 2;
	if (unc_rdt_field(m, cpu, "L3_MASK", number, "mask", &mask) < 0)
		return;
	n = unc_bits_set(mask);
	if (n && n < of)
		l3->reach = l3->bytes / of * n;
}

void unc_mon_use_cpu(const struct unc_mon *mon, struct unc_mon_l3 *l3, struct unc_llc_cpu *cpu)
{
	const struct unc_host_cpu *cpus;
	size_t n;

	l3->cpu = cpu;
	if (unc_machine_cpus(mon->c->m, &cpus, &n) == 0) {
		for (size_t i = 0; i < n; i++)
			if (cpus[i].cpu == cpu->number && cpus[i].node >= 0)
				l3->node = (unsigned)cpus[i].node;
		l3->shared = unc_stream_is_shared(cpus, n, l3->node);
	}
	find_reach(mon, l3);
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

static int one(struct unc_mon *mon, struct unc_llc_domain *domain)
{
	struct unc_mon_l3 l3 = {.domain = domain, .bytes = domain->l3->bytes / mon->llc->nodes};
	size_t i = 0;
	int rc, back;

	unc_l3_name(mon->llc->rdt, domain->l3->id, l3.name);
	unc_mon_use_cpu(mon, &l3, choose_cpu(mon, domain));
	unc_check_begin(mon->c, l3.name);
	/* A CPU of the L3 may carry another program's RMID. */
	while (i < domain->n_cpus && domain->cpus[i].rmid == 0)
		i++;
	if (mon->busy) {
		unc_check_skip(mon->c, "%s", mon->why);
		return UNC_OK;
	}
	if (i < domain->n_cpus && !mon->c->cfg.force) {
		unc_check_skip(mon->c,
			       "cpu %u carries RMID %u already: another program monitors, or left it there (--force "
			       "checks it all the same, and puts that RMID back)",
			       domain->cpus[i].number, domain->cpus[i].rmid);
		return UNC_OK;
	}
	mon->rc = UNC_OK;
	if (mon->c->now->occupancy && !(mon->llc->rdt->info.events & 1 << UNC_LLC_OCCUPANCY))
		unc_check_skip(mon->c, "this CPU does not monitor occupancy: CPUID 0xF.1 EDX bit 0 is 0");
	else
		mon->c->now->l3(mon, &l3);
	rc = unc_mon_broke(mon->c, mon->rc);
	back = tidy_up(mon);
	return rc < 0 ? rc : back;
}

int unc_mon_check(struct unc_check *c)
{
	const struct unc_llc_cfg cfg = {.shared = true, .no_wait = true};
	struct unc_mon mon = {.c = c};
	struct unc_finding *findings = NULL;
	size_t n = 0;
	int rc = unc_llc_open(c->m, &cfg, &mon.llc);

	if (rc == 0)
		rc = unc_llc_add_rmids(mon.llc);
	if (rc == 0)
		rc = unc_users_find(c->m, UNC_USERS_OF_CACHES, NULL, &findings, &n);
	if (n && !c->cfg.force) {
		mon.busy = true;
		snprintf(mon.why, sizeof(mon.why), "%s (%s); %s, or check it all the same with --force",
			 findings[0].sentence, findings[0].evidence, findings[0].way_out);
	}
	free(findings);
	if (rc == 0)
		rc = unc_llc_domains_find(mon.llc);
	if (rc < 0) {
		unc_check_begin(c, "machine");
		rc = unc_mon_broke(c, rc);
	} else {
		for (size_t i = 0; i < mon.llc->n_domains && rc == 0; i++) {
			struct unc_llc_domain *domain = &mon.llc->domains[i];
			unsigned nth = 0; /* of its package: Intel has one L3 there; AMD has many that are alike */

			for (size_t k = 0; k < i; k++)
				nth += mon.llc->domains[k].l3->package == domain->l3->package;
			if (domain->n_cpus && nth < unc_check_times(c, 1, 2, UINT32_MAX))
				rc = one(&mon, domain);
		}
	}
	unc_llc_close(mon.llc);
	return rc;
}

/* ==== the table ==== */

#define SDM "Intel SDM vol. 3 ch. 17; AMD 56375"

static const struct unc_check_def defs[] = {
	{UNC_CHECK_CACHE_CPUID, .run = unc_mon_cpuid,
	 .about = {"monitoring.cpuid",
		   "what CPUID says of cache monitoring does not contradict itself, and is the same on every CPU",
		   SDM ", CPUID leaves 0x7, 0xF, 0x10, 0x80000020", .ms = {1, 1, 1}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_assoc,
	 .about = {"monitoring.assoc",
		   "IA32_PQR_ASSOC of every CPU holds an RMID of its own, and keeps its class of service",
		   SDM ", IA32_PQR_ASSOC", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_rmids,
	 .about = {"monitoring.rmids",
		   "there are as many RMIDs as CPUID says: the highest is taken, one more is refused",
		   SDM ", IA32_PQR_ASSOC, IA32_QM_EVTSEL", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_error,
	 .about = {"monitoring.error",
		   "IA32_QM_CTR says Error of an event that does not exist, and not of one that does",
		   SDM ", IA32_QM_CTR", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_scope,
	 .about = {"monitoring.scope", "which CPUs have one IA32_QM_EVTSEL together, on which sources disagree",
		   SDM ", IA32_QM_EVTSEL; Linux resctrl and Intel PCM", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_occupancy, .occupancy = true,
	 .about = {"monitoring.occupancy",
		   "occupancy of an RMID rises by as much as its CPU walks, and stays below the L3",
		   SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true, .ms = {20, 20, 20}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_follows, .occupancy = true,
	 .about = {"monitoring.follows",
		   "occupancy goes to the RMID that the CPU carries, and to no other; with --full, for every CPU",
		   SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true, .ms = {75, 75, 110}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_falls, .occupancy = true,
	 .about = {"monitoring.falls", "occupancy of a former RMID falls when the cache is filled under another",
		   SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true, .ms = {20, 20, 20}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_sum, .occupancy = true,
	 .about = {"monitoring.sum", "all RMIDs together own no more than the L3 has",
		   SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true, .ms = {30, 30, 30}}},
	{UNC_CHECK_CACHES, .l3 = unc_mon_bandwidth,
	 .about = {"monitoring.bandwidth",
		   "bandwidth of an RMID is what the memory channels count, or what its CPU loads, within 8 %, and not "
		   "local where that is another node's",
		   SDM ", Memory Bandwidth Monitoring", .writes = true, .makes_traffic = true,
		   .ms = {160, 1280, 3680}}},
};

const struct unc_check_theme unc_check_monitoring = {defs, sizeof(defs) / sizeof(defs[0])};

// SPDX-License-Identifier: GPL-2.0-or-later
/* The L3 caches in use: each is read on one of its CPUs, and those of its CPUs that are in a group get an RMID. */
#include "rdt/llc.h"

#include "machine/gate.h"
#include "machine/users.h"
#include "map/field.h"
#include "rdt/leaves.h"

enum { NOHZ_FULL_MAX = 65536 };

/* Finds a CPU of the L3s in use, and its L3.  NULL: it is in none of them. */
static struct unc_llc_cpu *find_cpu(struct unc_llc *llc, uint64_t number, struct unc_llc_domain **ret_domain)
{
	for (size_t i = 0; i < llc->n_domains; i++) {
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++) {
			if (llc->domains[i].cpus[k].number != number)
				continue;
			*ret_domain = &llc->domains[i];
			return &llc->domains[i].cpus[k];
		}
	}
	return NULL;
}

/* Uses the L3s that have CPUs of groups; all of them, if RMIDs without a group were requested. */
static int domains_make(struct unc_llc *llc)
{
	const struct unc_rdt *rdt = llc->rdt;
	int rc = UNC_OK;

	llc->domains = calloc(rdt->info.n_l3s, sizeof(*llc->domains));
	if (!llc->domains)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < rdt->info.n_l3s && rc == 0; i++) {
		struct unc_llc_domain *domain = &llc->domains[llc->n_domains];
		const struct unc_l3 *l3 = &rdt->l3s[i];
		bool concerned = unc_llc_has_rmids(llc);

		for (size_t k = 0; k < l3->n_cpus && !concerned; k++)
			concerned = unc_llc_group_of(llc, l3->cpus[k]) != UNC_LLC_NO_GROUP;
		if (!concerned)
			continue;
		llc->n_domains++;
		*domain = (struct unc_llc_domain){
			.l3 = l3,
			.cpus = calloc(l3->n_cpus + 1, sizeof(*domain->cpus)),
			.taken = calloc(llc->n_rmids, sizeof(*domain->taken)),
		};
		if (!domain->cpus || !domain->taken)
			return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
		domain->taken[0] = true; /* used by everything that has no other RMID */
		for (; domain->n_cpus < l3->n_cpus && rc == 0; domain->n_cpus++) {
			struct unc_llc_cpu *cpu = &domain->cpus[domain->n_cpus];

			*cpu = (struct unc_llc_cpu){
				.number = l3->cpus[domain->n_cpus],
				.part = (unsigned)l3->nodes[domain->n_cpus],
				.group = unc_llc_group_of(llc, l3->cpus[domain->n_cpus]),
				.shared_row = UNC_LLC_NO_ROW,
			};
			domain->has_groups |= cpu->group != UNC_LLC_NO_GROUP;
			rc = unc_machine_cpu_box(llc->machine, "rdt", cpu->number, &cpu->box);
		}
	}
	return rc;
}

/*
 * Finds the CPUs that the kernel interrupts as little as it can.  If there are none, the file is empty or has "(null)" (Linux
 * drivers/base/cpu.c, print_cpus_nohz_full()); a kernel without that feature has no such file.
 */
static void find_quiet(struct unc_llc *llc)
{
	struct unc_host *host = llc->machine->host;
	struct unc_saved_msg before;
	uint64_t first, last;
	char *text = NULL;
	const char *list;

	unc_msg_save(llc->machine->ctx, &before);
	unc_host_file(host, "/sys/devices/system/cpu/nohz_full", NOHZ_FULL_MAX, &text, NULL);
	unc_msg_restore(llc->machine->ctx, &before);
	for (list = text; unc_text_range(&list, UINT32_MAX, &first, &last);)
		for (size_t i = 0; i < llc->n_domains; i++)
			for (size_t k = 0; k < llc->domains[i].n_cpus; k++) {
				struct unc_llc_cpu *cpu = &llc->domains[i].cpus[k];

				cpu->quiet |= cpu->number >= first && cpu->number <= last;
			}
	free(text);
}

/* Uses the CPUs of cfg.read_cpus instead, each for its L3. */
static int take_readers(struct unc_llc *llc)
{
	struct unc_ctx *ctx = llc->machine->ctx;

	for (size_t i = 0; i < llc->cfg.n_read_cpus; i++) {
		unsigned number = llc->read_cpus[i];
		struct unc_llc_domain *domain;
		const struct unc_llc_cpu *cpu = find_cpu(llc, number, &domain);

		if (!cpu)
			return unc_fail(ctx, UNC_EARG, "CPU to read from: cpu %u shares its L3 with no group", number);
		if (domain->reader_asked && &domain->cpus[domain->reader] != cpu)
			return unc_fail(ctx, UNC_EARG,
					"CPU to read from: cpus %u and %u share an L3, which is read on one of them",
					domain->cpus[domain->reader].number, number);
		domain->reader_asked = true;
		domain->reader = (size_t)(cpu - domain->cpus);
	}
	return UNC_OK;
}

int unc_llc_domains_look(struct unc_llc *llc)
{
	const struct unc_llc_regs *regs = &llc->regs;
	unsigned highest = llc->rdt->info.cpuid_max_rmid;

	for (struct unc_llc_domain *domain = llc->domains; domain < llc->domains + llc->n_domains; domain++) {
		for (struct unc_llc_cpu *cpu = domain->cpus; cpu < domain->cpus + domain->n_cpus; cpu++) {
			int rc = unc_reg_get(cpu->box, regs->pqr, 0, &cpu->pqr);

			if (rc < 0)
				return rc;
			cpu->rmid = (unsigned)unc_field_get(regs->pqr_rmid, cpu->pqr);
			if (cpu->rmid > highest)
				return unc_fail(llc->machine->ctx, UNC_EIO,
						"%s: %s reads 0x%016" PRIx64
						", RMID %u, but by CPUID %u is the highest: no such register answered",
						cpu->box->name, regs->pqr->name, cpu->pqr, cpu->rmid, highest);
			domain->taken[cpu->rmid % llc->n_rmids] = true;
		}
	}
	return UNC_OK;
}

int unc_llc_claim(struct unc_llc *llc, const struct unc_llc_domain *domain)
{
	struct unc_box *box = domain->cpus[domain->reader].box;

	if (box->alone != llc->alone)
		box->claim = 0; /* that was another lock, of an earlier session */
	box->alone = llc->alone;
	return unc_claim_box(box, llc);
}

/*
 * Claims a CPU that no other process reads on: from the highest down, since the lock of an L3 is that of its lowest.  One of
 * nohz_full is the last choice.
 */
static int claim_reader(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	int rc = UNC_EBUSY;

	for (size_t i = 2 * domain->n_cpus; i-- > 0 && rc == UNC_EBUSY;) {
		if (i >= domain->n_cpus && domain->cpus[i % domain->n_cpus].quiet)
			continue;
		domain->reader = domain->reader_asked ? domain->reader : i % domain->n_cpus;
		rc = unc_llc_claim(llc, domain);
	}
	return rc;
}

int unc_llc_domains_find(struct unc_llc *llc)
{
	int rc = domains_make(llc);

	if (rc < 0)
		return rc;
	llc->alone = llc->rdt->own_selectors && !llc->n_groups && !llc->cfg.assign && !llc->cfg.types[UNC_LLC_TOTAL] &&
		     !llc->cfg.types[UNC_LLC_LOCAL];
	find_quiet(llc);
	/* Prefers a CPU that is not measured, since reading wakes it and uses it; a CPU of nohz_full is the last choice. */
	for (struct unc_llc_domain *domain = llc->domains; domain < llc->domains + llc->n_domains; domain++) {
		unsigned best = UINT32_MAX;

		for (size_t k = 0; k < domain->n_cpus; k++) {
			unsigned harm = 2 * domain->cpus[k].quiet + (domain->cpus[k].group != UNC_LLC_NO_GROUP);

			domain->reader = harm < best ? k : domain->reader;
			best = harm < best ? harm : best;
		}
	}
	rc = take_readers(llc);
	/*
	 * The L3s are claimed before the RMIDs that CPUs carry are read, so that no other process changes them after that.  Any
	 * CPU of an L3 claims it.
	 */
	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		rc = llc->alone ? claim_reader(llc, &llc->domains[i]) : unc_llc_claim(llc, &llc->domains[i]);
	}
	return rc < 0 ? rc : unc_llc_domains_look(llc);
}

static void llc_domains_free(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_domains; i++) {
		free(llc->domains[i].cpus);
		free(llc->domains[i].taken);
	}
	free(llc->domains);
	llc->domains = NULL;
	llc->n_domains = 0;
}

/* A monitoring session from opening to closing. */

/* ---- opening ---- */

static int regs_find(struct unc_llc *llc)
{
	struct unc_llc_regs *regs = &llc->regs;
	const struct {
		const char *reg, *field;
		const struct unc_reg **ret_reg;
		const struct unc_field **ret_field; /* where the field is stored */
	} wanted[] = {
		{"PQR_ASSOC", "rmid", &regs->pqr, &regs->pqr_rmid},
		{"QM_EVTSEL", "event", &regs->evtsel, &regs->event},
		{"QM_EVTSEL", "rmid", &regs->evtsel, &regs->rmid},
		{"QM_EVTSEL", "ext", &regs->evtsel, &regs->ext},
		{"QM_CTR", "data", &regs->ctr, &regs->data},
		{"QM_CTR", "unavailable", &regs->ctr, &regs->unavailable},
		{"QM_CTR", "error", &regs->ctr, &regs->error},
	};
	struct unc_box *box;
	int rc = unc_machine_cpu_box(llc->machine, "rdt", llc->rdt->l3s[0].cpus[0], &box);

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && rc == 0; i++) {
		const struct unc_reg *reg = unc_unit_reg(box->unit, wanted[i].reg);
		const struct unc_field *field = reg ? unc_reg_field(reg, wanted[i].field) : NULL;

		if (!field && wanted[i].ret_field == &regs->ext && !llc->rdt->n_counters)
			continue;
		if (!field)
			return unc_fail(llc->machine->ctx, UNC_EMAP, "%s: unit rdt has no %s.%s", box->unit->path,
					wanted[i].reg, wanted[i].field);
		*wanted[i].ret_reg = reg;
		*wanted[i].ret_field = field;
	}
	if (rc == 0)
		regs->evtsel_seen = unc_reg_readback_mask(regs->evtsel);
	return rc;
}

static int check_events(struct unc_llc *llc)
{
	const struct unc_llc_info *info = &llc->rdt->info;
	const unsigned bandwidth = 1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL;
	struct unc_ctx *ctx = llc->machine->ctx;
	unsigned asked = llc->cfg.events;

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		if (asked >> event & 1 && !(info->events >> event & 1))
			return unc_fail(ctx, UNC_ENOSUP, "this CPU does not monitor %s: CPUID 0xF.1 EDX bit %u is 0",
					unc_llc_event_name(event), event);
	if (asked >> UNC_LLC_EVENTS)
		return unc_fail(ctx, UNC_EARG, "there is no such event");
	llc->events = asked ? asked : info->events;
	if (llc->cfg.assign && !llc->rdt->n_counters)
		return unc_fail(ctx, UNC_ENOSUP, "this CPU has no bandwidth counters that can be assigned (ABMC)");
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		if (llc->cfg.types[event] & ~llc->rdt->types)
			return unc_fail(ctx, UNC_ENOSUP, "this CPU cannot count 0x%x as %s: it can 0x%x (BMEC)",
					llc->cfg.types[event], unc_llc_event_name(event), (unsigned)llc->rdt->types);
	if (!llc->rdt->assigned_unknown || !(llc->events & bandwidth))
		return UNC_OK;
	/* AMD: with ABMC, what QM_CTR reports for the bandwidth of an RMID means something only if a counter is assigned. */
	if (asked || !(info->events & 1 << UNC_LLC_OCCUPANCY))
		return unc_fail(ctx, UNC_ENOSUP,
				"bandwidth counters may be assigned one by one here (ABMC; L3_QOS_EXT_CFG cannot be "
				"read), and an RMID without one has no bandwidth; ask for occupancy alone");
	llc->events &= ~bandwidth;
	unc_note(ctx, "bandwidth counters may be assigned one by one here (ABMC; L3_QOS_EXT_CFG cannot be read): read "
		      "by RMID they show 0, so there is occupancy alone");
	return UNC_OK;
}

static void llc_free(struct unc_llc *llc)
{
	unc_llc_groups_free(llc);
	unc_llc_lines_free(llc);
	llc_domains_free(llc);
	free(llc->read_cpus);
	free(llc->rmids);
	free(llc);
}

int unc_llc_open(struct unc_machine *machine, const struct unc_llc_cfg *cfg, struct unc_llc **ret_llc)
{
	size_t n = cfg->n_read_cpus;
	const struct unc_rdt *rdt;
	struct unc_llc_info info;
	struct unc_llc *llc;
	int rc = unc_rdt_of(machine, &rdt);

	if (rc < 0)
		return rc;
	if (rdt->info.no_monitoring)
		return unc_fail(machine->ctx, UNC_ENOSUP, "%s", rdt->info.no_monitoring);
	llc = calloc(1, sizeof(*llc));
	if (!llc)
		return unc_fail(machine->ctx, UNC_ENOMEM, "out of memory");
	llc->machine = machine;
	llc->rdt = rdt;
	llc->cfg = *cfg;
	llc->nodes = rdt->snc == UNC_SNC_NONE ? 1 : rdt->info.nodes;
	llc->n_rmids = (rdt->info.cpuid_max_rmid + 1) / llc->nodes;
	rc = check_events(llc);
	info = rdt->info;
	/* A counter that is taken for a narrower one still counts right from one reading to the next. */
	if (rdt->n_counters && rdt->assigned_bits < info.counter_bits)
		info.counter_bits = rdt->assigned_bits;
	unc_llc_meter_init(&llc->meter, &info);
	if (rc == 0)
		rc = regs_find(llc);
	llc->read_cpus = malloc((n + 1) * sizeof(*llc->read_cpus));
	if (rc == 0 && !llc->read_cpus)
		rc = unc_fail(machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++) {
		llc->read_cpus[i] = cfg->read_cpus[i];
		rc = unc_wrap(machine->ctx, unc_llc_check_cpu(llc, cfg->read_cpus[i], "nothing can be read there"),
			      "CPU to read from");
	}
	if (rc < 0)
		llc_free(llc);
	else
		*ret_llc = llc;
	return rc;
}

unsigned unc_llc_events(const struct unc_llc *llc)
{
	return llc->events;
}

/* ---- other users ---- */

/*
 * Detects other users of cache monitoring.  Hardware has no owner of an RMID: only the CPUs that carry it, in IA32_PQR_ASSOC, can
 * be seen.  An RMID that its user has taken off all CPUs for now (a task of resctrl that sleeps) looks free, so the programs are
 * looked for as well.
 */

static int busy_or_note(struct unc_llc *llc, const char *sentence, const char *what_to_do)
{
	if (!llc->cfg.shared)
		return unc_fail(llc->machine->ctx, UNC_EBUSY, "%s; %s, or go on beside it with %s", sentence,
				what_to_do, unc_setting(llc->machine->ctx, "--shared"));
	unc_note(llc->machine->ctx, "%s", sentence);
	return UNC_OK;
}

static const char *way_out(const struct unc_llc *llc, const struct unc_llc_domain *domain)
{
	for (size_t i = 0; i < domain->n_cpus; i++)
		if (domain->cpus[i].rmid && unc_gate_left(domain->cpus[i].box, llc->regs.pqr, 0))
			return "put back what a killed process left (uncorectl recover)";
	return "stop that program, or, if none monitors any more, take the RMIDs off the CPUs (uncorectl reg set "
	       "'cpu*.rdt.PQR_ASSOC.rmid=0' --write --keep)";
}

/* Reports "L3 0: cpus 0-3 carry RMID 7 already, and 2 more of its CPUs others: ...". */
static int find_carriers(struct unc_llc *llc, const struct unc_llc_domain *domain)
{
	unsigned *cpus = malloc(domain->n_cpus * sizeof(*cpus)), rmid = 0, others = 0;
	char sentence[300], more[60] = "", *text;
	size_t n = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < domain->n_cpus && cpus; i++) {
		if (domain->cpus[i].rmid == 0)
			continue;
		rmid = n ? rmid : domain->cpus[i].rmid;
		if (domain->cpus[i].rmid == rmid)
			cpus[n++] = domain->cpus[i].number;
		else
			others++;
	}
	text = cpus ? unc_rdt_cpu_list(cpus, n) : NULL;
	if (others)
		snprintf(more, sizeof(more), ", and %u more of its CPUs others", others);
	snprintf(sentence, sizeof(sentence),
		 "L3 %u: cpu%s %.120s carr%s RMID %u already%s: another program monitors, or left it there",
		 domain->l3->id, n == 1 ? "" : "s", text ? text : "", n == 1 ? "ies" : "y", rmid, more);
	if (!text)
		rc = unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	else if (n)
		rc = busy_or_note(llc, sentence, way_out(llc, domain));
	free(text);
	free(cpus);
	return rc;
}

/*
 * UNC_EBUSY: a CPU carries an RMID already, or another program uses monitoring; with cfg.shared that is only noted.
 */
static int find_other_users(struct unc_llc *llc)
{
	struct unc_finding *findings;
	unsigned taken = 0;
	size_t n;
	int rc = unc_users_find(llc->machine, UNC_USERS_OF_CACHES, NULL, &findings, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char sentence[sizeof(findings->sentence) + sizeof(findings->evidence) + 4];

		snprintf(sentence, sizeof(sentence), "%s (%s)", findings[i].sentence, findings[i].evidence);
		rc = busy_or_note(llc, sentence, findings[i].way_out);
	}
	free(findings);
	/* Without groups no RMID is given to a CPU: then the RMIDs of other programs are what is to be read. */
	for (size_t i = 0; i < llc->n_domains && rc == 0 && llc->n_groups; i++)
		rc = find_carriers(llc, &llc->domains[i]);
	/*
	 * While one of our CPUs carries our RMID, its work is counted for ours and is missing from the numbers of the program
	 * whose RMID it had, which is not told.  This happens only with --shared.
	 */
	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++)
			taken += llc->domains[i].cpus[k].group != UNC_LLC_NO_GROUP && llc->domains[i].cpus[k].rmid != 0;
	if (rc == 0 && taken)
		unc_note(llc->machine->ctx,
			 "%u CPU%s of the groups here carr%s another program's RMID and get%s another one until the "
			 "end: what %s do%s until then is missing in that program's numbers",
			 taken, taken == 1 ? "" : "s", taken == 1 ? "ies" : "y", taken == 1 ? "s" : "",
			 taken == 1 ? "it" : "they", taken == 1 ? "es" : "");
	return rc;
}

/* ---- starting ---- */

int unc_llc_start(struct unc_llc *llc)
{
	/* All that can be read is read before anything is written. */
	static int (*const steps[])(struct unc_llc *) = {unc_llc_domains_find,    find_other_users,   unc_llc_set_up,
							 unc_llc_plan_selectors,  unc_llc_choose,     unc_llc_assign,
							 unc_llc_assign_counters, unc_llc_lines_make, unc_llc_baseline};
	struct unc_saved_msg why;
	int rc = UNC_OK;

	if (llc->started || (llc->n_groups == 0 && !unc_llc_has_rmids(llc)))
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring starts once, with one group at least");
	if (llc->rdt->info.warning && strcmp(llc->rdt->info.warning, unc_rdt_linux_minds) == 0)
		unc_remark(llc->machine->ctx, "%s", llc->rdt->info.warning);
	else if (llc->rdt->info.warning)
		unc_note(llc->machine->ctx, "%s", llc->rdt->info.warning);
	unc_suspend_init(&llc->suspend, llc->machine);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && rc == 0; i++)
		rc = steps[i](llc);
	llc->started = rc == 0;
	if (llc->started)
		return UNC_OK;
	unc_msg_save(llc->machine->ctx, &why);
	if (unc_gate_restore(llc->machine, llc) < 0)
		unc_note(llc->machine->ctx, "%s", llc->machine->ctx->msg);
	unc_msg_restore(llc->machine->ctx, &why);
	unc_llc_lines_free(llc);
	llc_domains_free(llc);
	return rc;
}

int unc_llc_close(struct unc_llc *llc)
{
	int rc;

	if (!llc)
		return UNC_OK;
	rc = unc_gate_restore(llc->machine, llc);
	llc_free(llc);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers of cache monitoring: what they hold, what they refuse, and which CPUs share them. */
#include "check/monitoring.h"

#include "rdt/leaves.h"

/* ==== monitoring.assoc ==== */

/*
 * IA32_PQR_ASSOC: every CPU holds an RMID, whatever its class of service is.  Intel SDM vol. 3, "Assigning RMID to a Logical
 * Processor".  First each CPU carries one for the time of three accesses.  Then all CPUs carry different ones at the same time,
 * which shows whether CPUs share a register.
 */

enum { TRIED_MAX = 16 };

/* A different RMID for each CPU of the L3, as long as there are enough. */
static unsigned own_rmid(const struct unc_mon *mon, size_t index)
{
	return 1 + (unsigned)(index % mon->llc->rdt->info.cpuid_max_rmid);
}

/* The RMID that was found in IA32_PQR_ASSOC. */
static unsigned found_rmid(const struct unc_mon *mon, const struct unc_llc_cpu *cpu)
{
	return (unsigned)unc_field_get(mon->llc->regs.pqr_rmid, cpu->pqr);
}

/* Plans writes of these RMIDs, and of the one that was found. */
static void plan(struct unc_mon *mon, const struct unc_llc_cpu *cpu, const unsigned *rmids, size_t n)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	uint64_t values[TRIED_MAX + 2];
	const struct unc_gate_intent intent = {
		.reg = regs->pqr,
		.values = values,
		.n_values = n + 1,
		.ours = unc_field_mask(regs->pqr_rmid),
		.was = &cpu->pqr,
	};

	for (size_t i = 0; i < n; i++)
		values[i] = unc_mon_with_rmid(mon, cpu->pqr, rmids[i]);
	values[n] = unc_mon_with_rmid(mon, cpu->pqr, found_rmid(mon, cpu));
	if (!mon->rc)
		mon->rc = unc_gate_plan(cpu->box, &intent, mon->llc);
}

/* One access writes and one reads; all of the register except the RMID must be as it was. */
static void hold(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned rmid, const char *what)
{
	const struct unc_reg *pqr = mon->llc->regs.pqr;
	uint64_t wanted = unc_mon_with_rmid(mon, cpu->pqr, rmid), now;

	unc_mon_write_rmid(mon, cpu->box, cpu->pqr, rmid);
	now = unc_mon_read(mon, cpu->box, pqr);
	if (!mon->rc && !unc_check_compare(mon->c, unc_seen_wrote(unc_seen(cpu->box, pqr, 0, what, now), wanted),
					   wanted, unc_reg_mask(pqr, UNC_RW)))
		unc_check_fail(mon->c, "%s: RMID %u was written (0x%016" PRIx64 "), but PQR_ASSOC reads 0x%016" PRIx64,
			       cpu->box->name, rmid, wanted, now);
}

/* The RMID that was found is put back also after a failure. */
static void try(struct unc_mon *mon, const struct unc_llc_cpu *cpu, const unsigned *rmids, size_t n)
{
	int rc;

	for (size_t i = 0; i < n; i++)
		hold(mon, cpu, rmids[i], "an RMID, the CLOS as it was");
	rc = mon->rc;
	mon->rc = UNC_OK;
	hold(mon, cpu, found_rmid(mon, cpu), "the RMID that was found, again");
	mon->rc = rc < 0 ? rc : mon->rc;
}

/* What was found is put back for each CPU, also after a failure; the first failure remains. */
static void carry_apart(struct unc_mon *mon, const struct unc_llc_domain *domain)
{
	int rc;

	for (size_t i = 0; i < domain->n_cpus; i++)
		unc_mon_write_rmid(mon, domain->cpus[i].box, domain->cpus[i].pqr, own_rmid(mon, i));
	for (size_t i = 0; i < domain->n_cpus; i++) {
		const struct unc_llc_cpu *cpu = &domain->cpus[i];
		uint64_t now = unc_mon_read(mon, cpu->box, mon->llc->regs.pqr);
		unsigned own = own_rmid(mon, i), rmid;

		if (mon->rc)
			break;
		/* It fails if the CPU's register no longer holds the RMID that was written. */
		unc_check_see(mon->c, unc_seen(cpu->box, mon->llc->regs.pqr, 0,
					       "its own RMID, after all CPUs of the L3 got theirs", now));
		rmid = (unsigned)unc_field_get(mon->llc->regs.pqr_rmid, now);
		if (rmid == own)
			continue;
		for (size_t k = 0; k < domain->n_cpus; k++)
			if (own_rmid(mon, k) == rmid)
				unc_check_fail(mon->c,
					       "cpu %u was given RMID %u, then cpu %u RMID %u: now PQR_ASSOC of cpu %u "
					       "reads RMID %u: both have one register",
					       cpu->number, own, domain->cpus[k].number, rmid, cpu->number, rmid);
		unc_check_fail(mon->c, "cpu %u was given RMID %u, and PQR_ASSOC reads RMID %u once others got theirs",
			       cpu->number, own, rmid);
	}
	rc = mon->rc;
	for (size_t i = 0; i < domain->n_cpus; i++) {
		const struct unc_llc_cpu *cpu = &domain->cpus[i];

		mon->rc = UNC_OK;
		unc_mon_write_rmid(mon, cpu->box, cpu->pqr, found_rmid(mon, cpu));
		rc = rc < 0 ? rc : mon->rc;
	}
	mon->rc = rc;
}

void unc_mon_assoc(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct unc_llc_domain *domain = l3->domain;
	unsigned rmids[TRIED_MAX + 1]; /* those to try, and the CPU's own */
	unsigned highest = mon->llc->rdt->info.cpuid_max_rmid, all = 1;
	size_t most = unc_check_times(mon->c, 2, 3, TRIED_MAX), n = 0;

	/* The highest and its complement, so that each bit is 1 once and 0 once; in greater depth also each bit alone. */
	while (all < highest)
		all = 2 * all + 1;
	rmids[n++] = highest;
	rmids[n++] = all - highest;
	for (unsigned rmid = 1; rmid < highest && n < most; rmid *= 2)
		rmids[n++] = rmid;
	for (size_t i = 0; i < domain->n_cpus; i++) {
		domain->cpus[i].pqr = unc_mon_read(mon, domain->cpus[i].box, mon->llc->regs.pqr);
		rmids[n] = own_rmid(mon, i);
		plan(mon, &domain->cpus[i], rmids, n + 1);
	}
	if (!mon->rc)
		mon->rc = unc_gate_ready(mon->c->m);
	for (size_t i = 0; i < domain->n_cpus && !mon->rc; i++)
		try(mon, &domain->cpus[i], rmids, n);
	if (!mon->rc)
		carry_apart(mon, domain);
	unc_check_pass(mon->c, "%zu RMIDs, of them %u and %u, read back on %s%zu CPU%s, with the CLOS as it was", n,
		       rmids[0], rmids[1], domain->n_cpus > 1 ? "all " : "", domain->n_cpus,
		       domain->n_cpus == 1 ? "" : "s");
}

/* ==== monitoring.error and monitoring.rmids ==== */

/*
 * The protocol step by step: which RMIDs and events exist, shown by what IA32_PQR_ASSOC and IA32_QM_CTR refuse.  Intel SDM vol. 3,
 * "Monitoring Cache Occupancy and Reporting Monitored Data".
 */

enum { TRIES = 3, TEXT = 120 };

/* ---- one request ---- */

struct question { /* RMID and event, as IA32_QM_EVTSEL numbers them */
	unsigned event, rmid;
};

struct answer {
	uint64_t evtsel;
	struct unc_llc_reading ctr;
	bool refused;  /* the write of IA32_QM_EVTSEL was refused: #GP */
	bool not_held; /* IA32_QM_EVTSEL reads back as something else, each time it was tried */
};

/* Call this before the first write there: it puts the register in the journal on disk, for any later selection. */
static void plan_selector(struct unc_mon *mon, struct unc_box *box)
{
	if (!mon->rc)
		mon->rc = unc_llc_plan_selector(mon->llc, box);
	if (!mon->rc)
		mon->rc = unc_gate_ready(mon->c->m);
}

/*
 * Writes the whole of IA32_QM_EVTSEL, then reads IA32_QM_CTR, both on one CPU.  IA32_QM_EVTSEL is read back, since another program
 * may have written it in between.
 */
static void ask(struct unc_mon *mon, struct unc_box *box, const struct question *question, struct answer *ret)
{
	const struct unc_reg *evtsel = mon->llc->regs.evtsel;
	uint64_t now;

	*ret = (struct answer){0};
	mon->rc = unc_llc_evtsel(mon->llc, question->event, question->rmid, &ret->evtsel);
	now = ~ret->evtsel;
	for (unsigned try = 0; try < TRIES && !mon->rc && now != ret->evtsel; try++) {
		mon->rc = unc_gate_write(box, evtsel, 0, ret->evtsel, mon->llc);
		ret->refused = mon->rc == UNC_EIO;
		if (ret->refused)
			mon->rc = UNC_OK;
		if (ret->refused)
			return;
		if (!mon->rc)
			mon->rc = unc_llc_read_ctr(mon->llc, box, &ret->ctr);
		now = unc_mon_read(mon, box, evtsel);
	}
	ret->not_held = now != ret->evtsel;
	if (ret->ctr.status != UNC_LLC_UNAVAILABLE && ret->ctr.n_unavailable > mon->unavailable)
		mon->unavailable = ret->ctr.n_unavailable;
}

/* Compares the answer with what it should be: that RMID and event exist, or not. */
static void expect(struct unc_mon *mon, struct unc_box *box, const struct question *question, bool is_there)
{
	const struct unc_field *error = mon->llc->regs.error;
	struct answer answer;
	char what[TEXT];

	if (mon->rc)
		return;
	ask(mon, box, question, &answer);
	if (mon->rc)
		return;
	snprintf(what, sizeof(what), "event %u of RMID %u, which %s: the error bit", question->event, question->rmid,
		 is_there ? "there is" : "does not exist");
	if (answer.refused && !is_there) /* a refused write is as good an answer */
		return;
	if (answer.refused) {
		unc_check_fail(mon->c, "%s: QM_EVTSEL refuses event %u of RMID %u (0x%016" PRIx64 "): %s", box->name,
			       question->event, question->rmid, answer.evtsel, mon->c->m->ctx->msg);
		return;
	}
	if (answer.not_held && is_there) /* for an event that does not exist it may hold anything */
		unc_check_fail(mon->c,
			       "%s: QM_EVTSEL does not hold event %u of RMID %u (0x%016" PRIx64 "), three times",
			       box->name, question->event, question->rmid, answer.evtsel);
	if (unc_check_compare(mon->c, unc_seen(box, mon->llc->regs.ctr, 0, what, answer.ctr.ctr),
			      is_there ? 0 : unc_field_mask(error), unc_field_mask(error)))
		return;
	unc_check_fail(mon->c,
		       "event %u of RMID %u %s, but IA32_QM_CTR reads 0x%016" PRIx64 " %s the error bit, on cpu %u",
		       question->event, question->rmid, is_there ? "is there by CPUID" : "does not exist",
		       answer.ctr.ctr, is_there ? "with" : "without", box->addr.msr.cpu);
}

/* ---- the error bit ---- */

static bool is_event(const struct unc_mon *mon, unsigned event)
{
	return event >= 1 && event <= UNC_LLC_EVENTS && mon->llc->rdt->info.events >> (event - 1) & 1;
}

/* Ids of events are bit numbers of CPUID 0xF.1 EDX + 1.  Tries all that are not announced, and some far above them. */
void unc_mon_error(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	static const unsigned ids[] = {1, 2, 3, 0xff, 4, 0x80, 8, 16, 32, 64};
	unsigned n = unc_check_times(mon->c, 5, 6, sizeof(ids) / sizeof(ids[0]));
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	char there[60] = "", not_there[80] = "", slow[100] = "";

	plan_selector(mon, box);
	for (unsigned i = 0; i < n && !mon->rc; i++) {
		const struct question question = {.event = ids[i]};
		bool is_there = is_event(mon, ids[i]);
		char *text = is_there ? there : not_there;

		expect(mon, box, &question, is_there);
		unc_text_join(text, is_there ? sizeof(there) : sizeof(not_there), ", ", "%u", ids[i]);
	}
	if (mon->unavailable)
		snprintf(slow, sizeof(slow),
			 "; after a selection it reads Unavailable up to %u times before it has an answer",
			 mon->unavailable);
	unc_check_pass(mon->c, "IA32_QM_CTR has the error bit for events %s, which do not exist, and not for %s%s",
		       not_there, there, slow);
}

/* ---- how many RMIDs ---- */

struct carry {      /* of one RMID */
	bool took;  /* the write was not refused */
	bool holds; /* it also reads back */
};

static struct carry carry(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned rmid)
{
	const struct unc_reg *pqr = mon->llc->regs.pqr;
	struct carry carry = {0};
	uint64_t wrote, now;
	char what[TEXT];

	if (mon->rc)
		return carry;
	unc_mon_write_rmid(mon, cpu->box, cpu->pqr, rmid);
	carry.took = mon->rc == 0;
	if (mon->rc == UNC_EIO)
		mon->rc = UNC_OK;
	now = unc_mon_read(mon, cpu->box, pqr);
	if (mon->rc)
		return carry;
	carry.holds = unc_field_get(mon->llc->regs.pqr_rmid, now) == rmid;
	snprintf(what, sizeof(what), "RMID %u was written, and %s", rmid, carry.took ? "not refused" : "refused (#GP)");
	wrote = unc_mon_with_rmid(mon, cpu->pqr, rmid);
	unc_check_see(mon->c, unc_seen_wrote(unc_seen(cpu->box, pqr, 0, what, now), wrote));
	return carry;
}

/*
 * If the map doubts the width of the field, this is reported, and is not a failure.  more: the RMID above the highest; NULL: the
 * register has no room for it.  answered: the highest that IA32_QM_CTR answers for.
 */
static void report_carried(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned highest,
			   const struct carry *of_highest, const struct carry *more, unsigned answered)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const char *does = !of_highest->took    ? "is refused by"
			   : !of_highest->holds ? "does not read back from"
						: "is taken by",
		   *more_does = !more         ? "one more does not fit"
				: !more->took ? "one more is refused"
				: more->holds ? "one more is taken, too"
					      : "one more is neither refused nor kept";
	char name[TEXT];

	if (unc_check_is_doubtful(regs->pqr, regs->pqr_rmid)) {
		snprintf(name, sizeof(name), "%s.%s", regs->pqr->name, regs->pqr_rmid->name);
		unc_check_tested(mon->c, name, "RMID %u, by CPUID 0xF.0 EBX the highest, %s it; %s", highest, does,
				 more_does);
	} else if (!of_highest->took || !of_highest->holds || (more && more->took)) {
		unc_check_fail(mon->c, "%s: RMID %u, by CPUID 0xF.0 EBX the highest, %s IA32_PQR_ASSOC, and %s",
			       cpu->box->name, highest, does, more_does);
	}
	unc_check_pass(mon->c,
		       "RMID %u, by CPUID 0xF.0 EBX the highest, %s IA32_PQR_ASSOC, and %s; IA32_QM_CTR has no error "
		       "bit for RMID %u%s",
		       highest, does, more_does, answered,
		       answered < unc_field_max(regs->rmid) ? ", and has it for one more" : "");
}

void unc_mon_rmids(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	struct question question = {.rmid = mon->llc->rdt->info.cpuid_max_rmid};
	const struct unc_llc_cpu *cpu = l3->cpu;
	struct carry of_highest, more = {0};
	struct unc_cpuid_regs all = {0};
	unsigned rmids[2];
	bool fits;
	int rc;

	while (!is_event(mon, ++question.event)) /* at least one event is not announced */
		;
	mon->rc = unc_rdt_cpuid(mon->c->m, l3->cpu->number, 0xf, 0, &all);
	fits = all.ebx < unc_field_max(mon->llc->regs.pqr_rmid);
	rmids[0] = all.ebx;
	rmids[1] = fits ? all.ebx + 1 : all.ebx;
	if (!mon->rc)
		plan(mon, cpu, rmids, 2);
	if (!mon->rc)
		mon->rc = unc_gate_ready(mon->c->m);
	if (mon->rc)
		return;
	/*
	 * The write of an RMID above the highest faults, and changes nothing.  On a part that accepts it the CPU carries a number
	 * that does not exist until the next write, which follows at once.
	 */
	of_highest = carry(mon, cpu, rmids[0]);
	if (fits)
		more = carry(mon, cpu, rmids[1]);
	rc = mon->rc;
	mon->rc = UNC_OK;
	carry(mon, cpu, cpu->rmid);
	mon->rc = rc < 0 ? rc : mon->rc;
	if (mon->rc)
		return;
	report_carried(mon, cpu, all.ebx, &of_highest, fits ? &more : NULL, mon->llc->rdt->info.cpuid_max_rmid);
	plan_selector(mon, box);
	expect(mon, box, &question, true);
	question.rmid++;
	if (question.rmid <= unc_field_max(mon->llc->regs.rmid))
		expect(mon, box, &question, false);
}

/* ==== monitoring.scope ==== */

/*
 * Does IA32_QM_EVTSEL belong to a cache or to a CPU?  Sources disagree: Linux (arch/x86/kernel/cpu/resctrl) treats it as one of a
 * cache, Intel PCM as one of each CPU.  The check writes that of one CPU only and reads those of all: a CPU that shares the
 * register shows what was written.
 */

struct selector { /* one for each CPU */
	const struct unc_llc_cpu *cpu;
	uint64_t found;
	bool follows[2]; /* its register showed what was written on the first CPU */
};

static void read_selectors(struct unc_mon *mon, struct selector *selectors, size_t n, int nth, uint64_t wrote)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t now = unc_mon_read(mon, selectors[i].cpu->box, mon->llc->regs.evtsel);
		struct unc_check_seen seen = unc_seen(selectors[i].cpu->box, mon->llc->regs.evtsel, 0,
						      "after a write on the first CPU of the L3", now);

		if (mon->rc)
			return;
		if (nth < 0) {
			selectors[i].found = now;
			continue;
		}
		selectors[i].follows[nth] = now == wrote;
		unc_check_see(mon->c, i == 0 ? unc_seen_wrote(seen, wrote) : seen);
	}
}

enum { OCCUPANCY = 1 }; /* an event of IA32_QM_EVTSEL; any would do, since no counter is read */

static void report_scope(struct unc_mon *mon, const struct selector *selectors, size_t n)
{
	static const char of_l3[] = "one for the L3 (as Linux takes it): a write shows on every CPU that shares it",
			  of_cpu[] = "one for each CPU (as PCM takes it): a write shows on no other",
			  of_some[] = "one for some CPUs of an L3 together, as for the threads of a core";
	unsigned *cpus = malloc(n * sizeof(*cpus)), first = selectors[0].cpu->number;
	const struct unc_reg *evtsel = mon->llc->regs.evtsel;
	const char *whose;
	size_t n_with = 0;
	bool steady = true;
	char *text;

	for (size_t i = 0; i < n && cpus; i++) {
		steady &= selectors[i].follows[0] == selectors[i].follows[1];
		if (selectors[i].follows[0])
			cpus[n_with++] = selectors[i].cpu->number;
	}
	whose = n_with == n ? of_l3 : n_with == 1 ? of_cpu : of_some;
	text = cpus ? unc_rdt_cpu_list(cpus, n_with) : NULL;
	if (!selectors[0].follows[0] || !selectors[0].follows[1])
		unc_check_fail(mon->c, "QM_EVTSEL does not hold on cpu %u what was written there", first);
	else if (!steady || !text)
		unc_check_skip(mon->c,
			       "of two writes on cpu %u one showed on other CPUs: another program writes QM_EVTSEL",
			       first);
	else
		unc_check_pass(mon->c,
			       "what cpu %u writes to QM_EVTSEL shows on cpu%s %.80s, of %zu that share the L3%s",
			       first, n_with == 1 ? "" : "s", text, n,
			       n_with == n   ? ": it has one, as Linux takes it"
			       : n_with == 1 ? ": each has its own, as PCM takes it"
					     : "");
	if (!unc_check_failed(mon->c) && steady) {
		if (whose != mon->told && unc_check_is_doubtful(evtsel, NULL))
			unc_check_tested(mon->c, evtsel->name, "%s", whose);
		mon->told = whose; /* reported once, unless caches differ */
	}
	free(text);
	free(cpus);
}

void unc_mon_scope(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_domain *domain = l3->domain;
	struct selector *selectors = calloc(domain->n_cpus, sizeof(*selectors));
	struct unc_box *box = domain->cpus[0].box;
	unsigned rmid = 0;

	if (!selectors) {
		mon->rc = unc_fail(mon->c->m->ctx, UNC_ENOMEM, "out of memory");
		return;
	}
	for (size_t i = 0; i < domain->n_cpus; i++)
		selectors[i].cpu = &domain->cpus[i];
	read_selectors(mon, selectors, domain->n_cpus, -1, 0);
	plan_selector(mon, box);
	for (int nth = 0; nth < 2; nth++) {
		uint64_t value = 0;

		/* Finds a value that no CPU has there now. */
		for (bool had = true; !mon->rc && had;) {
			mon->rc = unc_llc_evtsel(mon->llc, OCCUPANCY, ++rmid, &value);
			had = false;
			for (size_t i = 0; i < domain->n_cpus; i++)
				had |= selectors[i].found == value;
		}
		if (!mon->rc)
			mon->rc = unc_gate_write(box, mon->llc->regs.evtsel, 0, value, mon->llc);
		read_selectors(mon, selectors, domain->n_cpus, nth, value);
	}
	if (!mon->rc && domain->n_cpus == 1)
		unc_check_skip(mon->c, "cpu %u has the L3 for itself: no other CPU shares QM_EVTSEL",
			       selectors[0].cpu->number);
	else if (!mon->rc)
		report_scope(mon, selectors, domain->n_cpus);
	free(selectors);
}

/* ==== monitoring.cpuid ==== */

/*
 * What CPUID reports of cache monitoring: it must not contradict itself, and every CPU must report the same.  Intel SDM vol. 3,
 * "Cache Monitoring Technology"; AMD 56375.  Leaves that are not announced are not read.
 */

enum { LEAVES_MAX = 16, BMEC_EVENTS = 2 };

struct leaf {
	uint32_t leaf, subleaf;
	uint32_t compared[4]; /* bits of EAX, EBX, ECX, EDX that must be equal on every CPU */
	uint32_t says[4];     /* what the first CPU reports */
};

struct leaves {
	struct leaf leaves[LEAVES_MAX];
	size_t n;
};

static void list_leaf(struct leaves *all, uint32_t leaf, uint32_t subleaf)
{
	const uint32_t every = UINT32_MAX;

	if (all->n < LEAVES_MAX)
		all->leaves[all->n++] =
			(struct leaf){.leaf = leaf, .subleaf = subleaf, .compared = {every, every, every, every}};
}

/* Of the first CPU all is kept, of the others only differences: a machine may have hundreds of CPUs. */
static int ask_cpu(struct unc_check *c, unsigned cpu, struct leaves *all, bool first)
{
	static const char *const names[] = {"EAX", "EBX", "ECX", "EDX"};

	for (size_t i = 0; i < all->n; i++) {
		struct leaf *leaf = &all->leaves[i];
		struct unc_cpuid_regs regs = {0};
		bool differs = false;
		int rc = unc_rdt_cpuid_or_0(c->m, cpu, leaf->leaf, leaf->subleaf, &regs);
		const uint32_t says[] = {regs.eax, regs.ebx, regs.ecx, regs.edx};

		if (rc < 0)
			return rc;
		if (first)
			memcpy(leaf->says, says, sizeof(says));
		for (unsigned k = 0; k < 4; k++)
			differs |= ((says[k] ^ leaf->says[k]) & leaf->compared[k]) != 0;
		for (unsigned k = 0; k < 4 && (first || differs); k++) {
			char name[60], what[40];

			snprintf(name, sizeof(name), "CPUID 0x%" PRIx32 ".%" PRIu32 " %s", leaf->leaf, leaf->subleaf,
				 names[k]);
			snprintf(what, sizeof(what), "cpu %u", cpu);
			if (leaf->compared[k] && !unc_check_compare(c, unc_seen_value(name, what, says[k]),
								    leaf->says[k], leaf->compared[k]))
				unc_check_fail(c, "cpu %u says 0x%" PRIx32 " in %s, other CPUs 0x%" PRIx32, cpu,
					       says[k], name, leaf->says[k]);
		}
	}
	return UNC_OK;
}

/* What AMD's leaf announces must be described in the sub-leaf that it announces. */
static void check_amd(struct unc_check *c, const struct unc_rdt_leaves *said)
{
	const struct unc_cpuid_regs *bmec = &said->amd[UNC_RDT_AMD_BMEC], *abmc = &said->amd[UNC_RDT_AMD_ABMC];

	if (unc_rdt_bit(said->amd[0].ebx, UNC_RDT_AMD_BMEC) && (!bmec->ecx || bmec->ebx > BMEC_EVENTS))
		unc_check_fail(c,
			       "CPUID 0x80000020.0 EBX bit %d (BMEC) is 1, but sub-leaf %d says that %" PRIu32
			       " events can be set (EBX), to bits 0x%" PRIx32 " (ECX)",
			       UNC_RDT_AMD_BMEC, UNC_RDT_AMD_BMEC, bmec->ebx, bmec->ecx);
	if (unc_rdt_bit(said->amd[0].ebx, UNC_RDT_AMD_ABMC) && !(abmc->ebx & 0xffff))
		unc_check_fail(c,
			       "CPUID 0x80000020.0 EBX bit %d (ABMC) is 1, but sub-leaf %d says that there is one "
			       "counter (EBX 0x%" PRIx32 ")",
			       UNC_RDT_AMD_ABMC, UNC_RDT_AMD_ABMC, abmc->ebx);
}

int unc_mon_cpuid(struct unc_check *c)
{
	struct unc_rdt_leaves said;
	struct leaves all = {.n = 0};
	const struct unc_rdt *rdt = NULL;
	char events[80] = "", width[60] = "";
	unsigned n = 0;
	int rc;

	unc_check_begin(c, "machine");
	rc = unc_rdt_leaves_read(c->m, &said);
	if (rc < 0)
		return unc_mon_broke(c, rc);
	/* Leaf 7 also reports much else, in which cores may differ: PQM is bit 12 of EBX, PQE bit 15. */
	all.leaves[all.n++] = (struct leaf){.leaf = 7, .compared = {0, 1 << 12 | 1 << 15, 0, 0}};
	for (unsigned i = 0; i < 2 && said.highest >= 0xf; i++)
		list_leaf(&all, 0xf, i);
	for (unsigned i = 0; i < UNC_RDT_RESOURCES && said.highest >= 0x10 && unc_rdt_bit(said.features, 15); i++)
		if (i == 0 || unc_rdt_bit(said.allocation[0].ebx, i))
			list_leaf(&all, 0x10, i);
	for (unsigned i = 0; i < UNC_RDT_AMD_LEAVES && said.amd[0].ebx; i++)
		if (i == 0 || unc_rdt_bit(said.amd[0].ebx, i))
			list_leaf(&all, 0x80000020, i);
	rc = ask_cpu(c, said.cpu, &all, true);
	if (rc == 0)
		rc = unc_rdt_of(c->m, &rdt);
	if (rc < 0 || !rdt)
		return unc_check_broke(c, rc); /* the answers contradict each other: the sentence has both */
	check_amd(c, &said);
	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		for (size_t k = 0; k < rdt->l3s[i].n_cpus && rc == 0; k++, n++)
			rc = ask_cpu(c, rdt->l3s[i].cpus[k], &all, false);
	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		if (rdt->info.events >> event & 1)
			unc_text_join(events, sizeof(events), ", ", "%s", unc_llc_event_name(event));
	if (rdt->info.events >> UNC_LLC_TOTAL)
		snprintf(width, sizeof(width), " (counters of %u bits)", rdt->info.counter_bits);
	unc_check_pass(
		c, "RMIDs 0 to %u, units of %" PRIu64 " bytes, %s%s, and no answer contradicts another on %u CPU%s",
		rdt->info.cpuid_max_rmid, rdt->info.unit_bytes * rdt->info.nodes, events, width, n, n == 1 ? "" : "s");
	return unc_check_broke(c, rc);
}

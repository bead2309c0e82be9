// SPDX-License-Identifier: GPL-2.0-or-later
/* The registers of cache monitoring: what they hold, what they refuse, and which CPUs share them. */
#include "check/monitoring.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/gate.h"
#include "map/field.h"
#include "rdt/leaves.h"

/* ==== monitoring.assoc ==== */

/*
 * IA32_PQR_ASSOC: every CPU holds an RMID, whatever its class of service is.  Intel SDM vol. 3, "Assigning RMID to a Logical
 * Processor".  First each CPU carries one for the time of three accesses.  Then all CPUs carry different ones at the same time,
 * which shows whether CPUs share a register.
 */

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
	int rc = unc_field_set(mon->c->m->ctx, place.field, rmid, &wanted);

	if (rc == 0)
		rc = unc_gate_set_field(cpu->box, &place, cpu->pqr, rmid, mon->llc);
	if (rc == 0)
		rc = unc_reg_get(cpu->box, place.reg, 0, &now);
	if (rc < 0)
		return rc;
	if (!unc_check_see(mon->c,
			   unc_seen_expected(unc_seen_wrote(unc_seen(cpu->box, regs->pqr, 0, what, now), wanted),
					     wanted, unc_reg_mask(regs->pqr, UNC_RW))))
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
static void report_apart(struct unc_mon *mon, const struct unc_llc_domain *domain, size_t index, uint64_t now)
{
	const struct unc_llc_cpu *cpu = &domain->cpus[index];
	unsigned own = own_rmid(mon, index), rmid = (unsigned)unc_field_get(mon->llc->regs.pqr_rmid, now);

	unc_check_see(mon->c, unc_seen(cpu->box, mon->llc->regs.pqr, 0,
				       "its own RMID, after all CPUs of the L3 got theirs", now));
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
			report_apart(mon, domain, i, now);
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

int unc_mon_assoc(struct unc_mon *mon, struct unc_mon_l3 *l3)
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
	struct unc_llc_answer ctr;
	bool refused;  /* the write of IA32_QM_EVTSEL was refused: #GP */
	bool not_held; /* IA32_QM_EVTSEL reads back as something else, each time it was tried */
};

/* Call this before the first write there: it puts the register in the journal on disk, for any later selection. */
static int plan_selector(struct unc_mon *mon, struct unc_box *box)
{
	int rc = unc_llc_plan_selector(mon->llc, box);

	return rc == 0 ? unc_gate_ready(mon->c->m) : rc;
}

/*
 * Writes the whole of IA32_QM_EVTSEL, then reads IA32_QM_CTR, both on one CPU.  IA32_QM_EVTSEL is read back, since another program
 * may have written it in between.
 */
static int ask(struct unc_mon *mon, struct unc_box *box, const struct question *question, struct answer *ret)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	uint64_t now;
	int rc;

	*ret = (struct answer){0};
	rc = unc_llc_evtsel(mon->llc, question->event, question->rmid, &ret->evtsel);
	now = ~ret->evtsel;
	for (unsigned try = 0; try < TRIES && rc == 0 && now != ret->evtsel; try++) {
		rc = unc_gate_write(box, regs->evtsel, 0, ret->evtsel, mon->llc);
		ret->refused = rc == UNC_EIO;
		if (ret->refused)
			return UNC_OK;
		if (rc == 0)
			rc = unc_llc_read_ctr(mon->llc, box, &ret->ctr);
		if (rc == 0)
			rc = unc_reg_get(box, regs->evtsel, 0, &now);
	}
	ret->not_held = now != ret->evtsel;
	if (ret->ctr.status != UNC_LLC_UNAVAILABLE && ret->ctr.n_unavailable > mon->unavailable)
		mon->unavailable = ret->ctr.n_unavailable;
	return rc;
}

/* Compares the answer with what it should be: that RMID and event exist, or not. */
static int expect(struct unc_mon *mon, struct unc_box *box, const struct question *question, bool is_there)
{
	const struct unc_field *error = mon->llc->regs.error;
	struct answer answer;
	char what[TEXT];
	int rc = ask(mon, box, question, &answer);

	if (rc < 0)
		return rc;
	snprintf(what, sizeof(what), "event %u of RMID %u, which %s: the error bit", question->event, question->rmid,
		 is_there ? "there is" : "does not exist");
	if (answer.refused && !is_there) /* a refused write is as good an answer */
		return UNC_OK;
	if (answer.refused) {
		unc_check_fail(mon->c, "%s: QM_EVTSEL refuses event %u of RMID %u (0x%016" PRIx64 "): %s", box->name,
			       question->event, question->rmid, answer.evtsel, mon->c->m->ctx->msg);
		return UNC_OK;
	}
	if (answer.not_held && is_there) /* for an event that does not exist it may hold anything */
		unc_check_fail(mon->c,
			       "%s: QM_EVTSEL does not hold event %u of RMID %u (0x%016" PRIx64 "), three times",
			       box->name, question->event, question->rmid, answer.evtsel);
	if (unc_check_see(mon->c, unc_seen_expected(unc_seen(box, mon->llc->regs.ctr, 0, what, answer.ctr.ctr),
						    is_there ? 0 : unc_field_mask(error), unc_field_mask(error))))
		return UNC_OK;
	unc_check_fail(mon->c,
		       "event %u of RMID %u %s, but IA32_QM_CTR reads 0x%016" PRIx64 " %s the error bit, on cpu %u",
		       question->event, question->rmid, is_there ? "is there by CPUID" : "does not exist",
		       answer.ctr.ctr, is_there ? "with" : "without", box->addr.msr.cpu);
	return UNC_OK;
}

/* ---- the error bit ---- */

static bool is_event(const struct unc_mon *mon, unsigned event)
{
	return event >= 1 && event <= UNC_LLC_EVENTS && mon->llc->rdt->info.events >> (event - 1) & 1;
}

/* Ids of events are bit numbers of CPUID 0xF.1 EDX + 1.  Tries all that are not announced, and some far above them. */
int unc_mon_error(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	static const unsigned ids[] = {1, 2, 3, 0xff, 4, 0x80, 8, 16, 32, 64};
	unsigned n = unc_check_times(mon->c, 5, 6, sizeof(ids) / sizeof(ids[0]));
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	char there[60] = "", not_there[80] = "", slow[100] = "";
	int rc = plan_selector(mon, box);

	for (unsigned i = 0; i < n && rc == 0; i++) {
		const struct question question = {.event = ids[i]};
		bool is_there = is_event(mon, ids[i]);
		char *text = is_there ? there : not_there;

		rc = expect(mon, box, &question, is_there);
		unc_rdt_append(text, is_there ? sizeof(there) : sizeof(not_there), "%s%u", text[0] ? ", " : "", ids[i]);
	}
	if (mon->unavailable)
		snprintf(slow, sizeof(slow),
			 "; after a selection it reads Unavailable up to %u times before it has an answer",
			 mon->unavailable);
	unc_check_pass(mon->c, "IA32_QM_CTR has the error bit for events %s, which do not exist, and not for %s%s",
		       not_there, there, slow);
	return rc;
}

/* ---- how many RMIDs ---- */

static int plan_pqr(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned highest, unsigned beyond)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const unsigned rmids[] = {highest, beyond, cpu->rmid};
	uint64_t values[3];
	const struct unc_gate_intent intent = {
		.reg = regs->pqr,
		.values = values,
		.n_values = 3,
		.ours = unc_field_mask(regs->pqr_rmid),
		.was = &cpu->pqr,
	};
	int rc = UNC_OK;

	for (size_t i = 0; i < 3 && rc == 0; i++) {
		values[i] = unc_reg_base(regs->pqr, cpu->pqr);
		rc = unc_field_set(mon->c->m->ctx, regs->pqr_rmid, rmids[i], &values[i]);
	}
	if (rc == 0)
		rc = unc_gate_plan(cpu->box, &intent, mon->llc);
	return rc == 0 ? unc_gate_ready(mon->c->m) : rc;
}

/* *ret_took: the write was not refused; *ret_holds: it also reads back. */
static int carry(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned rmid, bool *ret_took, bool *ret_holds)
{
	const struct unc_gate_field place = {.reg = mon->llc->regs.pqr, .field = mon->llc->regs.pqr_rmid};
	char what[TEXT];
	uint64_t now = 0;
	int rc = unc_gate_set_field(cpu->box, &place, cpu->pqr, rmid, mon->llc);
	uint64_t wrote = unc_reg_base(place.reg, cpu->pqr);

	*ret_took = rc == 0;
	if (rc == 0 || rc == UNC_EIO)
		rc = unc_reg_get(cpu->box, place.reg, 0, &now);
	if (rc < 0)
		return rc;
	*ret_holds = unc_field_get(place.field, now) == rmid;
	snprintf(what, sizeof(what), "RMID %u was written, and %s", rmid, *ret_took ? "not refused" : "refused (#GP)");
	unc_field_set(mon->c->m->ctx, place.field, rmid, &wrote);
	unc_check_see(mon->c, unc_seen_wrote(unc_seen(cpu->box, place.reg, 0, what, now), wrote));
	return UNC_OK;
}

struct carried {
	unsigned highest;
	bool fits;                  /* the register has room for an RMID above the highest */
	bool took, holds;           /* for the highest RMID */
	bool took_more, holds_more; /* for the RMID above it */
};

/*
 * The write of an RMID above the highest faults, and changes nothing.  On a part that accepts it the CPU carries a number that does
 * not exist until the next write, which follows at once.
 */
static int carry_all(struct unc_mon *mon, const struct unc_llc_cpu *cpu, struct carried *carried)
{
	unsigned highest = carried->highest;
	bool took, holds;
	int rc = plan_pqr(mon, cpu, highest, carried->fits ? highest + 1 : highest), end;

	if (rc < 0)
		return rc;
	rc = carry(mon, cpu, highest, &carried->took, &carried->holds);
	if (rc == 0 && carried->fits)
		rc = carry(mon, cpu, highest + 1, &carried->took_more, &carried->holds_more);
	end = carry(mon, cpu, cpu->rmid, &took, &holds);
	return rc < 0 ? rc : end;
}

/* If the map doubts the width of the field, this is reported, and is not a failure. */
static void report_carried(struct unc_mon *mon, const struct unc_llc_cpu *cpu, const struct carried *carried,
			   unsigned answered)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const char *highest = !carried->took    ? "is refused by"
			      : !carried->holds ? "does not read back from"
						: "is taken by",
		   *more = !carried->fits        ? "one more does not fit"
			   : !carried->took_more ? "one more is refused"
			   : carried->holds_more ? "one more is taken, too"
						 : "one more is neither refused nor kept";
	char name[TEXT];

	if (unc_check_is_doubtful(regs->pqr, regs->pqr_rmid)) {
		snprintf(name, sizeof(name), "%s.%s", regs->pqr->name, regs->pqr_rmid->name);
		unc_check_tested(mon->c, name, "RMID %u, by CPUID 0xF.0 EBX the highest, %s it; %s", carried->highest,
				 highest, more);
	} else if (!carried->took || !carried->holds || carried->took_more) {
		unc_check_fail(mon->c, "%s: RMID %u, by CPUID 0xF.0 EBX the highest, %s IA32_PQR_ASSOC, and %s",
			       cpu->box->name, carried->highest, highest, more);
	}
	unc_check_pass(
		mon->c,
		"RMID %u, by CPUID 0xF.0 EBX the highest, %s IA32_PQR_ASSOC, and %s; IA32_QM_CTR has no error bit for "
		"RMID %u%s",
		carried->highest, highest, more, answered,
		answered < unc_field_max(regs->rmid) ? ", and has it for one more" : "");
}

int unc_mon_rmids(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	struct question question = {.rmid = info->cpuid_max_rmid};
	struct carried carried = {0};
	struct unc_cpuid_regs all;
	int rc;

	while (!is_event(mon, ++question.event)) /* at least one event is not announced */
		;
	rc = unc_rdt_cpuid(mon->c->m, l3->cpu->number, 0xf, 0, &all);
	if (rc < 0)
		return rc;
	carried.highest = all.ebx;
	carried.fits = all.ebx < unc_field_max(regs->pqr_rmid);
	rc = carry_all(mon, l3->cpu, &carried);
	if (rc < 0)
		return rc;
	report_carried(mon, l3->cpu, &carried, info->cpuid_max_rmid);
	rc = plan_selector(mon, box);
	if (rc == 0)
		rc = expect(mon, box, &question, true);
	question.rmid++;
	return rc == 0 && question.rmid <= unc_field_max(regs->rmid) ? expect(mon, box, &question, false) : rc;
}

/* ==== monitoring.scope ==== */

/*
 * Does IA32_QM_EVTSEL belong to a cache or to a CPU?  Sources disagree: Linux (arch/x86/kernel/cpu/resctrl) treats it as one of a
 * cache, Intel PCM as one of each CPU.  The check writes that of one CPU only and reads those of all: a CPU that shares the
 * register shows what was written.
 */

struct read_selectors { /* one for each CPU */
	const struct unc_llc_cpu *cpu;
	uint64_t found;
	bool follows[2]; /* its register showed what was written on the first CPU */
};

static int read_selectors(struct unc_mon *mon, struct read_selectors *looks, size_t n, int nth, uint64_t wrote)
{
	for (size_t i = 0; i < n; i++) {
		struct unc_check_seen seen;
		uint64_t now = 0;
		int rc = unc_reg_get(looks[i].cpu->box, mon->llc->regs.evtsel, 0, &now);

		if (rc < 0)
			return rc;
		if (nth < 0)
			looks[i].found = now;
		else
			looks[i].follows[nth] = now == wrote;
		if (nth < 0)
			continue;
		seen = unc_seen(looks[i].cpu->box, mon->llc->regs.evtsel, 0, "after a write on the first CPU of the L3",
				now);
		if (i == 0)
			seen = unc_seen_wrote(seen, wrote);
		unc_check_see(mon->c, seen);
	}
	return UNC_OK;
}

enum { OCCUPANCY = 1 }; /* an event of IA32_QM_EVTSEL; any would do, since no counter is read */

/* Finds a value that no CPU has there now. */
static int fresh(struct unc_mon *mon, const struct read_selectors *looks, size_t n, unsigned *rmid, uint64_t *ret_value)
{
	bool had = true;
	int rc = UNC_OK;

	while (rc == 0 && had) {
		rc = unc_llc_evtsel(mon->llc, OCCUPANCY, ++*rmid, ret_value);
		had = false;
		for (size_t i = 0; i < n; i++)
			had |= looks[i].found == *ret_value;
	}
	return rc;
}

enum { NOT_TOLD, OF_L3, OF_CPU, OF_SOME };

/* Reports it for the map, once, unless caches differ. */
static void note_tested(struct unc_mon *mon, int whose)
{
	static const char *const texts[] = {
		[OF_L3] = "one for the L3 (as Linux takes it): a write shows on every CPU that shares it",
		[OF_CPU] = "one for each CPU (as PCM takes it): a write shows on no other",
		[OF_SOME] = "one for some CPUs of an L3 together, as for the threads of a core",
	};
	const struct unc_reg *evtsel = mon->llc->regs.evtsel;

	if (whose != mon->told && unc_check_is_doubtful(evtsel, NULL))
		unc_check_tested(mon->c, evtsel->name, "%s", texts[whose]);
	mon->told = whose;
}

static void report_scope(struct unc_mon *mon, const struct read_selectors *looks, size_t n)
{
	unsigned *cpus = malloc(n * sizeof(*cpus)), first = looks[0].cpu->number;
	char *text = NULL;
	size_t n_with = 0;
	bool steady = true;

	for (size_t i = 0; i < n && cpus; i++) {
		steady &= looks[i].follows[0] == looks[i].follows[1];
		if (looks[i].follows[0])
			cpus[n_with++] = looks[i].cpu->number;
	}
	text = cpus ? unc_rdt_cpu_list(cpus, n_with) : NULL;
	if (!looks[0].follows[0] || !looks[0].follows[1])
		unc_check_fail(mon->c, "QM_EVTSEL does not hold on cpu %u what was written there", first);
	else if (!steady || !text)
		unc_check_skip(mon->c,
			       "of two writes on cpu %u one showed on other CPUs: somebody else writes QM_EVTSEL",
			       first);
	else
		unc_check_pass(mon->c,
			       "what cpu %u writes to QM_EVTSEL shows on cpu%s %.80s, of %zu that share the L3%s",
			       first, n_with == 1 ? "" : "s", text, n,
			       n_with == n   ? ": it has one, as Linux takes it"
			       : n_with == 1 ? ": each has its own, as PCM takes it"
					     : "");
	if (!unc_check_failed(mon->c) && steady)
		note_tested(mon, n_with == n ? OF_L3 : n_with == 1 ? OF_CPU : OF_SOME);
	free(text);
	free(cpus);
}

static int two_writes(struct unc_mon *mon, struct read_selectors *looks, size_t n)
{
	unsigned rmid = 0;
	int rc = read_selectors(mon, looks, n, -1, 0);

	if (rc == 0)
		rc = plan_selector(mon, looks[0].cpu->box);
	for (int nth = 0; nth < 2 && rc == 0; nth++) {
		uint64_t value = 0;

		rc = fresh(mon, looks, n, &rmid, &value);
		if (rc == 0)
			rc = unc_gate_write(looks[0].cpu->box, mon->llc->regs.evtsel, 0, value, mon->llc);
		if (rc == 0)
			rc = read_selectors(mon, looks, n, nth, value);
	}
	return rc;
}

int unc_mon_scope(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_domain *domain = l3->domain;
	struct read_selectors *looks = calloc(domain->n_cpus, sizeof(*looks));
	int rc;

	if (!looks)
		return unc_fail(mon->c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < domain->n_cpus; i++)
		looks[i].cpu = &domain->cpus[i];
	rc = two_writes(mon, looks, domain->n_cpus);
	if (rc == 0 && domain->n_cpus == 1)
		unc_check_skip(mon->c, "cpu %u has the L3 for itself: there is nobody to share QM_EVTSEL with",
			       looks[0].cpu->number);
	else if (rc == 0)
		report_scope(mon, looks, domain->n_cpus);
	free(looks);
	return rc;
}

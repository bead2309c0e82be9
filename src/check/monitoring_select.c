// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The protocol by hand: which RMIDs and events there are, by what IA32_PQR_ASSOC and IA32_QM_CTR refuse, and whose register
 * IA32_QM_EVTSEL is.  Intel SDM vol. 3, "Monitoring Cache Occupancy and Reporting Monitored Data".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/monitoring.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/leaves.h"

enum { TRIES = 3, TEXT = 120 };

/* ---- a question ---- */

struct question {
	unsigned event, rmid; /* as IA32_QM_EVTSEL has them */
};
struct answer {
	uint64_t evtsel, ctr;
	bool refused; /* IA32_QM_EVTSEL itself was: #GP */
	bool error, unavailable;
};

static int plan_selector(struct unc_mon *mon, struct unc_box *box)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const uint64_t blank = unc_reg_blank(regs->evtsel);
	const struct unc_gate_intent intent = {
		.reg = regs->evtsel,
		.values = &blank,
		.n_values = 1,
		.any = unc_field_mask(regs->event) | unc_field_mask(regs->rmid),
	};
	int rc = unc_gate_plan(box, &intent, mon->llc);

	return rc == 0 ? unc_gate_ready(mon->c->m) : rc;
}

static int evtsel_of(const struct unc_mon *mon, const struct question *question, uint64_t *ret_evtsel)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	struct unc_ctx *ctx = mon->c->m->ctx;
	int rc;

	*ret_evtsel = unc_reg_blank(regs->evtsel);
	rc = unc_field_set(ctx, regs->event, question->event, ret_evtsel);
	return rc == 0 ? unc_field_set(ctx, regs->rmid, question->rmid, ret_evtsel) : rc;
}

/* Written whole, then IA32_QM_CTR, both on one CPU; it is read back, since somebody may have written it in between. */
static int ask(struct unc_mon *mon, struct unc_box *box, const struct question *question, struct answer *ret)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	uint64_t now;
	int rc;

	*ret = (struct answer){0};
	rc = evtsel_of(mon, question, &ret->evtsel);
	now = ~ret->evtsel;
	for (unsigned try = 0; try < TRIES && rc == 0 && now != ret->evtsel; try++) {
		rc = unc_gate_write(box, regs->evtsel, 0, ret->evtsel, mon->llc);
		ret->refused = rc == UNC_EIO;
		if (ret->refused)
			return UNC_OK;
		if (rc == 0)
			rc = unc_reg_get(box, regs->ctr, 0, &ret->ctr);
		if (rc == 0)
			rc = unc_reg_get(box, regs->evtsel, 0, &now);
	}
	ret->error = unc_field_get(regs->error, ret->ctr);
	ret->unavailable = unc_field_get(regs->unavailable, ret->ctr);
	return rc;
}

/* What it ought to say: there is such a thing, or not. */
static int expect(struct unc_mon *mon, struct unc_box *box, const struct question *question, bool is_there)
{
	const struct unc_field *error = mon->llc->regs.error;
	struct answer answer;
	char what[TEXT];
	int rc = ask(mon, box, question, &answer);
	struct unc_check_seen seen;

	if (rc < 0)
		return rc;
	snprintf(what, sizeof(what), "event %u of RMID %u, which %s: the error bit", question->event, question->rmid,
		 is_there ? "there is" : "does not exist");
	if (answer.refused && !is_there) /* as good an answer */
		return UNC_OK;
	if (answer.refused) {
		unc_check_fail(mon->c, "%s: QM_EVTSEL refuses event %u of RMID %u (0x%016" PRIx64 "): %s", box->name,
			       question->event, question->rmid, answer.evtsel, mon->c->m->ctx->msg);
		return UNC_OK;
	}
	seen = (struct unc_check_seen){
		.what = what,
		.box = box,
		.reg = mon->llc->regs.ctr,
		.read = answer.ctr,
		.has_expected = true,
		.expected = is_there ? 0 : unc_field_mask(error),
		.compared = unc_field_mask(error),
	};
	if (unc_check_see(mon->c, &seen))
		return UNC_OK;
	unc_check_fail(mon->c,
		       "event %u of RMID %u %s, but IA32_QM_CTR reads 0x%016" PRIx64 " %s the error bit, on cpu %u",
		       question->event, question->rmid, is_there ? "is there by CPUID" : "does not exist", answer.ctr,
		       is_there ? "with" : "without", box->addr.msr.cpu);
	return UNC_OK;
}

/* ---- the error bit ---- */

static bool is_event(const struct unc_mon *mon, unsigned event)
{
	return event >= 1 && event <= UNC_LLC_EVENTS && mon->llc->rdt->info.events >> (event - 1) & 1;
}

/* Ids of events are bit numbers of CPUID 0xF.1 EDX + 1; all that it does not announce, and what lies far behind. */
static int error(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	static const unsigned ids[] = {1, 2, 3, 0xff, 4, 0x80, 8, 16, 32, 64};
	unsigned n = unc_check_times(mon->c, 4, 6, sizeof(ids) / sizeof(ids[0]));
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	char there[60] = "", not_there[80] = "";
	int rc = plan_selector(mon, box);

	for (unsigned i = 0; i < n && rc == 0; i++) {
		const struct question question = {.event = ids[i]};
		bool is_there = is_event(mon, ids[i]);
		char *text = is_there ? there : not_there;

		rc = expect(mon, box, &question, is_there);
		unc_rdt_append(text, is_there ? sizeof(there) : sizeof(not_there), "%s%u", text[0] ? ", " : "", ids[i]);
	}
	unc_check_pass(mon->c, "IA32_QM_CTR has the error bit for events %s, which do not exist, and not for %s",
		       not_there, there);
	return rc;
}

int unc_mon_error(struct unc_check *c)
{
	return unc_mon_each(c, error);
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

/* *ret_took: the write was not refused; *ret_holds: and it reads back. */
static int carry(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned rmid, bool *ret_took, bool *ret_holds)
{
	const struct unc_gate_field place = {.reg = mon->llc->regs.pqr, .field = mon->llc->regs.pqr_rmid};
	char what[TEXT];
	uint64_t now = 0;
	int rc = unc_gate_set_field(cpu->box, &place, cpu->pqr, rmid, mon->llc);
	struct unc_check_seen seen;

	*ret_took = rc == 0;
	if (rc == 0 || rc == UNC_EIO)
		rc = unc_reg_get(cpu->box, place.reg, 0, &now);
	if (rc < 0)
		return rc;
	*ret_holds = unc_field_get(place.field, now) == rmid;
	snprintf(what, sizeof(what), "RMID %u was written, and %s", rmid, *ret_took ? "not refused" : "refused (#GP)");
	seen = (struct unc_check_seen){.what = what,
				       .box = cpu->box,
				       .reg = place.reg,
				       .has_wrote = true,
				       .wrote = unc_reg_base(place.reg, cpu->pqr),
				       .read = now};
	unc_field_set(mon->c->m->ctx, place.field, rmid, &seen.wrote);
	unc_check_see(mon->c, &seen);
	return UNC_OK;
}

/*
 * The write of an RMID beyond the highest faults, and changes nothing.  On a part that takes it the CPU carries a number that does not
 * exist until the next write, which is at once.
 */
static int carry_all(struct unc_mon *mon, const struct unc_llc_cpu *cpu, unsigned highest, bool fits)
{
	bool took = false, holds = false, took_more = false, holds_more = false, back;
	int rc = plan_pqr(mon, cpu, highest, fits ? highest + 1 : highest), end = UNC_OK;

	if (rc < 0)
		return rc;
	rc = carry(mon, cpu, highest, &took, &holds);
	if (rc == 0 && fits)
		rc = carry(mon, cpu, highest + 1, &took_more, &holds_more);
	end = carry(mon, cpu, cpu->rmid, &back, &back);
	if (rc == 0 && !(took && holds))
		unc_check_fail(mon->c, "%s: RMID %u, by CPUID 0xF.0 EBX the highest, %s IA32_PQR_ASSOC", cpu->box->name,
			       highest, took ? "does not read back from" : "is refused by");
	if (rc == 0 && took_more)
		unc_check_fail(mon->c,
			       "%s: RMID %u is taken by IA32_PQR_ASSOC%s, though by CPUID 0xF.0 EBX %u is the highest",
			       cpu->box->name, highest + 1, holds_more ? "" : ", but not kept,", highest);
	return rc < 0 ? rc : end;
}

static int rmids(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_regs *regs = &mon->llc->regs;
	const struct unc_llc_info *info = &mon->llc->rdt->info;
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	struct question question = {.rmid = info->cpuid_max_rmid};
	struct unc_cpuid_regs all;
	char width[TEXT] = "";
	bool fits, fits_l3;
	int rc;

	while (!is_event(mon, ++question.event)) /* there is one at least */
		;
	rc = unc_rdt_cpuid(mon->c->m, l3->cpu->number, 0xf, 0, &all);
	if (rc < 0)
		return rc;
	fits = all.ebx < unc_field_max(regs->pqr_rmid);
	fits_l3 = info->cpuid_max_rmid < unc_field_max(regs->rmid);
	rc = carry_all(mon, l3->cpu, all.ebx, fits);
	if (rc == 0)
		rc = plan_selector(mon, box);
	if (rc == 0)
		rc = expect(mon, box, &question, true);
	question.rmid++;
	if (rc == 0 && fits_l3)
		rc = expect(mon, box, &question, false);
	if (!fits || !fits_l3)
		snprintf(width, sizeof(width), "; one more does not fit the register");
	unc_check_pass(mon->c,
		       "RMID %" PRIu32 " is taken by IA32_PQR_ASSOC%s, and RMID %u is answered by IA32_QM_CTR%s%s",
		       all.ebx, fits ? " and one more refused" : "", info->cpuid_max_rmid,
		       fits_l3 ? ", one more with the error bit" : "", width);
	return rc;
}

int unc_mon_rmids(struct unc_check *c)
{
	return unc_mon_each(c, rmids);
}

/* ---- whose IA32_QM_EVTSEL is ---- */

struct look { /* at one CPU's */
	const struct unc_llc_cpu *cpu;
	uint64_t found;
	bool follows[2]; /* it showed what was written on the first CPU */
};

static int look(struct unc_mon *mon, struct look *looks, size_t n, int nth, uint64_t wrote)
{
	for (size_t i = 0; i < n; i++) {
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
		unc_check_see(mon->c, &(struct unc_check_seen){.what = "after a write on the first CPU of the L3",
							       .box = looks[i].cpu->box,
							       .reg = mon->llc->regs.evtsel,
							       .has_wrote = i == 0,
							       .wrote = wrote,
							       .read = now});
	}
	return UNC_OK;
}

/* A value that no CPU has there now. */
static int fresh(struct unc_mon *mon, const struct look *looks, size_t n, unsigned *rmid, uint64_t *ret_value)
{
	struct question question = {.event = 1};
	bool had = true;
	int rc = UNC_OK;

	while (rc == 0 && had) {
		question.rmid = ++*rmid;
		rc = evtsel_of(mon, &question, ret_value);
		had = false;
		for (size_t i = 0; i < n; i++)
			had |= looks[i].found == *ret_value;
	}
	return rc;
}

static void judge(struct unc_mon *mon, const struct look *looks, size_t n)
{
	const struct unc_reg *evtsel = mon->llc->regs.evtsel;
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
	else if (!steady)
		unc_check_skip(mon->c,
			       "of two writes on cpu %u one showed on other CPUs: somebody else writes QM_EVTSEL",
			       first);
	else if (n_with == n)
		unc_check_pass(
			mon->c,
			"what cpu %u writes to QM_EVTSEL shows on all %zu CPUs: one for the cache, as Linux takes it",
			first, n);
	else if (n_with == 1)
		unc_check_pass(mon->c,
			       "what cpu %u writes to QM_EVTSEL shows on no other of %zu CPUs: each has its own, as "
			       "PCM takes it",
			       first, n);
	else
		unc_check_pass(mon->c, "what cpu %u writes to QM_EVTSEL shows on cpus %.80s of %zu: one for these",
			       first, text ? text : "?", n);
	if (!unc_check_failed(mon->c) && steady && unc_check_is_doubtful(evtsel, NULL))
		unc_check_tested(
			mon->c, evtsel->name, "%s",
			n_with == n   ? "one for the L3 (as Linux takes it): a write shows on every CPU that shares it"
			: n_with == 1 ? "one for each CPU (as PCM takes it): a write shows on no other"
				      : "one for some CPUs of an L3 together, as the threads of a core");
	free(text);
	free(cpus);
}

static int two_writes(struct unc_mon *mon, struct look *looks, size_t n)
{
	unsigned rmid = 0;
	int rc = look(mon, looks, n, -1, 0);

	if (rc == 0)
		rc = plan_selector(mon, looks[0].cpu->box);
	for (int nth = 0; nth < 2 && rc == 0; nth++) {
		uint64_t value = 0;

		rc = fresh(mon, looks, n, &rmid, &value);
		if (rc == 0)
			rc = unc_gate_write(looks[0].cpu->box, mon->llc->regs.evtsel, 0, value, mon->llc);
		if (rc == 0)
			rc = look(mon, looks, n, nth, value);
	}
	return rc;
}

/* Only the first CPU's is written; who has the same register shows what was written there. */
static int scope(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_domain *domain = l3->domain;
	struct look *looks = calloc(domain->n_cpus, sizeof(*looks));
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
		judge(mon, looks, domain->n_cpus);
	free(looks);
	return rc;
}

int unc_mon_scope(struct unc_check *c)
{
	return unc_mon_each(c, scope);
}

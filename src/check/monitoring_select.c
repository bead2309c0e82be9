// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The protocol step by step: which RMIDs and events exist, shown by what IA32_PQR_ASSOC and IA32_QM_CTR refuse.  Intel SDM vol. 3,
 * "Monitoring Cache Occupancy and Reporting Monitored Data".
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/monitoring.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/leaves.h"

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

int unc_mon_plan_selector(struct unc_mon *mon, struct unc_box *box)
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
	struct unc_check_seen seen;

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
	seen = (struct unc_check_seen){
		.what = what,
		.box = box,
		.reg = mon->llc->regs.ctr,
		.read = answer.ctr.ctr,
		.has_expected = true,
		.expected = is_there ? 0 : unc_field_mask(error),
		.compared = unc_field_mask(error),
	};
	if (unc_check_see(mon->c, &seen))
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
static int error(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	static const unsigned ids[] = {1, 2, 3, 0xff, 4, 0x80, 8, 16, 32, 64};
	unsigned n = unc_check_times(mon->c, 5, 6, sizeof(ids) / sizeof(ids[0]));
	struct unc_box *box = l3->domain->cpus[l3->domain->reader].box;
	char there[60] = "", not_there[80] = "", slow[100] = "";
	int rc = unc_mon_plan_selector(mon, box);

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

/* *ret_took: the write was not refused; *ret_holds: it also reads back. */
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
static void judge_carried(struct unc_mon *mon, const struct unc_llc_cpu *cpu, const struct carried *carried,
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

static int rmids(struct unc_mon *mon, struct unc_mon_l3 *l3)
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
	judge_carried(mon, l3->cpu, &carried, info->cpuid_max_rmid);
	rc = unc_mon_plan_selector(mon, box);
	if (rc == 0)
		rc = expect(mon, box, &question, true);
	question.rmid++;
	return rc == 0 && question.rmid <= unc_field_max(regs->rmid) ? expect(mon, box, &question, false) : rc;
}

int unc_mon_rmids(struct unc_check *c)
{
	return unc_mon_each(c, rmids);
}

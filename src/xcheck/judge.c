// SPDX-License-Identifier: GPL-2.0-or-later
#include "xcheck/judge.h"

#include "pmon/counter.h"

/* An interrupt can make a bracket so many times longer; usually brackets vary by less. */
enum { WIDE = 4 };
/* So few uncertain counts do not make a count incomparable: if hardly anything happens they may be all there is. */
enum { FEW = 16 };
/* This part of the tolerance is small enough to be ignored. */
static const double moment = 0.1;
/* If more than this part of the count is uncertain, agreement would mean little. */
static const double uncertain = 0.01;

bool unc_bracket_is_wide(uint64_t took_ns, uint64_t fastest_ns)
{
	return fastest_ns && took_ns / WIDE > fastest_ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static double larger_part(double a, double b)
{
	return a > b ? a : b;
}

/* ---- the counts ---- */

static void count_gain(const struct unc_judged *q, struct unc_judgement *j)
{
	const struct unc_xcheck_bracket *from = q->from, *to = q->to;
	unsigned bits = q->width_bits;

	if (j->row.has_kernel)
		j->row.kernel = to->kernel - from->kernel;
	if (!j->row.has_raw)
		return;
	j->row.raw = unc_delta(from->raw_before, to->raw_before, bits);
	if (bits < 64)
		j->row.raw += q->wraps << bits;
	j->row.uncertainty = larger(unc_delta(from->raw_before, from->raw_after, bits),
				    unc_delta(to->raw_before, to->raw_after, bits));
}

bool unc_brackets_agree(const struct unc_xcheck_bracket *from, const struct unc_xcheck_bracket *to, unsigned width_bits,
			uint64_t wraps)
{
	const struct unc_judged q = {.from = from, .to = to, .width_bits = width_bits, .wraps = wraps};
	struct unc_judgement j = {.row = {.has_kernel = true, .has_raw = true}};

	count_gain(&q, &j);
	return apart(j.row.kernel, j.row.raw) <= j.row.uncertainty;
}

static bool same_counter(const struct unc_judged *q)
{
	return q->counter_from && q->counter_to && strcmp(q->counter_from, q->counter_to) == 0;
}

static void count(const struct unc_judged *q, struct unc_judgement *j)
{
	*j = (struct unc_judgement){
		.row = {.has_kernel = q->has_kernel,
			.has_raw = q->has_raw && same_counter(q),
			.has_ours = q->has_ours,
			.ours = q->has_ours ? q->ours : 0},
	};
	if (!q->level) {
		count_gain(q, j);
		return;
	}
	if (j->row.has_kernel)
		j->row.kernel = q->to->kernel;
	if (j->row.has_raw) {
		j->row.raw = q->to->raw_before;
		j->row.uncertainty = apart(q->to->raw_before, q->to->raw_after);
	}
}

static void drop_raw(struct unc_judgement *j)
{
	j->row.has_raw = false;
	j->row.raw = j->row.uncertainty = 0;
}

/* ---- the messages ---- */

static enum unc_xcheck_verdict say_differs(const struct unc_judged *q, struct unc_judgement *j, const char *who,
					   const char *does, uint64_t is)
{
	double percent = j->row.raw ? (double)apart(is, j->row.raw) * 100.0 / (double)j->row.raw : 0;
	char part[40] = "out of nothing", slack[60] = "";

	if (j->row.raw)
		snprintf(part, sizeof(part), percent < 1000 ? "%.3g %% %s" : "%.0f %% %s", percent,
			 is > j->row.raw ? "more" : "less");
	if (q->slack)
		snprintf(slack, sizeof(slack), ", or %" PRIu64 " %s", q->slack, q->unit);
	snprintf(j->why, sizeof(j->why),
		 "%s %s %" PRIu64 " %s, and %s %s %" PRIu64 ": %s; allowed are %.6g %%%s, and %" PRIu64
		 " that may have come between the readings",
		 who, does, is, q->unit, q->counter_to, q->level ? "holds" : "gained", j->row.raw, part,
		 q->tolerance * 100, slack, j->row.uncertainty);
	return UNC_XCHECK_DIFFERS;
}

static double tolerated(const struct unc_judged *q, const struct unc_judgement *j)
{
	return larger_part(q->tolerance * (double)j->row.raw, (double)q->slack);
}

static bool differs(const struct unc_judged *q, const struct unc_judgement *j, uint64_t is)
{
	return (double)apart(is, j->row.raw) > tolerated(q, j) + (double)j->row.uncertainty;
}

/*
 * True if the event was not counted all the time, so that its counter's gain includes other events.  Linux reprograms all events
 * of a PMU when one of them is switched, which takes a moment that does not count as multiplexing.
 */
static bool is_multiplexed(const struct unc_judged *q, struct unc_judgement *j)
{
	uint64_t enabled = q->to->enabled_ns - q->from->enabled_ns;
	uint64_t running = q->to->running_ns - q->from->running_ns;

	if (!q->has_times || !q->has_kernel ||
	    (running && (running >= enabled || (double)(enabled - running) <= moment * q->tolerance * (double)enabled)))
		return false;
	drop_raw(j);
	if (running == 0)
		snprintf(j->why, sizeof(j->why),
			 "%s had no counter for it in this interval: others have them all, or it was switched off",
			 q->who);
	else
		snprintf(j->why, sizeof(j->why),
			 "%s counted it in %.2f %% of the interval only, since it is multiplexed with other events "
			 "there: "
			 "ask for fewer events at a time, or wait until the other program has ended",
			 q->who, (double)running * 100.0 / (double)enabled);
	return true;
}

/*
 * True if the kernel's number is more than hardware can make: whatever happened to the counter, such a number must not be
 * reported.
 */
static bool too_many(const struct unc_judged *q, struct unc_judgement *j, bool jumped)
{
	const char *lost = q->gone ? q->unknown : !q->counter_to && q->not_found ? q->not_found : NULL;

	if (q->level || j->row.kernel <= q->most)
		return false;
	j->row.verdict = UNC_XCHECK_DIFFERS;
	snprintf(j->why, sizeof(j->why),
		 "%s says %" PRIu64 " %s, and hardware can make %" PRIu64 " in this interval at most%s%s%s%s%s", q->who,
		 j->row.kernel, q->unit, q->most, jumped ? "; another program set " : "", jumped ? q->counter_to : "",
		 jumped ? ", which it takes for counts" : "", lost ? "; " : "", lost ? lost : "");
	return true;
}

/* True if there is nothing to compare; the most direct cause comes first. */
static bool not_comparable(const struct unc_judged *q, struct unc_judgement *j, bool jumped)
{
	const struct unc_xcheck_bracket *from = q->from, *to = q->to;
	size_t size = sizeof(j->why);

	j->row.verdict = UNC_XCHECK_NOT_COMPARABLE;
	if (is_multiplexed(q, j))
		return true;
	if (!q->counter_to)
		snprintf(j->why, size, "no counter was found that has this event for %s%s%s", q->who,
			 q->not_found ? ": " : "", q->not_found ? q->not_found : "");
	else if (!q->counter_from)
		snprintf(j->why, size,
			 "no counter was found that had this event for %s when the interval began; it is compared from "
			 "here on",
			 q->who);
	else if (!same_counter(q))
		snprintf(j->why, size, "%s moved it from %s to %s in this interval; it is compared from there on",
			 q->who, q->counter_from, q->counter_to);
	else if (!q->has_kernel || !q->has_raw)
		snprintf(j->why, size, "%s could not be read", q->has_kernel ? q->counter_to : q->who);
	else if (jumped && j->row.has_kernel)
		snprintf(j->why, size,
			 "another program set %s: from 0x%" PRIx64 " to 0x%" PRIx64
			 " hardware cannot count in so short a time, %" PRIu64 " %s at most",
			 q->counter_to, from->raw_before, to->raw_after, q->most, q->unit);
	else
		return false;
	return true;
}

/* Compares the kernel's number and ours with the counter.  If there is none of ours, the kernel is not at fault. */
static enum unc_xcheck_verdict compare(const struct unc_judged *q, struct unc_judgement *j)
{
	double most =
		larger_part(larger_part(q->tolerance, uncertain) * (double)j->row.raw, (double)larger(q->slack, FEW));

	if (differs(q, j, j->row.kernel))
		return say_differs(q, j, q->who, "says", j->row.kernel);
	if (j->row.has_ours && differs(q, j, j->row.ours))
		return say_differs(q, j, "we", "counted", j->row.ours);
	if ((double)j->row.uncertainty > most) {
		snprintf(j->why, sizeof(j->why),
			 "%" PRIu64 " %s came while they were read, which took up to %.1f us, and %" PRIu64
			 " in the interval: that they agree would say little; a longer interval says more",
			 j->row.uncertainty, q->unit,
			 (double)larger(q->level ? 0 : q->from->end_ns - q->from->begin_ns,
					q->to->end_ns - q->to->begin_ns) /
				 1e3,
			 j->row.raw);
		return UNC_XCHECK_NOT_COMPARABLE;
	}
	if (q->stood_still && !j->row.raw && !j->row.kernel && !j->row.ours) {
		snprintf(j->why, sizeof(j->why), "%s %s", q->counter_to, q->stood_still);
		return UNC_XCHECK_NOT_COMPARABLE;
	}
	if (q->ours_lost)
		snprintf(j->why, sizeof(j->why), "%s", q->ours_lost);
	return UNC_XCHECK_OK;
}

void unc_judge(const struct unc_judged *q, struct unc_judgement *j)
{
	bool jumped, fell;

	count(q, j);
	/* A counter that was set back seems to have gained more than hardware can make: then its gain is not a count. */
	jumped = !q->level && (j->row.raw > q->most || j->row.uncertainty > q->most);
	if (jumped)
		drop_raw(j);
	fell = !q->level && j->row.has_kernel && q->to->kernel < q->from->kernel;
	if (fell) {
		j->row.has_kernel = false;
		j->row.kernel = 0;
	}
	if (q->unknown && !(q->gone && too_many(q, j, jumped))) {
		j->row.verdict = UNC_XCHECK_NOT_COMPARABLE;
		snprintf(j->why, sizeof(j->why), "%s", q->unknown);
	} else if (!q->unknown && !too_many(q, j, jumped) && !not_comparable(q, j, jumped)) {
		j->row.verdict = fell ? UNC_XCHECK_DIFFERS : compare(q, j);
		if (fell) /* the kernel's number was set back */
			snprintf(j->why, sizeof(j->why), "%s's number went back, from %" PRIu64 " to %" PRIu64 " %s",
				 q->who, q->from->kernel, q->to->kernel, q->unit);
	}
	if (j->row.has_raw)
		j->row.tolerated = (uint64_t)tolerated(q, j);
	if (!q->wrong)
		return;
	snprintf(j->why, sizeof(j->why), "%s", q->wrong);
	j->row.verdict = UNC_XCHECK_DIFFERS;
}

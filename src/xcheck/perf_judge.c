// SPDX-License-Identifier: GPL-2.0-or-later
/* Judges an interval from its two ends: finds what is known about it besides the numbers, as messages. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "pmon/counter.h"
#include "xcheck/perf.h"

static const char *name_slot(const struct unc_xbox *xbox, int slot, char buf[UNC_GATE_TEXT])
{
	if (slot < 0)
		return NULL;
	return unc_gate_reg_text(xbox->pbox.slots[slot].ctr, xbox->pbox.slots[slot].index, buf);
}

/*
 *
 * True if perf multiplexes in this box.  Then perf may have had an event with the same control in our counter for a while, and
 * the control would look like ours.
 */
static bool takes_turns(const struct unc_xperf *p, const struct unc_xbox *xbox)
{
	for (size_t i = 0; i < p->n_events; i++) {
		const struct unc_xcheck_bracket *from = &p->events[i].from_end.bracket;
		const struct unc_xcheck_bracket *to = &p->events[i].to_end.bracket;

		if (&p->boxes[p->events[i].box] == xbox &&
		    to->running_ns - from->running_ns < to->enabled_ns - from->enabled_ns)
			return true;
	}
	return false;
}

/* Explains why there is no number of ours in this interval; NULL: there is one, or none was wanted. */
static const char *own_unknown(const struct unc_xperf *p, const struct unc_xbox *xbox, const struct unc_xevent *e,
			       char *buf, size_t size)
{
	static const struct {
		unsigned flag;
		const char *why;
	} whys[] = {
		{UNC_COUNT_MISSING, "the box did not answer"},
		{UNC_COUNT_STOLEN,
		 "stolen: somebody else programmed it; Linux does not look whether a counter is in use"},
		{UNC_COUNT_RESET, "somebody set it back"},
		{UNC_COUNT_GAP, "it was not read for so long that it may have wrapped"},
	};

	if (!e->counted)
		return NULL;
	if (e->to_end.slot >= 0 && xbox->own_slots[e->to_end.slot]) {
		snprintf(buf, size, "there is no count of ours: perf's driver took %s, in which we counted",
			 e->counter);
		return buf;
	}
	for (size_t i = 0; i < sizeof(whys) / sizeof(whys[0]); i++) {
		if (!(e->own_flags & whys[i].flag))
			continue;
		snprintf(buf, size, "there is no count of ours, of %s: %s", e->own, whys[i].why);
		return buf;
	}
	if (takes_turns(p, xbox)) {
		snprintf(buf, size,
			 "there is no count of ours: perf's events take turns there, and %s may have been one's",
			 e->own);
		return buf;
	}
	if (!(e->own_flags & UNC_COUNT_NO_NUMBER) && e->from_end.has_own && e->to_end.has_own)
		return NULL;
	if (!e->from_end.has_own)
		snprintf(buf, size, "there is no count of ours, of %s: it had none when the interval began", e->own);
	else
		snprintf(buf, size, "there is no count of ours, of %s (flags 0x%x)", e->own, e->own_flags);
	return buf;
}

/* Every DRAM clock has ticked after this time, however slow. */
enum { TICKS_NS = 1000 };

/*
 *
 * The verdict is about perf's number, which does not need ours.  That ours is missing is reported when it begins to be missing:
 * in a note and in the row of that interval.
 */
static const char *own_lost(struct unc_xperf *p, const struct unc_xbox *xbox, struct unc_xevent *e, char *buf,
			    size_t size)
{
	bool was_lost = e->own_lost;
	const char *why = own_unknown(p, xbox, e, buf, size);

	e->own_lost = why != NULL;
	if (!why || was_lost || xbox->rc < 0) /* if a box is gone, its rows report more */
		return NULL;
	unc_note(p->m->ctx, "%s %s: %s; perf's number is compared with its counter alone", xbox->box->name,
		 e->wanted->text, why);
	return why;
}

enum clock { NOT_SEEN, STANDS_STILL, RUNS };

/*
 *
 * Finds whether the box counts at all, if one of the events is that of the fixed counter; without such an event only the other
 * counters could show it.
 */
static enum clock see_clock(const struct unc_xperf *p, const struct unc_xbox *xbox)
{
	enum clock clock = NOT_SEEN;

	for (size_t i = 0; i < p->n_events; i++) {
		const struct unc_xevent *e = &p->events[i];
		const struct unc_xend *from = &e->from_end, *to = &e->to_end;

		if (&p->boxes[e->box] != xbox || !e->fixed || !from->has_raw || !to->has_raw || from->slot != to->slot)
			continue;
		if (to->bracket.raw_before != from->bracket.raw_before)
			clock = RUNS;
		else if (to->bracket.begin_ns - from->bracket.end_ns >= TICKS_NS)
			return STANDS_STILL;
	}
	return clock;
}

/* Explains why there is nothing to compare, besides what the brackets show; NULL: there is something. */
static const char *unknown(const struct unc_xperf *p, const struct unc_xbox *xbox, const struct unc_xevent *e,
			   char *buf, size_t size)
{
	const struct unc_xcheck_bracket *from = &e->from_end.bracket, *to = &e->to_end.bracket;

	if (e->from[0])
		return e->from;
	if (xbox->rc < 0) {
		size_t name = strlen(xbox->box->name);
		bool begins = strncmp(xbox->why, xbox->box->name, name) == 0 && xbox->why[name] == ':';

		snprintf(buf, size, "%s", begins ? xbox->why + name + 2 : xbox->why); /* the row has the name */
		return buf;
	}
	if (to->running_ns - from->running_ns < to->enabled_ns - from->enabled_ns || to->running_ns == from->running_ns)
		return NULL;
	if (see_clock(p, xbox) == STANDS_STILL)
		return "FIXED_CTR, the clock of this box, stood still: somebody has frozen it, or the channel has none";
	return e->changed[0] && e->from_end.slot == e->to_end.slot ? e->changed : NULL;
}

/* Describes where its counter should be, but is not.  NULL: it was found, or never was. */
static const char *not_found(const struct unc_xbox *xbox, const struct unc_xevent *e, char *buf, size_t size)
{
	const struct unc_slot *slot;
	char name[UNC_GATE_TEXT];

	if (e->to_end.slot >= 0)
		return NULL;
	if (e->lost[0])
		return e->lost;
	if (e->from_end.slot < 0)
		return NULL;
	slot = &xbox->pbox.slots[e->from_end.slot];
	snprintf(buf, size, "%s, where it was, holds 0x%08" PRIx64 " by now, and no other control 0x%08" PRIx64,
		 unc_gate_reg_text(slot->ctl, slot->index, name), slot->found, e->control);
	return buf;
}

static uint64_t middle_ns(const struct unc_xcheck_bracket *bracket)
{
	return bracket->begin_ns + (bracket->end_ns - bracket->begin_ns) / 2;
}

uint64_t unc_xevent_wraps(const struct unc_xevent *e, unsigned bits)
{
	uint64_t gained = e->gained + unc_delta(e->raw, e->to_end.bracket.raw_before, bits);

	return bits < 64 ? gained >> bits : 0;
}

void unc_xperf_judge(struct unc_xperf *p, struct unc_xevent *e)
{
	const struct unc_xbox *xbox = &p->boxes[e->box];
	const struct unc_unit *unit = xbox->box->unit;
	const struct unc_xcheck_bracket *from = &e->from_end.bracket, *to = &e->to_end.bracket;
	char name_from[UNC_GATE_TEXT], why[UNC_XCHECK_WHY], own_why[UNC_XCHECK_WHY], where[160];
	struct unc_judged q = {
		.who = "perf",
		.unit = "counts",
		.from = from,
		.to = to,
		.has_kernel = e->from_end.has_kernel && e->to_end.has_kernel,
		.has_raw = e->from_end.has_raw && e->to_end.has_raw && !e->changed[0],
		.width_bits = unit->counter_bits,
		.wraps = unc_xevent_wraps(e, unit->counter_bits),
		.most = unc_most(&e->wanted->event, unit->max_clock_hz, to->end_ns - from->begin_ns),
		.tolerance = p->cfg.tolerance,
		.has_times = true,
		.stood_still =
			see_clock(p, xbox) == RUNS
				? "did not move, though FIXED_CTR, the clock of this box, did: nothing of this "
				  "happened there"
				: "did not move: nothing of this happened there, or somebody has frozen the box, "
				  "which dclk tells: add it to the events (-e)",
		.counter_from = name_slot(xbox, e->from_end.slot, name_from),
		.wrong = e->wrong[0] ? e->wrong : NULL,
	};

	e->counter[0] = '\0';
	q.counter_to = name_slot(xbox, e->to_end.slot, e->counter);
	q.not_found = not_found(xbox, e, where, sizeof(where));
	q.unknown = unknown(p, xbox, e, why, sizeof(why));
	q.gone = xbox->rc < 0;
	q.ours_lost = own_lost(p, xbox, e, own_why, sizeof(own_why));
	q.has_ours = e->counted && !e->own_lost;
	q.ours = e->to_end.own_total - e->from_end.own_total;
	unc_judge(&q, &e->judgement);
	e->interval_ns = middle_ns(to) - middle_ns(from);
}

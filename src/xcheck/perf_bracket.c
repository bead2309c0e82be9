// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes one end of an interval: reads the controls, the counters, perf's own numbers of them and the counts of our own session,
 * the counters again, the controls again.  Counters are read high, low, high, so that each value is one that the counter really
 * had.
 */

#include "pmon/counter.h"
#include "pmon/reading.h"
#include "xcheck/perf.h"

enum { TRIES = 4 };

/* ---- controls ---- */

static int read_box_controls(struct unc_xperf *p, struct unc_xbox *xbox)
{
	xbox->rc = unc_pmon1_inspect(&xbox->pbox);
	if (xbox->rc < 0)
		unc_xperf_keep(p, xbox->why, "");
	for (unsigned k = 0; k < xbox->pbox.n_slots && xbox->rc == 0; k++)
		xbox->foreign[k] = xbox->foreign[k] && xbox->pbox.slots[k].enabled;
	return xbox->rc;
}

/*
 * True if perf has left the counter that it had: then Linux has written the control without the enable bit, and perhaps another
 * of its events.  A control that another program has cleared does not show that perf counts elsewhere, least of all in a counter
 * of ours.
 */
static bool has_left(const struct unc_xperf *p, const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	const struct unc_slot *slot = e->slot >= 0 ? &xbox->pbox.slots[e->slot] : NULL;

	if (!slot)
		return false;
	if (!slot->enabled && ((slot->found ^ unc_slot_off(slot, e->control)) & unc_reg_readback_mask(slot->ctl)) == 0)
		return true;
	for (struct unc_xevent *other = unc_xevent_next(p, xbox, NULL); other; other = unc_xevent_next(p, xbox, other))
		if (other != e && unc_slot_has(slot, other->control))
			return true;
	return false;
}

/*
 * Finds a slot that holds exactly the event's control, and is not taken by another event.  The slot where it was is preferred; a
 * counter that another program had before, and then one that we have, come last: they may hold the same control, so they are
 * taken only if perf has left the event's former slot.
 */
static void locate_one(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e, bool taken[UNC_PMON_SLOTS])
{
	enum { NOT, OWN, FOREIGN, SURE, SAME } best = NOT;
	bool left = has_left(p, xbox, e);
	int was = e->slot;

	for (unsigned k = 0; k < xbox->pbox.n_slots; k++) {
		const struct unc_slot *slot = &xbox->pbox.slots[k];
		unsigned sure = SURE;

		if (slot->fixed != e->fixed || taken[k] || !unc_slot_has(slot, e->control))
			continue;
		if (was == (int)k)
			sure = SAME;
		else if (xbox->own_slots[k])
			sure = left ? OWN : NOT;
		else if (xbox->foreign[k])
			sure = left || was < 0 ? FOREIGN : NOT;
		if (sure <= best)
			continue;
		best = sure;
		e->now.slot = (int)k;
	}
	if (best == NOT)
		return;
	taken[e->now.slot] = true;
	e->guessed = e->guessed || e->lost[0];
	e->slot = e->now.slot;
	e->lost[0] = '\0';
}

/* True if every event is still where it was found.  An event that is not has no counter at this end. */
static bool stayed(struct unc_xperf *p, struct unc_xbox *xbox)
{
	bool all = true;

	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		if (e->now.slot < 0 || unc_slot_has(&xbox->pbox.slots[e->now.slot], e->control))
			continue;
		e->now.slot = -1;
		e->now.has_raw = false;
		all = false;
	}
	return all;
}

/* ---- counts ---- */

static int read_counter(struct unc_xbox *xbox, int slot, uint64_t *ret_value)
{
	struct unc_reading reading = {0};
	int rc = unc_pmon_read_halves(&xbox->pbox, &xbox->pbox.slots[slot], &reading);

	if (rc == 0)
		*ret_value = reading.value;
	return rc;
}

static void read_counters(struct unc_xperf *p, struct unc_xbox *xbox, bool after)
{
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		struct unc_xcheck_bracket *bracket = &e->now.bracket;

		if (!after)
			bracket->begin_ns = unc_machine_raw_ns(p->m);
		if (e->now.slot >= 0) {
			int rc = read_counter(xbox, e->now.slot, after ? &bracket->raw_after : &bracket->raw_before);

			e->now.has_raw = rc == 0 && (!after || e->now.has_raw);
			bracket->control = xbox->pbox.slots[e->now.slot].found;
		}
		if (after)
			bracket->end_ns = unc_machine_raw_ns(p->m);
	}
}

static void ask_perf(struct unc_xperf *p, struct unc_xbox *xbox)
{
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		struct unc_perf_count count;

		if (!e->open)
			continue;
		e->now.has_kernel = unc_host_perf(p->m->host, UNC_PERF_READ, e->event, &count) == 0;
		if (e->now.has_kernel) {
			e->now.bracket.kernel = count.value;
			e->now.bracket.enabled_ns = count.enabled_ns;
			e->now.bracket.running_ns = count.running_ns;
		} else if (!e->from[0]) {
			unc_xperf_keep(p, e->from, "perf: ");
		}
	}
}

/* True if every event stayed in its counter meanwhile, or the box did not answer.  *ret_ns: how long it took. */
static bool take_once(struct unc_xperf *p, struct unc_xbox *xbox, uint64_t *ret_ns)
{
	struct unc_count counts[UNC_PMON_SLOTS];
	bool there = read_box_controls(p, xbox) == 0, taken[UNC_PMON_SLOTS] = {false};
	uint64_t begin_ns;

	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e))
		e->now = (struct unc_xend){.slot = -1};
	/* Finds where perf has each event now: those that stayed come first, so that no other counter is taken for them. */
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e && there; e = unc_xevent_next(p, xbox, e))
		if (e->known && e->slot >= 0 && !taken[e->slot] && unc_slot_has(&xbox->pbox.slots[e->slot], e->control))
			locate_one(p, xbox, e, taken);
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e && there; e = unc_xevent_next(p, xbox, e))
		if (e->known && e->now.slot < 0)
			locate_one(p, xbox, e, taken);
	begin_ns = unc_machine_raw_ns(p->m);
	read_counters(p, xbox, false);
	ask_perf(p, xbox);
	if (xbox->own) /* if the box does not answer, the flags of every count say so */
		unc_session_read(xbox->own, counts, xbox->own->n_requests);
	read_counters(p, xbox, true);
	*ret_ns = unc_machine_raw_ns(p->m) - begin_ns;
	/* This comes after the bracket, since it would make the bracket longer. */
	if (xbox->own)
		unc_session_confirm(xbox->own, counts, xbox->own->n_requests);
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		if (!xbox->own || !e->counted)
			continue;
		e->own_flags |= counts[e->request].flags;
		e->own_flags_after |= counts[e->request].flags;
		e->now.has_own = !(counts[e->request].flags & UNC_COUNT_NO_NUMBER);
		e->now.own_total = counts[e->request].total;
	}
	return !there || read_box_controls(p, xbox) < 0 || stayed(p, xbox);
}

/* Takes at least two brackets if there was none before, since it is not known whether the first one was slow. */
int unc_bracket_take(struct unc_xperf *p, struct unc_xbox *xbox)
{
	bool first = !xbox->fastest_ns, best_good = false;
	uint64_t best_ns = 0;

	for (unsigned try = 0; try < TRIES; try++) {
		uint64_t ns;
		bool good = take_once(p, xbox, &ns);

		if (!xbox->fastest_ns || ns < xbox->fastest_ns)
			xbox->fastest_ns = ns;
		if (try == 0 || (good && !best_good) || (good == best_good && ns < best_ns)) {
			for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e;
			     e = unc_xevent_next(p, xbox, e)) {
				e->to_end = e->now;
				e->own_flags_after = 0;
			}
			best_ns = ns;
			best_good = good;
		}
		if (xbox->rc < 0 ||
		    (best_good && !unc_bracket_is_wide(best_ns, xbox->fastest_ns) && (try > 0 || !first)))
			break;
	}
	return xbox->rc;
}

/* ---- between two brackets ---- */

void unc_bracket_follow(struct unc_xperf *p, struct unc_xbox *xbox, bool counters)
{
	if (xbox->own)
		unc_session_sleep_until(xbox->own, unc_machine_mono_ns(p->m)); /* this reads what is due */
	if (read_box_controls(p, xbox) < 0)
		return;
	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		const struct unc_slot *slot = e->begin.has_raw ? &xbox->pbox.slots[e->begin.slot] : NULL;
		char name[UNC_GATE_TEXT];
		uint64_t now = 0;

		if (!slot || e->changed[0])
			continue;
		if (!unc_slot_has(slot, e->control)) {
			snprintf(e->changed, sizeof(e->changed),
				 "%s held 0x%08llx in between, and not 0x%08llx: perf had it in another counter for a "
				 "while, or another program wrote there",
				 unc_gate_reg_text(slot->ctl, slot->index, name), (unsigned long long)slot->found,
				 (unsigned long long)e->control);
		} else if (counters && read_counter(xbox, e->begin.slot, &now) == 0) {
			e->gained += unc_delta(e->raw, now, xbox->box->unit->counter_bits);
			e->raw = now;
		}
	}
}

/* Judges an interval from its two ends: finds what is known about it besides the numbers, as messages. */

static const char *name_slot(const struct unc_xbox *xbox, int slot, char buf[UNC_GATE_TEXT])
{
	if (slot < 0)
		return NULL;
	return unc_gate_reg_text(xbox->pbox.slots[slot].ctr, xbox->pbox.slots[slot].index, buf);
}

bool unc_xevent_was_multiplexed(const struct unc_xevent *e)
{
	const struct unc_xcheck_bracket *from = &e->from_end.bracket, *to = &e->to_end.bracket;

	return to->running_ns - from->running_ns < to->enabled_ns - from->enabled_ns;
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
		 "stolen: another program programmed it; Linux does not check whether a counter is in use"},
		{UNC_COUNT_RESET, "another program set it back"},
		{UNC_COUNT_GAP, "it was not read for so long that it may have wrapped"},
	};
	const char *lost = NULL;
	bool multiplexed = false;

	if (!e->counted)
		return NULL;
	for (size_t i = 0; i < sizeof(whys) / sizeof(whys[0]) && !lost; i++)
		lost = e->own_flags & whys[i].flag ? whys[i].why : NULL;
	/* Where perf multiplexes, it may have had an event with the same control in our counter, and the control looks like ours. */
	for (struct unc_xevent *o = unc_xevent_next(p, xbox, NULL); o && !multiplexed; o = unc_xevent_next(p, xbox, o))
		multiplexed = unc_xevent_was_multiplexed(o);
	if (e->to_end.slot >= 0 && xbox->own_slots[e->to_end.slot])
		snprintf(buf, size, "there is no count of ours: perf's driver took %s, in which we counted",
			 e->counter);
	else if (lost)
		snprintf(buf, size, "there is no count of ours, of %s: %s", e->own, lost);
	else if (multiplexed)
		snprintf(buf, size,
			 "there is no count of ours: perf's events are multiplexed there, and %s may have been one's",
			 e->own);
	else if (!e->from_end.has_own)
		snprintf(buf, size, "there is no count of ours, of %s: it had none when the interval began", e->own);
	else if (e->own_flags & UNC_COUNT_NO_NUMBER || !e->to_end.has_own)
		snprintf(buf, size, "there is no count of ours, of %s (flags 0x%x)", e->own, e->own_flags);
	else
		return NULL;
	return buf;
}

/* Every DRAM clock has ticked after this time, however slow. */
enum { TICKS_NS = 1000 };

/*
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
 * Finds whether the box counts at all, if one of the events is that of the fixed counter; without such an event only the other
 * counters could show it.
 */
static enum clock see_clock(const struct unc_xperf *p, const struct unc_xbox *xbox)
{
	enum clock clock = NOT_SEEN;

	for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
		const struct unc_xend *from = &e->from_end, *to = &e->to_end;

		if (!e->fixed || !from->has_raw || !to->has_raw || from->slot != to->slot)
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
	if (unc_xevent_was_multiplexed(e) || to->running_ns == from->running_ns)
		return NULL;
	if (see_clock(p, xbox) == STANDS_STILL)
		return "FIXED_CTR, the clock of this box, stood still: another program has frozen it, or the channel "
		       "has none";
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
		.stood_still = see_clock(p, xbox) == RUNS
				       ? "did not move, though FIXED_CTR, the clock of this box, did: nothing of this "
					 "happened there"
				       : "did not move: nothing of this happened there, or another program has frozen "
					 "the box, which dclk tells: add it to the events (-e)",
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Takes one end of an interval: reads the controls, the counters, perf's own numbers of them and the counts of our own session,
 * the counters again, the controls again.  Counters are read high, low, high, so that each value is one that the counter really
 * had.
 */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "pmon/counter.h"
#include "pmon/reading.h"
#include "xcheck/perf.h"

enum { TRIES = 4 };

static uint64_t raw_now(const struct unc_xperf *p)
{
	return unc_machine_raw_ns(p->m);
}

static bool is_of(const struct unc_xperf *p, const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	return &p->boxes[e->box] == xbox;
}

/* ---- controls ---- */

static int look(struct unc_xperf *p, struct unc_xbox *xbox)
{
	xbox->rc = unc_pmon1_inspect(&xbox->pbox);
	if (xbox->rc < 0)
		unc_xperf_keep(p, xbox->why, "");
	for (unsigned k = 0; k < xbox->pbox.n_slots && xbox->rc == 0; k++)
		xbox->foreign[k] = xbox->foreign[k] && xbox->pbox.slots[k].enabled;
	return xbox->rc;
}

/*
 *
 * True if perf has left the counter that it had: then Linux has written the control without the enable bit, and perhaps another
 * of its events.  A control that another program has cleared does not show that perf counts elsewhere, least of all in a counter
 * of ours.
 */
static bool has_left(const struct unc_xperf *p, const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	const struct unc_slot *slot = e->slot >= 0 ? &xbox->pbox.slots[e->slot] : NULL;
	bool left = slot && !slot->enabled &&
		    ((slot->found ^ e->control) & unc_reg_readback_mask(slot->ctl) & ~unc_field_mask(slot->en)) == 0;

	for (size_t i = 0; i < p->n_events && slot && !left; i++)
		left = is_of(p, xbox, &p->events[i]) && &p->events[i] != e && unc_slot_has(slot, p->events[i].control);
	return left;
}

static void locate_one(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e, struct unc_search *search)
{
	search->may_be_own = has_left(p, xbox, e);
	search->may_be_foreign = e->slot < 0 || search->may_be_own;
	search->control = e->control;
	search->fixed = e->fixed;
	search->was = e->slot;
	e->now.slot = unc_find_slot(&xbox->pbox, search);
	if (e->now.slot < 0)
		return;
	search->taken[e->now.slot] = true;
	e->guessed = e->guessed || e->lost[0];
	e->slot = e->now.slot;
	e->lost[0] = '\0';
}

/* Finds where perf has each event now: those that stayed come first, so that no other counter is taken for them. */
static void locate(struct unc_xperf *p, struct unc_xbox *xbox)
{
	struct unc_search search = {.was = -1};

	memcpy(search.foreign, xbox->foreign, sizeof(search.foreign));
	memcpy(search.own, xbox->own_slots, sizeof(search.own));
	for (unsigned moved = 0; moved < 2; moved++) {
		for (size_t i = 0; i < p->n_events; i++) {
			struct unc_xevent *e = &p->events[i];
			bool stayed;

			if (!is_of(p, xbox, e))
				continue;
			stayed = e->known && e->slot >= 0 && !search.taken[e->slot] &&
				 unc_slot_has(&xbox->pbox.slots[e->slot], e->control);
			if (!moved) {
				e->now = (struct unc_xend){.slot = -1};
				if (stayed)
					locate_one(p, xbox, e, &search);
			} else if (e->known && e->now.slot < 0) {
				locate_one(p, xbox, e, &search);
			}
		}
	}
}

/* True if every event is still where it was found.  An event that is not has no counter at this end. */
static bool stayed(struct unc_xperf *p, struct unc_xbox *xbox)
{
	bool all = true;

	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];

		if (!is_of(p, xbox, e) || e->now.slot < 0)
			continue;
		if (unc_slot_has(&xbox->pbox.slots[e->now.slot], e->control))
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
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];
		struct unc_xcheck_bracket *bracket = &e->now.bracket;

		if (!is_of(p, xbox, e))
			continue;
		if (!after)
			bracket->begin_ns = raw_now(p);
		if (e->now.slot >= 0) {
			int rc = read_counter(xbox, e->now.slot, after ? &bracket->raw_after : &bracket->raw_before);

			e->now.has_raw = rc == 0 && (!after || e->now.has_raw);
			bracket->control = xbox->pbox.slots[e->now.slot].found;
		}
		if (after)
			bracket->end_ns = raw_now(p);
	}
}

static void ask_perf(struct unc_xperf *p, struct unc_xbox *xbox)
{
	struct unc_host *host = p->m->host;

	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];
		struct unc_perf_count count;
		int rc;

		if (!is_of(p, xbox, e) || !e->open)
			continue;
		rc = unc_host_perf(host, UNC_PERF_READ, e->event, &count);
		e->now.has_kernel = rc == 0;
		if (rc == 0) {
			e->now.bracket.kernel = count.value;
			e->now.bracket.enabled_ns = count.enabled_ns;
			e->now.bracket.running_ns = count.running_ns;
		} else if (!e->from[0]) {
			unc_xperf_keep(p, e->from, "perf: ");
		}
	}
}

/* If the box does not answer, the flags of every count say so. */
static void read_own(const struct unc_xbox *xbox, struct unc_count counts[UNC_PMON_SLOTS])
{
	if (xbox->own)
		unc_session_read(xbox->own, counts, xbox->own->n_requests);
}

/* Comes after the bracket, since it would make the bracket longer. */
static void confirm_own(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_count counts[UNC_PMON_SLOTS])
{
	if (!xbox->own)
		return;
	unc_session_confirm(xbox->own, counts, xbox->own->n_requests);
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];

		if (!is_of(p, xbox, e) || !e->counted)
			continue;
		e->own_flags |= counts[e->request].flags;
		e->own_flags_after |= counts[e->request].flags;
		e->now.has_own = !(counts[e->request].flags & UNC_COUNT_NO_NUMBER);
		e->now.own_total = counts[e->request].total;
	}
}

static void take_once(struct unc_xperf *p, struct unc_xbox *xbox, bool *ret_good, uint64_t *ret_ns)
{
	struct unc_count counts[UNC_PMON_SLOTS];
	uint64_t begin_ns;
	bool there;

	there = look(p, xbox) == 0;
	if (there) {
		locate(p, xbox);
	} else {
		for (size_t i = 0; i < p->n_events; i++)
			if (is_of(p, xbox, &p->events[i]))
				p->events[i].now = (struct unc_xend){.slot = -1};
	}
	begin_ns = raw_now(p);
	read_counters(p, xbox, false);
	ask_perf(p, xbox);
	read_own(xbox, counts);
	read_counters(p, xbox, true);
	*ret_ns = raw_now(p) - begin_ns;
	confirm_own(p, xbox, counts);
	*ret_good = true;
	if (there && look(p, xbox) == 0)
		*ret_good = stayed(p, xbox);
}

static void keep(struct unc_xperf *p, struct unc_xbox *xbox)
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];

		if (!is_of(p, xbox, e))
			continue;
		e->to_end = e->now;
		e->own_flags_after = 0;
	}
}

static void learn_fastest(struct unc_xbox *xbox, uint64_t took_ns)
{
	if (!xbox->fastest_ns || took_ns < xbox->fastest_ns)
		xbox->fastest_ns = took_ns;
}

/* Takes at least two brackets if there was none before, since it is not known whether the first one was slow. */
int unc_bracket_take(struct unc_xperf *p, struct unc_xbox *xbox)
{
	struct unc_xcheck_bracket best = {0};
	bool first = !xbox->fastest_ns, best_good = false;

	for (unsigned try = 0; try < TRIES; try++) {
		struct unc_xcheck_bracket taken = {0};
		bool good;

		take_once(p, xbox, &good, &taken.end_ns);
		learn_fastest(xbox, taken.end_ns);
		if (try == 0 || (good && !best_good) || (good == best_good && taken.end_ns < best.end_ns)) {
			keep(p, xbox);
			best = taken;
			best_good = good;
		}
		if (xbox->rc < 0 || (best_good && !unc_bracket_is_wide(&best, xbox->fastest_ns) && (try > 0 || !first)))
			break;
	}
	return xbox->rc;
}

/* ---- between two brackets ---- */

static void follow_counter(struct unc_xbox *xbox, struct unc_xevent *e, bool counters)
{
	const struct unc_slot *slot = &xbox->pbox.slots[e->begin.slot];
	uint64_t now = 0;

	if (!unc_slot_has(slot, e->control)) {
		char name[UNC_GATE_TEXT];

		snprintf(
			e->changed, sizeof(e->changed),
			"%s held 0x%08llx in between, and not 0x%08llx: perf had it in another counter for a while, or "
			"somebody else wrote there",
			unc_gate_reg_text(slot->ctl, slot->index, name), (unsigned long long)slot->found,
			(unsigned long long)e->control);
		return;
	}
	if (!counters || read_counter(xbox, e->begin.slot, &now) < 0)
		return;
	e->gained += unc_delta(e->raw, now, xbox->box->unit->counter_bits);
	e->raw = now;
}

void unc_bracket_follow(struct unc_xperf *p, struct unc_xbox *xbox, bool counters)
{
	if (xbox->own)
		unc_session_sleep_until(xbox->own, unc_machine_mono_ns(p->m)); /* this reads what is due */
	if (look(p, xbox) < 0)
		return;
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];

		if (is_of(p, xbox, e) && e->begin.has_raw && !e->changed[0])
			follow_counter(xbox, e, counters);
	}
}

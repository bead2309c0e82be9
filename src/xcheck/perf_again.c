// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Finds which counter has an event if a look at controls does not show it.  Other users of perf may have the same event in the
 * same box; when one of their events ends and another begins, the kernel may move ours into another counter, and no register
 * shows which counter is whose.  While an event stays where it is, the kernel's number minus that counter is constant, within the
 * uncertainty of the brackets.  If it is not, or if the event was moved, and another counter has the same control, the event is
 * switched off and on: the counter that follows is its counter.
 */
#include "base/err.h"
#include "pmon/counter.h"
#include "xcheck/perf.h"

static bool another_has(const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	for (unsigned k = 0; k < xbox->pbox.n_slots; k++)
		if ((int)k != e->to_end.slot && xbox->pbox.slots[k].fixed == e->fixed &&
		    unc_slot_has(&xbox->pbox.slots[k], e->control))
			return true;
	return false;
}

static bool stayed(const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	const struct unc_xend *from = &e->from_end, *to = &e->to_end;
	unsigned bits = xbox->box->unit->counter_bits;

	if (e->guessed || from->slot != to->slot)
		return false;
	return !from->has_raw || !to->has_raw ||
	       unc_brackets_agree(&from->bracket, &to->bracket, bits, unc_xevent_wraps(e, bits));
}

static bool is_doubtful(const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	const struct unc_xcheck_bracket *from = &e->from_end.bracket, *to = &e->to_end.bracket;

	if (!e->open || !e->known || e->to_end.slot < 0 || !e->from_end.has_kernel || !e->to_end.has_kernel ||
	    to->running_ns - from->running_ns < to->enabled_ns - from->enabled_ns)
		return false;
	return another_has(xbox, e) && !stayed(xbox, e);
}

/* The counter that it gives up now is the one that it had at the end of the interval. */
static void switch_off(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	int was;

	unc_find_given_up(p->m, e->event, &xbox->pbox, e->control, &was);
	if (was == e->to_end.slot)
		return;
	e->to_end.slot = was;
	e->to_end.has_raw = false;
}

static void find(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	struct unc_found found = {0};
	int rc = unc_find_counter(p->m, e->event, &xbox->pbox, 1, &found);

	e->guessed = rc < 0 || found.control != e->control;
	e->slot = e->guessed ? -1 : (int)found.slot;
	if (rc < 0)
		unc_xperf_keep(p, e->lost, "");
}

static void for_each_again(struct unc_xperf *p, void (*act)(struct unc_xperf *, struct unc_xbox *, struct unc_xevent *))
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];
		struct unc_xbox *xbox = &p->boxes[e->box];

		if (xbox->again && e->open && e->known)
			act(p, xbox, e);
	}
}

/*
 *
 * Treats all events of a box, since switching one on moves others: first all are switched off, which moves none.
 */
void unc_xperf_find_again(struct unc_xperf *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xbox *xbox = &p->boxes[p->events[i].box];

		xbox->again = xbox->again || (xbox->rc == 0 && is_doubtful(xbox, &p->events[i]));
	}
	for_each_again(p, switch_off);
	for_each_again(p, find);
}

/* Begins the next interval with a new bracket; the ends that were judged stay as they are. */
static void begin_again(struct unc_xperf *p, struct unc_xbox *xbox)
{
	for (size_t i = 0; i < p->n_events; i++)
		if (&p->boxes[p->events[i].box] == xbox)
			p->events[i].begin = p->events[i].to_end;
	unc_bracket_take(p, xbox);
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xevent *e = &p->events[i];
		struct unc_xend judged = e->begin;

		if (&p->boxes[e->box] != xbox)
			continue;
		e->begin = e->to_end;
		e->to_end = judged;
	}
	xbox->again = false;
}

void unc_xperf_begin_again(struct unc_xperf *p)
{
	for (size_t i = 0; i < p->n_boxes; i++)
		if (p->boxes[i].again)
			begin_again(p, &p->boxes[i]);
}

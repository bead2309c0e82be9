// SPDX-License-Identifier: GPL-2.0-or-later
#include "xcheck/find.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"
#include "pmon/counter.h"
#include "xcheck/perf.h"

/* Another program may switch its counters at the same time, but not by chance in so many rounds. */
enum { ROUNDS = 4 };
/* perf_event_mux_interval_ms is 4 for these PMUs; TURN_NS is a little more, and TURNS is how many of them are waited for. */
enum { TURN_NS = 5000000, TURNS = 8 };

struct look { /* the controls of one box */
	bool read;
	bool enabled[UNC_PMON_SLOTS];
	uint64_t control[UNC_PMON_SLOTS];
};

struct finding {
	struct unc_machine *m;
	unsigned event;
	struct unc_pmon_box *pboxes;
	size_t n;
	struct look *on, *off, *again; /* n items each, in one allocation */
	bool (*follows)[UNC_PMON_SLOTS];
};

bool unc_slot_has(const struct unc_slot *slot, uint64_t control)
{
	return slot->enabled && ((slot->found ^ control) & unc_reg_readback_mask(slot->ctl)) == 0;
}

/* In a box that does not answer, no counter follows; returns the error if no box answers. */
static int look(struct finding *f, enum unc_perf_op op, struct look *looks)
{
	size_t n_read = 0;
	int rc = unc_host_perf(f->m->host, op, f->event, NULL);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < f->n; i++) {
		struct unc_pmon_box *pbox = &f->pboxes[i];
		int failure = unc_pmon1_inspect(pbox);

		looks[i].read = failure == 0;
		if (failure < 0)
			rc = failure;
		else
			n_read++;
		for (unsigned k = 0; k < pbox->n_slots && failure == 0; k++) {
			looks[i].enabled[k] = pbox->slots[k].enabled;
			looks[i].control[k] = pbox->slots[k].found;
		}
	}
	return n_read ? UNC_OK : rc;
}

static bool follows(const struct finding *f, size_t i, unsigned k)
{
	const struct look *on = &f->on[i], *off = &f->off[i], *again = &f->again[i];

	return on->read && off->read && again->read && on->enabled[k] && !off->enabled[k] && again->enabled[k] &&
	       on->control[k] == again->control[k];
}

/* Runs one more round, and counts the counters that have followed in all rounds. */
static int go_round(struct finding *f, struct unc_found *found, unsigned *ret_n)
{
	int rc = look(f, UNC_PERF_ON, f->on);

	*ret_n = 0;
	if (rc == 0)
		rc = look(f, UNC_PERF_OFF, f->off);
	if (rc == 0)
		rc = look(f, UNC_PERF_ON, f->again);
	for (size_t i = 0; i < f->n && rc == 0; i++) {
		for (unsigned k = 0; k < f->pboxes[i].n_slots; k++) {
			f->follows[i][k] = f->follows[i][k] && follows(f, i, k);
			if (!f->follows[i][k])
				continue;
			++*ret_n;
			*found = (struct unc_found){.pbox = i, .slot = k, .control = f->again[i].control[k]};
		}
	}
	return rc;
}

/* In none of the rounds a single counter followed: explains why, from perf's own times. */
static int say_none(struct finding *f)
{
	struct unc_perf_count count = {0};
	int rc = unc_host_perf(f->m->host, UNC_PERF_READ, f->event, &count);

	if (rc < 0)
		return rc;
	if (count.running_ns < count.enabled_ns)
		return unc_fail(f->m->ctx, UNC_ENODATA,
				"no control follows when perf's event is switched on and off: others have all "
				"counters that it could have, and perf lets it take turns with them (it had one in "
				"%.0f %% of the time)",
				(double)count.running_ns * 100.0 / (double)count.enabled_ns);
	return unc_fail(f->m->ctx, UNC_ENODATA,
			"no control follows when perf's event is switched on and off, though perf says that it has a "
			"counter all the time: it counts somewhere else");
}

static int say_several(struct finding *f, unsigned n)
{
	return unc_fail(f->m->ctx, UNC_ENODATA,
			"%u counters follow when perf's event is switched on and off, so it cannot be told which is "
			"perf's",
			n);
}

static void forget(struct finding *f)
{
	for (size_t i = 0; i < f->n; i++)
		for (unsigned k = 0; k < UNC_PMON_SLOTS; k++)
			f->follows[i][k] = true;
}

/* If other programs have all counters, the event stays on for some multiplexing intervals: then it may get one. */
static int find(struct finding *f, struct unc_found *ret_found)
{
	struct unc_host *host = f->m->host;
	unsigned n = 0, waited = 0;
	int rc = UNC_OK;

	forget(f);
	for (unsigned round = 0; round < ROUNDS && rc == 0; round++) {
		rc = go_round(f, ret_found, &n);
		if (n == 1 || rc < 0)
			break;
		if (n > 1)
			continue;
		if (waited++ == TURNS)
			break;
		forget(f);
		round = 0;
		if (host->ops->sleep_until(host, unc_machine_mono_ns(f->m) + TURN_NS) < 0)
			break; /* woken early: the caller wants this to end */
	}
	if (rc < 0 || n == 1)
		return rc;
	return n ? say_several(f, n) : say_none(f);
}

static int begin(struct finding *f)
{
	f->on = calloc(3 * f->n, sizeof(*f->on));
	f->follows = calloc(f->n, sizeof(*f->follows));
	if (!f->on || !f->follows)
		return unc_fail(f->m->ctx, UNC_ENOMEM, "out of memory");
	f->off = f->on + f->n;
	f->again = f->off + f->n;
	return UNC_OK;
}

static void end(struct finding *f)
{
	free(f->on);
	free(f->follows);
}

int unc_find_counter(struct unc_machine *m, unsigned event, struct unc_pmon_box *pboxes, size_t n,
		     struct unc_found *ret_found)
{
	struct finding f = {.m = m, .event = event, .pboxes = pboxes, .n = n};
	int rc = begin(&f);

	if (rc == 0)
		rc = find(&f, ret_found);
	end(&f);
	return rc;
}

/* Returns the slot that was given up between the two looks. */
static int given_up(const struct finding *f, uint64_t control)
{
	int was = -1;

	for (unsigned k = 0; k < f->pboxes[0].n_slots; k++) {
		uint64_t mask = unc_reg_readback_mask(f->pboxes[0].slots[k].ctl);

		if (!f->on[0].enabled[k] || f->off[0].enabled[k] || ((f->on[0].control[k] ^ control) & mask))
			continue;
		if (was >= 0)
			return -1;
		was = (int)k;
	}
	return was;
}

/*
 * Switches off an event of a box that is on: *ret_slot is the slot with that control that it gave up; -1: it had none, or several
 * were given up.  This moves no other event, while switching on does.
 */
static int find_given_up(struct unc_machine *m, unsigned event, struct unc_pmon_box *pbox, uint64_t control,
			 int *ret_slot)
{
	struct finding f = {.m = m, .event = event, .pboxes = pbox, .n = 1};
	int rc = begin(&f);

	if (rc == 0)
		rc = look(&f, UNC_PERF_ON, f.on);
	if (rc == 0)
		rc = look(&f, UNC_PERF_OFF, f.off);
	*ret_slot = rc == 0 ? given_up(&f, control) : -1;
	end(&f);
	return rc;
}

enum { NOT, OWN, FOREIGN, SURE, SAME };

static int how_sure(const struct unc_pmon_box *pbox, const struct unc_search *search, unsigned k)
{
	const struct unc_slot *slot = &pbox->slots[k];

	if (slot->fixed != search->fixed || search->taken[k] || !unc_slot_has(slot, search->control))
		return NOT;
	if (search->was == (int)k)
		return SAME;
	if (search->own[k])
		return search->may_be_own ? OWN : NOT;
	if (search->foreign[k])
		return search->may_be_foreign ? FOREIGN : NOT;
	return SURE;
}

int unc_find_slot(const struct unc_pmon_box *pbox, const struct unc_search *search)
{
	int best = NOT, slot = -1;

	for (unsigned k = 0; k < pbox->n_slots; k++) {
		int sure = how_sure(pbox, search, k);

		if (sure <= best)
			continue;
		best = sure;
		slot = (int)k;
	}
	return slot;
}

/*
 * Finds which counter has an event if a look at controls does not show it.  Other users of perf may have the same event in the
 * same box; when one of their events ends and another begins, the kernel may move ours into another counter, and no register
 * shows which counter is whose.  While an event stays where it is, the kernel's number minus that counter is constant, within the
 * uncertainty of the brackets.  If it is not, or if the event was moved, and another counter has the same control, the event is
 * switched off and on: the counter that follows is its counter.
 */

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

	find_given_up(p->m, e->event, &xbox->pbox, e->control, &was);
	if (was == e->to_end.slot)
		return;
	e->to_end.slot = was;
	e->to_end.has_raw = false;
}

static void find_again(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
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

/* Treats all events of a box, since switching one on moves others: first all are switched off, which moves none. */
void unc_xperf_find_again(struct unc_xperf *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		struct unc_xbox *xbox = &p->boxes[p->events[i].box];

		xbox->again = xbox->again || (xbox->rc == 0 && is_doubtful(xbox, &p->events[i]));
	}
	for_each_again(p, switch_off);
	for_each_again(p, find_again);
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which counter an event of the kernel has.  Only the control registers show it: they are read while the event is switched
 * on, off and on again, and the counter that follows is the event's.  Nothing is written by this program.
 */

#include "xcheck/perf.h"

/* Another program may switch its counters at the same time, but not by chance in so many rounds. */
enum { ROUNDS = 4 };
/* perf_event_mux_interval_ms is 4 for these PMUs; MUX_NS is a little more, and MUX_TIMES is how many of them are waited for. */
enum { MUX_NS = 5000000, MUX_TIMES = 8 };

struct trail { /* what a counter did while the event was switched */
	bool follows;
	uint64_t control; /* at the first look of a round */
};

struct finding {
	struct unc_machine *m;
	unsigned event;
	struct unc_pmon_box *pboxes;
	size_t n;
	struct trail (*trails)[UNC_PMON_SLOTS]; /* one item for each box */
	unsigned n_following;
	struct unc_found last; /* the last of those that follow */
};

bool unc_slot_has(const struct unc_slot *slot, uint64_t control)
{
	return slot->enabled && ((slot->found ^ control) & unc_reg_readback_mask(slot->ctl)) == 0;
}

static void forget(struct finding *f)
{
	for (size_t i = 0; i < f->n; i++)
		for (unsigned k = 0; k < UNC_PMON_SLOTS; k++)
			f->trails[i][k].follows = true;
}

/*
 * Switches the event, and drops the counters that do not follow: they are off while it is on, or on while it is off, or their
 * control is not that of the first look.  In a box that does not answer, no counter follows; returns the error if no box answers.
 */
static int switch_event(struct finding *f, enum unc_perf_op op, bool first)
{
	bool on = op == UNC_PERF_ON;
	size_t n_read = 0;
	int rc = unc_host_perf(f->m->host, op, f->event, NULL);

	if (rc < 0)
		return rc;
	f->n_following = 0;
	for (size_t i = 0; i < f->n; i++) {
		struct unc_pmon_box *pbox = &f->pboxes[i];
		int failure = unc_pmon1_inspect(pbox);

		n_read += failure == 0;
		rc = failure < 0 ? failure : rc;
		for (unsigned k = 0; k < pbox->n_slots; k++) {
			const struct unc_slot *slot = &pbox->slots[k];
			struct trail *trail = &f->trails[i][k];

			if (first)
				trail->control = slot->found;
			trail->follows &= failure == 0 && slot->enabled == on && (!on || slot->found == trail->control);
			f->n_following += trail->follows;
			if (trail->follows)
				f->last = (struct unc_found){.pbox = i, .slot = k, .control = trail->control};
		}
	}
	return n_read ? UNC_OK : rc;
}

/* If other programs have all counters, the event stays on for some multiplexing intervals: then it may get one. */
static int find(struct finding *f, struct unc_found *ret_found)
{
	struct unc_host *host = f->m->host;
	struct unc_perf_count count = {0};
	unsigned n = 0, waited = 0;
	int rc = UNC_OK;

	forget(f);
	for (unsigned round = 0; round < ROUNDS; round++) {
		rc = switch_event(f, UNC_PERF_ON, true);
		if (rc == 0)
			rc = switch_event(f, UNC_PERF_OFF, false);
		if (rc == 0)
			rc = switch_event(f, UNC_PERF_ON, false);
		if (rc < 0)
			return rc;
		n = f->n_following;
		*ret_found = f->last;
		if (n == 1)
			return UNC_OK;
		if (n > 1)
			continue;
		if (waited++ == MUX_TIMES)
			break;
		forget(f);
		round = 0;
		if (host->ops->sleep_until(host, unc_machine_mono_ns(f->m) + MUX_NS) < 0)
			break; /* woken early: the caller wants this to end */
	}
	if (n == 0) /* in none of the rounds a single counter followed: perf's own times tell why */
		rc = unc_host_perf(host, UNC_PERF_READ, f->event, &count);
	if (rc < 0)
		return rc;
	if (n == 0 && count.running_ns < count.enabled_ns)
		return unc_fail(
			f->m->ctx, UNC_ENODATA,
			"no control follows when perf's event is switched on and off: others have all counters that it "
			"could have, and perf multiplexes it with them (it had one in %.0f %% of the time)",
			(double)count.running_ns * 100.0 / (double)count.enabled_ns);
	if (n == 0)
		return unc_fail(f->m->ctx, UNC_ENODATA,
				"no control follows when perf's event is switched on and off, though perf says that it "
				"has a counter all the time: it counts somewhere else");
	return unc_fail(
		f->m->ctx, UNC_ENODATA,
		"%u counters follow when perf's event is switched on and off, so it cannot be told which is perf's", n);
}

int unc_find_counter(struct unc_machine *m, unsigned event, struct unc_pmon_box *pboxes, size_t n,
		     struct unc_found *ret_found)
{
	struct finding f = {.m = m, .event = event, .pboxes = pboxes, .n = n};
	int rc;

	f.trails = calloc(n, sizeof(*f.trails));
	rc = f.trails ? find(&f, ret_found) : unc_fail(m->ctx, UNC_ENOMEM, "out of memory");
	free(f.trails);
	return rc;
}

/*
 * Finds which counter has an event if a look at controls does not show it.  Other users of perf may have the same event in the
 * same box; when one of their events ends and another begins, the kernel may move ours into another counter, and no register
 * shows which counter is whose.  While an event stays where it is, the kernel's number minus that counter is constant, within the
 * uncertainty of the brackets.  If it is not, or if the event was moved, and another counter has the same control, the event is
 * switched off and on: the counter that follows is its counter.
 */

static bool stayed(const struct unc_xbox *xbox, const struct unc_xevent *e)
{
	const struct unc_xend *from = &e->from_end, *to = &e->to_end;
	unsigned bits = xbox->box->unit->counter_bits;

	if (e->guessed || from->slot != to->slot)
		return false;
	return !from->has_raw || !to->has_raw ||
	       unc_brackets_agree(&from->bracket, &to->bracket, bits, unc_xevent_wraps(e, bits));
}

/*
 * Switches off an event that is on.  The counter with its control that it gives up is the one that it had at the end of the
 * interval; if there is none, or several, that is not known.  This moves no other event, while switching on does.
 */
static void switch_off(struct unc_xperf *p, struct unc_xbox *xbox, struct unc_xevent *e)
{
	struct trail trails[1][UNC_PMON_SLOTS] = {{{0}}};
	struct finding f = {.m = p->m, .event = e->event, .pboxes = &xbox->pbox, .n = 1, .trails = trails};
	bool seen;
	int was = -1;
	unsigned n = 0;

	forget(&f);
	seen = switch_event(&f, UNC_PERF_ON, true) == 0 && switch_event(&f, UNC_PERF_OFF, false) == 0;
	for (unsigned k = 0; k < xbox->pbox.n_slots && seen; k++) {
		uint64_t mask = unc_reg_readback_mask(xbox->pbox.slots[k].ctl);

		if (!trails[0][k].follows || ((trails[0][k].control ^ e->control) & mask))
			continue;
		was = n++ ? -1 : (int)k;
	}
	e->to_end.has_raw = e->to_end.has_raw && was == e->to_end.slot;
	e->to_end.slot = was;
}

/* Treats all events of a box, since switching one on moves others: first all are switched off, which moves none. */
void unc_xperf_find_again(struct unc_xperf *p)
{
	for (size_t i = 0; i < p->n_events; i++) {
		const struct unc_xevent *e = &p->events[i];
		struct unc_xbox *xbox = &p->boxes[e->box];

		bool another = false; /* another counter has its control */

		for (unsigned k = 0; k < xbox->pbox.n_slots; k++)
			another |= (int)k != e->to_end.slot && xbox->pbox.slots[k].fixed == e->fixed &&
				   unc_slot_has(&xbox->pbox.slots[k], e->control);
		xbox->again |= xbox->rc == 0 && e->open && e->known && e->to_end.slot >= 0 && e->from_end.has_kernel &&
			       e->to_end.has_kernel && !unc_xevent_was_multiplexed(e) && another && !stayed(xbox, e);
	}
	for (unsigned on = 0; on < 2; on++) {
		for (size_t i = 0; i < p->n_events; i++) {
			struct unc_xevent *e = &p->events[i];
			struct unc_xbox *xbox = &p->boxes[e->box];
			struct unc_found found = {0};
			int rc;

			if (!xbox->again || !e->open || !e->known)
				continue;
			if (!on) {
				switch_off(p, xbox, e);
				continue;
			}
			rc = unc_find_counter(p->m, e->event, &xbox->pbox, 1, &found);
			e->guessed = rc < 0 || found.control != e->control;
			e->slot = e->guessed ? -1 : (int)found.slot;
			if (rc < 0)
				unc_xperf_keep(p, e->lost, "");
		}
	}
}

/* Begins the next interval with a new bracket; the ends that were judged stay as they are. */
void unc_xperf_begin_again(struct unc_xperf *p)
{
	for (size_t i = 0; i < p->n_boxes; i++) {
		struct unc_xbox *xbox = &p->boxes[i];

		if (!xbox->again)
			continue;
		for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e))
			e->begin = e->to_end;
		unc_bracket_take(p, xbox);
		for (struct unc_xevent *e = unc_xevent_next(p, xbox, NULL); e; e = unc_xevent_next(p, xbox, e)) {
			struct unc_xend judged = e->begin;

			e->begin = e->to_end;
			e->to_end = judged;
		}
		xbox->again = false;
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* General counters that count the same event agree to the last count. */
#include <inttypes.h>
#include <stdio.h>

#include "check/behaviour.h"

enum { EVENTS = 2 };

struct seen {
	const char *bad; /* the event on which the counters disagreed; NULL: none */
	uint64_t gained[UNC_PMON_SLOTS];
	unsigned odd;             /* a slot that differs from most */
	uint64_t most;            /* what most counters gained */
	uint64_t counted[EVENTS]; /* the largest gain in one window */
	unsigned n;               /* windows in which something was counted */
	int64_t fixed;            /* the most by which the fixed counter was ahead of the clock event */
};

struct turn {
	struct seen *seen;
	unsigned event;
	const char *name;
};

/* Returns a general counter that gained another number than most did (*ret_most); -1: there is none. */
static int odd_one(const struct unc_window *w, uint64_t *ret_most)
{
	unsigned best = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		unsigned n = 0;

		for (unsigned k = 0; k < w->b->pbox.n_slots; k++)
			n += !w->b->pbox.slots[k].fixed && w->gained[k] == w->gained[i];
		if (!w->b->pbox.slots[i].fixed && n > best) {
			best = n;
			*ret_most = w->gained[i];
		}
	}
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		if (!w->b->pbox.slots[i].fixed && w->gained[i] != *ret_most)
			return (int)i;
	return -1;
}

static int compare(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	uint64_t most = 0;
	int odd = odd_one(w, &most);

	if (most > s->counted[turn->event])
		s->counted[turn->event] = most;
	s->n += most != 0;
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		int64_t ahead = (int64_t)(w->gained[i] - most);

		if (w->b->pbox.slots[i].fixed && turn->event == 0 &&
		    (ahead < 0 ? -ahead : ahead) > (s->fixed < 0 ? -s->fixed : s->fixed))
			s->fixed = ahead;
		if (odd >= 0 && !s->bad)
			s->gained[i] = w->gained[i];
	}
	if (odd >= 0 && !s->bad) {
		s->bad = turn->name;
		s->odd = (unsigned)odd;
		s->most = most;
	}
	return UNC_OK;
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s)
{
	char name[UNC_GATE_TEXT], fixed[100] = "";

	if (unc_window_skips(w))
		return;
	for (unsigned i = 0; s->bad && i < w->b->pbox.n_slots; i++)
		if (!w->b->pbox.slots[i].fixed)
			unc_check_see(c, &(struct unc_check_seen){.what = s->bad,
								  .box = w->b->box,
								  .reg = w->b->pbox.slots[i].ctr,
								  .index = w->b->pbox.slots[i].index,
								  .read = s->gained[i],
								  .has_expected = true,
								  .expected = s->most});
	if (s->bad) {
		unc_check_fail(c, "%s: %s counted %" PRIu64 ", the others %" PRIu64 " in the same time", s->bad,
			       unc_window_slot(w, s->odd, name), s->gained[s->odd], s->most);
		return;
	}
	if (!s->n) {
		unc_check_skip(c, "nothing moved: neither clocks nor commands of general counters");
		return;
	}
	if (s->fixed)
		snprintf(fixed, sizeof(fixed), "; FIXED_CTR was ahead of them by %" PRId64, s->fixed);
	unc_check_pass(c, "general counters agreed exactly, on up to %" PRIu64 " clocks and %" PRIu64 " commands%s%s",
		       s->counted[0], s->counted[1], s->counted[1] ? "" : " (nothing went through the channel)", fixed);
}

static int run_event(struct unc_windows *ws, struct turn *turn, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX];
	int rc;

	for (unsigned i = 0; i < UNC_COUNTERS_MAX; i++)
		events[i] = turn->name;
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, compare, turn) : rc;
}

/* The event is the same on all channels, since all have one map. */
static const char *clock_of(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in)
			return ws->of[i].clock;
	return NULL;
}

static int agree(struct unc_windows *ws, void *arg)
{
	const char *const events[EVENTS] = {clock_of(ws), "cas_count.all"};
	unsigned times = unc_check_times(ws->c, 1, 3, 10);
	struct seen *seen = arg;
	int rc = UNC_OK;

	for (unsigned k = 0; k < EVENTS * times && rc == 0; k++) {
		struct turn turn = {.seen = seen, .event = k % EVENTS, .name = events[k % EVENTS]};

		if (unc_windows_know(ws, turn.name))
			rc = run_event(ws, &turn, unc_check_ms(ws->c, 1, 2, 10));
	}
	for (size_t i = 0; i < ws->n && rc == 0; i++)
		if (unc_window_begin(&ws->of[i]))
			judge(ws->c, &ws->of[i], &seen[i]);
	return rc;
}

int unc_check_agree(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), agree);
}

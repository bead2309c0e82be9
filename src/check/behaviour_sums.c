// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that count the same event agree, and an event that is the sum of others is exactly that. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "check/stream.h"

/* ==== behaviour.agree ==== */

/* General counters that count the same event agree to the last count. */

enum { EVENTS = 2 };

struct agree_seen {
	const char *bad; /* the event on which the counters disagreed; NULL: none */
	uint64_t gained[UNC_PMON_SLOTS];
	unsigned odd;             /* a slot that differs from most */
	uint64_t most;            /* what most counters gained */
	uint64_t counted[EVENTS]; /* the largest gain in one window */
	unsigned n;               /* windows in which something was counted */
	int64_t fixed;            /* the most by which the fixed counter was ahead of the clock event */
};

struct agree_turn {
	unsigned event;
	const char *name;
};

/* Returns a general counter that gained another number than most did (*ret_most); -1: there is none. */
static int odd_one(const struct unc_window *w, uint64_t *ret_most)
{
	unsigned best = 0;

	for (unsigned i = 0; i < w->n; i++) {
		unsigned n = 0;

		for (unsigned k = 0; k < w->n; k++)
			n += !w->slots[k].fixed && w->gained[k] == w->gained[i];
		if (!w->slots[i].fixed && n > best) {
			best = n;
			*ret_most = w->gained[i];
		}
	}
	for (unsigned i = 0; i < w->n; i++)
		if (!w->slots[i].fixed && w->gained[i] != *ret_most)
			return (int)i;
	return -1;
}

static int64_t size_of(int64_t value)
{
	return value < 0 ? -value : value;
}

static void compare(struct unc_window *w, void *arg)
{
	const struct agree_turn *turn = arg;
	struct agree_seen *s = w->seen;
	unsigned fixed = unc_drive_fixed(w->b);
	uint64_t most = 0;
	int odd = odd_one(w, &most);
	int64_t ahead = fixed < w->n ? (int64_t)(w->gained[fixed] - most) : 0;

	if (most > s->counted[turn->event])
		s->counted[turn->event] = most;
	s->n += most != 0;
	if (turn->event == 0 && size_of(ahead) > size_of(s->fixed))
		s->fixed = ahead;
	if (odd < 0 || s->bad)
		return;
	for (unsigned i = 0; i < w->n; i++)
		s->gained[i] = w->gained[i];
	s->bad = turn->name;
	s->odd = (unsigned)odd;
	s->most = most;
}

static void report_agree(struct unc_window *w)
{
	const struct agree_seen *s = w->seen;
	char name[UNC_GATE_TEXT], fixed[100] = "";

	if (unc_window_skips(w))
		return;
	for (unsigned i = 0; s->bad && i < w->n; i++)
		if (!w->slots[i].fixed)
			unc_check_see(w->c, unc_seen_expected(unc_window_seen(w, i, s->bad, s->gained[i]), s->most, 0));
	if (s->bad) {
		unc_check_fail(w->c, "%s: %s counted %" PRIu64 ", the others %" PRIu64 " in the same time", s->bad,
			       unc_window_slot(w, s->odd, name), s->gained[s->odd], s->most);
		return;
	}
	if (!s->n) {
		unc_check_skip(w->c, "nothing moved: neither clocks nor commands of general counters");
		return;
	}
	if (s->fixed)
		snprintf(fixed, sizeof(fixed), "; FIXED_CTR was ahead of them by %" PRId64, s->fixed);
	unc_check_pass(w->c,
		       "general counters agreed exactly, on up to %" PRIu64 " clocks and %" PRIu64 " commands%s%s",
		       s->counted[0], s->counted[1], s->counted[1] ? "" : " (nothing went through the channel)", fixed);
}

static void agree(struct unc_windows *ws)
{
	const struct unc_window *any = unc_windows_any(ws);
	const char *const events[EVENTS] = {any ? any->clock : NULL, "cas_count.all"};
	unsigned times = unc_check_times(ws->c, 1, 3, 10);

	for (unsigned k = 0; k < EVENTS * times; k++) {
		struct agree_turn turn = {.event = k % EVENTS, .name = events[k % EVENTS]};

		if (!unc_windows_know(ws, turn.name))
			continue;
		unc_windows_run_one(ws, turn.name, unc_check_ms(ws->c, 1, 2, 10));
		unc_windows_each(ws, compare, &turn);
	}
}

const struct unc_windows_def unc_check_agree = {sizeof(struct agree_seen), agree, NULL, report_agree};

/* ==== behaviour.sums ==== */

/* An event that is the sum of others is exactly that, when all are counted in one window. */

enum { PARTS = 2 };
static const struct sum {
	const char *whole, *parts[PARTS];
} sums[] = {
	{"cas_count.rd", {"cas_count.rd_reg", "cas_count.rd_underfill"}},
	{"cas_count.wr", {"cas_count.wr_wmm", "cas_count.wr_rmm"}},
	{"cas_count.all", {"cas_count.rd", "cas_count.wr"}},
};
enum { SUMS = sizeof(sums) / sizeof(sums[0]) };

struct sums_seen {
	struct {
		unsigned n_against, n_moved;
		uint64_t whole; /* the largest gain of one window, or the gain of the first wrong window */
		uint64_t parts[PARTS];
	} of[SUMS];
};

struct sums_turn {
	unsigned sum;
	unsigned shift; /* which general counter counts the whole */
};

static const char *event_of(const struct sum *sum, unsigned i)
{
	return i == 0 ? sum->whole : sum->parts[i - 1];
}

/* The general counter that counts the ith event, in a box of n of them. */
static unsigned place(const struct sums_turn *turn, unsigned i, unsigned n)
{
	return (i + turn->shift) % n;
}

static void keep_sum(struct unc_window *w, void *arg)
{
	const struct sums_turn *turn = arg;
	struct sums_seen *s = w->seen;
	unsigned k = turn->sum, n = w->b->pbox.regs.ctl->count;
	uint64_t whole = w->gained[place(turn, 0, n)], parts[PARTS], sum = 0;

	for (unsigned i = 0; i < PARTS; i++)
		sum += parts[i] = w->gained[place(turn, i + 1, n)];
	if (s->of[k].n_against == 0 && (sum != whole || whole >= s->of[k].whole)) {
		s->of[k].whole = whole;
		for (unsigned i = 0; i < PARTS; i++)
			s->of[k].parts[i] = parts[i];
	}
	s->of[k].n_against += sum != whole;
	s->of[k].n_moved += whole || sum;
}

/* ---- results ---- */

static void report_sum(const struct unc_window *w, unsigned k)
{
	const struct sums_seen *s = w->seen;
	const struct sum *sum = &sums[k];
	uint64_t parts = s->of[k].parts[0] + s->of[k].parts[1];
	char what[80];

	snprintf(what, sizeof(what), "%.30s + %.30s", sum->parts[0], sum->parts[1]);
	unc_check_see(w->c, unc_seen_expected(unc_seen_value(sum->whole, what, s->of[k].whole), parts, 0));
	if (s->of[k].n_against)
		unc_check_fail(w->c,
			       "%s counted %" PRIu64 ", but %s %" PRIu64 " and %s %" PRIu64
			       " in the same window, which is %" PRIu64,
			       sum->whole, s->of[k].whole, sum->parts[0], s->of[k].parts[0], sum->parts[1],
			       s->of[k].parts[1], parts);
}

static void report_sums(struct unc_window *w)
{
	const struct sums_seen *s = w->seen;
	unsigned n = 0, n_doubted = 0;

	if (unc_window_skips(w))
		return;
	for (unsigned k = 0; k < SUMS; k++) {
		n += s->of[k].n_moved != 0;
		if (!s->of[k].n_moved)
			continue;
		if (unc_doubt_excuses(&w->ws->doubts[k])) {
			n_doubted++;
			unc_check_tested(w->c, sums[k].whole, "is not the sum of %s and %s", sums[k].parts[0],
					 sums[k].parts[1]);
		} else {
			report_sum(w, k);
		}
	}
	if (!n)
		unc_check_skip(w->c, "nothing moved: no read or write went through the channel");
	else if (n_doubted == n)
		unc_check_skip(w->c, "no sum holds on any channel here, and the map doubts each of them");
	else
		unc_check_pass(w->c, "%u of %d sums hold exactly (reads, writes, all), of up to %" PRIu64 " commands",
			       n - n_doubted, SUMS, s->of[SUMS - 1].whole);
}

static bool is_doubted(const struct unc_window *w, const struct sum *sum)
{
	bool doubted = false;

	for (unsigned i = 0; i <= PARTS; i++)
		doubted |= unc_unit_event(w->b->box->unit, event_of(sum, i))->verify != NULL;
	return doubted;
}

static void doubt_sums(struct unc_window *w)
{
	const struct sums_seen *s = w->seen;

	for (unsigned k = 0; k < SUMS; k++)
		if (s->of[k].n_moved && !w->disagrees && w->restless < 0)
			unc_doubt_add(&w->ws->doubts[k], is_doubted(w, &sums[k]), s->of[k].n_against != 0);
}

static void run_sum(struct unc_windows *ws, struct sums_turn *turn, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX] = {NULL};
	unsigned n = unc_windows_counters(ws);

	if (n <= PARTS)
		return;
	for (unsigned i = 0; i <= PARTS; i++) {
		const char *event = event_of(&sums[turn->sum], i);

		if (!unc_windows_know(ws, event))
			return;
		events[place(turn, i, n)] = event;
	}
	unc_windows_run(ws, events, ns);
	unc_windows_each(ws, keep_sum, turn);
}

static void run_sums(struct unc_windows *ws)
{
	unsigned times = unc_check_times(ws->c, 1, 2, 8);

	for (unsigned k = 0; k < SUMS * times && ws->rc == 0; k++)
		run_sum(ws, &(struct sums_turn){.sum = k % SUMS, .shift = k / SUMS}, unc_check_ms(ws->c, 1, 2, 10));
}

static bool any_is_quiet(const struct unc_windows *ws)
{
	bool any = false;

	for (size_t i = 0; i < ws->n; i++)
		any |= ws->of[i].in && !((struct sums_seen *)ws->of[i].seen)->of[SUMS - 1].n_moved;
	return any;
}

/* The same once more with stores, which also read their lines first.  If no traffic can be made, the channel stays quiet. */
static void run_with_traffic(struct unc_windows *ws)
{
	struct unc_stream_node *nodes = NULL;
	struct unc_traffic_done done;
	size_t n = 0;
	int rc = unc_stream_nodes(ws->c, &nodes, &n);

	if (rc == UNC_ENOMEM)
		ws->rc = rc;
	for (size_t i = 0; i < n && rc == 0 && ws->rc == 0; i++) {
		struct unc_saved_msg msg;

		if (unc_stream_start(ws->c, &nodes[i], UNC_TRAFFIC_WRITE, 0) < 0)
			continue;
		run_sums(ws);
		unc_msg_save(ws->c->m->ctx, &msg);
		unc_traffic_stop(ws->c->m, &done);
		unc_msg_restore(ws->c->m->ctx, &msg);
	}
	free(nodes);
}

static void count_sums(struct unc_windows *ws)
{
	unc_windows_agree(ws, "cas_count.all", unc_check_ms(ws->c, 1, 2, 10));
	run_sums(ws);
	if (ws->rc == 0 && ws->c->depth != UNC_CHECK_QUICK && any_is_quiet(ws))
		run_with_traffic(ws);
}

const struct unc_windows_def unc_check_sums = {sizeof(struct sums_seen), count_sums, doubt_sums, report_sums};

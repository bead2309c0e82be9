// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that count the same event agree, and an event that is the sum of others is exactly that. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

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
	struct agree_seen *seen;
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
	const struct agree_turn *turn = arg;
	struct agree_seen *s = &turn->seen[w->i];
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

static void report_agree(struct unc_check *c, const struct unc_window *w, const struct agree_seen *s)
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

static int run_event(struct unc_windows *ws, struct agree_turn *turn, uint64_t ns)
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
	struct agree_seen *seen = arg;
	int rc = UNC_OK;

	for (unsigned k = 0; k < EVENTS * times && rc == 0; k++) {
		struct agree_turn turn = {.seen = seen, .event = k % EVENTS, .name = events[k % EVENTS]};

		if (unc_windows_know(ws, turn.name))
			rc = run_event(ws, &turn, unc_check_ms(ws->c, 1, 2, 10));
	}
	for (size_t i = 0; i < ws->n && rc == 0; i++)
		if (unc_window_begin(&ws->of[i]))
			report_agree(ws->c, &ws->of[i], &seen[i]);
	return rc;
}

int unc_check_agree(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct agree_seen), agree);
}

/* ==== behaviour.sums ==== */

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
	unsigned n_against[SUMS], n_moved[SUMS];
	uint64_t whole[SUMS]; /* the largest gain of one window, or the gain of the first wrong window */
	uint64_t parts[SUMS][PARTS];
};

struct sums_turn {
	struct sums_seen *seen;
	unsigned sum;
	unsigned shift; /* which general counter counts the whole */
};

static const char *event_of(const struct sum *sum, unsigned i)
{
	return i == 0 ? sum->whole : i <= PARTS ? sum->parts[i - 1] : NULL;
}

static bool is_known(const struct unc_windows *ws, const struct sum *sum)
{
	bool known = unc_windows_know(ws, sum->whole);

	for (unsigned i = 0; i < PARTS; i++)
		known &= unc_windows_know(ws, sum->parts[i]);
	return known;
}

/* The general counter that counts the ith event, in a box of n of them. */
static unsigned place(const struct sums_turn *turn, unsigned i, unsigned n)
{
	return (i + turn->shift) % n;
}

static int keep_sum(struct unc_window *w, void *arg)
{
	const struct sums_turn *turn = arg;
	struct sums_seen *s = &turn->seen[w->i];
	unsigned k = turn->sum, n = w->b->pbox.regs.ctl->count;
	uint64_t whole = w->gained[place(turn, 0, n)], parts[PARTS], sum = 0;

	for (unsigned i = 0; i < PARTS; i++)
		sum += parts[i] = w->gained[place(turn, i + 1, n)];
	if (s->n_against[k] == 0 && (sum != whole || whole >= s->whole[k])) {
		s->whole[k] = whole;
		for (unsigned i = 0; i < PARTS; i++)
			s->parts[k][i] = parts[i];
	}
	s->n_against[k] += sum != whole;
	s->n_moved[k] += whole || sum;
	return UNC_OK;
}

/* ---- results ---- */

static void report_sum(struct unc_check *c, const struct sums_seen *s, unsigned k)
{
	const struct sum *sum = &sums[k];
	uint64_t parts = s->parts[k][0] + s->parts[k][1];
	char what[80];

	snprintf(what, sizeof(what), "%.30s + %.30s", sum->parts[0], sum->parts[1]);
	unc_check_see(c, &(struct unc_check_seen){.what = what,
						  .name = sum->whole,
						  .read = s->whole[k],
						  .has_expected = true,
						  .expected = parts});
	if (s->n_against[k])
		unc_check_fail(c,
			       "%s counted %" PRIu64 ", but %s %" PRIu64 " and %s %" PRIu64
			       " in the same window, which is %" PRIu64,
			       sum->whole, s->whole[k], sum->parts[0], s->parts[k][0], sum->parts[1], s->parts[k][1],
			       parts);
}

static void report_sums(struct unc_check *c, const struct sums_seen *s, const struct unc_doubt *doubts)
{
	unsigned n = 0, n_doubted = 0;

	for (unsigned k = 0; k < SUMS; k++) {
		n += s->n_moved[k] != 0;
		if (!s->n_moved[k])
			continue;
		if (unc_doubt_excuses(&doubts[k])) {
			n_doubted++;
			unc_check_tested(c, sums[k].whole, "is not the sum of %s and %s", sums[k].parts[0],
					 sums[k].parts[1]);
		} else {
			report_sum(c, s, k);
		}
	}
	if (!n)
		unc_check_skip(c, "nothing moved: no read or write went through the channel");
	else if (n_doubted == n)
		unc_check_skip(c, "no sum holds on any channel here, and the map doubts each of them");
	else
		unc_check_pass(c, "%u of %d sums hold exactly (reads, writes, all), of up to %" PRIu64 " commands",
			       n - n_doubted, SUMS, s->whole[SUMS - 1]);
}

static bool is_doubted(const struct unc_window *w, const struct sum *sum)
{
	bool doubted = false;

	for (unsigned i = 0; i <= PARTS; i++)
		doubted |= unc_unit_event(w->b->box->unit, event_of(sum, i))->verify != NULL;
	return doubted;
}

static void report_all_sums(struct unc_windows *ws, const struct sums_seen *seen)
{
	struct unc_doubt doubts[SUMS] = {{0}};

	for (size_t i = 0; i < ws->n; i++) {
		for (unsigned k = 0; ws->of[i].in && k < SUMS; k++) {
			if (!seen[i].n_moved[k] || ws->of[i].disagrees || ws->of[i].restless >= 0)
				continue;
			doubts[k].doubtful = is_doubted(&ws->of[i], &sums[k]);
			doubts[k].n++;
			doubts[k].n_against += seen[i].n_against[k] != 0;
		}
	}
	for (size_t i = 0; i < ws->n; i++)
		if (unc_window_begin(&ws->of[i]) && !unc_window_skips(&ws->of[i]))
			report_sums(ws->c, &seen[i], doubts);
}

static int run_sum(struct unc_windows *ws, struct sums_turn *turn, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX] = {NULL};
	unsigned n = unc_windows_counters(ws);
	int rc;

	if (!is_known(ws, &sums[turn->sum]) || n <= PARTS)
		return UNC_OK;
	for (unsigned i = 0; i <= PARTS; i++)
		events[place(turn, i, n)] = event_of(&sums[turn->sum], i);
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, keep_sum, turn) : rc;
}

static int run_sums(struct unc_windows *ws, struct sums_seen *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	unsigned times = unc_check_times(ws->c, 1, 2, 8);
	int rc = UNC_OK;

	for (unsigned k = 0; k < SUMS * times && rc == 0; k++)
		rc = run_sum(ws, &(struct sums_turn){.seen = seen, .sum = k % SUMS, .shift = k / SUMS}, ns);
	return rc;
}

static bool any_is_quiet(const struct unc_windows *ws, const struct sums_seen *seen)
{
	bool any = false;

	for (size_t i = 0; i < ws->n; i++)
		any |= ws->of[i].in && !seen[i].n_moved[SUMS - 1];
	return any;
}

/* The same once more with stores, which also read their lines first.  If no traffic can be made, the channel stays quiet. */
static int run_with_traffic(struct unc_windows *ws, struct sums_seen *seen)
{
	struct unc_stream_node *nodes = NULL;
	struct unc_traffic_done done;
	size_t n = 0;
	int rc = unc_stream_nodes(ws->c, &nodes, &n);

	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct unc_saved_msg msg;

		if (unc_stream_start(ws->c, &nodes[i], UNC_TRAFFIC_WRITE, 0) < 0)
			continue;
		rc = run_sums(ws, seen);
		unc_msg_save(ws->c->m->ctx, &msg);
		unc_traffic_stop(ws->c->m, &done);
		unc_msg_restore(ws->c->m->ctx, &msg);
	}
	free(nodes);
	return rc;
}

static int sums_of_all(struct unc_windows *ws, void *seen)
{
	int rc = unc_windows_agree(ws, "cas_count.all", unc_check_ms(ws->c, 1, 2, 10));

	if (rc == 0)
		rc = run_sums(ws, seen);
	if (rc == 0 && ws->c->depth != UNC_CHECK_QUICK && any_is_quiet(ws, seen))
		rc = run_with_traffic(ws, seen);
	if (rc == 0)
		report_all_sums(ws, seen);
	return rc;
}

int unc_check_sums(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct sums_seen), sums_of_all);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* An event that is the sum of others is exactly that, when all are counted in one window. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "check/behaviour.h"
#include "check/stream.h"

enum { PARTS = 2 };
static const struct sum {
	const char *whole, *parts[PARTS];
} sums[] = {
	{"cas_count.rd", {"cas_count.rd_reg", "cas_count.rd_underfill"}},
	{"cas_count.wr", {"cas_count.wr_wmm", "cas_count.wr_rmm"}},
	{"cas_count.all", {"cas_count.rd", "cas_count.wr"}},
};
enum { SUMS = sizeof(sums) / sizeof(sums[0]) };

struct seen {
	unsigned n_against[SUMS], n_moved[SUMS];
	uint64_t whole[SUMS]; /* the largest gain of one window, or the gain of the first wrong window */
	uint64_t parts[SUMS][PARTS];
};

struct turn {
	struct seen *seen;
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
static unsigned place(const struct turn *turn, unsigned i, unsigned n)
{
	return (i + turn->shift) % n;
}

static int look(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
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

static void judge_sum(struct unc_check *c, const struct seen *s, unsigned k)
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

static void judge(struct unc_check *c, const struct seen *s, const struct unc_doubt *doubts)
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
			judge_sum(c, s, k);
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

static void tell(struct unc_windows *ws, const struct seen *seen)
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
			judge(ws->c, &seen[i], doubts);
}

static int run_sum(struct unc_windows *ws, struct turn *turn, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX] = {NULL};
	unsigned n = unc_windows_counters(ws);
	int rc;

	if (!is_known(ws, &sums[turn->sum]) || n <= PARTS)
		return UNC_OK;
	for (unsigned i = 0; i <= PARTS; i++)
		events[place(turn, i, n)] = event_of(&sums[turn->sum], i);
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, look, turn) : rc;
}

static int run_sums(struct unc_windows *ws, struct seen *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	unsigned times = unc_check_times(ws->c, 1, 2, 8);
	int rc = UNC_OK;

	for (unsigned k = 0; k < SUMS * times && rc == 0; k++)
		rc = run_sum(ws, &(struct turn){.seen = seen, .sum = k % SUMS, .shift = k / SUMS}, ns);
	return rc;
}

static bool any_is_quiet(const struct unc_windows *ws, const struct seen *seen)
{
	bool any = false;

	for (size_t i = 0; i < ws->n; i++)
		any |= ws->of[i].in && !seen[i].n_moved[SUMS - 1];
	return any;
}

/* The same once more with stores, which also read their lines first.  If no traffic can be made, the channel stays quiet. */
static int run_with_traffic(struct unc_windows *ws, struct seen *seen)
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
		tell(ws, seen);
	return rc;
}

int unc_check_sums(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), sums_of_all);
}

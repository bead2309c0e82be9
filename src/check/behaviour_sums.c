// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that count the same event agree, an event that is the sum of others is exactly that, and so is a counter of a whole controller. */

#include "check/clock.h"
#include "check/traffic.h"
#include "pmon/counter.h"
#include "pmon/free1.h"

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

static void agree(struct unc_windows *ws)
{
	const struct unc_window *any = unc_windows_any(ws);
	const char *const events[EVENTS] = {any ? any->clock : NULL, unc_windows_commands(ws)};
	unsigned times = unc_check_times(ws->c, 1, 3, 10);
	struct unc_window *w = NULL;

	for (unsigned k = 0; k < EVENTS * times; k++) {
		const char *event = events[k % EVENTS];

		if (!unc_windows_know(ws, event))
			continue;
		unc_windows_run_one(ws, event, unc_check_ms(ws->c, 1, 2, 10));
		while (unc_windows_next(ws, &w)) {
			struct agree_seen *s = w->seen;
			unsigned fixed = unc_drive_fixed(w->b);
			uint64_t most = 0;
			int odd = odd_one(w, &most);
			int64_t ahead =
				fixed < w->n && unc_clock_is_fixed(w->b) ? (int64_t)(w->gained[fixed] - most) : 0;

			if (most > s->counted[k % EVENTS])
				s->counted[k % EVENTS] = most;
			s->n += most != 0;
			if (k % EVENTS == 0 && llabs(ahead) > llabs(s->fixed))
				s->fixed = ahead;
			if (odd < 0 || s->bad)
				continue;
			memcpy(s->gained, w->gained, sizeof(s->gained));
			s->bad = event;
			s->odd = (unsigned)odd;
			s->most = most;
		}
	}
}

static void report_agree(struct unc_window *w)
{
	const struct agree_seen *s = w->seen;
	char fixed[100] = "";

	if (unc_window_skips(w))
		return;
	for (unsigned i = 0; s->bad && i < w->n; i++)
		if (!w->slots[i].fixed)
			unc_check_compare(w->c, unc_window_seen(w, i, s->bad, s->gained[i]), s->most, 0);
	if (s->fixed)
		snprintf(fixed, sizeof(fixed), "; FIXED_CTR was %s them by %lld", s->fixed > 0 ? "ahead of" : "behind",
			 llabs(s->fixed));
	if (s->bad)
		unc_check_fail(w->c, "%s: %s counted %" PRIu64 ", the others %" PRIu64 " in the same time", s->bad,
			       w->b->name[s->odd], s->gained[s->odd], s->most);
	else if (!s->n)
		unc_check_skip(w->c, "nothing moved: neither clocks nor commands of general counters");
	else
		unc_check_pass(w->c,
			       "general counters agreed exactly, on up to %" PRIu64 " clocks and %" PRIu64
			       " commands%s%s",
			       s->counted[0], s->counted[1], s->counted[1] ? "" : " (nothing went through the channel)",
			       fixed);
}

const struct unc_windows_def unc_check_agree = {sizeof(struct agree_seen), agree, NULL, report_agree};

/* ==== behaviour.sums ==== */

/* An event that is the sum of others is exactly that, when all are counted in one window. */

enum { TERMS = 3, SUMS = 13, FIRST_ALL = 10 /* from here on the whole is all commands */ };
static const char *const sums[SUMS][TERMS] = {
	/* the whole, and its two parts */
	{"cas_count.rd", "cas_count.rd_reg", "cas_count.rd_underfill"},
	{"cas_count.wr", "cas_count.wr_wmm", "cas_count.wr_rmm"},
	/* Where reads are also split by whether they close the page, the first does not hold. */
	{"cas_count.rd", "cas_count.rd_non_underfill", "cas_count.rd_underfill_all"},
	{"cas_count.rd_non_underfill", "cas_count.rd_reg", "cas_count.rd_pre_reg"},
	{"cas_count.rd_underfill_all", "cas_count.rd_underfill", "cas_count.rd_pre_underfill"},
	{"cas_count.wr", "cas_count.wr_nonpre", "cas_count.wr_pre"},
	{"cas_count_sch0.rd", "cas_count_sch0.rd_non_underfill", "cas_count_sch0.rd_underfill_all"},
	{"cas_count_sch1.rd", "cas_count_sch1.rd_non_underfill", "cas_count_sch1.rd_underfill_all"},
	{"cas_count_sch0.wr", "cas_count_sch0.wr_nonpre", "cas_count_sch0.wr_pre"},
	{"cas_count_sch1.wr", "cas_count_sch1.wr_nonpre", "cas_count_sch1.wr_pre"},
	{"cas_count.all", "cas_count.rd", "cas_count.wr"},
	{"cas_count_sch0.all", "cas_count_sch0.rd", "cas_count_sch0.wr"},
	{"cas_count_sch1.all", "cas_count_sch1.rd", "cas_count_sch1.wr"},
};

struct sums_seen {
	struct {
		unsigned n_against, n_moved;
		/* Of the window with the largest gain of the whole, or of the first wrong window. */
		uint64_t counts[TERMS];
	} of[SUMS];
};

static bool has_sum(const struct unc_windows *ws, unsigned k)
{
	if (k == 0 && unc_windows_know(ws, "cas_count.rd_pre_reg"))
		return false;
	return unc_windows_know(ws, sums[k][0]) && unc_windows_know(ws, sums[k][1]) && unc_windows_know(ws, sums[k][2]);
}

static void run_sums(struct unc_windows *ws)
{
	unsigned times = unc_check_times(ws->c, 1, 2, 8), n;
	struct unc_window *w = NULL;

	for (unsigned round = 0; round < SUMS * times && ws->rc == 0; round++) {
		unsigned k = round % SUMS, shift = round / SUMS; /* which general counter counts the whole */
		const char *events[UNC_COUNTERS_MAX] = {NULL};

		n = unc_windows_counters(ws);
		if (n < TERMS || !has_sum(ws, k))
			continue;
		for (unsigned i = 0; i < TERMS; i++)
			events[(i + shift) % n] = sums[k][i];
		unc_windows_run(ws, events, unc_check_ms(ws->c, 1, 2, 10));
		while (unc_windows_next(ws, &w)) {
			struct sums_seen *s = w->seen;
			uint64_t counts[TERMS], sum;

			for (unsigned i = 0; i < TERMS; i++)
				counts[i] = w->gained[(i + shift) % n];
			sum = counts[1] + counts[2];
			if (s->of[k].n_against == 0 && (sum != counts[0] || counts[0] >= s->of[k].counts[0]))
				memcpy(s->of[k].counts, counts, sizeof(counts));
			s->of[k].n_against += sum != counts[0];
			s->of[k].n_moved += counts[0] || sum;
		}
	}
}

/* The largest count of all commands. */
static uint64_t most_commands(const struct sums_seen *s)
{
	uint64_t most = 0;

	for (unsigned k = FIRST_ALL; k < SUMS; k++)
		most = s->of[k].counts[0] > most ? s->of[k].counts[0] : most;
	return most;
}

static void count_sums(struct unc_windows *ws)
{
	bool quiet = false; /* nothing went through a channel */
	struct unc_stream_node *nodes = NULL;
	struct unc_traffic_done done;
	size_t n = 0;
	int rc;

	unc_windows_agree(ws, unc_windows_commands(ws), unc_check_ms(ws->c, 1, 2, 10));
	run_sums(ws);
	for (size_t i = 0; i < ws->n; i++)
		quiet |= ws->of[i].in && !most_commands(ws->of[i].seen);
	if (ws->rc < 0 || ws->c->cfg.depth == UNC_CHECK_QUICK || !quiet)
		return;
	/* The same once more with stores, which also read their lines first.  If no traffic can be made, the channel stays quiet. */
	rc = unc_stream_nodes(ws->c, &nodes, &n);
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

/* ---- results ---- */

static void report_sums(struct unc_window *w)
{
	const struct sums_seen *s = w->seen;
	unsigned n = 0, n_doubted = 0, n_known = 0;

	if (unc_window_skips(w))
		return;
	for (unsigned k = 0; k < SUMS; k++) {
		const uint64_t *counts = s->of[k].counts;
		char what[80];

		n_known += has_sum(w->ws, k);
		n += s->of[k].n_moved != 0;
		if (!s->of[k].n_moved)
			continue;
		if (unc_doubt_excuses(&w->ws->doubts[k])) {
			n_doubted++;
			unc_check_tested(w->c, sums[k][0], "is not the sum of %s and %s", sums[k][1], sums[k][2]);
			continue;
		}
		snprintf(what, sizeof(what), "%.30s + %.30s", sums[k][1], sums[k][2]);
		if (!unc_check_compare(w->c, unc_seen_value(sums[k][0], what, counts[0]), counts[1] + counts[2], 0))
			unc_check_fail(w->c,
				       "%s counted %" PRIu64 ", but %s %" PRIu64 " and %s %" PRIu64
				       " in the same window, which is %" PRIu64,
				       sums[k][0], counts[0], sums[k][1], counts[1], sums[k][2], counts[2],
				       counts[1] + counts[2]);
	}
	if (!n_known)
		unc_check_skip(w->c, "the register map has no event that is the sum of two others");
	else if (!n)
		unc_check_skip(w->c, "nothing moved: no read or write went through the channel");
	else if (n_doubted == n)
		unc_check_skip(w->c, "no sum holds on any channel here, and the map doubts each of them");
	else
		unc_check_pass(w->c, "%u of %u sums hold exactly (reads, writes, all), of up to %" PRIu64 " commands",
			       n - n_doubted, n_known, most_commands(s));
}

static void doubt_sums(struct unc_window *w)
{
	const struct sums_seen *s = w->seen;

	for (unsigned k = 0; k < SUMS; k++) {
		bool doubted = false;

		if (!s->of[k].n_moved || w->disagrees || w->restless >= 0)
			continue;
		for (unsigned i = 0; i < TERMS; i++)
			doubted |= unc_unit_event(w->b->box->unit, sums[k][i])->verify != NULL;
		unc_doubt_add(&w->ws->doubts[k], doubted, s->of[k].n_against != 0);
	}
}

const struct unc_windows_def unc_check_sums = {sizeof(struct sums_seen), count_sums, doubt_sums, report_sums};

/* ==== behaviour.free_running ==== */

/* Counters of a whole controller that always run count what the counters of its channels do. */

/* The registers of a controller, and what each of its channels counts; the last two are of Optane modules. */
enum { PMEM = 2, FREE = 4, SLACK = 1 /* a command that one of the two counters has seen already */ };
static const char *const regs[FREE] = {"RD", "WR", "PMM_RD", "PMM_WR"};
static const char *const events[UNC_COUNTERS_MAX] = {"cas_count.rd", "cas_count.wr", "pmm_rpq_inserts",
						     "pmm_wpq_inserts"};

struct controller {          /* is in what is seen of its first channel */
	struct unc_box *box; /* NULL: it has none, or this is another channel */
	const struct unc_reg *regs[FREE];
	uint64_t values[UNC_WINDOW_LOOKS][FREE];
	int rc; /* the error of the failure in why */
	char why[UNC_MSG_MAX];
};

static bool is_of(const struct unc_box *controller, const struct unc_box *channel)
{
	return channel->socket == controller->socket && !channel->instance->hbm &&
	       channel->instance->imc == controller->instance->imc;
}

static void read_controllers(struct unc_windows *ws, unsigned nth)
{
	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		for (unsigned k = 0; k < FREE && m->rc == 0; k++) {
			if (m->regs[k])
				m->rc = unc_reg_get(m->box, m->regs[k], 0, &m->values[nth][k]);
			if (m->rc == 0 && m->regs[k] && m->values[nth][k] >> m->box->unit->counter_bits)
				m->rc = unc_gate_gone(m->box);
			if (m->rc < 0)
				memcpy(m->why, ws->c->m->ctx->msg, sizeof(m->why));
		}
	}
}

/*
 * The controller was read before and after its channels were released, and before and after they were frozen: what they counted is
 * at least its gain between the inner two reads, and at most that between the outer two.
 */
static void report(const struct unc_windows *ws, const struct controller *m)
{
	uint64_t counted[FREE] = {0}, all = 0;
	struct unc_check *c = ws->c;
	struct unc_box *box;
	size_t n_lacking = 0;

	for (size_t i = 0; (box = unc_box_at(c->m, "imc", i)) != NULL; i++)
		n_lacking += is_of(m->box, box) && box->presence != UNC_ABSENT;
	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (unsigned k = 0; k < FREE && is_of(m->box, w->b->box); k++)
			counted[k] += w->gained[k];
		n_lacking -= is_of(m->box, w->b->box) && w->in && w->restless < 0;
	}
	unc_check_begin(c, m->box->name);
	if (m->rc < 0)
		unc_check_fail(c, "%s", m->why);
	for (unsigned k = 0; k < FREE && !n_lacking && m->rc == 0; k++) {
		uint64_t low = unc_delta(m->values[1][k], m->values[2][k], m->box->unit->counter_bits);
		uint64_t high = unc_delta(m->values[0][k], m->values[3][k], m->box->unit->counter_bits);

		if (!m->regs[k])
			continue;
		all += counted[k];
		if (counted[k] + SLACK < low || counted[k] > high + SLACK)
			unc_check_fail(c,
				       "%s gained %" PRIu64 " to %" PRIu64 " while its channels counted %" PRIu64
				       " %s: it counts something else, or not all of them",
				       regs[k], low, high, counted[k], events[k]);
	}
	if (n_lacking)
		unc_check_skip(c, "not all of its channels could be counted beside it");
	else if (!all)
		unc_check_skip(c, "nothing moved: no read or write went through its channels");
	else
		unc_check_pass(c, "it gained what its channels counted: %" PRIu64 " commands", all);
}

static void count(struct unc_windows *ws)
{
	const char *known[UNC_COUNTERS_MAX] = {NULL};
	struct unc_box *box;

	if (!unc_box_count(ws->c->m, UNC_FREE_UNIT)) {
		unc_check_begin(ws->c, "machine");
		unc_check_skip(ws->c, "no map of this part has counters of a whole memory controller that always run");
		return;
	}
	for (unsigned k = 0; k < FREE; k++)
		known[k] = unc_windows_know(ws, events[k]) ? events[k] : NULL;
	for (size_t i = 0; i < ws->n; i++) {
		struct controller *m = ws->of[i].seen;

		for (size_t k = 0; (box = unc_box_at(ws->c->m, UNC_FREE_UNIT, k)) != NULL; k++)
			if (box->presence == UNC_PRESENT && is_of(box, ws->of[i].b->box) &&
			    !(i > 0 && is_of(box, ws->of[i - 1].b->box)))
				m->box = box;
		for (unsigned k = 0; m->box && k < FREE; k++)
			if (k < PMEM || unc_box_has_pmem(m->box))
				m->regs[k] = unc_unit_reg(m->box->unit, regs[k]);
	}
	ws->look = read_controllers;
	unc_windows_run(ws, known, unc_check_ms(ws->c, 1, 4, 40));
	for (size_t i = 0; i < ws->n && ws->rc == 0; i++)
		if (((const struct controller *)ws->of[i].seen)->box)
			report(ws, ws->of[i].seen);
}

const struct unc_windows_def unc_check_free = {sizeof(struct controller), count, NULL, NULL};

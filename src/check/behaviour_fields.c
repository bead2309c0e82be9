// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tests thresh, invert and edge_det in every counter with the event that adds one in each clock: a threshold of 1 is always met, a
 * higher one never, the inverse of each is the opposite, and what never changes has no edges.  So a bit that can be set and does
 * nothing shows without any traffic.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/behaviour.h"
#include "map/field.h"

/* A window may begin and end inside a clock, and what is met from the beginning may count as one edge. */
enum { ENDS = 8, TEXT = 64 };

struct rule {
	unsigned thresh;
	const char *more;  /* ":edge", ":invert", "" */
	const char *field; /* the field that it tests */
	bool always;       /* it counts every clock; false: it counts none */
	bool full;         /* it is tried only with --full */
};
static const struct rule rules[] = {
	{1, "", "thresh", true, false},         {1, ":edge", "edge_det", false, false}, {2, "", "thresh", false, false},
	{1, ":invert", "invert", false, false}, {2, ":invert", "invert", true, false},  {4, "", "thresh", false, true},
	{8, "", "thresh", false, true},         {16, "", "thresh", false, true},        {32, "", "thresh", false, true},
	{64, "", "thresh", false, true},        {128, "", "thresh", false, true},
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

struct seen {
	bool tried[RULES];
	uint64_t gained[RULES][UNC_PMON_SLOTS];
	struct unc_span clocks[RULES]; /* clocks of the window of each rule */
};

struct turn {
	struct seen *seen;
	unsigned nth;
};

static const struct unc_field *field_of(const struct unc_window *w, const struct rule *rule)
{
	const struct unc_field *field = unc_reg_field(w->b->pbox.regs.ctl, rule->field);

	return field && field->acc == UNC_RW && (rule->field != rules[0].field || rule->thresh <= unc_field_max(field))
		       ? field
		       : NULL;
}

static int look(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	struct unc_span ns = unc_span_between(w->begin_ns, w->end_ns);

	s->tried[turn->nth] = true;
	s->clocks[turn->nth] = unc_span_counts(&w->hz, &ns);
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		s->gained[turn->nth][i] = w->gained[i];
	return UNC_OK;
}

static bool holds(const struct seen *s, unsigned nth, unsigned slot)
{
	uint64_t gained = s->gained[nth][slot];

	return rules[nth].always ? (double)gained >= s->clocks[nth].low / 2 : gained <= ENDS;
}

/* Returns the first general counter that does not follow the rule; -1: all do. */
static int disobeys(const struct unc_window *w, const struct seen *s, unsigned nth)
{
	for (unsigned i = 0; s->tried[nth] && i < w->b->pbox.n_slots; i++)
		if (!w->b->pbox.slots[i].fixed && !holds(s, nth, i))
			return (int)i;
	return -1;
}

/* ---- results ---- */

static void fail(struct unc_check *c, const struct unc_window *w, const struct seen *s, unsigned nth, unsigned slot)
{
	const struct rule *rule = &rules[nth];
	char name[UNC_GATE_TEXT];

	unc_check_see(c, &(struct unc_check_seen){.what = rule->always ? "clocks that meet the threshold"
								       : "clocks that do not",
						  .box = w->b->box,
						  .reg = w->b->pbox.slots[slot].ctr,
						  .index = w->b->pbox.slots[slot].index,
						  .has_expected = true,
						  .read = s->gained[nth][slot],
						  .expected = rule->always ? (uint64_t)s->clocks[nth].low : 0});
	unc_check_fail(
		c, "%s: with %s:thresh=%u%s it counted %" PRIu64 " in %.0f clocks, where %s is right: %s does not act",
		unc_window_slot(w, slot, name), w->clock, rule->thresh, rule->more, s->gained[nth][slot],
		s->clocks[nth].low, rule->always ? "every clock" : "none", rule->field);
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s, const struct unc_doubt *doubts)
{
	unsigned n = 0, n_doubted = 0;

	if (w->clockless) {
		unc_check_skip(c, "no event of general counters counts clocks here, by which it could be told");
		return;
	}
	for (unsigned nth = 0; nth < RULES; nth++) {
		int slot = disobeys(w, s, nth);

		n += s->tried[nth];
		n_doubted += s->tried[nth] && unc_doubt_excuses(&doubts[nth]);
		if (slot >= 0 && !unc_doubt_excuses(&doubts[nth]))
			fail(c, w, s, nth, (unsigned)slot);
	}
	if (n == n_doubted)
		unc_check_skip(c, "no channel here does with %s what the map says with doubt", rules[0].field);
	else
		unc_check_pass(c,
			       "%u uses of thresh, invert and edge_det on the event that counts clocks did in each "
			       "counter what they should",
			       n - n_doubted);
}

static void tell(struct unc_windows *ws, const struct seen *seen)
{
	struct unc_doubt doubts[RULES] = {{0}};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (unsigned nth = 0; w->in && nth < RULES; nth++)
			if (seen[i].tried[nth])
				unc_doubt_add(&doubts[nth],
					      unc_check_is_doubtful(w->b->pbox.regs.ctl, field_of(w, &rules[nth])),
					      disobeys(w, &seen[i], nth) >= 0);
	}
	for (size_t i = 0; i < ws->n; i++)
		if (unc_window_begin(&ws->of[i]) && !unc_window_skips(&ws->of[i]))
			judge(ws->c, &ws->of[i], &seen[i], doubts);
}

/* All memory channels of a machine have one map, so that any of them will do. */
static const struct unc_window *any(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in && !ws->of[i].clockless)
			return &ws->of[i];
	return NULL;
}

static int run_rule(struct unc_windows *ws, struct turn *turn, uint64_t ns)
{
	const char *events[UNC_COUNTERS_MAX];
	char text[TEXT];
	int rc;

	snprintf(text, sizeof(text), "%.32s:thresh=%u%s", any(ws)->clock, rules[turn->nth].thresh,
		 rules[turn->nth].more);
	for (unsigned i = 0; i < UNC_COUNTERS_MAX; i++)
		events[i] = text;
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, look, turn) : rc;
}

static int fields(struct unc_windows *ws, void *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 5);
	int rc = unc_windows_clock(ws, ns, 1);

	for (unsigned nth = 0; nth < RULES && rc == 0; nth++)
		if (any(ws) && field_of(any(ws), &rules[nth]) && (!rules[nth].full || ws->c->depth == UNC_CHECK_FULL))
			rc = run_rule(ws, &(struct turn){.seen = seen, .nth = nth}, ns);
	if (rc == 0)
		tell(ws, seen);
	return rc;
}

int unc_check_fields(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), fields);
}

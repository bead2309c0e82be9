// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of a control: threshold, invert and edge. */
#include "check/window.h"

/* The tolerance: a window may begin and end inside a clock, and the event may add several counts in each clock. */
enum { ENDS = 8, TEXT = 64 };

/* ==== behaviour.threshold ==== */

/* The algebra of threshold, invert and edge: what one control counts is compared with what others count in the same window. */

/* What counters gained of one event in two windows; k is what the event adds in one clock. */
enum window { CYCLES, LEVELS, WINDOWS };
enum of_cycles { HITS, MISSES, EDGES, ALL };    /* clocks with k >= 1; with k < 1; starts of k >= 1; all clocks */
enum of_levels { ONCE, TWICE, SUM, BEGINS, N }; /* clocks with k >= 1; with k >= 2; sum of k; starts of k >= 1 */
struct counts {
	bool has[WINDOWS];
	uint64_t of[WINDOWS][N];
	uint64_t clocks; /* all clocks of the last window; 0: not known */
};
enum { EVENTS = 2 };

struct threshold_seen {
	const char *events[EVENTS]; /* NULL: the map has none, or there are too few counters */
	bool invert;                /* this part has invert */
	struct counts counts[EVENTS];
};

static uint64_t fixed_gain(const struct unc_window *w)
{
	unsigned slot = unc_drive_fixed(w->b);

	return slot < UNC_PMON_SLOTS ? w->gained[slot] : 0;
}

static void run_event(struct unc_windows *ws, const struct threshold_seen *plan, unsigned nth, uint64_t ns)
{
	const char *event = plan->events[nth],
		   *clock = unc_windows_any(ws)->clockless ? NULL : unc_windows_any(ws)->clock;
	char thresh[TEXT], thresh2[TEXT], edge[TEXT], inverted[TEXT];
	const char *events[WINDOWS][UNC_COUNTERS_MAX] = {
		[CYCLES] = {[HITS] = thresh, [MISSES] = inverted, [EDGES] = edge, [ALL] = clock},
		[LEVELS] = {[ONCE] = thresh, [TWICE] = thresh2, [SUM] = event, [BEGINS] = edge},
	};
	struct unc_window *w = NULL;

	snprintf(thresh, TEXT, "%.32s:thresh=1", event);
	snprintf(thresh2, TEXT, "%.32s:thresh=2", event);
	snprintf(edge, TEXT, "%.32s:thresh=1:edge", event);
	snprintf(inverted, TEXT, "%.32s:thresh=1:invert", event);
	for (enum window window = plan->invert ? CYCLES : LEVELS; window < WINDOWS; window++) {
		unc_windows_run(ws, events[window], ns);
		while (unc_windows_next(ws, &w)) {
			struct counts *counts = &((struct threshold_seen *)w->seen)->counts[nth];

			counts->has[window] = true;
			memcpy(counts->of[window], w->gained, sizeof(counts->of[window]));
			counts->clocks = fixed_gain(w);
			if (window == CYCLES && w->clockless)
				counts->of[CYCLES][ALL] = counts->clocks;
		}
	}
}

static void threshold(struct unc_windows *ws)
{
	static const char *const many[] = {"rpq_occupancy", "wpq_occupancy", "power_cke_cycles.rank0"};
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 20);
	struct threshold_seen plan = {.events = {unc_windows_commands(ws)}};
	const struct unc_field *invert;
	struct unc_window *w = NULL;

	unc_windows_clock(ws, ns, 1);
	unc_windows_agree(ws, plan.events[0], ns);
	ws->nothing = unc_windows_counters(ws) < 4 || !plan.events[0];
	if (ws->nothing)
		return;
	invert = unc_reg_field(unc_windows_any(ws)->b->pbox.regs.ctl, "invert");
	plan.invert = invert && invert->acc == UNC_RW;
	for (size_t i = 0; !plan.events[1] && i < sizeof(many) / sizeof(many[0]); i++)
		if (unc_windows_know(ws, many[i]))
			plan.events[1] = many[i];
	while (unc_windows_next(ws, &w))
		*(struct threshold_seen *)w->seen = plan;
	for (unsigned i = 0; i < EVENTS && plan.events[i] && unc_windows_any(ws); i++)
		run_event(ws, &plan, i, ns);
}

/* ---- results ---- */

struct rule {
	const char *says;
	uint64_t left, right;
	enum { AT_MOST, AT_MOST_ABOUT, ABOUT } how;
	bool is; /* it applies */
};

static bool holds(const struct rule *rule)
{
	uint64_t slack = rule->how == AT_MOST ? 0 : ENDS;

	if (rule->left > rule->right + slack)
		return false;
	return rule->how != ABOUT || rule->right <= rule->left + slack;
}

/* For an event that adds at most one a clock: an occupancy may be 1 from the first clock on and then never again. */
static bool must_begin(uint64_t hits, uint64_t clocks)
{
	return hits > ENDS && clocks > hits + ENDS;
}

/* Returns the first rule that does not hold for that event; false: all of them hold. */
static bool find_broken(const struct unc_window *w, unsigned nth, struct rule *ret_rule)
{
	static const char *const has_edges = "what comes in some clocks and not in others has edges";
	const struct threshold_seen *s = w->seen;
	const struct counts *n = &s->counts[nth];
	const uint64_t *in = n->of[CYCLES], *of = n->of[LEVELS];
	bool any = s->events[nth] && n->has[LEVELS], cycles = any && n->has[CYCLES];
	bool one = any && unc_unit_event(w->b->box->unit, s->events[nth])->max_inc == 1;
	const struct rule rules[] = {
		{"clocks with thresh=1, and inverted, together are all clocks", in[HITS] + in[MISSES], in[ALL], ABOUT,
		 cycles},
		{"edges are not more than clocks with thresh=1", in[EDGES], in[HITS], AT_MOST, cycles},
		{"edges are not more than clocks without, and one", in[EDGES], in[MISSES] + 1, AT_MOST, cycles},
		{"thresh=2 is not more than thresh=1", of[TWICE], of[ONCE], AT_MOST, any},
		{"edges are not more than clocks with thresh=1", of[BEGINS], of[ONCE], AT_MOST, any},
		{has_edges, 1, in[EDGES], AT_MOST, one && cycles && must_begin(in[HITS], in[ALL])},
		{has_edges, 1, of[BEGINS], AT_MOST, one && must_begin(of[ONCE], n->clocks)},
		{"what adds at most one a clock is the same with thresh=1", of[ONCE], of[SUM], ABOUT, one},
		{"thresh=1 and thresh=2 together are not more than the sum", of[ONCE] + of[TWICE], of[SUM],
		 AT_MOST_ABOUT, any && !one},
	};

	for (size_t k = 0; k < sizeof(rules) / sizeof(rules[0]); k++) {
		if (!rules[k].is || holds(&rules[k]))
			continue;
		*ret_rule = rules[k];
		return true;
	}
	return false;
}

static void show(struct unc_check *c, const char *event, const struct counts *counts)
{
	static const struct {
		const char *what;
		enum window window;
		unsigned of;
	} values[] = {
		{"thresh=1", CYCLES, HITS},
		{"thresh=1, inverted", CYCLES, MISSES},
		{"clocks of that window", CYCLES, ALL},
		{"thresh=1, edges", CYCLES, EDGES},
		{"thresh=1, second window", LEVELS, ONCE},
		{"thresh=2", LEVELS, TWICE},
		{"without threshold", LEVELS, SUM},
		{"thresh=1, edges, second window", LEVELS, BEGINS},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (counts->has[values[i].window])
			unc_check_see(
				c, unc_seen_value(event, values[i].what, counts->of[values[i].window][values[i].of]));
}

static void doubt_threshold(struct unc_window *w)
{
	static const char *const names[] = {"thresh", "invert", "edge_det"};
	const struct unc_reg *ctl = w->b->pbox.regs.ctl;
	struct rule rule;
	bool broken = find_broken(w, 0, &rule) || find_broken(w, 1, &rule), doubted = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct unc_field *field = unc_reg_field(ctl, names[i]);

		doubted |= field && unc_check_is_doubtful(ctl, field);
	}
	unc_doubt_add(w->ws->doubts, doubted, broken);
}

static void report_threshold(struct unc_window *w)
{
	const struct threshold_seen *s = w->seen;
	const char *no_invert = s->invert ? "" : "; this part has no invert, so that clocks without were not counted";
	struct rule rule = {.says = ""};
	char moved[200] = "";
	bool any = false;

	if (unc_doubt_excuses(w->ws->doubts)) {
		for (size_t i = 0; i < EVENTS * w->ws->n; i++)
			if (w->ws->of[i / EVENTS].in)
				find_broken(&w->ws->of[i / EVENTS], i % EVENTS, &rule);
		unc_check_skip(w->c,
			       "on no channel here it holds that %s, and the map doubts a field of CTL that it takes",
			       rule.says);
		unc_check_tested(w->c, "CTL", "it does not hold that %s", rule.says);
		return;
	}
	if (!s->events[0] || unc_window_skips(w))
		return;
	for (unsigned i = 0; i < EVENTS && s->events[i]; i++) {
		any |= s->counts[i].has[CYCLES] || s->counts[i].of[LEVELS][SUM];
		show(w->c, s->events[i], &s->counts[i]);
		if (find_broken(w, i, &rule))
			unc_check_fail(w->c, "%s: it does not hold that %s: %" PRIu64 " and %" PRIu64, s->events[i],
				       rule.says, rule.left, rule.right);
		unc_text_join(moved, sizeof(moved), ", ", "%.32s %" PRIu64, s->events[i], s->counts[i].of[LEVELS][SUM]);
	}
	if (!any)
		unc_check_skip(w->c, "nothing moved: none of these events came (%s)%s", moved, no_invert);
	else
		unc_check_pass(w->c, "thresholds%s and edges obey their algebra (%s)%s%s",
			       s->invert ? ", their inversion" : "", moved, no_invert,
			       s->events[1] ? ""
					    : "; the map has no event here that is known to add more than one a clock");
}

const struct unc_windows_def unc_check_threshold = {sizeof(struct threshold_seen), threshold, doubt_threshold,
						    report_threshold};

/* ==== behaviour.fields ==== */

/*
 * Tests thresh, invert and edge_det in every counter with the event that adds one in each clock: a threshold of 1 is always met, a
 * higher one never, the inverse of each is the opposite, and what never changes has no edges.  So a bit that can be set and does
 * nothing shows without any traffic.
 */

struct use {
	unsigned thresh;
	const char *more;  /* ":edge", ":invert", "" */
	const char *field; /* the field that it tests */
	bool always;       /* it counts every clock; false: it counts none */
	bool full;         /* it is tried only with --full */
};
static const struct use uses[] = {
	{1, "", "thresh", true, false},         {1, ":edge", "edge_det", false, false}, {2, "", "thresh", false, false},
	{1, ":invert", "invert", false, false}, {2, ":invert", "invert", true, false},  {4, "", "thresh", false, true},
	{8, "", "thresh", false, true},         {16, "", "thresh", false, true},        {32, "", "thresh", false, true},
	{64, "", "thresh", false, true},        {128, "", "thresh", false, true},
};
enum { USES = sizeof(uses) / sizeof(uses[0]) };

struct fields_seen {
	bool tried[USES];
	uint64_t gained[USES][UNC_PMON_SLOTS];
	struct unc_span clocks[USES]; /* clocks of the window of each use */
};

static const struct unc_field *field_of(const struct unc_window *w, const struct use *use)
{
	const struct unc_field *field = unc_reg_field(w->b->pbox.regs.ctl, use->field);

	return field && field->acc == UNC_RW && (use->field != uses[0].field || use->thresh <= unc_field_max(field))
		       ? field
		       : NULL;
}

/* Returns the first general counter in which the field does not act as it should; -1: it acts in all. */
static int disobeys(const struct unc_window *w, unsigned nth)
{
	const struct fields_seen *s = w->seen;

	for (unsigned i = 0; s->tried[nth] && i < w->n; i++) {
		uint64_t gained = s->gained[nth][i];
		bool acts = uses[nth].always ? (double)gained >= s->clocks[nth].low / 2 : gained <= ENDS;

		if (!w->slots[i].fixed && !acts)
			return (int)i;
	}
	return -1;
}

static void fields(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 5);
	struct unc_window *w = NULL;

	unc_windows_clock(ws, ns, 1);
	for (unsigned nth = 0; nth < USES; nth++) {
		const struct unc_window *any = unc_windows_any(ws);
		char text[TEXT];

		if (!any || any->clockless || !field_of(any, &uses[nth]) ||
		    (uses[nth].full && ws->c->cfg.depth != UNC_CHECK_FULL))
			continue;
		snprintf(text, sizeof(text), "%.32s:thresh=%u%s", any->clock, uses[nth].thresh, uses[nth].more);
		unc_windows_run_one(ws, text, ns);
		while (unc_windows_next(ws, &w)) {
			struct fields_seen *s = w->seen;

			s->tried[nth] = true;
			s->clocks[nth] = unc_window_counts(w);
			memcpy(s->gained[nth], w->gained, sizeof(s->gained[nth]));
		}
	}
}

/* ---- results ---- */

static void doubt_fields(struct unc_window *w)
{
	const struct fields_seen *s = w->seen;

	for (unsigned nth = 0; nth < USES; nth++)
		if (s->tried[nth])
			unc_doubt_add(&w->ws->doubts[nth],
				      unc_check_is_doubtful(w->b->pbox.regs.ctl, field_of(w, &uses[nth])),
				      disobeys(w, nth) >= 0);
}

static void report_fields(struct unc_window *w)
{
	const struct fields_seen *s = w->seen;
	unsigned n = 0, n_doubted = 0;

	if (unc_window_skips(w))
		return;
	if (w->clockless) {
		unc_check_skip(w->c, "no event of general counters counts clocks here, by which it could be told");
		return;
	}
	for (unsigned nth = 0; nth < USES; nth++) {
		bool excused = unc_doubt_excuses(&w->ws->doubts[nth]);
		const struct use *use = &uses[nth];
		int slot = disobeys(w, nth);
		uint64_t gained;

		n += s->tried[nth];
		n_doubted += s->tried[nth] && excused;
		if (slot < 0 || excused)
			continue;
		gained = s->gained[nth][slot];
		unc_check_compare(w->c,
				  unc_window_seen(w, (unsigned)slot,
						  use->always ? "clocks that meet the threshold" : "clocks that do not",
						  gained),
				  use->always ? (uint64_t)s->clocks[nth].low : 0, 0);
		unc_check_fail(w->c,
			       "%s: with %s:thresh=%u%s it counted %" PRIu64
			       " in %.0f clocks, where %s is right: %s does not act",
			       w->b->name[slot], w->clock, use->thresh, use->more, gained, s->clocks[nth].low,
			       use->always ? "every clock" : "none", use->field);
	}
	if (n == n_doubted)
		unc_check_skip(w->c, "no channel here does with %s what the map says with doubt", uses[0].field);
	else
		unc_check_pass(w->c,
			       "%u uses of thresh, invert and edge_det on the event that counts clocks did in each "
			       "counter what they should",
			       n - n_doubted);
}

const struct unc_windows_def unc_check_fields = {sizeof(struct fields_seen), fields, doubt_fields, report_fields};

// SPDX-License-Identifier: GPL-2.0-or-later
/* The fields of a control: threshold, invert and edge. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>

#include "map/field.h"

/* ==== behaviour.threshold ==== */

/* The algebra of threshold, invert and edge: what one control counts is compared with what others count in the same window. */

enum { THRESHOLD_TEXT = 64 };

/* What counters gained of one event in two windows; k is what the event adds in one clock. */
struct counts {
	bool has_cycles, has_levels;
	uint64_t hits, misses, cycles, edges; /* clocks with k >= 1; with k < 1; all clocks; starts of k >= 1 */
	uint64_t once, twice, sum, begins;    /* clocks with k >= 1; with k >= 2; sum of k; starts of k >= 1 */
	uint64_t clocks;                      /* all clocks of the second window; 0: not known */
};
enum { EVENTS = 2 };

/* The tolerance: a window may begin and end inside a clock, and the event may add several counts in each clock. */
enum { THRESHOLD_ENDS = 8 };

struct threshold_seen {
	struct counts counts[EVENTS];
};

struct of {
	struct threshold_seen *seen;
	unsigned nth;
	const char *event;
	const char *clock; /* NULL: the fixed counter is used */
	bool invert;       /* this part has invert */
	char thresh[THRESHOLD_TEXT], thresh2[THRESHOLD_TEXT], edge[THRESHOLD_TEXT], inverted[THRESHOLD_TEXT];
};

static uint64_t fixed_gain(const struct unc_window *w)
{
	unsigned slot = unc_drive_fixed(w->b);

	return slot < UNC_PMON_SLOTS ? w->gained[slot] : 0;
}

static int keep_cycles(struct unc_window *w, void *arg)
{
	const struct of *of = arg;
	struct counts *counts = &of->seen[w->i].counts[of->nth];

	counts->has_cycles = true;
	counts->hits = w->gained[0];
	counts->misses = w->gained[1];
	counts->edges = w->gained[2];
	counts->cycles = of->clock ? w->gained[3] : fixed_gain(w);
	return UNC_OK;
}

static int keep_levels(struct unc_window *w, void *arg)
{
	const struct of *of = arg;
	struct counts *counts = &of->seen[w->i].counts[of->nth];

	counts->has_levels = true;
	counts->once = w->gained[0];
	counts->twice = w->gained[1];
	counts->sum = w->gained[2];
	counts->begins = w->gained[3];
	counts->clocks = fixed_gain(w);
	return UNC_OK;
}

static int run_event(struct unc_windows *ws, struct of *of, uint64_t ns)
{
	const char *cycles[UNC_COUNTERS_MAX] = {of->thresh, of->inverted, of->edge, of->clock},
		   *levels[UNC_COUNTERS_MAX] = {of->thresh, of->thresh2, of->event, of->edge};
	int rc = UNC_OK;

	snprintf(of->thresh, THRESHOLD_TEXT, "%.32s:thresh=1", of->event);
	snprintf(of->thresh2, THRESHOLD_TEXT, "%.32s:thresh=2", of->event);
	snprintf(of->edge, THRESHOLD_TEXT, "%.32s:thresh=1:edge", of->event);
	snprintf(of->inverted, THRESHOLD_TEXT, "%.32s:thresh=1:invert", of->event);
	if (of->invert)
		rc = unc_windows_run(ws, unc_window_events, cycles, ns);
	if (rc == 0 && of->invert)
		rc = unc_windows_each(ws, keep_cycles, of);
	if (rc == 0)
		rc = unc_windows_run(ws, unc_window_events, levels, ns);
	return rc == 0 ? unc_windows_each(ws, keep_levels, of) : rc;
}

/* ---- results ---- */

struct threshold_rule {
	const char *says;
	uint64_t left, right;
	enum { AT_MOST, AT_MOST_ABOUT, ABOUT } how;
};

static bool holds_threshold(const struct threshold_rule *rule)
{
	uint64_t slack = rule->how == AT_MOST ? 0 : THRESHOLD_ENDS;

	if (rule->left > rule->right + slack)
		return false;
	return rule->how != ABOUT || rule->right <= rule->left + slack;
}

/* For an event that adds at most one a clock: an occupancy may be 1 from the first clock on and then never again. */
static bool must_begin(uint64_t hits, uint64_t clocks)
{
	return hits > THRESHOLD_ENDS && clocks > hits + THRESHOLD_ENDS;
}

enum { THRESHOLD_RULES = 9 };
static unsigned rules_of(const struct counts *n, unsigned max_inc, struct threshold_rule rules[THRESHOLD_RULES])
{
	unsigned k = 0;

	if (n->has_cycles) {
		rules[k++] = (struct threshold_rule){"clocks with thresh=1, and inverted, together are all clocks",
						     n->hits + n->misses, n->cycles, ABOUT};
		rules[k++] = (struct threshold_rule){"edges are not more than clocks with thresh=1", n->edges, n->hits,
						     AT_MOST};
		rules[k++] = (struct threshold_rule){"edges are not more than clocks without, and one", n->edges,
						     n->misses + 1, AT_MOST};
	}
	rules[k++] = (struct threshold_rule){"thresh=2 is not more than thresh=1", n->twice, n->once, AT_MOST};
	rules[k++] =
		(struct threshold_rule){"edges are not more than clocks with thresh=1", n->begins, n->once, AT_MOST};
	if (max_inc == 1 && n->has_cycles && must_begin(n->hits, n->cycles))
		rules[k++] = (struct threshold_rule){"what comes in some clocks and not in others has edges", 1,
						     n->edges, AT_MOST};
	if (max_inc == 1 && must_begin(n->once, n->clocks))
		rules[k++] = (struct threshold_rule){"what comes in some clocks and not in others has edges", 1,
						     n->begins, AT_MOST};
	if (max_inc == 1)
		rules[k++] = (struct threshold_rule){"what adds at most one a clock is the same with thresh=1", n->once,
						     n->sum, ABOUT};
	else
		rules[k++] = (struct threshold_rule){"thresh=1 and thresh=2 together are not more than the sum",
						     n->once + n->twice, n->sum, AT_MOST_ABOUT};
	return k;
}

/* Returns the first rule that does not hold; false: all of them hold. */
static bool find_broken(const struct unc_window *w, const char *event, const struct counts *counts,
			struct threshold_rule *ret_rule)
{
	struct threshold_rule rules[THRESHOLD_RULES];
	unsigned n = counts->has_levels ? rules_of(counts, unc_unit_event(w->b->box->unit, event)->max_inc, rules) : 0;

	for (unsigned k = 0; k < n; k++) {
		if (holds_threshold(&rules[k]))
			continue;
		*ret_rule = rules[k];
		return true;
	}
	return false;
}

static void show(struct unc_check *c, const char *event, const struct counts *counts)
{
	const struct {
		const char *what;
		uint64_t value;
		bool is;
	} values[] = {
		{"thresh=1", counts->hits, counts->has_cycles},
		{"thresh=1, inverted", counts->misses, counts->has_cycles},
		{"clocks of that window", counts->cycles, counts->has_cycles},
		{"thresh=1, edges", counts->edges, counts->has_cycles},
		{"thresh=1, second window", counts->once, counts->has_levels},
		{"thresh=2", counts->twice, counts->has_levels},
		{"without threshold", counts->sum, counts->has_levels},
		{"thresh=1, edges, second window", counts->begins, counts->has_levels},
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i].is)
			unc_check_see(c, &(struct unc_check_seen){
						 .what = values[i].what, .name = event, .read = values[i].value});
}

static void report_threshold(struct unc_check *c, const struct unc_window *w, const struct threshold_seen *s,
			     const struct of *ofs, unsigned n)
{
	const char *no_invert =
		ofs[0].invert ? "" : "; this part has no invert, so that clocks without were not counted";
	char moved[200] = "";
	struct threshold_rule rule;
	size_t len = 0;
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		any |= s->counts[i].has_cycles || s->counts[i].sum;
		show(c, ofs[i].event, &s->counts[i]);
		if (find_broken(w, ofs[i].event, &s->counts[i], &rule))
			unc_check_fail(c, "%s: it does not hold that %s: %" PRIu64 " and %" PRIu64, ofs[i].event,
				       rule.says, rule.left, rule.right);
		len += (size_t)snprintf(moved + len, sizeof(moved) - len, "%s%.32s %" PRIu64, i ? ", " : "",
					ofs[i].event, s->counts[i].sum);
	}
	if (!any) {
		unc_check_skip(c, "nothing moved: none of these events came (%s)%s", moved, no_invert);
		return;
	}
	unc_check_pass(c, "thresholds%s and edges obey their algebra (%s)%s%s",
		       ofs[0].invert ? ", their inversion" : "", moved, no_invert,
		       n < EVENTS ? "; the map has no event here that is known to add more than one a clock" : "");
}

static bool is_doubted(const struct unc_reg *ctl)
{
	static const char *const names[] = {"thresh", "invert", "edge_det"};
	bool doubted = false;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct unc_field *field = unc_reg_field(ctl, names[i]);

		doubted |= field && unc_check_is_doubtful(ctl, field);
	}
	return doubted;
}

static void report_all_thresholds(struct unc_windows *ws, const struct threshold_seen *seen, const struct of *ofs,
				  unsigned n)
{
	struct unc_doubt doubt = {0};
	struct threshold_rule rule = {.says = ""};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];
		bool broken = false;

		for (unsigned k = 0; w->in && k < n; k++)
			broken |= find_broken(w, ofs[k].event, &seen[i].counts[k], &rule);
		doubt.doubtful |= w->in && is_doubted(w->b->pbox.regs.ctl);
		doubt.n += w->in;
		doubt.n_against += broken;
	}
	for (size_t i = 0; i < ws->n; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		if (unc_doubt_excuses(&doubt)) {
			unc_check_skip(
				ws->c,
				"on no channel here it holds that %s, and the map doubts a field of CTL that it takes",
				rule.says);
			unc_check_tested(ws->c, "CTL", "it does not hold that %s", rule.says);
		} else if (!unc_window_skips(&ws->of[i])) {
			report_threshold(ws->c, &ws->of[i], &seen[i], ofs, n);
		}
	}
}

static bool has_invert(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_field *invert =
			ws->of[i].in ? unc_reg_field(ws->of[i].b->pbox.regs.ctl, "invert") : NULL;

		if (ws->of[i].in)
			return invert && invert->acc == UNC_RW;
	}
	return false;
}

/* An event that counts clocks, if it does here; NULL: the fixed counter is used. */
static const char *clock_of(const struct unc_windows *ws)
{
	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in)
			return ws->of[i].clockless ? NULL : ws->of[i].clock;
	return NULL;
}

static int threshold(struct unc_windows *ws, void *arg)
{
	static const char *const many[] = {"rpq_occupancy", "wpq_occupancy", "power_cke_cycles.rank0"};
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 20);
	struct of ofs[EVENTS] = {{.seen = arg, .event = "cas_count.all", .invert = has_invert(ws)}};
	int rc = unc_windows_clock(ws, ns, 1);
	unsigned n = 0;

	ofs[0].clock = clock_of(ws);

	if (rc == 0)
		rc = unc_windows_agree(ws, "cas_count.all", ns);
	n += unc_windows_know(ws, ofs[0].event) && unc_windows_counters(ws) >= 4;
	for (size_t i = 0; n == 1 && i < sizeof(many) / sizeof(many[0]); i++) {
		if (!unc_windows_know(ws, many[i]))
			continue;
		ofs[n] = ofs[0];
		ofs[n].nth = n;
		ofs[n++].event = many[i];
	}
	if (!n)
		return rc;
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = run_event(ws, &ofs[i], ns);
	if (rc == 0)
		report_all_thresholds(ws, arg, ofs, n);
	return rc;
}

int unc_check_threshold(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct threshold_seen), threshold);
}

/* ==== behaviour.fields ==== */

/* A window may begin and end inside a clock, and what is met from the beginning may count as one edge. */
enum { FIELDS_ENDS = 8, FIELDS_TEXT = 64 };

struct fields_rule {
	unsigned thresh;
	const char *more;  /* ":edge", ":invert", "" */
	const char *field; /* the field that it tests */
	bool always;       /* it counts every clock; false: it counts none */
	bool full;         /* it is tried only with --full */
};
static const struct fields_rule rules[] = {
	{1, "", "thresh", true, false},         {1, ":edge", "edge_det", false, false}, {2, "", "thresh", false, false},
	{1, ":invert", "invert", false, false}, {2, ":invert", "invert", true, false},  {4, "", "thresh", false, true},
	{8, "", "thresh", false, true},         {16, "", "thresh", false, true},        {32, "", "thresh", false, true},
	{64, "", "thresh", false, true},        {128, "", "thresh", false, true},
};
enum { FIELDS_RULES = sizeof(rules) / sizeof(rules[0]) };

struct fields_seen {
	bool tried[FIELDS_RULES];
	uint64_t gained[FIELDS_RULES][UNC_PMON_SLOTS];
	struct unc_span clocks[FIELDS_RULES]; /* clocks of the window of each rule */
};

struct turn {
	struct fields_seen *seen;
	unsigned nth;
};

static const struct unc_field *field_of(const struct unc_window *w, const struct fields_rule *rule)
{
	const struct unc_field *field = unc_reg_field(w->b->pbox.regs.ctl, rule->field);

	return field && field->acc == UNC_RW && (rule->field != rules[0].field || rule->thresh <= unc_field_max(field))
		       ? field
		       : NULL;
}

static int keep_gains(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct fields_seen *s = &turn->seen[w->i];
	struct unc_span ns = unc_span_between(w->begin_ns, w->end_ns);

	s->tried[turn->nth] = true;
	s->clocks[turn->nth] = unc_span_counts(&w->hz, &ns);
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		s->gained[turn->nth][i] = w->gained[i];
	return UNC_OK;
}

static bool holds_fields(const struct fields_seen *s, unsigned nth, unsigned slot)
{
	uint64_t gained = s->gained[nth][slot];

	return rules[nth].always ? (double)gained >= s->clocks[nth].low / 2 : gained <= FIELDS_ENDS;
}

/* Returns the first general counter that does not follow the rule; -1: all do. */
static int disobeys(const struct unc_window *w, const struct fields_seen *s, unsigned nth)
{
	for (unsigned i = 0; s->tried[nth] && i < w->b->pbox.n_slots; i++)
		if (!w->b->pbox.slots[i].fixed && !holds_fields(s, nth, i))
			return (int)i;
	return -1;
}

/* ---- results ---- */

static void fail(struct unc_check *c, const struct unc_window *w, const struct fields_seen *s, unsigned nth,
		 unsigned slot)
{
	const struct fields_rule *rule = &rules[nth];
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

static void report_fields(struct unc_check *c, const struct unc_window *w, const struct fields_seen *s,
			  const struct unc_doubt *doubts)
{
	unsigned n = 0, n_doubted = 0;

	if (w->clockless) {
		unc_check_skip(c, "no event of general counters counts clocks here, by which it could be told");
		return;
	}
	for (unsigned nth = 0; nth < FIELDS_RULES; nth++) {
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

static void report_all_fields(struct unc_windows *ws, const struct fields_seen *seen)
{
	struct unc_doubt doubts[FIELDS_RULES] = {{0}};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (unsigned nth = 0; w->in && nth < FIELDS_RULES; nth++)
			if (seen[i].tried[nth])
				unc_doubt_add(&doubts[nth],
					      unc_check_is_doubtful(w->b->pbox.regs.ctl, field_of(w, &rules[nth])),
					      disobeys(w, &seen[i], nth) >= 0);
	}
	for (size_t i = 0; i < ws->n; i++)
		if (unc_window_begin(&ws->of[i]) && !unc_window_skips(&ws->of[i]))
			report_fields(ws->c, &ws->of[i], &seen[i], doubts);
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
	char text[FIELDS_TEXT];
	int rc;

	snprintf(text, sizeof(text), "%.32s:thresh=%u%s", any(ws)->clock, rules[turn->nth].thresh,
		 rules[turn->nth].more);
	for (unsigned i = 0; i < UNC_COUNTERS_MAX; i++)
		events[i] = text;
	rc = unc_windows_run(ws, unc_window_events, events, ns);
	return rc == 0 ? unc_windows_each(ws, keep_gains, turn) : rc;
}

static int fields(struct unc_windows *ws, void *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 5);
	int rc = unc_windows_clock(ws, ns, 1);

	for (unsigned nth = 0; nth < FIELDS_RULES && rc == 0; nth++)
		if (any(ws) && field_of(any(ws), &rules[nth]) && (!rules[nth].full || ws->c->depth == UNC_CHECK_FULL))
			rc = run_rule(ws, &(struct turn){.seen = seen, .nth = nth}, ns);
	if (rc == 0)
		report_all_fields(ws, seen);
	return rc;
}

int unc_check_fields(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct fields_seen), fields);
}

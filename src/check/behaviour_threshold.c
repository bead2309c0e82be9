// SPDX-License-Identifier: GPL-2.0-or-later
/* The algebra of threshold, invert and edge: what one control counts is compared with what others count in the same window. */
#include <inttypes.h>
#include <stdio.h>

#include "check/behaviour.h"

enum { TEXT = 64 };

/* What counters gained of one event in two windows; k is what the event adds in one clock. */
struct counts {
	bool has_cycles, has_levels;
	uint64_t hits, misses, cycles, edges; /* clocks with k >= 1; with k < 1; all clocks; starts of k >= 1 */
	uint64_t once, twice, sum, begins;    /* clocks with k >= 1; with k >= 2; sum of k; starts of k >= 1 */
	uint64_t clocks;                      /* all clocks of the second window; 0: not known */
};
enum { EVENTS = 2 };

/* The tolerance: a window may begin and end inside a clock, and the event may add several counts in each clock. */
enum { ENDS = 8 };

struct seen {
	struct counts counts[EVENTS];
};

struct of {
	struct seen *seen;
	unsigned nth;
	const char *event;
	const char *clock; /* NULL: the fixed counter is used */
	bool invert;       /* this part has invert */
	char thresh[TEXT], thresh2[TEXT], edge[TEXT], inverted[TEXT];
};

static uint64_t fixed_gain(const struct unc_window *w)
{
	unsigned slot = unc_drive_fixed(w->b);

	return slot < UNC_PMON_SLOTS ? w->gained[slot] : 0;
}

static int look_at_cycles(struct unc_window *w, void *arg)
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

static int look_at_levels(struct unc_window *w, void *arg)
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

	snprintf(of->thresh, TEXT, "%.32s:thresh=1", of->event);
	snprintf(of->thresh2, TEXT, "%.32s:thresh=2", of->event);
	snprintf(of->edge, TEXT, "%.32s:thresh=1:edge", of->event);
	snprintf(of->inverted, TEXT, "%.32s:thresh=1:invert", of->event);
	if (of->invert)
		rc = unc_windows_run(ws, unc_window_events, cycles, ns);
	if (rc == 0 && of->invert)
		rc = unc_windows_each(ws, look_at_cycles, of);
	if (rc == 0)
		rc = unc_windows_run(ws, unc_window_events, levels, ns);
	return rc == 0 ? unc_windows_each(ws, look_at_levels, of) : rc;
}

/* ---- results ---- */

struct rule {
	const char *says;
	uint64_t left, right;
	enum { AT_MOST, AT_MOST_ABOUT, ABOUT } how;
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

enum { RULES = 9 };
static unsigned rules_of(const struct counts *n, unsigned max_inc, struct rule rules[RULES])
{
	unsigned k = 0;

	if (n->has_cycles) {
		rules[k++] = (struct rule){"clocks with thresh=1, and inverted, together are all clocks",
					   n->hits + n->misses, n->cycles, ABOUT};
		rules[k++] = (struct rule){"edges are not more than clocks with thresh=1", n->edges, n->hits, AT_MOST};
		rules[k++] = (struct rule){"edges are not more than clocks without, and one", n->edges, n->misses + 1,
					   AT_MOST};
	}
	rules[k++] = (struct rule){"thresh=2 is not more than thresh=1", n->twice, n->once, AT_MOST};
	rules[k++] = (struct rule){"edges are not more than clocks with thresh=1", n->begins, n->once, AT_MOST};
	if (max_inc == 1 && n->has_cycles && must_begin(n->hits, n->cycles))
		rules[k++] =
			(struct rule){"what comes in some clocks and not in others has edges", 1, n->edges, AT_MOST};
	if (max_inc == 1 && must_begin(n->once, n->clocks))
		rules[k++] =
			(struct rule){"what comes in some clocks and not in others has edges", 1, n->begins, AT_MOST};
	if (max_inc == 1)
		rules[k++] = (struct rule){"what adds at most one a clock is the same with thresh=1", n->once, n->sum,
					   ABOUT};
	else
		rules[k++] = (struct rule){"thresh=1 and thresh=2 together are not more than the sum",
					   n->once + n->twice, n->sum, AT_MOST_ABOUT};
	return k;
}

/* Returns the first rule that does not hold; false: all of them hold. */
static bool find_broken(const struct unc_window *w, const char *event, const struct counts *counts,
			struct rule *ret_rule)
{
	struct rule rules[RULES];
	unsigned n = counts->has_levels ? rules_of(counts, unc_unit_event(w->b->box->unit, event)->max_inc, rules) : 0;

	for (unsigned k = 0; k < n; k++) {
		if (holds(&rules[k]))
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

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s, const struct of *ofs,
		  unsigned n)
{
	const char *no_invert =
		ofs[0].invert ? "" : "; this part has no invert, so that clocks without were not counted";
	char moved[200] = "";
	struct rule rule;
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

static void tell(struct unc_windows *ws, const struct seen *seen, const struct of *ofs, unsigned n)
{
	struct unc_doubt doubt = {0};
	struct rule rule = {.says = ""};

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
			judge(ws->c, &ws->of[i], &seen[i], ofs, n);
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
		tell(ws, arg, ofs, n);
	return rc;
}

int unc_check_threshold(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), threshold);
}

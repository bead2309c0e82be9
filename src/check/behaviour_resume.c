// SPDX-License-Identifier: GPL-2.0-or-later
/* A counter that runs again after a freeze has lost nothing, and gained nothing. */
#include <inttypes.h>
#include <stdio.h>

#include "check/behaviour.h"

enum { ROUNDS = 24 };

struct seen {
	unsigned n;
	bool restless[UNC_PMON_SLOTS]; /* the slot counts on while frozen, which behaviour.freeze reports */
	struct {
		struct unc_span counts; /* counts that the clock allows */
		uint64_t gained[UNC_PMON_SLOTS];
		uint64_t from[UNC_PMON_SLOTS], to[UNC_PMON_SLOTS];
		double ms;
	} rounds[ROUNDS];
};

static int look(struct unc_window *w, void *arg)
{
	struct seen *s = (struct seen *)arg + w->i;
	struct unc_span ns = unc_span_between(w->begin_ns, w->end_ns);
	int rc = unc_window_read(w, NULL);

	if (rc < 0 || s->n == ROUNDS)
		return rc;
	s->rounds[s->n].counts = unc_span_counts(&w->hz, &ns);
	s->rounds[s->n].ms = (ns.low + ns.high) / 2e6;
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		s->rounds[s->n].gained[i] = unc_window_moved(w, i);
		s->rounds[s->n].from[i] = w->before[i].value;
		s->rounds[s->n].to[i] = w->now[i].value;
	}
	s->n++;
	rc = unc_window_read(w, NULL);
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		s->restless[i] |= unc_window_moved(w, i) != 0;
	return rc;
}

/* ---- results ---- */

enum fault { FINE, BACKWARDS, SHORT, LONG };

static enum fault fault_of(const struct unc_window *w, const struct seen *s, unsigned round, unsigned slot)
{
	uint64_t gained = s->rounds[round].gained[slot];

	/* The distance backwards is the shorter one: the gain is over half of all values. */
	if (gained > unc_drive_gained(w->b, gained, 0))
		return BACKWARDS;
	if ((double)gained < s->rounds[round].counts.low)
		return SHORT;
	return (double)gained > s->rounds[round].counts.high ? LONG : FINE;
}

/* Returns in how many rounds that happened to the slot; the first of them is *ret_first. */
static unsigned count_faults(const struct unc_window *w, const struct seen *s, unsigned slot, enum fault fault,
			     unsigned *ret_first)
{
	unsigned n = 0;

	for (unsigned k = s->n; k-- > 0;) {
		if (fault_of(w, s, k, slot) != fault)
			continue;
		*ret_first = k;
		n++;
	}
	return n;
}

/*
 * A failure needs two rounds, since a clock that rests once, as in deep sleep of a package, is not a loss.  So the second best
 * round determines what would have been detected.
 */
static double detectable(const struct seen *s)
{
	double best = 1e18, second = 1e18;

	for (unsigned k = 0; k < s->n; k++) {
		double width = s->rounds[k].counts.high - s->rounds[k].counts.low;

		if (width < best) {
			second = best;
			best = width;
		} else if (width < second) {
			second = width;
		}
	}
	return second;
}

static void show(struct unc_check *c, const struct unc_window *w, const struct seen *s, unsigned slot, unsigned k)
{
	const struct unc_slot *of = &w->b->pbox.slots[slot];

	unc_check_see(c, &(struct unc_check_seen){
				 .what = "frozen again",
				 .box = w->b->box,
				 .reg = of->ctr,
				 .index = of->index,
				 .read = s->rounds[k].to[slot],
				 .has_expected = true,
				 .expected = s->rounds[k].from[slot] +
					     (uint64_t)((s->rounds[k].counts.low + s->rounds[k].counts.high) / 2)});
}

static bool judge_slot(struct unc_check *c, const struct unc_window *w, const struct seen *s, unsigned slot)
{
	char name[UNC_GATE_TEXT];
	unsigned k = 0, n;

	unc_window_slot(w, slot, name);
	if (count_faults(w, s, slot, BACKWARDS, &k)) {
		show(c, w, s, slot, k);
		unc_check_fail(c, "%s went backwards, from 0x%" PRIx64 " to 0x%" PRIx64 ", though it ran for %.3f ms",
			       name, s->rounds[k].from[slot], s->rounds[k].to[slot], s->rounds[k].ms);
		return false;
	}
	n = count_faults(w, s, slot, SHORT, &k);
	if (n < 2)
		n = count_faults(w, s, slot, LONG, &k);
	if (n < 2)
		return true;
	show(c, w, s, slot, k);
	unc_check_fail(c,
		       "%s: in %u of %u freezes counts are not those of the time it ran: %" PRIu64
		       " in %.3f ms, where the clock makes %.0f to %.0f",
		       name, n, s->n, s->rounds[k].gained[slot], s->rounds[k].ms, s->rounds[k].counts.low,
		       s->rounds[k].counts.high);
	return false;
}

static void draw(struct unc_check *c, const struct unc_window *w, const struct seen *s, unsigned slot)
{
	char name[UNC_GATE_TEXT], title[120] = "";
	double half = s->n ? (s->rounds[0].counts.high - s->rounds[0].counts.low) / 2 : 0;

	snprintf(title, sizeof(title), "%.40s: counts more than the clock says, each freeze",
		 unc_window_slot(w, slot, name));
	unc_check_begin_plot(
		c, &(struct unc_check_plot_of){
			   .title = title, .x_unit = "freeze", .y_unit = "counts", .low = -half, .high = half});
	for (unsigned k = 0; k < s->n; k++) {
		uint64_t gained = s->rounds[k].gained[slot], back = unc_drive_gained(w->b, gained, 0);
		double counts = gained > back ? -(double)back : (double)gained;

		unc_check_point(c, k + 1, counts - (s->rounds[k].counts.low + s->rounds[k].counts.high) / 2);
	}
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s)
{
	unsigned worst = w->b->pbox.n_slots - 1, n = 0;

	if (w->hz.low <= 0) {
		unc_check_fail(c, "the fixed counter stands still, so that its clock cannot be measured");
		return;
	}
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!unc_window_is_clock(w, i) || s->restless[i] || judge_slot(c, w, s, i))
			continue;
		worst = i;
		break;
	}
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		n += unc_window_is_clock(w, i) && !s->restless[i];
	if (!n) {
		unc_check_skip(c, "no counter stands when the channel is frozen (behaviour.freeze)");
		return;
	}
	draw(c, w, s, worst);
	unc_check_pass(c, "%u counters lost nothing in %u freezes; %.0f counts lost each time would have been seen%s%s",
		       n, s->n, detectable(s), unc_window_left_out(w),
		       n < unc_window_n_clocks(w) ? "; what does not stand when frozen was left out (behaviour.freeze)"
						  : "");
}

static int run_round(struct unc_windows *ws, void *seen, uint64_t ns)
{
	int rc = unc_windows_each(ws, unc_window_release, NULL);

	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_freeze, NULL);
	return rc == 0 ? unc_windows_each(ws, look, seen) : rc;
}

static int resume(struct unc_windows *ws, void *seen)
{
	unsigned n = unc_check_times(ws->c, 4, 8, ROUNDS);
	int rc = unc_windows_clock(ws, unc_check_ms(ws->c, 2, 5, 50), 4);

	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_freeze, NULL);
	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_read, NULL);
	for (unsigned i = 0; i < n && rc == 0; i++)
		rc = run_round(ws, seen, unc_check_ms(ws->c, 1, 1, 5));
	for (size_t i = 0; i < ws->n && rc == 0; i++)
		if (unc_window_begin(&ws->of[i]))
			judge(ws->c, &ws->of[i], (struct seen *)seen + i);
	return rc;
}

int unc_check_resume(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), resume);
}

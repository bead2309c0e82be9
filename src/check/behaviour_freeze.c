// SPDX-License-Identifier: GPL-2.0-or-later
/* Freeze stops every counter of the channel, and no other, and a counter that runs again has lost nothing. */
#include "check/window.h"

/* ==== behaviour.freeze ==== */

/* Freeze stops every counter of the channel, and no other; where there is frz_en, it works only together with it. */

enum { READINGS = 2 + 2 * 16 };

struct freeze_seen {
	/* What was wrong first: it stood still though enabled, ran while frozen, or stood still while others were frozen. */
	enum { NOTHING, STILL, RAN, STOOD } wrong;
	unsigned slot;                     /* whose counter it was */
	struct unc_reading from, to;       /* its readings, of the interval that shows it */
	unsigned n_ran;                    /* most slots that ran while frozen in one round */
	unsigned n_frozen;                 /* rounds in which the channel was frozen */
	unsigned others;                   /* how many other channels were frozen when a counter of this one stopped */
	uint64_t controls[UNC_PMON_SLOTS]; /* the controls before the first freeze */
	int changed;                       /* a slot whose control did not keep its value; -1: none */
	uint64_t control;                  /* what that control held */
	unsigned n;                        /* readings, for the plot */
	uint64_t at_ns[READINGS], count[READINGS][UNC_PMON_SLOTS];
};

/*
 * Rounds come in pairs: one half of the channels is frozen, then the other.  Any two channels are in different halves in some pair.
 */
static bool is_member(const struct unc_window *w, unsigned round)
{
	return ((w->i >> (round / 2)) & 1) == round % 2;
}

static void keep(struct unc_window *w)
{
	struct freeze_seen *s = w->seen;

	if (s->n == READINGS || w->b->failed)
		return;
	s->at_ns[s->n] = w->now[0].before_ns;
	for (unsigned i = 0; i < w->n; i++)
		s->count[s->n][i] = w->now[i].value;
	s->n++;
}

static void note(const struct unc_window *w, unsigned wrong, unsigned i)
{
	struct freeze_seen *s = w->seen;

	if (s->wrong)
		return;
	s->wrong = wrong;
	s->slot = i;
	s->from = w->before[i];
	s->to = w->now[i];
}

static void begin_rounds(struct unc_window *w)
{
	struct freeze_seen *s = w->seen;

	s->changed = -1;
	for (unsigned i = 0; i < w->n; i++) {
		if (unc_window_is_clock(w, i) && !w->moved[i])
			note(w, STILL, i);
		s->controls[i] = unc_drive_read(w->b, w->slots[i].ctl, w->slots[i].index);
	}
	keep(w);
}

static void end_round(struct unc_window *w, unsigned round, unsigned n_members)
{
	bool member = is_member(w, round);
	struct freeze_seen *s = w->seen;
	unsigned n_ran = 0;

	unc_window_read(w);
	keep(w);
	for (unsigned i = 0; i < w->n; i++) {
		bool moved = w->moved[i];

		if (!unc_window_is_clock(w, i) || moved != member)
			continue;
		note(w, member ? RAN : STOOD, i);
		n_ran += member;
		s->others = member ? s->others : n_members;
	}
	s->n_ran = n_ran > s->n_ran ? n_ran : s->n_ran;
	if (!member)
		return;
	for (unsigned i = 0; i < w->n; i++) {
		uint64_t now = unc_drive_read(w->b, w->slots[i].ctl, w->slots[i].index);

		if (now != s->controls[i] && s->changed < 0) {
			s->changed = (int)i;
			s->control = now;
		}
	}
	unc_window_release(w);
}

static void freeze_rounds(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	struct unc_window *w = NULL;
	unsigned n_rounds = 2;

	unc_windows_clock(ws, ns, 1);
	unc_windows_each(ws, begin_rounds);
	while (ws->n > (size_t)1 << (n_rounds / 2) && n_rounds < 16)
		n_rounds += 2;
	for (unsigned round = 0; round < n_rounds; round++) {
		unsigned n_members = 0;

		while (unc_windows_next(ws, &w)) {
			if (!is_member(w, round))
				continue;
			n_members++;
			((struct freeze_seen *)w->seen)->n_frozen++;
			unc_window_freeze(w);
		}
		while (unc_windows_next(ws, &w)) {
			unc_window_read(w);
			keep(w);
		}
		unc_windows_wait(ws, ns);
		while (unc_windows_next(ws, &w))
			end_round(w, round, n_members);
	}
}

/* ---- results ---- */

/* Draws the slot that shows the failure, if there is one, else the first. */
static void draw_freeze(const struct unc_window *w)
{
	const struct freeze_seen *s = w->seen;
	unsigned i = s->slot;
	char title[120];

	if (!unc_window_is_clock(w, i))
		i = w->n - 1;
	snprintf(title, sizeof(title), "%.40s: counts, frozen and released by turns", w->b->name[i]);
	unc_check_begin_plot(w->c, &(struct unc_check_plot){.title = title, .x_unit = "ms", .y_unit = "counts"});
	for (unsigned k = 0; k < s->n; k++)
		unc_check_point(w->c, (double)(s->at_ns[k] - s->at_ns[0]) / 1e6,
				(double)unc_drive_gained(w->b, s->count[0][i], s->count[k][i]));
}

static void doubt_freeze(struct unc_window *w)
{
	const struct freeze_seen *s = w->seen;

	unc_doubt_add(w->ws->doubts, unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz),
		      s->n_ran == unc_window_n_clocks(w));
}

static void report_freeze(struct unc_window *w)
{
	const struct freeze_seen *s = w->seen;
	double ms = (double)(s->to.before_ns - s->from.before_ns) / 1e6;

	if (unc_doubt_excuses(w->ws->doubts)) {
		unc_check_skip(w->c, "freezing stops no counter of any channel here, which the map doubts");
		unc_check_tested(w->c, "BOX_CTL.frz", "no counter stops");
		return;
	}
	if (s->wrong == STILL) {
		unc_check_see(w->c, unc_window_seen(w, s->slot, "while it should count", s->to.value));
		unc_check_fail(w->c, "%s stood still for %.3f ms though it is enabled and nothing is frozen",
			       w->b->name[s->slot], ms);
	} else if (s->wrong == RAN) {
		unc_check_compare(w->c, unc_window_seen(w, s->slot, "while frozen", s->to.value), s->from.value, 0);
		unc_check_fail(w->c, "%s went on while the channel was frozen: %" PRIu64 " counts in %.3f ms",
			       w->b->name[s->slot], unc_drive_gained(w->b, s->from.value, s->to.value), ms);
	} else if (s->wrong == STOOD) {
		unc_check_see(w->c, unc_window_seen(w, s->slot, "while others were frozen", s->to.value));
		unc_check_fail(w->c, "%s stood still for %.3f ms though only other channels, %u of them, were frozen",
			       w->b->name[s->slot], ms, s->others);
	}
	if (s->changed >= 0)
		unc_check_expect(w->c,
				 unc_window_seen_control(w, (unsigned)s->changed, "control while frozen", s->control),
				 s->controls[s->changed], 0);
	unc_check_pass(w->c, "%u counters counted, and stood still each of the %u times that the channel was frozen%s",
		       unc_window_n_clocks(w), s->n_frozen, unc_window_left_out(w));
	draw_freeze(w);
}

const struct unc_windows_def unc_check_freeze = {sizeof(struct freeze_seen), freeze_rounds, doubt_freeze,
						 report_freeze};

/* ==== behaviour.frz_en ==== */

/* frz works only with frz_en, on parts that have it. */

static const struct {
	const char *what;
	const char *fields[3]; /* a NULL ends them */
	bool stops;
} states[] = {
	{"frz alone", {"frz"}, false},
	{"neither frz nor frz_en", {NULL}, false},
	{"frz and frz_en", {"frz", "frz_en"}, true},
	{"frz_en alone", {"frz_en"}, false},
};
enum { STATES = sizeof(states) / sizeof(states[0]) };

struct frz_en_seen {
	uint64_t moved[STATES][UNC_PMON_SLOTS];
};

static void try_states(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	struct unc_window *w = NULL;

	while (unc_windows_next(ws, &w)) {
		const struct unc_field *field = w->b->pbox.regs.frz_en;

		w->in = field && field->acc != UNC_RSVD;
		w->lacks = w->in ? NULL : "has no frz_en in BOX_CTL: frz works by itself there";
	}
	unc_windows_clock(ws, ns, 1);
	for (unsigned k = 0; k < STATES; k++) {
		while (unc_windows_next(ws, &w)) {
			unc_drive_box_ctl(w->b, states[k].fields);
			unc_window_read(w);
		}
		unc_windows_wait(ws, ns);
		while (unc_windows_next(ws, &w)) {
			unc_window_read(w);
			memcpy(((struct frz_en_seen *)w->seen)->moved[k], w->moved, sizeof(w->moved));
		}
	}
}

static unsigned n_moved(const struct unc_window *w, unsigned state)
{
	const struct frz_en_seen *s = w->seen;
	unsigned n = 0;

	for (unsigned i = 0; i < w->n; i++)
		n += unc_window_is_clock(w, i) && s->moved[state][i];
	return n;
}

static void doubt_frz_en(struct unc_window *w)
{
	unc_doubt_add(w->ws->doubts, unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz_en),
		      n_moved(w, 0) == 0);
}

static void report_frz_en(struct unc_window *w)
{
	unsigned n_clocks = unc_window_n_clocks(w), stopped = STATES;
	bool excused = unc_doubt_excuses(w->ws->doubts);

	for (unsigned k = 0; k < STATES && !excused; k++) {
		const struct unc_check_seen seen =
			unc_seen_value("counters that counted", states[k].what, n_moved(w, k));

		if (states[k].stops)
			unc_check_see(w->c, seen);
		else if (!unc_check_compare(w->c, seen, n_clocks, 0) && stopped == STATES)
			stopped = k;
	}
	if (excused)
		unc_check_skip(w->c, "frz alone stops the counters of every channel here; the map doubts frz_en");
	else if (n_moved(w, 2) == n_clocks)
		unc_check_skip(w->c,
			       "frz and frz_en together stop no counter, so that nothing can be told of either alone");
	else if (stopped < STATES)
		unc_check_fail(w->c, "with %s in BOX_CTL %u of %u counters stood still", states[stopped].what,
			       n_clocks - n_moved(w, stopped), n_clocks);
	else
		unc_check_pass(w->c, "frz alone stops nothing, with frz_en it does");
	if (unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz_en) && unc_window_tells(w))
		unc_check_tested(w->c, "BOX_CTL.frz_en", excused ? "frz works without it" : "frz works with it only");
}

const struct unc_windows_def unc_check_frz_en = {sizeof(struct frz_en_seen), try_states, doubt_frz_en, report_frz_en};

/* ==== behaviour.resume ==== */

/* A counter that runs again after a freeze has lost nothing, and gained nothing. */

enum { ROUNDS = 24 };

struct resume_round {
	struct unc_span counts; /* counts that the clock allows */
	uint64_t gained[UNC_PMON_SLOTS];
	uint64_t from[UNC_PMON_SLOTS], to[UNC_PMON_SLOTS];
	double ms;
};
struct resume_seen {
	unsigned n;
	bool restless[UNC_PMON_SLOTS]; /* the slot counts on while frozen, which behaviour.freeze reports */
	struct resume_round rounds[ROUNDS];
};

static void read_round(struct unc_window *w)
{
	struct resume_seen *s = w->seen;
	struct unc_span ns = unc_span_between(w->begin_ns, w->end_ns);
	struct resume_round *round = &s->rounds[s->n++];

	unc_window_read(w);
	round->counts = unc_window_counts(w);
	round->ms = (ns.low + ns.high) / 2e6;
	for (unsigned i = 0; i < w->n; i++) {
		round->gained[i] = w->moved[i];
		round->from[i] = w->before[i].value;
		round->to[i] = w->now[i].value;
	}
	unc_window_read(w);
	for (unsigned i = 0; i < w->n; i++)
		s->restless[i] |= w->moved[i] != 0;
}

static void freeze_often(struct unc_windows *ws)
{
	unsigned n = unc_check_times(ws->c, 4, 8, ROUNDS);

	unc_windows_clock(ws, unc_check_ms(ws->c, 2, 5, 50), 4);
	unc_windows_each(ws, unc_window_freeze);
	unc_windows_each(ws, unc_window_read);
	for (unsigned i = 0; i < n; i++) {
		unc_windows_each(ws, unc_window_release);
		unc_windows_wait(ws, unc_check_ms(ws->c, 1, 1, 5));
		unc_windows_each(ws, unc_window_freeze);
		unc_windows_each(ws, read_round);
	}
}

/* ---- results ---- */

enum fault { FINE, BACKWARDS, SHORT, LONG };

/* Returns in how many rounds that happened to the slot; the first of them is *ret_first. */
static unsigned count_faults(const struct unc_window *w, unsigned slot, enum fault fault,
			     const struct resume_round **ret_first)
{
	const struct resume_seen *s = w->seen;
	unsigned n = 0;

	for (unsigned k = s->n; k-- > 0;) {
		const struct resume_round *round = &s->rounds[k];
		uint64_t gained = round->gained[slot];
		/* The distance backwards is the shorter one: the gain is over half of all values. */
		enum fault found = gained > unc_drive_gained(w->b, gained, 0) ? BACKWARDS
				   : (double)gained < round->counts.low       ? SHORT
				   : (double)gained > round->counts.high      ? LONG
									      : FINE;

		if (found == fault) {
			*ret_first = round;
			n++;
		}
	}
	return n;
}

/*
 * A failure needs two rounds, since a clock that rests once, as in deep sleep of a package, is not a loss.  So the second best
 * round determines what would have been detected.
 */
static double detectable(const struct resume_seen *s)
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

static double middle(const struct unc_span *span)
{
	return (span->low + span->high) / 2;
}

static bool check_slot(const struct unc_window *w, unsigned slot)
{
	const struct resume_seen *s = w->seen;
	const struct resume_round *round = NULL;
	unsigned n_backwards = count_faults(w, slot, BACKWARDS, &round), n = 0;

	if (!n_backwards)
		n = count_faults(w, slot, SHORT, &round);
	if (!n_backwards && n < 2)
		n = count_faults(w, slot, LONG, &round);
	if (!n_backwards && n < 2)
		return true;
	unc_check_compare(w->c, unc_window_seen(w, slot, "frozen again", round->to[slot]),
			  round->from[slot] + (uint64_t)middle(&round->counts), 0);
	if (n_backwards)
		unc_check_fail(w->c,
			       "%s went backwards, from 0x%" PRIx64 " to 0x%" PRIx64 ", though it ran for %.3f ms",
			       w->b->name[slot], round->from[slot], round->to[slot], round->ms);
	else
		unc_check_fail(w->c,
			       "%s: in %u of %u freezes counts are not those of the time it ran: %" PRIu64
			       " in %.3f ms, where the clock makes %.0f to %.0f",
			       w->b->name[slot], n, s->n, round->gained[slot], round->ms, round->counts.low,
			       round->counts.high);
	return false;
}

static void draw_resume(const struct unc_window *w, unsigned slot)
{
	const struct resume_seen *s = w->seen;
	double half = s->n ? (s->rounds[0].counts.high - s->rounds[0].counts.low) / 2 : 0;
	char title[120];

	snprintf(title, sizeof(title), "%.40s: counts more than the clock says, each freeze", w->b->name[slot]);
	unc_check_begin_plot(w->c, &(struct unc_check_plot){title, "freeze", "counts", .low = -half, .high = half});
	for (unsigned k = 0; k < s->n; k++) {
		uint64_t gained = s->rounds[k].gained[slot], back = unc_drive_gained(w->b, gained, 0);
		double counts = gained > back ? -(double)back : (double)gained;

		unc_check_point(w->c, k + 1, counts - middle(&s->rounds[k].counts));
	}
}

static void report_resume(struct unc_window *w)
{
	const struct resume_seen *s = w->seen;
	unsigned worst = w->n - 1, n = 0;
	bool good = true;

	if (w->hz.low <= 0) {
		unc_check_fail(w->c, "the fixed counter stands still, so that its clock cannot be measured");
		return;
	}
	for (unsigned i = 0; i < w->n; i++) {
		if (!unc_window_is_clock(w, i) || s->restless[i])
			continue;
		n++;
		if (good && !check_slot(w, i)) {
			good = false;
			worst = i;
		}
	}
	if (!n) {
		unc_check_skip(w->c, "no counter stops when the channel is frozen (behaviour.freeze)");
		return;
	}
	draw_resume(w, worst);
	unc_check_pass(
		w->c, "%u counters lost nothing in %u freezes; %.0f counts lost each time would have been seen%s%s", n,
		s->n, detectable(s), unc_window_left_out(w),
		n < unc_window_n_clocks(w) ? "; counters that do not stop when frozen were left out (behaviour.freeze)"
					   : "");
}

const struct unc_windows_def unc_check_resume = {sizeof(struct resume_seen), freeze_often, NULL, report_resume};

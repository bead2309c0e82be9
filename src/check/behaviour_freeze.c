// SPDX-License-Identifier: GPL-2.0-or-later
/* Freeze stops every counter of the channel, and no other, and a counter that runs again has lost nothing. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>

/* ==== behaviour.freeze ==== */

enum { READINGS = 2 + 2 * 16 };

struct freeze_seen {
	/* The first slot that was wrong, by kind; -1: none. from and to are the interval that shows it. */
	int still, ran, stood;
	struct unc_reading from, to;       /* readings of that slot */
	unsigned n_ran;                    /* most slots that ran while frozen in one round */
	unsigned n_frozen;                 /* rounds in which the channel was frozen */
	unsigned others;                   /* how many other channels were frozen when a counter of this one stopped */
	uint64_t controls[UNC_PMON_SLOTS]; /* the controls before the first freeze */
	int changed;                       /* a slot whose control did not keep its value; -1: none */
	uint64_t control;                  /* what that control held */
	unsigned n;                        /* readings, for the plot */
	uint64_t at_ns[READINGS], count[READINGS][UNC_PMON_SLOTS];
};

struct round {
	struct freeze_seen *seen;
	unsigned nth;
	unsigned n_members;
};

/*
 * Rounds come in pairs: one half of the channels is frozen, then the other.  Any two channels are in different halves in some pair.
 */
static bool is_member(const struct unc_window *w, const struct round *round)
{
	return ((w->i >> (round->nth / 2)) & 1) == round->nth % 2;
}

static unsigned n_rounds(size_t n_boxes)
{
	unsigned n = 2;

	while (n_boxes > (size_t)1 << (n / 2) && n < 16)
		n += 2;
	return n;
}

static void keep(struct freeze_seen *s, const struct unc_window *w)
{
	if (s->n == READINGS)
		return;
	s->at_ns[s->n] = w->now[0].before_ns;
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		s->count[s->n][i] = w->now[i].value;
	s->n++;
}

static void note(struct freeze_seen *s, const struct unc_window *w, int *which, unsigned i)
{
	if (s->still >= 0 || s->ran >= 0 || s->stood >= 0)
		return;
	*which = (int)i;
	s->from = w->before[i];
	s->to = w->now[i];
}

static int read_before(struct unc_window *w, void *arg)
{
	struct freeze_seen *s = (struct freeze_seen *)arg + w->i;
	int rc = UNC_OK;

	s->still = s->ran = s->stood = s->changed = -1;
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &w->b->pbox.slots[i];

		if (unc_window_is_clock(w, i) && !unc_window_moved(w, i))
			note(s, w, &s->still, i);
		rc = unc_drive_read(w->b, slot->ctl, slot->index, &s->controls[i]);
	}
	keep(s, w);
	return rc;
}

static int freeze_member(struct unc_window *w, void *arg)
{
	struct round *round = arg;

	if (!is_member(w, round))
		return UNC_OK;
	round->n_members++;
	round->seen[w->i].n_frozen++;
	return unc_window_freeze(w, NULL);
}

static int read_counters(struct unc_window *w, void *arg)
{
	const struct round *round = arg;
	int rc = unc_window_read(w, NULL);

	if (rc == 0)
		keep(&round->seen[w->i], w);
	return rc;
}

static void classify_round(struct unc_window *w, const struct round *round)
{
	struct freeze_seen *s = &round->seen[w->i];
	unsigned n_ran = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		bool moved = unc_window_moved(w, i);

		if (!unc_window_is_clock(w, i))
			continue;
		if (is_member(w, round) && moved) {
			note(s, w, &s->ran, i);
			n_ran++;
		}
		if (!is_member(w, round) && !moved) {
			note(s, w, &s->stood, i);
			s->others = round->n_members;
		}
	}
	s->n_ran = n_ran > s->n_ran ? n_ran : s->n_ran;
}

static int read_after(struct unc_window *w, void *arg)
{
	const struct round *round = arg;
	struct freeze_seen *s = &round->seen[w->i];
	int rc = read_counters(w, arg);

	if (rc == 0)
		classify_round(w, round);
	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0 && is_member(w, round); i++) {
		const struct unc_slot *slot = &w->b->pbox.slots[i];
		uint64_t now;

		rc = unc_drive_read(w->b, slot->ctl, slot->index, &now);
		if (rc == 0 && now != s->controls[i] && s->changed < 0) {
			s->changed = (int)i;
			s->control = now;
		}
	}
	return rc == 0 && is_member(w, round) ? unc_window_release(w, NULL) : rc;
}

static int run_round_freeze(struct unc_windows *ws, struct round *round, uint64_t ns)
{
	int rc = unc_windows_each(ws, freeze_member, round);

	if (rc == 0)
		rc = unc_windows_each(ws, read_counters, round);
	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	return rc == 0 ? unc_windows_each(ws, read_after, round) : rc;
}

/* ---- results ---- */

/* Draws the slot that shows the failure, if there is one, else the first. */
static void draw_freeze(struct unc_check *c, const struct unc_window *w, const struct freeze_seen *s)
{
	unsigned i = (unsigned)(s->ran > 0 ? s->ran : s->stood > 0 ? s->stood : s->still > 0 ? s->still : 0);
	char name[UNC_GATE_TEXT], title[120] = "";

	if (!unc_window_is_clock(w, i))
		i = w->b->pbox.n_slots - 1;
	snprintf(title, sizeof(title), "%.40s: counts, frozen and released by turns", unc_window_slot(w, i, name));
	unc_check_begin_plot(c, &(struct unc_check_plot_of){.title = title, .x_unit = "ms", .y_unit = "counts"});
	for (unsigned k = 0; k < s->n; k++)
		unc_check_point(c, (double)(s->at_ns[k] - s->at_ns[0]) / 1e6,
				(double)unc_drive_gained(w->b, s->count[0][i], s->count[k][i]));
}

static void show_freeze(struct unc_check *c, const struct unc_window *w, const char *what, int slot,
			const struct freeze_seen *s, bool stands)
{
	const struct unc_slot *of = &w->b->pbox.slots[slot];

	unc_check_see(c, &(struct unc_check_seen){.what = what,
						  .box = w->b->box,
						  .reg = of->ctr,
						  .index = of->index,
						  .read = s->to.value,
						  .has_expected = stands,
						  .expected = s->from.value});
}

static void report_freeze(struct unc_check *c, const struct unc_window *w, const struct freeze_seen *s)
{
	double ms = (double)(s->to.before_ns - s->from.before_ns) / 1e6;
	char name[UNC_GATE_TEXT];

	if (s->still >= 0) {
		show_freeze(c, w, "while it should count", s->still, s, false);
		unc_check_fail(c, "%s stood still for %.3f ms though it is enabled and nothing is frozen",
			       unc_window_slot(w, (unsigned)s->still, name), ms);
	} else if (s->ran >= 0) {
		show_freeze(c, w, "while frozen", s->ran, s, true);
		unc_check_fail(c, "%s went on while the channel was frozen: %" PRIu64 " counts in %.3f ms",
			       unc_window_slot(w, (unsigned)s->ran, name),
			       unc_drive_gained(w->b, s->from.value, s->to.value), ms);
	} else if (s->stood >= 0) {
		show_freeze(c, w, "while others were frozen", s->stood, s, false);
		unc_check_fail(c, "%s stood still for %.3f ms though only other channels, %u of them, were frozen",
			       unc_window_slot(w, (unsigned)s->stood, name), ms, s->others);
	}
	if (s->changed >= 0) {
		const struct unc_slot *slot = &w->b->pbox.slots[s->changed];

		unc_check_expect(c, &(struct unc_check_seen){.what = "control while frozen",
							     .box = w->b->box,
							     .reg = slot->ctl,
							     .index = slot->index,
							     .read = s->control,
							     .has_expected = true,
							     .expected = s->controls[s->changed]});
	}
	unc_check_pass(c, "%u counters counted, and stood still each of the %u times that the channel was frozen%s",
		       unc_window_n_clocks(w), s->n_frozen, unc_window_left_out(w));
}

static void report_all_freezes(struct unc_windows *ws, const struct freeze_seen *seen)
{
	struct unc_doubt doubt = {0};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		if (!w->in)
			continue;
		unc_doubt_add(&doubt, unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz),
			      seen[i].n_ran == unc_window_n_clocks(w));
	}
	for (size_t i = 0; i < ws->n; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		if (unc_doubt_excuses(&doubt)) {
			unc_check_skip(ws->c, "freezing stops no counter of any channel here, which the map doubts");
			unc_check_tested(ws->c, "BOX_CTL.frz", "no counter stops");
			continue;
		}
		report_freeze(ws->c, &ws->of[i], &seen[i]);
		draw_freeze(ws->c, &ws->of[i], &seen[i]);
	}
}

static int freeze(struct unc_windows *ws, void *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	int rc = unc_windows_clock(ws, ns, 1);

	if (rc == 0)
		rc = unc_windows_each(ws, read_before, seen);
	for (unsigned i = 0; i < n_rounds(ws->n) && rc == 0; i++)
		rc = run_round_freeze(ws, &(struct round){.seen = seen, .nth = i}, ns);
	if (rc == 0)
		report_all_freezes(ws, seen);
	return rc;
}

int unc_check_freeze(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct freeze_seen), freeze);
}

/* ==== behaviour.frz_en ==== */

/* frz works only with frz_en, on parts that have it. */

static const char *const frz[] = {"frz", NULL}, *const none[] = {NULL}, *const both[] = {"frz", "frz_en", NULL},
			 *const frz_en[] = {"frz_en", NULL};
static const struct state {
	const char *what;
	const char *const *fields;
	bool stops;
} states[] = {
	{"frz alone", frz, false},
	{"neither frz nor frz_en", none, false},
	{"frz and frz_en", both, true},
	{"frz_en alone", frz_en, false},
};
enum { STATES = sizeof(states) / sizeof(states[0]) };

struct frz_en_seen {
	uint64_t moved[STATES][UNC_PMON_SLOTS];
};

struct step {
	struct frz_en_seen *seen;
	unsigned state;
};

static int write_state(struct unc_window *w, void *arg)
{
	const struct step *step = arg;
	int rc = unc_drive_box_ctl(w->b, states[step->state].fields);

	return rc == 0 ? unc_window_read(w, NULL) : rc;
}

static int read_moved(struct unc_window *w, void *arg)
{
	const struct step *step = arg;
	int rc = unc_window_read(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		step->seen[w->i].moved[step->state][i] = unc_window_moved(w, i);
	return rc;
}

/* Channels of parts that do not have it are left out. */
static int has_it(struct unc_window *w, void *arg)
{
	(void)arg;
	if (!unc_drive_has_box_field(w->b, "frz_en"))
		w->in = false;
	return UNC_OK;
}

static unsigned n_moved(const struct unc_window *w, const struct frz_en_seen *s, unsigned state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		n += unc_window_is_clock(w, i) && s->moved[state][i];
	return n;
}

static void report_frz_en(struct unc_check *c, const struct unc_window *w, const struct frz_en_seen *s)
{
	const char *stopped = NULL;

	for (unsigned k = 0; k < STATES; k++) {
		unsigned n = n_moved(w, s, k);

		unc_check_see(c, &(struct unc_check_seen){.what = states[k].what,
							  .name = "counters that counted",
							  .read = n,
							  .has_expected = !states[k].stops,
							  .expected = unc_window_n_clocks(w)});
		if (!states[k].stops && n < unc_window_n_clocks(w) && !stopped)
			stopped = states[k].what;
	}
	if (n_moved(w, s, 2) == unc_window_n_clocks(w))
		unc_check_skip(c,
			       "frz and frz_en together stop no counter, so that nothing can be told of either alone");
	else if (stopped)
		unc_check_fail(c, "with %s in BOX_CTL %u of %u counters stood still", stopped,
			       unc_window_n_clocks(w) - n_moved(w, s,
								stopped == states[0].what   ? 0
								: stopped == states[1].what ? 1
											    : 3),
			       unc_window_n_clocks(w));
	else
		unc_check_pass(c, "frz alone stops nothing, with frz_en it does");
}

static void report_channel(struct unc_windows *ws, const struct frz_en_seen *seen, struct unc_window *w, bool excused,
			   bool *told)
{
	struct unc_check *c = ws->c;

	if (w->b->usable && !unc_drive_has_box_field(w->b, "frz_en")) {
		unc_check_begin(c, w->b->box->name);
		unc_check_skip(c, "%s has no frz_en in BOX_CTL: frz works by itself there", w->b->box->unit->title);
		return;
	}
	if (!unc_window_begin(w))
		return;
	if (excused)
		unc_check_skip(c, "frz alone stops the counters of every channel here; the map doubts frz_en");
	else
		report_frz_en(c, w, &seen[w->i]);
	if (!*told && unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz_en)) {
		unc_check_tested(c, "BOX_CTL.frz_en", excused ? "frz works without it" : "frz works with it only");
		*told = true;
	}
}

static void report_all_frz_en(struct unc_windows *ws, const struct frz_en_seen *seen)
{
	struct unc_doubt doubt = {0};
	bool told = false;

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		if (!w->in)
			continue;
		unc_doubt_add(&doubt, unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz_en),
			      n_moved(w, &seen[i], 0) == 0);
	}
	for (size_t i = 0; i < ws->n; i++)
		report_channel(ws, seen, &ws->of[i], unc_doubt_excuses(&doubt), &told);
}

static int frz_en_of_all(struct unc_windows *ws, void *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	int rc = unc_windows_each(ws, has_it, NULL);

	if (rc == 0)
		rc = unc_windows_clock(ws, ns, 1);
	for (unsigned i = 0; i < STATES && rc == 0; i++) {
		struct step step = {seen, i};

		rc = unc_windows_each(ws, write_state, &step);
		if (rc == 0)
			rc = unc_check_wait(ws->c, ns);
		if (rc == 0)
			rc = unc_windows_each(ws, read_moved, &step);
	}
	if (rc == 0)
		report_all_frz_en(ws, seen);
	return rc;
}

int unc_check_frz_en(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct frz_en_seen), frz_en_of_all);
}

/* ==== behaviour.resume ==== */

/* A counter that runs again after a freeze has lost nothing, and gained nothing. */

enum { ROUNDS = 24 };

struct resume_seen {
	unsigned n;
	bool restless[UNC_PMON_SLOTS]; /* the slot counts on while frozen, which behaviour.freeze reports */
	struct {
		struct unc_span counts; /* counts that the clock allows */
		uint64_t gained[UNC_PMON_SLOTS];
		uint64_t from[UNC_PMON_SLOTS], to[UNC_PMON_SLOTS];
		double ms;
	} rounds[ROUNDS];
};

static int read_round(struct unc_window *w, void *arg)
{
	struct resume_seen *s = (struct resume_seen *)arg + w->i;
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

static enum fault fault_of(const struct unc_window *w, const struct resume_seen *s, unsigned round, unsigned slot)
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
static unsigned count_faults(const struct unc_window *w, const struct resume_seen *s, unsigned slot, enum fault fault,
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

static void show_resume(struct unc_check *c, const struct unc_window *w, const struct resume_seen *s, unsigned slot,
			unsigned k)
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

static bool check_slot(struct unc_check *c, const struct unc_window *w, const struct resume_seen *s, unsigned slot)
{
	char name[UNC_GATE_TEXT];
	unsigned k = 0, n;

	unc_window_slot(w, slot, name);
	if (count_faults(w, s, slot, BACKWARDS, &k)) {
		show_resume(c, w, s, slot, k);
		unc_check_fail(c, "%s went backwards, from 0x%" PRIx64 " to 0x%" PRIx64 ", though it ran for %.3f ms",
			       name, s->rounds[k].from[slot], s->rounds[k].to[slot], s->rounds[k].ms);
		return false;
	}
	n = count_faults(w, s, slot, SHORT, &k);
	if (n < 2)
		n = count_faults(w, s, slot, LONG, &k);
	if (n < 2)
		return true;
	show_resume(c, w, s, slot, k);
	unc_check_fail(c,
		       "%s: in %u of %u freezes counts are not those of the time it ran: %" PRIu64
		       " in %.3f ms, where the clock makes %.0f to %.0f",
		       name, n, s->n, s->rounds[k].gained[slot], s->rounds[k].ms, s->rounds[k].counts.low,
		       s->rounds[k].counts.high);
	return false;
}

static void draw_resume(struct unc_check *c, const struct unc_window *w, const struct resume_seen *s, unsigned slot)
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

static void report_resume(struct unc_check *c, const struct unc_window *w, const struct resume_seen *s)
{
	unsigned worst = w->b->pbox.n_slots - 1, n = 0;

	if (w->hz.low <= 0) {
		unc_check_fail(c, "the fixed counter stands still, so that its clock cannot be measured");
		return;
	}
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!unc_window_is_clock(w, i) || s->restless[i] || check_slot(c, w, s, i))
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
	draw_resume(c, w, s, worst);
	unc_check_pass(c, "%u counters lost nothing in %u freezes; %.0f counts lost each time would have been seen%s%s",
		       n, s->n, detectable(s), unc_window_left_out(w),
		       n < unc_window_n_clocks(w) ? "; what does not stand when frozen was left out (behaviour.freeze)"
						  : "");
}

static int run_round_resume(struct unc_windows *ws, void *seen, uint64_t ns)
{
	int rc = unc_windows_each(ws, unc_window_release, NULL);

	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	if (rc == 0)
		rc = unc_windows_each(ws, unc_window_freeze, NULL);
	return rc == 0 ? unc_windows_each(ws, read_round, seen) : rc;
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
		rc = run_round_resume(ws, seen, unc_check_ms(ws->c, 1, 1, 5));
	for (size_t i = 0; i < ws->n && rc == 0; i++)
		if (unc_window_begin(&ws->of[i]))
			report_resume(ws->c, &ws->of[i], (struct resume_seen *)seen + i);
	return rc;
}

int unc_check_resume(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct resume_seen), resume);
}

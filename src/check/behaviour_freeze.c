// SPDX-License-Identifier: GPL-2.0-or-later
/* Freeze stops every counter of the channel, and no other; where there is frz_en, it works only together with it. */
#include <inttypes.h>
#include <stdio.h>

#include "check/behaviour.h"

enum { READINGS = 2 + 2 * 16 };

struct seen {
	/* The first slot that was wrong, by kind; -1: none. from and to are the interval that shows it. */
	int still, ran, stood;
	struct unc_drive_reading from, to; /* readings of that slot */
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
	struct seen *seen;
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

static void keep(struct seen *s, const struct unc_window *w)
{
	if (s->n == READINGS)
		return;
	s->at_ns[s->n] = w->now[0].before_ns;
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		s->count[s->n][i] = w->now[i].value;
	s->n++;
}

static void note(struct seen *s, const struct unc_window *w, int *which, unsigned i)
{
	if (s->still >= 0 || s->ran >= 0 || s->stood >= 0)
		return;
	*which = (int)i;
	s->from = w->before[i];
	s->to = w->now[i];
}

static int look_before(struct unc_window *w, void *arg)
{
	struct seen *s = (struct seen *)arg + w->i;
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

static int look(struct unc_window *w, void *arg)
{
	const struct round *round = arg;
	int rc = unc_window_read(w, NULL);

	if (rc == 0)
		keep(&round->seen[w->i], w);
	return rc;
}

static void judge_round(struct unc_window *w, const struct round *round)
{
	struct seen *s = &round->seen[w->i];
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

static int look_after(struct unc_window *w, void *arg)
{
	const struct round *round = arg;
	struct seen *s = &round->seen[w->i];
	int rc = look(w, arg);

	if (rc == 0)
		judge_round(w, round);
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

static int run_round(struct unc_windows *ws, struct round *round, uint64_t ns)
{
	int rc = unc_windows_each(ws, freeze_member, round);

	if (rc == 0)
		rc = unc_windows_each(ws, look, round);
	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	return rc == 0 ? unc_windows_each(ws, look_after, round) : rc;
}

/* ---- results ---- */

/* Draws the slot that shows the failure, if there is one, else the first. */
static void draw(struct unc_check *c, const struct unc_window *w, const struct seen *s)
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

static void show(struct unc_check *c, const struct unc_window *w, const char *what, int slot, const struct seen *s,
		 bool stands)
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

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s)
{
	double ms = (double)(s->to.before_ns - s->from.before_ns) / 1e6;
	char name[UNC_GATE_TEXT];

	if (s->still >= 0) {
		show(c, w, "while it should count", s->still, s, false);
		unc_check_fail(c, "%s stood still for %.3f ms though it is enabled and nothing is frozen",
			       unc_window_slot(w, (unsigned)s->still, name), ms);
	} else if (s->ran >= 0) {
		show(c, w, "while frozen", s->ran, s, true);
		unc_check_fail(c, "%s went on while the channel was frozen: %" PRIu64 " counts in %.3f ms",
			       unc_window_slot(w, (unsigned)s->ran, name),
			       unc_drive_gained(w->b, s->from.value, s->to.value), ms);
	} else if (s->stood >= 0) {
		show(c, w, "while others were frozen", s->stood, s, false);
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

static void tell(struct unc_windows *ws, const struct seen *seen)
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
		judge(ws->c, &ws->of[i], &seen[i]);
		draw(ws->c, &ws->of[i], &seen[i]);
	}
}

static int freeze(struct unc_windows *ws, void *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 10);
	int rc = unc_windows_clock(ws, ns, 1);

	if (rc == 0)
		rc = unc_windows_each(ws, look_before, seen);
	for (unsigned i = 0; i < n_rounds(ws->n) && rc == 0; i++)
		rc = run_round(ws, &(struct round){.seen = seen, .nth = i}, ns);
	if (rc == 0)
		tell(ws, seen);
	return rc;
}

int unc_check_freeze(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), freeze);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* frz works only with frz_en, on parts that have it. */
#include "check/behaviour.h"

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

struct seen {
	uint64_t moved[STATES][UNC_PMON_SLOTS];
};

struct step {
	struct seen *seen;
	unsigned state;
};

static int write_state(struct unc_window *w, void *arg)
{
	const struct step *step = arg;
	int rc = unc_drive_box_ctl(w->b, states[step->state].fields);

	return rc == 0 ? unc_window_read(w, NULL) : rc;
}

static int look(struct unc_window *w, void *arg)
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

static unsigned n_moved(const struct unc_window *w, const struct seen *s, unsigned state)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		n += unc_window_is_clock(w, i) && s->moved[state][i];
	return n;
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s)
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

static void tell_one(struct unc_windows *ws, const struct seen *seen, struct unc_window *w, bool excused, bool *told)
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
		judge(c, w, &seen[w->i]);
	if (!*told && unc_check_is_doubtful(w->b->pbox.regs.box_ctl, w->b->pbox.regs.frz_en)) {
		unc_check_tested(c, "BOX_CTL.frz_en", excused ? "frz works without it" : "frz works with it only");
		*told = true;
	}
}

static void tell(struct unc_windows *ws, const struct seen *seen)
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
		tell_one(ws, seen, &ws->of[i], unc_doubt_excuses(&doubt), &told);
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
			rc = unc_windows_each(ws, look, &step);
	}
	if (rc == 0)
		tell(ws, seen);
	return rc;
}

int unc_check_frz_en(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), frz_en_of_all);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The enable bit of a control gates its own counter, and no other. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/behaviour.h"

struct seen {
	bool bad;
	unsigned slot;  /* the slot that was enabled alone, or disabled alone */
	bool all_other; /* all slots except this one were enabled */
	uint64_t moved[UNC_PMON_SLOTS];
	double ms;
};

struct turn {
	struct seen *seen;
	unsigned slot;
	bool all_other;
};

static bool is_on(const struct unc_window *w, const struct turn *turn, unsigned i)
{
	return unc_window_is_clock(w, i) && (i == turn->slot) != turn->all_other;
}

static int enable(struct unc_window *w, void *arg)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		rc = unc_window_set_clock(w, i, is_on(w, arg, i));
	return rc == 0 ? unc_window_read(w, NULL) : rc;
}

static int look(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct seen *s = &turn->seen[w->i];
	int rc = unc_window_read(w, NULL);
	bool bad = false;

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		bad |= unc_window_is_clock(w, i) && (unc_window_moved(w, i) != 0) != is_on(w, turn, i);
	if (rc < 0 || s->bad || !bad)
		return rc;
	*s = (struct seen){.bad = true, .slot = turn->slot, .all_other = turn->all_other};
	s->ms = (double)(w->now[0].before_ns - w->before[0].before_ns) / 1e6;
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		s->moved[i] = unc_window_moved(w, i);
	return UNC_OK;
}

/* "CTR[0], CTR[2]", "nothing" */
static void list_moved(const struct unc_window *w, const struct seen *s, char *buf, size_t size)
{
	char name[UNC_GATE_TEXT];
	size_t len = 0;

	snprintf(buf, size, "nothing");
	for (unsigned i = 0; i < w->b->pbox.n_slots && len < size; i++)
		if (s->moved[i])
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						unc_window_slot(w, i, name));
}

static void judge(struct unc_check *c, const struct unc_window *w, const struct seen *s)
{
	const struct turn turn = {.slot = s->slot, .all_other = s->all_other};
	char name[UNC_GATE_TEXT], moved[200], what[80];

	if (!s->bad) {
		unc_check_pass(c,
			       "each of %u counters counts when it alone is enabled, and alone stands when it is not%s",
			       unc_window_n_clocks(w), unc_window_left_out(w));
		return;
	}
	list_moved(w, s, moved, sizeof(moved));
	snprintf(what, sizeof(what), "with %s%.40s enabled", s->all_other ? "all but " : "only ",
		 unc_window_slot(w, s->slot, name));
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		unc_check_see(c, &(struct unc_check_seen){.what = what,
							  .name = unc_window_slot(w, i, name),
							  .read = s->moved[i],
							  .has_expected = (s->moved[i] != 0) != is_on(w, &turn, i),
							  .expected = s->moved[i] ? 0 : 1});
	unc_check_fail(c, "%s what counts in %.3f ms is: %s", what, s->ms, moved);
}

static int run_turn(struct unc_windows *ws, struct turn *turn, uint64_t ns)
{
	int rc = unc_windows_each(ws, enable, turn);

	if (rc == 0)
		rc = unc_check_wait(ws->c, ns);
	return rc == 0 ? unc_windows_each(ws, look, turn) : rc;
}

static unsigned most_slots(const struct unc_windows *ws)
{
	unsigned most = 0;

	for (size_t i = 0; i < ws->n; i++)
		if (ws->of[i].in && ws->of[i].b->pbox.n_slots > most)
			most = ws->of[i].b->pbox.n_slots;
	return most;
}

static int enable_each(struct unc_windows *ws, void *seen)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 1, 10);
	int rc = unc_windows_clock(ws, ns, 1);
	unsigned n = most_slots(ws);

	for (unsigned i = 0; i < 2 * n && rc == 0; i++)
		rc = run_turn(ws, &(struct turn){.seen = seen, .slot = i / 2, .all_other = i % 2}, ns);
	for (size_t i = 0; i < ws->n && rc == 0; i++)
		if (unc_window_begin(&ws->of[i]))
			judge(ws->c, &ws->of[i], (struct seen *)seen + i);
	return rc;
}

int unc_check_enable(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), enable_each);
}

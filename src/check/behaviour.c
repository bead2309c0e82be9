// SPDX-License-Identifier: GPL-2.0-or-later
/* Do counters count, stop, start again and add up as the manual says? */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/drive.h"
#include "map/field.h"

/* ==== behaviour.enable ==== */

/* The enable bit of a control gates its own counter, and no other. */

struct enable_seen {
	bool bad;
	unsigned slot;  /* the slot that was enabled alone, or disabled alone */
	bool all_other; /* all slots except this one were enabled */
	uint64_t moved[UNC_PMON_SLOTS];
	double ms;
};

struct turn {
	struct enable_seen *seen;
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

static int read_moved(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct enable_seen *s = &turn->seen[w->i];
	int rc = unc_window_read(w, NULL);
	bool bad = false;

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		bad |= unc_window_is_clock(w, i) && (unc_window_moved(w, i) != 0) != is_on(w, turn, i);
	if (rc < 0 || s->bad || !bad)
		return rc;
	*s = (struct enable_seen){.bad = true, .slot = turn->slot, .all_other = turn->all_other};
	s->ms = (double)(w->now[0].before_ns - w->before[0].before_ns) / 1e6;
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++)
		s->moved[i] = unc_window_moved(w, i);
	return UNC_OK;
}

/* "CTR[0], CTR[2]", "nothing" */
static void list_moved(const struct unc_window *w, const struct enable_seen *s, char *buf, size_t size)
{
	char name[UNC_GATE_TEXT];
	size_t len = 0;

	snprintf(buf, size, "nothing");
	for (unsigned i = 0; i < w->b->pbox.n_slots && len < size; i++)
		if (s->moved[i])
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						unc_window_slot(w, i, name));
}

static void report_enable(struct unc_check *c, const struct unc_window *w, const struct enable_seen *s)
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
	return rc == 0 ? unc_windows_each(ws, read_moved, turn) : rc;
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
			report_enable(ws->c, &ws->of[i], (struct enable_seen *)seen + i);
	return rc;
}

static int run_enable(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct enable_seen), enable_each);
}

/* ==== behaviour.twice ==== */

/* Does the first write of a control stick?  Some parts are said to need two. */

struct twice_seen {
	unsigned n, n_lost; /* values written, and how many of them took two writes */
	bool bad;           /* one did not stick the second time either */
	unsigned slot;
	uint64_t wrote, read;
};

/* Did the value arrive?  A single bit that sticks does not matter: each value differs from the one before in several bits. */
static int try_write(struct unc_window *w, unsigned i, uint64_t value, bool *ret_arrived, uint64_t *ret_now)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	uint64_t before = 0;
	int rc = unc_drive_read(w->b, slot->ctl, slot->index, &before);

	if (rc == 0)
		rc = unc_drive_write(w->b, slot->ctl, slot->index, value);
	if (rc == 0)
		rc = unc_drive_read(w->b, slot->ctl, slot->index, ret_now);
	*ret_arrived = rc == 0 && ((*ret_now ^ before) & unc_reg_readback_mask(slot->ctl)) != 0;
	return rc;
}

static int try_value(struct unc_window *w, struct twice_seen *s, unsigned i, uint64_t value)
{
	bool arrived = false;
	uint64_t now = 0;
	int rc = try_write(w, i, value, &arrived, &now);

	s->n++;
	if (rc < 0 || arrived)
		return rc;
	s->n_lost++;
	rc = try_write(w, i, value, &arrived, &now);
	if (rc == 0 && !arrived && !s->bad) {
		s->bad = true;
		s->slot = i;
		s->wrote = value;
		s->read = now;
	}
	return rc;
}

/* Writes bits 01010101 to the threshold, then 10101010 with enable, then a blank control. */
static int try_slot(struct unc_window *w, struct twice_seen *s, unsigned i)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];
	const struct unc_field *thresh = unc_reg_field(slot->ctl, "thresh");
	uint64_t first = unc_reg_blank(slot->ctl), second = first;
	int rc;

	if (!thresh)
		return UNC_OK;
	rc = unc_field_set(w->c->m->ctx, thresh, unc_field_max(thresh) / 3, &first);
	if (rc == 0)
		rc = unc_field_set(w->c->m->ctx, thresh, unc_field_max(thresh) / 3 * 2, &second);
	if (rc == 0)
		rc = unc_field_set(w->c->m->ctx, slot->en, 1, &second);
	if (rc == 0)
		rc = try_value(w, s, i, first);
	if (rc == 0)
		rc = try_value(w, s, i, second);
	return rc == 0 ? try_value(w, s, i, unc_reg_blank(slot->ctl)) : rc;
}

static int try_all(struct unc_window *w, void *arg)
{
	struct twice_seen *s = (struct twice_seen *)arg + w->i;
	int rc = UNC_OK;

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		if (!w->b->pbox.slots[i].fixed)
			rc = try_slot(w, s, i);
	return rc;
}

static void report_twice(struct unc_check *c, const struct unc_window *w, const struct twice_seen *s)
{
	const struct unc_slot *slot = &w->b->pbox.slots[s->slot];

	if (s->bad)
		unc_check_expect(c, &(struct unc_check_seen){.what = "written twice",
							     .box = w->b->box,
							     .reg = slot->ctl,
							     .index = slot->index,
							     .has_wrote = true,
							     .wrote = s->wrote,
							     .read = s->read,
							     .has_expected = true,
							     .expected = s->wrote,
							     .compared = unc_reg_readback_mask(slot->ctl)});
	else if (s->n_lost)
		unc_check_pass(c,
			       "%u of %u values were not taken by the control before they were written a second time",
			       s->n_lost, s->n);
	else
		unc_check_pass(c, "each of %u values was taken by the control when it was written once", s->n);
}

static int twice(struct unc_windows *ws, void *arg)
{
	const struct twice_seen *seen = arg;
	int rc = unc_windows_each(ws, try_all, arg);
	bool told = false;

	for (size_t i = 0; i < ws->n && rc == 0; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		report_twice(ws->c, &ws->of[i], &seen[i]);
		if (told || seen[i].bad || !seen[i].n)
			continue;
		unc_check_tested(ws->c, "CTL", "%s",
				 seen[i].n_lost ? "a write sticks the second time only" : "one write sticks");
		told = true;
	}
	return rc;
}

static int run_twice(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct twice_seen), twice);
}

/* ==== the table ==== */

static const struct unc_check_def defs[] = {
	{
		.about = {.name = "behaviour.runs",
			  .proves = "each channel counts once it is released: no other program or firmware froze it",
			  .src = "327043-001 section 2.1.1; 329468-002 section 2.1.2",
			  .ms = {1, 1, 1},
			  .writes = true},
		.counts = true,
		.run = unc_running_run,
	},
	{
		.about = {.name = "behaviour.freeze",
			  .proves = "frz stops every counter of the channel, and nothing else",
			  .src = "327043-001 section 2.1.1 and table 2-60",
			  .ms = {9, 16, 72},
			  .writes = true},
		.counts = true,
		.run = unc_check_freeze,
	},
	{
		.about = {.name = "behaviour.frz_en",
			  .proves = "frz without frz_en does nothing, where there is frz_en",
			  .src = "327043-001 table 2-60",
			  .ms = {6, 11, 51},
			  .writes = true},
		.counts = true,
		.run = unc_check_frz_en,
	},
	{
		.about = {.name = "behaviour.enable",
			  .proves = "en gates its own counter, and no other",
			  .src = "327043-001 table 2-61",
			  .ms = {14, 14, 113},
			  .writes = true},
		.counts = true,
		.run = run_enable,
	},
	{
		.about = {.name = "behaviour.resume",
			  .proves = "counters that are frozen and released lose nothing",
			  .src = "327043-001 section 2.1.1",
			  .ms = {14, 30, 324},
			  .writes = true},
		.counts = true,
		.run = unc_check_resume,
	},
	{
		.about = {.name = "behaviour.reset",
			  .proves = "bits that reset counters or controls clear what they say, and nothing else",
			  .src = "329468-002 section 2.5; 327043-001 tables 2-60, 2-61",
			  .ms = {2, 2, 2},
			  .writes = true},
		.counts = true,
		.run = unc_check_reset,
	},
	{
		.about = {.name = "behaviour.carry",
			  .proves = "what runs over in the low dword of a counter is carried into the high one",
			  .src = "327043-001 page 62",
			  .ms = {3, 6, 46},
			  .writes = true},
		.counts = true,
		.run = unc_check_carry,
	},
	{
		.about = {.name = "behaviour.wrap",
			  .proves = "counters wrap at 2^48 and count on",
			  .src = "327043-001 page 62",
			  .ms = {3, 6, 46},
			  .writes = true},
		.counts = true,
		.run = unc_check_wrap,
	},
	{
		.about = {.name = "behaviour.status",
			  .proves = "a wrap sets the status bit of its counter alone, and writing 1 clears it",
			  .src = "329468-002 section 2.5; LGA-2011 datasheet volume 2, page 532",
			  .ms = {7, 13, 121},
			  .writes = true},
		.counts = true,
		.run = unc_check_status,
	},
	{
		.about = {.name = "behaviour.global",
			  .proves = "one register stops all counters of a socket, and of no other",
			  .src = "329468-002 section 2.1.2",
			  .ms = {6, 11, 51},
			  .writes = true,
			  .global = true},
		.counts = true,
		.run = unc_check_global,
	},
	{
		.about = {.name = "behaviour.twice",
			  .proves = "a control takes what is written once, or at least what is written twice",
			  .src = "LIKWID perfmon_haswellEP.h; 327043-001 table 2-61",
			  .ms = {1, 1, 1},
			  .writes = true},
		.counts = true,
		.run = run_twice,
	},
	{
		.about = {.name = "behaviour.agree",
			  .proves = "counters that are given one event agree to the last count",
			  .src = "327043-001 section 2.1.1",
			  .ms = {3, 15, 207},
			  .writes = true},
		.counts = true,
		.run = unc_check_agree,
	},
	{
		.about = {.name = "behaviour.sums",
			  .proves = "reads, writes and all commands are the sums of their parts",
			  .src = "327043-001 section 2.5, CAS_COUNT",
			  .ms = {6, 17, 259},
			  .writes = true},
		.counts = true,
		.run = unc_check_sums,
	},
	{
		.about = {.name = "behaviour.threshold",
			  .proves = "threshold, invert and edge_det obey their algebra",
			  .src = "327043-001 table 2-61",
			  .ms = {8, 14, 122},
			  .writes = true},
		.counts = true,
		.run = unc_check_threshold,
	},
	{
		.about = {.name = "behaviour.fields",
			  .proves = "thresh, invert and edge_det act in every counter",
			  .src = "327043-001 table 2-61",
			  .ms = {7, 13, 65},
			  .writes = true},
		.counts = true,
		.run = unc_check_fields,
	},
};

const struct unc_check_theme unc_check_behaviour = {defs, sizeof(defs) / sizeof(defs[0])};

// SPDX-License-Identifier: GPL-2.0-or-later
/* Do counters count, stop, start again and add up as the manual says? */
#include "check/window.h"

/* ==== behaviour.enable ==== */

/* The enable bit of a control gates its own counter, and no other. */

struct enable_seen {
	bool bad;
	unsigned slot;  /* the slot that was enabled alone, or disabled alone */
	bool all_other; /* all slots except this one were enabled */
	uint64_t moved[UNC_PMON_SLOTS];
	double ms;
};

static bool is_on(const struct unc_window *w, const struct enable_seen *turn, unsigned i)
{
	return unc_window_is_clock(w, i) && (i == turn->slot) != turn->all_other;
}

static void enable_each(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 1, 10);
	struct unc_window *w = NULL;
	const struct unc_window *any;

	unc_windows_clock(ws, ns, 1);
	any = unc_windows_any(ws);
	for (unsigned k = 0; any && k < 2 * any->n; k++) {
		const struct enable_seen turn = {.bad = true, .slot = k / 2, .all_other = k % 2};

		while (unc_windows_next(ws, &w)) {
			for (unsigned i = 0; i < w->n; i++)
				unc_window_set_clock(w, i, is_on(w, &turn, i));
			unc_window_read(w);
		}
		unc_windows_wait(ws, ns);
		/* The first turn in which a counter did not do what its control said is kept. */
		while (unc_windows_next(ws, &w)) {
			struct enable_seen *s = w->seen;
			bool bad = false;

			unc_window_read(w);
			for (unsigned i = 0; i < w->n; i++)
				bad |= unc_window_is_clock(w, i) && (w->moved[i] != 0) != is_on(w, &turn, i);
			if (s->bad || !bad)
				continue;
			*s = turn;
			s->ms = (double)(w->now[0].before_ns - w->before[0].before_ns) / 1e6;
			memcpy(s->moved, w->moved, sizeof(s->moved));
		}
	}
}

static void report_enable(struct unc_window *w)
{
	const struct enable_seen *s = w->seen;
	char moved[200] = "", what[80];

	if (!s->bad) {
		unc_check_pass(
			w->c,
			"each of %u counters counts when it alone is enabled, and it alone stops when it is not%s",
			unc_window_n_clocks(w), unc_window_left_out(w));
		return;
	}
	snprintf(what, sizeof(what), "with %s%.40s enabled", s->all_other ? "all but " : "only ", w->b->name[s->slot]);
	for (unsigned i = 0; i < w->n; i++) {
		const struct unc_check_seen seen = unc_seen_value(w->b->name[i], what, s->moved[i]);

		if ((s->moved[i] != 0) != is_on(w, s, i))
			unc_check_compare(w->c, seen, !s->moved[i], 0);
		else
			unc_check_see(w->c, seen);
		if (s->moved[i])
			unc_text_join(moved, sizeof(moved), ", ", "%s", w->b->name[i]);
	}
	unc_check_fail(w->c, "%s what counts in %.3f ms is: %s", what, s->ms, *moved ? moved : "nothing");
}

static const struct unc_windows_def enable = {sizeof(struct enable_seen), enable_each, NULL, report_enable};

/* ==== behaviour.twice ==== */

/* Does the first write of a control stick?  Some parts are said to need two. */

struct twice_seen {
	unsigned n, n_lost; /* values written, and how many of them took two writes */
	bool bad;           /* one did not stick the second time either */
	unsigned slot;
	uint64_t wrote, read;
};

/* Did the value arrive?  A single bit that sticks does not matter: each value differs from the one before in several bits. */
static bool try_write(struct unc_window *w, unsigned i, uint64_t value, uint64_t *ret_now)
{
	const struct unc_slot *slot = &w->slots[i];
	uint64_t before = unc_drive_read(w->b, slot->ctl, slot->index);

	unc_drive_write(w->b, slot->ctl, slot->index, value);
	*ret_now = unc_drive_read(w->b, slot->ctl, slot->index);
	return ((*ret_now ^ before) & unc_reg_readback_mask(slot->ctl)) != 0;
}

static void try_value(struct unc_window *w, unsigned i, uint64_t value)
{
	struct twice_seen *s = w->seen;
	uint64_t now = 0;

	s->n++;
	if (try_write(w, i, value, &now))
		return;
	s->n_lost++;
	if (try_write(w, i, value, &now) || s->bad)
		return;
	s->bad = true;
	s->slot = i;
	s->wrote = value;
	s->read = now;
}

/* Writes bits 01010101 to the threshold, then 10101010 with enable, then a blank control. */
static void write_once(struct unc_windows *ws)
{
	struct unc_window *w = NULL;

	while (unc_windows_next(ws, &w)) {
		for (unsigned i = 0; i < w->n; i++) {
			const struct unc_slot *slot = &w->slots[i];
			const struct unc_field *thresh = unc_reg_field(slot->ctl, "thresh");
			uint64_t blank = unc_reg_blank(slot->ctl), first, second;

			if (slot->fixed || !thresh)
				continue;
			first = unc_drive_with(w->b, thresh, unc_field_max(thresh) / 3, blank);
			second = unc_drive_with(w->b, thresh, unc_field_max(thresh) / 3 * 2, blank);
			try_value(w, i, first);
			try_value(w, i, unc_slot_on(slot, second));
			try_value(w, i, blank);
		}
	}
}

static void report_twice(struct unc_window *w)
{
	const struct twice_seen *s = w->seen;
	struct unc_check_seen seen;

	if (s->bad) {
		seen = unc_seen_wrote(unc_window_seen_control(w, s->slot, "written twice", s->read), s->wrote);
		unc_check_expect(w->c, seen, s->wrote, unc_reg_readback_mask(w->slots[s->slot].ctl));
	} else if (s->n_lost) {
		unc_check_pass(w->c,
			       "%u of %u values were not taken by the control before they were written a second time",
			       s->n_lost, s->n);
	} else {
		unc_check_pass(w->c, "each of %u values was taken by the control when it was written once", s->n);
	}
	if (!s->bad && s->n && unc_window_tells(w))
		unc_check_tested(w->c, "CTL", s->n_lost ? "a write sticks the second time only" : "one write sticks");
}

static const struct unc_windows_def twice = {sizeof(struct twice_seen), write_once, NULL, report_twice};

/* ==== the table ==== */

static const struct unc_check_def defs[] = {
	{UNC_CHECK_COUNTING, .windows = &unc_check_runs, .msrs = UNC_CHECK_CLOCKED,
	 .about = {"behaviour.runs", "each channel counts once it is released: no other program or firmware froze it",
		   "327043-001 section 2.1.1; 329468-002 section 2.1.2", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_freeze,
	 .about = {"behaviour.freeze", "frz stops every counter of the channel, and nothing else",
		   "327043-001 section 2.1.1 and table 2-60", .writes = true, .ms = {9, 16, 72}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_frz_en,
	 .about = {"behaviour.frz_en", "frz without frz_en does nothing, where there is frz_en",
		   "327043-001 table 2-60", .writes = true, .ms = {6, 11, 51}}},
	{UNC_CHECK_COUNTING, .windows = &enable, .msrs = UNC_CHECK_DRIVEN,
	 .about = {"behaviour.enable", "en gates its own counter, and no other", "327043-001 table 2-61",
		   .writes = true, .makes_traffic = true, .ms = {14, 14, 113}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_resume,
	 .about = {"behaviour.resume", "counters that are frozen and released lose nothing", "327043-001 section 2.1.1",
		   .writes = true, .ms = {14, 30, 324}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_reset,
	 .about = {"behaviour.reset", "bits that reset counters or controls clear what they say, and nothing else",
		   "329468-002 section 2.5; 327043-001 tables 2-60, 2-61", .writes = true, .ms = {2, 2, 2}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_carry, .msrs = UNC_CHECK_DRIVEN,
	 .about = {"behaviour.carry", "what runs over in the low dword of a counter is carried into the high one",
		   "327043-001 page 62", .writes = true, .makes_traffic = true, .ms = {3, 6, 46}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_wrap, .msrs = UNC_CHECK_DRIVEN,
	 .about = {"behaviour.wrap", "counters wrap at 2^48 and count on", "327043-001 page 62", .writes = true,
		   .makes_traffic = true, .ms = {3, 6, 46}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_status,
	 .about = {"behaviour.status", "a wrap sets the status bit of its counter alone, and writing 1 clears it",
		   "329468-002 section 2.5; LGA-2011 datasheet volume 2, page 532", .writes = true,
		   .ms = {7, 13, 121}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_global,
	 .about = {"behaviour.global", "one register stops all counters of a socket, and of no other",
		   "329468-002 section 2.1.2", .writes = true, .global = true, .ms = {6, 11, 51}}},
	{UNC_CHECK_COUNTING, .windows = &twice,
	 .about = {"behaviour.twice", "a control takes what is written once, or at least what is written twice",
		   "LIKWID perfmon_haswellEP.h; 327043-001 table 2-61", .writes = true, .ms = {1, 1, 1}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_agree,
	 .about = {"behaviour.agree", "counters that are given one event agree to the last count",
		   "327043-001 section 2.1.1", .writes = true, .ms = {3, 15, 207}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_sums,
	 .about = {"behaviour.sums", "reads, writes and all commands are the sums of their parts",
		   "327043-001 section 2.5, CAS_COUNT", .writes = true, .ms = {6, 17, 259}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_threshold,
	 .about = {"behaviour.threshold", "threshold, invert and edge_det obey their algebra", "327043-001 table 2-61",
		   .writes = true, .ms = {8, 14, 122}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_fields,
	 .about = {"behaviour.fields", "thresh, invert and edge_det act in every counter", "327043-001 table 2-61",
		   .writes = true, .ms = {7, 13, 65}}},
	{UNC_CHECK_COUNTING, .windows = &unc_check_free,
	 .about = {"behaviour.free_running", "counters of a controller that always run count what its channels do",
		   "Linux arch/x86/events/intel/uncore_snbep.c, uncore_imc_free_running", .writes = true,
		   .ms = {2, 5, 41}}},
};

const struct unc_check_theme unc_check_behaviour = {defs, sizeof(defs) / sizeof(defs[0])};

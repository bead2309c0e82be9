// SPDX-License-Identifier: GPL-2.0-or-later
/* Do counters count, stop, start again and add up as the manual says? */
#include "base/text.h"
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>

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

static bool is_on(const struct unc_window *w, const struct enable_seen *turn, unsigned i)
{
	return unc_window_is_clock(w, i) && (i == turn->slot) != turn->all_other;
}

static void enable_some(struct unc_window *w, void *arg)
{
	for (unsigned i = 0; i < w->n; i++)
		unc_window_set_clock(w, i, is_on(w, arg, i));
	unc_window_read(w, NULL);
}

static void read_moved(struct unc_window *w, void *arg)
{
	const struct enable_seen *turn = arg;
	struct enable_seen *s = w->seen;
	bool bad = false;

	unc_window_read(w, NULL);
	for (unsigned i = 0; i < w->n; i++)
		bad |= unc_window_is_clock(w, i) && (unc_window_moved(w, i) != 0) != is_on(w, turn, i);
	if (s->bad || !bad)
		return;
	*s = *turn;
	s->ms = (double)(w->now[0].before_ns - w->before[0].before_ns) / 1e6;
	for (unsigned i = 0; i < w->n; i++)
		s->moved[i] = unc_window_moved(w, i);
}

/* "CTR[0], CTR[2]", "nothing" */
static void list_moved(const struct unc_window *w, const struct enable_seen *s, char *buf, size_t size)
{
	char name[UNC_GATE_TEXT];

	buf[0] = '\0';
	for (unsigned i = 0; i < w->n; i++)
		if (s->moved[i])
			unc_text_join(buf, size, ", ", "%s", unc_window_slot(w, i, name));
	if (!*buf)
		snprintf(buf, size, "nothing");
}

static void report_enable(struct unc_window *w)
{
	const struct enable_seen *s = w->seen;
	char name[UNC_GATE_TEXT], moved[200], what[80];

	if (!s->bad) {
		unc_check_pass(
			w->c,
			"each of %u counters counts when it alone is enabled, and it alone stops when it is not%s",
			unc_window_n_clocks(w), unc_window_left_out(w));
		return;
	}
	list_moved(w, s, moved, sizeof(moved));
	snprintf(what, sizeof(what), "with %s%.40s enabled", s->all_other ? "all but " : "only ",
		 unc_window_slot(w, s->slot, name));
	for (unsigned i = 0; i < w->n; i++) {
		struct unc_check_seen seen = unc_seen_value(unc_window_slot(w, i, name), what, s->moved[i]);

		seen = unc_seen_expected(seen, s->moved[i] ? 0 : 1, 0);
		seen.has_expected = (s->moved[i] != 0) != is_on(w, s, i);
		unc_check_see(w->c, seen);
	}
	unc_check_fail(w->c, "%s what counts in %.3f ms is: %s", what, s->ms, moved);
}

static void enable_each(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 1, 10);
	const struct unc_window *any;

	unc_windows_clock(ws, ns, 1);
	any = unc_windows_any(ws);
	for (unsigned i = 0; any && i < 2 * any->n; i++) {
		struct enable_seen turn = {.bad = true, .slot = i / 2, .all_other = i % 2};

		unc_windows_each(ws, enable_some, &turn);
		unc_windows_wait(ws, ns);
		unc_windows_each(ws, read_moved, &turn);
	}
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
static void try_slots(struct unc_window *w, void *arg)
{
	(void)arg;
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

static void write_once(struct unc_windows *ws)
{
	unc_windows_each(ws, try_slots, NULL);
}

static void report_twice(struct unc_window *w)
{
	const struct twice_seen *s = w->seen;
	struct unc_check_seen seen;

	if (s->bad) {
		seen = unc_seen_wrote(unc_window_seen_control(w, s->slot, "written twice", s->read), s->wrote);
		unc_check_expect(w->c, unc_seen_expected(seen, s->wrote, unc_reg_readback_mask(w->slots[s->slot].ctl)));
	} else if (s->n_lost) {
		unc_check_pass(w->c,
			       "%u of %u values were not taken by the control before they were written a second time",
			       s->n_lost, s->n);
	} else {
		unc_check_pass(w->c, "each of %u values was taken by the control when it was written once", s->n);
	}
	if (w->ws->told || s->bad || !s->n)
		return;
	unc_check_tested(w->c, "CTL", "%s", s->n_lost ? "a write sticks the second time only" : "one write sticks");
	w->ws->told = true;
}

static const struct unc_windows_def twice = {sizeof(struct twice_seen), write_once, NULL, report_twice};

/* ==== the table ==== */

static const struct unc_check_def defs[] = {
	{{"behaviour.runs",
	  "each channel counts once it is released: no other program or firmware froze it",
	  "327043-001 section 2.1.1; 329468-002 section 2.1.2",
	  {1, 1, 1},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .run = unc_running_run},
	{{"behaviour.freeze",
	  "frz stops every counter of the channel, and nothing else",
	  "327043-001 section 2.1.1 and table 2-60",
	  {9, 16, 72},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_freeze},
	{{"behaviour.frz_en",
	  "frz without frz_en does nothing, where there is frz_en",
	  "327043-001 table 2-60",
	  {6, 11, 51},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_frz_en},
	{{"behaviour.enable",
	  "en gates its own counter, and no other",
	  "327043-001 table 2-61",
	  {14, 14, 113},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &enable},
	{{"behaviour.resume",
	  "counters that are frozen and released lose nothing",
	  "327043-001 section 2.1.1",
	  {14, 30, 324},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_resume},
	{{"behaviour.reset",
	  "bits that reset counters or controls clear what they say, and nothing else",
	  "329468-002 section 2.5; 327043-001 tables 2-60, 2-61",
	  {2, 2, 2},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_reset},
	{{"behaviour.carry",
	  "what runs over in the low dword of a counter is carried into the high one",
	  "327043-001 page 62",
	  {3, 6, 46},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_carry},
	{{"behaviour.wrap", "counters wrap at 2^48 and count on", "327043-001 page 62", {3, 6, 46}, .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_wrap},
	{{"behaviour.status",
	  "a wrap sets the status bit of its counter alone, and writing 1 clears it",
	  "329468-002 section 2.5; LGA-2011 datasheet volume 2, page 532",
	  {7, 13, 121},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_status},
	{{"behaviour.global",
	  "one register stops all counters of a socket, and of no other",
	  "329468-002 section 2.1.2",
	  {6, 11, 51},
	  .writes = true,
	  .global = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_global},
	{{"behaviour.twice",
	  "a control takes what is written once, or at least what is written twice",
	  "LIKWID perfmon_haswellEP.h; 327043-001 table 2-61",
	  {1, 1, 1},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &twice},
	{{"behaviour.agree",
	  "counters that are given one event agree to the last count",
	  "327043-001 section 2.1.1",
	  {3, 15, 207},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_agree},
	{{"behaviour.sums",
	  "reads, writes and all commands are the sums of their parts",
	  "327043-001 section 2.5, CAS_COUNT",
	  {6, 17, 259},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_sums},
	{{"behaviour.threshold",
	  "threshold, invert and edge_det obey their algebra",
	  "327043-001 table 2-61",
	  {8, 14, 122},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_threshold},
	{{"behaviour.fields",
	  "thresh, invert and edge_det act in every counter",
	  "327043-001 table 2-61",
	  {7, 13, 65},
	  .writes = true},
	 UNC_CHECK_COUNTING,
	 .windows = &unc_check_fields},
};

const struct unc_check_theme unc_check_behaviour = {defs, sizeof(defs) / sizeof(defs[0])};

// SPDX-License-Identifier: GPL-2.0-or-later
/* Carry from the low dword into the high one, and wrap of the whole counter to 0. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "check/behaviour.h"
#include "map/field.h"

struct seen {
	struct {
		uint64_t preset, held;            /* what was written, and read back while the counter was stopped */
		struct unc_drive_reading running; /* read high, low, high */
		uint64_t low_first;               /* read low dword first */
		uint64_t low_first_by_ns;         /* the raw time after low_first was read */
		uint64_t later;                   /* read after another wait */
	} slots[UNC_PMON_SLOTS];
};

struct how {
	struct seen *seen;
	bool wraps;
	uint64_t ns;
};

/* Each counter has its own number in the high dword, small enough for a counter that has too few bits, too. */
static uint64_t edge(const struct unc_window *w, const struct how *how, unsigned slot)
{
	const struct unc_slot *of = &w->b->pbox.slots[slot];

	return how->wraps ? unc_reg_mask(of->ctr, UNC_RW) + 1 : UINT64_C(0x100000000) * (0x12 + slot);
}

/* The counter starts below the edge by half of what it will gain. */
static int preset(struct unc_window *w, void *arg)
{
	const struct how *how = arg;
	struct seen *s = &how->seen[w->i];
	uint64_t short_of = (uint64_t)(w->hz.low * (double)how->ns / 2e9);
	int rc = unc_window_off(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &w->b->pbox.slots[i];

		s->slots[i].preset = edge(w, how, i) - short_of - 1;
		rc = unc_drive_preset(w->b, i, s->slots[i].preset);
		if (rc == 0)
			rc = unc_drive_read(w->b, slot->ctr, slot->index, &s->slots[i].held);
	}
	return rc;
}

static int start(struct unc_window *w, void *arg)
{
	int rc;

	w->begin_ns[0] = unc_machine_raw_ns(w->c->m);
	rc = unc_window_all_clocks(w, arg);
	w->begin_ns[1] = unc_machine_raw_ns(w->c->m);
	return rc;
}

static int look(struct unc_window *w, void *arg)
{
	struct seen *s = &((const struct how *)arg)->seen[w->i];
	int rc = unc_window_read(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &w->b->pbox.slots[i];

		s->slots[i].running = w->now[i];
		rc = unc_drive_read(w->b, slot->ctr, slot->index, &s->slots[i].low_first);
		s->slots[i].low_first_by_ns = unc_machine_raw_ns(w->c->m);
	}
	return rc;
}

static int look_later(struct unc_window *w, void *arg)
{
	struct seen *s = &((const struct how *)arg)->seen[w->i];
	int rc = unc_window_read(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		s->slots[i].later = w->now[i].value;
	return rc == 0 ? unc_window_off(w, NULL) : rc;
}

/* ---- results ---- */

struct at {
	struct unc_check *c;
	const struct unc_window *w;
	const struct seen *s;
	const struct how *how;
	unsigned slot;
	/* Counters that do not wrap because their low dword does not carry: behaviour.carry reports that. */
	unsigned n_carryless;
	char name[UNC_GATE_TEXT];
};

static bool see(const struct at *at, const char *what, uint64_t read, uint64_t expected, uint64_t compared)
{
	const struct unc_slot *slot = &at->w->b->pbox.slots[at->slot];

	return unc_check_see(at->c, &(struct unc_check_seen){.what = what,
							     .box = at->w->b->box,
							     .reg = slot->ctr,
							     .index = slot->index,
							     .has_wrote = true,
							     .wrote = at->s->slots[at->slot].preset,
							     .read = read,
							     .has_expected = true,
							     .expected = expected,
							     .compared = compared});
}

/* Where the counter should be in that bracket, relative to the edge. */
static struct unc_span beyond(const struct at *at, const uint64_t until[2])
{
	struct unc_span ns = unc_span_between(at->w->begin_ns, until), counts = unc_span_counts(&at->w->hz, &ns);
	double to_edge = (double)(edge(at->w, at->how, at->slot) - at->s->slots[at->slot].preset);

	return (struct unc_span){counts.low - to_edge, counts.high - to_edge};
}

/* How far the value is above the edge, as a small number which a double can hold exactly. */
static double above(const struct at *at, uint64_t value)
{
	uint64_t edge_at = at->how->wraps ? 0 : edge(at->w, at->how, at->slot);

	return value >= edge_at ? (double)(value - edge_at) : -(double)(edge_at - value);
}

static void fail_place(const struct at *at, uint64_t value, const struct unc_span *span)
{
	uint64_t from = at->s->slots[at->slot].preset, edge_at = at->how->wraps ? 0 : edge(at->w, at->how, at->slot);
	double past = above(at, value);
	double short_by = at->how->wraps ? 0 : (double)UINT64_C(0x100000000);

	see(at, at->how->wraps ? "beyond the wrap" : "beyond the carry", value, edge_at + (uint64_t)span->low,
	    at->how->wraps ? 0 : UINT64_C(0xffffffff00000000));
	if (short_by > 0 && past + short_by >= span->low && past + short_by <= span->high)
		unc_check_fail(at->c,
			       "%s: from 0x%012" PRIx64
			       " its low dword ran over, but the high one gained nothing: it reads "
			       "0x%012" PRIx64,
			       at->name, from, value);
	else
		unc_check_fail(at->c,
			       "%s: set to 0x%012" PRIx64 " and enabled, it reads 0x%012" PRIx64
			       " where %.0f to %.0f beyond 0x%012" PRIx64 " are to be expected",
			       at->name, from, value, span->low, span->high, edge_at);
}

static bool in(const struct unc_span *span, double value)
{
	return value >= span->low && value <= span->high;
}

/* The high dword kept its value while the low one ran over. */
static bool is_carryless(const struct at *at, uint64_t value, const struct unc_span *span)
{
	const struct unc_slot *slot = &at->w->b->pbox.slots[at->slot];
	double past = (double)unc_drive_gained(at->w->b, unc_reg_mask(slot->ctr, UNC_RW) - UINT32_MAX, value);

	return at->how->wraps && in(span, past);
}

static bool judge_slot(struct at *at)
{
	uint64_t preset_to = at->s->slots[at->slot].preset, held = at->s->slots[at->slot].held;
	uint64_t running = at->s->slots[at->slot].running.value, low_first = at->s->slots[at->slot].low_first;
	uint64_t later = at->s->slots[at->slot].later;
	const struct unc_drive_reading *r = &at->s->slots[at->slot].running;
	const uint64_t until[2] = {r->before_ns, r->after_ns},
		       then[2] = {r->after_ns, at->s->slots[at->slot].low_first_by_ns};
	struct unc_span span = beyond(at, until), span_then = beyond(at, then);

	if (!see(at, "set, standing", held, preset_to, 0)) {
		unc_check_fail(at->c, "%s: wrote 0x%016" PRIx64 ", read 0x%016" PRIx64, at->name, preset_to, held);
		return false;
	}
	if (is_carryless(at, running, &span)) {
		at->n_carryless++;
		return true;
	}
	if (!in(&span, above(at, running))) {
		fail_place(at, running, &span);
		return false;
	}
	/* It was read in the other order a moment later, or much later if another process had the CPU in between. */
	if (low_first < running || above(at, low_first) > span_then.high) {
		fail_place(at, low_first, &span_then);
		return false;
	}
	if (later <= low_first) {
		see(at, "another wait later", later, low_first + 1, 0);
		unc_check_fail(at->c, "%s: beyond it does not count on: 0x%012" PRIx64 ", later 0x%012" PRIx64,
			       at->name, low_first, later);
		return false;
	}
	return true;
}

static void judge(struct unc_check *c, struct unc_window *w, const struct how *how)
{
	struct at at = {.c = c, .w = w, .s = &how->seen[w->i], .how = how};

	if (w->hz.low <= 0) {
		unc_check_fail(c, "the fixed counter stands still, so that nothing can be made to run over");
		return;
	}
	for (at.slot = 0; at.slot < w->b->pbox.n_slots; at.slot++) {
		unc_window_slot(w, at.slot, at.name);
		if (unc_window_is_clock(w, at.slot) && !judge_slot(&at))
			return;
	}
	if (how->wraps)
		unc_check_pass(c, "%u counters wrapped to 0 at 2^%u and counted on%s%s",
			       unc_window_n_clocks(w) - at.n_carryless, w->b->box->unit->counter_bits,
			       unc_window_left_out(w),
			       at.n_carryless ? "; what does not carry was left out (behaviour.carry)" : "");
	else
		unc_check_pass(c, "%u counters carried from the low dword into the high one, read in either order%s",
			       unc_window_n_clocks(w), unc_window_left_out(w));
}

static int run(struct unc_windows *ws, struct how *how)
{
	int rc = unc_windows_clock(ws, how->ns, 1);

	if (rc == 0)
		rc = unc_windows_each(ws, preset, how);
	if (rc == 0)
		rc = unc_windows_each(ws, start, NULL);
	if (rc == 0)
		rc = unc_check_wait(ws->c, how->ns);
	if (rc == 0)
		rc = unc_windows_each(ws, look, how);
	if (rc == 0)
		rc = unc_check_wait(ws->c, how->ns / 4);
	return rc == 0 ? unc_windows_each(ws, look_later, how) : rc;
}

static void tell(struct unc_windows *ws, const struct how *how)
{
	for (size_t i = 0; i < ws->n; i++)
		if (unc_window_begin(&ws->of[i]))
			judge(ws->c, &ws->of[i], how);
}

static int carry(struct unc_windows *ws, void *seen)
{
	struct how how = {.seen = seen, .ns = unc_check_ms(ws->c, 1, 2, 20)};
	int rc = run(ws, &how);

	if (rc == 0)
		tell(ws, &how);
	return rc;
}

/* A wrap sets a bit of the status, which was not set before. */
static int wrap(struct unc_windows *ws, void *seen)
{
	struct how how = {.seen = seen, .wraps = true, .ns = unc_check_ms(ws->c, 1, 2, 20)};
	uint64_t *statuses = calloc(ws->n + 1, sizeof(*statuses));
	int rc, cleared;

	if (!statuses)
		return unc_fail(ws->c->m->ctx, UNC_ENOMEM, "out of memory");
	rc = unc_windows_read_status(ws, statuses);
	if (rc == 0)
		rc = run(ws, &how);
	if (rc < 0) {
		struct unc_saved_msg msg;

		unc_msg_save(ws->c->m->ctx, &msg);
		unc_windows_each(ws, unc_window_off, NULL);
		unc_windows_clear_status(ws, statuses);
		unc_msg_restore(ws->c->m->ctx, &msg);
	} else {
		cleared = unc_windows_clear_status(ws, statuses);
		rc = cleared;
	}
	if (rc == 0)
		tell(ws, &how);
	free(statuses);
	return rc;
}

int unc_check_carry(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), carry);
}

int unc_check_wrap(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), wrap);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens when counters run over: carry, wrap, and the status register. */
#include "check/behaviour.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"

/* ==== behaviour.carry and behaviour.wrap ==== */

/* Carry from the low dword into the high one, and wrap of the whole counter to 0. */

struct carry_seen {
	struct {
		uint64_t preset, held;      /* what was written, and read back while the counter was stopped */
		struct unc_reading running; /* read high, low, high */
		uint64_t low_first;         /* read low dword first */
		uint64_t low_first_by_ns;   /* the raw time after low_first was read */
		uint64_t later;             /* read after another wait */
	} slots[UNC_PMON_SLOTS];
};

struct how {
	struct carry_seen *seen;
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
	struct carry_seen *s = &how->seen[w->i];
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

static int read_beyond(struct unc_window *w, void *arg)
{
	struct carry_seen *s = &((const struct how *)arg)->seen[w->i];
	int rc = unc_window_read(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &w->b->pbox.slots[i];

		s->slots[i].running = w->now[i];
		rc = unc_drive_read(w->b, slot->ctr, slot->index, &s->slots[i].low_first);
		s->slots[i].low_first_by_ns = unc_machine_raw_ns(w->c->m);
	}
	return rc;
}

static int read_later(struct unc_window *w, void *arg)
{
	struct carry_seen *s = &((const struct how *)arg)->seen[w->i];
	int rc = unc_window_read(w, NULL);

	for (unsigned i = 0; i < w->b->pbox.n_slots && rc == 0; i++)
		s->slots[i].later = w->now[i].value;
	return rc == 0 ? unc_window_off(w, NULL) : rc;
}

/* ---- results ---- */

struct at {
	struct unc_check *c;
	const struct unc_window *w;
	const struct carry_seen *s;
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

static bool check_slot(struct at *at)
{
	uint64_t preset_to = at->s->slots[at->slot].preset, held = at->s->slots[at->slot].held;
	uint64_t running = at->s->slots[at->slot].running.value, low_first = at->s->slots[at->slot].low_first;
	uint64_t later = at->s->slots[at->slot].later;
	const struct unc_reading *r = &at->s->slots[at->slot].running;
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

static void report_carry(struct unc_check *c, struct unc_window *w, const struct how *how)
{
	struct at at = {.c = c, .w = w, .s = &how->seen[w->i], .how = how};

	if (w->hz.low <= 0) {
		unc_check_fail(c, "the fixed counter stands still, so that nothing can be made to run over");
		return;
	}
	for (at.slot = 0; at.slot < w->b->pbox.n_slots; at.slot++) {
		unc_window_slot(w, at.slot, at.name);
		if (unc_window_is_clock(w, at.slot) && !check_slot(&at))
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
		rc = unc_windows_each(ws, read_beyond, how);
	if (rc == 0)
		rc = unc_check_wait(ws->c, how->ns / 4);
	return rc == 0 ? unc_windows_each(ws, read_later, how) : rc;
}

static void report_all_carries(struct unc_windows *ws, const struct how *how)
{
	for (size_t i = 0; i < ws->n; i++)
		if (unc_window_begin(&ws->of[i]))
			report_carry(ws->c, &ws->of[i], how);
}

static int carry(struct unc_windows *ws, void *seen)
{
	struct how how = {.seen = seen, .ns = unc_check_ms(ws->c, 1, 2, 20)};
	int rc = run(ws, &how);

	if (rc == 0)
		report_all_carries(ws, &how);
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
		report_all_carries(ws, &how);
	free(statuses);
	return rc;
}

int unc_check_carry(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct carry_seen), carry);
}

int unc_check_wrap(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct carry_seen), wrap);
}

/* ==== behaviour.status ==== */

/* The status register: a wrap sets the bit of its counter alone, and writing 1 clears that bit alone. */

struct status_seen {
	bool tried[UNC_PMON_SLOTS];   /* a wrap of its counter was attempted */
	bool was_set[UNC_PMON_SLOTS]; /* the bit was found set: it could not be set again, so it is not cleared */
	bool no_wrap[UNC_PMON_SLOTS]; /* the counter did not wrap, so that the bit says nothing */
	uint64_t before[UNC_PMON_SLOTS], after[UNC_PMON_SLOTS]; /* the status before and after the wrap */
	/* the clearing write, and the status before and after it */
	uint64_t wrote[UNC_PMON_SLOTS], from[UNC_PMON_SLOTS], to[UNC_PMON_SLOTS];
};

struct turn {
	struct status_seen *seen;
	const uint64_t *statuses; /* the statuses as they were found */
	unsigned slot;
	uint64_t ns;
};

static const struct unc_field *bit_of(const struct unc_window *w, unsigned slot)
{
	return slot < w->b->pbox.n_slots && unc_window_is_clock(w, slot) ? unc_window_status_bit(w, slot) : NULL;
}

/*
 * Which bit belongs to which counter: as the map has it, or in the order of the counters, with the fixed one after the general
 * ones.  The documents leave that open, so the check finds out what silicon does.
 */
enum order { OF_THE_MAP, OF_COUNTERS };

/* The nth lowest bit of the status that writing 1 clears, from 0. */
static uint64_t nth_bit(const struct unc_window *w, unsigned nth)
{
	uint64_t left = unc_reg_mask(unc_window_status(w), UNC_RW1C);

	for (; nth && left; nth--)
		left &= left - 1;
	return left & (~left + 1);
}

static uint64_t mask_of(const struct unc_window *w, unsigned i, enum order order)
{
	const struct unc_slot *slot = &w->b->pbox.slots[i];

	if (order == OF_THE_MAP)
		return unc_field_mask(bit_of(w, i));
	return nth_bit(w, slot->fixed ? w->b->pbox.regs.ctl->count : slot->index);
}

static int read_status(struct unc_window *w, uint64_t *ret_status)
{
	return unc_drive_read(w->b, unc_window_status(w), 0, ret_status);
}

static int make_wrap(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct status_seen *s = &turn->seen[w->i];
	const struct unc_field *bit = bit_of(w, turn->slot);
	uint64_t short_of = (uint64_t)(w->hz.low * (double)turn->ns / 2e9);
	int rc;

	if (!bit)
		return UNC_OK;
	s->was_set[turn->slot] = unc_field_get(bit, turn->statuses[w->i]);
	s->tried[turn->slot] = !s->was_set[turn->slot] && w->hz.low > 0;
	if (!s->tried[turn->slot])
		return UNC_OK;
	rc = read_status(w, &s->before[turn->slot]);
	if (rc == 0)
		rc = unc_drive_preset(w->b, turn->slot,
				      unc_reg_mask(w->b->pbox.slots[turn->slot].ctr, UNC_RW) - short_of);
	return rc == 0 ? unc_window_set_clock(w, turn->slot, true) : rc;
}

static int read_wrapped(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct status_seen *s = &turn->seen[w->i];
	struct unc_reading now;
	int rc;

	if (!s->tried[turn->slot])
		return UNC_OK;
	rc = unc_window_set_clock(w, turn->slot, false);
	if (rc == 0)
		rc = read_status(w, &s->after[turn->slot]);
	if (rc == 0)
		rc = unc_drive_count(w->b, turn->slot, &now);
	/* It was preset so near the edge that it has wrapped if it is now in the lowest quarter. */
	if (rc == 0)
		s->no_wrap[turn->slot] = now.value > unc_reg_mask(w->b->pbox.slots[turn->slot].ctr, UNC_RW) / 4;
	return rc;
}

static int clear(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct status_seen *s = &turn->seen[w->i];
	const struct unc_reg *status = unc_window_status(w);
	int rc;

	if (!s->tried[turn->slot])
		return UNC_OK;
	s->wrote[turn->slot] = unc_reg_blank(status);
	rc = unc_field_set(w->c->m->ctx, bit_of(w, turn->slot), 1, &s->wrote[turn->slot]);
	if (rc == 0)
		rc = read_status(w, &s->from[turn->slot]);
	if (rc == 0)
		rc = unc_drive_write(w->b, status, 0, s->wrote[turn->slot]);
	return rc == 0 ? read_status(w, &s->to[turn->slot]) : rc;
}

/* ---- results ---- */

static bool expect(struct unc_check *c, const struct unc_window *w, const char *what, const uint64_t *wrote,
		   uint64_t read, uint64_t expected)
{
	const struct unc_reg *status = unc_window_status(w);

	return unc_check_expect(c, &(struct unc_check_seen){.what = what,
							    .box = w->b->box,
							    .reg = status,
							    .has_wrote = wrote,
							    .wrote = wrote ? *wrote : 0,
							    .read = read,
							    .has_expected = true,
							    .expected = expected,
							    .compared = unc_reg_mask(status, UNC_RW1C)});
}

/* A wrap of the counter shows which bit is its own. */
static bool says_which(const struct unc_window *w, const struct status_seen *s, unsigned i, enum order order)
{
	return s->tried[i] && !s->no_wrap[i] && !(s->before[i] & mask_of(w, i, order));
}

/* Every wrap set the bit that is its counter's own in that order. */
static bool has_order(const struct unc_window *w, const struct status_seen *s, enum order order)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!says_which(w, s, i, order))
			continue;
		if (((s->after[i] ^ s->before[i]) & unc_reg_mask(unc_window_status(w), UNC_RW1C)) !=
		    mask_of(w, i, order))
			return false;
		n++;
	}
	return n > 0;
}

/* The order that more channels have.  In doubt, and where no document doubts the map, it is that of the map. */
static enum order order_of(const struct unc_windows *ws, const struct status_seen *seen)
{
	size_t n[2] = {0};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (enum order order = OF_THE_MAP; w->in && unc_window_status(w)->verify && order <= OF_COUNTERS;
		     order++)
			n[order] += has_order(w, &seen[i], order);
	}
	return n[OF_COUNTERS] > n[OF_THE_MAP] ? OF_COUNTERS : OF_THE_MAP;
}

static bool expect_slot(struct unc_check *c, const struct unc_window *w, const struct status_seen *s, unsigned i,
			enum order order)
{
	uint64_t bit = mask_of(w, i, order);
	char name[UNC_GATE_TEXT], what[80];

	unc_window_slot(w, i, name);
	snprintf(what, sizeof(what), "%.40s has wrapped", name);
	if (!expect(c, w, what, NULL, s->after[i], s->before[i] | bit))
		return false;
	snprintf(what, sizeof(what), "%.40s written 1", bit_of(w, i)->name);
	return expect(c, w, what, &s->wrote[i], s->to[i], s->from[i] & ~unc_field_mask(bit_of(w, i)));
}

static void list(const struct unc_window *w, const bool *which, const char *why, char *buf, size_t size)
{
	char name[UNC_GATE_TEXT];
	size_t len = strlen(buf);
	bool any = false;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!which[i] || len >= size)
			continue;
		len += (size_t)snprintf(buf + len, size - len, "%s%s",
					any ? ", " : "; not looked at: ", unc_window_slot(w, i, name));
		any = true;
	}
	if (any && len < size)
		snprintf(buf + len, size - len, ", %s", why);
}

/* Looks for set bits that were 0 when the channel was taken, and that no check could clear again since. */
static bool sticks(struct unc_check *c, const struct unc_window *w, uint64_t found)
{
	uint64_t mask = unc_reg_mask(unc_window_status(w), UNC_RW1C),
		 wrote = unc_reg_blank(unc_window_status(w)) | mask;

	return w->b->box_status && (found & ~w->b->status & mask) &&
	       !expect(c, w, "set by a wrap in an earlier check, and written 1 after it", &wrote, found,
		       w->b->status & found);
}

static void report_status(struct unc_check *c, const struct unc_window *w, const struct status_seen *s,
			  enum order order)
{
	char left[400] = "";
	unsigned n = 0;

	list(w, s->was_set, "whose bits were found set and could not be set again", left, sizeof(left));
	list(w, s->no_wrap, "which could not be made to wrap (behaviour.wrap)", left, sizeof(left));
	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!says_which(w, s, i, order))
			continue;
		if (!expect_slot(c, w, s, i, order))
			return;
		n++;
	}
	if (!n)
		unc_check_skip(c, "no counter could be made to wrap%s", left);
	else
		unc_check_pass(
			c, "each of %u wraps set the bit of its counter alone, and writing 1 cleared that alone%s%s%s",
			n,
			order == OF_COUNTERS
				? "; bits are in the order of the counters, the fixed one last, and not as "
				  "in the map (the documents leave that open)"
				: "",
			left, unc_window_left_out(w));
}

/* No bit of the channel was set although some counter wrapped. */
static bool is_dead(const struct unc_window *w, const struct status_seen *s)
{
	bool any = false;

	for (unsigned i = 0; i < w->b->pbox.n_slots; i++) {
		if (!s->tried[i] || s->no_wrap[i])
			continue;
		any = true;
		if (s->after[i] != s->before[i])
			return false;
	}
	return any;
}

static void test(struct unc_check *c, const struct unc_window *w, bool dead, enum order order, bool *told)
{
	const struct unc_reg *status = unc_window_status(w);

	if (*told || !status->verify || unc_check_failed(c))
		return;
	unc_check_tested(c, "BOX_STATUS", "%s",
			 dead                   ? "no wrap sets a bit while overflow is not enabled"
			 : order == OF_COUNTERS ? "a wrap sets the bit of its counter, bit 0 of CTR[0] and so on, "
						  "FIXED_CTR last; writing 1 clears it"
						: "a wrap sets the bit of its counter, bit 0 of FIXED_CTR, bit 1 of "
						  "CTR[0] and so on; writing 1 clears it");
	*told = true;
}

static void report_all_statuses(struct unc_windows *ws, const struct status_seen *seen, const uint64_t *statuses)
{
	enum order order = order_of(ws, seen);
	struct unc_doubt doubt = {0};
	bool told = false;

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		if (!w->in)
			continue;
		unc_doubt_add(&doubt, unc_check_is_doubtful(unc_window_status(w), NULL), is_dead(w, &seen[i]));
	}
	for (size_t i = 0; i < ws->n; i++) {
		struct unc_window *w = &ws->of[i];

		if (w->b->usable && w->rc == 0 && !w->in) {
			unc_check_begin(ws->c, w->b->box->name);
			unc_check_skip(ws->c, "%s has no status register of its counters", w->b->box->unit->title);
		} else if (unc_window_begin(w)) {
			if (sticks(ws->c, w, statuses[i]))
				continue;
			if (unc_doubt_excuses(&doubt))
				unc_check_skip(ws->c, "no wrap sets a bit on any channel here, and the map doubts "
						      "BOX_STATUS");
			else
				report_status(ws->c, w, &seen[i], order);
			test(ws->c, w, unc_doubt_excuses(&doubt), order, &told);
		}
	}
}

static int has_it(struct unc_window *w, void *arg)
{
	(void)arg;
	w->in = unc_window_status(w) != NULL;
	return UNC_OK;
}

static int take_turns(struct unc_windows *ws, struct turn *turn)
{
	int rc = unc_windows_each(ws, unc_window_off, NULL);

	for (turn->slot = 0; turn->slot < UNC_PMON_SLOTS && rc == 0; turn->slot++) {
		bool any = false;

		for (size_t i = 0; i < ws->n; i++)
			any |= ws->of[i].in && bit_of(&ws->of[i], turn->slot);
		if (!any)
			continue;
		rc = unc_windows_each(ws, make_wrap, turn);
		if (rc == 0)
			rc = unc_check_wait(ws->c, turn->ns);
		if (rc == 0)
			rc = unc_windows_each(ws, read_wrapped, turn);
	}
	for (turn->slot = 0; turn->slot < UNC_PMON_SLOTS && rc == 0; turn->slot++)
		rc = unc_windows_each(ws, clear, turn);
	return rc;
}

static int status_of_all(struct unc_windows *ws, struct turn *turn, uint64_t *statuses)
{
	int rc = unc_windows_each(ws, has_it, NULL), cleared;
	struct unc_saved_msg msg;

	if (rc == 0)
		rc = unc_windows_read_status(ws, statuses);
	if (rc == 0)
		rc = unc_windows_clock(ws, turn->ns, 1);
	if (rc == 0)
		rc = take_turns(ws, turn);
	unc_msg_save(ws->c->m->ctx, &msg);
	unc_windows_each(ws, unc_window_off, NULL);
	cleared = unc_windows_clear_status(ws, statuses);
	if (rc < 0)
		unc_msg_restore(ws->c->m->ctx, &msg);
	return rc < 0 ? rc : cleared;
}

static int status(struct unc_windows *ws, void *seen)
{
	uint64_t *statuses = calloc(ws->n + 1, sizeof(*statuses));
	struct turn turn = {.seen = seen, .statuses = statuses, .ns = unc_check_ms(ws->c, 1, 2, 20)};
	int rc = statuses ? status_of_all(ws, &turn, statuses) : unc_fail(ws->c->m->ctx, UNC_ENOMEM, "out of memory");

	if (rc == 0)
		report_all_statuses(ws, seen, statuses);
	free(statuses);
	return rc;
}

int unc_check_status(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct status_seen), status);
}

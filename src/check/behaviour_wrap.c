// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens when counters run over: carry, wrap, and the status register. */
#include "check/window.h"

/* ==== behaviour.carry and behaviour.wrap ==== */

/* Carry from the low dword into the high one, and wrap of the whole counter to 0. */

struct over {                       /* what was seen of a slot */
	uint64_t preset, held;      /* what was written, and read back while the counter was stopped */
	struct unc_reading running; /* read high, low, high */
	uint64_t low_first;         /* read low dword first */
	uint64_t low_first_by_ns;   /* the raw time after low_first was read */
	uint64_t later;             /* read after another wait */
};

static struct over *over_of(const struct unc_window *w, unsigned slot)
{
	return (struct over *)w->seen + slot;
}

static uint64_t highest(const struct unc_window *w, unsigned slot)
{
	const struct unc_unit *unit = w->b->box->unit;

	return unit->saturates ? (UINT64_C(1) << unit->counter_bits) - 1 : unc_reg_mask(w->slots[slot].ctr, UNC_RW);
}

static bool wraps(const struct unc_check *c)
{
	return c->now->windows == &unc_check_wrap;
}

/* Beyond its end such a counter sets one more bit, and stands (Linux amd_uncore; UMCs of AMD). */
static bool saturates(const struct unc_window *w)
{
	return wraps(w->c) && w->b->box->unit->saturates;
}

/* Each counter has its own number in the high dword, small enough for a counter that has too few bits, too. */
static uint64_t edge(const struct unc_window *w, unsigned slot)
{
	return wraps(w->c) ? highest(w, slot) + 1 : UINT64_C(0x100000000) * (0x12 + slot);
}

/* Half of what the counter gains in that time. */
static uint64_t half_of(const struct unc_window *w, uint64_t ns)
{
	return (uint64_t)(w->hz.low * (double)ns / 2e9);
}

/* The counter starts below the edge by half of what it will gain. */
static void preset(struct unc_window *w, uint64_t ns)
{
	unc_drive_off(w->b);
	for (unsigned i = 0; i < w->n; i++) {
		struct over *over = over_of(w, i);

		over->preset = edge(w, i) - half_of(w, ns) - 1;
		unc_drive_preset(w->b, i, over->preset);
		over->held = unc_drive_read(w->b, w->slots[i].ctr, w->slots[i].index);
	}
}

static void start(struct unc_window *w)
{
	w->begin_ns[0] = unc_machine_raw_ns(w->c->m);
	unc_window_all_clocks(w);
	w->begin_ns[1] = unc_machine_raw_ns(w->c->m);
}

static void read_beyond(struct unc_window *w)
{
	unc_window_read(w);
	for (unsigned i = 0; i < w->n; i++) {
		struct over *over = over_of(w, i);

		over->running = w->now[i];
		over->low_first = unc_drive_read(w->b, w->slots[i].ctr, w->slots[i].index);
		over->low_first_by_ns = unc_machine_raw_ns(w->c->m);
	}
}

static void run_over(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 20);
	struct unc_window *w = NULL;

	if (wraps(ws->c)) /* a wrap sets a bit of the status, which was not set before */
		unc_windows_note_status(ws);
	unc_windows_clock(ws, ns, 1);
	while (unc_windows_next(ws, &w))
		preset(w, ns);
	unc_windows_each(ws, start);
	unc_windows_wait(ws, ns);
	unc_windows_each(ws, read_beyond);
	unc_windows_wait(ws, ns / 4);
	while (unc_windows_next(ws, &w)) {
		unc_window_read(w);
		for (unsigned i = 0; i < w->n; i++)
			over_of(w, i)->later = w->now[i].value;
		unc_drive_off(w->b);
	}
	if (wraps(ws->c))
		unc_windows_restore_status(ws);
}

/* ---- results ---- */

static bool see(const struct unc_window *w, unsigned slot, const char *what, uint64_t read, uint64_t expected,
		uint64_t compared)
{
	struct unc_check_seen seen = unc_seen_wrote(unc_window_seen(w, slot, what, read), over_of(w, slot)->preset);

	return unc_check_compare(w->c, seen, expected, compared);
}

/* Where the counter should be in that bracket, relative to the edge. */
static struct unc_span beyond(const struct unc_window *w, unsigned slot, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t until[2] = {from_ns, to_ns};
	struct unc_span ns = unc_span_between(w->begin_ns, until), counts = unc_span_counts(&w->hz, &ns);
	double to_edge = (double)(edge(w, slot) - over_of(w, slot)->preset);

	return (struct unc_span){counts.low - to_edge, counts.high - to_edge};
}

static uint64_t first_beyond(const struct unc_window *w, unsigned slot)
{
	return wraps(w->c) ? 0 : edge(w, slot);
}

/* How far the value is above the edge, as a small number which a double can hold exactly. */
static double above(const struct unc_window *w, unsigned slot, uint64_t value)
{
	uint64_t edge_at = first_beyond(w, slot);

	return value >= edge_at ? (double)(value - edge_at) : -(double)(edge_at - value);
}

static void fail_place(const struct unc_window *w, unsigned slot, uint64_t value, const struct unc_span *span)
{
	uint64_t from = over_of(w, slot)->preset, edge_at = first_beyond(w, slot);
	bool wrap = wraps(w->c);

	see(w, slot, wrap ? "beyond the wrap" : "beyond the carry", value, edge_at + (uint64_t)span->low,
	    wrap ? 0 : UINT64_C(0xffffffff00000000));
	if (!wrap && unc_span_has(span, above(w, slot, value) + (double)UINT64_C(0x100000000)))
		unc_check_fail(w->c,
			       "%s: from 0x%012" PRIx64
			       " its low dword ran over, but the high one gained nothing: it reads 0x%012" PRIx64,
			       w->b->name[slot], from, value);
	else
		unc_check_fail(w->c,
			       "%s: set to 0x%012" PRIx64 " and enabled, it reads 0x%012" PRIx64
			       " where %.0f to %.0f beyond 0x%012" PRIx64 " are to be expected",
			       w->b->name[slot], from, value, span->low, span->high, edge_at);
}

/* A failure is kept in the result.  n_carryless: counters that do not wrap because their low dword does not carry. */
static void check_slot(const struct unc_window *w, unsigned slot, unsigned *n_carryless)
{
	const struct over *o = over_of(w, slot);
	uint64_t running = o->running.value;
	struct unc_span span = beyond(w, slot, o->running.before_ns, o->running.after_ns),
			span_then = beyond(w, slot, o->running.after_ns, o->low_first_by_ns);
	/* Where it is if the high dword kept its value while the low one ran over. */
	double carryless = (double)unc_drive_gained(w->b, highest(w, slot) - UINT32_MAX, running);

	if (!see(w, slot, "set, standing", o->held, o->preset, 0)) {
		unc_check_fail(w->c, "%s: wrote 0x%016" PRIx64 ", read 0x%016" PRIx64, w->b->name[slot], o->preset,
			       o->held);
	} else if (saturates(w)) {
		uint64_t overflow = highest(w, slot) + 1;

		if (!see(w, slot, "beyond the end", running, overflow, overflow) ||
		    !see(w, slot, "another wait later", o->later, running, 0))
			unc_check_fail(w->c,
				       "%s: set to 0x%012" PRIx64 " and enabled, it reads 0x%012" PRIx64
				       " and later 0x%012" PRIx64 ", where bit %u is to be set and it is to stand",
				       w->b->name[slot], o->preset, running, o->later, w->b->box->unit->counter_bits);
	} else if (wraps(w->c) && unc_span_has(&span, carryless)) {
		++*n_carryless; /* behaviour.carry reports it */
	} else if (!unc_span_has(&span, above(w, slot, running))) {
		fail_place(w, slot, running, &span);
	} else if (o->low_first < running || above(w, slot, o->low_first) > span_then.high) {
		/* It was read in the other order a moment later, or much later if another process had the CPU meanwhile. */
		fail_place(w, slot, o->low_first, &span_then);
	} else if (o->later <= o->low_first) {
		see(w, slot, "another wait later", o->later, o->low_first + 1, 0);
		unc_check_fail(w->c, "%s: beyond it does not count on: 0x%012" PRIx64 ", later 0x%012" PRIx64,
			       w->b->name[slot], o->low_first, o->later);
	}
}

static void report_carry(struct unc_window *w)
{
	unsigned n_carryless = 0;

	if (w->hz.low <= 0) {
		unc_check_fail(w->c, "its clock stands still, so that nothing can be made to run over");
		return;
	}
	for (unsigned i = 0; i < w->n && !unc_check_failed(w->c); i++)
		if (unc_window_is_clock(w, i))
			check_slot(w, i, &n_carryless);
	if (saturates(w))
		unc_check_pass(w->c, "%u counters set bit %u at their end, and stood", unc_window_n_clocks(w),
			       w->b->box->unit->counter_bits);
	else if (wraps(w->c))
		unc_check_pass(w->c, "%u counters wrapped to 0 at 2^%u and counted on%s%s",
			       unc_window_n_clocks(w) - n_carryless, w->b->box->unit->counter_bits,
			       unc_window_left_out(w),
			       n_carryless ? "; what does not carry was left out (behaviour.carry)" : "");
	else
		unc_check_pass(w->c, "%u counters carried from the low dword into the high one, read in either order%s",
			       unc_window_n_clocks(w), unc_window_left_out(w));
}

const struct unc_windows_def unc_check_carry = {UNC_PMON_SLOTS * sizeof(struct over), run_over, NULL, report_carry},
			     unc_check_wrap = {UNC_PMON_SLOTS * sizeof(struct over), run_over, NULL, report_carry};

/* ==== behaviour.status ==== */

/* The status register: a wrap sets the bit of its counter alone, and writing 1 clears that bit alone. */

struct status_slot {
	bool tried;             /* a wrap of its counter was attempted */
	bool was_set;           /* the bit was found set: it could not be set again, so it is not cleared */
	bool no_wrap;           /* the counter did not wrap, so that the bit says nothing */
	uint64_t before, after; /* the status before and after the wrap */
	/* the clearing write, and the status before and after it */
	uint64_t wrote, from, to;
};
static struct status_slot *seen_of(const struct unc_window *w, unsigned slot)
{
	return (struct status_slot *)w->seen + slot;
}

/* The bit of a slot in BOX_STATUS; NULL: the map has none, or the slot counts no clock. */
static const struct unc_field *bit_of(const struct unc_window *w, unsigned i)
{
	static const char *const names[] = {"ov_ctr0", "ov_ctr1", "ov_ctr2", "ov_ctr3"};
	const struct unc_slot *slot = &w->slots[i];
	const struct unc_field *field;

	if (i >= w->n || !unc_window_is_clock(w, i) || !unc_window_status(w) ||
	    (!slot->fixed && slot->index >= sizeof(names) / sizeof(names[0])))
		return NULL;
	field = unc_reg_field(unc_window_status(w), slot->fixed ? "ov_fixed" : names[slot->index]);
	return field && field->acc == UNC_RW1C ? field : NULL;
}

/*
 * Which bit belongs to which counter: as the map has it, or in the order of the counters, with the fixed one after the general
 * ones.  The documents leave that open, so the check finds out what silicon does.
 */
enum order { OF_THE_MAP, OF_COUNTERS };

/* All bits of the status that writing 1 clears. */
static uint64_t status_bits(const struct unc_window *w)
{
	return unc_reg_mask(unc_window_status(w), UNC_RW1C);
}

static uint64_t mask_of(const struct unc_window *w, unsigned i, enum order order)
{
	const struct unc_slot *slot = &w->slots[i];
	uint64_t left = status_bits(w);

	if (order == OF_THE_MAP)
		return unc_field_mask(bit_of(w, i));
	for (unsigned nth = slot->fixed ? w->b->pbox.regs.ctl->count : slot->index; nth && left; nth--)
		left &= left - 1;
	return left & (~left + 1);
}

static uint64_t read_status(struct unc_window *w)
{
	return unc_drive_read(w->b, unc_window_status(w), 0);
}

static void make_wrap(struct unc_window *w, unsigned slot, uint64_t ns)
{
	const struct unc_field *bit = bit_of(w, slot);
	struct status_slot *s = seen_of(w, slot);

	s->was_set = bit && unc_field_get(bit, w->status);
	s->tried = bit && !s->was_set && w->hz.low > 0;
	if (!s->tried)
		return;
	s->before = read_status(w);
	unc_drive_preset(w->b, slot, highest(w, slot) - half_of(w, ns));
	unc_window_set_clock(w, slot, true);
}

static void read_wrapped(struct unc_window *w, unsigned slot)
{
	struct status_slot *s = seen_of(w, slot);

	if (!s->tried)
		return;
	unc_window_set_clock(w, slot, false);
	s->after = read_status(w);
	/* It was preset so near the edge that it has wrapped if it is now in the lowest quarter. */
	s->no_wrap = unc_drive_count(w->b, slot).value > highest(w, slot) / 4;
}

static void clear(struct unc_window *w, unsigned slot)
{
	const struct unc_reg *status = unc_window_status(w);
	struct status_slot *s = seen_of(w, slot);

	if (!s->tried)
		return;
	s->wrote = unc_drive_with(w->b, bit_of(w, slot), 1, unc_reg_blank(status));
	s->from = read_status(w);
	unc_drive_write(w->b, status, 0, s->wrote);
	s->to = read_status(w);
}

static void status(struct unc_windows *ws)
{
	uint64_t ns = unc_check_ms(ws->c, 1, 2, 20);
	struct unc_window *w = NULL;

	while (unc_windows_next(ws, &w)) {
		w->in = false;
		for (unsigned slot = 0; slot < w->n; slot++)
			w->in |= bit_of(w, slot) != NULL;
		if (!w->in)
			w->lacks = unc_window_status(w)
					   ? "has a status register, but the map does not know which bit is whose"
					   : "has no status register of its counters";
	}
	unc_windows_note_status(ws);
	unc_windows_clock(ws, ns, 1);
	unc_windows_each(ws, unc_window_off);
	for (unsigned slot = 0; slot < UNC_PMON_SLOTS; slot++) {
		const struct unc_window *any = unc_windows_any(ws);

		if (!any || !bit_of(any, slot))
			continue;
		while (unc_windows_next(ws, &w))
			make_wrap(w, slot, ns);
		unc_windows_wait(ws, ns);
		while (unc_windows_next(ws, &w))
			read_wrapped(w, slot);
	}
	for (unsigned slot = 0; slot < UNC_PMON_SLOTS; slot++)
		while (unc_windows_next(ws, &w))
			clear(w, slot);
	unc_windows_each(ws, unc_window_off);
	unc_windows_restore_status(ws);
}

/* ---- results ---- */

static bool expect(const struct unc_window *w, const char *what, const uint64_t *wrote, uint64_t read,
		   uint64_t expected)
{
	struct unc_check_seen seen = unc_seen(w->b->box, unc_window_status(w), 0, what, read);

	if (wrote)
		seen = unc_seen_wrote(seen, *wrote);
	return unc_check_expect(w->c, seen, expected, status_bits(w));
}

/* A wrap of the counter shows which bit is its own. */
static bool says_which(const struct unc_window *w, unsigned i, enum order order)
{
	const struct status_slot *s = seen_of(w, i);

	return s->tried && !s->no_wrap && !(s->before & mask_of(w, i, order));
}

/* Every wrap set the bit that is its counter's own in that order. */
static bool has_order(const struct unc_window *w, enum order order)
{
	unsigned n = 0;

	for (unsigned i = 0; i < w->n; i++) {
		const struct status_slot *s = seen_of(w, i);

		if (!says_which(w, i, order))
			continue;
		if (((s->after ^ s->before) & status_bits(w)) != mask_of(w, i, order))
			return false;
		n++;
	}
	return n > 0;
}

/* The order that more channels have.  In doubt, and where no document doubts the map, it is that of the map. */
static enum order order_of(const struct unc_windows *ws)
{
	size_t n[2] = {0};

	for (size_t i = 0; i < ws->n; i++) {
		const struct unc_window *w = &ws->of[i];

		for (enum order order = OF_THE_MAP; w->in && unc_window_status(w)->verify && order <= OF_COUNTERS;
		     order++)
			n[order] += has_order(w, order);
	}
	return n[OF_COUNTERS] > n[OF_THE_MAP] ? OF_COUNTERS : OF_THE_MAP;
}

static void list(const struct unc_window *w, bool no_wrap, const char *why, char *buf, size_t size)
{
	bool any = false;

	for (unsigned i = 0; i < w->n; i++) {
		const struct status_slot *s = seen_of(w, i);

		if (!(no_wrap ? s->no_wrap : s->was_set))
			continue;
		unc_text_join(buf, size, "", "%s%s", any ? ", " : "; not looked at: ", w->b->name[i]);
		any = true;
	}
	if (any)
		unc_text_join(buf, size, "", ", %s", why);
}

static void report_bits(const struct unc_window *w, enum order order)
{
	char left[400] = "", what[80];
	unsigned n = 0;

	list(w, false, "whose bits were found set and could not be set again", left, sizeof(left));
	list(w, true, "which could not be made to wrap (behaviour.wrap)", left, sizeof(left));
	for (unsigned i = 0; i < w->n; i++) {
		const struct status_slot *s = seen_of(w, i);

		if (!says_which(w, i, order))
			continue;
		snprintf(what, sizeof(what), "%.40s has wrapped", w->b->name[i]);
		if (!expect(w, what, NULL, s->after, s->before | mask_of(w, i, order)))
			return;
		snprintf(what, sizeof(what), "%.40s written 1", bit_of(w, i)->name);
		if (!expect(w, what, &s->wrote, s->to, s->from & ~unc_field_mask(bit_of(w, i))))
			return;
		n++;
	}
	if (!n)
		unc_check_skip(w->c, "no counter could be made to wrap%s", left);
	else
		unc_check_pass(
			w->c,
			"each of %u wraps set the bit of its counter alone, and writing 1 cleared that alone%s%s%s", n,
			order == OF_COUNTERS ? "; bits are in the order of the counters, the fixed one last, and not "
					       "as in the map (the documents leave that open)"
					     : "",
			left, unc_window_left_out(w));
}

/* Adds whether no bit of the channel was set although some counter wrapped. */
static void doubt_status(struct unc_window *w)
{
	bool any = false, set = false;

	for (unsigned i = 0; i < w->n; i++) {
		const struct status_slot *s = seen_of(w, i);

		if (!s->tried || s->no_wrap)
			continue;
		any = true;
		set |= s->after != s->before;
	}
	unc_doubt_add(w->ws->doubts, unc_check_is_doubtful(unc_window_status(w), NULL), any && !set);
}

static void report_status(struct unc_window *w)
{
	enum order order = order_of(w->ws);
	bool dead = unc_doubt_excuses(w->ws->doubts);
	uint64_t mask = status_bits(w), wrote = unc_reg_blank(unc_window_status(w)) | mask;

	/* Set bits that were 0 when the channel was taken, and that no check could clear again since. */
	if (w->b->box_status && (w->status & ~w->b->status & mask) &&
	    !expect(w, "set by a wrap in an earlier check, and written 1 after it", &wrote, w->status,
		    w->b->status & w->status))
		return;
	if (dead)
		unc_check_skip(w->c, "no wrap sets a bit on any channel here, and the map doubts BOX_STATUS");
	else
		report_bits(w, order);
	if (!unc_window_status(w)->verify || unc_check_failed(w->c) || !unc_window_tells(w))
		return;
	unc_check_tested(w->c, "BOX_STATUS",
			 dead                   ? "no wrap sets a bit while overflow is not enabled"
			 : order == OF_COUNTERS ? "a wrap sets the bit of its counter, bit 0 of CTR[0] and so on, "
						  "FIXED_CTR last; writing 1 clears it"
						: "a wrap sets the bit of its counter, bit 0 of FIXED_CTR, bit 1 of "
						  "CTR[0] and so on; writing 1 clears it");
}

const struct unc_windows_def unc_check_status = {UNC_PMON_SLOTS * sizeof(struct status_slot), status, doubt_status,
						 report_status};

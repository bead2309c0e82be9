// SPDX-License-Identifier: GPL-2.0-or-later
/* What a write changes: no bit that cannot be written, no bit beyond the width, the addressed half and register alone, and always something. */
#include "check/registers.h"

#include "machine/boxes.h"
#include "uncore/reg.h"

/* ==== registers.readonly ==== */

/*
 * Checks the bits that must not be written.  The gate gives a read-only or reserved bit only the value that the map wants, so these
 * bits are watched while all writable bits beside them are 1, and then 0.
 */

enum { KEPT_MAX = 32 };

struct kept { /* values from before, which nothing may change */
	struct unc_pci_header header;
	uint64_t values[KEPT_MAX]; /* values of the read-only registers, in the order of the map */
};

/* The register has no bit that any access may write. */
static bool is_read_only(const struct unc_reg *reg)
{
	return reg->count == 1 && !unc_reg_writable(reg) && unc_reg_mask(reg, UNC_RO);
}

static void read_kept(struct unc_check_box *b, struct kept *ret_kept)
{
	const struct unc_unit *unit = b->box->unit;

	if (!b->failed && b->box->addr.kind == UNC_PCI)
		b->failed = unc_pci_header_read(b->box->space, &ret_kept->header);
	for (size_t i = 0; i < unit->n_regs && i < KEPT_MAX; i++)
		if (is_read_only(&unit->regs[i]))
			ret_kept->values[i] = unc_drive_read(b, &unit->regs[i], 0);
}

static void compare_kept(struct unc_check *c, const struct unc_check_box *b, const struct kept *before,
			 const struct kept *after)
{
	const struct unc_unit *unit = b->box->unit;

	for (size_t i = 0; i < unit->n_regs && i < KEPT_MAX; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint64_t was = before->values[i], now = after->values[i];

		if (is_read_only(reg) && !reg->verify)
			unc_check_expect(c, unc_seen(b->box, reg, 0, "as before others were written", now), was,
					 unc_reg_mask(reg, UNC_RO));
		else if (is_read_only(reg))
			unc_check_tested(c, reg->name,
					 "read 0x%" PRIx64 ", and 0x%" PRIx64 " after others were written", was, now);
	}
	if (b->box->addr.kind != UNC_PCI)
		return;
	unc_check_expect(c, unc_seen_value("ids", "device and vendor after registers were written", after->header.ids),
			 before->header.ids, 0);
	unc_check_expect(c,
			 unc_seen_value("class", "class code after registers were written", after->header.class_code),
			 before->header.class_code, 0);
}

struct fields {                          /* the fields that were read */
	unsigned n, n_doubtful, n_wrong; /* judged fields; fields in doubt, and those of them that read wrong */
};

/* Compares reserved and read-only fields of a register that was just written with their reset values. */
static void compare_fields(struct unc_check *c, const struct unc_check_box *b, const struct unc_registers_one *one,
			   uint64_t wrote, uint64_t read, struct fields *fields)
{
	uint64_t judged = 0, expected = 0;

	for (size_t i = 0; i < one->reg->n_fields; i++) {
		const struct unc_field *field = &one->reg->fields[i];
		uint64_t number = unc_field_get(field, read);
		char what[UNC_REGISTERS_TEXT];

		if ((field->acc != UNC_RSVD && field->acc != UNC_RO) || !field->reset_known)
			continue;
		if (!unc_check_is_doubtful(one->reg, field)) {
			judged |= unc_field_mask(field);
			(void)unc_field_set(c->m->ctx, field, field->reset, &expected); /* the map was checked */
			fields->n++;
			continue;
		}
		fields->n_doubtful++;
		if (number != field->reset) {
			fields->n_wrong++;
			unc_check_tested(c, unc_registers_field_text(one, field, what),
					 "reads 0x%" PRIx64 " when 0x%" PRIx64 " was written, not 0x%" PRIx64, number,
					 unc_field_get(field, wrote), field->reset);
		}
	}
	if (judged)
		unc_check_expect(c, unc_registers_seen(b, one, "reserved bits", wrote, read), expected, judged);
}

void unc_registers_readonly(struct unc_check *c, struct unc_check_box *b)
{
	const struct unc_registers_one box_ctl = {b->pbox.regs.box_ctl, 0};
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	struct kept before = {0}, after = {0};
	size_t n = unc_registers_of(b, ones);
	struct fields fields = {0};
	char doubtful[120] = "";
	uint64_t read;

	read_kept(b, &before);
	for (size_t i = 0; i < 2 * n; i++) {
		const struct unc_registers_one *one = &ones[i / 2];
		uint64_t wrote = i % 2 ? unc_reg_blank(one->reg) : unc_registers_legal(b, one->reg, UINT64_MAX);

		read = unc_registers_try(b, one, wrote);
		if (!b->failed)
			compare_fields(c, b, one, wrote, read, &fields);
	}
	read = box_ctl.reg ? unc_drive_read(b, box_ctl.reg, 0) : 0; /* it was written when the channel was stopped */
	if (!b->failed && box_ctl.reg)
		compare_fields(c, b, &box_ctl, unc_reg_blank(box_ctl.reg), read, &fields);
	read_kept(b, &after);
	if (b->failed)
		return;
	compare_kept(c, b, &before, &after);
	/* It passes if nothing was wrong, except perhaps where documents are in doubt. */
	if (fields.n_doubtful)
		snprintf(doubtful, sizeof(doubtful),
			 "%sof %u reads of fields about which documents are in doubt %u were as the map says",
			 fields.n ? "; " : "", fields.n_doubtful, fields.n_doubtful - fields.n_wrong);
	if (fields.n)
		unc_check_pass(
			c,
			"fields that cannot be written read %u times as documented, whatever was written beside them%s",
			fields.n, doubtful);
	else
		unc_check_pass(c, "%s", doubtful[0] ? doubtful : "it has no field that cannot be written");
}

/* ==== registers.halves ==== */

/*
 * A counter has two dwords: if the low one is written alone, the high one must keep its value.  The effect of a write of the high
 * one shows in registers.bits, since it is always written last.
 */

void unc_registers_halves(struct unc_check *c, struct unc_check_box *b)
{
	const uint64_t high = ~(uint64_t)UINT32_MAX;

	for (unsigned i = 0; i < b->pbox.n_slots && !b->failed; i++) {
		const struct unc_registers_one ctr = {b->pbox.slots[i].ctr, b->pbox.slots[i].index};
		uint64_t all = unc_registers_writable(ctr.reg), first = UINT64_C(0x5a5a5a5aa5a5a5a5) & all;
		uint64_t second = (first & high) | (~first & all & ~high), held, read;
		struct unc_check_seen seen;

		held = unc_registers_try(b, &ctr, first);
		unc_drive_write_low(b, ctr.reg, ctr.index, second);
		read = unc_drive_read(b, ctr.reg, ctr.index);
		seen = unc_registers_seen(b, &ctr, "only its low dword was written", second, read);
		if (!b->failed && !unc_check_compare(c, seen, (held & high) | (second & ~high), all & high))
			unc_check_fail(c,
				       "%s: a write of its low dword changed the high one: it held 0x%08" PRIx64
				       ", and 0x%08" PRIx64 " after it",
				       b->name[i], held >> 32, read >> 32);
	}
	unc_check_pass(c, "the high dword of %u counters kept its value while the low one was written",
		       b->pbox.n_slots);
}

/* ==== registers.width ==== */

/* How many bits does a counter have?  Each bit is set by itself, and the bits above the width must read 0. */

void unc_registers_width(struct unc_check *c, struct unc_check_box *b)
{
	unsigned want = b->box->unit->counter_bits;

	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_registers_one ctr = {b->pbox.slots[i].ctr, b->pbox.slots[i].index};
		uint64_t all = unc_field_mask(unc_reg_field(ctr.reg, "event_count")), held = 0;
		uint64_t read = unc_registers_try(b, &ctr, all), above = read & ~all; /* bits above them that read 1 */
		unsigned bits = 0;                                                    /* up to the highest that holds */

		if (!b->failed)
			unc_check_compare(c, unc_registers_seen(b, &ctr, "all bits", all, read), all, 0);
		for (uint64_t left = all; left; left &= left - 1) {
			uint64_t bit = unc_registers_lowest(left);

			read = unc_registers_try(b, &ctr, bit);
			held |= read & bit;
			above |= read & ~all;
		}
		unc_registers_try(b, &ctr, 0);
		if (b->failed)
			return;
		while (bits < 64 && held >> bits)
			bits++;
		if (bits != want)
			unc_check_fail(c, "%s holds %u bits, not %u: above, 0 is read whatever is written", b->name[i],
				       bits, want);
		if (above)
			unc_check_fail(c, "%s reads 0x%" PRIx64 " above its %u bits, where 0 is expected", b->name[i],
				       above, want);
	}
	unc_check_pass(c, "all %u counters hold %u bits, and read 0 above", b->pbox.n_slots, want);
}

/* ==== registers.writes ==== */

struct losses {
	uint64_t n, n_lost;
};

struct writes { /* one for each channel */
	struct unc_check *c;
	struct unc_check_box *b;
	struct losses first, second; /* for controls: the write after a change, and its repetition if that was lost */
	struct losses counters;
	bool odd; /* something read back as neither what was written nor what was there before */
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	uint64_t held[UNC_REGISTERS_MAX]; /* the values that they were last read to hold */
	size_t n;
};

static bool same(uint64_t a, uint64_t b, uint64_t mask)
{
	return ((a ^ b) & mask) == 0;
}

/*
 * Returns whether the write was lost.  One half of a 64-bit register can be lost alone.  Bits that never take what is written are
 * left to registers.bits.
 */
static bool write_and_read(struct writes *w, size_t i, uint64_t value)
{
	static const uint64_t halves[] = {UINT32_MAX, ~(uint64_t)UINT32_MAX};
	const struct unc_registers_one *one = &w->ones[i];
	uint64_t was = w->held[i], mask = unc_registers_judged(one->reg), read;

	unc_drive_write(w->b, one->reg, one->index, value);
	read = w->held[i] = unc_drive_read(w->b, one->reg, one->index);
	if (w->b->failed || same(read, value, mask))
		return false;
	for (size_t k = 0; k < 2; k++) {
		if (!same(read, value, mask & halves[k]) && !same(read, was, mask & halves[k])) {
			w->odd = true;
			return false;
		}
	}
	return true;
}

static void count(struct losses *losses, bool lost)
{
	losses->n++;
	losses->n_lost += lost;
}

/* A control whose write was lost is written again, so that the next write changes it again. */
static void write_one(struct writes *w, size_t i, uint64_t value)
{
	const struct unc_registers_one *one = &w->ones[i];
	bool control = one->reg == w->b->pbox.regs.ctl, lost = write_and_read(w, i, value);
	uint64_t read = 0;

	count(control ? &w->first : &w->counters, lost);
	if (control && lost) {
		lost = write_and_read(w, i, value);
		count(&w->second, lost);
	}
	/* An access that fails here is not the failure of the channel. */
	if (lost && unc_reg_get(w->b->box, one->reg, one->index, &read) == 0)
		unc_check_compare(w->c, unc_registers_seen(w->b, one, "a write that was lost; read again", value, read),
				  value, 0);
	for (unsigned again = 0; again < 4 && control && lost; again++)
		lost = write_and_read(w, i, value);
}

static void report_writes(struct unc_check *c, const struct writes *w)
{
	bool twice = w->first.n && w->first.n_lost == w->first.n;
	const struct losses *controls = twice ? &w->second : &w->first;
	uint64_t n = controls->n + w->counters.n, n_lost = controls->n_lost + w->counters.n_lost;
	char odds[UNC_ODDS_TEXT];

	unc_odds_text(n, n_lost, odds);
	if (n_lost)
		unc_check_fail(c, "of %" PRIu64 " writes %" PRIu64 " %s lost, %" PRIu64 " of them of controls: %s%s", n,
			       n_lost, n_lost == 1 ? "was" : "were", controls->n_lost, odds,
			       twice ? " (a control takes two here, which count as one)" : "");
	else
		unc_check_pass(c, "%" PRIu64 " writes %s: a loss of %s%s", n,
			       w->odd ? "all changed what they wrote to, though not each bit (registers.bits tells)"
				      : "were all read back",
			       odds, twice ? "; a control takes two writes here, which count as one" : "");
}

void unc_registers_writes(struct unc_check *c, struct unc_check_box *b)
{
	struct writes w = {.c = c, .b = b};
	unsigned most = unc_check_times(c, 30, 60, 1500);
	uint64_t end_ns;

	w.n = unc_registers_of(b, w.ones);
	for (size_t i = 0; i < w.n; i++)
		w.held[i] = unc_drive_read(b, w.ones[i].reg, w.ones[i].index);
	end_ns = unc_check_rounds_end_ns(c);
	for (unsigned round = 0; !b->failed && unc_check_has_round(c, round, most, end_ns); round++) {
		/* Bits alternate, and all of them vary over the rounds: each value differs from the last in both dwords. */
		uint64_t some = round % 4 < 2 ? UINT64_C(0x5555555555555555) : UINT64_C(0x3333333333333333);

		for (size_t i = 0; i < w.n; i++) {
			uint64_t value = unc_registers_legal(b, w.ones[i].reg, round % 2 ? ~some : some);

			if (!b->pbox.regs.box_ctl) /* nothing stops it, so that an enabled counter might count */
				value &= ~unc_registers_bits(w.ones[i].reg, "en");
			if (w.ones[i].reg != b->pbox.regs.fixed_ctl) /* it has only one bit */
				write_one(&w, i, value);
		}
	}
	if (!b->failed)
		report_writes(c, &w);
}

/* A register and what was written there. */
struct written {
	struct unc_registers_one one;
	uint64_t wrote;
	/* What was read right after the write: a bit that never sticks is reported by registers.bits. */
	uint64_t held;
	uint64_t read;
};

/* ==== registers.alias ==== */

/*
 * Is each register independent?  All registers are given different values, and then read; and no other dword of the function, known
 * to the map or not, may follow what is written.  A dword that changes by itself does not follow: that would need the same value
 * twice with the same writes, and a different one with other writes and with none, before and after.
 */

enum { SPACE_BYTES = 256, DWORDS = SPACE_BYTES / 4 };
/* What had been written when the whole function was read. */
enum look { BEFORE, FIRST, SECOND, FIRST_AGAIN, AFTER, LOOKS };

struct alias { /* one for each channel */
	struct unc_check_box *b;
	struct written regs[UNC_REGISTERS_MAX];
	size_t n;
	uint32_t space[LOOKS][DWORDS];
	bool written[DWORDS]; /* the dword is part of a register that is written here */
};

/* In memory only registers are touched, each as a whole. */
static void read_space(struct alias *a, enum look look)
{
	bool in_memory = a->b->box->addr.kind == UNC_MMIO;
	unsigned char bytes[SPACE_BYTES] = {0};
	struct unc_box *box = a->b->box;

	for (size_t i = 0; i < unc_box_reg_count(box) && in_memory; i++) {
		unsigned index = 0;
		const struct unc_reg *reg = unc_box_nth_reg(box, i, &index);
		uint64_t value = unc_drive_read(a->b, reg, index);

		if (reg->bits == 64)
			unc_put_le64(bytes + unc_reg_off(reg, index), value);
		else
			unc_put_le32(bytes + unc_reg_off(reg, index), (uint32_t)value);
	}
	if (!a->b->failed && !in_memory)
		a->b->failed = unc_read_block(box->space, 0, bytes, sizeof(bytes));
	for (size_t i = 0; i < DWORDS; i++)
		a->space[look][i] = unc_le32(bytes + 4 * i);
}

static void mark(struct alias *a, const struct unc_reg *reg, unsigned index)
{
	uint32_t off = unc_reg_off(reg, index);

	for (uint32_t at = off; at < off + reg->bits / 8 && at < SPACE_BYTES; at += 4)
		a->written[at / 4] = true;
}

/* No two values are alike, in either dword. */
static uint64_t nth_value(size_t nth)
{
	return UINT64_C(0x0001030507010305) * (nth + 1);
}

/* Does it still hold what it held?  */
static bool expect_held(struct unc_check *c, const struct unc_check_box *b, const struct written *r, const char *what,
			uint64_t mask)
{
	return unc_check_compare(c, unc_registers_seen(b, &r->one, what, r->wrote, r->read), r->held, mask);
}

static void report_others(struct unc_check *c, const struct alias *a)
{
	unsigned n = 0, n_moving = 0;

	for (size_t i = 0; i < DWORDS; i++) {
		uint32_t before = a->space[BEFORE][i], first = a->space[FIRST][i], second = a->space[SECOND][i];
		bool moves = false;
		char name[24];

		if (a->written[i])
			continue;
		for (enum look look = FIRST; look < LOOKS; look++)
			moves |= a->space[look][i] != before;
		n++;
		n_moving += moves;
		if (first == before || second == first || a->space[FIRST_AGAIN][i] != first ||
		    a->space[AFTER][i] != before)
			continue;
		snprintf(name, sizeof(name), "0x%02zx", 4 * i);
		unc_check_compare(c, unc_seen_value(name, "while registers hold values", first), before, 0);
		unc_check_fail(c,
			       "the dword at 0x%02zx, which was not written, follows what is written to registers: "
			       "0x%08" PRIx32 " became 0x%08" PRIx32 " and 0x%08" PRIx32,
			       4 * i, before, first, second);
	}
	unc_check_pass(c,
		       "%zu registers held values of their own at the same time; of %u other dwords none followed, %u "
		       "changed by themselves",
		       a->n, n, n_moving);
}

void unc_registers_alias(struct unc_check *c, struct unc_check_box *b)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	struct alias a = {.b = b, .n = unc_registers_of(b, ones)};
	char name[UNC_GATE_TEXT], other_name[UNC_GATE_TEXT];

	for (size_t i = 0; i < a.n; i++) {
		a.regs[i].one = ones[i];
		mark(&a, ones[i].reg, ones[i].index);
	}
	if (b->pbox.regs.box_ctl)
		mark(&a, b->pbox.regs.box_ctl, 0);
	for (enum look look = BEFORE; look < LOOKS; look++) {
		for (size_t i = 0; i < a.n; i++) {
			uint64_t value = look == SECOND ? ~nth_value(i) : nth_value(i);

			value = look == BEFORE || look == AFTER ? 0 : value;
			value &= b->pbox.regs.box_ctl ? UINT64_MAX : ~unc_registers_bits(ones[i].reg, "en");
			a.regs[i].wrote = unc_registers_legal(b, ones[i].reg, value);
			a.regs[i].held = unc_registers_try(b, &a.regs[i].one, a.regs[i].wrote);
		}
		for (size_t i = 0; i < a.n && look != BEFORE && look != AFTER; i++) {
			struct written *r = &a.regs[i];
			const struct unc_registers_one *other = NULL; /* to which the value that is read was written */
			uint64_t mask = unc_registers_judged(r->one.reg);

			r->read = unc_drive_read(b, r->one.reg, r->one.index);
			if (b->failed || expect_held(c, b, r, "while others hold other values", mask))
				continue;
			for (size_t k = 0; k < a.n && mask && r->read & mask && !other; k++)
				if (((r->read ^ a.regs[k].wrote) & mask) == 0)
					other = &a.regs[k].one;
			unc_check_fail(c, "%s: held 0x%" PRIx64 ", and 0x%" PRIx64 " after all others were written%s%s",
				       unc_gate_reg_text(r->one.reg, r->one.index, name), r->held, r->read,
				       other ? ", what was written to " : "",
				       other ? unc_gate_reg_text(other->reg, other->index, other_name) : "");
		}
		if (b->box->addr.kind != UNC_MSR)
			read_space(&a, look);
	}
	if (b->failed)
		return;
	if (b->box->addr.kind != UNC_MSR)
		report_others(c, &a);
	else
		unc_check_pass(c, "%zu registers held values of their own at the same time", a.n);
}

/* ==== registers.channels ==== */

/*
 * Does a write reach only one channel?  The registers of all channels are given different values, channel by channel, and then all
 * are read; once in the order of the channels and once in reverse, since a write that also lands in a second channel shows only if
 * that channel was written before.  No control is enabled for this.
 */

enum { ORDERS = 2 }; /* the second order is backwards */

struct seen {
	struct written pass[ORDERS][UNC_REGISTERS_MAX];
};

static struct written *pass_of(const struct unc_window *w, unsigned order)
{
	return ((struct seen *)w->seen)->pass[order];
}

static void write_channel(struct unc_window *w, unsigned order)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);

	for (size_t i = 0; i < n; i++) {
		struct written *r = &pass_of(w, order)[i];
		uint64_t value = nth_value(w->i * UNC_REGISTERS_MAX + i);

		r->one = ones[i];
		r->wrote = unc_registers_legal(w->b, ones[i].reg, order ? ~value : value) &
			   ~unc_registers_bits(ones[i].reg, "en");
		r->held = unc_registers_try(w->b, &ones[i], r->wrote);
	}
}

static void write_channels(struct unc_windows *ws)
{
	struct unc_window *w = NULL;

	unc_windows_each(ws, unc_window_freeze);
	for (unsigned order = 0; order < ORDERS; order++) {
		for (size_t k = 0; k < ws->n; k++)
			while (unc_windows_next(ws, &w))
				if (w->i == (order ? ws->n - 1 - k : k))
					write_channel(w, order);
		while (unc_windows_next(ws, &w)) {
			struct written *pass = pass_of(w, order);

			for (size_t i = 0; i < UNC_REGISTERS_MAX && pass[i].one.reg; i++)
				pass[i].read = unc_drive_read(w->b, pass[i].one.reg, pass[i].one.index);
		}
	}
}

static void compare_register(struct unc_window *w, unsigned order, size_t i)
{
	const struct written *r = &pass_of(w, order)[i];
	uint64_t mask = unc_registers_judged(r->one.reg) & ~unc_registers_bits(r->one.reg, "en");
	const struct unc_check_box *other = NULL; /* to whose register that value was written */
	char name[UNC_GATE_TEXT];

	if (!mask || expect_held(w->c, w->b, r, "while other channels hold other values", mask))
		return;
	for (size_t k = 0; k < w->ws->n && !other; k++) {
		const struct unc_window *o = &w->ws->of[k];

		if (k != w->i && o->in && r->read & mask && ((r->read ^ pass_of(o, order)[i].wrote) & mask) == 0)
			other = o->b;
	}
	unc_check_fail(w->c, "%s: held 0x%" PRIx64 ", and 0x%" PRIx64 " after other channels were written%s%s",
		       unc_gate_reg_text(r->one.reg, r->one.index, name), r->held, r->read,
		       other ? ", what was written to " : "", other ? other->box->name : "");
	if (!other || w->b->shared)
		return;
	w->b->shared = true;
	w->b->usable = false; /* a channel that changes with another one cannot be checked any further */
	snprintf(w->b->why, sizeof(w->b->why),
		 "%s: what is written to %s lands here, too (registers.channels), so that nothing can be told of it",
		 w->b->box->name, other->box->name);
}

static void report_channel(struct unc_window *w)
{
	size_t n = 0;
	unsigned n_channels = 0;

	for (size_t i = 0; i < w->ws->n; i++)
		n_channels += w->ws->of[i].in;
	if (n_channels < 2) {
		unc_check_skip(w->c, "no other channel can be written here");
		return;
	}
	for (unsigned order = 0; order < ORDERS; order++)
		for (n = 0; n < UNC_REGISTERS_MAX && pass_of(w, order)[n].one.reg; n++)
			compare_register(w, order, n);
	unc_check_pass(w->c, "%zu registers kept their values while those of %u other channels were written", n,
		       n_channels - 1);
}

const struct unc_windows_def unc_registers_channels = {sizeof(struct seen), write_channels, NULL, report_channel};

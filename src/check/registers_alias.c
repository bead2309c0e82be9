// SPDX-License-Identifier: GPL-2.0-or-later
/* Is each register independent of all others, in its channel and in other channels? */
#include "check/registers.h"

#include <inttypes.h>
#include <stdio.h>

#include "access/access.h"
#include "map/field.h"
#include "uncore/reg.h"

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
	mark(&a, b->pbox.regs.box_ctl, 0);
	for (enum look look = BEFORE; look < LOOKS; look++) {
		for (size_t i = 0; i < a.n; i++) {
			uint64_t value = look == SECOND ? ~nth_value(i) : nth_value(i);

			value = look == BEFORE || look == AFTER ? 0 : value;
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
		read_space(&a, look);
	}
	if (!b->failed)
		report_others(c, &a);
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

static uint64_t en_bit(const struct unc_reg *reg)
{
	const struct unc_field *en = unc_reg_field(reg, "en");

	return en ? unc_field_mask(en) : 0;
}

static void write_channel(struct unc_window *w, unsigned order)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);

	for (size_t i = 0; i < n; i++) {
		struct written *r = &pass_of(w, order)[i];
		uint64_t value = nth_value(w->i * UNC_REGISTERS_MAX + i);

		r->one = ones[i];
		r->wrote = unc_registers_legal(w->b, ones[i].reg, order ? ~value : value) & ~en_bit(ones[i].reg);
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
	uint64_t mask = unc_registers_judged(r->one.reg) & ~en_bit(r->one.reg);
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

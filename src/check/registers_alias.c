// SPDX-License-Identifier: GPL-2.0-or-later
/* Is each register independent of all others, in its channel and in other channels? */
#include "check/registers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "access/access.h"
#include "check/window.h"
#include "map/field.h"

/* ==== registers.alias ==== */

enum { SPACE_BYTES = 256, DWORDS = SPACE_BYTES / 4 };
/* What had been written when the whole function was read. */
enum look { BEFORE, FIRST, SECOND, FIRST_AGAIN, AFTER, LOOKS };

struct alias { /* one for each channel */
	struct unc_check_box *b;
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n;
	uint64_t wrote[UNC_REGISTERS_MAX];
	/* What was read right after the write: a bit that never sticks is reported by registers.bits. */
	uint64_t held[UNC_REGISTERS_MAX];
	uint32_t space[LOOKS][DWORDS];
	bool written[DWORDS]; /* the dword is part of a register that is written here */
};

static int see_space(struct alias *a, enum look look)
{
	unsigned char bytes[SPACE_BYTES];
	int rc = unc_read_block(a->b->box->space, 0, bytes, sizeof(bytes));

	for (size_t i = 0; i < DWORDS && rc == 0; i++)
		a->space[look][i] = unc_le32(bytes + 4 * i);
	return rc;
}

static void mark(struct alias *a, const struct unc_reg *reg, unsigned index)
{
	uint32_t off = unc_reg_off(reg, index);

	for (uint32_t at = off; at < off + reg->bits / 8 && at < SPACE_BYTES; at += 4)
		a->written[at / 4] = true;
}

/* No two values are alike, in either dword. */
static uint64_t value_of(const struct alias *a, size_t i, enum look look)
{
	uint64_t value = UINT64_C(0x0001030507010305) * (i + 1);

	if (look == BEFORE || look == AFTER)
		value = 0;
	else if (look == SECOND)
		value = ~value;
	return unc_registers_legal(a->b, a->ones[i].reg, value);
}

static int write_all(struct alias *a, enum look look)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < a->n && rc == 0; i++) {
		a->wrote[i] = value_of(a, i, look);
		rc = unc_registers_try(a->b, &a->ones[i], a->wrote[i], &a->held[i]);
	}
	return rc;
}

/* The register to which the value that was read was written; NULL: none. */
static const struct unc_registers_one *whose(const struct alias *a, uint64_t read, uint64_t mask)
{
	for (size_t i = 0; i < a->n; i++)
		if (mask && read & mask && ((read ^ a->wrote[i]) & mask) == 0)
			return &a->ones[i];
	return NULL;
}

static int read_one(struct unc_check *c, struct alias *a, size_t i)
{
	const struct unc_registers_one *one = &a->ones[i], *other;
	uint64_t mask = unc_registers_writable(one->reg) & ~unc_registers_doubtful(one->reg), read = 0;
	char name[UNC_GATE_TEXT], other_name[UNC_GATE_TEXT];
	int rc = unc_drive_read(a->b, one->reg, one->index, &read);

	if (rc < 0 || unc_check_see(c, &(struct unc_check_seen){.what = "while others hold other values",
								.box = a->b->box,
								.reg = one->reg,
								.index = one->index,
								.has_wrote = true,
								.has_expected = true,
								.wrote = a->wrote[i],
								.read = read,
								.expected = a->held[i],
								.compared = mask}))
		return rc;
	other = whose(a, read, mask);
	unc_check_fail(c, "%s: held 0x%" PRIx64 ", and 0x%" PRIx64 " after all others were written%s%s",
		       unc_gate_reg_text(one->reg, one->index, name), a->held[i], read,
		       other ? ", what was written to " : "",
		       other ? unc_gate_reg_text(other->reg, other->index, other_name) : "");
	return rc;
}

static int go_through(struct unc_check *c, struct alias *a)
{
	int rc = UNC_OK;

	for (enum look look = BEFORE; look < LOOKS && rc == 0; look++) {
		rc = write_all(a, look);
		for (size_t i = 0; i < a->n && rc == 0 && look != BEFORE && look != AFTER; i++)
			rc = read_one(c, a, i);
		if (rc == 0)
			rc = see_space(a, look);
	}
	return rc;
}

static bool follows(const struct alias *a, size_t i)
{
	uint32_t before = a->space[BEFORE][i], first = a->space[FIRST][i], second = a->space[SECOND][i];

	return first != before && second != first && a->space[FIRST_AGAIN][i] == first && a->space[AFTER][i] == before;
}

static bool moves(const struct alias *a, size_t i)
{
	for (enum look look = FIRST; look < LOOKS; look++)
		if (a->space[look][i] != a->space[BEFORE][i])
			return true;
	return false;
}

static void report_others(struct unc_check *c, const struct alias *a)
{
	unsigned n = 0, n_moving = 0;

	for (size_t i = 0; i < DWORDS; i++) {
		char name[24];

		if (a->written[i])
			continue;
		n++;
		n_moving += moves(a, i);
		if (!follows(a, i))
			continue;
		snprintf(name, sizeof(name), "0x%02zx", 4 * i);
		unc_check_see(c, &(struct unc_check_seen){.what = "while registers hold values",
							  .name = name,
							  .has_expected = true,
							  .read = a->space[FIRST][i],
							  .expected = a->space[BEFORE][i]});
		unc_check_fail(
			c,
			"the dword at 0x%02zx, which nobody wrote, follows what is written to registers: 0x%08" PRIx32
			" became 0x%08" PRIx32 " and 0x%08" PRIx32,
			4 * i, a->space[BEFORE][i], a->space[FIRST][i], a->space[SECOND][i]);
	}
	unc_check_pass(c,
		       "%zu registers held values of their own at the same time; of %u other dwords none followed, %u "
		       "changed by themselves",
		       a->n, n, n_moving);
}

static int look(struct unc_check *c, struct unc_check_box *b)
{
	struct alias a = {.b = b};
	int rc;

	a.n = unc_registers_of(b, a.ones);
	for (size_t i = 0; i < a.n; i++)
		mark(&a, a.ones[i].reg, a.ones[i].index);
	mark(&a, b->pbox.regs.box_ctl, 0);
	rc = go_through(c, &a);
	if (rc == 0)
		report_others(c, &a);
	return rc;
}

int unc_registers_alias(struct unc_check *c)
{
	return unc_registers_each(c, look);
}

/* ==== registers.channels ==== */

/*
 * Does a write reach only one channel?  The registers of all channels are given different values, channel by channel, and then all
 * are read; once in the order of the channels and once in reverse, since a write that also lands in a second channel shows only if
 * that channel was written before.  No control is enabled for this.
 */

enum { ORDERS = 2 }; /* the second order is backwards */

struct pass { /* one for each channel */
	uint64_t wrote[UNC_REGISTERS_MAX], read[UNC_REGISTERS_MAX];
	/* What was read right after the write: a bit that never sticks is reported by registers.bits. */
	uint64_t held[UNC_REGISTERS_MAX];
};

struct seen {
	struct pass pass[ORDERS];
};

struct turn {
	struct seen *seen;
	unsigned order;
	size_t at; /* the channel that is being written */
};

/* Bits of the register that are written and compared. */
static uint64_t bits_of(const struct unc_reg *reg)
{
	const struct unc_field *en = unc_reg_field(reg, "en");

	return unc_registers_writable(reg) & ~unc_registers_doubtful(reg) & ~(en ? unc_field_mask(en) : 0);
}

/* No two values of all channels are alike, in either dword. */
static uint64_t channel_value(const struct unc_window *w, const struct unc_registers_one *one, size_t i, unsigned order)
{
	uint64_t value = UINT64_C(0x0001030507010305) * (w->i * UNC_REGISTERS_MAX + i + 1);
	const struct unc_field *en = unc_reg_field(one->reg, "en");

	value = unc_registers_legal(w->b, one->reg, order ? ~value : value);
	return value & ~(en ? unc_field_mask(en) : 0);
}

static int write_channel(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct pass *pass = &turn->seen[w->i].pass[turn->order];
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0 && w->i == turn->at; i++) {
		pass->wrote[i] = channel_value(w, &ones[i], i, turn->order);
		rc = unc_registers_try(w->b, &ones[i], pass->wrote[i], &pass->held[i]);
	}
	return rc;
}

static int read_channel(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct pass *pass = &turn->seen[w->i].pass[turn->order];
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = unc_drive_read(w->b, ones[i].reg, ones[i].index, &pass->read[i]);
	return rc;
}

static int write_channels(struct unc_windows *ws, struct seen *seen)
{
	int rc = unc_windows_each(ws, unc_window_freeze, NULL);

	for (unsigned order = 0; order < ORDERS && rc == 0; order++) {
		struct turn turn = {.seen = seen, .order = order};

		for (size_t k = 0; k < ws->n && rc == 0; k++) {
			turn.at = order ? ws->n - 1 - k : k;
			rc = unc_windows_each(ws, write_channel, &turn);
		}
		if (rc == 0)
			rc = unc_windows_each(ws, read_channel, &turn);
	}
	return rc;
}

/* The other channel to channel_that_holds register that value was written; NULL: none. */
static struct unc_check_box *channel_that_holds(const struct unc_windows *ws, const struct seen *seen,
						const struct unc_window *w, const struct turn *at, uint64_t mask)
{
	uint64_t read = seen[w->i].pass[at->order].read[at->at];

	for (size_t k = 0; k < ws->n; k++)
		if (k != w->i && ws->of[k].in && read & mask &&
		    ((read ^ seen[k].pass[at->order].wrote[at->at]) & mask) == 0)
			return ws->of[k].b;
	return NULL;
}

/* A channel that changes with another one cannot be checked any further. */
static void give_up(struct unc_window *w, const struct unc_check_box *other)
{
	w->b->shared = true;
	w->b->usable = false;
	snprintf(w->b->why, sizeof(w->b->why),
		 "%s: what is written to %s lands here, too (registers.channels), so that nothing can be told of it",
		 w->b->box->name, other->box->name);
}

static void compare_register(struct unc_windows *ws, const struct seen *seen, struct unc_window *w,
			     const struct unc_registers_one *one, const struct turn *at)
{
	const struct pass *pass = &seen[w->i].pass[at->order];
	uint64_t mask = bits_of(one->reg);
	struct unc_check_box *other;
	char name[UNC_GATE_TEXT];

	if (!mask || unc_check_see(w->c, &(struct unc_check_seen){.what = "while other channels hold other values",
								  .box = w->b->box,
								  .reg = one->reg,
								  .index = one->index,
								  .has_wrote = true,
								  .has_expected = true,
								  .wrote = pass->wrote[at->at],
								  .read = pass->read[at->at],
								  .expected = pass->held[at->at],
								  .compared = mask}))
		return;
	other = channel_that_holds(ws, seen, w, at, mask);
	unc_check_fail(w->c, "%s: held 0x%" PRIx64 ", and 0x%" PRIx64 " after other channels were written%s%s",
		       unc_gate_reg_text(one->reg, one->index, name), pass->held[at->at], pass->read[at->at],
		       other ? ", what was written to " : "", other ? other->box->name : "");
	if (other && !w->b->shared)
		give_up(w, other);
}

static void compare_channel(struct unc_windows *ws, const struct seen *seen, struct unc_window *w, unsigned n_channels)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);
	struct turn at;

	for (at.order = 0; at.order < ORDERS; at.order++)
		for (at.at = 0; at.at < n; at.at++)
			compare_register(ws, seen, w, &ones[at.at], &at);
	unc_check_pass(ws->c, "%zu registers kept their values while those of %u other channels were written", n,
		       n_channels - 1);
}

static int channels(struct unc_windows *ws, void *seen)
{
	int rc = write_channels(ws, seen);
	unsigned n = 0;

	for (size_t i = 0; i < ws->n; i++)
		n += ws->of[i].in;
	for (size_t i = 0; i < ws->n && rc == 0; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		if (n < 2)
			unc_check_skip(ws->c, "no other channel can be written here");
		else
			compare_channel(ws, seen, &ws->of[i], n);
	}
	return rc;
}

int unc_registers_channels(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), channels);
}

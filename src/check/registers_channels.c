// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does a write reach only one channel?  The registers of all channels are given different values, channel by channel, and then all
 * are read; once in the order of the channels and once in reverse, since a write that also lands in a second channel shows only if
 * that channel was written before.  No control is enabled for this.
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/registers.h"
#include "check/window.h"
#include "map/field.h"

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
static uint64_t value_of(const struct unc_window *w, const struct unc_registers_one *one, size_t i, unsigned order)
{
	uint64_t value = UINT64_C(0x0001030507010305) * (w->i * UNC_REGISTERS_MAX + i + 1);
	const struct unc_field *en = unc_reg_field(one->reg, "en");

	value = unc_registers_legal(w->b, one->reg, order ? ~value : value);
	return value & ~(en ? unc_field_mask(en) : 0);
}

static int write_one(struct unc_window *w, void *arg)
{
	const struct turn *turn = arg;
	struct pass *pass = &turn->seen[w->i].pass[turn->order];
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0 && w->i == turn->at; i++) {
		pass->wrote[i] = value_of(w, &ones[i], i, turn->order);
		rc = unc_registers_try(w->b, &ones[i], pass->wrote[i], &pass->held[i]);
	}
	return rc;
}

static int read_one(struct unc_window *w, void *arg)
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

static int go_through(struct unc_windows *ws, struct seen *seen)
{
	int rc = unc_windows_each(ws, unc_window_freeze, NULL);

	for (unsigned order = 0; order < ORDERS && rc == 0; order++) {
		struct turn turn = {.seen = seen, .order = order};

		for (size_t k = 0; k < ws->n && rc == 0; k++) {
			turn.at = order ? ws->n - 1 - k : k;
			rc = unc_windows_each(ws, write_one, &turn);
		}
		if (rc == 0)
			rc = unc_windows_each(ws, read_one, &turn);
	}
	return rc;
}

/* The other channel to whose register that value was written; NULL: none. */
static struct unc_check_box *whose(const struct unc_windows *ws, const struct seen *seen, const struct unc_window *w,
				   const struct turn *at, uint64_t mask)
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

static void judge_register(struct unc_windows *ws, const struct seen *seen, struct unc_window *w,
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
	other = whose(ws, seen, w, at, mask);
	unc_check_fail(w->c, "%s: held 0x%" PRIx64 ", and 0x%" PRIx64 " after other channels were written%s%s",
		       unc_gate_reg_text(one->reg, one->index, name), pass->held[at->at], pass->read[at->at],
		       other ? ", what was written to " : "", other ? other->box->name : "");
	if (other && !w->b->shared)
		give_up(w, other);
}

static void judge(struct unc_windows *ws, const struct seen *seen, struct unc_window *w, unsigned n_channels)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(w->b, ones);
	struct turn at;

	for (at.order = 0; at.order < ORDERS; at.order++)
		for (at.at = 0; at.at < n; at.at++)
			judge_register(ws, seen, w, &ones[at.at], &at);
	unc_check_pass(ws->c, "%zu registers kept their values while those of %u other channels were written", n,
		       n_channels - 1);
}

static int channels(struct unc_windows *ws, void *seen)
{
	int rc = go_through(ws, seen);
	unsigned n = 0;

	for (size_t i = 0; i < ws->n; i++)
		n += ws->of[i].in;
	for (size_t i = 0; i < ws->n && rc == 0; i++) {
		if (!unc_window_begin(&ws->of[i]))
			continue;
		if (n < 2)
			unc_check_skip(ws->c, "no other channel can be written here");
		else
			judge(ws, seen, &ws->of[i], n);
	}
	return rc;
}

int unc_registers_channels(struct unc_check *c)
{
	return unc_windows_check(c, sizeof(struct seen), channels);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Is each register independent?  All registers are given different values, and then read; and no other dword of the function, known
 * to the map or not, may follow what is written.  A dword that changes by itself does not follow: that would need the same value
 * twice with the same writes, and a different one with other writes and with none, before and after.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "access/access.h"
#include "check/registers.h"
#include "map/field.h"

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

static void look_at_others(struct unc_check *c, const struct alias *a)
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
		look_at_others(c, &a);
	return rc;
}

int unc_registers_alias(struct unc_check *c)
{
	return unc_registers_each(c, look);
}

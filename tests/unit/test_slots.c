// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <string.h>

#include "pmon/pmon.h"
#include "test.h"

/* Four general counters and the fixed one, as in every part there is; taken: enabled by another process. */
static struct unc_pmon_box box_with(uint32_t taken)
{
	struct unc_pmon_box pbox = {.n_slots = 5};

	for (unsigned i = 0; i < 5; i++) {
		pbox.slots[i].index = i < 4 ? i : 0;
		pbox.slots[i].fixed = i == 4;
		pbox.slots[i].enabled = taken >> i & 1;
	}
	return pbox;
}

struct wish {
	uint32_t counters; /* 0: the fixed one */
	int slot;          /* which it gets */
};

/* Whether they fit, and where they went; a slot of -1: anywhere. */
static bool fits(uint32_t taken, bool force, const struct wish *wishes, unsigned n)
{
	struct unc_pmon_box pbox = box_with(taken);
	struct unc_event events[8] = {{0}};
	struct unc_accumulator accumulators[8] = {{0}}, *pointers[8];
	struct unc_mux_set turn;

	memset(&turn, 0x5a, sizeof(turn));
	for (unsigned i = 0; i < n; i++) {
		events[i].counters = wishes[i].counters;
		events[i].fixed = wishes[i].counters == 0 && wishes[i].slot >= 0;
		accumulators[i].event = &events[i];
		pointers[i] = &accumulators[i];
	}
	if (!unc_slots_match(&pbox, pointers, n, force, &turn))
		return false;
	for (unsigned i = 0; i < n && wishes[i].slot >= 0; i++) {
		if (turn.of[wishes[i].slot] != &accumulators[i])
			fprintf(stderr, "\nevent %u is not in slot %d\n", i, wishes[i].slot);
		CU_ASSERT_PTR_EQUAL(turn.of[wishes[i].slot], &accumulators[i]);
	}
	return true;
}

#define FITS(taken, force, ...)                                                                                        \
	fits(taken, force, (const struct wish[]){__VA_ARGS__},                                                         \
	     sizeof((const struct wish[]){__VA_ARGS__}) / sizeof(struct wish))

TEST(from_the_highest_free_one_down)
{
	CU_ASSERT_TRUE(FITS(0, false, {0xf, 3}));
	CU_ASSERT_TRUE(FITS(0, false, {0xf, 3}, {0xf, 2}, {0xf, 1}, {0xf, 0}));
	CU_ASSERT_TRUE(FITS(0x8, false, {0xf, 2}, {0xf, 1}));
	CU_ASSERT_TRUE(FITS(0x5, false, {0xf, 3}, {0xf, 1}));
	CU_ASSERT_TRUE(FITS(0, false, {0, 4}, {0xf, 3}));
	CU_ASSERT_FALSE(FITS(0xf, false, {0xf, 3}));
	CU_ASSERT_FALSE(FITS(0x10, false, {0, 4}));
	CU_ASSERT_FALSE(FITS(0, false, {0xf, 3}, {0xf, 2}, {0xf, 1}, {0xf, 0}, {0xf, 0}));
}

TEST(one_that_came_first_makes_room_for_one_that_is_bound)
{
	CU_ASSERT_TRUE(FITS(0, false, {0xf, 2}, {0x8, 3}));
	CU_ASSERT_TRUE(FITS(0, false, {0xf, 1}, {0xc, 2}, {0x8, 3}));
	CU_ASSERT_TRUE(FITS(0, false, {0x3, 1}, {0x3, 0}, {0xf, 3}, {0xf, 2}));
	CU_ASSERT_TRUE(FITS(0, false, {0xf, 3}, {0xf, 2}, {0x3, 1}, {0x3, 0}));
	CU_ASSERT_TRUE(FITS(0x2, false, {0xd, 3}, {0xc, 2}, {0x1, 0}));
	CU_ASSERT_FALSE(FITS(0, false, {0x3, 1}, {0x3, 0}, {0x3, 0}));
	CU_ASSERT_FALSE(FITS(0x1, false, {0xf, 3}, {0x1, 0}));
}

TEST(force_takes_what_is_free_first)
{
	CU_ASSERT_TRUE(FITS(0xe, true, {0xf, 0}, {0xf, 3}));
	CU_ASSERT_TRUE(FITS(0xf, true, {0xf, 3}, {0xf, 2}));
	CU_ASSERT_TRUE(FITS(0xe, true, {0xf, 3}, {0x1, 0}));
	CU_ASSERT_TRUE(FITS(0x10, true, {0, 4}));
}

/* All sets of up to four events with any restriction: the search finds a place where there is one. */
static bool fits_by_trying(const uint32_t *counters, unsigned n, uint32_t used)
{
	if (n == 0)
		return true;
	for (unsigned i = 0; i < 4; i++)
		if (counters[0] >> i & 1 && !(used >> i & 1) && fits_by_trying(counters + 1, n - 1, used | 1u << i))
			return true;
	return false;
}

TEST(it_finds_a_place_wherever_there_is_one)
{
	for (uint32_t code = 0; code < 0x10000; code++) {
		uint32_t counters[4], taken = code % 3 == 0 ? 0x4 : 0;
		struct wish wishes[4];

		for (unsigned i = 0; i < 4; i++) {
			counters[i] = code >> 4 * i & 0xf;
			wishes[i] = (struct wish){counters[i], -1};
		}
		CU_ASSERT_EQUAL(fits(taken, false, wishes, 3), fits_by_trying(counters, 3, taken));
		CU_ASSERT_EQUAL(fits(taken, true, wishes, 4), fits_by_trying(counters, 4, 0));
	}
}

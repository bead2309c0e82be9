// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/counter.h"

#include <inttypes.h>
#include <stdio.h>

#include "test.h"

#define N(array)  (sizeof(array) / sizeof((array)[0]))
#define P(n)      (UINT64_C(1) << (n))
#define GHZ(n)    (UINT64_C(1000000000) * (n))
#define SECOND_NS UINT64_C(1000000000)

static struct unc_event bound(unsigned max_inc, unsigned one_per)
{
	return (struct unc_event){.max_inc = max_inc, .one_per = one_per};
}

static void check(uint64_t is, uint64_t expected, const char *what, size_t i)
{
	if (is != expected)
		fprintf(stderr, "\n%s, case %zu: %" PRIu64 ", not %" PRIu64 "\n", what, i, is, expected);
	CU_ASSERT_EQUAL(is, expected);
}

TEST(a_delta_is_right_across_one_wrap)
{
	static const struct {
		uint64_t before, after;
		unsigned bits;
		uint64_t delta;
	} cases[] = {
		{0, 0, 48, 0},
		{5, 9, 48, 4},
		{P(48) - 1, 0, 48, 1},
		{P(48) - 5, 3, 48, 8},
		{9, 8, 48, P(48) - 1},
		{0, P(48) - 1, 48, P(48) - 1},
		{P(32) - 1, P(32), 48, 1},
		{P(32) - 1, 1, 32, 2},
		{P(44) - 2, 2, 44, 4},
		{UINT64_MAX, 0, 64, 1},
		{UINT64_MAX - 3, 6, 64, 10},
	};

	for (size_t i = 0; i < N(cases); i++)
		check(unc_delta(cases[i].before, cases[i].after, cases[i].bits), cases[i].delta, "delta", i);
}

TEST(the_most_is_clocks_times_increment)
{
	static const struct {
		unsigned max_inc, one_per;
		uint64_t clock_hz, interval_ns, most;
	} cases[] = {
		/* One clock more than fits into the interval can begin in it. */
		{1, 0, GHZ(1), 0, 1},
		{1, 0, GHZ(1), 1, 2},
		{1, 0, GHZ(1), SECOND_NS, GHZ(1) + 1},
		{1, 0, GHZ(1), SECOND_NS - 1, GHZ(1)},
		{32, 0, 1200000000, 2 * SECOND_NS, 32 * UINT64_C(2400000001)},
		{0, 0, GHZ(1), 9, 255 * 10},
		{1, 0, 0, 1, UINT64_MAX},
		{255, 0, GHZ(4), UINT64_MAX, UINT64_MAX},
		{1, 0, GHZ(1), UINT64_MAX - 1, UINT64_MAX},
		/* One in four clocks, and the first can come at once. */
		{1, 4, GHZ(1), 0, 1},
		{1, 4, GHZ(1), 3, 1},
		{1, 4, GHZ(1), 4, 2},
		{1, 4, GHZ(1), SECOND_NS, GHZ(1) / 4 + 1},
		{0, 4, GHZ(1), SECOND_NS, GHZ(1) / 4 + 255},
		{1, 4, 1333333333, 2 * SECOND_NS, 666666667},
		{1, 4, 0, 1, UINT64_MAX},
		{1, 4, UINT64_MAX, UINT64_MAX, UINT64_MAX},
		{1, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX},
		{255, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct unc_event event = bound(cases[i].max_inc, cases[i].one_per);

		check(unc_most(&event, cases[i].clock_hz, cases[i].interval_ns), cases[i].most, "most", i);
	}
	check(unc_most(NULL, GHZ(1), 9), 255 * 10, "most of an unknown event", 0);
}

static uint64_t reach(unsigned max_inc, unsigned one_per, uint64_t clock_hz, uint64_t read_ns)
{
	struct unc_event event = bound(max_inc, one_per);

	return unc_reach(&event, clock_hz, read_ns);
}

TEST(reach_is_twice_the_most_of_each_clock)
{
	check(reach(1, 0, GHZ(1), 500), 1002, "reach", 0);
	check(reach(0, 0, GHZ(1), 0), 510, "reach", 1);
	check(reach(22, 0, 1200000000, 2000), 2 * 22 * 2401, "reach", 2);
	check(reach(1, 0, 0, 1), UINT64_MAX, "reach", 3);
	/* A most of 2^63 and a little does not wrap when it is doubled. */
	check(reach(1, 0, GHZ(1), P(63) + 8), UINT64_MAX, "reach", 4);
	check(reach(1, 0, GHZ(1), P(63) - 2), UINT64_MAX - 1, "reach", 5);
	check(reach(1, 4, GHZ(1), 500), 1002, "reach", 6);
	check(reach(0, 4, GHZ(1), 0), 510, "reach", 7);
}

TEST(only_a_low_half_near_its_carry_may_be_torn)
{
	static const struct {
		uint32_t low;
		uint64_t reach;
		bool may;
	} cases[] = {
		{0, 0, false},
		{0, 1, true},
		{1, 1, false},
		{UINT32_MAX, 0, false},
		{UINT32_MAX, 1, true},
		{UINT32_MAX - 1, 1, false},
		{999, 1000, true},
		{1000, 1000, false},
		{UINT32_MAX - 999, 1000, true},
		{UINT32_MAX - 1000, 1000, false},
		{UINT32_MAX / 2, 1000, false},
		/* Everything is within 2^31 of a carry. */
		{P(31) - 1, P(31) - 1, false},
		{P(31), P(31) - 1, false},
		{P(31) + 1, P(31) - 1, true},
		{P(31) - 2, P(31) - 1, true},
		{P(31), P(31), true},
		{P(31) - 1, P(31), true},
		{12345, P(32), true},
		{P(31), P(32) + 1, true},
		{P(31), UINT64_MAX, true},
	};

	for (size_t i = 0; i < N(cases); i++)
		check(unc_may_be_torn(cases[i].low, cases[i].reach), cases[i].may, "torn", i);
}

TEST(the_shortest_wrap_time_is_that_of_the_fastest_clock)
{
	static const struct {
		unsigned max_inc, one_per;
		uint64_t clock_hz;
		unsigned bits;
		uint64_t wrap_ns;
	} cases[] = {
		{1, 0, GHZ(1), 48, P(48)},
		{1, 0, GHZ(1), 32, P(32)},
		{32, 0, GHZ(1), 48, P(43)},
		{0, 0, GHZ(1), 48, P(48) / 255},
		{1, 0, 1200000000, 48, UINT64_C(234562480592213)}, /* 65 hours */
		{1, 0, 0, 48, UINT64_MAX},
		{1, 0, GHZ(1), 64, UINT64_MAX},
		{1, 4, GHZ(1), 48, P(50)},
		{0, 4, GHZ(1), 32, P(34)},
		{1, 4, GHZ(1), 64, UINT64_MAX},
		{255, 0, GHZ(2), 64, UINT64_C(36170086419038336)},
	};

	for (size_t i = 0; i < N(cases); i++) {
		struct unc_event event = bound(cases[i].max_inc, cases[i].one_per);

		check(unc_wrap_ns(&event, cases[i].clock_hz, cases[i].bits), cases[i].wrap_ns, "wrap", i);
	}
	check(unc_wrap_ns(NULL, GHZ(1), 48), P(48) / 255, "wrap of an unknown event", 0);
}

/* Half a wrap may pass unseen; in it no counter can gain more than 2^47 and a little, so a delta stays unique. */
TEST(half_a_wrap_time_gains_less_than_a_wrap)
{
	static const unsigned bounds[][2] = {{0, 0},   {1, 0}, {4, 0}, {22, 0}, {32, 0},
					     {255, 0}, {1, 4}, {0, 4}, {1, 255}};

	for (size_t i = 0; i < N(bounds); i++) {
		struct unc_event event = bound(bounds[i][0], bounds[i][1]);
		uint64_t wrap_ns = unc_wrap_ns(&event, 1200000000, 48);

		CU_ASSERT_TRUE(unc_most(&event, 1200000000, wrap_ns / 2) < P(48) / 2 + P(9));
		CU_ASSERT_TRUE(unc_most(&event, 1200000000, wrap_ns) > P(48) - P(9));
	}
}

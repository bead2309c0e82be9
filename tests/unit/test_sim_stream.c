// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#include "sim/curve.h"

/*
 * The slow way, which shares nothing with the closed form: every twelfth of a nanosecond adds its rate to a store, and
 * each time the store holds a whole occurrence, one has happened.  A DCLK cycle is 15 of these ticks at 800 MHz and 10 at
 * 1200 MHz.
 */
struct slow {
	uint64_t store; /* rate * ticks */
	uint64_t hits, edges, total;
	bool hit;
};

/* One occurrence: 1 million millionths, for 12e9 ticks a second. */
static const uint64_t whole = UINT64_C(12000000000000000);

static const unsigned cycles_there_are[] = {15, 10}; /* in ticks */

enum { TICKS_MOST = 15 };

static void slow_cycle(struct slow *slow, const uint64_t *rates, unsigned ticks, unsigned thresh)
{
	uint64_t happened = 0;
	bool hit;

	for (unsigned i = 0; i < ticks; i++) {
		slow->store += rates[i];
		happened += slow->store / whole;
		slow->store %= whole;
	}
	hit = happened >= thresh;
	slow->total += happened;
	slow->hits += hit;
	slow->edges += hit && !slow->hit;
	slow->hit = hit;
}

struct plan { /* rates per second from these times on */
	uint64_t at_ns[4];
	uint64_t per_second[4];
	unsigned n;
};

static uint64_t plan_rate(const struct plan *plan, uint64_t tick)
{
	uint64_t rate = 0;

	for (unsigned i = 0; i < plan->n; i++)
		if (tick >= plan->at_ns[i] * 12)
			rate = plan->per_second[i] * 1000000;
	return rate;
}

/* Clear the curve. */
static struct unc_sim_part build(const struct plan *plan, struct unc_sim_curve *curve)
{
	memset(curve, 0, sizeof(*curve));
	for (unsigned i = 0; i < plan->n; i++)
		CU_ASSERT_FATAL(unc_sim_curve_add(curve, plan->at_ns[i], plan->per_second[i] * 1000000, 0) == 0);
	return (struct unc_sim_part){curve, UNC_SIM_WEIGHT, 0};
}

enum { CYCLES = 3000 };

static void compare_at(const struct plan *plan, unsigned thresh, unsigned ticks)
{
	struct unc_sim_stream stream = {.n = 1, .ticks_per_cycle = ticks};
	struct slow slow = {0};
	struct unc_sim_curve curve;
	unsigned bad = 0;

	stream.parts[0] = build(plan, &curve);
	for (uint64_t k = 0; k < CYCLES; k++) {
		uint64_t rates[TICKS_MOST], t_ns = ((k + 1) * ticks + 11) / 12, n = t_ns * 12 / ticks;
		struct unc_sim_cycle_counts counts;

		for (unsigned i = 0; i < ticks; i++)
			rates[i] = plan_rate(plan, k * ticks + i);
		slow_cycle(&slow, rates, ticks, thresh);
		/* At 1200 MHz the nanosecond in which cycle k ends can be the one in which k + 1 does. */
		if (n > k + 1)
			continue;
		counts = unc_sim_stream_cycles(&stream, thresh, t_ns);
		bad += unc_sim_cycles(ticks, 0, t_ns * UNC_SIM_TICKS_PER_NS) != k + 1 || counts.hits != slow.hits ||
		       counts.edges != slow.edges;
	}
	if (bad)
		fprintf(stderr, "\nthresh %u, %u ticks: %u of %u cycles differ\n", thresh, ticks, bad, CYCLES);
	CU_ASSERT_EQUAL(bad, 0);
	unc_sim_curve_clear(&curve);
}

static void compare(const struct plan *plan, unsigned thresh)
{
	for (size_t i = 0; i < 2; i++)
		compare_at(plan, thresh, cycles_there_are[i]);
}

TEST(threshold_and_edge_agree_with_a_count_of_every_cycle)
{
	static const uint64_t rates[] = {
		0,          1,          123456789,   266666667,  400000000,   400000001,  533333333,
		799999999,  800000000,  800000001,   1100000000, 1200000000,  1999999999, 2000000000,
		7777777777, 8000000000, 17600000000, 1800000000, 26400000000,
	};
	static const unsigned threshs[] = {1, 2, 3, 9, 10, 11, 21, 22, 23, 255};

	for (size_t i = 0; i < N(rates); i++) {
		struct plan plan = {{0}, {rates[i]}, 1};

		for (size_t k = 0; k < N(threshs); k++)
			compare(&plan, threshs[k]);
	}
}

TEST(they_agree_where_the_rate_changes_within_a_cycle)
{
	/* 1.25 ns a cycle: steps at 11, 12 and 801 ns are not at a cycle's begin, that at 1000 ns is. */
	static const struct plan plans[] = {
		{{0, 11, 801, 1000}, {300000000, 2900000000, 700000000, 0}, 4},
		{{11, 12, 13, 14}, {2900000000, 100, 2900000000, 1700000000}, 4},
		{{5, 1000, 1001, 3000}, {600000000, 0, 500000000, 1700000000}, 4},
		/* The first cycle of a slow rate completes what a fast one left nearly done. */
		{{0, 10, 20, 1000}, {790000000, 400000000, 1590000000, 1000000000}, 4},
		{{0, 10, 20, 30}, {390000000, 350000000, 100000000, 300000000}, 4},
	};

	for (size_t i = 0; i < N(plans); i++)
		for (unsigned thresh = 1; thresh <= 4; thresh++)
			compare(&plans[i], thresh);
}

TEST(a_count_is_the_integral_rounded_down_at_every_nanosecond)
{
	static const struct plan plan = {{3, 700, 1500, 2000}, {1234567891, 0, 87654321, 22000000000}, 4};
	struct unc_sim_stream stream = {.n = 1};
	uint64_t store = 0, total = 0;
	struct unc_sim_curve curve;
	unsigned bad = 0;

	stream.parts[0] = build(&plan, &curve);
	for (uint64_t tick = 0; tick < 36000; tick++) {
		if (tick % 12 == 0)
			bad += unc_sim_stream_count(&stream, tick / 12) != total;
		store += plan_rate(&plan, tick);
		total += store / whole;
		store %= whole;
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT(total > 0);
	unc_sim_curve_clear(&curve);
}

TEST(shares_of_bytes_are_exactly_the_whole)
{
	static const struct plan plan = {{0}, {6400000001}, 1};
	struct unc_sim_curve curve;
	struct unc_sim_part all, rest, share;
	uint64_t lines, bad = 0;

	build(&plan, &curve);
	all = (struct unc_sim_part){&curve, 16, 0};
	rest = (struct unc_sim_part){&curve, 16, 1};
	share = (struct unc_sim_part){&curve, 1, 0};
	for (uint64_t t_ns = 0; t_ns < 100000; t_ns += 7) {
		lines = (uint64_t)((unc_sim_wide)t_ns * 6400000001u / 64000000000u); /* of 64 bytes */
		bad += unc_sim_part_count(&all, t_ns) != lines;
		bad += unc_sim_part_count(&share, t_ns) != lines / 16;
		bad += unc_sim_part_count(&rest, t_ns) != lines - lines / 16;
	}
	CU_ASSERT_EQUAL(bad, 0);
	unc_sim_curve_clear(&curve);
}

TEST(parts_come_together_in_a_cycle)
{
	static const struct plan half = {{0}, {400000000}, 1};
	struct unc_sim_cycle_counts counts;
	struct unc_sim_stream stream = {.n = 2, .ticks_per_cycle = 15};
	struct unc_sim_curve curve;

	/* Twice one occurrence in every second cycle is one in each, not two in every second one. */
	stream.parts[0] = stream.parts[1] = build(&half, &curve);
	counts = unc_sim_stream_cycles(&stream, 1, 1250);
	CU_ASSERT_EQUAL(counts.hits, 1000);
	CU_ASSERT_EQUAL(counts.edges, 1);
	CU_ASSERT_EQUAL(unc_sim_stream_cycles(&stream, 2, 1250).hits, 0);
	CU_ASSERT_EQUAL(unc_sim_stream_count(&stream, 1250), 1000);
	unc_sim_curve_clear(&curve);
}

TEST(it_is_quick_and_exact_after_nine_years)
{
	struct plan plan = {{0}, {UINT64_C(32) * 1200000000 - 1}, 1};
	struct unc_sim_stream stream = {.n = 1, .ticks_per_cycle = 10};
	struct unc_sim_curve curve;
	uint64_t seconds = UINT64_C(86400) * 365 * 9, t_ns = UINT64_C(1000000000) * seconds;

	stream.parts[0] = build(&plan, &curve);
	CU_ASSERT_EQUAL(unc_sim_stream_count(&stream, t_ns), plan.per_second[0] * seconds);
	/* One occurrence a second is missing to 32 a cycle: that cycle has 31. */
	CU_ASSERT_EQUAL(unc_sim_stream_cycles(&stream, 32, t_ns).hits, UINT64_C(1199999999) * seconds);
	CU_ASSERT_EQUAL(unc_sim_stream_cycles(&stream, 31, t_ns).hits, UINT64_C(1200000000) * seconds);
	unc_sim_curve_clear(&curve);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#include "sim/curve.h"

/* 0 until 10 ns, 3 until 20 ns, 0 until 30 ns, then 7. */
static void build(struct unc_sim_curve *curve)
{
	memset(curve, 0, sizeof(*curve));
	CU_ASSERT_FATAL(unc_sim_curve_add(curve, 10, 3, 1) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_add(curve, 20, 0, 2) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_add(curve, 30, 7, 3) == 0);
}

static uint64_t rate_by_hand(uint64_t tick)
{
	return tick < 120 ? 0 : tick < 240 ? 3 : tick < 360 ? 0 : 7;
}

TEST(the_integral_is_the_sum_of_the_rates)
{
	struct unc_sim_curve curve;
	uint64_t sum = 0;

	build(&curve);
	for (uint64_t tick = 0; tick < 1200; tick++) {
		CU_ASSERT_EQUAL((uint64_t)unc_sim_curve_integral(&curve, tick), sum);
		CU_ASSERT_EQUAL(unc_sim_curve_rate(&curve, tick), rate_by_hand(tick));
		sum += rate_by_hand(tick);
	}
	unc_sim_curve_clear(&curve);
}

TEST(the_next_step_is_later)
{
	struct unc_sim_curve curve, none = {0};

	build(&curve);
	CU_ASSERT_EQUAL(unc_sim_curve_next(&curve, 0), 120);
	CU_ASSERT_EQUAL(unc_sim_curve_next(&curve, 119), 120);
	CU_ASSERT_EQUAL(unc_sim_curve_next(&curve, 120), 240);
	CU_ASSERT_EQUAL(unc_sim_curve_next(&curve, 359), 360);
	CU_ASSERT_EQUAL(unc_sim_curve_next(&curve, 360), UINT64_MAX);
	CU_ASSERT_EQUAL(unc_sim_curve_next(&none, 0), UINT64_MAX);
	CU_ASSERT_EQUAL((uint64_t)unc_sim_curve_integral(&none, 1000), 0);
	unc_sim_curve_clear(&curve);
}

TEST(a_copy_is_the_same_and_its_own)
{
	struct unc_sim_curve curve, copy = {0};

	build(&curve);
	CU_ASSERT_FATAL(unc_sim_curve_copy(&curve, &copy) == 0);
	unc_sim_curve_clear(&curve);
	CU_ASSERT_EQUAL(copy.n, 3);
	CU_ASSERT_EQUAL(copy.steps[2].line, 3);
	CU_ASSERT_EQUAL((uint64_t)unc_sim_curve_integral(&copy, 361), 3 * 120 + 7);
	unc_sim_curve_clear(&copy);
}

TEST(the_integral_is_exact_at_the_end_of_time)
{
	/* The highest rate there can be, WPQ_OCCUPANCY's with DDR4-2400: 32 a cycle. */
	uint64_t rate = 32 * UINT64_C(1200000000) * UNC_SIM_RATE_ONE;
	struct unc_sim_curve curve = {0};
	unc_sim_wide integral;

	CU_ASSERT_FATAL(unc_sim_curve_add(&curve, 0, rate, 0) == 0);
	integral = unc_sim_curve_integral(&curve, UNC_SIM_TIME_MAX * UNC_SIM_TICKS_PER_NS);
	CU_ASSERT(integral / rate == UNC_SIM_TIME_MAX * UNC_SIM_TICKS_PER_NS);
	CU_ASSERT(integral * UNC_SIM_WEIGHT / UNC_SIM_WEIGHT == integral); /* there is room for the weights */
	unc_sim_curve_clear(&curve);
}

/* Raised where it steps, between steps, before the first and behind the last: as one that was made so. */
TEST(what_is_raised_is_as_if_it_were_made_so)
{
	struct unc_sim_curve raised = {0}, made = {0};

	CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, 40, 9) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, 10, 5) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, 40, -9) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, 20, 100) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, 70, 7) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, 50, -100) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_add(&made, 10, 5, 0) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_add(&made, 20, 105, 0) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_add(&made, 50, 5, 0) == 0);
	CU_ASSERT_FATAL(unc_sim_curve_add(&made, 70, 12, 0) == 0);
	for (uint64_t ns = 0; ns < 100; ns++) {
		CU_ASSERT_EQUAL(unc_sim_curve_rate(&raised, ns * UNC_SIM_TICKS_PER_NS),
				unc_sim_curve_rate(&made, ns * UNC_SIM_TICKS_PER_NS));
		CU_ASSERT(unc_sim_curve_integral(&raised, ns * UNC_SIM_TICKS_PER_NS) ==
			  unc_sim_curve_integral(&made, ns * UNC_SIM_TICKS_PER_NS));
	}
	unc_sim_curve_clear(&raised);
	unc_sim_curve_clear(&made);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "test_sim.h"

#include "sim/curve.h"

struct step {
	uint64_t at_ns, rate;
};

/* The nth step is said to be of line n. */
static struct unc_sim_curve built(size_t n, const struct step *steps)
{
	struct unc_sim_curve curve = {0};

	for (unsigned i = 0; i < n; i++)
		CU_ASSERT_FATAL(unc_sim_curve_add(&curve, steps[i].at_ns, steps[i].rate, i + 1) == 0);
	return curve;
}

static const struct step some[] = {{10, 3}, {20, 0}, {30, 7}};

static uint64_t rate_by_hand(uint64_t tick)
{
	return tick < 120 ? 0 : tick < 240 ? 3 : tick < 360 ? 0 : 7;
}

TEST(the_integral_is_the_sum_of_the_rates)
{
	struct unc_sim_curve curve = built(N(some), some);
	uint64_t sum = 0;

	for (uint64_t tick = 0; tick < 1200; tick++) {
		CU_ASSERT_EQUAL((uint64_t)unc_sim_curve_integral(&curve, tick), sum);
		CU_ASSERT_EQUAL(unc_sim_curve_rate(&curve, tick), rate_by_hand(tick));
		sum += rate_by_hand(tick);
	}
	unc_sim_curve_clear(&curve);
}

TEST(the_next_step_is_later)
{
	struct unc_sim_curve curve = built(N(some), some), none = {0};

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
	struct unc_sim_curve curve = built(N(some), some), copy = {0};

	CU_ASSERT_FATAL(unc_sim_curve_copy(&curve, &copy) == 0);
	unc_sim_curve_clear(&curve);
	CU_ASSERT(copy.n == 3 && copy.steps[2].line == 3);
	CU_ASSERT_EQUAL((uint64_t)unc_sim_curve_integral(&copy, 361), 3 * 120 + 7);
	unc_sim_curve_clear(&copy);
}

TEST(the_integral_is_exact_at_the_end_of_time)
{
	/* The highest rate there can be, WPQ_OCCUPANCY's with DDR4-2400: 32 a cycle. */
	uint64_t rate = 32 * UINT64_C(1200000000) * UNC_SIM_RATE_ONE;
	struct unc_sim_curve curve = built(1, &(struct step){0, rate});
	unc_sim_wide integral;

	integral = unc_sim_curve_integral(&curve, UNC_SIM_TIME_MAX * UNC_SIM_TICKS_PER_NS);
	CU_ASSERT(integral / rate == UNC_SIM_TIME_MAX * UNC_SIM_TICKS_PER_NS);
	CU_ASSERT(integral * UNC_SIM_WEIGHT / UNC_SIM_WEIGHT == integral); /* there is room for the weights */
	unc_sim_curve_clear(&curve);
}

/* Raised where it steps, between steps, before the first and behind the last: as one that was made so. */
TEST(what_is_raised_is_as_if_it_were_made_so)
{
	static const struct {
		uint64_t at_ns;
		int64_t by;
	} raises[] = {{40, 9}, {10, 5}, {40, -9}, {20, 100}, {70, 7}, {50, -100}};
	static const struct step steps[] = {{10, 5}, {20, 105}, {50, 5}, {70, 12}};
	struct unc_sim_curve raised = {0}, made = built(N(steps), steps);

	for (size_t i = 0; i < N(raises); i++)
		CU_ASSERT_FATAL(unc_sim_curve_raise(&raised, raises[i].at_ns, raises[i].by) == 0);
	for (uint64_t ns = 0; ns < 100; ns++) {
		CU_ASSERT_EQUAL(unc_sim_curve_rate(&raised, ns * UNC_SIM_TICKS_PER_NS),
				unc_sim_curve_rate(&made, ns * UNC_SIM_TICKS_PER_NS));
		CU_ASSERT(unc_sim_curve_integral(&raised, ns * UNC_SIM_TICKS_PER_NS) ==
			  unc_sim_curve_integral(&made, ns * UNC_SIM_TICKS_PER_NS));
	}
	unc_sim_curve_clear(&raised);
	unc_sim_curve_clear(&made);
}

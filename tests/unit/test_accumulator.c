// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/accumulator.h"
#include "cli/flags.h"

#include <math.h>

#include "test.h"

#define SECOND_NS UINT64_C(1000000000)

static struct unc_count counted(uint64_t delta)
{
	return (struct unc_count){.delta = delta,
				  .total = 7 * delta,
				  .interval_ns = SECOND_NS,
				  .enabled_ns = SECOND_NS,
				  .running_ns = SECOND_NS,
				  .time_ns = 5000,
				  .scale = 1};
}

static struct unc_count without_number(unsigned flag)
{
	return (struct unc_count){.flags = flag,
				  .interval_ns = SECOND_NS,
				  .enabled_ns = SECOND_NS,
				  .running_ns = flag == UNC_COUNT_NOT_RUN ? 0 : SECOND_NS,
				  .time_ns = 5000,
				  .scale = 1};
}

TEST(an_event_has_its_count_and_its_value)
{
	struct unc_count count = counted(1000);
	struct accumulator acc;

	count.scale = 64;
	count.interval_ns = count.enabled_ns = count.running_ns = SECOND_NS / 2;
	acc = accumulator_of_event(&count);
	CU_ASSERT_TRUE(acc.given && acc.has_value && acc.adds);
	CU_ASSERT_EQUAL(acc.counts[0], 1000);
	CU_ASSERT_EQUAL(acc.value, 64000);
	CU_ASSERT_EQUAL(acc.value, unc_count_value(&count));
	CU_ASSERT_EQUAL(acc.per_s, 128000);
	CU_ASSERT_EQUAL(acc.time_ns, 5000);
	CU_ASSERT_EQUAL(acc.interval_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(acc.flags, 0);
	CU_ASSERT_FALSE(acc.flags & FLAG_PARTIAL);
}

TEST(what_ran_for_a_part_of_the_time_is_extended_to_the_whole)
{
	struct unc_count count = counted(1000);
	struct accumulator acc;

	count.running_ns = SECOND_NS / 4;
	count.flags = UNC_COUNT_SCALED;
	count.scale = 64;
	acc = accumulator_of_event(&count);
	CU_ASSERT_EQUAL(acc.counts[0], 1000);
	CU_ASSERT_EQUAL(acc.scaled[0], 4000);
	CU_ASSERT_EQUAL(acc.value, 256000);
	CU_ASSERT_EQUAL(acc.value, unc_count_value(&count));
	CU_ASSERT_EQUAL(acc.per_s, 256000);
	CU_ASSERT_EQUAL(acc.running_ns, SECOND_NS / 4);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_SCALED);
}

TEST(every_flag_without_a_number_gives_none)
{
	static const unsigned flags[] = {UNC_COUNT_MISSING, UNC_COUNT_STOLEN,  UNC_COUNT_RESET,
					 UNC_COUNT_GAP,     UNC_COUNT_NOT_RUN, UNC_COUNT_STOPPED};

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct unc_count count = without_number(flags[i]);
		struct accumulator acc = accumulator_of_event(&count);

		CU_ASSERT_FALSE(acc.given || acc.has_value);
		CU_ASSERT_EQUAL(acc.flags, flags[i]);
		CU_ASSERT_EQUAL(acc.interval_ns, SECOND_NS);
	}
}

TEST(without_time_there_is_no_number)
{
	struct unc_count count = counted(3);
	struct accumulator acc;

	count.interval_ns = count.enabled_ns = count.running_ns = 0;
	acc = accumulator_of_event(&count);
	CU_ASSERT_FALSE(acc.given || acc.has_value);
}

TEST(a_metric_takes_its_counts_in_its_own_order)
{
	struct unc_count counts[3] = {counted(10), counted(20), counted(30)};
	size_t which[2] = {2, 0};
	struct accumulator acc;

	counts[0].running_ns = SECOND_NS / 2;
	counts[0].flags = UNC_COUNT_SCALED;
	counts[2].enabled_ns = counts[2].running_ns = SECOND_NS - 10;
	counts[2].flags = UNC_COUNT_LATE;
	counts[2].time_ns = 6000;
	accumulator_of(counts, which, 2, &acc);
	CU_ASSERT_TRUE(acc.given);
	CU_ASSERT_FALSE(acc.has_value);
	CU_ASSERT_EQUAL(acc.n, 2);
	CU_ASSERT_EQUAL(acc.counts[0], 30);
	CU_ASSERT_EQUAL(acc.counts[1], 10);
	CU_ASSERT_EQUAL(acc.scaled[1], 20);
	CU_ASSERT_EQUAL(acc.enabled_ns, SECOND_NS - 10);
	CU_ASSERT_EQUAL(acc.running_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(acc.counted_ns, SECOND_NS - 5);
	CU_ASSERT_EQUAL(accumulator_seconds(&acc), (1e9 - 5) / 1e9);
	CU_ASSERT_EQUAL(acc.time_ns, 6000);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_SCALED | UNC_COUNT_LATE);
}

TEST(a_metric_that_lacks_one_count_has_none)
{
	struct unc_count counts[2] = {counted(10), without_number(UNC_COUNT_STOLEN)};
	size_t which[2] = {0, 1};
	struct accumulator acc;

	accumulator_of(counts, which, 2, &acc);
	CU_ASSERT_FALSE(acc.given);
	CU_ASSERT_EQUAL(acc.flags, UNC_COUNT_STOLEN);
}

TEST(what_is_no_number_is_no_value)
{
	struct accumulator acc = {.given = true};

	accumulator_set_value(&acc, INFINITY, 0);
	CU_ASSERT_FALSE(acc.has_value);
	accumulator_set_value(&acc, NAN, 0);
	CU_ASSERT_FALSE(acc.has_value);
	accumulator_set_value(&acc, -1, 0);
	CU_ASSERT_TRUE(acc.has_value);
}

TEST(a_sum_of_events_adds_counts_values_and_rates)
{
	struct unc_count one = counted(1000), two = counted(30);
	struct accumulator sum = {.adds = true}, member;

	one.running_ns = SECOND_NS / 2;
	one.flags = UNC_COUNT_SCALED;
	two.interval_ns = two.enabled_ns = two.running_ns = SECOND_NS / 2;
	two.time_ns = 9000;
	two.flags = UNC_COUNT_LATE;
	member = accumulator_of_event(&one);
	accumulator_add(&sum, &member);
	member = accumulator_of_event(&two);
	accumulator_add(&sum, &member);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given && sum.has_value);
	CU_ASSERT_EQUAL(sum.counts[0], 1030);
	CU_ASSERT_EQUAL(sum.value, 2030);
	CU_ASSERT_EQUAL(sum.per_s, 2060);
	CU_ASSERT_EQUAL(sum.time_ns, 9000);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS * 3 / 4);
	CU_ASSERT_EQUAL(sum.enabled_ns, SECOND_NS * 3 / 4);
	CU_ASSERT_EQUAL(sum.running_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(sum.counted_ns, SECOND_NS * 3 / 2);
	CU_ASSERT_EQUAL(sum.flags, UNC_COUNT_SCALED | UNC_COUNT_LATE);
	CU_ASSERT_FALSE(sum.flags & FLAG_PARTIAL);
}

TEST(a_sum_that_lacks_somebody_is_partial)
{
	struct unc_count good = counted(5), stolen = without_number(UNC_COUNT_STOLEN);
	struct accumulator sum = {.adds = true}, missing = accumulator_missing(7000),
			   member = accumulator_of_event(&good);

	accumulator_add(&sum, &member);
	accumulator_add(&sum, &missing);
	member = accumulator_of_event(&stolen);
	accumulator_add(&sum, &member);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given);
	CU_ASSERT_EQUAL(sum.value, 5);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS);
	CU_ASSERT_EQUAL(sum.time_ns, 7000);
	CU_ASSERT_EQUAL(sum.flags, FLAG_PARTIAL);
}

TEST(a_sum_of_nobody_says_when_no_turn_came)
{
	struct unc_count not_run = without_number(UNC_COUNT_NOT_RUN);
	struct accumulator sum = {.adds = true}, missing = accumulator_missing(1),
			   member = accumulator_of_event(&not_run);

	accumulator_add(&sum, &missing);
	accumulator_end_sum(&sum);
	CU_ASSERT_FALSE(sum.given || sum.has_value);
	CU_ASSERT_EQUAL(sum.flags, FLAG_PARTIAL);
	CU_ASSERT_EQUAL(sum.interval_ns, 0);
	sum = (struct accumulator){.adds = true};
	accumulator_add(&sum, &member);
	accumulator_add(&sum, &missing);
	accumulator_end_sum(&sum);
	CU_ASSERT_FALSE(sum.given || sum.has_value);
	CU_ASSERT_EQUAL(sum.flags, UNC_COUNT_NOT_RUN | FLAG_PARTIAL);
}

/* A channel without traffic divides by zero, but its counts belong to the whole. */
TEST(a_sum_of_ratios_takes_counts_and_times)
{
	struct unc_count counts[2] = {counted(0), counted(0)}, others[2] = {counted(30), counted(60)};
	size_t which[2] = {0, 1};
	struct accumulator sum = {0}, idle, busy;

	accumulator_of(counts, which, 2, &idle);
	accumulator_of(others, which, 2, &busy);
	accumulator_set_value(&idle, NAN, 0);
	accumulator_set_value(&busy, 0.5, 0);
	accumulator_add(&sum, &idle);
	accumulator_add(&sum, &busy);
	accumulator_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given);
	CU_ASSERT_FALSE(sum.has_value || (sum.flags & FLAG_PARTIAL));
	CU_ASSERT_EQUAL(sum.scaled[0], 30);
	CU_ASSERT_EQUAL(sum.scaled[1], 60);
	CU_ASSERT_EQUAL(sum.counted_ns, 2 * SECOND_NS);
	sum = (struct accumulator){.adds = true};
	accumulator_add(&sum, &idle);
	accumulator_add(&sum, &busy);
	accumulator_end_sum(&sum);
	CU_ASSERT_EQUAL(sum.value, 0.5);
	CU_ASSERT_TRUE(sum.flags & FLAG_PARTIAL);
}

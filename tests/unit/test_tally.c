// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/tally.h"

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
	struct tally tally;

	count.scale = 64;
	count.interval_ns = count.enabled_ns = count.running_ns = SECOND_NS / 2;
	tally = tally_of_event(&count);
	CU_ASSERT_TRUE(tally.given && tally.has_value && tally.adds);
	CU_ASSERT_EQUAL(tally.counts[0], 1000);
	CU_ASSERT_EQUAL(tally.value, 64000);
	CU_ASSERT_EQUAL(tally.value, unc_count_value(&count));
	CU_ASSERT_EQUAL(tally.per_s, 128000);
	CU_ASSERT_EQUAL(tally.time_ns, 5000);
	CU_ASSERT_EQUAL(tally.interval_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(tally.flags, 0);
	CU_ASSERT_FALSE(tally.partial);
}

TEST(what_ran_for_a_part_of_the_time_is_extended_to_the_whole)
{
	struct unc_count count = counted(1000);
	struct tally tally;

	count.running_ns = SECOND_NS / 4;
	count.flags = UNC_COUNT_SCALED;
	count.scale = 64;
	tally = tally_of_event(&count);
	CU_ASSERT_EQUAL(tally.counts[0], 1000);
	CU_ASSERT_EQUAL(tally.scaled[0], 4000);
	CU_ASSERT_EQUAL(tally.value, 256000);
	CU_ASSERT_EQUAL(tally.value, unc_count_value(&count));
	CU_ASSERT_EQUAL(tally.per_s, 256000);
	CU_ASSERT_EQUAL(tally.running_ns, SECOND_NS / 4);
	CU_ASSERT_EQUAL(tally.flags, UNC_COUNT_SCALED);
}

TEST(every_flag_without_a_number_gives_none)
{
	static const unsigned flags[] = {UNC_COUNT_MISSING, UNC_COUNT_STOLEN,  UNC_COUNT_RESET,
					 UNC_COUNT_GAP,     UNC_COUNT_NOT_RUN, UNC_COUNT_STOPPED};

	for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct unc_count count = without_number(flags[i]);
		struct tally tally = tally_of_event(&count);

		CU_ASSERT_FALSE(tally.given || tally.has_value);
		CU_ASSERT_EQUAL(tally.flags, flags[i]);
		CU_ASSERT_EQUAL(tally.interval_ns, SECOND_NS);
	}
}

TEST(without_time_there_is_no_number)
{
	struct unc_count count = counted(3);
	struct tally tally;

	count.interval_ns = count.enabled_ns = count.running_ns = 0;
	tally = tally_of_event(&count);
	CU_ASSERT_FALSE(tally.given || tally.has_value);
}

TEST(a_metric_takes_its_counts_in_its_own_order)
{
	struct unc_count counts[3] = {counted(10), counted(20), counted(30)};
	size_t which[2] = {2, 0};
	struct tally tally;

	counts[0].running_ns = SECOND_NS / 2;
	counts[0].flags = UNC_COUNT_SCALED;
	counts[2].enabled_ns = counts[2].running_ns = SECOND_NS - 10;
	counts[2].flags = UNC_COUNT_LATE;
	counts[2].time_ns = 6000;
	tally = tally_of(counts, which, 2);
	CU_ASSERT_TRUE(tally.given);
	CU_ASSERT_FALSE(tally.has_value);
	CU_ASSERT_EQUAL(tally.n, 2);
	CU_ASSERT_EQUAL(tally.counts[0], 30);
	CU_ASSERT_EQUAL(tally.counts[1], 10);
	CU_ASSERT_EQUAL(tally.scaled[1], 20);
	CU_ASSERT_EQUAL(tally.enabled_ns, SECOND_NS - 10);
	CU_ASSERT_EQUAL(tally.running_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(tally.counted_ns, SECOND_NS - 5);
	CU_ASSERT_EQUAL(tally_seconds(&tally), (1e9 - 5) / 1e9);
	CU_ASSERT_EQUAL(tally.time_ns, 6000);
	CU_ASSERT_EQUAL(tally.flags, UNC_COUNT_SCALED | UNC_COUNT_LATE);
}

TEST(a_metric_that_lacks_one_count_has_none)
{
	struct unc_count counts[2] = {counted(10), without_number(UNC_COUNT_STOLEN)};
	size_t which[2] = {0, 1};
	struct tally tally = tally_of(counts, which, 2);

	CU_ASSERT_FALSE(tally.given);
	CU_ASSERT_EQUAL(tally.flags, UNC_COUNT_STOLEN);
}

TEST(what_is_no_number_is_no_value)
{
	struct tally tally = {.given = true};

	tally_set_value(&tally, INFINITY, 0);
	CU_ASSERT_FALSE(tally.has_value);
	tally_set_value(&tally, NAN, 0);
	CU_ASSERT_FALSE(tally.has_value);
	tally_set_value(&tally, -1, 0);
	CU_ASSERT_TRUE(tally.has_value);
}

TEST(a_sum_of_events_adds_counts_values_and_rates)
{
	struct unc_count one = counted(1000), two = counted(30);
	struct tally sum = {.adds = true}, member;

	one.running_ns = SECOND_NS / 2;
	one.flags = UNC_COUNT_SCALED;
	two.interval_ns = two.enabled_ns = two.running_ns = SECOND_NS / 2;
	two.time_ns = 9000;
	two.flags = UNC_COUNT_LATE;
	member = tally_of_event(&one);
	tally_add(&sum, &member);
	member = tally_of_event(&two);
	tally_add(&sum, &member);
	tally_end_sum(&sum);
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
	CU_ASSERT_FALSE(sum.partial);
}

TEST(a_sum_that_lacks_somebody_is_partial)
{
	struct unc_count good = counted(5), stolen = without_number(UNC_COUNT_STOLEN);
	struct tally sum = {.adds = true}, missing = tally_missing(7000), member = tally_of_event(&good);

	tally_add(&sum, &member);
	tally_add(&sum, &missing);
	member = tally_of_event(&stolen);
	tally_add(&sum, &member);
	tally_end_sum(&sum);
	CU_ASSERT_TRUE(sum.partial && sum.given);
	CU_ASSERT_EQUAL(sum.value, 5);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS);
	CU_ASSERT_EQUAL(sum.time_ns, 7000);
	CU_ASSERT_EQUAL(sum.flags, 0);
}

TEST(a_sum_of_nobody_says_when_no_turn_came)
{
	struct unc_count not_run = without_number(UNC_COUNT_NOT_RUN);
	struct tally sum = {.adds = true}, missing = tally_missing(1), member = tally_of_event(&not_run);

	tally_add(&sum, &missing);
	tally_end_sum(&sum);
	CU_ASSERT_FALSE(sum.given || sum.has_value);
	CU_ASSERT_EQUAL(sum.flags, 0);
	CU_ASSERT_EQUAL(sum.interval_ns, 0);
	sum = (struct tally){.adds = true};
	tally_add(&sum, &member);
	tally_add(&sum, &missing);
	tally_end_sum(&sum);
	CU_ASSERT_FALSE(sum.given || sum.has_value);
	CU_ASSERT_EQUAL(sum.flags, UNC_COUNT_NOT_RUN);
	CU_ASSERT_TRUE(sum.partial);
}

/* A channel without traffic divides by zero, but its counts belong to the whole. */
TEST(a_sum_of_ratios_takes_counts_and_times)
{
	struct unc_count counts[2] = {counted(0), counted(0)}, others[2] = {counted(30), counted(60)};
	size_t which[2] = {0, 1};
	struct tally sum = {0}, idle = tally_of(counts, which, 2), busy = tally_of(others, which, 2);

	tally_set_value(&idle, NAN, 0);
	tally_set_value(&busy, 0.5, 0);
	tally_add(&sum, &idle);
	tally_add(&sum, &busy);
	tally_end_sum(&sum);
	CU_ASSERT_TRUE(sum.given);
	CU_ASSERT_FALSE(sum.has_value || sum.partial);
	CU_ASSERT_EQUAL(sum.scaled[0], 30);
	CU_ASSERT_EQUAL(sum.scaled[1], 60);
	CU_ASSERT_EQUAL(sum.counted_ns, 2 * SECOND_NS);
	sum = (struct tally){.adds = true};
	tally_add(&sum, &idle);
	tally_add(&sum, &busy);
	tally_end_sum(&sum);
	CU_ASSERT_EQUAL(sum.value, 0.5);
	CU_ASSERT_TRUE(sum.partial);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/mem_figures.h"

#include <string.h>

#include "test.h"

#define SECOND_NS UINT64_C(1000000000)

static struct unc_count counted(uint64_t delta, uint64_t interval_ns)
{
	return (struct unc_count){.delta = delta,
				  .total = 7 * delta,
				  .interval_ns = interval_ns,
				  .time_ns = 5000,
				  .scale = 64,
				  .unit = "bytes"};
}

TEST(a_count_becomes_bytes_and_bytes_per_second)
{
	struct unc_count read = counted(1000, SECOND_NS / 2), write = counted(10, SECOND_NS / 4);
	struct figure figure = figure_of(&read, &write);

	CU_ASSERT_TRUE(figure.read.given && figure.write.given);
	CU_ASSERT_EQUAL(figure.read.count, 1000);
	CU_ASSERT_EQUAL(figure.read.bytes, 64000);
	CU_ASSERT_EQUAL(figure.read.bytes_per_s, 128000.0);
	CU_ASSERT_EQUAL(figure.write.count, 10);
	CU_ASSERT_EQUAL(figure.write.bytes, 640);
	CU_ASSERT_EQUAL(figure.write.bytes_per_s, 2560.0);
	CU_ASSERT_EQUAL(figure.time_ns, 5000);
	CU_ASSERT_EQUAL(figure.interval_ns, SECOND_NS / 2);
	CU_ASSERT_EQUAL(figure.flags, 0);
	CU_ASSERT_FALSE(figure.partial);
}

/* 64 bytes times any 48-bit count is a whole number of bytes, and comes out as one. */
TEST(the_largest_count_is_exact)
{
	struct unc_count count = counted((UINT64_C(1) << 48) - 1, SECOND_NS);
	struct figure figure = figure_of(&count, &count);

	CU_ASSERT_EQUAL(figure.read.bytes, ((UINT64_C(1) << 48) - 1) * 64);
}

TEST(a_flag_takes_the_number_away_but_only_its_own)
{
	struct unc_count read = counted(0, SECOND_NS), write = counted(10, SECOND_NS);
	struct figure figure;

	read.flags = UNC_COUNT_STOLEN;
	figure = figure_of(&read, &write);
	CU_ASSERT_FALSE(figure.read.given);
	CU_ASSERT_TRUE(figure.write.given);
	CU_ASSERT_EQUAL(figure.flags, UNC_COUNT_STOLEN);
	write.flags = UNC_COUNT_GAP;
	figure = figure_of(&read, &write);
	CU_ASSERT_FALSE(figure.write.given);
	CU_ASSERT_EQUAL(figure.flags, UNC_COUNT_STOLEN | UNC_COUNT_GAP);
}

TEST(without_an_interval_there_is_no_number)
{
	struct unc_count read = counted(10, 0);
	struct figure figure = figure_of(&read, &read);

	CU_ASSERT_FALSE(figure.read.given || figure.write.given);
}

TEST(a_sum_adds_counts_and_rates_of_all)
{
	struct unc_count a = counted(1000, SECOND_NS / 2), b = counted(30, SECOND_NS);
	struct figure one = figure_of(&a, &b), two = figure_of(&b, &b), sum = {0};

	two.time_ns = 9000;
	figure_add(&sum, &one);
	figure_add(&sum, &two);
	figure_end_sum(&sum, 2);
	CU_ASSERT_TRUE(sum.read.given && sum.write.given);
	CU_ASSERT_EQUAL(sum.read.count, 1030);
	CU_ASSERT_EQUAL(sum.read.bytes, 1030 * 64);
	CU_ASSERT_EQUAL(sum.read.bytes_per_s, 128000.0 + 1920.0);
	CU_ASSERT_EQUAL(sum.write.count, 60);
	CU_ASSERT_EQUAL(sum.time_ns, 9000);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS / 4 * 3);
	CU_ASSERT_FALSE(sum.partial);
	/* Its time is the latest, in whatever order they come. */
	figure_add(&sum, &one);
	CU_ASSERT_EQUAL(sum.time_ns, 9000);
}

TEST(a_sum_that_lacks_somebody_is_partial)
{
	struct unc_count good = counted(1000, SECOND_NS), bad = counted(0, SECOND_NS);
	struct figure whole = figure_of(&good, &good), none = figure_missing(77), half, sum = {0};

	CU_ASSERT_EQUAL(none.flags, UNC_COUNT_MISSING);
	CU_ASSERT_EQUAL(none.time_ns, 77);
	CU_ASSERT_EQUAL(none.interval_ns, 0);
	figure_add(&sum, &whole);
	CU_ASSERT_FALSE(sum.partial);
	figure_add(&sum, &none);
	figure_end_sum(&sum, 1);
	CU_ASSERT_TRUE(sum.partial);
	CU_ASSERT_EQUAL(sum.read.count, 1000);
	CU_ASSERT_EQUAL(sum.interval_ns, SECOND_NS);

	bad.flags = UNC_COUNT_RESET;
	half = figure_of(&good, &bad);
	memset(&sum, 0, sizeof(sum));
	figure_add(&sum, &half);
	CU_ASSERT_TRUE(sum.partial);
	CU_ASSERT_TRUE(sum.read.given);
	CU_ASSERT_FALSE(sum.write.given);
}

TEST(a_sum_of_nobody_has_no_number)
{
	struct figure none = figure_missing(1), sum = {0};

	figure_add(&sum, &none);
	figure_end_sum(&sum, 0);
	CU_ASSERT_FALSE(sum.read.given || sum.write.given);
	CU_ASSERT_TRUE(sum.partial);
	CU_ASSERT_EQUAL(sum.interval_ns, 0);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Percentiles of rates: close to the exact ones, and never outside of what was seen. */
#include "cli/rates.h"

#include <stdlib.h>

#include "test.h"

static struct rates rates;

static void begin(void)
{
	rates = (struct rates){.n = 0};
}
EACH(begin, NULL)

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

TEST(a_percentile_is_within_0_8_percent_of_the_exact_one)
{
	enum { N = 1000 };
	static double seen[N];
	uint64_t state = 12345;

	for (unsigned i = 0; i < N; i++) {
		state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
		seen[i] = (double)(1 << 16) * (1 + (double)(state >> 44)); /* 65 kB/s to 69 GB/s */
		rates_add(&rates, seen[i]);
	}
	qsort(seen, N, sizeof(seen[0]), by_size);
	CU_ASSERT_TRUE(rates.min == seen[0] && rates.max == seen[N - 1]);
	for (unsigned percent = 1; percent <= 100; percent++) {
		double exact = seen[(N * percent + 99) / 100 - 1], found = rates_percentile(&rates, percent);

		CU_ASSERT_TRUE(found > exact * 0.992 && found < exact * 1.008);
	}
}

TEST(a_percentile_is_never_outside_of_what_was_seen)
{
	for (unsigned i = 0; i < 30; i++)
		rates_add(&rates, 24260000001.0);
	CU_ASSERT_EQUAL(rates_percentile(&rates, 95), 24260000001.0);
}

TEST(one_sample_in_twenty_is_above_the_95th_percentile)
{
	for (unsigned i = 0; i < 20; i++)
		rates_add(&rates, i == 7 ? 90e9 : 1e9);
	CU_ASSERT_TRUE(rates_percentile(&rates, 95) < 1.01e9);
	rates_add(&rates, 90e9);
	rates_add(&rates, 90e9);
	CU_ASSERT_TRUE(rates_percentile(&rates, 95) > 89e9);
}

TEST(rates_that_are_too_small_or_too_large_for_a_bin_are_kept_apart)
{
	rates_add(&rates, 0);
	CU_ASSERT_EQUAL(rates_percentile(&rates, 95), 0);
	rates_add(&rates, 1e30);
	CU_ASSERT_EQUAL(rates.max, 1e30);
	CU_ASSERT_TRUE(rates_percentile(&rates, 95) > 1e14);
	CU_ASSERT_TRUE(rates_percentile(&rates, 50) < 65536);
}

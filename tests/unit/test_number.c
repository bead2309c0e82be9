// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/number.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

TEST(readable_numbers_have_ten_digits)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{-0.0, "0"},
		{281474976710655.0, "281474976710655"},
		{100.0 / 3, "33.33333333"},
		{-200.0 / 3, "-66.66666667"},
		{79.166666666666657, "79.16666667"},
		{9.999999999999998, "10"},
		{1.0 / 3e5, "0.000003333333333"},
		{3999989017.935589, "3999989018"},
		{40919887547.582954, "40919887548"},
		{1.00017625, "1.00017625"},
	};
	char buf[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_STRING_EQUAL(number_readable(cases[i].number, buf), cases[i].text);
		CU_ASSERT_EQUAL(number_as_readable(cases[i].number), strtod(cases[i].text, NULL));
	}
}

TEST(exact_numbers_have_all_digits_and_no_exponent)
{
	static const struct {
		double number;
		const char *text;
	} cases[] = {
		{0, "0"},
		{-0.0, "0"},
		{1, "1"},
		{100, "100"},
		{0.5, "0.5"},
		{0.1, "0.1"},
		{-2.25, "-2.25"},
		{1e6, "1000000"},
		{1e21, "1000000000000000000000"},
		{9007199254740993.0, "9007199254740992"},
		{123456789.125, "123456789.125"},
		{1.0 / 3, "0.3333333333333333"},
		{0.1 + 0.2, "0.30000000000000004"},
		{1e-7, "0.0000001"},
		{2251799813685249.5, "2251799813685249.5"},
	};
	char buf[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_STRING_EQUAL(number_exact(cases[i].number, buf), cases[i].text);
		if (strcmp(buf, cases[i].text) != 0)
			printf("%s, not %s\n", buf, cases[i].text);
	}
}

/* A generator of its own: the same numbers in every run. */
TEST(exact_numbers_read_back_as_they_were)
{
	char buf[NUMBER_TEXT_MAX];
	uint64_t state = 1;
	bool good = true;

	for (unsigned i = 0; i < 20000; i++) {
		double number;

		state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		number = (double)(state >> 11) / (double)(UINT64_C(1) << (i % 64));
		number_exact(number, buf);
		good &= strtod(buf, NULL) == number && !strchr(buf, 'e');
	}
	CU_ASSERT_TRUE(good);
	CU_ASSERT_EQUAL(strtod(number_exact(DBL_MAX, buf), NULL), DBL_MAX);
	CU_ASSERT_EQUAL(strtod(number_exact(DBL_MIN, buf), NULL), DBL_MIN);
}

TEST(counts_are_grouped_by_three_digits)
{
	static const struct {
		uint64_t number;
		const char *text;
	} cases[] = {
		{0, "0"},
		{999, "999"},
		{1000, "1,000"},
		{12345, "12,345"},
		{123456, "123,456"},
		{1234567, "1,234,567"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
	};
	char buf[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		CU_ASSERT_STRING_EQUAL(number_grouped(cases[i].number, buf), cases[i].text);
}

TEST(differences_have_their_sign)
{
	static const struct {
		int64_t number;
		const char *text;
		uint64_t distance;
	} cases[] = {
		{0, "0", 0},
		{7, "+7", 7},
		{-7, "-7", 7},
		{-1234567, "-1,234,567", 1234567},
		{INT64_MAX, "+9,223,372,036,854,775,807", INT64_MAX},
		{INT64_MIN, "-9,223,372,036,854,775,808", UINT64_C(1) << 63},
	};
	char buf[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		CU_ASSERT_STRING_EQUAL(number_signed(cases[i].number, buf), cases[i].text);
		CU_ASSERT_EQUAL(number_distance(cases[i].number), cases[i].distance);
	}
}

TEST(people_get_four_digits_and_the_unit)
{
	static const struct {
		double number;
		const char *unit;
		double scale;
		const char *text;
	} cases[] = {
		{6.4e9, "bytes", 1e9, "6.400 GB"},
		{6.4e8, "bytes", 1e9, "0.640 GB"},
		{6.4e8, "bytes", 1e6, "640.0 MB"},
		{25.6e9, "bytes/s", 1e9, "25.60 GB/s"},
		{2e15, "bytes", 1e9, "2,000,000 GB"},
		{1.25e8, "/s", 1e6, "125.0 M/s"},
		{125, "/s", 1, "125.0 /s"},
		{84.126, "ns", 1, "84.13 ns"},
		{9.9996, "ns", 1, "10.00 ns"},
		{99.996, "%", 1, "100.0 %"},
		{0, "%", 1, "0.000 %"},
		{-1.5, "%", 1, "-1.500 %"},
		{12345678.5, NULL, 1, "12,345,679"},
		{1e6, "DCLK", 1, "1,000,000 DCLK"},
	};
	char buf[NUMBER_TEXT_MAX];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		number_with_unit(cases[i].number, cases[i].unit, cases[i].scale, buf);
		CU_ASSERT_STRING_EQUAL(buf, cases[i].text);
		if (strcmp(buf, cases[i].text) != 0)
			printf("%s, not %s\n", buf, cases[i].text);
	}
}

TEST(the_scale_is_that_of_the_number_where_the_unit_has_one)
{
	CU_ASSERT_EQUAL(number_scale(6.4e9, "bytes"), 1e9);
	CU_ASSERT_EQUAL(number_scale(999e6, "bytes"), 1e6);
	CU_ASSERT_EQUAL(number_scale(0, "bytes"), 1e6);
	CU_ASSERT_EQUAL(number_scale(1e9, "bytes/s"), 1e9);
	CU_ASSERT_EQUAL(number_scale(10, "bytes/s"), 1e6);
	CU_ASSERT_EQUAL(number_scale(2e9, "/s"), 1e9);
	CU_ASSERT_EQUAL(number_scale(2e6, "/s"), 1e6);
	CU_ASSERT_EQUAL(number_scale(2e3, "/s"), 1e3);
	CU_ASSERT_EQUAL(number_scale(2, "/s"), 1);
	CU_ASSERT_EQUAL(number_scale(2e9, "ns"), 1);
}

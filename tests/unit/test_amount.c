// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/number.h"
#include "test.h"

TEST(amounts_are_read_as_people_write_them)
{
	/* clang-format off */
	static const struct {
		const char *text;
		uint64_t bytes;
	} cases[] = {
		{"0", 0}, {"4096", 4096}, {"4096B", 4096}, {"2e9", 2000000000}, {"1.5GB", 1500000000}, {"2GB", 2000000000},
		{"64M", 64 << 20}, {"64MiB", 64 << 20}, {"64MB", 64000000}, {"3k", 3072}, {"3K", 3072}, {"3kB", 3000},
		{"3KB", 3000}, {"3KiB", 3072}, {"1T", UINT64_C(1) << 40}, {"1TB", UINT64_C(1000000000000)}, {"0.6", 1},
		{"1e3kB", 1000000}, {"1125899906842623", UINT64_C(1125899906842623)},
	};
	/* clang-format on */

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t bytes = 0;

		CU_ASSERT(amount_of_bytes(cases[i].text, &bytes));
		CU_ASSERT_EQUAL(bytes, cases[i].bytes);
	}
}

TEST(what_is_no_amount_is_refused)
{
	static const char *const texts[] = {"",    "M",  "MB",    "-1",  "1 M", "1Mb",  "1m",    "1MM",    "1iB",
					    "1BB", "1e", "2GB/s", "nan", "inf", "1e17", "1e400", "99999T", "1,5GB"};
	uint64_t bytes = 7;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		CU_ASSERT(!amount_of_bytes(texts[i], &bytes));
	CU_ASSERT(!amount_of_bytes("11111111111111111111111111111111111111111111111111111111111111111111M", &bytes));
	CU_ASSERT_EQUAL(bytes, 7);
}

TEST(a_rate_may_say_that_it_is_one)
{
	uint64_t rate;

	CU_ASSERT(amount_of_rate("500MB/s", &rate));
	CU_ASSERT_EQUAL(rate, 500000000);
	CU_ASSERT(amount_of_rate("2e9/s", &rate));
	CU_ASSERT_EQUAL(rate, 2000000000);
	CU_ASSERT(amount_of_rate("2G", &rate));
	CU_ASSERT_EQUAL(rate, UINT64_C(2) << 30);
	CU_ASSERT(!amount_of_rate("/s", &rate));
	CU_ASSERT(!amount_of_rate("5MB/s/s", &rate));
	CU_ASSERT(!amount_of_rate("5MB/", &rate));
}

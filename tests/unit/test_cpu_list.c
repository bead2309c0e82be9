// SPDX-License-Identifier: GPL-2.0-or-later

#include "cli/number.h"
#include "test.h"

static void is(const char *text, size_t n, unsigned first, unsigned last)
{
	struct cpu_list list = {0};

	CU_ASSERT_EQUAL(cpu_list_add(&list, text), CPU_LIST_GOOD);
	CU_ASSERT_EQUAL_FATAL(list.n, n);
	CU_ASSERT_EQUAL(list.cpus[0], first);
	CU_ASSERT_EQUAL(list.cpus[n - 1], last);
	cpu_list_clear(&list);
	CU_ASSERT_EQUAL(list.n, 0);
}

TEST(a_list_is_sorted_and_has_each_cpu_once)
{
	is("0", 1, 0, 0);
	is("0-3,8", 5, 0, 8);
	is("8,0-3,2", 5, 0, 8);
	is("65535", 1, 65535, 65535);
}

TEST(what_is_no_list_is_malformed)
{
	static const char *const texts[] = {"",   ",",   "3-1", "0-3,",   "0,,1",     "a",
					    "-1", "0x3", " 1",  "65536x", "0-1-65536"};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cpu_list list = {0};

		CU_ASSERT_EQUAL(cpu_list_add(&list, texts[i]), CPU_LIST_MALFORMED);
		cpu_list_clear(&list);
	}
}

TEST(a_number_that_no_cpu_has_is_too_high)
{
	static const char *const texts[] = {"65536", "0-65536", "1,100000,2", "99999999999999999999", "100000-5"};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cpu_list list = {0};

		CU_ASSERT_EQUAL(cpu_list_add(&list, texts[i]), CPU_LIST_TOO_HIGH);
		cpu_list_clear(&list);
	}
}

TEST(a_second_text_is_added)
{
	struct cpu_list list = {0};

	CU_ASSERT_FALSE(cpu_list_has(&list, 5));
	CU_ASSERT_EQUAL(cpu_list_add(&list, "5"), CPU_LIST_GOOD);
	CU_ASSERT_EQUAL(cpu_list_add(&list, "2-3,5"), CPU_LIST_GOOD);
	CU_ASSERT_EQUAL(list.n, 3);
	CU_ASSERT_TRUE(cpu_list_has(&list, 2) && cpu_list_has(&list, 3) && cpu_list_has(&list, 5));
	CU_ASSERT_FALSE(cpu_list_has(&list, 4));
	cpu_list_clear(&list);
}

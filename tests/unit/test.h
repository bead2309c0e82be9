/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit tests that register themselves.  In test_NAME.c
 *
 *     TEST(an_unsupported_event_is_enodata)
 *     {
 *             CU_ASSERT_EQUAL(...);
 *     }
 *
 * is a test of the suite NAME, in the order of the file.  SUITE(begin, end) gives the suite functions that run before and after it.
 */
#ifndef UNC_TESTS_TEST_H
#define UNC_TESTS_TEST_H

#include <CUnit/CUnit.h>
#include <stdbool.h>

struct test {
	const char *file, *name;
	CU_TestFunc run;
	CU_InitializeFunc begin; /* of a suite; both NULL: a test */
	CU_CleanupFunc end;
	struct test *next;
};

/* Keeps a pointer to it. */
void test_register(struct test *test);

#define TEST(function)                                                                                                 \
	static void function(void);                                                                                    \
	__attribute__((constructor)) static void register_##function(void)                                             \
	{                                                                                                              \
		static struct test test = {.file = __FILE__, .name = #function, .run = function};                      \
		test_register(&test);                                                                                  \
	}                                                                                                              \
	static void function(void)

#define SUITE(before, after)                                                                                           \
	__attribute__((constructor)) static void register_suite(void)                                                  \
	{                                                                                                              \
		static struct test test = {.file = __FILE__, .begin = before, .end = after};                           \
		test_register(&test);                                                                                  \
	}

#endif

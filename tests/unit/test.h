/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unit tests that register themselves.  In test_NAME.c
 *
 *     TEST(an_unsupported_event_is_enodata)
 *     {
 *             CU_ASSERT_EQUAL(...);
 *     }
 *
 * is a test of the suite NAME, in the order of the file.  SUITE(begin, end) gives the suite functions that run before and after it,
 * EACH(before, after) such that run before and after each of its tests.  EACH's run after a test that failed, too;
 * no assertion in `after` may be a _FATAL one, since CUnit would run it anew for ever.
 */
#ifndef UNC_TESTS_TEST_H
#define UNC_TESTS_TEST_H

#include <CUnit/CUnit.h>
#include <stdbool.h>

struct test {
	const char *file, *name;
	CU_TestFunc run; /* NULL: these are for all tests of the file, each may be NULL: */
	CU_InitializeFunc begin;
	CU_CleanupFunc end;
	CU_SetUpFunc before;
	CU_TearDownFunc after;
	struct test *next;
};

/* Makes an empty file NAME.XXXXXX in a folder that is in memory, if that can be: what tests write is often synced. */
void test_file(char *path, size_t size, const char *name);

/* The text stays until 16 more have been made. */
__attribute__((format(printf, 1, 2))) const char *test_text(const char *format, ...);

/* Keeps a pointer to it. */
void test_register(struct test *test);

/* Of the test's file, also where a header of it says so. */
#define TEST_REGISTER(id, ...)                                                                                         \
	__attribute__((constructor)) static void register_##id(void)                                                   \
	{                                                                                                              \
		static struct test test = {.file = __BASE_FILE__, __VA_ARGS__};                                        \
		test_register(&test);                                                                                  \
	}

#define TEST(function)                                                                                                 \
	static void function(void);                                                                                    \
	TEST_REGISTER(function, .name = #function, .run = function)                                                    \
	static void function(void)

#define SUITE(first, last) TEST_REGISTER(suite, .begin = first, .end = last)

#define EACH(first, last) TEST_REGISTER(each, .before = first, .after = last)

/* What runs before each test of a file whose header has said what runs after it. */
#define BEFORE_EACH(first) TEST_REGISTER(before_each, .before = first)

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run [PART [NTH N]]: runs every suite, or those that have PART in their names; the tests of test_NAME.c are the suite NAME.  With NTH
 * and N only the NTH of N shares of them, for several processes at a time.  WITHOUT in the environment, "NAME NAME", are left out.
 */
#define _GNU_SOURCE
#include "test.h"

#include <CUnit/Basic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct test *tests, **end_of_tests = &tests;

void test_register(struct test *test)
{
	*end_of_tests = test;
	end_of_tests = &test->next;
}

void test_file(char *path, size_t size, const char *name)
{
	int fd;

	snprintf(path, size, "%s/%s.XXXXXX", getenv("TMPDIR"), name);
	fd = mkstemp(path);
	CU_ASSERT_FATAL(fd >= 0);
	close(fd);
}

const char *test_text(const char *format, ...)
{
	static char texts[16][2048];
	static unsigned n;
	char *text = texts[n++ % 16];
	va_list args;
	int len;

	va_start(args, format);
	len = vsnprintf(text, sizeof(texts[0]), format, args);
	va_end(args);
	if (len < 0 || (size_t)len >= sizeof(texts[0]))
		CU_FAIL_FATAL("a text is too long for test_text()");
	return text;
}

/* "tests/unit/test_gate.c" is the suite "gate"; "the_box_is_gone" is shown as "the box is gone". */
static void show(const char *name, char *buf, size_t size)
{
	const char *slash = strrchr(name, '/');

	snprintf(buf, size, "%s", slash ? slash + sizeof("test_") : name);
	buf[strcspn(buf, ".")] = '\0';
	for (char *p = buf; !slash && *p; p++)
		if (*p == '_')
			*p = ' ';
}

/* SUITE() and EACH() may come after the tests. */
static CU_pSuite add_suite(const char *file)
{
	struct test all = {.file = file};
	char name[128];

	for (const struct test *test = tests; test; test = test->next) {
		if (test->run || strcmp(test->file, file) != 0)
			continue;
		all.begin = test->begin ? test->begin : all.begin;
		all.end = test->end ? test->end : all.end;
		all.before = test->before ? test->before : all.before;
		all.after = test->after ? test->after : all.after;
	}
	show(file, name, sizeof(name));
	return CU_add_suite_with_setup_and_teardown(name, all.begin, all.end, all.before, all.after);
}

/* Is it in the list?  Names are between blanks. */
static bool is_without(const char *name)
{
	return getenv("WITHOUT") && strstr(test_text(" %s ", getenv("WITHOUT")), test_text(" %s ", name));
}

static bool add_all(void)
{
	const char *file = "";
	CU_pSuite suite = NULL;
	char name[256];

	for (const struct test *test = tests; test; test = test->next) {
		if (strcmp(test->file, file) != 0)
			suite = add_suite(file = test->file);
		show(test->name ? test->name : "", name, sizeof(name));
		if (!suite || (test->run && !CU_add_test(suite, name, test->run)))
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	unsigned nth = argc > 3 ? (unsigned)atoi(argv[2]) : 1, n = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	unsigned i = 0, failed;

	if (n == 0)
		return 2;

	if (!getenv("TMPDIR") || strlen(getenv("TMPDIR")) > 40) /* paths of tests have 64 bytes */
		setenv("TMPDIR", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", 1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS || !add_all())
		return 2;
	CU_basic_set_mode(CU_BRM_VERBOSE);
	for (CU_pSuite suite = CU_get_registry()->pSuite; suite; suite = suite->pNext)
		CU_set_suite_active(suite, strstr(suite->pName, part) && !is_without(suite->pName) && i++ % n == nth - 1
						   ? CU_TRUE
						   : CU_FALSE);
	CU_set_fail_on_inactive(CU_FALSE);
	CU_basic_run_tests();
	failed = CU_get_number_of_tests_failed() + CU_get_number_of_suites_failed();
	printf("unit: %u passed, %u failed\n", CU_get_number_of_tests_run() - CU_get_number_of_tests_failed(), failed);
	CU_cleanup_registry();
	return failed != 0;
}

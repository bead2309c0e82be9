// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run [PART [NTH N]]: runs every suite, or those that have PART in their names: tests/unit/test_NAME.c defines test_NAME_suite(), which
 * the Makefile finds by the file's name.  With NTH and N only the NTH of N shares of them, for several processes at a time.
 */
#include <CUnit/Basic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SUITE(name) void name##_suite(void);
#include "suites.h"
#undef SUITE

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	unsigned nth = argc > 3 ? (unsigned)atoi(argv[2]) : 1, n = argc > 3 ? (unsigned)atoi(argv[3]) : 1;
	unsigned i = 0, failed;

	if (n == 0)
		return 2;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
#define SUITE(name) name##_suite();
#include "suites.h"
#undef SUITE
	CU_basic_set_mode(CU_BRM_VERBOSE);
	for (CU_pSuite suite = CU_get_registry()->pSuite; suite; suite = suite->pNext)
		CU_set_suite_active(suite, strstr(suite->pName, part) && i++ % n == nth - 1 ? CU_TRUE : CU_FALSE);
	CU_set_fail_on_inactive(CU_FALSE);
	CU_basic_run_tests();
	failed = CU_get_number_of_tests_failed() + CU_get_number_of_suites_failed();
	printf("unit: %u passed, %u failed\n", CU_get_number_of_tests_run() - CU_get_number_of_tests_failed(), failed);
	CU_cleanup_registry();
	return failed != 0;
}

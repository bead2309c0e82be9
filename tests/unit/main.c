// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs every suite: tests/unit/test_NAME.c defines test_NAME_suite(), which the Makefile finds by the file's name. */
#include <CUnit/Basic.h>
#include <stdio.h>

#define SUITE(name) void name##_suite(void);
#include "suites.h"
#undef SUITE

int main(void)
{
	unsigned failed;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
#define SUITE(name) name##_suite();
#include "suites.h"
#undef SUITE
	CU_basic_set_mode(CU_BRM_NORMAL);
	CU_basic_run_tests();
	failed = CU_get_number_of_tests_failed() + CU_get_number_of_suites_failed();
	printf("unit: %u passed, %u failed\n", CU_get_number_of_tests_run() - CU_get_number_of_tests_failed(), failed);
	CU_cleanup_registry();
	return failed != 0;
}

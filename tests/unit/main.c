// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * run [PART [PROCESSES]]: runs every suite, or those that have PART in their name: tests/unit/test_NAME.c defines
 * test_NAME_suite(), which the Makefile finds by the file's name.  PROCESSES share the suites between them, and what
 * they print comes when all have ended.
 */
#define _GNU_SOURCE
#include <CUnit/Basic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SUITE(name) void name##_suite(void);
#include "suites.h"
#undef SUITE

enum { PROCESSES_MAX = 64 };

/* In memory that the processes share. */
struct share {
	FILE *output;
	pid_t pid;
	unsigned passed, failed;
};

/* A background job of a script is started with SIGINT ignored, a child of nohup with SIGHUP; tests send these. */
static void default_signals(void)
{
	sigset_t none;

	for (int number = 1; number <= SIGRTMAX; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Every n-th of the suites with PART in their names, from the nth on. */
static void run_share(const char *part, unsigned nth, unsigned n, struct share *share)
{
	unsigned i = 0;

	for (CU_pSuite suite = CU_get_registry()->pSuite; suite; suite = suite->pNext)
		CU_set_suite_active(suite, strstr(suite->pName, part) && i++ % n == nth ? CU_TRUE : CU_FALSE);
	CU_set_fail_on_inactive(CU_FALSE);
	CU_basic_run_tests();
	share->passed = CU_get_number_of_tests_run() - CU_get_number_of_tests_failed();
	share->failed = CU_get_number_of_tests_failed() + CU_get_number_of_suites_failed();
}

static void begin_share(const char *part, unsigned nth, unsigned n, struct share *share)
{
	pid_t pid;

	share->output = tmpfile();
	pid = share->output ? fork() : -1;
	if (pid == 0) {
		dup2(fileno(share->output), STDOUT_FILENO);
		run_share(part, nth, n, share);
		CU_cleanup_registry();
		exit(0);
	}
	share->pid = pid;
}

/* Prints what it printed; a process that died has failed. */
static void end_share(struct share *share)
{
	int status = -1, c;

	if (share->pid > 0)
		waitpid(share->pid, &status, 0);
	if (share->output) {
		rewind(share->output);
		while ((c = getc(share->output)) != EOF)
			putchar(c);
		fclose(share->output);
	}
	if (status != 0) {
		printf("a process of the unit tests ended with wait status %d\n", status);
		share->failed++;
	}
}

int main(int argc, char **argv)
{
	const char *part = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1, passed = 0, failed = 0;
	struct share *shares =
		mmap(NULL, PROCESSES_MAX * sizeof(*shares), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shares == MAP_FAILED || n < 1 || n > PROCESSES_MAX)
		return 2;
	default_signals();
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (CU_initialize_registry() != CUE_SUCCESS)
		return 2;
#define SUITE(name) name##_suite();
#include "suites.h"
#undef SUITE
	CU_basic_set_mode(CU_BRM_NORMAL);
	/* With several this one only waits, since a test takes each child of its process for its own. */
	if (n == 1)
		run_share(part, 0, 1, &shares[0]);
	for (unsigned i = 0; n > 1 && i < n; i++)
		begin_share(part, i, n, &shares[i]);
	for (unsigned i = 0; i < n; i++) {
		if (n > 1)
			end_share(&shares[i]);
		passed += shares[i].passed;
		failed += shares[i].failed;
	}
	printf("unit: %u passed, %u failed\n", passed, failed);
	CU_cleanup_registry();
	return failed != 0;
}

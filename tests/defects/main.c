// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * tests/defects/run [--tests] BUILD [PART]: every defect of the simulated machine, or those that have PART in their name, against
 * the check that must find it; machines without defects, which no check may accuse.  Prints the matrix, or with --tests a line for each,
 * and keeps it in BUILD/defects.json.  Built with sanitizers it tries every fifth, and none more than twice.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "defects.h"

enum { OPEN_MAX_DIRS = 16 };

#ifndef __has_feature
#define __has_feature(what) 0 /* clang says so in this way, gcc in the other */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
enum { EVERY = 5, TIMES_MAX = 2 };
#else
enum { EVERY = 1, TIMES_MAX = RUNS_MAX };
#endif

static struct run *runs_of(const char *part, size_t *ret_n)
{
	struct run *runs = NULL, *more;
	unsigned k, seed = 0;
	size_t i, n = 0;

	for (i = 0; i < n_defect_cases; i++) {
		const struct defect_case *of = &defect_cases[i];
		unsigned times = of->runs ? of->runs : 1;

		if (!strstr(of->defect ? of->defect : of->machine, part) || i % EVERY)
			continue;
		times = times < TIMES_MAX ? times : TIMES_MAX;
		more = realloc(runs, (n + times) * sizeof(*runs));
		if (!more)
			abort();
		runs = more;
		for (k = 0; k < times; k++)
			runs[n++] = (struct run){.of = of, .seed = of->runs ? ++seed : 0};
	}
	*ret_n = n;
	return runs;
}

static int remove_one(const char *path, const struct stat *is, int kind, struct FTW *at)
{
	(void)is;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

/* What a run that did not end as it should complained of. */
static void show_errors(const struct run *run, const struct checks *checks)
{
	char path[TEXT_MAX + 8], line[TEXT_MAX];
	FILE *file;

	if (run->ended && run->status == (failed_any(run, checks) ? 1 : 0))
		return;
	fprintf(stderr, "%s, seed %u: exit status %d\n", run->of->defect ? run->of->defect : run->of->machine,
		run->seed, run->status);
	snprintf(path, sizeof(path), "%s.err", run->file);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		fprintf(stderr, "  %s", line);
	if (file)
		fclose(file);
}

int main(int argc, char **argv)
{
	bool tests = argc > 1 && !strcmp(argv[1], "--tests");
	struct places places = {.build = argc > 1 + tests ? argv[1 + tests] : "build"};
	const char *tmp = getenv("TMPDIR"), *part = argc > 2 + tests ? argv[2 + tests] : "";
	static struct checks checks;
	char path[TEXT_MAX];
	struct run *runs;
	double seconds;
	size_t n, i;
	int status;

	/* In memory: there is a journal for each run, and each line of it waits for the disk. */
	if (!tmp)
		tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
	snprintf(places.work, sizeof(places.work), "%.3000s/uncorectl-defects.XXXXXX", tmp);
	if (!mkdtemp(places.work)) {
		fprintf(stderr, "%s: %s\n", places.work, strerror(errno));
		return 2;
	}
	runs = runs_of(part, &n);
	seconds = run_all(&places, runs, n);
	for (i = 0; i < n; i++)
		read_run(&runs[i], &checks);
	status = tests ? print_tests(runs, n, &checks) : print_matrix(runs, n, &checks, seconds);
	for (i = 0; i < n; i++)
		show_errors(&runs[i], &checks);
	snprintf(path, sizeof(path), "%.3000s/defects.json", places.build);
	if (!*part && write_matrix(path, runs, n, &checks, seconds) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		status = 2;
	}
	for (i = 0; i < n; i++)
		free(runs[i].failed);
	free(runs);
	for (i = 0; i < checks.n; i++)
		free(checks.names[i]);
	if (!getenv("DEFECTS_KEEP"))
		nftw(places.work, remove_one, OPEN_MAX_DIRS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	else
		fprintf(stderr, "what the runs said is in %s\n", places.work);
	return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `uncorectl check` finds: machines with one defect each, mounted, and machines without.  A case is a machine and what
 * must come of it, a run one start of the command on it, with a seed of its own.
 */
#ifndef DEFECTS_H
#define DEFECTS_H

#include <stdbool.h>
#include <stddef.h>

enum { CHECKS_MAX = 100, RUNS_MAX = 100, TEXT_MAX = 4096 };

struct defect_case {
	const char *defect;  /* what stands behind "defect="; NULL: nothing is wrong, and no check may fail */
	const char *machine; /* without "sim:", seed= and clock= */
	/*
	 * "clock.equal@socket0 registers.bits": one of these must fail, of that subject where there is one, else of the channel or CPU that
	 * the defect names, if it names one.  With + between groups of words each group must have one.  Without a defect the silicon is good,
	 * and something else is wrong: that check fails once, and no other.
	 */
	const char *found_by;
	/* What is wrong now and then: how often, and in how many of the runs it must be found. */
	const char *rate;
	unsigned runs, least; /* 0: one run, which must find it */
	bool inside;          /* the machine is in the command's own process, not mounted */
	const char *option;   /* of the command, or NULL */
};

extern const struct defect_case defect_cases[];
extern const size_t n_defect_cases;

enum state { ABSENT, NOT_RUN, SKIP, PASS, FAIL }; /* the later one counts, of several of one check */

struct run {
	const struct defect_case *of;
	unsigned seed;
	char file[TEXT_MAX]; /* what the command printed; beside it, with .err behind the name, what it complained of */
	int status;          /* its exit status; -1: it did not end by itself */
	double seconds;
	bool ended; /* the last record is there, and says that all was run */
	enum state states[CHECKS_MAX];
	char *failed; /* " clock.equal@socket0 registers.bits@socket0.imc0.ch1"; owned */
};

/* The checks that any run told of, in order. */
struct checks {
	char *names[CHECKS_MAX];
	size_t n;
};

struct places { /* of the build, and of what is made here */
	const char *build;
	char work[TEXT_MAX];
};

/* Each in a process of its own, one at a time on each CPU.  The seconds it took. */
double run_all(const struct places *places, struct run *runs, size_t n);
/* What its output says, which may hold checks that were not known yet. */
void read_run(struct run *run, struct checks *checks);

bool is_found(const struct run *run);
bool failed_any(const struct run *run, const struct checks *checks);
/* 0: every defect was found, and nothing else. */
int print_matrix(const struct run *runs, size_t n, const struct checks *checks, double seconds);
/* The same as a test: a line for each case, "ok NAME" or "not ok NAME". */
int print_tests(const struct run *runs, size_t n, const struct checks *checks);
/* As JSON.  -1, with errno. */
int write_matrix(const char *path, const struct run *runs, size_t n, const struct checks *checks, double seconds);

#endif

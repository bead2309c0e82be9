/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of `faults` share: a command runs on a simulated machine whose NTH access goes wrong, and what it then says and
 * leaves behind is judged.
 */
#ifndef UNC_TESTS_FAULTS_H
#define UNC_TESTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "access/fault.h"
#include "../onstate.h"
#include "../simtruth.h"

enum { CHANNELS = 4, ACCESSES_MAX = 60000, TEXT_MAX = 65536, PATH_TEXT = 256 };
enum { CPUS = 2 }; /* where caches are monitored */

enum kind {
	LOOKS,
	EVENTS,
	DUMPS,
	MEASURES,
	COUNTS,
	OBSERVES,
	DRY,
	WRITES,
	PEEKS,
	MONITORS,
	DIAGNOSES,
	CHECKS,
	COMPARES
};

enum { BUSY = 1, FREEZE = 2, WITH_COMMAND = 4 }; /* a box is, it freezes, it runs a command of its own */
struct command {
	const char *name;
	enum kind kind;
	unsigned flags;      /* BUSY, FREEZE, WITH_COMMAND */
	const char *machine; /* options of it, besides; with registers in memory its model in front of them */
	const char *args;    /* words with a space between them */
};
extern const struct command commands[];
extern const size_t n_commands;

#define RECORD "RECORD" /* in the place of world.record */

struct world {
	const char *uncorectl, *simpoke, *sigat;
	unsigned step; /* every so many places are tried */
	char state[PATH_TEXT], trace[PATH_TEXT], out[PATH_TEXT], err[PATH_TEXT], data[PATH_TEXT], record[PATH_TEXT];
	char journals[PATH_TEXT];             /* a folder */
	struct unc_sim_state *before, *after; /* the last run; their first part alone: REGISTERS */
	double read_rate[CHANNELS], write_rate[CHANNELS];
	double llc_rate[2]; /* of CPU 0: total, local */
};

struct baseline { /* the accesses of a run without fault, from 1 */
	unsigned n, start_first, start_last;
	bool write[ACCESSES_MAX];
	bool imc[ACCESSES_MAX];
	bool release[ACCESSES_MAX]; /* of a box that was frozen: done twice, so that one of them may fail */
};

struct outcome {
	unsigned accesses;
	int status; /* as wait_for() */
	char out[TEXT_MAX], err[TEXT_MAX];
};

struct attempt {
	const struct world *world;
	const struct command *command;
	const struct baseline *baseline;
	enum unc_fault_how how;
	bool forever;
	unsigned at;
	const struct outcome *outcome;
	char complaint[1024];
};

/* tests/faults/run.c */
bool is_in_memory(const struct command *command); /* its registers */
unsigned channels_of(const struct command *command);
void die(const char *what); /* without what it takes, nothing can be tested */
void slurp(const char *path, char *text, size_t size);
/* Makes the machine as the command finds it. */
void prepare(struct world *world, const struct command *command);
/* Runs the command there.  fail: "" or ",fail=3:eio"; signal_at: "N:SIGNAL", or NULL. */
void run(const struct world *world, const struct command *command, const char *fail, const char *signal_at,
	 struct outcome *ret_outcome);

/* tests/faults/learn.c: where the start begins and ends, and what it measures, from a run without fault. */
void learn(struct world *world, const struct command *command, struct baseline *b);

/* What is right.  False: not, and why is the complaint. */
bool complain(struct attempt *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool is_right(struct attempt *a);            /* tests/faults/judge.c: all of it */
bool sentences_are_right(struct attempt *a); /* those alone: one for what went wrong, one for what is not back */
bool status_is_right(struct attempt *a);     /* tests/faults/judge_status.c */
bool numbers_are_right(struct attempt *a);   /* tests/faults/judge_numbers.c */
bool registers_are_right(struct attempt *a); /* tests/faults/judge_registers.c */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands share that measure over time (mem, stat, llc): their common options, the COMMAND, samples at their times,
 * the output, and every way to end with the registers as they were.  What is programmed and read is the command's.
 */
#ifndef UNC_CLI_SAMPLER_H
#define UNC_CLI_SAMPLER_H

#include <getopt.h>

#include "cli/cli.h"
#include "cli/emit.h"

struct sampler_options {
	uint64_t interval_ns;
	bool interval_given;
	uint64_t count; /* of samples; 0: until interrupted */
	enum format format;
	const char *path; /* or NULL */
	char **command;   /* NULL: none */
	bool observe;     /* here or in front of the command: no register is written */
};

/* How long it is from one sample to the next; 0: as long as the COMMAND takes. */
uint64_t sampler_interval_ns(const struct sampler_options *options);

/* Values of a command's own long options that have no letter begin here. */
enum { SAMPLER_OWN_OPTION = 2000 };

/* What sample() returns, instead of 0, when there is nothing more to measure. */
enum { SAMPLER_LAST = 1 };

/* A command, as it differs from the others.  arg goes to each function. */
struct sampler {
	const char *name, *help;
	const char *letters;      /* its own options as getopt() wants them ("e:m:"), or "" */
	const struct option *own; /* and their long names, up to one of all zeros */
	const struct column *columns;
	size_t n_columns;
	void *arg;
	const char *no_observe; /* why it cannot do without writing registers; NULL: it can */

	/* Takes one of its own options, whose value is in optarg.  EXIT_DONE, or the exit status of what it said. */
	int (*option)(void *arg, int option);
	/* After the last option; NULL: nothing to see to.  As above. */
	int (*options_done)(void *arg, const struct sampler_options *options);
	/* The COMMAND was forked and waits; not where a record is replayed.  NULL: nothing to do to it.  As above. */
	int (*forked)(void *arg, int pid);
	/* Programs the registers and starts.  A negative enum unc_err, its sentence in ctx; UNC_EAGAIN: it waited, and was woken. */
	int (*start)(void *arg, struct unc_ctx *ctx, struct unc_machine *machine);
	/* Sleeps until the machine's pacing time, as unc_machine_sleep_until(), and does what cannot wait so long. */
	int (*sleep_until)(void *arg, uint64_t mono_ns);
	/* Reads everything, and without show() hands over the rows.  As start(); or SAMPLER_LAST. */
	int (*sample)(void *arg, struct emitter *emitter);
	/*
	 * Where rows are held until they are confirmed: hands over the rows of the oldest confirmed sample.  1: it did; 0: there is none
	 * yet.  NULL: no row is held.
	 */
	int (*show)(void *arg, struct emitter *emitter);
	void (*confirm)(void *arg); /* with show(): confirms all that is held, when there is no next sample */
	/* With --dry-run, after start(): the writes of a sample.  NULL: it writes nothing.  As start(). */
	int (*dry_sample)(void *arg);
	/* Puts the registers back, and before that sees to what only then can be asked; also where start() failed, or was not called. */
	int (*stop)(void *arg);
	/* When the registers are back; NULL: nothing to add.  Only after at least one sample. */
	void (*last_word)(void *arg, struct output *out);
	/* Likewise, and only where nothing failed: EXIT_DONE, or the exit status of what it said.  A COMMAND's own goes before. */
	int (*verdict)(void *arg);
	void (*close)(void *arg); /* frees the rest */
};

/* The whole command: exit status, or the signal that ended it. */
int sampler_run(const struct sampler *sampler, const struct globals *globals, int argc, char **argv);

/* For sampler.c only: true: go on; false: *ret_status is the end.  cli/sampler_options.c */
bool sampler_parse(const struct sampler *sampler, const struct globals *globals, int argc, char **argv,
		   struct sampler_options *ret_options, int *ret_status);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the commands share that count over time (mem, stat): their common options, the COMMAND, samples at their times, the
 * output, and every way to end with the registers as they were.
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
	struct unc_session_cfg session;
	char **command; /* NULL: none */
};

/* Values of a command's own long options that have no letter begin here. */
enum { SAMPLER_OWN_OPTION = 2000 };

/* A command, as it differs from the others.  arg goes to each function. */
struct sampler {
	const char *name, *help;
	bool multiplex;           /* its events take turns where they are too many */
	const char *letters;      /* its own options as getopt() wants them ("e:m:"), or "" */
	const struct option *own; /* and their long names, up to one of all zeros */
	const struct column *columns;
	size_t n_columns;
	void *arg;

	/* Takes one of its own options, whose value is in optarg.  EXIT_DONE, or the exit status of what it said. */
	int (*option)(void *arg, int option);
	/* After the last option; NULL: nothing to see to.  As above. */
	int (*options_done)(void *arg, const struct sampler_options *options);
	/* Adds its events to the session, which starts then.  A negative enum unc_err, its sentence in ctx. */
	int (*open)(void *arg, struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session);
	/* Reads the session and hands over the rows.  As above. */
	int (*sample)(void *arg, struct emitter *emitter);
	/* When the registers are back; NULL: nothing to add.  Only after at least one sample. */
	void (*last_word)(void *arg, struct output *out);
	void (*close)(void *arg); /* after open() that failed, too */
};

/* The whole command: exit status, or the signal that ended it. */
int sampler_run(const struct sampler *sampler, const struct globals *globals, int argc, char **argv);

/* For sampler.c only: true: go on; false: *ret_status is the end.  cli/sampler_options.c */
bool sampler_parse(const struct sampler *sampler, int argc, char **argv, struct sampler_options *ret_options,
		   int *ret_status);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands share that look at a machine, print once and end: their options, and the way through. */
#ifndef UNC_CLI_REPORT_H
#define UNC_CLI_REPORT_H

#include "cli/cli.h"
#include "cli/emit.h"

/* An option of a command's own: one that is there or not, or one with a value. */
struct report_option {
	const char *name; /* without --; NULL ends a list of them */
	bool *ret_given;
	const char **ret_value; /* or NULL */
};

struct report {
	/* what the command wants */
	const char *name, *help;
	const struct report_option *options; /* or NULL */
	void *arg;                           /* the command's own */
	bool takes_verbose;                  /* -v */
	bool takes_argument;                 /* one, optional */
	const bool *recovers; /* it puts back what others have left, or where this is set would; NULL: it only looks */
	/* Prints into out and returns the exit status; an output that fails is noticed by the caller. */
	int (*print)(struct opened *opened, const struct report *report, struct output *out);
	/* Instead of it, for a command that opens the machine in its own way. */
	int (*look)(const struct globals *globals, const struct report *report, struct output *out);

	/* what the person wants */
	enum format format;
	const char *path; /* or NULL: stdout */
	bool verbose;
	const char *argument; /* or NULL */
};

/* Parses --format, -o, --help, -v and the argument, opens machine and output, prints, closes.  The exit status. */
int report_run(struct report *report, const struct globals *globals, int argc, char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands that read a machine, print once and end share: their options and their sequence of steps. */
#ifndef UNC_CLI_REPORT_H
#define UNC_CLI_REPORT_H

#include "cli/cli.h"
#include "cli/emit.h"
#include "cli/options.h"

struct report {
	/* Set by the command: */
	struct command_line line; /* own is also for the command's functions; shared is the report */
	bool takes_argument;      /* one optional argument */
	const bool *recovers; /* it puts back what others have left; true: it only shows that; NULL: it only reads */
	bool (*names_machine)(const struct report *report); /* its output begins with the machine's name; NULL: never */
	/* Prints into out and returns the exit status; the caller detects output errors. */
	int (*print)(struct opened *opened, const struct report *report, struct output *out);
	/* Called instead of print(), for a command that opens the machine in its own way; below 0: by print() after all. */
	int (*look)(const struct globals *globals, const struct report *report, struct output *out);

	/* Set from the command line: */
	enum format format;
	const char *path; /* NULL: stdout */
	bool verbose;
	const char *argument; /* NULL: none */
};

/* Parses options and the argument, opens machine and output, prints, closes.  Returns the exit status. */
int report_run(struct report *report, const struct globals *globals, int argc, char **argv);

#endif

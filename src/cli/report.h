/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What commands that read a machine, print once and end share: their options and their sequence of steps. */
#ifndef UNC_CLI_REPORT_H
#define UNC_CLI_REPORT_H

#include "cli/cli.h"
#include "cli/emit.h"

/* A command's own option: a flag, or one with a value. */
struct report_option {
	const char *name; /* without --; NULL ends the list */
	bool *ret_given;
	const char **ret_value; /* NULL: a flag */
};

struct report {
	/* Set by the command: */
	const char *name, *help;
	const struct report_option *options; /* NULL: none */
	void *arg;                           /* for the command's functions */
	bool takes_verbose;                  /* -v */
	bool takes_argument;                 /* one optional argument */
	const bool *recovers; /* it puts back what others have left; true: it only shows that; NULL: it only reads */
	/* Prints into out and returns the exit status; the caller detects output errors. */
	int (*print)(struct opened *opened, const struct report *report, struct output *out);
	/* Called instead of print(), for a command that opens the machine in its own way. */
	int (*look)(const struct globals *globals, const struct report *report, struct output *out);

	/* Set from the command line: */
	enum format format;
	const char *path; /* NULL: stdout */
	bool verbose;
	const char *argument; /* NULL: none */
};

/* Parses --format, -o, --help, -v and the argument, opens machine and output, prints, closes.  Returns the exit status. */
int report_run(struct report *report, const struct globals *globals, int argc, char **argv);

/* Prints all columns of a few rows for people: a paragraph for each row instead of a line of a table. */

/* Prints the first column as a heading, and below it a line for each other value that is given, under the names of CSV and JSON. */
void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row);

#endif

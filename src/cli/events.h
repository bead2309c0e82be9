/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the files of `uncorectl events` share. */
#ifndef UNC_CLI_EVENTS_H
#define UNC_CLI_EVENTS_H

#include "cli/report.h"

/* Rows of a table or of records; or, with -v and output for people, one paragraph each. */
struct listing {
	struct output *out;
	const struct column *columns;
	size_t n_columns, n_rows;
	struct emitter *emitter; /* NULL: paragraphs */
	const struct unc_machine *machine;
	char tags[256]; /* "krn, pcm": the tags in the sources of the paragraphs */
};
/* False: out of memory, after a message. */
bool listing_open(struct listing *listing, const struct report *report, const struct column *columns, size_t n_columns,
		  const struct unc_machine *machine, struct output *out);
void listing_row(struct listing *listing, struct row *row);
/* Returns the exit status: 0, or 1 if there was no row, after a message that names what was looked for, or if the output failed. */
int listing_close(struct listing *listing, const struct report *report, const char *what);

/*
 * Prints the events, or the metrics, that match the report's pattern; perfmon_path: beside those of a file.  Returns the exit
 * status.
 */
int events_print(struct opened *opened, const struct report *report, const char *perfmon_path, struct output *out);
int metrics_print(struct opened *opened, const struct report *report, struct output *out);

#endif

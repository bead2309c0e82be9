/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of `uncorectl events` share. */
#ifndef UNC_CLI_EVENTS_H
#define UNC_CLI_EVENTS_H

#include "cli/report.h"

/* Rows of a table or of records, or, with -v and where a person reads them, a paragraph each. */
struct listing {
	struct output *out;
	const struct column *columns;
	size_t n_columns, n_rows;
	struct emitter *emitter; /* NULL: paragraphs */
	const struct unc_machine *machine;
	char tags[256]; /* "krn, pcm": what the sources of the paragraphs begin with */
};
bool listing_open(struct listing *listing, const struct report *report, const struct column *columns, size_t n_columns,
		  const struct unc_machine *machine, struct output *out); /* false: out of memory, which was said */
void listing_row(struct listing *listing, struct row *row);
/* The exit status: 0, or 1 where there was no row, which is said with what was looked for, or the output failed. */
int listing_close(struct listing *listing, const struct report *report, const char *what);

/* Prints the events, or the metrics, that the report's pattern means; perfmon_path: beside those of a file.  The exit status. */
int events_print(struct opened *opened, const struct report *report, const char *perfmon_path, struct output *out);
int metrics_print(struct opened *opened, const struct report *report, struct output *out);

#endif

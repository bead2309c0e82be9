/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what uncorectl itself has written, row by row and in constant memory: CSV and JSON lines of any command, a record, which is
 * replayed, and the table of `reg dump`.
 */
#ifndef UNC_CLI_SERIES_H
#define UNC_CLI_SERIES_H

#include <sys/types.h>

#include "cli/cli.h"

enum { SERIES_COLUMNS_MAX = 128, SERIES_CELLS_MAX = 16 };

struct series_text {
	char *text; /* ends with a zero; NULL: not given.  It lasts until the next row */
	size_t len;
};

struct series {
	/* Of the row that was read last.  The columns of CSV are known after series_open(), those of JSON lines may become more. */
	char *columns[SERIES_COLUMNS_MAX]; /* owned */
	struct series_text values[SERIES_COLUMNS_MAX];
	size_t n_columns;
	bool is_table; /* of `reg dump`, which leaves out reserved fields that are 0 */

	/* Private. */
	const char *command, *name; /* for messages */
	unsigned long line;         /* the current line, from 1 */
	int fd;                     /* -1: none */
	pid_t replay;               /* the process that replays a record; 0: there is none */
	int complaints;             /* what it wrote to standard error; -1: none */
	char *bytes;                /* owned: what was read, but not yet taken */
	size_t at, end, size;
	bool ended, is_json, peeked;
	unsigned long seen[SERIES_COLUMNS_MAX]; /* of JSON lines: the last line in which that column was */
	bool failed;                            /* after a message */
	char *owned;                            /* texts of a row that jansson has read are in it */
	struct {
		size_t start, column;
	} cells[SERIES_CELLS_MAX]; /* of a table: where a column begins in a line, and which it is */
	size_t n_cells;
	char place[160];  /* of a table: the box and its address */
	char kept[3][64]; /* of a table: the register of the rows that follow */
};

/*
 * command: for messages.  path "-": standard input.  A record is replayed by a process of its own, so call this before confine().
 * EXIT_DONE, or EXIT_USAGE after a message.
 */
int series_open(struct series *series, const struct globals *globals, const char *command, const char *path);
/* Reads the next row, except of headers and summaries in JSON lines.  False: there is none, or series->failed. */
bool series_next(struct series *series);
/* The same, but series_next() will return that row once more. */
bool series_peek(struct series *series);
/* Says what is wrong with the current line, or with the file, and sets series->failed.  Both return false. */
bool series_fail(struct series *series, const char *why);
bool series_wrong(struct series *series, const char *fmt, ...) UNC_PRINTF(2, 3);
bool series_has(const struct series *series, const char *column);
/* The value of a column in the current row; NULL: not given, or there is no such column. */
const char *series_value(const struct series *series, const char *column);
/* Also of one that is all zeros. */
void series_close(struct series *series);

/* ---- for series.c: a record's rows come from a process ---- */

/* Starts the process; series->fd then reads its output.  False: series->failed. */
bool series_replay_start(struct series *series, const struct globals *globals, const char *path);
/* Waits for it, if there is one.  False: it failed, after its message. */
bool series_replay_end(struct series *series);
void series_replay_close(struct series *series);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one emitter of every command that prints data.  A command describes its columns once and emits rows of values; CSV, JSON
 * lines and the table are writers of the same rows, so they cannot differ.
 */
#ifndef UNC_CLI_EMIT_H
#define UNC_CLI_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/output.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSONL };

enum column_type {
	COLUMN_TEXT,   /* value.text */
	COLUMN_NUMBER, /* value.number: an exact integer */
	COLUMN_RATE,   /* value.rate: bytes per second; in a table in MB/s or GB/s, with one unit for all */
	COLUMN_COUNT,  /* value.number; in a table in groups of three digits */
	COLUMN_SIGNED, /* value.difference: an exact integer; in a table with its sign, in groups of three digits */
	COLUMN_AMOUNT, /* value.amount, with all its digits; in a table rounded, with its unit */
	COLUMN_BAR,    /* value.bar: table only */
};

/* Special values of `goes`, for texts. */
enum {
	COLUMN_CUT = 99,   /* the last column: it is cut before other columns are left out */
	COLUMN_SHORT = 98, /* its cells are shortened after all columns that may be left out are gone */
};

struct column {
	const char *name;  /* in CSV and JSON; NULL: the column is not in them */
	const char *title; /* in the table; NULL: the column is not in it */
	enum column_type type;
	/*
	 * The column with the highest value is the first to be left out of a table that is wider than the window, at most 4; 0: it
	 * stays; or one of the special values.
	 */
	unsigned goes;
};

struct bar {
	double first, second, most; /* two parts that are drawn end to end, and the value of a full bar */
};

struct amount {
	double number;    /* finite */
	const char *unit; /* "bytes", "bytes/s", "/s", "%", ...; NULL: none.  It outlives the sample */
};

struct value {
	bool given;          /* false: an empty field, null, or "-" */
	const char *instead; /* shown in a table instead of "-" if not given; outlives the sample */
	union {
		const char *text;
		uint64_t number;
		int64_t difference;
		double rate;
		struct amount amount;
		struct bar bar;
	};
};
struct value text_value(const char *text); /* NULL or "": not given */
struct value number_value(uint64_t number);
struct value signed_value(int64_t difference);
struct value rate_value(double rate);
struct value amount_value(double number, const char *unit);
/* uncertainty_percent of a count or a value of a cache, rounded up to four decimals. */
struct value uncertainty_value(double percent);
struct value no_value(const char *instead);

enum { EMIT_COLUMNS_MAX = 52 };

struct row {
	bool record;   /* the row goes to CSV and JSON */
	bool in_table; /* the row goes to the table */
	bool detail;   /* it is left out first from a table that is higher than the window */
	bool headline; /* a table separates it from the rows above */
	struct value values[EMIT_COLUMNS_MAX];
};

struct emitter;

/* columns and out outlive the emitter. live: on a terminal, each table replaces the one before. */
struct emitter *emitter_new(enum format format, const struct column *columns, size_t n_columns, struct output *out,
			    bool live); /* NULL: out of memory */
void emitter_free(struct emitter *emitter);
bool emits_tables(const struct emitter *emitter);
/* False: emit_row() would leave the row out, as far as its record and in_table say, so its values need not be computed. */
bool emit_takes(const struct emitter *emitter, const struct row *row);
/* Copies the row and its texts. */
void emit_row(struct emitter *emitter, const struct row *row);
/* Ends a group of rows, a sample, with a line above the table (NULL: none), and writes it.  False: as output_flush(). */
bool emit_sample(struct emitter *emitter, const char *caption);

/* Call this after other text was written on the terminal, which the next table must not overwrite. */
void emit_below(struct emitter *emitter);

/* Parses --format of a command: "table", "csv" or "jsonl".  EXIT_DONE, or the exit status after a message. */
int parse_format(const char *command, const char *text, enum format *ret_format);

#endif

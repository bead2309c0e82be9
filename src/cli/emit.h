/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one emitter behind every command that prints data.  A command describes its columns once and hands over rows of
 * values; CSV, JSON lines and the table are writers of the same rows, so they cannot drift apart.
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
	COLUMN_RATE,   /* value.rate: bytes per second; in a table in MB/s or GB/s, one unit for all */
	COLUMN_COUNT,  /* value.number; in a table in groups of three digits */
	COLUMN_SIGNED, /* value.difference: an exact integer; in a table with its sign, in groups of three digits */
	COLUMN_AMOUNT, /* value.amount, all its digits; in a table rounded, with its unit */
	COLUMN_BAR,    /* value.bar: table only */
};

/* Instead of `goes`, of texts. */
enum {
	COLUMN_CUT = 99,   /* the last one: it is rather cut than that others are left out */
	COLUMN_SHORT = 98, /* where those that may be are left out already, its cells are shortened */
};

struct column {
	const char *name;  /* in CSV and JSON; NULL: not there */
	const char *title; /* in the table; NULL: not there */
	enum column_type type;
	/* The highest is first to be left out of a table wider than the window, at most 4; 0: none; or one of these. */
	unsigned goes;
};

struct bar {
	double first, second, most; /* two parts that are drawn end to end, and what a full bar stands for */
};

struct amount {
	double number;    /* finite */
	const char *unit; /* "bytes", "bytes/s", "/s", "%", ...; NULL: none.  Outlives the sample */
};

struct value {
	bool given;          /* else an empty field, null, or "-" */
	const char *instead; /* where it is not given: of "-", in a table; outlives the sample */
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
/* uncertainty_percent of a count or a value of a cache, rounded up to four digits behind the point. */
struct value uncertainty_value(double percent);
struct value no_value(const char *instead);

enum { EMIT_COLUMNS_MAX = 52 };

struct row {
	bool record;   /* goes to CSV and JSON; the table gets every row */
	bool in_table; /* goes to the table */
	bool detail;   /* dropped first from a table that is higher than the window */
	bool headline; /* a table sets it off from the rows above */
	struct value values[EMIT_COLUMNS_MAX];
};

struct emitter;

/* columns and out outlive the emitter.  live: on a terminal, each table takes the place of the one before. */
struct emitter *emitter_new(enum format format, const struct column *columns, size_t n_columns, struct output *out,
			    bool live); /* NULL: out of memory */
void emitter_free(struct emitter *emitter);
bool emits_tables(const struct emitter *emitter);
/* Copies the row and its texts. */
void emit_row(struct emitter *emitter, const struct row *row);
/* Ends a group of rows, a sample, with a line to stand above the table (NULL: none), and writes it out.  False: as output_flush(). */
bool emit_sample(struct emitter *emitter, const char *caption);

/* Something else was written on the terminal, which the next table is not to take the place of. */
void emit_below(struct emitter *emitter);

/* --format of a command: "table", "csv" or "jsonl".  EXIT_DONE, or it was said what is wrong. */
int parse_format(const char *command, const char *text, enum format *ret_format);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of data to stdout, stderr or a file.  Text is gathered and written at once, so that a reader sees whole samples. */
#ifndef UNC_CLI_EMIT_H
#define UNC_CLI_EMIT_H

#include "uncore.h"

struct output {
	int fd;
	const char *name; /* for messages; NULL: not open */
	bool terminal;
	bool ours;   /* the descriptor was opened here */
	bool failed; /* a message was printed, or its reader has gone; nothing more is written */
	bool gone;   /* standard output has no reader any more, which is an end and no failure */
	char *text;  /* owned */
	size_t len, size;
	/* Samples that follow one another faster than this are gathered for so long; 0: each is written at once. */
	uint64_t gather_ns;
	uint64_t written_ns;       /* when it was last written, in pacing time */
	bool more;                 /* the next sample follows at once, and both are written together */
	struct replaced *replaced; /* each flush replaces the whole file; fd is not open then; owned; NULL: none does */
};

/*
 * path NULL: uses the descriptor fd, standard output or error; otherwise creates or empties the file.  EXIT_DONE, or an exit status
 * after a message; then the output is not open, and its name is NULL.
 */
struct globals;
int output_open(struct output *out, const struct globals *globals, const char *path, int fd);
/*
 * The same, but each flush replaces a regular file as a whole: it is written under another name in its folder first.  After confine()
 * that takes CONFINE_REPLACING, and a folder in which the user may make files without capabilities.
 */
int replaced_open(struct output *out, const struct globals *globals, const char *path, int fd);
const char *replaced_folder(const struct replaced *replaced);
/* For emit.c only.  0, or an errno. */
int replaced_write(struct replaced *replaced, const char *text, size_t len);
void replaced_close(struct replaced *replaced);
/* Uses standard output or error. */
void output_on(struct output *out, int fd);
/* The line ends of fmt stay; everything else passes through unc_text_show(), so arguments may come from anywhere. */
void output_printf(struct output *out, const char *fmt, ...) UNC_PRINTF(2, 3);
/* Writes a text from anywhere, through unc_text_show(). */
void output_shown(struct output *out, const char *text);
/* Writes the bytes unchanged: only for bytes that the caller made itself. */
void output_append(struct output *out, const char *bytes, size_t len);
/* The same; these and the numbers below are as fast as possible, since most of a sample's output is such fields. */
void output_text(struct output *out, const char *text);
void output_u64(struct output *out, uint64_t number);
/* Takes the text of an output that is built in memory and never written.  NULL: out of memory, after a message. */
char *output_take(struct output *out);
/* Writes what was gathered.  False: closed or full, after one message. */
bool output_flush(struct output *out);
/* The same at the end of a sample, where gather_ns may delay it. */
bool output_end_sample(struct output *out);
/* Flushes and closes.  False as above. */
bool output_close(struct output *out);
/* The same at the end of a command, if it is open: returns status, or EXIT_FAILED, except where a signal cut the writing short. */
int output_end(struct output *out, int status);

/* Writes JSON piece by piece, with exact numbers.  Keys are names of ours; texts may come from anywhere. */
struct json {
	struct output *out;
	bool more;     /* a value was written before in the same object or array, so a comma comes next */
	bool comments; /* it is the header of CSV: a line "# KEY: VALUE" for each member */
	bool in_page;  /* it is in a page: "</script" would end it, and what people should not obey is shown: "\x1b" */
};
/* Begins an object '{' or an array '['.  key NULL: it is in an array, or in nothing. */
void json_begin(struct json *json, const char *key, char bracket);
void json_end(struct json *json, char bracket);
/* Writes the comma, if one is needed, and the name; a value follows. */
void json_key(struct json *json, const char *key);
void json_put_text(struct json *json, const char *key, const char *text); /* NULL or "": null */
void json_put_u64(struct json *json, const char *key, uint64_t number);
void json_put_real(struct json *json, const char *key, double number); /* with 15 digits; not finite: null */
void json_put_bool(struct json *json, const char *key, bool value);
/* A text between quotes, escaped, with U+FFFD for what is not UTF-8. */
void json_quote(struct json *json, const char *text);

struct window {
	unsigned columns, rows;
};
/* The current size of the terminal; 80 x 24 if it is not known. */
struct window output_window(const struct output *out);

/*
 * The one emitter of every command that prints data.  A command describes its columns once and emits rows of values; CSV, JSON
 * lines and the table are writers of the same rows, so they cannot differ.  The unit of a column is the end of its name (_ns, _bytes,
 * _bytes_per_s, _percent); an amount has its own.  Why a value is not given is in value.instead, or in the columns flags and ..._status
 * of its row.
 */

enum format {
	FORMAT_TABLE,
	FORMAT_CSV,
	FORMAT_JSONL,
	FORMAT_DETAILS, /* records as paragraphs, for people */
	FORMAT_PROMETHEUS,
	FORMAT_OPENMETRICS,
};
/* Is it of series, and not of rows? */
#define format_is_metrics(format) ((format) >= FORMAT_PROMETHEUS)

enum column_type {
	COLUMN_TEXT,   /* value.text */
	COLUMN_NUMBER, /* value.number: an exact integer */
	COLUMN_RATE,   /* value.rate: bytes per second; in a table in MB/s or GB/s, with one unit for all */
	COLUMN_COUNT,  /* value.number; in a table in groups of three digits */
	COLUMN_SIGNED, /* value.difference: an exact integer; in a table with its sign, in groups of three digits */
	COLUMN_AMOUNT, /* value.amount, with all its digits; in a table rounded, with its unit */
	COLUMN_FLAGS,  /* value.text: words joined by ";"; an array in JSON */
	COLUMN_BOOL,   /* value.number: 0 or 1; "false" or "true" */
	COLUMN_HEX,    /* value.hex: "0x0c", which is a text in JSON, as it has no hexadecimal numbers */
	COLUMN_BAR,    /* value.bar: table only */
};

/* Special values of `drop_priority`, for texts. */
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
	unsigned drop_priority;
};

struct bar {
	double first, second, most; /* two parts that are drawn end to end, and the value of a full bar */
};

struct amount {
	double number;    /* finite */
	const char *unit; /* "bytes", "bytes/s", "/s", "%", ...; NULL: none.  It outlives the sample */
};

struct hex {
	uint64_t number;
	unsigned digits; /* at least */
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
		struct hex hex;
		struct bar bar;
	};
};
struct value text_value(const char *text); /* NULL or "": not given */
struct value number_value(uint64_t number);
struct value number_if(bool given, uint64_t number);
struct value signed_value(int64_t difference);
struct value rate_value(double rate);
struct value amount_value(double number, const char *unit);
/* A share of 1 as percent, with two decimals. */
struct value share_value(double share);
struct value hex_value(uint64_t number, unsigned digits);
/* uncertainty_percent of a count or a value of a cache, rounded up to four decimals. */
struct value uncertainty_value(double percent);
struct value no_value(const char *instead);

enum { EMIT_COLUMNS_MAX = 52 };

struct row {
	bool record;   /* the row goes to CSV and JSON */
	bool in_table; /* the row goes to the table */
	bool detail;   /* it is left out first from a table that is higher than the window, */
	double busy;   /* those of lowest numbers before the others */
	bool headline; /* a table separates it from the rows above */
	size_t place;  /* while rows are sorted: where it was */
	struct value values[EMIT_COLUMNS_MAX];
};

/* How a run shows what it measured: the options that all commands with samples share. */
enum view_unit { UNIT_AUTO, UNIT_MB, UNIT_GB, UNIT_MIB, UNIT_GIB };
struct view {
	unsigned unit;        /* of bytes in a table, enum view_unit */
	const char *sort;     /* the column by which the records of a sample are sorted, or NULL */
	size_t sort_column;   /* its place, after view_check() */
	uint64_t top;         /* so many records of a sample are shown; 0: all */
	bool header;          /* CSV begins with the header as comments */
	unsigned big;         /* 1: integers above 2^53 are texts in JSON */
	bool utc;             /* times that people read are those of UTC */
	double bytes_per_s;   /* what is measured may move as much: it chooses the unit; 0: the first sample does */
	uint64_t interval_ns; /* the same of amounts; 0: that is not known */
};
struct unit {
	const char *name, *per_s; /* "GB", "GB/s" */
	double scale;
};
/* The unit of all rates of a run. */
const struct unit *view_unit(const struct view *view);
/* Are records shown one by one, and not in groups with their sums? */
#define view_is_flat(view) ((view)->sort || (view)->top)
/* EXIT_DONE, or the exit status after a message: there is no such column. */
int view_check(struct view *view, const char *command, const struct column *columns, size_t n_columns);

/* The rows of a sample: the table of the emitter is fitted to the window, and redrawn in place on a terminal. */
struct table {
	const struct column *columns; /* not owned */
	size_t n_columns;
	struct output *out; /* not owned */
	bool live;
	bool lines; /* rows of all samples are below each other, each with the time, below titles that are repeated */
	unsigned
		drawn; /* lines that the last table occupies on the terminal; 0: the next one must not overwrite what is there */
	unsigned titles;         /* of lines: which columns the last titles had; 0: there were none yet */
	char *rows;              /* table_row(); owned */
	size_t n_rows, n_hidden; /* beside them, those that --top leaves out */
	const struct view *view; /* not owned; NULL: the usual one */
	/* The units of rates, and of amounts of bytes and bytes/s, are chosen once, so that they never change; 0: not yet. */
	double rate_scale, amount_scale[2];
};

struct emitter { /* all zero: cleared */
	enum format format;
	struct table table;
	const char *
		record; /* what a row is called in JSON: "sample", "box", ...; NULL: a column says it, or nothing does */
	bool headed;
	struct metrics_rows *metrics; /* takes the rows, which are not written; NULL: there is none; not owned */
};

/* columns and out outlive the emitter. live: on a terminal, each table replaces the one before. */
void emitter_init(struct emitter *emitter, enum format format, const struct column *columns, size_t n_columns,
		  struct output *out, bool live);
/* Call it before the first row; view outlives the emitter. */
void emitter_set_view(struct emitter *emitter, const struct view *view);
#define EMIT_COLUMNS(list) (list), sizeof(list) / sizeof((list)[0]) /* both arguments for a table of columns */
void emitter_clear(struct emitter *emitter);

/*
 * The version of what programs read, CSV and JSON lines: a higher one has every name of a lower one.  uncorectl-output(5) has all of
 * them.
 */
enum { OUTPUT_CONTRACT = 2 };
struct opened;
/*
 * Says what each row is, and begins JSON lines with their header: the computer without its name, the program, the command and the
 * units.  opened NULL: no machine is open.
 */
void emit_head(struct emitter *emitter, struct opened *opened, const char *record);
/* The members of a header after "record", of a machine that is open, or NULL. */
void json_put_head(struct json *json, struct opened *opened);
enum { TIME_TEXT_MAX = 40 };
/* From now on local time is UTC, or as far from it as it is now, so that an output has one zone. */
void zone_fix(bool utc);
/* The same with so many seconds before UTC. */
void zone_set(int64_t utc_s);
/* "2026-11-24T19:12:50+01:00" */
const char *iso_time(uint64_t real_ns, char buf[TIME_TEXT_MAX]);
/* False: emit_row() would leave the row out, as far as its record and in_table say, so its values need not be computed. */
bool emit_takes(const struct emitter *emitter, const struct row *row);
/* Copies the row and its texts. */
void emit_row(struct emitter *emitter, const struct row *row);
/* Emits a row of a value for each column, in their order, to records and to the table. */
void emit_values(struct emitter *emitter, const struct value *values);
/* Ends a group of rows, a sample, with a line above the table (NULL: none), and writes it.  False: as output_flush(). */
bool emit_sample(struct emitter *emitter, const char *caption);

/* Size of a row in a table, which has values for its own columns only. */
size_t table_row_bytes(const struct table *table);
struct row *table_row(const struct table *table, size_t r);
void table_print(struct table *table, const char *caption);

/*
 * A row for people as a paragraph: its first column as a heading, and below it a line for each other value that is given, under the
 * names of CSV and JSON.
 */
void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row);

/* Sentences on a page: broken between words so that they fit the window, even a narrow one. */

enum { PAGE_NARROW = 60 }; /* below this width, elements that are normally side by side are below each other */

struct page {
	struct output *out; /* not owned */
	unsigned start;     /* the column where lines begin */
	unsigned width;     /* of the window, within limits */
	unsigned column;    /* of the next word; 0: a line has not begun */
};

struct page page_of(struct output *out, unsigned start);
/* Leaves the rest of the line empty, and goes to the start of the next. */
void page_next_line(struct page *page);
/* Prints the words of a text from anywhere, through unc_text_show(), with a blank before the first if the line is not empty. */
void page_words(struct page *page, const char *fmt, ...) UNC_PRINTF(2, 3);
/* Prints lines from the page's start on: a label of that width and a blank, if it is not 0, and beside them the words of a text. */
void page_labelled(struct page *page, const char *label, unsigned width, const char *fmt, ...) UNC_PRINTF(4, 5);
/* The same without a label. */
#define page_line(page, ...) page_labelled(page, "", 0, __VA_ARGS__)

#endif

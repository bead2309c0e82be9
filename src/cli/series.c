// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads CSV, JSON lines, records and the table of `reg dump` row by row. */
#define _GNU_SOURCE
#include "cli/series.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/child.h"
#include "cli/confine.h"

enum { ROOM_FIRST = 1 << 18, LINE_MAX_BYTES = 1 << 24 };

static const char record_begins[] = "uncorectl-record/";

bool series_wrong(struct series *series, const char *fmt, ...)
{
	char what[400];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	usage_error("%s: %s:%lu: %s", series->command, series->name, series->line ? series->line : 1, what);
	series->failed = true;
	return false;
}

bool series_fail(struct series *series, const char *why)
{
	usage_error("%s: %s: %s", series->command, series->name, why);
	series->failed = true;
	return false;
}

/* ---- lines ---- */

/* Reads more behind what is there.  False: there is no more, or series->failed. */
static bool read_more(struct series *series)
{
	ssize_t n;

	if (series->at)
		memmove(series->bytes, series->bytes + series->at, series->end - series->at);
	series->end -= series->at;
	series->at = 0;
	if (series->end + 1 >= series->size) {
		size_t size = series->size ? 2 * series->size : ROOM_FIRST;
		char *bytes;

		if (size > LINE_MAX_BYTES)
			return series_fail(series, "a line is too long for an output of this program");
		bytes = realloc(series->bytes, size);
		if (!bytes)
			return series_fail(series, "out of memory");
		series->bytes = bytes;
		series->size = size;
	}
	do {
		n = read(series->fd, series->bytes + series->end, series->size - series->end - 1);
	} while (n < 0 && errno == EINTR && !signals_cut_short(EINTR));
	if (n < 0)
		return series_fail(series, strerror(errno));
	series->end += (size_t)n;
	series->ended = n == 0;
	return n > 0;
}

/* Returns the next line, without its end, and its length; NULL: there is none, or series->failed. */
static char *next_line(struct series *series, size_t *ret_len)
{
	size_t seen = 0, len;
	char *line, *end;

	while (!(end = memchr(series->bytes + series->at + seen, '\n', series->end - series->at - seen))) {
		seen = series->end - series->at;
		if (series->ended || !read_more(series))
			break;
	}
	if (series->failed || (!end && series->at == series->end))
		return NULL;
	line = series->bytes + series->at;
	len = end ? (size_t)(end - line) : series->end - series->at;
	series->at += len + (end ? 1 : 0);
	series->line++;
	if (len && line[len - 1] == '\r')
		len--;
	line[len] = '\0';
	if (memchr(line, '\0', len)) {
		series_fail(series, "there is a zero byte in it: no output of this program");
		return NULL;
	}
	*ret_len = len;
	return line;
}

/* ---- columns ---- */

/* Finds or adds a column; guess: where it was in the row before.  SERIES_COLUMNS_MAX: there are too many, or no memory. */
static size_t column_of(struct series *series, const char *name, size_t len, size_t guess)
{
	size_t n = series->n_columns, at = guess < n ? guess : 0;

	for (size_t i = 0; i < n; i++, at = at + 1 < n ? at + 1 : 0)
		if (strncmp(series->columns[at], name, len) == 0 && !series->columns[at][len])
			return at;
	if (n == SERIES_COLUMNS_MAX)
		return n;
	series->columns[n] = strndup(name, len);
	if (!series->columns[n])
		return SERIES_COLUMNS_MAX;
	series->values[n] = (struct series_text){NULL, 0};
	return series->n_columns++;
}

static size_t find_column(const struct series *series, const char *column)
{
	size_t i = 0;

	while (i < series->n_columns && strcmp(series->columns[i], column) != 0)
		i++;
	return i;
}

bool series_has(const struct series *series, const char *column)
{
	return find_column(series, column) < series->n_columns;
}

const char *series_value(const struct series *series, const char *column)
{
	size_t i = find_column(series, column);

	return i < series->n_columns ? series->values[i].text : NULL;
}

static const char too_many[] = "it has more columns than any output of this program";

/* ---- CSV, RFC 4180 ---- */

/* Unquotes a field in place.  Returns what follows it, or NULL: the quote is not closed, or is followed by text. */
static char *csv_quoted(char *at, struct series_text *ret_text)
{
	char *to = at, *start = at;

	for (at++; *at && !(at[0] == '"' && at[1] != '"'); at++) {
		at += at[0] == '"';
		*to++ = *at;
	}
	if (*at++ != '"' || (*at && *at != ','))
		return NULL;
	*ret_text = (struct series_text){start, (size_t)(to - start)};
	return at;
}

static bool csv_row(struct series *series, char *line, bool header)
{
	struct series_text text;
	size_t i = 0;
	bool more = true;

	for (; more; i++) {
		char *end = line;

		if (*line == '"') {
			end = csv_quoted(line, &text);
			if (!end)
				return series_wrong(series, header ? "this is not a header of CSV"
								   : "a quote is not closed, or something follows it");
		} else {
			while (*end && *end != ',')
				end++;
			text = (struct series_text){end > line ? line : NULL, (size_t)(end - line)};
		}
		more = *end == ',';
		if (text.text)
			text.text[text.len] = '\0';
		line = end + 1;
		if (header) {
			if (!text.text || column_of(series, text.text, text.len, i) != i)
				return series_wrong(series, "this is not a header of CSV");
		} else if (i < series->n_columns) {
			series->values[i] = text;
		}
	}
	return i == series->n_columns || series_wrong(series, "it has another number of fields than the header");
}

/* ---- JSON lines ---- */

/* Returns what follows a text in quotes; NULL: it is not closed. */
static char *json_after_text(char *at)
{
	for (at++; *at && *at != '"'; at++)
		at += at[0] == '\\' && at[1];
	return *at ? at + 1 : NULL;
}

/* Reads any value; of lists and objects it only looks for their end.  Returns what follows, or NULL. */
static char *json_value(char *at, struct series_text *ret_text)
{
	unsigned depth = 0;
	char *start = at;

	if (*at == '"') {
		at = json_after_text(at);
		*ret_text = (struct series_text){start + 1, at ? (size_t)(at - start) - 2 : 0};
		return at;
	}
	while (at && *at && (depth || !strchr(",}]", *at))) {
		depth += *at == '[' || *at == '{';
		depth -= *at == ']' || *at == '}';
		at = *at == '"' ? json_after_text(at) : at + 1;
	}
	if (!at || !*start || !strchr("-0123456789tfn[{", *start))
		return NULL;
	*ret_text = (struct series_text){*start == 'n' ? NULL : start, (size_t)(at - start)};
	return at;
}

/* ["a","b"] becomes a;b, in place. */
static void json_join(struct series_text *text)
{
	char *to = text->text;

	for (const char *at = text->text; at < text->text + text->len; at++)
		if (!strchr("\"[]", *at))
			*to++ = (char)(*at == ',' ? ';' : *at);
	text->len = (size_t)(to - text->text);
}

/*
 * Reads an object as this program writes it, without blanks, ten times as fast as jansson.  False: it has another form, and the
 * line is as it was.
 */
static bool json_plain(struct series *series, char *line)
{
	size_t guess = 0;
	char *at = line;

	if (*at != '{')
		return false;
	do {
		char *name = at + 2, *end = at[1] == '"' ? json_after_text(at + 1) : NULL;
		struct series_text text;
		size_t i = SERIES_COLUMNS_MAX;

		at = end && *end == ':' ? json_value(end + 1, &text) : NULL;
		if (at)
			i = column_of(series, name, (size_t)(end - name) - 1, guess);
		if (i == SERIES_COLUMNS_MAX || series->seen[i] == series->line)
			return false;
		series->values[i] = text;
		series->seen[i] = series->line;
		guess = i + 1;
	} while (*at == ',');
	if (at[0] != '}' || at[1])
		return false;
	for (size_t i = 0; i < series->n_columns; i++) {
		struct series_text *text = &series->values[i];

		if (series->seen[i] != series->line)
			*text = (struct series_text){NULL, 0};
		if (text->text && *text->text == '[' && text->text[-1] == ':')
			json_join(text);
		if (text->text)
			text->text[text->len] = '\0';
	}
	return true;
}

/* What has blanks or escapes in it is read by jansson, and written by it as this program does. */
static bool json_row(struct series *series, char *line)
{
	json_error_t error;
	json_t *object;

	free(series->owned);
	series->owned = NULL;
	if (!strchr(line, '\\') && json_plain(series, line))
		return true;
	object = json_loads(line, 0, &error);
	if (!object)
		return series_wrong(series, "not JSON: %s", error.text);
	series->owned = json_dumps(object, JSON_COMPACT);
	json_decref(object);
	memset(series->seen, 0, sizeof(series->seen));
	return (series->owned && json_plain(series, series->owned)) || series_wrong(series, too_many);
}

/* ---- the table of `reg dump`: for each box a line with its name, one with titles, rows, and an empty line ---- */

enum { KEPT = 3 }; /* register, offset and value are only in the first row of a register */

static void table_titles(struct series *series, const char *line)
{
	const char *rest = line;

	/* Columns that would be empty are left out of a box. */
	for (series->n_cells = 0; *rest; rest += strspn(rest, " ")) {
		size_t len = strcspn(rest, " "), column;
		bool is = strncmp(rest, "is ", 3) == 0;

		column = column_of(series, is ? "field_value" : rest, is ? strlen("field_value") : len, 0);
		if (series->n_cells == SERIES_CELLS_MAX || column == SERIES_COLUMNS_MAX)
			break;
		series->cells[series->n_cells].column = column;
		series->cells[series->n_cells++].start = (size_t)(rest - line);
		rest += len;
	}
	if (*rest || !series_has(series, "register") || !series_has(series, "field_value"))
		series_wrong(series, "neither CSV nor JSON lines nor a table of `reg dump`");
}

static void table_row(struct series *series, char *line, size_t len)
{
	memset(series->values, 0, sizeof(series->values));
	series->values[0] = (struct series_text){series->place, strlen(series->place)};
	for (size_t i = 0; i < series->n_cells; i++) {
		size_t from = series->cells[i].start, to = i + 1 < series->n_cells ? series->cells[i + 1].start : len;
		struct series_text *text = &series->values[series->cells[i].column];

		to = to < len ? to : len;
		while (to > from && line[to - 1] == ' ')
			to--;
		if (to > from) {
			line[to] = '\0'; /* a blank, or the end */
			*text = (struct series_text){line + from, to - from};
		}
		if (i < KEPT && text->text)
			snprintf(series->kept[i], sizeof(series->kept[i]), "%s", text->text);
		else if (i < KEPT)
			*text = (struct series_text){series->kept[i], strlen(series->kept[i])};
	}
}

/* False: another line must be read for a row, or series->failed. */
static bool table_line(struct series *series, char *line, size_t len)
{
	if (len == 0) {
		series->place[0] = '\0';
	} else if (!series->place[0]) {
		snprintf(series->place, sizeof(series->place), "%.*s", (int)strcspn(line, " "), line);
		series->n_cells = 0;
	} else if (series->n_cells == 0) {
		table_titles(series, line);
	} else {
		table_row(series, line, len);
		return true;
	}
	return false;
}

/* ---- a row ---- */

/* Lines that begin with # are a header of CSV with the identity of the machine. */
static char *next_csv_line(struct series *series)
{
	size_t len;
	char *line;

	do {
		line = next_line(series, &len);
	} while (line && *line == '#');
	return line;
}

bool series_next(struct series *series)
{
	char *line = NULL;
	size_t len;

	if (series->peeked) {
		series->peeked = false;
		return true;
	}
	while (!series->failed && series->is_table && (line = next_line(series, &len)))
		if (table_line(series, line, len))
			return true;
	while (!series->failed && series->is_json && (line = next_line(series, &len))) {
		bool good = json_row(series, line);
		const char *record = series_value(series, "record");

		if (!good || !record || (strcmp(record, "header") != 0 && strcmp(record, "summary") != 0))
			return good;
	}
	if (!series->failed && !series->is_table && !series->is_json && (line = next_csv_line(series)))
		return csv_row(series, line, false);
	if (!series->failed)
		series_replay_end(
			series); /* its status may be that of a COMMAND: what it says is shown, and the rows count */
	return false;
}

bool series_peek(struct series *series)
{
	series->peeked = series_next(series);
	return series->peeked;
}

/* ---- open and close ---- */

/* Reads until the first line is there, or the end.  False: series->failed. */
static bool begin(struct series *series)
{
	while (read_more(series) && !memchr(series->bytes, '\n', series->end))
		;
	if (!series->failed)
		series->bytes[series->end] = '\0';
	return !series->failed;
}

int series_open(struct series *series, const struct globals *globals, const char *command, const char *path)
{
	bool standard = strcmp(path, "-") == 0;
	char *line;

	*series = (struct series){.command = command, .name = standard ? "standard input" : path, .complaints = -1};
	series->fd = standard ? STDIN_FILENO : confine_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
	if (series->fd < 0)
		series_fail(series, strerror(errno));
	else
		begin(series);
	if (!series->failed && strncmp(series->bytes, record_begins, strlen(record_begins)) == 0) {
		if (standard)
			series_fail(series, "a record is replayed, for which it needs a name; give the file");
		else if (series_replay_start(series, globals, path) && begin(series) && series->end == 0)
			series->failed = !series_replay_end(series);
	}
	if (!series->failed) {
		line = series->bytes + strspn(series->bytes, " \t");
		series->is_json = *line == '{';
		series->is_table = !series->is_json && *line != '#' && *line && !memchr(line, ',', strcspn(line, "\n"));
		if (series->is_table)
			column_of(series, "box", 3, 0);
		else if (!series->is_json && (line = next_csv_line(series)))
			csv_row(series, line, true);
	}
	return series->failed ? EXIT_USAGE : EXIT_DONE;
}

void series_close(struct series *series)
{
	if (series->fd > STDIN_FILENO)
		close(series->fd);
	series_replay_close(series);
	free(series->owned);
	free(series->bytes);
	for (size_t i = 0; i < series->n_columns; i++)
		free(series->columns[i]);
	*series = (struct series){0};
}

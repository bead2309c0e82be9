// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/reg_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

enum { BYTES_MAX = 1 << 28, COLUMNS_MAX = 32, N_NAMES = 5 };

static const char *const names[N_NAMES] = {"box", "register", "value", "field", "field_value"};

struct reader {
	const char *path; /* for messages */
	unsigned line;    /* current line, from 1 */
	struct reg_file file;
	unsigned column[COLUMNS_MAX]; /* for CSV: the name of each column; N_NAMES: one that is not used */
	unsigned n_columns;
};

static bool malformed(const struct reader *r, const char *what)
{
	usage_error("reg diff: %s:%u: %s", r->path, r->line, what);
	return false;
}

static unsigned name_number(const char *name)
{
	unsigned i = 0;

	while (i < N_NAMES && strcmp(names[i], name) != 0)
		i++;
	return i;
}

static bool add_record(struct reader *r, char *const values[N_NAMES])
{
	struct reg_record *record;
	void *more;

	for (unsigned i = 0; i < N_NAMES; i++)
		if (!values[i] || !*values[i])
			return malformed(r, "a record of registers has a box, register, value, field and field_value");
	more = unc_array_more(r->file.records, r->file.n, sizeof(*r->file.records));
	if (!more)
		return malformed(r, "out of memory");
	r->file.records = more;
	record = &r->file.records[r->file.n++];
	*record = (struct reg_record){values[0], values[1], values[2], values[3], values[4]};
	return true;
}

/*
 * Returns the next field of a line of CSV, unquoted in place, and moves *at after it; *at is NULL after the last.  NULL: a quote is
 * not closed, or is followed by text.
 */
static char *csv_field(char **at)
{
	char *from = *at, *to = from, *start = from;

	if (*from == '"') {
		for (from++; *from && !(from[0] == '"' && from[1] != '"'); from++) {
			from += from[0] == '"';
			*to++ = *from;
		}
		if (*from++ != '"' || (*from && *from != ','))
			return NULL;
	} else {
		to = from += strcspn(from, ",");
	}
	*at = *from ? from + 1 : NULL;
	*to = '\0';
	return start;
}

static bool csv_header(struct reader *r, char *line)
{
	unsigned seen = 0;

	while (line) {
		char *name = csv_field(&line);

		if (!name || r->n_columns == COLUMNS_MAX)
			return malformed(r, "this is no header of CSV");
		r->column[r->n_columns] = name_number(name);
		seen += r->column[r->n_columns++] < N_NAMES;
	}
	if (seen != N_NAMES)
		return malformed(r, "not a dump of registers: its header has no box, register, value, field and "
				    "field_value; `reg dump --format csv` or jsonl makes one");
	return true;
}

static bool csv_record(struct reader *r, char *line)
{
	char *values[N_NAMES + 1] = {NULL};
	unsigned i = 0;

	for (; line; i++) {
		char *value = csv_field(&line);

		if (!value)
			return malformed(r, "a quote is not closed, or something stands behind it");
		if (i < r->n_columns)
			values[r->column[i]] = value;
	}
	if (i != r->n_columns)
		return malformed(r, "it has another number of fields than the header");
	return add_record(r, values);
}

static char *skip_blanks(char *at)
{
	return at + strspn(at, " \t");
}

/* Reads a \u that stands for one byte, since we write no others. */
static bool json_unicode(char **from, char *ret_char)
{
	unsigned value = 0;

	for (unsigned i = 0; i < 4; i++) {
		int digit = unc_text_digit((*from)[1]);

		if (digit < 0)
			return false;
		value = value * 16 + (unsigned)digit;
		++*from;
	}
	*ret_char = (char)value;
	return value > 0 && value < 0x80;
}

/* Reads a string in place; *at is at its quote and moves after it.  NULL: it is not a string. */
static char *json_string(char **at)
{
	static const char escapes[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char *start = *at + 1, *from = start, *to = start;

	if (**at != '"')
		return NULL;
	for (; *from && *from != '"'; from++) {
		const char *escape;

		if (*from != '\\') {
			*to++ = *from;
			continue;
		}
		from++;
		escape = *from ? strchr(escapes, *from) : NULL;
		if (escape)
			*to = meant[escape - escapes];
		else if (*from != 'u' || !json_unicode(&from, to))
			return NULL;
		to++;
	}
	if (*from != '"')
		return NULL;
	*to = '\0';
	*at = from + 1;
	return start;
}

/* Skips a value that is not a string: a number, null, true, false; it is not used here.  False: it is none of these. */
static bool json_other(char **at)
{
	size_t n = strspn(*at, "+-.0123456789abcdefghijklmnopqrstuvwxyzE");

	*at += n;
	return n > 0;
}

/* Reads one flat object. */
static bool json_record(struct reader *r, char *line)
{
	char *values[N_NAMES + 1] = {NULL}, *at = skip_blanks(line), next = *at;

	if (next != '{')
		return malformed(r, "this is no JSON object");
	do {
		char *name, *value = NULL;

		at = skip_blanks(at + 1);
		name = json_string(&at);
		at = skip_blanks(at);
		if (!name || *at != ':')
			return malformed(r, "a name in quotes and a colon should stand here");
		at = skip_blanks(at + 1);
		if (*at == '"')
			value = json_string(&at);
		if (!value && !json_other(&at))
			return malformed(r, "this is no value of JSON, or not a flat object");
		values[name_number(name)] = value;
		at = skip_blanks(at);
		next = *at;
	} while (next == ',');
	if (next != '}' || *skip_blanks(at + 1))
		return malformed(r, "the JSON object does not end where the line does");
	return add_record(r, values);
}

static bool read_lines(struct reader *r)
{
	char *rest = r->file.text, *line;
	bool json = *skip_blanks(rest) == '{', good = true;

	while (good && (line = unc_text_cut(&rest, '\n'))) {
		size_t len = strlen(line);

		if (len == 0 && !rest)
			break; /* after the last line */
		r->line++;
		if (len && line[len - 1] == '\r')
			line[--len] = '\0';
		if (json)
			good = json_record(r, line);
		else
			good = r->line == 1 ? csv_header(r, line) : csv_record(r, line);
	}
	return good;
}

static bool failed(const char *name, const char *why)
{
	usage_error("reg diff: %s: %s", name, why);
	return false;
}

static bool slurp(FILE *file, const char *name, char **ret_text)
{
	size_t size = 0, len = 0, n = 0;
	char *text = NULL, *more;

	do {
		len += n;
		if (len + 1 >= size) {
			size = size ? 2 * size : 65536;
			more = size > BYTES_MAX ? NULL : realloc(text, size);
			if (!more) {
				free(text);
				return failed(name, size > BYTES_MAX ? "too long for a dump" : "out of memory");
			}
			text = more;
		}
		n = fread(text + len, 1, size - len - 1, file);
	} while (n > 0);
	if (ferror(file)) {
		free(text);
		return failed(name, strerror(errno));
	}
	text[len] = '\0';
	if (strlen(text) != len) {
		free(text);
		return failed(name, "there is a zero byte in it: no dump");
	}
	*ret_text = text;
	return true;
}

bool reg_file_read(const char *path, struct reg_file *ret_file)
{
	bool standard = strcmp(path, "-") == 0, good;
	struct reader r = {.path = standard ? "standard input" : path};
	FILE *file = standard ? stdin : fopen(path, "re");

	if (!file)
		return failed(path, strerror(errno));
	good = slurp(file, r.path, &r.file.text);
	if (!standard)
		fclose(file);
	good = good && read_lines(&r);
	if (good && r.file.n == 0) {
		r.line = r.line ? r.line : 1;
		good = malformed(&r, "there is no record in it");
	}
	if (good)
		*ret_file = r.file;
	else
		reg_file_clear(&r.file);
	return good;
}

void reg_file_clear(struct reg_file *file)
{
	free(file->text);
	free(file->records);
	*file = (struct reg_file){0};
}

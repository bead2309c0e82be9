// SPDX-License-Identifier: GPL-2.0-or-later
/* Output of data: the buffer, JSON, and the emitter, which writes rows as CSV, JSON lines or a table. */
#define _GNU_SOURCE
#include "cli/emit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/number.h"
#include "cli/child.h"

void output_on(struct output *out, int fd)
{
	*out = (struct output){.fd = fd, .name = fd == STDOUT_FILENO ? "standard output" : "standard error"};
	out->terminal = isatty(fd) == 1;
}

int output_open(struct output *out, const struct globals *globals, const char *path, int fd)
{
	*out = (struct output){.fd = -1};
	if (path && strcmp(path, "-") == 0) {
		path = NULL;
		fd = STDOUT_FILENO;
	}
	if (!path && fd == STDOUT_FILENO && globals->stdout_closed)
		return refuse(EXIT_FAILED, "standard output: closed; use -o FILE");
	if (!path) {
		output_on(out, fd);
		return EXIT_DONE;
	}
	fd = confine_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (fd < 0) {
		if (!signals_cut_short(errno))
			say("-o %s: %s", path, strerror(errno));
		return EXIT_FAILED;
	}
	*out = (struct output){.fd = fd, .name = path, .ours = true, .terminal = isatty(fd) == 1};
	return EXIT_DONE;
}

void output_append(struct output *out, const char *bytes, size_t len)
{
	size_t size = out->size ? out->size : 4096;
	char *text;

	if (out->failed)
		return;
	while (size - out->len < len)
		size *= 2;
	if (size != out->size) {
		text = realloc(out->text, size);
		if (!text) {
			say("out of memory");
			out->failed = true;
			return;
		}
		out->text = text;
		out->size = size;
	}
	memcpy(out->text + out->len, bytes, len);
	out->len += len;
}

static size_t line_ends(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

void output_printf(struct output *out, const char *fmt, ...)
{
	size_t n_fmt = strlen(fmt), first = strspn(fmt, "\n"), last = 0;
	char text[1024];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (n <= 0)
		return;
	if ((size_t)n < sizeof(text) && line_ends(text) == line_ends(fmt)) {
		for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
			output_shown(out, line);
			output_append(out, "\n", rest ? 1 : 0);
		}
		return;
	}
	/* If an argument contained a line end, or the text is cut, only the line ends around the text are known to be ours. */
	while (last < n_fmt - first && fmt[n_fmt - 1 - last] == '\n')
		last++;
	if ((size_t)n < sizeof(text))
		text[(size_t)n - last] = '\0';
	output_append(out, text, first);
	output_shown(out, text + first);
	output_append(out, fmt + n_fmt - last, last);
}

void output_shown(struct output *out, const char *text)
{
	char piece[UNC_TEXT_PIECE];

	while (*text) {
		size_t len = 0;

		while (text[len] >= ' ' && text[len] <= '~')
			len++;
		output_append(out, text, len);
		text += len;
		if (*text)
			output_append(out, piece, unc_text_show_next(&text, piece));
	}
}

void output_text(struct output *out, const char *text)
{
	output_append(out, text, strlen(text));
}

void output_u64(struct output *out, uint64_t number)
{
	char digits[20]; /* 2^64 - 1 has 20 digits */
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	output_append(out, digits + at, sizeof(digits) - at);
}

/* How much of a text is written as it is, in JSON as in a page. */
static size_t plain_length(const char *text)
{
	size_t len = 0;

	while (text[len] >= ' ' && text[len] <= '~' && text[len] != '"' && text[len] != '\\' && text[len] != '<')
		len++;
	return len;
}

void json_quote(struct json *json, const char *text)
{
	struct output *out = json->out;

	output_append(out, "\"", 1);
	while (*text) {
		char piece[UNC_TEXT_PIECE];
		size_t plain = plain_length(text), len;
		const char *at = text + plain, *next = at;
		uint32_t code;
		bool shown;

		output_append(out, text, plain);
		text = at;
		if (!*text)
			break;
		code = unc_text_next(&next);
		len = unc_text_show_next(&text, piece);
		shown = len == (size_t)(text - at);

		if (code == '"' || code == '\\')
			output_append(out, "\\", 1);
		if (shown && !(json->in_page && code == '<'))
			output_append(out, at, len);
		else if (code == '\n')
			output_append(out, "\\n", 2);
		else if (!json->in_page && code > UINT16_MAX && code != UNC_TEXT_ILL) /* RFC 8259, 7: two surrogates */
			output_printf(out, "\\u%04x\\u%04x", 0xd7c0 + (unsigned)(code >> 10),
				      0xdc00 + (unsigned)(code & 0x3ff));
		else if (shown || !json->in_page)
			output_printf(out, "\\u%04x", code == UNC_TEXT_ILL ? 0xfffd : (unsigned)code);
		for (size_t i = 0; !shown && json->in_page && code != '\n' && i < len; i += strlen("\\x1b")) {
			output_append(out, "\\", 1);
			output_append(out, piece + i, strlen("\\x1b"));
		}
	}
	output_append(out, "\"", 1);
}

void json_key(struct json *json, const char *key)
{
	bool first = !json->more;

	json->more = true;
	if (!key) {
		output_append(json->out, ",", first ? 0 : 1);
		return;
	}
	if (json->comments) {
		output_append(json->out, "\n", first ? 0 : 1);
		output_append(json->out, "# ", 2);
		output_text(json->out, key);
		output_append(json->out, ": ", 2);
		return;
	}
	output_append(json->out, first ? "\"" : ",\"", first ? 1 : 2);
	output_text(json->out, key);
	output_append(json->out, "\":", 2);
}

void json_begin(struct json *json, const char *key, char bracket)
{
	json_key(json, key);
	output_append(json->out, &bracket, 1);
	json->more = false;
}

void json_end(struct json *json, char bracket)
{
	output_append(json->out, &bracket, 1);
	json->more = true;
}

void json_put_text(struct json *json, const char *key, const char *text)
{
	json_key(json, key);
	if (text && *text)
		json_quote(json, text);
	else
		output_append(json->out, "null", 4);
}

void json_put_u64(struct json *json, const char *key, uint64_t number)
{
	json_key(json, key);
	output_u64(json->out, number);
}

void json_put_real(struct json *json, const char *key, double number)
{
	json_key(json, key);
	if (isfinite(number))
		output_printf(json->out, "%.15g", number);
	else
		output_append(json->out, "null", 4);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
	json_key(json, key);
	output_text(json->out, value ? "true" : "false");
}

static void output_rounded(struct output *out, double number)
{
	double most = 9007199254740992.0; /* 2^53: below it the digits after the point are exact */
	uint64_t whole;
	double rest;

	if (!(number >= 0 && number < most) || signbit(number)) {
		output_printf(out, "%.0f", number);
		return;
	}
	whole = (uint64_t)number;
	rest = number - (double)whole;
	if (rest > 0.5 || (rest == 0.5 && whole % 2))
		whole++;
	output_u64(out, whole);
}

char *output_take(struct output *out)
{
	output_append(out, "", 1);
	if (!out->failed)
		return out->text;
	free(out->text);
	return NULL;
}

/* Returns true if that is no failure. */
static bool fail(struct output *out, int error)
{
	out->gone |= !out->failed && error == EPIPE && out->fd == STDOUT_FILENO; /* as with `| head`: no failure */
	if (!out->failed && !out->gone)
		say("%s: %s%s", out->name, strerror(error),
		    error == EPIPE ? ": its reader has gone" : "; not all data was written");
	out->failed = true;
	return out->gone;
}

bool output_flush(struct output *out)
{
	size_t done = 0;

	while (done < out->len && !out->failed) {
		ssize_t n = write(out->fd, out->text + done, out->len - done);

		/* A reader that does not read must not keep this process from ending. */
		if (n < 0 && signals_cut_short(errno)) {
			out->failed = true;
			break;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(out, errno);
		done += (size_t)n;
	}
	out->len = 0;
	return !out->failed || out->gone;
}

bool output_end_sample(struct output *out)
{
	uint64_t now;

	if (out->more)
		return true;
	if (out->gather_ns == 0 || out->terminal || out->failed)
		return output_flush(out);
	now = unc_os_now_ns(UNC_CLOCK_MONO);
	if (now - out->written_ns < out->gather_ns)
		return true;
	out->written_ns = now;
	return output_flush(out);
}

bool output_close(struct output *out)
{
	bool good = output_flush(out);

	if (out->ours && close(out->fd) != 0)
		good = fail(out, errno);
	free(out->text);
	out->text = NULL;
	return good;
}

int output_end(struct output *out, int status)
{
	bool good = !out->name || output_close(out) || signals_were_cut_short();

	return good || status != EXIT_DONE ? status : EXIT_FAILED;
}

struct window output_window(const struct output *out)
{
	struct window window = {80, 24};
	struct winsize size;

	if (ioctl(out->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
		window.columns = size.ws_col;
		window.rows = size.ws_row;
	}
	return window;
}

struct value text_value(const char *text)
{
	return (struct value){.given = text && *text, .text = text};
}

struct value number_value(uint64_t number)
{
	return (struct value){.given = true, .number = number};
}

struct value number_if(bool given, uint64_t number)
{
	return given ? number_value(number) : no_value(NULL);
}

struct value signed_value(int64_t difference)
{
	return (struct value){.given = true, .difference = difference};
}

struct value rate_value(double rate)
{
	return (struct value){.given = true, .rate = rate};
}

struct value amount_value(double number, const char *unit)
{
	return (struct value){.given = true, .amount = {number, unit}};
}

struct value share_value(double share)
{
	return amount_value((double)(uint64_t)(share * 1e4 + 0.5) / 100, "%");
}

struct value hex_value(uint64_t number, unsigned digits)
{
	return (struct value){.given = true, .hex = {number, digits}};
}

struct value uncertainty_value(double percent)
{
	uint64_t parts = (uint64_t)(percent * 1e4);

	/* Rounding errors of binary arithmetic must not round it up. */
	parts += percent * 1e4 > (double)parts + 1e-6;
	return amount_value((double)parts / 1e4, NULL);
}

struct value no_value(const char *instead)
{
	return (struct value){.instead = instead};
}

void emitter_init(struct emitter *emitter, enum format format, const struct column *columns, size_t n_columns,
		  struct output *out, bool live)
{
	/* Only the bars need a locale; numbers are not affected.  It is set as late as possible, since it reads several files. */
	if (format == FORMAT_TABLE)
		setlocale(LC_CTYPE, "");
	*emitter = (struct emitter){
		.format = format,
		.table = {.columns = columns, .n_columns = n_columns, .out = out, .live = live && out->terminal},
	};
}

static bool is_text(const struct column *column)
{
	return column->type == COLUMN_TEXT || column->type == COLUMN_FLAGS;
}

void emitter_set_view(struct emitter *emitter, const struct view *view)
{
	emitter->table.view = view;
}

/* Frees the rows of a table from this one on, and the copies of their texts. */
static void drop_rows(struct table *table, size_t first)
{
	for (size_t r = first; r < table->n_rows; r++)
		for (size_t i = 0; i < table->n_columns; i++)
			if (is_text(&table->columns[i]) && table_row(table, r)->values[i].given)
				free((char *)table_row(table, r)->values[i].text);
	if (table->n_rows > first)
		table->n_rows = first;
}

void emitter_clear(struct emitter *emitter)
{
	drop_rows(&emitter->table, 0);
	free(emitter->table.rows);
	emitter->table.rows = NULL;
}

static bool is_flat(const struct emitter *emitter)
{
	return emitter->table.view && view_is_flat(emitter->table.view);
}

bool emit_takes(const struct emitter *emitter, const struct row *row)
{
	if (is_flat(emitter))
		return row->record;
	return emitter->format == FORMAT_TABLE ? row->in_table : row->record;
}

/* RFC 4180: a text is quoted if it contains a separator or a quote; texts that are shown have no line ends. */
static void csv_text(struct output *out, const char *text)
{
	size_t plain = 0;

	/* As fast as possible, since every row has its box, its address and flags. */
	while (text[plain] >= ' ' && text[plain] <= '~' && text[plain] != ',' && text[plain] != '"')
		plain++;
	if (!text[plain]) {
		output_append(out, text, plain);
		return;
	}
	if (!strpbrk(text, ",\"\r\n")) {
		output_shown(out, text);
		return;
	}
	output_append(out, "\"", 1);
	while (*text) {
		char piece[UNC_TEXT_PIECE];
		size_t len = unc_text_show_next(&text, piece);

		if (piece[0] == '"')
			output_append(out, piece, len);
		output_append(out, piece, len);
	}
	output_append(out, "\"", 1);
}

/* Writes the same digits as number_exact() in a fraction of the time, if the amount has at most four decimals. */
static bool few_decimals(struct output *out, double amount)
{
	char decimals[] = ".0000";
	size_t len = sizeof(decimals) - 1;
	uint64_t parts;

	if (!(amount >= 0 && amount < 1e11)) /* with more than 15 digits they may be those of another number, too */
		return false;
	parts = (uint64_t)(amount * 1e4 + 0.5);
	if ((double)parts / 1e4 != amount)
		return false;
	output_u64(out, parts / 10000);
	for (size_t i = len - 1; i > 0; i--) {
		decimals[i] = (char)('0' + parts % 10);
		parts /= 10;
	}
	while (decimals[len - 1] == '0')
		len--;
	output_append(out, decimals, len == 1 ? 0 : len);
	return true;
}

static void number(struct output *out, const struct column *column, const struct value *value)
{
	char text[NUMBER_TEXT_MAX];

	switch (column->type) {
	case COLUMN_RATE:
		output_rounded(out, value->rate);
		break;
	case COLUMN_BOOL:
		output_text(out, value->number ? "true" : "false");
		break;
	case COLUMN_HEX:
		output_text(out, number_hex(value->hex.number, value->hex.digits, text));
		break;
	case COLUMN_SIGNED:
		output_append(out, "-", value->difference < 0 ? 1 : 0);
		output_u64(out, number_distance(value->difference));
		break;
	case COLUMN_AMOUNT:
		if (!few_decimals(out, value->amount.number))
			output_text(out, number_exact(value->amount.number, text));
		break;
	default:
		output_u64(out, value->number);
	}
}

/* Words of ours that are joined by ";", as an array. */
static void json_words(struct output *out, const char *words)
{
	output_append(out, "[", 1);
	while (*words) {
		size_t len = strcspn(words, ";");

		output_append(out, "\"", 1);
		output_append(out, words, len);
		words += len;
		output_append(out, "\",", *words ? 2 : 1);
		words += *words == ';';
	}
	output_append(out, "]", 1);
}

/* Readers of JSON whose numbers are doubles have every integer up to here. */
static const uint64_t EXACT_MAX = UINT64_C(1) << 53;

/* Writes a row as CSV or as a line of JSON; row NULL: the names of the columns. */
static void write_row(struct emitter *emitter, const struct row *row)
{
	bool is_json = emitter->format == FORMAT_JSONL;
	struct output *out = emitter->table.out;
	struct json json = {.out = out};
	const char *separator = "";
	char digits[NUMBER_TEXT_MAX];
	bool big = is_json && emitter->table.view && emitter->table.view->big;

	output_append(out, "{", is_json ? 1 : 0);
	if (is_json && emitter->record)
		json_put_text(&json, "record", emitter->record);
	for (size_t i = 0; i < emitter->table.n_columns; i++) {
		const struct column *column = &emitter->table.columns[i];
		const struct value *value = row ? &row->values[i] : NULL;

		if (!column->name)
			continue;
		if (is_json)
			json_key(&json, column->name);
		else
			output_text(out, separator);
		separator = ",";
		if (!value)
			output_text(out, column->name);
		else if (column->type == COLUMN_FLAGS && is_json)
			json_words(out, value->given ? value->text : "");
		else if (!value->given)
			output_text(out, is_json ? "null" : "");
		else if (is_text(column) && !is_json)
			csv_text(out, value->text);
		else if (column->type == COLUMN_TEXT)
			json_quote(&json, value->text);
		else if (big && (column->type == COLUMN_NUMBER || column->type == COLUMN_COUNT) &&
			 value->number > EXACT_MAX)
			output_printf(out, "\"%" PRIu64 "\"", value->number);
		else if (column->type == COLUMN_HEX && is_json)
			json_quote(&json, number_hex(value->hex.number, value->hex.digits, digits));
		else
			number(out, column, value);
	}
	output_text(out, is_json ? "}\n" : "\n");
}

/* A table is printed when its sample ends: until then it keeps its rows, with copies of their texts.  False: out of memory. */
static bool keep_row(struct table *table, const struct row *row)
{
	void *rows = unc_array_more(table->rows, table->n_rows, table_row_bytes(table));
	struct row *kept;

	if (!rows)
		return false;
	table->rows = rows;
	kept = table_row(table, table->n_rows++);
	memcpy(kept, row, table_row_bytes(table));
	for (size_t i = 0; i < table->n_columns; i++) {
		struct value *value = &kept->values[i];

		if (!is_text(&table->columns[i]) || !value->given)
			continue;
		value->text = unc_text_dup(value->text);
		value->given = value->text != NULL;
		if (!value->given)
			return false;
	}
	return true;
}

/* The first one of CSV comes after the names of the columns. */
static void write_record(struct emitter *emitter, const struct row *row)
{
	if (emitter->format == FORMAT_CSV && !emitter->headed)
		write_row(emitter, NULL);
	emitter->headed = true;
	write_row(emitter, row);
}

void emit_row(struct emitter *emitter, const struct row *row)
{
	struct output *out = emitter->table.out;

	if (!emit_takes(emitter, row) || out->failed)
		return;
	if (emitter->format == FORMAT_DETAILS) {
		details_print(out, emitter->table.columns, emitter->table.n_columns, row);
	} else if (emitter->format == FORMAT_TABLE || is_flat(emitter)) {
		out->failed = !keep_row(&emitter->table, row);
		if (out->failed)
			say("out of memory");
	} else {
		write_record(emitter, row);
	}
}

void emit_values(struct emitter *emitter, const struct value *values)
{
	struct row row = {.record = true, .in_table = true};

	memcpy(row.values, values, emitter->table.n_columns * sizeof(*values));
	emit_row(emitter, &row);
}

/* Numbers from the highest down, texts by the alphabet, and in the end what has no value. */
static int compare_rows(const void *a, const void *b, void *arg)
{
	const struct table *table = arg;
	size_t i = table->view->sort_column;
	const struct value *first = &((const struct row *)a)->values[i], *second = &((const struct row *)b)->values[i];
	double numbers[2];

	if (!first->given || !second->given)
		return (int)second->given - (int)first->given;
	if (is_text(&table->columns[i]))
		return strverscmp(first->text, second->text);
	for (unsigned k = 0; k < 2; k++) {
		const struct value *value = k ? second : first;

		switch (table->columns[i].type) {
		case COLUMN_RATE:
			numbers[k] = value->rate;
			break;
		case COLUMN_AMOUNT:
			numbers[k] = value->amount.number;
			break;
		case COLUMN_SIGNED:
			numbers[k] = (double)value->difference;
			break;
		default: /* a hexadecimal number begins with its number, too */
			numbers[k] = (double)value->number;
		}
	}
	return (numbers[0] < numbers[1]) - (numbers[0] > numbers[1]);
}

/* Sorts the rows that were kept, and leaves those that are wanted. */
static void arrange(struct table *table)
{
	const struct view *view = table->view;

	for (size_t r = 0; r < table->n_rows; r++)
		table_row(table, r)->headline = table_row(table, r)->detail = false;
	if (view->sort && table->n_rows)
		qsort_r(table->rows, table->n_rows, table_row_bytes(table), compare_rows, table);
	table->n_hidden = view->top && view->top < table->n_rows ? table->n_rows - (size_t)view->top : 0;
	drop_rows(table, table->n_rows - table->n_hidden);
}

bool emit_sample(struct emitter *emitter, const char *caption)
{
	struct table *table = &emitter->table;

	if (is_flat(emitter))
		arrange(table);
	for (size_t r = 0; emitter->format != FORMAT_TABLE && r < table->n_rows; r++)
		write_record(emitter, table_row(table, r));
	if (emitter->format == FORMAT_TABLE)
		table_print(table, caption);
	drop_rows(table, 0);
	return output_end_sample(emitter->table.out);
}

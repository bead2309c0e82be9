// SPDX-License-Identifier: GPL-2.0-or-later
/* The emitter: it writes rows as CSV, JSON lines or a table. */
#define _GNU_SOURCE
#include "cli/emit.h"

#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/metrics.h"
#include "cli/number.h"

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
	if (emitter->metrics) {
		metrics_take(emitter->metrics, row);
	} else if (emitter->format == FORMAT_DETAILS) {
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
static int compare_values(const struct table *table, const struct row *a, const struct row *b)
{
	size_t i = table->view->sort_column;
	const struct value *first = &a->values[i], *second = &b->values[i];
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

/* Equal ones stay as they were; not every C library sorts so. */
static int compare_rows(const void *a, const void *b, void *table)
{
	const struct row *first = a, *second = b;
	int by = compare_values(table, first, second);

	return by ? by : unc_order(first->place, second->place);
}

/* Sorts the rows that were kept, and leaves those that are wanted. */
static void arrange(struct table *table)
{
	const struct view *view = table->view;

	for (size_t r = 0; r < table->n_rows; r++) {
		table_row(table, r)->headline = table_row(table, r)->detail = false;
		table_row(table, r)->place = r;
	}
	if (view->sort && table->n_rows)
		qsort_r(table->rows, table->n_rows, table_row_bytes(table), compare_rows, table);
	table->n_hidden = view->top && view->top < table->n_rows ? table->n_rows - (size_t)view->top : 0;
	drop_rows(table, table->n_rows - table->n_hidden);
}

bool emit_sample(struct emitter *emitter, const char *caption)
{
	struct table *table = &emitter->table;

	if (emitter->metrics) {
		metrics_end(emitter->metrics->metrics, true);
		if (table->out->replaced)
			table->out->len = 0;
		metrics_write(emitter->metrics->metrics, emitter->format == FORMAT_OPENMETRICS, table->out);
	}
	if (is_flat(emitter))
		arrange(table);
	for (size_t r = 0; emitter->format != FORMAT_TABLE && r < table->n_rows; r++)
		write_record(emitter, table_row(table, r));
	if (emitter->format == FORMAT_TABLE)
		table_print(table, caption);
	drop_rows(table, 0);
	return output_end_sample(emitter->table.out);
}

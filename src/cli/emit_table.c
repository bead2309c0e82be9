// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of the emitter, and sentences that fit the window. */
#define _GNU_SOURCE
#include "cli/emit.h"

#include <inttypes.h>
#include <langinfo.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/number.h"

enum { NARROWEST = 30, WIDEST = 120 };

void page_next_line(struct page *page)
{
	output_printf(page->out, "\n%*s", (int)page->start, "");
	page->column = page->start;
}

/* The length of the first piece of a word that is longer than a line, preferably up to a joint of a path or a number. */
static size_t piece_of(const char *word, size_t len, size_t room)
{
	size_t end = room;

	if (len <= room)
		return len;
	while (end > 1 && (word[end] & 0xc0) == 0x80) /* not within a UTF-8 character */
		end--;
	room = end;
	while (end > room / 2 && !strchr("/-:,.", word[end - 1]))
		end--;
	return end > room / 2 ? end : room;
}

static void put_words(struct page *page, const char *fmt, va_list args)
{
	size_t room = page->width - page->start;
	char *given = NULL, *shown = NULL, *text;
	int n = vasprintf(&given, fmt, args);

	if (n >= 0)
		shown = malloc(4 * (size_t)n + 1);
	if (shown)
		unc_text_show(given, shown, 4 * (size_t)n + 1);
	if (n >= 0)
		free(given);
	if (!shown) {
		say("out of memory");
		page->out->failed = true;
		return;
	}
	text = shown;
	if (page->column == 0) {
		output_printf(page->out, "%*s", (int)page->start, "");
		page->column = page->start;
	}
	while (*text) {
		size_t len = strcspn(text, " ");

		if (page->column > page->start && page->column + 1 + len > page->width) {
			page_next_line(page);
		} else if (page->column > page->start) {
			output_append(page->out, " ", 1);
			page->column++;
		}
		while (len) {
			size_t piece = piece_of(text, len, room);

			if (page->column > page->start && piece > page->width - page->column)
				page_next_line(page);
			output_append(page->out, text, piece);
			page->column += (unsigned)piece;
			text += piece;
			len -= piece;
			if (len)
				page_next_line(page);
		}
		text += strspn(text, " ");
	}
	free(shown);
}

void page_words(struct page *page, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	put_words(page, fmt, args);
	va_end(args);
}

void page_labelled(struct page *page, const char *label, unsigned width, const char *fmt, ...)
{
	struct page beside = *page;
	va_list args;

	beside.start += width ? width + 1 : 0;
	beside.column = beside.start;
	output_printf(page->out, "%*s%-*s%s", (int)page->start, "", (int)width, label, width ? " " : "");
	va_start(args, fmt);
	put_words(&beside, fmt, args);
	va_end(args);
	output_text(page->out, "\n");
}

struct page page_of(struct output *out, unsigned start)
{
	unsigned columns = output_window(out).columns;

	columns = columns < NARROWEST ? NARROWEST : columns;
	return (struct page){.out = out, .start = start, .width = columns > WIDEST ? WIDEST : columns};
}

enum { GAP = 2, BAR_MIN = 10, BAR_MAX = 40, CELL_MAX = 400, WIDTH_UNLIMITED = 1000 };
enum { CLOCK_WIDTH = 16, DROP_PRIORITY_MAX = 4, CUT_MIN = 24, SHORT_MIN = 12 };

/* The units that an option chooses. */
static const struct unit chosen_units[] = {[UNIT_MB] = {"MB", "MB/s", 1e6},
					   [UNIT_GB] = {"GB", "GB/s", 1e9},
					   [UNIT_MIB] = {"MiB", "MiB/s", 1048576},
					   [UNIT_GIB] = {"GiB", "GiB/s", 1073741824}};

const struct unit *view_unit(const struct view *view)
{
	unsigned usual = view->bytes_per_s >= chosen_units[UNIT_GB].scale ? UNIT_GB : UNIT_MB;

	return &chosen_units[view->unit == UNIT_AUTO ? usual : view->unit];
}

/* All amounts of one of these units have one scale, so that rows can be compared at a glance. */
static const char *const scaled_units[] = {"bytes", "bytes/s"};
enum { SCALED_UNITS = sizeof(scaled_units) / sizeof(scaled_units[0]) };

struct layout {
	unsigned width[EMIT_COLUMNS_MAX]; /* 0: the column is not shown */
	unsigned limit;                   /* columns of the window; text beyond it is cut */
	bool details;
	double busy;     /* if there is no room for all details, only for those that are at least so busy */
	size_t n_hidden; /* details that are not shown */
	unsigned lines;  /* lines that fit in the window; 0: all of them do */
	unsigned unit;   /* enum view_unit of rates, never UNIT_AUTO: all have one, for the same reason */
	bool chosen;     /* amounts of bytes have that unit, too */
	double amount_scale[SCALED_UNITS];
	bool utf8;
};

size_t table_row_bytes(const struct table *table)
{
	return offsetof(struct row, values) + table->n_columns * sizeof(struct value);
}

struct row *table_row(const struct table *table, size_t r)
{
	return (struct row *)(void *)(table->rows + r * table_row_bytes(table));
}

static bool right_aligned(const struct column *column)
{
	return column->type != COLUMN_TEXT && column->type != COLUMN_FLAGS && column->type != COLUMN_HEX &&
	       column->type != COLUMN_BAR;
}

static void amount_text(const struct layout *layout, const struct amount *amount, char cell[CELL_MAX])
{
	double scale = chosen_units[layout->unit].scale;
	unsigned i = 0;

	while (amount->unit && i < SCALED_UNITS && strcmp(scaled_units[i], amount->unit) != 0)
		i++;
	if (layout->chosen && amount->unit && i < SCALED_UNITS)
		number_with_unit(amount->number / scale,
				 i == 0 ? chosen_units[layout->unit].name : chosen_units[layout->unit].per_s, 1, cell);
	else if (layout->chosen && amount->unit && strcmp(amount->unit, "MiB") == 0)
		number_with_unit(amount->number * chosen_units[UNIT_MIB].scale / scale, chosen_units[layout->unit].name,
				 1, cell);
	else if (amount->unit)
		number_with_unit(
			amount->number, amount->unit,
			i < SCALED_UNITS ? layout->amount_scale[i] : number_scale(amount->number, amount->unit), cell);
	else
		number_with_unit(amount->number, NULL, 1, cell);
}

static void cell_text(const struct layout *layout, const struct column *column, const struct value *value,
		      char cell[CELL_MAX])
{
	double unit = chosen_units[layout->unit].scale;

	if (!value->given)
		snprintf(cell, CELL_MAX, "%s", value->instead ? value->instead : right_aligned(column) ? "-" : "");
	else if (column->type == COLUMN_TEXT || column->type == COLUMN_FLAGS)
		unc_text_show(value->text, cell, CELL_MAX);
	else if (column->type == COLUMN_BOOL)
		snprintf(cell, CELL_MAX, "%s", value->number ? "true" : "false");
	else if (column->type == COLUMN_HEX)
		number_hex(value->hex.number, value->hex.digits, cell);
	else if (column->type == COLUMN_COUNT)
		number_grouped(value->number, cell);
	else if (column->type == COLUMN_SIGNED)
		number_signed(value->difference, cell);
	else if (column->type == COLUMN_AMOUNT)
		amount_text(layout, &value->amount, cell);
	else if (column->type == COLUMN_NUMBER)
		snprintf(cell, CELL_MAX, "%" PRIu64, value->number);
	else if (column->type == COLUMN_RATE)
		snprintf(cell, CELL_MAX, unit < 1e9 ? "%.1f" : "%.3f", value->rate / unit);
	else
		cell[0] = '\0';
}

static void title_text(const struct layout *layout, const struct column *column, char cell[CELL_MAX])
{
	snprintf(cell, CELL_MAX, column->type == COLUMN_RATE ? "%s %s" : "%s", column->title,
		 chosen_units[layout->unit].per_s);
}

static bool begins_character(char c)
{
	return (c & 0xc0) != 0x80; /* not a continuation byte of UTF-8 */
}

static unsigned columns_of(const char *text)
{
	unsigned columns = 0;

	for (; *text; text++)
		columns += begins_character(*text);
	return columns;
}

static unsigned column_width(const struct table *table, const struct layout *layout, size_t i)
{
	const struct column *column = &table->columns[i];
	char cell[CELL_MAX];
	unsigned width;
	bool any = column->type == COLUMN_NUMBER || column->type == COLUMN_RATE;

	if (!column->title)
		return 0;
	if (column->type == COLUMN_BAR) {
		for (size_t r = 0; table->out->terminal && r < table->n_rows; r++)
			any |= table_row(table, r)->values[i].given;
		return any ? BAR_MIN : 0;
	}
	title_text(layout, column, cell);
	width = columns_of(cell);
	/* The column keeps its width while rates change. */
	if ((column->type == COLUMN_RATE || column->type == COLUMN_AMOUNT) && width < 10)
		width = 10;
	for (size_t r = 0; r < table->n_rows; r++) {
		cell_text(layout, column, &table_row(table, r)->values[i], cell);
		any |= cell[0] != '\0';
		if (columns_of(cell) > width)
			width = columns_of(cell);
	}
	return any ? width : 0; /* 0: no row has a value in the column */
}

static unsigned total_width(const struct table *table, const struct layout *layout)
{
	unsigned total = 0;

	for (size_t i = 0; i < table->n_columns; i++)
		if (layout->width[i])
			total += layout->width[i] + (total ? GAP : 0);
	return total;
}

/* The width with all texts that may be cut at their shortest. */
static unsigned needed_width(const struct table *table, const struct layout *layout)
{
	unsigned width = total_width(table, layout);

	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].drop_priority == COLUMN_CUT && layout->width[i] > CUT_MIN)
			width -= layout->width[i] - CUT_MIN;
	return width;
}

static bool is_hidden(const struct layout *layout, const struct row *row)
{
	return row->detail && !layout->details && !(layout->busy > 0 && row->busy >= layout->busy);
}

static unsigned height(const struct table *table, const struct layout *layout)
{
	unsigned lines = 2 + (table->n_hidden > 0); /* titles, and the line of the cursor below */

	for (size_t r = 0; r < table->n_rows; r++)
		if (!is_hidden(layout, table_row(table, r)))
			lines += table_row(table, r)->headline && layout->details ? 2 : 1;
	return lines;
}

/* Finds the busiest details for which there is room: as many as fit, one after the other. */
static void choose_details(const struct table *table, unsigned room, struct layout *layout)
{
	for (;;) {
		double before = layout->busy, next = 0;

		for (size_t r = 0; r < table->n_rows; r++) {
			const struct row *row = table_row(table, r);

			if (row->detail && row->busy > next && (before == 0 || row->busy < before))
				next = row->busy;
		}
		if (next == 0)
			break;
		layout->busy = next;
		if (height(table, layout) > room) {
			layout->busy = before;
			break;
		}
	}
	for (size_t r = 0; r < table->n_rows; r++)
		layout->n_hidden += is_hidden(layout, table_row(table, r));
}

/*
 * The units that a run has from its first table on: of what could be moved, or where that is not known of what that table has.
 */
static void choose_units(struct table *table, struct layout *layout)
{
	double rate = table->view ? table->view->bytes_per_s : 0, most[SCALED_UNITS] = {0};

	for (size_t r = 0; r < table->n_rows && (table->rate_scale == 0 || table->amount_scale[0] == 0); r++) {
		for (size_t i = 0; i < table->n_columns; i++) {
			const struct value *value = &table_row(table, r)->values[i];

			if (!value->given)
				continue;
			if (table->columns[i].type == COLUMN_RATE && value->rate > rate)
				rate = value->rate;
			for (unsigned u = 0; table->columns[i].type == COLUMN_AMOUNT && u < SCALED_UNITS; u++)
				if (value->amount.unit && strcmp(scaled_units[u], value->amount.unit) == 0 &&
				    value->amount.number > most[u])
					most[u] = value->amount.number;
		}
	}
	if (table->view && table->view->bytes_per_s > 0) {
		most[1] = table->view->bytes_per_s;
		if (table->view->interval_ns)
			most[0] = table->view->bytes_per_s * (double)table->view->interval_ns / 1e9;
	}
	if (table->rate_scale == 0)
		table->rate_scale = rate >= 1e9 ? 1e9 : 1e6;
	for (unsigned u = 0; u < SCALED_UNITS; u++) {
		if (table->amount_scale[u] == 0)
			table->amount_scale[u] = number_scale(most[u], scaled_units[u]);
		layout->amount_scale[u] = table->amount_scale[u];
	}
	layout->chosen = table->view && table->view->unit != UNIT_AUTO;
	layout->unit = layout->chosen ? table->view->unit : table->rate_scale >= 1e9 ? UNIT_GB : UNIT_MB;
}

static void lay_out(struct table *table, const char *caption, struct layout *layout)
{
	struct window window = output_window(table->out);

	layout->limit = table->out->terminal ? window.columns : WIDTH_UNLIMITED;
	if (table->lines && layout->limit > CLOCK_WIDTH)
		layout->limit -= CLOCK_WIDTH;
	layout->details = true;
	layout->details = !table->live || height(table, layout) + (caption ? 1 : 0) <= window.rows;
	/* One line below says that there is more, and the cursor is in another. */
	if (!layout->details && height(table, layout) + 1 + (caption ? 1 : 0) > window.rows)
		layout->lines = window.rows > 3 ? window.rows - 2 : 1;
	if (!layout->details)
		choose_details(table, window.rows > 2 ? window.rows - 1 - (caption ? 1 : 0) : 0, layout);
	layout->utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	choose_units(table, layout);
	for (size_t i = 0; i < table->n_columns; i++)
		layout->width[i] = column_width(table, layout, i);
	for (unsigned drop_priority = DROP_PRIORITY_MAX; drop_priority > 0; drop_priority--)
		for (size_t i = table->n_columns; i-- > 0 && needed_width(table, layout) > layout->limit;)
			if (table->columns[i].drop_priority == drop_priority)
				layout->width[i] = 0;
	/* Texts are shortened, since numbers matter more than long names; bars take what is left. */
	for (size_t i = 0; i < table->n_columns; i++)
		while (table->columns[i].drop_priority == COLUMN_SHORT && layout->width[i] > SHORT_MIN &&
		       total_width(table, layout) > layout->limit)
			layout->width[i]--;
	for (size_t i = 0; i < table->n_columns; i++)
		while (table->columns[i].type == COLUMN_BAR && layout->width[i] && layout->width[i] < BAR_MAX &&
		       total_width(table, layout) < layout->limit)
			layout->width[i]++;
}

/* A line that is built cell by cell, and cut at the edge of the window. */
struct line {
	struct output *out;
	unsigned column, limit;
};

static void put(struct line *line, const char *text, unsigned columns)
{
	if (line->column + columns > line->limit)
		columns = line->limit > line->column ? line->limit - line->column : 0;
	for (; *text && (columns || !begins_character(*text)); text++) {
		columns -= begins_character(*text);
		line->column += begins_character(*text);
		output_append(line->out, text, 1);
	}
}

static void pad(struct line *line, unsigned to)
{
	for (; line->column < to && line->column < line->limit; line->column++)
		output_append(line->out, " ", 1);
}

/* Puts a mark in the last column of the window, in place of what does not fit. */
static void put_mark(struct line *line)
{
	pad(line, line->limit - 1);
	put(line, ">", 1);
}

static void end_line(struct table *table, unsigned *lines)
{
	output_text(table->out, table->live ? "\033[K\n" : "\n");
	++*lines;
}

static void put_bar(struct line *line, const struct layout *layout, const struct bar *bar, unsigned width)
{
	static const char *const marks[2][2] = {{"#", "="}, {"█", "▒"}};
	double unit = bar->most > 0 ? width / bar->most : 0;
	unsigned first = (unsigned)(bar->first * unit + 0.5),
		 both = (unsigned)((bar->first + bar->second) * unit + 0.5);

	for (unsigned i = 0; i < both && i < width && line->column < line->limit; i++, line->column++) {
		const char *mark = marks[layout->utf8][i >= first];

		output_append(line->out, mark, strlen(mark));
	}
}

static void print_row(struct table *table, const struct layout *layout, const struct row *row, unsigned *lines)
{
	struct line line = {table->out, 0, layout->limit};
	unsigned start = 0;

	for (size_t i = 0; i < table->n_columns; i++) {
		const struct column *column = &table->columns[i];
		unsigned width = layout->width[i];
		char cell[CELL_MAX];

		if (!width)
			continue;
		if (row)
			cell_text(layout, column, &row->values[i], cell);
		else
			title_text(layout, column, cell);
		/* Shortens a text; its last column is a mark that says so. */
		if (column->drop_priority == COLUMN_SHORT && columns_of(cell) > width) {
			char *at = cell;

			for (unsigned n = begins_character(*at); n < width; n += begins_character(*at))
				at++;
			snprintf(at, 2, ">");
		}
		if (!row && column->type == COLUMN_BAR && columns_of(cell) > width)
			cell[0] = '\0';
		/* A number without its last digits would be a different number. */
		if (right_aligned(column) && start + width > layout->limit) {
			put_mark(&line);
			break;
		}
		/* A part of a text would be misleading, too: 0x00 of 0x0003. */
		if (start + columns_of(cell) > layout->limit) {
			pad(&line, start < line.limit ? start : line.limit - 1);
			if (line.column + 1 < line.limit)
				put(&line, cell, line.limit - 1 - line.column);
			put_mark(&line);
			break;
		}
		if (cell[0] || (row && column->type == COLUMN_BAR && row->values[i].given))
			pad(&line, start + (right_aligned(column) ? width - columns_of(cell) : 0));
		if (row && column->type == COLUMN_BAR && row->values[i].given)
			put_bar(&line, layout, &row->values[i].bar, width);
		else
			put(&line, cell, columns_of(cell));
		start += width + GAP;
	}
	end_line(table, lines);
}

static void print_text(struct table *table, const struct layout *layout, const char *text, unsigned *lines)
{
	struct line line = {table->out, 0, layout->limit};
	char shown[WIDTH_UNLIMITED];

	unc_text_show(text, shown, sizeof(shown));
	put(&line, shown, columns_of(shown));
	end_line(table, lines);
}

/* The first word of the caption is the time of the sample. */
static void print_lines(struct table *table, const struct layout *layout, const char *caption)
{
	enum { TITLES_AFTER = 20 };
	const char *clock = strchr(caption, 'T'); /* the date is in the line above */
	unsigned now = 1 + layout->unit;

	for (size_t i = 0; i < table->n_columns; i++)
		now = 31 * now + layout->width[i];
	if (!table->titles)
		output_printf(table->out, "%s\n", caption);
	for (size_t r = 0; r < table->n_rows; r++) {
		if (table->titles != now || (r == 0 && table->drawn >= TITLES_AFTER)) {
			output_printf(table->out, "%*s", CLOCK_WIDTH, "");
			table->drawn = 0;
			print_row(table, layout, NULL, &table->drawn);
		}
		table->titles = now;
		output_printf(table->out, "%-*.*s", CLOCK_WIDTH, clock ? (int)strcspn(clock + 1, " ") : 0,
			      clock ? clock + 1 : "");
		print_row(table, layout, table_row(table, r), &table->drawn);
	}
}

void table_print(struct table *table, const char *caption)
{
	struct layout layout = {0};
	unsigned lines = 0;
	char more[80];

	table->live &= !table->lines;
	lay_out(table, caption, &layout);
	if (table->lines) {
		print_lines(table, &layout, caption);
		return;
	}
	if (table->live && table->drawn) {
		output_text(table->out, "\033[");
		output_u64(table->out, table->drawn);
		output_text(table->out, "A\r");
	}
	if (caption)
		print_text(table, &layout, caption, &lines);
	print_row(table, &layout, NULL, &lines);
	for (size_t r = 0; r < table->n_rows; r++) {
		const struct row *row = table_row(table, r);

		if (is_hidden(&layout, row))
			continue;
		/* Lines that scrolled out of the window cannot be redrawn. */
		if (layout.lines && lines >= layout.lines)
			break;
		if (row->headline && r > 0 && layout.details)
			end_line(table, &lines);
		print_row(table, &layout, row, &lines);
	}
	if (table->n_hidden) {
		snprintf(more, sizeof(more), "(%zu more)", table->n_hidden);
		print_text(table, &layout, more, &lines);
	}
	if (!layout.details) {
		snprintf(more, sizeof(more),
			 layout.n_hidden == 0 ? "(a higher window shows more)"
			 : layout.busy > 0    ? "(%zu rows that are less busy are hidden: a higher window shows them)"
					      : "(a higher window shows %zu more rows)",
			 layout.n_hidden);
		print_text(table, &layout, more, &lines);
	}
	if (table->live)
		output_text(table->out, "\033[J"); /* clears what a higher table left below */
	else if (caption)
		end_line(table, &lines);
	table->drawn = lines;
}

void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row)
{
	enum { INDENT = 2, LABEL_MAX = 15, DETAILS_NARROWEST = 40 };
	struct window window = output_window(out);
	unsigned width = window.columns > DETAILS_NARROWEST ? window.columns : DETAILS_NARROWEST;
	struct page page = {.out = out, .start = INDENT, .width = width};
	size_t labels = 0;

	for (size_t i = 1; i < n_columns; i++)
		if (columns[i].name && strlen(columns[i].name) > labels)
			labels = strlen(columns[i].name);
	labels = labels < LABEL_MAX ? labels : LABEL_MAX;
	output_printf(out, "%s\n", row->values[0].text);
	for (size_t i = 1; i < n_columns; i++) {
		const struct value *value = &row->values[i];
		char number[24];

		if (!columns[i].name || !value->given)
			continue;
		snprintf(number, sizeof(number), "%" PRIu64, columns[i].type == COLUMN_NUMBER ? value->number : 0);
		page_labelled(&page, columns[i].name, (unsigned)labels, "%s",
			      columns[i].type == COLUMN_NUMBER ? number : value->text);
	}
	output_append(out, "\n", 1);
}

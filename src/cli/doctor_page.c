// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor_page.h"

#include <stdio.h>
#include <string.h>

enum { STATE = 9, CHECK = 14, LABEL = 6, NARROW = 60, NARROWEST = 30, WIDEST = 120 };

struct page {
	struct output *out;
	unsigned start, width, column;
};

static void next_line(struct page *page)
{
	output_printf(page->out, "\n%*s", (int)page->start, "");
	page->column = page->start;
}

/* As much of a word that is longer than a line as fits, best to where a path or a number has a joint. */
static size_t piece_of(const char *word, size_t len, size_t room)
{
	size_t end = room;

	if (len <= room)
		return len;
	while (end > room / 2 && !strchr("/-:,.", word[end - 1]))
		end--;
	return end > room / 2 ? end : room;
}

static void print_words(struct page *page, const char *text)
{
	size_t room = page->width - page->start;

	while (*text) {
		size_t len = strcspn(text, " ");

		if (page->column > page->start && page->column + 1 + len > page->width) {
			next_line(page);
		} else if (page->column > page->start) {
			output_append(page->out, " ", 1);
			page->column++;
		}
		while (len) {
			size_t piece = piece_of(text, len, room);

			if (page->column > page->start && piece > page->width - page->column)
				next_line(page);
			output_append(page->out, text, piece);
			page->column += (unsigned)piece;
			text += piece;
			len -= piece;
			if (len)
				next_line(page);
		}
		text += strspn(text, " ");
	}
}

static struct page page_of(struct output *out)
{
	unsigned columns = output_window(out).columns;
	struct page page = {.out = out, .width = columns < NARROWEST ? NARROWEST : columns};

	page.width = page.width > WIDEST ? WIDEST : page.width;
	return page;
}

/* "seen  TEXT": its further lines below the text. */
static void print_labelled(struct page *page, const char *label, const char *text)
{
	unsigned start = page->start;

	next_line(page);
	output_printf(page->out, "%-*s", LABEL, label);
	page->start += LABEL;
	page->column = page->start;
	print_words(page, text);
	page->start = start;
}

void doctor_page_line(struct output *out, const struct doctor_page_line *line)
{
	struct page page = page_of(out);
	char seen[1024];

	output_printf(out, "%-*s%-*s", STATE - 1, line->state, page.width < NARROW ? 0 : CHECK, line->check);
	page.start = page.width < NARROW ? 2 : STATE - 1 + CHECK;
	page.column = page.start;
	if (page.width < NARROW)
		next_line(&page);
	print_words(&page, line->finding);
	if (line->good) {
		snprintf(seen, sizeof(seen), "(%s)", line->evidence);
		print_words(&page, seen);
	} else {
		print_labelled(&page, "seen", line->evidence);
	}
	if (line->todo)
		print_labelled(&page, "do", line->todo);
	output_append(out, "\n", 1);
}

void doctor_page_end(struct output *out, const char *text)
{
	struct page page = page_of(out);

	output_append(out, "\n", 1);
	print_words(&page, text);
	output_append(out, "\n", 1);
}

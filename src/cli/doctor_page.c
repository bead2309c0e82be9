// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor_page.h"

#include <stdio.h>

#include "cli/page.h"

enum { STATE = 9, CHECK = 14, LABEL = 6 };

/* Prints "seen  TEXT", with further lines aligned with the text. */
static void print_labelled(struct page *page, const char *label, const char *text)
{
	unsigned start = page->start;

	page_next_line(page);
	output_printf(page->out, "%-*s", LABEL, label);
	page->start += LABEL;
	page->column = page->start;
	page_words(page, text);
	page->start = start;
}

void doctor_page_line(struct output *out, const struct doctor_page_line *line)
{
	struct page page = page_of(out);
	char seen[1024];

	output_printf(out, "%-*s%-*s", STATE - 1, line->state, page.width < PAGE_NARROW ? 0 : CHECK, line->check);
	page.start = page.width < PAGE_NARROW ? 2 : STATE - 1 + CHECK;
	page.column = page.start;
	if (page.width < PAGE_NARROW)
		page_next_line(&page);
	page_words(&page, line->finding);
	if (line->good) {
		snprintf(seen, sizeof(seen), "(%s)", line->evidence);
		page_words(&page, seen);
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
	page_words(&page, text);
	output_append(out, "\n", 1);
}

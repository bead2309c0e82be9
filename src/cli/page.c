// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/page.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

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

static void put_words(struct page *page, const char *text)
{
	size_t room = page->width - page->start;

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
}

void page_words(struct page *page, const char *text)
{
	size_t size = 4 * strlen(text) + 1;
	char *shown = malloc(size);

	if (!shown) {
		say("out of memory");
		page->out->failed = true;
		return;
	}
	unc_text_show(text, shown, size);
	put_words(page, shown);
	free(shown);
}

struct page page_of(struct output *out)
{
	unsigned columns = output_window(out).columns;
	struct page page = {.out = out, .width = columns < NARROWEST ? NARROWEST : columns};

	page.width = page.width > WIDEST ? WIDEST : page.width;
	return page;
}

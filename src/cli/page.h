/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences on a page: broken between words so that they fit the window, even a narrow one. */
#ifndef UNC_CLI_PAGE_H
#define UNC_CLI_PAGE_H

#include "cli/output.h"

enum { PAGE_NARROW = 60 }; /* below this width, elements that are normally side by side are below each other */

struct page {
	struct output *out;     /* not owned */
	unsigned start;         /* the column where further lines begin */
	unsigned width, column; /* width of the window, within limits; column of the next word */
};

struct page page_of(struct output *out);
/* Leaves the rest of the line empty, and goes to the start of the next. */
void page_next_line(struct page *page);
/* Prints the words of a text from anywhere, through unc_text_show(), with a blank before the first if the line is not empty. */
void page_words(struct page *page, const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences on a page: broken between words so that they fit the window, also a narrow one. */
#ifndef UNC_CLI_PAGE_H
#define UNC_CLI_PAGE_H

#include "cli/output.h"

enum { PAGE_NARROW = 60 }; /* below, what would stand side by side stands below each other */

struct page {
	struct output *out;     /* not owned */
	unsigned start;         /* the column where further lines begin */
	unsigned width, column; /* of the window, within reason; where the next word goes */
};

struct page page_of(struct output *out);
/* The rest is empty; goes to the start of the next. */
void page_next_line(struct page *page);
/* Words of a text from anywhere, through unc_text_show(), a blank before the first where something stands there already. */
void page_words(struct page *page, const char *text);

#endif

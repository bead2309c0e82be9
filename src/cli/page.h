/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages for a browser, built in from page.html and page_*.html: data as JSON, which the script of the page draws. */
#ifndef UNC_CLI_PAGE_H
#define UNC_CLI_PAGE_H

#include "cli/emit.h"

extern const char *const page_check, *const page_plot;

struct page_part {
	const char *name; /* "{{title}}": what it takes the place of */
	void (*print)(const void *arg, struct output *out);
};
void page_fill(const char *page, const struct page_part *parts, size_t n, const void *arg, struct output *out);
/* A part: the version of this program. */
void page_version(const void *arg, struct output *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the page of `check --format html`: one file that needs nothing else, no script either. */
#ifndef UNC_CLI_CHECK_HTML_H
#define UNC_CLI_CHECK_HTML_H

#include "cli/check.h"

/* All of its style. */
extern const char check_html_style[];

/* "fail", for class=; a mark besides the colour, "✗". */
const char *check_html_class(enum unc_check_state state);
const char *check_html_mark(enum unc_check_state state);
/* <span class="state fail">✗ fail</span> */
void check_html_state(struct output *out, enum unc_check_state state);

/* What failed, place by place, with what to do about it; nothing where nothing did. */
void check_html_brief(const struct check_report *report, struct output *out);
/* Sockets, controllers and channels as boxes, each coloured as the worst of its results, and a table of them. */
void check_html_map(const struct check_report *report, struct output *out);
/* What was written, read and expected, bit by bit; numbers that are no register, and what is good, in a line. */
void check_html_value(const struct check_report *report, const struct unc_check_value *value, struct output *out);
/* A list of the words that findings use. */
void check_html_words(struct output *out);
/* All plots of a result. */
void check_html_plots(const struct check_report *report, size_t index, struct output *out);

#endif

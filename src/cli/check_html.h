/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of the page of `check --format html`: one file that needs no other file and no script. */
#ifndef UNC_CLI_CHECK_HTML_H
#define UNC_CLI_CHECK_HTML_H

#include "cli/check.h"
#include "uncore/check.h"

/* The style sheet of the page. */
extern const char check_html_style[];

/* The value for class=, "fail"; and a mark in addition to the colour, "✗". */
const char *check_html_class(enum unc_check_state state);
const char *check_html_mark(enum unc_check_state state);
/* <span class="state fail">✗ fail</span> */
void check_html_state(struct output *out, enum unc_check_state state);

/* What failed, place by place, with what to do about it; it prints nothing if nothing failed. */
void check_html_brief(const struct check_report *report, struct output *out);
/* Sockets, controllers and channels as boxes, each in the colour of its worst result, and a table of them. */
void check_html_map(const struct check_report *report, struct output *out);
/* What was written, read and expected, bit by bit; numbers that are not registers, and good values, take one line. */
void check_html_value(const struct check_report *report, const struct unc_check_value *value, struct output *out);
/* A list of the terms that findings use. */
void check_html_words(struct output *out);
/* All plots of a result. */
void check_html_plots(const struct check_report *report, size_t index, struct output *out);

#endif

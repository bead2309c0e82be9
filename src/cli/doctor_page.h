/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The page of `doctor`: a state and the name of a check, and beside them, or below in a narrow window, what was found. */
#ifndef UNC_CLI_DOCTOR_PAGE_H
#define UNC_CLI_DOCTOR_PAGE_H

#include "cli/output.h"

struct doctor_page_line {
	const char *state, *check, *finding, *evidence;
	const char *todo; /* NULL: nothing */
	bool good;        /* the finding is good, so the evidence after it is enough */
};
void doctor_page_line(struct output *out, const struct doctor_page_line *line);
/* A paragraph below all lines. */
void doctor_page_end(struct output *out, const char *text);

#endif

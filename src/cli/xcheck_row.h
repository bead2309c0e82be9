/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of `xcheck`, and one row of them. */
#ifndef UNC_CLI_XCHECK_ROW_H
#define UNC_CLI_XCHECK_ROW_H

#include "cli/emit.h"

extern const struct column xcheck_columns[];
extern const size_t xcheck_n_columns;

struct xcheck_row_place {
	const char *label;  /* in a table, below its heading */
	const char *system; /* the kernel, or "" */
	bool observes;      /* we count nothing, so nothing can be missed */
	bool simulated;
};

void xcheck_row_emit(const struct unc_xcheck_row *xrow, const struct xcheck_row_place *place, struct emitter *emitter);
/* A line of the table only, for the rows below it: how many there are of each verdict. */
void xcheck_row_heading(const char *label, const size_t n[3], struct emitter *emitter);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the emitter: made to fit the window, redrawn in place on a terminal. */
#ifndef UNC_CLI_EMIT_TABLE_H
#define UNC_CLI_EMIT_TABLE_H

#include "cli/emit.h"

struct table {
	const struct column *columns; /* not owned */
	size_t n_columns;
	struct output *out; /* not owned */
	bool live;
	unsigned drawn;   /* lines that the last table took on the terminal */
	struct row *rows; /* owned by the emitter */
	size_t n_rows;
};

void table_print(struct table *table, const char *caption);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of the emitter: it is fitted to the window, and redrawn in place on a terminal. */
#ifndef UNC_CLI_EMIT_TABLE_H
#define UNC_CLI_EMIT_TABLE_H

#include "cli/emit.h"

struct table {
	const struct column *columns; /* not owned */
	size_t n_columns;
	struct output *out; /* not owned */
	bool live;
	unsigned drawn; /* lines that the last table occupies on the terminal */
	char *rows;     /* table_row(); owned by the emitter */
	size_t n_rows;
};

/* Size of a row in a table, which has values for its own columns only. */
size_t table_row_bytes(const struct table *table);
struct row *table_row(const struct table *table, size_t r);
void table_print(struct table *table, const char *caption);

#endif

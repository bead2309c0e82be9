/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything about a few things, for people: a paragraph each instead of a row of a table. */
#ifndef UNC_CLI_DETAILS_H
#define UNC_CLI_DETAILS_H

#include "cli/emit.h"

/* The first column as a heading, below it a line for each other value that is given, under the names of CSV and JSON. */
void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row);

#endif

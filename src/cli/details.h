/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints all columns of a few rows for people: a paragraph for each row instead of a line of a table. */
#ifndef UNC_CLI_DETAILS_H
#define UNC_CLI_DETAILS_H

#include "cli/emit.h"

/* Prints the first column as a heading, and below it a line for each other value that is given, under the names of CSV and JSON. */
void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row);

#endif

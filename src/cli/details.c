// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/details.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/page.h"

enum { INDENT = 2, LABEL_MAX = 15, NARROWEST = 40 };

static unsigned label_width(const struct column *columns, size_t n_columns)
{
	size_t width = 0;

	for (size_t i = 1; i < n_columns; i++) {
		if (columns[i].name && strlen(columns[i].name) > width)
			width = strlen(columns[i].name);
	}
	return width < LABEL_MAX ? (unsigned)width : LABEL_MAX;
}

void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row)
{
	struct window window = output_window(out);
	unsigned width = window.columns > NARROWEST ? window.columns : NARROWEST;
	unsigned labels = label_width(columns, n_columns);
	struct page page = {.out = out, .start = INDENT + labels + 1, .width = width};

	output_printf(out, "%s\n", row->values[0].text);
	for (size_t i = 1; i < n_columns; i++) {
		const struct value *value = &row->values[i];
		char number[24];

		if (!columns[i].name || !value->given)
			continue;
		output_printf(out, "%*s%-*s ", INDENT, "", (int)labels, columns[i].name);
		snprintf(number, sizeof(number), "%" PRIu64, columns[i].type == COLUMN_NUMBER ? value->number : 0);
		page.column = page.start;
		page_words(&page, columns[i].type == COLUMN_NUMBER ? number : value->text);
		output_append(out, "\n", 1);
	}
	output_append(out, "\n", 1);
}

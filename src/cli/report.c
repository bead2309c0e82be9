// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands that print once. */
#include "cli/report.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/emit.h"

enum { INDENT = 2, LABEL_MAX = 15, NARROWEST = 40 };

void details_print(struct output *out, const struct column *columns, size_t n_columns, const struct row *row)
{
	struct window window = output_window(out);
	unsigned width = window.columns > NARROWEST ? window.columns : NARROWEST;
	struct page page = {.out = out, .start = INDENT, .width = width};
	size_t labels = 0;

	for (size_t i = 1; i < n_columns; i++)
		if (columns[i].name && strlen(columns[i].name) > labels)
			labels = strlen(columns[i].name);
	labels = labels < LABEL_MAX ? labels : LABEL_MAX;
	output_printf(out, "%s\n", row->values[0].text);
	for (size_t i = 1; i < n_columns; i++) {
		const struct value *value = &row->values[i];
		char number[24];

		if (!columns[i].name || !value->given)
			continue;
		snprintf(number, sizeof(number), "%" PRIu64, columns[i].type == COLUMN_NUMBER ? value->number : 0);
		page_labelled(&page, columns[i].name, (unsigned)labels,
			      columns[i].type == COLUMN_NUMBER ? number : value->text);
	}
	output_append(out, "\n", 1);
}

/* Opens the machine: for writing only if the command recovers, whose own option may turn that into a dry run. */
static int run(const struct globals *globals, const struct report *report, struct output *out)
{
	struct globals own = *globals;
	struct opened opened;
	int status;

	if (report->recovers) {
		own.recovers = true;
		own.dry_run |= *report->recovers;
	}
	status = open_machine(&own, report->recovers != NULL, -1, report->recovers ? out : NULL, &opened);
	if (status != EXIT_DONE)
		return status;
	return close_machine(&opened, report->print(&opened, report, out));
}

int report_run(struct report *report, const struct globals *globals, int argc, char **argv)
{
	struct output out;
	int status, first;

	report->line.shared = report;
	first = command_line_parse(&report->line, argc, argv, &status);
	if (first == 0)
		return status;
	if (first < argc && report->takes_argument)
		report->argument = argv[first++];
	if (first < argc)
		return usage_error("%s: %s: it takes no %sargument", report->line.command, argv[first],
				   report->takes_argument ? "second " : "");
	if (globals->observe && report->recovers) {
		say("%s: --observe writes no register, so none can be put back; `uncorectl %s --dry-run` shows which "
		    "would be",
		    report->line.command, report->line.command);
		return EXIT_NOT_PERMITTED;
	}
	status = output_open(&out, globals, report->path, STDOUT_FILENO);
	if (status != EXIT_DONE)
		return status;
	status = report->look ? report->look(globals, report, &out) : run(globals, report, &out);
	return output_end(&out, status);
}

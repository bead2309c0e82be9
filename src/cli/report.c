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

/* True: go on.  False: end with *ret_status. */
static bool parse(struct report *report, int argc, char **argv, int *ret_status)
{
	const struct command_line line = {.command = report->name,
					  .usage = report->usage,
					  .notes = report->notes,
					  .column = report->column,
					  .options = report->options,
					  .own = report->arg,
					  .shared = report};
	int first;

	first = command_line_parse(&line, argc, argv, ret_status);
	if (first == 0)
		return false;
	if (first < argc && report->takes_argument)
		report->argument = argv[first++];
	if (first < argc) {
		*ret_status = usage_error("%s: %s: it takes no %sargument", report->name, argv[first],
					  report->takes_argument ? "second " : "");
		return false;
	}
	return true;
}

/* Opens the machine: for writing only if the command recovers, whose own option may turn that into a dry run. */
static int open_for(const struct report *report, const struct globals *globals, struct output *out,
		    struct opened *ret_opened)
{
	struct globals own = *globals;

	if (!report->recovers)
		return open_machine(globals, false, -1, NULL, ret_opened);
	own.recovers = true;
	own.dry_run |= *report->recovers;
	return open_machine(&own, true, -1, out, ret_opened);
}

static int run(const struct globals *globals, const struct report *report, struct output *out)
{
	struct opened opened;
	int status = open_for(report, globals, out, &opened);

	if (status != EXIT_DONE)
		return status;
	status = report->print(&opened, report, out);
	return close_machine(&opened, status);
}

int report_run(struct report *report, const struct globals *globals, int argc, char **argv)
{
	struct output out;
	int status = EXIT_DONE;

	if (!parse(report, argc, argv, &status))
		return status;
	if (globals->observe && report->recovers) {
		say("%s: --observe writes no register, so none can be put back; `uncorectl %s --dry-run` shows which "
		    "would be",
		    report->name, report->name);
		return EXIT_NOT_PERMITTED;
	}
	status = output_open(&out, globals, report->path, STDOUT_FILENO);
	if (status != EXIT_DONE)
		return status;
	status = report->look ? report->look(globals, report, &out) : run(globals, report, &out);
	if (!output_close(&out) && status == EXIT_DONE)
		status = EXIT_FAILED;
	return status;
}

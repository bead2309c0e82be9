// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl events: what this machine's memory controllers can count, and what follows from it. */
#include "cli/events.h"

#include "cli/details.h"

static const char help[] =
	"usage: uncorectl events [-v] [--import-perfmon FILE] [--format FORMAT] [-o FILE] [PATTERN]\n"
	"       uncorectl events --metrics [-v] [--format FORMAT] [-o FILE] [PATTERN]\n"
	"\n"
	"The events that this machine's memory controllers can count, each with its encoding in the\n"
	"control register, the counters that can count it, the most that it adds per clock, what it\n"
	"means, and the source of that. A PATTERN selects by name: with * and ? the whole name, else\n"
	"an event and its sub-events (cas_count), or, if there are none, a part of the name.\n"
	"\n"
	"  --metrics              the metrics instead: figures that follow from counts, with formula,\n"
	"                         unit and events, or the event that this machine lacks for it\n"
	"  --import-perfmon FILE  beside them the events of FILE, a list of the intel/perfmon project\n"
	"                         (JSON), and where the two do not agree\n"
	"  -v, --verbose          all that is known, a paragraph each\n"
	"  --format FORMAT        table (default), csv or jsonl\n"
	"  -o FILE                write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0; 1 when nothing matches; 2 when FILE is no such list.\n";

struct wanted {
	bool metrics;
	const char *perfmon_path; /* or NULL */
};

bool listing_open(struct listing *listing, const struct report *report, const struct column *columns, size_t n_columns,
		  struct output *out)
{
	*listing = (struct listing){.out = out, .columns = columns, .n_columns = n_columns};
	if (report->verbose && report->format == FORMAT_TABLE)
		return true;
	listing->emitter = emitter_new(report->format, columns, n_columns, out, false);
	return listing->emitter != NULL;
}

void listing_row(struct listing *listing, struct row *row)
{
	row->record = true;
	row->in_table = true;
	listing->n_rows++;
	if (listing->emitter)
		emit_row(listing->emitter, row);
	else
		details_print(listing->out, listing->columns, listing->n_columns, row);
}

int listing_close(struct listing *listing, const struct report *report, const char *what)
{
	bool written = true;

	if (listing->n_rows && listing->emitter)
		written = emit_sample(listing->emitter, NULL);
	if (!listing->n_rows && report->argument)
		say("events: no %s matches \"%s\"; without a PATTERN all are shown", what, report->argument);
	else if (!listing->n_rows)
		say("events: this machine has no %s", what);
	emitter_free(listing->emitter);
	return listing->n_rows && written ? EXIT_DONE : EXIT_FAILED;
}

static int print(struct opened *opened, const struct report *report, struct output *out)
{
	const struct wanted *wanted = report->arg;

	if (wanted->metrics)
		return metrics_print(opened, report, out);
	return events_print(opened, report, wanted->perfmon_path, out);
}

static int events_run(const struct globals *globals, int argc, char **argv)
{
	struct wanted wanted = {.metrics = false};
	const struct report_option options[] = {
		{"metrics", .ret_given = &wanted.metrics},
		{"import-perfmon", .ret_value = &wanted.perfmon_path},
		{NULL},
	};
	struct report report = {.name = "events",
				.help = help,
				.options = options,
				.arg = &wanted,
				.takes_verbose = true,
				.takes_argument = true,
				.print = print};

	return report_run(&report, globals, argc, argv);
}

const struct command events_command = {
	.name = "events",
	.summary = "the events that can be counted here, and metrics",
	.run = events_run,
};

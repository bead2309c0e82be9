// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl events: what this machine's memory controllers can count. */
#include <stdio.h>

#include "base/text.h"
#include "cli/report.h"

static const char help[] =
	"usage: uncorectl events [--format FORMAT] [-o FILE] [PATTERN]\n"
	"\n"
	"The events that this machine's memory controllers can count, by name; with a PATTERN (* and ?)\n"
	"those that match it. Each with its encoding in the control register, the counters that can\n"
	"count it, the most that it adds per clock, what it means, and the source of that.\n"
	"\n"
	"  --format FORMAT  table (default), csv or jsonl\n"
	"  -o FILE          write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0; 1 when no event matches.\n";

enum column_index { C_EVENT, C_ENCODING, C_COUNTERS, C_MAX_INC, C_UNIT, C_DESC, C_SOURCE, C_VERIFY, N_COLUMNS };

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_EVENT] = {"event", "event", COLUMN_TEXT, false},
	[C_ENCODING] = {"encoding", "encoding", COLUMN_TEXT, true},
	[C_COUNTERS] = {"counters", "counters", COLUMN_TEXT, true},
	[C_MAX_INC] = {"max_inc", "max", COLUMN_NUMBER, true},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, false},
	[C_DESC] = {"meaning", "meaning", COLUMN_TEXT, false},
	[C_SOURCE] = {"source", NULL, COLUMN_TEXT, false},
	[C_VERIFY] = {"verify", NULL, COLUMN_TEXT, false},
};
/* clang-format on */

static void emit_event(const struct unc_event_info *event, struct emitter *emitter)
{
	struct row row = {.record = true, .in_table = true};

	row.values[C_EVENT] = text_value(event->name);
	row.values[C_ENCODING] = text_value(event->encoding);
	row.values[C_COUNTERS] = text_value(event->counters);
	if (event->max_inc)
		row.values[C_MAX_INC] = number_value(event->max_inc);
	row.values[C_UNIT] = text_value(event->unit);
	row.values[C_DESC] = text_value(event->desc);
	row.values[C_SOURCE] = text_value(event->src);
	row.values[C_VERIFY] = text_value(event->verify);
	emit_row(emitter, &row);
}

static int print_events(struct opened *opened, const struct report *report, struct output *out)
{
	struct emitter *emitter = emitter_new(report->format, columns, N_COLUMNS, out, false);
	size_t n = unc_event_count(opened->machine, "imc"), n_matching = 0;
	struct unc_event_info event;
	bool written = true;

	if (!emitter)
		return EXIT_FAILED;
	for (size_t i = 0; i < n; i++) {
		if (unc_event_info(opened->machine, "imc", i, &event) < 0 ||
		    (report->argument && !unc_text_match(report->argument, event.name)))
			continue;
		emit_event(&event, emitter);
		n_matching++;
	}
	if (n_matching)
		written = emit_sample(emitter, NULL);
	else
		say("events: none matches \"%s\"; without a PATTERN all are shown",
		    report->argument ? report->argument : "*");
	emitter_free(emitter);
	return n_matching && written ? EXIT_DONE : EXIT_FAILED;
}

static int events_run(const struct globals *globals, int argc, char **argv)
{
	struct report report = {.name = "events", .help = help, .takes_argument = true, .print = print_events};

	return report_run(&report, globals, argc, argv);
}

const struct command events_command = {
	.name = "events",
	.summary = "the events that can be counted here",
	.run = events_run,
};

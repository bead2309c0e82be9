// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl events: what this machine's memory controllers can count, and the metrics derived from it. */
#include "cli/events.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/details.h"
#include "uncore/event.h"

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
	"  -v, --verbose          all that is known, a paragraph each, and what the sources are\n"
	"  --format FORMAT        table (default), csv or jsonl\n"
	"  -o FILE                write to FILE\n"
	"  --help\n"
	"\n"
	"Exit status 0; 1 when nothing matches; 2 when FILE is no such list.\n";

struct wanted {
	bool metrics;
	const char *perfmon_path; /* NULL: none */
};

bool listing_open(struct listing *listing, const struct report *report, const struct column *columns, size_t n_columns,
		  const struct unc_machine *machine, struct output *out)
{
	*listing = (struct listing){.out = out, .columns = columns, .n_columns = n_columns, .machine = machine};
	if (report->verbose && report->format == FORMAT_TABLE)
		return true;
	listing->emitter = emitter_new(report->format, columns, n_columns, out, false);
	return listing->emitter != NULL;
}

/* Each part of "krn; pcm p.3" begins with a tag. */
static void note_tags(struct listing *listing, const char *source)
{
	while (*source) {
		size_t len = strcspn(source, "; "), used = strlen(listing->tags);

		if (len && !unc_text_listed(listing->tags, source, len) && used + len + 3 < sizeof(listing->tags))
			snprintf(listing->tags + used, sizeof(listing->tags) - used, "%s%.*s", used ? ", " : "",
				 (int)len, source);
		source += strcspn(source, ";");
		source += strspn(source, "; ");
	}
}

/* Prints the documents that the tags stand for, as one more paragraph. */
static void print_titles(const struct listing *listing)
{
	struct column columns[EMIT_COLUMNS_MAX] = {{"sources", NULL, COLUMN_TEXT, false}};
	struct row row = {.values = {text_value("sources")}};
	char tags[sizeof(listing->tags)], *rest = tags, *tag;
	size_t n = 1;

	memcpy(tags, listing->tags, sizeof(tags));
	while (n < EMIT_COLUMNS_MAX && (tag = unc_text_cut(&rest, ',')) != NULL) {
		tag += strspn(tag, " ");
		columns[n] = (struct column){tag, NULL, COLUMN_TEXT, false};
		row.values[n++] = text_value(unc_source_title(listing->machine, "imc", tag));
	}
	details_print(listing->out, columns, n, &row);
}

void listing_row(struct listing *listing, struct row *row)
{
	row->record = true;
	row->in_table = true;
	listing->n_rows++;
	if (listing->emitter) {
		emit_row(listing->emitter, row);
		return;
	}
	details_print(listing->out, listing->columns, listing->n_columns, row);
	for (size_t i = 0; i < listing->n_columns; i++) {
		const char *name = listing->columns[i].name;

		if (name && strcmp(name, "source") == 0 && row->values[i].given)
			note_tags(listing, row->values[i].text);
	}
}

int listing_close(struct listing *listing, const struct report *report, const char *what)
{
	bool written = true;

	if (listing->n_rows && listing->emitter)
		written = emit_sample(listing->emitter, NULL);
	else if (*listing->tags)
		print_titles(listing);
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
	int status;

	if (wanted->metrics && wanted->perfmon_path)
		return usage_error("events: --import-perfmon brings events, and --metrics lists none; use one of them");
	status = need_counters(opened);
	if (status != EXIT_DONE)
		return status;
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
		{0},
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

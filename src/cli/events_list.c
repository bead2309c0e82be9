// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl events: the events of the map, and with --import-perfmon those of a file beside them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/events.h"
#include "cli/name_match.h"
#include "cli/perfmon.h"

enum column_index {
	C_EVENT,
	C_ORIGIN,
	C_ENCODING,
	C_COUNTERS,
	C_MAX_INC,
	C_UNIT,
	C_ALSO,
	C_MATCHES,
	C_DISAGREEMENT,
	C_DESC,
	C_SOURCE,
	C_VERIFY,
	N_COLUMNS
};

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_EVENT] = {"event", "event", COLUMN_TEXT, false},
	[C_ORIGIN] = {NULL, NULL, COLUMN_TEXT, false},
	[C_ENCODING] = {"encoding", "encoding", COLUMN_TEXT, true},
	[C_COUNTERS] = {"counters", "counters", COLUMN_TEXT, 2},
	[C_MAX_INC] = {"max_inc", "max", COLUMN_NUMBER, 2},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, false},
	[C_ALSO] = {"also", NULL, COLUMN_TEXT, false},
	[C_MATCHES] = {NULL, NULL, COLUMN_TEXT, false},
	[C_DISAGREEMENT] = {NULL, NULL, COLUMN_TEXT, false},
	[C_DESC] = {"meaning", "meaning", COLUMN_TEXT, COLUMN_CUT},
	[C_SOURCE] = {"source", NULL, COLUMN_TEXT, false},
	[C_VERIFY] = {"verify", NULL, COLUMN_TEXT, false},
};
static const struct column import_columns[N_COLUMNS] = {
	[C_EVENT] = {"event", "event", COLUMN_TEXT, false},
	[C_ORIGIN] = {"origin", "origin", COLUMN_TEXT, false},
	[C_ENCODING] = {"encoding", "encoding", COLUMN_TEXT, false},
	[C_COUNTERS] = {"counters", "counters", COLUMN_TEXT, true},
	[C_MAX_INC] = {"max_inc", "max", COLUMN_NUMBER, true},
	[C_UNIT] = {"unit", NULL, COLUMN_TEXT, false},
	[C_ALSO] = {"also", NULL, COLUMN_TEXT, false},
	[C_MATCHES] = {"matches", NULL, COLUMN_TEXT, false},
	[C_DISAGREEMENT] = {"disagreement", "disagreement", COLUMN_TEXT, false},
	[C_DESC] = {"meaning", "meaning", COLUMN_TEXT, true},
	[C_SOURCE] = {"source", NULL, COLUMN_TEXT, false},
	[C_VERIFY] = {"verify", NULL, COLUMN_TEXT, false},
};
/* clang-format on */

struct shelf {                       /* both kinds of events, and which of them are the same */
	struct unc_event_info *ours; /* owned */
	size_t n_ours;
	struct perfmon file;   /* no events without --import-perfmon */
	size_t *counterpart;   /* for each event of the file, the index of ours, or NONE; owned */
	const char *file_name; /* NULL: no file */
	const char *pattern;
	int best; /* how well the best names match the pattern */
	unsigned n_same, n_differ, n_alone;
};
static const size_t NONE = (size_t)-1;

static int rate_ours(const struct shelf *shelf, const struct unc_event_info *event)
{
	char name[PERFMON_NAME_MAX];
	int best = name_match(shelf->pattern, event->name);

	for (const char *rest = event->also; rest && perfmon_next_name(&rest, name);) {
		int match = name_match(shelf->pattern, name);

		best = match > best ? match : best;
	}
	return best;
}

static int rate_theirs(const struct shelf *shelf, const struct perfmon_event *event)
{
	return name_match(shelf->pattern, perfmon_plain_name(event->name));
}

static void rate_all(struct shelf *shelf)
{
	int rate;

	shelf->best = 1;
	for (size_t i = 0; i < shelf->n_ours; i++) {
		rate = rate_ours(shelf, &shelf->ours[i]);
		shelf->best = rate > shelf->best ? rate : shelf->best;
	}
	for (size_t i = 0; i < shelf->file.n_events; i++) {
		rate = rate_theirs(shelf, &shelf->file.events[i]);
		shelf->best = rate > shelf->best ? rate : shelf->best;
	}
}

/* Searches by name; but there is only one fixed counter, whatever the two sides call it. */
static size_t find_counterpart(const struct shelf *shelf, const struct perfmon_event *event)
{
	size_t fixed = NONE;

	for (size_t i = 0; i < shelf->n_ours; i++) {
		if (perfmon_belongs(event, &shelf->ours[i]))
			return i;
		if (event->fixed && strcmp(shelf->ours[i].encoding, "fixed") == 0)
			fixed = i;
	}
	return fixed;
}

static bool fill_ours(struct shelf *shelf, const struct unc_machine *machine)
{
	size_t n = unc_event_count(machine, "imc");

	shelf->ours = calloc(n ? n : 1, sizeof(*shelf->ours));
	if (!shelf->ours)
		return false;
	for (size_t i = 0; i < n; i++)
		shelf->n_ours += unc_event_info(machine, "imc", i, &shelf->ours[shelf->n_ours]) == UNC_OK;
	return true;
}

static bool fill_counterparts(struct shelf *shelf)
{
	shelf->counterpart = calloc(shelf->file.n_events ? shelf->file.n_events : 1, sizeof(*shelf->counterpart));
	if (!shelf->counterpart)
		return false;
	for (size_t i = 0; i < shelf->file.n_events; i++)
		shelf->counterpart[i] = find_counterpart(shelf, &shelf->file.events[i]);
	return true;
}

static void show_ours(const struct shelf *shelf, size_t number, struct listing *listing)
{
	const struct unc_event_info *event = &shelf->ours[number];
	struct row row = {.record = true};

	row.values[C_EVENT] = text_value(event->name);
	row.values[C_ORIGIN] = text_value("map");
	row.values[C_ENCODING] = text_value(event->encoding);
	row.values[C_COUNTERS] = text_value(event->counters);
	if (event->max_inc)
		row.values[C_MAX_INC] = number_value(event->max_inc);
	row.values[C_UNIT] = text_value(event->unit);
	row.values[C_ALSO] = text_value(event->also);
	for (size_t i = shelf->file.n_events; i-- > 0;) {
		if (shelf->counterpart[i] == number)
			row.values[C_MATCHES] = text_value(shelf->file.events[i].name);
	}
	row.values[C_DESC] = text_value(event->desc);
	row.values[C_SOURCE] = text_value(event->src);
	row.values[C_VERIFY] = text_value(event->verify);
	listing_row(listing, &row);
}

static void show_imported(struct shelf *shelf, size_t number, struct listing *listing)
{
	const struct perfmon_event *event = &shelf->file.events[number];
	const struct unc_event_info *ours =
		shelf->counterpart[number] == NONE ? NULL : &shelf->ours[shelf->counterpart[number]];
	char encoding[100], disagreement[PERFMON_DISAGREEMENT_MAX] = "";
	struct row row = {.record = true};

	perfmon_encoding(event, encoding, sizeof(encoding));
	if (!ours)
		shelf->n_alone++;
	else if (perfmon_disagrees(event, ours, disagreement))
		shelf->n_differ++;
	else
		shelf->n_same++;
	if (disagreement[0])
		say("note: %s of %s is not as %s: %s", event->name, shelf->file_name, ours->name, disagreement);
	row.values[C_EVENT] = text_value(event->name);
	row.values[C_ORIGIN] = text_value("perfmon");
	row.values[C_ENCODING] = text_value(encoding);
	row.values[C_COUNTERS] = text_value(event->counters);
	row.values[C_MATCHES] = text_value(ours ? ours->name : NULL);
	row.values[C_DISAGREEMENT] = text_value(disagreement);
	row.values[C_DESC] = text_value(event->desc);
	row.values[C_SOURCE] = text_value(shelf->file_name);
	row.values[C_VERIFY] = text_value(event->deprecated ? "the list calls it deprecated" : NULL);
	listing_row(listing, &row);
}

/* Shows each of our events with those of the file that belong to it, then those that only the file has. */
static void show_all(struct shelf *shelf, struct listing *listing)
{
	for (size_t i = 0; i < shelf->n_ours; i++) {
		if (rate_ours(shelf, &shelf->ours[i]) == shelf->best)
			show_ours(shelf, i, listing);
		for (size_t k = 0; k < shelf->file.n_events; k++) {
			if (shelf->counterpart[k] == i && (rate_ours(shelf, &shelf->ours[i]) == shelf->best ||
							   rate_theirs(shelf, &shelf->file.events[k]) == shelf->best))
				show_imported(shelf, k, listing);
		}
	}
	for (size_t k = 0; k < shelf->file.n_events; k++) {
		if (shelf->counterpart[k] == NONE && rate_theirs(shelf, &shelf->file.events[k]) == shelf->best)
			show_imported(shelf, k, listing);
	}
}

static void say_what_was_found(const struct shelf *shelf)
{
	say("note: %s: %zu events of the unit iMC, %zu entries of other units; of those shown %u are as in the map, "
	    "%u differ, %u are not in the map",
	    shelf->file_name, shelf->file.n_events, shelf->file.n_other_units, shelf->n_same, shelf->n_differ,
	    shelf->n_alone);
}

static int show_shelf(struct opened *opened, struct shelf *shelf, const struct report *report, struct output *out)
{
	struct listing listing;
	int status;

	rate_all(shelf);
	if (!listing_open(&listing, report, shelf->file_name ? import_columns : columns, N_COLUMNS, opened->machine,
			  out))
		return EXIT_FAILED;
	show_all(shelf, &listing);
	status = listing_close(&listing, report, "event");
	if (shelf->file_name && listing.n_rows)
		say_what_was_found(shelf);
	return status;
}

int events_print(struct opened *opened, const struct report *report, const char *perfmon_path, struct output *out)
{
	struct shelf shelf = {.file_name = perfmon_path,
			      .pattern = report->argument ? perfmon_plain_name(report->argument) : NULL};
	int rc = perfmon_path ? perfmon_read(opened->ctx, perfmon_path, &shelf.file) : 0, status;

	if (rc < 0)
		return fail_with(opened->ctx, rc);
	if (fill_ours(&shelf, opened->machine) && fill_counterparts(&shelf)) {
		status = show_shelf(opened, &shelf, report, out);
	} else {
		say("out of memory");
		status = EXIT_FAILED;
	}
	free(shelf.ours);
	free(shelf.counterpart);
	perfmon_clear(&shelf.file);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl events --metrics */
#include <stdio.h>
#include <string.h>

#include "cli/events.h"
#include "cli/name_match.h"
#include "uncore/event.h"

enum column_index {
	C_METRIC,
	C_UNIT,
	C_FORMULA,
	C_EVENTS,
	C_ADDS,
	C_HERE, /* only in a table: the meaning, or why the metric is not available here */
	C_DESC,
	C_LACKS,
	C_SOURCE,
	C_VERIFY,
	N_COLUMNS
};

/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_METRIC] = {"metric", "metric", COLUMN_TEXT, false},
	[C_UNIT] = {"unit", "unit", COLUMN_TEXT, false},
	[C_FORMULA] = {"formula", "formula", COLUMN_TEXT, true},
	[C_EVENTS] = {"events", "events", COLUMN_TEXT, true},
	[C_ADDS] = {"adds", NULL, COLUMN_TEXT, false},
	[C_HERE] = {NULL, "meaning", COLUMN_TEXT, false},
	[C_DESC] = {"meaning", NULL, COLUMN_TEXT, false},
	[C_LACKS] = {"lacks", NULL, COLUMN_TEXT, false},
	[C_SOURCE] = {"source", NULL, COLUMN_TEXT, false},
	[C_VERIFY] = {"verify", NULL, COLUMN_TEXT, false},
};
/* clang-format on */

enum { EVENTS_MAX = 600 };

/* "rd=cas_count.rd wr=cas_count.wr" */
static void events_text(const struct unc_machine *machine, size_t metric, size_t n_events, char buf[EVENTS_MAX])
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < n_events && len < EVENTS_MAX; i++) {
		struct unc_metric_event event;

		if (unc_metric_event(machine, "imc", metric, i, &event) == UNC_OK)
			len += (size_t)snprintf(buf + len, EVENTS_MAX - len, "%s%s=%s", i ? " " : "", event.name,
						event.event);
	}
}

static void show(const struct unc_machine *machine, size_t metric, const struct unc_metric_info *info,
		 struct listing *listing)
{
	struct row row = {.record = true};
	char events[EVENTS_MAX], here[600];

	events_text(machine, metric, info->n_events, events);
	snprintf(here, sizeof(here), "not here: %s", info->lacks ? info->lacks : "");
	row.values[C_METRIC] = text_value(info->name);
	row.values[C_UNIT] = text_value(info->unit);
	row.values[C_FORMULA] = text_value(info->formula);
	row.values[C_EVENTS] = text_value(events);
	row.values[C_ADDS] = text_value(info->adds ? "true" : "false");
	row.values[C_HERE] = text_value(info->lacks ? here : info->desc);
	row.values[C_DESC] = text_value(info->desc);
	row.values[C_LACKS] = text_value(info->lacks);
	row.values[C_SOURCE] = text_value(info->src);
	row.values[C_VERIFY] = text_value(info->verify);
	listing_row(listing, &row);
}

int metrics_print(struct opened *opened, const struct report *report, struct output *out)
{
	size_t n = unc_metric_count(opened->machine, "imc");
	struct unc_metric_info info;
	struct listing listing;
	int best = 1;

	if (!listing_open(&listing, report, columns, N_COLUMNS, opened->machine, out))
		return EXIT_FAILED;
	for (size_t i = 0; i < n; i++) {
		if (unc_metric_info(opened->machine, "imc", i, &info) == UNC_OK &&
		    name_match(report->argument, info.name) > best)
			best = name_match(report->argument, info.name);
	}
	for (size_t i = 0; i < n; i++) {
		if (unc_metric_info(opened->machine, "imc", i, &info) == UNC_OK &&
		    name_match(report->argument, info.name) == best)
			show(opened->machine, i, &info, &listing);
	}
	return listing_close(&listing, report, "metric");
}

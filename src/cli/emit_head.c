// SPDX-License-Identifier: GPL-2.0-or-later
/* What an output says of itself: the computer without its name, the program, the command, and the units of its columns. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/emit.h"
#include "cli/options.h"

void zone_set(int64_t utc_s)
{
	unsigned ahead = (unsigned)(utc_s < 0 ? -utc_s : utc_s);
	char zone[32];

	snprintf(zone, sizeof(zone), "UTC%c%02u:%02u:%02u", utc_s < 0 ? '+' : '-', ahead / 3600, ahead / 60 % 60,
		 ahead % 60);
	setenv("TZ", zone, 1);
	tzset();
}

void zone_fix(bool utc)
{
	time_t now = time(NULL);
	struct tm tm;

	zone_set(!utc && localtime_r(&now, &tm) ? tm.tm_gmtoff : 0);
}

const char *iso_time(uint64_t real_ns, char buf[TIME_TEXT_MAX])
{
	time_t seconds = (time_t)(real_ns / 1000000000);
	struct tm tm;

	buf[0] = '\0';
	if (localtime_r(&seconds, &tm))
		strftime(buf, TIME_TEXT_MAX, "%Y-%m-%dT%H:%M:%S%z", &tm);
	/* ISO 8601 has a colon between hours and minutes of the zone in this form, and Z for UTC. */
	if (strlen(buf) > 5) {
		char *zone = buf + strlen(buf) - 5;

		if (strcmp(zone + 1, "0000") == 0)
			memcpy(zone, "Z", 2);
		else
			snprintf(zone + 3, 4, ":%.2s", (char[]){zone[3], zone[4], 0});
	}
	return buf;
}

static const struct {
	const char *end, *unit;
} units[] = {
	{"_bytes_per_s", "bytes/s"}, {"_bytes", "bytes"}, {"_ns", "ns"}, {"_percent", "%"}, {"_count", "events"},
};

static const char *unit_of(const char *name)
{
	for (unsigned i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t len = strlen(name), end = strlen(units[i].end);

		if ((len > end && strcmp(name + len - end, units[i].end) == 0) || strcmp(name, units[i].end + 1) == 0)
			return units[i].unit;
	}
	return NULL;
}

void json_put_head(struct json *json, struct opened *opened)
{
	struct unc_machine_info info = {.name = ""};
	char text[TIME_TEXT_MAX];

	json_put_u64(json, "contract", OUTPUT_CONTRACT);
	json_put_text(json, "program", "uncorectl");
	json_put_text(json, "version", UNC_VERSION);
	json_put_text(json, "command", options_given());
	if (!opened || !opened->machine)
		return;
	read_facts(opened);
	unc_machine_info(opened->machine, &info);
	json_put_text(json, "time", iso_time(opened->facts_ns, text));
	json_put_u64(json, "time_ns", opened->facts_ns);
	json_put_text(json, "machine", info.name);
	json_put_bool(json, "simulated", info.simulated);
	json_put_text(json, "vendor", info.vendor);
	json_put_text(json, "part", info.part);
	json_put_u64(json, "family", info.family);
	json_put_u64(json, "model", info.model);
	json_put_u64(json, "stepping", info.stepping);
	json_put_u64(json, "sockets", info.n_sockets);
	json_put_u64(json, "cpus", info.n_cpus);
	for (size_t i = 0; i < opened->n_facts; i++)
		json_put_text(json, opened->facts[i].name, opened->facts[i].text);
}

void emit_head(struct emitter *emitter, struct opened *opened, const char *record)
{
	struct json json = {.out = emitter->table.out}, scales = json;

	emitter->record = record;
	json.comments = emitter->format == FORMAT_CSV && emitter->table.view && emitter->table.view->header;
	if ((emitter->format != FORMAT_JSONL && !json.comments) || (opened && opened->dry_run.out))
		return;
	if (!json.comments)
		json_begin(&json, NULL, '{');
	json_put_text(&json, "record", "header");
	json_put_head(&json, opened);
	json_key(&json, "units");
	json_begin(&scales, NULL, '{');
	for (size_t i = 0; i < emitter->table.n_columns; i++) {
		const char *name = emitter->table.columns[i].name, *unit = name ? unit_of(name) : NULL;

		if (unit)
			json_put_text(&scales, name, unit);
	}
	json_end(&scales, '}');
	output_append(json.out, "}\n", json.comments ? 0 : 2);
	output_append(json.out, "\n", json.comments ? 1 : 0);
}

int view_check(struct view *view, const char *command, const struct column *columns, size_t n_columns)
{
	struct unc_nearest nearest = {.asked = view->sort};
	char near[UNC_NEAREST_TEXT];

	for (size_t i = 0; view->sort && i < n_columns; i++) {
		if (!columns[i].name)
			continue;
		if (strcmp(columns[i].name, view->sort) == 0) {
			view->sort_column = i;
			return EXIT_DONE;
		}
		unc_nearest_offer(&nearest, columns[i].name);
	}
	if (!view->sort)
		return EXIT_DONE;
	return usage_error("%s: --sort %s: there is no such column%s; uncorectl-output(5) has all of them", command,
			   view->sort, unc_nearest_text(&nearest, near));
}

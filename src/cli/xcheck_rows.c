// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/xcheck_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/xcheck_row.h"

struct xcheck_line { /* a row, and its place in a table */
	struct unc_xcheck_row row;
	char heading[160], label[24];
};

void xcheck_rows_close(struct xcheck_rows *rows)
{
	event_list_clear(&rows->defaults);
	channels_clear(&rows->channels);
	xcheck_report_close(&rows->report);
	free(rows->lines);
	*rows = (struct xcheck_rows){0};
}

/* ---- what is compared ---- */

/* Chooses events that both perf and our maps have names for: reads and writes. */
static int choose_defaults(struct unc_ctx *ctx, struct xcheck_rows *rows)
{
	static const char *const names[] = {"cas_count.rd", "cas_count.wr"};
	char complaint[EVENT_LIST_COMPLAINT];
	bool good = true;

	for (size_t e = 0; e < unc_event_count(rows->machine, "imc"); e++) {
		struct unc_event_info info;

		if (unc_event_info(rows->machine, "imc", e, &info) < 0)
			continue;
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (strcmp(info.name, names[i]) == 0)
				good &= event_list_add(&rows->defaults, names[i], complaint);
	}
	if (!good)
		return unc_fail(ctx, UNC_ENOMEM, "%s", complaint);
	if (rows->defaults.n == 0)
		return unc_fail(ctx, UNC_ENOSUP, "the map of this CPU has neither %s nor %s: name events with -e",
				names[0], names[1]);
	rows->events = &rows->defaults;
	return UNC_OK;
}

static int add_events(void *arg, struct unc_box *box, size_t *ret_n)
{
	struct xcheck_rows *rows = arg;
	int rc = UNC_OK;

	for (size_t i = 0; i < rows->events->n && rc == 0; i++)
		rc = unc_xcheck_add(rows->xcheck, box, rows->events->items[i].text);
	*ret_n = rows->events->n;
	return rc;
}

/* Such a part may have caches that are monitored, which can still be checked with groups. */
static int no_channels(struct unc_ctx *ctx, struct unc_machine *machine, const char *why)
{
	struct unc_llc_info info = {0};
	int rc = unc_llc_info(machine, &info);

	if (rc < 0)
		return rc;
	return unc_fail(
		ctx, UNC_ENOSUP, "%s%s", why,
		info.no_monitoring ? "" : "; its caches can be compared: xcheck --resctrl GROUP, without -e and --box");
}

static int add_channels(struct unc_ctx *ctx, const struct xcheck_want *want, struct xcheck_rows *rows)
{
	struct unc_machine_info info;
	int rc = UNC_OK;

	unc_machine_info(rows->machine, &info);
	if (info.no_counters)
		return no_channels(ctx, rows->machine, info.no_counters);
	rows->events = &want->events;
	if (want->events.n == 0)
		rc = choose_defaults(ctx, rows);
	if (rc == 0)
		rc = channels_open(ctx, rows->machine, want->boxes, add_events, rows, &rows->channels);
	return rc;
}

static int add_groups(const struct xcheck_want *want, struct xcheck_rows *rows)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < want->n_groups && rc == 0; i++)
		rc = unc_xcheck_add_resctrl(rows->xcheck, want->groups[i]);
	return rc;
}

/* Checked first, since the library would report another missing item first. */
static int need_monitoring(struct unc_ctx *ctx, struct unc_machine *machine)
{
	struct unc_llc_info info = {0};
	int rc = unc_llc_info(machine, &info);

	if (rc == 0 && info.no_monitoring)
		rc = unc_fail(ctx, UNC_ENOSUP, "xcheck --resctrl: this CPU does not monitor its caches: %s",
			      info.no_monitoring);
	return rc;
}

int xcheck_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, const struct xcheck_want *want,
		     struct xcheck_rows *rows)
{
	bool channels = want->events.n || want->boxes || want->n_groups == 0;
	struct unc_machine_info info;
	int rc;

	*rows = (struct xcheck_rows){.machine = machine};
	unc_machine_info(machine, &info);
	rows->simulated = info.simulated;
	rows->observes = want->cfg.observe;
	rc = want->n_groups ? need_monitoring(ctx, machine) : UNC_OK;
	if (rc == 0)
		rc = unc_xcheck_open(machine, &want->cfg, &rows->xcheck);
	if (rc == 0 && channels)
		rc = add_channels(ctx, want, rows);
	return rc < 0 ? rc : add_groups(want, rows);
}

/* Events of a missing channel cannot have been added. */
static size_t count_missing(const struct xcheck_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->channels.n; i++)
		n += rows->channels.list[i].counted ? 0 : rows->events->n;
	return n;
}

int xcheck_rows_start(struct unc_ctx *ctx, struct xcheck_rows *rows)
{
	int rc = unc_xcheck_start(rows->xcheck);

	if (rc < 0)
		return rc;
	rows->n_lines = unc_xcheck_count(rows->xcheck) + count_missing(rows);
	rows->lines = calloc(rows->n_lines + 1, sizeof(*rows->lines));
	if (!rows->lines)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	return xcheck_report_open(ctx, rows->machine, rows->n_lines, &rows->report);
}

/* ---- a sample ---- */

/* The text without the name of the box at its beginning, which is shown beside it anyway. */
static const char *without_name(const char *why, const char *name)
{
	size_t len = strlen(name);

	return why && strncmp(why, name, len) == 0 && strncmp(why + len, ": ", 2) == 0 ? why + len + 2 : why;
}

static struct unc_xcheck_row missing_row(const struct channel *channel, const char *event, uint64_t time_ns)
{
	return (struct unc_xcheck_row){
		.subject = channel->info.name,
		.event = event,
		.box = channel->box,
		.number = -1,
		.cpu = -1,
		.verdict = UNC_XCHECK_NOT_COMPARABLE,
		.why = channel->info.why,
		.time_ns = time_ns,
	};
}

/* Returns the line after the channel's. */
static struct xcheck_line *lay_channel(struct xcheck_rows *rows, const struct channel *channel, uint64_t time_ns,
				       struct xcheck_line *line)
{
	for (size_t i = 0; i < rows->events->n; i++, line++) {
		if (channel->counted)
			unc_xcheck_row(rows->xcheck, channel->first_count + i, &line->row);
		else
			line->row = missing_row(channel, rows->events->items[i].text, time_ns);
		line->row.why = without_name(line->row.why, channel->info.name);
		snprintf(line->heading, sizeof(line->heading), "socket %u", channel->info.socket);
		snprintf(line->label, sizeof(line->label), "%s", channel->label);
	}
	return line;
}

/* The source of a row is "jobs/mon_data/mon_L3_00/llc_occupancy". */
static void lay_group(struct xcheck_rows *rows, size_t index, struct xcheck_line *line)
{
	const char *source, *end;
	int len;

	unc_xcheck_row(rows->xcheck, index, &line->row);
	source = line->row.source;
	end = strstr(source, "mon_data");
	len = end && end > source ? (int)(end - source) - 1 : 0;
	snprintf(line->heading, sizeof(line->heading), "resctrl %s%.*s", len ? "" : "/", len, source);
	snprintf(line->label, sizeof(line->label), "  %s", line->row.subject);
}

/* Lays out the lines in the order in which they are shown: socket by socket, then the groups. */
static void lay_out(struct xcheck_rows *rows)
{
	struct xcheck_line *line = rows->lines;
	struct unc_xcheck_row first;

	unc_xcheck_row(rows->xcheck, 0, &first);
	for (size_t i = 0; i < rows->channels.n; i++)
		line = lay_channel(rows, &rows->channels.list[i], first.time_ns, line);
	for (size_t i = rows->channels.n_counts; i < unc_xcheck_count(rows->xcheck); i++)
		lay_group(rows, i, line++);
}

/* Emits the summary of the lines below a heading, which is all that a low window shows; returns how many lines there are. */
static size_t emit_heading(const struct xcheck_rows *rows, size_t from, struct emitter *emitter)
{
	size_t n[3] = {0}, i = from;

	while (i < rows->n_lines && strcmp(rows->lines[i].heading, rows->lines[from].heading) == 0)
		n[rows->lines[i++].row.verdict]++;
	xcheck_row_heading(rows->lines[from].heading, n, emitter);
	return i - from;
}

int xcheck_rows_sample(struct xcheck_rows *rows, struct emitter *emitter)
{
	size_t left = 0;
	int rc = unc_xcheck_sample(rows->xcheck);

	if (rc < 0)
		return rc;
	lay_out(rows);
	for (size_t i = 0; i < rows->n_lines; i++, left--) {
		const struct xcheck_line *line = &rows->lines[i];
		const struct xcheck_row_place place = {line->label, rows->report.kernel, rows->observes,
						       rows->simulated};

		if (left == 0)
			left = emit_heading(rows, i, emitter);
		if (!xcheck_report_take(&rows->report, i, &line->row))
			return UNC_ENOMEM;
		xcheck_row_emit(&line->row, &place, emitter);
	}
	return UNC_OK;
}

int xcheck_rows_stop(struct xcheck_rows *rows)
{
	int rc = unc_xcheck_close(rows->xcheck);

	rows->xcheck = NULL;
	return rc;
}

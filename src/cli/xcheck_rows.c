// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/xcheck_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/xcheck_row.h"

void xcheck_rows_close(struct xcheck_rows *rows)
{
	event_list_clear(&rows->defaults);
	channels_clear(&rows->channels);
	xcheck_report_close(&rows->report);
	*rows = (struct xcheck_rows){0};
}

/* ---- what is to be compared ---- */

/* What perf itself has names for, and our maps too: reads and writes. */
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

static int add_channels(struct unc_ctx *ctx, const struct xcheck_want *want, struct xcheck_rows *rows)
{
	struct unc_machine_info info;
	int rc = UNC_OK;

	unc_machine_info(rows->machine, &info);
	if (info.no_counters)
		return unc_fail(ctx, UNC_ENOSUP, "%s", info.no_counters);
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

/* The library would say what else is missing first. */
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

/* Of a channel that is missing: it cannot have been added. */
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
	return xcheck_report_open(ctx, rows->machine, unc_xcheck_count(rows->xcheck) + count_missing(rows),
				  &rows->report);
}

/* ---- a sample ---- */

struct taking {
	struct xcheck_rows *rows;
	struct emitter *emitter;
	size_t n_missing;  /* rows of missing channels, so far */
	uint64_t time_ns;  /* of the sample */
	char heading[200]; /* the last one */
};

static int take(struct taking *taking, size_t index, const struct unc_xcheck_row *row, const char *label)
{
	const struct xcheck_row_place place = {label, taking->rows->report.kernel, taking->rows->observes,
					       taking->rows->simulated};

	if (!xcheck_report_take(&taking->rows->report, index, row))
		return UNC_ENOMEM;
	xcheck_row_emit(row, &place, taking->emitter);
	return UNC_OK;
}

static void head(struct taking *taking, const char *heading)
{
	if (strcmp(heading, taking->heading) == 0)
		return;
	snprintf(taking->heading, sizeof(taking->heading), "%s", heading);
	xcheck_row_heading(heading, taking->emitter);
}

/* The sentence begins with the name of the box, which stands beside it anyhow. */
static const char *why_missing(const struct channel *channel)
{
	const char *why = channel->info.why;
	size_t len = strlen(channel->info.name);

	return strncmp(why, channel->info.name, len) == 0 && why[len] == ':' ? why + len + 2 : why;
}

static int take_missing(struct taking *taking, const struct channel *channel)
{
	struct xcheck_rows *rows = taking->rows;
	int rc = UNC_OK;

	for (size_t i = 0; i < rows->events->n && rc == 0; i++) {
		struct unc_xcheck_row row = {
			.subject = channel->info.name,
			.event = rows->events->items[i].text,
			.box = channel->box,
			.number = -1,
			.cpu = -1,
			.verdict = UNC_XCHECK_NOT_COMPARABLE,
			.why = why_missing(channel),
			.time_ns = taking->time_ns,
		};

		rc = take(taking, unc_xcheck_count(rows->xcheck) + taking->n_missing++, &row, channel->label);
	}
	return rc;
}

static int take_channel(struct taking *taking, const struct channel *channel)
{
	struct xcheck_rows *rows = taking->rows;
	char heading[24];
	int rc = UNC_OK;

	snprintf(heading, sizeof(heading), "socket %u", channel->info.socket);
	head(taking, heading);
	if (!channel->counted)
		return take_missing(taking, channel);
	for (size_t i = 0; i < rows->events->n && rc == 0; i++) {
		struct unc_xcheck_row row;

		rc = unc_xcheck_row(rows->xcheck, channel->first_count + i, &row);
		if (rc == 0)
			rc = take(taking, channel->first_count + i, &row, channel->label);
	}
	return rc;
}

/* "jobs/mon_data/mon_L3_00/llc_occupancy" */
static int take_of_group(struct taking *taking, size_t index)
{
	struct unc_xcheck_row row;
	char heading[200], label[32];
	const char *end;
	int rc = unc_xcheck_row(taking->rows->xcheck, index, &row), len;

	if (rc < 0)
		return rc;
	end = strstr(row.source, "mon_data");
	len = end && end > row.source ? (int)(end - row.source) - 1 : 0;
	snprintf(heading, sizeof(heading), "resctrl %s%.*s", len ? "" : "/", len, row.source);
	head(taking, heading);
	snprintf(label, sizeof(label), "  %s", row.subject);
	return take(taking, index, &row, label);
}

int xcheck_rows_sample(struct xcheck_rows *rows, struct emitter *emitter)
{
	struct taking taking = {.rows = rows, .emitter = emitter};
	struct unc_xcheck_row first = {0};
	int rc = unc_xcheck_sample(rows->xcheck);

	if (rc == 0)
		rc = unc_xcheck_row(rows->xcheck, 0, &first);
	if (rc < 0)
		return rc;
	taking.time_ns = first.time_ns;
	for (size_t i = 0; i < rows->channels.n && rc == 0; i++)
		rc = take_channel(&taking, &rows->channels.list[i]);
	for (size_t i = rows->channels.n_counts; i < unc_xcheck_count(rows->xcheck) && rc == 0; i++)
		rc = take_of_group(&taking, i);
	return rc;
}

int xcheck_rows_stop(struct xcheck_rows *rows)
{
	int rc = unc_xcheck_close(rows->xcheck);

	rows->xcheck = NULL;
	return rc;
}

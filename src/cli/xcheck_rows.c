// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/xcheck_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "cli/cli.h"
#include "cli/flags.h"

#define TOLERANCE 0.001 /* the library's own, where none is wanted */

/* Named ones in the order of CSV; those without a name are of the table. */
enum column_index {
	C_LABEL,
	C_TIME,
	C_INTERVAL,
	C_BOX,
	C_SOCKET,
	C_IMC,
	C_CHANNEL,
	C_PCI,
	C_EVENT,
	C_SOURCE,
	C_NUMBER,
	C_PERF,
	C_MAP_NUMBER,
	C_CPU,
	C_CONFIG,
	C_ALIAS,
	C_COUNTER,
	C_OWN,
	C_KERNEL,
	C_RAW,
	C_OURS,
	C_KERNEL_OFF,
	C_KERNEL_PERCENT,
	C_OURS_OFF,
	C_OURS_PERCENT,
	C_UNCERTAINTY,
	C_VERDICT,
	C_WHY,
	C_FROM, /* of a bracket eight columns */
	C_TO = C_FROM + 8,
	C_SYSTEM = C_TO + 8,
	C_FLAGS,
	C_NOTES,
};

/* clang-format off */
#define BRACKET(at, end) \
	[at] = {end "_begin_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 1] = {end "_end_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 2] = {end "_raw_before", NULL, COLUMN_NUMBER, 0}, \
	[at + 3] = {end "_kernel", NULL, COLUMN_NUMBER, 0}, \
	[at + 4] = {end "_raw_after", NULL, COLUMN_NUMBER, 0}, \
	[at + 5] = {end "_enabled_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 6] = {end "_running_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 7] = {end "_control", NULL, COLUMN_TEXT, 0}

const struct column xcheck_columns[] = {
	[C_LABEL] = {NULL, "", COLUMN_TEXT, COLUMN_SHORT},
	[C_TIME] = {"time_ns", NULL, COLUMN_NUMBER, 0},
	[C_INTERVAL] = {"interval_ns", NULL, COLUMN_NUMBER, 0},
	[C_BOX] = {"box", NULL, COLUMN_TEXT, 0},
	[C_SOCKET] = {"socket", NULL, COLUMN_NUMBER, 0},
	[C_IMC] = {"imc", NULL, COLUMN_NUMBER, 0},
	[C_CHANNEL] = {"channel", NULL, COLUMN_NUMBER, 0},
	[C_PCI] = {"pci", "PCI", COLUMN_TEXT, 4},
	[C_EVENT] = {"event", "event", COLUMN_TEXT, 0},
	[C_SOURCE] = {"source", NULL, COLUMN_TEXT, 0},
	[C_NUMBER] = {"perf", NULL, COLUMN_NUMBER, 0},
	[C_PERF] = {NULL, "perf", COLUMN_TEXT, 0},
	[C_MAP_NUMBER] = {"perf_by_map", NULL, COLUMN_NUMBER, 0},
	[C_CPU] = {"cpu", NULL, COLUMN_NUMBER, 0},
	[C_CONFIG] = {"config", NULL, COLUMN_TEXT, 0},
	[C_ALIAS] = {"alias", NULL, COLUMN_TEXT, 0},
	[C_COUNTER] = {"counter", "counter", COLUMN_TEXT, 3},
	[C_OWN] = {"own_counter", NULL, COLUMN_TEXT, 0},
	[C_KERNEL] = {"kernel", "kernel", COLUMN_COUNT, 1},
	[C_RAW] = {"raw", "raw", COLUMN_COUNT, 2},
	[C_OURS] = {"ours", "ours", COLUMN_COUNT, 2},
	[C_KERNEL_OFF] = {"kernel_minus_raw", "kernel-raw", COLUMN_SIGNED, 0},
	[C_KERNEL_PERCENT] = {"kernel_minus_raw_percent", "in %", COLUMN_AMOUNT, 4},
	[C_OURS_OFF] = {"ours_minus_raw", "ours-raw", COLUMN_SIGNED, 3},
	[C_OURS_PERCENT] = {"ours_minus_raw_percent", "in %", COLUMN_AMOUNT, 4},
	[C_UNCERTAINTY] = {"uncertainty", "+/-", COLUMN_COUNT, 1},
	[C_VERDICT] = {"verdict", NULL, COLUMN_TEXT, 0},
	[C_WHY] = {"why", NULL, COLUMN_TEXT, 0},
	BRACKET(C_FROM, "from"),
	BRACKET(C_TO, "to"),
	[C_SYSTEM] = {"system", NULL, COLUMN_TEXT, 0},
	[C_FLAGS] = {"flags", NULL, COLUMN_TEXT, 0},
	[C_NOTES] = {NULL, "verdict", COLUMN_TEXT, COLUMN_CUT},
};
/* clang-format on */
const size_t xcheck_n_columns = sizeof(xcheck_columns) / sizeof(xcheck_columns[0]);
_Static_assert(sizeof(xcheck_columns) / sizeof(xcheck_columns[0]) <= EMIT_COLUMNS_MAX,
	       "a row has room for all columns");

static const char *const verdicts[] = {
	[UNC_XCHECK_OK] = "ok",
	[UNC_XCHECK_DIFFERS] = "differs",
	[UNC_XCHECK_NOT_COMPARABLE] = "not comparable",
};

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

int xcheck_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, const struct xcheck_want *want,
		     struct xcheck_rows *rows)
{
	bool channels = want->events.n || want->boxes || want->n_groups == 0;
	struct unc_machine_info info;
	int rc;

	*rows = (struct xcheck_rows){.machine = machine};
	unc_machine_info(machine, &info);
	rows->simulated = info.simulated;
	rc = unc_xcheck_open(machine, &want->cfg, &rows->xcheck);
	if (rc == 0 && channels)
		rc = add_channels(ctx, want, rows);
	for (size_t i = 0; i < want->n_groups && rc == 0; i++)
		rc = unc_xcheck_add_resctrl(rows->xcheck, want->groups[i]);
	return rc;
}

/* Of a channel that is missing: it cannot have been added. */
static size_t count_missing(const struct xcheck_rows *rows)
{
	size_t n = 0;

	for (size_t i = 0; i < rows->channels.n; i++)
		n += rows->channels.list[i].counted ? 0 : rows->events->n;
	return n;
}

int xcheck_rows_start(struct unc_ctx *ctx, const struct xcheck_want *want, struct xcheck_rows *rows)
{
	int rc = unc_xcheck_start(rows->xcheck);

	if (rc < 0)
		return rc;
	return xcheck_report_open(ctx, rows->machine, want->cfg.tolerance < 0 ? TOLERANCE : want->cfg.tolerance,
				  unc_xcheck_count(rows->xcheck) + count_missing(rows), &rows->report);
}

/* ---- a row ---- */

static void put_place(const struct unc_xcheck_row *row, struct value *values)
{
	struct unc_box_info info;

	values[C_BOX] = text_value(row->subject);
	values[C_EVENT] = text_value(row->event);
	values[C_SOURCE] = text_value(row->source);
	values[C_CONFIG] = text_value(row->config);
	values[C_ALIAS] = text_value(row->alias);
	values[C_COUNTER] = text_value(row->counter);
	values[C_OWN] = text_value(row->own);
	if (row->cpu >= 0)
		values[C_CPU] = number_value((uint64_t)row->cpu);
	if (!row->box)
		return;
	unc_box_info(row->box, &info);
	values[C_SOCKET] = number_value(info.socket);
	values[C_IMC] = number_value(info.imc);
	values[C_CHANNEL] = number_value(info.channel);
	values[C_PCI] = text_value(info.pci);
	values[C_PERF] = text_value(row->source);
	if (row->number >= 0)
		values[C_NUMBER] = number_value((uint64_t)row->number);
	if (info.perf >= 0)
		values[C_MAP_NUMBER] = number_value((uint64_t)info.perf);
}

/* By how much a count is off the raw one; both are exact, and so is what is between them. */
static void put_difference(uint64_t count, uint64_t raw, bool table, struct value *off, struct value *percent)
{
	int64_t difference = (int64_t)(count - raw);
	double part = raw ? 100 * (double)difference / (double)raw : 0;

	*off = signed_value(difference);
	if (raw) /* a table has three digits behind the point, and -0.000 is none of them */
		*percent = amount_value(table && fabs(part) < 0.0005 ? 0 : part, "%");
}

static void put_counts(const struct unc_xcheck_row *row, bool table, struct value *values)
{
	if (row->time_ns)
		values[C_TIME] = number_value(row->time_ns);
	if (row->interval_ns)
		values[C_INTERVAL] = number_value(row->interval_ns);
	if (row->has_kernel)
		values[C_KERNEL] = number_value(row->kernel);
	if (row->has_raw) {
		values[C_RAW] = number_value(row->raw);
		values[C_UNCERTAINTY] = number_value(row->uncertainty);
	}
	if (row->has_ours)
		values[C_OURS] = number_value(row->ours);
	if (row->has_kernel && row->has_raw)
		put_difference(row->kernel, row->raw, table, &values[C_KERNEL_OFF], &values[C_KERNEL_PERCENT]);
	if (row->has_ours && row->has_raw)
		put_difference(row->ours, row->raw, table, &values[C_OURS_OFF], &values[C_OURS_PERCENT]);
}

enum { CONTROL_MAX = 24 };

static void put_bracket(const struct unc_xcheck_bracket *bracket, bool perf, char control[CONTROL_MAX],
			struct value *values)
{
	if (bracket->end_ns == 0)
		return; /* there is none */
	values[0] = number_value(bracket->begin_ns);
	values[1] = number_value(bracket->end_ns);
	values[2] = number_value(bracket->raw_before);
	values[3] = number_value(bracket->kernel);
	values[4] = number_value(bracket->raw_after);
	if (!perf)
		return;
	values[5] = number_value(bracket->enabled_ns);
	values[6] = number_value(bracket->running_ns);
	snprintf(control, CONTROL_MAX, "0x%08" PRIx64, bracket->control);
	values[7] = text_value(control);
}

static void emit(const struct xcheck_rows *rows, const struct unc_xcheck_row *xrow, const char *label,
		 struct emitter *emitter)
{
	bool table = emits_tables(emitter), good = xrow->verdict == UNC_XCHECK_OK;
	struct row row = {.record = true, .in_table = true, .detail = good};
	char from[CONTROL_MAX], to[CONTROL_MAX], flags[FLAGS_TEXT_MAX], notes[500];

	row.values[C_LABEL] = text_value(label);
	put_place(xrow, row.values);
	put_counts(xrow, table, row.values);
	row.values[C_VERDICT] = text_value(verdicts[xrow->verdict]);
	row.values[C_WHY] = text_value(xrow->why);
	put_bracket(&xrow->from, xrow->box, from, &row.values[C_FROM]);
	put_bracket(&xrow->to, xrow->box, to, &row.values[C_TO]);
	row.values[C_SYSTEM] = text_value(rows->report.kernel);
	row.values[C_FLAGS] = text_value(flags_text(0, false, rows->simulated, flags));
	snprintf(notes, sizeof(notes), "%s%s%s", verdicts[xrow->verdict], xrow->why ? ": " : "",
		 xrow->why ? xrow->why : "");
	row.values[C_NOTES] = text_value(notes);
	emit_row(emitter, &row);
}

/* A line of the table alone, for what stands below it. */
static void emit_heading(const char *label, struct emitter *emitter)
{
	struct row row = {.in_table = true, .headline = true, .detail = true};

	for (size_t i = 0; i < xcheck_n_columns; i++)
		row.values[i] = no_value("");
	row.values[C_LABEL] = text_value(label);
	emit_row(emitter, &row);
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
	if (!xcheck_report_take(&taking->rows->report, index, row))
		return UNC_ENOMEM;
	emit(taking->rows, row, label, taking->emitter);
	return UNC_OK;
}

static void head(struct taking *taking, const char *heading)
{
	if (strcmp(heading, taking->heading) == 0)
		return;
	snprintf(taking->heading, sizeof(taking->heading), "%s", heading);
	emit_heading(heading, taking->emitter);
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
			.why = channel->info.why,
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
	struct unc_xcheck_row first;
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

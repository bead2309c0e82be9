// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/xcheck_row.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/flags.h"

/* Named columns are in the order of CSV; those without a name are only in the table. */
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
	C_PERF_EVENT,
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
	C_TOLERATED,
	C_VERDICT,
	C_WHY,
	C_FROM, /* a bracket has eight columns */
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
	[C_PERF_EVENT] = {"perf_event", NULL, COLUMN_TEXT, 0},
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
	[C_TOLERATED] = {"tolerated", NULL, COLUMN_NUMBER, 0},
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

static void put_place(const struct unc_xcheck_row *row, struct value *values)
{
	struct unc_box_info info;

	values[C_BOX] = text_value(row->subject);
	values[C_EVENT] = text_value(row->event);
	values[C_SOURCE] = text_value(row->source);
	values[C_CONFIG] = text_value(row->config);
	values[C_PERF_EVENT] = text_value(row->perf_event);
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

/* The difference of a count from the raw one; both are exact, and so is their difference. */
static void put_difference(uint64_t count, uint64_t raw, bool table, struct value *off, struct value *percent)
{
	int64_t difference = (int64_t)(count - raw);
	double part = raw ? 100 * (double)difference / (double)raw : 0;

	*off = signed_value(difference);
	if (raw) /* a table has three decimals, and must not show -0.000 */
		*percent = amount_value(table && fabs(part) < 0.0005 ? 0 : part, "%");
}

static void put_counts(const struct unc_xcheck_row *row, bool observes, bool table, struct value *values)
{
	if (observes || !row->box)
		values[C_OURS] = values[C_OURS_OFF] = values[C_OURS_PERCENT] = no_value("");
	if (row->time_ns)
		values[C_TIME] = number_value(row->time_ns);
	if (row->interval_ns)
		values[C_INTERVAL] = number_value(row->interval_ns);
	if (row->has_kernel)
		values[C_KERNEL] = number_value(row->kernel);
	if (row->has_raw) {
		values[C_RAW] = number_value(row->raw);
		values[C_UNCERTAINTY] = number_value(row->uncertainty);
		values[C_TOLERATED] = number_value(row->tolerated);
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
		return; /* there is no bracket */
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

void xcheck_row_emit(const struct unc_xcheck_row *xrow, const struct xcheck_row_place *place, struct emitter *emitter)
{
	bool table = emits_tables(emitter), good = xrow->verdict == UNC_XCHECK_OK;
	struct row row = {.record = true, .in_table = true, .detail = good};
	char from[CONTROL_MAX], to[CONTROL_MAX], flags[FLAGS_TEXT_MAX], notes[500];

	row.values[C_LABEL] = text_value(place->label);
	put_place(xrow, row.values);
	put_counts(xrow, place->observes, table, row.values);
	row.values[C_VERDICT] = text_value(verdicts[xrow->verdict]);
	row.values[C_WHY] = text_value(xrow->why);
	put_bracket(&xrow->from, xrow->box, from, &row.values[C_FROM]);
	put_bracket(&xrow->to, xrow->box, to, &row.values[C_TO]);
	row.values[C_SYSTEM] = text_value(place->system);
	row.values[C_FLAGS] = text_value(flags_text(0, false, place->simulated, flags));
	snprintf(notes, sizeof(notes), "%s%s%s", verdicts[xrow->verdict], xrow->why ? ": " : "",
		 xrow->why ? xrow->why : "");
	row.values[C_NOTES] = text_value(notes);
	emit_row(emitter, &row);
}

void xcheck_row_heading(const char *label, const size_t n[3], struct emitter *emitter)
{
	struct row row = {.in_table = true, .headline = true};
	char sum[100] = "";

	for (size_t i = 0; i < xcheck_n_columns; i++)
		row.values[i] = no_value("");
	row.values[C_LABEL] = text_value(label);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
		size_t used = strlen(sum);

		if (n[i])
			snprintf(sum + used, sizeof(sum) - used, "%s%zu %s", used ? ", " : "", n[i],
				 i == UNC_XCHECK_DIFFERS && n[i] > 1 ? "differ" : verdicts[i]);
	}
	row.values[C_NOTES] = text_value(sum);
	emit_row(emitter, &row);
}

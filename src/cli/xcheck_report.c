// SPDX-License-Identifier: GPL-2.0-or-later
/* The rows of a cross-check, and its final report. */
#define _GNU_SOURCE
#include "cli/xcheck.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/flags.h"
#include "cli/reg.h"
#include "uncore/reg.h"
#include "uncore/xcheck.h"

/* ---- rows ---- */

/* Named columns are in the order of CSV; those without a name are only in the table.  A bracket has eight columns. */
enum { C_LABEL, C_FROM = 32, C_TO = C_FROM + 8, C_SYSTEM = C_TO + 8, C_FLAGS, C_NOTES };

/* clang-format off */
#define BRACKET(at, end) \
	[at] = {end "_begin_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 1] = {end "_end_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 2] = {end "_raw_before", NULL, COLUMN_NUMBER, 0}, \
	[at + 3] = {end "_kernel", NULL, COLUMN_NUMBER, 0}, \
	[at + 4] = {end "_raw_after", NULL, COLUMN_NUMBER, 0}, \
	[at + 5] = {end "_enabled_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 6] = {end "_running_ns", NULL, COLUMN_NUMBER, 0}, \
	[at + 7] = {end "_control", NULL, COLUMN_HEX, 0}

const struct column xcheck_columns[] = {
	{NULL, "", COLUMN_TEXT, COLUMN_SHORT},
	{"time_ns", NULL, COLUMN_NUMBER, 0},
	{"interval_ns", NULL, COLUMN_NUMBER, 0},
	{"box", NULL, COLUMN_TEXT, 0},
	{"socket", NULL, COLUMN_NUMBER, 0},
	{"imc", NULL, COLUMN_NUMBER, 0},
	{"channel", NULL, COLUMN_NUMBER, 0},
	{"pci", "PCI", COLUMN_TEXT, 4},
	{"event", "event", COLUMN_TEXT, 0},
	{"source", NULL, COLUMN_TEXT, 0},
	{"perf", NULL, COLUMN_NUMBER, 0},
	{NULL, "perf", COLUMN_TEXT, 0},
	{"perf_by_map", NULL, COLUMN_NUMBER, 0},
	{"cpu", NULL, COLUMN_NUMBER, 0},
	{"config", NULL, COLUMN_TEXT, 0},
	{"perf_event", NULL, COLUMN_TEXT, 0},
	{"alias", NULL, COLUMN_TEXT, 0},
	{"counter", "counter", COLUMN_TEXT, 3},
	{"own_counter", NULL, COLUMN_TEXT, 0},
	{"kernel", "kernel", COLUMN_COUNT, 1},
	{"raw", "raw", COLUMN_COUNT, 2},
	{"ours", "ours", COLUMN_COUNT, 2},
	{"kernel_minus_raw", "kernel-raw", COLUMN_SIGNED, 0},
	{"kernel_minus_raw_percent", NULL, COLUMN_AMOUNT, 0},
	{NULL, "in %", COLUMN_AMOUNT, 4},
	{"ours_minus_raw", "ours-raw", COLUMN_SIGNED, 3},
	{"ours_minus_raw_percent", NULL, COLUMN_AMOUNT, 0},
	{NULL, "in %", COLUMN_AMOUNT, 4},
	{"uncertainty", "+/-", COLUMN_COUNT, 1},
	{"tolerated", NULL, COLUMN_NUMBER, 0},
	{"verdict", NULL, COLUMN_TEXT, 0},
	{"why", NULL, COLUMN_TEXT, 0},
	BRACKET(C_FROM, "from"),
	BRACKET(C_TO, "to"),
	{"system", NULL, COLUMN_TEXT, 0},
	{"flags", NULL, COLUMN_TEXT, 0},
	{NULL, "verdict", COLUMN_TEXT, COLUMN_CUT},
};
/* clang-format on */
const size_t xcheck_n_columns = sizeof(xcheck_columns) / sizeof(xcheck_columns[0]);
_Static_assert(sizeof(xcheck_columns) / sizeof(xcheck_columns[0]) == C_NOTES + 1,
	       "the named columns have these places");
_Static_assert(sizeof(xcheck_columns) / sizeof(xcheck_columns[0]) <= EMIT_COLUMNS_MAX,
	       "a row has room for all columns");

static const char *const verdicts[] = {
	[UNC_XCHECK_OK] = "ok",
	[UNC_XCHECK_DIFFERS] = "differs",
	[UNC_XCHECK_NOT_COMPARABLE] = "not comparable",
};

static struct value known(bool given, uint64_t number)
{
	return given ? number_value(number) : no_value(NULL);
}

/*
 * The difference of a count from the raw one, which is exact, as both are, in percent.  A table shows three decimals, which must not
 * be -0.000.
 */
static struct value percent(bool given, uint64_t count, uint64_t raw, bool in_table, const char *instead)
{
	double part = raw ? 100 * (double)(int64_t)(count - raw) / (double)raw : 0;

	return given && raw ? amount_value(in_table && fabs(part) < 0.0005 ? 0 : part, "%") : no_value(instead);
}

static void put_bracket(const struct unc_xcheck_bracket *bracket, bool perf, struct value *values)
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
	values[7] = hex_value(bracket->control, 8);
}

static void emit_compared(const struct xcheck_report *report, const struct unc_xcheck_row *is, const char *label,
			  struct emitter *emitter)
{
	bool kernel = is->has_kernel && is->has_raw, ours = is->has_ours && is->has_raw;
	const char *not_ours = report->observes || !is->box ? "" : NULL; /* none was wanted */
	struct unc_box_info box = {.perf = -1};
	char flags[FLAGS_TEXT_MAX], notes[500];
	struct row row;

	if (is->box)
		unc_box_info(is->box, &box);
	snprintf(notes, sizeof(notes), "%s%s%s", verdicts[is->verdict], is->why ? ": " : "", is->why ? is->why : "");
	row = (struct row){
		.record = true,
		.in_table = true,
		.detail = is->verdict == UNC_XCHECK_OK,
		.values =
			{
				text_value(label),
				known(is->time_ns, is->time_ns),
				known(is->interval_ns, is->interval_ns),
				text_value(is->subject),
				known(is->box, box.socket),
				known(is->box, box.imc),
				known(is->box, box.channel),
				text_value(box.pci),
				text_value(is->event),
				text_value(is->source),
				known(is->box && is->number >= 0, (uint64_t)is->number),
				text_value(is->box ? is->source : NULL),
				known(box.perf >= 0, (uint64_t)box.perf),
				known(is->cpu >= 0, (uint64_t)is->cpu),
				text_value(is->config),
				text_value(is->perf_event),
				text_value(is->alias),
				text_value(is->counter),
				text_value(is->own),
				known(is->has_kernel, is->kernel),
				known(is->has_raw, is->raw),
				is->has_ours ? number_value(is->ours) : no_value(not_ours),
				kernel ? signed_value((int64_t)(is->kernel - is->raw)) : no_value(NULL),
				percent(kernel, is->kernel, is->raw, false, NULL),
				percent(kernel, is->kernel, is->raw, true, NULL),
				ours ? signed_value((int64_t)(is->ours - is->raw)) : no_value(not_ours),
				percent(ours, is->ours, is->raw, false, NULL),
				percent(ours, is->ours, is->raw, true, not_ours),
				known(is->has_raw, is->uncertainty),
				known(is->has_raw, is->tolerated),
				text_value(verdicts[is->verdict]),
				text_value(is->why),
				[C_SYSTEM] = text_value(report->kernel),
				[C_FLAGS] = text_value(flags_text(report->simulated ? FLAG_SIMULATED : 0, flags)),
				[C_NOTES] = text_value(notes),
			},
	};
	put_bracket(&is->from, is->box, &row.values[C_FROM]);
	put_bracket(&is->to, is->box, &row.values[C_TO]);
	emit_row(emitter, &row);
}

void xcheck_report_heading(const char *label, const size_t n[3], struct emitter *emitter)
{
	struct row row = {.in_table = true, .headline = true};
	char sum[100] = "";

	for (size_t i = 0; i < xcheck_n_columns; i++)
		row.values[i] = no_value("");
	row.values[C_LABEL] = text_value(label);
	for (size_t i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
		if (n[i])
			unc_text_join(sum, sizeof(sum), ", ", "%zu %s", n[i],
				      i == UNC_XCHECK_DIFFERS && n[i] > 1 ? "differ" : verdicts[i]);
	row.values[C_NOTES] = text_value(sum);
	emit_row(emitter, &row);
}

/* ---- the final report ---- */

/* Takes the text of an output that is built in memory and never written.  NULL: out of memory, after a message. */
static char *take_text(struct output *lines)
{
	output_append(lines, "", 1);
	if (!lines->failed)
		return lines->text;
	free(lines->text);
	return NULL;
}

int xcheck_report_open(struct unc_ctx *ctx, struct unc_machine *machine, bool observes, size_t n_rows,
		       struct xcheck_report *report)
{
	struct unc_machine_info info;
	struct unc_machine_fact fact;
	int rc = UNC_OK;

	unc_machine_info(machine, &info);
	*report = (struct xcheck_report){.machine = machine, .simulated = info.simulated, .observes = observes};
	for (size_t i = 0; rc == 0; i++) {
		rc = unc_machine_fact(machine, i, &fact);
		if (rc == 0 && strcmp(fact.name, "kernel") == 0)
			snprintf(report->kernel, sizeof(report->kernel), "%s", fact.text);
	}
	if (rc != UNC_ENODEV) /* that is the end of the facts */
		return rc;
	report->stories = calloc(n_rows + 1, sizeof(*report->stories));
	if (!report->stories)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	report->n_stories = n_rows;
	return UNC_OK;
}

void xcheck_report_close(struct xcheck_report *report)
{
	for (size_t i = 0; i < report->n_stories; i++) {
		free(report->stories[i].why_not);
		free(report->stories[i].differs);
	}
	free(report->stories);
	*report = (struct xcheck_report){0};
}

/* For an event, an L3 has one row for each group. */
static void name_row(const struct unc_xcheck_row *row, struct output *lines)
{
	if (row->box)
		output_printf(lines, "%s %s", row->subject, row->event);
	else
		output_shown(lines, row->source);
}

/* ---- the report of one difference ---- */

/* The counter that the kernel uses: "CTR[0] at 0xa0". */
static void name_counter(const struct unc_xcheck_row *row, struct output *lines)
{
	for (size_t i = 0; i < unc_box_reg_count(row->box); i++) {
		struct unc_reg_info reg;
		char name[REG_NAME_MAX];

		if (unc_box_reg_info(row->box, i, &reg) < 0 || strcmp(reg_name(&reg, name), row->counter) != 0)
			continue;
		output_printf(lines, "  counter   %s at 0x%" PRIx32 ", its control was 0x%08" PRIx64 "\n", name,
			      reg.offset, row->to.control);
		return;
	}
	output_printf(lines, "  counter   %s\n", row->counter);
}

static void name_channel(const struct unc_xcheck_row *row, struct output *lines)
{
	struct unc_box_info info;

	unc_box_info(row->box, &info);
	output_printf(lines, "  box       %s, PCI %s\n", info.name, *info.pci ? info.pci : "unknown");
	output_printf(lines, "  PMU       %s, %s", row->source, row->config ? row->config : "not known");
	if (row->cpu >= 0)
		output_printf(lines, ", on CPU %d", row->cpu);
	if (row->alias)
		output_printf(lines, "; perf calls the event %s", row->alias);
	output_printf(lines, "\n");
	if (row->number >= 0 && info.perf >= 0 && row->number != info.perf)
		output_printf(lines, "            (the map of this CPU has number %d for this channel)\n", info.perf);
	if (row->perf_event)
		output_printf(lines, "            perf stat -a --per-socket -e %s\n", row->perf_event);
	if (row->counter)
		name_counter(row, lines);
}

static void name_bracket(const char *name, const struct unc_xcheck_bracket *bracket, bool perf, struct output *lines)
{
	output_printf(lines, "  %-9s raw %" PRIu64 ", kernel %" PRIu64 ", raw %" PRIu64 ", in this order\n", name,
		      bracket->raw_before, bracket->kernel, bracket->raw_after);
	output_printf(lines, "            at %.9f to %.9f s", (double)bracket->begin_ns / 1e9,
		      (double)bracket->end_ns / 1e9);
	if (perf)
		output_printf(lines, "; enabled %" PRIu64 " ns, running %" PRIu64 " ns", bracket->enabled_ns,
			      bracket->running_ns);
	output_printf(lines, "\n");
}

static void name_counts(const struct unc_xcheck_row *row, struct output *lines)
{
	uint64_t allowed = row->uncertainty + row->tolerated, low = row->raw > allowed ? row->raw - allowed : 0,
		 high = row->raw + allowed;

	output_printf(lines, "  counted   in %.9f s", (double)row->interval_ns / 1e9);
	if (row->has_kernel)
		output_printf(lines, " by the kernel %" PRIu64, row->kernel);
	if (row->has_raw)
		output_printf(lines, ", by its counter %" PRIu64, row->raw);
	if (row->has_ours)
		output_printf(lines, ",\n            by ours %" PRIu64 "%s%s%s", row->ours, row->own ? " (" : "",
			      row->own ? row->own : "", row->own ? ")" : "");
	output_printf(lines, "\n");
	if (row->has_raw && ((row->has_kernel && (row->kernel < low || row->kernel > high)) ||
			     (row->has_ours && row->raw && (row->ours < low || row->ours > high))))
		output_printf(lines,
			      "  expected  %" PRIu64 " to %" PRIu64 ": %" PRIu64
			      " may have come between the readings,\n            and %" PRIu64 " are tolerated\n",
			      low, high, row->uncertainty, row->tolerated);
}

static char *describe(const struct xcheck_report *report, const struct unc_xcheck_row *row)
{
	time_t seconds = (time_t)(row->time_ns / 1000000000);
	struct output lines = {.fd = -1};
	struct unc_machine_info info;
	char when[32] = "";
	struct tm tm;

	unc_machine_info(report->machine, &info);
	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	name_row(row, &lines);
	output_printf(&lines, " differs: %s\n", row->why ? row->why : "");
	output_printf(&lines, "  kernel    %s\n", *report->kernel ? report->kernel : "(this machine does not tell)");
	output_printf(&lines, "  CPU       %s family %u model %u stepping %u%s%s%s\n", info.vendor, info.family,
		      info.model, info.stepping, *info.part ? ": " : "", info.part,
		      info.simulated ? " (simulated)" : "");
	if (row->box)
		name_channel(row, &lines);
	else
		output_printf(&lines, "  resctrl   %s\n  RMID      %s%s%s\n", row->source,
			      row->config ? row->config : "?", row->counter ? ", read as " : "",
			      row->counter ? row->counter : "");
	if (row->from.end_ns && row->to.end_ns) {
		name_bracket("from", &row->from, row->box, &lines);
		name_bracket("to", &row->to, row->box, &lines);
	}
	name_counts(row, &lines);
	output_printf(&lines,
		      "  when      sample %" PRIu64 ", which ended %s UTC; other times are CLOCK_MONOTONIC_RAW\n",
		      report->n_samples, when);
	output_printf(&lines, "  seen by   uncorectl %s\n", UNC_VERSION);
	return take_text(&lines);
}

bool xcheck_report_row(struct xcheck_report *report, size_t index, const struct unc_xcheck_row *row, const char *label,
		       struct emitter *emitter)
{
	struct xcheck_story *story = &report->stories[index];
	struct output lines = {.fd = -1};

	emit_compared(report, row, label, emitter);
	report->n_samples += index == 0;
	report->n_ok += row->verdict == UNC_XCHECK_OK;
	report->n_differ += row->verdict == UNC_XCHECK_DIFFERS;
	report->n_not_comparable += row->verdict == UNC_XCHECK_NOT_COMPARABLE;
	story->n_not_comparable += row->verdict == UNC_XCHECK_NOT_COMPARABLE;
	if (row->verdict == UNC_XCHECK_DIFFERS && !story->differs) {
		story->differs = describe(report, row);
		return story->differs;
	}
	if (row->verdict != UNC_XCHECK_NOT_COMPARABLE || story->why_not)
		return true;
	if (row->box || !row->why || !strstr(row->why, row->source)) { /* else the sentence is about that very file */
		name_row(row, &lines);
		output_printf(&lines, ": ");
	}
	output_shown(&lines, row->why ? row->why : "");
	story->why_not = take_text(&lines);
	return story->why_not;
}

/* ---- the final report ---- */

static void print_sum(const struct xcheck_report *report, char *buf, size_t size)
{
	snprintf(buf, size, "%" PRIu64 " compared: %" PRIu64 " ok, %" PRIu64 " differ%s; %" PRIu64 " not comparable",
		 report->n_ok + report->n_differ, report->n_ok, report->n_differ, report->n_differ == 1 ? "s" : "",
		 report->n_not_comparable);
}

static bool is_good(const struct xcheck_report *report)
{
	return report->n_ok && report->n_differ == 0;
}

void xcheck_report_print(const struct xcheck_report *report, struct output *out)
{
	char sum[160];

	print_sum(report, sum, sizeof(sum));
	if (!out) {
		if (is_good(report))
			say("note: xcheck: %s", sum);
		return; /* otherwise the verdict prints it */
	}
	for (size_t i = 0; i < report->n_stories; i++) {
		if (!report->stories[i].differs)
			continue;
		output_text(out, report->stories[i].differs);
		output_printf(out, "\n");
	}
	if (report->n_not_comparable)
		output_text(out, report->n_samples > 1
					 ? "not comparable, in how many samples, and why in the first of them:\n"
					 : "not comparable:\n");
	for (size_t i = 0; i < report->n_stories; i++) {
		const struct xcheck_story *story = &report->stories[i];

		if (!story->why_not)
			continue;
		output_text(out, "  ");
		if (report->n_samples > 1)
			output_printf(out, "%" PRIu64 " of %" PRIu64 ": ", story->n_not_comparable, report->n_samples);
		output_printf(out, "%s\n", story->why_not);
	}
	output_text(out, report->n_not_comparable ? "\n" : "");
	output_printf(out, "%s\n", sum);
	output_flush(out); /* before the verdict is printed */
}

int xcheck_report_verdict(const struct xcheck_report *report)
{
	const char *first = NULL; /* the first row that differs, or else the first that could not be compared */
	char sum[160];

	if (is_good(report))
		return EXIT_DONE;
	for (size_t i = 0; i < report->n_stories && !first; i++)
		first = report->n_differ ? report->stories[i].differs : report->stories[i].why_not;
	print_sum(report, sum, sizeof(sum));
	say("xcheck: %s; the first: %.*s", sum, first ? (int)strcspn(first, "\n") : 0, first ? first : "");
	return EXIT_FAILED;
}

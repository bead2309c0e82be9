// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "cli/xcheck_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "cli/cli.h"

/* Takes the text of an output that is built in memory and never written.  NULL: out of memory, after a message. */
static char *take_text(struct output *lines)
{
	output_append(lines, "", 1);
	if (!lines->failed)
		return lines->text;
	free(lines->text);
	return NULL;
}

/* Finds the fact "kernel" among those that the operating system reports. */
static int ask_kernel(struct unc_machine *machine, char kernel[200])
{
	struct unc_machine_fact fact;
	int rc = UNC_OK;

	for (size_t i = 0; rc == 0; i++) {
		rc = unc_machine_fact(machine, i, &fact);
		if (rc == 0 && strcmp(fact.name, "kernel") == 0)
			snprintf(kernel, 200, "%s", fact.text);
	}
	return rc == UNC_ENODEV ? UNC_OK : rc;
}

int xcheck_report_open(struct unc_ctx *ctx, struct unc_machine *machine, size_t n_rows, struct xcheck_report *report)
{
	int rc;

	*report = (struct xcheck_report){.machine = machine};
	rc = ask_kernel(machine, report->kernel);
	if (rc < 0)
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

static void name_machine(const struct xcheck_report *report, struct output *lines)
{
	struct unc_machine_info info;

	unc_machine_info(report->machine, &info);
	output_printf(lines, "  kernel    %s\n", *report->kernel ? report->kernel : "(this machine does not tell)");
	output_printf(lines, "  CPU       %s family %u model %u stepping %u%s%s%s\n", info.vendor, info.family,
		      info.model, info.stepping, *info.part ? ": " : "", info.part,
		      info.simulated ? " (simulated)" : "");
}

/* The counter that the kernel uses: "CTR[0] at 0xa0". */
static void name_counter(const struct unc_xcheck_row *row, struct output *lines)
{
	for (size_t i = 0; i < unc_box_reg_count(row->box); i++) {
		struct unc_reg_info reg;
		char name[64];

		if (unc_box_reg_info(row->box, i, &reg) < 0)
			continue;
		snprintf(name, sizeof(name), reg.count > 1 ? "%s[%u]" : "%s", reg.name, reg.index);
		if (strcmp(name, row->counter) == 0) {
			output_printf(lines, "  counter   %s at 0x%" PRIx32 ", its control was 0x%08" PRIx64 "\n", name,
				      reg.offset, row->to.control);
			return;
		}
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

/* The kernel's count, or ours, is outside the range in which it should be. */
static bool is_off(const struct unc_xcheck_row *row, uint64_t low, uint64_t high)
{
	return (row->has_kernel && (row->kernel < low || row->kernel > high)) ||
	       (row->has_ours && row->raw && (row->ours < low || row->ours > high));
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
	if (row->has_raw && is_off(row, low, high))
		output_printf(lines,
			      "  expected  %" PRIu64 " to %" PRIu64 ": %" PRIu64
			      " may have come between the readings,\n            and %" PRIu64 " are tolerated\n",
			      low, high, row->uncertainty, row->tolerated);
}

static char *describe(const struct xcheck_report *report, const struct unc_xcheck_row *row)
{
	time_t seconds = (time_t)(row->time_ns / 1000000000);
	struct output lines = {.fd = -1};
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	name_row(row, &lines);
	output_printf(&lines, " differs: %s\n", row->why ? row->why : "");
	name_machine(report, &lines);
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

/* ---- what is kept of each row ---- */

static bool note_why_not(struct xcheck_story *story, const struct unc_xcheck_row *row)
{
	struct output lines = {.fd = -1};

	story->n_not_comparable++;
	if (story->why_not)
		return true;
	if (row->box || !row->why || !strstr(row->why, row->source)) { /* else the sentence is about that very file */
		name_row(row, &lines);
		output_printf(&lines, ": ");
	}
	output_shown(&lines, row->why ? row->why : "");
	story->why_not = take_text(&lines);
	return story->why_not;
}

bool xcheck_report_take(struct xcheck_report *report, size_t index, const struct unc_xcheck_row *row)
{
	struct xcheck_story *story = &report->stories[index];

	report->n_samples += index == 0;
	switch (row->verdict) {
	case UNC_XCHECK_OK:
		report->n_ok++;
		return true;
	case UNC_XCHECK_NOT_COMPARABLE:
		report->n_not_comparable++;
		return note_why_not(story, row);
	default:
		report->n_differ++;
		if (!story->differs)
			story->differs = describe(report, row);
		return story->differs;
	}
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

static void print_not_comparable(const struct xcheck_report *report, struct output *out)
{
	output_printf(out, report->n_samples > 1
				   ? "not comparable, in how many samples, and why in the first of them:\n"
				   : "not comparable:\n");
	for (size_t i = 0; i < report->n_stories; i++) {
		const struct xcheck_story *story = &report->stories[i];

		if (!story->why_not)
			continue;
		output_printf(out, "  ");
		if (report->n_samples > 1)
			output_printf(out, "%" PRIu64 " of %" PRIu64 ": ", story->n_not_comparable, report->n_samples);
		output_printf(out, "%s\n", story->why_not);
	}
	output_printf(out, "\n");
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
		print_not_comparable(report, out);
	output_printf(out, "%s\n", sum);
	output_flush(out); /* before the verdict is printed */
}

/* The first row that differs, or else the first that could not be compared, as a part of a sentence. */
static const char *first_of(const struct xcheck_report *report)
{
	for (size_t i = 0; i < report->n_stories; i++) {
		const struct xcheck_story *story = &report->stories[i];

		if (report->n_differ ? story->differs : story->why_not)
			return report->n_differ ? story->differs : story->why_not;
	}
	return "";
}

int xcheck_report_verdict(const struct xcheck_report *report)
{
	const char *first = first_of(report);
	char sum[160];

	if (is_good(report))
		return EXIT_DONE;
	print_sum(report, sum, sizeof(sum));
	say("xcheck: %s; the first: %.*s", sum, (int)strcspn(first, "\n"), first);
	return EXIT_FAILED;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* check --format junit: XML for test servers, with one suite for each theme. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/check.h"
#include "cli/check_text.h"

static void attribute(struct output *out, const char *name, const char *text)
{
	output_printf(out, " %s=\"", name);
	check_xml(out, text);
	output_text(out, "\"");
}

static void print_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
{
	char hex[CHECK_NUMBER_MAX], line[300], bits[400];

	if (value->box[0]) {
		snprintf(line, sizeof(line), "%s %s (0x%" PRIx32 " of %s) ", value->box, value->reg, value->offset,
			 value->pci);
		check_xml(out, line);
	} else if (value->reg[0]) {
		check_xml(out, value->reg);
		output_text(out, " ");
	}
	check_xml(out, value->what);
	if (value->has_wrote)
		output_printf(out, " wrote %s", check_number(value, value->wrote, hex));
	output_printf(out, " read %s", check_number(value, value->read, hex));
	if (value->has_expected)
		output_printf(out, " expected %s", check_number(value, value->expected, hex));
	check_bits_text(report->machine, value, bits, sizeof(bits));
	if (bits[0]) {
		output_text(out, ": ");
		check_xml(out, bits);
	}
	output_text(out, "\n");
}

static void print_failure(const struct check_report *report, size_t index, struct output *out)
{
	const struct unc_check_result *result = &report->items[index].result;
	struct unc_check_value value;

	output_text(out, "      <failure");
	attribute(out, "message", report->items[index].finding);
	attribute(out, "type", result->check);
	output_text(out, ">\n");
	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++)
		if (!value.good)
			print_value(report, &value, out);
	if (result->n_dropped)
		output_printf(out, "and %zu more\n", result->n_dropped);
	output_text(out, "</failure>\n");
}

/* The time of a check, which tests all subjects together, is divided equally among them. */
static double share_s(const struct check_sum *sum)
{
	return sum->end > sum->first ? (double)sum->ns / 1e9 / (double)(sum->end - sum->first) : 0;
}

static void print_case(const struct check_report *report, const struct check_sum *sum, size_t index, struct output *out)
{
	const struct unc_check_result *result = &report->items[index].result;

	output_text(out, "    <testcase");
	attribute(out, "classname", result->check);
	attribute(out, "name", result->subject);
	output_printf(out, " time=\"%.6f\"", share_s(sum));
	if (result->state == UNC_CHECK_PASS) {
		output_text(out, "/>\n");
		return;
	}
	output_text(out, ">\n");
	if (result->state == UNC_CHECK_FAIL) {
		print_failure(report, index, out);
	} else if (result->state == UNC_CHECK_SKIP) {
		output_text(out, "      <skipped");
		attribute(out, "message", report->items[index].finding);
		output_text(out, "/>\n");
	} else {
		output_text(out, "      <error type=\"incomplete\"");
		attribute(out, "message", report->ended ? report->ended : "not run");
		output_text(out, "/>\n");
	}
	output_text(out, "    </testcase>\n");
}

struct totals {
	unsigned counts[CHECK_STATES], n;
	double seconds;
};

static void attributes(const struct totals *totals, struct output *out)
{
	output_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\"", totals->n,
		      totals->counts[UNC_CHECK_FAIL], totals->counts[UNC_CHECK_NOT_RUN], totals->counts[UNC_CHECK_SKIP],
		      totals->seconds);
}

static void property(struct output *out, const char *name, const char *value)
{
	output_text(out, "      <property");
	attribute(out, "name", name);
	attribute(out, "value", value);
	output_text(out, "/>\n");
}

static void print_properties(const struct check_report *report, struct output *out)
{
	char text[120];

	output_text(out, "    <properties>\n");
	property(out, "machine", report->info.name);
	property(out, "simulated", report->info.simulated ? "true" : "false");
	property(out, "part", report->info.part);
	check_cpu_text(report, text, sizeof(text));
	property(out, "cpu", text);
	property(out, "brand", report->cpu.brand);
	for (size_t i = 0; i < report->n_facts; i++)
		if (report->facts[i].text[0])
			property(out, report->facts[i].name, report->facts[i].text);
	snprintf(text, sizeof(text), "%u", report->info.n_sockets);
	property(out, "sockets", text);
	property(out, "depth", check_depth_name(report->options->cfg.depth));
	property(out, "command", report->command);
	property(out, "version", UNC_VERSION);
	output_text(out, "    </properties>\n");
}

/* Checks of one theme are adjacent; returns the index after the last, where the next theme begins. */
static size_t end_of_theme(const struct check_report *report, size_t first)
{
	const char *name = report->sums[first].about->name;
	size_t end = first;

	while (end < report->n_sums && strncmp(report->sums[end].about->name, name, check_theme_len(name) + 1) == 0)
		end++;
	return end;
}

static void print_suite(const struct check_report *report, size_t first, size_t end, struct output *out)
{
	struct totals totals = {.n = 0};
	char theme[40], date[32];

	for (size_t k = first; k < end; k++) {
		for (unsigned state = 0; state < CHECK_STATES; state++) {
			totals.counts[state] += report->sums[k].counts[state];
			totals.n += report->sums[k].counts[state];
		}
		totals.seconds += (double)report->sums[k].ns / 1e9;
	}
	snprintf(theme, sizeof(theme), "%.*s", (int)check_theme_len(report->sums[first].about->name),
		 report->sums[first].about->name);
	snprintf(date, sizeof(date), "%.19s", report->date); /* readers expect no time zone */
	output_text(out, "  <testsuite");
	attribute(out, "name", theme);
	attribute(out, "timestamp", date);
	attributes(&totals, out);
	output_text(out, ">\n");
	print_properties(report, out);
	for (size_t k = first; k < end; k++)
		for (size_t i = report->sums[k].first; i < report->sums[k].end; i++)
			print_case(report, &report->sums[k], i, out);
	output_text(out, "  </testsuite>\n");
}

void check_print_junit(const struct check_report *report, struct output *out)
{
	struct totals totals = {.n = (unsigned)report->n, .seconds = (double)report->took_ns / 1e9};

	memcpy(totals.counts, report->counts, sizeof(totals.counts));
	output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"uncorectl check\"");
	attributes(&totals, out);
	output_text(out, ">\n");
	for (size_t k = 0; k < report->n_sums; k = end_of_theme(report, k))
		print_suite(report, k, end_of_theme(report, k), out);
	output_text(out, "</testsuites>\n");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check --format tap: the Test Anything Protocol, version 14 except for its first line.  Test::Harness 3.44, the `prove` of Debian
 * 12, refuses a stream that says 14, and readers of 14 may accept one that says 13.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/check_text.h"

/* Writes the text on one line, without characters that have a meaning in TAP. */
static void description(struct output *out, const char *text)
{
	while (*text) {
		char piece[UNC_TEXT_PIECE];
		size_t len = unc_text_show_next(&text, piece);

		if (piece[0] == '#' || piece[0] == '\\')
			output_append(out, "\\", 1);
		output_append(out, piece, len);
	}
}

static void key(struct output *out, const char *indent, const char *name, const char *text)
{
	output_printf(out, "%s%s: ", indent, name);
	output_json(out, text);
	output_text(out, "\n");
}

static void print_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
{
	char hex[CHECK_NUMBER_MAX], bits[400];

	key(out, "    - ", "what", value->what);
	if (value->box[0]) {
		key(out, "      ", "box", value->box);
		key(out, "      ", "pci", value->pci);
		key(out, "      ", "register", value->reg);
		output_printf(out, "      offset: 0x%" PRIx32 "\n", value->offset);
	} else if (value->reg[0]) {
		key(out, "      ", "name", value->reg);
	}
	if (value->has_wrote)
		output_printf(out, "      wrote: %s\n", check_number(value, value->wrote, hex));
	output_printf(out, "      read: %s\n", check_number(value, value->read, hex));
	if (value->has_expected)
		output_printf(out, "      expected: %s\n", check_number(value, value->expected, hex));
	check_bits_text(report->machine, value, bits, sizeof(bits));
	if (bits[0])
		key(out, "      ", "differs", bits);
}

static void print_diagnostic(const struct check_report *report, size_t index, struct output *out)
{
	const struct unc_check_result *result = &report->items[index].result;
	struct unc_check_value value;
	bool any = false;

	output_text(out, "  ---\n");
	key(out, "  ", "message", report->items[index].finding);
	key(out, "  ", "severity", "fail");
	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++) {
		if (value.good)
			continue;
		if (!any)
			output_text(out, "  values:\n");
		any = true;
		print_value(report, &value, out);
	}
	if (result->n_dropped)
		output_printf(out, "  more: %zu\n", result->n_dropped);
	output_text(out, "  ...\n");
}

static void print_point(const struct check_report *report, size_t index, size_t number, struct output *out)
{
	const struct unc_check_result *result = &report->items[index].result;
	bool good = result->state == UNC_CHECK_PASS || result->state == UNC_CHECK_SKIP;

	output_printf(out, "%s %zu - ", good ? "ok" : "not ok", number);
	description(out, result->check);
	output_text(out, " ");
	description(out, result->subject);
	if (result->state == UNC_CHECK_SKIP) {
		output_text(out, " # SKIP ");
		description(out, report->items[index].finding);
	}
	output_text(out, "\n");
	if (result->state == UNC_CHECK_FAIL)
		print_diagnostic(report, index, out);
	else if (result->state == UNC_CHECK_NOT_RUN)
		output_text(out, "# incomplete: not run\n");
}

static void comment(struct output *out, const char *text)
{
	output_text(out, "# ");
	description(out, text);
	output_text(out, "\n");
}

/* Results that were not run have no line: the run bails out at their place. */
static size_t print_points(const struct check_report *report, struct output *out)
{
	size_t number = 0;

	for (size_t i = 0; i < report->n; i++)
		if (!report->ended || report->items[i].result.state != UNC_CHECK_NOT_RUN)
			print_point(report, i, ++number, out);
	return number;
}

void check_print_tap(const struct check_report *report, struct output *out)
{
	char line[400], cpu[120];

	output_text(out, "TAP version 13\n");
	if (report->n || report->ended)
		output_printf(out, "1..%zu\n", report->n);
	else
		output_text(out, "1..0 # SKIP nothing to check\n");
	check_cpu_text(report, cpu, sizeof(cpu));
	comment(out, report->command);
	snprintf(line, sizeof(line), "%s: %s %s%s, %u socket%s, %s, uncorectl %s", report->info.name, report->info.part,
		 cpu, report->info.simulated ? ", simulated" : "", report->info.n_sockets,
		 report->info.n_sockets == 1 ? "" : "s", report->date, UNC_VERSION);
	comment(out, line);
	for (size_t i = 0; i < report->n_facts; i++) {
		snprintf(line, sizeof(line), "%s: %s", report->facts[i].name, report->facts[i].text);
		if (report->facts[i].text[0])
			comment(out, line);
	}
	print_points(report, out);
	check_counts_text(report, line, sizeof(line));
	comment(out, line);
	check_incomplete_text(report, line, sizeof(line));
	if (line[0] && !report->ended)
		comment(out, line);
	if (report->ended) {
		output_text(out, "Bail out! incomplete: ");
		description(out, report->ended);
		output_text(out, "\n");
	}
}

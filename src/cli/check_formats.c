// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check --format jsonl: one record for the run, one for each result, and one for the end.  Results contain values and plots, so the
 * flat emitter of the other commands cannot be used.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/check.h"

static void name(struct output *out, const char *key)
{
	output_printf(out, ",\"%s\":", key);
}

static void text(struct output *out, const char *key, const char *value)
{
	name(out, key);
	if (value && *value)
		output_json(out, value);
	else
		output_text(out, "null");
}

static void number(struct output *out, const char *key, uint64_t value)
{
	name(out, key);
	output_u64(out, value);
}

static void flag(struct output *out, const char *key, bool value)
{
	name(out, key);
	output_text(out, value ? "true" : "false");
}

static void place(struct output *out, const char *key, int value)
{
	name(out, key);
	if (value < 0)
		output_text(out, "null");
	else
		output_u64(out, (uint64_t)value);
}

/* Registers are written as text, since JSON has no hexadecimal numbers, and not every reader handles numbers of 64 bits. */
static void bits(struct output *out, const char *key, const struct unc_check_value *value, bool has, uint64_t number)
{
	char buf[CHECK_NUMBER_MAX];

	name(out, key);
	if (!has)
		output_text(out, "null");
	else if (value->box[0])
		output_json(out, check_number(value, number, buf));
	else
		output_text(out, check_number(value, number, buf));
}

static void real(struct output *out, double value)
{
	if (isfinite(value))
		output_printf(out, "%.15g", value);
	else
		output_text(out, "null");
}

static void print_run(const struct check_report *report, struct output *out)
{
	output_text(out, "{\"record\":\"run\"");
	text(out, "machine", report->info.name);
	flag(out, "simulated", report->info.simulated);
	text(out, "vendor", report->info.vendor);
	text(out, "part", report->info.part);
	text(out, "brand", report->cpu.brand);
	for (size_t i = 0; i < report->n_facts; i++)
		text(out, report->facts[i].name, report->facts[i].text);
	number(out, "family", report->info.family);
	number(out, "model", report->info.model);
	number(out, "stepping", report->info.stepping);
	number(out, "sockets", report->info.n_sockets);
	number(out, "cpus", report->info.n_cpus);
	text(out, "depth", check_depth_name(report->options->cfg.depth));
	text(out, "command", report->command);
	text(out, "version", UNC_VERSION);
	text(out, "time", report->date);
	number(out, "time_ns", report->real_ns);
	output_text(out, "}\n");
}

static void print_value(const struct unc_check_value *value, struct output *out)
{
	bool is_register = value->box[0] != '\0';
	char offset[16];

	snprintf(offset, sizeof(offset), "0x%02" PRIx32, value->offset);
	output_text(out, "{\"what\":");
	output_json(out, value->what);
	text(out, "box", value->box);
	text(out, "pci", value->pci);
	text(out, "register", is_register ? value->reg : NULL);
	text(out, "name", is_register ? NULL : value->reg);
	text(out, "offset", is_register ? offset : NULL);
	bits(out, "wrote", value, value->has_wrote, value->wrote);
	bits(out, "read", value, true, value->read);
	bits(out, "expected", value, value->has_expected, value->expected);
	bits(out, "compared", value, value->has_expected && is_register, value->compared);
	bits(out, "differs", value, value->has_expected && is_register, check_differing(value));
	flag(out, "good", value->good);
	output_text(out, "}");
}

static void print_plot(const struct unc_check_plot *plot, struct output *out)
{
	bool banded = plot->low != 0 || plot->high != 0;

	output_text(out, "{\"title\":");
	output_json(out, plot->title);
	text(out, "x_unit", plot->x_unit);
	text(out, "y_unit", plot->y_unit);
	name(out, "low");
	real(out, banded ? plot->low : NAN);
	name(out, "high");
	real(out, banded ? plot->high : NAN);
	name(out, "points");
	output_text(out, "[");
	for (size_t i = 0; i < plot->n_points; i++) {
		output_text(out, i ? ",[" : "[");
		real(out, plot->points[i].x);
		output_text(out, ",");
		real(out, plot->points[i].y);
		output_text(out, "]");
	}
	output_text(out, "]}");
}

static void print_result(const struct check_report *report, size_t index, struct output *out)
{
	const struct check_item *item = &report->items[index];
	struct unc_check_value value;
	struct unc_check_plot plot;

	output_text(out, "{\"record\":\"result\"");
	text(out, "check", item->result.check);
	text(out, "subject", item->result.subject);
	place(out, "socket", item->socket);
	place(out, "imc", item->imc);
	place(out, "channel", item->channel);
	text(out, "state", check_state_name(item->result.state));
	text(out, "finding", item->finding);
	flag(out, "prevented", check_is_prevented(item));
	name(out, "values");
	output_text(out, "[");
	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++) {
		output_text(out, i ? "," : "");
		print_value(&value, out);
	}
	output_text(out, "]");
	number(out, "dropped", item->result.n_dropped);
	name(out, "plots");
	output_text(out, "[");
	for (size_t i = 0; unc_check_plot(report->check, index, i, &plot) == 0; i++) {
		output_text(out, i ? "," : "");
		print_plot(&plot, out);
	}
	output_text(out, "]");
	text(out, "tested", item->result.tested);
	number(out, "ns", item->result.ns);
	output_text(out, "}\n");
}

void check_print_jsonl(const struct check_report *report, struct output *out)
{
	print_run(report, out);
	for (size_t i = 0; i < report->n; i++)
		print_result(report, i, out);
	output_text(out, "{\"record\":\"end\"");
	text(out, "verdict", check_verdict(report));
	flag(out, "complete", !report->ended && !report->counts[UNC_CHECK_NOT_RUN] && !report->n_prevented);
	text(out, "ended", report->ended);
	number(out, "checks", report->n_sums);
	number(out, "results", report->n);
	number(out, "passed", report->counts[UNC_CHECK_PASS]);
	number(out, "failed", report->counts[UNC_CHECK_FAIL]);
	number(out, "skipped", report->counts[UNC_CHECK_SKIP]);
	number(out, "not_run", report->counts[UNC_CHECK_NOT_RUN]);
	number(out, "took_ns", report->took_ns);
	output_text(out, "}\n");
}

/*
 * check --format tap: the Test Anything Protocol, version 14 except for its first line.  Test::Harness 3.44, the `prove` of Debian
 * 12, refuses a stream that says 14, and readers of 14 may accept one that says 13.
 */

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

static void tap_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
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
		tap_value(report, &value, out);
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

/* check --format junit: XML for test servers, with one suite for each theme. */

static void attribute(struct output *out, const char *name, const char *text)
{
	output_printf(out, " %s=\"", name);
	check_xml(out, text);
	output_text(out, "\"");
}

static void junit_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
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
			junit_value(report, &value, out);
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

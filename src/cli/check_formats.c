// SPDX-License-Identifier: GPL-2.0-or-later
/* The formats of `check` for programs: TAP, JUnit and JSON lines.  One walk over the results serves all of them. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/check.h"

/* Goes through the results of some checks, and their values. */
struct walk {
	const struct check_report *report;
	struct json json;              /* also of the formats that are not JSON: its output is theirs */
	bool wrong_only;               /* of the values, only the wrong ones of failures are visited */
	size_t next_sum, end;          /* the checks that are not yet begun */
	const struct check_sum *sum;   /* the check of the current result; NULL: none was begun */
	size_t next, next_value;       /* index of a result, and of one of the current result's values */
	const struct check_item *item; /* the current result */
};

static bool next_result(struct walk *walk)
{
	while (!walk->sum || walk->next == walk->sum->end) {
		if (walk->next_sum == walk->end)
			return false;
		walk->sum = &walk->report->sums[walk->next_sum++];
		walk->next = walk->sum->first;
	}
	walk->item = &walk->report->items[walk->next++];
	walk->next_value = 0;
	return true;
}

static bool next_value(struct walk *walk, struct unc_check_value *ret_value)
{
	bool failed = walk->item->result.state == UNC_CHECK_FAIL;
	bool wrong_only = walk->wrong_only || (walk->json.in_page && !failed);

	while ((failed || !wrong_only) &&
	       unc_check_value(walk->report->check, walk->next - 1, walk->next_value++, ret_value) == 0)
		if (!wrong_only || !ret_value->good)
			return true;
	return false;
}

/* ---- JSON: one record for the run, one for each result, and one for the end; in a page they are elements of an array ---- */

static void begin_record(struct json *json, const char *kind)
{
	json_begin(json, NULL, '{');
	json_put_text(json, "record", kind);
}

static void end_record(struct json *json)
{
	json_end(json, '}');
	json->more = json->in_page;
	output_text(json->out, "\n");
}

/*
 * Registers are written as text, since JSON has no hexadecimal numbers, and not every reader handles numbers of 64 bits; scripts
 * do not.
 */
static void put_number(struct json *json, const char *key, const struct unc_check_value *value, bool has,
		       uint64_t number)
{
	char text[CHECK_NUMBER_MAX];

	if (!has || value->box[0] || json->in_page)
		json_put_text(json, key, has ? check_number(value, number, text) : NULL);
	else
		json_put_u64(json, key, number);
}

/* The page draws a wrong register bit by bit, and knows no map. */
static void put_fields(struct walk *walk, const struct unc_check_value *value)
{
	struct unc_machine *machine = walk->report->machine;
	struct json *json = &walk->json;
	unsigned end;

	json_put_u64(json, "bits", value->bits);
	json_begin(json, "fields", '[');
	for (unsigned bit = 0; bit < value->bits; bit = end) {
		const char *field = check_bit_field(machine, value, bit);

		end = bit + 1;
		while (end < value->bits && strcmp(check_bit_field(machine, value, end), field) == 0)
			end++;
		if (!*field)
			continue;
		json_begin(json, NULL, '{');
		json_put_text(json, "name", field);
		json_put_u64(json, "low", bit);
		json_put_u64(json, "high", end - 1);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void json_value(struct walk *walk, const struct unc_check_value *value)
{
	bool is_register = value->box[0] != '\0';
	struct json *json = &walk->json;
	char offset[16], text[400];

	snprintf(offset, sizeof(offset), "0x%02" PRIx32, value->offset);
	json_begin(json, NULL, '{');
	json_key(json, "what");
	json_quote(json, value->what);
	json_put_text(json, "box", value->box);
	json_put_text(json, "pci", value->pci);
	json_put_text(json, "register", is_register ? value->reg : NULL);
	json_put_text(json, "name", is_register ? NULL : value->reg);
	json_put_text(json, "offset", is_register ? offset : NULL);
	put_number(json, "wrote", value, value->has_wrote, value->wrote);
	put_number(json, "read", value, true, value->read);
	put_number(json, "expected", value, value->has_expected, value->expected);
	put_number(json, "compared", value, value->has_expected && is_register, value->compared);
	put_number(json, "differs", value, value->has_expected && is_register, check_differing(value));
	json_put_bool(json, "good", value->good);
	if (json->in_page && is_register && !value->good) {
		json_put_bool(json, "is_count",
			      check_difference_text(walk->report->machine, value, text, sizeof(text)));
		json_put_text(json, "difference", text);
		put_fields(walk, value);
	}
	json_end(json, '}');
}

static void put_plots(struct walk *walk)
{
	struct json *json = &walk->json;
	struct unc_check_plot plot;

	json_begin(json, "plots", '[');
	for (size_t i = 0; unc_check_plot(walk->report->check, walk->next - 1, i, &plot) == 0; i++) {
		bool banded = plot.low != 0 || plot.high != 0;

		json_begin(json, NULL, '{');
		json_key(json, "title");
		json_quote(json, plot.title);
		json_put_text(json, "x_unit", plot.x_unit);
		json_put_text(json, "y_unit", plot.y_unit);
		json_put_real(json, "low", banded ? plot.low : NAN);
		json_put_real(json, "high", banded ? plot.high : NAN);
		json_begin(json, "points", '[');
		for (size_t k = 0; k < plot.n_points; k++) {
			json_begin(json, NULL, '[');
			json_put_real(json, NULL, plot.points[k].x);
			json_put_real(json, NULL, plot.points[k].y);
			json_end(json, ']');
		}
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void json_result(struct walk *walk)
{
	static const char *const levels[] = {"socket", "imc", "channel"};
	const struct check_item *item = walk->item;
	const int places[] = {item->socket, item->imc, item->channel};
	/* The subject is a box, or something that has several. */
	bool is_box = item->socket >= 0 || strcmp(item->result.subject, "machine") == 0;
	struct json *json = &walk->json;
	struct unc_check_value value;

	begin_record(json, "result");
	json_put_text(json, "check", item->result.check);
	json_put_text(json, "subject", item->result.subject);
	if (json->in_page)
		json_put_text(json, "pci", item->pci);
	for (unsigned i = 0; i < 3; i++) {
		if (places[i] < 0)
			json_put_text(json, levels[i], NULL);
		else
			json_put_u64(json, levels[i], (uint64_t)places[i]);
	}
	if (!json->in_page)
		json_put_text(json, "box", is_box ? item->result.subject : NULL);
	json_put_text(json, "state", check_states[item->result.state]);
	json_put_text(json, "finding", item->finding);
	json_put_bool(json, "prevented", check_is_prevented(item));
	json_begin(json, "values", '[');
	while (next_value(walk, &value))
		json_value(walk, &value);
	json_end(json, ']');
	json_put_u64(json, "dropped", item->result.n_dropped);
	put_plots(walk);
	json_put_text(json, "tested", item->result.tested);
	json_put_u64(json, "ns", item->result.ns);
	end_record(json);
}

static void print_json(struct walk *walk)
{
	const struct check_report *report = walk->report;
	const struct unc_machine_info *info = &report->info;
	struct json *json = &walk->json;

	if (json->in_page) {
		json_begin(json, NULL, '[');
	} else {
		begin_record(json, "header");
		json_put_head(json, &(struct opened){.machine = report->machine});
		end_record(json);
	}
	begin_record(json, "run");
	json_put_text(json, "machine", info->name);
	json_put_bool(json, "simulated", info->simulated);
	json_put_text(json, "vendor", info->vendor);
	json_put_text(json, "part", info->part);
	json_put_text(json, "brand", report->cpu.brand);
	for (size_t i = 0; i < report->n_facts; i++)
		json_put_text(json, report->facts[i].name, report->facts[i].text);
	json_put_u64(json, "family", info->family);
	json_put_u64(json, "model", info->model);
	json_put_u64(json, "stepping", info->stepping);
	json_put_u64(json, "sockets", info->n_sockets);
	json_put_u64(json, "cpus", info->n_cpus);
	json_put_text(json, "depth", check_depths[report->options->cfg.depth]);
	json_put_text(json, "command", report->command);
	json_put_text(json, "version", UNC_VERSION);
	json_put_text(json, "time", report->date);
	json_put_u64(json, "time_ns", report->real_ns);
	if (json->in_page)
		json_put_text(json, "numbered_by", info->socket_rule);
	end_record(json);
	while (next_result(walk))
		json_result(walk);
	begin_record(json, "end");
	json_put_text(json, "verdict", check_verdict(report));
	json_put_bool(json, "complete", !report->ended && !report->counts[UNC_CHECK_NOT_RUN] && !report->n_prevented);
	json_put_text(json, "ended", report->ended);
	json_put_u64(json, "checks", report->n_sums);
	json_put_u64(json, "results", report->n);
	json_put_u64(json, "passed", report->counts[UNC_CHECK_PASS]);
	json_put_u64(json, "failed", report->counts[UNC_CHECK_FAIL]);
	json_put_u64(json, "skipped", report->counts[UNC_CHECK_SKIP]);
	json_put_u64(json, "not_run", report->counts[UNC_CHECK_NOT_RUN]);
	json_put_u64(json, "took_ns", report->took_ns);
	end_record(json);
}

/* The records of the JSON lines, except values of what did not fail, and what else the page needs, as one array. */
void check_print_page_json(const void *arg, struct output *out)
{
	const struct check_report *report = arg;
	struct walk walk = {.report = report, .json = {.out = out, .in_page = true}, .end = report->n_sums};
	size_t n = unc_box_count(report->machine, "imc");
	struct json *json = &walk.json;
	char head[300];

	print_json(&walk);
	for (size_t k = 0; k < report->n_sums; k++) {
		begin_record(json, "check");
		json_put_text(json, "check", report->sums[k].about->name);
		json_put_text(json, "proves", report->sums[k].about->proves);
		json_put_text(json, "source", report->sums[k].about->src);
		json_put_u64(json, "ns", report->sums[k].ns);
		end_record(json);
	}
	/* The channels that the machine has, whether they were checked or not. */
	for (size_t i = 0; i < n; i++) {
		struct unc_box_info box;

		unc_box_info(unc_box_at(report->machine, "imc", i), &box);
		if (box.presence == UNC_ABSENT)
			continue;
		begin_record(json, "box");
		json_put_text(json, "box", box.name);
		json_put_u64(json, "socket", box.socket);
		json_put_u64(json, "imc", box.imc);
		json_put_u64(json, "channel", box.channel);
		end_record(json);
	}
	if (report->n_tested) {
		begin_record(json, "tested");
		check_tested_head(report, head, sizeof(head));
		json_put_text(json, "head", head);
		json_begin(json, "entries", '[');
		for (size_t i = 0; i < report->n_tested; i++) {
			json_begin(json, NULL, '[');
			json_put_text(json, NULL, report->tested[i].name);
			json_put_text(json, NULL, report->tested[i].texts);
			json_end(json, ']');
		}
		json_end(json, ']');
		end_record(json);
	}
	json_end(json, ']');
}

/*
 * ---- TAP: the Test Anything Protocol, version 14 except for its first line ----
 *
 * Test::Harness 3.44, the `prove` of Debian 12, refuses a stream that says 14, and readers of 14 may accept one that says 13.
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

static void comment(struct output *out, const char *text)
{
	output_text(out, "# ");
	description(out, text);
	output_text(out, "\n");
}

/* A line of YAML, whose quoted texts are those of JSON. */
static void yaml_text(struct output *out, const char *indent, const char *name, const char *text)
{
	struct json json = {.out = out};

	output_printf(out, "%s%s: ", indent, name);
	json_quote(&json, text);
	output_text(out, "\n");
}

static void tap_value(struct walk *walk, const struct unc_check_value *value)
{
	struct check_labelled numbers[CHECK_LABELLED_MAX];
	char hex[CHECK_NUMBER_MAX], bits[400];
	struct output *out = walk->json.out;

	yaml_text(out, "    - ", "what", value->what);
	if (value->box[0]) {
		yaml_text(out, "      ", "box", value->box);
		yaml_text(out, "      ", "pci", value->pci);
		yaml_text(out, "      ", "register", value->reg);
		output_printf(out, "      offset: 0x%" PRIx32 "\n", value->offset);
	} else if (value->reg[0]) {
		yaml_text(out, "      ", "name", value->reg);
	}
	for (unsigned i = 0; i < check_labelled(value, numbers); i++)
		output_printf(out, "      %s: %s\n", numbers[i].label, check_number(value, numbers[i].number, hex));
	check_bits_text(walk->report->machine, value, bits, sizeof(bits));
	if (bits[0])
		yaml_text(out, "      ", "differs", bits);
}

static void tap_result(struct walk *walk, size_t number)
{
	const struct unc_check_result *result = &walk->item->result;
	bool good = result->state == UNC_CHECK_PASS || result->state == UNC_CHECK_SKIP;
	struct output *out = walk->json.out;
	struct unc_check_value value;

	output_printf(out, "%s %zu - ", good ? "ok" : "not ok", number);
	description(out, result->check);
	output_text(out, " ");
	description(out, result->subject);
	if (result->state == UNC_CHECK_SKIP) {
		output_text(out, " # SKIP ");
		description(out, walk->item->finding);
	}
	output_text(out, result->state == UNC_CHECK_NOT_RUN ? "\n# incomplete: not run\n" : "\n");
	if (result->state != UNC_CHECK_FAIL)
		return;
	output_text(out, "  ---\n");
	yaml_text(out, "  ", "message", walk->item->finding);
	yaml_text(out, "  ", "severity", "fail");
	for (bool first = true; next_value(walk, &value); first = false) {
		output_text(out, first ? "  values:\n" : "");
		tap_value(walk, &value);
	}
	if (result->n_dropped)
		output_printf(out, "  more: %zu\n", result->n_dropped);
	output_text(out, "  ...\n");
}

static void print_tap(struct walk *walk)
{
	const struct check_report *report = walk->report;
	const struct unc_machine_info *info = &report->info;
	struct output *out = walk->json.out;
	char line[400], cpu[120];
	size_t n = 0;

	output_text(out, "TAP version 13\n");
	if (report->n || report->ended)
		output_printf(out, "1..%zu\n", report->n);
	else
		output_text(out, "1..0 # SKIP nothing to check\n");
	check_cpu_text(report, cpu, sizeof(cpu));
	comment(out, report->command);
	snprintf(line, sizeof(line), "%s: %s %s%s, %u socket%s, %s, uncorectl %s", info->name, info->part, cpu,
		 info->simulated ? ", simulated" : "", info->n_sockets, info->n_sockets == 1 ? "" : "s", report->date,
		 UNC_VERSION);
	comment(out, line);
	for (size_t i = 0; i < report->n_facts; i++) {
		snprintf(line, sizeof(line), "%s: %s", report->facts[i].name, report->facts[i].text);
		if (report->facts[i].text[0])
			comment(out, line);
	}
	/* Results that were not run have no line if the run ended: it bails out at their place. */
	while (next_result(walk))
		if (!report->ended || walk->item->result.state != UNC_CHECK_NOT_RUN)
			tap_result(walk, ++n);
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

/* ---- JUnit: XML for test servers, with one suite for each theme ---- */

static void attributes(const unsigned counts[CHECK_STATES], double seconds, struct output *out)
{
	unsigned n = 0;

	for (unsigned state = 0; state < CHECK_STATES; state++)
		n += counts[state];
	output_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\" time=\"%.6f\"", n,
		      counts[UNC_CHECK_FAIL], counts[UNC_CHECK_NOT_RUN], counts[UNC_CHECK_SKIP], seconds);
}

static void property(struct output *out, const char *name, const char *value)
{
	check_xml(out, "      <property name=\"%s\" value=\"%s\"/>\n", name, value);
}

static void junit_theme(struct walk *walk)
{
	const struct check_report *report = walk->report;
	const struct check_sum *sums = report->sums;
	const char *name = sums[walk->next_sum].about->name;
	unsigned counts[CHECK_STATES] = {0};
	struct output *out = walk->json.out;
	double seconds = 0;
	char text[120], date[20];

	for (size_t k = walk->next_sum; k < walk->end; k++) {
		for (unsigned state = 0; state < CHECK_STATES; state++)
			counts[state] += sums[k].counts[state];
		seconds += (double)sums[k].ns / 1e9;
	}
	snprintf(text, sizeof(text), "%.*s", (int)check_theme_len(name), name);
	snprintf(date, sizeof(date), "%.19s", report->date); /* readers expect no time zone */
	check_xml(out, "  <testsuite name=\"%s\" timestamp=\"%s\"", text, date);
	attributes(counts, seconds, out);
	output_text(out, ">\n    <properties>\n");
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
	property(out, "depth", check_depths[report->options->cfg.depth]);
	property(out, "command", report->command);
	property(out, "version", UNC_VERSION);
	output_text(out, "    </properties>\n");
}

static void junit_value(struct walk *walk, const struct unc_check_value *value)
{
	struct check_labelled numbers[CHECK_LABELLED_MAX];
	char hex[CHECK_NUMBER_MAX], offset[16], bits[400];
	struct output *out = walk->json.out;

	snprintf(offset, sizeof(offset), "0x%" PRIx32, value->offset);
	if (value->box[0])
		check_xml(out, "%s %s (%s of %s) ", value->box, value->reg, offset, value->pci);
	else if (value->reg[0])
		check_xml(out, "%s ", value->reg);
	check_xml(out, "%s", value->what);
	for (unsigned i = 0; i < check_labelled(value, numbers); i++)
		output_printf(out, " %s %s", numbers[i].label, check_number(value, numbers[i].number, hex));
	check_bits_text(walk->report->machine, value, bits, sizeof(bits));
	check_xml(out, "%s%s\n", bits[0] ? ": " : "", bits);
}

static void junit_result(struct walk *walk)
{
	const struct unc_check_result *result = &walk->item->result;
	const struct check_report *report = walk->report;
	bool failed = result->state == UNC_CHECK_FAIL;
	struct output *out = walk->json.out;
	struct unc_check_value value;

	check_xml(out, "    <testcase classname=\"%s\" name=\"%s\"", result->check, result->subject);
	/* The time of a check, which tests all subjects together, is divided equally among them. */
	output_printf(out, " time=\"%.6f\"", (double)walk->sum->ns / 1e9 / (double)(walk->sum->end - walk->sum->first));
	if (result->state == UNC_CHECK_PASS) {
		output_text(out, "/>\n");
		return;
	}
	if (result->state == UNC_CHECK_NOT_RUN)
		check_xml(out, ">\n      <error type=\"incomplete\" message=\"%s\"",
			  report->ended ? report->ended : "not run");
	else
		check_xml(out, ">\n      <%s message=\"%s\"", failed ? "failure" : "skipped", walk->item->finding);
	if (failed)
		check_xml(out, " type=\"%s\"", result->check);
	output_text(out, failed ? ">\n" : "/>\n");
	while (next_value(walk, &value))
		junit_value(walk, &value);
	if (result->n_dropped && failed)
		output_printf(out, "and %zu more\n", result->n_dropped);
	output_text(out, failed ? "</failure>\n    </testcase>\n" : "    </testcase>\n");
}

static void print_junit(struct walk *walk)
{
	const struct check_report *report = walk->report;
	struct output *out = walk->json.out;

	output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"uncorectl check\"");
	attributes(report->counts, (double)report->took_ns / 1e9, out);
	output_text(out, ">\n");
	while (walk->next_sum < report->n_sums) {
		/* Checks of one theme are adjacent. */
		for (walk->end = walk->next_sum + 1;
		     walk->end < report->n_sums &&
		     check_same_theme(&report->sums[walk->next_sum], &report->sums[walk->end]);)
			walk->end++;
		junit_theme(walk);
		while (next_result(walk))
			junit_result(walk);
		output_text(out, "  </testsuite>\n");
	}
	output_text(out, "</testsuites>\n");
}

void check_print(const struct check_report *report, struct output *out)
{
	struct walk walk = {.report = report, .json = {.out = out}, .end = report->n_sums, .wrong_only = true};

	if (report->options->format == CHECK_TABLE) {
		check_print_table(report, out);
	} else if (report->options->format == CHECK_HTML) {
		check_print_html(report, out);
	} else if (report->options->format == CHECK_TAP) {
		print_tap(&walk);
	} else if (report->options->format == CHECK_JUNIT) {
		print_junit(&walk);
	} else {
		walk.wrong_only = false;
		print_json(&walk);
	}
}

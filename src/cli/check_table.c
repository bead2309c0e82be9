// SPDX-License-Identifier: GPL-2.0-or-later
/* check --format table and html: for people, in a window, a pipe or a browser. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/emit.h"

enum { STATE = 9, NAME = 12, INDENT = 2, LABEL = 9, VALUES_SHOWN = 3, NAMED = 4 };

static void start_line(struct page *page, unsigned start)
{
	page->start = start;
	output_printf(page->out, "%*s", (int)start, "");
	page->column = start;
}

static void print_paragraph(struct output *out, unsigned start, const char *text)
{
	struct page page = page_of(out);

	page.start = start;
	page_labelled(&page, "", 0, text);
}

static void print_machine(const struct check_report *report, struct output *out)
{
	char line[400], cpu[120], took[32];

	check_cpu_text(report, cpu, sizeof(cpu));
	check_time_text(report->took_ns, took, sizeof(took));
	snprintf(line, sizeof(line), "%s%s: %s%s%s, %u socket%s", report->info.name,
		 report->info.simulated ? " (simulated)" : "", report->info.part, report->info.part[0] ? ", " : "", cpu,
		 report->info.n_sockets, report->info.n_sockets == 1 ? "" : "s");
	print_paragraph(out, 0, line);
	for (size_t i = 0; i < report->n_facts; i++) {
		snprintf(line, sizeof(line), "%s: %s", report->facts[i].name, report->facts[i].text);
		if (report->facts[i].text[0])
			print_paragraph(out, 0, line);
	}
	snprintf(line, sizeof(line), "%s, %s depth, took %s, uncorectl %s", report->date,
		 check_depth_name(report->options->cfg.depth), took, UNC_VERSION);
	print_paragraph(out, 0, line);
}

static void print_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
{
	struct check_labelled numbers[CHECK_LABELLED_MAX];
	struct page page = page_of(out);
	char line[200], bits[400];
	bool count;

	start_line(&page, STATE + INDENT + 2);
	if (value->box[0]) {
		snprintf(line, sizeof(line), "%s %s, 0x%" PRIx32 " of %s", value->box, value->reg, value->offset,
			 value->pci);
		page_words(&page, line);
	} else if (value->reg[0]) {
		page_words(&page, value->reg);
	}
	if (value->what[0]) {
		if (value->box[0] || value->reg[0])
			page_words(&page, "-");
		page_words(&page, value->what);
	}
	output_text(out, "\n");
	page.start += 2;
	count = check_difference_text(report->machine, value, bits, sizeof(bits));
	for (unsigned i = 0; i < check_labelled(value, numbers); i++) {
		uint64_t number = numbers[i].number;

		/* A count, or a large number that is not a register's, is also given in hexadecimal. */
		if (count || (!value->box[0] && number > UINT16_MAX))
			snprintf(line, sizeof(line), "%" PRIu64 " (0x%" PRIx64 ")", number, number);
		else
			check_number(value, number, line);
		output_printf(out, "%*s%-*s %s\n", (int)page.start, "", LABEL, numbers[i].label, line);
	}
	if (bits[0])
		page_labelled(&page, "differs", LABEL, bits);
}

static void print_failure(const struct check_report *report, size_t index, struct output *out)
{
	const struct check_item *item = &report->items[index];
	size_t n_shown = 0, n_more = item->result.n_dropped;
	struct page page = page_of(out);
	struct unc_check_value value;
	char text[200];

	start_line(&page, STATE + INDENT);
	snprintf(text, sizeof(text), "%s:", item->result.subject);
	page_words(&page, text);
	page_words(&page, item->finding);
	output_text(out, "\n");
	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++) {
		if (value.good)
			continue;
		if (n_shown < VALUES_SHOWN)
			print_value(report, &value, out);
		n_more += n_shown >= VALUES_SHOWN;
		n_shown++;
	}
	if (!n_more)
		return;
	snprintf(text, sizeof(text), "and %zu value%s more that %s as wrong", n_more, n_more == 1 ? "" : "s",
		 n_more == 1 ? "is" : "are");
	print_paragraph(out, STATE + INDENT + 2, text);
}

/* The kind of object that a result is about: "channel". */
static const char *kind_of(const struct check_item *item)
{
	const char *subject = item->result.subject;

	if (item->channel >= 0)
		return "channel";
	if (strncmp(subject, "cpu", 3) == 0)
		return "CPU";
	if (strncmp(subject, "l3", 2) == 0)
		return "L3";
	if (item->imc >= 0)
		return "controller";
	if (item->socket >= 0)
		return "socket";
	return strcmp(subject, "machine") == 0 ? "machine" : "thing";
}

/* Skips the address of the text's own channel. */
static bool skip_own(const char **text, const char *own)
{
	size_t len = strlen(own);

	if (!len || strncmp(*text, own, len) != 0)
		return false;
	*text += len;
	return true;
}

/* Are both skipped, or not run, for the same reason: with the same sentence, except for each channel's own address? */
static bool same_reason(const struct check_item *a, const struct check_item *b)
{
	const char *left = a->finding, *right = b->finding;

	while (a->result.state == b->result.state && *left && *right) {
		bool own = skip_own(&left, a->pci);

		if (own != skip_own(&right, b->pci))
			return false;
		if (!own && *left++ != *right++)
			return false;
	}
	return a->result.state == b->result.state && *left == *right;
}

/* Subjects that are skipped, or not run, for the same reason share one paragraph. */
static void print_reason(const struct check_report *report, const struct check_sum *sum, size_t first,
			 struct output *out)
{
	const struct check_item *item = &report->items[first];
	struct page page = page_of(out);
	unsigned n = 0, left;
	bool told = false;
	char text[200];

	for (size_t i = sum->first; i < sum->end; i++) {
		if (!same_reason(&report->items[i], item))
			continue;
		if (i < first)
			return; /* it was printed already */
		n++;
	}
	left = n;
	start_line(&page, STATE + INDENT);
	for (size_t i = first; i < sum->end && n <= NAMED; i++) {
		if (!same_reason(&report->items[i], item))
			continue;
		snprintf(text, sizeof(text), "%s%s", report->items[i].result.subject, --left ? "," : ":");
		page_words(&page, text);
	}
	if (n > NAMED) {
		snprintf(text, sizeof(text), "%u %ss:", n, kind_of(item));
		page_words(&page, text);
	}
	/* A channel that another program uses is skipped in every check: the reason is printed in the first. */
	for (size_t i = 0; i < sum->first && !told; i++)
		told = strcmp(report->items[i].result.subject, item->result.subject) == 0 &&
		       same_reason(&report->items[i], item);
	page_words(&page, told ? "as above" : item->finding);
	output_text(out, "\n");
}

/* "8 channels": how many subjects of a check have that state. */
static void subjects_text(const struct check_report *report, const struct check_sum *sum, enum unc_check_state state,
			  char *buf, size_t size)
{
	const char *kind = NULL;
	unsigned n = 0;

	for (size_t i = sum->first; i < sum->end; i++) {
		const char *this = kind_of(&report->items[i]);

		if (report->items[i].result.state != state)
			continue;
		kind = !kind || strcmp(kind, this) == 0 ? this : "thing";
		n++;
	}
	if (n == 1 && strcmp(kind, "machine") == 0)
		snprintf(buf, size, "the machine");
	else
		snprintf(buf, size, "%u %s%s", n, kind ? kind : "thing", n == 1 ? "" : "s");
}

/* "pass     bits        8 channels" */
static void print_sum(const struct check_report *report, const struct check_sum *sum, struct output *out)
{
	static const char *const verbs[] = {[UNC_CHECK_PASS] = "",
					    [UNC_CHECK_FAIL] = "failed",
					    [UNC_CHECK_SKIP] = "skipped",
					    [UNC_CHECK_NOT_RUN] = "not run"};
	enum unc_check_state worst = check_worst(sum->counts);
	struct page page = page_of(out);
	bool narrow = page.width < PAGE_NARROW, first = true;
	char text[80];

	output_printf(out, "%*s%-*s%-*s", INDENT, "", STATE, worst == UNC_CHECK_FAIL ? "FAIL" : check_state_name(worst),
		      narrow ? 0 : NAME, sum->about->name + check_theme_len(sum->about->name) + 1);
	page.start = INDENT + STATE;
	page.column = page.start + (narrow ? page.width : (unsigned)NAME);
	for (unsigned state = 0; state < CHECK_STATES; state++) {
		if (!sum->counts[state])
			continue;
		subjects_text(report, sum, (enum unc_check_state)state, text, sizeof(text) - 12);
		snprintf(text + strlen(text), 12, "%s%s", verbs[state][0] ? " " : "", verbs[state]);
		if (!first)
			output_text(out, ",");
		page_words(&page, text);
		first = false;
	}
	if (first)
		page_words(&page, "nothing of that here");
	output_text(out, "\n");
	for (size_t i = sum->first; i < sum->end; i++) {
		enum unc_check_state state = report->items[i].result.state;

		if (state == UNC_CHECK_FAIL)
			print_failure(report, i, out);
		else if (state == UNC_CHECK_SKIP || (state == UNC_CHECK_NOT_RUN && !report->ended))
			print_reason(report, sum, i, out);
	}
}

static void print_tested(const struct check_report *report, struct output *out)
{
	char head[300];

	if (!report->n_tested)
		return;
	output_text(out, "\n");
	print_paragraph(out, 0,
			"What this silicon does where the register map says `verify:`, which cannot fail; lines of "
			"YAML for `tested:` of the map:");
	check_tested_head(report, head, sizeof(head));
	output_printf(out, "%s\n", head);
	for (size_t i = 0; i < report->n_tested; i++)
		output_printf(out, "%s: {tested: \"%s\"}\n", report->tested[i].name, report->tested[i].texts);
}

/* "  socket0.imc0.ch1 (0000:7f:14.1): registers.bits, registers.alias"; nothing if index is not the first result of its place. */
static void print_place(const struct check_report *report, size_t index, struct output *out)
{
	const struct check_item *item = &report->items[index];
	struct page page = page_of(out);
	unsigned n_failed = 0;
	char line[420];

	snprintf(line, sizeof(line), "%s%s%s%s:", item->result.subject, *item->pci ? " (" : "", item->pci,
		 *item->pci ? ")" : "");
	for (size_t i = 0; i < report->n; i++) {
		const struct unc_check_result *result = &report->items[i].result;

		if (strcmp(result->subject, item->result.subject) != 0)
			continue;
		if (i < index)
			return;
		if (result->state == UNC_CHECK_FAIL)
			unc_text_join(line, sizeof(line), n_failed++ ? ", " : " ", "%s", result->check);
	}
	if (!n_failed)
		return;
	start_line(&page, INDENT);
	page.start = 2 * INDENT;
	page_words(&page, line);
	output_text(out, "\n");
}

void check_print_table(const struct check_report *report, struct output *out)
{
	const struct check_sum *before = NULL;
	char line[420], counts[400];

	print_machine(report, out);
	for (size_t i = 0; i < report->n_sums; i++) {
		const struct check_sum *sum = &report->sums[i];

		if (!check_same_theme(before, sum))
			output_printf(out, "\n%.*s\n", (int)check_theme_len(sum->about->name), sum->about->name);
		print_sum(report, sum, out);
		before = sum;
	}
	print_tested(report, out);
	if (report->counts[UNC_CHECK_FAIL]) {
		output_text(out, "\n");
		print_paragraph(out, 0,
				"Where it failed, and in which checks; what is first in a line is nearest to the "
				"cause:");
		for (size_t i = 0; i < report->n; i++)
			print_place(report, i, out);
		if (!report->options->path)
			print_paragraph(out, 0,
					"With --format html -o report.html all evidence is on one page, to be handed "
					"on.");
	}
	output_text(out, "\n");
	check_incomplete_text(report, counts, sizeof(counts));
	if (counts[0]) {
		snprintf(line, sizeof(line), "%s.", counts);
		print_paragraph(out, 0, line);
	}
	check_counts_text(report, counts, sizeof(counts));
	snprintf(line, sizeof(line), "%s. %s.", check_verdict(report), counts);
	print_paragraph(out, 0, line);
}

/* ---- --dry-run ---- */

void check_print_plan(const struct check_report *report, struct output *out)
{
	size_t n = unc_box_count(report->machine, "imc"), n_chosen = 0;
	const char *pattern = report->options->cfg.box;
	struct page page = page_of(out);
	char line[300];

	for (size_t i = 0; i < report->n_sums; i++) {
		const struct unc_check_about *about = report->sums[i].about;

		snprintf(line, sizeof(line), "%s%s%s%s", about->name, about->writes ? ", writes registers" : "",
			 about->makes_traffic ? ", makes traffic" : "", about->global ? ", stops sockets" : "");
		print_paragraph(out, 0, line);
	}
	start_line(&page, 0);
	page_words(&page, "would be run, and nothing else, on");
	for (size_t i = 0; i < n; i++) {
		struct unc_box_info box;

		unc_box_info(unc_box_at(report->machine, "imc", i), &box);
		if (box.presence == UNC_ABSENT || (pattern && !unc_text_match(pattern, box.name)))
			continue;
		n_chosen++;
		page_words(&page, box.name);
	}
	page_words(&page, n_chosen ? "and what they belong to" : "this machine");
	output_text(out, "\n");
}

/*
 * ---- html: page.html with the report in it as JSON, which its script draws; without scripts it shows verdict and findings ----
 */

static void print_state(struct output *out, enum unc_check_state state, const char *text)
{
	static const char *const marks[CHECK_STATES][2] = {[UNC_CHECK_PASS] = {"pass", "&#10003;"},
							   [UNC_CHECK_FAIL] = {"fail", "&#10007;"},
							   [UNC_CHECK_SKIP] = {"skip", "&ndash;"},
							   [UNC_CHECK_NOT_RUN] = {"notrun", "?"}};

	output_printf(out, "<span class=\"state %s\">%s ", marks[state][0], marks[state][1]);
	check_xml(out, text);
	output_text(out, "</span>");
}

static void print_title(const struct check_report *report, struct output *out)
{
	check_xml(out, check_verdict(report));
	output_text(out, ": uncorectl check of ");
	check_xml(out, report->info.name);
}

static void print_verdict(const struct check_report *report, struct output *out)
{
	enum unc_check_state worst = check_worst(report->counts);
	char line[400];

	if ((report->ended || report->n_prevented) && worst != UNC_CHECK_FAIL)
		worst = UNC_CHECK_NOT_RUN;
	output_text(out, "<h1>Does this silicon count right? ");
	print_state(out, worst, check_verdict(report));
	check_counts_text(report, line, sizeof(line));
	output_text(out, "</h1>\n<p>");
	check_xml(out, line);
	output_text(out, "</p>");
	check_incomplete_text(report, line, sizeof(line));
	if (line[0]) {
		output_text(out, "\n<p><strong>");
		check_xml(out, line);
		output_text(out, ".</strong></p>");
	}
	if (report->info.simulated)
		output_text(out, "\n<p><strong>This machine is simulated.</strong> Nothing here is about silicon.</p>");
}

static void print_findings(const struct check_report *report, struct output *out)
{
	static const enum unc_check_state order[] = {UNC_CHECK_FAIL, UNC_CHECK_NOT_RUN, UNC_CHECK_SKIP, UNC_CHECK_PASS};

	for (unsigned k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < report->n; i++) {
			const struct check_item *item = &report->items[i];

			if (item->result.state != order[k])
				continue;
			output_text(out, "<tr><td>");
			check_xml(out, item->result.check);
			output_text(out, "</td><td>");
			check_xml(out, item->result.subject);
			output_text(out, "</td><td>");
			print_state(out, order[k], check_state_name(order[k]));
			output_text(out, "</td><td>");
			check_xml(out, item->finding);
			output_text(out, "</td></tr>\n");
		}
	}
}

static void print_version(const struct check_report *report, struct output *out)
{
	(void)report;
	output_text(out, UNC_VERSION);
}

void check_print_html(const struct check_report *report, struct output *out)
{
	static const struct {
		const char *name; /* what stands in its place in page.html */
		void (*print)(const struct check_report *report, struct output *out);
	} parts[] = {{"{{title}}", print_title},
		     {"{{verdict}}", print_verdict},
		     {"{{findings}}", print_findings},
		     {"{{version}}", print_version},
		     {"{{report}}", check_print_page_json}};
	const char *rest = check_page, *at;

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]) && (at = strstr(rest, parts[i].name)); i++) {
		output_append(out, rest, (size_t)(at - rest));
		parts[i].print(report, out);
		rest = at + strlen(parts[i].name);
	}
	output_text(out, rest);
}

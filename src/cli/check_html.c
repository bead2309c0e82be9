// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * check --format html: page.html with the report in it as JSON, which its script draws.  Without scripts the page shows verdict and
 * findings.
 */
#include <string.h>

#include "cli/check.h"

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

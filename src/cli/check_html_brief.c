// SPDX-License-Identifier: GPL-2.0-or-later
/* The top of the page, for readers who read only that: what is broken, where, and what to do with the page. */
#include "cli/check_html.h"

#include <string.h>

#include "cli/check_text.h"

static void print_place(const struct check_item *item, unsigned n_rows, struct output *out)
{
	char where[120];

	check_where_text(item, where, sizeof(where));
	output_printf(out, "<td class=\"where\" rowspan=\"%u\"><strong>", n_rows);
	check_xml(out, where);
	output_text(out, "</strong><br><span class=\"dim num\">");
	check_xml(out, item->result.subject);
	if (*item->pci) {
		output_text(out, "<br>PCI ");
		check_xml(out, item->pci);
	}
	output_text(out, "</span></td>");
}

/* All failures at one place, with one row per check. */
static void print_rows(const struct check_report *report, size_t first, struct output *out)
{
	const char *subject = report->items[first].result.subject;
	struct check_tally tally;

	check_tally(report, subject, &tally);
	for (size_t i = first; i < report->n && tally.counts[UNC_CHECK_FAIL]; i++) {
		const struct check_item *item = &report->items[i];

		if (item->result.state != UNC_CHECK_FAIL || strcmp(item->result.subject, subject) != 0)
			continue;
		output_text(out, "<tr>");
		if (i == tally.first_failure)
			print_place(item, tally.counts[UNC_CHECK_FAIL], out);
		output_printf(out, "<td class=\"which\"><a href=\"#f%zu\">", i);
		check_xml(out, item->result.check);
		output_text(out, "</a></td><td class=\"found\">");
		check_xml(out, item->finding);
		output_text(out, "</td></tr>\n");
	}
}

void check_html_brief(const struct check_report *report, struct output *out)
{
	if (!report->counts[UNC_CHECK_FAIL])
		return;
	output_text(
		out,
		"<section id=\"brief\"><h2>What failed, and where</h2>\n<table class=\"list brief\"><tr><th>where</th>"
		"<th>check</th><th>found</th></tr>\n");
	for (size_t i = 0; i < report->n; i++)
		if (check_is_first(report, i))
			print_rows(report, i, out);
	output_text(out,
		    "</table>\n<p>Every line leads to its evidence: what was written, read and expected (<a "
		    "href=\"#words\">what the words mean</a>). What stands "
		    "together "
		    "in one place often has one cause, and the first check that fails there is the nearest to it. Hand "
		    "this "
		    "file to whoever made the silicon, as it is; where a function is missing or memory runs at another "
		    "speed (<code>presence</code>, <code>clock.smbios</code>), to whoever made the firmware first, as "
		    "it may "
		    "have hidden or set that. Every register was put back, unless a note of the run said otherwise.</p>"
		    "</section>\n");
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/check_html.h"

#include <stdio.h>
#include <string.h>

#include "cli/check_text.h"

enum { CROWD = 16 }; /* if there are more of a kind they are not shown one by one */

static void counts_text(const struct check_tally *tally, char *buf, size_t size)
{
	size_t len = (size_t)snprintf(buf, size, "%u passed, %u failed, %u skipped", tally->counts[UNC_CHECK_PASS],
				      tally->counts[UNC_CHECK_FAIL], tally->counts[UNC_CHECK_SKIP]);

	if (tally->counts[UNC_CHECK_NOT_RUN] && len < size)
		snprintf(buf + len, size - len, ", %u not run", tally->counts[UNC_CHECK_NOT_RUN]);
}

/* A box with a link to what failed there, or else to its row in the table. */
static void print_link(const struct check_report *report, const char *subject, const char *label, struct output *out)
{
	enum unc_check_state worst;
	struct check_tally tally;
	char counts[100];

	check_tally(report, subject, &tally);
	if (!tally.n) {
		output_text(out, "<span class=\"ch skip\" title=\"not looked at\">");
		check_xml(out, label);
		output_text(out, "<b>&middot;</b></span>\n");
		return;
	}
	worst = check_worst(tally.counts);
	counts_text(&tally, counts, sizeof(counts));
	output_printf(out, "<a class=\"ch %s\" href=\"#%s%zu\" title=\"", check_html_class(worst),
		      worst == UNC_CHECK_FAIL ? "f" : "s",
		      worst == UNC_CHECK_FAIL ? tally.first_failure : check_first_of(report, subject));
	check_xml(out, subject);
	output_printf(out, ": %s%s", counts, tally.failed[0] ? ": " : "");
	check_xml(out, tally.failed);
	output_text(out, "\">");
	check_xml(out, label);
	output_printf(out, "<b>%s %s</b></a>\n", check_html_mark(worst), check_state_name(worst));
}

/* The worst state of a socket, or of one of its controllers; imc -1: of all of them. */
static void print_heading(const struct check_report *report, unsigned socket, int imc, struct output *out)
{
	unsigned counts[CHECK_STATES] = {0}, n = 0;
	enum unc_check_state worst;

	for (size_t i = 0; i < report->n; i++) {
		const struct check_item *item = &report->items[i];

		if (item->socket != (int)socket || (imc >= 0 && item->imc != imc))
			continue;
		counts[item->result.state]++;
		n++;
	}
	worst = check_worst(counts);
	output_printf(out, "<div class=\"%s of%s\">", imc < 0 ? "socket" : "imc", n ? check_html_class(worst) : "none");
	output_printf(out, imc < 0 ? "<h3>socket %u" : "<h4>iMC %u", imc < 0 ? socket : (unsigned)imc);
	if (n)
		output_printf(out, " <span class=\"state %s\" title=\"%s\">%s</span>", check_html_class(worst),
			      check_state_name(worst), check_html_mark(worst));
	output_text(out, imc < 0 ? "</h3>\n<div class=\"imcs\">\n" : "</h4><div class=\"channels\">\n");
}

static void print_socket(const struct check_report *report, unsigned socket, struct output *out)
{
	size_t n = unc_box_count(report->machine, "imc");
	int imc = -1;
	char name[40];

	snprintf(name, sizeof(name), "socket%u", socket);
	print_heading(report, socket, -1, out);
	for (size_t i = 0; i < n; i++) {
		struct unc_box_info box;
		char label[24];

		unc_box_info(unc_box_at(report->machine, "imc", i), &box);
		if (box.socket != socket || box.presence == UNC_ABSENT)
			continue;
		if (imc != (int)box.imc) {
			output_text(out, imc < 0 ? "" : "</div></div>\n");
			print_heading(report, socket, (int)box.imc, out);
		}
		imc = (int)box.imc;
		snprintf(label, sizeof(label), "ch%u", box.channel);
		print_link(report, box.name, label, out);
	}
	output_text(out, imc < 0 ? "" : "</div></div>\n");
	if (check_first_of(report, name) < report->n) {
		output_text(out, "<div class=\"imc\"><h4>socket</h4><div class=\"channels\">\n");
		print_link(report, name, name, out);
		output_text(out, "</div></div>\n");
	}
	output_text(out, "</div></div>\n");
}

/* How many caches, CPUs and so on there are of a kind. */
static size_t count_kind(const struct check_report *report, const char *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < report->n; i++)
		n += report->items[i].socket < 0 && check_is_first(report, i) && check_kind(&report->items[i]) == kind;
	return n;
}

/* One box for all of them: some machines have hundreds of CPUs. */
static void print_crowd(const struct check_report *report, size_t first, size_t n, struct output *out)
{
	const char *kind = check_kind(&report->items[first]);
	unsigned counts[CHECK_STATES] = {0};
	enum unc_check_state worst;
	size_t at = report->n;

	for (size_t i = 0; i < first; i++)
		if (check_kind(&report->items[i]) == kind)
			return; /* it was printed already */
	for (size_t i = first; i < report->n; i++) {
		const struct check_item *item = &report->items[i];

		if (check_kind(item) != kind)
			continue;
		counts[item->result.state]++;
		if (at == report->n && item->result.state == UNC_CHECK_FAIL)
			at = i;
	}
	worst = check_worst(counts);
	output_printf(out, "<a class=\"ch %s\" href=\"#%s%zu\" title=\"%u passed, %u failed, %u skipped\">%zu %ss",
		      check_html_class(worst), at < report->n ? "f" : "s", at < report->n ? at : first,
		      counts[UNC_CHECK_PASS], counts[UNC_CHECK_FAIL], counts[UNC_CHECK_SKIP], n, kind);
	output_printf(out, "<b>%s %s</b></a>\n", check_html_mark(worst), check_state_name(worst));
}

/* Prints caches, CPUs, and the machine. */
static void print_others(const struct check_report *report, struct output *out)
{
	bool any = false;

	for (size_t i = 0; i < report->n; i++) {
		const struct check_item *item = &report->items[i];
		size_t n;

		if (item->socket >= 0 || !check_is_first(report, i))
			continue;
		if (!any)
			output_text(out, "<div class=\"socket\"><h3>besides</h3>\n<div class=\"channels\">\n");
		any = true;
		n = count_kind(report, check_kind(item));
		if (n > CROWD)
			print_crowd(report, i, n, out);
		else
			print_link(report, item->result.subject, item->result.subject, out);
	}
	output_text(out, any ? "</div></div>\n" : "");
}

static void print_row(const struct check_report *report, size_t i, struct output *out)
{
	const char *subject = report->items[i].result.subject;
	struct check_tally tally;
	char counts[100];

	check_tally(report, subject, &tally);
	counts_text(&tally, counts, sizeof(counts));
	output_printf(out, "<tr id=\"s%zu\"><td>", i);
	check_xml(out, subject);
	output_text(out, "</td><td>");
	check_html_state(out, check_worst(tally.counts));
	output_printf(out, "</td><td>%s", counts);
	for (size_t k = i; k < report->n && tally.counts[UNC_CHECK_FAIL]; k++) {
		const struct unc_check_result *result = &report->items[k].result;

		if (result->state != UNC_CHECK_FAIL || strcmp(result->subject, subject) != 0)
			continue;
		output_printf(out, " <a href=\"#f%zu\">", k);
		check_xml(out, result->check);
		output_text(out, "</a>");
	}
	output_text(out, "</td></tr>\n");
}

void check_html_map(const struct check_report *report, struct output *out)
{
	output_text(out, "<section id=\"map\"><h2>Map</h2>\n<div class=\"sockets\">\n");
	for (unsigned socket = 0; socket < report->info.n_sockets; socket++)
		print_socket(report, socket, out);
	print_others(report, out);
	output_text(out, "</div>\n<details><summary>The same as a table</summary>\n<table class=\"list\">\n"
			 "<tr><th>what</th><th>worst</th><th>results</th></tr>\n");
	for (size_t i = 0; i < report->n; i++)
		if (check_is_first(report, i))
			print_row(report, i, out);
	output_text(out, "</table></details></section>\n");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The terms of the manuals that findings use, for readers who do not know the manuals. */
#include "cli/check.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *word, *meaning;
} words[] = {
	{"channel, imc",
	 "a memory controller (iMC) of a processor drives several memory channels, each with its DIMMs and with "
	 "a block of counters of its own, which is a PCI function: socket0.imc0.ch2"},
	{"CTR[0] to CTR[3]", "the counters of a channel, 48 bits wide"},
	{"CTL[0] to CTL[3]",
	 "their controls: which event is counted (event, umask), whether it is (en), and how (thresh, invert, "
	 "edge_det)"},
	{"FIXED_CTR, FIXED_CTL", "a fifth counter, which counts DCLK alone, and its control"},
	{"BOX_CTL", "the control of the whole block: frz freezes all its counters at once, which frz_en allows; it "
		    "resets them, too"},
	{"BOX_STATUS", "a bit for each counter that has run over"},
	{"UBOX, CPUNODEID, GIDNIDMAP", "the unit of a processor that tells which socket it is, and its registers"},
	{"DCLK, MT/s", "the clock of the memory, and its data rate: two transfers a clock"},
	{"CAS", "the command that reads or writes 64 bytes of memory; cas_count.rd counts reads, cas_count.wr writes"},
	{"RMID",
	 "a number that a CPU carries, under which its share of the L3 cache (occupancy) and its memory bandwidth are "
	 "counted: PQR_ASSOC holds it, QM_EVTSEL chooses what QM_CTR tells"},
	{"all ones", "every bit reads 1, which is how a PCI function reads that is not there or does not answer"},
	{"verify:, tested:",
	 "keys of a register map (uncorectl-regs(5)); names such as krn are documents that it lists"},
};

/* A list of the terms that findings use. */
static void check_html_words(struct output *out)
{
	output_text(out, "<section id=\"words\"><h2>Words</h2>\n<details><summary>What the words of the findings "
			 "mean</summary>\n"
			 "<dl>\n");
	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		output_text(out, "<dt>");
		check_xml(out, words[i].word);
		output_text(out, "</dt><dd>");
		check_xml(out, words[i].meaning);
		output_text(out, "</dd>\n");
	}
	output_text(out, "</dl></details></section>\n");
}

/* The top of the page, for readers who read only that: what is broken, where, and what to do with the page. */

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

/* What failed, place by place, with what to do about it; it prints nothing if nothing failed. */
static void check_html_brief(const struct check_report *report, struct output *out)
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

/* check --format html: a self-contained page that can be passed on, for a screen, a phone and paper. */

enum { VALUES_SHOWN = 4 };

const char *check_html_class(enum unc_check_state state)
{
	static const char *const classes[] = {[UNC_CHECK_PASS] = "pass",
					      [UNC_CHECK_FAIL] = "fail",
					      [UNC_CHECK_SKIP] = "skip",
					      [UNC_CHECK_NOT_RUN] = "notrun"};

	return classes[state];
}

const char *check_html_mark(enum unc_check_state state)
{
	static const char *const marks[] = {[UNC_CHECK_PASS] = "&#10003;",
					    [UNC_CHECK_FAIL] = "&#10007;",
					    [UNC_CHECK_SKIP] = "&ndash;",
					    [UNC_CHECK_NOT_RUN] = "?"};

	return marks[state];
}

void check_html_state(struct output *out, enum unc_check_state state)
{
	output_printf(out, "<span class=\"state %s\">%s %s</span>", check_html_class(state), check_html_mark(state),
		      check_state_name(state));
}

static void element(struct output *out, const char *name, const char *text)
{
	output_printf(out, "<%s>", name);
	check_xml(out, text);
	output_printf(out, "</%s>", name);
}

static void term(struct output *out, const char *name, const char *text)
{
	if (!*text)
		return;
	element(out, "dt", name);
	element(out, "dd", text);
	output_text(out, "\n");
}

/* ---- the head ---- */

static enum unc_check_state overall(const struct check_report *report)
{
	enum unc_check_state worst = check_worst(report->counts);

	return (report->ended || report->n_prevented) && worst != UNC_CHECK_FAIL ? UNC_CHECK_NOT_RUN : worst;
}

static void print_head(const struct check_report *report, struct output *out)
{
	output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
	check_xml(out, check_verdict(report));
	output_text(out, ": uncorectl check of ");
	check_xml(out, report->info.name);
	output_text(out, "</title>\n<style>\n");
	output_text(out, check_html_style);
	output_text(out, "</style>\n</head>\n<body>\n");
}

static void print_verdict(const struct check_report *report, struct output *out)
{
	char line[400];

	output_text(out, "<header><h1>Does this silicon count right? ");
	output_printf(out, "<span class=\"state %s\">%s ", check_html_class(overall(report)),
		      check_html_mark(overall(report)));
	check_xml(out, check_verdict(report));
	output_text(out, "</span></h1>\n");
	check_counts_text(report, line, sizeof(line));
	element(out, "p", line);
	check_incomplete_text(report, line, sizeof(line));
	if (line[0]) {
		output_text(out, "\n<p><strong>");
		check_xml(out, line);
		output_text(out, ".</strong></p>");
	}
	if (report->info.simulated)
		output_text(out, "\n<p><strong>This machine is simulated.</strong> Nothing here is about silicon.</p>");
	output_text(out, "</header>\n");
}

static void print_machine(const struct check_report *report, struct output *out)
{
	char text[200];

	output_text(out, "<section id=\"machine\"><h2>Machine</h2>\n<dl>\n");
	term(out, "name", report->info.name);
	term(out, "simulated", report->info.simulated ? "yes" : "no");
	term(out, "part", report->info.part);
	term(out, "brand", report->cpu.brand);
	check_cpu_text(report, text, sizeof(text));
	term(out, "CPUID", text);
	for (size_t i = 0; i < report->n_facts; i++)
		term(out, report->facts[i].name, report->facts[i].text);
	snprintf(text, sizeof(text), "%u, numbered by: %.150s", report->info.n_sockets, report->info.socket_rule);
	term(out, "sockets", text);
	snprintf(text, sizeof(text), "%u", report->info.n_cpus);
	term(out, "CPUs online", report->info.n_cpus ? text : "");
	term(out, "date", report->date);
	check_time_text(report->took_ns, text, sizeof(text));
	term(out, "took", text);
	term(out, "depth", check_depth_name(report->options->cfg.depth));
	output_text(out, "<dt>command</dt><dd><code>");
	check_xml(out, report->command);
	output_text(out, "</code></dd>\n");
	term(out, "version", "uncorectl " UNC_VERSION);
	output_text(out, "</dl></section>\n");
}

static void print_tiles(const struct check_report *report, struct output *out)
{
	static const char *const names[] = {[UNC_CHECK_PASS] = "passed",
					    [UNC_CHECK_FAIL] = "failed",
					    [UNC_CHECK_SKIP] = "skipped",
					    [UNC_CHECK_NOT_RUN] = "not run"};

	output_text(out, "<section id=\"summary\"><h2>Summary</h2>\n<div class=\"tiles\">\n");
	for (unsigned state = 0; state < CHECK_STATES; state++) {
		if (state == UNC_CHECK_NOT_RUN && !report->counts[state])
			continue;
		output_printf(out, "<div class=\"tile %s\"><b>%s %u</b>%s (%u check%s)</div>\n",
			      check_html_class((enum unc_check_state)state),
			      check_html_mark((enum unc_check_state)state), report->counts[state], names[state],
			      report->checks[state], report->checks[state] == 1 ? "" : "s");
	}
	output_text(out,
		    "</div>\n<p class=\"dim\">A result is of one check and one thing: a channel, a socket, a CPU, a "
		    "cache. A check counts as the worst of its results.</p></section>\n");
}

/* ---- what failed ---- */

static const struct unc_check_about *about_of(const struct check_report *report, const char *check)
{
	for (size_t i = 0; i < report->n_sums; i++)
		if (strcmp(report->sums[i].about->name, check) == 0)
			return report->sums[i].about;
	return NULL;
}

static void print_about(const struct unc_check_about *about, struct output *out)
{
	if (!about)
		return;
	output_text(out, "<p class=\"dim\">What it proves: ");
	check_xml(out, about->proves);
	output_text(out, ". It rests on ");
	check_xml(out, about->src);
	output_text(out, ".</p>\n");
}

/* The first wrong values are visible; further wrong ones and good ones can be unfolded. */
static void print_values(const struct check_report *report, size_t index, bool good, struct output *out)
{
	struct unc_check_value value;
	size_t n = 0, shown = good ? 0 : VALUES_SHOWN;

	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++) {
		if (value.good != good)
			continue;
		if (n++ == shown)
			output_printf(out, "<details><summary>%s</summary>\n",
				      good ? "What was as expected there" : "More that were wrong");
		check_html_value(report, &value, out);
	}
	output_text(out, n > shown ? "</details>\n" : "");
}

static void print_failure(const struct check_report *report, size_t index, struct output *out)
{
	const struct unc_check_result *result = &report->items[index].result;

	output_printf(out, "<article class=\"failure\" id=\"f%zu\"><h3>", index);
	check_html_state(out, UNC_CHECK_FAIL);
	output_text(out, " ");
	check_xml(out, result->check);
	output_text(out, ": ");
	check_xml(out, result->subject);
	output_text(out, "</h3>\n<p>");
	check_xml(out, report->items[index].finding);
	output_text(out, ".</p>\n");
	print_about(about_of(report, result->check), out);
	print_values(report, index, false, out);
	if (result->n_dropped)
		output_printf(out, "<p>And %zu more that %s as wrong.</p>\n", result->n_dropped,
			      result->n_dropped == 1 ? "is" : "are");
	check_html_plots(report, index, out);
	print_values(report, index, true, out);
	output_text(out, "</article>\n");
}

static void print_failures(const struct check_report *report, struct output *out)
{
	output_text(out, "<section id=\"failures\"><h2>Failures, with evidence</h2>\n");
	if (!report->counts[UNC_CHECK_FAIL])
		output_text(out, "<p>None.</p>\n");
	for (size_t i = 0; i < report->n; i++)
		if (report->items[i].result.state == UNC_CHECK_FAIL)
			print_failure(report, i, out);
	output_text(out, "</section>\n");
}

static void print_tested(const struct check_report *report, struct output *out)
{
	char head[300];

	if (!report->n_tested)
		return;
	output_text(
		out,
		"<section id=\"tested\"><h2>For the register map</h2>\n<p>Where documents contradict each other, or "
		"nobody has tried what they say, the register map says <code>verify:</code>, and no check can fail for "
		"it. This is what was found there, as YAML for <code>tested:</code> of the map.</p>\n<pre>");
	check_tested_head(report, head, sizeof(head));
	check_xml(out, head);
	output_text(out, "\n");
	for (size_t i = 0; i < report->n_tested; i++) {
		check_xml(out, report->tested[i].name);
		output_text(out, ": {tested: \"");
		check_xml(out, report->tested[i].texts);
		output_text(out, "\"}\n");
	}
	output_text(out, "</pre></section>\n");
}

/* ---- all ---- */

static void print_row(const struct check_report *report, size_t index, struct output *out)
{
	const struct unc_check_result *result = &report->items[index].result;

	output_printf(out, "<tr id=\"r%zu\"><td>", index);
	check_xml(out, result->subject);
	output_text(out, "</td><td>");
	check_html_state(out, result->state);
	output_text(out, "</td><td>");
	check_xml(out, report->items[index].finding);
	if (result->state == UNC_CHECK_FAIL)
		output_printf(out, " <a href=\"#f%zu\">values</a>", index);
	output_text(out, "</td></tr>\n");
}

static bool has_plots(const struct check_report *report, const struct check_sum *sum)
{
	for (size_t i = sum->first; i < sum->end; i++)
		if (report->items[i].result.n_plots && report->items[i].result.state != UNC_CHECK_FAIL)
			return true;
	return false;
}

/* Prints the plots of a check, except those of failures, which are shown with the failure. */
static void print_plots(const struct check_report *report, const struct check_sum *sum, struct output *out)
{
	if (!has_plots(report, sum))
		return;
	output_text(out, "<details><summary>Plots</summary>\n");
	for (size_t i = sum->first; i < sum->end; i++)
		if (report->items[i].result.state != UNC_CHECK_FAIL)
			check_html_plots(report, i, out);
	output_text(out, "</details>\n");
}

static void print_check(const struct check_report *report, const struct check_sum *sum, struct output *out)
{
	char time[32];

	check_time_text(sum->ns, time, sizeof(time));
	output_text(out, "<h3>");
	check_html_state(out, check_worst(sum->counts));
	output_text(out, " ");
	check_xml(out, sum->about->name);
	output_printf(out, " <span class=\"dim\">%s</span></h3>\n", time);
	print_about(sum->about, out);
	if (sum->end == sum->first) {
		output_text(out, "<p>Nothing of that is here.</p>\n");
		return;
	}
	output_text(out, "<table class=\"list\"><tr><th>what</th><th>state</th><th>found</th></tr>\n");
	for (size_t i = sum->first; i < sum->end; i++)
		print_row(report, i, out);
	output_text(out, "</table>\n");
	print_plots(report, sum, out);
}

static size_t theme_end(const struct check_report *report, size_t first)
{
	const char *name = report->sums[first].about->name;
	size_t end = first;

	while (end < report->n_sums && strncmp(report->sums[end].about->name, name, check_theme_len(name) + 1) == 0)
		end++;
	return end;
}

static void print_theme(const struct check_report *report, size_t first, size_t end, struct output *out)
{
	const char *name = report->sums[first].about->name;
	unsigned counts[CHECK_STATES] = {0};

	for (size_t i = first; i < end; i++)
		for (unsigned state = 0; state < CHECK_STATES; state++)
			counts[state] += report->sums[i].counts[state];
	output_text(out, "<details><summary>");
	check_html_state(out, check_worst(counts));
	output_printf(out, " <strong>%.*s</strong>: %u passed, %u failed, %u skipped", (int)check_theme_len(name), name,
		      counts[UNC_CHECK_PASS], counts[UNC_CHECK_FAIL], counts[UNC_CHECK_SKIP]);
	if (counts[UNC_CHECK_NOT_RUN])
		output_printf(out, ", %u not run", counts[UNC_CHECK_NOT_RUN]);
	output_text(out, "</summary>\n");
	for (size_t i = first; i < end; i++)
		print_check(report, &report->sums[i], out);
	output_text(out, "</details>\n");
}

static void print_skip(const struct check_report *report, const struct check_sum *sum, size_t first, struct output *out)
{
	const struct check_item *item = &report->items[first];
	unsigned n = check_alike(report, sum, first);

	if (!n)
		return; /* it was printed already */
	output_text(out, "<tr><td>");
	check_xml(out, item->result.check);
	output_text(out, "</td><td>");
	if (n == 1)
		check_xml(out, item->result.subject);
	else
		output_printf(out, "%u %ss", n, check_kind(item));
	output_text(out, "</td><td>");
	check_xml(out, item->finding);
	output_text(out, "</td></tr>\n");
}

static void print_skips(const struct check_report *report, struct output *out)
{
	if (!report->counts[UNC_CHECK_SKIP])
		return;
	output_text(out, "<section id=\"skips\"><h2>Skipped</h2>\n"
			 "<table class=\"list\"><tr><th>check</th><th>what</th><th>why</th></tr>\n");
	for (size_t k = 0; k < report->n_sums; k++)
		for (size_t i = report->sums[k].first; i < report->sums[k].end; i++)
			if (report->items[i].result.state == UNC_CHECK_SKIP)
				print_skip(report, &report->sums[k], i, out);
	output_text(out, "</table></section>\n");
}

void check_print_html(const struct check_report *report, struct output *out)
{
	print_head(report, out);
	print_verdict(report, out);
	print_tiles(report, out);
	check_html_map(report, out);
	check_html_brief(report, out);
	print_machine(report, out);
	print_failures(report, out);
	print_tested(report, out);
	output_text(out, "<section id=\"all\"><h2>All results</h2>\n");
	for (size_t k = 0; k < report->n_sums; k = theme_end(report, k))
		print_theme(report, k, theme_end(report, k), out);
	output_text(out, "</section>\n");
	print_skips(report, out);
	check_html_words(out);
	output_text(out, "<footer>Made by uncorectl " UNC_VERSION "; `--format jsonl` has every value of every result, "
			 "those that were as expected too.</footer>\n</body>\n</html>\n");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* check --format table and html: for people, in a window, a pipe or a browser. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/page.h"

enum { STATE = 9, NAME = 12, INDENT = 2, LABEL = 9, VALUES_SHOWN = 3, NAMED = 4 };

static void print_machine(const struct check_report *report, struct output *out)
{
	const struct unc_machine_info *info = &report->info;
	struct page page = page_of(out, 0);
	char cpu[120], took[32];

	check_cpu_text(report, cpu, sizeof(cpu));
	check_time_text(report->took_ns, took, sizeof(took));
	page_line(&page, "%s%s: %s%s%s, %u socket%s", info->name, info->simulated ? " (simulated)" : "", info->part,
		  info->part[0] ? ", " : "", cpu, info->n_sockets, info->n_sockets == 1 ? "" : "s");
	for (size_t i = 0; i < report->n_facts; i++)
		if (report->facts[i].text[0])
			page_line(&page, "%s: %s", report->facts[i].name, report->facts[i].text);
	page_line(&page, "%s, %s depth, took %s, uncorectl %s", report->date, check_depths[report->options->cfg.depth],
		  took, UNC_VERSION);
}

static void print_value(const struct check_report *report, const struct unc_check_value *value, struct output *out)
{
	struct page page = page_of(out, STATE + INDENT + 2);
	struct check_labelled numbers[CHECK_LABELLED_MAX];
	char number[60], bits[400];
	bool count;

	if (value->box[0])
		page_words(&page, "%s %s, 0x%" PRIx32 " of %s", value->box, value->reg, value->offset, value->pci);
	else
		page_words(&page, "%s", value->reg);
	if (value->what[0])
		page_words(&page, "%s%s", value->box[0] || value->reg[0] ? "- " : "", value->what);
	output_text(out, "\n");
	page.start += 2;
	count = check_difference_text(report->machine, value, bits, sizeof(bits));
	for (unsigned i = 0; i < check_labelled(value, numbers); i++) {
		uint64_t n = numbers[i].number;

		/* A count, or a large number that is not a register's, is also given in hexadecimal. */
		if (count || (!value->box[0] && n > UINT16_MAX))
			snprintf(number, sizeof(number), "%" PRIu64 " (0x%" PRIx64 ")", n, n);
		else
			check_number(value, n, number);
		output_printf(out, "%*s%-*s %s\n", (int)page.start, "", LABEL, numbers[i].label, number);
	}
	if (bits[0])
		page_labelled(&page, "differs", LABEL, "%s", bits);
}

static void print_failure(const struct check_report *report, size_t index, struct output *out)
{
	const struct check_item *item = &report->items[index];
	size_t n_shown = 0, n_more = item->result.n_dropped;
	struct page page = page_of(out, STATE + INDENT);
	struct unc_check_value value;

	page_words(&page, "%s: %s", item->result.subject, item->finding);
	output_text(out, "\n");
	for (size_t i = 0; unc_check_value(report->check, index, i, &value) == 0; i++) {
		if (value.good)
			continue;
		if (n_shown < VALUES_SHOWN)
			print_value(report, &value, out);
		n_more += n_shown >= VALUES_SHOWN;
		n_shown++;
	}
	page.start += 2;
	if (n_more)
		page_line(&page, "and %zu value%s more that %s as wrong", n_more, n_more == 1 ? "" : "s",
			  n_more == 1 ? "is" : "are");
}

/* The kind of object that a result is about: "channel". */
static const char *kind_of(const struct check_item *item)
{
	const char *subject = item->result.subject;

	if (item->channel >= 0)
		return "channel";
	if (strncmp(subject, "cpu", 3) == 0)
		return "CPU";
	if (strstr(subject, ".l3-"))
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
	struct page page = page_of(out, STATE + INDENT);
	unsigned n = 0, left;
	bool told = false;

	for (size_t i = sum->first; i < sum->end; i++) {
		if (!same_reason(&report->items[i], item))
			continue;
		if (i < first)
			return; /* it was printed already */
		n++;
	}
	left = n;
	for (size_t i = first; i < sum->end && n <= NAMED; i++)
		if (same_reason(&report->items[i], item))
			page_words(&page, "%s%s", report->items[i].result.subject, --left ? "," : ":");
	if (n > NAMED)
		page_words(&page, "%u %ss:", n, kind_of(item));
	/* A channel that another program uses is skipped in every check: the reason is printed in the first. */
	for (size_t i = 0; i < sum->first && !told; i++)
		told = strcmp(report->items[i].result.subject, item->result.subject) == 0 &&
		       same_reason(&report->items[i], item);
	page_words(&page, "%s", told ? "as above" : item->finding);
	output_text(out, "\n");
}

/* "pass     bits        8 channels" */
static void print_sum(const struct check_report *report, const struct check_sum *sum, struct output *out)
{
	static const char *const verbs[] = {[UNC_CHECK_PASS] = "",
					    [UNC_CHECK_FAIL] = " failed",
					    [UNC_CHECK_SKIP] = " skipped",
					    [UNC_CHECK_NOT_RUN] = " not run"};
	enum unc_check_state worst = check_worst(sum->counts);
	struct page page = page_of(out, INDENT + STATE);
	bool narrow = page.width < PAGE_NARROW, first = true;

	output_printf(out, "%*s%-*s%-*s", INDENT, "", STATE, worst == UNC_CHECK_FAIL ? "FAIL" : check_states[worst],
		      narrow ? 0 : NAME, sum->about->name + check_theme_len(sum->about->name) + 1);
	page.column = page.start + (narrow ? page.width : (unsigned)NAME);
	for (unsigned state = 0; state < CHECK_STATES; state++) {
		unsigned n = sum->counts[state];
		const char *kind = NULL;

		if (!n)
			continue;
		for (size_t i = sum->first; i < sum->end; i++) {
			const char *this = kind_of(&report->items[i]);

			if (report->items[i].result.state == state)
				kind = !kind || strcmp(kind, this) == 0 ? this : "thing";
		}
		output_text(out, first ? "" : ",");
		if (n == 1 && kind && strcmp(kind, "machine") == 0)
			page_words(&page, "the machine%s", verbs[state]);
		else
			page_words(&page, "%u %s%s%s", n, kind ? kind : "thing", n == 1 ? "" : "s", verbs[state]);
		first = false;
	}
	page_words(&page, "%s", first ? "nothing of that here" : "");
	output_text(out, "\n");
	for (size_t i = sum->first; i < sum->end; i++) {
		enum unc_check_state state = report->items[i].result.state;

		if (state == UNC_CHECK_FAIL)
			print_failure(report, i, out);
		else if (state == UNC_CHECK_SKIP || (state == UNC_CHECK_NOT_RUN && !report->ended))
			print_reason(report, sum, i, out);
	}
}

/* "  socket0.imc0.ch1 (0000:7f:14.1): registers.bits, registers.alias"; nothing if index is not the first result of its place. */
static void print_place(const struct check_report *report, size_t index, struct output *out)
{
	const struct check_item *item = &report->items[index];
	struct page page = page_of(out, 2 * INDENT);
	char failed[420] = "";

	for (size_t i = 0; i < report->n; i++) {
		const struct unc_check_result *result = &report->items[i].result;

		if (strcmp(result->subject, item->result.subject) != 0)
			continue;
		if (i < index)
			return;
		if (result->state == UNC_CHECK_FAIL)
			unc_text_join(failed, sizeof(failed), ", ", "%s", result->check);
	}
	if (!failed[0])
		return;
	output_printf(out, "%*s", INDENT, "");
	page.column = INDENT;
	page_words(&page, "%s%s%s%s: %s", item->result.subject, *item->pci ? " (" : "", item->pci,
		   *item->pci ? ")" : "", failed);
	output_text(out, "\n");
}

void check_print_table(const struct check_report *report, struct output *out)
{
	const struct check_sum *before = NULL;
	struct page page = page_of(out, 0);
	char text[400];

	print_machine(report, out);
	for (size_t i = 0; i < report->n_sums; i++) {
		const struct check_sum *sum = &report->sums[i];

		if (!check_same_theme(before, sum))
			output_printf(out, "\n%.*s\n", (int)check_theme_len(sum->about->name), sum->about->name);
		print_sum(report, sum, out);
		before = sum;
	}
	if (report->n_tested) {
		output_text(out, "\n");
		page_line(&page, "What this silicon does where the register map says `verify:`, which cannot fail; "
				 "lines of YAML for `tested:` of the map:");
		check_tested_head(report, text, sizeof(text));
		output_printf(out, "%s\n", text);
	}
	for (size_t i = 0; i < report->n_tested; i++)
		output_printf(out, "%s: {tested: \"%s\"}\n", report->tested[i].name, report->tested[i].texts);
	if (report->counts[UNC_CHECK_FAIL]) {
		output_text(out, "\n");
		page_line(&page, "Where it failed, and in which checks; what is first in a line is nearest to the "
				 "cause:");
		for (size_t i = 0; i < report->n; i++)
			print_place(report, i, out);
		if (!report->options->path)
			page_line(&page, "With --format html -o report.html all evidence is on one page, to be handed "
					 "on.");
	}
	output_text(out, "\n");
	check_incomplete_text(report, text, sizeof(text));
	if (text[0])
		page_line(&page, "%s.", text);
	check_counts_text(report, text, sizeof(text));
	page_line(&page, "%s. %s.", check_verdict(report), text);
}

bool check_is_for_fabric(const struct unc_check_about *about)
{
	return strncmp(about->name, "behaviour.", 10) == 0;
}

/* ---- --dry-run ---- */

void check_print_plan(const struct check_report *report, struct output *out)
{
	size_t n = unc_box_count(report->machine, "imc"), n_chosen = 0;
	const char *pattern = report->options->cfg.box;
	struct page page = page_of(out, 0);

	for (size_t i = 0; i < report->n_sums; i++) {
		const struct unc_check_about *about = report->sums[i].about;

		bool traffic =
			about->makes_traffic && (!check_is_for_fabric(about) || unc_box_count(report->machine, "df"));

		page_line(&page, "%s%s%s%s", about->name, about->writes ? ", writes registers" : "",
			  traffic ? ", makes traffic" : "", about->global ? ", stops sockets" : "");
	}
	page_words(&page, "would be run, and nothing else, on");
	for (size_t i = 0; i < n; i++) {
		struct unc_box_info box;

		unc_box_info(unc_box_at(report->machine, "imc", i), &box);
		if (box.presence == UNC_ABSENT || (pattern && !unc_text_match(pattern, box.name)))
			continue;
		n_chosen++;
		page_words(&page, "%s", box.name);
	}
	page_words(&page, "%s", n_chosen ? "and what they belong to" : "this machine");
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
	check_xml(out, "%s</span>", text);
}

static void print_title(const void *arg, struct output *out)
{
	const struct check_report *report = arg;

	check_xml(out, "%s: uncorectl check of %s", check_verdict(report), report->info.name);
}

static void print_verdict(const void *arg, struct output *out)
{
	const struct check_report *report = arg;
	enum unc_check_state worst = check_worst(report->counts);
	char line[400];

	if ((report->ended || report->n_prevented) && worst != UNC_CHECK_FAIL)
		worst = UNC_CHECK_NOT_RUN;
	output_text(out, "<h1>Does this silicon count right? ");
	print_state(out, worst, check_verdict(report));
	check_counts_text(report, line, sizeof(line));
	check_xml(out, "</h1>\n<p>%s</p>", line);
	check_incomplete_text(report, line, sizeof(line));
	if (line[0])
		check_xml(out, "\n<p><strong>%s.</strong></p>", line);
	if (report->info.simulated)
		output_text(out, "\n<p><strong>This machine is simulated.</strong> Nothing here is about silicon.</p>");
}

static void print_findings(const void *arg, struct output *out)
{
	const struct check_report *report = arg;
	static const enum unc_check_state order[] = {UNC_CHECK_FAIL, UNC_CHECK_NOT_RUN, UNC_CHECK_SKIP, UNC_CHECK_PASS};

	for (unsigned k = 0; k < sizeof(order) / sizeof(order[0]); k++) {
		for (size_t i = 0; i < report->n; i++) {
			const struct check_item *item = &report->items[i];

			if (item->result.state != order[k])
				continue;
			check_xml(out, "<tr><td>%s</td><td>%s</td><td>", item->result.check, item->result.subject);
			print_state(out, order[k], check_states[order[k]]);
			check_xml(out, "</td><td>%s</td></tr>\n", item->finding);
		}
	}
}

void page_version(const void *arg, struct output *out)
{
	(void)arg;
	output_text(out, UNC_VERSION);
}

void page_fill(const char *page, const struct page_part *parts, size_t n, const void *arg, struct output *out)
{
	const char *at;

	for (; (at = strstr(page, "{{")); page = strstr(at, "}}") + strlen("}}")) {
		output_append(out, page, (size_t)(at - page));
		for (size_t i = 0; i < n; i++)
			if (strncmp(at, parts[i].name, strlen(parts[i].name)) == 0)
				parts[i].print(arg, out);
	}
	output_text(out, page);
}

void check_print_html(const struct check_report *report, struct output *out)
{
	static const struct page_part parts[] = {{"{{title}}", print_title},
						 {"{{verdict}}", print_verdict},
						 {"{{findings}}", print_findings},
						 {"{{version}}", page_version},
						 {"{{report}}", check_print_page_json}};

	page_fill(page_check, parts, sizeof(parts) / sizeof(parts[0]), report, out);
}

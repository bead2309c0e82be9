// SPDX-License-Identifier: GPL-2.0-or-later
/* What all report formats of `check` share: texts and values, the machine, results with their places, and counts. */
#define _GNU_SOURCE
#include <time.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/reg.h"
#include "machine/machine.h"

enum { RUNS_MAX = 4, COUNT_BITS = 32 };

static void put_xml(struct output *out, const char *text)
{
	static const char special[] = "&<>\"'\n";
	static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#10;"};

	while (*text) {
		const char *at = strchr(special, *text);
		char piece[UNC_TEXT_PIECE];
		size_t len = unc_text_show_next(&text, piece);

		if (at)
			output_text(out, escaped[at - special]);
		else
			output_append(out, piece, len);
	}
}

void check_xml(struct output *out, const char *markup, ...)
{
	const char *at;
	va_list texts;

	va_start(texts, markup);
	for (; (at = strstr(markup, "%s")); markup = at + strlen("%s")) {
		output_append(out, markup, (size_t)(at - markup));
		put_xml(out, va_arg(texts, const char *));
	}
	va_end(texts);
	output_text(out, markup);
}

const char *check_number(const struct unc_check_value *value, uint64_t number, char buf[CHECK_NUMBER_MAX])
{
	if (!value->box[0])
		snprintf(buf, CHECK_NUMBER_MAX, "%" PRIu64, number);
	else
		snprintf(buf, CHECK_NUMBER_MAX, "0x%0*" PRIx64, value->bits > 32 ? 16 : 8, number);
	return buf;
}

unsigned check_labelled(const struct unc_check_value *value, struct check_labelled numbers[CHECK_LABELLED_MAX])
{
	unsigned n = 0;

	if (value->has_wrote)
		numbers[n++] = (struct check_labelled){"wrote", value->wrote};
	numbers[n++] = (struct check_labelled){"read", value->read};
	if (value->has_expected)
		numbers[n++] = (struct check_labelled){"expected", value->expected};
	return n;
}

uint64_t check_differing(const struct unc_check_value *value)
{
	return value->has_expected && value->box[0] ? (value->read ^ value->expected) & value->compared : 0;
}

static struct unc_box *box_of(struct unc_machine *machine, const char *name)
{
	for (size_t i = 0; i < machine->n_boxes; i++)
		if (strcmp(machine->boxes[i].name, name) == 0)
			return &machine->boxes[i];
	return NULL;
}

const char *check_bit_field(struct unc_machine *machine, const struct unc_check_value *value, unsigned bit)
{
	struct unc_box *box = value->box[0] ? box_of(machine, value->box) : NULL;
	size_t n = box ? unc_box_reg_count(box) : 0;
	struct unc_reg_info reg;

	for (size_t i = 0; i < n; i++) {
		struct unc_field_info field;
		char name[REG_NAME_MAX];

		if (unc_box_reg_info(box, i, &reg) < 0 || strcmp(reg_name(&reg, name), value->reg) != 0)
			continue;
		for (size_t k = 0; unc_box_field_info(box, i, k, &field) == 0; k++)
			if (bit >= field.lo && bit <= field.hi)
				return field.name;
	}
	return "";
}

static bool has_bit(uint64_t value, unsigned bit)
{
	return bit < 64 && (value >> bit & 1) != 0;
}

void check_bits_text(struct unc_machine *machine, const struct unc_check_value *value, char *buf, size_t size)
{
	uint64_t all_ones = value->bits > COUNT_BITS ? UINT64_MAX : UINT32_MAX, differing = check_differing(value);
	unsigned n = 0, lowest = 0, last = 0;
	const char *common = ""; /* the field to which all of them belong */

	buf[0] = '\0';
	for (unsigned bit = 0; bit < 64; bit++) {
		bool reads = has_bit(value->read, bit), many;
		unsigned first = bit;
		const char *field;
		char bits[24];

		if (!has_bit(differing, bit))
			continue;
		field = check_bit_field(machine, value, bit);
		/* Adjacent bits that read the same and belong to the same field. */
		while (has_bit(differing, bit + 1) && has_bit(value->read, bit + 1) == reads &&
		       strcmp(check_bit_field(machine, value, bit + 1), field) == 0)
			bit++;
		last = bit;
		many = last > first;
		lowest = n ? lowest : first;
		common = n && strcmp(common, field) != 0 ? "" : field;
		n++;
		snprintf(bits, sizeof(bits), many ? "bits %u-%u" : "bit %u", first, last);
		unc_text_join(buf, size, ", ", "%s%s%s%s %s %d", bits, *field ? " (" : "", field, *field ? ")" : "",
			      many ? "read" : "reads", reads);
	}
	if (n && value->read == all_ones)
		snprintf(buf, size, "all bits read 1, as where nothing answers");
	else if (n > RUNS_MAX) /* it is a different number altogether, as of a counter */
		snprintf(buf, size, "bits %u-%u%s%s%s, in many places", lowest, last, *common ? " (" : "", common,
			 *common ? ")" : "");
}

bool check_difference_text(struct unc_machine *machine, const struct unc_check_value *value, char *buf, size_t size)
{
	uint64_t differing = check_differing(value);
	const char *field = check_bit_field(machine, value, 0);
	unsigned highest = 63;
	int64_t by;

	while (highest && !has_bit(differing, highest))
		highest--;
	if (!differing || !*field || (value->has_wrote && !((value->wrote ^ value->expected) & value->compared)) ||
	    strcmp(check_bit_field(machine, value, COUNT_BITS - 1), field) != 0 ||
	    strcmp(check_bit_field(machine, value, highest), field) != 0) {
		check_bits_text(machine, value, buf, size);
		return false;
	}
	by = (int64_t)(value->read & value->compared) - (int64_t)(value->expected & value->compared);
	snprintf(buf, size, "%" PRId64 " %s than expected", by < 0 ? -by : by, by < 0 ? "less" : "more");
	return true;
}

void check_time_text(uint64_t ns, char *buf, size_t size)
{
	double s = (double)ns / 1e9;

	if (s < 0.0995)
		snprintf(buf, size, "%.0f ms", s * 1e3);
	else if (s < 9.95)
		snprintf(buf, size, "%.1f s", s);
	else if (s < 119.5)
		snprintf(buf, size, "%.0f s", s);
	else
		snprintf(buf, size, "%" PRIu64 " min %02" PRIu64 " s", (uint64_t)(s + 0.5) / 60,
			 (uint64_t)(s + 0.5) % 60);
}

/* ---- the machine, results with their places, and counts ---- */

const char *const check_states[] = {[UNC_CHECK_PASS] = "pass",
				    [UNC_CHECK_FAIL] = "fail",
				    [UNC_CHECK_SKIP] = "skip",
				    [UNC_CHECK_NOT_RUN] = "not run"};

bool check_same_theme(const struct check_sum *before, const struct check_sum *sum)
{
	return before && strncmp(before->about->name, sum->about->name, check_theme_len(sum->about->name) + 1) == 0;
}

enum unc_check_state check_worst(const unsigned counts[CHECK_STATES])
{
	static const enum unc_check_state order[] = {UNC_CHECK_FAIL, UNC_CHECK_NOT_RUN, UNC_CHECK_PASS};

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (counts[order[i]])
			return order[i];
	return UNC_CHECK_SKIP;
}

static void add_names(char *buf, size_t size, const char *option, const struct check_names *names)
{
	char list[300] = "";

	for (size_t i = 0; i < names->n; i++)
		unc_text_join(list, sizeof(list), ",", "%s", names->texts[i]);
	if (names->n)
		unc_text_join(buf, size, " ", "%s %s", option, list);
}

void check_report_begin(struct check_report *report)
{
	const struct check_options *options = report->options;
	char *buf = report->command;
	size_t size = sizeof(report->command);
	time_t seconds;
	struct tm tm;

	unc_machine_info(report->machine, &report->info);
	if (unc_machine_cpu(report->machine, &report->cpu) < 0)
		report->cpu = (struct unc_cpu_info){0};
	while (report->n_facts < CHECK_FACTS_MAX &&
	       unc_machine_fact(report->machine, report->n_facts, &report->facts[report->n_facts]) == 0)
		report->n_facts++;
	report->real_ns = unc_machine_real_ns(report->machine);
	report->took_ns = unc_machine_raw_ns(report->machine);
	seconds = (time_t)(report->real_ns / 1000000000);
	if (gmtime_r(&seconds, &tm))
		strftime(report->date, sizeof(report->date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	/* The command is built, not copied: it is the same for a record and its replay, and has no path. */
	snprintf(buf, size, "uncorectl");
	if (!unc_machine_is_live(report->info.name))
		unc_text_join(buf, size, " ", "--machine %s", report->info.name);
	unc_text_join(buf, size, " ", "check");
	if (options->cfg.depth != UNC_CHECK_USUAL)
		unc_text_join(buf, size, " ", "%s", options->quick ? "--quick" : "--full");
	if (options->cfg.box)
		unc_text_join(buf, size, " ", "--box '%.140s'", options->cfg.box);
	add_names(buf, size, "--only", &options->only);
	add_names(buf, size, "--skip", &options->skip);
	if (options->cfg.force)
		unc_text_join(buf, size, " ", "--force");
	if (options->cfg.global)
		unc_text_join(buf, size, " ", "--global");
	if (options->cfg.observe)
		unc_text_join(buf, size, " ", "--observe");
}

/* Finds the place of a subject: a channel or a controller that the machine has, or the socket of "socket1" and "socket1.l3-1". */
static void place(const struct check_report *report, struct check_item *item)
{
	const char *subject = item->result.subject;
	struct unc_box *box = box_of(report->machine, subject);
	struct unc_box_info info;

	item->socket = item->imc = item->channel = -1;
	item->pci = "";
	if (!box) {
		if (strncmp(subject, "socket", strlen("socket")) == 0)
			item->socket = (int)strtoul(subject + strlen("socket"), NULL, 10);
		return;
	}
	unc_box_info(box, &info);
	item->socket = (int)info.socket;
	if (!strstr(info.name, ".imc") && !strstr(info.name, ".free") && !strstr(info.name, ".pmon"))
		return;
	item->imc = (int)info.imc;
	item->channel = strstr(info.name, ".ch") ? (int)info.channel : -1;
	item->pci = info.pci;
}

bool check_is_prevented(const struct check_item *item)
{
	return item->result.rc == UNC_EPERM || item->result.rc == UNC_EIO;
}

/*
 * What silicon does where a register map says `verify:`. Results report it line by line and channel by channel; here each name
 * appears once, so that all of it is a mapping in YAML.
 */

/* Is text one of the texts, and not only a part of one? */
static bool says(const char *texts, const char *text)
{
	size_t len = strlen(text);

	for (const char *at = texts; (at = strstr(at, text)) != NULL; at++)
		if ((at == texts || (at >= texts + 2 && strncmp(at - 2, "; ", 2) == 0)) &&
		    (!at[len] || strncmp(at + len, "; ", 2) == 0))
			return true;
	return false;
}

/* Adds what is tested of a name.  False: out of memory. */
static bool add_tested(struct check_report *report, const char *name, const char *text)
{
	struct check_tested *known, added = {0};
	size_t at = 0;
	char *longer;

	while (at < report->n_tested && strcmp(report->tested[at].name, name) != 0)
		at++;
	if (at == report->n_tested) {
		added.name = unc_text_dup(name);
		if (!added.name || !unc_array_add(&report->tested, &report->n_tested, &added, sizeof(added))) {
			free(added.name);
			return false;
		}
	}
	known = &report->tested[at];
	if (known->texts && says(known->texts, text))
		return true;
	longer = known->texts ? unc_text_new("%s; %s", known->texts, text) : unc_text_dup(text);
	if (longer) {
		free(known->texts);
		known->texts = longer;
	}
	return longer != NULL;
}

/* Adds the lines of a result, "NAME: {tested: "TEXT"}", or NULL.  False: out of memory. */
static bool add_tested_lines(struct check_report *report, const char *lines)
{
	static const char before[] = ": {tested: \"", after[] = "\"}";
	char *copy = lines ? unc_text_dup(lines) : NULL, *rest = copy, *line;
	bool good = !lines || copy;

	while (good && copy && (line = unc_text_cut(&rest, '\n'))) {
		char *text = strstr(line, before);

		*text = '\0';
		text += strlen(before);
		text[strlen(text) - strlen(after)] = '\0';
		good = add_tested(report, line, text);
	}
	free(copy);
	return good;
}

void check_tested_head(const struct check_report *report, char *buf, size_t size)
{
	const struct unc_machine_info *info = &report->info;
	bool named = info->part[0] != '\0';
	char family[24];

	snprintf(family, sizeof(family), " family %u", info->family);
	snprintf(buf, size, "# %s%s model 0x%x stepping %u, %.10s, uncorectl %s%s", named ? info->part : info->vendor,
		 named ? "" : family, info->model, info->stepping, report->date, UNC_VERSION,
		 info->simulated ? ", simulated" : "");
}

static bool gather_items(struct check_report *report)
{
	struct check_item item;

	while (unc_check_result(report->check, report->n, &item.result) == 0) {
		size_t len = strlen(item.result.subject);

		/* A sentence that many channels share is printed once; its subject is shown beside it anyway. */
		item.finding = item.result.finding;
		if (strncmp(item.finding, item.result.subject, len) == 0 && strncmp(item.finding + len, ": ", 2) == 0)
			item.finding += len + 2;
		place(report, &item);
		report->counts[item.result.state]++;
		report->n_prevented += check_is_prevented(&item);
		if (!add_tested_lines(report, item.result.tested) ||
		    !unc_array_add(&report->items, &report->n, &item, sizeof(item)))
			return false;
	}
	return true;
}

static bool gather_sums(struct check_report *report)
{
	const struct unc_check_about *about;

	while ((about = unc_check_chosen(report->check, report->n_sums))) {
		struct check_sum sum = {.about = about};

		for (size_t i = 0; i < report->n; i++) {
			const struct unc_check_result *result = &report->items[i].result;

			if (strcmp(result->check, about->name) != 0)
				continue;
			if (!sum.end)
				sum.first = i;
			sum.end = i + 1;
			sum.counts[result->state]++;
			sum.ns = result->ns;
		}
		report->checks[check_worst(sum.counts)]++;
		if (!unc_array_add(&report->sums, &report->n_sums, &sum, sizeof(sum)))
			return false;
	}
	return true;
}

bool check_report_end(struct check_report *report)
{
	report->took_ns = unc_machine_raw_ns(report->machine) - report->took_ns;
	if (gather_items(report) && gather_sums(report))
		return true;
	say("out of memory");
	return false;
}

void check_report_clear(struct check_report *report)
{
	free(report->items);
	free(report->sums);
	for (size_t i = 0; i < report->n_tested; i++) {
		free(report->tested[i].name);
		free(report->tested[i].texts);
	}
	free(report->tested);
}

const struct check_item *check_prevented(const struct check_report *report)
{
	const struct check_item *first = NULL;

	for (size_t i = 0; i < report->n; i++) {
		const struct check_item *item = &report->items[i];

		if (item->result.rc == UNC_EPERM)
			return item;
		if (!first && check_is_prevented(item))
			first = item;
	}
	return first;
}

void check_incomplete_text(const struct check_report *report, char *buf, size_t size)
{
	const struct check_item *item = check_prevented(report);

	buf[0] = '\0';
	if (report->ended)
		snprintf(buf, size, "Not all checks were run: %s", report->ended);
	else if (item)
		snprintf(buf, size,
			 "%u of %zu results are missing because something was refused or failed, the first: %s",
			 report->n_prevented, report->n, item->result.finding);
}

const char *check_verdict(const struct check_report *report)
{
	if (report->counts[UNC_CHECK_FAIL])
		return report->ended ? "FAILED, and incomplete" : "FAILED";
	if (report->ended || report->counts[UNC_CHECK_NOT_RUN] || report->n_prevented)
		return "INCOMPLETE";
	return report->counts[UNC_CHECK_PASS] ? "PASSED" : "NOTHING CHECKED";
}

static void add_counts(const unsigned counts[CHECK_STATES], char *buf, size_t size)
{
	unc_text_join(buf, size, ": ", "%u passed, %u failed, %u skipped", counts[UNC_CHECK_PASS],
		      counts[UNC_CHECK_FAIL], counts[UNC_CHECK_SKIP]);
	if (counts[UNC_CHECK_NOT_RUN])
		unc_text_join(buf, size, ", ", "%u not run", counts[UNC_CHECK_NOT_RUN]);
}

void check_counts_text(const struct check_report *report, char *buf, size_t size)
{
	snprintf(buf, size, "%zu check%s", report->n_sums, report->n_sums == 1 ? "" : "s");
	add_counts(report->checks, buf, size);
	unc_text_join(buf, size, "; ", "%zu result%s", report->n, report->n == 1 ? "" : "s");
	add_counts(report->counts, buf, size);
}

void check_cpu_text(const struct check_report *report, char *buf, size_t size)
{
	snprintf(buf, size, "%s family %u model 0x%x stepping %u", report->info.vendor, report->info.family,
		 report->info.model, report->info.stepping);
}

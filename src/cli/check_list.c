// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl check --list: every check, what it proves, the source of that, and how long it takes. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/check.h"
#include "cli/check_text.h"
#include "cli/emit.h"
#include "cli/page.h"

enum column_index { C_CHECK, C_PROVES, C_SRC, C_QUICK, C_USUAL, C_FULL, C_WRITES, C_TRAFFIC, C_GLOBAL, N_COLUMNS };

/* The columns of records, one per line; the table is a page instead. */
/* clang-format off */
static const struct column columns[N_COLUMNS] = {
	[C_CHECK] = {"check", NULL, COLUMN_TEXT, 0},
	[C_PROVES] = {"proves", NULL, COLUMN_TEXT, 0},
	[C_SRC] = {"src", NULL, COLUMN_TEXT, 0},
	[C_QUICK] = {"quick_ms", NULL, COLUMN_NUMBER, 0},
	[C_USUAL] = {"usual_ms", NULL, COLUMN_NUMBER, 0},
	[C_FULL] = {"full_ms", NULL, COLUMN_NUMBER, 0},
	[C_WRITES] = {"writes", NULL, COLUMN_NUMBER, 0},
	[C_TRAFFIC] = {"makes_traffic", NULL, COLUMN_NUMBER, 0},
	[C_GLOBAL] = {"global", NULL, COLUMN_NUMBER, 0},
};
/* clang-format on */

static struct value time_value(unsigned ms)
{
	return ms ? number_value(ms) : no_value("-");
}

static void emit_check(const struct unc_check_about *about, struct emitter *emitter)
{
	struct row row = {.record = true};

	row.values[C_CHECK] = text_value(about->name);
	row.values[C_PROVES] = text_value(about->proves);
	row.values[C_SRC] = text_value(about->src);
	row.values[C_QUICK] = time_value(about->ms[UNC_CHECK_QUICK]);
	row.values[C_USUAL] = time_value(about->ms[UNC_CHECK_USUAL]);
	row.values[C_FULL] = time_value(about->ms[UNC_CHECK_FULL]);
	row.values[C_WRITES] = number_value(about->writes);
	row.values[C_TRAFFIC] = number_value(about->makes_traffic);
	row.values[C_GLOBAL] = number_value(about->global);
	emit_row(emitter, &row);
}

/* "takes 35 ms, with --quick 10 ms, with --full 2.0 s" */
static void times_text(const struct unc_check_about *about, char *buf, size_t size)
{
	static const char *const with[] = {
		[UNC_CHECK_QUICK] = "with --quick ", [UNC_CHECK_USUAL] = "", [UNC_CHECK_FULL] = "with --full "};
	static const enum unc_check_depth order[] = {UNC_CHECK_USUAL, UNC_CHECK_QUICK, UNC_CHECK_FULL};
	size_t len = (size_t)snprintf(buf, size, "takes ");

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]) && len < size; i++) {
		unsigned ms = about->ms[order[i]];
		char time[32];

		check_time_text((uint64_t)ms * 1000000, time, sizeof(time));
		len += (size_t)snprintf(buf + len, size - len, "%s%s%s", i ? ", " : "", with[order[i]],
					ms ? time : "not run");
	}
}

static void print_check(const struct unc_check_about *about, struct output *out)
{
	struct page page = page_of(out);
	char line[300];
	size_t len;

	page.start = 4;
	page.column = 2;
	output_text(out, "  ");
	output_text(out, about->name + check_theme_len(about->name) + 1);
	page_next_line(&page);
	page_words(&page, about->proves);
	page_next_line(&page);
	times_text(about, line, sizeof(line));
	len = strlen(line);
	snprintf(line + len, sizeof(line) - len, "%s%s%s", about->makes_traffic ? "; makes memory traffic" : "",
		 about->global ? "; with --global only" : "", about->writes ? "" : "; writes nothing");
	page_words(&page, line);
	page_next_line(&page);
	page_words(&page, about->src);
	output_text(out, "\n");
}

static void print_page(const struct check_options *options, struct output *out)
{
	const struct unc_check_about *about, *before = NULL;

	for (size_t i = 0; (about = unc_check_about(i)); i++) {
		size_t theme = check_theme_len(about->name);

		if (!check_options_name(options, about))
			continue;
		if (!before || strncmp(before->name, about->name, theme + 1) != 0)
			output_printf(out, "%s%.*s\n", before ? "\n" : "", (int)theme, about->name);
		print_check(about, out);
		before = about;
	}
}

int check_list(const struct globals *globals, const struct check_options *options)
{
	const struct unc_check_about *about;
	struct emitter *emitter = NULL;
	struct output out;

	if (!options->path && globals->stdout_closed) {
		say("standard output: closed; use -o FILE");
		return EXIT_FAILED;
	}
	if (!output_open(&out, options->path, STDOUT_FILENO, "standard output"))
		return EXIT_FAILED;
	if (options->format == CHECK_JSONL) {
		emitter = emitter_new(FORMAT_JSONL, columns, N_COLUMNS, &out, false);
		for (size_t i = 0; emitter && (about = unc_check_about(i)); i++)
			if (check_options_name(options, about))
				emit_check(about, emitter);
		out.failed |= !emitter;
		emitter_free(emitter);
	} else {
		print_page(options, &out);
	}
	return output_close(&out) ? EXIT_DONE : EXIT_FAILED;
}

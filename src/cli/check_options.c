// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl check --list: every check, what it proves, the source of that, and how long it takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/check.h"
#include "cli/emit.h"
#include "cli/options.h"
#include "cli/number.h"
#include "pmon/event.h"

size_t check_theme_len(const char *name)
{
	return strcspn(name, ".");
}

/* Is name the name or the theme of the check? */
static bool is_meant(const char *name, const char *check)
{
	size_t len = strlen(name);

	return strncmp(name, check, len) == 0 && (check[len] == '\0' || check[len] == '.') &&
	       len >= check_theme_len(check);
}

static bool is_in(const struct check_names *names, const char *check)
{
	for (size_t i = 0; i < names->n; i++)
		if (is_meant(names->texts[i], check))
			return true;
	return false;
}

/* Do --only, --skip and --observe select it, or is none of them given? */
static bool selects(const struct check_options *options, const struct unc_check_about *about)
{
	return (!options->only.n || is_in(&options->only, about->name)) && !is_in(&options->skip, about->name) &&
	       (!about->writes || !options->cfg.observe);
}

bool check_options_want(const struct check_options *options, const struct unc_check_about *about)
{
	return selects(options, about) && (options->only.n || about->ms[options->cfg.depth]) &&
	       (!about->global || options->cfg.global);
}

/* ---- the list, which also has checks that run only on request ---- */

/* The columns of records, one per line; the table is a page instead. */
/* clang-format off */
static const struct column columns[] = {
	{"check", NULL, COLUMN_TEXT, 0},
	{"proves", NULL, COLUMN_TEXT, 0},
	{"src", NULL, COLUMN_TEXT, 0},
	{"quick_ms", NULL, COLUMN_NUMBER, 0},
	{"usual_ms", NULL, COLUMN_NUMBER, 0},
	{"full_ms", NULL, COLUMN_NUMBER, 0},
	{"writes", NULL, COLUMN_NUMBER, 0},
	{"makes_traffic", NULL, COLUMN_NUMBER, 0},
	{"global", NULL, COLUMN_NUMBER, 0},
};
enum { N_COLUMNS = sizeof(columns) / sizeof(columns[0]) };
/* clang-format on */

static void print_check(const struct unc_check_about *about, struct output *out)
{
	static const char *const with[] = {
		[UNC_CHECK_QUICK] = "with --quick ", [UNC_CHECK_USUAL] = "", [UNC_CHECK_FULL] = "with --full "};
	static const enum unc_check_depth order[] = {UNC_CHECK_USUAL, UNC_CHECK_QUICK, UNC_CHECK_FULL};
	struct page page = page_of(out, 4);
	char times[120] = "";

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		unsigned ms = about->ms[order[i]];
		char time[32];

		check_time_text((uint64_t)ms * 1000000, time, sizeof(time));
		unc_text_join(times, sizeof(times), ", ", "%s%s", with[order[i]], ms ? time : "not run");
	}
	output_printf(out, "  %s\n", about->name + check_theme_len(about->name) + 1);
	page_line(&page, "%s", about->proves);
	page_line(&page, "takes %s%s%s%s", times, about->makes_traffic ? "; makes memory traffic" : "",
		  about->global ? "; with --global only" : "", about->writes ? "" : "; writes nothing");
	page_line(&page, "%s", about->src);
}

int check_list(const struct globals *globals, const struct check_options *options)
{
	const struct unc_check_about *about, *before = NULL;
	bool records = options->format == CHECK_JSONL;
	struct emitter emitter;
	struct output out;
	int status = output_open(&out, globals, options->path, STDOUT_FILENO);

	if (status != EXIT_DONE)
		return status;
	emitter_init(&emitter, FORMAT_JSONL, columns, N_COLUMNS, &out, false);
	for (size_t i = 0; !out.failed && (about = unc_check_about(i)); i++) {
		size_t theme = check_theme_len(about->name);

		if (!selects(options, about))
			continue;
		if (records) {
			emit_values(&emitter, (struct value[]){
						      text_value(about->name),
						      text_value(about->proves),
						      text_value(about->src),
						      number_if(about->ms[UNC_CHECK_QUICK], about->ms[UNC_CHECK_QUICK]),
						      number_if(about->ms[UNC_CHECK_USUAL], about->ms[UNC_CHECK_USUAL]),
						      number_if(about->ms[UNC_CHECK_FULL], about->ms[UNC_CHECK_FULL]),
						      number_value(about->writes),
						      number_value(about->makes_traffic),
						      number_value(about->global),
					      });
			continue;
		}
		if (!before || strncmp(before->name, about->name, theme + 1) != 0)
			output_printf(&out, "%s%.*s\n", before ? "\n" : "", (int)theme, about->name);
		print_check(about, &out);
		before = about;
	}
	emitter_clear(&emitter);
	return output_close(&out) ? EXIT_DONE : EXIT_FAILED;
}

/* uncorectl check: its options, and the checks that they select. */

static const char usage[] =
	"usage: uncorectl check [--box PATTERN] [--only NAME,...] [--skip NAME,...] [--quick | --full]\n"
	"                       [--force] [--global] [--observe] [--format FORMAT] [-o FILE]\n"
	"       uncorectl check --list [--format table|jsonl] [-o FILE]\n"
	"\n"
	"Does this silicon count right?  Exercises every counter block that the machine should have and\n"
	"tells pass, fail or skip for each property of each, with the register values that show it.  Each\n"
	"register is put back after the check that wrote it.  Channels in which others count are skipped.\n";
static const char notes[] =
	"`uncorectl --dry-run check ...` tells what would be run on what, and writes nothing.\n"
	"\n"
	"Exit status 0 when all passed or were skipped, 1 when something failed or it was ended before, 3\n"
	"when there is nothing to check, 4 when it is not permitted, 5 when all is in use by others.\n";

static const char *const formats[] = {"table", "tap", "junit", "jsonl", "html", NULL};

const char *check_depth_name(enum unc_check_depth depth)
{
	static const char *const names[] = {
		[UNC_CHECK_QUICK] = "quick", [UNC_CHECK_USUAL] = "usual", [UNC_CHECK_FULL] = "full"};

	return names[depth];
}

enum { SHOWN = 4, DISTANCE_MAX = 8 };

/* The distance of a name from what was typed; small if the name contains it, or if its later part is close. */
static unsigned distance(const char *asked, const char *name)
{
	unsigned whole = unc_text_distance(asked, name), part;
	size_t theme = check_theme_len(name);

	if (name_match(asked, name))
		return 1;
	part = name[theme] ? unc_text_distance(asked, name + theme + 1) : whole;
	return part < whole ? part : whole;
}

static int unknown(const char *option, const char *asked)
{
	const struct unc_check_about *about;
	unsigned shown = 0;
	char nearest[200] = "";

	for (unsigned far = 0; far < 1 + strlen(asked) / 3 && far < DISTANCE_MAX; far++) {
		const char *before = "";

		for (size_t i = 0; (about = unc_check_about(i)) && shown < SHOWN; i++) {
			size_t theme = check_theme_len(about->name);
			const char *near = distance(asked, about->name) == far ? about->name : NULL;
			char name[40];

			snprintf(name, sizeof(name), "%.*s", (int)theme, about->name);
			if (strncmp(before, about->name, theme + 1) != 0 && unc_text_distance(asked, name) == far)
				near = name;
			if (near)
				unc_text_join(nearest, sizeof(nearest), ", ", "%s", near);
			shown += near != NULL;
			before = about->name;
		}
	}
	return usage_error("check: %s %s: there is no such check or theme%s%s; see `uncorectl check --list`", option,
			   asked, *nearest ? ", the nearest are " : "", nearest);
}

/* Adds the names of "NAME,NAME".  EXIT_DONE, or the exit status after a message about the wrong name. */
static int take_names(void *member, const struct option_given *given)
{
	struct check_names *names = member;
	const char *option = given->option;
	char *copy = unc_text_dup(given->value), *rest = copy, *name;
	int status = EXIT_DONE;

	if (!copy)
		return no_memory();
	while (status == EXIT_DONE && (name = unc_text_cut(&rest, ','))) {
		const struct unc_check_about *about;

		for (size_t i = 0; (about = unc_check_about(i)) && !is_meant(name, about->name); i++)
			;
		if (!about)
			status = unknown(option, name);
		else if (names->n == CHECK_NAMES_MAX)
			status = usage_error("check: %s: more than %d names", option, CHECK_NAMES_MAX);
		else if (!(names->texts[names->n] = unc_text_dup(name)))
			status = EXIT_FAILED;
		else
			names->n++;
	}
	free(copy);
	return status;
}

static const struct option_def option_defs[] = {
	{"list", NULL, option_flag, offsetof(struct check_options, list),
	 .help = "every check, or those of --only: what it proves, its source, how long it takes"},
	{"box", "PATTERN", option_text, offsetof(struct check_options, cfg.box),
	 .help = "channels of this name only, with * and ?: 'socket0.*'"},
	{"only", "NAME,...", take_names, offsetof(struct check_options, only),
	 .help = "only these checks, or those of a theme: registers,clock.rate"},
	{"skip", "NAME,...", take_names, offsetof(struct check_options, skip), .help = "not these"},
	{"quick", NULL, option_flag, offsetof(struct check_options, quick),
	 .help = "what needs no long wait, each wait as short as it may be"},
	{"full", NULL, option_flag, offsetof(struct check_options, full),
	 .help = "longer and more often: what goes wrong now and then is found more likely"},
	{"force", NULL, option_flag, offsetof(struct check_options, cfg.force),
	 .help = "also channels in which others count: their counts are spoiled"},
	{"global", NULL, option_flag, offsetof(struct check_options, cfg.global),
	 .help = "also what stops all counters of a socket at once"},
	{"observe", NULL, option_flag, offsetof(struct check_options, cfg.observe),
	 .help = "only checks that write no register"},
	{"format", "FORMAT", option_word, offsetof(struct check_options, format),
	 .help = "table (default), tap, junit, jsonl or html: one file to be handed on", .words = formats},
	OPTION_OUTPUT("write to FILE", struct check_options),
	{0},
};

bool check_options_parse(int argc, char **argv, struct check_options *options, int *ret_status)
{
	const struct command_line line = {"check", usage, notes, option_defs, options, .shared = options};
	int first;

	*options = (struct check_options){.format = CHECK_TABLE};
	first = command_line_parse(&line, argc, argv, ret_status);
	if (first == 0)
		return false;
	if (first < argc)
		*ret_status = usage_error("check: %s: it takes no argument; --only NAME chooses checks", argv[first]);
	else if (options->quick && options->full)
		*ret_status = usage_error("check: --quick and --full: only one of them");
	else if (options->list && options->format != CHECK_TABLE && options->format != CHECK_JSONL)
		*ret_status =
			usage_error("check: --list --format %s: a list is a table or jsonl", formats[options->format]);
	options->cfg.depth = options->quick ? UNC_CHECK_QUICK : options->full ? UNC_CHECK_FULL : UNC_CHECK_USUAL;
	options->cfg.only = (const char *const *)options->only.texts;
	options->cfg.n_only = options->only.n;
	options->cfg.skip = (const char *const *)options->skip.texts;
	options->cfg.n_skip = options->skip.n;
	return *ret_status == EXIT_DONE;
}

void check_options_clear(struct check_options *options)
{
	for (size_t i = 0; i < options->only.n; i++)
		free(options->only.texts[i]);
	for (size_t i = 0; i < options->skip.n; i++)
		free(options->skip.texts[i]);
	options->only.n = options->skip.n = 0;
}

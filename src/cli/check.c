// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl check: does this silicon count right?  Runs the checks, or lists them, and passes their results to a report format. */
#include "cli/check.h"

#include <unistd.h>

#include "check/check.h"
#include "cli/channels.h"
#include "cli/child.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/traffic.h"
#include "uncore/reg.h"

size_t check_theme_len(const char *name)
{
	return strcspn(name, ".");
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
	{"writes", NULL, COLUMN_BOOL, 0},
	{"makes_traffic", NULL, COLUMN_BOOL, 0},
	{"global", NULL, COLUMN_BOOL, 0},
};
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
	page_line(&page, "takes %s%s%s%s", times,
		  !about->makes_traffic        ? ""
		  : check_is_for_fabric(about) ? "; on AMD makes memory traffic"
					       : "; makes memory traffic",
		  about->global ? "; with --global only" : "", about->writes ? "" : "; writes nothing");
	page_line(&page, "%s", about->src);
}

static int print_list(const struct globals *globals, const struct check_options *options)
{
	const struct unc_check_about *about, *before = NULL;
	bool records = options->format == CHECK_JSONL;
	struct emitter emitter;
	struct output out;
	int status = output_open(&out, globals, options->path, STDOUT_FILENO);

	if (status != EXIT_DONE)
		return status;
	emitter_init(&emitter, records ? FORMAT_JSONL : FORMAT_TABLE, EMIT_COLUMNS(columns), &out, false);
	emit_head(&emitter, NULL, "check");
	for (size_t i = 0; !out.failed && (about = unc_check_about(i)); i++) {
		size_t theme = check_theme_len(about->name);

		if (!unc_check_is_selected(&options->cfg, about))
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

const char *const check_depths[] = {
	[UNC_CHECK_QUICK] = "quick", [UNC_CHECK_USUAL] = "usual", [UNC_CHECK_FULL] = "full"};

static int unknown(const char *option, const char *asked)
{
	struct unc_nearest nearest = {.asked = asked};
	const struct unc_check_about *about;
	char near[UNC_NEAREST_TEXT], theme[40];

	for (size_t i = 0; (about = unc_check_about(i)); i++) {
		snprintf(theme, sizeof(theme), "%.*s", (int)check_theme_len(about->name), about->name);
		unc_nearest_offer(&nearest, theme);
		unc_nearest_offer(&nearest, about->name);
	}
	return usage_error("check: %s %s: there is no such check or theme%s; see `uncorectl check --list`", option,
			   asked, unc_nearest_text(&nearest, near));
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

		for (size_t i = 0; (about = unc_check_about(i)) && !unc_check_is_meant(name, about->name); i++)
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
	{"verbose", NULL, option_flag, offsetof(struct check_options, verbose),
	 .help = "also note what does no harm and is so in every run", .letter = 'v'},
	{"force", NULL, option_flag, offsetof(struct check_options, cfg.force),
	 .help = "also channels in which others count: their counts are spoiled"},
	{"global", NULL, option_flag, offsetof(struct check_options, cfg.global),
	 .help = "also what stops all counters of a socket at once"},
	{"observe", NULL, option_flag, offsetof(struct check_options, cfg.observe),
	 .help = "only checks that write no register"},
	{"format", "FORMAT", option_word, offsetof(struct check_options, format),
	 .help = "table (default), tap, junit, jsonl or html: one file to be handed on", .words = formats},
	OPTION_OUTPUT(struct check_options, "write to FILE"),
};

/* ---- the run ---- */

enum { NOTE_MAX = 1024 };

struct run {
	struct globals globals; /* the global options, changed by the command's own options */
	struct check_options options;
	struct check_report report;
	struct opened opened;
	struct output out;
	struct output err;   /* what it is doing now, on a terminal: one line that is overwritten by the next */
	bool shows_progress; /* there is such a line */
	struct traffic_child *traffic; /* NULL: no check makes traffic, or the machine is not this computer */
	int wake_fd;
	char why[100];        /* why the run ended early */
	char noted[NOTE_MAX]; /* the last note that was printed */
};

static void hide_progress(struct run *run)
{
	if (!run->shows_progress)
		return;
	run->shows_progress = false;
	output_text(&run->err, "\r\033[K");
	output_flush(&run->err);
}

static void show_progress(void *arg, const struct unc_check_progress *now)
{
	struct run *run = arg;
	unsigned width = output_window(&run->err).columns;
	char left[32], line[200];
	int n;

	if (!run->err.terminal)
		return;
	check_time_text(now->left_ns, left, sizeof(left));
	n = snprintf(line, sizeof(line), "[%u/%u] %s, about %s left", now->nth, now->of, now->check, left);
	if (n > 0 && (unsigned)n >= width) /* the time is the least important part */
		n = snprintf(line, sizeof(line), "[%u/%u] %s", now->nth, now->of, now->check);
	if (n > 0 && (unsigned)n >= width) /* on some terminals the last column would begin a new line */
		line[width > 1 ? width - 1 : 0] = '\0';
	output_text(&run->err, "\r");
	output_text(&run->err, line);
	output_text(&run->err, "\033[K");
	output_flush(&run->err);
	run->shows_progress = true;
}

/* Notes must not be written into the progress line.  A note that several checks get when they begin is printed once. */
static void on_note(void *arg, const char *sentence)
{
	struct run *run = arg;

	if (strcmp(run->noted, sentence) == 0)
		return;
	snprintf(run->noted, sizeof(run->noted), "%s", sentence);
	hide_progress(run);
	say("note: %s", sentence);
}

/* Reports a pattern that matches no channel, with the channels that exist. */
static int box_exists(const struct run *run)
{
	char near[UNC_NEAREST_TEXT];
	const char *pattern = run->options.cfg.box;
	size_t n = unc_box_count(run->opened.machine, "imc"), n_fabrics = unc_box_count(run->opened.machine, "df");
	struct unc_box_info first = {0}, last = {0};

	for (size_t i = 0; pattern && i < n + n_fabrics; i++) {
		struct unc_box_info box;

		unc_box_info(unc_box_at(run->opened.machine, i < n ? "imc" : "df", i < n ? i : i - n), &box);
		if (box.presence == UNC_ABSENT)
			continue;
		if (unc_text_match(pattern, box.name))
			return EXIT_DONE;
		if (i >= n)
			continue;
		last = box;
		first = first.name ? first : box;
	}
	if (!pattern)
		return EXIT_DONE;
	if (need_counters(&run->opened) != EXIT_DONE)
		return EXIT_NOT_HERE;
	if (!last.name)
		return refuse(
			EXIT_NOT_HERE,
			"check: --box %s: no memory channel is there: hidden by the firmware, or they read as all ones",
			pattern);
	return usage_error(
		"check: --box %s: no channel has such a name%s; there are %s to %s, `uncorectl list` shows them",
		pattern, boxes_nearest(run->opened.machine, pattern, near), first.name, last.name);
}

/* Notes why the run ended early; the library's sentence was printed. */
static int ended(struct run *run, int rc)
{
	int signal = signals_caught();

	run->report.ended = run->why;
	if (signal || rc == UNC_EAGAIN) {
		snprintf(run->why, sizeof(run->why), "%s",
			 signal ? "it was interrupted" : "it was woken before its end");
		signals_clear();  /* the report is still written; a second signal interrupts that */
		return EXIT_DONE; /* so far: verdict() prints the message */
	}
	snprintf(run->why, sizeof(run->why), "it failed: %.80s", unc_errmsg(run->opened.ctx));
	return fail_with(run->opened.ctx, rc) == EXIT_NOT_PERMITTED ? EXIT_NOT_PERMITTED : EXIT_FAILED;
}

/* Returns the exit status, with one sentence, unless the reason for an early end was printed already. */
static int verdict(const struct check_report *report)
{
	const struct check_item *prevented = check_prevented(report);
	char failed[300] = "", lacking[UNC_MSG_MAX + 100];

	for (size_t i = 0; i < report->n_sums; i++)
		if (report->sums[i].counts[UNC_CHECK_FAIL])
			unc_text_join(failed, sizeof(failed), ", ", "%s", report->sums[i].about->name);
	if (report->counts[UNC_CHECK_FAIL])
		return refuse(EXIT_FAILED, "check: failed: %s%s%s", failed,
			      report->ended ? "; and not all was run: " : "", report->ended ? report->ended : "");
	if (report->ended || report->counts[UNC_CHECK_NOT_RUN])
		return refuse(EXIT_FAILED, "check: incomplete: %s", report->ended ? report->ended : "not all was run");
	check_incomplete_text(report, lacking, sizeof(lacking));
	if (prevented) /* a check that the operating system or a device did not allow has not passed */
		return refuse(prevented->result.rc == UNC_EPERM ? EXIT_NOT_PERMITTED : EXIT_FAILED,
			      "check: incomplete: %s", lacking);
	if (report->counts[UNC_CHECK_PASS])
		return EXIT_DONE;
	return refuse(EXIT_NOT_HERE, "check: nothing could be checked: every check was skipped; the report tells why");
}

/* Registers are put back before anything is written to a pipe, which its reader may not empty. */
static int run_all(struct run *run)
{
	int rc = unc_check_run(run->report.check), status = EXIT_DONE;

	hide_progress(run);
	if (rc == UNC_EBUSY) /* nothing was tried */
		return fail_with(run->opened.ctx, rc);
	if (rc < 0)
		status = ended(run, rc);
	rc = unc_machine_put_back(run->opened.machine);
	if (rc < 0)
		status = first_failure(status, fail_with(run->opened.ctx, rc));
	if (!check_report_end(&run->report))
		return EXIT_FAILED;
	check_print(&run->report, &run->out);
	if (!output_flush(&run->out))
		return EXIT_FAILED;
	return status ? status : verdict(&run->report);
}

/*
 * Does everything up to the first check: starts the child that makes traffic before any file of the machine is open, and opens the
 * report before a register is touched.
 */
static int start(struct run *run)
{
	const struct check_options *options = &run->options;
	const struct unc_check_about *about;
	bool makes_traffic = false, writes = !run->globals.observe;
	int status = EXIT_DONE, rc;

	run->wake_fd = signals_catch();
	if (run->wake_fd < 0)
		return EXIT_FAILED;
	for (size_t i = 0; (about = unc_check_about(i)); i++)
		makes_traffic |= about->makes_traffic && unc_check_is_wanted(&options->cfg, about);
	if (makes_traffic && !run->globals.dry_run)
		status = traffic_child_start(&run->globals, &run->traffic);
	if (status == EXIT_DONE)
		status = output_open(&run->out, &run->globals, run->options.path, STDOUT_FILENO);
	if (status != EXIT_DONE)
		return status;
	output_on(&run->err, STDERR_FILENO);
	run->options.cfg.progress = show_progress;
	run->options.cfg.progress_arg = run;
	run->report.options = &run->options;
	status = open_machine(&run->globals, writes, run->wake_fd, &run->out, &run->opened);
	if (status != EXIT_DONE)
		return status;
	unc_set_log(run->opened.ctx, on_note, run);
	run->opened.ctx->terse = !options->verbose;
	status = box_exists(run);
	if (status != EXIT_DONE)
		return status;
	if (writes) /* a run that only reads is confined already */
		confine(&run->globals, run->options.cfg.global ? CONFINE_SEARCHING : CONFINE_WRITING, 0);
	run->report.machine = run->opened.machine;
	check_report_begin(&run->report);
	rc = unc_check_open(run->opened.machine, &run->options.cfg, &run->report.check);
	return rc < 0 ? fail_here(&run->opened, rc) : EXIT_DONE;
}

static int check(struct run *run)
{
	int status = start(run);

	if (status == EXIT_DONE && !run->globals.dry_run)
		status = run_all(run);
	else if (status == EXIT_DONE && check_report_end(&run->report))
		check_print_plan(&run->report, &run->out);
	else if (status == EXIT_DONE)
		status = EXIT_FAILED;
	unc_check_close(run->report.check);
	check_report_clear(&run->report);
	if (run->opened.ctx)
		status = close_machine(&run->opened, status);
	if (run->out.name && !output_close(&run->out) && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (run->err.name)
		output_close(&run->err);
	traffic_child_end(run->traffic);
	return status;
}

static int check_run(const struct globals *globals, int argc, char **argv)
{
	struct run run = {.globals = *globals, .options.format = CHECK_TABLE};
	struct check_options *options = &run.options;
	const struct command_line line = {"check", usage, notes, option_defs, options, .shared = options};
	struct unc_check_cfg *cfg = &options->cfg;
	int status, first = command_line_parse(&line, argc, argv, &status);

	if (first && first < argc)
		status = usage_error("check: %s: it takes no argument; --only NAME chooses checks", argv[first]);
	else if (first && options->quick && options->full)
		status = usage_error("check: --quick and --full: only one of them");
	else if (first && options->list && options->format != CHECK_TABLE && options->format != CHECK_JSONL)
		status = usage_error("check: --list --format %s: a list is a table or jsonl", formats[options->format]);
	else if (first)
		status = globals_observe(&run.globals, cfg->observe);
	cfg->observe = run.globals.observe;
	if (first && status == EXIT_DONE && cfg->observe && (cfg->force || cfg->global))
		status = usage_error("check: --observe writes no register, so there is nothing to %s",
				     cfg->force ? "--force" : "stop with --global");
	if (first && status == EXIT_DONE) {
		cfg->depth = options->quick ? UNC_CHECK_QUICK : options->full ? UNC_CHECK_FULL : UNC_CHECK_USUAL;
		cfg->only = (const char *const *)options->only.texts;
		cfg->n_only = options->only.n;
		cfg->skip = (const char *const *)options->skip.texts;
		cfg->n_skip = options->skip.n;
		status = options->list ? print_list(globals, options) : check(&run);
	}
	for (size_t i = 0; i < options->only.n; i++)
		free(options->only.texts[i]);
	for (size_t i = 0; i < options->skip.n; i++)
		free(options->skip.texts[i]);
	return status;
}

const struct command check_command = {"check", "does this silicon count right? Every counter block, with evidence",
				      check_run};

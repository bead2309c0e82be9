// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl check: does this silicon count right?  Runs the checks, and passes their results to a report format. */
#include "cli/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/confine.h"
#include "cli/child.h"
#include "cli/traffic.h"
#include "uncore/check.h"
#include "uncore/reg.h"
#include "uncore/traffic.h"

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
	unsigned columns = output_window(&run->err).columns;
	char left[32], line[200];
	int n;

	if (!run->err.terminal)
		return;
	check_time_text(now->left_ns, left, sizeof(left));
	n = snprintf(line, sizeof(line), "[%u/%u] %s, about %s left", now->nth, now->of, now->check, left);
	if (n > 0 && (unsigned)n >= columns) /* the time is the least important part */
		n = snprintf(line, sizeof(line), "[%u/%u] %s", now->nth, now->of, now->check);
	if (n > 0 && (unsigned)n >= columns) /* on some terminals the last column would begin a new line */
		line[columns > 1 ? columns - 1 : 0] = '\0';
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
	const char *pattern = run->options.cfg.box;
	size_t n = unc_box_count(run->opened.machine, "imc");
	struct unc_box_info first = {0}, last = {0};

	for (size_t i = 0; pattern && i < n; i++) {
		struct unc_box_info box;

		unc_box_info(unc_box_at(run->opened.machine, "imc", i), &box);
		if (box.presence == UNC_ABSENT)
			continue;
		if (unc_text_match(pattern, box.name))
			return EXIT_DONE;
		last = box;
		first = first.name ? first : box;
	}
	if (!pattern)
		return EXIT_DONE;
	if (need_counters(&run->opened) != EXIT_DONE)
		return EXIT_NOT_HERE;
	if (!last.name) {
		say("check: --box %s: no memory channel is there: hidden by the firmware, or they read as all ones",
		    pattern);
		return EXIT_NOT_HERE;
	}
	return usage_error(
		"check: --box %s: no channel has such a name; there are %s to %s, `uncorectl list` shows them", pattern,
		first.name, last.name);
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
	char failed[300] = "";

	for (size_t i = 0; i < report->n_sums; i++)
		if (report->sums[i].counts[UNC_CHECK_FAIL])
			unc_text_join(failed, sizeof(failed), ", ", "%s", report->sums[i].about->name);
	if (report->counts[UNC_CHECK_FAIL]) {
		say("check: failed: %s%s%s", failed, report->ended ? "; and not all was run: " : "",
		    report->ended ? report->ended : "");
		return EXIT_FAILED;
	}
	if (report->ended || report->counts[UNC_CHECK_NOT_RUN]) {
		say("check: incomplete: %s", report->ended ? report->ended : "not all was run");
		return EXIT_FAILED;
	}
	if (prevented) { /* a check that the operating system or a device did not allow has not passed */
		say("check: incomplete: %u of %zu results are missing because something was refused or failed, the "
		    "first: %s",
		    report->n_prevented, report->n, prevented->result.finding);
		return prevented->result.rc == UNC_EPERM ? EXIT_NOT_PERMITTED : EXIT_FAILED;
	}
	if (report->counts[UNC_CHECK_PASS])
		return EXIT_DONE;
	say("check: nothing could be checked: every check was skipped; the report tells why");
	return EXIT_NOT_HERE;
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
	if (run->options.format == CHECK_TABLE)
		check_print_table(&run->report, &run->out);
	else if (run->options.format == CHECK_HTML)
		check_print_html(&run->report, &run->out);
	else
		check_print_records(&run->report, &run->out);
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
	const struct unc_check_about *about;
	bool makes_traffic = false, writes = !run->globals.observe;
	int status = EXIT_DONE, rc;

	run->wake_fd = signals_catch();
	if (run->wake_fd < 0)
		return EXIT_FAILED;
	for (size_t i = 0; (about = unc_check_about(i)); i++)
		makes_traffic |= about->makes_traffic && check_options_want(&run->options, about);
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
	status = box_exists(run);
	if (status != EXIT_DONE)
		return status;
	if (writes) /* a run that only reads is confined already */
		confine(&run->globals, run->options.cfg.global ? CONFINE_SEARCHING : CONFINE_WRITING, 0);
	run->report.machine = run->opened.machine;
	check_report_begin(&run->report);
	rc = unc_check_open(run->opened.machine, &run->options.cfg, &run->report.check);
	return rc < 0 ? fail_with(run->opened.ctx, rc) : EXIT_DONE;
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
	struct run run = {.globals = *globals};
	int status;

	if (check_options_parse(argc, argv, &run.options, &status)) {
		status = globals_observe(&run.globals, run.options.cfg.observe);
		run.options.cfg.observe = run.globals.observe;
		if (status == EXIT_DONE && run.options.cfg.observe && (run.options.cfg.force || run.options.cfg.global))
			status = usage_error("check: --observe writes no register, so there is nothing to %s",
					     run.options.cfg.force ? "--force" : "stop with --global");
		else if (status == EXIT_DONE)
			status = run.options.list ? check_list(globals, &run.options) : check(&run);
	}
	check_options_clear(&run.options);
	return status;
}

const struct command check_command = {"check", "does this silicon count right? Every counter block, with evidence",
				      check_run};

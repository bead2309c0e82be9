// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the machine of a command. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio_ext.h>
#include <unistd.h>

#include "cli/confine.h"
#include "cli/child.h"
#include "cli/record.h"
#include "cli/report.h"
#include "machine/machine.h"

void line_file_fail(struct line_file *file, int error)
{
	if (file->failed)
		return;
	file->failed = true;
	if (!signals_cut_short(error) && !(error == EPIPE && strcmp(file->path, "-") == 0))
		file->error = error;
	/* Nothing more is written, not even to a full pipe without a reader. */
	if (file->stream)
		__fpurge(file->stream);
}

void line_file_put(void *arg, const char *line)
{
	struct line_file *file = arg;

	if (!file->failed && (fputs(line, file->stream) < 0 || putc('\n', file->stream) == EOF))
		line_file_fail(file, errno);
}

bool line_file_close(struct line_file *file, const char *option, const char *what)
{
	FILE *stream = file->stream;

	file->stream = NULL;
	if (stream && fclose(stream) != 0)
		line_file_fail(file, errno);
	if (stream && file->error)
		say("%s %s: %s; the %s is not complete", option, file->path, strerror(file->error), what);
	return !file->failed;
}

void show_note(void *arg, const char *sentence)
{
	(void)arg;
	say("note: %s", sentence);
}

/* Prints "write NAME (ADDRESS) REGISTER ...", where an address "cpu17" is the MSRs of that CPU. */
static void dry_line(void *arg, const char *line)
{
	struct dry_run *dry_run = arg;

	dry_run->msr_writes += strstr(line, " (cpu") != NULL;
	output_shown(dry_run->out, line);
	output_append(dry_run->out, "\n", 1);
}

/* Ends the process, since all further output would be meaningless.  What was printed and closed before is complete. */
static void on_difference(void *arg, const char *sentence)
{
	struct opened *opened = arg;
	int signal = signals_caught();

	if (signal && !endings_signal_replayed())
		signals_die(signal); /* the user ends the run, so the difference is not reported */
	say("%s", sentence);
	if (!opened->closing)
		exit(EXIT_FAILED);
	opened->differs = true;
}

int prepare_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		    struct unc_machine_cfg *ret_cfg, struct opened *opened)
{
	struct recorder *recorder = globals->recorder;

	confine_environment();
	*opened = (struct opened){.dry_run.out = globals->dry_run ? dry_out : NULL};
	if (unc_new(&opened->ctx) < 0)
		return no_memory();
	unc_set_log(opened->ctx, show_note, NULL);
	opened->ctx->is_command = true;
	opened->ctx->only_counts = globals->only_counts;
	if (globals->trace_path) {
		bool standard = strcmp(globals->trace_path, "-") == 0;
		int fd = standard ? dup(options_write_file() ? STDOUT_FILENO : STDERR_FILENO)
				  : confine_open(globals->trace_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

		opened->trace.path = globals->trace_path;
		if (fd >= 0 && !(opened->trace.stream = fdopen(fd, "w")))
			close(fd);
		if (!opened->trace.stream && !signals_cut_short(errno))
			say("--trace %s: %s", globals->trace_path, strerror(errno));
		if (!opened->trace.stream)
			return close_machine(opened, EXIT_FAILED);
	}
	opened->recorder = recorder;
	*ret_cfg = (struct unc_machine_cfg){
		.machine = globals->machine,
		.map_dir = globals->map_dir,
		.state_dir = globals->state_dir,
		.recovers = globals->recovers,
		.no_boxes = globals->no_boxes,
		.writable = writable && !globals->observe,
		.command_pid = globals->command_pid,
		.traffic_maker = globals->traffic_maker,
		.wake_fd = wake_fd,
		.trace = globals->trace_path ? line_file_put : NULL,
		.trace_arg = &opened->trace,
		.dry_run = opened->dry_run.out ? dry_line : NULL,
		.dry_run_arg = &opened->dry_run,
		.record = recorder ? recorder_line : NULL,
		.record_arg = recorder,
		.record_input = recorder ? recorder->input : NULL,
		.differs = replayed_file(globals->machine) ? on_difference : NULL,
		.differs_arg = opened,
	};
	if (!unc_machine_is_live(globals->machine) && !globals->names_machine)
		say("machine: %s", globals->machine);
	return EXIT_DONE;
}

int open_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		 struct opened *opened)
{
	struct unc_machine_cfg cfg;
	int rc, status = prepare_machine(globals, writable, wake_fd, dry_out, &cfg, opened);

	if (status != EXIT_DONE)
		return status;
	rc = unc_machine_open(opened->ctx, &cfg, &opened->machine);
	if (rc < 0)
		return close_machine(opened, fail_with(opened->ctx, rc));
	endings_of(opened->machine);
	if (opened->recorder || replayed_file(globals->machine))
		read_facts(opened);
	if ((!writable && !globals->no_boxes) || globals->recovers)
		confine(globals, writable ? CONFINE_WRITING : CONFINE_READING, 0);
	return EXIT_DONE;
}

void read_facts(struct opened *opened)
{
	if (opened->machine && opened->n_facts == 0)
		opened->facts_ns = unc_machine_real_ns(opened->machine);
	while (opened->machine && opened->n_facts < UNC_MACHINE_FACTS &&
	       unc_machine_fact(opened->machine, opened->n_facts, &opened->facts[opened->n_facts]) == 0)
		opened->n_facts++;
}

int fail_here(const struct opened *opened, int rc)
{
	struct unc_llc_info caches = {0};
	struct unc_machine_info info;
	char said[UNC_MSG_MAX];
	bool counters, monitors, about_caches;

	if (exit_status_of(rc) != EXIT_NOT_HERE) /* what this machine has is not the reason */
		return fail_with(opened->ctx, rc);
	snprintf(said, sizeof(said), "%s", unc_errmsg(opened->ctx));
	unc_machine_info(opened->machine, &info);
	counters = !info.no_counters;
	monitors = unc_llc_info(opened->machine, &caches) == 0 && !caches.no_monitoring;
	about_caches = caches.no_monitoring && strstr(said, caches.no_monitoring);
	if (!about_caches && (counters || !strstr(said, info.no_counters)))
		return refuse(exit_status_of(rc), "%s", said);
	return refuse(exit_status_of(rc), "%s%s; try: uncorectl --machine sim:skx %s", said,
		      counters   ? "; its memory channels can be counted: `uncorectl mem`"
		      : monitors ? "; its caches can be monitored: `uncorectl llc`"
				 : "",
		      about_caches && (counters || !strstr(said, info.no_counters)) ? "llc" : "mem");
}

int need_counters(const struct opened *opened)
{
	struct unc_machine_info info;

	unc_machine_info(opened->machine, &info);
	return info.no_counters ? fail_here(opened, unc_fail(opened->ctx, UNC_ENOSUP, "%s", info.no_counters))
				: EXIT_DONE;
}

int close_machine(struct opened *opened, int status)
{
	int rc;

	endings_of(NULL);
	opened->closing = true;
	rc = unc_machine_close(opened->machine);
	if (opened->differs)
		status = EXIT_FAILED;
	else if (rc < 0)
		status = first_failure(status, fail_with(opened->ctx, rc));
	if (!line_file_close(&opened->trace, "--trace", "trace") && opened->trace.error)
		status = first_failure(status, EXIT_FAILED);
	if (opened->recorder && !line_file_close(&opened->recorder->file, "record", "record"))
		status = first_failure(status, EXIT_FAILED);
	unc_free(opened->ctx);
	*opened = (struct opened){0};
	return status;
}

int close_all(struct emitter *emitter, struct opened *opened, struct output *out, int status)
{
	if (opened->ctx)
		status = close_machine(opened, status);
	emitter_clear(emitter); /* until then a note may ask it to go on below */
	return output_end(out, status);
}

/* ---- commands that print once ---- */

int report_run(struct report *report, const struct globals *globals, int argc, char **argv)
{
	struct globals own = *globals;
	struct opened opened;
	struct output out;
	int status, first;

	report->line.shared = report;
	first = command_line_parse(&report->line, argc, argv, &status);
	if (first == 0)
		return status;
	if (first < argc && report->takes_argument)
		report->argument = argv[first++];
	if (first < argc)
		return usage_error("%s: %s: it takes no %sargument", report->line.command, argv[first],
				   report->takes_argument ? "second " : "");
	if (globals->observe && report->recovers)
		return refuse(EXIT_NOT_PERMITTED,
			      "%s: --observe writes no register, so none can be put back; `uncorectl %s --dry-run` "
			      "shows which would be",
			      report->line.command, report->line.command);
	status = output_open(&out, globals, report->path, STDOUT_FILENO);
	if (status != EXIT_DONE)
		return status;
	status = report->look ? report->look(globals, report, &out) : -1;
	if (status >= 0)
		return output_end(&out, status);
	/* For writing only if the command recovers, whose own option may turn that into a dry run. */
	own.recovers |= report->recovers != NULL;
	own.dry_run |= report->recovers && *report->recovers;
	own.names_machine = report->names_machine && report->names_machine(report);
	status = open_machine(&own, report->recovers != NULL, -1, report->recovers ? &out : NULL, &opened);
	if (status == EXIT_DONE)
		status = close_machine(&opened, report->print(&opened, report, &out));
	return output_end(&out, status);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens the machine of a command. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/child.h"
#include "cli/emit.h"
#include "cli/record.h"

struct trace_file {
	FILE *stream;     /* owned */
	const char *path; /* not owned */
	bool ended;       /* an operation failed: no line is written any more */
	int error;        /* errno of the failure; 0: a signal interrupted it */
};

struct trace_file *trace_file_open(const char *path)
{
	struct trace_file *file = calloc(1, sizeof(*file));
	int fd = file ? confine_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : -1;

	if (fd >= 0 && !(file->stream = fdopen(fd, "w")))
		close(fd);
	if (!file || (!file->stream && !signals_cut_short(errno)))
		say("--trace %s: %s", path, strerror(errno));
	if (!file || !file->stream) {
		free(file);
		return NULL;
	}
	file->path = path;
	return file;
}

void trace_file_line(void *arg, const char *line)
{
	struct trace_file *file = arg;

	if (file->ended || (fputs(line, file->stream) >= 0 && putc('\n', file->stream) != EOF))
		return;
	/* Nothing more is written, not even to a full pipe without a reader. */
	file->ended = true;
	if (!signals_cut_short(errno))
		file->error = errno;
	__fpurge(file->stream);
}

bool trace_file_close(struct trace_file *file)
{
	int error;

	if (fclose(file->stream) != 0 && !file->error && !signals_cut_short(errno))
		file->error = errno;
	error = file->error;
	if (error)
		say("--trace %s: %s; the trace is not complete", file->path, strerror(error));
	free(file);
	return !error;
}

/* Opens the machine of a command, as the global options say, and closes it. */

static void log_note(void *arg, const char *sentence)
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

/* False: out of memory, after a message. */
static bool open_dry_run(struct output *out, struct unc_machine_cfg *cfg, struct opened *opened)
{
	opened->dry_run = calloc(1, sizeof(*opened->dry_run));
	if (!opened->dry_run) {
		say("out of memory");
		return false;
	}
	opened->dry_run->out = out;
	cfg->dry_run = dry_line;
	cfg->dry_run_arg = opened->dry_run;
	return true;
}

struct replaying {
	bool closing, differs;
};

/* Ends the process, since all further output would be meaningless.  What was printed and closed before is complete. */
static void on_difference(void *arg, const char *sentence)
{
	struct replaying *replaying = arg;
	int signal = signals_caught();

	if (signal && !endings_signal_replayed())
		signals_die(signal); /* the user ends the run, so the difference is not reported */
	say("%s", sentence);
	if (!replaying->closing)
		exit(EXIT_FAILED);
	replaying->differs = true;
}

/* Prepares what records and replays need.  False: that failed, after a message. */
static bool open_record(const struct globals *globals, struct unc_machine_cfg *cfg, struct opened *opened)
{
	if (globals->recorder) {
		opened->recorder = globals->recorder;
		cfg->record = recorder_line;
		cfg->record_arg = globals->recorder;
		cfg->record_input = recorder_input(globals->recorder);
	}
	if (replayed_file(globals->machine)) {
		opened->replaying = calloc(1, sizeof(*opened->replaying));
		if (!opened->replaying) {
			say("out of memory");
			return false;
		}
		cfg->differs = on_difference;
		cfg->differs_arg = opened->replaying;
	}
	return true;
}

int prepare_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		    struct unc_machine_cfg *ret_cfg, struct opened *ret_opened)
{
	struct unc_machine_cfg cfg = {
		.machine = globals->machine,
		.map_dir = globals->map_dir,
		.state_dir = globals->state_dir,
		.recovers = globals->recovers,
		.writable = writable && !globals->observe,
		.command_pid = globals->command_pid,
		.traffic_maker = globals->traffic_maker,
		.wake_fd = wake_fd,
	};
	struct opened opened = {0};

	confine_environment();
	if (unc_new(&opened.ctx) < 0)
		return no_memory();
	unc_set_log(opened.ctx, log_note, NULL);
	if (globals->trace_path) {
		opened.trace = trace_file_open(globals->trace_path);
		if (!opened.trace) {
			unc_free(opened.ctx);
			return EXIT_FAILED;
		}
		cfg.trace = trace_file_line;
		cfg.trace_arg = opened.trace;
	}
	if ((globals->dry_run && dry_out && !open_dry_run(dry_out, &cfg, &opened)) ||
	    !open_record(globals, &cfg, &opened)) {
		close_machine(&opened, EXIT_FAILED);
		return EXIT_FAILED;
	}
	if (cfg.machine && strcmp(cfg.machine, "live") != 0)
		say("machine: %s", cfg.machine);
	*ret_cfg = cfg;
	*ret_opened = opened;
	return EXIT_DONE;
}

int open_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		 struct opened *ret_opened)
{
	struct unc_machine_cfg cfg;
	struct opened opened = {.ctx = NULL};
	int rc, status = prepare_machine(globals, writable, wake_fd, dry_out, &cfg, &opened);

	if (status != EXIT_DONE)
		return status;
	rc = unc_machine_open(opened.ctx, &cfg, &opened.machine);
	if (rc < 0) {
		status = fail_with(opened.ctx, rc);
		return close_machine(&opened, status);
	}
	endings_of(opened.machine);
	if (!writable || globals->recovers)
		confine(globals, writable ? CONFINE_WRITING : CONFINE_READING, 0);
	*ret_opened = opened;
	return EXIT_DONE;
}

int need_counters(const struct opened *opened)
{
	struct unc_machine_info info;

	unc_machine_info(opened->machine, &info);
	if (!info.no_counters)
		return EXIT_DONE;
	say("%s", info.no_counters);
	return EXIT_NOT_HERE;
}

int close_machine(struct opened *opened, int status)
{
	int rc;

	endings_of(NULL);
	if (opened->replaying)
		opened->replaying->closing = true;
	rc = unc_machine_close(opened->machine);
	if (opened->replaying && opened->replaying->differs) {
		status = EXIT_FAILED;
	} else if (rc < 0) {
		int worse = fail_with(opened->ctx, rc);

		status = status ? status : worse;
	}
	if (opened->trace && !trace_file_close(opened->trace) && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (opened->recorder && !recorder_end(opened->recorder) && status == EXIT_DONE)
		status = EXIT_FAILED;
	free(opened->replaying);
	free(opened->dry_run);
	unc_free(opened->ctx);
	return status;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl mem: DRAM bandwidth per channel, from the CAS counters of the memory controllers. */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "base/os.h"
#include "base/text.h"
#include "cli/child.h"
#include "cli/cli.h"
#include "cli/emit.h"
#include "cli/mem_figures.h"
#include "cli/mem_rows.h"
#include "cli/signals.h"

static const char help[] =
	"usage: uncorectl mem [OPTION]... [-- COMMAND [ARGUMENT]...]\n"
	"\n"
	"Read and write bandwidth of every memory channel, counted by the memory controllers.\n"
	"Without -n until interrupted.  With a COMMAND its lifetime is one sample, its exit\n"
	"status ours, and without -o the data goes to stderr.\n"
	"\n"
	"  -i SECONDS      time between samples (default 1); with a COMMAND: samples meanwhile\n"
	"  -n COUNT        end after so many samples\n"
	"  --per WHAT      one record per channel (default), imc, socket or machine\n"
	"  --freeze        stop each box while it is read: all its counters of one instant, but\n"
	"                  what happens meanwhile is not counted\n"
	"  --force         where no counter is free, take one that somebody else enabled, and\n"
	"                  give it back at exit\n"
	"  --format FORMAT table (default), csv or jsonl\n"
	"  -o FILE         write the data to FILE\n"
	"  --help\n"
	"\n"
	"Rates are bytes per second; MB and GB are powers of ten.  Flags: missing (the channel does\n"
	"not answer, or another socket has it), partial (a sum without somebody), stolen (somebody\n"
	"else wrote our control register), reset (somebody cleared the counter), gap (not read for\n"
	"too long, or suspended): of these no value is given, and none is ever guessed.  late: the\n"
	"count is right, but when it was read is uncertain.  simulated: the machine is.\n"
	"\n"
	"A channel that fails while it is measured is missing, and the others go on; when none answers\n"
	"any more, that ends it.  Exit status 1 when a register could not be put back; it is named.\n";

struct options {
	uint64_t interval_ns;
	bool interval_given;
	uint64_t count; /* 0: until interrupted */
	enum per per;
	enum format format;
	const char *path;
	struct unc_session_cfg session;
	char **command; /* NULL: none */
};

enum { GATHER_NS = 10000000 };

struct run {
	const struct options *options;
	struct opened opened;
	struct unc_session *session;
	struct mem_rows *rows;
	struct emitter *emitter;
	struct output out;
	struct child child;
	int wake_fd;
	uint64_t samples;
	uint64_t missed; /* deadlines */
};

static int parse_interval(const char *text, struct options *options)
{
	double seconds;

	if (!unc_text_double(text, &seconds))
		return usage_error("mem: -i %s: not a number of seconds above 0", text);
	if (seconds < 1e-6 || seconds > 1e6)
		return usage_error("mem: -i %s: an interval is from 0.000001 to 1000000 seconds", text);
	options->interval_ns = (uint64_t)(seconds * 1e9 + 0.5);
	options->interval_given = true;
	return EXIT_DONE;
}

static int parse_count(const char *text, struct options *options)
{
	if (!unc_text_u64(text, &options->count) || options->count == 0)
		return usage_error("mem: -n %s: not a number of samples above 0", text);
	return EXIT_DONE;
}

static int parse_per(const char *text, struct options *options)
{
	static const char *const names[] = {"channel", "imc", "socket", "machine"};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(text, names[i]) == 0) {
			options->per = (enum per)i;
			return EXIT_DONE;
		}
	}
	return usage_error("mem: --per %s: there are channel, imc, socket and machine", text);
}

enum { PER = 1000, FREEZE, FORCE, FORMAT, HELP };

static int parse_option(int option, struct options *options, char **argv)
{
	switch (option) {
	case 'i':
		return parse_interval(optarg, options);
	case 'n':
		return parse_count(optarg, options);
	case 'o':
		options->path = optarg;
		return EXIT_DONE;
	case PER:
		return parse_per(optarg, options);
	case FREEZE:
		options->session.freeze = true;
		return EXIT_DONE;
	case FORCE:
		options->session.force = true;
		return EXIT_DONE;
	case FORMAT:
		if (parse_format(optarg, &options->format))
			return EXIT_DONE;
		return usage_error("mem: --format %s: there are table, csv and jsonl", optarg);
	default:
		return bad_option(argv, option, "mem");
	}
}

/* True: go on.  False: *ret_status is the end. */
static bool parse(int argc, char **argv, struct options *options, int *ret_status)
{
	static const struct option long_options[] = {
		{"per", required_argument, NULL, PER},
		{"freeze", no_argument, NULL, FREEZE},
		{"force", no_argument, NULL, FORCE},
		{"format", required_argument, NULL, FORMAT},
		{"interval", required_argument, NULL, 'i'},
		{"count", required_argument, NULL, 'n'},
		{"output", required_argument, NULL, 'o'},
		{"help", no_argument, NULL, HELP},
		{NULL, 0, NULL, 0},
	};
	int option;

	*options = (struct options){.interval_ns = 1000000000};
	while ((option = getopt_long(argc, argv, "+:i:n:o:h", long_options, NULL)) != -1) {
		if (option == HELP || option == 'h') {
			*ret_status = show_text(help);
			return false;
		}
		*ret_status = parse_option(option, options, argv);
		if (*ret_status != EXIT_DONE)
			return false;
	}
	if (optind < argc) {
		if (strcmp(argv[optind - 1], "--") != 0) {
			*ret_status = usage_error("mem: %s: a COMMAND stands behind --", argv[optind]);
			return false;
		}
		options->command = argv + optind;
	} else if (strcmp(argv[argc - 1], "--") == 0) {
		*ret_status = usage_error("mem: there is no COMMAND behind --");
		return false;
	}
	return true;
}

static int open_output(struct run *run, const struct globals *globals)
{
	const struct options *options = run->options;

	if (!options->path && !options->command && globals->stdout_closed) {
		say("standard output: closed; use -o FILE");
		return EXIT_FAILED;
	}
	if (!output_open(&run->out, options->path, options->command ? STDERR_FILENO : STDOUT_FILENO,
			 options->command ? "standard error" : "standard output"))
		return EXIT_FAILED;
	return EXIT_DONE;
}

/* Everything up to running counters.  The COMMAND was forked before. */
static int start(struct run *run, const struct globals *globals)
{
	const struct options *options = run->options;
	int status, rc;

	status = open_output(run, globals);
	if (status != EXIT_DONE)
		return status;
	status = open_machine(globals, true, run->wake_fd, &run->out, &run->opened);
	if (status != EXIT_DONE)
		return status;
	rc = unc_session_open(run->opened.machine, &options->session, &run->session);
	if (rc == 0)
		rc = mem_rows_open(run->opened.ctx, run->opened.machine, run->session, options->per, &run->rows);
	if (rc == 0)
		rc = unc_session_start(run->session);
	if (rc < 0)
		return fail_with(run->opened.ctx, rc);
	/* A write a sample would cost the fastest pacing deadlines; nobody watches files and pipes so closely. */
	if (options->interval_ns < GATHER_NS)
		run->out.gather_ns = GATHER_NS;
	run->emitter = emitter_new(options->format, mem_columns, mem_n_columns, &run->out,
				   options->count != 1 && (!options->command || options->interval_given));
	return run->emitter ? EXIT_DONE : EXIT_FAILED;
}

static void caption(const struct run *run, char *text, size_t size)
{
	time_t seconds = (time_t)(unc_machine_real_ns(run->opened.machine) / 1000000000);
	struct unc_machine_info info;
	struct tm tm;
	char clock[16] = "";

	unc_machine_info(run->opened.machine, &info);
	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(text, size, "%s   %s   %s%s", clock, info.name, info.part, info.simulated ? " (simulated)" : "");
}

static int sample(struct run *run)
{
	char text[256] = "";
	int rc;

	rc = mem_rows_sample(run->rows, run->emitter);
	if (rc < 0)
		return fail_with(run->opened.ctx, rc);
	if (run->options->format == FORMAT_TABLE)
		caption(run, text, sizeof(text));
	run->samples++;
	return emit_sample(run->emitter, text) || signals_were_cut_short() ? EXIT_DONE : EXIT_FAILED;
}

/* Is there a reason to stop between samples? */
static bool over(struct run *run)
{
	if (run->options->command && child_ended(&run->child))
		return true;
	return signals_caught() || (run->options->count && run->samples >= run->options->count);
}

/* Samples at start + k * interval, until told to stop. */
static int sample_by_time(struct run *run)
{
	struct unc_machine *machine = run->opened.machine;
	uint64_t interval = run->options->interval_ns, deadline = unc_machine_mono_ns(machine);
	int status = EXIT_DONE;

	while (status == EXIT_DONE && !over(run)) {
		uint64_t now = unc_machine_mono_ns(machine);
		int rc = UNC_OK;

		deadline += interval;
		if (deadline <= now) {
			uint64_t late = (now - deadline) / interval + 1;

			run->missed += late;
			deadline += late * interval;
		}
		do {
			if (rc < 0)
				signals_drain(run->wake_fd);
			rc = unc_session_sleep_until(run->session, deadline);
		} while (rc < 0 && !over(run));
		if (rc == 0)
			status = sample(run);
	}
	return status;
}

/* Until something happens.  The session reads counters in between, where they could wrap; on a machine whose time does not
 * pass by itself it does not wait, but the COMMAND takes its time all the same. */
static void rest(void *arg)
{
	struct run *run = arg;

	unc_session_sleep_until(run->session, UINT64_MAX);
	unc_os_sleep_until(UINT64_MAX, run->wake_fd);
}

/* The COMMAND runs: one sample over its life, or one every interval and one over the rest. */
static int sample_command(struct run *run)
{
	int status = EXIT_DONE;

	if (!child_go(&run->child, run->options->command[0]))
		return run->child.status;
	if (run->options->interval_given)
		status = sample_by_time(run);
	child_wait(&run->child, run->wake_fd, rest, run);
	if (status == EXIT_DONE && (!run->options->count || run->samples < run->options->count))
		status = sample(run);
	return status == EXIT_DONE && run->child.ended ? run->child.status : status;
}

static int end(struct run *run, int status)
{
	int rc = unc_session_close(run->session);

	if (rc < 0) {
		int worse = fail_with(run->opened.ctx, rc);

		status = status ? status : worse;
	}
	if (run->missed)
		say("note: %llu of %llu samples fell out, since there was no time for them; take a longer interval "
		    "(-i)",
		    (unsigned long long)run->missed, (unsigned long long)(run->samples + run->missed));
	emitter_free(run->emitter);
	mem_rows_free(run->rows);
	if (run->opened.ctx)
		status = close_machine(&run->opened, status);
	if (run->out.name && !output_close(&run->out) && status == EXIT_DONE && !signals_were_cut_short())
		status = EXIT_FAILED;
	child_abandon(&run->child);
	return status;
}

/* Interrupting is how a run without an end ends; anything else that was cut short ends as by its signal. */
static int end_by_signal(const struct options *options, int signal, int status)
{
	bool asked_for = signal == 2 && !options->count && !options->command;

	if (signal == 0 || asked_for || status != EXIT_DONE)
		return status;
	signals_die(signal);
	return 128 + signal;
}

static int mem_run(const struct globals *globals, int argc, char **argv)
{
	struct options options;
	struct run run = {.options = &options};
	int status = EXIT_DONE;

	if (!parse(argc, argv, &options, &status))
		return status;
	run.wake_fd = signals_catch();
	if (globals->dry_run)
		options.command = NULL; /* nothing is measured, so nothing is run */
	if (run.wake_fd < 0 || (options.command && !child_fork(options.command, &run.child)))
		return EXIT_FAILED;
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); /* wake in time; not the COMMAND, which was forked before */
	status = start(&run, globals);
	if (status == EXIT_FAILED && signals_were_cut_short())
		status = EXIT_DONE; /* nothing failed: a signal came while it waited for somebody to open a pipe */
	if (status == EXIT_DONE && !globals->dry_run && !signals_caught())
		status = options.command ? sample_command(&run) : sample_by_time(&run);
	status = end(&run, status);
	return end_by_signal(&options, signals_caught(), status);
}

const struct command mem_command = {
	.name = "mem",
	.summary = "read and write bandwidth of every memory channel",
	.run = mem_run,
};

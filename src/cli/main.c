// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, and the global options. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/child.h"
#include "cli/record.h"

static const struct command *const commands[] = {&list_command,   &mem_command,    &stat_command,    &llc_command,
						 &events_command, &reg_command,    &recover_command, &maps_command,
						 &check_command,  &xcheck_command, &doctor_command,  &load_command,
						 &record_command, &diff_command};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char usage[] =
	"usage: uncorectl [--machine M] [--regs DIR] [--state DIR] [--trace FILE] [--dry-run] [--observe]\n"
	"                 [--no-sandbox] COMMAND [OPTION]...\n"
	"\n"
	"Reads and programs the memory-controller counters of a server directly, through PCI\n"
	"configuration space or memory, and the monitoring of its caches, through MSRs: no perf, no\n"
	"resctrl, no kernel driver for them.\n"
	"\n";
static const char notes[] = "Exit status: 0 done; 1 a check or the work failed; 2 wrong usage; 3 not on this machine;\n"
			    "4 not permitted; 5 in use by another program; with a COMMAND of yours, its own.\n"
			    "\n"
			    "`uncorectl COMMAND --help` tells the options of a command.\n";

enum { NO_SANDBOX = 6, N_GLOBALS = 9 };
static const struct option_def global_options[N_GLOBALS] = {
	{"machine", "M", option_text, offsetof(struct globals, machine),
	 .help = "which machine (or UNCORECTL_MACHINE in the environment):\n"
		 "  live                  this computer (the default)\n"
		 "  live,ecam             the same, with PCI configuration space in memory\n"
		 "  root:DIR              the same with every system path under DIR\n"
		 "  sim:MODEL[,KEY=VALUE] a simulated machine, e.g. sim:snbep,sockets=2\n"
		 "  replay:FILE           what `record` wrote; alone, runs that command again"},
	{"regs", "DIR", option_text, offsetof(struct globals, map_dir),
	 .help = "more register maps, besides those built in"},
	{"state", "DIR", option_text, offsetof(struct globals, state_dir),
	 .help = "where the journal is kept that `recover` reads (or UNCORECTL_STATE in the\n"
		 "environment); otherwise /run/uncorectl"},
	{"trace", "FILE", option_text, offsetof(struct globals, trace_path),
	 .help = "write one line per register access to FILE"},
	{"dry-run", NULL, option_flag, offsetof(struct globals, dry_run),
	 .help = "write no register: print every write that would be done, in order"},
	{"observe", NULL, option_flag, offsetof(struct globals, observe),
	 .help = "write no register: show what others count (list, reg, mem, stat), or run what\n"
		 "only reads (check, xcheck)"},
	[NO_SANDBOX] = {"no-sandbox", NULL, option_flag, offsetof(struct globals, no_sandbox),
			.help = "no filter of the system calls of this process"},
	{"version", NULL, option_flag, offsetof(struct globals, version), .help = "the version, and nothing else"},
};

static void vsay(const char *fmt, va_list args)
{
	char sentence[2048], shown[2048];
	int n;

	n = vsnprintf(sentence, sizeof(sentence), fmt, args);
	unc_text_show(n < 0 ? "?" : sentence, shown, sizeof(shown)); /* the message stays one line */
	fprintf(stderr, "uncorectl: %s\n", shown);
}

void say(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsay(fmt, args);
	va_end(args);
}

int refuse(int status, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsay(fmt, args);
	va_end(args);
	return status;
}

int exit_status_of(int err)
{
	static const enum exit_status of[] = {
		[-UNC_EARG] = EXIT_USAGE,          [-UNC_EMAP] = EXIT_USAGE,
		[-UNC_ENOREG] = EXIT_USAGE,        [-UNC_ERANGE] = EXIT_USAGE,
		[-UNC_ENODEV] = EXIT_NOT_HERE,     [-UNC_ENOSUP] = EXIT_NOT_HERE,
		[-UNC_EPERM] = EXIT_NOT_PERMITTED, [-UNC_EDENIED] = EXIT_NOT_PERMITTED,
		[-UNC_EBUSY] = EXIT_IN_USE,
	};
	bool known = err < 0 && -err < (int)(sizeof(of) / sizeof(of[0])) && of[-err];

	if (err == UNC_OK)
		return EXIT_DONE;
	return known ? (int)of[-err] : EXIT_FAILED;
}

int first_failure(int status, int next)
{
	return status != EXIT_DONE ? status : next;
}

int fail_with(const struct unc_ctx *ctx, int err)
{
	return refuse(exit_status_of(err), "%s", unc_errmsg(ctx));
}

/*
 * If descriptor 0, 1 or 2 is closed, the next file that is opened gets it, which may be a register file: then a table or a message
 * would be written into hardware.
 */
static bool fill_standard_descriptors(bool *ret_stdout_closed)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
			continue;
		if (fd == 1)
			*ret_stdout_closed = true;
		if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) != fd)
			return false;
	}
	return true;
}

int show_text(const char *text)
{
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0)
		return refuse(EXIT_FAILED, "standard output: %s", strerror(errno));
	return EXIT_DONE;
}

/* Returns the index of the first argument after them.  0: end with *ret_status. */
static int parse_globals(int argc, char **argv, struct globals *globals, int *ret_status)
{
	struct option_def options[N_GLOBALS];
	char text[2000];
	const struct command_line line = {.command = "uncorectl",
					  .usage = text,
					  .notes = notes,
					  .column = 17,
					  .options = options,
					  .own = globals,
					  .stops = true};
	int first;

	snprintf(text, sizeof(text), "%s", usage);
	for (unsigned i = 0; i < N_COMMANDS; i++)
		unc_text_join(text, sizeof(text), "", "  %-7s %s\n", commands[i]->name, commands[i]->summary);
	unc_text_join(text, sizeof(text), "", "\nBefore the command:%s",
		      confine_has_filter
			      ? ""
			      : "\n  (--no-sandbox does nothing: this is built without a filter of system calls)");
	memcpy(options, global_options, sizeof(options));
	if (!confine_has_filter)
		options[NO_SANDBOX].help = NULL;
	first = command_line_parse(&line, argc, argv, ret_status);
	if (first == 0 || !globals->version)
		return first;
	*ret_status = show_text("uncorectl " UNC_VERSION "\n");
	return 0;
}

const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < N_COMMANDS; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
	return NULL;
}

int globals_observe(struct globals *globals, bool observe)
{
	globals->observe |= observe;
	if (globals->observe && globals->dry_run)
		return usage_error(
			"--observe writes no register, so there is nothing for --dry-run to show: only one of "
			"them");
	return EXIT_DONE;
}

static int run_command(const struct globals *globals, int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);

	if (!command)
		return usage_error("there is no command \"%s\"; see `uncorectl --help`", argv[0]);
	return command->run(globals, argc, argv);
}

/* Runs the command that was recorded, unless one is given. */
static int run_replayed(struct globals *globals, int argc, char **argv)
{
	const char *path = replayed_file(globals->machine);
	struct replayed replayed;
	char **recorded = NULL;
	int status;

	if (globals->map_dir)
		return usage_error("--regs %s: a record brings its register maps along", globals->map_dir);
	if (!*path)
		return usage_error("replay: names no file; write replay:FILE");
	endings_replay();
	status = replayed_open(path, &replayed);
	if (status != EXIT_DONE)
		return status;
	if (argc == 0) {
		status = replayed_check(path, &replayed);
		globals->dry_run |= replayed.dry_run;
		globals->observe |= replayed.observe;
		argc = replayed.argc;
		recorded = calloc((size_t)argc + 1, sizeof(*recorded));
		if (recorded) /* a copy, since getopt reorders them */
			argv = memcpy(recorded, replayed.argv, (size_t)argc * sizeof(*recorded));
		else
			status = EXIT_FAILED;
	}
	if (status == EXIT_DONE)
		status = run_command(globals, argc, argv);
	free(recorded);
	replayed_close(&replayed);
	return status;
}

int main(int argc, char **argv)
{
	/*
	 * If the program has rights that its caller does not have, the caller's environment must not control it, so getenv() is not
	 * used.
	 */
	struct globals globals = {.machine = secure_getenv("UNCORECTL_MACHINE"),
				  .state_dir = secure_getenv("UNCORECTL_STATE")};
	int status = EXIT_FAILED, first;

	if (!fill_standard_descriptors(&globals.stdout_closed))
		return EXIT_FAILED;
	if (globals.machine && !*globals.machine)
		globals.machine = NULL;
	if (globals.state_dir && !*globals.state_dir)
		globals.state_dir = NULL;
	first = parse_globals(argc, argv, &globals, &status);
	if (first == 0)
		return status;
	if (globals.state_dir && !*globals.state_dir)
		return usage_error("--state wants the name of a folder");
	status = globals_observe(&globals, false);
	if (status != EXIT_DONE)
		return status;
	if (globals.no_sandbox && !confine_has_filter)
		say("note: --no-sandbox: this uncorectl was built without a filter of system calls");
	if (replayed_file(globals.machine) && (first == argc || strcmp(argv[first], maps_command.name) != 0))
		return run_replayed(&globals, argc - first, argv + first);
	if (first == argc)
		return usage_error("which command? There are list, mem, stat, llc, events, reg, recover, maps, check, "
				   "xcheck, doctor, load, record and diff; see `uncorectl --help`");
	return run_command(&globals, argc - first, argv + first);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, and the global options. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/child.h"
#include "cli/record.h"

static const struct command *const commands[] = {&list_command,   &mem_command,    &stat_command,    &llc_command,
						 &events_command, &reg_command,    &recover_command, &maps_command,
						 &check_command,  &xcheck_command, &doctor_command,  &load_command,
						 &record_command};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char help_head[] =
	"usage: uncorectl [--machine M] [--regs DIR] [--state DIR] [--trace FILE] [--dry-run] [--observe]\n"
	"                 [--no-sandbox] COMMAND [OPTION]...\n"
	"\n"
	"Reads and programs the memory-controller counters of a server directly, through PCI\n"
	"configuration space, and the monitoring of its caches, through MSRs: no perf, no resctrl,\n"
	"no kernel driver for them.\n"
	"\n";
static const char help_tail[] =
	"\n"
	"Before the command:\n"
	"  --machine M    which machine (or UNCORECTL_MACHINE in the environment):\n"
	"                   live                  this computer (the default)\n"
	"                   root:DIR              the same with every system path under DIR\n"
	"                   sim:MODEL[,KEY=VALUE] a simulated machine, e.g. sim:snbep,sockets=2\n"
	"                   replay:FILE           what `record` wrote; alone, runs that command again\n"
	"  --regs DIR     more register maps, besides those built in\n"
	"  --state DIR    where the journal is kept that `recover` reads (or UNCORECTL_STATE in the\n"
	"                 environment); otherwise /run/uncorectl\n"
	"  --trace FILE   write one line per register access to FILE\n"
	"  --dry-run      write no register: print every write that would be done, in order\n"
	"  --observe      write no register: show what others count (list, reg, mem, stat), or run what\n"
	"                 only reads (check, xcheck)\n";
/* One of these lines is in the help text. */
static const char help_filter[] = "  --no-sandbox   no filter of the system calls of this process\n";
static const char help_no_filter[] = "  (no --no-sandbox: this is built without a filter of system calls)\n";
static const char help_end[] =
	"  --help, --version\n"
	"\n"
	"Exit status: 0 done; 1 a check or the work failed; 2 wrong usage; 3 not on this machine;\n"
	"4 not permitted; 5 in use by somebody else; with a COMMAND of yours, its own.\n"
	"\n"
	"`uncorectl COMMAND --help` tells the options of a command.\n";

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

int usage_error(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsay(fmt, args);
	va_end(args);
	return EXIT_USAGE;
}

int exit_status_of(int err)
{
	switch (err) {
	case UNC_OK:
		return EXIT_DONE;
	case UNC_EARG:
	case UNC_EMAP:
	case UNC_ENOREG:
	case UNC_ERANGE:
		return EXIT_USAGE;
	case UNC_ENODEV:
	case UNC_ENOSUP:
		return EXIT_NOT_HERE;
	case UNC_EPERM:
	case UNC_EDENIED:
		return EXIT_NOT_PERMITTED;
	case UNC_EBUSY:
		return EXIT_IN_USE;
	default:
		return EXIT_FAILED;
	}
}

int fail_with(const struct unc_ctx *ctx, int err)
{
	say("%s", unc_errmsg(ctx));
	return exit_status_of(err);
}

int bad_option(char **argv, int option, const char *command)
{
	const char *given = argv[optind - 1];

	if (option == ':')
		return usage_error("%s: %s needs a value; see `uncorectl %s%s--help`", command, given,
				   strcmp(command, "uncorectl") ? command : "",
				   strcmp(command, "uncorectl") ? " " : "");
	if (optopt && given[0] == '-' && given[1] != '-')
		return usage_error("%s: there is no option -%c", command, optopt);
	return usage_error("%s: there is no option %s", command, given);
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
	if (fputs(text, stdout) < 0 || fflush(stdout) != 0) {
		say("standard output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_DONE;
}

static int show_help(void)
{
	char text[4096];
	int n = snprintf(text, sizeof(text), "%s", help_head);

	for (unsigned i = 0; i < N_COMMANDS; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "  %-7s %s\n", commands[i]->name,
			      commands[i]->summary);
	snprintf(text + n, sizeof(text) - (size_t)n, "%s%s%s", help_tail,
		 confine_has_filter ? help_filter : help_no_filter, help_end);
	return show_text(text);
}

enum { MACHINE = 1000, REGS, STATE, TRACE, DRY_RUN, OBSERVE, NO_SANDBOX, HELP, VERSION };
static const struct option global_options[] = {
	{"machine", required_argument, NULL, MACHINE},
	{"regs", required_argument, NULL, REGS},
	{"state", required_argument, NULL, STATE},
	{"trace", required_argument, NULL, TRACE},
	{"observe", no_argument, NULL, OBSERVE},
	{"no-sandbox", no_argument, NULL, NO_SANDBOX},
	{"help", no_argument, NULL, HELP},
	{"version", no_argument, NULL, VERSION},
	{"dry-run", no_argument, NULL, DRY_RUN},
	{NULL, 0, NULL, 0},
};

static int parse_globals(int argc, char **argv, struct globals *globals, int *ret_status)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "+:h", global_options, NULL)) != -1) {
		switch (option) {
		case MACHINE:
			globals->machine = optarg;
			break;
		case REGS:
			globals->map_dir = optarg;
			break;
		case STATE:
			globals->state_dir = optarg;
			break;
		case OBSERVE:
			globals->observe = true;
			break;
		case NO_SANDBOX:
			globals->no_sandbox = true;
			break;
		case TRACE:
			globals->trace_path = optarg;
			break;
		case DRY_RUN:
			globals->dry_run = true;
			break;
		case HELP:
		case 'h':
			*ret_status = show_help();
			return 0;
		case VERSION:
			*ret_status = show_text("uncorectl " UNC_VERSION "\n");
			return 0;
		default:
			*ret_status = bad_option(argv, option, "uncorectl");
			return 0;
		}
	}
	return optind;
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
	optind = 0; /* makes getopt start again, in the command's own arguments */
	return command->run(globals, argc, argv);
}

/* Runs the command that was recorded, unless one is given. */
static int run_replayed(struct globals *globals, int argc, char **argv)
{
	const char *path = replayed_file(globals->machine);
	struct replayed replayed;
	int status;

	if (globals->map_dir)
		return usage_error("--regs %s: a record brings its register maps along", globals->map_dir);
	if (!*path)
		return usage_error("replay: names no file; write replay:FILE");
	endings_replay();
	status = replayed_open(path, &replayed);
	if (status != EXIT_DONE)
		return status;
	if (argc) {
		status = run_command(globals, argc, argv);
	} else {
		status = replayed_check(path, &replayed);
		globals->dry_run |= replayed.dry_run;
		globals->observe |= replayed.observe;
		if (status == EXIT_DONE) {
			char **options = calloc((size_t)replayed.argc + 1, sizeof(*options));

			/* getopt reorders them */
			status = EXIT_FAILED;
			if (options) {
				memcpy(options, replayed.argv, (size_t)replayed.argc * sizeof(*options));
				status = run_command(globals, replayed.argc, options);
			}
			free(options);
		}
	}
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
				   "xcheck, doctor, load and record; see `uncorectl --help`");
	return run_command(&globals, argc - first, argv + first);
}

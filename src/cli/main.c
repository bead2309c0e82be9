// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of commands, and the global options. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/confine.h"
#include "cli/options.h"
#include "cli/record.h"
#include "machine/machine.h"

static const struct command *const commands[] = {
	&list_command,    &mem_command,  &stat_command,  &llc_command,    &events_command, &reg_command,
	&recover_command, &maps_command, &check_command, &xcheck_command, &doctor_command, &load_command,
	&record_command,  &diff_command, &plot_command,  &top_command,    &serve_command};
enum { N_COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static const char usage[] =
	"usage: uncorectl [--machine M] [--regs DIR] [--state DIR] [--trace FILE] [--dry-run] [--observe]\n"
	"                 [--no-sandbox] COMMAND [OPTION]...\n"
	"       uncorectl help [COMMAND] | --list-machines | --version\n"
	"\n"
	"Reads and programs the memory-controller counters of a server directly, through PCI\n"
	"configuration space or memory, and the monitoring of its caches, through MSRs: no perf, no\n"
	"resctrl, no kernel driver for them.\n"
	"\n";
static const char notes[] = "Exit status: 0 done; 1 a check or the work failed; 2 wrong usage; 3 not on this machine;\n"
			    "4 not permitted; 5 in use by another program; with a COMMAND of yours, its own.\n"
			    "\n"
			    "`uncorectl COMMAND --help` tells the options of a command.\n";

#ifdef UNC_EFI /* a build for firmware */
#define MACHINES      "which machine: live is the only one under firmware"
#define STATE_DEFAULT "where the journal is kept that `recover` reads; otherwise the folder uncorectl of the volume"
#else
#define MACHINES                                                                                                       \
	"which machine (or UNCORECTL_MACHINE in the environment):\n"                                                   \
	"  live                  this computer (the default)\n"                                                        \
	"  live,ecam             the same, with PCI configuration space in memory\n"                                   \
	"  root:DIR              the same with every system path under DIR\n"                                          \
	"  sim:MODEL[,KEY=VALUE] a simulated machine, e.g. sim:skx,sockets=4\n"                                        \
	"  replay:FILE           what `record` wrote; alone, runs that command again"
#define STATE_DEFAULT                                                                                                  \
	"where the journal is kept that `recover` reads (or UNCORECTL_STATE in the\nenvironment); otherwise "          \
	"/run/uncorectl"
#endif

enum { NO_SANDBOX = 6, N_GLOBALS = 10 };
const struct option_def global_options[N_GLOBALS] = {
	{"machine", "M", option_text, offsetof(struct globals, machine), .help = MACHINES},
	{"regs", "DIR", option_text, offsetof(struct globals, map_dir),
	 .help = "more register maps, besides those built in"},
	{"state", "DIR", option_text, offsetof(struct globals, state_dir), .help = STATE_DEFAULT},
	{"trace", "FILE", option_text, offsetof(struct globals, trace_path),
	 .help = "write one line per register access to FILE; - is standard error, or standard\n"
		 "output where the data goes to a file"},
	{"dry-run", NULL, option_flag, offsetof(struct globals, dry_run),
	 .help = "write no register: print every write that would be done, in order"},
	{"observe", NULL, option_flag, offsetof(struct globals, observe),
	 .help = "write no register: show what others count (list, reg, mem, stat), or run what\n"
		 "only reads (check, xcheck)"},
	[NO_SANDBOX] = {"no-sandbox", NULL, option_flag, offsetof(struct globals, no_sandbox),
			.help = "no filter of the system calls of this process"},
	{"list-machines", NULL, option_flag, offsetof(struct globals, list_machines),
	 .help = "the simulated machines, and nothing else"},
	{"version", NULL, option_flag, offsetof(struct globals, version), .help = "the version, and nothing else",
	 .letter = 'V', .both = true},
};

/* Sentences come from everywhere, so that where they go is state outside objects, as standard error is. */
static struct {
	say_fn *take;
	void *arg;
} sayer;

void say_to(say_fn *take, void *arg)
{
	sayer.take = take;
	sayer.arg = arg;
}

static void vsay(const char *fmt, va_list args)
{
	char sentence[2048], shown[2048];
	int n;

	n = vsnprintf(sentence, sizeof(sentence), fmt, args);
	unc_text_show(n < 0 ? "?" : sentence, shown, sizeof(shown)); /* the message stays one line */
	if (sayer.take)
		sayer.take(sayer.arg, shown);
	else
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
	if ((fputs(text, stdout) < 0 || fflush(stdout) != 0) && errno != EPIPE)
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

	snprintf(text, sizeof(text), "%s", usage);
	for (unsigned i = 0; i < N_COMMANDS; i++)
		unc_text_join(text, sizeof(text), "", "  %-7s %s\n", commands[i]->name, commands[i]->summary);
	unc_text_join(text, sizeof(text), "",
		      "  help    what a command does, and its options\n\nBefore the command or after it:%s",
		      confine_has_filter
			      ? ""
			      : "\n  (--no-sandbox does nothing: this is built without a filter of system calls)");
	memcpy(options, global_options, sizeof(options));
	if (!confine_has_filter)
		options[NO_SANDBOX].help = NULL;
	return command_line_parse(&line, argc, argv, ret_status);
}

/* Prints what global options ask for instead of a command.  False: they ask for nothing. */
static bool answered(const struct globals *globals, int *ret_status)
{
	const char *name, *part, *cpu;
	char text[4096] = "";

	if (!globals->version && !globals->list_machines)
		return false;
	if (globals->version)
		snprintf(text, sizeof(text), "uncorectl " UNC_VERSION "\n");
	for (size_t i = 0; !globals->version && unc_machine_simulated(i, &name, &part, &cpu); i++) {
		size_t len = strlen(cpu);

		while (len > 0 && cpu[len - 1] == ' ')
			len--;
		unc_text_join(text, sizeof(text), "", "sim:%-6s  %-17s  %.*s\n", name, part, (int)len, cpu);
	}
	*ret_status = show_text(*text ? text : "no machine is simulated in this build\n");
	return true;
}

const struct command *find_command(const char *name)
{
	for (unsigned i = 0; i < N_COMMANDS; i++)
		if (strcmp(name, commands[i]->name) == 0)
			return commands[i];
	return NULL;
}

int no_such_command(const char *name)
{
	struct unc_nearest nearest = {.asked = name};
	char near[UNC_NEAREST_TEXT];

	unc_nearest_offer(&nearest, "help");
	for (unsigned i = 0; i < N_COMMANDS; i++)
		unc_nearest_offer(&nearest, commands[i]->name);
	return usage_error("there is no command \"%s\"%s; see `uncorectl --help`", name,
			   unc_nearest_text(&nearest, near));
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

int run_command(const struct globals *globals, int argc, char **argv)
{
	const struct command *command = find_command(argv[0]);

	if (!command)
		return no_such_command(argv[0]);
	return command->run(globals, argc, argv);
}

/* Runs the command that was recorded, unless one is given. */
static int run_replayed(struct globals *globals, int argc, char **argv)
{
	if (globals->map_dir)
		return usage_error("--regs %s: a record brings its register maps along", globals->map_dir);
	if (!*replayed_file(globals->machine))
		return usage_error("replay: names no file; write replay:FILE");
	return replayed_run(globals, argc, argv, false);
}

/* help [COMMAND]: as COMMAND --help. */
static int run_help(const struct globals *globals, int argc, char **argv)
{
	enum { WORDS_MAX = 2 }; /* reg get */
	char *words[WORDS_MAX + 2] = {NULL};
	int status, n = 0;

	for (int i = 1; i < argc && n < WORDS_MAX; i++)
		words[n++] = argv[i];
	words[n] = "--help";
	if (n == 0)
		parse_globals(2, (char *[]){argv[0], words[0], NULL}, &(struct globals){0}, &status);
	return n ? run_command(globals, n + 1, words) : status;
}

static int which_command(void)
{
	char names[200] = "";

	for (unsigned i = 0; i + 1 < N_COMMANDS; i++)
		unc_text_join(names, sizeof(names), ", ", "%s", commands[i]->name);
	return usage_error("which command? There are %s and %s; see `uncorectl --help`", names,
			   commands[N_COMMANDS - 1]->name);
}

/* Runs what the arguments from the command on ask for, if there is one. */
static int run(struct globals *globals, int argc, char **argv)
{
	bool helps = argc > 0 && strcmp(argv[0], "help") == 0;
	int status = argc ? options_take_globals(globals, argv, strcmp(argv[0], record_command.name) == 0, &argc)
			  : EXIT_DONE;

	if (status != EXIT_DONE || answered(globals, &status))
		return status;
	if (globals->state_dir && !*globals->state_dir)
		return usage_error("--state wants the name of a folder");
	status = globals_observe(globals, false);
	if (status != EXIT_DONE)
		return status;
	if (globals->no_sandbox && !confine_has_filter)
		say("note: --no-sandbox: this uncorectl was built without a filter of system calls");
	if (helps)
		return run_help(globals, argc, argv);
	if (replayed_file(globals->machine) && (argc == 0 || strcmp(argv[0], maps_command.name) != 0))
		return run_replayed(globals, argc, argv);
	if (argc == 0)
		return which_command();
	return run_command(globals, argc, argv);
}

/* A reader that has gone is an end, as with `| head`: a write fails with EPIPE then.  A handler, since a COMMAND has none after exec. */
static void on_broken_pipe(int signal)
{
	(void)signal;
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
	struct sigaction pipe;

	init_take_over(&argc, &argv);
	if (!fill_standard_descriptors(&globals.stdout_closed))
		return EXIT_FAILED;
	sigaction(SIGPIPE, NULL, &pipe);
	if (pipe.sa_handler == SIG_DFL)
		sigaction(SIGPIPE, &(struct sigaction){.sa_handler = on_broken_pipe, .sa_flags = SA_RESTART}, NULL);
	if (globals.machine && !*globals.machine)
		globals.machine = NULL;
	if (globals.state_dir && !*globals.state_dir)
		globals.state_dir = NULL;
	first = parse_globals(argc, argv, &globals, &status);
	if (first == 0)
		return status;
	return run(&globals, argc - first, argv + first);
}

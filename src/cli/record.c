// SPDX-License-Identifier: GPL-2.0-or-later
/* uncorectl record: writes what another command asks of the machine, and the answers, to a file that can be replayed anywhere. */
#define _GNU_SOURCE
#include "cli/record.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "access/record_text.h"
#include "access/replay.h"
#include "base/text.h"
#include "cli/confine.h"
#include "cli/child.h"
#include "cli/emit.h"
#include "cli/options.h"

static const char help[] =
	"usage: uncorectl record FILE -- COMMAND [OPTION]...\n"
	"\n"
	"Runs that command of uncorectl as ever, and writes into FILE all that it asks of the machine and\n"
	"is answered: register accesses, times, CPUID, CPUs, and its options.  Then\n"
	"\n"
	"  uncorectl --machine replay:FILE\n"
	"\n"
	"runs it again on any computer, with the same output.  FILE is text and holds no path, user or host\n"
	"name of yours; what it holds of the machine is what `list -v` reads and shows, its times, and\n"
	"of files of the system what that command needs.  Processes have other numbers in it.\n"
	"\n"
	"  -h, --help\n";

/* ---- the options that are recorded ---- */

static bool keep_option(struct recorder *recorder, const char *text)
{
	char *copy = strdup(text);

	if (copy && unc_array_add(&recorder->options, &recorder->n_options, &copy, sizeof(copy)))
		return true;
	free(copy);
	return false;
}

/* Keeps every option except the output file, and no COMMAND.  A file that is read has another name in the record. */
static int record_option(void *arg, const struct option_def *def, const char *option, const char *value)
{
	struct recorder *recorder = arg;
	bool kept = true;

	if (def && def->file == OPTION_WRITES)
		return EXIT_DONE;
	if (def && def->file == OPTION_READS) {
		recorder->input = value; /* the last one is used */
		value = UNC_RECORD_INPUT;
	}
	if (option)
		kept = keep_option(recorder, option);
	if (kept && value)
		kept = keep_option(recorder, value);
	if (kept && !def && value && strcmp(value, "--") == 0)
		kept = keep_option(recorder, "COMMAND");
	return kept ? EXIT_DONE : no_memory();
}

/* These read only files. */
static bool asks_nothing(int argc, char **argv)
{
	const struct command *command = argc ? find_command(argv[0]) : NULL;

	return command == &record_command || command == &maps_command || command == &diff_command ||
	       command == &plot_command || (command == &reg_command && argc > 1 && strcmp(argv[1], "diff") == 0);
}

/* ---- the file ---- */

static int open_regular(const char *path, bool *ret_created)
{
	int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	int fd = confine_open(path, flags | O_CREAT | O_EXCL, 0666);
	struct stat st;

	*ret_created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = confine_open(path, flags, 0);
	if (fd < 0)
		say("record %s: %s", path, strerror(errno));
	else if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	else
		say("record %s: it is there, and is not a regular file", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

static void put_option(struct recorder *recorder, const char *text)
{
	if (recorder->file.failed)
		return;
	fputs("option ", recorder->file.stream);
	for (; *text; text++)
		fprintf(recorder->file.stream, *text < ' ' || *text > '~' || *text == '%' ? "%%%02X" : "%c",
			(unsigned char)*text);
	line_file_put(&recorder->file, "");
}

void recorder_line(void *arg, const char *line)
{
	struct recorder *recorder = arg;
	struct tm tm;
	int64_t utc_s;
	time_t now;
	char utc[64];

	/* The machine is open: only now is an older record overwritten. */
	if (!recorder->begun && ftruncate(fileno(recorder->file.stream), 0) != 0)
		line_file_fail(&recorder->file, errno);
	line_file_put(&recorder->file, line);
	if (recorder->begun)
		return;
	/* That was the first line, which names the format. */
	recorder->begun = true;
	now = time(NULL);
	utc_s = localtime_r(&now, &tm) ? tm.tm_gmtoff : 0;
	snprintf(utc, sizeof(utc), "utc %" PRId64, utc_s);
	line_file_put(&recorder->file, "program " UNC_VERSION);
	line_file_put(&recorder->file, utc);
	zone_set(utc_s);
	if (recorder->dry_run)
		put_option(recorder, "--dry-run");
	if (recorder->observe)
		put_option(recorder, "--observe");
	for (size_t i = 0; i < recorder->n_options; i++)
		put_option(recorder, recorder->options[i]);
}

/* ---- the command ---- */

static int record(const struct globals *globals, const struct command *command, struct recorder *recorder, int argc,
		  char **argv)
{
	struct globals recorded = *globals;
	int status, fd = open_regular(recorder->file.path, &recorder->created);

	if (fd < 0)
		return EXIT_FAILED;
	recorder->file.stream = fdopen(fd, "we");
	if (!recorder->file.stream) {
		close(fd);
		return no_memory();
	}
	recorder->dry_run = globals->dry_run;
	recorder->observe = globals->observe;
	recorded.recorder = recorder;
	options_watch(record_option, recorder);
	/* The words of the command: "mem", "reg" "get". */
	if (keep_option(recorder, argv[0]) && (argc == 1 || command != &reg_command || keep_option(recorder, argv[1])))
		status = command->run(&recorded, argc, argv);
	else
		status = no_memory();
	options_watch(NULL, NULL);
	if (!line_file_close(&recorder->file, "record", "record") && status == EXIT_DONE)
		status = EXIT_FAILED;
	if (recorder->begun)
		return status;
	if (recorder->created)
		unlink(recorder->file.path);
	if (status != EXIT_DONE)
		return status;
	return usage_error("record: that %s asks nothing of a machine, so there is nothing to record", command->name);
}

/* Runs the command that is to be recorded: the arguments after FILE and --. */
static int record_run(const struct globals *globals, int argc, char **argv)
{
	struct recorder recorder = {.file.path = argc > 1 ? argv[1] : NULL};
	const struct command *command;
	int status;

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return show_text(help);
	if (argc > 1 && argv[1][0] == '-' && argv[1][1])
		return usage_error("record: %s: write `record FILE -- COMMAND`", argv[1]);
	if (argc < 3 || strcmp(argv[2], "--") != 0)
		return usage_error("record: write `record FILE -- COMMAND`, e.g. `record run.rec -- mem -n 3`");
	if (argc < 4)
		return usage_error("record: there is no command after --");
	if (replayed_file(globals->machine))
		return usage_error("record: %s is a record already", globals->machine);
	command = find_command(argv[3]);
	if (!command)
		return no_such_command(argv[3]);
	if (asks_nothing(argc - 3, argv + 3))
		return usage_error("record: %s asks nothing of a machine, so there is nothing to record",
				   command == &reg_command ? "reg diff" : argv[3]);
	if (command == &recover_command)
		return usage_error("record: recover asks the journals of this computer, which would be in no record");
	status = record(globals, command, &recorder, argc - 3, argv + 3);
	for (size_t i = 0; i < recorder.n_options; i++)
		free(recorder.options[i]);
	free(recorder.options);
	return status;
}

const struct command record_command = {
	"record", "run another command, and keep all that the machine answered in a file", record_run};

/* ---- a replay ---- */

const char *replayed_file(const char *machine)
{
	static const char kind[] = "replay:";

	return machine && strncmp(machine, kind, strlen(kind)) == 0 ? machine + strlen(kind) : NULL;
}

static int refuse_replay(const char *path)
{
	return usage_error("replay:%s: its options are none that `record` writes; give a command yourself", path);
}

static int check_option(void *arg, const struct option_def *def, const char *option, const char *value)
{
	(void)option;
	/* -o - is standard output. */
	if (def && ((def->file == OPTION_WRITES && strcmp(value, "-") != 0) ||
		    (def->file == OPTION_READS && strcmp(value, UNC_RECORD_INPUT) != 0)))
		return refuse_replay(arg);
	return EXIT_DONE;
}

/*
 * The arguments of the command that was recorded, whose texts stay the head's; free() the array.  Has its options checked when they are
 * parsed: a record may come from an untrusted source, and must not choose files to write or read here.
 */
static int replayed_command(struct globals *globals, const struct unc_replay_head *head, bool as_csv, int *ret_argc,
			    char ***ret_argv)
{
	/* With a COMMAND, data would go to standard error. */
	static const char *const csv[] = {"--format", "csv", "-o", "-"};
	size_t n_csv = as_csv ? sizeof(csv) / sizeof(csv[0]) : 0, n = head->n_options, n_own = 0;
	const char *path = replayed_file(globals->machine), *first = n ? head->options[0] : "";
	bool dry_run = strcmp(first, "--dry-run") == 0, observe = strcmp(first, "--observe") == 0;
	char **options = n ? &head->options[dry_run || observe] : NULL;
	const struct command *command;

	n -= dry_run || observe;
	command = n ? find_command(options[0]) : NULL;
	if (!command || command == &recover_command || asks_nothing((int)n, options))
		return refuse_replay(path);
	globals->dry_run |= dry_run;
	globals->observe |= observe;
	options_watch(check_option, (void *)path);
	*ret_argv = calloc(n + n_csv + 1, sizeof(**ret_argv)); /* a copy, since getopt reorders them */
	if (!*ret_argv)
		return no_memory();
	while (n_own < n && strcmp(options[n_own], "--") != 0)
		n_own++;
	memcpy(*ret_argv, options, n_own * sizeof(*options));
	memcpy(*ret_argv + n_own, csv, n_csv * sizeof(*csv));
	memcpy(*ret_argv + n_own + n_csv, options + n_own, (n - n_own) * sizeof(*options));
	*ret_argc = (int)(n + n_csv);
	return EXIT_DONE;
}

int replayed_run(struct globals *globals, int argc, char **argv, bool as_csv)
{
	struct unc_replay_head head;
	char **recorded = NULL;
	int status = EXIT_DONE, rc;
	struct unc_ctx *ctx;

	endings_replay();
	if (unc_new(&ctx) < 0)
		return no_memory();
	rc = unc_replay_head_read(ctx, replayed_file(globals->machine), &head);
	if (rc < 0)
		status = fail_with(ctx, rc);
	unc_free(ctx);
	if (rc < 0)
		return status;
	zone_set(head.utc_s);
	if (head.program && strcmp(head.program, UNC_VERSION) != 0)
		say("note: version %.40s of this program wrote that record, and this is " UNC_VERSION, head.program);
	if (argc == 0) {
		status = replayed_command(globals, &head, as_csv, &argc, &recorded);
		argv = recorded;
	}
	if (status == EXIT_DONE)
		status = run_command(globals, argc, argv);
	options_watch(NULL, NULL);
	free(recorded);
	unc_replay_head_clear(&head);
	return status;
}

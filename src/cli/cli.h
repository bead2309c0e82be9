/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the commands of uncorectl share. */
#ifndef UNC_CLI_CLI_H
#define UNC_CLI_CLI_H

#include <stdio.h>

#include "uncore/traffic.h"

enum exit_status { /* the documented exit statuses; with a COMMAND its own status is used */
		   EXIT_DONE = 0,
		   EXIT_FAILED = 1,
		   EXIT_USAGE = 2,
		   EXIT_NOT_HERE = 3,
		   EXIT_NOT_PERMITTED = 4,
		   EXIT_IN_USE = 5,
};

struct globals {                                                /* the options of every command */
	const char *machine, *map_dir, *trace_path, *state_dir; /* or NULL */
	bool dry_run;
	bool recovers;               /* set by the command that puts back what other processes have left */
	bool observe;                /* no register is ever written */
	bool no_boxes;               /* set by the command that accesses no register, and is confined later */
	bool only_counts;            /* set by commands that write nothing but controls of counters */
	bool no_sandbox;             /* no system call filter */
	bool version, list_machines; /* only that is asked for */
	struct recorder *recorder;   /* it writes a record; NULL: there is none */
	bool stdout_closed;          /* it was closed when this process started */
	bool names_machine;          /* set by the command whose output begins with the machine's name */
	const char *made_folder;     /* in which files are made and replaced after confine(); NULL: in none */
	int command_pid;             /* the COMMAND after it was forked; 0: there is none */
	/* Set by the command that makes memory traffic; NULL: no command does. */
	const struct unc_traffic_maker *traffic_maker;
};

struct command {
	const char *name, *summary;
	/* argv[0] is the command; returns the exit status */
	int (*run)(const struct globals *globals, int argc, char **argv);
};
extern const struct command list_command, mem_command, stat_command, llc_command, events_command, reg_command,
	maps_command, doctor_command, record_command, recover_command, load_command, check_command, xcheck_command,
	diff_command, plot_command, top_command, serve_command;
/* NULL: there is no command of that name. */
const struct command *find_command(const char *name);
/* Runs the command that the first argument names.  Returns the exit status. */
int run_command(const struct globals *globals, int argc, char **argv);
/* EXIT_USAGE, after a message that names the nearest one. */
int no_such_command(const char *name);

/* Prints one sentence on stderr: "uncorectl: ...". */
void say(const char *fmt, ...) UNC_PRINTF(1, 2);
/* From now on these sentences go to take(arg, sentence), without "uncorectl: "; NULL: to stderr. */
typedef void say_fn(void *arg, const char *sentence);
void say_to(say_fn *take, void *arg);
/* The same; returns that exit status. */
int refuse(int status, const char *fmt, ...) UNC_PRINTF(2, 3);
#define usage_error(...) refuse(EXIT_USAGE, __VA_ARGS__)
#define no_memory()      refuse(EXIT_FAILED, "out of memory")
/* Prints ctx's sentence and returns the exit status for err. */
int fail_with(const struct unc_ctx *ctx, int err);
int exit_status_of(int err);
/* Returns the exit status of two steps that are both done: that of the first one that failed. */
int first_failure(int status, int next);

/* Applies --observe of the command itself, too.  EXIT_DONE, or an exit status after a message about options that contradict it. */
int globals_observe(struct globals *globals, bool observe);

/*
 * In process 1 called "init": prepares this computer, runs commands, and ends the computer.  Returns only in the process of each
 * command, with its words; in any other process at once.
 */
void init_take_over(int *argc, char ***argv);

struct output;
struct line_file {        /* --trace FILE, or a record: lines are written as they come */
	FILE *stream;     /* owned; NULL: it is not open */
	const char *path; /* not owned */
	bool failed;      /* no line is written any more */
	int error;        /* errno of the failure; 0: a signal interrupted it */
};
/* Writes a line; usable as a callback whose argument is the file. */
void line_file_put(void *file, const char *line);
/* An operation on it failed, with this errno. */
void line_file_fail(struct line_file *file, int error);
/* Closes it, if it is open.  False: not everything was written, after a message, except if a signal interrupted it. */
bool line_file_close(struct line_file *file, const char *option, const char *what);

struct dry_run {             /* where writes are printed instead of done */
	struct output *out;  /* not owned; NULL: writes are done */
	uint64_t msr_writes; /* how many of the printed writes are of MSRs */
};
/* A machine with everything the global options ask for.  It stays where it was opened, since callbacks point to it. */
struct opened {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	struct line_file trace;
	struct recorder *recorder; /* NULL: no record; not owned */
	struct dry_run dry_run;
	/* What a header says of the computer; read before anything is timed, so that a record serves every format. */
	struct unc_machine_fact facts[UNC_MACHINE_FACTS];
	size_t n_facts;
	uint64_t facts_ns;     /* when they were read, since 1970 */
	bool closing, differs; /* of a replay: the machine is being closed; the record has another answer */
};
/*
 * dry_out: where --dry-run prints what would be written; NULL for a command that writes nothing.  Returns 0, or an exit status after
 * a message; then *opened is all zero.
 */
int open_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		 struct opened *opened);
/*
 * Prepares everything except the machine itself: the context, trace, record, and the configuration to open it with. close_machine()
 * ends that, too.
 */
int prepare_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		    struct unc_machine_cfg *ret_cfg, struct opened *opened);
/* Reads opened->facts, unless that is done. */
void read_facts(struct opened *opened);
/*
 * As fail_with(); where the failure is that this machine has no counters that are known, or no monitoring of caches, its sentence
 * goes on with what works here.
 */
int fail_here(const struct opened *opened, int rc);
/*
 * For a command that needs memory channels: EXIT_DONE, or an exit status after a message why no channels of this machine are known.
 */
int need_counters(const struct opened *opened);
struct unc_map;
/* The log of a context: "note: " and the sentence.  arg is not used. */
void show_note(void *arg, const char *sentence);
/* Confines this process, then parses; fails as unc_catalogue_unpack() and unc_catalogue_parse().  path outlives the map. */
int catalogue_read(struct unc_ctx *ctx, const struct globals *globals, const char *path, uint32_t pvr,
		   struct unc_map **ret_map);
/* Closes the machine, and reports what could not be put back or written.  Returns status, or a worse one. */
int close_machine(struct opened *opened, int status);

struct emitter;
/* Ends what a command has opened of these: closes the machine, clears the emitter, closes the output.  Returns as close_machine(). */
int close_all(struct emitter *emitter, struct opened *opened, struct output *out, int status);

/* Prints a help text on stdout; returns the exit status. */
int show_text(const char *text);

#endif

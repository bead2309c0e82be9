/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations that the commands of uncorectl share. */
#ifndef UNC_CLI_CLI_H
#define UNC_CLI_CLI_H

#include <stdbool.h>

#include "uncore.h"
#include "uncore/traffic.h"

enum exit_status { /* the documented exit statuses; with a COMMAND its own status is used */
		   EXIT_DONE = 0,
		   EXIT_FAILED = 1,
		   EXIT_USAGE = 2,
		   EXIT_NOT_HERE = 3,
		   EXIT_NOT_PERMITTED = 4,
		   EXIT_IN_USE = 5,
};

struct globals {                                                /* the options before the subcommand */
	const char *machine, *map_dir, *trace_path, *state_dir; /* or NULL */
	bool dry_run;
	bool recovers;             /* set by the command that puts back what other processes have left */
	bool observe;              /* no register is ever written */
	bool no_sandbox;           /* no system call filter */
	bool version;              /* only that is asked for */
	struct recorder *recorder; /* it writes a record; NULL: there is none */
	bool stdout_closed;        /* it was closed when this process started */
	int command_pid;           /* the COMMAND after it was forked; 0: there is none */
	/* Set by the command that makes memory traffic; NULL: no command does. */
	const struct unc_traffic_maker *traffic_maker;
};

struct command {
	const char *name, *summary;
	/* argv[0] is the command; returns the exit status */
	int (*run)(const struct globals *globals, int argc, char **argv);
};
extern const struct command list_command, mem_command, stat_command, llc_command, events_command, reg_command,
	maps_command, doctor_command, record_command, recover_command, load_command, check_command, xcheck_command;
/* NULL: there is no command of that name. */
const struct command *find_command(const char *name);

/* Prints one sentence on stderr: "uncorectl: ...". */
void say(const char *fmt, ...) UNC_PRINTF(1, 2);
/* The same for wrong usage; returns EXIT_USAGE. */
int usage_error(const char *fmt, ...) UNC_PRINTF(1, 2);
/* Says that there is no memory; returns EXIT_FAILED. */
int no_memory(void);
/* Prints ctx's sentence and returns the exit status for err. */
int fail_with(const struct unc_ctx *ctx, int err);
int exit_status_of(int err);

/* Applies --observe of the command itself, too.  EXIT_DONE, or an exit status after a message about options that contradict it. */
int globals_observe(struct globals *globals, bool observe);

/* A machine with everything the global options ask for.  Failures print a message.  Returns 0, or an exit status. */
struct opened {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	struct trace_file *trace;    /* NULL: no trace */
	struct recorder *recorder;   /* NULL: no record; not owned */
	struct replaying *replaying; /* NULL: no replay */
	struct dry_run *dry_run;     /* NULL: writes are done */
};
struct dry_run {             /* where writes are printed instead of done */
	struct output *out;  /* not owned */
	uint64_t msr_writes; /* how many of the printed writes are of MSRs */
};
/* dry_out: where --dry-run prints what would be written; NULL for a command that writes nothing. */
struct output;
int open_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		 struct opened *ret_opened);
/*
 * Prepares everything except the machine itself: the context, trace, record, and the configuration to open it with. close_machine()
 * ends that, too.
 */
int prepare_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		    struct unc_machine_cfg *ret_cfg, struct opened *ret_opened);
/*
 * For a command that needs memory channels: EXIT_DONE, or an exit status after a message why no channels of this machine are known.
 */
int need_counters(const struct opened *opened);
/* Closes the machine, and reports what could not be put back or written.  Returns status, or a worse one. */
int close_machine(struct opened *opened, int status);

/* Prints a help text on stdout; returns the exit status. */
int show_text(const char *text);

/* --trace FILE: writes lines to a file. */

struct trace_file;

struct trace_file *trace_file_open(const char *path); /* NULL: it failed, after a message */
void trace_file_line(void *file, const char *line);   /* usable as unc_machine_cfg.trace */
bool trace_file_close(struct trace_file *file);       /* false: not everything was written, after a message */

#endif

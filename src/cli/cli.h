/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the commands of uncorectl share. */
#ifndef UNC_CLI_CLI_H
#define UNC_CLI_CLI_H

#include <stdbool.h>

#include "uncore.h"

enum exit_status { /* the documented ones; with a COMMAND its own status is ours */
		   EXIT_DONE = 0,
		   EXIT_FAILED = 1,
		   EXIT_USAGE = 2,
		   EXIT_NOT_HERE = 3,
		   EXIT_NOT_PERMITTED = 4,
		   EXIT_IN_USE = 5,
};

struct globals {                                                /* options before the subcommand */
	const char *machine, *map_dir, *trace_path, *state_dir; /* or NULL */
	bool dry_run;
	bool recovers;             /* set by the command that puts back what others have left */
	bool observe;              /* no register is ever written */
	bool no_sandbox;           /* no filter of system calls */
	struct recorder *recorder; /* who writes a record; NULL: nobody */
	bool stdout_closed;        /* when we were started */
	int command_pid;           /* the COMMAND, once it was forked; 0: none */
	const struct unc_traffic_maker
		*traffic_maker; /* set by the command that makes memory traffic; NULL: none does */
};

struct command {
	const char *name, *summary;
	int (*run)(const struct globals *globals, int argc,
		   char **argv); /* argv[0] is the command; returns exit status */
};
extern const struct command list_command, mem_command, stat_command, llc_command, events_command, reg_command,
	maps_command, doctor_command, record_command, recover_command, load_command, check_command, xcheck_command;
/* NULL: there is none of that name. */
const struct command *find_command(const char *name);

/* One sentence on stderr: "uncorectl: ...". */
void say(const char *fmt, ...) UNC_PRINTF(1, 2);
/* The same for wrong usage; returns EXIT_USAGE. */
int usage_error(const char *fmt, ...) UNC_PRINTF(1, 2);
/* Says ctx's sentence and returns the exit status for err. */
int fail_with(const struct unc_ctx *ctx, int err);
int exit_status_of(int err);

/* With --observe of the command itself too.  EXIT_DONE, or it was said what makes no sense with it. */
int globals_observe(struct globals *globals, bool observe);

/* A machine with everything the global options ask for; says what is wrong itself.  0, or an exit status. */
struct opened {
	struct unc_ctx *ctx;
	struct unc_machine *machine;
	struct trace_file *trace;    /* NULL: not traced */
	struct recorder *recorder;   /* NULL: not recorded; not owned */
	struct replaying *replaying; /* NULL: no replay */
	struct dry_run *dry_run;     /* NULL: writes are done */
};
struct dry_run {             /* where writes are told instead */
	struct output *out;  /* not owned */
	uint64_t msr_writes; /* those told so far that are of MSRs */
};
/* dry_out: where --dry-run tells what would be written; NULL for a command that writes nothing. */
struct output;
int open_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		 struct opened *ret_opened);
/* All but the machine itself: the context, trace, record, and with what it is to be opened.  close_machine() ends that, too. */
int prepare_machine(const struct globals *globals, bool writable, int wake_fd, struct output *dry_out,
		    struct unc_machine_cfg *ret_cfg, struct opened *ret_opened);
/* For a command that needs memory channels: EXIT_DONE, or it was said why this machine has none that are known. */
int need_counters(const struct opened *opened);
/* Closes it, and says what could not be put back or written.  status, or a worse one. */
int close_machine(struct opened *opened, int status);

/* A help text on stdout; returns the exit status. */
int show_text(const char *text);
/* getopt_long() messages are not one sentence: this says what was wrong with the option it stumbled over. */
int bad_option(char **argv, int option, const char *command);

#endif

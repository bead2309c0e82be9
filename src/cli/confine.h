/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process may still do, once it has what it needs: no capability that is of no use any more (libcap-ng), no new
 * privileges, and no system call but those that the rest of the way takes (libseccomp).  There is no way back, and a COMMAND
 * was forked before.
 */
#ifndef UNC_CLI_CONFINE_H
#define UNC_CLI_CONFINE_H

#include <stdbool.h>

#include "cli/cli.h"

enum confine_to {
	CONFINE_READING, /* files are opened for reading only, those of registers too */
	CONFINE_WRITING, /* files are also made, written and removed, and registers opened for writing */
	CONFINE_HELD,    /* as READING, but every register is open: no capability is left */
	CONFINE_TRAFFIC, /* as HELD; threads are begun too, and memory is had of a NUMA node: who makes memory traffic */
};

/*
 * Once in the life of a process.  What the kernel does not give is said, and that is all: with registers programmed already,
 * going on is what puts them back.  command_pid: whom signals are passed on to; 0: nobody.
 */
void confine(const struct globals *globals, enum confine_to to, int command_pid);

/*
 * Who runs us with rights that he has not himself (a file with capabilities, or with a set-user-ID bit) must not steer us by
 * his environment: from here on there is none.  The COMMAND, forked before, keeps it.
 */
void confine_environment(void);
/* In the COMMAND, before it becomes that program: none of those rights.  False: they cannot be given up. */
bool confine_to_caller(void);

/* For confine.c only: cli/confine_calls.c, or cli/confine_none.c in a build without (make SANDBOX=). */
extern const bool confine_has_filter;
/* 0, or an errno. */
int confine_calls(enum confine_to to, int command_pid);

#endif

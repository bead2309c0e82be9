/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process may still do, once it has what it needs: no capability that is of no use any more (libcap-ng), no new
 * privileges, no path changed that needs no change (Landlock), and no system call but those that the rest of the way takes
 * (libseccomp).  There is no way back, and a COMMAND was forked before.
 */
#ifndef UNC_CLI_CONFINE_H
#define UNC_CLI_CONFINE_H

#include <stdbool.h>

#include "cli/cli.h"

enum confine_to {
	CONFINE_READING, /* files are opened for reading only, those of registers too */
	CONFINE_WRITING, /* files are also made, written and removed, and registers opened for writing, but nothing in /proc */
	CONFINE_FILES, /* as WRITING, but no register is opened: it has no right that the real user has not */
	CONFINE_SEARCHING, /* as WRITING, but it looks for users of perf, which Landlock would hide: nothing keeps it out of /proc */
	CONFINE_HELD,    /* as READING, but every register is open: no capability is left; a journal can be removed */
	CONFINE_TRAFFIC, /* as READING, without a capability; threads are begun too, and memory is had of a NUMA node: who makes memory traffic */
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

/*
 * open(2) of a file that the caller names, where it is made or changed: where the real user is not root it has no right that this
 * user has not.  Before confine().
 */
int confine_open(const char *path, int flags, unsigned mode);

/* The version of Landlock in this kernel; below 1: it has none. */
int confine_paths_version(void);
/* For confine.c only.  0, also where there is no Landlock, or an errno.  state_dir: of journals; NULL: the default. */
int confine_paths(enum confine_to to, const char *state_dir);

/* For confine.c only: cli/confine_calls.c, or cli/confine_none.c in a build without (make SANDBOX=). */
extern const bool confine_has_filter;
/* 0, or an errno. */
int confine_calls(enum confine_to to, int command_pid);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restricts what this process may still do, once it has what it needs: it drops capabilities that are no longer needed (libcap-ng),
 * gains no new privileges, changes no path that need not change (Landlock), and makes only the system calls that it still needs
 * (libseccomp).  This cannot be undone, and a COMMAND was forked before.
 */
#ifndef UNC_CLI_CONFINE_H
#define UNC_CLI_CONFINE_H

#include "cli/cli.h"

enum confine_to {
	CONFINE_READING,   /* files are opened for reading only, including registers */
	CONFINE_WRITING,   /* also makes, writes and removes files, and opens registers for writing; nothing in /proc */
	CONFINE_FILES,     /* as WRITING, but no register is opened: it has only the real user's rights */
	CONFINE_SEARCHING, /* as WRITING, but without Landlock, which would hide users of perf: /proc stays open */
	CONFINE_HELD,      /* as READING, but every register is open: no capability is left; a journal can be removed */
	CONFINE_REPLACING, /* as HELD, but it replaces files in one folder, globals.made_folder */
	CONFINE_SERVING,   /* as HELD, but it accepts connections of its listener, and answers them */
	CONFINE_TRAFFIC,   /* as READING, but no capability; it makes traffic: threads, and memory of a NUMA node */
};

/*
 * Call this once in the life of a process.  If the kernel does not support a part a message says so, and that is all: once
 * registers are programmed, going on is the way to put them back. command_pid: the process to which signals are passed on; 0: there
 * is none.
 */
void confine(const struct globals *globals, enum confine_to to, int command_pid);

/*
 * If the program has rights that its caller does not have (file capabilities, or a set-user-ID bit), the caller's environment must
 * not control it: this clears the environment.  The COMMAND, forked before, keeps it.
 */
void confine_environment(void);
/* Call this in the COMMAND before it becomes that program: drops those rights.  False: they cannot be dropped. */
bool confine_to_caller(void);

/*
 * open(2) of a file that the caller names, to create or change it: if the real user is not root, it is opened with that user's
 * rights only.  Call it before confine().
 */
int confine_open(const char *path, int flags, unsigned mode);

/* How a file is made there: a new one, and none that a link leads to. */
#define REPLACED_FLAGS (O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW)

/* The Landlock version of this kernel; below 1: it has none. */
int confine_paths_version(void);
/* For confine.c only. 0, also if there is no Landlock, or an errno. state_dir: the folder of journals; NULL: the default.  made: that of CONFINE_REPLACING. */
int confine_paths(enum confine_to to, const char *state_dir, const char *made);
/* The confinements in which every register is open. */
bool confine_is_held(enum confine_to to);

/* For confine.c only: from cli/confine_calls.c, or from cli/confine_none.c in a build without the filter (make SANDBOX=). */
extern const bool confine_has_filter;
/* 0, or an errno. */
int confine_calls(enum confine_to to, int command_pid);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The COMMAND that is measured: it is forked before anything is opened, and released when the counters run. */
#ifndef UNC_CLI_CHILD_H
#define UNC_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;      /* 0: there is none */
	bool replayed;  /* there is no process: its end is taken from a record */
	int go_fd;      /* writing to it releases the child; closing it lets the child exit */
	int failure_fd; /* the child writes the reason here if it cannot become COMMAND */
	bool ended;
	int status; /* after the end: the exit status as a shell reports it */
};

/* False: fork failed, after a message. */
bool child_fork(char **command, struct child *ret_child);
/* Lets the child become COMMAND.  False: that failed, after a message; child->status is 126 or 127 then. */
bool child_go(struct child *child, const char *name);
/* Has it ended?  The call does not wait. */
bool child_ended(struct child *child);
/*
 * Waits for its end; rest(arg) returns when wake_fd can be read.  Meanwhile signals that signals_caught() notes are passed on to
 * it; a second signal ends the waiting.
 */
void child_wait(struct child *child, int wake_fd, void (*rest)(void *arg), void *arg);
/* If it never ran, it exits without effect. */
void child_abandon(struct child *child);

#endif

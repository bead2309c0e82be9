/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The COMMAND that is measured: forked before anything is opened, let go when the counters run. */
#ifndef UNC_CLI_CHILD_H
#define UNC_CLI_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

struct child {
	pid_t pid;      /* 0: none */
	bool replayed;  /* there is none: its end is taken from a record */
	int go_fd;      /* writing lets it run; closing lets it end */
	int failure_fd; /* it says here why it could not become COMMAND */
	bool ended;
	int status; /* once ended: its exit status as a shell has it */
};

/* False: could not fork, which was said. */
bool child_fork(char **command, struct child *ret_child);
/* Lets it become COMMAND.  False: that failed, which was said; child->status is 126 or 127 then. */
bool child_go(struct child *child, const char *name);
/* Has it ended?  Does not wait. */
bool child_ended(struct child *child);
/*
 * Waits for its end; rest(arg) returns when wake_fd can be read.  Passes on to it what signals_caught() notes meanwhile; a
 * second signal ends the waiting.
 */
void child_wait(struct child *child, int wake_fd, void (*rest)(void *arg), void *arg);
/* If it never ran, it ends without a trace. */
void child_abandon(struct child *child);

#endif

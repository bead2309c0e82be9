/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endings from outside.  The handler only notes a signal; the command sees that, puts the registers back, and ends.  The noted
 * signal is state outside objects, which a signal handler needs.
 */
#ifndef UNC_CLI_CHILD_H
#define UNC_CLI_CHILD_H

#include <sys/types.h>

#include "uncore.h"

/*
 * From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and others that would end the process are noted, SIGCHLD wakes it, and SIGPIPE and
 * SIGXFSZ are ignored (a write fails with EPIPE, EFBIG).  A signal that was ignored when the process was started (nohup) stays
 * ignored.  Returns the descriptor to wait on, or -1 after a message.
 */
int signals_catch(void);
/*
 * The same for a program that draws on a terminal: it is also woken by SIGTSTP, SIGCONT and SIGWINCH, which end nothing, and by
 * standard input from signals_keys(true) on.  has_terminal: else it leaves those signals alone.
 */
int signals_catch_keys(bool has_terminal);
/* After signals_catch_keys(): it is also woken when this can be read.  False: it cannot wait for that. */
bool signals_wake_by(int fd);
void signals_keys(bool wake_by_keys);
/* Has one of these signals come since it was asked last? */
bool signals_came(int signal);
/* The first signal noted; 0: none.  A noted signal ends waiting and writing. */
int signals_caught(void);
/* Forgets it, so that a second one can be noticed. */
void signals_clear(void);
/*
 * Did a call fail with this errno because a signal was noted?  Then it is not a failure to report: the process was asked to end.
 * signals_were_cut_short(): whether that ever happened.
 */
bool signals_cut_short(int error);
bool signals_were_cut_short(void);
/* Empties the descriptor after it has woken a waiter. */
void signals_drain(int wake_fd);
/* Ends this process by that signal, as if it had never been caught. */
void signals_die(int signal);
/*
 * The end of a run with that exit status: one that was cut short ends by its signal.  interrupt_ends: it had no other limit, so
 * that an interrupt is its normal end.  Returns the exit status.
 */
int signals_end(int status, bool interrupt_ends);

/*
 * Endings from outside - signals, the end of the COMMAND - of a run that is recorded or replayed: a record holds them, and a replay
 * takes them from there..  A caller that asks for a signal has no machine to pass, so
 * the machine that is recorded or replayed is state outside objects, like the signal itself.
 */

/* This run is a replay: from now on no COMMAND is run. */
void endings_replay(void);
bool endings_replayed(void);
/* Sets the machine whose run may end in this way; NULL: there is none any more. */
void endings_of(struct unc_machine *machine);

/* Does the signal come from a record? */
bool endings_signal_replayed(void);

/* The COMMAND that is measured: it is forked before anything is opened, and released when the counters run. */

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

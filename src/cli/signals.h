/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endings from outside.  The handler only notes a signal; the command sees that, puts the registers back, and ends.  The noted
 * signal is state outside objects, which a signal handler needs.
 */
#ifndef UNC_CLI_SIGNALS_H
#define UNC_CLI_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and others that would end the process are noted, SIGCHLD wakes it, and SIGPIPE and
 * SIGXFSZ are ignored (a write fails with EPIPE, EFBIG).  A signal that was ignored when the process was started (nohup) stays
 * ignored.  Returns the descriptor to wait on, or -1 after a message.
 */
int signals_catch(void);
/* The first signal noted; 0: none.  A noted signal ends waiting and writing. */
int signals_caught(void);
/* Forgets it, so that a second one can be noticed. */
void signals_clear(void);
/* Whether it came from a process, and not from the terminal (which sends it to the COMMAND too). */
bool signals_from_process(void);
/*
 * Did a call fail with this errno because a signal was noted?  Then it is not a failure to report: the process was asked to end.
 * signals_were_cut_short(): whether that ever happened.
 */
bool signals_cut_short(int error);
bool signals_were_cut_short(void);
/* Wakes a waiter on the descriptor, as a signal would. */
void signals_wake(void);
/* Empties the descriptor after it has woken a waiter. */
void signals_drain(int wake_fd);
/* Restores all signal handling, for a child that is about to become another program.  It makes only async-signal-safe calls. */
void signals_default(void);
/* Ends this process by that signal, as if it had never been caught. */
void signals_die(int signal);

#endif

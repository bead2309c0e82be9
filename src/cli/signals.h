/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endings from outside.  A signal is only noted; the command sees it, puts the registers back, and ends.  The noted signal is
 * state outside objects, which a signal handler cannot do without.
 */
#ifndef UNC_CLI_SIGNALS_H
#define UNC_CLI_SIGNALS_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT and others that would end us are noted, SIGCHLD wakes, and SIGPIPE and
 * SIGXFSZ are ignored (a write says EPIPE, EFBIG).  One that was ignored when we were started (nohup) stays ignored.
 * The descriptor to wait on, or -1, which was said.
 */
int signals_catch(void);
/* The first signal noted, 0: none.  Ends waiting and writing. */
int signals_caught(void);
/* Forgets it, so that a second one can be told from the first. */
void signals_clear(void);
/* Whether it came from a process, and not from the terminal (which sends it to the COMMAND too). */
bool signals_from_process(void);
/*
 * Did a call fail with this errno because a signal was noted?  Then it is no failure to speak of: we are asked to end.
 * Whether that ever was so.
 */
bool signals_cut_short(int error);
bool signals_were_cut_short(void);
/* Wakes who waits on the descriptor, as a signal would. */
void signals_wake(void);
/* Empties the descriptor after it woke somebody. */
void signals_drain(int wake_fd);
/* All as it was, for a child that is about to become another program.  Only async-signal-safe calls. */
void signals_default(void);
/* Ends this process by that signal, as if it had never been caught. */
void signals_die(int signal);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endings from outside - signals, the end of the COMMAND - of a run that is recorded or replayed: a record holds them, and a
 * replay takes them from there.  signals.c and child.c ask here.  As who asks for a signal has nothing to ask by, the machine
 * whose record it is is state outside objects, like the signal itself.
 */
#ifndef UNC_CLI_ENDINGS_H
#define UNC_CLI_ENDINGS_H

#include <stdbool.h>

#include "uncore.h"

/* This run is a replay: no COMMAND is run from now on. */
void endings_replay(void);
bool endings_replayed(void);
/* The machine whose run may end so; NULL: there is none any more. */
void endings_of(struct unc_machine *machine);

/* caught: the signal that was noted, or 0.  The same, or the signal that the record has at this point. */
int endings_signal(int caught);
/* Does the signal come from a record? */
bool endings_signal_replayed(void);
/* The signal is forgotten: another one may come. */
void endings_signal_cleared(void);
/* The COMMAND has ended (with that status), or not. */
void endings_command(bool ended, int status);
/* Of a replay: has it ended here? */
bool endings_command_replayed(int *ret_status);

#endif

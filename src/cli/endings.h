/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Endings from outside - signals, the end of the COMMAND - of a run that is recorded or replayed: a record holds them, and a replay
 * takes them from there. signals.c and child.c call these functions.  A caller that asks for a signal has no machine to pass, so
 * the machine that is recorded or replayed is state outside objects, like the signal itself.
 */
#ifndef UNC_CLI_ENDINGS_H
#define UNC_CLI_ENDINGS_H

#include <stdbool.h>

#include "uncore.h"

/* This run is a replay: from now on no COMMAND is run. */
void endings_replay(void);
bool endings_replayed(void);
/* Sets the machine whose run may end in this way; NULL: there is none any more. */
void endings_of(struct unc_machine *machine);

/* caught: the signal that was noted, or 0.  Returns the same, or the signal that the record has at this point. */
int endings_signal(int caught);
/* Does the signal come from a record? */
bool endings_signal_replayed(void);
/* The signal is forgotten: another one may come. */
void endings_signal_cleared(void);
/* Notes whether the COMMAND has ended, and with which status. */
void endings_command(bool ended, int status);
/* In a replay: has it ended at this point? */
bool endings_command_replayed(int *ret_status);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a channel count at all?  Another program or the firmware may have frozen it, or all of its socket, and on most parts no bit
 * shows that: only its clock does.  A channel that BOX_CTL froze runs once BOX_CTL is released; one that GLOBAL_CTL froze does not,
 * since BOX_CTL releases nothing then.  Neither is a defect of the silicon.
 */
#ifndef UNC_CHECK_RUNNING_H
#define UNC_CHECK_RUNNING_H

#include "check/check.h"

/* Releases a channel for the first time, when all controls are blank, and notes whether it stood still until then. */
int unc_running_release(struct unc_check_box *b);
/*
 * Called before each check that needs channels that count; the first call looks.  A socket in which no channel counts is one
 * failure, and its channels are not usable any more.  Not 0: the run ends.
 */
int unc_running_look(struct unc_check *c);
/*
 * Called after such a check, when its registers are put back; its results begin with first.  If a socket has stopped since, that is
 * the failure, and results that failed only because of it are skipped.
 */
int unc_running_look_again(struct unc_check *c, size_t first);

/* The check behaviour.runs. */
int unc_running_run(struct unc_check *c);

#endif

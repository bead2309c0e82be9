/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One writer per box.  A claim is a lock on a file of the machine itself: the configuration space of the box's function, or for MSRs
 * their numbers in the file of a CPU; for those of cache monitoring, of the lowest CPU of its L3, as CPUs that share one share
 * counters.  A process that has ended holds none, and every process that sees the same file sees the lock, whatever folder its journal is in.
 *
 * What does not see it is a container with a network namespace and a sysfs of its own, or with device files that it made itself:
 * Linux has these as other files.
 */
#ifndef UNC_MACHINE_CLAIM_H
#define UNC_MACHINE_CLAIM_H

#include "machine/machine.h"

/*
 * It is ours from now on, until unc_claim_leave() of that owner.  Twice is as once: one system call for each box.  In a dry run it is
 * only asked for.  UNC_EBUSY: another process writes there; the sentence names the box, and the process as far as its journal does;
 * UNC_EDENIED: the machine was opened read-only; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ENOSUP, UNC_ENOMEM.
 */
int unc_claim_box(struct unc_box *box, const void *owner);
/* NULL: everybody's. */
void unc_claim_leave(struct unc_machine *m, const void *owner);
void unc_claims_free(struct unc_claims *claims); /* NULL is fine; locks are let go of with their spaces */

#endif

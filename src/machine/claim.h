/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One writer per box.  A claim is a lock on a file of the machine itself: the configuration space of the box's function, or for MSRs
 * of a CPU's cache monitoring those of the lowest CPU of its L3.  A process that is gone holds none, and no container hides it.
 */
#ifndef UNC_MACHINE_CLAIM_H
#define UNC_MACHINE_CLAIM_H

#include "machine/machine.h"

/*
 * It is ours from now on, until unc_claim_leave() of that owner.  Twice is as once.  In a dry run it is only asked for.
 * UNC_EBUSY: somebody else writes there; the sentence says who, as far as he said so; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
int unc_claim_box(struct unc_box *box, const void *owner);
/* NULL: everybody's. */
void unc_claim_leave(struct unc_machine *m, const void *owner);

#endif

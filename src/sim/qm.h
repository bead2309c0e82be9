/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is in the last-level caches, and who moved what: one L3 for each package, shared by all of its CPUs.
 *
 * Bandwidth.  What a CPU moves until time t is floor(integral of its rate); what an RMID moves on an L3 is the sum of
 * what the CPUs of that L3 moved while they carried it (IA32_PQR_ASSOC).  Nothing ever clears it.
 *
 * Occupancy, in whole bytes.  Things change at a write of another RMID to a CPU's PQR_ASSOC, and when a CPU wants more
 * or less of the cache (a step of occupancy in its load).  From one change to the next:
 *
 *   - An RMID's target is what its CPUs want of the cache together; if the RMIDs want more than there is, each gets its
 *     share: floor(wanted * size of the L3 / wanted by all).
 *   - An RMID below its target has what it had at the change, plus what its CPUs moved since, but no more than the
 *     target: everything that comes in stays, until there is enough.
 *   - What an RMID has above its target is surplus, dirty since its CPUs left or want less.  It goes away by eviction
 *     alone: for each byte that any CPU of the L3 moves, one byte of all surplus there was at the change, shared in
 *     proportion, so that all of it ends at the same moment:  target + floor(surplus * (all - moved) / all).
 *     If nobody moves anything, it stays for ever.
 *
 * All RMIDs together never have more than the L3: while there is surplus it shrinks by at least as much as others grow,
 * and without, nobody is above its target.  The changes are the same whoever reads and when, so the numbers are, too.
 */
#ifndef UNC_SIM_QM_H
#define UNC_SIM_QM_H

#include "sim/computer.h"

/* It was without power: no CPU has an RMID, nothing is in the caches; locked.  Bandwidth goes on from where it was. */
void unc_sim_qm_reset(struct unc_sim *sim, uint64_t t_ns);

#endif

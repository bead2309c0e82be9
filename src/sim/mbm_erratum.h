/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bandwidth of high RMIDs is counted wrong: errata BDF102 (Xeon E5 v4 specification update) and SKX99 (Xeon Scalable
 * specification update), on Broadwell and on Skylake-SP and those like it.
 *
 * Intel gives a threshold and a factor for each number of RMIDs that a part has; what IA32_QM_CTR says of total and local
 * bandwidth of an RMID above the threshold is to be multiplied by that factor.  Here, hardware counts so that this is exactly
 * right: for B bytes that were moved it counts
 *
 *     floor(B * 1000000 / F)    bytes, F being the factor in millionths as it is published
 *
 * and what is read is that divided by the bytes of a unit, rounded down, as ever.  Both roundings together are those of one
 * division, so that a count times the factor is less than a unit times the factor below the truth.
 */
#ifndef UNC_SIM_MBM_ERRATUM_H
#define UNC_SIM_MBM_ERRATUM_H

#include "sim/curve.h"

/* The factor, in millionths; 1000000: it is counted right. */
unsigned unc_sim_mbm_millionths(unsigned max_rmid, unsigned rmid);
/* What is counted for bytes that this RMID moved, of RMIDs 0 to max_rmid. */
unc_sim_wide unc_sim_mbm_counted(unsigned max_rmid, unsigned rmid, unc_sim_wide bytes);

#endif

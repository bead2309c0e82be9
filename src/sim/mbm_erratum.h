/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bandwidth of high RMIDs is counted wrong: errata BDF102 (Xeon E5 v4 specification update) and SKX99 (Xeon Scalable
 * specification update), on Broadwell, Skylake-SP, Cascade Lake and Cooper Lake.
 *
 * Intel gives a threshold and a factor for each number of RMIDs that a part can have; the total and local bandwidth that
 * IA32_QM_CTR reports for an RMID above the threshold must be multiplied by that factor.  Here, hardware counts so that
 * this is exactly right: for B bytes that were moved it counts
 *
 *     floor(B * 1000000 / F)    bytes, where F is the published factor in millionths
 *
 * and IA32_QM_CTR reports that divided by the bytes of a unit, rounded down, as always.  Both roundings together are
 * equal to one division, so a count times the factor is below the truth by less than a unit times the factor.
 */
#ifndef UNC_SIM_MBM_ERRATUM_H
#define UNC_SIM_MBM_ERRATUM_H

#include "sim/curve.h"

/* Returns the factor in millionths; 1000000: bandwidth is counted right. */
unsigned unc_sim_mbm_millionths(unsigned max_rmid, unsigned rmid);
/* Returns what is counted for bytes that this RMID moved, on a machine with RMIDs 0 to max_rmid. */
unc_sim_wide unc_sim_mbm_counted(unsigned max_rmid, unsigned rmid, unc_sim_wide bytes);

#endif

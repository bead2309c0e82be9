// SPDX-License-Identifier: GPL-2.0-or-later
/* Xeon Platinum 8380H, Cooper Lake ("CPX"): Cascade Lake of a later stepping. */
#include "sim/model_skx.h"

/* verify: no available listing shows the revision. It is assumed to be the stepping, as on Skylake-SP and Cascade Lake. */
static const struct unc_sim_function functions[] = {UNC_SIM_SKX_FUNCTIONS(0x0b)};
/* Intel has no event list of Cooper Lake: it is part of that of Cascade Lake. */
static const struct unc_sim_event events[] = {UNC_SIM_CLX_EVENTS};
static const struct unc_sim_sum sums[] = {UNC_SIM_SKX_SUMS};

/*
 * verify: no dump of one was available. Stepping 11 is what Linux and PCM say; name, clock (leaf 0x16, in MHz), VNNI
 * and BF16 (leaf 7) are those of the part as it is sold, and all other leaves those of an 8180.
 */
static const struct unc_sim_leaf leaves[] = {
	{0x1, 0, {0x0005065b, 0x00400800, 0x7ffefbff, 0xbfebfbff}},
	{0x7, 0, {0x00000001, 0xd39ffffb, 0x00000808, 0x00000000}},
	{0x7, 1, {0x00000020, 0x00000000, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000e8, 0x00000000, 0x00000000}},
	{0x16, 0, {0x00000b54, 0x000010cc, 0x00000064, 0x00000000}},
	/* "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3338206d, 0x20483038}},
	{0x80000004, 0, {0x20555043, 0x2e322040, 0x48473039, 0x0000007a}},
};

const struct unc_sim_model unc_sim_cpx = {
	.name = "cpx",
	.on = UNC_SIM_ON_CPX,
	UNC_SIM_SKX_MODEL,
	.tsc_hz = 2900000000,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
	.like = &unc_sim_skx,
};

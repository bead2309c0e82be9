// SPDX-License-Identifier: GPL-2.0-or-later
/* Xeon Platinum 8280, Cascade Lake ("CLX"): Skylake-SP of a later stepping, with more events. */
#include "sim/model_skx.h"

static const struct unc_sim_function functions[] = {UNC_SIM_SKX_FUNCTIONS(0x07)};
static const struct unc_sim_event events[] = {UNC_SIM_CLX_EVENTS};
static const struct unc_sim_sum sums[] = {UNC_SIM_SKX_SUMS};

/*
 * verify: no dump of one was available. Stepping 7 is what Linux, PCM and Intel's list say; name, clock (leaf 0x16, in
 * MHz) and VNNI (leaf 7) are those of the part as it is sold, and all other leaves those of an 8180.
 */
static const struct unc_sim_leaf leaves[] = {
	{0x1, 0, {0x00050657, 0x00400800, 0x7ffefbff, 0xbfebfbff}},
	{0x7, 0, {0x00000000, 0xd39ffffb, 0x00000808, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000d8, 0x00000000, 0x00000000}},
	{0x16, 0, {0x00000a8c, 0x00000fa0, 0x00000064, 0x00000000}},
	/* "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3238206d, 0x43203038}},
	{0x80000004, 0, {0x40205550, 0x372e3220, 0x7a484730, 0x00000000}},
};

const struct unc_sim_model unc_sim_clx = {
	.name = "clx",
	.on = UNC_SIM_ON_CLX,
	UNC_SIM_SKX_MODEL,
	.tsc_hz = 2700000000,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
	.like = &unc_sim_skx,
};

// SPDX-License-Identifier: GPL-2.0-or-later
/* EPYC 7763, Milan ("Zen 3"): one L3 for every eight cores, otherwise as zen2. */
#include "sim/model_parts.h"

/*
 * verify: no dump of one was available. Leaf 0xf and the L3 of 0x8000001d are as InstLatx64 has them from such a part;
 * number and name are those of the part as it is sold; all other leaves are those of a 7742.
 */
static const struct unc_sim_leaf leaves[] = {
	{0x1, 0, {0x00a00f11, 0x00800800, 0x7ef8320b, 0x178bfbff}},
	{0xf, 0, {0x00000000, 0x000000ff, 0x00000000, 0x00000002}},
	{0xf, 1, {0x00000000, 0x00000040, 0x000000ff, 0x00000007}},
	{0x80000001, 0, {0x00a00f11, 0x40000000, 0x75c237ff, 0x2fd3fbff}},
	/* "AMD EPYC 7763 64-Core Processor" */
	{0x80000002, 0, {0x20444d41, 0x43595045, 0x36373720, 0x34362033}},
	{0x80000003, 0, {0x726f432d, 0x72502065, 0x7365636f, 0x20726f73}},
	{0x80000004, 0, {0x20202020, 0x20202020, 0x20202020, 0x00202020}},
	{0x8000001d, 3, {0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001}},
};

static const struct unc_sim_rdt rdt = {.max_rmid = 0xff, .upscale = 64, .events = 0x7, .width = 44, .n_clos = 16};

const struct unc_sim_model unc_sim_zen3 = {
	.name = "zen3",
	.on = UNC_SIM_ON_ZEN3,
	.sockets = 2,
	.cores = 64,
	.threads = 2,
	.vendor = UNC_SIM_AMD,
	.apic = UNC_SIM_APIC_BY_L3,
	.l3_cores = 8,
	.l3_core_bits = 3,
	.l3_bytes = 32 << 20, /* 0x8000001d.3 */
	.tsc_hz = UINT64_C(2450000000),
	.like = &unc_sim_zen2,
	.rdt = &rdt,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
};

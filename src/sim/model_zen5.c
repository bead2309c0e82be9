// SPDX-License-Identifier: GPL-2.0-or-later
/* EPYC 9655, Turin ("Zen 5"): 12 L3s with eight cores each, RMIDs of 12 bits; otherwise as zen4. */
#include "sim/model_parts.h"

/*
 * verify: no dump of one was available. Leaves 7 (EBX), 0xf, 0x10 and 0x80000020 and the L3 of 0x8000001d are as
 * InstLatx64 has them from such a part (without second threads), except 0x80000020.2, which is assumed to be as .1;
 * number and name are those of the part as it is sold; all other leaves, and how APIC ids count its L3s, are those of a
 * 9124.
 */
static const struct unc_sim_leaf leaves[] = {
	{0x1, 0, {0x00b00f21, 0x00200800, 0x7efa320b, 0x178bfbff}},
	{0x7, 0, {0x00000001, 0xf1bf97ab, 0x00415fce, 0x10000010}},
	{0xf, 0, {0x00000000, 0x00000fff, 0x00000000, 0x00000002}},
	{0xf, 1, {0x00000014, 0x00000040, 0x00000fff, 0x00000007}},
	{0x80000001, 0, {0x00b00f21, 0x40000000, 0x75c237ff, 0x2fd3fbff}},
	/* "AMD EPYC 9655 96-Core Processor" */
	{0x80000002, 0, {0x20444d41, 0x43595045, 0x35363920, 0x36392035}},
	{0x80000003, 0, {0x726f432d, 0x72502065, 0x7365636f, 0x20726f73}},
	{0x80000004, 0, {0x20202020, 0x20202020, 0x20202020, 0x00202020}},
	{0x8000001d, 3, {0x0003c163, 0x03c0003f, 0x00007fff, 0x00000001}},
	{0x80000020, 0, {0x00000000, 0x0000007e, 0x00000000, 0x00000000}},
	{0x80000020, 1, {0x0000000c, 0x00000000, 0x00000000, 0x0000000f}},
	{0x80000020, 2, {0x0000000c, 0x00000000, 0x00000000, 0x0000000f}},
	{0x80000020, 3, {0x00000000, 0x00000002, 0x0000007f, 0x00000000}},
	{0x80000020, 5, {0x00000014, 0x0000001f, 0x00000001, 0x00000000}},
};

static const struct unc_sim_rdt rdt = {.max_rmid = 0xfff, .upscale = 64, .events = 0x7, .width = 44, .n_clos = 16};

const struct unc_sim_model unc_sim_zen5 = {
	.name = "zen5",
	.on = UNC_SIM_ON_ZEN5,
	.sockets = 2,
	.cores = 96,
	.threads = 2,
	.vendor = UNC_SIM_AMD,
	.apic = UNC_SIM_APIC_BY_L3,
	.l3_cores = 8,
	.l3_core_bits = 3,
	.l3_bytes = 32 << 20, /* 0x8000001d.3 */
	.tsc_hz = UINT64_C(2600000000),
	.like = &unc_sim_zen4,
	.rdt = &rdt,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * EPYC 7742, Rome ("Zen 2"): one L3 for every four cores. Caches and topology only: it has no uncore counters like
 * Intel's. Its bandwidth counters have 44 bits although leaf 0xf.1 EAX does not say so (Linux commit 2c18bd525c47).
 */
#include "sim/model_parts.h"

/* As read on a machine of two AMD EPYC 7742 (830F10); sim/cpuid.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf leaves[] = {
	{0x0, 0, {0x00000010, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x1, 0, {0x00830f10, 0x00800800, 0x7ef8320b, 0x178bfbff}}, /* + APIC ids */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00000011}},
	{0x6, 0, {0x00000004, 0x00000000, 0x00000001, 0x00000000}},
	{0x7, 0, {0x00000000, 0x219c91a9, 0x00400004, 0x00000000}},
	{0xd, 0, {0x00000207, 0x00000340, 0x00000380, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000340, 0x00000000, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xd, 9, {0x00000040, 0x00000340, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x000000ff, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000000, 0x00000040, 0x000000ff, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x00000002, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000f, 0x00000000, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	{0x80000000, 0, {0x80000020, 0x68747541, 0x444d4163, 0x69746e65}},
	{0x80000001, 0, {0x00830f10, 0x40000000, 0x75c237ff, 0x2fd3fbff}},
	/* "AMD EPYC 7742 64-Core Processor" */
	{0x80000002, 0, {0x20444d41, 0x43595045, 0x34373720, 0x34362032}},
	{0x80000003, 0, {0x726f432d, 0x72502065, 0x7365636f, 0x20726f73}},
	{0x80000004, 0, {0x20202020, 0x20202020, 0x20202020, 0x00202020}},
	{0x80000005, 0, {0xff40ff40, 0xff40ff40, 0x20080140, 0x20080140}},
	{0x80000006, 0, {0x48006400, 0x68006400, 0x02006140, 0x08009140}}, /* + L3s */
	{0x80000007, 0, {0x00000000, 0x0000001b, 0x00000000, 0x00006799}},
	{0x80000008, 0, {0x00003030, 0x018ef757, 0x0000707f, 0x00010000}}, /* + threads, and APIC id bits for them */
	{0x8000000a, 0, {0x00000001, 0x00008000, 0x00000000, 0x0013bcff}},
	{0x80000019, 0, {0xf040f040, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001a, 0, {0x00000006, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001b, 0, {0x000003ff, 0x00000000, 0x00000000, 0x00000000}},
	{0x8000001d, 0, {0x00004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + threads that share it */
	{0x8000001d, 1, {0x00004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x8000001d, 2, {0x00004143, 0x01c0003f, 0x000003ff, 0x00000002}}, /* L2 */
	{0x8000001d, 3, {0x0001c163, 0x03c0003f, 0x00003fff, 0x00000001}}, /* L3 */
	{0x8000001f, 0, {0x0001000f, 0x0000016f, 0x000001fd, 0x00000001}},
	{0x80000020,
	 0,
	 {0x00000000, 0x00000002, 0x00000000, 0x00000000}}, /* further allocation and monitoring features */
	/* The dump lacks this leaf and says there is MBA (.0 EBX bit 1). verify: as on an EPYC 9124. */
	{0x80000020, 1, {0x0000000b, 0x00000000, 0x00000000, 0x0000000f}},
};

static const struct unc_sim_rdt rdt = {.max_rmid = 0xff, .upscale = 64, .events = 0x7, .width = 44, .n_clos = 16};

const struct unc_sim_model unc_sim_zen2 = {
	.name = "zen2",
	.on = UNC_SIM_ON_ZEN2,
	.sockets = 2,
	.cores = 64,
	.threads = 2,
	.vendor = UNC_SIM_AMD,
	.apic = UNC_SIM_APIC_BY_L3,
	.l3_cores = 4,
	.l3_core_bits = 2,
	.l3_bytes = 16 << 20, /* 0x8000001d.3 */
	.tsc_hz = UINT64_C(2250000000),
	.rdt = &rdt,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
};

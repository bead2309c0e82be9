// SPDX-License-Identifier: GPL-2.0-or-later
/* Xeon E5-2600 v4, Broadwell-EP ("BDX"): registers and events are those of Haswell-EP. */
#include "sim/model_parts.h"

/*
 * Two controllers of two channels, as on the parts with more than eight cores: dual E5-2699 v3 and E5-2697 v4 machines
 * show 14.0, 14.1, 17.0 and 17.1 in lspci, and no channel at 15.x and 18.x; the small die has its four at 14.x and
 * 15.x. The UBOX is device 16 (0x10) function 5. lspci shows revision 01.
 *
 * The other functions exist because tools look for them: QPI, R3QPI, R2PCIe, home agents; LIKWID finds the sockets by
 * 12.1. Each device has function 0, as in lspci, since without it firmware and kernels look for no other function of
 * the device.
 */
static const struct unc_sim_function functions[] = {
	/* clang-format off */
	UNC_SIM_FN_UBOX(0, 0x10, 5, 0x6f1e, 0x01),
	UNC_SIM_FN_IMC(0, 0x14, 0, 0x6fb0, 0x01, 0, 0),
	UNC_SIM_FN_IMC(0, 0x14, 1, 0x6fb1, 0x01, 0, 1),
	UNC_SIM_FN_IMC(0, 0x17, 0, 0x6fd0, 0x01, 1, 0),
	UNC_SIM_FN_IMC(0, 0x17, 1, 0x6fd1, 0x01, 1, 1),
	UNC_SIM_FN_SYSTEM(0, 0x08, 0, 0x6f80, 0x01),
	UNC_SIM_FN_PERF(0, 0x08, 2, 0x6f32, 0x01),
	UNC_SIM_FN_SYSTEM(0, 0x09, 0, 0x6f90, 0x01),
	UNC_SIM_FN_PERF(0, 0x09, 2, 0x6f33, 0x01),
	UNC_SIM_FN_SYSTEM(0, 0x0b, 0, 0x6f81, 0x01),
	UNC_SIM_FN_PERF(0, 0x0b, 1, 0x6f36, 0x01),
	UNC_SIM_FN_PERF(0, 0x0b, 2, 0x6f37, 0x01),
	UNC_SIM_FN_SYSTEM(0, 0x10, 0, 0x6f1d, 0x01),
	UNC_SIM_FN_PERF(0, 0x10, 1, 0x6f34, 0x01),
	UNC_SIM_FN_SYSTEM(0, 0x12, 0, 0x6fa0, 0x01),
	UNC_SIM_FN_PERF(0, 0x12, 1, 0x6f30, 0x01),
	UNC_SIM_FN_PERF(0, 0x12, 5, 0x6f38, 0x01),
	/* clang-format on */
};

static const struct unc_sim_event events[] = {UNC_SIM_HSX_EVENTS};
static const struct unc_sim_sum sums[] = {
	UNC_SIM_HSX_SUMS,
	{.name = "clockticks_p", .code = 0x00}, /* in one list, together with the fixed counter's "clockticks" */
};

/* As read on an Intel Xeon E5-2697 v4 (406F1); sim/cpuid.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf leaves[] = {
	{0x0, 0, {0x00000014, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x000406f1, 0x00400800, 0x7ffefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}},
	{0x4, 0, {0x7c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x7c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x7c004143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x7c0fc163, 0x04c0003f, 0x00008fff, 0x00000006}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00002120}},
	{0x6, 0, {0x00000077, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0x021cbfbb, 0x00000000, 0x00000000}},
	{0x9, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xa, 0, {0x07300403, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x00000007, 0x00000340, 0x00000340, 0x00000000}},
	{0xd, 1, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x0000008f, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000000, 0x00012000, 0x0000008f, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x00000002, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x00000013, 0x000c0000, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	{0x14, 0, {0x00000000, 0x00000001, 0x00000001, 0x00000000}},
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
	/* "Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x55504320, 0x2d354520, 0x37393632, 0x20347620}},
	{0x80000004, 0, {0x2e322040, 0x48473033, 0x0000007a, 0x00000000}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
};

static const struct unc_sim_rdt rdt = {.max_rmid = 0x8f, .upscale = 0x12000, .events = 0x7, .width = 24, .n_clos = 16};

const struct unc_sim_model unc_sim_bdx = {
	.name = "bdx",
	.on = UNC_SIM_ON_BDX,
	.sockets = 2,
	.cores = 18,
	.threads = 2,
	.apic_shift = 6,
	.ticks_per_cycle = 10, /* DDR4-2400: 1200 MHz */
	.pmon = &unc_sim_hsx_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	/* LIKWID: frz_all 31, unfrz_all 29; PCM: 29. No document says which other bits can be written. */
	.freeze = {.msr = 0x700, .frz_all = 1u << 31, .unfrz_all = 1u << 29},
	.rdt = &rdt,
	.l3_bytes = 45 << 20,
	.tsc_hz = 2300000000,
	.leaves = leaves,
	.n_leaves = UNC_SIM_N(leaves),
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	.functions = functions,
	.n_functions = UNC_SIM_N(functions),
	.events = events,
	.n_events = UNC_SIM_N(events),
	.sums = sums,
	.n_sums = UNC_SIM_N(sums),
};

// SPDX-License-Identifier: GPL-2.0-or-later
/* Xeon E5-2600 v3, Haswell-EP ("HSX").  Events: see model_parts.h. */
#include "sim/model_parts.h"

/*
 * Two controllers of two channels, as on the parts with more than eight cores: dual E5-2699 v3 and E5-2697 v4 machines
 * show 14.0, 14.1, 17.0 and 17.1 in lspci, and no channel at 15.x and 18.x; the small die has its four at 14.x and
 * 15.x. The UBOX is device 16 (0x10) function 5. lspci shows revision 02.
 *
 * The other functions exist because tools look for them: QPI, R3QPI, R2PCIe, home agents; LIKWID finds the sockets by
 * 12.1. Each device has function 0, as in lspci, since without it firmware and kernels look for no other function of
 * the device.
 */
static const struct unc_sim_function functions[] = {
	/* clang-format off */
	UNC_SIM_FN_UBOX(0, 0x10, 5, 0x2f1e, 0x02),
	UNC_SIM_FN_IMC(0, 0x14, 0, 0x2fb0, 0x02, 0, 0),
	UNC_SIM_FN_IMC(0, 0x14, 1, 0x2fb1, 0x02, 0, 1),
	UNC_SIM_FN_IMC(0, 0x17, 0, 0x2fd0, 0x02, 1, 0),
	UNC_SIM_FN_IMC(0, 0x17, 1, 0x2fd1, 0x02, 1, 1),
	UNC_SIM_FN_SYSTEM(0, 0x08, 0, 0x2f80, 0x02),
	UNC_SIM_FN_PERF(0, 0x08, 2, 0x2f32, 0x02),
	UNC_SIM_FN_SYSTEM(0, 0x09, 0, 0x2f90, 0x02),
	UNC_SIM_FN_PERF(0, 0x09, 2, 0x2f33, 0x02),
	UNC_SIM_FN_SYSTEM(0, 0x0b, 0, 0x2f81, 0x02),
	UNC_SIM_FN_PERF(0, 0x0b, 1, 0x2f36, 0x02),
	UNC_SIM_FN_PERF(0, 0x0b, 2, 0x2f37, 0x02),
	UNC_SIM_FN_SYSTEM(0, 0x10, 0, 0x2f1d, 0x02),
	UNC_SIM_FN_PERF(0, 0x10, 1, 0x2f34, 0x02),
	UNC_SIM_FN_SYSTEM(0, 0x12, 0, 0x2fa0, 0x02),
	UNC_SIM_FN_PERF(0, 0x12, 1, 0x2f30, 0x02),
	UNC_SIM_FN_PERF(0, 0x12, 5, 0x2f38, 0x02),
	/* clang-format on */
};

static const struct unc_sim_event events[] = {UNC_SIM_HSX_EVENTS};
static const struct unc_sim_sum sums[] = {UNC_SIM_HSX_SUMS};

/* As read on an Intel Xeon E5-2699 v3 (306F2); sim/cpuid.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf leaves[] = {
	{0x0, 0, {0x0000000f, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x000306f2, 0x00400800, 0x7dfefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c10000}},
	{0x4, 0, {0x7c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x7c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x7c004143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x7c0fc163, 0x04c0003f, 0x00008fff, 0x00000006}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00002120}},
	{0x6, 0, {0x00000077, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0x00003fbb, 0x00000000, 0x00000000}},
	{0x9, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xa, 0, {0x07300403, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x00000007, 0x00000340, 0x00000340, 0x00000000}},
	{0xd, 1, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x00000047, 0x00000000, 0x00000002}}, /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000000, 0x00012000, 0x00000047, 0x00000001}}, /* bytes per unit, highest RMID, events */
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000021, 0x2c100000}},
	/* "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x55504320, 0x2d354520, 0x39393632, 0x20337620}},
	{0x80000004, 0, {0x2e322040, 0x48473033, 0x0000007a, 0x00000000}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
};

/*
 * Intel's guide for it was not available: Linux and PCM have frz_en and the resets, Linux and LIKWID invert, only
 * LIKWID has ov_en in CTL and FIXED_CTL. BOX_STATUS is as on Ivy Bridge-EP.
 */
const struct unc_sim_pmon unc_sim_hsx_pmon = {
	.ctl_writable = 0xffd4ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, invert 23, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00500000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.frz_needs_en = true,
	.status_writable = 0x1f,
};

/* CPUID offers occupancy only, and no allocation. */
static const struct unc_sim_rdt rdt = {.max_rmid = 0x47, .upscale = 0x12000, .events = 0x1, .width = 24};

const struct unc_sim_model unc_sim_hsx = {
	.name = "hsx",
	.on = UNC_SIM_ON_HSX,
	.sockets = 2,
	.cores = 18,
	.threads = 2,
	.apic_shift = 6,
	.ticks_per_cycle = 15, /* DDR4-1600: 800 MHz */
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

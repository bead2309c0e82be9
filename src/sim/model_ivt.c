// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Xeon E5-2600 v2, Ivy Bridge-EP ("IVT").
 *
 * G-IVT: Intel 329468-002, uncore performance monitoring guide for the E5 v2 and E7 v2.  Events: see model_parts.h.
 */
#include "sim/model_parts.h"

/*
 * Channel 0 of a controller is function 4 of its device (Linux, LIKWID, PCM). pci.ids calls device 16 (0x10)
 * "Integrated Memory Controller 1" and device 30 (0x1e) "0"; for these programs, and here, it is the other way round. A
 * part with one home agent has only the former; both are here, as on the larger dies. lspci shows revision 04.
 *
 * The other functions exist because tools look for them: QPI, home agents, R2PCIe, R3QPI; LIKWID finds the sockets by
 * 13.5. Each device has function 0, as in lspci, since without it firmware and kernels look for no other function of
 * the device. verify: no available listing has function 0 of 1c; pci.ids has the id, and it is where that of the first
 * home agent is, at 0e.0.
 */
static const struct unc_sim_function functions[] = {
	/* clang-format off */
	UNC_SIM_FN_UBOX(0, 0x0b, 0, 0x0e1e, 0x04),
	UNC_SIM_FN_IMC(0, 0x10, 4, 0x0eb4, 0x04, 0, 0),
	UNC_SIM_FN_IMC(0, 0x10, 5, 0x0eb5, 0x04, 0, 1),
	UNC_SIM_FN_IMC(0, 0x10, 0, 0x0eb0, 0x04, 0, 2),
	UNC_SIM_FN_IMC(0, 0x10, 1, 0x0eb1, 0x04, 0, 3),
	UNC_SIM_FN_IMC(0, 0x1e, 4, 0x0ef4, 0x04, 1, 0),
	UNC_SIM_FN_IMC(0, 0x1e, 5, 0x0ef5, 0x04, 1, 1),
	UNC_SIM_FN_IMC(0, 0x1e, 0, 0x0ef0, 0x04, 1, 2),
	UNC_SIM_FN_IMC(0, 0x1e, 1, 0x0ef1, 0x04, 1, 3),
	UNC_SIM_FN_SYSTEM(0, 0x08, 0, 0x0e80, 0x04),
	UNC_SIM_FN_PERF(0, 0x08, 2, 0x0e32, 0x04),
	UNC_SIM_FN_SYSTEM(0, 0x09, 0, 0x0e90, 0x04),
	UNC_SIM_FN_PERF(0, 0x09, 2, 0x0e33, 0x04),
	UNC_SIM_FN_SYSTEM(0, 0x0e, 0, 0x0ea0, 0x04),
	UNC_SIM_FN_PERF(0, 0x0e, 1, 0x0e30, 0x04),
	UNC_SIM_FN_SYSTEM(0, 0x1c, 0, 0x0e60, 0x04),
	UNC_SIM_FN_PERF(0, 0x1c, 1, 0x0e38, 0x04),
	UNC_SIM_FN_SYSTEM(0, 0x13, 0, 0x0e1d, 0x04),
	UNC_SIM_FN_PERF(0, 0x13, 1, 0x0e34, 0x04),
	UNC_SIM_FN_PERF(0, 0x13, 5, 0x0e36, 0x04),
	/* clang-format on */
};

/* The umask has a bit for each bank. */
/* clang-format off */
#define BANK(n, c, b) UNC_SIM_SUB(n ".bank" #b, c, 1 << b)
#define EIGHT_BANKS(n, c) \
	BANK(n, c, 0), BANK(n, c, 1), BANK(n, c, 2), BANK(n, c, 3), \
	BANK(n, c, 4), BANK(n, c, 5), BANK(n, c, 6), BANK(n, c, 7)
#define ALL_BANKS(n, c) {.name = n ".allbanks", .code = c, .umask = 0xff}

static const struct unc_sim_event events[] = {
	UNC_SIM_CLOCK("clockticks"),
	UNC_SIM_EVENTS_01_TO_02,
	UNC_SIM_CAS_6,
	UNC_SIM_EVENT_05,
	UNC_SIM_EVENTS_06_TO_09,
	UNC_SIM_EVENT("rpq_inserts", 0x10, 1),
	UNC_SIM_EVENT("rpq_cycles_ne", 0x11, 1),
	UNC_SIM_EVENT("wpq_inserts", 0x20, 1),
	UNC_SIM_EVENTS_21_TO_41,
	UNC_SIM_EVENT("power_pcu_throttling", 0x42, 1),
	UNC_SIM_EVENT("power_self_refresh", 0x43, 1), /* 0 in ucevent, but a counter that never counts would be of no use */
	UNC_SIM_EVENTS_83_TO_86,
	UNC_SIM_EVENTS_90_TO_91,
	UNC_SIM_EVENTS_A0_TO_A1,
	UNC_SIM_EACH_RANK(EIGHT_BANKS),
	UNC_SIM_EVENTS_C0_TO_C1,
};

static const struct unc_sim_sum sums[] = {
	{.name = "dclockticks", .code = 0x00}, /* the name in the guide */
	UNC_SIM_ACT_SUM,
	UNC_SIM_CAS_SUMS,
	UNC_SIM_EACH_RANK(ALL_BANKS),
};
/* clang-format on */

/* As read on an Intel Xeon E5-2697 v2 (306E4); sim/cpuid.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf leaves[] = {
	{0x0, 0, {0x0000000d, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x000306e4, 0x00200800, 0x7fbee3ff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b2ff, 0x00000000, 0x00ca0000}},
	{0x4, 0, {0x3c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x3c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x3c004143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x3c07c163, 0x04c0003f, 0x00005fff, 0x00000006}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00001120}},
	{0x6, 0, {0x00000077, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0x00000281, 0x00000000, 0x00000000}},
	{0x9, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xa, 0, {0x07300403, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x00000007, 0x00000340, 0x00000340, 0x00000000}},
	/* The dump lacks these sub-leaves; they are as on Sandy Bridge-EP and Haswell-EP: XSAVEOPT, AVX state. */
	{0xd, 1, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000001, 0x2c100000}},
	/* "      Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz" */
	{0x80000002, 0, {0x20202020, 0x6e492020, 0x286c6574, 0x58202952}},
	{0x80000003, 0, {0x286e6f65, 0x43202952, 0x45205550, 0x36322d35}},
	{0x80000004, 0, {0x76203739, 0x20402032, 0x30372e32, 0x007a4847}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
};

/*
 * There is no invert: G-IVT leaves it out, as do Linux and LIKWID; Intel's datasheet of the E7 v2 still lists bit 23.
 * BOX_CTL 17:16 must be written 1 (G-IVT); Linux writes 0 and PCM sets one of them, and both are known to count.
 */
static const struct unc_sim_pmon pmon = {
	.ctl_writable = 0xff54ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00400000,
	.box_ones = 0x00030000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.status_writable = 0x1f, /* G-IVT: bit 5 must be written 0 */
};

const struct unc_sim_model unc_sim_ivt = {
	.name = "ivt",
	.on = UNC_SIM_ON_IVT,
	.sockets = 2,
	.cores = 12,
	.threads = 2,
	.apic_shift = 5,
	.ticks_per_cycle = 15, /* DDR3-1600: 800 MHz */
	.pmon = &pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	/* G-IVT: U_MSR_PMON_GLOBAL_CTL; wk_on_pmi 30 and pmi_core_sel 14:0 can be read back. */
	.freeze = {.msr = 0xc00, .frz_all = 1u << 31, .unfrz_all = 1u << 29, .writable = 0x40007fff},
	.l3_bytes = 30 << 20,
	.tsc_hz = 2700000000,
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

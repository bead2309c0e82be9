// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Xeons with one uncore bus a socket: Sandy Bridge-EP, Ivy Bridge-EP, Haswell-EP, Broadwell-EP, Broadwell-DE.
 *
 * Xeon E5-2600, Sandy Bridge-EP ("JKT").
 *
 * G-JKT: Intel 327043-001, uncore performance monitoring guide for the E5-2600.  Events: see model_parts.h.
 */
#include "sim/model_parts.h"

/*
 * G-JKT: the channels are functions 0, 1, 4, 5 of device 16 (0x10); the Linux driver, and lspci on such machines, give
 * the device ids, and the UBOX at device 11 (0x0b). Revision 07 is stepping C2. The other functions exist because tools
 * look for them: QPI, home agent, R2PCIe, R3QPI; LIKWID finds the sockets by 13.5. Each device has function 0, as in
 * lspci, since without it firmware and kernels look for no other function of the device.
 */
static const struct unc_sim_function snbep_functions[] = {
	/* clang-format off */
	UNC_SIM_FN_UBOX(0, 0x0b, 0, 0x3ce0, 0x07),
	UNC_SIM_FN_IMC(0, 0x10, 0, 0x3cb0, 0x07, 0, 0),
	UNC_SIM_FN_IMC(0, 0x10, 1, 0x3cb1, 0x07, 0, 1),
	UNC_SIM_FN_IMC(0, 0x10, 4, 0x3cb4, 0x07, 0, 2),
	UNC_SIM_FN_IMC(0, 0x10, 5, 0x3cb5, 0x07, 0, 3),
	UNC_SIM_FN_SYSTEM(0, 0x08, 0, 0x3c80, 0x07),
	UNC_SIM_FN_PERF(0, 0x08, 2, 0x3c41, 0x07),
	UNC_SIM_FN_SYSTEM(0, 0x09, 0, 0x3c90, 0x07),
	UNC_SIM_FN_PERF(0, 0x09, 2, 0x3c42, 0x07),
	UNC_SIM_FN_SYSTEM(0, 0x0e, 0, 0x3ca0, 0x07),
	UNC_SIM_FN_PERF(0, 0x0e, 1, 0x3c46, 0x07),
	UNC_SIM_FN_SYSTEM(0, 0x13, 0, 0x3ce4, 0x07),
	UNC_SIM_FN_PERF(0, 0x13, 1, 0x3c43, 0x07),
	UNC_SIM_FN_PERF(0, 0x13, 5, 0x3c44, 0x07),
	UNC_SIM_FN_SYSTEM(0, 0x13, 6, 0x3c45, 0x07),
	/* clang-format on */
};

static const struct unc_sim_event snbep_events[] = {
	/* clang-format off */
	UNC_SIM_CLOCK("clockticks"),
	UNC_SIM_EVENT("act_count", 0x01, 1),
	UNC_SIM_SUB("pre_count.page_miss", 0x02, 0x01),
	UNC_SIM_SUB("pre_count.page_close", 0x02, 0x02),
	UNC_SIM_CAS_4,
	UNC_SIM_EVENT_05,
	UNC_SIM_EVENTS_06_TO_09,
	UNC_SIM_EVENT("rpq_inserts", 0x10, 1),
	UNC_SIM_EVENT("rpq_cycles_ne", 0x11, 1),
	UNC_SIM_EVENT("rpq_cycles_full", 0x12, 1),
	UNC_SIM_EVENT("wpq_inserts", 0x20, 1),
	UNC_SIM_EVENTS_21_TO_41,
	UNC_SIM_EVENT("power_self_refresh", 0x43, 1), /* the guide leaves its maximum increment blank */
	UNC_SIM_EVENT("rpq_occupancy", 0x80, 22),
	UNC_SIM_EVENT("wpq_occupancy", 0x81, 32),
	UNC_SIM_EVENTS_83_TO_86,
	/* clang-format on */
};

static const struct unc_sim_sum snbep_sums[] = {UNC_SIM_CAS_SUMS};

/* As read on an Intel Xeon E5-2687W (206D7); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf snbep_leaves[] = {
	{0x0, 0, {0x0000000d, 0x756e6547, 0x6c65746e, 0x49656e69}}, /* "GenuineIntel", highest leaf 0xd */
	{0x1, 0, {0x000206d7, 0x00000800, 0x1fbee3ff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76035a01, 0x00f0b2ff, 0x00000000, 0x00ca0000}},
	{0x4, 0, {0x00000121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x00000122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x00000143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x00000163, 0x04c0003f, 0x00003fff, 0x00000006}}, /* L3, 20 MB, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00021120}},
	{0x6, 0, {0x00000077, 0x00000002, 0x00000009, 0x00000000}},
	{0x9, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0xa, 0, {0x07300403, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x00000007, 0x00000340, 0x00000340, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}}, /* AVX state: the rest of the 0x340 bytes */
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000001, 0x2c100000}},
	/* "      Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz" */
	{0x80000002, 0, {0x20202020, 0x6e492020, 0x286c6574, 0x58202952}},
	{0x80000003, 0, {0x286e6f65, 0x43202952, 0x45205550, 0x36322d35}},
	{0x80000004, 0, {0x20573738, 0x20402030, 0x30312e33, 0x007a4847}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
};

/* G-JKT tables 2-60 and 2-61; DS-SNB for BOX_STATUS. */
static const struct unc_sim_pmon snbep_pmon = {
	.ctl_writable = 0xffc4ffff, /* ev_sel, umask, edge_det 18, en 22, invert 23, thresh */
	.fixed_writable = 0x00400000,
	.frz_needs_en = true,
	.status_writable = 0x7f,
};

const struct unc_sim_model unc_sim_snbep = {
	.name = "snbep",
	.on = UNC_SIM_ON_SNBEP,
	.sockets = 2,
	.cores = 8,
	.threads = 2,
	.apic_shift = 5,
	.ticks_per_cycle = 15, /* DDR3-1600: 800 MHz */
	.pmon = &snbep_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	.l3_bytes = 20 << 20,
	.tsc_hz = 3100000000,
	UNC_SIM_TABLE(leaves, snbep_leaves),
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	UNC_SIM_TABLE(functions, snbep_functions),
	UNC_SIM_TABLE(events, snbep_events),
	UNC_SIM_TABLE(sums, snbep_sums),
};

/*
 * Xeon E5-2600 v2, Ivy Bridge-EP ("IVT").
 *
 * G-IVT: Intel 329468-002, uncore performance monitoring guide for the E5 v2 and E7 v2.  Events: see model_parts.h.
 */

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
static const struct unc_sim_function ivt_functions[] = {
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

static const struct unc_sim_event ivt_events[] = {
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

static const struct unc_sim_sum ivt_sums[] = {
	{.name = "dclockticks", .code = 0x00}, /* the name in the guide */
	UNC_SIM_ACT_SUM,
	UNC_SIM_CAS_SUMS,
	UNC_SIM_EACH_RANK(ALL_BANKS),
};
/* clang-format on */

/* As read on an Intel Xeon E5-2697 v2 (306E4), as far as it differs from an E5-2687W. */
static const struct unc_sim_leaf ivt_leaves[] = {
	{0x1, 0, {0x000306e4, 0x00200800, 0x7fbee3ff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b2ff, 0x00000000, 0x00ca0000}},
	{0x4, 0, {0x3c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x3c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x3c004143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x3c07c163, 0x04c0003f, 0x00005fff, 0x00000006}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00001120}},
	{0x7, 0, {0x00000000, 0x00000281, 0x00000000, 0x00000000}},
	/* The dump lacks these sub-leaves; they are as on Sandy Bridge-EP and Haswell-EP: XSAVEOPT, AVX state. */
	{0xd, 1, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	/* "      Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz" */
	{0x80000002, 0, {0x20202020, 0x6e492020, 0x286c6574, 0x58202952}},
	{0x80000003, 0, {0x286e6f65, 0x43202952, 0x45205550, 0x36322d35}},
	{0x80000004, 0, {0x76203739, 0x20402032, 0x30372e32, 0x007a4847}},
};

/*
 * There is no invert: G-IVT leaves it out, as do Linux and LIKWID; Intel's datasheet of the E7 v2 still lists bit 23.
 * BOX_CTL 17:16 must be written 1 (G-IVT); Linux writes 0 and PCM sets one of them, and both are known to count.
 */
static const struct unc_sim_pmon ivt_pmon = {
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
	.pmon = &ivt_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	/* G-IVT: U_MSR_PMON_GLOBAL_CTL; wk_on_pmi 30 and pmi_core_sel 14:0 can be read back. */
	.freeze = {.msr = 0xc00, .frz_all = 1u << 31, .unfrz_all = 1u << 29, .writable = 0x40007fff},
	.l3_bytes = 30 << 20,
	.tsc_hz = 2700000000,
	UNC_SIM_TABLE(leaves, ivt_leaves),
	.like = &unc_sim_snbep,
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	UNC_SIM_TABLE(functions, ivt_functions),
	UNC_SIM_TABLE(events, ivt_events),
	UNC_SIM_TABLE(sums, ivt_sums),
};

/* Xeon E5-2600 v3, Haswell-EP ("HSX").  Events: see model_parts.h. */

/*
 * Two controllers of two channels, as on the parts with more than eight cores: dual E5-2699 v3 and E5-2697 v4 machines
 * show 14.0, 14.1, 17.0 and 17.1 in lspci, and no channel at 15.x and 18.x; the small die has its four at 14.x and
 * 15.x. The UBOX is device 16 (0x10) function 5. lspci shows revision 02.
 *
 * The other functions exist because tools look for them: QPI, R3QPI, R2PCIe, home agents; LIKWID finds the sockets by
 * 12.1. Each device has function 0, as in lspci, since without it firmware and kernels look for no other function of
 * the device.
 */
static const struct unc_sim_function hsx_functions[] = {
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

/* clang-format off */
/*
 * The events of Haswell-EP and Broadwell-EP are the same here. libpfm4 and Intel's list omit RD_CAS_RANK3 of the latter
 * by mistake.
 */
static const struct unc_sim_event hsx_events[] = {
	UNC_SIM_CLOCK("clockticks"),
	UNC_SIM_EVENTS_01_TO_02,
	UNC_SIM_CAS_6,
	UNC_SIM_EVENT_05,
	UNC_SIM_EVENTS_06_TO_09,
	UNC_SIM_EVENT("rpq_inserts", 0x10, 1),
	UNC_SIM_EVENT("rpq_cycles_ne", 0x11, 1),
	UNC_SIM_EVENTS_21_TO_41,
	UNC_SIM_EVENT("power_pcu_throttling", 0x42, 1),
	UNC_SIM_EVENT("power_self_refresh", 0x43, 1),
	UNC_SIM_EVENTS_83_TO_86,
	UNC_SIM_EVENTS_90_TO_91,
	UNC_SIM_EVENTS_A0_TO_A1,
	UNC_SIM_EACH_RANK(UNC_SIM_16_BANKS),
	UNC_SIM_EVENTS_C0_TO_C1,
};

#define HSX_SUMS \
	{.name = "dclockticks", .code = 0x00}, /* the name in the guide */ \
	UNC_SIM_ACT_SUM, \
	UNC_SIM_CAS_SUMS, \
	UNC_SIM_EACH_RANK(UNC_SIM_BANK_SUMS)
/* clang-format on */

static const struct unc_sim_sum hsx_sums[] = {HSX_SUMS};

/* As read on an Intel Xeon E5-2699 v3 (306F2); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf hsx_leaves[] = {
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
static const struct unc_sim_pmon hsx_pmon = {
	.ctl_writable = 0xffd4ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, invert 23, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00500000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.frz_needs_en = true,
	.status_writable = 0x1f,
};

const struct unc_sim_model unc_sim_hsx = {
	.name = "hsx",
	.on = UNC_SIM_ON_HSX,
	.sockets = 2,
	.cores = 18,
	.threads = 2,
	.apic_shift = 6,
	.ticks_per_cycle = 15, /* DDR4-1600: 800 MHz */
	.pmon = &hsx_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	/* LIKWID: frz_all 31, unfrz_all 29; PCM: 29. No document says which other bits can be written. */
	.freeze = {.msr = 0x700, .frz_all = 1u << 31, .unfrz_all = 1u << 29},
	/* CPUID offers occupancy only, and no allocation. */
	.rdt = &(const struct unc_sim_rdt){.max_rmid = 0x47, .upscale = 0x12000, .events = 0x1, .width = 24},
	.l3_bytes = 45 << 20,
	.tsc_hz = 2300000000,
	UNC_SIM_TABLE(leaves, hsx_leaves),
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	UNC_SIM_TABLE(functions, hsx_functions),
	UNC_SIM_TABLE(events, hsx_events),
	UNC_SIM_TABLE(sums, hsx_sums),
};

/* Xeon E5-2600 v4, Broadwell-EP ("BDX"): registers and events are those of Haswell-EP. */

/*
 * Two controllers of two channels, as on the parts with more than eight cores: dual E5-2699 v3 and E5-2697 v4 machines
 * show 14.0, 14.1, 17.0 and 17.1 in lspci, and no channel at 15.x and 18.x; the small die has its four at 14.x and
 * 15.x. The UBOX is device 16 (0x10) function 5. lspci shows revision 01.
 *
 * The other functions exist because tools look for them: QPI, R3QPI, R2PCIe, home agents; LIKWID finds the sockets by
 * 12.1. Each device has function 0, as in lspci, since without it firmware and kernels look for no other function of
 * the device.
 */
static const struct unc_sim_function bdx_functions[] = {
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

static const struct unc_sim_sum bdx_sums[] = {
	HSX_SUMS,
	{.name = "clockticks_p", .code = 0x00}, /* in one list, together with the fixed counter's "clockticks" */
};

/* As read on an Intel Xeon E5-2697 v4 (406F1), as far as it differs from an E5-2699 v3. */
static const struct unc_sim_leaf bdx_leaves[] = {
	{0x0, 0, {0x00000014, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x000406f1, 0x00400800, 0x7ffefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}},
	{0x7, 0, {0x00000000, 0x021cbfbb, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x0000008f, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000000, 0x00012000, 0x0000008f, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x00000002, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x00000013, 0x000c0000, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	{0x14, 0, {0x00000000, 0x00000001, 0x00000001, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
	/* "Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x55504320, 0x2d354520, 0x37393632, 0x20347620}},
	{0x80000004, 0, {0x2e322040, 0x48473033, 0x0000007a, 0x00000000}},
};

const struct unc_sim_model unc_sim_bdx = {
	.name = "bdx",
	.on = UNC_SIM_ON_BDX,
	.sockets = 2,
	.cores = 18,
	.threads = 2,
	.apic_shift = 6,
	.ticks_per_cycle = 10, /* DDR4-2400: 1200 MHz */
	.pmon = &hsx_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	/* LIKWID: frz_all 31, unfrz_all 29; PCM: 29. No document says which other bits can be written. */
	.freeze = {.msr = 0x700, .frz_all = 1u << 31, .unfrz_all = 1u << 29},
	.rdt =
		&(const struct unc_sim_rdt){
			.max_rmid = 0x8f, .upscale = 0x12000, .events = 0x7, .width = 24, .n_clos = 16},
	.l3_bytes = 45 << 20,
	.tsc_hz = 2300000000,
	UNC_SIM_TABLE(leaves, bdx_leaves),
	.like = &unc_sim_hsx,
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	UNC_SIM_TABLE(functions, bdx_functions),
	UNC_SIM_TABLE(events, hsx_events),
	UNC_SIM_TABLE(sums, bdx_sums),
};

/* Xeon D-1540, Broadwell-DE: registers and events of Broadwell-EP on a part for one socket. */

/*
 * verify: no source says which of the eight functions of Broadwell-EP such a part shows. It has one controller of two
 * channels, so here these are the first two of Broadwell-EP; of the functions that tools look for, those of QPI are
 * left out. Each device has function 0, since without it firmware and kernels look for no other function of the device.
 */
static const struct unc_sim_function bdxde_functions[] = {
	/* clang-format off */
	UNC_SIM_FN_UBOX(0, 0x10, 5, 0x6f1e, 0x03),
	UNC_SIM_FN_IMC(0, 0x14, 0, 0x6fb0, 0x03, 0, 0),
	UNC_SIM_FN_IMC(0, 0x14, 1, 0x6fb1, 0x03, 0, 1),
	UNC_SIM_FN_SYSTEM(0, 0x10, 0, 0x6f1d, 0x03),
	UNC_SIM_FN_PERF(0, 0x10, 1, 0x6f34, 0x03),
	UNC_SIM_FN_SYSTEM(0, 0x12, 0, 0x6fa0, 0x03),
	UNC_SIM_FN_PERF(0, 0x12, 1, 0x6f30, 0x03),
	/* clang-format on */
};

/*
 * verify: no dump of one was available. 50662 was seen on such parts; name, clock and caches are those of the part as
 * it is sold; RMIDs, bytes per unit and ways follow the rules of the others (8 a core, 32 units a way, 12 ways), and
 * all other leaves are those of an E5-2697 v4.
 */
static const struct unc_sim_leaf bdxde_leaves[] = {
	{0x1, 0, {0x00050662, 0x00400800, 0x7ffefbff, 0xbfebfbff}},
	{0x4, 3, {0x7c0fc163, 0x02c0003f, 0x00003fff, 0x00000006}},
	{0xf, 0, {0x00000000, 0x0000003f, 0x00000000, 0x00000002}},
	{0xf, 1, {0x00000000, 0x00008000, 0x0000003f, 0x00000007}},
	{0x10, 1, {0x0000000b, 0x00000c00, 0x00000004, 0x0000000f}},
	/* "Intel(R) Xeon(R) CPU D-1540 @ 2.00GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x55504320, 0x312d4420, 0x20303435, 0x2e322040}},
	{0x80000004, 0, {0x48473030, 0x0000007a, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_bdxde = {
	.name = "bdxde",
	.on = UNC_SIM_ON_BDXDE,
	.sockets = 1,
	.cores = 8,
	.threads = 2,
	.apic_shift = 4,
	.ticks_per_cycle = 15, /* DDR4-1600: 800 MHz */
	.pmon = &hsx_pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	.freeze = {.msr = 0x700, .frz_all = 1u << 31, .unfrz_all = 1u << 29}, /* as on Broadwell-EP */
	.rdt =
		&(const struct unc_sim_rdt){
			.max_rmid = 0x3f, .upscale = 0x8000, .events = 0x7, .width = 24, .n_clos = 16},
	.l3_bytes = 12 << 20,
	.tsc_hz = 2000000000,
	UNC_SIM_TABLE(leaves, bdxde_leaves),
	.like = &unc_sim_bdx,
	.bus = unc_sim_uncore_bus,
	.config_bytes = 256,
	UNC_SIM_TABLE(functions, bdxde_functions),
	UNC_SIM_TABLE(events, hsx_events),
	UNC_SIM_TABLE(sums, hsx_sums), /* Intel's event list is Broadwell-EP's without the names of the clock */
};

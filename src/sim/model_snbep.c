// SPDX-License-Identifier: GPL-2.0-or-later
/*
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
static const struct unc_sim_function functions[] = {
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

static const struct unc_sim_event events[] = {
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

static const struct unc_sim_sum sums[] = {UNC_SIM_CAS_SUMS};

/* As read on an Intel Xeon E5-2687W (206D7); sim/cpuid.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf leaves[] = {
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
static const struct unc_sim_pmon pmon = {
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
	.pmon = &pmon,
	.ubox = {.node_id = 0x40, .node_map = 0x54},
	.l3_bytes = 20 << 20,
	.tsc_hz = 3100000000,
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

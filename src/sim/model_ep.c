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
 * What all of them have. There is one uncore bus a socket, the last of the socket's share of the 256 buses of its
 * domain: one socket has ff, two have 7f and ff, four have 3f 7f bf ff. Such machines number them in this way.
 */
/* clang-format off */
#define EP_MODEL(part, l3_mb, hz) \
	.on = part, .l3_bytes = (l3_mb) << 20, .tsc_hz = hz, .threads = 2, \
	.config_bytes = 256, .buses = {-1}, .bus_shares = 1, .ubox = {.node_id = 0x40, .node_map = 0x54}
/* clang-format on */

/*
 * G-JKT: the channels are functions 0, 1, 4, 5 of device 16 (0x10); the Linux driver, and lspci on such machines, give
 * the device ids, and the UBOX at device 11 (0x0b). Revision 07 is stepping C2. The other functions exist because tools
 * look for them: QPI, home agent, R2PCIe, R3QPI; LIKWID finds the sockets by 13.5. Each device has function 0, as in
 * lspci, since without it firmware and kernels look for no other function of the device.
 */
static const struct unc_sim_function snbep_functions[] = {
	/* clang-format off */
	FN_UBOX(0, 0x0b, 0, 0x3ce0, 0x07),
	FN_IMC(0, 0x10, 0, 0x3cb0, 0x07, 0, 0),
	FN_IMC(0, 0x10, 1, 0x3cb1, 0x07, 0, 1),
	FN_IMC(0, 0x10, 4, 0x3cb4, 0x07, 0, 2),
	FN_IMC(0, 0x10, 5, 0x3cb5, 0x07, 0, 3),
	FN_SYSTEM(0, 0x08, 0, 0x3c80, 0x07),
	FN_PERF(0, 0x08, 2, 0x3c41, 0x07),
	FN_SYSTEM(0, 0x09, 0, 0x3c90, 0x07),
	FN_PERF(0, 0x09, 2, 0x3c42, 0x07),
	FN_SYSTEM(0, 0x0e, 0, 0x3ca0, 0x07),
	FN_PERF(0, 0x0e, 1, 0x3c46, 0x07),
	FN_SYSTEM(0, 0x13, 0, 0x3ce4, 0x07),
	FN_PERF(0, 0x13, 1, 0x3c43, 0x07),
	FN_PERF(0, 0x13, 5, 0x3c44, 0x07),
	FN_SYSTEM(0, 0x13, 6, 0x3c45, 0x07),
	/* clang-format on */
};

static const struct unc_sim_event snbep_events[] = {
	/* clang-format off */
	CLOCK,
	EVENT("act_count", 0x01, 1),
	SUB_2("pre_count", 0x02, 0x01, 1, "page_miss", "page_close"),
	CAS_4,
	EVENT_05,
	EVENTS_06_TO_09,
	EVENT("rpq_inserts", 0x10, 1),
	EVENT("rpq_cycles_ne", 0x11, 1),
	EVENT("rpq_cycles_full", 0x12, 1),
	EVENT("wpq_inserts", 0x20, 1),
	EVENTS_21_TO_41,
	EVENT("power_self_refresh", 0x43, 1), /* the guide leaves its maximum increment blank */
	EVENT("rpq_occupancy", 0x80, 22),
	EVENT("wpq_occupancy", 0x81, 32),
	EVENTS_83_TO_86,
	/* clang-format on */
};

static const struct unc_sim_sum snbep_sums[] = {CAS_SUMS("cas_count", 0x04, 0x03, 0x0c)};

/* As read on an Intel Xeon E5-2687W (206D7); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf snbep_leaves[] = {
	{0x0, 0, {0x0000000d, 0x756e6547, 0x6c65746e, 0x49656e69}}, /* "GenuineIntel", highest leaf 0xd */
	{0x1, 0, {0x00000000, 0x00000800, 0x1fbee3ff, 0xbfebfbff}}, /* + signature, APIC ids */
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
	PART("snbep", "Sandy Bridge-EP", 0x000206d7, "      Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz"),
	EP_MODEL(UNC_SIM_ON_SNBEP, 20, 3100000000),
	SIZE(2, 8, 5),
	.ticks_per_cycle = 15, /* DDR3-1600: 800 MHz */
	.pmon = &snbep_pmon,
	TABLE(leaves, snbep_leaves),
	CHANNELS(snbep_functions, snbep_events, snbep_sums),
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
	FN_UBOX(0, 0x0b, 0, 0x0e1e, 0x04),
	FN_IMC(0, 0x10, 4, 0x0eb4, 0x04, 0, 0),
	FN_IMC(0, 0x10, 5, 0x0eb5, 0x04, 0, 1),
	FN_IMC(0, 0x10, 0, 0x0eb0, 0x04, 0, 2),
	FN_IMC(0, 0x10, 1, 0x0eb1, 0x04, 0, 3),
	FN_IMC(0, 0x1e, 4, 0x0ef4, 0x04, 1, 0),
	FN_IMC(0, 0x1e, 5, 0x0ef5, 0x04, 1, 1),
	FN_IMC(0, 0x1e, 0, 0x0ef0, 0x04, 1, 2),
	FN_IMC(0, 0x1e, 1, 0x0ef1, 0x04, 1, 3),
	FN_SYSTEM(0, 0x08, 0, 0x0e80, 0x04),
	FN_PERF(0, 0x08, 2, 0x0e32, 0x04),
	FN_SYSTEM(0, 0x09, 0, 0x0e90, 0x04),
	FN_PERF(0, 0x09, 2, 0x0e33, 0x04),
	FN_SYSTEM(0, 0x0e, 0, 0x0ea0, 0x04),
	FN_PERF(0, 0x0e, 1, 0x0e30, 0x04),
	FN_SYSTEM(0, 0x1c, 0, 0x0e60, 0x04),
	FN_PERF(0, 0x1c, 1, 0x0e38, 0x04),
	FN_SYSTEM(0, 0x13, 0, 0x0e1d, 0x04),
	FN_PERF(0, 0x13, 1, 0x0e34, 0x04),
	FN_PERF(0, 0x13, 5, 0x0e36, 0x04),
	/* clang-format on */
};

/* clang-format off */
/* The events that Ivy Bridge-EP and Haswell-EP have in common. */
#define EVENTS_TO_11 \
	CLOCK, \
	EVENTS_01_TO_02, \
	CAS_6, \
	EVENT_05, \
	EVENTS_06_TO_09, \
	EVENT("rpq_inserts", 0x10, 1), \
	EVENT("rpq_cycles_ne", 0x11, 1)
#define EVENTS_21_TO_A1 \
	EVENTS_21_TO_41, \
	EVENT("power_pcu_throttling", 0x42, 1), \
	EVENT("power_self_refresh", 0x43, 1), /* 0 in ucevent, but a counter that never counts would be of no use */ \
	EVENTS_83_TO_86, \
	/* Memory buffers (E7) */ \
	SUB_2("vmse_wr_push", 0x90, 0x01, 1, "wmm", "rmm"), \
	EVENT("vmse_mxb_wr_occupancy", 0x91, 32), \
	EVENTS_A0_TO_A1

/* The umask has a bit for each bank. */
#define BANKS_8(n, c) \
	SUB_8(n, c, 0x01, 1, "bank0", "bank1", "bank2", "bank3", "bank4", "bank5", "bank6", "bank7")
#define ALL_BANKS(n, c) SUM(n ".allbanks", c, 0xff)

static const struct unc_sim_event ivt_events[] = {
	EVENTS_TO_11,
	EVENT("wpq_inserts", 0x20, 1),
	EVENTS_21_TO_A1,
	EACH_RANK(BANKS_8),
	EVENTS_C0_TO_C1,
};

static const struct unc_sim_sum ivt_sums[] = {
	SUM("dclockticks", 0x00, 0x00), /* the name in the guide */
	SUM("act_count.all", 0x01, 0x0b),
	CAS_SUMS("cas_count", 0x04, 0x03, 0x0c),
	EACH_RANK(ALL_BANKS),
};
/* clang-format on */

/* As read on an Intel Xeon E5-2697 v2 (306E4), as far as it differs from an E5-2687W. */
static const struct unc_sim_leaf ivt_leaves[] = {
	{0x1, 0, {0x00000000, 0x00200800, 0x7fbee3ff, 0xbfebfbff}}, /* + signature, APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b2ff, 0x00000000, 0x00ca0000}},
	{0x4, 0, {0x3c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x3c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x3c004143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x3c07c163, 0x04c0003f, 0x00005fff, 0x00000006}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00001120}},
	{0x7, 0, {0x00000000, 0x00000281, 0x00000000, 0x00000000}},
	/* The dump lacks these sub-leaves; they are as on Sandy Bridge-EP and Haswell-EP: XSAVEOPT, AVX state. */
	{0xd, 1, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
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
	PART("ivt", "Ivy Bridge-EP", 0x000306e4, "      Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz"),
	EP_MODEL(UNC_SIM_ON_IVT, 30, 2700000000),
	SIZE(2, 12, 5),
	.ticks_per_cycle = 15, /* DDR3-1600: 800 MHz */
	.pmon = &ivt_pmon,
	/* G-IVT: U_MSR_PMON_GLOBAL_CTL; wk_on_pmi 30 and pmi_core_sel 14:0 can be read back. */
	.freeze = {.msr = 0xc00, .frz_all = 1u << 31, .unfrz_all = 1u << 29, .writable = 0x40007fff},
	CPUID_LIKE(unc_sim_snbep, ivt_leaves),
	CHANNELS(ivt_functions, ivt_events, ivt_sums),
};

/* Xeon E5-2600 v3, Haswell-EP ("HSX").  Events: see model_parts.h. */

/*
 * Two controllers of two channels, as on the parts with more than eight cores: dual E5-2699 v3 and E5-2697 v4 machines
 * show 14.0, 14.1, 17.0 and 17.1 in lspci, and no channel at 15.x and 18.x; the small die has its four at 14.x and
 * 15.x. The UBOX is device 16 (0x10) function 5. lspci shows revision 02 of Haswell-EP, 01 of Broadwell-EP; the device
 * ids of the one begin with 2f, of the other with 6f.
 *
 * The other functions exist because tools look for them: QPI, R3QPI, R2PCIe, home agents; LIKWID finds the sockets by
 * 12.1. Each device has function 0, as in lspci, since without it firmware and kernels look for no other function of
 * the device.
 */
/* clang-format off */
#define ONE_IMC(ids, rev) \
	FN_UBOX(0, 0x10, 5, (ids) + 0x1e, rev), \
	FN_IMC(0, 0x14, 0, (ids) + 0xb0, rev, 0, 0), \
	FN_IMC(0, 0x14, 1, (ids) + 0xb1, rev, 0, 1), \
	FN_SYSTEM(0, 0x10, 0, (ids) + 0x1d, rev), \
	FN_PERF(0, 0x10, 1, (ids) + 0x34, rev), \
	FN_SYSTEM(0, 0x12, 0, (ids) + 0xa0, rev), \
	FN_PERF(0, 0x12, 1, (ids) + 0x30, rev)
#define TWO_IMCS(ids, rev) \
	ONE_IMC(ids, rev), \
	FN_IMC(0, 0x17, 0, (ids) + 0xd0, rev, 1, 0), \
	FN_IMC(0, 0x17, 1, (ids) + 0xd1, rev, 1, 1), \
	FN_SYSTEM(0, 0x08, 0, (ids) + 0x80, rev), \
	FN_PERF(0, 0x08, 2, (ids) + 0x32, rev), \
	FN_SYSTEM(0, 0x09, 0, (ids) + 0x90, rev), \
	FN_PERF(0, 0x09, 2, (ids) + 0x33, rev), \
	FN_SYSTEM(0, 0x0b, 0, (ids) + 0x81, rev), \
	FN_PERF(0, 0x0b, 1, (ids) + 0x36, rev), \
	FN_PERF(0, 0x0b, 2, (ids) + 0x37, rev), \
	FN_PERF(0, 0x12, 5, (ids) + 0x38, rev)
/* clang-format on */
static const struct unc_sim_function hsx_functions[] = {TWO_IMCS(0x2f00, 0x02)};

/* clang-format off */
/*
 * The events of Haswell-EP and Broadwell-EP are the same here. libpfm4 and Intel's list omit RD_CAS_RANK3 of the latter
 * by mistake.
 */
static const struct unc_sim_event hsx_events[] = {
	EVENTS_TO_11,
	EVENTS_21_TO_A1,
	EACH_RANK(BANKS_16),
	EVENTS_C0_TO_C1,
};

#define HSX_SUMS \
	SUM("dclockticks", 0x00, 0x00), /* the name in the guide */ \
	SUM("act_count.all", 0x01, 0x0b), \
	CAS_SUMS("cas_count", 0x04, 0x03, 0x0c), \
	EACH_RANK(BANK_SUMS)
/* clang-format on */

static const struct unc_sim_sum hsx_sums[] = {HSX_SUMS};

/* As read on an Intel Xeon E5-2699 v3 (306F2), as far as it differs from an E5-2697 v2. */
static const struct unc_sim_leaf hsx_leaves[] = {
	{0x0, 0, {0x0000000f, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x00000000, 0x00400800, 0x7dfefbff, 0xbfebfbff}}, /* + signature, APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c10000}},
	{0x4, 0, {0x7c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x7c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x7c004143, 0x01c0003f, 0x000001ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x7c0fc163, 0x04c0003f, 0x00008fff, 0x00000006}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00002120}},
	{0x7, 0, {0x00000000, 0x00003fbb, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000021, 0x2c100000}},
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

/* clang-format off */
#define HSX_MODEL(part, l3_mb, hz, is, sum_of) \
	EP_MODEL(part, l3_mb, hz), .pmon = &hsx_pmon, CHANNELS(is, hsx_events, sum_of), \
	/* LIKWID: frz_all 31, unfrz_all 29; PCM: 29. No document says which other bits can be written. */ \
	.freeze = {.msr = 0x700, .frz_all = 1u << 31, .unfrz_all = 1u << 29}
/* clang-format on */

const struct unc_sim_model unc_sim_hsx = {
	PART("hsx", "Haswell-EP", 0x000306f2, "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz"),
	HSX_MODEL(UNC_SIM_ON_HSX, 45, 2300000000, hsx_functions, hsx_sums),
	SIZE(2, 18, 6),
	.ticks_per_cycle = 15, /* DDR4-1600: 800 MHz */
	/* CPUID offers occupancy only, and no allocation. */
	RDT(0x47, 0x12000, 0x1, 24, 0),
	CPUID_LIKE(unc_sim_ivt, hsx_leaves),
};

/* Xeon E5-2600 v4, Broadwell-EP ("BDX"): registers and events are those of Haswell-EP. */

static const struct unc_sim_function bdx_functions[] = {TWO_IMCS(0x6f00, 0x01)};

static const struct unc_sim_sum bdx_sums[] = {
	HSX_SUMS, SUM("clockticks_p", 0x00, 0x00), /* in one list, together with the fixed counter's "clockticks" */
};

/* As read on an Intel Xeon E5-2697 v4 (406F1), as far as it differs from an E5-2699 v3. */
static const struct unc_sim_leaf bdx_leaves[] = {
	{0x0, 0, {0x00000014, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x00000000, 0x00400800, 0x7ffefbff, 0xbfebfbff}}, /* + signature, APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}},
	{0x7, 0, {0x00000000, 0x021cbfbb, 0x00000000, 0x00000000}},
	{0x10, 0, {0x00000000, 0x00000002, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x00000013, 0x000c0000, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	{0x14, 0, {0x00000000, 0x00000001, 0x00000001, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
};

const struct unc_sim_model unc_sim_bdx = {
	PART("bdx", "Broadwell-EP", 0x000406f1, "Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz"),
	HSX_MODEL(UNC_SIM_ON_BDX, 45, 2300000000, bdx_functions, bdx_sums),
	SIZE(2, 18, 6),
	.ticks_per_cycle = 10, /* DDR4-2400: 1200 MHz */
	RDT(0x8f, 0x12000, 0x7, 24, 16),
	CPUID_LIKE(unc_sim_hsx, bdx_leaves),
};

/* Xeon D-1540, Broadwell-DE: registers and events of Broadwell-EP on a part for one socket. */

/*
 * verify: no source says which of the eight functions of Broadwell-EP such a part shows. It has one controller of two
 * channels, so here these are the first two of Broadwell-EP; of the functions that tools look for, those of QPI are
 * left out. Each device has function 0, since without it firmware and kernels look for no other function of the device.
 */
static const struct unc_sim_function bdxde_functions[] = {ONE_IMC(0x6f00, 0x03)};

/*
 * verify: no dump of one was available. 50662 was seen on such parts; name, clock and caches are those of the part as
 * it is sold; RMIDs, bytes per unit and ways follow the rules of the others (8 a core, 32 units a way, 12 ways), and
 * all other leaves are those of an E5-2697 v4.
 */
static const struct unc_sim_leaf bdxde_leaves[] = {
	{0x4, 3, {0x7c0fc163, 0x02c0003f, 0x00003fff, 0x00000006}},
	{0x10, 1, {0x0000000b, 0x00000c00, 0x00000004, 0x0000000f}},
};

const struct unc_sim_model unc_sim_bdxde = {
	PART("bdxde", "Broadwell-DE", 0x00050662, "Intel(R) Xeon(R) CPU D-1540 @ 2.00GHz"),
	/* Intel's event list is Broadwell-EP's without the names of the clock */
	HSX_MODEL(UNC_SIM_ON_BDXDE, 12, 2000000000, bdxde_functions, hsx_sums),
	SIZE(1, 8, 4),
	.ticks_per_cycle = 15, /* DDR4-1600: 800 MHz */
	RDT(0x3f, 0x8000, 0x7, 24, 16),
	CPUID_LIKE(unc_sim_bdx, bdxde_leaves),
};

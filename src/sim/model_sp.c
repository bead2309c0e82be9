// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Skylake-SP, Cascade Lake, Cooper Lake: one CPUID model (0x55) with different steppings, one set of PCI functions and
 * registers (Linux, LIKWID and PCM have no second one), and events; the later two have more of these.
 */
#include "sim/model_parts.h"

/* A socket has several root buses (CPUBUSNO 0 to 3), over which its functions are spread. */
enum { SKX_BUS_UBOX = 0, SKX_BUS_IMC = 2, SKX_BUS_UPI = 3 };

/* clang-format off */
/*
 * Addresses, ids and classes as lspci shows them on dual-socket machines; revision 04 is Skylake-SP, 07 Cascade Lake.
 * The two controllers have the same device ids and differ by the device number.
 *
 * The other functions exist because tools look for them (M2M, UPI, M3UPI), or because firmware and kernels look for no
 * other function of a device without function 0.
 */
#define SKX_FUNCTIONS(rev) \
	FN_UBOX(SKX_BUS_UBOX, 0x08, 0, 0x2014, rev), \
	FN_SYSTEM(SKX_BUS_IMC, 0x0a, 0, 0x2040, rev), \
	FN_IMC(SKX_BUS_IMC, 0x0a, 2, 0x2042, rev, 0, 0), \
	FN_IMC(SKX_BUS_IMC, 0x0a, 6, 0x2046, rev, 0, 1), \
	FN_SYSTEM(SKX_BUS_IMC, 0x0b, 0, 0x2048, rev), \
	FN_IMC(SKX_BUS_IMC, 0x0b, 2, 0x204a, rev, 0, 2), \
	FN_SYSTEM(SKX_BUS_IMC, 0x0c, 0, 0x2040, rev), \
	FN_IMC(SKX_BUS_IMC, 0x0c, 2, 0x2042, rev, 1, 0), \
	FN_IMC(SKX_BUS_IMC, 0x0c, 6, 0x2046, rev, 1, 1), \
	FN_SYSTEM(SKX_BUS_IMC, 0x0d, 0, 0x2048, rev), \
	FN_IMC(SKX_BUS_IMC, 0x0d, 2, 0x204a, rev, 1, 2), \
	FN_SYSTEM(SKX_BUS_IMC, 0x08, 0, 0x2066, rev), \
	FN_SYSTEM(SKX_BUS_IMC, 0x09, 0, 0x2066, rev), \
	FN_PERF(SKX_BUS_UPI, 0x0e, 0, 0x2058, rev), \
	FN_PERF(SKX_BUS_UPI, 0x0f, 0, 0x2058, rev), \
	FN_PERF(SKX_BUS_UPI, 0x10, 0, 0x2058, rev), \
	FN_PERF(SKX_BUS_UPI, 0x12, 0, 0x204c, rev), \
	FN_PERF(SKX_BUS_UPI, 0x12, 1, 0x204d, rev), \
	FN_SYSTEM(SKX_BUS_UPI, 0x12, 2, 0x204e, rev), \
	FN_PERF(SKX_BUS_UPI, 0x12, 4, 0x204c, rev), \
	FN_PERF(SKX_BUS_UPI, 0x12, 5, 0x204d, rev)

/*
 * No source has maximum increments of these events: they are assumed to be those of the earlier generations, and for
 * RPQ_OCCUPANCY and WPQ_OCCUPANCY those of Sandy Bridge-EP, the only other one with these events. rd_isoch and wr_isoch
 * belong to a mode other than wmm and rmm: they do not occur, unless a load gives them.
 */
#define SKX_EVENTS_TO_04 \
	CLOCK, \
	EVENTS_01_TO_02, \
	CAS_6, \
	CAS_AGAIN("cas_count.rd_isoch", 0x40, UNC_SIM_FROM_EVENTS, 0, 0), \
	CAS_AGAIN("cas_count.wr_isoch", 0x80, UNC_SIM_FROM_EVENTS, 0, 0)
#define SKX_EVENTS_FROM_06 \
	EVENTS_06_TO_09, \
	EVENT("rpq_inserts", 0x10, 1), \
	EVENT("rpq_cycles_ne", 0x11, 1), \
	EVENT("rpq_cycles_full", 0x12, 1), \
	EVENT("wpq_inserts", 0x20, 1), \
	EVENTS_21_TO_41, \
	EVENT("power_pcu_throttling", 0x42, 1), \
	EVENT("power_self_refresh", 0x43, 1), \
	EVENT("rpq_occupancy", 0x80, 22), \
	EVENT("wpq_occupancy", 0x81, 32), \
	EVENTS_83_TO_86, \
	EVENTS_A0_TO_A1, \
	EACH_RANK(BANKS_16), \
	EVENTS_C0_TO_C1

/* All of a model except its name and leaves. */
#define SKX_MODEL(part, hz, is, what) \
	.on = part, \
	.tsc_hz = hz, \
	SIZE(2, 28, 6), \
	.threads = 2, \
	.ticks_per_cycle = 10, /* DDR4-2400: 1200 MHz */ \
	.pmon = &skx_pmon, \
	.ubox = {.node_id = 0xc0, .node_map = 0xd4}, \
	/* LIKWID: frz_all 63, unfrz_all 61; PCM: 61. No document says which other bits can be written. */ \
	.freeze = {.msr = 0x700, .frz_all = UINT64_C(1) << 63, .unfrz_all = UINT64_C(1) << 61}, \
	RDT(0xdf, 0x1c000, 0x7, 24, 16), \
	.l3_bytes = UINT64_C(0xe000) * 11 * 64, /* sets, ways: leaf 4; 38.5 MB */ \
	.buses = {0x00, 0x05, 0x0e, 0x17}, \
	.bus_shares = 4, \
	.buses_of_two = skx_buses, \
	.config_bytes = 4096, \
	CHANNELS(is, what, skx_sums)
/* clang-format on */

/* Xeon Platinum 8180, Skylake-SP ("SKX"), and what Cascade Lake and Cooper Lake have in common with it. */

static const struct unc_sim_function skx_functions[] = {SKX_FUNCTIONS(0x04)};

static const struct unc_sim_event skx_events[] = {SKX_EVENTS_TO_04, EVENT_05, SKX_EVENTS_FROM_06};
static const struct unc_sim_sum skx_sums[] = {SUM("act_count.all", 0x01, 0x0b), CAS_SUMS("cas_count", 0x04, 0x03, 0x0c),
					      EACH_RANK(BANK_SUMS)};

/* As read on an Intel Xeon Platinum 8180 (50654), as far as it differs from an E5-2697 v4. */
static const struct unc_sim_leaf skx_leaves[] = {
	{0x0, 0, {0x00000016, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x4, 2, {0x7c004143, 0x03c0003f, 0x000003ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x7c0fc163, 0x0280003f, 0x0000dfff, 0x00000004}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00002020}},
	{0x6, 0, {0x00000ef7, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0xd39ffffb, 0x00000008, 0x00000000}},
	{0xa, 0, {0x07300404, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x000002ff, 0x00000a80, 0x00000a88, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000a00, 0x00000100, 0x00000000}},
	{0xd, 3, {0x00000040, 0x000003c0, 0x00000000, 0x00000000}},
	{0xd, 4, {0x00000040, 0x00000400, 0x00000000, 0x00000000}},
	{0xd, 5, {0x00000040, 0x00000440, 0x00000000, 0x00000000}},
	{0xd, 6, {0x00000200, 0x00000480, 0x00000000, 0x00000000}},
	{0xd, 7, {0x00000400, 0x00000680, 0x00000000, 0x00000000}},
	{0xd, 8, {0x00000080, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 9, {0x00000008, 0x00000a80, 0x00000000, 0x00000000}},
	{0x10, 0, {0x00000000, 0x0000000a, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000a, 0x00000600, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	/* The dump lacks this leaf and says there is MBA (10.0 EBX bit 3). verify: 8 CLOS in steps of 10 %, as resctrl shows. */
	{0x10, 3, {0x00000059, 0x00000000, 0x00000004, 0x00000007}},
	{0x14, 0, {0x00000001, 0x0000000f, 0x00000007, 0x00000000}},
	{0x14, 1, {0x02490002, 0x003f3fff, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000c8, 0x00000000, 0x00000000}}, /* TSC per crystal clock */
	{0x16, 0, {0x000009c4, 0x00000ed8, 0x00000064, 0x00000000}}, /* MHz: base, highest, bus */
	{0x9, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},  /* it has none */
};

/*
 * Intel's guide was not available. BOX_CTL 17:16: PCM writes both 1 (its name for them is "reserved"), Linux writes
 * both 0, and both are known to count: here either is right, and they do nothing. So frz needs no frz_en, as Linux sets
 * frz alone. Resets are as in Linux and PCM, ov_en and invert as in LIKWID.
 */
static const struct unc_sim_pmon skx_pmon = {
	.ctl_writable = 0xffd4ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, invert 23, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00500000,
	.box_accepted = 0x00030000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.status_writable = 0x1f,
};

/*
 * The buses of dual-socket machines. Larger ones number their buses in different ways, and those numbers are made up: an
 * equal share of the 256 buses for each socket.
 */
static const uint8_t skx_buses[2][UNC_SIM_SLOTS] = {{0x00, 0x17, 0x3a, 0x5d}, {0x80, 0x85, 0xae, 0xd7}};

const struct unc_sim_model unc_sim_skx = {
	PART("skx", "Skylake-SP", 0x00050654, "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz"),
	SKX_MODEL(UNC_SIM_ON_SKX, 2500000000, skx_functions, skx_events),
	CPUID_LIKE(unc_sim_bdx, skx_leaves),
};

/* Xeon Platinum 8280, Cascade Lake ("CLX"): Skylake-SP of a later stepping, with more events. */

static const struct unc_sim_function clx_functions[] = {SKX_FUNCTIONS(0x07)};

/* clang-format off */
/*
 * The events that Cascade Lake adds, and DRAM_REFRESH, which it lacks by Intel's list. They are about persistent memory
 * (PMM), DRAM as its cache (TAGCHK; near and far memory, NM and FM) and the scoreboard between them (SB). That list is
 * the only source, except for PMM_RPQ_INSERTS, PMM_WPQ_INSERTS and two of TAGCHK, which PCM has as well; Cooper Lake
 * has no list of its own. A umask has a bit for each sub-event. No source has maximum increments: here they are 32 for
 * a number of entries, else 1.
 */
static const struct unc_sim_event clx_events[] = {
	SKX_EVENTS_TO_04,
	SKX_EVENTS_FROM_06,
	EVENT("sb_cycles_ne", 0xd0, 1),
	EVENT("sb_cycles_full", 0xd1, 1),
	SUB_8("sb_accesses", 0xd2, 0x01, 1, "rd_accepts", "rd_rejects", "wr_accepts", "wr_rejects", "nm_rd_cmps",
		"nm_wr_cmps", "fm_rd_cmps", "fm_wr_cmps"),
	SUB_3("tagchk", 0xd3, 0x01, 1, "hit", "miss_clean", "miss_dirty"),
	SUB_3("sb_reject", 0xd4, 0x01, 1, "nm_set_cnflt", "fm_addr_cnflt", "patrol_set_cnflt"),
	SUB_4("sb_occupancy", 0xd5, 0x01, 32, "rds", "wrs", "pmm_rds", "pmm_wrs"),
	SUB_3("sb_occupancy", 0xd5, 0x20, 32, "block_rds", "block_wrs", "patrol"),
	SUB_8("sb_inserts", 0xd6, 0x01, 1, "rds", "wrs", "pmm_rds", "pmm_wrs", "block_rds", "block_wrs", "dealloc",
		"patrol"),
	SUB_8("sb_strv_alloc", 0xd7, 0x01, 1, "nmrd_set", "fmrd_set", "nmwr_set", "fmwr_set", "nmrd_clr",
		"fmrd_clr", "nmwr_clr", "fmwr_clr"),
	SUB_4("sb_strv_occ", 0xd8, 0x01, 32, "nmrd", "fmrd", "nmwr", "fmwr"),
	SUB_8("sb_canary", 0xd9, 0x01, 1, "alloc", "dealloc", "rej", "vld", "nmrd_starved", "nmwr_starved",
		"fmrd_starved", "fmwr_starved"),
	SUB_8("sb_tagged", 0xdd, 0x01, 32, "new", "rd_hit", "rd_miss", "ddr4_cmp", "pmm0_cmp", "pmm1_cmp",
		"pmm2_cmp", "occ"), /* its max is that of .occ */
	SUB_1("pmm_rpq_occupancy", 0xe0, 0x01, 32, "all"),
	SUB_1("pmm_rpq_occupancy", 0xe0, 0x04, 32, "gnt_wait"),
	EVENTS_E1_TO_E7,
	EVENT("pmm_wpq_pcommit", 0xe8, 1),
	EVENT("pmm_wpq_pcommit_cyc", 0xe9, 1),
	SUB_8("pmm_cmd1", 0xea, 0x01, 1, "all", "rd", "wr", "ufill_rd", "rpq_gnts", "wpq_gnts", "misc_gnt",
		"misc"),
	SUB_7("pmm_cmd2", 0xeb, 0x01, 1, "opp_rd", "nodata_exp", "nodata_unexp", "reqs_slot0", "reqs_slot1",
		"pmm_ecc_error", "pmm_erid_error"),
	SUB_3("pmm_majmode1", 0xec, 0x01, 1, "rd_cyc", "wr_cyc", "partial_wr_cyc"),
	SUB_2("pmm_majmode1", 0xec, 0x20, 1, "partial_wr_enter", "partial_wr_exit"),
	SUB_4("majmode2", 0xed, 0x01, 1, "pmm_cyc", "dram_cyc", "pmm_enter", "dram_enter"),
};
/* clang-format on */

/*
 * verify: no dump of one was available. Stepping 7 is what Linux, PCM and Intel's list say; name, clock (leaf 0x16, in
 * MHz) and VNNI (leaf 7) are those of the part as it is sold, and all other leaves those of an 8180.
 */
static const struct unc_sim_leaf clx_leaves[] = {
	{0x7, 0, {0x00000000, 0xd39ffffb, 0x00000808, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000d8, 0x00000000, 0x00000000}},
	{0x16, 0, {0x00000a8c, 0x00000fa0, 0x00000064, 0x00000000}},
};

const struct unc_sim_model unc_sim_clx = {
	PART("clx", "Cascade Lake", 0x00050657, "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz"),
	SKX_MODEL(UNC_SIM_ON_CLX, 2700000000, clx_functions, clx_events),
	CPUID_LIKE(unc_sim_skx, clx_leaves),
};

/* Xeon Platinum 8380H, Cooper Lake ("CPX"): Cascade Lake of a later stepping. */

/* verify: no available listing shows the revision. It is assumed to be the stepping, as on Skylake-SP and Cascade Lake. */
static const struct unc_sim_function cpx_functions[] = {SKX_FUNCTIONS(0x0b)};

/*
 * verify: no dump of one was available. Stepping 11 is what Linux and PCM say; name, clock (leaf 0x16, in MHz), VNNI
 * and BF16 (leaf 7) are those of the part as it is sold, and all other leaves those of an 8180.
 */
static const struct unc_sim_leaf cpx_leaves[] = {
	{0x7, 0, {0x00000001, 0xd39ffffb, 0x00000808, 0x00000000}},
	{0x7, 1, {0x00000020, 0x00000000, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000e8, 0x00000000, 0x00000000}},
	{0x16, 0, {0x00000b54, 0x000010cc, 0x00000064, 0x00000000}},
};

const struct unc_sim_model unc_sim_cpx = {
	PART("cpx", "Cooper Lake", 0x0005065b, "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz"),
	/* Intel has no event list of Cooper Lake: it is part of that of Cascade Lake */
	SKX_MODEL(UNC_SIM_ON_CPX, 2900000000, cpx_functions, clx_events),
	CPUID_LIKE(unc_sim_skx, cpx_leaves),
};

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Skylake-SP, Cascade Lake, Cooper Lake: one CPUID model (0x55) with different steppings, one set of PCI functions and
 * registers (Linux, LIKWID and PCM have no second one), and events; the later two have more of these.
 */
#include "sim/model_parts.h"

/* A socket has several root buses (CPUBUSNO 0 to 3), over which its functions are spread. */
enum { SKX_BUS_UBOX = 0, SKX_BUS_IMC = 2, SKX_BUS_UPI = 3, SKX_BUSES };

/* clang-format off */
/*
 * Addresses, ids and classes as lspci shows them on dual-socket machines; revision 04 is Skylake-SP, 07 Cascade Lake.
 * The two controllers have the same device ids and differ by the device number.
 *
 * The other functions exist because tools look for them (M2M, UPI, M3UPI), or because firmware and kernels look for no
 * other function of a device without function 0.
 */
#define SKX_FUNCTIONS(rev) \
	UNC_SIM_FN_UBOX(SKX_BUS_UBOX, 0x08, 0, 0x2014, rev), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_IMC, 0x0a, 0, 0x2040, rev), \
	UNC_SIM_FN_IMC(SKX_BUS_IMC, 0x0a, 2, 0x2042, rev, 0, 0), \
	UNC_SIM_FN_IMC(SKX_BUS_IMC, 0x0a, 6, 0x2046, rev, 0, 1), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_IMC, 0x0b, 0, 0x2048, rev), \
	UNC_SIM_FN_IMC(SKX_BUS_IMC, 0x0b, 2, 0x204a, rev, 0, 2), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_IMC, 0x0c, 0, 0x2040, rev), \
	UNC_SIM_FN_IMC(SKX_BUS_IMC, 0x0c, 2, 0x2042, rev, 1, 0), \
	UNC_SIM_FN_IMC(SKX_BUS_IMC, 0x0c, 6, 0x2046, rev, 1, 1), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_IMC, 0x0d, 0, 0x2048, rev), \
	UNC_SIM_FN_IMC(SKX_BUS_IMC, 0x0d, 2, 0x204a, rev, 1, 2), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_IMC, 0x08, 0, 0x2066, rev), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_IMC, 0x09, 0, 0x2066, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x0e, 0, 0x2058, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x0f, 0, 0x2058, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x10, 0, 0x2058, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x12, 0, 0x204c, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x12, 1, 0x204d, rev), \
	UNC_SIM_FN_SYSTEM(SKX_BUS_UPI, 0x12, 2, 0x204e, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x12, 4, 0x204c, rev), \
	UNC_SIM_FN_PERF(SKX_BUS_UPI, 0x12, 5, 0x204d, rev)

/*
 * No source has maximum increments of these events: they are assumed to be those of the earlier generations, and for
 * RPQ_OCCUPANCY and WPQ_OCCUPANCY those of Sandy Bridge-EP, the only other one with these events. rd_isoch and wr_isoch
 * belong to a mode other than wmm and rmm: they do not occur, unless a load gives them.
 */
#define SKX_EVENTS_TO_04 \
	UNC_SIM_CLOCK("clockticks"), \
	UNC_SIM_EVENTS_01_TO_02, \
	UNC_SIM_CAS_6, \
	UNC_SIM_CAS("cas_count.rd_isoch", 0x40, UNC_SIM_FROM_EVENTS, 0, 0, UNC_SIM_AGAIN), \
	UNC_SIM_CAS("cas_count.wr_isoch", 0x80, UNC_SIM_FROM_EVENTS, 0, 0, UNC_SIM_AGAIN)
#define SKX_EVENTS_FROM_06 \
	UNC_SIM_EVENTS_06_TO_09, \
	UNC_SIM_EVENT("rpq_inserts", 0x10, 1), \
	UNC_SIM_EVENT("rpq_cycles_ne", 0x11, 1), \
	UNC_SIM_EVENT("rpq_cycles_full", 0x12, 1), \
	UNC_SIM_EVENT("wpq_inserts", 0x20, 1), \
	UNC_SIM_EVENTS_21_TO_41, \
	UNC_SIM_EVENT("power_pcu_throttling", 0x42, 1), \
	UNC_SIM_EVENT("power_self_refresh", 0x43, 1), \
	UNC_SIM_EVENT("rpq_occupancy", 0x80, 22), \
	UNC_SIM_EVENT("wpq_occupancy", 0x81, 32), \
	UNC_SIM_EVENTS_83_TO_86, \
	UNC_SIM_EVENTS_A0_TO_A1, \
	UNC_SIM_EACH_RANK(UNC_SIM_16_BANKS), \
	UNC_SIM_EVENTS_C0_TO_C1
#define SKX_SUMS UNC_SIM_ACT_SUM, UNC_SIM_CAS_SUMS, UNC_SIM_EACH_RANK(UNC_SIM_BANK_SUMS)

/*
 * The events that Cascade Lake adds, and DRAM_REFRESH, which it lacks by Intel's list. They are about persistent memory
 * (PMM), DRAM as its cache (TAGCHK; near and far memory, NM and FM) and the scoreboard between them (SB). That list is
 * the only source, except for PMM_RPQ_INSERTS, PMM_WPQ_INSERTS and two of TAGCHK, which PCM has as well; Cooper Lake
 * has no list of its own. A umask has a bit for each sub-event. No source has maximum increments: here they are 32 for
 * a number of entries, else 1.
 */
#define SUB_OF(n, c, bit, max) {.name = n, .code = c, .umask = bit, .max_inc = max}
#define CLX_EVENTS \
	SKX_EVENTS_TO_04, \
	SKX_EVENTS_FROM_06, \
	UNC_SIM_EVENT("sb_cycles_ne", 0xd0, 1), \
	UNC_SIM_EVENT("sb_cycles_full", 0xd1, 1), \
	UNC_SIM_SUB("sb_accesses.rd_accepts", 0xd2, 0x01), \
	UNC_SIM_SUB("sb_accesses.rd_rejects", 0xd2, 0x02), \
	UNC_SIM_SUB("sb_accesses.wr_accepts", 0xd2, 0x04), \
	UNC_SIM_SUB("sb_accesses.wr_rejects", 0xd2, 0x08), \
	UNC_SIM_SUB("sb_accesses.nm_rd_cmps", 0xd2, 0x10), \
	UNC_SIM_SUB("sb_accesses.nm_wr_cmps", 0xd2, 0x20), \
	UNC_SIM_SUB("sb_accesses.fm_rd_cmps", 0xd2, 0x40), \
	UNC_SIM_SUB("sb_accesses.fm_wr_cmps", 0xd2, 0x80), \
	UNC_SIM_SUB("tagchk.hit", 0xd3, 0x01), \
	UNC_SIM_SUB("tagchk.miss_clean", 0xd3, 0x02), \
	UNC_SIM_SUB("tagchk.miss_dirty", 0xd3, 0x04), \
	UNC_SIM_SUB("sb_reject.nm_set_cnflt", 0xd4, 0x01), \
	UNC_SIM_SUB("sb_reject.fm_addr_cnflt", 0xd4, 0x02), \
	UNC_SIM_SUB("sb_reject.patrol_set_cnflt", 0xd4, 0x04), \
	SUB_OF("sb_occupancy.rds", 0xd5, 0x01, 32), \
	SUB_OF("sb_occupancy.wrs", 0xd5, 0x02, 32), \
	SUB_OF("sb_occupancy.pmm_rds", 0xd5, 0x04, 32), \
	SUB_OF("sb_occupancy.pmm_wrs", 0xd5, 0x08, 32), \
	SUB_OF("sb_occupancy.block_rds", 0xd5, 0x20, 32), \
	SUB_OF("sb_occupancy.block_wrs", 0xd5, 0x40, 32), \
	SUB_OF("sb_occupancy.patrol", 0xd5, 0x80, 32), \
	UNC_SIM_SUB("sb_inserts.rds", 0xd6, 0x01), \
	UNC_SIM_SUB("sb_inserts.wrs", 0xd6, 0x02), \
	UNC_SIM_SUB("sb_inserts.pmm_rds", 0xd6, 0x04), \
	UNC_SIM_SUB("sb_inserts.pmm_wrs", 0xd6, 0x08), \
	UNC_SIM_SUB("sb_inserts.block_rds", 0xd6, 0x10), \
	UNC_SIM_SUB("sb_inserts.block_wrs", 0xd6, 0x20), \
	UNC_SIM_SUB("sb_inserts.dealloc", 0xd6, 0x40), \
	UNC_SIM_SUB("sb_inserts.patrol", 0xd6, 0x80), \
	UNC_SIM_SUB("sb_strv_alloc.nmrd_set", 0xd7, 0x01), \
	UNC_SIM_SUB("sb_strv_alloc.fmrd_set", 0xd7, 0x02), \
	UNC_SIM_SUB("sb_strv_alloc.nmwr_set", 0xd7, 0x04), \
	UNC_SIM_SUB("sb_strv_alloc.fmwr_set", 0xd7, 0x08), \
	UNC_SIM_SUB("sb_strv_alloc.nmrd_clr", 0xd7, 0x10), \
	UNC_SIM_SUB("sb_strv_alloc.fmrd_clr", 0xd7, 0x20), \
	UNC_SIM_SUB("sb_strv_alloc.nmwr_clr", 0xd7, 0x40), \
	UNC_SIM_SUB("sb_strv_alloc.fmwr_clr", 0xd7, 0x80), \
	SUB_OF("sb_strv_occ.nmrd", 0xd8, 0x01, 32), \
	SUB_OF("sb_strv_occ.fmrd", 0xd8, 0x02, 32), \
	SUB_OF("sb_strv_occ.nmwr", 0xd8, 0x04, 32), \
	SUB_OF("sb_strv_occ.fmwr", 0xd8, 0x08, 32), \
	UNC_SIM_SUB("sb_canary.alloc", 0xd9, 0x01), \
	UNC_SIM_SUB("sb_canary.dealloc", 0xd9, 0x02), \
	UNC_SIM_SUB("sb_canary.rej", 0xd9, 0x04), \
	UNC_SIM_SUB("sb_canary.vld", 0xd9, 0x08), \
	UNC_SIM_SUB("sb_canary.nmrd_starved", 0xd9, 0x10), \
	UNC_SIM_SUB("sb_canary.nmwr_starved", 0xd9, 0x20), \
	UNC_SIM_SUB("sb_canary.fmrd_starved", 0xd9, 0x40), \
	UNC_SIM_SUB("sb_canary.fmwr_starved", 0xd9, 0x80), \
	SUB_OF("sb_tagged.new", 0xdd, 0x01, 32), /* its max is that of .occ */ \
	SUB_OF("sb_tagged.rd_hit", 0xdd, 0x02, 32), \
	SUB_OF("sb_tagged.rd_miss", 0xdd, 0x04, 32), \
	SUB_OF("sb_tagged.ddr4_cmp", 0xdd, 0x08, 32), \
	SUB_OF("sb_tagged.pmm0_cmp", 0xdd, 0x10, 32), \
	SUB_OF("sb_tagged.pmm1_cmp", 0xdd, 0x20, 32), \
	SUB_OF("sb_tagged.pmm2_cmp", 0xdd, 0x40, 32), \
	SUB_OF("sb_tagged.occ", 0xdd, 0x80, 32), \
	SUB_OF("pmm_rpq_occupancy.all", 0xe0, 0x01, 32), \
	SUB_OF("pmm_rpq_occupancy.gnt_wait", 0xe0, 0x04, 32), \
	UNC_SIM_EVENT("pmm_rpq_cycles_ne", 0xe1, 1), \
	UNC_SIM_EVENT("pmm_rpq_cycles_full", 0xe2, 1), \
	UNC_SIM_EVENT("pmm_rpq_inserts", 0xe3, 1), \
	SUB_OF("pmm_wpq_occupancy.all", 0xe4, 0x01, 32), \
	SUB_OF("pmm_wpq_occupancy.cas", 0xe4, 0x02, 32), \
	SUB_OF("pmm_wpq_occupancy.pwr", 0xe4, 0x04, 32), \
	UNC_SIM_EVENT("pmm_wpq_cycles_ne", 0xe5, 1), \
	UNC_SIM_EVENT("pmm_wpq_cycles_full", 0xe6, 1), \
	UNC_SIM_EVENT("pmm_wpq_inserts", 0xe7, 1), \
	UNC_SIM_EVENT("pmm_wpq_pcommit", 0xe8, 1), \
	UNC_SIM_EVENT("pmm_wpq_pcommit_cyc", 0xe9, 1), \
	UNC_SIM_SUB("pmm_cmd1.all", 0xea, 0x01), \
	UNC_SIM_SUB("pmm_cmd1.rd", 0xea, 0x02), \
	UNC_SIM_SUB("pmm_cmd1.wr", 0xea, 0x04), \
	UNC_SIM_SUB("pmm_cmd1.ufill_rd", 0xea, 0x08), \
	UNC_SIM_SUB("pmm_cmd1.rpq_gnts", 0xea, 0x10), \
	UNC_SIM_SUB("pmm_cmd1.wpq_gnts", 0xea, 0x20), \
	UNC_SIM_SUB("pmm_cmd1.misc_gnt", 0xea, 0x40), \
	UNC_SIM_SUB("pmm_cmd1.misc", 0xea, 0x80), \
	UNC_SIM_SUB("pmm_cmd2.opp_rd", 0xeb, 0x01), \
	UNC_SIM_SUB("pmm_cmd2.nodata_exp", 0xeb, 0x02), \
	UNC_SIM_SUB("pmm_cmd2.nodata_unexp", 0xeb, 0x04), \
	UNC_SIM_SUB("pmm_cmd2.reqs_slot0", 0xeb, 0x08), \
	UNC_SIM_SUB("pmm_cmd2.reqs_slot1", 0xeb, 0x10), \
	UNC_SIM_SUB("pmm_cmd2.pmm_ecc_error", 0xeb, 0x20), \
	UNC_SIM_SUB("pmm_cmd2.pmm_erid_error", 0xeb, 0x40), \
	UNC_SIM_SUB("pmm_majmode1.rd_cyc", 0xec, 0x01), \
	UNC_SIM_SUB("pmm_majmode1.wr_cyc", 0xec, 0x02), \
	UNC_SIM_SUB("pmm_majmode1.partial_wr_cyc", 0xec, 0x04), \
	UNC_SIM_SUB("pmm_majmode1.partial_wr_enter", 0xec, 0x20), \
	UNC_SIM_SUB("pmm_majmode1.partial_wr_exit", 0xec, 0x40), \
	UNC_SIM_SUB("majmode2.pmm_cyc", 0xed, 0x01), \
	UNC_SIM_SUB("majmode2.dram_cyc", 0xed, 0x02), \
	UNC_SIM_SUB("majmode2.pmm_enter", 0xed, 0x04), \
	UNC_SIM_SUB("majmode2.dram_enter", 0xed, 0x08)

/* All of a model except its name, clock rate, functions, events and leaves. */
#define SKX_MODEL \
	.sockets = 2, \
	.cores = 28, \
	.threads = 2, \
	.apic_shift = 6, \
	.ticks_per_cycle = 10, /* DDR4-2400: 1200 MHz */ \
	.pmon = &skx_pmon, \
	.ubox = {.node_id = 0xc0, .node_map = 0xd4}, \
	/* LIKWID: frz_all 63, unfrz_all 61; PCM: 61. No document says which other bits can be written. */ \
	.freeze = {.msr = 0x700, .frz_all = UINT64_C(1) << 63, .unfrz_all = UINT64_C(1) << 61}, \
	.rdt = &(const struct unc_sim_rdt){.max_rmid = 0xdf, .upscale = 0x1c000, .events = 0x7, .width = 24, .n_clos = 16}, \
	.l3_bytes = UINT64_C(0xe000) * 11 * 64, /* sets, ways: leaf 4; 38.5 MB */ \
	.bus = skx_bus, \
	.config_bytes = 4096, \
	UNC_SIM_TABLE(sums, skx_sums)
/* clang-format on */

/* Xeon Platinum 8180, Skylake-SP ("SKX"), and what Cascade Lake and Cooper Lake have in common with it. */

static const struct unc_sim_function skx_functions[] = {SKX_FUNCTIONS(0x04)};

static const struct unc_sim_event skx_events[] = {SKX_EVENTS_TO_04, UNC_SIM_EVENT_05, SKX_EVENTS_FROM_06};
static const struct unc_sim_sum skx_sums[] = {SKX_SUMS};

/* As read on an Intel Xeon Platinum 8180 (50654); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf skx_leaves[] = {
	{0x0, 0, {0x00000016, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x00050654, 0x00400800, 0x7ffefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x76036301, 0x00f0b5ff, 0x00000000, 0x00c30000}},
	{0x4, 0, {0x7c004121, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0x7c004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0x7c004143, 0x03c0003f, 0x000003ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0x7c0fc163, 0x0280003f, 0x0000dfff, 0x00000004}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00002020}},
	{0x6, 0, {0x00000ef7, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0xd39ffffb, 0x00000008, 0x00000000}},
	{0xa, 0, {0x07300404, 0x00000000, 0x00000000, 0x00000603}},
	{0xd, 0, {0x000002ff, 0x00000a80, 0x00000a88, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000a00, 0x00000100, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xd, 3, {0x00000040, 0x000003c0, 0x00000000, 0x00000000}},
	{0xd, 4, {0x00000040, 0x00000400, 0x00000000, 0x00000000}},
	{0xd, 5, {0x00000040, 0x00000440, 0x00000000, 0x00000000}},
	{0xd, 6, {0x00000200, 0x00000480, 0x00000000, 0x00000000}},
	{0xd, 7, {0x00000400, 0x00000680, 0x00000000, 0x00000000}},
	{0xd, 8, {0x00000080, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 9, {0x00000008, 0x00000a80, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x000000df, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000000, 0x0001c000, 0x000000df, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x0000000a, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000a, 0x00000600, 0x00000004, 0x0000000f}}, /* ways, ways shared with I/O, highest CLOS */
	/* The dump lacks this leaf and says there is MBA (10.0 EBX bit 3). verify: 8 CLOS in steps of 10 %, as resctrl shows. */
	{0x10, 3, {0x00000059, 0x00000000, 0x00000004, 0x00000007}},
	{0x14, 0, {0x00000001, 0x0000000f, 0x00000007, 0x00000000}},
	{0x14, 1, {0x02490002, 0x003f3fff, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000c8, 0x00000000, 0x00000000}}, /* TSC per crystal clock */
	{0x16, 0, {0x000009c4, 0x00000ed8, 0x00000064, 0x00000000}}, /* MHz: base, highest, bus */
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
	/* "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3138206d, 0x43203038}},
	{0x80000004, 0, {0x40205550, 0x352e3220, 0x7a484730, 0x00000000}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}},
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000302e, 0x00000000, 0x00000000, 0x00000000}},
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
 * Returns the bus of the nth socket of a domain with n sockets. Dual-socket machines have 00 17 3a 5d and 80 85 ae d7;
 * larger machines number their buses in different ways, and these numbers are made up: an equal share of the 256 buses
 * for each socket.
 */
static uint8_t skx_bus_of(unsigned n, unsigned nth, unsigned slot)
{
	static const uint8_t of_two[2][SKX_BUSES] = {{0x00, 0x17, 0x3a, 0x5d}, {0x80, 0x85, 0xae, 0xd7}};
	static const uint8_t of_more[SKX_BUSES] = {0x00, 0x05, 0x0e, 0x17};
	unsigned shares = 4;

	if (n <= 2)
		return of_two[nth][slot];
	while (shares < n)
		shares *= 2;
	return (uint8_t)(256 / shares * nth + of_more[slot]);
}

static void skx_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		    uint8_t *ret_bus)
{
	struct unc_sim_seat seat = unc_sim_seat_of(options, socket);

	*ret_domain = seat.domain;
	*ret_bus = skx_bus_of(seat.n, seat.nth, slot);
}

const struct unc_sim_model unc_sim_skx = {
	.name = "skx",
	.on = UNC_SIM_ON_SKX,
	SKX_MODEL,
	.tsc_hz = 2500000000,
	UNC_SIM_TABLE(functions, skx_functions),
	UNC_SIM_TABLE(events, skx_events),
	UNC_SIM_TABLE(leaves, skx_leaves),
};

/* Xeon Platinum 8280, Cascade Lake ("CLX"): Skylake-SP of a later stepping, with more events. */

static const struct unc_sim_function clx_functions[] = {SKX_FUNCTIONS(0x07)};
static const struct unc_sim_event clx_events[] = {CLX_EVENTS};

/*
 * verify: no dump of one was available. Stepping 7 is what Linux, PCM and Intel's list say; name, clock (leaf 0x16, in
 * MHz) and VNNI (leaf 7) are those of the part as it is sold, and all other leaves those of an 8180.
 */
static const struct unc_sim_leaf clx_leaves[] = {
	{0x1, 0, {0x00050657, 0x00400800, 0x7ffefbff, 0xbfebfbff}},
	{0x7, 0, {0x00000000, 0xd39ffffb, 0x00000808, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000d8, 0x00000000, 0x00000000}},
	{0x16, 0, {0x00000a8c, 0x00000fa0, 0x00000064, 0x00000000}},
	/* "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3238206d, 0x43203038}},
	{0x80000004, 0, {0x40205550, 0x372e3220, 0x7a484730, 0x00000000}},
};

const struct unc_sim_model unc_sim_clx = {
	.name = "clx",
	.on = UNC_SIM_ON_CLX,
	SKX_MODEL,
	.tsc_hz = 2700000000,
	UNC_SIM_TABLE(functions, clx_functions),
	UNC_SIM_TABLE(events, clx_events),
	UNC_SIM_TABLE(leaves, clx_leaves),
	.like = &unc_sim_skx,
};

/* Xeon Platinum 8380H, Cooper Lake ("CPX"): Cascade Lake of a later stepping. */

/* verify: no available listing shows the revision. It is assumed to be the stepping, as on Skylake-SP and Cascade Lake. */
static const struct unc_sim_function cpx_functions[] = {SKX_FUNCTIONS(0x0b)};

/*
 * verify: no dump of one was available. Stepping 11 is what Linux and PCM say; name, clock (leaf 0x16, in MHz), VNNI
 * and BF16 (leaf 7) are those of the part as it is sold, and all other leaves those of an 8180.
 */
static const struct unc_sim_leaf cpx_leaves[] = {
	{0x1, 0, {0x0005065b, 0x00400800, 0x7ffefbff, 0xbfebfbff}},
	{0x7, 0, {0x00000001, 0xd39ffffb, 0x00000808, 0x00000000}},
	{0x7, 1, {0x00000020, 0x00000000, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000e8, 0x00000000, 0x00000000}},
	{0x16, 0, {0x00000b54, 0x000010cc, 0x00000064, 0x00000000}},
	/* "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3338206d, 0x20483038}},
	{0x80000004, 0, {0x20555043, 0x2e322040, 0x48473039, 0x0000007a}},
};

const struct unc_sim_model unc_sim_cpx = {
	.name = "cpx",
	.on = UNC_SIM_ON_CPX,
	SKX_MODEL,
	.tsc_hz = 2900000000,
	UNC_SIM_TABLE(functions, cpx_functions),
	UNC_SIM_TABLE(events,
		      clx_events), /* Intel has no event list of Cooper Lake: it is part of that of Cascade Lake */
	UNC_SIM_TABLE(leaves, cpx_leaves),
	.like = &unc_sim_skx,
};

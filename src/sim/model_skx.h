/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Skylake-SP, Cascade Lake, Cooper Lake: one CPUID model (0x55) with different steppings, one set of PCI functions and
 * registers (Linux, LIKWID and PCM have no second one), and events; the later two have more of these.
 */
#ifndef UNC_SIM_MODEL_SKX_H
#define UNC_SIM_MODEL_SKX_H

#include "sim/model_parts.h"

/* A socket has several root buses (CPUBUSNO 0 to 3), over which its functions are spread. */
enum { UNC_SIM_SKX_BUS_UBOX = 0, UNC_SIM_SKX_BUS_IMC = 2, UNC_SIM_SKX_BUS_UPI = 3, UNC_SIM_SKX_BUSES };

/* clang-format off */
/*
 * Addresses, ids and classes as lspci shows them on dual-socket machines; revision 04 is Skylake-SP, 07 Cascade Lake.
 * The two controllers have the same device ids and differ by the device number.
 *
 * The other functions exist because tools look for them (M2M, UPI, M3UPI), or because firmware and kernels look for no
 * other function of a device without function 0.
 */
#define UNC_SIM_SKX_FUNCTIONS(rev) \
	UNC_SIM_FN_UBOX(UNC_SIM_SKX_BUS_UBOX, 0x08, 0, 0x2014, rev), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_IMC, 0x0a, 0, 0x2040, rev), \
	UNC_SIM_FN_IMC(UNC_SIM_SKX_BUS_IMC, 0x0a, 2, 0x2042, rev, 0, 0), \
	UNC_SIM_FN_IMC(UNC_SIM_SKX_BUS_IMC, 0x0a, 6, 0x2046, rev, 0, 1), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_IMC, 0x0b, 0, 0x2048, rev), \
	UNC_SIM_FN_IMC(UNC_SIM_SKX_BUS_IMC, 0x0b, 2, 0x204a, rev, 0, 2), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_IMC, 0x0c, 0, 0x2040, rev), \
	UNC_SIM_FN_IMC(UNC_SIM_SKX_BUS_IMC, 0x0c, 2, 0x2042, rev, 1, 0), \
	UNC_SIM_FN_IMC(UNC_SIM_SKX_BUS_IMC, 0x0c, 6, 0x2046, rev, 1, 1), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_IMC, 0x0d, 0, 0x2048, rev), \
	UNC_SIM_FN_IMC(UNC_SIM_SKX_BUS_IMC, 0x0d, 2, 0x204a, rev, 1, 2), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_IMC, 0x08, 0, 0x2066, rev), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_IMC, 0x09, 0, 0x2066, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x0e, 0, 0x2058, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x0f, 0, 0x2058, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x10, 0, 0x2058, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x12, 0, 0x204c, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x12, 1, 0x204d, rev), \
	UNC_SIM_FN_SYSTEM(UNC_SIM_SKX_BUS_UPI, 0x12, 2, 0x204e, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x12, 4, 0x204c, rev), \
	UNC_SIM_FN_PERF(UNC_SIM_SKX_BUS_UPI, 0x12, 5, 0x204d, rev)

/*
 * No source has maximum increments of these events: they are assumed to be those of the earlier generations, and for
 * RPQ_OCCUPANCY and WPQ_OCCUPANCY those of Sandy Bridge-EP, the only other one with these events. rd_isoch and wr_isoch
 * belong to a mode other than wmm and rmm: they do not occur, unless a load gives them.
 */
#define UNC_SIM_SKX_EVENTS_TO_04 \
	UNC_SIM_CLOCK("clockticks"), \
	UNC_SIM_EVENTS_01_TO_02, \
	UNC_SIM_CAS_6, \
	UNC_SIM_CAS("cas_count.rd_isoch", 0x40, UNC_SIM_FROM_EVENTS, 0, 0, UNC_SIM_AGAIN), \
	UNC_SIM_CAS("cas_count.wr_isoch", 0x80, UNC_SIM_FROM_EVENTS, 0, 0, UNC_SIM_AGAIN)
#define UNC_SIM_SKX_EVENTS_FROM_06 \
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
#define UNC_SIM_SKX_SUMS UNC_SIM_ACT_SUM, UNC_SIM_CAS_SUMS, UNC_SIM_EACH_RANK(UNC_SIM_BANK_SUMS)

/*
 * The events that Cascade Lake adds, and DRAM_REFRESH, which it lacks by Intel's list. They are about persistent memory
 * (PMM), DRAM as its cache (TAGCHK; near and far memory, NM and FM) and the scoreboard between them (SB). That list is
 * the only source, except for PMM_RPQ_INSERTS, PMM_WPQ_INSERTS and two of TAGCHK, which PCM has as well; Cooper Lake
 * has no list of its own. A umask has a bit for each sub-event. No source has maximum increments: here they are 32 for
 * a number of entries, else 1.
 */
#define UNC_SIM_SUB_OF(n, c, bit, max) {.name = n, .code = c, .umask = bit, .max_inc = max}
#define UNC_SIM_CLX_EVENTS \
	UNC_SIM_SKX_EVENTS_TO_04, \
	UNC_SIM_SKX_EVENTS_FROM_06, \
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
	UNC_SIM_SUB_OF("sb_occupancy.rds", 0xd5, 0x01, 32), \
	UNC_SIM_SUB_OF("sb_occupancy.wrs", 0xd5, 0x02, 32), \
	UNC_SIM_SUB_OF("sb_occupancy.pmm_rds", 0xd5, 0x04, 32), \
	UNC_SIM_SUB_OF("sb_occupancy.pmm_wrs", 0xd5, 0x08, 32), \
	UNC_SIM_SUB_OF("sb_occupancy.block_rds", 0xd5, 0x20, 32), \
	UNC_SIM_SUB_OF("sb_occupancy.block_wrs", 0xd5, 0x40, 32), \
	UNC_SIM_SUB_OF("sb_occupancy.patrol", 0xd5, 0x80, 32), \
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
	UNC_SIM_SUB_OF("sb_strv_occ.nmrd", 0xd8, 0x01, 32), \
	UNC_SIM_SUB_OF("sb_strv_occ.fmrd", 0xd8, 0x02, 32), \
	UNC_SIM_SUB_OF("sb_strv_occ.nmwr", 0xd8, 0x04, 32), \
	UNC_SIM_SUB_OF("sb_strv_occ.fmwr", 0xd8, 0x08, 32), \
	UNC_SIM_SUB("sb_canary.alloc", 0xd9, 0x01), \
	UNC_SIM_SUB("sb_canary.dealloc", 0xd9, 0x02), \
	UNC_SIM_SUB("sb_canary.rej", 0xd9, 0x04), \
	UNC_SIM_SUB("sb_canary.vld", 0xd9, 0x08), \
	UNC_SIM_SUB("sb_canary.nmrd_starved", 0xd9, 0x10), \
	UNC_SIM_SUB("sb_canary.nmwr_starved", 0xd9, 0x20), \
	UNC_SIM_SUB("sb_canary.fmrd_starved", 0xd9, 0x40), \
	UNC_SIM_SUB("sb_canary.fmwr_starved", 0xd9, 0x80), \
	UNC_SIM_SUB_OF("sb_tagged.new", 0xdd, 0x01, 32), /* its max is that of .occ */ \
	UNC_SIM_SUB_OF("sb_tagged.rd_hit", 0xdd, 0x02, 32), \
	UNC_SIM_SUB_OF("sb_tagged.rd_miss", 0xdd, 0x04, 32), \
	UNC_SIM_SUB_OF("sb_tagged.ddr4_cmp", 0xdd, 0x08, 32), \
	UNC_SIM_SUB_OF("sb_tagged.pmm0_cmp", 0xdd, 0x10, 32), \
	UNC_SIM_SUB_OF("sb_tagged.pmm1_cmp", 0xdd, 0x20, 32), \
	UNC_SIM_SUB_OF("sb_tagged.pmm2_cmp", 0xdd, 0x40, 32), \
	UNC_SIM_SUB_OF("sb_tagged.occ", 0xdd, 0x80, 32), \
	UNC_SIM_SUB_OF("pmm_rpq_occupancy.all", 0xe0, 0x01, 32), \
	UNC_SIM_SUB_OF("pmm_rpq_occupancy.gnt_wait", 0xe0, 0x04, 32), \
	UNC_SIM_EVENT("pmm_rpq_cycles_ne", 0xe1, 1), \
	UNC_SIM_EVENT("pmm_rpq_cycles_full", 0xe2, 1), \
	UNC_SIM_EVENT("pmm_rpq_inserts", 0xe3, 1), \
	UNC_SIM_SUB_OF("pmm_wpq_occupancy.all", 0xe4, 0x01, 32), \
	UNC_SIM_SUB_OF("pmm_wpq_occupancy.cas", 0xe4, 0x02, 32), \
	UNC_SIM_SUB_OF("pmm_wpq_occupancy.pwr", 0xe4, 0x04, 32), \
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

/* All of a model except its name, clock rate and leaves; functions, events and sums are the tables of the model's file. */
#define UNC_SIM_SKX_MODEL \
	.sockets = 2, \
	.cores = 28, \
	.threads = 2, \
	.apic_shift = 6, \
	.ticks_per_cycle = 10, /* DDR4-2400: 1200 MHz */ \
	.pmon = &unc_sim_skx_pmon, \
	.ubox = {.node_id = 0xc0, .node_map = 0xd4}, \
	/* LIKWID: frz_all 63, unfrz_all 61; PCM: 61. No document says which other bits can be written. */ \
	.freeze = {.msr = 0x700, .frz_all = UINT64_C(1) << 63, .unfrz_all = UINT64_C(1) << 61}, \
	.rdt = &unc_sim_skx_rdt, \
	.l3_bytes = UINT64_C(0xe000) * 11 * 64, /* sets, ways: leaf 4; 38.5 MB */ \
	.bus = unc_sim_skx_bus, \
	.config_bytes = 4096, \
	.functions = functions, \
	.n_functions = UNC_SIM_N(functions), \
	.events = events, \
	.n_events = UNC_SIM_N(events), \
	.sums = sums, \
	.n_sums = UNC_SIM_N(sums)
/* clang-format on */

extern const struct unc_sim_pmon unc_sim_skx_pmon;
extern const struct unc_sim_rdt unc_sim_skx_rdt;

void unc_sim_skx_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		     uint8_t *ret_bus);

#endif

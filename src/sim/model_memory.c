// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sapphire Rapids and those like it, Granite Rapids and those like it: their counters are in memory, and in discovery tables.  What is
 * said of events in model_lake.c is true here, too.
 */
#include "sim/model_memory.h"

/* clang-format off */
static const struct unc_sim_event spr_events[] = {
	{.name = "hclockticks", .code = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT | UNC_SIM_HALF | UNC_SIM_NUMBER | UNC_SIM_AGAIN},
	{.name = "clockticks", .code = 0x01, .umask = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT | UNC_SIM_NUMBER},
	EXACT("act_count.all", 0x02, 0xff, 1),
	EVENT("pre_count.rd_pch0", 0x03, 0x01, 1),
	EVENT("pre_count.wr_pch0", 0x03, 0x02, 1),
	EVENT("pre_count.ufill_pch0", 0x03, 0x04, 1),
	EVENT("pre_count.pgt_pch0", 0x03, 0x08, 1),
	EVENT("pre_count.rd_pch1", 0x03, 0x10, 1),
	EVENT("pre_count.wr_pch1", 0x03, 0x20, 1),
	EVENT("pre_count.ufill_pch1", 0x03, 0x40, 1),
	EVENT("pre_count.pgt_pch1", 0x03, 0x80, 1),
	CAS("cas_count.rd_reg", 0x05, 0x01, UNC_SIM_FROM_READ, 16, 1, 2),
	CAS("cas_count.rd_pre_reg", 0x05, 0x02, UNC_SIM_FROM_EVENTS, 0, 0, 2),
	CAS("cas_count.rd_underfill", 0x05, 0x04, UNC_SIM_FROM_READ, 1, 0, 2),
	CAS("cas_count.rd_pre_underfill", 0x05, 0x08, UNC_SIM_FROM_EVENTS, 0, 0, 2),
	CAS("cas_count.wr_nonpre", 0x05, 0x10, UNC_SIM_FROM_WRITE, 16, 2, 2),
	CAS("cas_count.wr_pre", 0x05, 0x20, UNC_SIM_FROM_WRITE, 2, 0, 2),
	EXACT("cas_count.pch0", 0x05, 0x40, 1),
	EXACT("cas_count.pch1", 0x05, 0x80, 1),
	EVENT("cas_issued_req_len.rd_64b", 0x06, 0x01, 1),
	EVENT("cas_issued_req_len.rd_ufill_64b", 0x06, 0x02, 1),
	EVENT("cas_issued_req_len.wr_64b", 0x06, 0x04, 1),
	EVENT("cas_issued_req_len.rd_32b", 0x06, 0x08, 1),
	EVENT("cas_issued_req_len.rd_ufill_32b", 0x06, 0x10, 1),
	EVENT("cas_issued_req_len.wr_32b", 0x06, 0x20, 1),
	EXACT("cas_issued_req_len.pch0", 0x06, 0x40, 1),
	EXACT("cas_issued_req_len.pch1", 0x06, 0x80, 1),
	EVENT("ecc_correctable_errors", 0x09, 0x00, 1),
	EVENT("rpq_inserts.pch0", 0x10, 0x01, 1),
	EVENT("rpq_inserts.pch1", 0x10, 0x02, 1),
	EVENT("rdb_inserts.pch0", 0x17, 0x01, 1),
	EVENT("rdb_inserts.pch1", 0x17, 0x02, 1),
	EVENT("rdb_ne.pch0", 0x18, 0x01, 1),
	EVENT("rdb_ne.pch1", 0x18, 0x02, 1),
	EVENT("rdb_full", 0x19, 0x00, 1),
	EVENT("rdb_occupancy", 0x1a, 0x00, 32),
	EVENT("wpq_inserts.pch0", 0x20, 0x01, 1),
	EVENT("wpq_inserts.pch1", 0x20, 0x02, 1),
	EVENT("wpq_read_hit", 0x23, 0x00, 1),
	EVENT("wpq_write_hit", 0x24, 0x00, 1),
	EVENT("power_self_refresh", 0x43, 0x00, 1),
	EXACT("dram_pre_all", 0x44, 0x03, 1),
	EVENT("dram_refresh.panic_pch0", 0x45, 0x02, 1),
	EVENT("dram_refresh.high_pch0", 0x45, 0x04, 1),
	EVENT("dram_refresh.panic_pch1", 0x45, 0x10, 1),
	EVENT("dram_refresh.high_pch1", 0x45, 0x20, 1),
	EVENT("power_throttle_cycles.slot0", 0x46, 0x01, 1),
	EVENT("power_throttle_cycles.slot1", 0x46, 0x02, 1),
	EVENT("power_cke_cycles.low_0", 0x47, 0x01, 1),
	EVENT("power_cke_cycles.low_1", 0x47, 0x02, 1),
	EVENT("power_cke_cycles.low_2", 0x47, 0x04, 1),
	EVENT("power_cke_cycles.low_3", 0x47, 0x08, 1),
	EVENT("rpq_occupancy_pch0", 0x80, 0x00, 32),
	EVENT("rpq_occupancy_pch1", 0x81, 0x00, 32),
	EVENT("wpq_occupancy_pch0", 0x82, 0x00, 32),
	EVENT("wpq_occupancy_pch1", 0x83, 0x00, 32),
	EVENT("power_channel_ppd", 0x85, 0x00, 1),
	EVENT("power_crit_throttle_cycles.slot0", 0x86, 0x01, 1),
	EVENT("power_crit_throttle_cycles.slot1", 0x86, 0x02, 1),
	EXACT("pcls.rd", 0xa0, 0x05, 1),
	EXACT("pcls.wr", 0xa0, 0x0a, 1),
	EXACT("pcls.total", 0xa0, 0x0f, 1),
	EVENT("sb_cycles_ne", 0xd0, 0x00, 1),
	EVENT("sb_cycles_full", 0xd1, 0x00, 1),
	EVENT("sb_accesses.rd_accepts", 0xd2, 0x01, 1),
	EVENT("sb_accesses.rd_rejects", 0xd2, 0x02, 1),
	EVENT("sb_accesses.wr_accepts", 0xd2, 0x04, 1),
	EVENT("sb_accesses.wr_rejects", 0xd2, 0x08, 1),
	EVENT("sb_accesses.nm_rd_cmps", 0xd2, 0x10, 1),
	EVENT("sb_accesses.nm_wr_cmps", 0xd2, 0x20, 1),
	EVENT("sb_accesses.fm_rd_cmps", 0xd2, 0x40, 1),
	EVENT("sb_accesses.fm_wr_cmps", 0xd2, 0x80, 1),
	EVENT("tagchk.hit", 0xd3, 0x01, 1),
	EVENT("tagchk.miss_clean", 0xd3, 0x02, 1),
	EVENT("tagchk.miss_dirty", 0xd3, 0x04, 1),
	EVENT("tagchk.nm_rd_hit", 0xd3, 0x08, 1),
	EVENT("tagchk.nm_wr_hit", 0xd3, 0x10, 1),
	EVENT("sb_reject.nm_set_cnflt", 0xd4, 0x01, 1),
	EVENT("sb_reject.fm_addr_cnflt", 0xd4, 0x02, 1),
	EVENT("sb_reject.patrol_set_cnflt", 0xd4, 0x04, 1),
	EVENT("sb_reject.canary", 0xd4, 0x08, 1),
	EVENT("sb_reject.ddr_early_cmp", 0xd4, 0x20, 1),
	EVENT("sb_occupancy.rds", 0xd5, 0x01, 32),
	EVENT("sb_occupancy.pmm_rds", 0xd5, 0x04, 32),
	EVENT("sb_occupancy.pmm_wrs", 0xd5, 0x08, 32),
	EVENT("sb_occupancy.block_rds", 0xd5, 0x20, 32),
	EVENT("sb_occupancy.block_wrs", 0xd5, 0x40, 32),
	EVENT("sb_inserts.rds", 0xd6, 0x01, 1),
	EVENT("sb_inserts.wrs", 0xd6, 0x02, 1),
	EVENT("sb_inserts.pmm_rds", 0xd6, 0x04, 1),
	EVENT("sb_inserts.pmm_wrs", 0xd6, 0x08, 1),
	EVENT("sb_inserts.block_rds", 0xd6, 0x10, 1),
	EVENT("sb_inserts.block_wrs", 0xd6, 0x20, 1),
	EVENT("sb_strv_alloc.nm_rd", 0xd7, 0x01, 1),
	EVENT("sb_strv_alloc.fm_rd", 0xd7, 0x02, 1),
	EVENT("sb_strv_alloc.nm_wr", 0xd7, 0x04, 1),
	EVENT("sb_strv_alloc.fm_wr", 0xd7, 0x08, 1),
	EVENT("sb_strv_alloc.fm_tgr", 0xd7, 0x10, 1),
	EVENT("sb_strv_occ.nm_rd", 0xd8, 0x01, 32),
	EVENT("sb_strv_occ.fm_rd", 0xd8, 0x02, 32),
	EVENT("sb_strv_occ.nm_wr", 0xd8, 0x04, 32),
	EVENT("sb_strv_occ.fm_wr", 0xd8, 0x08, 32),
	EVENT("sb_strv_occ.fm_tgr", 0xd8, 0x10, 32),
	EVENT("sb_canary.alloc", 0xd9, 0x01, 1),
	EVENT("sb_canary.dealloc", 0xd9, 0x02, 1),
	EVENT("sb_canary.vld", 0xd9, 0x04, 1),
	EVENT("sb_canary.nm_rd_starved", 0xd9, 0x08, 1),
	EVENT("sb_canary.nm_wr_starved", 0xd9, 0x10, 1),
	EVENT("sb_canary.fm_rd_starved", 0xd9, 0x20, 1),
	EVENT("sb_canary.fm_wr_starved", 0xd9, 0x40, 1),
	EVENT("sb_canary.fm_tgr_wr_starved", 0xd9, 0x80, 1),
	EVENT("sb_pref_inserts.all", 0xda, 0x01, 1),
	EVENT("sb_pref_inserts.ddr", 0xda, 0x02, 1),
	EVENT("sb_pref_inserts.pmm", 0xda, 0x04, 1),
	EVENT("sb_pref_occupancy.all", 0xdb, 0x01, 32),
	EVENT("sb_pref_occupancy.ddr", 0xdb, 0x02, 32),
	EVENT("sb_pref_occupancy.pmm", 0xdb, 0x04, 32),
	EVENT("sb_tagged.new", 0xdd, 0x01, 1),
	EVENT("sb_tagged.rd_hit", 0xdd, 0x02, 1),
	EVENT("sb_tagged.rd_miss", 0xdd, 0x04, 1),
	EVENT("sb_tagged.ddr4_cmp", 0xdd, 0x08, 1),
	EVENT("sb_tagged.pmm0_cmp", 0xdd, 0x10, 1),
	EVENT("sb_tagged.pmm1_cmp", 0xdd, 0x20, 1),
	EVENT("sb_tagged.pmm2_cmp", 0xdd, 0x40, 1),
	EVENT("sb_tagged.occ", 0xdd, 0x80, 1),
	EVENT("sb_strv_dealloc.nm_rd", 0xde, 0x01, 1),
	EVENT("sb_strv_dealloc.fm_rd", 0xde, 0x02, 1),
	EVENT("sb_strv_dealloc.nm_wr", 0xde, 0x04, 1),
	EVENT("sb_strv_dealloc.fm_wr", 0xde, 0x08, 1),
	EVENT("sb_strv_dealloc.fm_tgr", 0xde, 0x10, 1),
	EVENT("pmm_rpq_occupancy.all_sch0", 0xe0, 0x01, 32),
	EVENT("pmm_rpq_occupancy.all_sch1", 0xe0, 0x02, 32),
	EVENT("pmm_rpq_occupancy.no_gnt_sch0", 0xe0, 0x04, 32),
	EVENT("pmm_rpq_occupancy.no_gnt_sch1", 0xe0, 0x08, 32),
	EVENT("pmm_rpq_occupancy.gnt_wait_sch0", 0xe0, 0x10, 32),
	EVENT("pmm_rpq_occupancy.gnt_wait_sch1", 0xe0, 0x20, 32),
	EVENT("pmm_rpq_inserts", 0xe3, 0x00, 1),
	EXACT("pmm_wpq_occupancy.all_sch0", 0xe4, 0x01, 32),
	EXACT("pmm_wpq_occupancy.all_sch1", 0xe4, 0x02, 32),
	EXACT("pmm_wpq_occupancy.all", 0xe4, 0x03, 32),
	EXACT("pmm_wpq_occupancy.cas", 0xe4, 0x0c, 32),
	EXACT("pmm_wpq_occupancy.pwr", 0xe4, 0x30, 32),
	EVENT("pmm_wpq_cycles_ne", 0xe5, 0x00, 1),
	EVENT("pmm_wpq_inserts", 0xe7, 0x00, 1),
};
static const struct unc_sim_sum spr_sums[] = {
	{.name = "pre_count.rd", .code = 0x03, .umask = 0x11},
	{.name = "pre_count.wr", .code = 0x03, .umask = 0x22},
	{.name = "pre_count.ufill", .code = 0x03, .umask = 0x44},
	{.name = "pre_count.pgt", .code = 0x03, .umask = 0x88},
	{.name = "pre_count.all", .code = 0x03, .umask = 0xff},
	{.name = "cas_count.rd", .code = 0x05, .umask = 0xcf},
	{.name = "cas_count.wr", .code = 0x05, .umask = 0xf0},
	{.name = "cas_count.all", .code = 0x05, .umask = 0xff},
	{.name = "rdb_inserts", .code = 0x17, .umask = 0x03},
	{.name = "rdb_ne", .code = 0x18, .umask = 0x03},
	{.name = "rdb_not_empty", .code = 0x18, .umask = 0x03},
	{.name = "dram_refresh.panic", .code = 0x45, .umask = 0x12},
	{.name = "dram_refresh.panic_all", .code = 0x45, .umask = 0x12},
	{.name = "dram_refresh.high", .code = 0x45, .umask = 0x24},
	{.name = "dram_refresh.high_all", .code = 0x45, .umask = 0x24},
	{.name = "sb_accesses.accepts", .code = 0xd2, .umask = 0x05},
	{.name = "sb_accesses.rejects", .code = 0xd2, .umask = 0x0a},
};
/* clang-format on */

/* clang-format off */
#define SPR_FUNCTIONS \
	UBOX_AND_BASE(0x3250, 0x3251), \
	DISCOVERY, \
	CHANNEL(0, 0, MEM0 + 0x22800), CHANNEL(0, 1, MEM0 + 0x2a800), \
	CHANNEL(1, 0, MEM1 + 0x22800), CHANNEL(1, 1, MEM1 + 0x2a800), \
	CHANNEL(2, 0, MEM2 + 0x22800), CHANNEL(2, 1, MEM2 + 0x2a800), \
	CHANNEL(3, 0, MEM3 + 0x22800), CHANNEL(3, 1, MEM3 + 0x2a800)
static const struct unc_sim_function spr_functions[] = {SPR_FUNCTIONS};
#define HBM_CHANNEL(n, ch) \
	{.kind = UNC_SIM_IMC, .imc = 4 + (n), .channel = ch, .at = SCF + 0x141c00 + 0x9000 * (n) + 0x4000 * (ch), .hbm = true}
#define HBM_4_IMCS(n) \
	HBM_CHANNEL(n, 0), HBM_CHANNEL(n, 1), HBM_CHANNEL((n) + 1, 0), HBM_CHANNEL((n) + 1, 1), \
	HBM_CHANNEL((n) + 2, 0), HBM_CHANNEL((n) + 2, 1), HBM_CHANNEL((n) + 3, 0), HBM_CHANNEL((n) + 3, 1)
static const struct unc_sim_function sprhbm_functions[] = {
	SPR_FUNCTIONS, HBM_4_IMCS(0), HBM_4_IMCS(4), HBM_4_IMCS(8), HBM_4_IMCS(12),
};
/* clang-format on */

/* Linux, PCM and LIKWID: freeze in bit 0 reads back, resets in bits 8 and 9, and no enable bit. LIKWID sets bit 20 of controls. */
static const struct unc_sim_pmon spr_pmon = {
	.ctl_writable = 0xff94ffff, /* ev_sel, umask, edge_det 18, 20, invert 23, thresh */
	.fixed_writable = 0x00500000,
	.box_frz = 0x00000001,
	.box_rst_ctrl = 0x00000100,
	.box_rst_ctrs = 0x00000200,
	.no_en = true,
};

static const struct unc_sim_memory spr_memory = {.kind = UNC_SIM_MEMORY_PAIRS,
						 .scf = SCF,
						 .bars = MEMS,
						 .bar_bytes = MEM_BYTES,
						 .mode = 0x22800 - 0x20ef8,
						 .dimm = 0x22800 - 0x2080c,
						 .hbm_mode = 0x1c00 - 0xef8};

/* Xeon w9-3475X, Sapphire Rapids ("SPR"): four controllers of two channels. Leaf 0x1f answers what 0xb answers. */

/* As read on an Intel Xeon w9-3475X (806F8); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf spr_leaves[] = {
	{0x0, 0, {0x00000020, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x000806f8, 0x00800800, 0x7ffefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x00feff01, 0x000000f0, 0x00000000, 0x00000000}},
	{0x4, 0, {0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0xfc004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0xfc004143, 0x03c0003f, 0x000007ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0xfc1fc163, 0x0380003f, 0x00015fff, 0x00000004}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00001020}},
	{0x6, 0, {0x0045cef7, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000002, 0xf3bfbffb, 0xbb417fee, 0xffdd4430}},
	{0x7, 1, {0x00001c30, 0x00000000, 0x00000000, 0x00000000}},
	{0x7, 2, {0x00000000, 0x00000000, 0x00000000, 0x00000017}},
	{0xa, 0, {0x08300805, 0x00000000, 0x0000000f, 0x00008604}},
	{0xd, 0, {0x000602e7, 0x00002b00, 0x00002b00, 0x00000000}},
	{0xd, 1, {0x0000001f, 0x00002a80, 0x0000dd00, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xd, 5, {0x00000040, 0x00000440, 0x00000000, 0x00000000}},
	{0xd, 6, {0x00000200, 0x00000480, 0x00000000, 0x00000000}},
	{0xd, 7, {0x00000400, 0x00000680, 0x00000000, 0x00000000}},
	{0xd, 8, {0x00000080, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 9, {0x00000008, 0x00000a80, 0x00000000, 0x00000000}},
	{0xd, 0xa, {0x00000008, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xb, {0x00000010, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xc, {0x00000018, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xe, {0x00000030, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xf, {0x00000328, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0x11, {0x00000040, 0x00000ac0, 0x00000002, 0x00000000}},
	{0xd, 0x12, {0x00002000, 0x00000b00, 0x00000006, 0x00000000}},
	{0xf, 0, {0x00000000, 0x0000015f, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000008, 0x00016000, 0x0000015f, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x0000000e, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000e, 0x00006000, 0x00000004, 0x0000000e}}, /* ways, ways shared with I/O, highest CLOS */
	/*
	 * The dump lacks these leaves and says there is L2 CAT and MBA (10.0 EBX bits 2 and 3). verify: 16 ways, 8
	 * CLOS; as on Skylake-SP.
	 */
	{0x10, 2, {0x0000000f, 0x00000000, 0x00000000, 0x00000007}},
	{0x10, 3, {0x00000059, 0x00000000, 0x00000004, 0x00000007}},
	{0x14, 0, {0x00000001, 0x0000005f, 0x00000007, 0x00000000}},
	{0x14, 1, {0x02490002, 0x003f003f, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000b0, 0x017d7840, 0x00000000}}, /* TSC per crystal clock */
	{0x16, 0, {0x00000898, 0x000012c0, 0x00000064, 0x00000000}}, /* MHz: base, highest, bus */
	{0x18, 0, {0x00000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x18, 1, {0x00000000, 0x00080001, 0x00000020, 0x00004022}},
	{0x18, 2, {0x00000000, 0x00080006, 0x00000004, 0x00004022}},
	{0x18, 3, {0x00000000, 0x0010000f, 0x00000001, 0x00004125}},
	{0x18, 4, {0x00000000, 0x00040001, 0x00000010, 0x00004024}},
	{0x18, 5, {0x00000000, 0x00040006, 0x00000008, 0x00004024}},
	{0x18, 6, {0x00000000, 0x00080008, 0x00000001, 0x00004124}},
	{0x18, 7, {0x00000000, 0x00080007, 0x00000080, 0x00004043}},
	{0x18, 8, {0x00000000, 0x00080009, 0x00000080, 0x00004043}},
	{0x1b, 0, {0x00000001, 0x00000001, 0x00000000, 0x00000000}},
	{0x1c, 0, {0x4000000b, 0x00000007, 0x00000007, 0x00000000}},
	{0x1d, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0x1d, 1, {0x04002000, 0x00080040, 0x00000010, 0x00000000}},
	{0x1e, 0, {0x00000000, 0x00004010, 0x00000000, 0x00000000}},
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
	/* "Intel(R) Xeon(R) w9-3475X" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x2d397720, 0x35373433, 0x00000058, 0x00000000}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x08007040, 0x00000000}}, /* + L3s */
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000392e, 0x00000200, 0x00000000, 0x00000000}}, /* + threads, and APIC id bits for them */
};

/* clang-format off */
#define SPR_MODEL \
	LAKE_MODEL, .l3_bytes = UINT64_C(0x16000) * 15 * 64, /* sets, ways: leaf 4; 82.5 MB */ \
	.tsc_hz = 2200000000, .pmon = &spr_pmon, \
	.rdt = &(const struct unc_sim_rdt){ \
		.max_rmid = 0x15f, .upscale = 0x16000, .events = 0x7, .width = 32, .n_clos = 15}
/* clang-format on */

const struct unc_sim_model unc_sim_spr = {
	.name = "spr",
	.on = UNC_SIM_ON_SPR,
	SPR_MODEL,
	.memory = &spr_memory,
	.ubox = {.node_id = 0xc0, .node_map = 0xd4},
	UNC_SIM_TABLE(functions, spr_functions),
	UNC_SIM_TABLE(events, spr_events),
	UNC_SIM_TABLE(sums, spr_sums),
	UNC_SIM_TABLE(leaves, spr_leaves),
};

/* Xeon Max 9480, Sapphire Rapids with 16 more controllers of two channels, for HBM in the package: EDAC, PCM. */

/* verify: no dump of one was at hand. All other leaves are those of a w9-3475X. */
static const struct unc_sim_leaf sprhbm_leaves[] = {
	/* "Intel(R) Xeon(R) CPU Max 9480" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x55504320, 0x78614d20, 0x38343920, 0x00000030}},
};

const struct unc_sim_model unc_sim_sprhbm = {
	.name = "sprhbm",
	.on = UNC_SIM_ON_SPR,
	SPR_MODEL,
	.memory = &spr_memory,
	.ubox = {.node_id = 0xc0, .node_map = 0xd4},
	UNC_SIM_TABLE(functions, sprhbm_functions),
	UNC_SIM_TABLE(events, spr_events),
	UNC_SIM_TABLE(sums, spr_sums),
	UNC_SIM_TABLE(leaves, sprhbm_leaves),
	.like = &unc_sim_spr,
};

/* Xeon Platinum 8592+, Emerald Rapids ("EMR"). */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Sapphire Rapids. */
static const struct unc_sim_leaf emr_leaves[] = {
	{0x1, 0, {0x000c06f2, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "INTEL(R) XEON(R) PLATINUM 8592+" */
	{0x80000002, 0, {0x45544e49, 0x2952284c, 0x4f455820, 0x2952284e}},
	{0x80000003, 0, {0x414c5020, 0x554e4954, 0x3538204d, 0x002b3239}},
};

const struct unc_sim_model unc_sim_emr = {
	.name = "emr",
	.on = UNC_SIM_ON_SPR,
	SPR_MODEL,
	.memory = &spr_memory,
	.ubox = {.node_id = 0xc0, .node_map = 0xd4},
	UNC_SIM_TABLE(functions, spr_functions),
	UNC_SIM_TABLE(events, spr_events),
	UNC_SIM_TABLE(sums, spr_sums),
	UNC_SIM_TABLE(leaves, emr_leaves),
	.like = &unc_sim_spr,
};

/* clang-format off */
/* Rows that not all of the parts have; each ends with a comma. */
#define GNR_CAS(sch, code) \
	CAS(sch ".rd_reg", code, 0x01, UNC_SIM_FROM_READ, 8, 1, 2), \
	CAS(sch ".rd_pre_reg", code, 0x02, UNC_SIM_FROM_EVENTS, 0, 0, 2), \
	CAS(sch ".rd_underfill", code, 0x04, UNC_SIM_FROM_READ, 1, 0, 2), \
	CAS(sch ".rd_pre_underfill", code, 0x08, UNC_SIM_FROM_EVENTS, 0, 0, 2), \
	CAS(sch ".wr_nonpre", code, 0x10, UNC_SIM_FROM_WRITE, 8, 1, 2), \
	CAS(sch ".wr_pre", code, 0x20, UNC_SIM_FROM_WRITE, 1, 0, 2),
#define GRR_CAS(sch, code) \
	CAS(sch ".rd_reg", code, 0x01, UNC_SIM_FROM_READ, 8, 1, 2), \
	CAS(sch ".rd_underfill", code, 0x04, UNC_SIM_FROM_READ, 1, 0, 2), \
	CAS(sch ".wr_nonpre", code, 0x10, UNC_SIM_FROM_WRITE, 8, 1, 2), \
	CAS(sch ".wr_pre", code, 0x20, UNC_SIM_FROM_WRITE, 1, 0, 2),
#define SELF_REFRESH \
	EVENT("self_refresh.enter_success_cycles", 0x43, 0x01, 1), \
	EVENT("self_refresh.enter_success", 0x43, 0x02, 1),
#define REFRATE \
	EVENT("mntcmd_refrate.refab1x", 0x72, 0x01, 1), \
	EVENT("mntcmd_refrate.refsb1x", 0x72, 0x02, 1), \
	EVENT("mntcmd_refrate.refab2x", 0x72, 0x04, 1), \
	EVENT("mntcmd_refrate.refsb2x", 0x72, 0x08, 1),
#define GNR_EVENTS(cas, self_refresh, refrate) \
	{.name = "hclockticks", .code = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT | UNC_SIM_HALF | UNC_SIM_NUMBER | UNC_SIM_AGAIN}, \
	{.name = "clockticks", .code = 0x01, .umask = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT | UNC_SIM_NUMBER}, \
	EVENT("act_count.rd", 0x02, 0x01, 1), \
	EVENT("act_count.wr", 0x02, 0x02, 1), \
	EVENT("act_count.ufill", 0x02, 0x04, 1), \
	EVENT("pre_count.rd", 0x03, 0x01, 1), \
	EVENT("pre_count.wr", 0x03, 0x02, 1), \
	EVENT("pre_count.ufill", 0x03, 0x04, 1), \
	EVENT("pre_count.pgt", 0x03, 0x08, 1), \
	cas("cas_count_sch0", 0x05) \
	cas("cas_count_sch1", 0x06) \
	EVENT("rpq_inserts.sch0_pch0", 0x10, 0x10, 1), \
	EVENT("rpq_inserts.sch0_pch1", 0x10, 0x20, 1), \
	EVENT("rpq_inserts.sch1_pch0", 0x10, 0x40, 1), \
	EVENT("rpq_inserts.sch1_pch1", 0x10, 0x80, 1), \
	EVENT("rdb_inserts.sch0", 0x17, 0x40, 1), \
	EVENT("rdb_inserts.sch1", 0x17, 0x80, 1), \
	EVENT("rdb_occupancy_sch0", 0x1a, 0x00, 32), \
	EVENT("rdb_occupancy_sch1", 0x1b, 0x00, 32), \
	EVENT("wpq_inserts.sch0_pch0", 0x22, 0x10, 1), \
	EVENT("wpq_inserts.sch0_pch1", 0x22, 0x20, 1), \
	EVENT("wpq_inserts.sch1_pch0", 0x22, 0x40, 1), \
	EVENT("wpq_inserts.sch1_pch1", 0x22, 0x80, 1), \
	self_refresh \
	EVENT("power_throttle_cycles.bw_slot0", 0x46, 0x01, 1), \
	EVENT("power_throttle_cycles.bw_slot1", 0x46, 0x02, 1), \
	EVENT("power_throttle_cycles.raplblk", 0x46, 0x04, 1), \
	EVENT("power_throttle_cycles.mr4blken", 0x46, 0x08, 1), \
	EVENT("powerdown_cycles.sch0_rank0", 0x47, 0x01, 1), \
	EVENT("powerdown_cycles.sch0_rank1", 0x47, 0x02, 1), \
	EVENT("powerdown_cycles.sch0_rank2", 0x47, 0x04, 1), \
	EVENT("powerdown_cycles.sch0_rank3", 0x47, 0x08, 1), \
	EVENT("powerdown_cycles.sch1_rank0", 0x47, 0x10, 1), \
	EVENT("powerdown_cycles.sch1_rank1", 0x47, 0x20, 1), \
	EVENT("powerdown_cycles.sch1_rank2", 0x47, 0x40, 1), \
	EVENT("powerdown_cycles.sch1_rank3", 0x47, 0x80, 1), \
	refrate \
	EVENT("rpq_occupancy_sch0_pch0", 0x80, 0x00, 32), \
	EVENT("rpq_occupancy_sch0_pch1", 0x81, 0x00, 32), \
	EVENT("rpq_occupancy_sch1_pch0", 0x82, 0x00, 32), \
	EVENT("rpq_occupancy_sch1_pch1", 0x83, 0x00, 32), \
	EVENT("wpq_occupancy_sch0_pch0", 0x84, 0x00, 32), \
	EVENT("wpq_occupancy_sch0_pch1", 0x85, 0x00, 32), \
	EVENT("wpq_occupancy_sch1_pch0", 0x86, 0x00, 32), \
	EVENT("wpq_occupancy_sch1_pch1", 0x87, 0x00, 32), \
	EVENT("power_channel_ppd_cycles", 0x88, 0x00, 1), \
	EVENT("power_critical_throttle_cycles.slot0", 0x89, 0x01, 1), \
	EVENT("power_critical_throttle_cycles.slot1", 0x89, 0x02, 1), \
	EVENT("throttle_low_cycles.slot0", 0x8b, 0x01, 1), \
	EVENT("throttle_low_cycles.slot1", 0x8b, 0x02, 1), \
	EVENT("throttle_mid_cycles.slot0", 0x8c, 0x01, 1), \
	EVENT("throttle_mid_cycles.slot1", 0x8c, 0x02, 1), \
	EVENT("throttle_high_cycles.slot0", 0x8d, 0x01, 1), \
	EVENT("throttle_high_cycles.slot1", 0x8d, 0x02, 1), \
	EVENT("throttle_crit_cycles.slot0", 0x8e, 0x01, 1), \
	EVENT("throttle_crit_cycles.slot1", 0x8e, 0x02, 1), \
	EVENT("pdc_mr4active_cycles.sch0_dimm0", 0xa6, 0x01, 1), \
	EVENT("pdc_mr4active_cycles.sch0_dimm1", 0xa6, 0x02, 1), \
	EVENT("pdc_mr4active_cycles.sch1_dimm0", 0xa6, 0x04, 1), \
	EVENT("pdc_mr4active_cycles.sch1_dimm1", 0xa6, 0x08, 1), \
	EVENT("mr4_2xref_cycles.sch0_dimm0", 0xa7, 0x01, 1), \
	EVENT("mr4_2xref_cycles.sch0_dimm1", 0xa7, 0x02, 1), \
	EVENT("mr4_2xref_cycles.sch1_dimm0", 0xa7, 0x04, 1), \
	EVENT("mr4_2xref_cycles.sch1_dimm1", 0xa7, 0x08, 1)
static const struct unc_sim_event gnr_events[] = {GNR_EVENTS(GNR_CAS, SELF_REFRESH, REFRATE)};
static const struct unc_sim_event srf_events[] = {GNR_EVENTS(GNR_CAS, SELF_REFRESH, )}; /* Clearwater Forest, too */
static const struct unc_sim_event grr_events[] = {GNR_EVENTS(GRR_CAS, , )};
#define GRR_SUMS \
	{.name = "act_count.all", .code = 0x02, .umask = 0xf7}, \
	{.name = "pre_count.all", .code = 0x03, .umask = 0xff}, \
	{.name = "cas_count_sch0.rd", .code = 0x05, .umask = 0xcf}, \
	{.name = "cas_count_sch0.wr", .code = 0x05, .umask = 0xf0}, \
	{.name = "cas_count_sch0.all", .code = 0x05, .umask = 0xff}, \
	{.name = "cas_count_sch1.rd", .code = 0x06, .umask = 0xcf}, \
	{.name = "cas_count_sch1.wr", .code = 0x06, .umask = 0xf0}, \
	{.name = "cas_count_sch1.all", .code = 0x06, .umask = 0xff}, \
	{.name = "rpq_inserts.pch0", .code = 0x10, .umask = 0x50}, \
	{.name = "rpq_inserts.pch1", .code = 0x10, .umask = 0xa0}, \
	{.name = "wpq_inserts.pch0", .code = 0x22, .umask = 0x50}, \
	{.name = "wpq_inserts.pch1", .code = 0x22, .umask = 0xa0}
static const struct unc_sim_sum grr_sums[] = {GRR_SUMS};
static const struct unc_sim_sum gnr_sums[] = {
	GRR_SUMS,
	{.name = "cas_count_sch0.rd_non_underfill", .code = 0x05, .umask = 0xc3},
	{.name = "cas_count_sch0.rd_underfill_all", .code = 0x05, .umask = 0xcc},
	{.name = "cas_count_sch1.rd_non_underfill", .code = 0x06, .umask = 0xc3},
	{.name = "cas_count_sch1.rd_underfill_all", .code = 0x06, .umask = 0xcc},
};
/* clang-format on */

/* Xeon 6 6980P, Granite Rapids ("GNR"): twelve controllers of one channel, which has two sub-channels. */

/* clang-format off */
#define GNR_CHANNEL(mc)  CHANNEL(mc, 0, SCF + 0x24e800 + 0x4000 * (mc))
#define GNRD_CHANNEL(mc) CHANNEL(mc, 0, SCF + 0x208800 + 0x4000 * (mc))
/* Function 0 is there so that the device is looked at; no list at hand says what it is. */
#define GNR_PCI \
	UNC_SIM_FN_SYSTEM(0, 0x00, 0, 0x3250, 0x04), \
	{UNC_SIM_FN(0, 0x00, 1, 0x3251, 0x04, UNC_SIM_CLASS_SYSTEM, UNC_SIM_BASE)}, \
	DISCOVERY
#define GNR_12_CHANNELS \
	GNR_CHANNEL(0), GNR_CHANNEL(1), GNR_CHANNEL(2), GNR_CHANNEL(3), GNR_CHANNEL(4), GNR_CHANNEL(5), \
	GNR_CHANNEL(6), GNR_CHANNEL(7), GNR_CHANNEL(8), GNR_CHANNEL(9), GNR_CHANNEL(10), GNR_CHANNEL(11)
static const struct unc_sim_function gnr_functions[] = {GNR_PCI, GNR_12_CHANNELS};
/* Only the table tells where its counters are. */
static const struct unc_sim_function cwf_functions[] = {DISCOVERY, GNR_12_CHANNELS};
static const struct unc_sim_function gnrd_functions[] = {
	GNR_PCI,
	GNRD_CHANNEL(0), GNRD_CHANNEL(1), GNRD_CHANNEL(2), GNRD_CHANNEL(3),
	GNRD_CHANNEL(4), GNRD_CHANNEL(5), GNRD_CHANNEL(6), GNRD_CHANNEL(7),
};
static const struct unc_sim_function grr_functions[] = {GNR_PCI, GNR_CHANNEL(0), GNR_CHANNEL(1)};
/* clang-format on */

static const struct unc_sim_memory gnr_memory = {
	.kind = UNC_SIM_MEMORY_SINGLE, .scf = SCF, .mode = 0x24e800 - 0x24caf8, .dimm = 0x24e800 - 0x24cc0c};

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Sapphire Rapids. */
static const struct unc_sim_leaf gnr_leaves[] = {
	{0x1, 0, {0x000a06d1, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Intel(R) Xeon(R) 6980P" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x38393620, 0x00005030, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_gnr = {
	.name = "gnr",
	.on = UNC_SIM_ON_GNR,
	SPR_MODEL,
	.memory = &gnr_memory,
	UNC_SIM_TABLE(functions, gnr_functions),
	UNC_SIM_TABLE(events, gnr_events),
	UNC_SIM_TABLE(sums, gnr_sums),
	UNC_SIM_TABLE(leaves, gnr_leaves),
	.like = &unc_sim_spr,
};

/* The following have what Linux, EDAC or PCM say of channels, and else what Granite Rapids has here. */

/* Xeon 6726P-B, Granite Rapids-D of stepping 1: eight channels, elsewhere (PCM alone). */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Sapphire Rapids. */
static const struct unc_sim_leaf gnrd_leaves[] = {
	{0x1, 0, {0x000a06e1, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Intel(R) Xeon(R) 6726P-B" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x32373620, 0x422d5036, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_gnrd = {
	.name = "gnrd",
	.on = UNC_SIM_ON_GNR,
	SPR_MODEL,
	.memory = &gnr_memory,
	UNC_SIM_TABLE(functions, gnrd_functions),
	UNC_SIM_TABLE(events, gnr_events),
	UNC_SIM_TABLE(sums, gnr_sums),
	UNC_SIM_TABLE(leaves, gnrd_leaves),
	.like = &unc_sim_spr,
};

/* Xeon 6780E, Sierra Forest ("SRF"). */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Sapphire Rapids. */
static const struct unc_sim_leaf srf_leaves[] = {
	{0x1, 0, {0x000a06f3, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Intel(R) Xeon(R) 6780E" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x38373620, 0x00004530, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_srf = {
	.name = "srf",
	.on = UNC_SIM_ON_GNR,
	SPR_MODEL,
	.memory = &gnr_memory,
	UNC_SIM_TABLE(functions, gnr_functions),
	UNC_SIM_TABLE(events, srf_events),
	UNC_SIM_TABLE(sums, gnr_sums),
	UNC_SIM_TABLE(leaves, srf_leaves),
	.like = &unc_sim_spr,
};

/* Grand Ridge ("GRR"): two channels (PCM alone). */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Sapphire Rapids. */
static const struct unc_sim_leaf grr_leaves[] = {
	{0x1, 0, {0x000b0660, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Genuine Intel(R) 0000" */
	{0x80000002, 0, {0x756e6547, 0x20656e69, 0x65746e49, 0x2952286c}},
	{0x80000003, 0, {0x30303020, 0x00000030, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_grr = {
	.name = "grr",
	.on = UNC_SIM_ON_GNR,
	SPR_MODEL,
	.memory = &gnr_memory,
	UNC_SIM_TABLE(functions, grr_functions),
	UNC_SIM_TABLE(events, grr_events),
	UNC_SIM_TABLE(sums, grr_sums),
	UNC_SIM_TABLE(leaves, grr_leaves),
	.like = &unc_sim_spr,
};

/* Clearwater Forest ("CWF"). No source has its SCF_BAR, so that it has no such register here. */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Sapphire Rapids. */
static const struct unc_sim_leaf cwf_leaves[] = {
	{0x1, 0, {0x000d06d0, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Genuine Intel(R) 0000" */
	{0x80000002, 0, {0x756e6547, 0x20656e69, 0x65746e49, 0x2952286c}},
	{0x80000003, 0, {0x30303020, 0x00000030, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_cwf = {
	.name = "cwf",
	.on = UNC_SIM_ON_GNR,
	SPR_MODEL,
	.memory = &gnr_memory,
	UNC_SIM_TABLE(functions, cwf_functions),
	UNC_SIM_TABLE(events, srf_events),
	UNC_SIM_TABLE(sums, gnr_sums),
	UNC_SIM_TABLE(leaves, cwf_leaves),
	.like = &unc_sim_spr,
};

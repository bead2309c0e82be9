// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Ice Lake-SP and those like it, whose counters are in memory: Ice Lake-D, Snow Ridge.
 *
 * Codes and umasks are those of Intel's event lists, under the names that these give. No source has maximum increments: here they are
 * 32 for a number of entries, else 1. Where a list has only the umask of several sub-events together, the model has these as one.
 */
#include "sim/model_memory.h"

/* clang-format off */
/* Without those of persistent memory, and of DRAM as its cache: all that Snow Ridge has. */
#define SNR_EVENTS \
	{.name = "clockticks", .code = 0x00, .umask = 0x00, .max_inc = 1, .flags = UNC_SIM_CONSTANT}, \
	EXACT("act_count.byp", 0x01, 0x08, 1), \
	EXACT("act_count.all", 0x01, 0x0b, 1), \
	EVENT("pre_count.rd", 0x02, 0x04, 1), \
	EVENT("pre_count.wr", 0x02, 0x08, 1), \
	EVENT("pre_count.pgt", 0x02, 0x10, 1), \
	CAS("cas_count.rd_reg", 0x04, 0x01, UNC_SIM_FROM_READ, 16, 1, 4), \
	CAS("cas_count.rd_pre_reg", 0x04, 0x02, UNC_SIM_FROM_EVENTS, 0, 0, 4), \
	CAS("cas_count.rd_underfill", 0x04, 0x04, UNC_SIM_FROM_READ, 1, 0, 4), \
	CAS("cas_count.rd_pre_underfill", 0x04, 0x08, UNC_SIM_FROM_EVENTS, 0, 0, 4), \
	CAS("cas_count.wr_nonpre", 0x04, 0x10, UNC_SIM_FROM_WRITE, 16, 2, 4), \
	CAS("cas_count.wr_pre", 0x04, 0x20, UNC_SIM_FROM_WRITE, 2, 0, 4), \
	EVENT("rpq_inserts.pch0", 0x10, 0x01, 1), \
	EVENT("rpq_inserts.pch1", 0x10, 0x02, 1), \
	EVENT("rpq_cycles_ne.pch0", 0x11, 0x01, 1), \
	EVENT("rpq_cycles_ne.pch1", 0x11, 0x02, 1), \
	EVENT("rpq_cycles_full_pch0", 0x12, 0x00, 1), \
	EVENT("rpq_cycles_full_pch1", 0x15, 0x00, 1), \
	EVENT("wpq_cycles_full_pch1", 0x16, 0x00, 1), \
	EVENT("rdb_inserts", 0x17, 0x00, 1), \
	EVENT("rdb_not_empty", 0x18, 0x00, 1), \
	EVENT("rdb_full", 0x19, 0x00, 1), \
	EVENT("rdb_occupancy", 0x1a, 0x00, 32), \
	EVENT("wpq_inserts.pch0", 0x20, 0x01, 1), \
	EVENT("wpq_inserts.pch1", 0x20, 0x02, 1), \
	EVENT("wpq_cycles_ne.pch0", 0x21, 0x01, 1), \
	EVENT("wpq_cycles_ne.pch1", 0x21, 0x02, 1), \
	EVENT("wpq_cycles_full_pch0", 0x22, 0x00, 1), \
	EVENT("wpq_read_hit.pch0", 0x23, 0x01, 1), \
	EVENT("wpq_read_hit.pch1", 0x23, 0x02, 1), \
	EVENT("wpq_write_hit.pch0", 0x24, 0x01, 1), \
	EVENT("wpq_write_hit.pch1", 0x24, 0x02, 1), \
	EVENT("parity_errors", 0x2c, 0x00, 1), \
	EVENT("power_self_refresh", 0x43, 0x00, 1), \
	EVENT("dram_pre_all", 0x44, 0x00, 1), \
	EVENT("dram_refresh.opportunistic", 0x45, 0x01, 1), \
	EVENT("dram_refresh.panic", 0x45, 0x02, 1), \
	EVENT("dram_refresh.high", 0x45, 0x04, 1), \
	EVENT("power_throttle_cycles.slot0", 0x46, 0x01, 1), \
	EVENT("power_throttle_cycles.slot1", 0x46, 0x02, 1), \
	EVENT("power_cke_cycles.low_0", 0x47, 0x01, 1), \
	EVENT("power_cke_cycles.low_1", 0x47, 0x02, 1), \
	EVENT("power_cke_cycles.low_2", 0x47, 0x04, 1), \
	EVENT("power_cke_cycles.low_3", 0x47, 0x08, 1), \
	EVENT("rpq_occupancy_pch0", 0x80, 0x00, 32), \
	EVENT("rpq_occupancy_pch1", 0x81, 0x00, 32), \
	EVENT("wpq_occupancy_pch0", 0x82, 0x00, 32), \
	EVENT("wpq_occupancy_pch1", 0x83, 0x00, 32), \
	EVENT("power_channel_ppd", 0x85, 0x00, 1), \
	EVENT("power_crit_throttle_cycles.slot0", 0x86, 0x01, 1), \
	EVENT("power_crit_throttle_cycles.slot1", 0x86, 0x02, 1), \
	EVENT("pcls.rd", 0xa0, 0x01, 1), \
	EVENT("pcls.wr", 0xa0, 0x02, 1), \
	EVENT("pcls.total", 0xa0, 0x04, 1)
static const struct unc_sim_event icx_events[] = {
	SNR_EVENTS,
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
	EVENT("sb_pref_occupancy.pmem", 0xdb, 0x04, 32),
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
	EVENT("pmm_rpq_occupancy.all", 0xe0, 0x01, 32),
	EVENT("pmm_rpq_occupancy.no_gnt", 0xe0, 0x02, 32),
	EVENT("pmm_rpq_occupancy.gnt_wait", 0xe0, 0x04, 32),
	EVENT("pmm_rpq_cycles_ne", 0xe1, 0x00, 1),
	EVENT("pmm_rpq_cycles_full", 0xe2, 0x00, 1),
	EVENT("pmm_rpq_inserts", 0xe3, 0x00, 1),
	EVENT("pmm_wpq_occupancy.all", 0xe4, 0x01, 32),
	EVENT("pmm_wpq_occupancy.cas", 0xe4, 0x02, 32),
	EVENT("pmm_wpq_occupancy.pwr", 0xe4, 0x04, 32),
	EVENT("pmm_wpq_cycles_ne", 0xe5, 0x00, 1),
	EVENT("pmm_wpq_cycles_full", 0xe6, 0x00, 1),
	EVENT("pmm_wpq_inserts", 0xe7, 0x00, 1),
	EVENT("pmm_wpq_flush", 0xe8, 0x00, 1),
	EVENT("pmm_wpq_flush_cyc", 0xe9, 0x00, 1),
	EVENT("pmm_cmd1.all", 0xea, 0x01, 1),
	EVENT("pmm_cmd1.rd", 0xea, 0x02, 1),
	EVENT("pmm_cmd1.wr", 0xea, 0x04, 1),
	EVENT("pmm_cmd1.ufill_rd", 0xea, 0x08, 1),
	EVENT("pmm_cmd1.rpq_gnts", 0xea, 0x10, 1),
	EVENT("pmm_cmd1.wpq_gnts", 0xea, 0x20, 1),
	EVENT("pmm_cmd1.misc_gnt", 0xea, 0x40, 1),
	EVENT("pmm_cmd1.misc", 0xea, 0x80, 1),
	EVENT("pmm_cmd2.opp_rd", 0xeb, 0x01, 1),
	EVENT("pmm_cmd2.nodata_exp", 0xeb, 0x02, 1),
	EVENT("pmm_cmd2.nodata_unexp", 0xeb, 0x04, 1),
	EVENT("pmm_cmd2.reqs_slot0", 0xeb, 0x08, 1),
	EVENT("pmm_cmd2.reqs_slot1", 0xeb, 0x10, 1),
	EVENT("pmm_cmd2.pmm_ecc_error", 0xeb, 0x20, 1),
	EVENT("pmm_cmd2.pmm_erid_error", 0xeb, 0x40, 1),
	EVENT("pmm_cmd2.pmm_erid_starved", 0xeb, 0x80, 1),
};
#define SNR_SUMS \
	{.name = "pre_count.page_miss", .code = 0x02, .umask = 0x0c}, \
	{.name = "pre_count.all", .code = 0x02, .umask = 0x1c}, \
	{.name = "cas_count.rd", .code = 0x04, .umask = 0x0f}, \
	{.name = "cas_count.wr", .code = 0x04, .umask = 0x30}, \
	{.name = "cas_count.all", .code = 0x04, .umask = 0x3f}
static const struct unc_sim_sum icx_sums[] = {
	SNR_SUMS,
	{.name = "sb_accesses.accepts", .code = 0xd2, .umask = 0x05},
	{.name = "sb_accesses.rejects", .code = 0xd2, .umask = 0x0a},
	{.name = "sb_accesses.nmrd_cmps", .code = 0xd2, .umask = 0x10},
	{.name = "sb_accesses.nmwr_cmps", .code = 0xd2, .umask = 0x20},
	{.name = "sb_accesses.fmrd_cmps", .code = 0xd2, .umask = 0x40},
	{.name = "sb_accesses.fmwr_cmps", .code = 0xd2, .umask = 0x80},
	{.name = "sb_strv_alloc.nmrd", .code = 0xd7, .umask = 0x01},
	{.name = "sb_strv_alloc.fmrd", .code = 0xd7, .umask = 0x02},
	{.name = "sb_strv_alloc.nmwr", .code = 0xd7, .umask = 0x04},
	{.name = "sb_strv_alloc.fmwr", .code = 0xd7, .umask = 0x08},
	{.name = "sb_strv_alloc.fmtgr", .code = 0xd7, .umask = 0x10},
	{.name = "sb_strv_occ.nmrd", .code = 0xd8, .umask = 0x01},
	{.name = "sb_strv_occ.fmrd", .code = 0xd8, .umask = 0x02},
	{.name = "sb_strv_occ.nmwr", .code = 0xd8, .umask = 0x04},
	{.name = "sb_strv_occ.fmwr", .code = 0xd8, .umask = 0x08},
	{.name = "sb_strv_occ.fmtgr", .code = 0xd8, .umask = 0x10},
	{.name = "sb_canary.nmrd_starved", .code = 0xd9, .umask = 0x08},
	{.name = "sb_canary.nmwr_starved", .code = 0xd9, .umask = 0x10},
	{.name = "sb_canary.fmrd_starved", .code = 0xd9, .umask = 0x20},
	{.name = "sb_canary.fmwr_starved", .code = 0xd9, .umask = 0x40},
	{.name = "sb_canary.fmtgrwr_starved", .code = 0xd9, .umask = 0x80},
	{.name = "sb_pref_occupancy.pmm", .code = 0xdb, .umask = 0x04},
	{.name = "sb_strv_dealloc.nmrd", .code = 0xde, .umask = 0x01},
	{.name = "sb_strv_dealloc.fmrd", .code = 0xde, .umask = 0x02},
	{.name = "sb_strv_dealloc.nmwr", .code = 0xde, .umask = 0x04},
	{.name = "sb_strv_dealloc.fmwr", .code = 0xde, .umask = 0x08},
	{.name = "sb_strv_dealloc.fmtgr", .code = 0xde, .umask = 0x10},
};

static const struct unc_sim_function icx_functions[] = {
	UBOX_AND_BASE(0x3450, 0x3451),
	CHANNEL(0, 0, MEM0 + 0x22800), CHANNEL(0, 1, MEM0 + 0x26800), FREE(0, MEM0 + 0x2290),
	CHANNEL(1, 0, MEM1 + 0x22800), CHANNEL(1, 1, MEM1 + 0x26800), FREE(1, MEM1 + 0x2290),
	CHANNEL(2, 0, MEM2 + 0x22800), CHANNEL(2, 1, MEM2 + 0x26800), FREE(2, MEM2 + 0x2290),
	CHANNEL(3, 0, MEM3 + 0x22800), CHANNEL(3, 1, MEM3 + 0x26800), FREE(3, MEM3 + 0x2290),
};

static const struct unc_sim_event snr_events[] = {SNR_EVENTS};
static const struct unc_sim_sum snr_sums[] = {SNR_SUMS};
static const struct unc_sim_function snr_functions[] = {
	UBOX_AND_BASE(0x3460, 0x3451),
	CHANNEL(0, 0, MEM0 + 0x22800), CHANNEL(0, 1, MEM0 + 0x26800), FREE(0, MEM0 + 0x2290),
};
/* clang-format on */

void unc_sim_lake_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain,
		      uint8_t *ret_bus)
{
	struct unc_sim_seat seat = unc_sim_seat_of(options, socket);
	unsigned shares = 2;

	(void)slot;
	while (shares < seat.n)
		shares *= 2;
	*ret_domain = seat.domain;
	*ret_bus = (uint8_t)(256 / shares * (seat.nth + 1) - 2);
}

/*
 * The registers of Haswell-EP at other offsets (Linux, PCM, LIKWID); the fixed counter counts every second cycle, as PCM doubles it.
 * What an access to a reserved bit does, no document at hand says.
 */
static const struct unc_sim_pmon icx_pmon = {
	.ctl_writable = 0xffd4ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, invert 23, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00500000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.frz_needs_en = false,
	.box_accepted = 0x00010000,
	.status_writable = 0x1f,
	.fixed_halves = true,
};

/* 64-byte reads and writes of both channels: as the events of all reads and all writes. */
/* clang-format off */
#define LAKE_MEMORY \
	.kind = UNC_SIM_MEMORY_LAKE, .scf = SCF, .bar_bytes = MEM_BYTES, .mode = 0x22800 - 0x20ef8, .dimm = 0x22800 - 0x2080c, \
	.has_status = true, .free_read = 0x0f04, .free_write = 0x3004, .free_clock = 0
/* clang-format on */
static const struct unc_sim_memory icx_memory = {LAKE_MEMORY, .bars = MEMS};
static const struct unc_sim_memory snr_memory = {LAKE_MEMORY, .bars = {MEM0}};

/* Xeon Platinum 8351N, Ice Lake-SP ("ICX"): four controllers of two channels. */

/* As read on a machine of one Intel Xeon Platinum 8351N (606A6); sim/cpus.c fills in what depends on the CPU (marked +). */
static const struct unc_sim_leaf icx_leaves[] = {
	{0x0, 0, {0x0000001b, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x000606a6, 0x00800800, 0x7ffefbff, 0xbfebfbff}}, /* + APIC ids */
	{0x2, 0, {0x00feff01, 0x000000f0, 0x00000000, 0x00000000}},
	{0x4, 0, {0xfc004121, 0x02c0003f, 0x0000003f, 0x00000000}}, /* L1 data, + cores */
	{0x4, 1, {0xfc004122, 0x01c0003f, 0x0000003f, 0x00000000}}, /* L1 instructions */
	{0x4, 2, {0xfc004143, 0x04c0003f, 0x000003ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0xfc1fc163, 0x02c0003f, 0x00011fff, 0x00000004}}, /* L3, + threads that share it */
	{0x5, 0, {0x00000040, 0x00000040, 0x00000003, 0x00001020}},
	{0x6, 0, {0x00000077, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000000, 0xf3bfbfff, 0x40417f4e, 0xbc040412}},
	{0xa, 0, {0x08300805, 0x00000000, 0x0000000f, 0x00008604}},
	{0xd, 0, {0x000002e7, 0x00000a80, 0x00000a88, 0x00000000}},
	{0xd, 1, {0x0000000f, 0x00000a00, 0x00000100, 0x00000000}},
	{0xd, 2, {0x00000100, 0x00000240, 0x00000000, 0x00000000}},
	{0xd, 5, {0x00000040, 0x00000440, 0x00000000, 0x00000000}},
	{0xd, 6, {0x00000200, 0x00000480, 0x00000000, 0x00000000}},
	{0xd, 7, {0x00000400, 0x00000680, 0x00000000, 0x00000000}},
	{0xd, 8, {0x00000080, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 9, {0x00000008, 0x00000a80, 0x00000000, 0x00000000}},
	{0xf, 0, {0x00000000, 0x0000011f, 0x00000000, 0x00000002}},  /* highest RMID of any resource; L3 is monitored */
	{0xf, 1, {0x00000008, 0x00012000, 0x0000011f, 0x00000007}},  /* bytes per unit, highest RMID, events */
	{0x10, 0, {0x00000000, 0x0000000a, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000b, 0x00000c00, 0x00000000, 0x0000000e}}, /* ways, ways shared with I/O, highest CLOS */
	/* The dump lacks this leaf and says there is MBA (10.0 EBX bit 3). verify: as on Skylake-SP. */
	{0x10, 3, {0x00000059, 0x00000000, 0x00000004, 0x00000007}},
	{0x14, 0, {0x00000001, 0x0000000f, 0x00000007, 0x00000000}},
	{0x14, 1, {0x02490002, 0x003f1fff, 0x00000000, 0x00000000}},
	{0x15, 0, {0x00000002, 0x000000c0, 0x00000000, 0x00000000}}, /* TSC per crystal clock */
	{0x16, 0, {0x00000960, 0x00000dac, 0x00000064, 0x00000000}}, /* MHz: base, highest, bus */
	{0x18, 0, {0x00000007, 0x00000000, 0x00000000, 0x00000000}},
	{0x18, 1, {0x00000000, 0x00080007, 0x00000001, 0x00004122}},
	{0x18, 2, {0x00000000, 0x0010000f, 0x00000001, 0x00004125}},
	{0x18, 3, {0x00000000, 0x00040001, 0x00000010, 0x00004024}},
	{0x18, 4, {0x00000000, 0x00040006, 0x00000008, 0x00004024}},
	{0x18, 5, {0x00000000, 0x00080008, 0x00000001, 0x00004124}},
	{0x18, 6, {0x00000000, 0x00080007, 0x00000080, 0x00004043}},
	{0x18, 7, {0x00000000, 0x00080009, 0x00000080, 0x00004043}},
	{0x1b, 0, {0x00000001, 0x00000001, 0x00000000, 0x00000000}},
	{0x80000000, 0, {0x80000008, 0x00000000, 0x00000000, 0x00000000}},
	{0x80000001, 0, {0x00000000, 0x00000000, 0x00000121, 0x2c100000}},
	/* "Intel(R) Xeon(R) Platinum 8351N CPU @ 2.40GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x616c5020, 0x756e6974, 0x3338206d, 0x204e3135}},
	{0x80000004, 0, {0x20555043, 0x2e322040, 0x48473034, 0x0000007a}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x01006040, 0x00000000}}, /* + L3s */
	{0x80000007, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000100}},
	{0x80000008, 0, {0x0000392e, 0x00000200, 0x00000000, 0x00000000}}, /* + threads, and APIC id bits for them */
};

/* clang-format off */
#define ICX_MODEL \
	LAKE_MODEL, .l3_bytes = 54 << 20, .tsc_hz = 2400000000, .pmon = &icx_pmon, .ubox = {.node_id = 0xc0, .node_map = 0xd4}, \
	.rdt = &(const struct unc_sim_rdt){ \
		.max_rmid = 0x11f, .upscale = 0x12000, .events = 0x7, .width = 32, .n_clos = 15}
/* clang-format on */

const struct unc_sim_model unc_sim_icx = {
	.name = "icx",
	.on = UNC_SIM_ON_ICX,
	ICX_MODEL,
	.memory = &icx_memory,
	UNC_SIM_TABLE(functions, icx_functions),
	UNC_SIM_TABLE(events, icx_events),
	UNC_SIM_TABLE(sums, icx_sums),
	UNC_SIM_TABLE(leaves, icx_leaves),
};

/* Xeon D-2796TE, Ice Lake-D: EDAC has two channels of a controller as here, PCM three. */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Ice Lake-SP. */
static const struct unc_sim_leaf icxd_leaves[] = {
	{0x1, 0, {0x000606c1, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Intel(R) Xeon(R) D-2796TE CPU @ 2.00GHz" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f655820, 0x2952286e}},
	{0x80000003, 0, {0x322d4420, 0x54363937, 0x50432045, 0x20402055}},
	{0x80000004, 0, {0x30302e32, 0x007a4847, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_icxd = {
	.name = "icxd",
	.on = UNC_SIM_ON_ICX,
	ICX_MODEL,
	.memory = &icx_memory,
	UNC_SIM_TABLE(functions, icx_functions),
	UNC_SIM_TABLE(events, icx_events),
	UNC_SIM_TABLE(sums, icx_sums),
	UNC_SIM_TABLE(leaves, icxd_leaves),
	.like = &unc_sim_icx,
};

/* Atom P5942B, Snow Ridge ("SNR"): one controller of two channels. */

/* verify: no dump of one was at hand. Model and stepping are what Linux says; all other leaves are those of Ice Lake-SP. */
static const struct unc_sim_leaf snr_leaves[] = {
	{0x1, 0, {0x00080665, 0x00800800, 0x7ffefbff, 0xbfebfbff}},
	/* "Intel(R) Atom(R) P5942B" */
	{0x80000002, 0, {0x65746e49, 0x2952286c, 0x6f744120, 0x2952286d}},
	{0x80000003, 0, {0x39355020, 0x00423234, 0x00000000, 0x00000000}},
	{0x80000004, 0, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},
};

const struct unc_sim_model unc_sim_snr = {
	.name = "snr",
	.on = UNC_SIM_ON_ICX,
	ICX_MODEL,
	.memory = &snr_memory,
	UNC_SIM_TABLE(functions, snr_functions),
	UNC_SIM_TABLE(events, snr_events),
	UNC_SIM_TABLE(sums, snr_sums),
	UNC_SIM_TABLE(leaves, snr_leaves),
	.like = &unc_sim_icx,
};

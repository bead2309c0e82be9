// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Xeons whose counters are in memory: Ice Lake-SP, Sapphire Rapids, Granite Rapids, and those like them; from
 * Sapphire Rapids on also in discovery tables.
 *
 * Codes and umasks are those of Intel's event lists, under the names that these give. No source has maximum increments:
 * here they are 32 for a number of entries, else 1. Where a list has only the umask of several sub-events together, the
 * model has these as one.
 */
#include "sim/discovery.h"
#include "sim/model_parts.h"

/*
 * Where firmware puts the four controllers; their numbers are made up, and their size is that of a machine that was
 * seen.
 */
enum { MEM0 = 0x300000, MEM1 = 0x360000, MEM2 = 0x3c0000, MEM3 = 0x420000, MEM_BYTES = 0x51000, SCF = 0x100000 };

/* clang-format off */
/* The UBOX and, beside it, the function that tells where the registers of the socket are: Linux, EDAC, PCM. */
#define FN_BASE(id)              {FN(0, 0x00, 1, id, 0x04, CLASS_SYSTEM, UNC_SIM_BASE)}
#define CHANNEL(mc, ch, offset)  {.kind = UNC_SIM_IMC, .imc = mc, .channel = ch, .at = offset}
#define FREE(mc, offset)         {.kind = UNC_SIM_FREE, .imc = mc, .at = offset}
#define IMC(mc, mem, ch1)        CHANNEL(mc, 0, (mem) + 0x22800), CHANNEL(mc, 1, (mem) + (ch1))

/*
 * A CAS moves 64 bytes. Of the reads of a load 1 in 16 is an underfill read (1 in 8 where a sub-channel has half of
 * them); of the writes 1 in 8 counts as one with auto-precharge. These shares are made up for these models.
 */
#define CAS_RD(n, c, all, dclks)       CAS(n ".rd_reg", c, 0x01, UNC_SIM_FROM_READ, all, 1, dclks)
#define CAS_UFILL(n, c, dclks)         CAS(n ".rd_underfill", c, 0x04, UNC_SIM_FROM_READ, 1, 0, dclks)
#define CAS_WR(n, c, all, pre, dclks) \
	CAS(n ".wr_nonpre", c, 0x10, UNC_SIM_FROM_WRITE, all, pre, dclks), \
	CAS(n ".wr_pre", c, 0x20, UNC_SIM_FROM_WRITE, pre, 0, dclks)
#define CAS_ALL(n, c, all, pre, dclks) \
	CAS_RD(n, c, all, dclks), \
	CAS(n ".rd_pre_reg", c, 0x02, UNC_SIM_FROM_EVENTS, 0, 0, dclks), \
	CAS_UFILL(n, c, dclks), \
	CAS(n ".rd_pre_underfill", c, 0x08, UNC_SIM_FROM_EVENTS, 0, 0, dclks), \
	CAS_WR(n, c, all, pre, dclks)

/* What Ice Lake-SP and Sapphire Rapids have in common. */
#define EVENTS_46_TO_86 \
	SUB_2("power_throttle_cycles", 0x46, 0x01, 1, "slot0", "slot1"), \
	SUB_4("power_cke_cycles", 0x47, 0x01, 1, "low_0", "low_1", "low_2", "low_3"), \
	EVENT("rpq_occupancy_pch0", 0x80, 32), \
	EVENT("rpq_occupancy_pch1", 0x81, 32), \
	EVENT("wpq_occupancy_pch0", 0x82, 32), \
	EVENT("wpq_occupancy_pch1", 0x83, 32), \
	EVENT("power_channel_ppd", 0x85, 1), \
	SUB_2("power_crit_throttle_cycles", 0x86, 0x01, 1, "slot0", "slot1")
#define EVENTS_D0_TO_DA \
	EVENT("sb_cycles_ne", 0xd0, 1), \
	EVENT("sb_cycles_full", 0xd1, 1), \
	SUB_8("sb_accesses", 0xd2, 0x01, 1, "rd_accepts", "rd_rejects", "wr_accepts", "wr_rejects", "nm_rd_cmps", \
	      "nm_wr_cmps", "fm_rd_cmps", "fm_wr_cmps"), \
	SUB_5("tagchk", 0xd3, 0x01, 1, "hit", "miss_clean", "miss_dirty", "nm_rd_hit", "nm_wr_hit"), \
	SUB_4("sb_reject", 0xd4, 0x01, 1, "nm_set_cnflt", "fm_addr_cnflt", "patrol_set_cnflt", "canary"), \
	SUB_1("sb_reject", 0xd4, 0x20, 1, "ddr_early_cmp"), \
	SUB_1("sb_occupancy", 0xd5, 0x01, 32, "rds"), \
	SUB_2("sb_occupancy", 0xd5, 0x04, 32, "pmm_rds", "pmm_wrs"), \
	SUB_2("sb_occupancy", 0xd5, 0x20, 32, "block_rds", "block_wrs"), \
	SUB_6("sb_inserts", 0xd6, 0x01, 1, "rds", "wrs", "pmm_rds", "pmm_wrs", "block_rds", "block_wrs"), \
	SUB_5("sb_strv_alloc", 0xd7, 0x01, 1, "nm_rd", "fm_rd", "nm_wr", "fm_wr", "fm_tgr"), \
	SUB_5("sb_strv_occ", 0xd8, 0x01, 32, "nm_rd", "fm_rd", "nm_wr", "fm_wr", "fm_tgr"), \
	SUB_8("sb_canary", 0xd9, 0x01, 1, "alloc", "dealloc", "vld", "nm_rd_starved", "nm_wr_starved", \
	      "fm_rd_starved", "fm_wr_starved", "fm_tgr_wr_starved"), \
	SUB_3("sb_pref_inserts", 0xda, 0x01, 1, "all", "ddr", "pmm")
#define EVENTS_DD_TO_DE \
	SUB_8("sb_tagged", 0xdd, 0x01, 1, "new", "rd_hit", "rd_miss", "ddr4_cmp", "pmm0_cmp", "pmm1_cmp", "pmm2_cmp", "occ"), \
	SUB_5("sb_strv_dealloc", 0xde, 0x01, 1, "nm_rd", "fm_rd", "nm_wr", "fm_wr", "fm_tgr")
#define ACCESSES_SUMS SUM("sb_accesses.accepts", 0xd2, 0x05), SUM("sb_accesses.rejects", 0xd2, 0x0a)

/* A cycle is a whole number of ticks; DDR4-2400 has 1200 MHz, and DDR5-4800 a quarter of its rate. */
#define MEMORY_MODEL \
	.sockets = 1, .cores = 36, .threads = 2, .apic = UNC_SIM_APIC_DENSE, .apic_shift = 7, .has_snc = true, \
	.ticks_per_cycle = 10, .config_bytes = 4096, \
	/* 7e and fe on one and two sockets, as such machines have them; what more have is made up. */ \
	.buses = {-2}, .bus_shares = 2

/* Ice Lake-SP; without the events of persistent memory, and of DRAM as its cache, Snow Ridge, too. */

#define SNR_EVENTS \
	CLOCK, \
	EXACT("act_count.byp", 0x01, 0x08, 1), \
	EXACT("act_count.all", 0x01, 0x0b, 1), \
	SUB_3("pre_count", 0x02, 0x04, 1, "rd", "wr", "pgt"), \
	CAS_ALL("cas_count", 0x04, 16, 2, 4), \
	SUB_2("rpq_inserts", 0x10, 0x01, 1, "pch0", "pch1"), \
	SUB_2("rpq_cycles_ne", 0x11, 0x01, 1, "pch0", "pch1"), \
	EVENT("rpq_cycles_full_pch0", 0x12, 1), \
	EVENT("rpq_cycles_full_pch1", 0x15, 1), \
	EVENT("wpq_cycles_full_pch1", 0x16, 1), \
	EVENT("rdb_inserts", 0x17, 1), \
	EVENT("rdb_not_empty", 0x18, 1), \
	EVENT("rdb_full", 0x19, 1), \
	EVENT("rdb_occupancy", 0x1a, 32), \
	SUB_2("wpq_inserts", 0x20, 0x01, 1, "pch0", "pch1"), \
	SUB_2("wpq_cycles_ne", 0x21, 0x01, 1, "pch0", "pch1"), \
	EVENT("wpq_cycles_full_pch0", 0x22, 1), \
	SUB_2("wpq_read_hit", 0x23, 0x01, 1, "pch0", "pch1"), \
	SUB_2("wpq_write_hit", 0x24, 0x01, 1, "pch0", "pch1"), \
	EVENT("parity_errors", 0x2c, 1), \
	EVENT("power_self_refresh", 0x43, 1), \
	EVENT("dram_pre_all", 0x44, 1), \
	SUB_3("dram_refresh", 0x45, 0x01, 1, "opportunistic", "panic", "high"), \
	EVENTS_46_TO_86, \
	SUB_3("pcls", 0xa0, 0x01, 1, "rd", "wr", "total")
static const struct unc_sim_event snr_events[] = {SNR_EVENTS};
static const struct unc_sim_event icx_events[] = {
	SNR_EVENTS,
	EVENTS_D0_TO_DA,
	SUB_3("sb_pref_occupancy", 0xdb, 0x01, 32, "all", "ddr", "pmem"),
	EVENTS_DD_TO_DE,
	SUB_3("pmm_rpq_occupancy", 0xe0, 0x01, 32, "all", "no_gnt", "gnt_wait"),
	EVENTS_E1_TO_E7,
	EVENT("pmm_wpq_flush", 0xe8, 1),
	EVENT("pmm_wpq_flush_cyc", 0xe9, 1),
	SUB_8("pmm_cmd1", 0xea, 0x01, 1, "all", "rd", "wr", "ufill_rd", "rpq_gnts", "wpq_gnts", "misc_gnt", "misc"),
	SUB_8("pmm_cmd2", 0xeb, 0x01, 1, "opp_rd", "nodata_exp", "nodata_unexp", "reqs_slot0", "reqs_slot1",
	      "pmm_ecc_error", "pmm_erid_error", "pmm_erid_starved"),
};

#define SNR_SUMS \
	SUM("pre_count.page_miss", 0x02, 0x0c), \
	SUM("pre_count.all", 0x02, 0x1c), \
	SUM("cas_count.rd_non_underfill", 0x04, 0x03), \
	SUM("cas_count.rd_underfill_all", 0x04, 0x0c), \
	CAS_SUMS("cas_count", 0x04, 0x0f, 0x30)
static const struct unc_sim_sum snr_sums[] = {SNR_SUMS};
/* Other names of sub-events: the first one has the given bit, each later one the next bit. */
#define NAMES_4(n, c, bit, a, b, d, e) \
	SUM(n "." a, c, bit), SUM(n "." b, c, 2 * (bit)), SUM(n "." d, c, 4 * (bit)), SUM(n "." e, c, 8 * (bit))
static const struct unc_sim_sum icx_sums[] = {
	SNR_SUMS,
	ACCESSES_SUMS,
	NAMES_4("sb_accesses", 0xd2, 0x10, "nmrd_cmps", "nmwr_cmps", "fmrd_cmps", "fmwr_cmps"),
	NAMES_4("sb_strv_alloc", 0xd7, 0x01, "nmrd", "fmrd", "nmwr", "fmwr"),
	SUM("sb_strv_alloc.fmtgr", 0xd7, 0x10),
	NAMES_4("sb_strv_occ", 0xd8, 0x01, "nmrd", "fmrd", "nmwr", "fmwr"),
	SUM("sb_strv_occ.fmtgr", 0xd8, 0x10),
	NAMES_4("sb_canary", 0xd9, 0x08, "nmrd_starved", "nmwr_starved", "fmrd_starved", "fmwr_starved"),
	SUM("sb_canary.fmtgrwr_starved", 0xd9, 0x80),
	SUM("sb_pref_occupancy.pmm", 0xdb, 0x04),
	NAMES_4("sb_strv_dealloc", 0xde, 0x01, "nmrd", "fmrd", "nmwr", "fmwr"),
	SUM("sb_strv_dealloc.fmtgr", 0xde, 0x10),
};

/*
 * These functions exist because PCM and LIKWID look for them: M2M of each controller, and the links between sockets. As on
 * Skylake-SP, firmware and kernels look for no other function of a device without function 0.
 */
#define M2M_OF(id, mc) {FN(0, 0x0c + (mc), 0, id, 0x04, CLASS_SYSTEM, UNC_SIM_M2M), .imc = mc}
#define M2M(id) M2M_OF(id, 0), M2M_OF(id, 1), M2M_OF(id, 2), M2M_OF(id, 3)
#define UPI(dev) FN_SYSTEM(0, dev, 0, 0x3440, 0x04), FN_PERF(0, dev, 1, 0x3441, 0x04)

#define ICX_IMC(mc, mem) IMC(mc, mem, 0x26800), FREE(mc, (mem) + 0x2290)
static const struct unc_sim_function icx_functions[] = {
	FN_UBOX(0, 0x00, 0, 0x3450, 0x04),
	FN_BASE(0x3451),
	UPI(0x02), UPI(0x03), UPI(0x04),
	M2M(0x344a),
	ICX_IMC(0, MEM0), ICX_IMC(1, MEM1), ICX_IMC(2, MEM2), ICX_IMC(3, MEM3),
};
static const struct unc_sim_function snr_functions[] = {
	FN_UBOX(0, 0x00, 0, 0x3460, 0x04),
	FN_BASE(0x3451),
	M2M_OF(0x344a, 0),
	ICX_IMC(0, MEM0),
};

/* 64-byte reads and writes of both channels: as the events of all reads and all writes, also of Optane modules. */
#define ICX_MEMORY \
	.kind = UNC_SIM_MEMORY_LAKE, .scf = SCF, .bar_bytes = MEM_BYTES, .mode = 0x22800 - 0x20ef8, .dimm = 0x22800 - 0x2080c, \
	.has_status = true, .free_clock = 0
/* clang-format on */
#define ICX_4_IMCS .bars = {MEM0, MEM1, MEM2, MEM3}, .ddrt = 0x22800 - 0x20970, .free = {0x0f04, 0x3004, 0x00e3, 0x00e7}
static const struct unc_sim_memory icx_memory = {ICX_MEMORY, ICX_4_IMCS};
/* PCM and Linux have three channels on a controller of Ice Lake-D; here the third one is not there (EDAC). */
static const struct unc_sim_memory icxd_memory = {ICX_MEMORY, ICX_4_IMCS, .hole = 0x28000};
static const struct unc_sim_memory snr_memory = {ICX_MEMORY, .bars = {MEM0}, .free = {0x0f04, 0x3004}};

/*
 * The registers of Haswell-EP at other offsets (Linux, PCM, LIKWID); the fixed counter counts every second cycle, as PCM
 * doubles it. What an access to a reserved bit does, no document at hand says.
 */
static const struct unc_sim_pmon icx_pmon = {
	.ctl_writable = 0xffd4ffff, /* ev_sel, umask, edge_det 18, ov_en 20, en 22, invert 23, thresh */
	.ctl_rst = 0x00020000,
	.fixed_writable = 0x00500000,
	.box_rst_ctrl = 0x00000001,
	.box_rst_ctrs = 0x00000002,
	.box_accepted = 0x00010000,
	.status_writable = 0x1f,
	.fixed_halves = true,
};

/* As read on a machine of one Intel Xeon Platinum 8351N (606A6), as far as it differs from a Platinum 8180. */
static const struct unc_sim_leaf icx_leaves[] = {
	{0x0, 0, {0x0000001b, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x1, 0, {0x00000000, 0x00800800, 0x7ffefbff, 0xbfebfbff}}, /* + signature, APIC ids */
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
	{0x10, 1, {0x0000000b, 0x00000c00, 0x00000000, 0x0000000e}}, /* ways, ways shared with I/O, highest CLOS */
	/* The dump lacks this leaf and says there is MBA (10.0 EBX bit 3). verify: as on Skylake-SP. */
	{0x10, 3, {0x00000059, 0x00000000, 0x00000004, 0x00000007}},
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
	{0x80000008, 0, {0x0000392e, 0x00000200, 0x00000000, 0x00000000}}, /* + threads, and APIC id bits for them */
	{0xd, 3, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},        /* it has none */
	{0xd, 4, {0x00000000, 0x00000000, 0x00000000, 0x00000000}},        /* it has none */
};

/* clang-format off */
#define ICX_MODEL(imcs, what, sum_of) \
	CHANNELS(imcs, what, sum_of), MEMORY_MODEL, \
	.on = UNC_SIM_ON_ICX, .l3_bytes = 54 << 20, .tsc_hz = 2400000000, .pmon = &icx_pmon, \
	.ubox = {.node_id = 0xc0, .node_map = 0xd4}, \
	.freeze = {.msr = 0x700, .frz_all = UINT64_C(1) << 63, .unfrz_all = UINT64_C(1) << 61}, \
	RDT(0x11f, 0x12000, 0x7, 32, 15)
/* clang-format on */

/* Ice Lake-SP ("ICX"): four controllers of two channels. */
const struct unc_sim_model unc_sim_icx = {
	PART("icx", "Ice Lake-SP", 0x000606a6, "Intel(R) Xeon(R) Platinum 8351N CPU @ 2.40GHz"),
	ICX_MODEL(icx_functions, icx_events, icx_sums),
	.memory = &icx_memory,
	CPUID_LIKE(unc_sim_skx, icx_leaves),
};

/*
 * Ice Lake-D. verify: no dump of one was at hand, here and below where there are no leaves. Model and stepping are what
 * Linux says.
 */
const struct unc_sim_model unc_sim_icxd = {
	PART("icxd", "Ice Lake-D", 0x000606c1, "Intel(R) Xeon(R) D-2796TE CPU @ 2.00GHz"),
	ICX_MODEL(icx_functions, icx_events, icx_sums),
	.memory = &icxd_memory,
	.like = &unc_sim_icx,
};

/* Snow Ridge ("SNR"): one controller of two channels. */
const struct unc_sim_model unc_sim_snr = {
	PART("snr", "Snow Ridge", 0x00080665, "Intel(R) Atom(R) P5942B"),
	ICX_MODEL(snr_functions, snr_events, snr_sums),
	.memory = &snr_memory,
	.like = &unc_sim_icx,
};

/* clang-format off */
/* Sapphire Rapids. */

#define DCLK \
	{.name = "hclockticks", .code = 0x01, .max_inc = 1, \
	 .flags = UNC_SIM_CONSTANT | UNC_SIM_HALF | UNC_SIM_NUMBER | UNC_SIM_AGAIN}, \
	{.name = "clockticks", .code = 0x01, .umask = 0x01, .max_inc = 1, .flags = UNC_SIM_CONSTANT | UNC_SIM_NUMBER}
static const struct unc_sim_event spr_events[] = {
	DCLK,
	EXACT("act_count.all", 0x02, 0xff, 1),
	SUB_8("pre_count", 0x03, 0x01, 1, "rd_pch0", "wr_pch0", "ufill_pch0", "pgt_pch0", "rd_pch1", "wr_pch1",
	      "ufill_pch1", "pgt_pch1"),
	CAS_ALL("cas_count", 0x05, 16, 2, 2),
	EXACT("cas_count.pch0", 0x05, 0x40, 1),
	EXACT("cas_count.pch1", 0x05, 0x80, 1),
	SUB_6("cas_issued_req_len", 0x06, 0x01, 1, "rd_64b", "rd_ufill_64b", "wr_64b", "rd_32b", "rd_ufill_32b", "wr_32b"),
	EXACT("cas_issued_req_len.pch0", 0x06, 0x40, 1),
	EXACT("cas_issued_req_len.pch1", 0x06, 0x80, 1),
	EVENT("ecc_correctable_errors", 0x09, 1),
	SUB_2("rpq_inserts", 0x10, 0x01, 1, "pch0", "pch1"),
	SUB_2("rdb_inserts", 0x17, 0x01, 1, "pch0", "pch1"),
	SUB_2("rdb_ne", 0x18, 0x01, 1, "pch0", "pch1"),
	EVENT("rdb_full", 0x19, 1),
	EVENT("rdb_occupancy", 0x1a, 32),
	SUB_2("wpq_inserts", 0x20, 0x01, 1, "pch0", "pch1"),
	EVENT("wpq_read_hit", 0x23, 1),
	EVENT("wpq_write_hit", 0x24, 1),
	EVENT("power_self_refresh", 0x43, 1),
	EXACT("dram_pre_all", 0x44, 0x03, 1),
	SUB_2("dram_refresh", 0x45, 0x02, 1, "panic_pch0", "high_pch0"),
	SUB_2("dram_refresh", 0x45, 0x10, 1, "panic_pch1", "high_pch1"),
	EVENTS_46_TO_86,
	EXACT("pcls.rd", 0xa0, 0x05, 1),
	EXACT("pcls.wr", 0xa0, 0x0a, 1),
	EXACT("pcls.total", 0xa0, 0x0f, 1),
	EVENTS_D0_TO_DA,
	SUB_3("sb_pref_occupancy", 0xdb, 0x01, 32, "all", "ddr", "pmm"),
	EVENTS_DD_TO_DE,
	SUB_6("pmm_rpq_occupancy", 0xe0, 0x01, 32, "all_sch0", "all_sch1", "no_gnt_sch0", "no_gnt_sch1",
	      "gnt_wait_sch0", "gnt_wait_sch1"),
	EVENT("pmm_rpq_inserts", 0xe3, 1),
	EXACT("pmm_wpq_occupancy.all_sch0", 0xe4, 0x01, 32),
	EXACT("pmm_wpq_occupancy.all_sch1", 0xe4, 0x02, 32),
	EXACT("pmm_wpq_occupancy.all", 0xe4, 0x03, 32),
	EXACT("pmm_wpq_occupancy.cas", 0xe4, 0x0c, 32),
	EXACT("pmm_wpq_occupancy.pwr", 0xe4, 0x30, 32),
	EVENT("pmm_wpq_cycles_ne", 0xe5, 1),
	EVENT("pmm_wpq_inserts", 0xe7, 1),
};

static const struct unc_sim_sum spr_sums[] = {
	NAMES_4("pre_count", 0x03, 0x11, "rd", "wr", "ufill", "pgt"),
	SUM("pre_count.all", 0x03, 0xff),
	SUM("cas_count.rd_non_underfill", 0x05, 0xc3),
	SUM("cas_count.rd_underfill_all", 0x05, 0xcc),
	CAS_SUMS("cas_count", 0x05, 0xcf, 0xf0),
	SUM("rdb_inserts", 0x17, 0x03),
	SUM("rdb_ne", 0x18, 0x03),
	SUM("rdb_not_empty", 0x18, 0x03),
	SUM("dram_refresh.panic", 0x45, 0x12),
	SUM("dram_refresh.panic_all", 0x45, 0x12),
	SUM("dram_refresh.high", 0x45, 0x24),
	SUM("dram_refresh.high_all", 0x45, 0x24),
	ACCESSES_SUMS,
};

#define DISCOVERY \
	{FN(0, 0x03, 0, 0x09a7, 0x04, CLASS_SYSTEM, UNC_SIM_DISCOVERY)}, \
	{.kind = UNC_SIM_UNITS, .at = UNC_SIM_DISCOVERY_AT}
#define SPR_FUNCTIONS \
	FN_UBOX(0, 0x00, 0, 0x3250, 0x04), \
	FN_BASE(0x3251), \
	DISCOVERY, \
	M2M(0x324a), \
	FN_SYSTEM(0, 0x1e, 0, 0x3258, 0x04), {FN(0, 0x1e, 3, 0x325b, 0x04, CLASS_SYSTEM, UNC_SIM_SLICES)}, \
	IMC(0, MEM0, 0x2a800), IMC(1, MEM1, 0x2a800), IMC(2, MEM2, 0x2a800), IMC(3, MEM3, 0x2a800)
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

/*
 * Linux, PCM and LIKWID: freeze in bit 0 reads back, resets in bits 8 and 9, and no enable bit. LIKWID sets bit 20 of
 * controls.
 */
static const struct unc_sim_pmon spr_pmon = {
	.ctl_writable = 0xff94ffff, /* ev_sel, umask, edge_det 18, 20, invert 23, thresh */
	.fixed_writable = 0x00500000,
	.box_frz = 0x00000001,
	.box_rst_ctrl = 0x00000100,
	.box_rst_ctrs = 0x00000200,
	.no_en = true,
};

static const struct unc_sim_memory spr_memory = {
	.kind = UNC_SIM_MEMORY_PAIRS,
	.scf = SCF,
	.bars = {MEM0, MEM1, MEM2, MEM3},
	.bar_bytes = MEM_BYTES,
	.mode = 0x22800 - 0x20ef8,
	.dimm = 0x22800 - 0x2080c,
	.hbm_mode = 0x1c00 - 0xef8,
};

/* As read on an Intel Xeon w9-3475X (806F8), as far as it differs from a Platinum 8351N. */
static const struct unc_sim_leaf spr_leaves[] = {
	{0x0, 0, {0x00000020, 0x756e6547, 0x6c65746e, 0x49656e69}},
	{0x4, 2, {0xfc004143, 0x03c0003f, 0x000007ff, 0x00000000}}, /* L2 */
	{0x4, 3, {0xfc1fc163, 0x0380003f, 0x00015fff, 0x00000004}}, /* L3, + threads that share it */
	{0x6, 0, {0x0045cef7, 0x00000002, 0x00000009, 0x00000000}},
	{0x7, 0, {0x00000002, 0xf3bfbffb, 0xbb417fee, 0xffdd4430}},
	{0x7, 1, {0x00001c30, 0x00000000, 0x00000000, 0x00000000}},
	{0x7, 2, {0x00000000, 0x00000000, 0x00000000, 0x00000017}},
	{0xd, 0, {0x000602e7, 0x00002b00, 0x00002b00, 0x00000000}},
	{0xd, 1, {0x0000001f, 0x00002a80, 0x0000dd00, 0x00000000}},
	{0xd, 0xa, {0x00000008, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xb, {0x00000010, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xc, {0x00000018, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xe, {0x00000030, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0xf, {0x00000328, 0x00000000, 0x00000001, 0x00000000}},
	{0xd, 0x11, {0x00000040, 0x00000ac0, 0x00000002, 0x00000000}},
	{0xd, 0x12, {0x00002000, 0x00000b00, 0x00000006, 0x00000000}},
	{0x10, 0, {0x00000000, 0x0000000e, 0x00000000, 0x00000000}}, /* resources that can be allocated */
	{0x10, 1, {0x0000000e, 0x00006000, 0x00000004, 0x0000000e}}, /* ways, ways shared with I/O, highest CLOS */
	/*
	 * The dump lacks these leaves and says there is L2 CAT and MBA (10.0 EBX bits 2 and 3). verify: 16 ways, 8
	 * CLOS; as on Skylake-SP.
	 */
	{0x10, 2, {0x0000000f, 0x00000000, 0x00000000, 0x00000007}},
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
	{0x1c, 0, {0x4000000b, 0x00000007, 0x00000007, 0x00000000}},
	{0x1d, 0, {0x00000001, 0x00000000, 0x00000000, 0x00000000}},
	{0x1d, 1, {0x04002000, 0x00080040, 0x00000010, 0x00000000}},
	{0x1e, 0, {0x00000000, 0x00004010, 0x00000000, 0x00000000}},
	{0x80000006, 0, {0x00000000, 0x00000000, 0x08007040, 0x00000000}}, /* + L3s */
};

/* clang-format off */
#define RAPIDS_MODEL \
	MEMORY_MODEL, .l3_bytes = UINT64_C(0x16000) * 15 * 64, /* sets, ways: leaf 4; 82.5 MB */ \
	.tsc_hz = 2200000000, .pmon = &spr_pmon, \
	RDT(0x15f, 0x16000, 0x7, 32, 15)
#define SPR_MODEL(imcs) \
	RAPIDS_MODEL, .on = UNC_SIM_ON_SPR, .memory = &spr_memory, .ubox = {.node_id = 0xc0, .node_map = 0xd4}, \
	.freeze = {.msr = 0x2ff0, .frz_all = 1}, \
	CHANNELS(imcs, spr_events, spr_sums)
/* clang-format on */

/* Sapphire Rapids ("SPR"): four controllers of two channels. Leaf 0x1f answers what 0xb answers. */
const struct unc_sim_model unc_sim_spr = {
	PART("spr", "Sapphire Rapids", 0x000806f8, "Intel(R) Xeon(R) w9-3475X"),
	SPR_MODEL(spr_functions),
	CPUID_LIKE(unc_sim_icx, spr_leaves),
};

/* Sapphire Rapids with 16 more controllers of two channels, for HBM in the package: EDAC, PCM. */
const struct unc_sim_model unc_sim_sprhbm = {
	PART("sprhbm", "Sapphire Rapids", 0x000806f8, "Intel(R) Xeon(R) CPU Max 9480"),
	SPR_MODEL(sprhbm_functions),
	.like = &unc_sim_spr,
};

/* Emerald Rapids ("EMR"). */
const struct unc_sim_model unc_sim_emr = {
	PART("emr", "Emerald Rapids", 0x000c06f2, "INTEL(R) XEON(R) PLATINUM 8592+"),
	SPR_MODEL(spr_functions),
	.like = &unc_sim_spr,
};

/* clang-format off */
/* Granite Rapids: twelve controllers of one channel, which has two sub-channels. */

/* Rows that not all of the parts have; each ends with a comma. */
#define GNR_CAS CAS_ALL("cas_count_sch0", 0x05, 8, 1, 2), CAS_ALL("cas_count_sch1", 0x06, 8, 1, 2),
#define GRR_CAS \
	CAS_RD("cas_count_sch0", 0x05, 8, 2), CAS_UFILL("cas_count_sch0", 0x05, 2), CAS_WR("cas_count_sch0", 0x05, 8, 1, 2), \
	CAS_RD("cas_count_sch1", 0x06, 8, 2), CAS_UFILL("cas_count_sch1", 0x06, 2), CAS_WR("cas_count_sch1", 0x06, 8, 1, 2),
#define SELF_REFRESH SUB_2("self_refresh", 0x43, 0x01, 1, "enter_success_cycles", "enter_success"),
#define REFRATE SUB_4("mntcmd_refrate", 0x72, 0x01, 1, "refab1x", "refsb1x", "refab2x", "refsb2x"),
#define GNR_EVENTS(cas, self_refresh, refrate) \
	DCLK, \
	SUB_3("act_count", 0x02, 0x01, 1, "rd", "wr", "ufill"), \
	SUB_4("pre_count", 0x03, 0x01, 1, "rd", "wr", "ufill", "pgt"), \
	cas \
	SUB_4("rpq_inserts", 0x10, 0x10, 1, "sch0_pch0", "sch0_pch1", "sch1_pch0", "sch1_pch1"), \
	SUB_2("rdb_inserts", 0x17, 0x40, 1, "sch0", "sch1"), \
	EVENT("rdb_occupancy_sch0", 0x1a, 32), \
	EVENT("rdb_occupancy_sch1", 0x1b, 32), \
	SUB_4("wpq_inserts", 0x22, 0x10, 1, "sch0_pch0", "sch0_pch1", "sch1_pch0", "sch1_pch1"), \
	self_refresh \
	SUB_4("power_throttle_cycles", 0x46, 0x01, 1, "bw_slot0", "bw_slot1", "raplblk", "mr4blken"), \
	SUB_8("powerdown_cycles", 0x47, 0x01, 1, "sch0_rank0", "sch0_rank1", "sch0_rank2", "sch0_rank3", \
	      "sch1_rank0", "sch1_rank1", "sch1_rank2", "sch1_rank3"), \
	refrate \
	EVENT("rpq_occupancy_sch0_pch0", 0x80, 32), \
	EVENT("rpq_occupancy_sch0_pch1", 0x81, 32), \
	EVENT("rpq_occupancy_sch1_pch0", 0x82, 32), \
	EVENT("rpq_occupancy_sch1_pch1", 0x83, 32), \
	EVENT("wpq_occupancy_sch0_pch0", 0x84, 32), \
	EVENT("wpq_occupancy_sch0_pch1", 0x85, 32), \
	EVENT("wpq_occupancy_sch1_pch0", 0x86, 32), \
	EVENT("wpq_occupancy_sch1_pch1", 0x87, 32), \
	EVENT("power_channel_ppd_cycles", 0x88, 1), \
	SUB_2("power_critical_throttle_cycles", 0x89, 0x01, 1, "slot0", "slot1"), \
	SUB_2("throttle_low_cycles", 0x8b, 0x01, 1, "slot0", "slot1"), \
	SUB_2("throttle_mid_cycles", 0x8c, 0x01, 1, "slot0", "slot1"), \
	SUB_2("throttle_high_cycles", 0x8d, 0x01, 1, "slot0", "slot1"), \
	SUB_2("throttle_crit_cycles", 0x8e, 0x01, 1, "slot0", "slot1"), \
	SUB_4("pdc_mr4active_cycles", 0xa6, 0x01, 1, "sch0_dimm0", "sch0_dimm1", "sch1_dimm0", "sch1_dimm1"), \
	SUB_4("mr4_2xref_cycles", 0xa7, 0x01, 1, "sch0_dimm0", "sch0_dimm1", "sch1_dimm0", "sch1_dimm1")
static const struct unc_sim_event gnr_events[] = {GNR_EVENTS(GNR_CAS, SELF_REFRESH, REFRATE)};
static const struct unc_sim_event srf_events[] = {GNR_EVENTS(GNR_CAS, SELF_REFRESH, )}; /* Clearwater Forest, too */
static const struct unc_sim_event grr_events[] = {GNR_EVENTS(GRR_CAS, , )};

#define GRR_SUMS \
	SUM("act_count.all", 0x02, 0xf7), \
	SUM("pre_count.all", 0x03, 0xff), \
	CAS_SUMS("cas_count_sch0", 0x05, 0xcf, 0xf0), \
	CAS_SUMS("cas_count_sch1", 0x06, 0xcf, 0xf0), \
	SUM("rpq_inserts.pch0", 0x10, 0x50), \
	SUM("rpq_inserts.pch1", 0x10, 0xa0), \
	SUM("wpq_inserts.pch0", 0x22, 0x50), \
	SUM("wpq_inserts.pch1", 0x22, 0xa0)
static const struct unc_sim_sum grr_sums[] = {GRR_SUMS};
static const struct unc_sim_sum gnr_sums[] = {
	GRR_SUMS,
	SUM("cas_count_sch0.rd_non_underfill", 0x05, 0xc3),
	SUM("cas_count_sch0.rd_underfill_all", 0x05, 0xcc),
	SUM("cas_count_sch1.rd_non_underfill", 0x06, 0xc3),
	SUM("cas_count_sch1.rd_underfill_all", 0x06, 0xcc),
};

/* Functions 0 are there so that the devices are looked at; no list at hand says what they are. B2CMI: PCM, EDAC. */
#define GNR_PCI FN_SYSTEM(0, 0x00, 0, 0x3250, 0x04), FN_BASE(0x3251), DISCOVERY
#define B2CMI(mc) {FN(0, 0x05 + (mc) / 7, 1 + (mc) % 7, 0x324a, 0x04, CLASS_SYSTEM, UNC_SIM_M2M), .imc = mc}
#define B2CMI_0_TO_7 \
	FN_SYSTEM(0, 0x05, 0, 0x3258, 0x04), FN_SYSTEM(0, 0x06, 0, 0x3258, 0x04), \
	B2CMI(0), B2CMI(1), B2CMI(2), B2CMI(3), B2CMI(4), B2CMI(5), B2CMI(6), B2CMI(7)
#define GNR_CHANNEL(mc)  CHANNEL(mc, 0, SCF + 0x24e800 + 0x4000 * (mc))
#define GNRD_CHANNEL(mc) CHANNEL(mc, 0, SCF + 0x208800 + 0x4000 * (mc))
#define GNR_12_CHANNELS \
	GNR_CHANNEL(0), GNR_CHANNEL(1), GNR_CHANNEL(2), GNR_CHANNEL(3), GNR_CHANNEL(4), GNR_CHANNEL(5), \
	GNR_CHANNEL(6), GNR_CHANNEL(7), GNR_CHANNEL(8), GNR_CHANNEL(9), GNR_CHANNEL(10), GNR_CHANNEL(11)
static const struct unc_sim_function gnr_functions[] = {
	GNR_PCI, GNR_12_CHANNELS, B2CMI_0_TO_7, B2CMI(8), B2CMI(9), B2CMI(10), B2CMI(11)};
/* Only the table tells where its counters are. */
static const struct unc_sim_function cwf_functions[] = {DISCOVERY, GNR_12_CHANNELS};
static const struct unc_sim_function gnrd_functions[] = {
	GNR_PCI, B2CMI_0_TO_7,
	GNRD_CHANNEL(0), GNRD_CHANNEL(1), GNRD_CHANNEL(2), GNRD_CHANNEL(3),
	GNRD_CHANNEL(4), GNRD_CHANNEL(5), GNRD_CHANNEL(6), GNRD_CHANNEL(7),
};
static const struct unc_sim_function grr_functions[] = {
	GNR_PCI, GNR_CHANNEL(0), GNR_CHANNEL(1), FN_SYSTEM(0, 0x05, 0, 0x3258, 0x04), B2CMI(0), B2CMI(1)};

#define GNR_MODEL(imcs, what, sum_of) \
	RAPIDS_MODEL, .on = UNC_SIM_ON_GNR, .memory = &gnr_memory, .like = &unc_sim_spr, \
	CHANNELS(imcs, what, sum_of)
/* clang-format on */

static const struct unc_sim_memory gnr_memory = {
	.kind = UNC_SIM_MEMORY_SINGLE, .scf = SCF, .mode = 0x24e800 - 0x24caf8, .dimm = 0x24e800 - 0x24cc0c};

/* Granite Rapids ("GNR"). */
const struct unc_sim_model unc_sim_gnr = {
	PART("gnr", "Granite Rapids", 0x000a06d1, "Intel(R) Xeon(R) 6980P"),
	GNR_MODEL(gnr_functions, gnr_events, gnr_sums),
};

/* The following have what Linux, EDAC or PCM say of channels, and else what Granite Rapids has here. */

/* Granite Rapids-D of stepping 1: eight channels, elsewhere (PCM alone). */
const struct unc_sim_model unc_sim_gnrd = {
	PART("gnrd", "Granite Rapids-D", 0x000a06e1, "Intel(R) Xeon(R) 6726P-B"),
	GNR_MODEL(gnrd_functions, gnr_events, gnr_sums),
};

/* Sierra Forest ("SRF"). */
const struct unc_sim_model unc_sim_srf = {
	PART("srf", "Sierra Forest", 0x000a06f3, "Intel(R) Xeon(R) 6780E"),
	GNR_MODEL(gnr_functions, srf_events, gnr_sums),
};

/* Grand Ridge ("GRR"): two channels (PCM alone). */
const struct unc_sim_model unc_sim_grr = {
	PART("grr", "Grand Ridge", 0x000b0660, "Genuine Intel(R) 0000"),
	GNR_MODEL(grr_functions, grr_events, grr_sums),
};

/* Clearwater Forest ("CWF"). No source has its SCF_BAR, so that it has no such register here. */
const struct unc_sim_model unc_sim_cwf = {
	PART("cwf", "Clearwater Forest", 0x000d06d0, "Genuine Intel(R) 0000"),
	GNR_MODEL(cwf_functions, srf_events, gnr_sums),
};

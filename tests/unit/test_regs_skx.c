// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of Skylake-SP, Cascade Lake and Cooper Lake against rows typed from the documents once more. */
#include "regs.h"

void test_regs_skx_suite(void);

#define MAP          regs_map(0x55, 4)
#define FASTEST_DCLK 1333000000 /* DDR4-2666 */

static const struct regs_place places[] = {
	{0x2042, 10, 2, 0, 0}, {0x2046, 10, 6, 0, 1}, {0x204a, 11, 2, 0, 2},
	{0x2042, 12, 2, 1, 0}, {0x2046, 12, 6, 1, 1}, {0x204a, 13, 2, 1, 2},
};

static const struct regs_reg regs[] = {
	{"CTR", 0xa0, 8, 4, 64, false, false},    {"FIXED_CTR", 0xd0, 0, 1, 64, false, false},
	{"CTL", 0xd8, 4, 4, 32, true, false},     {"FIXED_CTL", 0xf0, 0, 1, 32, true, false},
	{"BOX_CTL", 0xf4, 0, 1, 32, true, false}, {"BOX_STATUS", 0xf8, 0, 1, 32, false, false},
};

/* BOX_CTL has no frz_en: bit 16 is reserved. */
static const struct regs_field fields[] = {
	{"CTR", "event_count", 47, 0, UNC_RW},
	{"FIXED_CTR", "event_count", 47, 0, UNC_RW},
	{"CTL", "thresh", 31, 24, UNC_RW},
	{"CTL", "invert", 23, 23, UNC_RW},
	{"CTL", "en", 22, 22, UNC_RW},
	{"CTL", "ov_en", 20, 20, UNC_RW},
	{"CTL", "edge_det", 18, 18, UNC_RW},
	{"CTL", "rst", 17, 17, UNC_WO},
	{"CTL", "umask", 15, 8, UNC_RW},
	{"CTL", "ev_sel", 7, 0, UNC_RW},
	{"FIXED_CTL", "en", 22, 22, UNC_RW},
	{"FIXED_CTL", "ov_en", 20, 20, UNC_RW},
	{"FIXED_CTL", "rst", 19, 19, UNC_WO},
	{"BOX_CTL", "frz", 8, 8, UNC_WO},
	{"BOX_CTL", "rst_ctrs", 1, 1, UNC_WO},
	{"BOX_CTL", "rst_ctrl", 0, 0, UNC_WO},
	{"BOX_STATUS", "ov_ctr3", 4, 4, UNC_RW1C},
	{"BOX_STATUS", "ov_ctr2", 3, 3, UNC_RW1C},
	{"BOX_STATUS", "ov_ctr1", 2, 2, UNC_RW1C},
	{"BOX_STATUS", "ov_ctr0", 1, 1, UNC_RW1C},
	{"BOX_STATUS", "ov_fixed", 0, 0, UNC_RW1C},
};

/* No source states a highest increment.  The first two are not in the list of Cascade Lake. */
/* clang-format off */
static const struct regs_event events[] = {
	{"dram_refresh.panic", 0x05, 0x02, 0, ONE, 0},
	{"dram_refresh.high", 0x05, 0x04, 0, ONE, 0},
	{"clockticks", 0x00, 0x00, 0, ONE, 0},
	{"act_count.rd", 0x01, 0x01, 0, ONE, 0},
	{"act_count.wr", 0x01, 0x02, 0, ONE, 0},
	{"act_count.byp", 0x01, 0x08, 0, ONE, 0},
	{"pre_count.page_miss", 0x02, 0x01, 0, ONE, 0},
	{"pre_count.page_close", 0x02, 0x02, 0, ONE, 0},
	{"pre_count.rd", 0x02, 0x04, 0, ONE, 0},
	{"pre_count.wr", 0x02, 0x08, 0, ONE, 0},
	{"pre_count.byp", 0x02, 0x10, 0, ONE, 0},
	{"cas_count.rd_reg", 0x04, 0x01, 0, ONE, 0},
	{"cas_count.rd_underfill", 0x04, 0x02, 0, ONE, 0},
	{"cas_count.rd", 0x04, 0x03, 0, ONE, 0},
	{"cas_count.wr_wmm", 0x04, 0x04, 0, ONE, 0},
	{"cas_count.wr_rmm", 0x04, 0x08, 0, ONE, 0},
	{"cas_count.wr", 0x04, 0x0c, 0, ONE, 0},
	{"cas_count.all", 0x04, 0x0f, 0, ONE, 0},
	{"cas_count.rd_wmm", 0x04, 0x10, 0, ONE, 0},
	{"cas_count.rd_rmm", 0x04, 0x20, 0, ONE, 0},
	{"cas_count.rd_isoch", 0x04, 0x40, 0, ONE, 0},
	{"cas_count.wr_isoch", 0x04, 0x80, 0, ONE, 0},
	{"dram_pre_all", 0x06, 0x00, 0, ONE, 0},
	{"major_modes.read", 0x07, 0x01, 0, ONE, 0},
	{"major_modes.write", 0x07, 0x02, 0, ONE, 0},
	{"major_modes.partial", 0x07, 0x04, 0, ONE, 0},
	{"major_modes.isoch", 0x07, 0x08, 0, ONE, 0},
	{"preemption.rd_preempt_rd", 0x08, 0x01, 0, ONE, 0},
	{"preemption.rd_preempt_wr", 0x08, 0x02, 0, ONE, 0},
	{"ecc_correctable_errors", 0x09, 0x00, 0, ONE, 0},
	{"rpq_inserts", 0x10, 0x00, 0, ONE, 0},
	{"rpq_cycles_ne", 0x11, 0x00, 0, ONE, 0},
	{"rpq_cycles_full", 0x12, 0x00, 0, ONE, 0},
	{"wpq_inserts", 0x20, 0x00, 0, ONE, 0},
	{"wpq_cycles_ne", 0x21, 0x00, 0, ONE, 0},
	{"wpq_cycles_full", 0x22, 0x00, 0, ONE, 0},
	{"wpq_read_hit", 0x23, 0x00, 0, ONE, 0},
	{"wpq_write_hit", 0x24, 0x00, 0, ONE, 0},
	{"power_throttle_cycles.rank%u", 0x41, 0x01, 0, RANK_BITS, 0},
	{"power_pcu_throttling", 0x42, 0x00, 0, ONE, 0},
	{"power_self_refresh", 0x43, 0x00, 0, ONE, 0},
	{"rpq_occupancy", 0x80, 0x00, 0, ONE, 0},
	{"wpq_occupancy", 0x81, 0x00, 0, ONE, 0},
	{"power_cke_cycles.rank%u", 0x83, 0x01, 0, RANK_BITS, 0},
	{"power_channel_dlloff", 0x84, 0x00, 0, ONE, 0},
	{"power_channel_ppd", 0x85, 0x00, 0, ONE, 0},
	{"power_critical_throttle_cycles", 0x86, 0x00, 0, ONE, 0},
	{"rd_cas_prio.low", 0xa0, 0x01, 0, ONE, 0},
	{"rd_cas_prio.med", 0xa0, 0x02, 0, ONE, 0},
	{"rd_cas_prio.high", 0xa0, 0x04, 0, ONE, 0},
	{"rd_cas_prio.panic", 0xa0, 0x08, 0, ONE, 0},
	{"byp_cmds.act", 0xa1, 0x01, 0, ONE, 0},
	{"byp_cmds.cas", 0xa1, 0x02, 0, ONE, 0},
	{"byp_cmds.pre", 0xa1, 0x04, 0, ONE, 0},
	{"wmm_to_rmm.low_thresh", 0xc0, 0x01, 0, ONE, 0},
	{"wmm_to_rmm.starve", 0xc0, 0x02, 0, ONE, 0},
	{"wmm_to_rmm.vmse_retry", 0xc0, 0x04, 0, ONE, 0},
	{"wrong_mm", 0xc1, 0x00, 0, ONE, 0},
	{"act_count.all", 0x01, 0x0b, 0, ONE, 0},
	{"rd_cas_rank%u.bank%u", 0xb0, 0x00, 0, BANKS, 16},
	{"rd_cas_rank%u.allbanks", 0xb0, 0x10, 0, RANKS, 0},
	{"rd_cas_rank%u.bankg%u", 0xb0, 0x11, 0, BANKS, 4},
	{"wr_cas_rank%u.bank%u", 0xb8, 0x00, 0, BANKS, 16},
	{"wr_cas_rank%u.allbanks", 0xb8, 0x10, 0, RANKS, 0},
	{"wr_cas_rank%u.bankg%u", 0xb8, 0x11, 0, BANKS, 4},
};
/* clang-format on */

/* What Cascade Lake has besides. */
/* clang-format off */
static const struct regs_event pmm_events[] = {
	{"sb_cycles_ne", 0xd0, 0x00, 0, ONE, 0},
	{"sb_cycles_full", 0xd1, 0x00, 0, ONE, 0},
	{"sb_accesses.rd_accepts", 0xd2, 0x01, 0, ONE, 0},
	{"sb_accesses.rd_rejects", 0xd2, 0x02, 0, ONE, 0},
	{"sb_accesses.wr_accepts", 0xd2, 0x04, 0, ONE, 0},
	{"sb_accesses.wr_rejects", 0xd2, 0x08, 0, ONE, 0},
	{"sb_accesses.nm_rd_cmps", 0xd2, 0x10, 0, ONE, 0},
	{"sb_accesses.nm_wr_cmps", 0xd2, 0x20, 0, ONE, 0},
	{"sb_accesses.fm_rd_cmps", 0xd2, 0x40, 0, ONE, 0},
	{"sb_accesses.fm_wr_cmps", 0xd2, 0x80, 0, ONE, 0},
	{"tagchk.hit", 0xd3, 0x01, 0, ONE, 0},
	{"tagchk.miss_clean", 0xd3, 0x02, 0, ONE, 0},
	{"tagchk.miss_dirty", 0xd3, 0x04, 0, ONE, 0},
	{"sb_reject.nm_set_cnflt", 0xd4, 0x01, 0, ONE, 0},
	{"sb_reject.fm_addr_cnflt", 0xd4, 0x02, 0, ONE, 0},
	{"sb_reject.patrol_set_cnflt", 0xd4, 0x04, 0, ONE, 0},
	{"sb_occupancy.rds", 0xd5, 0x01, 0, ONE, 0},
	{"sb_occupancy.wrs", 0xd5, 0x02, 0, ONE, 0},
	{"sb_occupancy.pmm_rds", 0xd5, 0x04, 0, ONE, 0},
	{"sb_occupancy.pmm_wrs", 0xd5, 0x08, 0, ONE, 0},
	{"sb_occupancy.block_rds", 0xd5, 0x20, 0, ONE, 0},
	{"sb_occupancy.block_wrs", 0xd5, 0x40, 0, ONE, 0},
	{"sb_occupancy.patrol", 0xd5, 0x80, 0, ONE, 0},
	{"sb_inserts.rds", 0xd6, 0x01, 0, ONE, 0},
	{"sb_inserts.wrs", 0xd6, 0x02, 0, ONE, 0},
	{"sb_inserts.pmm_rds", 0xd6, 0x04, 0, ONE, 0},
	{"sb_inserts.pmm_wrs", 0xd6, 0x08, 0, ONE, 0},
	{"sb_inserts.block_rds", 0xd6, 0x10, 0, ONE, 0},
	{"sb_inserts.block_wrs", 0xd6, 0x20, 0, ONE, 0},
	{"sb_inserts.dealloc", 0xd6, 0x40, 0, ONE, 0},
	{"sb_inserts.patrol", 0xd6, 0x80, 0, ONE, 0},
	{"sb_strv_alloc.nmrd_set", 0xd7, 0x01, 0, ONE, 0},
	{"sb_strv_alloc.fmrd_set", 0xd7, 0x02, 0, ONE, 0},
	{"sb_strv_alloc.nmwr_set", 0xd7, 0x04, 0, ONE, 0},
	{"sb_strv_alloc.fmwr_set", 0xd7, 0x08, 0, ONE, 0},
	{"sb_strv_alloc.nmrd_clr", 0xd7, 0x10, 0, ONE, 0},
	{"sb_strv_alloc.fmrd_clr", 0xd7, 0x20, 0, ONE, 0},
	{"sb_strv_alloc.nmwr_clr", 0xd7, 0x40, 0, ONE, 0},
	{"sb_strv_alloc.fmwr_clr", 0xd7, 0x80, 0, ONE, 0},
	{"sb_strv_occ.nmrd", 0xd8, 0x01, 0, ONE, 0},
	{"sb_strv_occ.fmrd", 0xd8, 0x02, 0, ONE, 0},
	{"sb_strv_occ.nmwr", 0xd8, 0x04, 0, ONE, 0},
	{"sb_strv_occ.fmwr", 0xd8, 0x08, 0, ONE, 0},
	{"sb_canary.alloc", 0xd9, 0x01, 0, ONE, 0},
	{"sb_canary.dealloc", 0xd9, 0x02, 0, ONE, 0},
	{"sb_canary.rej", 0xd9, 0x04, 0, ONE, 0},
	{"sb_canary.vld", 0xd9, 0x08, 0, ONE, 0},
	{"sb_canary.nmrd_starved", 0xd9, 0x10, 0, ONE, 0},
	{"sb_canary.nmwr_starved", 0xd9, 0x20, 0, ONE, 0},
	{"sb_canary.fmrd_starved", 0xd9, 0x40, 0, ONE, 0},
	{"sb_canary.fmwr_starved", 0xd9, 0x80, 0, ONE, 0},
	{"sb_tagged.new", 0xdd, 0x01, 0, ONE, 0},
	{"sb_tagged.rd_hit", 0xdd, 0x02, 0, ONE, 0},
	{"sb_tagged.rd_miss", 0xdd, 0x04, 0, ONE, 0},
	{"sb_tagged.ddr4_cmp", 0xdd, 0x08, 0, ONE, 0},
	{"sb_tagged.pmm0_cmp", 0xdd, 0x10, 0, ONE, 0},
	{"sb_tagged.pmm1_cmp", 0xdd, 0x20, 0, ONE, 0},
	{"sb_tagged.pmm2_cmp", 0xdd, 0x40, 0, ONE, 0},
	{"sb_tagged.occ", 0xdd, 0x80, 0, ONE, 0},
	{"pmm_rpq_occupancy.all", 0xe0, 0x01, 0, ONE, 0},
	{"pmm_rpq_occupancy.gnt_wait", 0xe0, 0x04, 0, ONE, 0},
	{"pmm_rpq_cycles_ne", 0xe1, 0x00, 0, ONE, 0},
	{"pmm_rpq_cycles_full", 0xe2, 0x00, 0, ONE, 0},
	{"pmm_rpq_inserts", 0xe3, 0x00, 0, ONE, 0},
	{"pmm_wpq_occupancy.all", 0xe4, 0x01, 0, ONE, 0},
	{"pmm_wpq_occupancy.cas", 0xe4, 0x02, 0, ONE, 0},
	{"pmm_wpq_occupancy.pwr", 0xe4, 0x04, 0, ONE, 0},
	{"pmm_wpq_cycles_ne", 0xe5, 0x00, 0, ONE, 0},
	{"pmm_wpq_cycles_full", 0xe6, 0x00, 0, ONE, 0},
	{"pmm_wpq_inserts", 0xe7, 0x00, 0, ONE, 0},
	{"pmm_wpq_pcommit", 0xe8, 0x00, 0, ONE, 0},
	{"pmm_wpq_pcommit_cyc", 0xe9, 0x00, 0, ONE, 0},
	{"pmm_cmd1.all", 0xea, 0x01, 0, ONE, 0},
	{"pmm_cmd1.rd", 0xea, 0x02, 0, ONE, 0},
	{"pmm_cmd1.wr", 0xea, 0x04, 0, ONE, 0},
	{"pmm_cmd1.ufill_rd", 0xea, 0x08, 0, ONE, 0},
	{"pmm_cmd1.rpq_gnts", 0xea, 0x10, 0, ONE, 0},
	{"pmm_cmd1.wpq_gnts", 0xea, 0x20, 0, ONE, 0},
	{"pmm_cmd1.misc_gnt", 0xea, 0x40, 0, ONE, 0},
	{"pmm_cmd1.misc", 0xea, 0x80, 0, ONE, 0},
	{"pmm_cmd2.opp_rd", 0xeb, 0x01, 0, ONE, 0},
	{"pmm_cmd2.nodata_exp", 0xeb, 0x02, 0, ONE, 0},
	{"pmm_cmd2.nodata_unexp", 0xeb, 0x04, 0, ONE, 0},
	{"pmm_cmd2.reqs_slot0", 0xeb, 0x08, 0, ONE, 0},
	{"pmm_cmd2.reqs_slot1", 0xeb, 0x10, 0, ONE, 0},
	{"pmm_cmd2.pmm_ecc_error", 0xeb, 0x20, 0, ONE, 0},
	{"pmm_cmd2.pmm_erid_error", 0xeb, 0x40, 0, ONE, 0},
	{"pmm_majmode1.rd_cyc", 0xec, 0x01, 0, ONE, 0},
	{"pmm_majmode1.wr_cyc", 0xec, 0x02, 0, ONE, 0},
	{"pmm_majmode1.partial_wr_cyc", 0xec, 0x04, 0, ONE, 0},
	{"pmm_majmode1.partial_wr_enter", 0xec, 0x20, 0, ONE, 0},
	{"pmm_majmode1.partial_wr_exit", 0xec, 0x40, 0, ONE, 0},
	{"majmode2.pmm_cyc", 0xed, 0x01, 0, ONE, 0},
	{"majmode2.dram_cyc", 0xed, 0x02, 0, ONE, 0},
	{"majmode2.pmm_enter", 0xed, 0x04, 0, ONE, 0},
	{"majmode2.dram_enter", 0xed, 0x08, 0, ONE, 0},
};
/* clang-format on */

static void the_channels_are_where_they_are(void)
{
	struct unc_map *map = MAP;
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	CU_ASSERT_EQUAL(imc->kind, UNC_PCI);
	CU_ASSERT_EQUAL(imc->counter_bits, 48);
	CU_ASSERT_STRING_EQUAL(imc->model, "pmon1");
	CU_ASSERT_TRUE(imc->max_clock_hz >= FASTEST_DCLK);
	regs_places(imc, places, REGS_N(places));
	regs_numbers(imc, true);
	unc_map_free(map);
}

static void every_register_has_its_offset_and_bits(void)
{
	struct unc_map *map = MAP;
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	regs_regs(imc, regs, REGS_N(regs));
	regs_fields(imc, fields, REGS_N(fields));
	unc_map_free(map);
}

static void every_event_has_its_code(void)
{
	struct unc_map *map = MAP;
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	regs_events(imc, events, REGS_N(events));
	regs_also(imc, "dclk", "clockticks_f");
	unc_map_free(map);
}

static void the_values_that_tools_write_are_judged(void)
{
	static const uint32_t fine[] = {0x30000, 0x30100, 0x30102, 0x30003}, wrong[] = {0, 0x10000, 0x10100, 0x20000};
	struct unc_map *map = MAP;
	const struct unc_reg *box = unc_unit_reg(unc_map_unit(map, "imc"), "BOX_CTL");
	struct unc_ctx ctx = {.msg = ""};

	CU_ASSERT_EQUAL(unc_reg_blank(box), 0x30000); /* PCM writes both bits 1 */
	for (size_t i = 0; i < REGS_N(fine); i++)
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, fine[i]), 0);
	for (size_t i = 0; i < REGS_N(wrong); i++)
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, wrong[i]), UNC_EDENIED);
	unc_map_free(map);
}

static void the_ubox_is_where_it_is(void)
{
	static const struct regs_place place[] = {{0x2014, 8, 0, 0, 0}};
	static const struct regs_reg regs_of_ubox[] = {{"CPUNODEID", 0xc0, 0, 1, 32, false, false},
						       {"GIDNIDMAP", 0xd4, 0, 1, 32, false, false}};
	struct unc_map *map = MAP;
	const struct unc_unit *ubox = unc_map_unit(map, "ubox");

	CU_ASSERT_PTR_NOT_NULL_FATAL(ubox);
	CU_ASSERT_EQUAL(ubox->bus, UNC_BUS_LOWER);
	regs_places(ubox, place, REGS_N(place));
	regs_regs(ubox, regs_of_ubox, REGS_N(regs_of_ubox));
	for (size_t i = 0; i < ubox->n_regs; i++)
		CU_ASSERT_FALSE(unc_reg_writable(&ubox->regs[i]));
	unc_map_free(map);
}

static void the_global_freeze_has_its_registers(void)
{
	static const struct regs_reg global_regs[] = {{"GLOBAL_CTL", 0x700, 0, 1, 64, true, false},
						      {"GLOBAL_STATUS", 0x701, 0, 1, 64, false, false},
						      {"GLOBAL_CONFIG", 0x702, 0, 1, 64, false, false}};
	static const struct regs_field global_fields[] = {
		{"GLOBAL_CTL", "frz_all", 63, 63, UNC_WO},     {"GLOBAL_CTL", "unfrz_all", 61, 61, UNC_WO},
		{"GLOBAL_STATUS", "ov_mc1", 40, 40, UNC_RW1C}, {"GLOBAL_STATUS", "ov_mc0", 39, 39, UNC_RW1C},
		{"GLOBAL_CONFIG", "other", 63, 6, UNC_RO},     {"GLOBAL_CONFIG", "n_cha", 5, 0, UNC_RO},
	};
	struct unc_map *map = MAP;
	const struct unc_unit *global = unc_map_unit(map, "global");

	CU_ASSERT_PTR_NOT_NULL_FATAL(global);
	CU_ASSERT_EQUAL(global->kind, UNC_MSR);
	CU_ASSERT_STRING_EQUAL(global->model, "freeze1");
	regs_regs(global, global_regs, REGS_N(global_regs));
	regs_fields(global, global_fields, REGS_N(global_fields));
	CU_ASSERT_EQUAL(unc_reg_blank(unc_unit_reg(global, "GLOBAL_CTL")), 0);
	unc_map_free(map);
}

static void steppings_tell_the_three_apart(void)
{
	for (unsigned stepping = 0; stepping < 16; stepping++) {
		struct unc_map *map = regs_map(0x55, stepping);
		const struct unc_unit *imc = unc_map_unit(map, "imc");
		const char *want = stepping < 5 ? "Skylake-SP" : stepping < 10 ? "Cascade Lake" : "Cooper Lake";

		CU_ASSERT_EQUAL(map->n_units, 3);
		CU_ASSERT_STRING_EQUAL(imc->title, want);
		unc_map_free(map);
	}
}

static void cascade_lake_counts_persistent_memory(void)
{
	static const unsigned steppings[] = {7, 11}; /* and Cooper Lake too */

	for (size_t i = 0; i < REGS_N(steppings); i++) {
		struct unc_map *map = regs_map(0x55, steppings[i]);
		const struct unc_unit *imc = unc_map_unit(map, "imc");
		size_t n = 1; /* dclk */

		regs_places(imc, places, REGS_N(places));
		regs_regs(imc, regs, REGS_N(regs));
		regs_fields(imc, fields, REGS_N(fields));
		CU_ASSERT_EQUAL(unc_reg_blank(unc_unit_reg(imc, "BOX_CTL")), 0x30000);
		for (size_t k = 2; k < REGS_N(events); k++)
			n += regs_family(imc, &events[k]);
		for (size_t k = 0; k < REGS_N(pmm_events); k++)
			n += regs_family(imc, &pmm_events[k]);
		CU_ASSERT_EQUAL(imc->n_events, n);
		unc_map_free(map);
	}
}

void test_regs_skx_suite(void)
{
	CU_pSuite s = CU_add_suite("regs_skx", NULL, NULL);

	CU_add_test(s, "the channels are where they are", the_channels_are_where_they_are);
	CU_add_test(s, "every register has its offset and bits", every_register_has_its_offset_and_bits);
	CU_add_test(s, "the values that tools write are judged", the_values_that_tools_write_are_judged);
	CU_add_test(s, "every event has its code", every_event_has_its_code);
	CU_add_test(s, "the UBOX is where it is", the_ubox_is_where_it_is);
	CU_add_test(s, "the global freeze has its registers", the_global_freeze_has_its_registers);
	CU_add_test(s, "steppings tell the three apart", steppings_tell_the_three_apart);
	CU_add_test(s, "Cascade Lake and Cooper Lake count persistent memory", cascade_lake_counts_persistent_memory);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of Ivy Bridge-EP against rows typed from the documents once more. */
#include "regs.h"

void test_regs_ivt_suite(void);

#define MAP          regs_map(0x3e, 4)
#define FASTEST_DCLK 933000000 /* DDR3-1866 */

static const struct regs_place places[] = {
	{0x0eb4, 16, 4, 0, 0}, {0x0eb5, 16, 5, 0, 1}, {0x0eb0, 16, 0, 0, 2}, {0x0eb1, 16, 1, 0, 3},
	{0x0ef4, 30, 4, 1, 0}, {0x0ef5, 30, 5, 1, 1}, {0x0ef0, 30, 0, 1, 2}, {0x0ef1, 30, 1, 1, 3},
};

static const struct regs_reg regs[] = {
	{"CTR", 0xa0, 8, 4, 64, false, false},       {"CTR4", 0xc0, 0, 1, 64, false, true},
	{"FIXED_CTR", 0xd0, 0, 1, 64, false, false}, {"CTL", 0xd8, 4, 4, 32, true, false},
	{"CTL4", 0xe8, 0, 1, 32, false, true},       {"FIXED_CTL", 0xf0, 0, 1, 32, true, false},
	{"BOX_CTL", 0xf4, 0, 1, 32, true, false},    {"BOX_STATUS", 0xf8, 0, 1, 32, false, false},
};

/* No invert, which the guide leaves out; frz_en is a reserved bit here. */
static const struct regs_field fields[] = {
	{"CTR", "event_count", 47, 0, UNC_RW},
	{"CTR4", "event_count", 47, 0, UNC_RO},
	{"FIXED_CTR", "event_count", 47, 0, UNC_RW},
	{"CTL", "thresh", 31, 24, UNC_RW},
	{"CTL", "en", 22, 22, UNC_RW},
	{"CTL", "ov_en", 20, 20, UNC_RW},
	{"CTL", "edge_det", 18, 18, UNC_RW},
	{"CTL", "rst", 17, 17, UNC_WO},
	{"CTL", "umask", 15, 8, UNC_RW},
	{"CTL", "ev_sel", 7, 0, UNC_RW},
	{"FIXED_CTL", "en", 22, 22, UNC_RW},
	{"FIXED_CTL", "rst", 19, 19, UNC_WO},
	{"CTL4", "as_ctl", 31, 0, UNC_RO},
	{"BOX_CTL", "frz", 8, 8, UNC_WO},
	{"BOX_CTL", "rst_ctrs", 1, 1, UNC_WO},
	{"BOX_CTL", "rst_ctrl", 0, 0, UNC_WO},
	{"BOX_STATUS", "ov_ctr3", 4, 4, UNC_RW1C},
	{"BOX_STATUS", "ov_ctr2", 3, 3, UNC_RW1C},
	{"BOX_STATUS", "ov_ctr1", 2, 2, UNC_RW1C},
	{"BOX_STATUS", "ov_ctr0", 1, 1, UNC_RW1C},
	{"BOX_STATUS", "ov_fixed", 0, 0, UNC_RW1C},
};

/* The umask of a rank event has a bit for each bank. */
/* clang-format off */
static const struct regs_event events[] = {
	{"dclockticks", 0x00, 0x00, 1, ONE, 0},
	{"act_count.rd", 0x01, 0x01, 1, ONE, 0},
	{"act_count.wr", 0x01, 0x02, 1, ONE, 0},
	{"act_count.byp", 0x01, 0x08, 1, ONE, 0},
	{"pre_count.page_miss", 0x02, 0x01, 1, ONE, 0},
	{"pre_count.page_close", 0x02, 0x02, 1, ONE, 0},
	{"pre_count.rd", 0x02, 0x04, 1, ONE, 0},
	{"pre_count.wr", 0x02, 0x08, 1, ONE, 0},
	{"pre_count.byp", 0x02, 0x10, 1, ONE, 0},
	{"cas_count.rd_reg", 0x04, 0x01, 1, ONE, 0},
	{"cas_count.rd_underfill", 0x04, 0x02, 1, ONE, 0},
	{"cas_count.rd", 0x04, 0x03, 1, ONE, 0},
	{"cas_count.wr_wmm", 0x04, 0x04, 1, ONE, 0},
	{"cas_count.wr_rmm", 0x04, 0x08, 1, ONE, 0},
	{"cas_count.wr", 0x04, 0x0c, 1, ONE, 0},
	{"cas_count.all", 0x04, 0x0f, 1, ONE, 0},
	{"cas_count.rd_wmm", 0x04, 0x10, 1, ONE, 0},
	{"cas_count.rd_rmm", 0x04, 0x20, 1, ONE, 0},
	{"dram_refresh.panic", 0x05, 0x02, 1, ONE, 0},
	{"dram_refresh.high", 0x05, 0x04, 1, ONE, 0},
	{"dram_pre_all", 0x06, 0x00, 1, ONE, 0},
	{"major_modes.read", 0x07, 0x01, 1, ONE, 0},
	{"major_modes.write", 0x07, 0x02, 1, ONE, 0},
	{"major_modes.partial", 0x07, 0x04, 1, ONE, 0},
	{"major_modes.isoch", 0x07, 0x08, 1, ONE, 0},
	{"preemption.rd_preempt_rd", 0x08, 0x01, 1, ONE, 0},
	{"preemption.rd_preempt_wr", 0x08, 0x02, 1, ONE, 0},
	{"ecc_correctable_errors", 0x09, 0x00, 1, ONE, 0},
	{"rpq_inserts", 0x10, 0x00, 1, ONE, 0},
	{"rpq_cycles_ne", 0x11, 0x00, 1, ONE, 0},
	{"wpq_inserts", 0x20, 0x00, 1, ONE, 0},
	{"wpq_cycles_ne", 0x21, 0x00, 1, ONE, 0},
	{"wpq_cycles_full", 0x22, 0x00, 1, ONE, 0},
	{"wpq_read_hit", 0x23, 0x00, 1, ONE, 0},
	{"wpq_write_hit", 0x24, 0x00, 1, ONE, 0},
	{"power_throttle_cycles.rank%u", 0x41, 0x01, 1, RANK_BITS, 0},
	{"power_pcu_throttling", 0x42, 0x00, 1, ONE, 0},
	{"power_self_refresh", 0x43, 0x00, 0, ONE, 0},
	{"power_cke_cycles.rank%u", 0x83, 0x01, 16, RANK_BITS, 0},
	{"power_channel_dlloff", 0x84, 0x00, 1, ONE, 0},
	{"power_channel_ppd", 0x85, 0x00, 4, ONE, 0},
	{"power_critical_throttle_cycles", 0x86, 0x00, 1, ONE, 0},
	{"vmse_wr_push.wmm", 0x90, 0x01, 1, ONE, 0},
	{"vmse_wr_push.rmm", 0x90, 0x02, 1, ONE, 0},
	{"vmse_mxb_wr_occupancy", 0x91, 0x00, 32, ONE, 0},
	{"rd_cas_prio.low", 0xa0, 0x01, 1, ONE, 0},
	{"rd_cas_prio.med", 0xa0, 0x02, 1, ONE, 0},
	{"rd_cas_prio.high", 0xa0, 0x04, 1, ONE, 0},
	{"rd_cas_prio.panic", 0xa0, 0x08, 1, ONE, 0},
	{"byp_cmds.act", 0xa1, 0x01, 1, ONE, 0},
	{"byp_cmds.cas", 0xa1, 0x02, 1, ONE, 0},
	{"byp_cmds.pre", 0xa1, 0x04, 1, ONE, 0},
	{"wmm_to_rmm.low_thresh", 0xc0, 0x01, 1, ONE, 0},
	{"wmm_to_rmm.starve", 0xc0, 0x02, 1, ONE, 0},
	{"wmm_to_rmm.vmse_retry", 0xc0, 0x04, 1, ONE, 0},
	{"wrong_mm", 0xc1, 0x00, 1, ONE, 0},
	{"act_count.all", 0x01, 0x0b, 1, ONE, 0},
	{"rd_cas_rank%u.bank%u", 0xb0, 0x01, 1, BANK_BITS, 8},
	{"rd_cas_rank%u.allbanks", 0xb0, 0xff, 1, RANKS, 0},
	{"wr_cas_rank%u.bank%u", 0xb8, 0x01, 1, BANK_BITS, 8},
	{"wr_cas_rank%u.allbanks", 0xb8, 0xff, 1, RANKS, 0},
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
	CU_ASSERT_PTR_NULL(unc_reg_field(unc_unit_reg(imc, "CTL"), "invert"));
	CU_ASSERT_EQUAL(unc_reg_field(unc_unit_reg(imc, "CTL"), "rsv_23")->acc, UNC_RSVD);
	CU_ASSERT_PTR_NOT_NULL(unc_reg_field(unc_unit_reg(imc, "CTL"), "rsv_23")->verify); /* the datasheet has it */
	regs_fields(imc, fields, REGS_N(fields));
	unc_map_free(map);
}

static void every_event_has_its_code(void)
{
	struct unc_map *map = MAP;
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	regs_events(imc, events, REGS_N(events));
	CU_ASSERT_PTR_NULL(unc_unit_event(imc, "rpq_occupancy"));
	CU_ASSERT_PTR_NULL(unc_unit_event(imc, "wpq_occupancy"));
	CU_ASSERT_PTR_NULL(unc_unit_event(imc, "clockticks"));
	unc_map_free(map);
}

static void the_values_that_tools_write_are_judged(void)
{
	static const uint32_t fine[] = {0x30000, 0x30100, 0x30102, 0x30003},
			      wrong[] = {0, 0x10000, 0x10100, 0x20000, 0x30004};
	struct unc_map *map = MAP;
	const struct unc_reg *box = unc_unit_reg(unc_map_unit(map, "imc"), "BOX_CTL");
	struct unc_ctx ctx = {.msg = ""};

	CU_ASSERT_EQUAL(unc_reg_blank(box), 0x30000); /* the guide: both bits are written 1 */
	for (size_t i = 0; i < REGS_N(fine); i++)
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, fine[i]), 0);
	for (size_t i = 0; i < REGS_N(wrong); i++)
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, wrong[i]), UNC_EDENIED);
	unc_map_free(map);
}

static void the_ubox_is_where_it_is(void)
{
	static const struct regs_place place[] = {{0x0e1e, 11, 0, 0, 0}};
	static const struct regs_reg regs_of_ubox[] = {{"CPUNODEID", 0x40, 0, 1, 32, false, false},
						       {"GIDNIDMAP", 0x54, 0, 1, 32, false, false}};
	struct unc_map *map = MAP;
	const struct unc_unit *ubox = unc_map_unit(map, "ubox");

	CU_ASSERT_PTR_NOT_NULL_FATAL(ubox);
	CU_ASSERT_EQUAL(ubox->bus, UNC_BUS_SAME);
	regs_places(ubox, place, REGS_N(place));
	regs_regs(ubox, regs_of_ubox, REGS_N(regs_of_ubox));
	for (size_t i = 0; i < ubox->n_regs; i++)
		CU_ASSERT_FALSE(unc_reg_writable(&ubox->regs[i]));
	unc_map_free(map);
}

static void the_global_freeze_has_its_registers(void)
{
	static const struct regs_reg global_regs[] = {{"GLOBAL_CTL", 0xc00, 0, 1, 64, true, false},
						      {"GLOBAL_STATUS", 0xc01, 0, 1, 64, false, false},
						      {"GLOBAL_CONFIG", 0xc06, 0, 1, 64, false, false}};
	static const struct regs_field global_fields[] = {
		{"GLOBAL_CTL", "frz_all", 31, 31, UNC_WO},     {"GLOBAL_CTL", "wk_on_pmi", 30, 30, UNC_RW},
		{"GLOBAL_CTL", "unfrz_all", 29, 29, UNC_WO},   {"GLOBAL_CTL", "pmi_core_sel", 14, 0, UNC_RW},
		{"GLOBAL_STATUS", "ov_mc1", 21, 21, UNC_RW1C}, {"GLOBAL_STATUS", "ov_mc0", 20, 20, UNC_RW1C},
		{"GLOBAL_CONFIG", "all", 63, 0, UNC_RO},
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

void test_regs_ivt_suite(void)
{
	CU_pSuite s = CU_add_suite("regs_ivt", NULL, NULL);

	CU_add_test(s, "the channels are where they are", the_channels_are_where_they_are);
	CU_add_test(s, "every register has its offset and bits", every_register_has_its_offset_and_bits);
	CU_add_test(s, "the values that tools write are judged", the_values_that_tools_write_are_judged);
	CU_add_test(s, "every event has its code", every_event_has_its_code);
	CU_add_test(s, "the UBOX is where it is", the_ubox_is_where_it_is);
	CU_add_test(s, "the global freeze has its registers", the_global_freeze_has_its_registers);
}

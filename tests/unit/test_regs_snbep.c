// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maps of Sandy Bridge-EP against tables that were typed from the documents once more, so that a slip of the finger
 * in a map is seen.
 */
#include "map/map.h"

#include <CUnit/CUnit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/field.h"

void test_regs_snbep_suite(void);

static struct unc_map *snbep_map(void)
{
	struct unc_cpu_id cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x2d, .stepping = 7};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_map *map = NULL;

	CU_ASSERT_EQUAL_FATAL(unc_map_load(&ctx, &cpu, NULL, &map), 0);
	return map;
}

static void every_stepping_has_the_maps(void)
{
	for (unsigned stepping = 0; stepping < 16; stepping++) {
		struct unc_cpu_id cpu = {.vendor = "GenuineIntel", .family = 6, .model = 0x2d, .stepping = stepping};
		struct unc_ctx ctx = {.msg = ""};
		struct unc_map *map = NULL;

		CU_ASSERT_EQUAL_FATAL(unc_map_load(&ctx, &cpu, NULL, &map), 0);
		CU_ASSERT_EQUAL(map->n_units, 2);
		unc_map_free(map);
	}
}

static void the_channels_are_where_they_are(void)
{
	/* perf counts 10.0 10.1 10.4 10.5, as LIKWID's MBOX does; PCM begins with 10.4. */
	static const struct unc_instance want[] = {
		{.vendor = 0x8086,
		 .device = 0x3cb0,
		 .dev = 16,
		 .fn = 0,
		 .channel = 0,
		 .perf = 0,
		 .pcm = 2,
		 .likwid = 0},
		{.vendor = 0x8086,
		 .device = 0x3cb1,
		 .dev = 16,
		 .fn = 1,
		 .channel = 1,
		 .perf = 1,
		 .pcm = 3,
		 .likwid = 1},
		{.vendor = 0x8086,
		 .device = 0x3cb4,
		 .dev = 16,
		 .fn = 4,
		 .channel = 2,
		 .perf = 2,
		 .pcm = 0,
		 .likwid = 2},
		{.vendor = 0x8086,
		 .device = 0x3cb5,
		 .dev = 16,
		 .fn = 5,
		 .channel = 3,
		 .perf = 3,
		 .pcm = 1,
		 .likwid = 3},
	};
	struct unc_map *map = snbep_map();
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	CU_ASSERT_EQUAL_FATAL(imc->n_instances, 4);
	for (unsigned i = 0; i < 4; i++) {
		const struct unc_instance *is = &imc->instances[i];

		CU_ASSERT_EQUAL(is->vendor, want[i].vendor);
		CU_ASSERT_EQUAL(is->device, want[i].device);
		CU_ASSERT_EQUAL(is->dev, want[i].dev);
		CU_ASSERT_EQUAL(is->fn, want[i].fn);
		CU_ASSERT_EQUAL(is->imc, 0);
		CU_ASSERT_EQUAL(is->channel, want[i].channel);
		CU_ASSERT_EQUAL(is->perf, want[i].perf);
		CU_ASSERT_EQUAL(is->pcm, want[i].pcm);
		CU_ASSERT_EQUAL(is->likwid, want[i].likwid);
	}
	unc_map_free(map);
}

static void the_unit_is_48_bits_of_pci_space(void)
{
	struct unc_map *map = snbep_map();
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	CU_ASSERT_EQUAL(imc->kind, UNC_PCI);
	CU_ASSERT_EQUAL(imc->counter_bits, 48);
	CU_ASSERT_TRUE(imc->max_clock_hz >= 800000000); /* DDR3-1600 */
	CU_ASSERT_STRING_EQUAL(imc->model, "pmon1");
	unc_map_free(map);
}

struct want_reg {
	const char *name;
	unsigned off, step, count, bits;
	bool whole, never;
};

static const struct want_reg imc_regs[] = {
	{"CTR", 0xa0, 8, 4, 64, false, false},       {"CTR4", 0xc0, 0, 1, 64, false, true},
	{"FIXED_CTR", 0xd0, 0, 1, 64, false, false}, {"CTL", 0xd8, 4, 4, 32, true, false},
	{"CTL4", 0xe8, 0, 1, 32, false, true},       {"FIXED_CTL", 0xf0, 0, 1, 32, true, false},
	{"BOX_CTL", 0xf4, 0, 1, 32, true, false},    {"BOX_STATUS", 0xf8, 0, 1, 32, false, false},
};
static const struct want_reg ubox_regs[] = {
	{"CPUNODEID", 0x40, 0, 1, 32, false, false},
	{"GIDNIDMAP", 0x54, 0, 1, 32, false, false},
};

static void compare_regs(const struct unc_unit *unit, const struct want_reg *want, size_t n)
{
	CU_ASSERT_EQUAL(unit->n_regs, n);
	for (size_t i = 0; i < n; i++) {
		const struct unc_reg *reg = unc_unit_reg(unit, want[i].name);

		CU_ASSERT_PTR_NOT_NULL_FATAL(reg);
		CU_ASSERT_EQUAL(reg->off, want[i].off);
		CU_ASSERT_EQUAL(reg->count, want[i].count);
		CU_ASSERT_EQUAL(reg->bits, want[i].bits);
		CU_ASSERT_EQUAL(reg->write_whole, want[i].whole);
		CU_ASSERT_EQUAL(reg->never, want[i].never);
		if (reg->count > 1)
			CU_ASSERT_EQUAL(reg->step, want[i].step);
		CU_ASSERT_TRUE(reg->src && reg->src[0]);
	}
}

static void every_register_is_at_its_offset(void)
{
	struct unc_map *map = snbep_map();
	const struct unc_reg *ctl = unc_unit_reg(unc_map_unit(map, "imc"), "CTL");

	compare_regs(unc_map_unit(map, "imc"), imc_regs, sizeof(imc_regs) / sizeof(imc_regs[0]));
	compare_regs(unc_map_unit(map, "ubox"), ubox_regs, sizeof(ubox_regs) / sizeof(ubox_regs[0]));
	CU_ASSERT_EQUAL(unc_reg_off(ctl, 1), 0xdc);
	CU_ASSERT_EQUAL(unc_reg_off(ctl, 3), 0xe4);
	unc_map_free(map);
}

struct want_field {
	const char *reg, *field;
	unsigned hi, lo;
	enum unc_acc acc;
	bool disputed;
};

/* What software uses; all other bits of these registers are reserved and written 0. */
static const struct want_field imc_fields[] = {
	{"CTR", "event_count", 47, 0, UNC_RW, false},
	{"FIXED_CTR", "event_count", 47, 0, UNC_RW, false},
	{"CTL", "thresh", 31, 24, UNC_RW, true},
	{"CTL", "invert", 23, 23, UNC_RW, false},
	{"CTL", "en", 22, 22, UNC_RW, false},
	{"CTL", "edge_det", 18, 18, UNC_RW, false},
	{"CTL", "umask", 15, 8, UNC_RW, false},
	{"CTL", "ev_sel", 7, 0, UNC_RW, false},
	{"FIXED_CTL", "en", 22, 22, UNC_RW, false},
	{"FIXED_CTL", "rst", 19, 19, UNC_WO, false},
	{"BOX_CTL", "frz_en", 16, 16, UNC_WO, true},
	{"BOX_CTL", "frz", 8, 8, UNC_WO, true},
	{"BOX_STATUS", "ov_fixed", 0, 0, UNC_RW1C, false},
	{"BOX_STATUS", "ov_ctr0", 1, 1, UNC_RW1C, false},
	{"BOX_STATUS", "ov_ctr1", 2, 2, UNC_RW1C, false},
	{"BOX_STATUS", "ov_ctr2", 3, 3, UNC_RW1C, false},
	{"BOX_STATUS", "ov_ctr3", 4, 4, UNC_RW1C, false},
	{"BOX_STATUS", "ov_ctr4", 5, 5, UNC_RW1C, true},
	{"BOX_STATUS", "ov_6", 6, 6, UNC_RW1C, true},
};
static const struct want_field ubox_fields[] = {
	{"CPUNODEID", "node", 2, 0, UNC_RO, false},   {"GIDNIDMAP", "gid0", 2, 0, UNC_RO, false},
	{"GIDNIDMAP", "gid1", 5, 3, UNC_RO, false},   {"GIDNIDMAP", "gid2", 8, 6, UNC_RO, false},
	{"GIDNIDMAP", "gid3", 11, 9, UNC_RO, false},  {"GIDNIDMAP", "gid4", 14, 12, UNC_RO, false},
	{"GIDNIDMAP", "gid5", 17, 15, UNC_RO, false}, {"GIDNIDMAP", "gid6", 20, 18, UNC_RO, false},
	{"GIDNIDMAP", "gid7", 23, 21, UNC_RO, false},
};

static void compare_fields(const struct unc_unit *unit, const struct want_field *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct unc_field *field = unc_reg_field(unc_unit_reg(unit, want[i].reg), want[i].field);

		CU_ASSERT_PTR_NOT_NULL_FATAL(field);
		CU_ASSERT_EQUAL(field->hi, want[i].hi);
		CU_ASSERT_EQUAL(field->lo, want[i].lo);
		CU_ASSERT_EQUAL(field->acc, want[i].acc);
		CU_ASSERT_EQUAL(field->verify != NULL, want[i].disputed);
	}
}

static void every_field_has_its_bits(void)
{
	struct unc_map *map = snbep_map();

	compare_fields(unc_map_unit(map, "imc"), imc_fields, sizeof(imc_fields) / sizeof(imc_fields[0]));
	compare_fields(unc_map_unit(map, "ubox"), ubox_fields, sizeof(ubox_fields) / sizeof(ubox_fields[0]));
	unc_map_free(map);
}

static void all_other_bits_are_reserved_and_written_0(void)
{
	static const struct {
		const char *reg;
		uint64_t reserved;
	} want[] = {
		{"CTR", UINT64_C(0xffff000000000000)},
		{"FIXED_CTR", UINT64_C(0xffff000000000000)},
		{"CTL", 0x003b0000},
		{"FIXED_CTL", 0xffb7ffff},
		{"BOX_CTL", 0xfffefeff},
		{"BOX_STATUS", 0xffffff80},
	};
	struct unc_map *map = snbep_map();

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct unc_reg *reg = unc_unit_reg(unc_map_unit(map, "imc"), want[i].reg);

		CU_ASSERT_EQUAL(unc_reg_mask(reg, UNC_RSVD), want[i].reserved);
		CU_ASSERT_EQUAL(unc_reg_blank(reg), 0);
	}
	unc_map_free(map);
}

/* What the guide says about the reset value of what can be read and is not a status. */
static void everything_is_0_after_a_reset(void)
{
	static const char *const names[] = {"CTR", "FIXED_CTR", "CTL", "FIXED_CTL", "BOX_CTL"};
	struct unc_map *map = snbep_map();

	for (size_t i = 0; i < 5; i++) {
		const struct unc_reg *reg = unc_unit_reg(unc_map_unit(map, "imc"), names[i]);

		for (size_t k = 0; k < reg->n_fields; k++) {
			CU_ASSERT_TRUE(reg->fields[k].reset_known);
			CU_ASSERT_EQUAL(reg->fields[k].reset, 0);
		}
	}
	unc_map_free(map);
}

static void the_values_that_tools_write_are_judged(void)
{
	struct unc_map *map = snbep_map();
	const struct unc_unit *imc = unc_map_unit(map, "imc");
	const struct unc_reg *box = unc_unit_reg(imc, "BOX_CTL"), *ctl = unc_unit_reg(imc, "CTL");
	struct unc_ctx ctx = {.msg = ""};
	char text[100];

	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, 0x10000), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, 0x10100), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, 0x10102), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, 0x10003), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, 0x30000), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, 0x400304), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, 0x010304), UNC_EDENIED); /* en is not bit 16 */
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, 0x500304), UNC_EDENIED); /* overflow enable */
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, unc_unit_reg(imc, "FIXED_CTL"), 0x480000), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, unc_unit_reg(imc, "CTL4"), 0), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, unc_unit_reg(imc, "CTR4"), 0), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_readback_mask(ctl), 0xffc4ffff);
	CU_ASSERT_EQUAL(unc_reg_readback_mask(box), 0);
	CU_ASSERT_STRING_EQUAL(unc_reg_text(ctl, 0x400304, text, sizeof(text)), "en=1 umask=0x3 ev_sel=0x4");
	unc_map_free(map);
}

struct want_event {
	const char *name;
	unsigned code, umask, max_inc; /* 0: the lists leave it blank */
};

static const struct want_event events[] = {
	{"clockticks", 0x00, 0x00, 1},
	{"act_count", 0x01, 0x00, 1},
	{"pre_count.page_miss", 0x02, 0x01, 1},
	{"pre_count.page_close", 0x02, 0x02, 1},
	{"cas_count.rd_reg", 0x04, 0x01, 1},
	{"cas_count.rd_underfill", 0x04, 0x02, 1},
	{"cas_count.rd", 0x04, 0x03, 1},
	{"cas_count.wr_wmm", 0x04, 0x04, 1},
	{"cas_count.wr_rmm", 0x04, 0x08, 1},
	{"cas_count.wr", 0x04, 0x0c, 1},
	{"cas_count.all", 0x04, 0x0f, 1},
	{"dram_refresh.panic", 0x05, 0x02, 1},
	{"dram_refresh.high", 0x05, 0x04, 1},
	{"dram_pre_all", 0x06, 0x00, 1},
	{"major_modes.read", 0x07, 0x01, 1},
	{"major_modes.write", 0x07, 0x02, 1},
	{"major_modes.partial", 0x07, 0x04, 1},
	{"major_modes.isoch", 0x07, 0x08, 1},
	{"preemption.rd_preempt_rd", 0x08, 0x01, 1},
	{"preemption.rd_preempt_wr", 0x08, 0x02, 1},
	{"ecc_correctable_errors", 0x09, 0x00, 1},
	{"rpq_inserts", 0x10, 0x00, 1},
	{"rpq_cycles_ne", 0x11, 0x00, 1},
	{"rpq_cycles_full", 0x12, 0x00, 1},
	{"wpq_inserts", 0x20, 0x00, 1},
	{"wpq_cycles_ne", 0x21, 0x00, 1},
	{"wpq_cycles_full", 0x22, 0x00, 1},
	{"wpq_read_hit", 0x23, 0x00, 1},
	{"wpq_write_hit", 0x24, 0x00, 1},
	{"power_throttle_cycles.rank0", 0x41, 0x01, 1},
	{"power_throttle_cycles.rank1", 0x41, 0x02, 1},
	{"power_throttle_cycles.rank2", 0x41, 0x04, 1},
	{"power_throttle_cycles.rank3", 0x41, 0x08, 1},
	{"power_throttle_cycles.rank4", 0x41, 0x10, 1},
	{"power_throttle_cycles.rank5", 0x41, 0x20, 1},
	{"power_throttle_cycles.rank6", 0x41, 0x40, 1},
	{"power_throttle_cycles.rank7", 0x41, 0x80, 1},
	{"power_self_refresh", 0x43, 0x00, 0},
	{"rpq_occupancy", 0x80, 0x00, 22},
	{"wpq_occupancy", 0x81, 0x00, 32},
	{"power_cke_cycles.rank0", 0x83, 0x01, 16},
	{"power_cke_cycles.rank1", 0x83, 0x02, 16},
	{"power_cke_cycles.rank2", 0x83, 0x04, 16},
	{"power_cke_cycles.rank3", 0x83, 0x08, 16},
	{"power_cke_cycles.rank4", 0x83, 0x10, 16},
	{"power_cke_cycles.rank5", 0x83, 0x20, 16},
	{"power_cke_cycles.rank6", 0x83, 0x40, 16},
	{"power_cke_cycles.rank7", 0x83, 0x80, 16},
	{"power_channel_dlloff", 0x84, 0x00, 1},
	{"power_channel_ppd", 0x85, 0x00, 4},
	{"power_critical_throttle_cycles", 0x86, 0x00, 1},
};
enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

static uint64_t selected(const struct unc_event *event, const char *field)
{
	for (size_t i = 0; i < event->n_select; i++) {
		if (strcmp(event->select[i].field, field) == 0)
			return event->select[i].value;
	}
	return UINT64_MAX;
}

static void every_event_has_its_code(void)
{
	struct unc_map *map = snbep_map();
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	CU_ASSERT_EQUAL(imc->n_events, N_EVENTS + 1); /* and dclk */
	for (size_t i = 0; i < N_EVENTS; i++) {
		const struct unc_event *event = unc_unit_event(imc, events[i].name);
		bool cas = strncmp(events[i].name, "cas_count.", 10) == 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(event);
		CU_ASSERT_EQUAL(event->n_select, 2);
		CU_ASSERT_EQUAL(selected(event, "ev_sel"), events[i].code);
		CU_ASSERT_EQUAL(selected(event, "umask"), events[i].umask);
		CU_ASSERT_EQUAL(event->max_inc, events[i].max_inc);
		CU_ASSERT_EQUAL(event->one_per, strncmp(event->name, "cas_count.", 10) == 0 ? 4 : 0);
		CU_ASSERT_EQUAL(event->counters, 0xf);
		CU_ASSERT_FALSE(event->fixed);
		CU_ASSERT_TRUE(event->scale == (cas ? 64 : 1));
		CU_ASSERT_EQUAL(event->unit != NULL, cas);
		CU_ASSERT_TRUE(!cas || strcmp(event->unit, "bytes") == 0);
		CU_ASSERT_TRUE(event->desc && event->src);
		CU_ASSERT_TRUE(event->max_inc != 0 || event->verify != NULL);
	}
	CU_ASSERT_PTR_NOT_NULL(unc_unit_event(imc, "clockticks")->verify); /* lists of one origin */
	unc_map_free(map);
}

static void the_fixed_counter_counts_dclk(void)
{
	struct unc_map *map = snbep_map();
	const struct unc_event *dclk = unc_unit_event(unc_map_unit(map, "imc"), "dclk");

	CU_ASSERT_PTR_NOT_NULL_FATAL(dclk);
	CU_ASSERT_TRUE(dclk->fixed);
	CU_ASSERT_EQUAL(dclk->max_inc, 1);
	CU_ASSERT_EQUAL(dclk->n_select, 0);
	CU_ASSERT_EQUAL(dclk->counters, 0);
	unc_map_free(map);
}

static void the_ubox_can_only_be_read(void)
{
	struct unc_map *map = snbep_map();
	const struct unc_unit *ubox = unc_map_unit(map, "ubox");

	CU_ASSERT_STRING_EQUAL(ubox->model, "ubox1");
	CU_ASSERT_EQUAL_FATAL(ubox->n_instances, 1);
	CU_ASSERT_EQUAL(ubox->instances[0].vendor, 0x8086);
	CU_ASSERT_EQUAL(ubox->instances[0].device, 0x3ce0);
	CU_ASSERT_EQUAL(ubox->instances[0].dev, 11);
	CU_ASSERT_EQUAL(ubox->instances[0].fn, 0);
	for (size_t i = 0; i < ubox->n_regs; i++) {
		CU_ASSERT_FALSE(unc_reg_writable(&ubox->regs[i]));
		CU_ASSERT_PTR_NOT_NULL(ubox->regs[i].verify); /* known from one source */
	}
	unc_map_free(map);
}

/* tools/embed-regs, byte for byte. */
static void what_is_built_in_is_what_stands_in_regs(void)
{
	for (size_t i = 0; i < unc_n_maps_built_in; i++) {
		const struct unc_map_text *map = &unc_maps_built_in[i];
		char path[100], *text = malloc(map->len + 2);
		FILE *f;

		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		snprintf(path, sizeof(path), "regs/%s.yaml", map->name);
		f = fopen(path, "r");
		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		CU_ASSERT_EQUAL(fread(text, 1, map->len + 2, f), map->len);
		CU_ASSERT_EQUAL(memcmp(text, map->text, map->len), 0);
		CU_ASSERT_EQUAL(map->text[map->len], '\0');
		fclose(f);
		free(text);
	}
}

void test_regs_snbep_suite(void)
{
	CU_pSuite s = CU_add_suite("regs_snbep", NULL, NULL);

	CU_add_test(s, "every stepping has the maps", every_stepping_has_the_maps);
	CU_add_test(s, "the channels are where they are", the_channels_are_where_they_are);
	CU_add_test(s, "the unit is 48 bits of PCI space", the_unit_is_48_bits_of_pci_space);
	CU_add_test(s, "every register is at its offset", every_register_is_at_its_offset);
	CU_add_test(s, "every field has its bits", every_field_has_its_bits);
	CU_add_test(s, "all other bits are reserved and written 0", all_other_bits_are_reserved_and_written_0);
	CU_add_test(s, "everything is 0 after a reset", everything_is_0_after_a_reset);
	CU_add_test(s, "the values that tools write are judged", the_values_that_tools_write_are_judged);
	CU_add_test(s, "every event has its code", every_event_has_its_code);
	CU_add_test(s, "the fixed counter counts DCLK", the_fixed_counter_counts_dclk);
	CU_add_test(s, "the UBOX can only be read", the_ubox_can_only_be_read);
	CU_add_test(s, "what is built in is what stands in regs/", what_is_built_in_is_what_stands_in_regs);
}

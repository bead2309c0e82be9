// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maps of the parts with counters in PCI space: places, registers and fields against rows from the manuals, events against Intel's
 * published lists.
 */
#include "regs.h"

#include <stdlib.h>

#include "perfmon_list.h"
#include "test.h"

enum { SNB = 1, IVT = 2, HSX = 4, SKX = 8, ALL = 15 }; /* layouts of registers */

static const struct regs_place snbep_places[] = {
	{0x3cb0, 16, 0, 0, 0}, {0x3cb1, 16, 1, 0, 1}, {0x3cb4, 16, 4, 0, 2}, {0x3cb5, 16, 5, 0, 3}, {0}};
static const struct regs_place ivt_places[] = {{0x0eb4, 16, 4, 0, 0}, {0x0eb5, 16, 5, 0, 1}, {0x0eb0, 16, 0, 0, 2},
					       {0x0eb1, 16, 1, 0, 3}, {0x0ef4, 30, 4, 1, 0}, {0x0ef5, 30, 5, 1, 1},
					       {0x0ef0, 30, 0, 1, 2}, {0x0ef1, 30, 1, 1, 3}, {0}};
static const struct regs_place hsx_places[] = {{0x2fb0, 20, 0, 0, 0}, {0x2fb1, 20, 1, 0, 1}, {0x2fb4, 21, 0, 0, 2},
					       {0x2fb5, 21, 1, 0, 3}, {0x2fd0, 23, 0, 1, 0}, {0x2fd1, 23, 1, 1, 1},
					       {0x2fd4, 24, 0, 1, 2}, {0x2fd5, 24, 1, 1, 3}, {0}};
static const struct regs_place bdx_places[] = {{0x6fb0, 20, 0, 0, 0}, {0x6fb1, 20, 1, 0, 1}, {0x6fb4, 21, 0, 0, 2},
					       {0x6fb5, 21, 1, 0, 3}, {0x6fd0, 23, 0, 1, 0}, {0x6fd1, 23, 1, 1, 1},
					       {0x6fd4, 24, 0, 1, 2}, {0x6fd5, 24, 1, 1, 3}, {0}};
static const struct regs_place skx_places[] = {{0x2042, 10, 2, 0, 0},
					       {0x2046, 10, 6, 0, 1},
					       {0x204a, 11, 2, 0, 2},
					       {0x2042, 12, 2, 1, 0},
					       {0x2046, 12, 6, 1, 1},
					       {0x204a, 13, 2, 1, 2},
					       {0}};

static const struct part {
	const char *title, *list; /* no list: Intel publishes none */
	unsigned layout, model, stepping, dclk_mhz /* the fastest */;
	const struct regs_place *places;
	bool likwid; /* LIKWID knows its ids */
	struct regs_place ubox;
} parts[] = {
	{"Sandy Bridge-EP", "jaketown", SNB, 0x2d, 7, 800, snbep_places, true, {0x3ce0, 11, 0, 0, 0}},
	{"Ivy Bridge-EP", "ivytown", IVT, 0x3e, 4, 933, ivt_places, true, {0x0e1e, 11, 0, 0, 0}},
	{"Haswell-EP", "haswellx", HSX, 0x3f, 2, 1066, hsx_places, true, {0x2f1e, 16, 5, 0, 0}},
	{"Broadwell-EP", "broadwellx", HSX, 0x4f, 1, 1200, bdx_places, false, {0x6f1e, 16, 5, 0, 0}},
	{"Broadwell-DE", "broadwellde", HSX, 0x56, 2, 1200, bdx_places, false, {0x6f1e, 16, 5, 0, 0}},
	{"Skylake-SP", "skylakex", SKX, 0x55, 4, 1333, skx_places, true, {0x2014, 8, 0, 0, 0}},
	{"Cascade Lake", "cascadelakex", SKX, 0x55, 7, 1333, skx_places, true, {0x2014, 8, 0, 0, 0}},
	{"Cooper Lake", NULL, SKX, 0x55, 11, 1333, skx_places, true, {0x2014, 8, 0, 0, 0}},
};

static const struct layout {
	unsigned layout;
	unsigned global;                                    /* MSR number of GLOBAL_CTL; 0: not in the map */
	uint32_t box_blank, box_allowed[5], box_refused[5]; /* values of BOX_CTL; 0 ends them */
} layouts[] = {
	{SNB, 0, 0, {0x10000, 0x10100}, {0x10102, 0x10003, 0x30000}},
	/* the guide: both bits are written 1 */
	{IVT, 0xc00, 0x30000, {0x30000, 0x30100, 0x30102, 0x30003}, {0x10000, 0x10100, 0x20000, 0x30004}},
	{HSX, 0x700, 0, {0x10000, 0x10100, 0x10102, 0x10003}, {0x30000, 0x20000}},
	/* PCM writes both bits 1 */
	{SKX, 0x700, 0x30000, {0x30000, 0x30100, 0x30102, 0x30003}, {0x10000, 0x10100, 0x20000}},
};

static const struct layout *layout_of(const struct part *part)
{
	const struct layout *layout = layouts;

	while (layout->layout != part->layout)
		layout++;
	return layout;
}

TEST(steppings_tell_parts_apart)
{
	for (unsigned stepping = 0; stepping < 16; stepping++) {
		struct unc_map *snbep = regs_map(0x2d, stepping), *skx = regs_map(0x55, stepping);

		CU_ASSERT_EQUAL(snbep->n_units, 3);
		CU_ASSERT_EQUAL(skx->n_units, 4);
		CU_ASSERT_STRING_EQUAL(unc_map_unit(skx, "imc")->title, stepping < 5    ? "Skylake-SP"
									: stepping < 10 ? "Cascade Lake"
											: "Cooper Lake");
		unc_map_free(skx);
		unc_map_free(snbep);
	}
}

static void compare_channels(const struct part *part, const struct unc_unit *imc)
{
	size_t n = 0;

	CU_ASSERT_STRING_EQUAL(imc->title, part->title);
	CU_ASSERT_EQUAL(imc->kind, UNC_PCI);
	CU_ASSERT_EQUAL(imc->counter_bits, 48);
	CU_ASSERT_STRING_EQUAL(imc->model, "pmon1");
	CU_ASSERT_TRUE(imc->max_clock_hz >= part->dclk_mhz * UINT64_C(1000000));
	while (part->places[n].device_id)
		n++;
	regs_places(imc, part->places, n);
	regs_numbers(imc, part->likwid);
	/* perf and LIKWID count 10.0 10.1 10.4 10.5; PCM begins with 10.4. */
	for (size_t i = 0; part->layout == SNB && i < imc->n_instances; i++)
		CU_ASSERT_EQUAL(imc->instances[i].pcm, (int)(i ^ 2));
}

static const struct {
	unsigned layouts;
	struct regs_reg reg;
} regs[] = {
	{ALL, {"CTR", 0xa0, 8, 4, 64, false, false}},       {SNB | IVT, {"CTR4", 0xc0, 0, 1, 64, false, true}},
	{ALL, {"FIXED_CTR", 0xd0, 0, 1, 64, false, false}}, {ALL, {"CTL", 0xd8, 4, 4, 32, true, false}},
	{SNB | IVT, {"CTL4", 0xe8, 0, 1, 32, false, true}}, {ALL, {"FIXED_CTL", 0xf0, 0, 1, 32, true, false}},
	{ALL, {"BOX_CTL", 0xf4, 0, 1, 32, true, false}},    {ALL, {"BOX_STATUS", 0xf8, 0, 1, 32, false, false}},
};

/* What software uses; all other bits are reserved. */
static const struct {
	unsigned layouts;
	struct regs_field field;
} fields[] = {
	{ALL, {"CTR", "event_count", 47, 0, UNC_RW}},
	{SNB | IVT, {"CTR4", "event_count", 47, 0, UNC_RO}},
	{ALL, {"FIXED_CTR", "event_count", 47, 0, UNC_RW}},
	{ALL, {"CTL", "thresh", 31, 24, UNC_RW}},
	{ALL & ~IVT, {"CTL", "invert", 23, 23, UNC_RW}}, /* the guide leaves it out */
	{ALL, {"CTL", "en", 22, 22, UNC_RW}},
	{ALL & ~SNB, {"CTL", "ov_en", 20, 20, UNC_RW}},
	{ALL, {"CTL", "edge_det", 18, 18, UNC_RW}},
	{ALL & ~SNB, {"CTL", "rst", 17, 17, UNC_WO}},
	{ALL, {"CTL", "umask", 15, 8, UNC_RW}},
	{ALL, {"CTL", "ev_sel", 7, 0, UNC_RW}},
	{SNB | IVT, {"CTL4", "as_ctl", 31, 0, UNC_RO}},
	{ALL, {"FIXED_CTL", "en", 22, 22, UNC_RW}},
	{HSX | SKX, {"FIXED_CTL", "ov_en", 20, 20, UNC_RW}},
	{ALL, {"FIXED_CTL", "rst", 19, 19, UNC_WO}},
	{SNB | HSX, {"BOX_CTL", "frz_en", 16, 16, UNC_WO}},
	{ALL, {"BOX_CTL", "frz", 8, 8, UNC_WO}},
	{ALL & ~SNB, {"BOX_CTL", "rst_ctrs", 1, 1, UNC_WO}},
	{ALL & ~SNB, {"BOX_CTL", "rst_ctrl", 0, 0, UNC_WO}},
	{SNB, {"BOX_STATUS", "ov_6", 6, 6, UNC_RW1C}},
	{SNB, {"BOX_STATUS", "ov_ctr4", 5, 5, UNC_RW1C}},
	{ALL, {"BOX_STATUS", "ov_ctr3", 4, 4, UNC_RW1C}},
	{ALL, {"BOX_STATUS", "ov_ctr2", 3, 3, UNC_RW1C}},
	{ALL, {"BOX_STATUS", "ov_ctr1", 2, 2, UNC_RW1C}},
	{ALL, {"BOX_STATUS", "ov_ctr0", 1, 1, UNC_RW1C}},
	{ALL, {"BOX_STATUS", "ov_fixed", 0, 0, UNC_RW1C}},
};

static void compare_registers(const struct part *part, const struct unc_unit *imc)
{
	struct regs_reg want_regs[REGS_N(regs)];
	struct regs_field want_fields[REGS_N(fields)];
	size_t n_regs = 0, n_fields = 0;

	for (size_t i = 0; i < REGS_N(regs); i++)
		if (regs[i].layouts & part->layout)
			want_regs[n_regs++] = regs[i].reg;
	for (size_t i = 0; i < REGS_N(fields); i++)
		if (fields[i].layouts & part->layout)
			want_fields[n_fields++] = fields[i].field;
	regs_regs(imc, want_regs, n_regs);
	regs_fields(imc, want_fields, n_fields);
}

TEST(what_sources_dispute_is_marked)
{
	static const char *const disputed[][2] = {{"CTL", "thresh"},
						  {"BOX_CTL", "frz_en"},
						  {"BOX_CTL", "frz"},
						  {"BOX_STATUS", "ov_ctr4"},
						  {"BOX_STATUS", "ov_6"}};
	struct unc_map *snbep = regs_map(0x2d, 7), *ivt = regs_map(0x3e, 4);
	const struct unc_unit *imc = unc_map_unit(snbep, "imc");

	for (size_t i = 0; i < REGS_N(disputed); i++)
		CU_ASSERT_PTR_NOT_NULL(unc_reg_field(unc_unit_reg(imc, disputed[i][0]), disputed[i][1])->verify);
	CU_ASSERT_PTR_NULL(unc_reg_field(unc_unit_reg(imc, "CTL"), "en")->verify);
	/* The guide leaves invert of Ivy Bridge out, and the datasheet has it. */
	CU_ASSERT_PTR_NOT_NULL(unc_reg_field(unc_unit_reg(unc_map_unit(ivt, "imc"), "CTL"), "rsv_23")->verify);
	unc_map_free(ivt);
	unc_map_free(snbep);
}

static void judge_values(const struct part *part, const struct unc_unit *imc)
{
	const struct unc_reg *box = unc_unit_reg(imc, "BOX_CTL");
	const struct layout *layout = layout_of(part);
	struct unc_ctx ctx = {.msg = ""};

	CU_ASSERT_EQUAL(unc_reg_blank(box), layout->box_blank);
	for (size_t i = 0; layout->box_allowed[i]; i++)
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, layout->box_allowed[i]), 0);
	for (size_t i = 0; layout->box_refused[i]; i++)
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, layout->box_refused[i]), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, box, 0), layout->box_blank ? UNC_EDENIED : 0);
}

TEST(the_values_that_tools_write_are_judged)
{
	struct unc_map *map = regs_map(0x2d, 7);
	const struct unc_unit *imc = unc_map_unit(map, "imc");
	const struct unc_reg *ctl = unc_unit_reg(imc, "CTL");
	struct unc_ctx ctx = {.msg = ""};
	char text[100];

	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, 0x400304), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, 0x010304), UNC_EDENIED); /* en is not bit 16 */
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, 0x500304), UNC_EDENIED); /* overflow enable */
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, unc_unit_reg(imc, "FIXED_CTL"), 0x480000), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, unc_unit_reg(imc, "CTL4"), 0), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, unc_unit_reg(imc, "CTR4"), 0), UNC_EDENIED);
	CU_ASSERT_EQUAL(unc_reg_readback_mask(ctl), 0xffc4ffff);
	CU_ASSERT_EQUAL(unc_reg_readback_mask(unc_unit_reg(imc, "BOX_CTL")), 0);
	CU_ASSERT_STRING_EQUAL(unc_reg_text(ctl, 0x400304, text, sizeof(text)), "en=1 umask=0x3 ev_sel=0x4");
	unc_map_free(map);
}

/* What the lists leave out: sums, ranks that they do not have, and umasks of all banks. */
static const struct {
	unsigned layouts;
	struct regs_event event;
} unlisted[] = {
	{ALL & ~SNB, {"act_count.all", 0x01, 0x0b, ONE, 0}},
	{IVT, {"rd_cas_rank%u.bank%u", 0xb0, 0x01, BANK_BITS, 8}},
	{IVT, {"wr_cas_rank%u.bank%u", 0xb8, 0x01, BANK_BITS, 8}},
	{IVT, {"rd_cas_rank%u.allbanks", 0xb0, 0xff, RANKS, 0}},
	{IVT, {"wr_cas_rank%u.allbanks", 0xb8, 0xff, RANKS, 0}},
	/* The umask is a number: 16 banks, all of them, four groups. */
	{HSX | SKX, {"rd_cas_rank%u.bank%u", 0xb0, 0x00, BANKS, 16}},
	{HSX | SKX, {"wr_cas_rank%u.bank%u", 0xb8, 0x00, BANKS, 16}},
	{HSX | SKX, {"rd_cas_rank%u.allbanks", 0xb0, 0x10, RANKS, 0}},
	{HSX | SKX, {"wr_cas_rank%u.allbanks", 0xb8, 0x10, RANKS, 0}},
	{HSX | SKX, {"rd_cas_rank%u.bankg%u", 0xb0, 0x11, BANKS, 4}},
	{HSX | SKX, {"wr_cas_rank%u.bankg%u", 0xb8, 0x11, BANKS, 4}},
};

/* By how much an event grows in a clock where that is not 1; the guide of Skylake-SP states nothing. */
static const struct {
	unsigned layouts;
	const char *name;
	unsigned max_inc;
} increments[] = {
	{SNB, "rpq_occupancy", 22},           {SNB, "wpq_occupancy", 32},   {ALL & ~SKX, "power_cke", 16},
	{ALL & ~SKX, "power_channel_ppd", 4}, {ALL & ~SKX, "vmse_mxb", 32}, {SNB | IVT, "power_self_refresh", 0},
};

static unsigned max_inc_of(const struct part *part, const char *name)
{
	for (size_t i = 0; i < REGS_N(increments); i++)
		if (increments[i].layouts & part->layout &&
		    strncmp(name, increments[i].name, strlen(increments[i].name)) == 0)
			return increments[i].max_inc;
	return part->layout == SKX ? 0 : 1;
}

static void compare_events(const struct part *part, const struct unc_unit *imc)
{
	static struct perfmon_event list[600];
	size_t n = part->list ? perfmon_list(part->list, list, REGS_N(list)) : 0, n_known = 0;
	bool *known = calloc(imc->n_events, sizeof(*known));

	CU_ASSERT_PTR_NOT_NULL_FATAL(known);
	for (size_t i = 0; i < n; i++) {
		const struct unc_event *event = unc_unit_event(imc, list[i].name);

		CU_ASSERT_PTR_NOT_NULL(event);
		if (!event) {
			printf("\n    %s has no event %s\n", imc->map, list[i].name);
			continue;
		}
		known[event - imc->events] = true;
		CU_ASSERT_EQUAL(event->fixed, list[i].fixed);
		if (event->fixed)
			continue;
		regs_event(imc, event->name, list[i].code, list[i].umask);
		CU_ASSERT_EQUAL(event->counters, list[i].counters);
	}
	for (size_t i = 0; i < REGS_N(unlisted); i++)
		if (unlisted[i].layouts & part->layout)
			regs_family(imc, &unlisted[i].event, known);
	for (size_t i = 0; i < imc->n_events; i++) {
		const struct unc_event *event = &imc->events[i];

		regs_event_is_whole(imc, event, event->fixed ? 1 : max_inc_of(part, event->name));
		n_known += known[i] || event->fixed;
		if (n && !known[i] && !event->fixed)
			printf("\n    %s: %s is in no list\n", imc->map, event->name);
	}
	CU_ASSERT_TRUE(!n || n_known == imc->n_events);
	CU_ASSERT_PTR_NOT_NULL_FATAL(unc_unit_event(imc, "dclk"));
	CU_ASSERT_TRUE(unc_unit_event(imc, "dclk")->fixed);
	free(known);
}

TEST(cooper_lake_has_the_events_of_cascade_lake)
{
	struct unc_map *clx = regs_map(0x55, 7), *cpx = regs_map(0x55, 11);
	const struct unc_unit *had = unc_map_unit(clx, "imc"), *has = unc_map_unit(cpx, "imc");

	CU_ASSERT_EQUAL_FATAL(has->n_events, had->n_events);
	for (size_t i = 0; i < had->n_events; i++)
		if (!had->events[i].fixed)
			regs_event(has, had->events[i].name, (unsigned)regs_selected(&had->events[i], "ev_sel"),
				   (unsigned)regs_selected(&had->events[i], "umask"));
	unc_map_free(cpx);
	unc_map_free(clx);
}

TEST(other_names_of_the_clock_find_it)
{
	struct unc_map *snbep = regs_map(0x2d, 7), *hsx = regs_map(0x3f, 2), *bdx = regs_map(0x4f, 1),
		       *skx = regs_map(0x55, 4);

	CU_ASSERT_PTR_NOT_NULL(
		unc_unit_event(unc_map_unit(snbep, "imc"), "clockticks")->verify); /* lists of one origin */
	regs_also(unc_map_unit(hsx, "imc"), "clockticks", "dclockticks");
	regs_also(unc_map_unit(bdx, "imc"), "clockticks_p", "dclockticks");
	regs_also(unc_map_unit(bdx, "imc"), "dclk", "clockticks");
	regs_also(unc_map_unit(skx, "imc"), "dclk", "clockticks_f");
	unc_map_free(skx);
	unc_map_free(bdx);
	unc_map_free(hsx);
	unc_map_free(snbep);
}

static void compare_ubox(const struct part *part, const struct unc_unit *ubox)
{
	unsigned node = part->layout == SKX ? 0xc0 : 0x40;
	const struct regs_reg want[] = {{"CPUNODEID", node, 0, 1, 32, false, false},
					{"GIDNIDMAP", node + 0x14, 0, 1, 32, false, false}};

	CU_ASSERT_PTR_NOT_NULL_FATAL(ubox);
	CU_ASSERT_STRING_EQUAL(ubox->model, "ubox1");
	CU_ASSERT_EQUAL(ubox->bus, part->layout == SKX ? UNC_BUS_LOWER : UNC_BUS_SAME);
	regs_places(ubox, &part->ubox, 1);
	regs_regs(ubox, want, REGS_N(want));
	for (size_t i = 0; i < ubox->n_regs; i++) {
		CU_ASSERT_FALSE(unc_reg_writable(&ubox->regs[i]));
		CU_ASSERT_TRUE(part->layout != SNB || ubox->regs[i].verify); /* known from one source */
	}
	for (unsigned i = 0; i < 8; i++) {
		char name[8];
		const struct unc_field *gid;

		snprintf(name, sizeof(name), "gid%u", i);
		gid = unc_reg_field(unc_unit_reg(ubox, "GIDNIDMAP"), name);
		CU_ASSERT_TRUE(gid && gid->lo == 3 * i && gid->hi == 3 * i + 2);
	}
}

static const struct {
	unsigned layouts;
	struct regs_field field;
} global_fields[] = {
	{IVT | HSX, {"GLOBAL_CTL", "frz_all", 31, 31, UNC_WO}},   {IVT, {"GLOBAL_CTL", "wk_on_pmi", 30, 30, UNC_RW}},
	{IVT | HSX, {"GLOBAL_CTL", "unfrz_all", 29, 29, UNC_WO}}, {IVT, {"GLOBAL_CTL", "pmi_core_sel", 14, 0, UNC_RW}},
	{IVT, {"GLOBAL_STATUS", "ov_mc1", 21, 21, UNC_RW1C}},     {IVT, {"GLOBAL_STATUS", "ov_mc0", 20, 20, UNC_RW1C}},
	{HSX, {"GLOBAL_STATUS", "ov_mc0", 23, 23, UNC_RW1C}},     {IVT | HSX, {"GLOBAL_CONFIG", "all", 63, 0, UNC_RO}},
	{SKX, {"GLOBAL_CTL", "frz_all", 63, 63, UNC_WO}},         {SKX, {"GLOBAL_CTL", "unfrz_all", 61, 61, UNC_WO}},
	{SKX, {"GLOBAL_STATUS", "ov_mc1", 40, 40, UNC_RW1C}},     {SKX, {"GLOBAL_STATUS", "ov_mc0", 39, 39, UNC_RW1C}},
	{SKX, {"GLOBAL_CONFIG", "other", 63, 6, UNC_RO}},         {SKX, {"GLOBAL_CONFIG", "n_cha", 5, 0, UNC_RO}},
};

static void compare_freeze(const struct part *part, const struct unc_unit *global)
{
	unsigned first = layout_of(part)->global;
	const struct regs_reg want[] = {
		{"GLOBAL_CTL", first, 0, 1, 64, true, false},
		{"GLOBAL_STATUS", first + 1, 0, 1, 64, false, false},
		{"GLOBAL_CONFIG", first + (part->layout == IVT ? 6 : 2), 0, 1, 64, false, false}};
	struct regs_field want_fields[REGS_N(global_fields)];
	size_t n = 0;

	CU_ASSERT_EQUAL_FATAL(global != NULL, first != 0);
	if (!global)
		return;
	for (size_t i = 0; i < REGS_N(global_fields); i++)
		if (global_fields[i].layouts & part->layout)
			want_fields[n++] = global_fields[i].field;
	CU_ASSERT_EQUAL(global->kind, UNC_MSR);
	CU_ASSERT_STRING_EQUAL(global->model, "freeze1");
	regs_regs(global, want, REGS_N(want));
	regs_fields(global, want_fields, n);
	CU_ASSERT_EQUAL(unc_reg_blank(unc_unit_reg(global, "GLOBAL_CTL")), 0);
}

/* mmio.md, sections 3.7 and 5.6. */
TEST(the_global_freeze_of_parts_in_memory_has_its_registers)
{
	static const struct regs_reg icx[] = {{"GLOBAL_CTL", 0x700, 0, 1, 64, true, false},
					      {"GLOBAL_CONFIG", 0x702, 0, 1, 64, false, false}};
	static const struct regs_reg spr[] = {{"GLOBAL_CTL", 0x2ff0, 0, 1, 64, true, false}};
	static const struct regs_field of_icx[] = {{"GLOBAL_CTL", "frz_all", 63, 63, UNC_WO},
						   {"GLOBAL_CTL", "unfrz_all", 61, 61, UNC_WO},
						   {"GLOBAL_CONFIG", "other", 63, 6, UNC_RO},
						   {"GLOBAL_CONFIG", "n_cha", 5, 0, UNC_RO}};
	static const struct regs_field of_spr[] = {{"GLOBAL_CTL", "frz_all", 0, 0, UNC_RW}};
	static const unsigned models[] = {0x6a, 0x6c, 0x8f, 0xcf};

	for (size_t i = 0; i < REGS_N(models); i++) {
		struct unc_map *map = regs_map(models[i], 8);
		const struct unc_unit *global = unc_map_unit(map, "global");

		CU_ASSERT_PTR_NOT_NULL_FATAL(global);
		CU_ASSERT_STRING_EQUAL(global->model, "freeze1");
		if (i < 2) {
			regs_regs(global, icx, REGS_N(icx));
			regs_fields(global, of_icx, REGS_N(of_icx));
		} else {
			regs_regs(global, spr, REGS_N(spr));
			regs_fields(global, of_spr, REGS_N(of_spr));
		}
		unc_map_free(map);
	}
}

/* Linux drivers/platform/x86/intel/uncore-frequency/uncore-frequency.c: its table of models, and its masks. */
TEST(the_clock_of_the_uncore_is_where_the_kernel_reads_it)
{
	static const unsigned in_msrs[] = {0x4f, 0x56, 0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0x47, 0x8e,
					   0x9e, 0xa5, 0xa6, 0x7d, 0x7e, 0xa7, 0x8c, 0x8d, 0x97,
					   0x9a, 0xb7, 0xba, 0xbf, 0xaa, 0xac, 0xc5, 0xc6, 0xbd},
			      others[] = {0x3d, 0x4e, 0x5e, 0xbe, 0xb5}, in_tpmi[] = {0xae, 0xdd};
	static const struct regs_reg want[] = {{"UNCORE_RATIO_LIMIT", 0x620, 0, 1, 64, false, false},
					       {"UNCORE_PERF_STATUS", 0x621, 0, 1, 64, false, false}};
	static const struct regs_field of_them[] = {{"UNCORE_RATIO_LIMIT", "max_ratio", 6, 0, UNC_RO},
						    {"UNCORE_RATIO_LIMIT", "min_ratio", 14, 8, UNC_RO},
						    {"UNCORE_PERF_STATUS", "ratio", 6, 0, UNC_RO}};

	for (size_t i = 0; i < REGS_N(in_msrs); i++) {
		struct unc_map *map = regs_map(in_msrs[i], 8);
		const struct unc_unit *unit = unc_map_unit(map, "uclk");

		CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
		CU_ASSERT_STRING_EQUAL(unit->model, "read1");
		regs_regs(unit, want, REGS_N(want));
		regs_fields(unit, of_them, REGS_N(of_them));
		unc_map_free(map);
	}
	for (size_t i = 0; i < REGS_N(in_tpmi); i++) {
		struct unc_map *map = regs_map(in_tpmi[i], 1);
		const struct unc_unit *unit = unc_map_unit(map, "uclk");

		CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
		CU_ASSERT_PTR_NULL(unc_unit_reg(unit, "UNCORE_PERF_STATUS"));
		CU_ASSERT_PTR_NOT_NULL(strstr(unit->title, "in TPMI"));
		unc_map_free(map);
	}
	for (size_t i = 0; i < REGS_N(others); i++) {
		struct unc_map *map = regs_map(others[i], 2);

		CU_ASSERT_PTR_NULL(unc_map_unit(map, "uclk"));
		unc_map_free(map);
	}
}

/* registers.md, section 2.7: the U box; Linux arch/x86/events/intel/uncore_snbep.c; PCM, types.h. */
TEST(a_counter_of_the_clock_of_the_uncore_is_only_looked_at)
{
	static const struct {
		unsigned model;
		uint32_t ctl, ctr;
		bool in_tpmi;
	} with_counter[] = {
		{0x2d, 0xc08, 0xc09, false},   {0x3e, 0xc08, 0xc09, false},  {0x3f, 0x703, 0x704, false},
		{0x86, 0x1f93, 0x1f94, false}, {0xad, 0x3ffe, 0x3ffd, true}, {0xaf, 0x3ffe, 0x3ffd, true},
		{0xb6, 0x3f5e, 0x3f5f, true},
	};
	static const struct regs_field of_them[] = {{"UCLK_FIXED_CTL", "en", 22, 22, UNC_RO},
						    {"UCLK_FIXED_CTL", "ov_en", 20, 20, UNC_RO},
						    {"UCLK_FIXED_CTR", "count", 47, 0, UNC_RO}};

	for (size_t i = 0; i < REGS_N(with_counter); i++) {
		const struct regs_reg want[] = {{"UCLK_FIXED_CTL", with_counter[i].ctl, 0, 1, 64, false, false},
						{"UCLK_FIXED_CTR", with_counter[i].ctr, 0, 1, 64, false, false}};
		struct unc_map *map = regs_map(with_counter[i].model, 2);
		const struct unc_unit *unit = unc_map_unit(map, "uclk");

		CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
		CU_ASSERT_STRING_EQUAL(unit->model, "read1");
		CU_ASSERT_EQUAL(unit->n_regs, 2);
		regs_regs(unit, want, REGS_N(want));
		regs_fields(unit, of_them, REGS_N(of_them));
		CU_ASSERT_EQUAL(strstr(unit->title, "in TPMI") != NULL, with_counter[i].in_tpmi);
		unc_map_free(map);
	}
}

/* mmio.md, section 5.5. */
TEST(the_mesh_counts_each_controller)
{
	static const struct {
		unsigned model, device_id, n;
		uint64_t reads, reads_ch1, writes, writes_ch0; /* ev_sel, umask and its extension; 0: no event */
	} of[] = {
		{0x86, 0x344a, 1, 0x0700000437, 0x0200000437, 0x1c00001038, 0x0400001038},
		{0x6a, 0x344a, 4, 0x0700000437, 0x0200000437, 0x1c00001038, 0x0400001038},
		{0x6c, 0x344a, 4, 0x0700000437, 0x0200000437, 0x1c00001038, 0x0400001038},
		{0x8f, 0x324a, 4, 0x0300000424, 0x0200000424, 0x1800001025, 0x0800001025},
		{0xcf, 0x324a, 4, 0x0300000424, 0x0200000424, 0x1800001025, 0x0800001025},
		{0xad, 0x324a, 12, 0x0100000424, 0, 0x0100001025, 0},
		{0xaf, 0x324a, 12, 0x0100000424, 0, 0x0100001025, 0},
		{0xae, 0x324a, 8, 0x0100000424, 0, 0x0100001025, 0},
		{0xb6, 0x324a, 2, 0x0100000424, 0, 0x0100001025, 0},
	};
	static const struct regs_place places[2][12] = {
		{{0, 12, 0, 0, 0}, {0, 13, 0, 1, 0}, {0, 14, 0, 2, 0}, {0, 15, 0, 3, 0}},
		{{0, 5, 1, 0, 0},
		 {0, 5, 2, 1, 0},
		 {0, 5, 3, 2, 0},
		 {0, 5, 4, 3, 0},
		 {0, 5, 5, 4, 0},
		 {0, 5, 6, 5, 0},
		 {0, 5, 7, 6, 0},
		 {0, 6, 1, 7, 0},
		 {0, 6, 2, 8, 0},
		 {0, 6, 3, 9, 0},
		 {0, 6, 4, 10, 0},
		 {0, 6, 5, 11, 0}}};

	for (size_t i = 0; i < REGS_N(of); i++) {
		struct unc_map *map = regs_map(of[i].model, 8);
		const struct unc_unit *unit = unc_map_unit(map, "m2m");
		const struct {
			const char *event;
			uint64_t select;
		} events[] = {{"imc_reads.all", of[i].reads},
			      {"imc_reads.ch1", of[i].reads_ch1},
			      {"imc_writes.all", of[i].writes},
			      {"imc_writes.ch0", of[i].writes_ch0}};
		const struct unc_reg *ctl, *ctr;
		struct regs_place want[12];
		struct unc_ctx ctx = {.msg = ""};

		CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
		for (size_t k = 0; k < 12; k++) {
			want[k] = places[of[i].reads_ch1 == 0][k];
			want[k].device_id = of[i].device_id;
		}
		regs_places(unit, want, of[i].n);
		CU_ASSERT_EQUAL(unc_unit_reg(unit, "BOX_CTL")->off, 0x438);
		ctr = unc_unit_reg(unit, "CTR");
		CU_ASSERT(ctr->off == 0x440 && ctr->step == 8 && ctr->count == 4 && ctr->bits == 64);
		ctl = unc_unit_reg(unit, "CTL");
		CU_ASSERT(ctl->off == 0x468 && ctl->step == 8 && ctl->count == 4 && ctl->bits == 64);
		CU_ASSERT_EQUAL(unc_reg_field(ctl, "en") != NULL, of[i].device_id == 0x344a);
		for (size_t k = 0; k < REGS_N(events); k++) {
			const struct unc_event *event = unc_unit_event(unit, events[k].event);
			uint64_t control = 0;

			CU_ASSERT_EQUAL(event != NULL, events[k].select != 0);
			if (!event)
				continue;
			CU_ASSERT_EQUAL(event->scale, 64);
			CU_ASSERT_EQUAL(unc_event_control(&ctx, unit, event, &control), 0);
			CU_ASSERT_EQUAL(control & UINT64_C(0xff0000ffff), events[k].select);
		}
		unc_map_free(map);
	}
}

/* Linux arch/x86/events/intel/uncore_snb.c (adl_uncore_imc); intel/perfmon, lists of Alder Lake and Meteor Lake. */
TEST(clients_from_alder_lake_on_have_five_programmable_counters)
{
	static const unsigned earlier[] = {0x8c, 0x8d, 0x5e}, adl[] = {0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf},
			      mtl[] = {0xaa, 0xac, 0xb5, 0xc5, 0xc6, 0xbd};
	static const struct regs_reg want[] = {{"GLOBAL_CTL", 0x00, 0, 1, 32, true, false},
					       {"BOX_CTL", 0x04, 0, 1, 32, true, false},
					       {"CTL", 0x10, 4, 5, 32, true, false},
					       {"CTR", 0x28, 8, 5, 64, false, false}};
	static const struct regs_field of_them[] = {
		{"GLOBAL_CTL", "rst_ctrs", 2, 2, UNC_WO}, {"GLOBAL_CTL", "rst_ctrl", 1, 1, UNC_WO},
		{"GLOBAL_CTL", "frz", 0, 0, UNC_RW},      {"BOX_CTL", "frz", 0, 0, UNC_WO},
		{"CTL", "edge_det", 18, 18, UNC_RW},      {"CTL", "chmask", 11, 8, UNC_RW},
		{"CTL", "ev_sel", 7, 0, UNC_RW},          {"CTR", "event_count", 63, 0, UNC_RW}};
	static const struct {
		const char *name;                /* as the lists write it, without UNC_M_; of CLOCKTICKS the map's */
		unsigned code, scale, scale_mtl; /* 0: the part lacks it */
	} events[] = {
		{"clocks", 0x01, 1, 0},
		{"vc0_requests_rd", 0x02, 1, 0},
		{"vc0_requests_wr", 0x03, 1, 0},
		{"vc1_requests_rd", 0x04, 1, 0},
		{"vc1_requests_wr", 0x05, 1, 0},
		{"prefetch_rd", 0x0a, 1, 0},
		{"dram_thermal_hot", 0x19, 1, 1},
		{"dram_thermal_warm", 0x1a, 1, 1},
		{"dram_page_hit_rd", 0x1c, 1, 0},
		{"dram_page_empty_rd", 0x1d, 1, 0},
		{"dram_page_miss_rd", 0x1e, 1, 0},
		{"dram_page_hit_wr", 0x1f, 1, 0},
		{"dram_page_empty_wr", 0x20, 1, 0},
		{"dram_page_miss_wr", 0x21, 1, 0},
		{"cas_count_rd", 0x22, 64, 1},
		{"cas_count_wr", 0x23, 64, 1},
		{"act_count_rd", 0x24, 1, 1},
		{"act_count_wr", 0x25, 1, 1},
		{"act_count_total", 0x26, 1, 1},
		{"pre_count_page_miss", 0x27, 1, 1},
		{"pre_count_idle", 0x28, 1, 1},
		{"rd_data", 0x3a, 0, 32},
		{"wr_data", 0x3b, 0, 32},
		{"total_data", 0x3c, 0, 32},
	};

	for (size_t i = 0; i < REGS_N(earlier); i++) {
		struct unc_map *map = regs_map(earlier[i], 1);

		CU_ASSERT_PTR_NULL(unc_map_unit(map, "pmon"));
		unc_map_free(map);
	}
	for (size_t i = 0; i < REGS_N(adl) + REGS_N(mtl); i++) {
		bool later = i >= REGS_N(adl);
		struct unc_map *map = regs_map(later ? mtl[i - REGS_N(adl)] : adl[i], 1);
		const struct unc_unit *unit = unc_map_unit(map, "pmon");
		size_t n = 0;

		CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
		CU_ASSERT_STRING_EQUAL(unit->model, "pmon1");
		CU_ASSERT_EQUAL(unit->counter_bits, 64);
		CU_ASSERT_EQUAL(unit->n_instances, 2);
		regs_regs(unit, want, REGS_N(want));
		regs_fields(unit, of_them, REGS_N(of_them));
		for (size_t k = 0; k < REGS_N(events); k++) {
			const struct unc_event *event = unc_unit_event(unit, events[k].name);
			unsigned scale = later ? events[k].scale_mtl : events[k].scale;
			struct unc_ctx ctx = {.msg = ""};
			uint64_t control = 0;

			CU_ASSERT_EQUAL(event != NULL, scale != 0);
			if (!event)
				continue;
			n++;
			CU_ASSERT_EQUAL(unc_event_control(&ctx, unit, event, &control), 0);
			CU_ASSERT_EQUAL(control, events[k].code);
			CU_ASSERT_EQUAL(event->counters, 0x1f);
			CU_ASSERT_EQUAL(event->scale, scale);
		}
		CU_ASSERT_EQUAL(unit->n_events, n);
		unc_map_free(map);
	}
}

TEST(each_part_is_as_its_documents_say)
{
	for (const struct part *part = parts; part < parts + REGS_N(parts); part++) {
		struct unc_map *map = regs_map(part->model, part->stepping);
		const struct unc_unit *imc = unc_map_unit(map, "imc");
		unsigned failures = CU_get_number_of_failures();

		compare_channels(part, imc);
		compare_registers(part, imc);
		judge_values(part, imc);
		compare_events(part, imc);
		compare_ubox(part, unc_map_unit(map, "ubox"));
		compare_freeze(part, unc_map_unit(map, "global"));
		if (CU_get_number_of_failures() > failures)
			printf("\n    %s fails\n", part->title);
		unc_map_free(map);
	}
}

/* tools/embed-regs, byte for byte. */
TEST(what_is_built_in_is_what_regs_has)
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

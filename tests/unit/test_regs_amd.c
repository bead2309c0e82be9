// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD's maps: controls of events against values typed from the published lists (Linux, pmu-events/arch/x86/amdzen1 to amdzen6; RRZE-HPC/likwid), and which
 * maps a processor has, by CPUID of real ones.
 */
#include <math.h>

#include "machine/machine.h"
#include "map/metric.h"
#include "pmon/event.h"
#include "regs.h"
#include "test.h"

/* A processor as CPUID tells of it; leaves that are not here are 0. */
struct part {
	const char *name, *vendor;
	unsigned family, model;
	uint32_t ecx1, eax22, ebx22, ecx22; /* of 80000001 and 80000022 */
	const char *maps;                   /* all that fit, without their "amd-", in the order of their names */
	unsigned channels;                  /* of the unit imc */
};

enum { L3 = 1 << 28, DF = 1 << 24 };

static const struct part parts[] = {
	{"EPYC 7601 (Naples)", "AuthenticAMD", 0x17, 0x01, DF | L3, 0, 0, 0, "zen1-df zen1-imc zen1-l3", 2},
	{"Raven Ridge", "AuthenticAMD", 0x17, 0x11, DF | L3, 0, 0, 0, "zen1-df zen1-imc zen1-l3", 2},
	{"EPYC 7742 (Rome)", "AuthenticAMD", 0x17, 0x31, DF | L3, 0, 0, 0, "zen1-df zen1-l3 zen2-imc", 8},
	{"Ryzen 3000 (Matisse)", "AuthenticAMD", 0x17, 0x71, DF | L3, 0, 0, 0, "zen1-df zen1-imc zen1-l3", 2},
	{"Dhyana", "HygonGenuine", 0x18, 0x00, DF | L3, 0, 0, 0, "zen1-df zen1-imc zen1-l3", 2},
	{"EPYC 7763 (Milan)", "AuthenticAMD", 0x19, 0x01, DF | L3, 0, 0, 0, "zen1-df zen2-imc zen3-l3", 8},
	{"Trento", "AuthenticAMD", 0x19, 0x30, DF | L3, 0, 0, 0, "zen1-df zen2-imc zen3-l3", 8},
	{"Ryzen 5000 (Vermeer)", "AuthenticAMD", 0x19, 0x21, DF | L3, 0, 0, 0, "zen1-df zen1-imc zen3-l3", 2},
	{"Rembrandt", "AuthenticAMD", 0x19, 0x44, DF | L3, 0, 0, 0, "rmb-imc zen1-df zen3-l3", 4},
	{"Cezanne", "AuthenticAMD", 0x19, 0x50, DF | L3, 0, 0, 0, "zen1-df zen1-imc zen3-l3", 2},
	{"EPYC 9654 (Genoa)", "AuthenticAMD", 0x19, 0x11, DF | L3, 7, 0x304106, 0xfff, "umc zen4-df zen4-l3", 12},
	{"EPYC 9124", "AuthenticAMD", 0x19, 0x11, DF | L3, 7, 0x44106, 8, "umc zen4-df zen4-l3", 12},
	{"EPYC 9754 (Bergamo)", "AuthenticAMD", 0x19, 0xa0, DF | L3, 7, 0x204106, 0xfff, "zen4-df zen4-imc zen4-l3",
	 12},
	{"Raphael", "AuthenticAMD", 0x19, 0x61, DF | L3, 7, 0x84106, 3, "umc zen4-df zen4-l3", 12},
	{"MI300A", "AuthenticAMD", 0x19, 0x90, DF | L3, 7, 0x304106, 0xfff, "", 0},
	{"EPYC 9655 (Turin)", "AuthenticAMD", 0x1a, 0x02, DF | L3, 7, 0x304106, 0xfff, "zen5-df zen5-l3 zen5-umc", 12},
	{"Ryzen 9950X3D", "AuthenticAMD", 0x1a, 0x44, DF | L3, 7, 0x84106, 3, "zen5-df zen5-l3 zen5-umc", 12},
	{"Zen 5 without counters of memory controllers", "AuthenticAMD", 0x1a, 0x24, DF | L3, 7, 0x4106, 3,
	 "zen5-df zen5-imc zen5-l3", 12},
	{"Zen 4 without counters of memory controllers", "AuthenticAMD", 0x19, 0x74, DF | L3, 7, 0x1106, 3,
	 "zen4-df zen4-imc zen4-l3", 12},
	{"EPYC 9654 in a virtual machine", "AuthenticAMD", 0x19, 0x11, 0x4003f3, 0, 0, 0, "", 0},
	{"EPYC 7742 in a virtual machine", "AuthenticAMD", 0x17, 0x31, 0x4003f3, 0, 0, 0, "", 0},
	{"Bulldozer", "AuthenticAMD", 0x15, 0x02, DF, 0, 0, 0, "", 0},
};

struct amd_host {
	struct unc_host host; /* first */
	const struct part *part;
};

static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	const struct part *part = ((struct amd_host *)host)->part;

	(void)cpu;
	(void)subleaf;
	*ret_regs = (struct unc_cpuid_regs){0};
	if (leaf == UINT32_C(0x80000000)) /* Rome and Milan have no 80000022 */
		ret_regs->eax = part->eax22 ? UINT32_C(0x80000028) : UINT32_C(0x80000020);
	if (leaf == UINT32_C(0x80000001))
		ret_regs->ecx = part->ecx1;
	if (leaf == UINT32_C(0x80000022))
		*ret_regs = (struct unc_cpuid_regs){.eax = part->eax22, .ebx = part->ebx22, .ecx = part->ecx22};
	return 0;
}

static const struct unc_host_ops ops = {.cpuid = cpuid};

static struct unc_map *map_of(const struct part *part)
{
	struct amd_host h = {.host = {.ops = &ops}, .part = part};
	struct unc_cpu_id cpu = {.family = part->family, .model = part->model, .host = &h.host};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_map *map = NULL;

	snprintf(cpu.vendor, sizeof(cpu.vendor), "%s", part->vendor);
	CU_ASSERT_EQUAL(unc_map_load(&ctx, &cpu, NULL, &map), 0);
	if (!map)
		printf("\n    %s: %s\n", part->name, ctx.msg);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

static const struct part *part_of(const char *name)
{
	const struct part *part = parts;

	while (strncmp(part->name, name, strlen(name)) != 0)
		part++;
	return part;
}

TEST(each_part_has_its_maps)
{
	for (size_t i = 0; i < REGS_N(parts); i++) {
		struct unc_map *map = map_of(&parts[i]);
		const struct unc_unit *imc = unc_map_unit(map, "imc");
		char maps[200] = "";

		for (size_t k = 0; k < map->n_units; k++)
			snprintf(maps + strlen(maps), sizeof(maps) - strlen(maps), "%s%s", k ? " " : "",
				 map->units[k].map + strlen("amd-"));
		CU_ASSERT_STRING_EQUAL(maps, parts[i].maps);
		if (strcmp(maps, parts[i].maps) != 0)
			printf("\n    %s: %s\n", parts[i].name, maps);
		CU_ASSERT_EQUAL(imc ? imc->n_instances : 0, parts[i].channels);
		for (size_t k = 0; imc && k < imc->n_instances; k++) {
			CU_ASSERT_EQUAL(imc->instances[k].imc, 0);
			CU_ASSERT_EQUAL(imc->instances[k].channel, k);
		}
		CU_ASSERT_EQUAL(map->no_counters != NULL, !parts[i].maps[0]);
		unc_map_free(map);
	}
}

TEST(what_cannot_be_counted_is_told)
{
	struct unc_map *mi300 = map_of(part_of("MI300A")), *vm = map_of(part_of("EPYC 9654 in"));

	CU_ASSERT_PTR_NOT_NULL(strstr(mi300->no_counters, "MI300A: its memory is HBM"));
	CU_ASSERT_PTR_NOT_NULL(strstr(vm->no_counters, "no register map fits this CPU; "));
	CU_ASSERT_PTR_NULL(strstr(vm->no_counters, "Sandy Bridge"));
	unc_map_free(vm);
	unc_map_free(mi300);
}

static const struct {
	const char *part, *unit, *event;
	uint64_t control; /* with the enable bit */
	double scale;
} golden[] = {
	/* One event for each channel, of which no direction can be told. */
	{"EPYC 7742", "df", "dram_data.ch0", 0x0000000000403807, 64},
	{"EPYC 7742", "df", "dram_data.ch1", 0x0000000000403847, 64},
	{"EPYC 7742", "df", "dram_data.ch2", 0x0000000000403887, 64},
	{"EPYC 7742", "df", "dram_data.ch3", 0x00000000004038c7, 64},
	{"EPYC 7763", "df", "dram_data.ch4", 0x0000000100403807, 64},
	{"EPYC 7763", "df", "dram_data.ch5", 0x0000000100403847, 64},
	{"EPYC 7763", "df", "dram_data.ch6", 0x0000000100403887, 64},
	{"Dhyana", "df", "dram_data.ch7", 0x00000001004038c7, 64},
	{"EPYC 7601", "df", "remote_outbound.link0", 0x00000007004002c7, 32},
	{"EPYC 7601", "df", "remote_outbound.link3", 0x0000000800400287, 32},
	/* Directions, and sockets. */
	{"EPYC 9654", "df", "local_read.ch0", 0x000000000740fe1f, 64},
	{"EPYC 9654", "df", "local_write.ch0", 0x000000000740ff1f, 64},
	{"EPYC 9654", "df", "remote_read.ch0", 0x000000000b40fe1f, 64},
	{"EPYC 9654", "df", "remote_write.ch0", 0x000000000b40ff1f, 64},
	{"EPYC 9654", "df", "local_read.ch4", 0x000000010740fe1f, 64},
	{"EPYC 9654", "df", "local_write.ch4", 0x000000010740ff1f, 64},
	{"EPYC 9654", "df", "remote_read.ch4", 0x000000010b40fe1f, 64},
	{"EPYC 9654", "df", "remote_write.ch4", 0x000000010b40ff1f, 64},
	{"EPYC 9754", "df", "local_read.ch11", 0x000000020740fedf, 64},
	{"EPYC 9754", "df", "local_write.ch11", 0x000000020740ffdf, 64},
	{"EPYC 9754", "df", "remote_read.ch11", 0x000000020b40fedf, 64},
	{"EPYC 9754", "df", "remote_write.ch11", 0x000000020b40ffdf, 64},
	{"EPYC 9754", "df", "read.ch0", 0x000000000f40fe1f, 64},
	{"EPYC 9655", "df", "read.ch0", 0x000000000f40fe1f, 64},
	{"EPYC 9655", "df", "write.ch0", 0x000000000f40ff1f, 64},
	{"EPYC 9655", "df", "remote_write.ch11", 0x000000020b40ffdf, 64},
	/* Cores, devices, links: codes 41e to 5df, 81f to 9df, b5f to d1f, d5f to e9f, masks f3e and f3f. */
	{"EPYC 9654", "df", "local_in.ccm0_if0", 0x000000040740fe1e, 32},
	{"EPYC 9654", "df", "remote_out.ccm7_if1", 0x000000050b40ffdf, 64},
	{"EPYC 9654", "df", "local_dma_read.io0", 0x000000080740fe1f, 64},
	{"EPYC 9654", "df", "remote_dma_write.io3", 0x000000080b40ffdf, 64},
	{"EPYC 9654", "df", "link_out.link0", 0x0000000b0f403e5f, 64},
	{"EPYC 9654", "df", "link_out.link7", 0x0000000d0f403e1f, 64},
	{"EPYC 9655", "df", "in.ccm0_if1", 0x000000040f40fe1f, 32},
	{"EPYC 9655", "df", "out.ccm7_if0", 0x000000050f40ffde, 64},
	{"EPYC 9655", "df", "dma_write.io7", 0x000000090f40ffdf, 64},
	{"EPYC 9655", "df", "link_out.link0", 0x0000000d0f403e5f, 64},
	{"EPYC 9655", "df", "link_in.link5", 0x0000000e0f403f9f, 64},
	{"EPYC 9655", "df", "cxl_read.port0", 0x000000030f40fe1f, 64},
	{"EPYC 9655", "df", "cxl_write.port3", 0x000000030f40ffdf, 64},
	/* Commands and clocks. */
	{"EPYC 9654", "imc", "umc_mem_clk", 0x80000000, 1},
	{"EPYC 9654", "imc", "umc_act_cmd.all", 0x80000005, 1},
	{"EPYC 9654", "imc", "umc_act_cmd.rd", 0x80000105, 1},
	{"EPYC 9654", "imc", "umc_act_cmd.wr", 0x80000205, 1},
	{"EPYC 9655", "imc", "umc_pchg_cmd.all", 0x80000006, 1},
	{"EPYC 9655", "imc", "umc_pchg_cmd.rd", 0x80000106, 1},
	{"EPYC 9655", "imc", "umc_pchg_cmd.wr", 0x80000206, 1},
	{"EPYC 9124", "imc", "umc_cas_cmd.all", 0x8000000a, 64},
	{"EPYC 9124", "imc", "umc_cas_cmd.rd", 0x8000010a, 64},
	{"EPYC 9124", "imc", "umc_cas_cmd.wr", 0x8000020a, 64},
	{"Ryzen 9950X3D", "imc", "umc_data_slot_clks.all", 0x80000014, 1},
	{"Ryzen 9950X3D", "imc", "umc_data_slot_clks.rd", 0x80000114, 1},
	{"Ryzen 9950X3D", "imc", "umc_data_slot_clks.wr", 0x80000214, 1},
	/* All slices and threads; sampled latencies of slice 3. */
	{"EPYC 7742", "l3", "l3_accesses", 0xff0f00000040ff04, 1},
	{"EPYC 7601", "l3", "l3_misses", 0xff0f000000400104, 1},
	{"Dhyana", "l3", "l3_miss_latency", 0xff0f000000400090, 1},
	{"EPYC 7742", "l3", "l3_miss_requests", 0xff0f000000403f9a, 1},
	{"EPYC 7763", "l3", "l3_lookup_state.all_coherent_accesses_to_l3", 0x0300c0000040ff04, 1},
	{"EPYC 7763", "l3", "l3_misses", 0x0300c00000400104, 1},
	{"EPYC 7763", "l3", "l3_hits", 0x0300c0000040fe04, 1},
	{"EPYC 7763", "l3", "l3_miss_latency", 0x0300c00000400090, 1},
	{"EPYC 7763", "l3", "l3_miss_requests", 0x0300c0000040ff9a, 1},
	{"EPYC 9654", "l3", "l3_lookup_state.l3_hit", 0x0300c0000040fe04, 1},
	{"EPYC 9754", "l3", "sampled_latency.all", 0x0303c00000403fac, 1},
	{"EPYC 9655", "l3", "sampled_requests.all", 0x0303c00000403fad, 1},
	{"EPYC 9655", "l3", "l3_xi_sampled_latency.dram_near", 0x0303c000004001ac, 1},
	{"EPYC 9655", "l3", "sampled_latency.remote_dram", 0x0303c000004002ac, 1},
	{"EPYC 9655", "l3", "sampled_latency.near_cache", 0x0303c000004004ac, 1},
	{"EPYC 9655", "l3", "sampled_latency.far_cache", 0x0303c000004008ac, 1},
	{"EPYC 9655", "l3", "sampled_requests.local_cxl", 0x0303c000004010ad, 1},
	{"EPYC 9655", "l3", "sampled_requests.remote_cxl", 0x0303c000004020ad, 1},
};

static uint64_t control_of(const struct unc_unit *unit, const struct unc_event *event)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");
	struct unc_ctx ctx = {.msg = ""};
	uint64_t control = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(ctl);
	CU_ASSERT_EQUAL(unc_event_control(&ctx, unit, event, &control), 0);
	CU_ASSERT_EQUAL(unc_value_set(&ctx, ctl, "en", 1, &control), 0);
	CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, control), 0);
	return control;
}

TEST(events_have_the_controls_of_the_lists)
{
	for (size_t i = 0; i < REGS_N(golden); i++) {
		struct unc_map *map = map_of(part_of(golden[i].part));
		const struct unc_unit *unit = unc_map_unit(map, golden[i].unit);
		const struct unc_event *event = unit ? unc_unit_event(unit, golden[i].event) : NULL;

		CU_ASSERT_PTR_NOT_NULL(event);
		if (event) {
			uint64_t control = control_of(unit, event);

			CU_ASSERT_EQUAL(control, golden[i].control);
			CU_ASSERT_TRUE(event->scale == golden[i].scale);
			if (control != golden[i].control || event->scale != golden[i].scale)
				printf("\n    %s: %s is 0x%llx, scale %g\n", golden[i].part, golden[i].event,
				       (unsigned long long)control, event->scale);
		} else {
			printf("\n    %s has no %s/%s\n", golden[i].part, golden[i].unit, golden[i].event);
		}
		unc_map_free(map);
	}
}

/* Raw events: numbers that are spread over fields, and perf's names of the units. */
TEST(every_way_of_writing_gives_the_same_bits)
{
	static const struct {
		const char *part, *unit, *text;
		uint64_t control;
		const char *shown, *is; /* is: the map's event of which the scale is */
	} rows[] = {
		{"EPYC 7742", "df", "dram_data.ch4", 0x100003807, "dram_data.ch4", "dram_data.ch4"},
		{"EPYC 7742", "df", "df/event=0x107,umask=0x38/", 0x100003807, "event=0x107,umask=0x38",
		 "dram_data.ch4"},
		{"EPYC 7742", "df", "amd_df/config=0x100003807/", 0x100003807, "event=0x107,umask=0x38",
		 "dram_data.ch4"},
		{"EPYC 7742", "df", "ev_sel=0x3fff,umask=0xff", 0x1800000f0000ffff, "event=0x3fff,umask=0xff", NULL},
		{"EPYC 9654", "df", "event=0x2df,umask=0xbff", 0x20b00ffdf, "event=0x2df,umask=0xbff",
		 "remote_write.ch11"},
		{"EPYC 9654", "df", "event=0x3fff,umask=0xfff", 0x3f0f00ffff, "event=0x3fff,umask=0xfff", NULL},
		{"EPYC 7742", "l3", "l3_misses", 0xff0f000000000104, "l3_misses", "l3_misses"},
		{"EPYC 7742", "l3", "l3_misses:slice_mask=0xf", 0xff0f000000000104, "l3_misses", "l3_misses"},
		{"EPYC 7742", "l3", "l3_misses:slice_mask=1:thread_mask=0x3", 0x0301000000000104,
		 "l3_misses:slice_mask=0x1:thread_mask=0x3", "l3_misses:slice_mask=0x1:thread_mask=0x3"},
		{"EPYC 7742", "l3", "amd_l3/event=4,umask=0xff,slicemask=1/", 0xff0100000000ff04,
		 "event=0x4,umask=0xff,slice_mask=0x1", "l3_accesses:slice_mask=0x1"},
		{"EPYC 7742", "l3", "event=4,umask=0xff", 0xff0f00000000ff04, "event=0x4,umask=0xff", "l3_accesses"},
		{"EPYC 7742", "l3", "config=0x0", 0, "event=0x0,umask=0x0,slice_mask=0x0,thread_mask=0x0", NULL},
		{"EPYC 9654", "l3", "l3_misses:en_all_cores=0:core_id=5", 0x0300540000000104,
		 "l3_misses:core_id=0x5:en_all_cores=0x0", "l3_misses:core_id=0x5:en_all_cores=0x0"},
		{"EPYC 9654", "l3", "sampled_latency.all:slice_id=0", 0x0300c00000003fac,
		 "sampled_latency.all:slice_id=0x0", "sampled_latency.all:slice_id=0x0"},
		{"EPYC 9654", "imc", "imc/event=0x0a,umask=2/", 0x20a, "event=0xa,umask=0x2", "umc_cas_cmd.wr"},
	};

	for (size_t i = 0; i < REGS_N(rows); i++) {
		struct unc_map *map = map_of(part_of(rows[i].part));
		struct unc_ctx ctx = {.msg = ""};
		struct unc_machine machine = {.ctx = &ctx};
		struct unc_box box = {.name = "box", .unit = unc_map_unit(map, rows[i].unit), .machine = &machine};
		struct unc_wanted *wanted = NULL, decoded;
		char is[64];

		CU_ASSERT_EQUAL_FATAL(unc_wanted_new(&box, rows[i].text, &wanted), 0);
		CU_ASSERT_EQUAL(wanted->control, rows[i].control);
		CU_ASSERT_STRING_EQUAL(wanted->text, rows[i].shown);
		snprintf(is, sizeof(is), "%.*s", rows[i].is ? (int)strcspn(rows[i].is, ":") : 0,
			 rows[i].is ? rows[i].is : "");
		CU_ASSERT_TRUE(wanted->event.scale == (rows[i].is ? unc_unit_event(box.unit, is)->scale : 1));
		/* The same from the control, as it is read while another program counts. */
		unc_wanted_decode(&box, unc_unit_reg(box.unit, "CTL"), rows[i].control, &decoded);
		CU_ASSERT_STRING_EQUAL(decoded.text, rows[i].is ? rows[i].is : rows[i].shown);
		CU_ASSERT_TRUE(unc_wanted_is(&box, wanted, unc_unit_reg(box.unit, "CTL"), rows[i].control));
		CU_ASSERT_FALSE(unc_wanted_is(&box, wanted, unc_unit_reg(box.unit, "CTL"), rows[i].control ^ 1));
		unc_wanted_free(wanted);
		unc_map_free(map);
	}
}

TEST(numbers_that_do_not_fit_are_refused)
{
	static const char *const texts[] = {"event=0x4000,umask=1", "event=1,umask=0x100", "config=0x100000",
					    "event=1,thresh=1", "dram_data.ch0:umask=1"};
	struct unc_map *map = map_of(part_of("EPYC 7742"));

	for (size_t i = 0; i < REGS_N(texts); i++) {
		struct unc_ctx ctx = {.msg = ""};
		struct unc_machine machine = {.ctx = &ctx};
		struct unc_box box = {.name = "box", .unit = unc_map_unit(map, "df"), .machine = &machine};
		struct unc_wanted *wanted = NULL;

		CU_ASSERT_TRUE(unc_wanted_new(&box, texts[i], &wanted) < 0);
		CU_ASSERT_TRUE(strstr(ctx.msg, texts[i]) != NULL);
	}
	unc_map_free(map);
}

/* What the kernel lets users write into a control, and the enable bit (arch/x86/events/amd/uncore.c). */
static const struct {
	const char *part, *unit;
	unsigned ctl, n, en;
	uint64_t writable;
} controls[] = {
	{"EPYC 7601", "df", 0xc0010240, 4, 22, 0x1800000f0000ffff},
	{"EPYC 7763", "df", 0xc0010240, 4, 22, 0x1800000f0000ffff},
	{"EPYC 9654", "df", 0xc0010240, 16, 22, 0x0000003f0f00ffff},
	{"EPYC 9655", "df", 0xc0010240, 16, 22, 0x0000003f0f00ffff},
	{"EPYC 9654", "imc", 0xc0010800, 4, 31, 0x3ff},
	{"EPYC 7742", "l3", 0xc0010230, 6, 22, 0xff0f00000000ffff},
	{"EPYC 7763", "l3", 0xc0010230, 6, 22, 0x0307dc000000ffff},
	{"EPYC 9655", "l3", 0xc0010230, 6, 22, 0x0307dc000000ffff},
};

/* Bit 20 of a data fabric's control would interrupt. */
TEST(no_other_bit_of_a_control_can_be_written)
{
	for (size_t i = 0; i < REGS_N(controls); i++) {
		struct unc_map *map = map_of(part_of(controls[i].part));
		const struct unc_unit *unit = unc_map_unit(map, controls[i].unit);
		const struct unc_reg *ctl = unc_unit_reg(unit, "CTL"), *ctr = unc_unit_reg(unit, "CTR");
		struct unc_ctx ctx = {.msg = ""};

		CU_ASSERT_PTR_NOT_NULL_FATAL(ctl);
		CU_ASSERT_EQUAL(unc_reg_mask(ctl, UNC_RW), controls[i].writable | UINT64_C(1) << controls[i].en);
		CU_ASSERT_EQUAL(unc_reg_field(ctl, "en")->lo, controls[i].en);
		CU_ASSERT_EQUAL(unc_reg_blank(ctl), 0);
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, ctl, UINT64_C(1) << 20), UNC_EDENIED);
		CU_ASSERT_EQUAL(ctl->count, controls[i].n);
		CU_ASSERT_EQUAL(ctr->count, controls[i].n);
		for (unsigned k = 0; k < ctl->count; k++) {
			CU_ASSERT_EQUAL(unc_reg_off(ctl, k), controls[i].ctl + 2 * k);
			CU_ASSERT_EQUAL(unc_reg_off(ctr, k), controls[i].ctl + 2 * k + 1);
		}
		CU_ASSERT_EQUAL(unit->counter_bits, 48);
		CU_ASSERT_EQUAL(unit->per, strcmp(unit->name, "l3") == 0 ? UNC_PER_L3 : UNC_PER_NODE);
		CU_ASSERT_EQUAL(unit->saturates, strcmp(unit->name, "imc") == 0);
		CU_ASSERT_EQUAL(unit->by_cpuid, strcmp(unit->name, "imc") == 0);
		CU_ASSERT_EQUAL(unit->found, UNC_WINDOW_NOT);
		unc_map_free(map);
	}
}

/* Every counter counts every event, and what no source says is marked. */
TEST(each_event_is_whole)
{
	for (size_t i = 0; i < REGS_N(parts); i++) {
		struct unc_map *map = map_of(&parts[i]);

		for (size_t u = 0; u < map->n_units; u++) {
			const struct unc_unit *unit = &map->units[u];

			for (size_t e = 0; e < unit->n_events; e++) {
				const struct unc_event *event = &unit->events[e];

				CU_ASSERT_TRUE(event->desc && event->src && event->verify);
				if (event->as)
					continue;
				CU_ASSERT_EQUAL(event->counters, unc_low_bits(unc_unit_reg(unit, "CTL")->count));
				control_of(unit, event);
			}
		}
		unc_map_free(map);
	}
}

/* A channel of a view counts "EVENT<n>" of the data fabric of its node, for every n that it has. */
TEST(the_data_fabric_has_the_events_of_its_channels)
{
	unsigned n_views = 0;

	for (size_t i = 0; i < REGS_N(parts); i++) {
		struct unc_map *map = map_of(&parts[i]);
		const struct unc_unit *view = unc_map_unit(map, "imc"), *df = unc_map_unit(map, "df");

		for (size_t e = 0; view && view->counts_in && e < view->n_events; e++) {
			CU_ASSERT_STRING_EQUAL(view->counts_in, "df");
			CU_ASSERT_EQUAL(view->per, UNC_PER_NODE);
			CU_ASSERT_EQUAL(view->n_regs > 0, strcmp(view->model, "node1") == 0);
			if (view->n_regs > 0 && !view->events[e].as)
				continue;
			for (unsigned ch = 0; ch < view->n_instances; ch++) {
				const struct unc_event *event;
				char name[80];

				snprintf(name, sizeof(name), "%s%u", view->events[e].as, ch);
				event = unc_unit_event(df, name);
				CU_ASSERT_PTR_NOT_NULL_FATAL(event);
				CU_ASSERT_TRUE(event->scale == view->events[e].scale);
				n_views++;
			}
		}
		unc_map_free(map);
	}
	CU_ASSERT_EQUAL(n_views, 6 * 2 + 3 * 8 + 4 + 3 * 6 * 12 + 5 * 2 * 12);
}

/* Under the names by which the clock of a box is looked for. */
TEST(the_clock_of_a_memory_controller_is_found)
{
	struct unc_map *map = map_of(part_of("EPYC 9654"));
	const struct unc_unit *imc = unc_map_unit(map, "imc");

	regs_also(imc, "umc_mem_clk", "clockticks");
	CU_ASSERT_EQUAL(unc_unit_event(imc, "clockticks")->max_inc, 1);
	CU_ASSERT_TRUE(imc->max_clock_hz >= UINT64_C(3200000000));
	unc_map_free(map);
}

/* Counts 1000, 600, 50... of the metric's events in half a second. */
static const struct {
	const char *part, *unit, *name;
	const char *events; /* in the order of the counts; NULL: the part lacks the metric */
	bool adds;
	double value;
} metrics[] = {
	{"EPYC 9654", "imc", "read_bandwidth", "umc_cas_cmd.rd", true, 128000},
	{"EPYC 9654", "imc", "write_bandwidth", "umc_cas_cmd.wr", true, 128000},
	{"EPYC 9655", "imc", "total_bandwidth", "umc_cas_cmd.rd umc_cas_cmd.wr", true, 204800},
	{"EPYC 9754", "imc", "read_bandwidth", "read", true, 128000},
	{"EPYC 9754", "imc", "write_bandwidth", "write", true, 128000},
	{"EPYC 9754", "imc", "total_bandwidth", "read write", true, 204800},
	{"EPYC 7742", "imc", "total_bandwidth", "dram_data", true, 128000},
	{"EPYC 7742", "imc", "read_bandwidth", NULL, true, 0},
	{"EPYC 7601", "imc", "write_bandwidth", NULL, true, 0},
	{"EPYC 9654", "imc", "bus_utilisation", "umc_data_slot_clks.all umc_mem_clk", false, 100 * 1000 / 2.0 / 600},
	{"EPYC 9654", "imc", "page_hit", "umc_act_cmd.all umc_cas_cmd.rd umc_cas_cmd.wr", false,
	 100 - 100 * 1000 / 650.0},
	{"EPYC 9654", "imc", "page_miss", "umc_pchg_cmd.all umc_cas_cmd.rd umc_cas_cmd.wr", false, 100 * 1000 / 650.0},
	{"EPYC 9654", "imc", "read_requests", "umc_cas_cmd.rd umc_cas_cmd.wr", false, 62.5},
	{"EPYC 9655", "imc", "dclk_frequency", "umc_mem_clk", false, 0.002},
	{"EPYC 9654", "imc", "df_over_umc", "df_read df_write umc_cas_cmd.rd umc_cas_cmd.wr", false,
	 100 * 1600 / (50 + 20.0)},
	{"EPYC 9754", "imc", "df_over_umc", NULL, false, 0},
	{"EPYC 9754", "imc", "bus_utilisation", NULL, false, 0},
	{"EPYC 7742", "df", "channel_bandwidth.ch7", "dram_data.ch7", true, 128000},
	{"EPYC 7742", "df", "channel_read_bandwidth.ch7", NULL, true, 0},
	{"EPYC 9654", "df", "channel_read_bandwidth.ch11", "read.ch11", true, 128000},
	{"EPYC 9654", "df", "channel_write_bandwidth.ch0", "write.ch0", true, 128000},
	{"EPYC 9655", "df", "remote_reads.ch3", "remote_read.ch3 local_read.ch3", false, 62.5},
	{"EPYC 7742", "df", "cross_socket_out",
	 "remote_outbound.link0 remote_outbound.link1 remote_outbound.link2 remote_outbound.link3", true,
	 32 * 1670 / 0.5},
	{"EPYC 9654", "df", "cross_socket_out",
	 "link_out.link0 link_out.link1 link_out.link2 link_out.link3 link_out.link4 link_out.link5 link_out.link6 "
	 "link_out.link7",
	 true, 64 * 1692 / 0.5},
	{"EPYC 9655", "df", "cross_socket_out",
	 "link_out.link0 link_out.link1 link_out.link2 link_out.link3 link_out.link4 link_out.link5", true,
	 64 * 1683 / 0.5},
	{"EPYC 9655", "df", "cross_socket_in",
	 "link_in.link0 link_in.link1 link_in.link2 link_in.link3 link_in.link4 link_in.link5", true, 64 * 1683 / 0.5},
	{"EPYC 9654", "df", "dma_read_bandwidth", "dma_read.io0 dma_read.io1 dma_read.io2 dma_read.io3", true,
	 64 * 1670 / 0.5},
	{"EPYC 9655", "df", "dma_write_bandwidth",
	 "dma_write.io0 dma_write.io1 dma_write.io2 dma_write.io3 dma_write.io4 dma_write.io5 dma_write.io6 "
	 "dma_write.io7",
	 true, 64 * 1692 / 0.5},
	{"EPYC 9655", "df", "cxl_read_bandwidth", "cxl_read.port0 cxl_read.port1 cxl_read.port2 cxl_read.port3", true,
	 64 * 1670 / 0.5},
	{"EPYC 9655", "df", "cxl_write_bandwidth", "cxl_write.port0 cxl_write.port1 cxl_write.port2 cxl_write.port3",
	 true, 64 * 1670 / 0.5},
	{"EPYC 9654", "df", "cxl_write_bandwidth", NULL, true, 0},
	{"EPYC 7742", "l3", "l3_miss_share", "l3_misses l3_accesses", false, 100 / 0.6},
	{"EPYC 9654", "l3", "l3_hit_share", "l3_misses l3_accesses", false, 100 - 100 / 0.6},
	{"EPYC 7763", "l3", "l3_miss_latency", "l3_miss_latency l3_miss_requests", false, 16 / 0.6},
	{"EPYC 7763", "l3", "l3_miss_latency_local_dram", NULL, false, 0},
	{"EPYC 9654", "l3", "l3_miss_latency", NULL, false, 0},
	{"EPYC 9654", "l3", "l3_miss_latency_local_dram", "sampled_latency.local_dram sampled_requests.local_dram",
	 false, 10 / 0.6},
	{"EPYC 9655", "l3", "l3_miss_latency_remote_cxl", "sampled_latency.remote_cxl sampled_requests.remote_cxl",
	 false, 10 / 0.6},
	{"EPYC 9655", "l3", "l3_miss_latency_all", "sampled_latency.all sampled_requests.all", false, 10 / 0.6},
};

TEST(metrics_have_the_values_of_their_sources)
{
	static const double counts[UNC_FORMULA_NAMES_MAX] = {1000, 600, 50, 20, 7, 6, 5, 4};

	for (size_t i = 0; i < REGS_N(metrics); i++) {
		struct unc_map *map = map_of(part_of(metrics[i].part));
		struct unc_ctx ctx = {.msg = ""};
		const struct unc_metric *metric;
		char events[600] = "";
		double value = -1;

		CU_ASSERT_EQUAL_FATAL(unc_map_metrics(&ctx, map), 0);
		metric = unc_map_metric(map, metrics[i].unit, metrics[i].name);
		CU_ASSERT_PTR_NOT_NULL_FATAL(metric);
		CU_ASSERT_EQUAL(metric->lacks != NULL, !metrics[i].events);
		for (size_t k = 0; k < metric->n_inputs && !metric->lacks; k++)
			snprintf(events + strlen(events), sizeof(events) - strlen(events), "%s%s", k ? " " : "",
				 metric->inputs[k].event->name);
		if (metrics[i].events && !metric->lacks) {
			CU_ASSERT_STRING_EQUAL(events, metrics[i].events);
			CU_ASSERT_EQUAL(metric->adds, metrics[i].adds);
			CU_ASSERT_EQUAL(unc_formula_value(metric->formula, counts, 0.5, &value), 0);
			CU_ASSERT_DOUBLE_EQUAL(value, metrics[i].value, fabs(metrics[i].value) * 1e-12 + 1e-12);
		} else if (metrics[i].events) {
			printf("\n    %s lacks %s: %s\n", metrics[i].part, metrics[i].name, metric->lacks);
		}
		unc_map_free(map);
	}
}

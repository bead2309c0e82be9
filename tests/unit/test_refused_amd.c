// SPDX-License-Identifier: GPL-2.0-or-later
/* AMD's processors of which no channel can be counted: guests whose host hides the counters, and MI300A. */
#define _GNU_SOURCE
#include "map/map.h"
#include "onsim.h"
#include "test.h"
#include "tree.h"

enum { HYPERVISOR = 1u << 31, DF = 1 << 24 };

struct part {
	const char *vendor;
	unsigned family, model;
	uint32_t leaf_1, ext_1; /* ECX */
	const char *says[2];    /* NULL: not that it is refused */
};

static uint32_t leaf_1, ext_1;

static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	(void)cpu;
	(void)subleaf;
	*ret_regs = (struct unc_cpuid_regs){.eax = leaf == 0 ? 0xd : leaf == 0x80000000 ? 0x80000022 : 0};
	ret_regs->ecx = leaf == 1 ? leaf_1 : leaf == 0x80000001 ? ext_1 : 0; /* 80000022 is zero */
	return 0;
}

static const struct unc_host_ops ops = {.cpuid = cpuid};

static struct unc_map *load(const struct part *part, const char *dir)
{
	struct unc_host host = {.ops = &ops};
	struct unc_cpu_id cpu = {.family = part->family, .model = part->model, .host = &host};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_map *map = NULL;

	leaf_1 = part->leaf_1;
	ext_1 = part->ext_1;
	snprintf(cpu.vendor, sizeof(cpu.vendor), "%s", part->vendor);
	CU_ASSERT_EQUAL(unc_map_load(&ctx, &cpu, dir, &map), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

#define HIDDEN "a virtual machine: its host hides the counters"

TEST(a_guest_is_told_from_a_part_without_counters)
{
	static const struct part parts[] = {
		/* Genoa in KVM (ECX 004003f3), and a Hygon there */
		{"AuthenticAMD", 25, 0x11, HYPERVISOR, 0x004003f3, {HIDDEN, "AuthenticAMD family 25 model 0x11"}},
		{"HygonGenuine", 24, 0x01, HYPERVISOR, 0x004003f3, {HIDDEN, "measure on the host"}},
		/* without a hypervisor, or with counters, it is none */
		{"AuthenticAMD", 25, 0x01, 0, 0x004003f3, {NULL}},
		{"AuthenticAMD", 25, 0x01, HYPERVISOR, DF, {NULL}},
		{"AuthenticAMD", 23, 0x31, 0, DF, {NULL}},
		{"GenuineIntel", 6, 0x99, HYPERVISOR, 0, {NULL}},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct unc_map *map = load(&parts[i], NULL);
		const char *why = map->no_counters ? map->no_counters : "";

		CU_ASSERT_PTR_NULL(unc_map_unit(map, "imc") && parts[i].says[0] ? map : NULL);
		for (unsigned k = 0; k < 2 && parts[i].says[k]; k++)
			HAS(why, parts[i].says[k]);
		CU_ASSERT_EQUAL(strstr(why, "virtual machine") != NULL, parts[i].says[0] != NULL);
		unc_map_free(map);
	}
}

TEST(mi300a_is_refused_although_it_has_a_data_fabric)
{
	for (unsigned model = 0x8f; model <= 0xa0; model++) {
		const struct part part = {.vendor = "AuthenticAMD", .family = 25, .model = model, .ext_1 = DF};
		bool is = model >= 0x90 && model <= 0x9f;
		struct unc_map *map = load(&part, NULL);

		CU_ASSERT_TRUE(!is || map->no_counters);
		if (map->no_counters)
			CU_ASSERT_EQUAL(strstr(map->no_counters, "MI300A: its memory is HBM stacks") != NULL, is);
		unc_map_free(map);
	}
}

/* Then the user's map drives what is refused; one of another unit does not help. */
TEST(a_map_from_a_folder_may_drive_it_all_the_same)
{
	static const char *const units[] = {"imc", "other"};
	static const char text[] = "format: uncorectl-regs/1\n"
				   "cpus: [{vendor: AuthenticAMD, family: 25, model: 0x90}]\n"
				   "base: intel-snbep-imc\n"
				   "title: Mine\n"
				   "unit: %s\n";
	const struct part part = {.vendor = "AuthenticAMD", .family = 25, .model = 0x90, .ext_1 = DF};

	for (unsigned i = 0; i < 2; i++) {
		struct tree dir = tree_new();
		struct unc_map *map;
		char mine[300];

		snprintf(mine, sizeof(mine), text, units[i]);
		tree_text(&dir, "mine.yaml", mine);
		map = load(&part, dir.root);
		CU_ASSERT_PTR_NOT_NULL(unc_map_unit(map, units[i]));
		CU_ASSERT_EQUAL(map->no_counters != NULL, i == 1);
		unc_map_free(map);
		tree_remove(&dir);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The maps of cache monitoring against rows typed from the documents once more: SDM vol. 3 ch. 17, AMD's extensions, Linux. */
#include "regs.h"
#include "test.h"

/* Announces monitoring: CPUID 7.0 EBX bit 12, and no other leaf. */
static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	(void)cpu;
	*ret_regs = (struct unc_cpuid_regs){.eax = leaf == 0 ? 0xf : 0, .ebx = leaf == 7 && subleaf == 0 ? 1 << 12 : 0};
	return 0;
}

static const struct unc_host_ops ops = {.cpuid = cpuid};

static struct unc_map *map_of(const char *vendor, unsigned family, unsigned model)
{
	struct unc_host host = {.ops = &ops};
	struct unc_cpu_id cpu = {.family = family, .model = model, .host = &host};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_map *map = NULL;

	snprintf(cpu.vendor, sizeof(cpu.vendor), "%s", vendor);
	CU_ASSERT_EQUAL(unc_map_load(&ctx, &cpu, NULL, &map), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

static const struct unc_unit *unit_of(const struct unc_map *map)
{
	const struct unc_unit *unit = unc_map_unit(map, "rdt");

	CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
	CU_ASSERT_EQUAL(unit->kind, UNC_MSR);
	CU_ASSERT_TRUE(unit->per == UNC_PER_CPU);
	CU_ASSERT_STRING_EQUAL(unit->model, "qm1");
	CU_ASSERT_EQUAL(unit->counter_bits, 0);
	return unit;
}

static const struct regs_reg intel_regs[] = {
	{"PQR_ASSOC", 0xc8f, 0, 1, 64, false, false},  {"QM_EVTSEL", 0xc8d, 0, 1, 64, false, false},
	{"QM_CTR", 0xc8e, 0, 1, 64, false, false},     {"RMID_SNC_CONFIG", 0xca0, 0, 1, 64, false, false},
	{"L3_QOS_CFG", 0xc81, 0, 1, 64, false, false}, {"L3_MASK", 0xc90, 1, 16, 64, false, false},
	{"MBA_DELAY", 0xd50, 1, 16, 64, false, false},
};

static const struct regs_field intel_fields[] = {
	{"PQR_ASSOC", "clos", 63, 32, UNC_RW},      {"PQR_ASSOC", "rmid", 9, 0, UNC_RW},
	{"QM_EVTSEL", "rmid", 41, 32, UNC_RW},      {"QM_EVTSEL", "event", 7, 0, UNC_RW},
	{"QM_CTR", "error", 63, 63, UNC_RO},        {"QM_CTR", "unavailable", 62, 62, UNC_RO},
	{"QM_CTR", "overflow", 61, 61, UNC_RO},     {"QM_CTR", "data", 60, 0, UNC_RO},
	{"RMID_SNC_CONFIG", "local", 0, 0, UNC_RO}, {"L3_QOS_CFG", "cdp", 0, 0, UNC_RO},
	{"L3_MASK", "mask", 31, 0, UNC_RO},         {"MBA_DELAY", "delay", 15, 0, UNC_RO},
};

static const struct regs_reg amd_regs[] = {
	{"PQR_ASSOC", 0xc8f, 0, 1, 64, false, false},
	{"QM_EVTSEL", 0xc8d, 0, 1, 64, false, false},
	{"QM_CTR", 0xc8e, 0, 1, 64, false, false},
	{"L3_QOS_CFG", 0xc81, 0, 1, 64, false, false},
	{"L3_MASK", 0xc90, 1, 16, 64, false, false},
	{"L3_QOS_EXT_CFG", 0xc00003ff, 0, 1, 64, false, false},
	{"QOS_EVT_CFG", 0xc0000400, 1, 2, 64, false, false},
	{"L3_QOS_ABMC_CFG", 0xc00003fd, 0, 1, 64, false, false},
	{"L3_QOS_ABMC_DSC", 0xc00003fe, 0, 1, 64, false, false},
	{"ABMC_COUNTER", 0x40000f00, 1, 32, 64, false, false},
};

static const struct regs_field amd_fields[] = {
	{"PQR_ASSOC", "clos", 63, 32, UNC_RW},
	{"PQR_ASSOC", "rmid", 11, 0, UNC_RW},
	{"QM_EVTSEL", "rmid", 43, 32, UNC_RW},
	{"QM_EVTSEL", "ext", 31, 31, UNC_RW},
	{"QM_EVTSEL", "event", 7, 0, UNC_RW},
	{"QM_CTR", "error", 63, 63, UNC_RO},
	{"QM_CTR", "unavailable", 62, 62, UNC_RO},
	{"QM_CTR", "overflow", 61, 61, UNC_RO},
	{"QM_CTR", "data", 60, 0, UNC_RO},
	{"L3_QOS_CFG", "cdp", 0, 0, UNC_RO},
	{"L3_MASK", "mask", 31, 0, UNC_RO},
	{"L3_QOS_EXT_CFG", "sdciae", 1, 1, UNC_RW},
	{"L3_QOS_EXT_CFG", "abmc", 0, 0, UNC_RW},
	{"QOS_EVT_CFG", "events", 6, 0, UNC_RW},
	{"L3_QOS_ABMC_CFG", "apply", 63, 63, UNC_RW},
	{"L3_QOS_ABMC_CFG", "en", 62, 62, UNC_RW},
	{"L3_QOS_ABMC_CFG", "number", 52, 48, UNC_RW},
	{"L3_QOS_ABMC_CFG", "is_cos", 47, 47, UNC_RW},
	{"L3_QOS_ABMC_CFG", "source", 43, 32, UNC_RW},
	{"L3_QOS_ABMC_CFG", "type", 31, 0, UNC_RW},
	{"L3_QOS_ABMC_DSC", "error", 63, 63, UNC_RO},
	{"L3_QOS_ABMC_DSC", "en", 62, 62, UNC_RO},
	{"L3_QOS_ABMC_DSC", "number", 52, 48, UNC_RO},
	{"L3_QOS_ABMC_DSC", "is_cos", 47, 47, UNC_RO},
	{"L3_QOS_ABMC_DSC", "source", 43, 32, UNC_RO},
	{"L3_QOS_ABMC_DSC", "type", 31, 0, UNC_RO},
	{"ABMC_COUNTER", "error", 63, 63, UNC_RO},
	{"ABMC_COUNTER", "en", 62, 62, UNC_RW},
	{"ABMC_COUNTER", "number", 52, 48, UNC_RW},
	{"ABMC_COUNTER", "is_cos", 47, 47, UNC_RW},
	{"ABMC_COUNTER", "source", 43, 32, UNC_RW},
	{"ABMC_COUNTER", "type", 31, 0, UNC_RW},
};

TEST(the_registers_of_intel)
{
	struct unc_map *map = map_of("GenuineIntel", 6, 0x8f);

	regs_regs(unit_of(map), intel_regs, REGS_N(intel_regs));
	regs_fields(unit_of(map), intel_fields, REGS_N(intel_fields));
	unc_map_free(map);
}

TEST(the_registers_of_amd_and_hygon)
{
	static const char *const vendors[] = {"AuthenticAMD", "HygonGenuine"};

	for (unsigned i = 0; i < 2; i++) {
		struct unc_map *map = map_of(vendors[i], 25, 0x11);

		regs_regs(unit_of(map), amd_regs, REGS_N(amd_regs));
		regs_fields(unit_of(map), amd_fields, REGS_N(amd_fields));
		unc_map_free(map);
	}
}

static bool one_of(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* Masks, delays and modes belong to resctrl; and dumps must not fail on parts that lack them. */
TEST(only_what_monitors_is_written_and_only_three_are_everywhere)
{
	/* The last four are AMD's: which counters count what. */
	static const char *const written[] = {"PQR_ASSOC",       "QM_EVTSEL",    "L3_QOS_EXT_CFG",
					      "L3_QOS_ABMC_CFG", "ABMC_COUNTER", "QOS_EVT_CFG"};
	static const char *const everywhere[] = {"PQR_ASSOC", "QM_EVTSEL", "QM_CTR"};
	struct unc_map *maps[] = {map_of("GenuineIntel", 6, 0x3f), map_of("AuthenticAMD", 26, 2)};

	for (unsigned i = 0; i < 2; i++) {
		const struct unc_unit *unit = unit_of(maps[i]);

		for (size_t r = 0; r < unit->n_regs; r++) {
			const struct unc_reg *reg = &unit->regs[r];

			CU_ASSERT_EQUAL(unc_reg_writable(reg), one_of(reg->name, written, REGS_N(written)));
			CU_ASSERT_EQUAL(!reg->optional, one_of(reg->name, everywhere, REGS_N(everywhere)));
		}
		unc_map_free(maps[i]);
	}
}

/* What the values that pqos and the kernel write look like. */
TEST(values_are_put_together_as_the_manual_has_them)
{
	static const struct {
		const char *vendor;
		uint64_t evtsel, wrong;
	} cases[] = {{"GenuineIntel", UINT64_C(0x3ff00000002), UINT64_C(0x40000000002)},
		     {"AuthenticAMD", UINT64_C(0xfff80000001), UINT64_C(0x100000000002)}};

	for (unsigned i = 0; i < 2; i++) {
		struct unc_map *map = map_of(cases[i].vendor, 6, 1);
		const struct unc_reg *evtsel = unc_unit_reg(unit_of(map), "QM_EVTSEL");
		struct unc_ctx ctx = {.msg = ""};
		uint64_t value = cases[i].vendor[0] == 'A' ? UINT64_C(1) << 31 : 0;
		const struct unc_field *rmid = unc_reg_field(evtsel, "rmid");

		CU_ASSERT_EQUAL(unc_field_set(&ctx, rmid, unc_field_max(rmid), &value), 0);
		CU_ASSERT_EQUAL(unc_field_set(&ctx, unc_reg_field(evtsel, "event"), 2 - i, &value), 0);
		CU_ASSERT_EQUAL(value, cases[i].evtsel);
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, evtsel, value), 0);
		CU_ASSERT_EQUAL(unc_reg_allows(&ctx, evtsel, cases[i].wrong), UNC_EDENIED);
		unc_map_free(map);
	}
}

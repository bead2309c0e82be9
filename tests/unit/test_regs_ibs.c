// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The maps of AMD's instruction-based sampling against rows typed from the documents once more: the AMD64 Architecture Programmer's
 * Manual, vol. 2, 13.3, and Linux; and values as other programs decode them.
 */
#include "regs.h"
#include "test.h"

enum { ZEN2_CAPS = 0x3ff, ZEN4_CAPS = 0xbff }; /* of an EPYC 7742 and a 9124 */

static uint32_t caps, ecx;

static int cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	(void)cpu;
	(void)subleaf;
	*ret_regs = (struct unc_cpuid_regs){.eax = leaf == 0            ? 0x10
						   : leaf == 0x80000000 ? 0x8000001f
						   : leaf == 0x8000001b ? caps
									: 0,
					    .ecx = leaf == 0x80000001 ? ecx : 0};
	return 0;
}

static const struct unc_host_ops ops = {.cpuid = cpuid};

static struct unc_map *map_of(const char *vendor, uint32_t caps_are, uint32_t ecx_is)
{
	struct unc_host host = {.ops = &ops};
	struct unc_cpu_id cpu = {.family = 25, .model = 0x1, .host = &host};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_map *map = NULL;

	caps = caps_are;
	ecx = ecx_is;
	snprintf(cpu.vendor, sizeof(cpu.vendor), "%s", vendor);
	CU_ASSERT_EQUAL(unc_map_load(&ctx, &cpu, NULL, &map), 0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(map);
	return map;
}

static const struct unc_unit *unit_of(const struct unc_map *map)
{
	const struct unc_unit *unit = unc_map_unit(map, "ibs");

	CU_ASSERT_PTR_NOT_NULL_FATAL(unit);
	CU_ASSERT_EQUAL(unit->kind, UNC_MSR);
	CU_ASSERT_EQUAL(unit->per, UNC_PER_CPU);
	CU_ASSERT_EQUAL(unit->counter_bits, 0);
	return unit;
}

static const struct regs_reg all_regs[] = {
	{"IBS_FETCH_CTL", 0xc0011030, 0, 1, 64, false, false},
	{"IBS_FETCH_LIN_AD", 0xc0011031, 0, 1, 64, false, false},
	{"IBS_FETCH_PHYS_AD", 0xc0011032, 0, 1, 64, false, false},
	{"IBS_OP_CTL", 0xc0011033, 0, 1, 64, false, false},
	{"IBS_OP_RIP", 0xc0011034, 0, 1, 64, false, false},
	{"IBS_OP_DATA", 0xc0011035, 0, 1, 64, false, false},
	{"IBS_OP_DATA2", 0xc0011036, 0, 1, 64, false, false},
	{"IBS_OP_DATA3", 0xc0011037, 0, 1, 64, false, false},
	{"IBS_DC_LIN_AD", 0xc0011038, 0, 1, 64, false, false},
	{"IBS_DC_PHYS_AD", 0xc0011039, 0, 1, 64, false, false},
	{"IBS_CTL", 0xc001103a, 0, 1, 64, false, false},
	{"IBS_BR_TARGET", 0xc001103b, 0, 1, 64, false, false},
	{"IBS_EXTD_CTL", 0xc001103c, 0, 1, 64, false, false},
	{"IBS_OP_DATA4", 0xc001103d, 0, 1, 64, false, false},
	{"IBS_OP_CTL2", 0xc001103e, 0, 1, 64, false, false},
	{"IBS_FETCH_CTL2", 0xc001103f, 0, 1, 64, false, false},
};

TEST(both_maps_have_every_register)
{
	static const uint32_t of[] = {ZEN2_CAPS, ZEN4_CAPS};

	for (unsigned i = 0; i < 2; i++) {
		struct unc_map *map = map_of("AuthenticAMD", of[i], 1 << 10);

		CU_ASSERT_STRING_EQUAL(unit_of(map)->map, i == 0 ? "amd-ibs" : "amd-ibs-zen4");
		regs_regs(unit_of(map), all_regs, REGS_N(all_regs));
		unc_map_free(map);
	}
}

TEST(hygon_has_it_too_and_without_the_bit_there_is_none)
{
	struct unc_map *hygon = map_of("HygonGenuine", ZEN2_CAPS, 1 << 10),
		       *hidden = map_of("AuthenticAMD", ZEN2_CAPS, 0),
		       *intel = map_of("GenuineIntel", ZEN4_CAPS, 1 << 10);

	unit_of(hygon);
	CU_ASSERT_PTR_NULL(unc_map_unit(hidden, "ibs"));
	CU_ASSERT_PTR_NULL(unc_map_unit(intel, "ibs"));
	unc_map_free(hygon);
	unc_map_free(hidden);
	unc_map_free(intel);
}

/* Sampling from user space raises NMIs that the kernel does not expect; so nothing may ever be written. */
TEST(no_bit_is_writable)
{
	static const uint32_t of[] = {ZEN2_CAPS, ZEN4_CAPS};

	for (unsigned i = 0; i < 2; i++) {
		struct unc_map *map = map_of("AuthenticAMD", of[i], 1 << 10);
		const struct unc_unit *unit = unit_of(map);

		for (size_t r = 0; r < unit->n_regs; r++) {
			const struct unc_reg *reg = &unit->regs[r];

			CU_ASSERT_FALSE(unc_reg_writable(reg));
			CU_ASSERT_EQUAL(reg->optional, reg->off >= 0xc001103b);
			for (size_t k = 0; k < reg->n_fields; k++)
				CU_ASSERT_TRUE(reg->fields[k].acc == UNC_RO || reg->fields[k].acc == UNC_RSVD);
		}
		unc_map_free(map);
	}
}

struct decoded {
	const char *reg;
	uint64_t value;
	struct {
		const char *field;
		uint64_t is;
	} fields[9]; /* those that are not 0, and some that are */
};

static void decodes(const struct unc_unit *unit, const struct decoded *want)
{
	const struct unc_reg *reg = unc_unit_reg(unit, want->reg);
	uint64_t rest = want->value;

	CU_ASSERT_PTR_NOT_NULL_FATAL(reg);
	for (size_t i = 0; i < 9 && want->fields[i].field; i++) {
		const struct unc_field *field = unc_reg_field(reg, want->fields[i].field);

		CU_ASSERT_PTR_NOT_NULL_FATAL(field);
		CU_ASSERT_EQUAL(unc_field_get(field, want->value), want->fields[i].is);
		CU_ASSERT_EQUAL(field->acc, UNC_RO);
		rest &= ~unc_field_mask(field);
	}
	CU_ASSERT_EQUAL(rest, 0);
	CU_ASSERT_EQUAL(unc_reg_wrong_bits(reg, want->value), 0);
}

TEST(values_are_decoded_as_perf_and_the_manual_do)
{
	static const struct decoded of_both[] = {
		/* perf's own example: a period of 100000 cycles */
		{"IBS_OP_CTL",
		 UINT64_C(0x000002c30006186a),
		 {{"max_cnt", 100000 >> 4}, {"en", 1}, {"val", 1}, {"cnt_ctl", 0}, {"cur_cnt", 707}}},
		{"IBS_OP_CTL", 0xa1000, {{"max_cnt", 0x1000}, {"en", 1}, {"cnt_ctl", 1}}},
		{"IBS_OP_CTL", 0x1a0000, {{"max_cnt", 0}, {"max_cnt_ext", 1}, {"en", 1}, {"cnt_ctl", 1}}},
		/* DRAM of another node */
		{"IBS_OP_DATA2", 0x13, {{"data_src", 3}, {"rmt_node", 1}}},
		/* a store of 32 bytes */
		{"IBS_OP_DATA3",
		 0x31960092,
		 {{"store", 1},
		  {"load", 0},
		  {"dc_miss", 1},
		  {"lin_valid", 1},
		  {"phy_valid", 1},
		  {"l2_miss", 1},
		  {"mem_width", 6},
		  {"open_mem_reqs", 12},
		  {"l1_tlb_hit_2m", 1}}},
		{"IBS_FETCH_CTL", UINT64_C(0x0201000000001000), {{"max_cnt", 0x1000}, {"en", 1}, {"rand_en", 1}}},
		{"IBS_CTL", 0x101, {{"lvt_offset_valid", 1}, {"lvt_offset", 1}}},
		{"IBS_OP_DATA",
		 UINT64_C(0x1fc00070005),
		 {{"microcode", 1},
		  {"brn_fuse", 1},
		  {"rip_invalid", 1},
		  {"brn_ret", 1},
		  {"brn_misp", 1},
		  {"brn_taken", 1},
		  {"return", 1},
		  {"tag_to_ret", 7},
		  {"comp_to_ret", 5}}},
		{"IBS_EXTD_CTL", 0x1234, {{"itlb_refill_lat", 0x1234}}},
	};
	static const struct decoded of_zen4[] = {
		{"IBS_OP_CTL",
		 UINT64_C(0x88000000000b4000),
		 {{"ld_lat_en", 1},
		  {"ld_lat_thrsh", 1},
		  {"max_cnt", 0x4000},
		  {"l3_miss_only", 1},
		  {"en", 1},
		  {"cnt_ctl", 1}}},
		/* extension memory: 8 */
		{"IBS_OP_DATA2", 0x40, {{"data_src_hi", 1}, {"data_src", 0}, {"cache_hit_o", 0}}},
		{"IBS_FETCH_CTL", UINT64_C(7) << 59, {{"l3_miss_only", 1}, {"oc_miss", 1}, {"l3_miss", 1}}},
	};
	struct unc_map *zen2 = map_of("AuthenticAMD", ZEN2_CAPS, 1 << 10),
		       *zen4 = map_of("AuthenticAMD", ZEN4_CAPS, 1 << 10);

	for (size_t i = 0; i < REGS_N(of_both); i++) {
		decodes(unit_of(zen2), &of_both[i]);
		decodes(unit_of(zen4), &of_both[i]);
	}
	for (size_t i = 0; i < REGS_N(of_zen4); i++)
		decodes(unit_of(zen4), &of_zen4[i]);
	/* What Zen 4 added is reserved before it. */
	CU_ASSERT_PTR_NULL(unc_reg_field(unc_unit_reg(unit_of(zen2), "IBS_OP_DATA2"), "data_src_hi"));
	CU_ASSERT_NOT_EQUAL(unc_reg_wrong_bits(unc_unit_reg(unit_of(zen2), "IBS_OP_CTL"), UINT64_C(0xb4000)), 0);
	unc_map_free(zen2);
	unc_map_free(zen4);
}

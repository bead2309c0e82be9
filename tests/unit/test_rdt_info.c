// SPDX-License-Identifier: GPL-2.0-or-later
/* What CPUID says of monitoring and allocation: leaves as read on real parts, and answers that make no sense. */
#include "onrdt.h"
#include "rdt/leaves.h"
#include "sim/qm.h"
#include "test.h"

static struct onrdt o;
static const struct unc_rdt *rdt; /* what was found last */

static void end(void)
{
	onrdt_close(&o);
}

EACH(NULL, end)

enum { ALL = 7, OCCUPANCY_ONLY = 1 };

/* 7.0 EBX as read on them. */
enum { HSX = 0x37ab, BDX = 0x021cbfbb };
#define SKX   0xd39ffffbu
#define ICX   0xf3bfbfffu
#define SPR   0xf3bfbffbu
#define ROME  0x219c91a9u
#define GENOA 0xf1bf97a9u
#define TURIN 0xf1bf97abu

/* Hand-typed from CPUID of these parts as InstLatx64 has it: 7.0 EBX, 0xf.0 EBX, 0xf.1, 0x10.0 EBX, 0x10.1; and the leaf
 * of the L3, made of its size where it is not at hand. */
static const struct part {
	const char *name;
	uint32_t signature, features, max_rmid;
	struct unc_cpuid_regs monitoring; /* 0xf.1 */
	uint32_t what;                    /* 0x10.0 EBX */
	struct unc_cpuid_regs cat;        /* 0x10.1 */
	struct unc_cpuid_regs l3;         /* leaf 4 or 0x8000001d, the third */
	uint64_t l3_bytes;
	uint64_t unit_bytes;
	unsigned bits, events;
	const char *allocation; /* NULL: none */
} parts[] = {
	/* clang-format off */
	{"E5-2660 v3", 0x306f2, HSX, 0x27, {0, 0xa000, 0x27, 1}, 0, {0}, {0x3c07c163, 0x04c0003f, 0x4fff, 6},
	 25 << 20, 40 << 10, 24, OCCUPANCY_ONLY, NULL},
	{"E5-2630 v3", 0x306f2, HSX, 0x1f, {0, 0x8000, 0x1f, 1}, 0, {0}, {0x3c07c163, 0x04c0003f, 0x3fff, 6},
	 20 << 20, 32 << 10, 24, OCCUPANCY_ONLY, NULL},
	{"E5-2699 v3", 0x306f2, HSX, 0x47, {0, 0x12000, 0x47, 1}, 0, {0}, {0x7c0fc163, 0x04c0003f, 0x8fff, 6},
	 45 << 20, 72 << 10, 24, OCCUPANCY_ONLY, NULL},
	{"i7-5820K", 0x306f2, HSX, 0x17, {0, 0x6000, 0x17, 1}, 0, {0}, {0x3c07c163, 0x04c0003f, 0x2fff, 6},
	 15 << 20, 24 << 10, 24, OCCUPANCY_ONLY, NULL},
	{"E5-2620 v4", 0x406f1, BDX, 0x3f, {0, 0x8000, 0x3f, 7}, 2, {0x13, 0xc0000, 4, 0xf}, {0x3c07c163, 0x04c0003f, 0x3fff, 6},
	 20 << 20, 32 << 10, 24, ALL, "L3 CAT of 20 ways (0xc0000 used by devices too), 16 CLOS, CDP"},
	{"E5-2697 v4", 0x406f1, BDX, 0x8f, {0, 0x12000, 0x8f, 7}, 2, {0x13, 0xc0000, 4, 0xf}, {0x7c0fc163, 0x04c0003f, 0x8fff, 6},
	 45 << 20, 72 << 10, 24, ALL, "L3 CAT of 20 ways (0xc0000 used by devices too), 16 CLOS, CDP"},
	{"E5-2696 v4", 0x406f1, BDX, 0xaf, {0, 0x16000, 0xaf, 7}, 2, {0x13, 0xc0000, 4, 0xf}, {0x7c0fc163, 0x04c0003f, 0xafff, 6},
	 55 << 20, 88 << 10, 24, ALL, "L3 CAT of 20 ways (0xc0000 used by devices too), 16 CLOS, CDP"},
	{"D-1540", 0x50662, BDX, 0x3f, {0, 0x8000, 0x3f, 7}, 2, {0xb, 0xc00, 0, 0xf}, {0x1c03c163, 0x02c0003f, 0x3fff, 6},
	 12 << 20, 32 << 10, 24, ALL, "L3 CAT of 12 ways (0xc00 used by devices too), 16 CLOS"},
	{"D-1559", 0x50663, BDX, 0x5f, {0, 0xc000, 0x5f, 7}, 2, {0xb, 0xc00, 0, 0xf}, {0x3c07c163, 0x02c0003f, 0x5fff, 6},
	 18 << 20, 48 << 10, 24, ALL, "L3 CAT of 12 ways (0xc00 used by devices too), 16 CLOS"},
	{"8160", 0x50654, SKX, 0xbf, {0, 0x18000, 0xbf, 7}, 0xa, {0xa, 0x600, 4, 0xf}, {0x7c0fc163, 0x0280003f, 0xbfff, 4},
	 33 << 20, 96 << 10, 24, ALL, "L3 CAT of 11 ways (0x600 used by devices too), 16 CLOS, CDP; MBA (not told how much)"},
	{"8180", 0x50654, SKX, 0xdf, {0, 0x1c000, 0xdf, 7}, 0xa, {0xa, 0x600, 4, 0xf}, {0x7c0fc163, 0x0280003f, 0xdfff, 4},
	 40370176, 112 << 10, 24, ALL, "L3 CAT of 11 ways (0x600 used by devices too), 16 CLOS, CDP; MBA (not told how much)"},
	{"4108", 0x50654, SKX, 0x3f, {0, 0x8000, 0x3f, 7}, 0xa, {0xa, 0x600, 4, 0xf}, {0x3c07c163, 0x0280003f, 0x3fff, 4},
	 11 << 20, 32 << 10, 24, ALL, "L3 CAT of 11 ways"},
	{"3104", 0x50654, SKX, 0x2f, {0, 0x6000, 0x2f, 7}, 0xa, {0xa, 0x600, 4, 0xf}, {0x3c07c163, 0x0280003f, 0x2fff, 4},
	 8650752, 24 << 10, 24, ALL, "L3 CAT of 11 ways"},
	{"8351N", 0x606a6, ICX, 0x11f, {8, 0x12000, 0x11f, 7}, 0xa, {0xb, 0xc00, 0, 0xe}, {0xfc1fc163, 0x02c0003f, 0x11fff, 4},
	 54 << 20, 72 << 10, 32, ALL, "L3 CAT of 12 ways (0xc00 used by devices too), 15 CLOS; MBA"},
	{"w7-2475X", 0x806f8, SPR, 0x9f, {8, 0xa000, 0x9f, 7}, 0xe, {0xe, 0x6000, 4, 0xe}, {0xfc1fc163, 0x0380003f, 0x9fff, 4},
	 39321600, 40 << 10, 32, ALL, "L3 CAT of 15 ways (0x6000 used by devices too), 15 CLOS, CDP; L2 CAT (not told how much); MBA"},
	{"w9-3475X", 0x806f8, SPR, 0x15f, {8, 0x16000, 0x15f, 7}, 0xe, {0xe, 0x6000, 4, 0xe}, {0xfc1fc163, 0x0380003f, 0x15fff, 4},
	 86507520, 88 << 10, 32, ALL, "L3 CAT of 15 ways (0x6000 used by devices too), 15 CLOS, CDP; L2 CAT (not told how much); MBA"},
	{"8570", 0xc06f2, ICX, 0x1df, {8, 0x1e000, 0x1df, 7}, 0xe, {0x13, 0xc0000, 4, 0xe}, {0xfc1fc163, 0x04c0003f, 0x3bfff, 4},
	 300 << 20, 120 << 10, 32, ALL, "L3 CAT of 20 ways (0xc0000 used by devices too), 15 CLOS, CDP"},
	{"5520+", 0xc06f2, ICX, 0xdf, {8, 0xe000, 0xdf, 7}, 0xe, {0x13, 0xc0000, 4, 0xe}, {0xfc1fc163, 0x04c0003f, 0xa7ff, 4},
	 55050240, 56 << 10, 32, ALL, "L3 CAT of 20 ways"},
	{"4514Y", 0xc06f2, ICX, 0x7f, {8, 0x8000, 0x7f, 7}, 0xe, {0x13, 0xc0000, 4, 0xe}, {0xfc1fc163, 0x04c0003f, 0x5fff, 4},
	 30 << 20, 32 << 10, 32, ALL, "L3 CAT of 20 ways"},
	{"Xeon 658X", 0xa06d1, SPR, 0x11f, {0x608, 0x12000, 0x11f, 7}, 0xe, {0xf, 0xc000, 0xe, 0xe}, {0xfc1fc163, 0x03c0003f, 0x23fff, 4},
	 144 << 20, 72 << 10, 32, ALL, "L3 CAT of 16 ways (0xc000 used by devices too), 15 CLOS, CDP, masks with gaps, CLOS of devices"},
	{"7742", 0x830f10, ROME, 0xff, {0, 0x40, 0xff, 7}, 2, {0xf, 0, 4, 0xf}, {0x1c163, 0x03c0003f, 0x3fff, 1},
	 16 << 20, 64, 44, ALL, "L3 CAT of 16 ways, 16 CLOS, CDP; MBA (not told how much)"},
	{"9654", 0xa10f11, GENOA, 0xff, {0x14, 0x40, 0xff, 7}, 2, {0xf, 0, 4, 0xf}, {0x3c163, 0x03c0003f, 0x7fff, 1},
	 32 << 20, 64, 44, ALL, "L3 CAT of 16 ways, 16 CLOS, CDP; MBA of 11-bit limits, 16 CLOS; SMBA (slow memory) of 11-bit limits, 16 CLOS"},
	{"9655", 0xb00f21, TURIN, 0xfff, {0x14, 0x40, 0xfff, 7}, 2, {0xf, 0, 4, 0xf}, {0x1c163, 0x03c0003f, 0x7fff, 1},
	 32 << 20, 64, 44, ALL, "L3 CAT of 16 ways, 16 CLOS, CDP; MBA of 12-bit limits, 16 CLOS"},
	/* clang-format on */
};

static bool is_amd(uint32_t signature)
{
	return signature >= 0x800000 && signature < 0xc00000 && (signature & 0xf00) == 0xf00;
}

static void put(uint32_t leaf, uint32_t subleaf, const struct unc_cpuid_regs *regs)
{
	onrdt_set(&o, leaf, subleaf, regs->eax, regs->ebx, regs->ecx, regs->edx);
}

/* What 0x80000020 has of the AMD parts. */
static void put_amd(uint32_t features)
{
	uint32_t what = features == ROME ? 2 : features == GENOA ? 0x1e : 0x7e, limit = features == GENOA ? 0xb : 0xc;

	onrdt_set(&o, 0x80000020, 0, 0, what, 0, 0);
	if (features == ROME)
		return;
	onrdt_set(&o, 0x80000020, 1, limit, 0, 0, 0xf);
	onrdt_set(&o, 0x80000020, 2, limit, 0, 0, 0xf);
	onrdt_set(&o, 0x80000020, 3, 0, 2, 0x7f, 0);
	if (features == TURIN)
		onrdt_set(&o, 0x80000020, 5, 0x14, 0x1f, 1, 0);
}

static const struct part *part_of(const char *name)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(parts[i].name, name) == 0)
			return &parts[i];
	CU_FAIL_FATAL("no such part");
	return NULL;
}

static void on_part(const char *name)
{
	const struct part *part = part_of(name);
	bool amd = is_amd(part->signature);

	if (amd)
		onrdt_amd(&o, part->signature, part->features);
	else
		onrdt_intel(&o, part->signature, part->features);
	onrdt_set(&o, 0xf, 0, 0, part->max_rmid, 0, 2);
	put(0xf, 1, &part->monitoring);
	onrdt_set(&o, 0x10, 0, 0, part->what, 0, 0);
	put(0x10, 1, &part->cat);
	onrdt_set(&o, amd ? 0x8000001d : 4, 0, 0x4121, 0x01c0003f, 0x3f, 0);
	put(amd ? 0x8000001d : 4, 1, &part->l3);
	if (amd)
		put_amd(part->features);
}

TEST(every_part_is_what_its_leaves_say)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		const struct part *part = &parts[i];

		on_part(part->name);
		rdt = onrdt_found(&o);
		CU_ASSERT_PTR_NULL(rdt->info.no_monitoring);
		EQ(rdt->info.max_rmid, part->max_rmid);
		EQ(rdt->info.cpuid_max_rmid, part->max_rmid);
		EQ(rdt->info.unit_bytes, part->unit_bytes);
		EQ(rdt->info.counter_bits, part->bits);
		EQ(rdt->info.events, part->events);
		EQ(rdt->info.io_bandwidth, part->monitoring.eax == 0x608);
		EQ(rdt->info.io_occupancy, part->monitoring.eax == 0x608);
		EQ(rdt->info.nodes, 1);
		CU_ASSERT_FALSE(rdt->info.overflow_bit);
		EQ(rdt->amd, is_amd(part->signature));
		EQ(rdt->info.full_speed / 1000000000, rdt->amd                ? 200
						      : part->bits != 24      ? 1000
						      : part->features == BDX ? 80
									      : 160);
		EQ(rdt->l3s[0].bytes, part->l3_bytes);
		if (part->allocation)
			HAS(rdt->info.allocation, part->allocation);
		else
			CU_ASSERT_PTR_NULL(rdt->info.allocation);
	}
}

static void has_erratum(unsigned exact_rmid, double factor)
{
	rdt = onrdt_found(&o);
	EQ(rdt->info.exact_rmid, exact_rmid);
	CU_ASSERT_DOUBLE_EQUAL(rdt->info.factor, factor, 1e-9);
}

/* Errata BDF102 and SKX99, by model: not of Broadwell-DE, Haswell, Ice Lake with as many RMIDs. */
TEST(the_erratum_is_that_of_the_number_of_rmids)
{
	static const struct {
		const char *name;
		unsigned exact;
		double factor;
	} cases[] = {
		{"E5-2620 v4", 0x3f, 1},
		{"E5-2697 v4", 127, 1.185255},
		{"E5-2696 v4", 159, 1.454334},
		{"8160", 127, 0.969744},
		{"8180", 191, 1.143118},
		{"4108", 0x3f, 1},
		{"3104", 31, 0.969650},
		{"D-1559", 0x5f, 1},
		{"E5-2660 v3", 0x27, 1},
		{"5520+", 0xdf, 1},
		{"7742", 0xff, 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		on_part(cases[i].name);
		has_erratum(cases[i].exact, cases[i].factor);
	}
}

/*
 * The kernel's table, which is in rdt/ and once more, as what is miscounted, in the simulator: each RMID's number is corrected to what
 * there was.  Of numbers of RMIDs that the table does not have, all count right.
 */
TEST(the_table_is_that_of_the_simulator)
{
	const unc_sim_wide bytes = (unc_sim_wide)1 << 40;
	unsigned n_wrong = 0;

	for (unsigned n = 4; n <= 288; n += n == 4 ? 4 : 8) {
		on_part("E5-2697 v4");
		onrdt_set(&o, 0xf, 0, 0, n - 1, 0, 2);
		onrdt_set(&o, 0xf, 1, 0, 0x8000, n - 1, 7);
		rdt = onrdt_found(&o);
		for (unsigned rmid = 0; rmid < n; rmid++) {
			double counted = (double)unc_sim_mbm_counted(n - 1, rmid, bytes);

			if (rmid > rdt->info.exact_rmid)
				counted *= rdt->info.factor;
			CU_ASSERT_DOUBLE_EQUAL(counted, (double)bytes, 2);
		}
		n_wrong += rdt->info.factor != 1;
		EQ(rdt->info.factor != 1, rdt->info.exact_rmid < n - 1);
	}
	EQ(n_wrong, 18);
}

TEST(warnings_are_told_apart)
{
	struct unc_rdt odd = {0};

	unc_rdt_warn(&odd, "%d is odd", 1);
	SAME(odd.warning, "1 is odd");
	unc_rdt_warn(&odd, "so is 3");
	SAME(odd.warning, "1 is odd; so is 3");
}

TEST(skylakes_up_to_stepping_4_are_warned_of)
{
	on_part("8180");
	HAS(onrdt_found(&o)->info.warning, "SKZ4");
	on_part("8180");
	onrdt_set(&o, 1, 0, 0x50657, 0, 0, 0); /* Cascade Lake */
	CU_ASSERT_PTR_NULL(onrdt_found(&o)->info.warning);
	EQ(onrdt_found(&o)->info.exact_rmid, 191);
	on_part("E5-2697 v4");
	CU_ASSERT_PTR_NULL(onrdt_found(&o)->info.warning);
}

/* What leaf 0xf.1 says, where another than a part's own stands there. */
TEST(each_part_of_leaf_f_is_told)
{
	static const struct {
		const char *name;
		uint32_t vendor[3]; /* EBX, ECX, EDX of leaf 0 */
		uint32_t eax, ecx, edx;
		unsigned bits, max_rmid;
		bool overflow, occupancy, bandwidth;
	} cases[] = {
		/* The width is the vendor's. */
		{"7742", {VENDOR_AMD}, 0, 0xff, 7, 44, 0xff, false, false, false},
		{"7742", {VENDOR_AMD}, 0x14, 0xff, 7, 44, 0xff, false, false, false},
		{"7742", {VENDOR_AMD}, 8, 0xff, 7, 32, 0xff, false, false, false},
		{"7742", {VENDOR_HYGON}, 0, 0xff, 7, 32, 0xff, false, false, false},
		{"7742", {VENDOR_HYGON}, 0x14, 0xff, 7, 44, 0xff, false, false, false},
		{"7742", {VENDOR_AMD}, 37, 0xff, 7, 61, 0xff, false, false, false},
		{"7742", {VENDOR_AMD}, 38, 0xff, 7, 61, 0xff, false, false, false},
		{"8351N", {VENDOR_INTEL}, 0x008, 0x11f, 7, 32, 0x11f, false, false, false},
		{"8351N", {VENDOR_INTEL}, 0x108, 0x11f, 7, 32, 0x11f, true, false, false},
		{"8351N", {VENDOR_INTEL}, 0x208, 0x11f, 7, 32, 0x11f, false, true, false},
		{"8351N", {VENDOR_INTEL}, 0x408, 0x11f, 7, 32, 0x11f, false, false, true},
		/* The width of bandwidth counters that are not there is no contradiction: occupancy has none. */
		{"E5-2697 v4", {VENDOR_INTEL}, 39, 0x8f, 1, 61, 0x8f, false, false, false},
		/* Nor are fewer RMIDs on the L3, or twelve bits of them on AMD. */
		{"E5-2697 v4", {VENDOR_INTEL}, 0, 0x3f, 7, 24, 0x3f, false, false, false},
		{"9655", {VENDOR_AMD}, 0x14, 0xfff, 7, 44, 0xfff, false, false, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct unc_cpuid_regs *own = &part_of(cases[i].name)->monitoring;

		on_part(cases[i].name);
		onrdt_set(&o, 0, 0, 0x14, cases[i].vendor[0], cases[i].vendor[1], cases[i].vendor[2]);
		onrdt_set(&o, 0xf, 1, cases[i].eax, own->ebx, cases[i].ecx, cases[i].edx);
		rdt = onrdt_found(&o);
		EQ(rdt->info.counter_bits, cases[i].bits);
		EQ(rdt->info.max_rmid, cases[i].max_rmid);
		EQ(rdt->info.events, cases[i].edx);
		EQ(rdt->info.overflow_bit, cases[i].overflow);
		EQ(rdt->info.io_occupancy, cases[i].occupancy);
		EQ(rdt->info.io_bandwidth, cases[i].bandwidth);
		EQ(rdt->amd, strcmp(cases[i].name, "7742") == 0 || strcmp(cases[i].name, "9655") == 0);
	}
}

/* Its leaf 0xf lies beyond the highest and answers with the data of leaf 0xd. */
TEST(the_e5_2687w_has_none_whatever_leaf_f_says)
{
	onrdt_intel(&o, 0x206d7, 0);
	onrdt_set(&o, 0, 0, 0xd, VENDOR_INTEL);
	rdt = onrdt_found(&o);
	HAS(rdt->info.no_monitoring, "leaf 0xf");
	HAS(rdt->info.no_monitoring, "0xd");
	HAS(rdt->info.no_monitoring, "bit 12");
	CU_ASSERT_PTR_NULL(rdt->info.allocation);
	CU_ASSERT_TRUE(o.highest_asked < 0xf);
	EQ(rdt->info.n_l3s, 0);
}

TEST(allocation_alone_is_said)
{
	/* Tiger Lake and later client parts: PQE without PQM. */
	onrdt_intel(&o, 0x806c1, 1 << 15);
	onrdt_set(&o, 0x10, 0, 0, 4, 0, 0);
	onrdt_set(&o, 0x10, 2, 0x13, 0, 4, 7);
	onrdt_set(&o, 0xf, 0, 0, 0x27, 0, 2); /* what hides PQM need not hide this */
	rdt = onrdt_found(&o);
	SAME(rdt->info.no_monitoring, "CPUID leaf 7 EBX bit 12 (PQM) is 0");
	SAME(rdt->info.allocation, "L2 CAT of 20 ways, 8 CLOS, CDP");
	EQ(rdt->info.n_l3s, 0);
	EQ(rdt->info.events, 0);
	onrdt_intel(&o, 0x806c1, 1 << 15);
	HAS(onrdt_found(&o)->info.allocation, "leaf 0x10 EBX 0x0 names nothing");
	onrdt_intel(&o, 0x806c1, 1 << 15);
	onrdt_set(&o, 0, 0, 0xd, VENDOR_INTEL);
	HAS(onrdt_found(&o)->info.allocation, "beyond the highest leaf 0xd");
}

TEST(the_reason_for_none_is_named)
{
	static const struct {
		uint32_t highest, features, edx;
		const char *why;
	} cases[] = {
		{0x16, 0xffffefff, 2, "CPUID leaf 7 EBX bit 12 (PQM) is 0"},
		{0x16, 0x1000, 0, "CPUID leaf 0xf EDX bit 1 (L3) is 0"},
		{0x6, 0x1000, 2, "CPUID leaf 7, which would announce it, lies beyond its highest leaf 0x6"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		onrdt_intel(&o, 0x606a6, cases[i].features);
		onrdt_set(&o, 0, 0, cases[i].highest, VENDOR_INTEL);
		onrdt_set(&o, 0xf, 0, 0, 0xff, 0, cases[i].edx);
		SAME(onrdt_found(&o)->info.no_monitoring, cases[i].why);
	}
}

TEST(an_unknown_vendor_is_refused_plainly)
{
	on_part("E5-2697 v4");
	onrdt_set(&o, 0, 0, 0x14, 0x746e6543, 0x736c7561, 0x48727561); /* "CentaurHauls" */
	rdt = onrdt_found(&o);
	HAS(rdt->info.no_monitoring, "CentaurHauls");
	HAS(rdt->info.no_monitoring, "GenuineIntel, AuthenticAMD and HygonGenuine");
	CU_ASSERT_PTR_NULL(rdt->info.allocation);
}

TEST(contradictions_are_refused_with_both_values)
{
	static const struct {
		uint32_t highest, all; /* of 0xf.0 EBX */
		struct unc_cpuid_regs l3;
		const char *one, *other;
	} cases[] = {
		{0xd, 0x8f, {0, 0x12000, 0x8f, 7}, "bit 12 (PQM) is 1", "highest leaf 0xd"},
		{0x14, 0x7f, {0, 0x12000, 0x8f, 7}, "is 0x8f", "is 0x7f"},
		{0x14, 0x8f, {0, 0x12000, 0, 7}, "is 0x0", "is 0x8f"},
		{0x14, 0x8f, {0, 0, 0x8f, 7}, "0 bytes", "0x7"},
		{0x14, 0x8f, {0, 0x12000, 0x8f, 8}, "EDX is 0x8", "0x12000"},
		{0x14, 0x8f, {0, 0x12000, 0x8f, 0}, "EDX is 0x0", "EDX 0x2 announces"},
		{0x14, 0x8f, {0x13, 0xc0000, 4, 0xf}, "13-c0000-4-f", "0x10.1"}, /* a dumper's mistake, see Gold 5218 */
		{0x14, 0x7ff, {0, 0x12000, 0x7ff, 7}, "0x7ff", "0x3ff"},
		{0x14, 0x8f, {0, 0x10000000, 0x8f, 7}, "0x10000000 bytes", "0x2d00000"},
		{0x14,
		 0x8f,
		 {39, 0x12000, 0x8f, 7},
		 "EAX 0x27 says that bandwidth counters have 63 bits",
		 "room for 62"},
		{0x14, 0x8f, {0x1ff, 0x12000, 0x8f, 2}, "have 279 bits", "room for 62"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		on_part("E5-2697 v4");
		onrdt_set(&o, 0, 0, cases[i].highest, VENDOR_INTEL);
		onrdt_set(&o, 0xf, 0, 0, cases[i].all, 0, 2);
		put(0xf, 1, &cases[i].l3);
		rdt = NULL;
		FAILS(&o, UNC_ENOSUP, onrdt_find(&o, &rdt), cases[i].one, cases[i].other, "contradict each other");
		CU_ASSERT_PTR_NULL(rdt);
		CU_ASSERT_PTR_NULL(o.m->rdt);
		if (cases[i].highest < 0xf)
			CU_ASSERT_TRUE(o.highest_asked < 0xf);
	}
}

TEST(a_leaf_that_is_not_there_is_an_answer)
{
	on_part("8180");
	o.unasked = UNC_EIO; /* of the others; and of the first: */
	o.cpus[0].online = false;
	FAILS(&o, UNC_EIO, onrdt_find(&o, &rdt), "CPUID leaf 0x");
}

TEST(it_is_asked_for_once)
{
	on_part("8180");
	onrdt_found(&o);
	CU_ASSERT_TRUE(o.asked > 16);
	onrdt_found(&o);
	EQ(o.asked, 0);
}

TEST(the_public_functions_hand_it_over)
{
	struct unc_llc_info info;
	struct unc_l3_info l3;

	on_part("8180");
	onrdt_found(&o);
	OK(&o, unc_llc_info(o.m, &info));
	EQ(info.n_l3s, 1);
	EQ(info.max_rmid, 0xdf);
	OK(&o, unc_l3_info(o.m, 0, &l3));
	SAME(l3.cpus, "0-15");
	EQ(l3.n_cpus, 16);
	EQ(l3.first_cpu, 0);
	EQ(l3.bytes, 40370176);
	FAILS(&o, UNC_ENODEV, unc_l3_info(o.m, 1, &l3), "1 L3");
}

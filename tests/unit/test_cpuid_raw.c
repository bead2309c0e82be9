// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/cpuid_raw.h"

#include "base/err.h"
#include "base/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static const char one_cpu[] = "version=0.6.2\n"
			      "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
			      "basic_cpuid[4]=3c004121 01c0003f 0000003f 00000000\n"
			      "basic_cpuid[13]=00000007 00000340 00000340 00000000\n"
			      "basic_cpuid[15]=00000007 00000340 00000340 00000000\n"
			      "basic_cpuid[16]=00000001 00000002 00000003 00000004\n"
			      "ext_cpuid[8]=0000302e 00000000 00000000 00000000\r\n"
			      "\n"
			      "intel_fn4[0]=3c004121 01c0003f 0000003f 00000000\n"
			      "intel_fn4[3]=3c07c163 04c0003f 00003fff 00000006\n"
			      "intel_fn11[1]=00000005 00000010 00000201 00000000\n"
			      "intel_fn12h[0]=00000012 00000000 00000000 00000000\n"
			      "intel_fn14h[1]=00000014 00000000 00000000 00000000\n"
			      "amd_fn8000001dh[2]=0000001d 00000000 00000000 00000000\n"
			      "--------------------------------------------------------------------------------\n"
			      "x86\ngeneral\n";

static const char two_cpus[] = "------[ Versions ]------\n"
			       "CPUID of a program : nothing\n"
			       "------[ CPUID Registers / Logical CPU #0 ]------\n"
			       "allcpu: Package 0 / Core 0 / Thread 0\n"
			       "CPUID 00000000: 00000014-756E6547-6C65746E-49656E69 [GenuineIntel]\n"
			       "CPUID 00000004: 7C004121-01C0003F-0000003F-00000000 [SL 00] [L1D: 32 KB]\n"
			       "CPUID 00000004: 7C0FC163-04C0003F-00008FFF-00000006 [SL 03]\n"
			       "CPUID 00000005: 00000040-00000040-00000003-00002120\n"
			       "CPUID 00000007: 00000000-021CBFBB-00000000-00000000\n"
			       "CPUID 0000000D: 00000008-00000000-00000001-00000000 [SL 0A]\n"
			       "------[ Logical CPU #3 ]------\n"
			       "CPUID 00000005: 00000001-00000002-00000003-00000004\n"
			       "CPUID 80000020: 00000000-0000001E-00000000-00000000 [SL 00]\n"
			       "CPUID 80000020: 0000000B-00000000-00000000-0000000F [SL 01]\n"
			       "------[ MSR Registers ]------\n"
			       "CPUID 00000006: 00000001-00000002-00000003-00000004\n";

static int parse(struct unc_ctx *ctx, const char *text, struct unc_cpuid_dump **ret_dump)
{
	return unc_cpuid_dump_parse(ctx, "t.raw", text, strlen(text), ret_dump);
}

static struct unc_cpuid_dump *parsed(struct unc_ctx *ctx, const char *text)
{
	struct unc_cpuid_dump *dump = NULL;

	CU_ASSERT_EQUAL_FATAL(parse(ctx, text, &dump), UNC_OK);
	return dump;
}

struct leaf {
	unsigned cpu;
	uint32_t leaf, subleaf;
	int64_t eax; /* or the error */
};

/* EAX of a leaf, or the error. */
static int64_t eax(const struct unc_cpuid_dump *dump, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_cpuid_regs regs;
	int rc = unc_cpuid_dump_get(&ctx, dump, cpu, leaf, subleaf, &regs);

	return rc < 0 ? rc : (int64_t)regs.eax;
}

/* Each of these leaves has that EAX, or fails. */
static void has_leaves(const char *text, size_t n_cpus, const struct leaf *leaves, size_t n)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_cpuid_dump *dump = parsed(&ctx, text);

	CU_ASSERT_EQUAL(unc_cpuid_dump_cpus(dump), n_cpus);
	for (size_t i = 0; i < n; i++) {
		int64_t is = eax(dump, leaves[i].cpu, leaves[i].leaf, leaves[i].subleaf);

		if (is != leaves[i].eax)
			printf("\n    cpu %u: leaf 0x%x.%u: 0x%llx\n", leaves[i].cpu, leaves[i].leaf, leaves[i].subleaf,
			       (long long)is);
		CU_ASSERT_EQUAL(is, leaves[i].eax);
	}
	unc_cpuid_dump_free(dump);
}
#define HAS_LEAVES(text, n_cpus, leaves) has_leaves(text, n_cpus, leaves, sizeof(leaves) / sizeof((leaves)[0]))

TEST(the_first_form_holds_one_cpu_that_stands_for_all)
{
	static const struct leaf leaves[] = {
		{0, 0, 0, 0xd},
		{31, 0, 0, 0xd},
		{0, 0x80000008, 0, 0x302e},
		/* named arrays are sub-leaves */
		{0, 4, 0, 0x3c004121},
		{0, 4, 3, 0x3c07c163},
		{0, 0xb, 1, 5},
		{0, 0x12, 0, 0x12},
		{0, 0x14, 1, 0x14},
		{0, 0x8000001d, 2, 0x1d},
		{0, 4, 2, UNC_ENODATA},
		{0, 1, 0, UNC_ENODATA},
		/* sub-leaf 0 never stands for another one, except of a leaf that does not look at ECX */
		{0, 0xf, 0, 7},
		{0, 0xf, 1, UNC_ENODATA},
		{0, 0x10, 0, 1},
		{0, 0x10, 1, UNC_ENODATA},
		{0, 0, 5, 0xd},
	};
	struct unc_ctx ctx = {.msg = ""};
	struct unc_cpuid_dump *dump = parsed(&ctx, one_cpu);
	struct unc_cpuid_regs regs = {0};

	CU_ASSERT_EQUAL(unc_cpuid_dump_get(&ctx, dump, 0, 0, 0, &regs), UNC_OK);
	CU_ASSERT_TRUE(regs.eax == 0xd && regs.ebx == 0x756e6547 && regs.ecx == 0x6c65746e && regs.edx == 0x49656e69);
	unc_cpuid_dump_free(dump);
	HAS_LEAVES(one_cpu, 1, leaves);
}

TEST(the_second_form_holds_each_cpu_below_its_heading)
{
	static const struct leaf leaves[] = {
		{0, 5, 0, 0x40},         {0, 5, 9, 0x40},        {3, 5, 0, 1},          {0, 4, 3, 0x7c0fc163},
		{0, 4, 1, UNC_ENODATA},  {0, 0xd, 10, 8},        {0, 7, 0, 0},          {0, 7, 1, UNC_ENODATA},
		{3, 0x80000020, 1, 0xb}, {3, 0, 0, UNC_ENODATA}, {1, 5, 0, UNC_ENODEV}, {4, 5, 0, UNC_ENODEV},
		{3, 6, 0, UNC_ENODATA}, /* below a heading of something else */
	};

	HAS_LEAVES(two_cpus, 2, leaves);
}

TEST(libcpuids_own_headings_are_understood)
{
	static const struct leaf leaves[] = {{1, 0, 0, 0xe}, {2, 0, 0, UNC_ENODEV}};

	HAS_LEAVES("version=0.6.2\n\n_________________ Logical CPU #0 _________________\n"
		   "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
		   "\n_________________ Logical CPU #1 _________________\n"
		   "basic_cpuid[0]=0000000e 756e6547 6c65746e 49656e69\n",
		   2, leaves);
}

TEST(what_is_no_dump_is_refused_with_its_line)
{
	static const struct {
		const char *text, *begins;
	} cases[] = {
		{"", "t.raw: not a raw CPUID dump"},
		{"hello\n", "t.raw:1: not a raw CPUID dump"},
		{"version=1\n\nbasic_cpuid[0]=0000000d 756e6547 6c65746e 4965\n", "t.raw:3: "},
		{"basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e690\n", "t.raw:1: "},
		{"basic_cpuid[0]=0000000d-756e6547-6c65746e-49656e69\n", "t.raw:1: "},
		{"basic_cpuid[-1]=0000000d 756e6547 6c65746e 49656e69\n", "t.raw:1: "},
		{"basic_cpuid[99999999]=0000000d 756e6547 6c65746e 49656e69\n", "t.raw:1: "},
		{"basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n------[ Logical CPU #0 ]------\n", "t.raw:2: "},
		{"------[ Logical CPU #x ]------\n", "t.raw:1: "},
		{"------[ Logical CPU #99999999 ]------\n", "t.raw:1: "},
		{"------[ Logical CPU #0 ]------\nCPUID 00000004: 7C004121-01C0003F-0000003F\n", "t.raw:2: "},
		{"------[ Logical CPU #0 ]------\nCPUID 00000004: 7C004121-01C0003F-0000003F-00000000 [SL \n",
		 "t.raw:2: "},
		{"------[ Logical CPU #0 ]------\nremark\n", "t.raw: not a raw CPUID dump"},
		{"--------\nbasic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n", "t.raw: not a raw CPUID dump"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_ctx ctx = {.msg = ""};
		struct unc_cpuid_dump *dump = NULL;

		CU_ASSERT_EQUAL(parse(&ctx, cases[i].text, &dump), UNC_EARG);
		CU_ASSERT_PTR_NULL(dump);
		CU_ASSERT_EQUAL(strncmp(ctx.msg, cases[i].begins, strlen(cases[i].begins)), 0);
	}
}

/* The text in memory of exactly its size, so that a byte read beyond it is found out. */
static void survive(const char *text, size_t len)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_cpuid_dump *dump = NULL;
	char *exact = malloc(len ? len : 1);

	memcpy(exact, text, len);
	if (unc_cpuid_dump_parse(&ctx, "t", exact, len, &dump) == UNC_OK)
		eax(dump, 0, 4, 3);
	unc_cpuid_dump_free(dump);
	free(exact);
}

TEST(cut_and_damaged_dumps_are_survived)
{
	static const char *const texts[] = {one_cpu, two_cpus};
	static char damaged[4096];
	unsigned random = 1;

	for (unsigned t = 0; t < 2; t++) {
		size_t len = strlen(texts[t]);

		for (size_t cut = 0; cut <= len; cut++)
			survive(texts[t], cut);
		for (unsigned i = 0; i < 20000; i++) {
			memcpy(damaged, texts[t], len);
			for (unsigned k = 0; k < 3; k++) {
				random = random * 1103515245 + 12345;
				damaged[(random >> 8) % len] ^= (char)(1 << (random >> 28) % 8);
			}
			survive(damaged, len);
		}
	}
	CU_PASS("nothing was read out of bounds");
}

static struct unc_cpuid_dump *shared_dump(const char *name)
{
	struct unc_ctx ctx = {.msg = ""};
	struct unc_cpuid_dump *dump = NULL;
	char path[256], *text;
	size_t len;

	snprintf(path, sizeof(path), "../shared/cpuid/%s", name);
	if (unc_os_file_read(&ctx, path, 4 << 20, UNC_TRUST_ANY, &text, &len) < 0) {
		printf("\n    skipped: no %s", path);
		return NULL;
	}
	CU_ASSERT_EQUAL_FATAL(unc_cpuid_dump_parse(&ctx, path, text, len, &dump), UNC_OK);
	free(text);
	return dump;
}

TEST(dumps_of_real_machines_are_read_whole)
{
	static const struct {
		const char *name;
		unsigned n_cpus, highest;
		int64_t f0_eax, f1_eax; /* of leaf 0xF */
	} cases[] = {
		{"intel-xeon-cpu-e5-2687w-0.test", 1, 0xd, 7, UNC_ENODATA},
		{"intel-xeon-cpu-e5-2697-v2.test", 1, 0xd, 7, UNC_ENODATA},
		{"intel-xeon-cpu-e5-2697-v4-dual.test", 72, 0x14, 0, 0},
		{"intel-xeon-cpu-e5-2699-v3-dual.test", 72, 0xf, 0, 0},
		{"intel-xeon-platinum-8180-cpu-dual.test", 112, 0x16, 0, 0},
		{"intel-xeon-platinum-8351n-cpu.test", 72, 0x1b, 0, 8},
		{"intel-xeon-w9-3475x.test", 72, 0x20, 0, 8},
		{"amd-epyc-7742-64-core-processor-dual.test", 256, 0x10, 0, 0},
		{"amd-epyc-9124-16-core-processor.test", 32, 0x10, 0, 0x14},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_cpuid_dump *dump = shared_dump(cases[i].name);

		if (!dump)
			continue;
		CU_ASSERT_EQUAL(unc_cpuid_dump_cpus(dump), cases[i].n_cpus);
		CU_ASSERT_EQUAL(eax(dump, cases[i].n_cpus - 1, 0, 0), cases[i].highest);
		CU_ASSERT_EQUAL(eax(dump, 0, 0xf, 0), cases[i].f0_eax);
		CU_ASSERT_EQUAL(eax(dump, 0, 0xf, 1), cases[i].f1_eax);
		unc_cpuid_dump_free(dump);
	}
	CU_PASS("those that are there");
}

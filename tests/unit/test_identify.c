// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "access/cpuid_raw.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

/* A host whose CPUID is a dump, and that counts the questions beyond the highest leaf. */
static struct fake {
	struct unc_host host;
	struct unc_ctx ctx;
	struct unc_cpuid_dump *dump;
	uint32_t highest[2];
	unsigned beyond;
	int fail;
} fake;

static int fake_cpuid(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		      struct unc_cpuid_regs *ret_regs)
{
	(void)host;
	if (fake.fail)
		return unc_fail(&fake.ctx, fake.fail, "no answer");
	fake.beyond += (leaf & 0x7fffffff) > (fake.highest[leaf >> 31] & 0x7fffffff);
	return unc_cpuid_dump_get(&fake.ctx, fake.dump, cpu, leaf, subleaf, ret_regs);
}

static const struct unc_host_ops fake_ops = {.cpuid = fake_cpuid};

static void end(void)
{
	unc_cpuid_dump_free(fake.dump);
	fake.dump = NULL;
}

EACH(NULL, end)

static void start(const char *name, const char *text)
{
	end();
	fake = (struct fake){.host = {.ops = &fake_ops, .ctx = &fake.ctx}, .highest = {0x7fffffff, 0x7fffffff}};
	CU_ASSERT_EQUAL_FATAL(unc_cpuid_dump_parse(&fake.ctx, name, text, strlen(text), &fake.dump), UNC_OK);
}

/* What an E5-2600 says of itself, as far as its name goes; 0xe and beyond are not to be asked. */
static const char sandy_bridge[] = "basic_cpuid[0]=0000000d 756e6547 6c65746e 49656e69\n"
				   "basic_cpuid[1]=000206d7 00200800 1fbee3ff bfebfbff\n"
				   "basic_cpuid[4]=3c004121 01c0003f 0000003f 00000000\n"
				   "basic_cpuid[11]=00000001 00000002 00000100 00000000\n"
				   "ext_cpuid[0]=80000008 00000000 00000000 00000000\n"
				   "ext_cpuid[1]=00000000 00000000 00000001 2c100000\n"
				   "ext_cpuid[2]=20202020 6e492020 286c6574 58202952\n"
				   "ext_cpuid[3]=286e6f65 43202952 45205550 36322d35\n"
				   "ext_cpuid[4]=20573738 20402030 30312e33 007a4847\n"
				   "intel_fn4[0]=3c004121 01c0003f 0000003f 00000000\n"
				   "intel_fn4[1]=3c004122 01c0003f 0000003f 00000000\n"
				   "intel_fn4[2]=3c004143 01c0003f 000001ff 00000000\n"
				   "intel_fn4[3]=3c07c163 04c0003f 00003fff 00000006\n"
				   "intel_fn11[0]=00000001 00000002 00000100 00000000\n"
				   "intel_fn11[1]=00000005 00000010 00000201 00000000\n";

TEST(a_captured_processor_is_named_and_not_the_one_we_run_on)
{
	struct unc_cpu_info identity = {.brand = ""};

	start("t", sandy_bridge);
	fake.highest[0] = 0xd;
	fake.highest[1] = 0x80000008;
	CU_ASSERT_EQUAL(unc_os_identify(&fake.host, 0, &identity), UNC_OK);
	CU_ASSERT_STRING_EQUAL(identity.brand, "Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz");
	CU_ASSERT_EQUAL(identity.n_cores, 8);
	CU_ASSERT_EQUAL(identity.n_threads, 16);
	CU_ASSERT_EQUAL(identity.l3_bytes, 20 << 20);
	CU_ASSERT_EQUAL(fake.beyond, 0);
}

/* As a hypervisor or a record may have it: 0x2000_0000 is 0 processors, as bits 15:0 have their number. */
TEST(a_level_without_processors_is_none)
{
	static const char *const levels[] = {"basic_cpuid[11]=00000001 ", "intel_fn11[1]=00000005 "};
	struct unc_cpu_info identity = {.brand = ""};
	char *text;

	for (unsigned i = 0; i < 2; i++) {
		text = strdup(sandy_bridge);
		CU_ASSERT_PTR_NOT_NULL_FATAL(text);
		memcpy(strstr(text, levels[i]) + strlen(levels[i]), "20000000", 8);
		start("t", text);
		CU_ASSERT_EQUAL(unc_os_identify(&fake.host, 0, &identity), UNC_OK);
		CU_ASSERT_STRING_EQUAL(identity.brand, "Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz");
		free(text);
	}
}

TEST(a_processor_that_libcpuid_does_not_know_is_enodata)
{
	struct unc_cpu_info identity = {.brand = "untouched"};

	start("t", "basic_cpuid[0]=00000001 41414141 41414141 41414141\n");
	CU_ASSERT_EQUAL(unc_os_identify(&fake.host, 0, &identity), UNC_ENODATA);
	CU_ASSERT_PTR_NOT_NULL(strstr(fake.ctx.msg, "cpu 0: "));
	CU_ASSERT_STRING_EQUAL(identity.brand, "untouched");
}

TEST(a_host_that_does_not_answer_fails_as_it_does)
{
	struct unc_cpu_info identity;

	start("t", sandy_bridge);
	fake.fail = UNC_EPERM;
	CU_ASSERT_EQUAL(unc_os_identify(&fake.host, 0, &identity), UNC_EPERM);
	CU_ASSERT_STRING_EQUAL(fake.ctx.msg, "no answer");
	fake.fail = UNC_ENODATA;
	CU_ASSERT_EQUAL(unc_os_identify(&fake.host, 0, &identity), UNC_ENODATA);
}

TEST(real_machines_are_named)
{
	static const struct {
		const char *name, *brand;
	} cases[] = {
		{"intel-xeon-cpu-e5-2687w-0.test", "E5-2687W 0"},
		{"intel-xeon-cpu-e5-2697-v2.test", "E5-2697 v2"},
		{"intel-xeon-cpu-e5-2697-v4-dual.test", "E5-2697 v4"},
		{"intel-xeon-cpu-e5-2699-v3-dual.test", "E5-2699 v3"},
		{"intel-xeon-platinum-8180-cpu-dual.test", "Platinum 8180"},
		{"intel-xeon-platinum-8351n-cpu.test", "Platinum 8351N"},
		{"intel-xeon-w9-3475x.test", "w9-3475X"},
		{"amd-epyc-7742-64-core-processor-dual.test", "EPYC 7742"},
		{"amd-epyc-9124-16-core-processor.test", "EPYC 9124"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct unc_cpu_info identity = {.brand = ""};
		struct unc_ctx ctx = {.msg = ""};
		char path[256], *text;

		snprintf(path, sizeof(path), "../shared/cpuid/%s", cases[i].name);
		if (unc_os_file_read(&ctx, path, 4 << 20, UNC_TRUST_ANY, &text, NULL) < 0) {
			printf("\n    skipped: no %s", path);
			continue;
		}
		start(path, text);
		free(text);
		CU_ASSERT_EQUAL(unc_os_identify(&fake.host, 0, &identity), UNC_OK);
		CU_ASSERT_PTR_NOT_NULL(strstr(identity.brand, cases[i].brand));
		CU_ASSERT_NOT_EQUAL(identity.brand[strlen(identity.brand) - 1], ' ');
		CU_ASSERT_TRUE(identity.n_cores >= 8 && identity.n_threads == 2 * identity.n_cores);
	}
	CU_PASS("those that are there");
}

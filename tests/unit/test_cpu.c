// SPDX-License-Identifier: GPL-2.0-or-later
#include "onsim.h"
#include "test.h"

/* A processor that answers from a table. */
struct leaf {
	uint32_t leaf;
	struct unc_cpuid_regs regs;
};

struct processor {
	struct unc_host host; /* first */
	const struct leaf *leaves;
	size_t n_leaves;
	unsigned cpu; /* the only one that is online */
};

static int answer(struct unc_host *host, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	struct processor *p = (struct processor *)host;

	(void)subleaf;
	if (cpu != p->cpu)
		return unc_fail(host->ctx, UNC_ENODEV, "cpu %u is offline", cpu);
	for (size_t i = 0; i < p->n_leaves; i++) {
		if (p->leaves[i].leaf == leaf) {
			*ret_regs = p->leaves[i].regs;
			return UNC_OK;
		}
	}
	return unc_fail(host->ctx, UNC_ENODATA, "no such leaf was recorded");
}

static const struct unc_host_ops processor_ops = {.cpuid = answer};

static struct {
	struct unc_ctx *ctx;
	struct processor processor;
	struct unc_machine *m;
} f;

static void end(void)
{
	free(f.m);
	unc_free(f.ctx);
	memset(&f, 0, sizeof(f));
}

EACH(NULL, end)

static void on(const struct leaf *leaves, size_t n)
{
	end();
	CU_ASSERT_FATAL(unc_new(&f.ctx) == 0);
	f.processor =
		(struct processor){.host = {.ops = &processor_ops, .ctx = f.ctx}, .leaves = leaves, .n_leaves = n};
	f.m = calloc(1, sizeof(*f.m));
	CU_ASSERT_PTR_NOT_NULL_FATAL(f.m);
	f.m->ctx = f.ctx;
	f.m->host = &f.processor.host;
}

#define ON(leaves) on(leaves, sizeof(leaves) / sizeof((leaves)[0]))

/* "GenuineIntel" in EBX, EDX, ECX */
#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69

/* As read on an E5-2687W. */
static const struct leaf e5_2687w[] = {
	{0x0, {0x0000000d, INTEL}},
	{0x1, {0x000206d7, 0x20200800, 0x1fbee3ff, 0xbfebfbff}},
};

TEST(family_and_model_follow_the_formula)
{
	static const struct {
		uint32_t eax;
		unsigned family, model, stepping;
	} cases[] = {
		{0x000206d7, 6, 0x2d, 7},    {0x000306f2, 6, 0x3f, 2},
		{0x00050654, 6, 0x55, 4},    {0x00830f10, 0x17, 0x31, 0}, /* EPYC 7742 */
		{0x00a10f11, 0x19, 0x11, 1}, {0x00000f29, 15, 2, 9},
		{0x00000543, 5, 4, 3},       {0x000f0543, 5, 4, 3}, /* only families 6 and 15 have an extended model */
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct leaf leaves[] = {{0x0, {0x00000001, INTEL}}, {0x1, {cases[i].eax, 0, 0, 0}}};

		ON(leaves);
		OK(&f, unc_machine_identify(f.m));
		EQ(f.m->cpu.family, cases[i].family);
		EQ(f.m->cpu.model, cases[i].model);
		EQ(f.m->cpu.stepping, cases[i].stepping);
	}
}

TEST(nonsense_is_not_supported)
{
	static const struct leaf zeros[] = {{0x0, {0, 0, 0, 0}}, {0x1, {0, 0, 0, 0}}};
	static const struct leaf ones[] = {{0x0, {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}}};
	static const struct leaf only_leaf_0[] = {{0x0, {0, INTEL}}};

	ON(zeros);
	FAILS(&f, UNC_ENOSUP, unc_machine_identify(f.m), "names no vendor");
	ON(ones);
	FAILS(&f, UNC_ENOSUP, unc_machine_identify(f.m), "names no vendor", "ffffffff");
	ON(only_leaf_0);
	FAILS(&f, UNC_ENOSUP, unc_machine_identify(f.m), "no leaf 1");
}

TEST(a_leaf_that_cannot_be_read_is_named)
{
	ON(e5_2687w);
	f.processor.n_leaves = 0;
	FAILS(&f, UNC_ENODATA, unc_machine_identify(f.m), "CPUID leaf 0x0: ");
	f.processor.n_leaves = 1;
	FAILS(&f, UNC_ENODATA, unc_machine_identify(f.m), "CPUID leaf 0x1: ");
}

/* CPU 0 can be offline; then the lowest that is online is asked, by maps too. */
TEST(the_first_online_cpu_is_asked)
{
	struct unc_package package = {.id = 0, .n_cpus = 1};

	ON(e5_2687w);
	f.processor.cpu = 3;
	f.m->topo = (struct unc_topo){.packages = &package, .n_packages = 1, .n_cpus = 1, .first_cpu = 3};
	OK(&f, unc_machine_identify(f.m));
	EQ(f.m->cpu.cpu, 3);
	CU_ASSERT_PTR_EQUAL(f.m->cpu.host, &f.processor.host);
}

TEST(the_simulated_processor_is_a_sandy_bridge_ep)
{
	struct unc_machine_info info;
	struct onsim o;

	onsim_open(&o, "sockets=1", NULL);
	unc_machine_info(o.m, &info);
	SAME(info.vendor, "GenuineIntel");
	EQ(info.family, 6);
	EQ(info.model, 0x2d);
	EQ(info.stepping, 7);
	onsim_close(&o);
}

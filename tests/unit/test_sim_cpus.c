// SPDX-License-Identifier: GPL-2.0-or-later
/* Logical CPUs of the models: their numbers, APIC ids, and what CPUID answers there. */
#include "test_sim.h"

#include "sim/model.h"

TEST(there_are_as_many_cores_as_in_the_real_parts)
{
	static const size_t cpus[] = {2 * 8 * 2,  2 * 12 * 2, 2 * 18 * 2, 2 * 18 * 2,
				      2 * 28 * 2, 8 * 2,      2 * 28 * 2, 2 * 28 * 2};

	for (size_t i = 0; i < N(models); i++) {
		fx_open(models[i]);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_cpus, cpus[i]);
	}
}

TEST(first_threads_come_first_package_by_package)
{
	static const struct {
		size_t number;
		unsigned package, core, thread;
	} cpus[] = {{0, 0, 0, 0},  {27, 0, 27, 0}, {28, 1, 0, 0},  {55, 1, 27, 0},
		    {56, 0, 0, 1}, {84, 1, 0, 1},  {111, 1, 27, 1}};
	struct unc_sim_cpu cpu;

	fx_open("skx");
	for (size_t i = 0; i < N(cpus); i++) {
		cpu = fx_cpu(cpus[i].number);
		CU_ASSERT(cpu.number == cpus[i].number && cpu.online);
		CU_ASSERT(cpu.package == cpus[i].package && cpu.core == cpus[i].core && cpu.thread == cpus[i].thread);
	}
	CU_ASSERT_EQUAL(unc_sim_cpu(fx.host, 112, &cpu), UNC_ENODEV);
}

TEST(interleaved_memory_is_one_node)
{
	fx_open("snbep,numa=off");
	CU_ASSERT_EQUAL(fx_cpu(8).package, 1);
	CU_ASSERT_EQUAL(fx_cpu(8).node, 0);
	fx_open("snbep");
	CU_ASSERT_EQUAL(fx_cpu(8).node, 1);
}

/* An E5-2699 v3 has cores 0-4, 8-11, 16-20, 24-27; an 8180 has 0-6, 8-14, 16-22, 24-30. */
TEST(apic_ids_have_the_holes_of_the_real_parts)
{
	static const unsigned hsx[] = {0, 1, 2, 3, 4, 8, 9, 10, 11, 16, 17, 18, 19, 20, 24, 25, 26, 27};

	fx_open("hsx");
	for (unsigned i = 0; i < 18; i++) {
		CU_ASSERT_EQUAL(fx_cpu(i).apic_id, hsx[i] << 1);
		CU_ASSERT_EQUAL(fx_cpu(18 + i).apic_id, 64 + (hsx[i] << 1));
		CU_ASSERT_EQUAL(fx_cpu(36 + i).apic_id, hsx[i] << 1 | 1);
	}
	fx_open("skx");
	for (unsigned i = 0; i < 28; i++)
		CU_ASSERT_EQUAL(fx_cpu(i).apic_id, (i / 7 * 8 + i % 7) << 1);
}

/* As the SDM has programs work it out from leaf 0xb. */
static void expect_cpu(const struct unc_sim_cpu *cpu, unsigned cores, unsigned threads)
{
	struct unc_cpuid_regs smt = fx_cpuid(cpu->number, 0xb, 0), core = fx_cpuid(cpu->number, 0xb, 1),
			      past = fx_cpuid(cpu->number, 0xb, 2), l1 = fx_cpuid(cpu->number, 4, 0),
			      l3 = fx_cpuid(cpu->number, 4, 3);
	uint32_t leaf1 = fx_cpuid(cpu->number, 1, 0).ebx;
	unsigned ids = 1u << core.eax;

	CU_ASSERT(smt.edx == cpu->apic_id && core.edx == cpu->apic_id && past.edx == cpu->apic_id);
	CU_ASSERT_EQUAL(cpu->apic_id >> core.eax, cpu->package);
	CU_ASSERT_EQUAL(cpu->apic_id & ((1u << smt.eax) - 1), cpu->thread);
	CU_ASSERT(smt.ebx == threads && smt.ecx == 0x100);
	CU_ASSERT(core.ebx == cores * threads && core.ecx == 0x201);
	CU_ASSERT(past.eax == 0 && past.ebx == 0 && past.ecx == 2);
	CU_ASSERT_EQUAL(leaf1 >> 24, cpu->apic_id & 0xff);
	CU_ASSERT_EQUAL(leaf1 >> 16 & 0xff, ids);
	CU_ASSERT_EQUAL(l1.eax >> 26, ids / 2 - 1);
	CU_ASSERT_EQUAL(l1.eax >> 14 & 0xfff, 1);
	CU_ASSERT_EQUAL(l3.eax >> 26, ids / 2 - 1);
	CU_ASSERT_EQUAL(l3.eax >> 14 & 0xfff, ids - 1);
	CU_ASSERT_EQUAL(l3.eax & 0xff, 0x63);
	CU_ASSERT_EQUAL(fx_cpuid(cpu->number, 4, 4).eax, 0);
}

static void expect_machine(const char *model, unsigned sockets, unsigned cores, unsigned threads)
{
	unsigned char seen[1024] = {0};
	size_t n;

	fx_open(fx_text("%s,sockets=%u,cores=%u,threads=%u", model, sockets, cores, threads));
	n = unc_sim_info(fx.host).n_cpus;
	CU_ASSERT_EQUAL(n, (size_t)sockets * cores * threads);
	for (size_t i = 0; i < n; i++) {
		struct unc_sim_cpu cpu = fx_cpu(i);

		CU_ASSERT_FATAL(cpu.apic_id < sizeof(seen));
		CU_ASSERT_EQUAL(seen[cpu.apic_id]++, 0);
		expect_cpu(&cpu, cores, threads);
	}
}

TEST(apic_ids_are_unique_and_say_where_a_cpu_is)
{
	static const unsigned cores[] = {1, 2, 7, 8, 9, 18, 64};

	for (unsigned m = 0; m < N(models); m++)
		for (unsigned sockets = 1; sockets <= 8; sockets += sockets < 3 ? 1 : 5)
			for (unsigned c = 0; c < N(cores); c++)
				expect_machine(models[m], sockets, cores[c], 1 + (m + c) % 2);
}

TEST(an_offline_cpu_cannot_be_asked_and_keeps_its_number)
{
	struct unc_cpuid_regs regs;

	fx_open("bdx,cores=4,offline=3,7,offline=12-13");
	CU_ASSERT_EQUAL_FATAL(unc_sim_info(fx.host).n_cpus, 16);
	for (size_t i = 0; i < 16; i++) {
		bool gone = i == 3 || i == 7 || i == 12 || i == 13;

		CU_ASSERT_EQUAL(fx_cpu(i).number, i);
		CU_ASSERT_EQUAL(fx_cpu(i).online, !gone);
		CU_ASSERT_EQUAL(fx.host->ops->cpuid(fx.host, (unsigned)i, 0, 0, &regs), gone ? UNC_ENODEV : UNC_OK);
	}
	FAILS(fx.host->ops->cpuid(fx.host, 7, 0, 0, &regs), UNC_ENODEV, "cpu 7: the CPU is offline");
	FAILS(fx.host->ops->cpuid(fx.host, 16, 0, 0, &regs), UNC_ENODEV, "cpu 16");
}

TEST(nohz_full_is_a_list_or_none)
{
	static const struct {
		const char *key, *text;
	} cases[] = {{"", "(null)\n"}, {",nohz_full=1,4-6,nohz_full=15", "1,4-6,15\n"}};
	char *text;

	for (size_t i = 0; i < 2; i++) {
		fx_open(fx_text("bdx,cores=4%s", cases[i].key));
		CU_ASSERT_EQUAL_FATAL(unc_host_file(fx.host, "/sys/devices/system/cpu/nohz_full", 99, &text, NULL),
				      UNC_OK);
		CU_ASSERT_STRING_EQUAL(text, cases[i].text);
		CU_ASSERT_EQUAL(fx_cpu(4).nohz_full, i == 1);
		free(text);
	}
	FX_REFUSED("bdx,cores=4,nohz_full=16", "nohz_full=16", "CPUs 0 to 15");
}

static void expect_brand(const char *model, uint32_t signature, const char *brand)
{
	char is[49] = "", vendor[13] = "";
	struct unc_cpuid_regs r;

	fx_open(model);
	r = fx_cpuid(0, 0, 0);
	unc_put_le32(vendor, r.ebx);
	unc_put_le32(vendor + 4, r.edx);
	unc_put_le32(vendor + 8, r.ecx);
	CU_ASSERT_STRING_EQUAL(vendor, "GenuineIntel");
	CU_ASSERT_EQUAL(fx_cpuid(1, 1, 0).eax, signature);
	CU_ASSERT_EQUAL(fx_cpuid(1, 1, 0).ecx >> 31, 0); /* no hypervisor: Linux's driver would not load */
	for (uint32_t i = 0; i < 3; i++) {
		r = fx_cpuid(0, 0x80000002 + i, 0);
		unc_put_le32(is + 16 * i, r.eax);
		unc_put_le32(is + 16 * i + 4, r.ebx);
		unc_put_le32(is + 16 * i + 8, r.ecx);
		unc_put_le32(is + 16 * i + 12, r.edx);
	}
	CU_ASSERT_STRING_EQUAL(is, brand);
}

TEST(each_model_says_what_it_is)
{
	expect_brand("snbep", 0x206d7, "      Intel(R) Xeon(R) CPU E5-2687W 0 @ 3.10GHz");
	expect_brand("ivt", 0x306e4, "      Intel(R) Xeon(R) CPU E5-2697 v2 @ 2.70GHz");
	expect_brand("hsx", 0x306f2, "Intel(R) Xeon(R) CPU E5-2699 v3 @ 2.30GHz");
	expect_brand("bdx", 0x406f1, "Intel(R) Xeon(R) CPU E5-2697 v4 @ 2.30GHz");
	expect_brand("skx", 0x50654, "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz");
	expect_brand("bdxde", 0x50662, "Intel(R) Xeon(R) CPU D-1540 @ 2.00GHz");
	expect_brand("clx", 0x50657, "Intel(R) Xeon(R) Platinum 8280 CPU @ 2.70GHz");
	expect_brand("cpx", 0x5065b, "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz");
}

/* Where a model has no leaf of its own, that of the one it is like, up to the same highest leaf. */
TEST(a_model_answers_the_rest_as_the_one_it_is_like)
{
	static const struct {
		const char *model, *like;
		unsigned common; /* leaf 4 subleaf 2 is the same L2 */
		uint32_t highest;
	} pairs[] = {{"clx", "skx", 2, 0x16}, {"cpx", "skx", 2, 0x16}, {"bdxde", "bdx", 2, 0x14}};

	for (size_t i = 0; i < N(pairs); i++) {
		struct unc_cpuid_regs a, b;
		uint32_t l2, signature;

		fx_open(pairs[i].model);
		CU_ASSERT_EQUAL(fx_cpuid(0, 0, 0).eax, pairs[i].highest);
		l2 = fx_cpuid(0, 4, pairs[i].common).ecx;
		a = fx_cpuid(0, 0xd, 2);
		signature = fx_cpuid(0, 1, 0).eax;
		fx_open(pairs[i].like);
		b = fx_cpuid(0, 0xd, 2);
		CU_ASSERT(a.eax && !memcmp(&a, &b, sizeof(a)));
		CU_ASSERT_EQUAL(fx_cpuid(0, 4, pairs[i].common).ecx, l2);
		CU_ASSERT_NOT_EQUAL(fx_cpuid(0, 1, 0).eax, signature);
	}
}

/* rdt.md: what leaf 0xf says is what the model does. */
TEST(monitoring_is_as_cpuid_says)
{
	for (size_t i = 0; i < N(models); i++) {
		const struct unc_sim_rdt *rdt = unc_sim_model_find(models[i])->rdt;

		fx_open(models[i]);
		CU_ASSERT_EQUAL(fx_cpuid(0, 7, 0).ebx >> 12 & 1, rdt != NULL);
		CU_ASSERT_EQUAL(unc_sim_info(fx.host).n_rmids, rdt ? fx_cpuid(0, 0xf, 1).ecx + 1 : 0);
		if (rdt) {
			CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 0).edx, 2);
			CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 0).ebx, rdt->max_rmid);
			CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).ebx, rdt->upscale);
			CU_ASSERT_EQUAL(fx_cpuid(0, 0xf, 1).edx, rdt->events);
			CU_ASSERT_EQUAL((fx_cpuid(0, 0xf, 1).eax & 0xff) + 24, rdt->width);
			CU_ASSERT_EQUAL(fx_cpuid(0, 7, 0).ebx >> 15 & 1, rdt->n_clos > 0);
			if (rdt->n_clos)
				CU_ASSERT_EQUAL((fx_cpuid(0, 0x10, 1).edx & 0xffff) + 1, rdt->n_clos);
		}
	}
}

/* A real one has an L3 of ways * partitions * line * sets (leaf 4), which the model knows by its size. */
TEST(the_last_level_cache_is_as_large_as_cpuid_says)
{
	for (size_t i = 0; i < N(models); i++) {
		struct unc_cpuid_regs r;

		fx_open(models[i]);
		r = fx_cpuid(0, 4, 3);
		CU_ASSERT_EQUAL(unc_sim_model_find(models[i])->l3_bytes, (uint64_t)((r.ebx >> 22) + 1) *
										 ((r.ebx >> 12 & 0x3ff) + 1) *
										 ((r.ebx & 0xfff) + 1) * (r.ecx + 1));
	}
}

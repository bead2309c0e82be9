// SPDX-License-Identifier: GPL-2.0-or-later
/* Which CPUs share an L3, by APIC ids and by what the operating system tells. */
#include "onrdt.h"
#include "test.h"

static struct onrdt o;
static const struct unc_rdt *rdt; /* what was found last */

static void end(void)
{
	onrdt_close(&o);
}

EACH(NULL, end)

/* A part with monitoring; ids that share an L3: 2^bits, and the leaf says so many less 1. */
static void intel(unsigned l3_ids)
{
	onrdt_intel(&o, 0x606a6, 1 << 12);
	onrdt_set(&o, 0xf, 0, 0, 0x11f, 0, 2);
	onrdt_set(&o, 0xf, 1, 8, 0x12000, 0x11f, 7);
	onrdt_set(&o, 4, 0, 0xfc004121, 0x02c0003f, 0x3f, 0);
	onrdt_set(&o, 4, 1, 0xfc004143, 0x04c0003f, 0x3ff, 0); /* L2 */
	onrdt_set(&o, 4, 2, 0xfc000163 | (l3_ids - 1) << 14, 0x02c0003f, 0x11fff, 4);
}

static void amd(unsigned l3_ids)
{
	onrdt_amd(&o, 0x830f10, 1 << 12);
	onrdt_set(&o, 0xf, 0, 0, 0xff, 0, 2);
	onrdt_set(&o, 0xf, 1, 0, 0x40, 0xff, 7);
	onrdt_set(&o, 0x8000001d, 0, 0x4121, 0x01c0003f, 0x3f, 0);
	onrdt_set(&o, 0x8000001d, 1, 0x163 | (l3_ids - 1) << 14, 0x03c0003f, 0x3fff, 1);
}

/* 32 CPUs in two packages, each with an L3. */
static void two_packages(void)
{
	intel(64);
	onrdt_cpus(&o, 32, 2, 6);
}

static void has_l3s(size_t n)
{
	rdt = onrdt_found(&o);
	EQ(rdt->info.n_l3s, n);
}

static void is_l3(size_t i, unsigned id, unsigned package, const char *cpus)
{
	CU_ASSERT_FATAL(i < rdt->info.n_l3s);
	EQ(rdt->l3s[i].id, id);
	EQ(rdt->l3s[i].package, package);
	SAME(rdt->l3s[i].text, cpus);
}

TEST(an_l3_is_what_is_left_of_an_apic_id)
{
	two_packages();
	has_l3s(2);
	is_l3(0, 0, 0, "0-15");
	is_l3(1, 1, 1, "16-31");
	EQ(rdt->l3s[1].bytes, 54 << 20);
	EQ(rdt->l3s[1].n_cpus, 16);
	SAME(o.notes, "");
}

/* An EPYC 7742: eight ids an L3; a 9124 has only six CPUs in the room of eight, and numbers with gaps. */
TEST(amd_has_one_for_each_core_complex)
{
	amd(8);
	onrdt_cpus(&o, 64, 2, 7);
	has_l3s(8);
	is_l3(0, 0, 0, "0-7");
	is_l3(3, 3, 0, "24-31");
	is_l3(4, 16, 1, "32-39");
	amd(6);
	onrdt_cpus(&o, 12, 1, 7);
	for (size_t i = 0; i < 12; i++)
		o.apic[i] = (uint32_t)(i / 6 * 16 + i % 6);
	has_l3s(2);
	is_l3(0, 0, 0, "0-5");
	is_l3(1, 2, 0, "6-11");
}

TEST(cpu_numbers_need_not_run_along)
{
	intel(64);
	onrdt_cpus(&o, 16, 2, 6);
	for (size_t i = 0; i < 16; i++) { /* even ones here, odd ones there */
		o.apic[i] = (uint32_t)(i % 2 << 6 | i / 2);
		o.cpus[i].package = (int)(i % 2);
	}
	has_l3s(2);
	is_l3(0, 0, 0, "0,2,4,6,8,10,12,14");
	is_l3(1, 1, 1, "1,3,5,7,9,11,13,15");
}

TEST(cpus_that_are_offline_are_of_none)
{
	two_packages();
	o.cpus[0].online = o.cpus[5].online = o.cpus[31].online = false;
	for (size_t i = 0; i < 32; i++)
		o.cpus[i].package = o.cpus[i].online ? o.cpus[i].package : -1;
	has_l3s(2);
	is_l3(0, 0, 0, "1-4,6-15");
	is_l3(1, 1, 1, "16-30");
	EQ(rdt->n_present, 32);
	EQ(rdt->present[0], 0);
	EQ(rdt->present[31], 31);
	SAME(o.notes, "");
	/* all of a package */
	two_packages();
	for (size_t i = 0; i < 16; i++)
		o.cpus[i].online = false;
	has_l3s(1);
	is_l3(0, 1, 1, "16-31");
}

TEST(a_large_machine_is_asked_once_a_cpu)
{
	amd(12);
	onrdt_cpus(&o, 384, 2, 8);
	for (size_t i = 0; i < 384; i++) /* 32 of them, 12 CPUs each */
		o.apic[i] = (uint32_t)(i / 192 << 8 | i % 192 / 12 << 4 | i % 12);
	onrdt_lists(&o, 12);
	has_l3s(32);
	is_l3(31, 31, 1, "372-383");
	CU_ASSERT_TRUE(o.asked >= 384 && o.asked < 384 + 32);
	SAME(o.notes, "");
}

/* The system says one thing, the processor another: both are told, the processor is believed. */
TEST(a_contradiction_is_a_note)
{
	static const size_t lists[] = {4, 16};

	for (size_t i = 0; i < 2; i++) {
		amd(8);
		onrdt_cpus(&o, 16, 1, 7);
		onrdt_lists(&o, lists[i]);
		has_l3s(2);
		is_l3(1, 1, 0, "8-15");
		EQ(onsim_count(o.notes, "\n"), 1);
		HAS(o.notes, "CPUID is believed");
		HAS(o.notes, i == 0 ? "CPU 4 is of L3 0 with CPU 0 as its lowest by CPUID, but of one with CPU 4"
				    : "CPU 8 is of L3 1 with CPU 8 as its lowest by CPUID, but of one with CPU 0");
	}
	intel(64);
	onrdt_cpus(&o, 16, 1, 6);
	o.cpus[9].package = 1;
	onrdt_found(&o);
	HAS(o.notes, "CPUs 0 and 9 share L3 0 by CPUID, but are in packages 0 and 1");
}

/* Ids of a package differ in five bits, but of an L3 in six. */
TEST(an_l3_of_two_packages_is_refused)
{
	intel(64);
	onrdt_set(&o, 0xb, 1, 5, 32, 0x201, 0);
	onrdt_cpus(&o, 16, 2, 5);
	FAILS(&o, UNC_ENOSUP, onrdt_find(&o, &rdt), "6 bits", "CPUs 7 (0x7) and 8 (0x20)", "only 5 bits", "contradict");
}

/* Where CPUID is that of one CPU, or the others cannot be asked. */
TEST(the_system_tells_where_cpuid_cannot)
{
	static const int unasked[] = {0, UNC_ENODEV, UNC_ENODATA};

	for (size_t i = 0; i < 3; i++) {
		amd(8);
		onrdt_cpus(&o, 32, 2, 7);
		onrdt_lists(&o, 8);
		o.one_cpu = unasked[i] == 0;
		o.unasked = unasked[i];
		has_l3s(4);
		is_l3(0, 0, 0, "0-7");
		is_l3(3, 3, 1, "24-31");
		SAME(o.notes, "");
	}
}

TEST(a_package_is_an_l3_if_that_is_shared_by_all_of_it)
{
	two_packages();
	o.one_cpu = true;
	has_l3s(2);
	is_l3(0, 0, 0, "0-15");
	is_l3(1, 1, 1, "16-31");
	intel(32); /* two of them in a package of 64 ids */
	onrdt_cpus(&o, 32, 2, 6);
	o.one_cpu = true;
	FAILS(&o, UNC_ENODATA, onrdt_find(&o, &rdt), "does not tell which CPUs share an L3");
	amd(128); /* 0x80000008 ECX[15:12] is 7 */
	onrdt_cpus(&o, 32, 2, 7);
	o.one_cpu = true;
	has_l3s(2);
	two_packages();
	o.one_cpu = true;
	o.cpus[7].package = -1;
	FAILS(&o, UNC_ENODATA, onrdt_find(&o, &rdt), "does not tell which CPUs share an L3");
}

TEST(a_machine_without_lists_tells_nothing)
{
	intel(64);
	o.no_lists = true;
	FAILS(&o, UNC_ENODATA, onrdt_find(&o, &rdt), "does not tell which CPUs share a cache");
}

TEST(packages_come_from_apic_ids_where_they_are_not_told)
{
	two_packages();
	for (size_t i = 0; i < 32; i++)
		o.cpus[i].package = -1;
	has_l3s(2);
	is_l3(1, 1, 1, "16-31");
}

/* 0x1f comes first; without it and 0xb the eight bits of leaf 1 must do. */
TEST(the_apic_id_is_in_one_of_three_leaves)
{
	two_packages();
	onrdt_set(&o, 0, 0, 0x20, VENDOR_INTEL);
	onrdt_set(&o, 0x1f, 0, 1, 2, 0x100, 0);
	onrdt_set(&o, 0x1f, 1, 6, 16, 0x201, 0);
	onrdt_set(&o, 0xb, 0, 0, 0, 0, 0);
	has_l3s(2);
	is_l3(1, 1, 1, "16-31");
	two_packages();
	onrdt_set(&o, 0xb, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < 32; i++)
		o.cpus[i].package = -1;
	has_l3s(2);
	is_l3(1, 1, 1, "16-31");
	amd(8);
	onrdt_set(&o, 0x80000000, 0, 0x80000008, 0, 0, 0);
	FAILS(&o, UNC_ENODATA, onrdt_find(&o, &rdt), "leaf 0x8000001d", "no L3");
}

TEST(a_part_without_l3_is_said)
{
	intel(64);
	onrdt_set(&o, 4, 2, 0, 0, 0, 0);
	FAILS(&o, UNC_ENODATA, onrdt_find(&o, &rdt), "leaf 0x4", "no L3");
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Sub-NUMA clustering, and what AMD has besides: both are set in registers. */
#include "onrdt.h"
#include "test.h"

static struct onrdt o;
static const struct unc_rdt *rdt; /* what was found last */

static void end(void)
{
	onrdt_close(&o);
}

EACH(NULL, end)

enum { RMID_SNC_CONFIG = 0xca0 };
#define L3_QOS_EXT_CFG 0xc00003ffu
#define QOS_EVT_CFG0   0xc0000400u
#define QOS_EVT_CFG1   0xc0000401u

#define MSRS(o, ...)                                                                                                   \
	static const struct onrdt_msr msrs[] = {__VA_ARGS__};                                                          \
	(o)->msrs = msrs;                                                                                              \
	(o)->n_msrs = sizeof(msrs) / sizeof(msrs[0])

/* 320 RMIDs, a unit of 0x1e000: the example of Intel 356688.  Two sockets of 32 CPUs. */
static void intel(uint32_t signature, size_t cpus_of_a_node)
{
	onrdt_intel(&o, signature, 1 << 12);
	onrdt_cpus(&o, 64, 2, 6);
	onrdt_nodes(&o, cpus_of_a_node);
	onrdt_set(&o, 0xf, 0, 0, 319, 0, 2);
	onrdt_set(&o, 0xf, 1, 8, 0x1e000, 319, 7);
	onrdt_set(&o, 4, 0, 0xfc0fc163, 0x02c0003f, 0x11fff, 4);
}

TEST(shared_rmids_are_divided)
{
	static const struct {
		size_t cpus_of_a_node;
		unsigned nodes, max_rmid;
		uint64_t unit;
	} cases[] = {{32, 1, 319, 0x1e000}, {16, 2, 159, 0xf000}, {8, 4, 79, 0x7800}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		intel(0x806f8, cases[i].cpus_of_a_node);
		MSRS(&o, {RMID_SNC_CONFIG, 0});
		rdt = onrdt_found(&o);
		EQ(rdt->info.nodes, cases[i].nodes);
		EQ(rdt->info.max_rmid, cases[i].max_rmid);
		EQ(rdt->info.exact_rmid, cases[i].max_rmid);
		EQ(rdt->info.cpuid_max_rmid, 319);
		EQ(rdt->info.unit_bytes, cases[i].unit);
		EQ(rdt->snc, i ? UNC_SNC_SHARING : UNC_SNC_NONE);
		CU_ASSERT_PTR_NULL(rdt->info.warning);
		/* parts count from 0 in each L3 */
		for (size_t l3 = 0; l3 < 2; l3++)
			for (size_t k = 0; k < 32; k++)
				EQ(rdt->l3s[l3].nodes[k], k / cases[i].cpus_of_a_node);
		SAME(o.notes, "");
	}
}

TEST(local_rmids_are_warned_of)
{
	intel(0x806f8, 8);
	MSRS(&o, {RMID_SNC_CONFIG, 1});
	rdt = onrdt_found(&o);
	EQ(rdt->snc, UNC_SNC_LOCAL);
	EQ(rdt->info.nodes, 4);
	EQ(rdt->info.max_rmid, 319);
	EQ(rdt->info.unit_bytes, 0x7800);
	HAS(rdt->info.warning, "4 NUMA nodes share an L3");
	HAS(rdt->info.warning, "80 RMIDs of its own");
}

TEST(a_unit_that_cannot_be_divided_is_refused)
{
	intel(0x806f8, 8);
	MSRS(&o, {RMID_SNC_CONFIG, 0});
	onrdt_set(&o, 0xf, 1, 8, 0x1e002, 319, 7);
	FAILS(&o, UNC_ENOSUP, onrdt_find(&o, &rdt), "122882 bytes", "4 NUMA nodes", "contradict each other");
}

/* A virtual machine has nodes as it likes, and no such register. */
TEST(a_fault_is_survived_and_said)
{
	static const struct {
		int msr_rc;
		const char *why;
	} cases[] = {{0, "Input/output error"}, {UNC_EPERM, "Permission denied"}};

	for (size_t i = 0; i < 2; i++) {
		intel(0x806f8, 8);
		o.msr_rc = cases[i].msr_rc;
		rdt = onrdt_found(&o);
		EQ(rdt->snc, UNC_SNC_NONE);
		EQ(rdt->info.nodes, 1);
		EQ(rdt->info.max_rmid, 319);
		EQ(rdt->l3s[0].nodes[31], 0);
		HAS(rdt->info.warning, "4 NUMA nodes share an L3");
		HAS(rdt->info.warning, cases[i].why);
		HAS(rdt->info.warning, "taken as undivided");
	}
}

TEST(the_register_is_not_touched_without_need)
{
	intel(0x806f8, 32);
	o.msr_rc = UNC_EPERM;
	CU_ASSERT_PTR_NULL(onrdt_found(&o)->info.warning);
	CU_ASSERT_PTR_NULL(o.m->bus[UNC_MSR]);
}

/* Cluster on die of a Broadwell, sub-NUMA clustering of a Skylake: no document says what becomes of RMIDs. */
TEST(parts_that_are_not_known_to_divide_are_warned_of)
{
	intel(0x50657, 16);
	MSRS(&o, {RMID_SNC_CONFIG, 0});
	rdt = onrdt_found(&o);
	EQ(rdt->info.nodes, 1);
	EQ(rdt->info.max_rmid, 319);
	HAS(rdt->info.warning, "2 NUMA nodes share an L3, and no document tells");
}

TEST(odd_numbers_of_nodes_are_no_clustering)
{
	static const struct {
		size_t nodes_of_l3;
		const char *note;
	} cases[] = {{5, "5 NUMA nodes share an L3 of 320 RMIDs"}, {16, "more than 6 NUMA nodes"}, {0, "2 NUMA nodes"}};

	for (size_t i = 0; i < 3; i++) {
		intel(0x806f8, 64);
		/* 0: nodes 0 and 1 are in both of them */
		for (size_t k = 0; k < 64; k++)
			o.cpus[k].node = (int)(cases[i].nodes_of_l3 ? k * cases[i].nodes_of_l3 / 32 : k % 2);
		MSRS(&o, {RMID_SNC_CONFIG, 0});
		rdt = onrdt_found(&o);
		EQ(rdt->info.nodes, 1);
		EQ(rdt->info.max_rmid, 319);
		EQ(rdt->l3s[1].nodes[31], 0);
		EQ(rdt->snc, UNC_SNC_NONE);
		HAS(o.notes, cases[i].note);
	}
}

/* The nodes of an L3 one of which has no CPU online are numbered as Linux does. */
TEST(a_node_may_be_offline)
{
	intel(0x806f8, 16);
	for (size_t i = 32; i < 48; i++) {
		o.cpus[i].online = false;
		o.cpus[i].node = -1;
	}
	MSRS(&o, {RMID_SNC_CONFIG, 0});
	rdt = onrdt_found(&o);
	EQ(rdt->info.nodes, 2);
	EQ(rdt->l3s[1].n_cpus, 16);
	EQ(rdt->l3s[1].nodes[0], 1);
}

/* One package of 32 cores with two threads each: of its CPUs those from which on are offline, in steps of how many? */
TEST(parts_that_may_be_offline_are_warned_of)
{
	static const struct {
		size_t from, step;
		bool warned;
	} cases[] = {{32, 1, true}, {34, 1, false}, {1, 2, false}, {64, 1, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		intel(0x806f8, 64);
		onrdt_cpus(&o, 64, 1, 6);
		onrdt_nodes(&o, 64);
		onrdt_set(&o, 0, 0, 0x1f, 0x756e6547, 0x6c65746e, 0x49656e69);
		onrdt_set(&o, 0x1f, 0, 1, 2, 0x100, 0);
		onrdt_set(&o, 0x1f, 1, 6, 64, 0x201, 0);
		onrdt_set(&o, 0x1f, 2, 0, 0, 2, 0);
		for (size_t k = cases[i].from; k < 64; k += cases[i].step) {
			o.cpus[k].online = false;
			o.cpus[k].node = -1;
		}
		rdt = onrdt_found(&o);
		EQ(rdt->info.nodes, 1);
		EQ(rdt->info.warning != NULL, cases[i].warned);
		if (rdt->info.warning)
			HAS(rdt->info.warning, "so many CPUs are offline that sub-NUMA clustering");
	}
}

TEST(nodes_that_are_not_told_are_one)
{
	intel(0x806f8, 16);
	o.cpus[40].node = -1;
	EQ(onrdt_found(&o)->info.nodes, 1);
}

static void amd(uint32_t what)
{
	onrdt_amd(&o, 0xb00f21, 1 << 12);
	onrdt_set(&o, 0xf, 0, 0, 0xfff, 0, 2);
	onrdt_set(&o, 0xf, 1, 0x14, 0x40, 0xfff, 7);
	onrdt_set(&o, 0x8000001d, 0, 0x1c163, 0x03c0003f, 0x7fff, 1);
	onrdt_set(&o, 0x80000020, 0, 0, what, 0, 0);
	onrdt_set(&o, 0x80000020, 3, 0, 2, 0x7f, 0);
	onrdt_set(&o, 0x80000020, 5, 0x14, 0x1f, 1, 0);
}

/* Nodes of which several share no L3, and NPS4, are nothing to AMD. */
TEST(amd_divides_nothing)
{
	amd(0);
	onrdt_nodes(&o, 4);
	EQ(onrdt_found(&o)->info.nodes, 1);
	CU_ASSERT_PTR_NULL(onrdt_found(&o)->info.warning);
	CU_ASSERT_PTR_NULL(onrdt_found(&o)->info.features);
}

TEST(amds_settings_are_told)
{
	amd(0x7e);
	{
		MSRS(&o, {QOS_EVT_CFG0, 0x7f}, {QOS_EVT_CFG1, 0x15}, {L3_QOS_EXT_CFG, 0});
		rdt = onrdt_found(&o);
	}
	SAME(rdt->info.features,
	     "BMEC: total counts 0x7f as after power-on; local counts 0x15 as after power-on; "
	     "ABMC of 32 counters is off; L3RR; SDCIAE is off; PLZA is not known (its MSR is not read)");
	CU_ASSERT_FALSE(rdt->assigned_counters);
	CU_ASSERT_PTR_NULL(rdt->info.warning);
	amd(0x28);
	{
		MSRS(&o, {QOS_EVT_CFG0, 0x3}, {QOS_EVT_CFG1, 0}, {L3_QOS_EXT_CFG, 1});
		rdt = onrdt_found(&o);
	}
	SAME(rdt->info.features,
	     "BMEC: total counts 0x3 instead of 0x7f, which is local reads, remote reads; local counts 0x0 "
	     "instead of 0x15, which is nothing; ABMC of 32 counters is on");
	CU_ASSERT_TRUE(rdt->assigned_counters);
	HAS(rdt->info.warning, "ABMC");
}

TEST(what_amds_registers_do_not_tell_is_said)
{
	amd(0x28);
	rdt = onrdt_found(&o);
	HAS(rdt->info.features, "total counts what could not be read");
	HAS(rdt->info.features, "whether it is on could not be read");
	CU_ASSERT_TRUE(rdt->assigned_counters && rdt->assigned_unknown);
	/* and none that CPUID does not announce is read */
	amd(0x28);
	onrdt_set(&o, 0x80000008, 0, 0x3030, 0x018ef717, 0x707f, 0x10000); /* EBX bit 6 is 0 */
	o.msr_rc = UNC_EPERM;
	CU_ASSERT_PTR_NULL(onrdt_found(&o)->info.features);
	CU_ASSERT_PTR_NULL(o.m->bus[UNC_MSR]);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/err.h"
#include "treeroot.h"
#include "test.h"

#define CPU "sys/devices/system/cpu/"

static struct tree tree;
static struct unc_ctx ctx;
static struct unc_topo topo;

static void begin(void)
{
	tree = tree_new();
	topo = (struct unc_topo){0};
}

static void end(void)
{
	unc_topo_clear(&topo);
	tree_remove(&tree);
}
EACH(begin, end)

static void cpu_file(unsigned cpu, const char *file, const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), CPU "cpu%u/topology/%s", cpu, file);
	tree_text(&tree, name, text);
}

/* Two packages of four CPUs, even ones in package 0 as on many servers. */
static void two_packages(const char *siblings)
{
	tree_text(&tree, CPU "online", "0-7\n");
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		cpu_file(cpu, "physical_package_id", cpu % 2 ? "1\n" : "0\n");
		if (siblings)
			cpu_file(cpu, siblings, cpu % 2 ? "1,3,5,7\n" : "0,2,4,6\n");
	}
}

static int read_topo(void)
{
	struct unc_linux_root root = tree_as_root(&tree);
	int rc = unc_linux_topo_read(&ctx, &root, &topo);

	unc_linux_root_close(&root);
	return rc;
}

static void expect_two_packages(void)
{
	CU_ASSERT_EQUAL(read_topo(), UNC_OK);
	CU_ASSERT_EQUAL(topo.n_cpus, 8);
	CU_ASSERT_EQUAL(topo.first_cpu, 0);
	CU_ASSERT_EQUAL(topo.n_packages, 2);
	for (unsigned i = 0; i < topo.n_packages; i++)
		CU_ASSERT_TRUE(topo.packages[i].id == i && topo.packages[i].n_cpus == 4 &&
			       topo.packages[i].first_cpu == i);
	unc_topo_clear(&topo);
	topo = (struct unc_topo){0};
}

TEST(packages_are_found_by_any_of_the_kernels_lists)
{
	static const char *const lists[] = {"package_cpus_list", "core_siblings_list", NULL};

	for (unsigned i = 0; i < 3; i++) {
		tree_remove(&tree);
		tree = tree_new();
		two_packages(lists[i]);
		expect_two_packages();
	}
}

TEST(one_cpu_of_each_package_is_enough)
{
	two_packages("package_cpus_list");
	for (unsigned cpu = 2; cpu < 8; cpu++) {
		char dir[128];

		snprintf(dir, sizeof(dir), CPU "cpu%u/topology/physical_package_id", cpu);
		unlink(tree_path(&tree, dir).text);
	}
	expect_two_packages();
}

TEST(without_a_list_of_cpus_their_folders_count)
{
	two_packages("core_siblings_list");
	tree_dir(&tree, CPU "cpufreq");
	tree_dir(&tree, CPU "cpu0x1");
	rename(tree_path(&tree, CPU "online").text, tree_path(&tree, CPU "present").text);
	expect_two_packages();
	unlink(tree_path(&tree, CPU "present").text);
	expect_two_packages();
	tree_text(&tree, CPU "online", "rubbish\n");
	expect_two_packages();
}

TEST(cpus_that_are_offline_do_not_count)
{
	two_packages("package_cpus_list");
	tree_text(&tree, CPU "online", "3-4,6-7\n");
	CU_ASSERT_EQUAL(read_topo(), UNC_OK);
	CU_ASSERT_EQUAL(topo.n_cpus, 4);
	CU_ASSERT_EQUAL(topo.first_cpu, 3);
	CU_ASSERT_EQUAL_FATAL(topo.n_packages, 2);
	CU_ASSERT_TRUE(topo.packages[0].n_cpus == 2 && topo.packages[1].n_cpus == 2);
}

TEST(packages_are_sorted_by_a_number_that_may_be_any)
{
	tree_text(&tree, CPU "online", "0-1\n");
	cpu_file(0, "physical_package_id", "36\n");
	cpu_file(1, "physical_package_id", "4\n");
	CU_ASSERT_EQUAL(read_topo(), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(topo.n_packages, 2);
	CU_ASSERT_TRUE(topo.packages[0].id == 4 && topo.packages[1].id == 36);
}

TEST(what_is_not_told_is_enodata)
{
	static const char *const unknown[] = {"-1\n", "", "x\n", "99999999999999999999\n"};

	topo.n_cpus = 9;
	CU_ASSERT_EQUAL(read_topo(), UNC_ENODATA);
	CU_ASSERT_PTR_NOT_NULL(strstr(ctx.msg, "/sys/devices/system/cpu"));
	tree_text(&tree, CPU "online", "0-1\n");
	CU_ASSERT_EQUAL(read_topo(), UNC_ENODATA);
	for (unsigned i = 0; i < 4; i++) {
		cpu_file(0, "physical_package_id", unknown[i]);
		CU_ASSERT_EQUAL(read_topo(), UNC_ENODATA);
	}
	CU_ASSERT_EQUAL(topo.n_cpus, 9);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/err.h"
#include "treeroot.h"

#include <sys/inotify.h>

#include "test.h"

#define SYSTEM "sys/devices/system/"

EACH(desk_begin, desk_end)

static void cpu_file(unsigned cpu, const char *file, const char *text)
{
	char name[128];

	snprintf(name, sizeof(name), SYSTEM "cpu/cpu%u/%s", cpu, file);
	tree_text(&desk.tree, name, text);
}

/* index0 to 3 of a CPU: two L1, an L2, an L3 that it shares. */
static void caches(unsigned cpu, const char *sharers)
{
	static const char *const levels[] = {"1\n", "1\n", "2\n", "3\n"};
	char file[64], alone[16];

	snprintf(alone, sizeof(alone), "%u\n", cpu);
	for (unsigned i = 0; i < 4; i++) {
		snprintf(file, sizeof(file), "cache/index%u/level", i);
		cpu_file(cpu, file, levels[i]);
		snprintf(file, sizeof(file), "cache/index%u/shared_cpu_list", i);
		cpu_file(cpu, file, i == 3 ? sharers : alone);
	}
}

static void package(unsigned cpu, const char *id, const char *siblings)
{
	cpu_file(cpu, "topology/physical_package_id", id);
	cpu_file(cpu, "topology/package_cpus_list", siblings);
}

/* A package of eight CPUs with two L3s and two nodes, of which CPU 5 is offline. */
static void eight(void)
{

	tree_text(&desk.tree, SYSTEM "cpu/present", "0-7\n");
	tree_text(&desk.tree, SYSTEM "cpu/online", "0-4,6-7\n");
	tree_text(&desk.tree, SYSTEM "node/online", "0-2\n");
	tree_text(&desk.tree, SYSTEM "node/node0/cpulist", "0-1,4\n");
	tree_text(&desk.tree, SYSTEM "node/node1/cpulist", "2-3,6-7\n");
	tree_text(&desk.tree, SYSTEM "node/node2/cpulist", "\n"); /* memory alone */
	for (unsigned cpu = 0; cpu < 8; cpu++) {
		if (cpu == 5)
			continue;
		package(cpu, "0\n", "0-4,6-7\n");
		caches(cpu, cpu % 4 < 2 ? "0-1,4\n" : "2-3,6-7\n");
	}
}

static bool cpu_is(const struct unc_host_cpu *cpu, bool online, int package, int node, int l3)
{
	if (cpu->online == online && cpu->package == package && cpu->node == node && cpu->l3 == l3)
		return true;
	printf("\n    cpu %u: online %d, package %d, node %d, l3 %d", cpu->cpu, cpu->online, cpu->package, cpu->node,
	       cpu->l3);
	return false;
}

static int try_cpus(struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	return unc_linux_cpus_read(&desk.ctx, &desk.root, true, ret_cpus, ret_n);
}

static struct unc_host_cpu *read_cpus(size_t wanted)
{
	struct unc_host_cpu *cpus = NULL;
	size_t n = 0;

	CU_ASSERT_EQUAL_FATAL(try_cpus(&cpus, &n), UNC_OK);
	CU_ASSERT_EQUAL_FATAL(n, wanted);
	return cpus;
}

TEST(each_cpu_has_package_node_and_l3)
{
	struct unc_host_cpu *cpus;

	eight();
	cpus = read_cpus(8);
	for (unsigned i = 0; i < 8; i++) {
		bool there = i != 5;

		CU_ASSERT_EQUAL(cpus[i].cpu, i);
		CU_ASSERT_TRUE(cpu_is(&cpus[i], there, there ? 0 : -1, there ? (int)i % 4 / 2 : -1,
				      there ? (int)i % 4 / 2 * 2 : -1));
	}
	free(cpus);
}

TEST(a_cpu_that_is_absent_is_left_out)
{
	struct unc_host_cpu *cpus;

	eight();
	tree_text(&desk.tree, SYSTEM "cpu/present", "0-4,6-7\n");
	cpus = read_cpus(7);
	CU_ASSERT_EQUAL(cpus[5].cpu, 6);
	free(cpus);
}

TEST(what_is_not_told_is_minus_1)
{
	struct unc_host_cpu *cpus;

	tree_text(&desk.tree, SYSTEM "cpu/online", "0-3\n");
	cpu_file(0, "topology/physical_package_id", "-1\n");
	caches(1, "0,2\n"); /* a list without the CPU itself is none */
	caches(2, "rubbish\n");
	cpu_file(3, "cache/index0/level", "1\n"); /* no L3 */
	cpus = read_cpus(4);
	for (unsigned i = 0; i < 4; i++)
		CU_ASSERT_TRUE(cpu_is(&cpus[i], true, -1, -1, -1));
	free(cpus);
}

TEST(an_l3_may_have_any_index)
{
	struct unc_host_cpu *cpus;

	tree_text(&desk.tree, SYSTEM "cpu/online", "0-5\n");
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		cpu_file(cpu, "cache/index0/level", "3\n");
		cpu_file(cpu, "cache/index0/shared_cpu_list", "0-1\n");
	}
	caches(2, "2-3\n");
	cpu_file(4, "cache/index0/level", "2\n");
	cpu_file(4, "cache/index1/level", "3\n");
	cpu_file(4, "cache/index1/shared_cpu_list", "4-5\n");
	cpu_file(4, "cache/index3/level", "4\n");
	cpu_file(4, "cache/index3/shared_cpu_list", "0-5\n");
	cpus = read_cpus(6);
	for (unsigned i = 0; i < 6; i++)
		CU_ASSERT_TRUE(cpu_is(&cpus[i], true, -1, -1, (int)i / 2 * 2));
	free(cpus);
}

TEST(a_machine_that_tells_of_no_cpu_is_enodata)
{
	struct unc_host_cpu *cpus;
	size_t n;

	CU_ASSERT_EQUAL(try_cpus(&cpus, &n), UNC_ENODATA);
	CU_ASSERT_TRUE(says("/sys/devices/system/cpu"));
	tree_dir(&desk.tree, SYSTEM "cpu");
	CU_ASSERT_EQUAL(try_cpus(&cpus, &n), UNC_ENODATA);
	CU_ASSERT_TRUE(says("no CPU is told of"));
}

static int inotify;

static int watch(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)ftw;
	return type == FTW_D && inotify_add_watch(inotify, path, IN_OPEN) < 0 ? -1 : 0;
}

/* How many files were opened in the directories that are watched. */
static unsigned opened(void)
{
	_Alignas(struct inotify_event) char buf[65536];
	unsigned count = 0;
	ssize_t n;

	while ((n = read(inotify, buf, sizeof(buf))) > 0) {
		for (char *at = buf; at < buf + n;) {
			struct inotify_event *event = (struct inotify_event *)at;

			count += !(event->mask & IN_ISDIR);
			at += sizeof(*event) + event->len;
		}
	}
	return count;
}

enum { CPUS = 384, L3S = 32, NODES = 8, PACKAGES = 2 };

/* As on two processors of 96 cores: threads are numbered behind all cores. */
static void large(void)
{
	char text[64], file[64];

	tree_text(&desk.tree, SYSTEM "cpu/present", "0-383\n");
	tree_text(&desk.tree, SYSTEM "cpu/online", "0-383\n");
	tree_text(&desk.tree, SYSTEM "node/online", "0-7\n");
	for (unsigned node = 0; node < NODES; node++) {
		snprintf(file, sizeof(file), SYSTEM "node/node%u/cpulist", node);
		snprintf(text, sizeof(text), "%u-%u,%u-%u\n", node * 24, node * 24 + 23, 192 + node * 24,
			 192 + node * 24 + 23);
		tree_text(&desk.tree, file, text);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		unsigned core = cpu % 192, l3 = core / 6;

		snprintf(text, sizeof(text), "%u-%u,%u-%u\n", l3 * 6, l3 * 6 + 5, 192 + l3 * 6, 192 + l3 * 6 + 5);
		caches(cpu, text);
		package(cpu, core < 96 ? "0\n" : "1\n", core < 96 ? "0-95,192-287\n" : "96-191,288-383\n");
	}
}

TEST(several_hundred_cpus_need_a_few_files_only)
{
	struct unc_host_cpu *cpus;
	unsigned files;

	large();
	inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	CU_ASSERT_TRUE_FATAL(inotify >= 0);
	CU_ASSERT_EQUAL(nftw(desk.tree.root, watch, 16, FTW_PHYS), 0);
	opened(); /* nftw() itself opens */
	cpus = read_cpus(CPUS);
	files = opened();
	close(inotify);
	for (unsigned i = 0; i < CPUS; i++)
		CU_ASSERT_TRUE(cpu_is(&cpus[i], true, i % 192 / 96, i % 192 / 24, i % 192 / 6 * 6));
	/* The lists of CPUs and nodes; id and list of a package; list of a node; level and list of an L3. */
	CU_ASSERT_EQUAL(files, 3 + 2 * PACKAGES + NODES + 2 * L3S);
	free(cpus);
}

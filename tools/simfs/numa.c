// SPDX-License-Identifier: GPL-2.0-or-later
/* sys/devices/system/node: one node a socket, or as many as with sub-NUMA clustering, each with the same memory. */
#include "fs.h"

#include <stdlib.h>

#define NODE_KB 67108864u /* 64 GiB */

enum { HERE = 10, NEAR = 12, FAR = 21 }; /* itself, the same socket, another one */

static bool in_node(const void *arg, size_t i)
{
	const struct some_cpus *some = arg;
	struct unc_sim_cpu cpu = cpu_of(some->fs, i);

	return cpu.online && cpu.node == some->like.node;
}

static int node_cpus(struct fs *fs, unsigned numa_node, void (*print)(struct out *, const struct set *),
		     struct out *out)
{
	struct some_cpus some = {.fs = fs, .like.node = numa_node};
	struct set set = {.n = unc_sim_info(fs->sim.host).n_cpus, .has = in_node, .arg = &some};

	print(out, &set);
	return 0;
}

int node_cpulist(struct fs *fs, unsigned numa_node, struct out *out)
{
	return node_cpus(fs, numa_node, out_list, out);
}

int node_cpumask(struct fs *fs, unsigned numa_node, struct out *out)
{
	return node_cpus(fs, numa_node, out_mask, out);
}

/* With numa=off all packages are on one node. */
static unsigned package_of_node(const struct fs *fs, unsigned numa_node)
{
	return fs->nodes < fs->packages ? 0 : numa_node / (fs->nodes / fs->packages);
}

unsigned node_of_package(struct fs *fs, unsigned package)
{
	return package * (fs->nodes / fs->packages);
}

static bool any_node(const void *arg, size_t i)
{
	(void)arg;
	(void)i;
	return true;
}

static bool node_with_cpu(const void *arg, size_t node)
{
	struct fs *fs = (struct fs *)arg;
	struct some_cpus some = {.fs = fs, .like.node = (unsigned)node};
	size_t n = unc_sim_info(fs->sim.host).n_cpus, i;

	for (i = 0; i < n && !in_node(&some, i); i++)
		;
	return i < n;
}

static int all_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = {.n = fs->nodes, .has = any_node};

	(void)node;
	out_list(out, &set);
	return 0;
}

static int has_cpu_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = {.n = fs->nodes, .has = node_with_cpu, .arg = fs};

	(void)node;
	out_list(out, &set);
	return 0;
}

static int cpulist_print(struct fs *fs, const struct node *node, struct out *out)
{
	return node_cpulist(fs, node->which, out);
}

static int cpumap_print(struct fs *fs, const struct node *node, struct out *out)
{
	return node_cpumask(fs, node->which, out);
}

static int meminfo_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)fs;
	out_printf(out,
		   "Node %u MemTotal:       %8u kB\nNode %u MemFree:        %8u kB\n"
		   "Node %u MemUsed:        %8u kB\n",
		   node->which, NODE_KB, node->which, NODE_KB, node->which, 0);
	return 0;
}

static int distance_print(struct fs *fs, const struct node *node, struct out *out)
{
	unsigned here = package_of_node(fs, node->which);

	for (unsigned i = 0; i < fs->nodes; i++)
		out_printf(out, "%s%d", i ? " " : "",
			   i == node->which                 ? HERE
			   : package_of_node(fs, i) == here ? NEAR
							    : FAR);
	out_printf(out, "\n");
	return 0;
}

static int numastat_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)fs;
	(void)node;
	out_printf(out, "numa_hit 0\nnuma_miss 0\nnuma_foreign 0\ninterleave_hit 0\nlocal_node 0\nother_node 0\n");
	return 0;
}

#define SYSFS(printer)                                                                                                 \
	{                                                                                                              \
		.mode = 0444, .shown_size = 4096, .print = printer                                                     \
	}

static const struct file_type all_file = SYSFS(all_print), has_cpu_file = SYSFS(has_cpu_print),
			      cpulist_file = SYSFS(cpulist_print), cpumap_file = SYSFS(cpumap_print),
			      meminfo_file = SYSFS(meminfo_print), distance_file = SYSFS(distance_print),
			      numastat_file = SYSFS(numastat_print);

static uint32_t node_add(struct fs *fs, uint32_t nodes_folder, unsigned i)
{
	char name[24];
	uint32_t folder;

	snprintf(name, sizeof(name), "node%u", i);
	folder = tree_folder(&fs->tree, nodes_folder, name);
	tree_file(&fs->tree, folder, "cpulist", &cpulist_file, i);
	tree_file(&fs->tree, folder, "cpumap", &cpumap_file, i);
	tree_file(&fs->tree, folder, "distance", &distance_file, i);
	tree_file(&fs->tree, folder, "meminfo", &meminfo_file, i);
	tree_file(&fs->tree, folder, "numastat", &numastat_file, i);
	return folder;
}

static void cpu_links_add(struct fs *fs, const uint32_t *folders)
{
	size_t n = unc_sim_info(fs->sim.host).n_cpus;

	for (size_t i = 0; i < n; i++) {
		struct unc_sim_cpu cpu = cpu_of(fs, i);
		char name[24], target[40];

		if (!cpu.online)
			continue;
		snprintf(name, sizeof(name), "cpu%zu", i);
		snprintf(target, sizeof(target), "../../cpu/%s", name);
		tree_link(&fs->tree, folders[cpu.node], name, target);
	}
}

void numa_add(struct fs *fs)
{
	uint32_t folder = tree_folder_path(&fs->tree, "sys/devices/system/node");
	uint32_t *folders = calloc(fs->nodes, sizeof(*folders));

	tree_file(&fs->tree, folder, "online", &all_file, 0);
	tree_file(&fs->tree, folder, "possible", &all_file, 0);
	tree_file(&fs->tree, folder, "has_memory", &all_file, 0);
	tree_file(&fs->tree, folder, "has_normal_memory", &all_file, 0);
	tree_file(&fs->tree, folder, "has_cpu", &has_cpu_file, 0);
	for (unsigned i = 0; folders && i < fs->nodes; i++)
		folders[i] = node_add(fs, folder, i);
	if (folders)
		cpu_links_add(fs, folders);
	else
		fs->tree.failed = true;
	free(folders);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* sys/devices/system/cpu: which CPUs there are, how they are arranged, their caches (Linux: drivers/base). */
#include <string.h>

#include "cache.h"
#include "fs.h"

struct unc_cpuid_regs cpuid_of(struct fs *fs, unsigned cpu, uint32_t leaf, uint32_t subleaf)
{
	return served_cpuid(&fs->sim, cpu, leaf, subleaf);
}

struct unc_sim_cpu cpu_of(struct fs *fs, size_t i)
{
	struct unc_sim_cpu cpu = {0};

	unc_sim_cpu(fs->sim.host, i, &cpu);
	return cpu;
}

/* ---- sets of CPUs ---- */

bool set_online(const void *arg, size_t i)
{
	return cpu_of((struct fs *)arg, i).online;
}

static bool set_offline(const void *arg, size_t i)
{
	return !set_online(arg, i);
}

static bool set_all(const void *arg, size_t i)
{
	(void)arg;
	(void)i;
	return true;
}

static bool set_none(const void *arg, size_t i)
{
	return !set_all(arg, i);
}

bool set_some(const void *arg, size_t i)
{
	const struct some_cpus *some = arg;
	struct unc_sim_cpu cpu = cpu_of(some->fs, i);

	return cpu.online && cpu.apic_id >> some->shift == some->like.apic_id >> some->shift;
}

static struct set cpus(struct fs *fs, bool (*has)(const void *arg, size_t i))
{
	return (struct set){.n = unc_sim_info(fs->sim.host).n_cpus, .has = has, .arg = fs};
}

static void out_some(struct fs *fs, const struct some_cpus *some, bool as_mask, struct out *out)
{
	struct set set = {.n = unc_sim_info(fs->sim.host).n_cpus, .has = set_some, .arg = some};

	(as_mask ? out_mask : out_list)(out, &set);
}

/* ---- the folder itself ---- */

static int online_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = cpus(fs, set_online);

	(void)node;
	out_list(out, &set);
	return 0;
}

static int offline_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = cpus(fs, set_offline);

	(void)node;
	out_list(out, &set);
	return 0;
}

static int present_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = cpus(fs, set_all);

	(void)node;
	out_list(out, &set);
	return 0;
}

static int isolated_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = cpus(fs, set_none);

	(void)node;
	out_list(out, &set);
	return 0;
}

static bool set_nohz_full(const void *arg, size_t i)
{
	return cpu_of((struct fs *)arg, i).nohz_full;
}

/* Linux 6.1 drivers/base/cpu.c, print_cpus_nohz_full(): without nohz_full= there is no list. */
static int nohz_full_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct set set = cpus(fs, set_nohz_full);
	size_t i;

	(void)node;
	for (i = 0; i < set.n && !set.has(set.arg, i); i++)
		;
	if (i < set.n)
		out_list(out, &set);
	else
		out_printf(out, "(null)\n");
	return 0;
}

/* CONFIG_NR_CPUS of Debian's kernels, less 1. */
static int kernel_max_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)fs;
	(void)node;
	out_printf(out, "8191\n");
	return 0;
}

static int smt_active_print(struct fs *fs, const struct node *node, struct out *out)
{
	size_t n = unc_sim_info(fs->sim.host).n_cpus, i;

	(void)node;
	for (i = 0; i < n && !(cpu_of(fs, i).online && cpu_of(fs, i).thread); i++)
		;
	out_printf(out, "%d\n", i < n);
	return 0;
}

/* ---- one CPU ---- */

static int cpu_online_print(struct fs *fs, const struct node *node, struct out *out)
{
	out_printf(out, "%d\n", cpu_of(fs, node->which).online);
	return 0;
}

static int package_id_print(struct fs *fs, const struct node *node, struct out *out)
{
	out_printf(out, "%u\n", cpu_of(fs, node->which).package);
	return 0;
}

static int core_id_print(struct fs *fs, const struct node *node, struct out *out)
{
	out_printf(out, "%u\n", core_id(fs, cpu_of(fs, node->which).apic_id));
	return 0;
}

static int die_id_print(struct fs *fs, const struct node *node, struct out *out)
{
	(void)fs;
	(void)node;
	out_printf(out, "0\n");
	return 0;
}

static int siblings(struct fs *fs, const struct node *node, unsigned shift, bool as_mask, struct out *out)
{
	struct some_cpus some = {.fs = fs, .like = cpu_of(fs, node->which), .shift = shift};

	out_some(fs, &some, as_mask, out);
	return 0;
}

static int core_mask_print(struct fs *fs, const struct node *node, struct out *out)
{
	return siblings(fs, node, fs->smt_shift, true, out);
}

static int core_list_print(struct fs *fs, const struct node *node, struct out *out)
{
	return siblings(fs, node, fs->smt_shift, false, out);
}

static int package_mask_print(struct fs *fs, const struct node *node, struct out *out)
{
	return siblings(fs, node, fs->package_shift, true, out);
}

static int package_list_print(struct fs *fs, const struct node *node, struct out *out)
{
	return siblings(fs, node, fs->package_shift, false, out);
}

/* ---- caches ---- */

static int cache(struct fs *fs, const struct node *node, struct cache *ret_cache)
{
	return cache_get(fs, node->which, node->part, ret_cache) ? 0 : -1;
}

#define CACHE_PRINTER(what, ...)                                                                                       \
	static int cache_##what##_print(struct fs *fs, const struct node *node, struct out *out)                       \
	{                                                                                                              \
		struct cache c;                                                                                        \
                                                                                                                       \
		if (cache(fs, node, &c) == 0)                                                                          \
			out_printf(out, __VA_ARGS__);                                                                  \
		return 0;                                                                                              \
	}

CACHE_PRINTER(level, "%u\n", c.level)
CACHE_PRINTER(type, "%s\n", c.type)
CACHE_PRINTER(size, "%uK\n", c.size_kb)
CACHE_PRINTER(line, "%u\n", c.line)
CACHE_PRINTER(partition, "%u\n", c.partitions)
CACHE_PRINTER(ways, "%u\n", c.ways)
CACHE_PRINTER(sets, "%u\n", c.sets)
CACHE_PRINTER(id, "%u\n", cpu_of(fs, node->which).apic_id >> c.shift)

static int cache_mask_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct cache c;

	return cache(fs, node, &c) == 0 ? siblings(fs, node, c.shift, true, out) : 0;
}

static int cache_list_print(struct fs *fs, const struct node *node, struct out *out)
{
	struct cache c;

	return cache(fs, node, &c) == 0 ? siblings(fs, node, c.shift, false, out) : 0;
}

/* ---- the tree ---- */

struct named {
	const char *name;
	struct file_type type;
};

#define SYSFS(file, printer)                                                                                           \
	{                                                                                                              \
		file,                                                                                                  \
		{                                                                                                      \
			.mode = 0444, .shown_size = 4096, .print = printer                                             \
		}                                                                                                      \
	}

static const struct named globals[] = {
	SYSFS("online", online_print),       SYSFS("offline", offline_print),   SYSFS("possible", present_print),
	SYSFS("present", present_print),     SYSFS("isolated", isolated_print), SYSFS("kernel_max", kernel_max_print),
	SYSFS("nohz_full", nohz_full_print),
};

static const struct named topology[] = {
	SYSFS("physical_package_id", package_id_print),
	SYSFS("core_id", core_id_print),
	SYSFS("die_id", die_id_print),
	SYSFS("core_cpus", core_mask_print),
	SYSFS("core_cpus_list", core_list_print),
	SYSFS("thread_siblings", core_mask_print),
	SYSFS("thread_siblings_list", core_list_print),
	SYSFS("die_cpus", package_mask_print),
	SYSFS("die_cpus_list", package_list_print),
	SYSFS("core_siblings", package_mask_print),
	SYSFS("core_siblings_list", package_list_print),
	SYSFS("package_cpus", package_mask_print),
	SYSFS("package_cpus_list", package_list_print),
};

static const struct named cache_files[] = {
	SYSFS("level", cache_level_print),
	SYSFS("type", cache_type_print),
	SYSFS("size", cache_size_print),
	SYSFS("coherency_line_size", cache_line_print),
	SYSFS("physical_line_partition", cache_partition_print),
	SYSFS("ways_of_associativity", cache_ways_print),
	SYSFS("number_of_sets", cache_sets_print),
	SYSFS("id", cache_id_print),
	SYSFS("shared_cpu_map", cache_mask_print),
	SYSFS("shared_cpu_list", cache_list_print),
};

static const struct named cpu_online = SYSFS("online", cpu_online_print);
static const struct named smt_active = SYSFS("active", smt_active_print);

static void add_all(struct fs *fs, uint32_t folder, const struct named *files, size_t n, const struct node *like)
{
	for (size_t i = 0; i < n; i++) {
		struct node *node = tree_file(&fs->tree, folder, files[i].name, &files[i].type, like->which);

		if (node)
			node->part = like->part;
	}
}

#define ADD_ALL(fs, folder, files, like) add_all(fs, folder, files, sizeof(files) / sizeof((files)[0]), like)

static void caches_add(struct fs *fs, uint32_t cpu_folder, unsigned cpu)
{
	uint32_t folder = tree_folder(&fs->tree, cpu_folder, "cache");
	struct cache c;

	for (unsigned i = 0; cache_get(fs, cpu, i, &c); i++) {
		struct node like = {.which = cpu, .part = i};
		char name[24];

		snprintf(name, sizeof(name), "index%u", i);
		ADD_ALL(fs, tree_folder(&fs->tree, folder, name), cache_files, &like);
	}
}

/* Of an offline CPU there is no more than the file that says so; CPU 0 has none, because it cannot be taken away. */
static void cpu_add(struct fs *fs, uint32_t cpus_folder, unsigned number)
{
	struct unc_sim_cpu cpu = cpu_of(fs, number);
	struct node like = {.which = number};
	char name[24], target[40];
	uint32_t folder;

	snprintf(name, sizeof(name), "cpu%u", number);
	folder = tree_folder(&fs->tree, cpus_folder, name);
	if (number || !cpu.online)
		add_all(fs, folder, &cpu_online, 1, &like);
	if (!cpu.online)
		return;
	ADD_ALL(fs, tree_folder(&fs->tree, folder, "topology"), topology, &like);
	caches_add(fs, folder, number);
	snprintf(name, sizeof(name), "node%u", cpu.node);
	snprintf(target, sizeof(target), "../../node/%s", name);
	tree_link(&fs->tree, folder, name, target);
}

void cpus_add(struct fs *fs)
{
	uint32_t folder = tree_folder_path(&fs->tree, "sys/devices/system/cpu");
	size_t n = unc_sim_info(fs->sim.host).n_cpus;
	struct node like = {0};

	ADD_ALL(fs, folder, globals, &like);
	add_all(fs, tree_folder(&fs->tree, folder, "smt"), &smt_active, 1, &like);
	for (size_t i = 0; i < n; i++)
		cpu_add(fs, folder, (unsigned)i);
}

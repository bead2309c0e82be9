// SPDX-License-Identifier: GPL-2.0-or-later
/* CPUs with their package, NUMA node and L3 cache, from ROOT/sys/devices/system. */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/text.h"

enum {
	CPU_MAX = 16383,    /* the highest number; twice the maximum of Linux */
	LIST_BYTES = 65536, /* bytes in the text of a list */
	LEVEL = 3,
	LIKELY = 3, /* cache/index0 to 3 are L1 data, L1 code, L2 and L3 on nearly all processors */
	INDICES = 16,
};

struct cpus { /* a set of CPUs, or of what has numbers as CPUs do */
	unsigned char has[CPU_MAX + 1];
};

struct reader {
	struct unc_ctx *ctx;
	struct unc_linux_root *root; /* outlives it */
	char text[LIST_BYTES];       /* the list that is being read, "0-7,16\n" */
	struct cpus present, online, shared;
	struct unc_host_cpu *cpus; /* owned until the caller gets them */
	size_t n;
	unsigned index; /* the index of the last L3 that was found */
};

/* Returns true if the file is there and is a list that is not empty; else the set is empty. */
static bool UNC_PRINTF(3, 4) list_read(struct reader *reader, struct cpus *ret_cpus, const char *fmt, ...)
{
	const char *list = reader->text;
	struct unc_linux_path path;
	uint64_t cpu, last;
	char file[128];
	va_list args;

	memset(ret_cpus, 0, sizeof(*ret_cpus));
	va_start(args, fmt);
	vsnprintf(file, sizeof(file), fmt, args);
	va_end(args);
	unc_linux_path(reader->root, &path, "/sys/devices/system/%s", file);
	if (unc_linux_short_file(reader->root, path.text, reader->text, sizeof(reader->text)) != 0)
		return false;
	while (unc_text_range(&list, CPU_MAX, &cpu, &last))
		for (; cpu <= last; cpu++)
			ret_cpus->has[cpu] = 1;
	return !list;
}

/* The last resort: directories cpu0, cpu1, ... */
static int read_names(struct reader *reader, struct cpus *ret_cpus)
{
	const char *const *names;
	struct unc_linux_path path;
	uint64_t cpu;
	size_t n;
	int rc;

	memset(ret_cpus, 0, sizeof(*ret_cpus));
	unc_linux_path(reader->root, &path, "/sys/devices/system/cpu");
	rc = unc_linux_dir_list(reader->ctx, reader->root, path.text, &names, &n);
	if (rc < 0 && rc != UNC_ENOMEM)
		return unc_wrap(reader->ctx, UNC_ENODATA, "this machine does not tell which CPUs it has");
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], "cpu", 3) == 0 && names[i][3] >= '0' && names[i][3] <= '9' &&
		    names[i][4] != 'x' && unc_text_u64(names[i] + 3, &cpu) && cpu <= CPU_MAX)
			ret_cpus->has[cpu] = 1;
	free((void *)names);
	return UNC_OK;
}

/*
 * Finds the CPUs that are online: from the kernel's list, else those that are present, else the directories cpu0, cpu1 ...;
 * and the others that are present, if those are wanted too.  UNC_ENODATA: nothing reports any; UNC_ENOMEM.
 */
static int find_cpus(struct reader *reader, bool also_offline)
{
	size_t n = 0;

	if (!list_read(reader, &reader->online, "cpu/online") && !list_read(reader, &reader->online, "cpu/present")) {
		int rc = read_names(reader, &reader->online);

		if (rc < 0)
			return rc;
	}
	if (!memchr(reader->online.has, 1, sizeof(reader->online.has)))
		return unc_fail(reader->ctx, UNC_ENODATA, "%s/sys/devices/system/cpu: no CPU is told of there",
				reader->root->path);
	if (also_offline)
		list_read(reader, &reader->present, "cpu/present");
	for (unsigned cpu = 0; cpu <= CPU_MAX; cpu++)
		n += reader->present.has[cpu] |= reader->online.has[cpu];
	reader->cpus = calloc(n, sizeof(*reader->cpus));
	if (!reader->cpus)
		return unc_fail(reader->ctx, UNC_ENOMEM, "CPUs: out of memory");
	for (unsigned cpu = 0; cpu <= CPU_MAX; cpu++)
		if (reader->present.has[cpu])
			reader->cpus[reader->n++] = (struct unc_host_cpu){
				.cpu = cpu, .online = reader->online.has[cpu], .package = -1, .node = -1, .l3 = -1};
	return UNC_OK;
}

/*
 * Returns the number of the package that cpu is in, or -1 if the kernel does not report it; then reader->shared has the
 * CPUs that share it, perhaps offline ones too: only cpu if they are not listed.
 */
static int package_of(struct reader *reader, unsigned cpu)
{
	struct unc_linux_path path;
	int64_t id;

	unc_linux_path(reader->root, &path, "/sys/devices/system/cpu/cpu%u/topology/physical_package_id", cpu);
	/* -1: the kernel does not know, as in some virtual machines. */
	if (unc_linux_number_file(reader->root, path.text, &id) != 0 || id < 0 || id > INT32_MAX)
		return -1;
	if (!list_read(reader, &reader->shared, "cpu/cpu%u/topology/package_cpus_list", cpu) &&
	    /* its name before Linux 5.3 */
	    !list_read(reader, &reader->shared, "cpu/cpu%u/topology/core_siblings_list", cpu))
		memset(&reader->shared, 0, sizeof(reader->shared));
	reader->shared.has[cpu] = 1;
	return (int)id;
}

static void find_packages(struct reader *reader)
{
	for (size_t i = 0; i < reader->n; i++) {
		int id;

		if (!reader->cpus[i].online || reader->cpus[i].package >= 0)
			continue;
		id = package_of(reader, reader->cpus[i].cpu);
		for (size_t k = 0; id >= 0 && k < reader->n; k++) {
			struct unc_host_cpu *cpu = &reader->cpus[k];

			if (cpu->online && cpu->package < 0 && reader->shared.has[cpu->cpu])
				cpu->package = id;
		}
	}
}

/* Nodes have numbers as CPUs do, and the kernel lists the online ones in the same way. */
static void find_nodes(struct reader *reader)
{
	struct cpus nodes;

	list_read(reader, &nodes, "node/online");
	for (unsigned node = 0; node <= CPU_MAX; node++) {
		/* The list of a node with memory only is empty. */
		if (!nodes.has[node] || !list_read(reader, &reader->shared, "node/node%u/cpulist", node))
			continue;
		for (size_t i = 0; i < reader->n; i++)
			if (reader->cpus[i].online && reader->shared.has[reader->cpus[i].cpu])
				reader->cpus[i].node = (int)node;
	}
}

/* 0: there is no such cache. */
static int64_t level_of(struct reader *reader, unsigned cpu, unsigned index)
{
	struct unc_linux_path path;
	int64_t level;

	unc_linux_path(reader->root, &path, "/sys/devices/system/cpu/cpu%u/cache/index%u/level", cpu, index);
	return unc_linux_number_file(reader->root, path.text, &level) == 0 ? level : 0;
}

/* Reads the CPUs that share the L3 of this CPU.  Tries the index first where the last one was found. */
static bool find_sharers(struct reader *reader, unsigned cpu)
{
	if (level_of(reader, cpu, reader->index) != LEVEL) {
		unsigned index = 0;
		int64_t level = level_of(reader, cpu, 0);

		while (level > 0 && level != LEVEL && ++index < INDICES)
			level = level_of(reader, cpu, index);
		if (level != LEVEL)
			return false;
		reader->index = index;
	}
	return list_read(reader, &reader->shared, "cpu/cpu%u/cache/index%u/shared_cpu_list", cpu, reader->index) &&
	       reader->shared.has[cpu];
}

static void find_l3s(struct reader *reader)
{
	for (size_t i = 0; i < reader->n; i++) {
		if (!reader->cpus[i].online || reader->cpus[i].l3 >= 0 || !find_sharers(reader, reader->cpus[i].cpu))
			continue;
		for (size_t k = i; k < reader->n; k++)
			if (reader->cpus[k].online && reader->shared.has[reader->cpus[k].cpu])
				reader->cpus[k].l3 = (int)reader->cpus[i].cpu;
	}
}

int unc_linux_cpus_read(struct unc_ctx *ctx, struct unc_linux_root *root, bool all, struct unc_host_cpu **ret_cpus,
			size_t *ret_n)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return unc_fail(ctx, UNC_ENOMEM, "CPUs: out of memory");
	reader->ctx = ctx;
	reader->root = root;
	reader->index = LIKELY;
	rc = find_cpus(reader, all);
	if (rc == UNC_OK)
		find_packages(reader);
	if (rc == UNC_OK && all) {
		find_nodes(reader);
		find_l3s(reader);
	}
	*ret_cpus = reader->cpus;
	*ret_n = reader->n;
	free(reader);
	return rc;
}

int unc_linux_topo_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_topo *ret_topo)
{
	struct unc_host_cpu *cpus;
	struct unc_topo topo = {0};
	size_t n;
	int rc = unc_linux_cpus_read(ctx, root, false, &cpus, &n);

	if (rc < 0)
		return rc;
	rc = unc_topo_of(ctx, cpus, n, &topo);
	free(cpus);
	if (rc == UNC_OK && !topo.n_packages)
		rc = unc_fail(
			ctx, UNC_ENODATA,
			"%s/sys/devices/system/cpu/cpu%u/topology/physical_package_id: this machine does not tell "
			"which CPUs share a socket",
			root->path, topo.first_cpu);
	if (rc < 0)
		unc_topo_clear(&topo);
	else
		*ret_topo = topo;
	return rc;
}

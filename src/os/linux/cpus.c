// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/cpus.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/os.h"
#include "base/text.h"

static void cpus_add(void *arg, uint64_t cpu)
{
	struct unc_linux_cpus *cpus = arg;

	cpus->has[cpu] = 1;
}

/* UNC_EARG: root is longer than Linux can open. */
static int linux_lists_init(struct unc_linux_lists *lists, struct unc_ctx *ctx, struct unc_linux_root *root)
{
	int n = snprintf(lists->dir, sizeof(lists->dir), "%s/sys/devices/system", root->path);

	lists->ctx = ctx;
	lists->root = root;
	if (n < 0 || (size_t)n >= sizeof(lists->dir))
		return unc_fail(ctx, UNC_EARG, "%.60s...: this path is longer than Linux can open", root->path);
	return UNC_OK;
}

/* Returns true if the file is there and is a list that is not empty; else the set is empty. */
static bool linux_list_read(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus, const char *fmt, ...)
{
	struct unc_linux_path path;
	char file[128];
	va_list args;

	memset(ret_cpus, 0, sizeof(*ret_cpus));
	va_start(args, fmt);
	vsnprintf(file, sizeof(file), fmt, args);
	va_end(args);
	return unc_linux_path(lists->ctx, &path, "%s/%s", lists->dir, file) == UNC_OK &&
	       unc_linux_short_file(lists->root, path.text, lists->text, sizeof(lists->text)) == 0 &&
	       unc_text_list(lists->text, UNC_LINUX_CPU_MAX, cpus_add, ret_cpus);
}

/* The last resort: directories cpu0, cpu1, ... */
static int read_names(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus)
{
	const char *const *names;
	struct unc_linux_path path;
	uint64_t cpu;
	size_t n;
	int rc;

	memset(ret_cpus, 0, sizeof(*ret_cpus));
	rc = unc_linux_path(lists->ctx, &path, "%s/cpu", lists->dir);
	if (rc < 0)
		return rc;
	rc = unc_linux_dir_list(lists->ctx, lists->root, path.text, &names, &n);
	if (rc == UNC_ENOMEM)
		return rc;
	if (rc < 0)
		return unc_wrap(lists->ctx, UNC_ENODATA, "this machine does not tell which CPUs it has");
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], "cpu", 3) == 0 && names[i][3] >= '0' && names[i][3] <= '9' &&
		    names[i][4] != 'x' && unc_text_u64(names[i] + 3, &cpu) && cpu <= UNC_LINUX_CPU_MAX)
			ret_cpus->has[cpu] = 1;
	free((void *)names);
	return UNC_OK;
}

/*
 * Reads which CPUs are online: from the kernel's list, else those that are present, else the directories cpu0, cpu1 ...
 * UNC_ENODATA: nothing reports any; UNC_ENOMEM.
 */
static int linux_online_read(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus)
{
	int rc = UNC_OK;

	if (!linux_list_read(lists, ret_cpus, "cpu/online") && !linux_list_read(lists, ret_cpus, "cpu/present"))
		rc = read_names(lists, ret_cpus);
	if (rc == UNC_OK && !memchr(ret_cpus->has, 1, sizeof(ret_cpus->has)))
		rc = unc_fail(lists->ctx, UNC_ENODATA, "%s/cpu: no CPU is told of there", lists->dir);
	return rc;
}

/*
 * Returns the number of the package that cpu is in, or -1 if the kernel does not report it; then *ret_siblings has the
 * CPUs that share it, perhaps offline ones too: only cpu if they are not listed.
 */
static int linux_package_read(struct unc_linux_lists *lists, unsigned cpu, struct unc_linux_cpus *ret_siblings)
{
	struct unc_linux_path path;
	int64_t id;

	/* -1: the kernel does not know, as in some virtual machines. */
	if (unc_linux_path(lists->ctx, &path, "%s/cpu/cpu%u/topology/physical_package_id", lists->dir, cpu) < 0 ||
	    unc_linux_number_file(lists->root, path.text, &id) != 0 || id < 0 || id > INT32_MAX)
		return -1;
	if (!linux_list_read(lists, ret_siblings, "cpu/cpu%u/topology/package_cpus_list", cpu) &&
	    /* its name before Linux 5.3 */
	    !linux_list_read(lists, ret_siblings, "cpu/cpu%u/topology/core_siblings_list", cpu))
		memset(ret_siblings, 0, sizeof(*ret_siblings));
	ret_siblings->has[cpu] = 1;
	return (int)id;
}

enum {
	LEVEL = 3,
	LIKELY = 3, /* cache/index0 to 3 are L1 data, L1 code, L2 and L3 on nearly all processors */
	INDICES = 16,
};

struct reader {
	struct unc_linux_lists lists;
	struct unc_linux_cpus present, online, shared;
	struct unc_host_cpu *cpus; /* owned until the caller gets them */
	size_t n;
	unsigned index; /* the index of the last L3 that was found */
};

static int find_cpus(struct reader *reader)
{
	size_t n = 0;
	int rc;

	rc = linux_online_read(&reader->lists, &reader->online);
	if (rc < 0)
		return rc;
	linux_list_read(&reader->lists, &reader->present, "cpu/present");
	for (unsigned cpu = 0; cpu <= UNC_LINUX_CPU_MAX; cpu++)
		n += reader->present.has[cpu] |= reader->online.has[cpu];
	reader->cpus = calloc(n, sizeof(*reader->cpus));
	if (!reader->cpus)
		return unc_fail(reader->lists.ctx, UNC_ENOMEM, "CPUs: out of memory");
	for (unsigned cpu = 0; cpu <= UNC_LINUX_CPU_MAX; cpu++) {
		if (!reader->present.has[cpu])
			continue;
		reader->cpus[reader->n++] = (struct unc_host_cpu){
			.cpu = cpu, .online = reader->online.has[cpu], .package = -1, .node = -1, .l3 = -1};
	}
	return UNC_OK;
}

static void find_packages(struct reader *reader)
{
	for (size_t i = 0; i < reader->n; i++) {
		int id;

		if (!reader->cpus[i].online || reader->cpus[i].package >= 0)
			continue;
		id = linux_package_read(&reader->lists, reader->cpus[i].cpu, &reader->shared);
		for (size_t k = i; id >= 0 && k < reader->n; k++)
			if (reader->cpus[k].online && reader->shared.has[reader->cpus[k].cpu])
				reader->cpus[k].package = id;
	}
}

/* Nodes have numbers as CPUs do, and the kernel lists the online ones in the same way. */
static void find_nodes(struct reader *reader)
{
	struct unc_linux_cpus nodes;

	linux_list_read(&reader->lists, &nodes, "node/online");
	for (unsigned node = 0; node <= UNC_LINUX_CPU_MAX; node++) {
		/* The list of a node with memory only is empty. */
		if (!nodes.has[node] || !linux_list_read(&reader->lists, &reader->shared, "node/node%u/cpulist", node))
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

	if (unc_linux_path(reader->lists.ctx, &path, "%s/cpu/cpu%u/cache/index%u/level", reader->lists.dir, cpu,
			   index) < 0 ||
	    unc_linux_number_file(reader->lists.root, path.text, &level) != 0)
		return 0;
	return level;
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
	return linux_list_read(&reader->lists, &reader->shared, "cpu/cpu%u/cache/index%u/shared_cpu_list", cpu,
			       reader->index) &&
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

int unc_linux_cpus_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_host_cpu **ret_cpus, size_t *ret_n)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return unc_fail(ctx, UNC_ENOMEM, "CPUs: out of memory");
	reader->index = LIKELY;
	rc = linux_lists_init(&reader->lists, ctx, root);
	if (rc == UNC_OK)
		rc = find_cpus(reader);
	if (rc == UNC_OK) {
		find_packages(reader);
		find_nodes(reader);
		find_l3s(reader);
		*ret_cpus = reader->cpus;
		*ret_n = reader->n;
	}
	free(reader);
	return rc;
}

struct topo_reader {
	struct unc_linux_lists lists;
	struct unc_linux_cpus online, done, siblings;
	struct unc_topo topo; /* owned until the caller gets it */
};

static int find_online(struct topo_reader *reader)
{
	struct unc_topo *topo = &reader->topo;
	int rc;

	rc = linux_online_read(&reader->lists, &reader->online);
	if (rc < 0)
		return rc;
	for (unsigned cpu = UNC_LINUX_CPU_MAX + 1; cpu-- > 0;) {
		if (reader->online.has[cpu]) {
			topo->n_cpus++;
			topo->first_cpu = cpu;
		}
	}
	return UNC_OK;
}

static int add_cpus(struct topo_reader *reader, unsigned id, unsigned first_cpu, unsigned n_cpus)
{
	struct unc_topo *topo = &reader->topo;
	const struct unc_package package = {.id = id, .n_cpus = n_cpus, .first_cpu = first_cpu};

	for (size_t i = 0; i < topo->n_packages; i++) {
		if (topo->packages[i].id == id) {
			topo->packages[i].n_cpus += n_cpus;
			return UNC_OK;
		}
	}
	if (!unc_array_add(&topo->packages, &topo->n_packages, &package, sizeof(package)))
		return unc_fail(reader->lists.ctx, UNC_ENOMEM, "CPUs: out of memory");
	return UNC_OK;
}

static int add_package_of(struct topo_reader *reader, unsigned cpu)
{
	int id = linux_package_read(&reader->lists, cpu, &reader->siblings);
	unsigned n_cpus = 0;

	if (id < 0)
		return UNC_OK;
	for (unsigned i = 0; i <= UNC_LINUX_CPU_MAX; i++) {
		if (reader->siblings.has[i] && reader->online.has[i] && !reader->done.has[i]) {
			reader->done.has[i] = 1;
			n_cpus++;
		}
	}
	return add_cpus(reader, (unsigned)id, cpu, n_cpus);
}

static int by_id(const void *a, const void *b)
{
	const struct unc_package *pa = a, *pb = b;

	return (pa->id > pb->id) - (pa->id < pb->id);
}

static int read_all(struct topo_reader *reader)
{
	struct unc_topo *topo = &reader->topo;
	int rc = find_online(reader);

	for (unsigned cpu = 0; rc == UNC_OK && cpu <= UNC_LINUX_CPU_MAX; cpu++)
		if (reader->online.has[cpu] && !reader->done.has[cpu])
			rc = add_package_of(reader, cpu);
	if (rc < 0)
		return rc;
	if (!topo->n_packages)
		return unc_fail(reader->lists.ctx, UNC_ENODATA,
				"%s/cpu/cpu%u/topology/physical_package_id: this machine does not tell which CPUs "
				"share a socket",
				reader->lists.dir, topo->first_cpu);
	qsort(topo->packages, topo->n_packages, sizeof(topo->packages[0]), by_id);
	return UNC_OK;
}

int unc_linux_topo_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_topo *ret_topo)
{
	struct topo_reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return unc_fail(ctx, UNC_ENOMEM, "CPUs: out of memory");
	rc = linux_lists_init(&reader->lists, ctx, root);
	if (rc == UNC_OK)
		rc = read_all(reader);
	if (rc == UNC_OK)
		*ret_topo = reader->topo;
	else
		unc_topo_clear(&reader->topo);
	free(reader);
	return rc;
}

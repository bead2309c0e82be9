// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/cpus.h"

#include "base/err.h"
#include "os/linux/cpulist.h"

#include <stdlib.h>

enum {
	LEVEL = 3,
	LIKELY = 3, /* cache/index0 to 3 are L1 data, L1 code, L2 and L3 on nearly all that there are */
	INDICES = 16,
};

struct reader {
	struct unc_linux_lists lists;
	struct unc_linux_cpus present, online, shared;
	struct unc_host_cpu *cpus; /* owned until they are handed out */
	size_t n;
	unsigned index; /* where an L3 was found last */
};

static int find_cpus(struct reader *reader)
{
	size_t n = 0;
	int rc;

	rc = unc_linux_online_read(&reader->lists, &reader->online);
	if (rc < 0)
		return rc;
	unc_linux_list_read(&reader->lists, &reader->present, "cpu/present");
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
		id = unc_linux_package_read(&reader->lists, reader->cpus[i].cpu, &reader->shared);
		for (size_t k = i; id >= 0 && k < reader->n; k++)
			if (reader->cpus[k].online && reader->shared.has[reader->cpus[k].cpu])
				reader->cpus[k].package = id;
	}
}

/* Nodes are numbered as CPUs are, and the kernel lists which are online in the same way. */
static void find_nodes(struct reader *reader)
{
	struct unc_linux_cpus nodes;

	unc_linux_list_read(&reader->lists, &nodes, "node/online");
	for (unsigned node = 0; node <= UNC_LINUX_CPU_MAX; node++) {
		/* The list of a node that has memory alone is empty. */
		if (!nodes.has[node] ||
		    !unc_linux_list_read(&reader->lists, &reader->shared, "node/node%u/cpulist", node))
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

/* The CPUs that share that one's L3.  Where it was found before is tried first. */
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
	return unc_linux_list_read(&reader->lists, &reader->shared, "cpu/cpu%u/cache/index%u/shared_cpu_list", cpu,
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
	rc = unc_linux_lists_init(&reader->lists, ctx, root);
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

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/topo.h"

#include "base/text.h"
#include "base/err.h"
#include "os/linux/cpulist.h"

#include <stdlib.h>

struct reader {
	struct unc_linux_lists lists;
	struct unc_linux_cpus online, done, siblings;
	struct unc_topo topo; /* owned until it is handed out */
};

static int find_online(struct reader *reader)
{
	struct unc_topo *topo = &reader->topo;
	int rc;

	rc = unc_linux_online_read(&reader->lists, &reader->online);
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

static int add_cpus(struct reader *reader, unsigned id, unsigned first_cpu, unsigned n_cpus)
{
	struct unc_topo *topo = &reader->topo;
	struct unc_package *packages;

	for (size_t i = 0; i < topo->n_packages; i++) {
		if (topo->packages[i].id == id) {
			topo->packages[i].n_cpus += n_cpus;
			return UNC_OK;
		}
	}
	packages = unc_array_more(topo->packages, topo->n_packages, sizeof(*packages));
	if (!packages)
		return unc_fail(reader->lists.ctx, UNC_ENOMEM, "CPUs: out of memory");
	packages[topo->n_packages] = (struct unc_package){.id = id, .n_cpus = n_cpus, .first_cpu = first_cpu};
	topo->packages = packages;
	topo->n_packages++;
	return UNC_OK;
}

static int add_package_of(struct reader *reader, unsigned cpu)
{
	int id = unc_linux_package_read(&reader->lists, cpu, &reader->siblings);
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

static int read_all(struct reader *reader)
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
	struct reader *reader = calloc(1, sizeof(*reader));
	int rc;

	if (!reader)
		return unc_fail(ctx, UNC_ENOMEM, "CPUs: out of memory");
	rc = unc_linux_lists_init(&reader->lists, ctx, root);
	if (rc == UNC_OK)
		rc = read_all(reader);
	if (rc == UNC_OK)
		*ret_topo = reader->topo;
	else
		unc_topo_clear(&reader->topo);
	free(reader);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/topo.h"

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "os/linux/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	CPU_MAX = 16383,  /* the highest number; twice what Linux can be built for */
	LIST_MAX = 65536, /* bytes of a CPU list */
};

struct cpus {
	unsigned char has[CPU_MAX + 1];
};

struct reader {
	struct unc_ctx *ctx;
	char cpu_dir[UNC_LINUX_PATH_MAX - 64]; /* ROOT/sys/devices/system/cpu */
	char list[LIST_MAX];                   /* the text of the list that is being read */
	struct cpus online, done, siblings;
	struct unc_topo topo; /* owned until it is handed out */
};

static void cpus_add(void *arg, uint64_t cpu)
{
	struct cpus *cpus = arg;

	cpus->has[cpu] = 1;
}

/* true: that file is there and is a list with something in it. */
static bool read_list(struct reader *reader, const char *file, struct cpus *ret_cpus)
{
	struct unc_linux_path path;

	memset(ret_cpus, 0, sizeof(*ret_cpus));
	return unc_linux_path(reader->ctx, &path, "%s/%s", reader->cpu_dir, file) == UNC_OK &&
	       unc_linux_short_file(path.text, reader->list, sizeof(reader->list)) == 0 &&
	       unc_text_list(reader->list, CPU_MAX, cpus_add, ret_cpus);
}

/* The last resort: directories cpu0, cpu1, ... */
static int read_names(struct reader *reader, struct cpus *ret_cpus)
{
	const char *const *names;
	uint64_t cpu;
	size_t n;
	int rc;

	memset(ret_cpus, 0, sizeof(*ret_cpus));
	rc = unc_os_dir_list(reader->ctx, reader->cpu_dir, &names, &n);
	if (rc == UNC_ENOMEM)
		return rc;
	if (rc < 0)
		return unc_wrap(reader->ctx, UNC_ENODATA, "this machine does not tell which CPUs it has");
	for (size_t i = 0; i < n; i++)
		if (strncmp(names[i], "cpu", 3) == 0 && names[i][3] >= '0' && names[i][3] <= '9' &&
		    names[i][4] != 'x' && unc_text_u64(names[i] + 3, &cpu) && cpu <= CPU_MAX)
			ret_cpus->has[cpu] = 1;
	free((void *)names);
	return UNC_OK;
}

static int find_online(struct reader *reader)
{
	struct unc_topo *topo = &reader->topo;
	int rc = UNC_OK;

	if (!read_list(reader, "online", &reader->online) && !read_list(reader, "present", &reader->online))
		rc = read_names(reader, &reader->online);
	if (rc < 0)
		return rc;
	for (unsigned cpu = CPU_MAX + 1; cpu-- > 0;) {
		if (reader->online.has[cpu]) {
			topo->n_cpus++;
			topo->first_cpu = cpu;
		}
	}
	if (!topo->n_cpus)
		return unc_fail(reader->ctx, UNC_ENODATA, "%s: no CPU is told of there", reader->cpu_dir);
	return UNC_OK;
}

/* The online CPUs that share a package with cpu: itself alone where the kernel does not list them. */
static void find_siblings(struct reader *reader, unsigned cpu)
{
	char file[64];
	bool told;

	snprintf(file, sizeof(file), "cpu%u/topology/package_cpus_list", cpu);
	told = read_list(reader, file, &reader->siblings);
	if (!told) {
		snprintf(file, sizeof(file), "cpu%u/topology/core_siblings_list", cpu); /* its name before Linux 5.3 */
		told = read_list(reader, file, &reader->siblings);
	}
	if (!told)
		memset(&reader->siblings, 0, sizeof(reader->siblings));
	reader->siblings.has[cpu] = 1;
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
		return unc_fail(reader->ctx, UNC_ENOMEM, "CPUs: out of memory");
	packages[topo->n_packages] = (struct unc_package){.id = id, .n_cpus = n_cpus, .first_cpu = first_cpu};
	topo->packages = packages;
	topo->n_packages++;
	return UNC_OK;
}

static int add_package_of(struct reader *reader, unsigned cpu)
{
	struct unc_linux_path path;
	unsigned n_cpus = 0;
	int64_t id;
	int rc;

	rc = unc_linux_path(reader->ctx, &path, "%s/cpu%u/topology/physical_package_id", reader->cpu_dir, cpu);
	if (rc < 0)
		return rc;
	/* -1: the kernel does not know, as in some virtual machines. */
	if (unc_linux_number_file(path.text, &id) != 0 || id < 0 || id > INT32_MAX)
		return UNC_OK;
	find_siblings(reader, cpu);
	for (unsigned i = 0; i <= CPU_MAX; i++) {
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

	for (unsigned cpu = 0; rc == UNC_OK && cpu <= CPU_MAX; cpu++)
		if (reader->online.has[cpu] && !reader->done.has[cpu])
			rc = add_package_of(reader, cpu);
	if (rc < 0)
		return rc;
	if (!topo->n_packages)
		return unc_fail(
			reader->ctx, UNC_ENODATA,
			"%s/cpu%u/topology/physical_package_id: this machine does not tell which CPUs share a socket",
			reader->cpu_dir, topo->first_cpu);
	qsort(topo->packages, topo->n_packages, sizeof(topo->packages[0]), by_id);
	return UNC_OK;
}

int unc_linux_topo_read(struct unc_ctx *ctx, const char *root, struct unc_topo *ret_topo)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	int n, rc;

	if (!reader)
		return unc_fail(ctx, UNC_ENOMEM, "CPUs: out of memory");
	reader->ctx = ctx;
	n = snprintf(reader->cpu_dir, sizeof(reader->cpu_dir), "%s/sys/devices/system/cpu", root);
	if (n < 0 || (size_t)n >= sizeof(reader->cpu_dir))
		rc = unc_fail(ctx, UNC_EARG, "%.60s...: this path is longer than Linux can open", root);
	else
		rc = read_all(reader);
	if (rc == UNC_OK)
		*ret_topo = reader->topo;
	else
		unc_topo_clear(&reader->topo);
	free(reader);
	return rc;
}

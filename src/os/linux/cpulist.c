// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/cpulist.h"

#include "base/err.h"
#include "base/os.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void cpus_add(void *arg, uint64_t cpu)
{
	struct unc_linux_cpus *cpus = arg;

	cpus->has[cpu] = 1;
}

int unc_linux_lists_init(struct unc_linux_lists *lists, struct unc_ctx *ctx, struct unc_linux_root *root)
{
	int n = snprintf(lists->dir, sizeof(lists->dir), "%s/sys/devices/system", root->path);

	lists->ctx = ctx;
	lists->root = root;
	if (n < 0 || (size_t)n >= sizeof(lists->dir))
		return unc_fail(ctx, UNC_EARG, "%.60s...: this path is longer than Linux can open", root->path);
	return UNC_OK;
}

bool unc_linux_list_read(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus, const char *fmt, ...)
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

int unc_linux_online_read(struct unc_linux_lists *lists, struct unc_linux_cpus *ret_cpus)
{
	int rc = UNC_OK;

	if (!unc_linux_list_read(lists, ret_cpus, "cpu/online") && !unc_linux_list_read(lists, ret_cpus, "cpu/present"))
		rc = read_names(lists, ret_cpus);
	if (rc == UNC_OK && !memchr(ret_cpus->has, 1, sizeof(ret_cpus->has)))
		rc = unc_fail(lists->ctx, UNC_ENODATA, "%s/cpu: no CPU is told of there", lists->dir);
	return rc;
}

int unc_linux_package_read(struct unc_linux_lists *lists, unsigned cpu, struct unc_linux_cpus *ret_siblings)
{
	struct unc_linux_path path;
	int64_t id;

	/* -1: the kernel does not know, as in some virtual machines. */
	if (unc_linux_path(lists->ctx, &path, "%s/cpu/cpu%u/topology/physical_package_id", lists->dir, cpu) < 0 ||
	    unc_linux_number_file(lists->root, path.text, &id) != 0 || id < 0 || id > INT32_MAX)
		return -1;
	if (!unc_linux_list_read(lists, ret_siblings, "cpu/cpu%u/topology/package_cpus_list", cpu) &&
	    /* its name before Linux 5.3 */
	    !unc_linux_list_read(lists, ret_siblings, "cpu/cpu%u/topology/core_siblings_list", cpu))
		memset(ret_siblings, 0, sizeof(*ret_siblings));
	ret_siblings->has[cpu] = 1;
	return (int)id;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs, as sysfs writes them ("0-7,16\n"). */
#ifndef UNC_OS_LINUX_CPUS_H
#define UNC_OS_LINUX_CPUS_H

#include <stdbool.h>

#include "access/host.h"
#include "os/linux/files.h"

enum {
	UNC_LINUX_CPU_MAX = 16383,   /* the highest number; twice the maximum of Linux */
	UNC_LINUX_LIST_BYTES = 65536 /* bytes in the text of a list */
};

struct unc_linux_cpus {
	unsigned char has[UNC_LINUX_CPU_MAX + 1];
};

/* Reads lists of CPUs from below ROOT/sys/devices/system. */
struct unc_linux_lists {
	struct unc_ctx *ctx;
	struct unc_linux_root *root;        /* outlives it */
	char dir[UNC_LINUX_PATH_MAX - 128]; /* ROOT/sys/devices/system */
	char text[UNC_LINUX_LIST_BYTES];    /* the list that is being read */
};

/* Each CPU with its package, NUMA node and L3 cache, from ROOT/sys/devices/system. */

/*
 * Returns every CPU that is present, by number; what is not reported, as for offline CPUs, is -1.  Reads a few short
 * files for each package, node and L3, not for each CPU.  UNC_ENODATA: nothing is reported; UNC_EARG; UNC_ENOMEM.
 */
int unc_linux_cpus_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_host_cpu **ret_cpus,
			size_t *ret_n);

/* CPUs and packages from ROOT/sys/devices/system/cpu. */

/* UNC_ENODATA: nothing is reported; UNC_ENOMEM.  Reads three short files for each package, not for each CPU. */
int unc_linux_topo_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_topo *ret_topo);

#endif

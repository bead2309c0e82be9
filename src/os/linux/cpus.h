/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each CPU with its package, NUMA node and L3 cache, as ROOT/sys/devices/system tells them. */
#ifndef UNC_OS_LINUX_CPUS_H
#define UNC_OS_LINUX_CPUS_H

#include "access/host.h"
#include "os/linux/root.h"

/*
 * Every CPU that is present, by number; what is not told, as of CPUs that are offline, is -1.  A few short files for each
 * package, node and L3 are read, not for each CPU.  UNC_ENODATA: it does not tell; UNC_EARG; UNC_ENOMEM.
 */
int unc_linux_cpus_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_host_cpu **ret_cpus,
			size_t *ret_n);

#endif

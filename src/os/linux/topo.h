/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUs and packages as ROOT/sys/devices/system/cpu tells them. */
#ifndef UNC_OS_LINUX_TOPO_H
#define UNC_OS_LINUX_TOPO_H

#include "access/host.h"
#include "os/linux/root.h"

/* UNC_ENODATA: it does not tell; UNC_ENOMEM.  Three short files a package are read, not three a CPU. */
int unc_linux_topo_read(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_topo *ret_topo);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Model-specific registers through ROOT/dev/cpu/N/msr. */
#ifndef UNC_OS_LINUX_MSR_H
#define UNC_OS_LINUX_MSR_H

#include "access/access.h"
#include "os/linux/root.h"

/* root is "" for /.  UNC_ENODEV: ROOT/dev/cpu is missing, and the sentence names the kernel module; UNC_ENOMEM. */
int unc_linux_msr_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus);

#endif

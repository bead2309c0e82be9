/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This computer ("live"), and a directory tree that looks like one ("root:DIR"). */
#ifndef UNC_OS_LINUX_HOST_H
#define UNC_OS_LINUX_HOST_H

#include "access/host.h"

/*
 * root NULL or "": this computer; else every path of the operating system is below that directory.  wake_fd as in
 * struct unc_host.  UNC_EARG: no such directory, or a cpuid.raw in it that is no dump; UNC_EPERM; UNC_EIO; UNC_ENOMEM.
 */
int unc_linux_host_open(struct unc_ctx *ctx, const char *root, int wake_fd, struct unc_host **ret_host);

#endif

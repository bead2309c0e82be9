/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Locks of an open file (fcntl(2), "Open file description locks"): they end with the last descriptor of that opening. */
#ifndef UNC_OS_LINUX_LOCK_H
#define UNC_OS_LINUX_LOCK_H

#include "base/err.h"
#include "base/os.h"

/*
 * One fcntl() for n bytes from first on; n 0: to the end, wherever that will be.  Returns 0 or an errno; EBUSY: another process has
 * some of it.
 */
int unc_linux_lock(int fd, uint64_t first, uint64_t n, enum unc_claim how);

/* The same with a sentence behind that of the caller, "pci 0000:ff:10.4".  UNC_EBUSY, UNC_ENOSUP, UNC_EIO. */
int unc_linux_lock_failed(struct unc_ctx *ctx, int errnum, const char *what, const char *path);

#endif

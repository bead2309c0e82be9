/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks of an open file (fcntl(2), "Open file description locks"): they end when the last descriptor of that opening is
 * closed.
 */
#ifndef UNC_OS_LINUX_LOCK_H
#define UNC_OS_LINUX_LOCK_H

#include "base/err.h"
#include "base/os.h"

/*
 * One fcntl() for n bytes from first; n 0: to the end of the file, also when it grows.  Returns 0 or an errno; EBUSY:
 * another process has a lock on some of it.
 */
int unc_linux_lock(int fd, uint64_t first, uint64_t n, enum unc_claim how);

/* The same with a message after the caller's "pci 0000:ff:10.4".  UNC_EBUSY, UNC_ENOSUP, UNC_EIO. */
int unc_linux_lock_failed(struct unc_ctx *ctx, int errnum, const char *what, const char *path);

#endif

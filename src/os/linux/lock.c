// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* a lock begins at the number of an MSR, also where off_t would be 32 bits */
#include "os/linux/lock.h"

#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A file that is open for reading alone cannot be locked for writing, but asked it can be. */
int unc_linux_lock(int fd, uint64_t first, uint64_t n, enum unc_claim how)
{
	struct flock lock = {
		.l_type = how == UNC_CLAIM_LEAVE ? F_UNLCK : F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)first,
		.l_len = (off_t)n,
	};

	if (fcntl(fd, how == UNC_CLAIM_ASK ? F_OFD_GETLK : F_OFD_SETLK, &lock) < 0)
		return errno == EAGAIN || errno == EACCES ? EBUSY : errno;
	return how == UNC_CLAIM_ASK && lock.l_type != F_UNLCK ? EBUSY : 0;
}

int unc_linux_lock_failed(struct unc_ctx *ctx, int errnum, const char *what, const char *path)
{
	if (errnum == EBUSY)
		return unc_fail_named(ctx, UNC_EBUSY, "EBUSY",
				      "%s: another program holds a lock on %s, so it writes there; `fuser -v %s` tells "
				      "who has that file open",
				      what, path, path);
	if (errnum == EINVAL)
		return unc_fail_named(
			ctx, UNC_ENOSUP, "EINVAL",
			"%s: lock %s: this kernel has no locks of open files (Linux has them since 3.15), "
			"without which nobody could tell who writes there",
			what, path);
	return unc_linux_fail(ctx, errnum, "%s: lock %s", what, path);
}

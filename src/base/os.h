/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libuncore needs of whatever it runs on.  Implemented once per operating system, in os/<name>/os.c,
 * and bound at link time; everything left of os/ in the tree reaches the host only through here.
 */
#ifndef UNC_BASE_OS_H
#define UNC_BASE_OS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore.h"

enum unc_clock {
	UNC_CLOCK_RAW,  /* for measuring: never adjusted (Linux CLOCK_MONOTONIC_RAW) */
	UNC_CLOCK_MONO, /* for pacing: what a sleep is counted in (CLOCK_MONOTONIC) */
	UNC_CLOCK_BOOT, /* as MONO, but it goes on while the machine is suspended (CLOCK_BOOTTIME) */
	UNC_CLOCK_REAL, /* for matching other logs: nanoseconds since 1970-01-01 UTC (CLOCK_REALTIME) */
};

uint64_t unc_os_now_ns(enum unc_clock clock);

/*
 * Sleeps until the UNC_CLOCK_MONO time, or until wake_fd (-1: none) can be read.  UINT64_MAX: no deadline.
 * 0: the time has come.  UNC_EAGAIN: woken early (no sentence).
 */
int unc_os_sleep_until(uint64_t mono_ns, int wake_fd);

/* Ends this process at once and without a word to it, as a kill by somebody else does. */
void unc_os_kill_self(void);

/* Who may have written a file that steers what we do as root. */
enum unc_trust {
	UNC_TRUST_ANY,  /* plain input */
	UNC_TRUST_OWNED /* not through a symbolic link; with uid 0 also root-owned, not group- or world-writable */
};

/*
 * Reads a whole regular file (or one under /proc or /sys, whose size is not known beforehand) of at most max
 * bytes.  *ret_text is the caller's to free() and has a zero behind its last byte; ret_len may be NULL.
 * UNC_ENODEV: no such file; UNC_EPERM: not readable for us, or not trusted; UNC_ERANGE: longer than max;
 * UNC_EIO; UNC_ENOMEM.  Each sentence begins with the path.
 */
int unc_os_file_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		     size_t *ret_len);

/*
 * Names in a directory but "." and "..", sorted by strcmp.  One allocation: free(*ret_names) frees all.
 * UNC_ENODEV: no such directory; UNC_EPERM; UNC_EIO; UNC_ENOMEM.
 */
int unc_os_dir_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n);

/* Memory that is a file, so that it outlives its processes and is shared among them. */
struct unc_os_shared {
	void *mem;
	size_t len;
	bool fresh; /* the file was created, or was empty: mem is all zeros */
	void *impl; /* the implementation's */
};
/*
 * So many bytes, of which those from used on will not be needed, and take no space in a new file.
 * UNC_EARG: there is a file of another size; UNC_ENODEV: no such directory; UNC_EPERM; UNC_EIO; UNC_ENOMEM.
 */
int unc_os_shared_open(struct unc_ctx *ctx, const char *path, size_t len, size_t used,
		       struct unc_os_shared *ret_shared);
/* Waits until no other opener, of this process or another, holds it; a dying process lets go by itself. */
void unc_os_shared_lock(struct unc_os_shared *shared);
void unc_os_shared_unlock(struct unc_os_shared *shared);
void unc_os_shared_close(struct unc_os_shared *shared); /* NULL and all-zero are fine */

#endif

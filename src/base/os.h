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

/* Ends this process at once and without warning, as SIGKILL from another process does. */
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
/*
 * May the files of a folder steer what is done as root?  Not if it is a symbolic link, and for uid 0 not if another user owns it or
 * others may write to it.  UNC_EPERM, with what to do; UNC_ENODEV: there is none; UNC_EIO.
 */
int unc_os_dir_trust(struct unc_ctx *ctx, const char *path);

/* Where a symbolic link leads; the caller's to free().  UNC_ENODEV: no such file, or it is no link; else as unc_os_file_read(). */
int unc_os_link_read(struct unc_ctx *ctx, const char *path, char **ret_text);

/* This process, for others to know it by. */
struct unc_os_self {
	unsigned pid;
	unsigned uid;      /* with whose rights it writes */
	uint64_t start;    /* when it began, as /proc/PID/stat has it: clock ticks since boot */
	char command[240]; /* its words with blanks between them, cut off */
};
int unc_os_self(struct unc_ctx *ctx, struct unc_os_self *ret_self);
/* Is there such a process, as far as can be seen from here? */
bool unc_os_process_lives(unsigned pid, uint64_t start);

/*
 * A folder for what must outlive us: mode 0700, our own, and nothing in it is followed through symbolic links.  path NULL: the
 * default, /run/uncorectl, of others than root /run/uncorectl-UID.  create: it is made if need be, but not its parents.
 * UNC_EPERM: another user owns it, it is open to others, or a link, or may not be made; UNC_ENODEV: there is none; UNC_EIO (full,
 * read-only); UNC_ENOMEM.  Each sentence begins with the path.
 */
struct unc_os_folder;
int unc_os_folder_open(struct unc_ctx *ctx, const char *path, bool create, struct unc_os_folder **ret_folder);
/* Could files be made there, and the folder first?  Nothing is; else it fails as that would. */
int unc_os_folder_could(struct unc_ctx *ctx, const char *path);
void unc_os_folder_close(struct unc_os_folder *folder);             /* NULL is fine */
const char *unc_os_folder_path(const struct unc_os_folder *folder); /* as it was given, or the default */
/* As unc_os_dir_list(). */
int unc_os_folder_list(struct unc_os_folder *folder, const char *const **ret_names, size_t *ret_n);
/*
 * As unc_os_file_read(); a file that is not ours alone, or no plain one, is UNC_EPERM.  *ret_held, if not NULL: another process held it
 * just before, so that it may be half of what that process is writing.
 */
int unc_os_folder_read(struct unc_os_folder *folder, const char *name, size_t max, bool *ret_held, char **ret_text,
		       size_t *ret_len);
/*
 * A file in it that is open, and held: as long as its opener lives no other process can hold it.  new: it is made, and UNC_EBUSY says that
 * there was one, or that another process removed it just then; else there is one, and UNC_EBUSY says that its writer lives.
 */
struct unc_os_held;
int unc_os_folder_hold(struct unc_os_folder *folder, const char *name, bool new, struct unc_os_held **ret_held);
/* All bytes, at an offset.  UNC_EIO: disk full, and so on: what there was before may be cut short or longer. */
int unc_os_held_write(struct unc_os_held *held, uint64_t off, const void *bytes, size_t len);
/* They are on the disk (fsync). */
int unc_os_held_sync(struct unc_os_held *held);
/* From now on it is called so.  UNC_EBUSY: another one is; UNC_ENODEV: it was removed. */
int unc_os_held_rename(struct unc_os_held *held, const char *name);
/* Lets go and frees; remove: and takes the file away first.  NULL is fine. */
int unc_os_held_end(struct unc_os_held *held, bool remove);

/* Where a path really leads, and which file that is: "PREFIX/real/path DEVICE:INODE", a long path cut.  As unc_os_file_read(). */
int unc_os_identity(struct unc_ctx *ctx, const char *path, const char *prefix, char *buf, size_t size);

/*
 * One writer at a time: a lock on a file that belongs to its opener, so that it ends with the process whatever happens to it, and
 * holds for everybody who has the same file (Linux: an open-file-description lock).
 */
enum unc_claim {
	UNC_CLAIM_TAKE, /* it is ours until it is left, or the file is closed */
	UNC_CLAIM_ASK,  /* could it be taken?  For who has opened for reading only */
	UNC_CLAIM_LEAVE,
};

/* Memory that is a file, so that it outlives its processes and is shared among them. */
struct unc_os_shared {
	void *mem;
	size_t len;
	bool fresh; /* the file was created, or was empty: mem is all zeros */
	void *impl; /* the implementation's */
};
/*
 * So many bytes, of which those from used on will not be needed, and take no space in a new file.
 * UNC_EARG: there is a file of another size; UNC_ENODEV: no such directory; UNC_EPERM, also of a symbolic link and of a file that
 * neither root nor the caller owns, or that others may write; UNC_EIO; UNC_ENOMEM.
 */
int unc_os_shared_open(struct unc_ctx *ctx, const char *path, size_t len, size_t used,
		       struct unc_os_shared *ret_shared);
/* Waits until no other opener, of this process or another, holds it, or signals came several times; a dying process lets go by itself. */
void unc_os_shared_lock(struct unc_os_shared *shared);
void unc_os_shared_unlock(struct unc_os_shared *shared);
/*
 * A claim on n bytes of the file from off on, which may lie far behind its end; apart from the lock above.  UNC_EBUSY: another opener
 * has some of it, of this process or another; UNC_EIO: locks do not work there.  No sentence.
 */
int unc_os_shared_claim(struct unc_os_shared *shared, uint64_t off, uint64_t n, enum unc_claim how);
void unc_os_shared_close(struct unc_os_shared *shared); /* NULL and all-zero are fine */

#endif

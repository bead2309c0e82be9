/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libuncore needs of the operating system.  Implemented once for each, in os/<name>/os.c, and bound at link time;
 * all folders to the left of os/ reach the operating system only through this file.
 */
#ifndef UNC_BASE_OS_H
#define UNC_BASE_OS_H

#include "uncore.h"

enum unc_clock {
	UNC_CLOCK_RAW,  /* for measuring: never adjusted (Linux CLOCK_MONOTONIC_RAW) */
	UNC_CLOCK_MONO, /* for pacing: deadlines of sleeps (CLOCK_MONOTONIC) */
	UNC_CLOCK_BOOT, /* as MONO, but it goes on while the machine is suspended (CLOCK_BOOTTIME) */
	UNC_CLOCK_REAL, /* for matching other logs: nanoseconds since 1970-01-01 UTC (CLOCK_REALTIME) */
};

uint64_t unc_os_now_ns(enum unc_clock clock);

/*
 * Sleeps until the UNC_CLOCK_MONO time, or until wake_fd (-1: none) can be read.  UINT64_MAX: no deadline. 0: the time
 * has come.  UNC_EAGAIN: woken early (no message).
 */
int unc_os_sleep_until(uint64_t mono_ns, int wake_fd);

/* Ends this process at once and without cleanup, as SIGKILL from another process does. */
void unc_os_kill_self(void);

/* Which users may have written a file that controls what we do as root. */
enum unc_trust {
	UNC_TRUST_ANY,  /* any user: the file is only input */
	UNC_TRUST_OWNED /* no symbolic link; for uid 0 also owned by root, and not writable by group or others */
};

/*
 * Reads a whole regular file (or one under /proc or /sys, whose size is not known beforehand) of at most max
 * bytes.  *ret_text is the caller's to free() and has a zero behind its last byte; ret_len may be NULL.
 * UNC_ENODEV: no such file; UNC_EPERM: not readable for us, or not trusted; UNC_ERANGE: longer than max;
 * UNC_EIO; UNC_ENOMEM.  Each sentence begins with the path.
 */
int unc_os_file_read(struct unc_ctx *ctx, const char *path, size_t max, enum unc_trust trust, char **ret_text,
		     size_t *ret_len);

/* A regular file that is read piece by piece.  Errors as above. */
int unc_os_file_open(struct unc_ctx *ctx, const char *path, int *ret_file);
/* Reads up to len bytes from an offset on; *ret_n: how many, 0 at the end of the file. */
int unc_os_file_piece(struct unc_ctx *ctx, int file, uint64_t off, void *bytes, size_t len, size_t *ret_n);
void unc_os_file_close(int file);

/*
 * Names in a directory without "." and "..", sorted by strcmp.  One allocation: free(*ret_names) frees all. UNC_ENODEV:
 * no such directory; UNC_EPERM; UNC_EIO; UNC_ENOMEM.
 */
int unc_os_dir_list(struct unc_ctx *ctx, const char *path, const char *const **ret_names, size_t *ret_n);
/*
 * Checks that the files of a folder may control what is done as root: it is no symbolic link, and for uid 0 root owns
 * it and no other user may write to it.  UNC_EPERM, with what to do; UNC_ENODEV: there is none; UNC_EIO.
 */
int unc_os_dir_trust(struct unc_ctx *ctx, const char *path);

/* What to read from a path: the text of a file, the names in a directory, or the target of a symbolic link as it is stored. */
enum unc_look { UNC_LOOK_TEXT, UNC_LOOK_NAMES, UNC_LOOK_LINK };
struct unc_os_found {
	union { /* free(data) frees any of them */
		void *data;
		char *text; /* of a file, or the target of a link */
		const char *const *names;
	};
	size_t n; /* bytes of a file, or names */
};
/*
 * Reads a file of any owner as unc_os_file_read(), a directory as unc_os_dir_list(), or a link.  max limits files alone.
 * UNC_ENODEV: there is no such file, or it is not a link; other errors are those of these functions.
 */
int unc_os_look(struct unc_ctx *ctx, enum unc_look what, const char *path, size_t max, struct unc_os_found *ret_found);

/* This process, as other processes identify it. */
struct unc_os_self {
	unsigned pid;
	unsigned uid;      /* the user with whose rights it writes */
	uint64_t start;    /* its start time as in /proc/PID/stat: clock ticks since boot */
	char command[240]; /* its command line with blanks between the words, cut off */
};
int unc_os_self(struct unc_ctx *ctx, struct unc_os_self *ret_self);
/* Returns true if there is such a process, as far as it is visible from here. */
bool unc_os_process_lives(unsigned pid, uint64_t start);

/*
 * A folder for what must outlive us: mode 0700, our own or root's, and nothing in it is followed through symbolic links.  In root's
 * folder a file may be of any user, since only a process as good as root can have made it.  path NULL: the default, /run/uncorectl,
 * of others than root /run/uncorectl-UID.  create: it is made if need be, but not its parents.  UNC_EPERM: another user owns it, it is
 * open to others, or a link, or may not be made; UNC_ENODEV: there is none; UNC_EIO (full, read-only); UNC_ENOMEM.  Each sentence
 * begins with the path.
 */
struct unc_os_folder;
int unc_os_folder_open(struct unc_ctx *ctx, const char *path, bool create, struct unc_os_folder **ret_folder);
/* Checks whether files could be made there, and the folder first.  Makes nothing; fails as making them would. */
int unc_os_folder_could(struct unc_ctx *ctx, const char *path);
void unc_os_folder_close(struct unc_os_folder *folder);             /* NULL is fine */
const char *unc_os_folder_path(const struct unc_os_folder *folder); /* as given, or the default */
/* As unc_os_dir_list(). */
int unc_os_folder_list(struct unc_os_folder *folder, const char *const **ret_names, size_t *ret_n);
/*
 * As unc_os_file_read(); a file that others may access, or that is not a plain file, is UNC_EPERM.  *ret_held, if not
 * NULL: another process had it locked just before, so its text may be incomplete.
 */
int unc_os_folder_read(struct unc_os_folder *folder, const char *name, size_t max, bool *ret_held, char **ret_text,
		       size_t *ret_len);
/*
 * Opens a file in the folder and locks it: while it is open no other process can lock it.  new: the file is made, and
 * UNC_EBUSY means that there was one, or that another process removed it just then; else it exists, and UNC_EBUSY means
 * that its writer lives.
 */
struct unc_os_held;
int unc_os_folder_hold(struct unc_os_folder *folder, const char *name, bool new, struct unc_os_held **ret_held);
/* Writes all bytes at an offset.  UNC_EIO: disk full, and so on; the former content may be cut short or longer. */
int unc_os_held_write(struct unc_os_held *held, uint64_t off, const void *bytes, size_t len);
/* Puts them on the disk (fsync). */
int unc_os_held_sync(struct unc_os_held *held);
/* Renames it.  UNC_EBUSY: another file has the name; UNC_ENODEV: it was removed. */
int unc_os_held_rename(struct unc_os_held *held, const char *name);
/* Unlocks, closes and frees; remove: removes the file first.  NULL is fine. */
int unc_os_held_end(struct unc_os_held *held, bool remove);

/*
 * Identifies the file at the end of a path: "PREFIX/real/path DEVICE:INODE", a long path cut.  Fails as
 * unc_os_file_read().
 */
int unc_os_identity(struct unc_ctx *ctx, const char *path, const char *prefix, char *buf, size_t size);

/*
 * One writer at a time: a lock on a file that belongs to its opening, so it ends with the process in any case, and
 * excludes every process that has the same file (Linux: an open-file-description lock).
 */
enum unc_claim {
	UNC_CLAIM_TAKE, /* locks it until it is left, or the file is closed */
	UNC_CLAIM_ASK,  /* only tests the lock, for a file that is open for reading only */
	UNC_CLAIM_LEAVE,
};

/*
 * Memory that is a file, so that it outlives its processes and they can share it.  All zero: there is none, and every lock of it
 * is granted.
 */
struct unc_os_shared {
	void *mem;
	size_t len;
	void *impl; /* of the implementation */
};
/*
 * Maps that many bytes; those from used on will not be needed, and take no space in a new file.  UNC_EARG: there is a
 * file of another size; UNC_ENODEV: no such directory; UNC_EPERM, also for a symbolic link and for a file that neither
 * root nor the caller owns, or that others may write; UNC_EIO; UNC_ENOMEM.
 */
int unc_os_shared_open(struct unc_ctx *ctx, const char *path, size_t len, size_t used,
		       struct unc_os_shared *ret_shared);
/*
 * Waits until no other opener, of this process or another, has the lock, or several signals came; the lock of a process
 * that ends is released.
 */
void unc_os_shared_lock(struct unc_os_shared *shared);
void unc_os_shared_unlock(struct unc_os_shared *shared);
/*
 * Locks n bytes of the file from off, which may be far after its end; independent of the lock above.  UNC_EBUSY:
 * another opener, of this process or another, has some of it; UNC_EIO: locks do not work there.  No message.
 */
int unc_os_shared_claim(struct unc_os_shared *shared, uint64_t off, uint64_t n, enum unc_claim how);
void unc_os_shared_close(struct unc_os_shared *shared); /* NULL and all-zero are fine */

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the files of a machine are: on this computer, or below a directory (--machine root:DIR).  Below a directory
 * every path is resolved as if that directory were "/": no symbolic link and no ".." leads out of it.
 */
#ifndef UNC_OS_LINUX_FILES_H
#define UNC_OS_LINUX_FILES_H

#include <sys/types.h>

#include "access/access.h"

struct unc_linux_root {
	char *path;      /* owned; the front of every path: "" for this computer, no slash at its end */
	int fd;          /* owned; that directory; -1 for this computer */
	unsigned uid;    /* the caller's effective user, which does not change while files are opened */
	bool walks;      /* there is no openat2(): unc_linux_open() resolves paths itself */
	bool links;      /* a path that was opened for writing has a symbolic link in it */
	bool is_checked; /* unc_linux_may_write() has checked the directory, and those above it */
};

/* path NULL, "" or "/": this computer.  UNC_EARG: no such folder; UNC_EPERM; UNC_EIO; UNC_ENOMEM. */
int unc_linux_root_open(struct unc_ctx *ctx, const char *path, struct unc_linux_root *ret_root);
void unc_linux_root_close(struct unc_linux_root *root);

/*
 * Opens one file of that machine, with O_CLOEXEC and O_NOCTTY, and without waiting for the other end of a FIFO.  The
 * path begins with root->path.  root NULL: this computer.  -1 and errno.
 */
int unc_linux_open(struct unc_linux_root *root, const char *path, int flags);

/*
 * Before the first write through an open file of a directory tree: is the file what its path claims, and could only root or the
 * caller have put it there?  It is a device of this driver (its major number; 0: there is none), or a regular file of sysfs, proc
 * or a mounted machine (FUSE), or a regular file of the caller's with one name.  The folder of the tree and all above it belong
 * to root or the caller, and others cannot write there.  UNC_EPERM, with the reason.  Files of this computer need no check: /dev and /sys are root's.
 */
int unc_linux_may_write(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, int fd, unsigned driver);

/* Paths below a machine's root, and short files of sysfs and procfs, read with three system calls. */

enum {
	UNC_LINUX_PATH_MAX = 4096, /* Linux's PATH_MAX */
	UNC_LINUX_ROOT_MAX = 2048, /* of root->path, so that all paths below it fit */
};

struct unc_linux_path {
	char text[UNC_LINUX_PATH_MAX];
};

/* Puts root->path and what follows into path.  Returns path->text. */
const char *unc_linux_path(const struct unc_linux_root *root, struct unc_linux_path *path, const char *fmt, ...)
	UNC_PRINTF(3, 4);
/*
 * root is as in unc_linux_open(), here and below.  Returns whether there is a file of that name, as far as this process
 * may see it; else errno has the reason.
 */
bool unc_linux_is_there(struct unc_linux_root *root, const char *path);

/*
 * One read() of at most size - 1 bytes, terminated by zero: enough for a file of sysfs or procfs; sets no message.
 * Returns 0 or an errno; a file that does not fit is EFBIG.
 */
int unc_linux_short_file(struct unc_linux_root *root, const char *path, char *buf, size_t size);
/* The same for a file with one decimal number, perhaps negative; EINVAL if it has none. */
int unc_linux_number_file(struct unc_linux_root *root, const char *path, int64_t *ret_number);

/* The number after "NAME ", which begins a line of the text.  False: there is none. */
bool unc_linux_number_after(const char *text, const char *name, uint64_t *ret_number);

/* unc_os_file_read(), unc_os_dir_list() and unc_os_look() of a machine's files. */
int unc_linux_file_read(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, size_t max,
			enum unc_trust trust, char **ret_text, size_t *ret_len);
int unc_linux_dir_list(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path,
		       const char *const **ret_names, size_t *ret_n);
/* Reads an open file from its position to its end; size: what fstat() says.  As unc_os_file_read(). */
int unc_linux_fill(struct unc_ctx *ctx, const char *path, int fd, size_t max, off_t size, char **ret_text,
		   size_t *ret_len);
int unc_linux_look(struct unc_ctx *ctx, struct unc_linux_root *root, enum unc_look what, const char *path, size_t max,
		   struct unc_os_found *ret_found);

/* Names in an open directory. */

/*
 * Reads from the present position to the end, without "." and "..", sorted by strcmp.  One allocation: free(*ret_names)
 * frees all. Returns 0 or an errno.
 */
int unc_linux_names(int fd, const char *const **ret_names, size_t *ret_n);

/*
 * Locks of an open file (fcntl(2), "Open file description locks"): they end when the last descriptor of that opening is
 * closed.
 */

/*
 * One fcntl() for n bytes from first; n 0: to the end of the file, also when it grows.  Returns 0 or an errno; EBUSY:
 * another process has a lock on some of it.
 */
int unc_linux_lock(int fd, uint64_t first, uint64_t n, enum unc_claim how);

/* unc_bus_ops.claim() by such a lock of the space's file, which has that path.  UNC_EBUSY, UNC_ENOSUP, UNC_EIO. */
int unc_linux_claim(struct unc_space *space, int fd, uint64_t first, uint64_t n, enum unc_claim how, const char *path);

#endif

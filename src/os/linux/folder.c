// SPDX-License-Identifier: GPL-2.0-or-later
/* base/os.h on Linux: a folder of files, each locked by the process that writes it. */
#define _GNU_SOURCE

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "os/linux/fail.h"

struct unc_os_folder {
	struct unc_ctx *ctx; /* outlives it */
	char *path;          /* owned */
	int fd;
	uid_t owner;
};

struct unc_os_held {
	struct unc_os_folder *folder; /* outlives it */
	char *name;                   /* owned */
	int fd;
};

/* Users other than root get another folder: root would have to trust a folder that others own. */
static char *default_path(void)
{
	return geteuid() ? unc_text_new("/run/uncorectl-%u", (unsigned)geteuid()) : unc_text_dup("/run/uncorectl");
}

/*
 * Of root's folder only a process that may pass every file (CAP_DAC_OVERRIDE) can open it, such as a service that shares it with
 * root.  It must have this right from its caller: one with file capabilities acts for a user whom root need not trust.
 */
static int check_folder(struct unc_os_folder *folder)
{
	struct stat st;

	if (fstat(folder->fd, &st) < 0)
		return unc_linux_fail(folder->ctx, errno, "%s", folder->path);
	folder->owner = st.st_uid;
	if (st.st_uid != geteuid() && (st.st_uid != 0 || getauxval(AT_SECURE) != 0))
		return unc_fail(
			folder->ctx, UNC_EPERM,
			"%s: not trusted: this folder belongs to user %u, and journals steer what is written to the "
			"hardware; remove it, or name another with --state",
			folder->path, (unsigned)st.st_uid);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return unc_fail(
			folder->ctx, UNC_EPERM,
			"%s: not trusted: others may look into this folder or write there (mode %04o); remove it after "
			"a look at what is in it, or name another with --state",
			folder->path, (unsigned)(st.st_mode & 07777));
	return UNC_OK;
}

/* The link itself is never opened: ENOTDIR if it leads to a directory, else ELOOP. */
static int open_failed(const struct unc_os_folder *folder, int errnum)
{
	struct stat st;
	bool is_there = (errnum == ENOTDIR || errnum == ELOOP) && lstat(folder->path, &st) == 0;

	if (is_there && S_ISLNK(st.st_mode))
		return unc_fail_named(
			folder->ctx, UNC_EPERM, "ELOOP",
			"%s: not trusted: it is a symbolic link, and others might lead it elsewhere; name the "
			"folder itself with --state",
			folder->path);
	if (is_there && errnum == ENOTDIR)
		return unc_fail_named(folder->ctx, UNC_EPERM, "ENOTDIR", "%s: not a folder", folder->path);
	return unc_linux_fail(folder->ctx, errnum, "%s", folder->path);
}

int unc_os_folder_open(struct unc_ctx *ctx, const char *path, bool create, struct unc_os_folder **ret_folder)
{
	static const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct unc_os_folder *folder = calloc(1, sizeof(*folder));
	int rc;

	if (!folder || !(folder->path = path ? unc_text_dup(path) : default_path())) {
		free(folder);
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path ? path : "state folder");
	}
	folder->ctx = ctx;
	folder->fd = open(folder->path, flags);
	if (folder->fd < 0 && errno == ENOENT && create) {
		if (mkdir(folder->path, S_IRWXU) < 0 && errno != EEXIST) {
			rc = unc_linux_fail(ctx, errno, "%s: make this folder", folder->path);
			goto fail;
		}
		folder->fd = open(folder->path, flags);
	}
	rc = folder->fd < 0 ? open_failed(folder, errno) : check_folder(folder);
	if (rc < 0)
		goto fail;
	*ret_folder = folder;
	return UNC_OK;
fail:
	unc_os_folder_close(folder);
	return rc;
}

int unc_os_folder_could(struct unc_ctx *ctx, const char *path)
{
	char *name = path ? unc_text_dup(path) : default_path();
	char *above = name ? unc_text_dup(name) : NULL;
	int rc = UNC_OK;

	errno = 0;
	if (!above)
		rc = unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path ? path : "state folder");
	else if (faccessat(AT_FDCWD, name, W_OK | X_OK, AT_EACCESS) < 0 && errno != ENOENT)
		rc = unc_linux_fail(ctx, errno, "%s: make a file there", name);
	else if (errno == ENOENT && faccessat(AT_FDCWD, dirname(above), W_OK | X_OK, AT_EACCESS) < 0)
		rc = unc_linux_fail(ctx, errno, "%s: make this folder", name);
	free(above);
	free(name);
	return rc;
}

void unc_os_folder_close(struct unc_os_folder *folder)
{
	if (!folder)
		return;
	if (folder->fd >= 0)
		close(folder->fd);
	free(folder->path);
	free(folder);
}

const char *unc_os_folder_path(const struct unc_os_folder *folder)
{
	return folder->path;
}

int unc_os_folder_list(struct unc_os_folder *folder, const char *const **ret_names, size_t *ret_n)
{
	int errnum = lseek(folder->fd, 0, SEEK_SET) < 0 ? errno : unc_linux_names(folder->fd, ret_names, ret_n);

	return errnum ? unc_linux_fail(folder->ctx, errnum, "%s", folder->path) : UNC_OK;
}

/* Checks that it is a plain file, and ours; in root's folder it may be of any user whom root let make it there. */
static int check_file(const struct unc_os_folder *folder, const char *name, int fd, struct stat *ret_st)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return unc_linux_fail(folder->ctx, errno, "%s/%s", folder->path, name);
	if (!S_ISREG(st.st_mode))
		return unc_fail(folder->ctx, UNC_EPERM, "%s/%s: not trusted: it is not a regular file", folder->path,
				name);
	if ((st.st_uid != geteuid() && folder->owner != 0) || st.st_mode & (S_IRWXG | S_IRWXO))
		return unc_fail(
			folder->ctx, UNC_EPERM,
			"%s/%s: not trusted: it belongs to user %u and has mode %04o, where only we should reach it",
			folder->path, name, (unsigned)st.st_uid, (unsigned)(st.st_mode & 07777));
	*ret_st = st;
	return UNC_OK;
}

int unc_os_folder_read(struct unc_os_folder *folder, const char *name, size_t max, bool *ret_held, char **ret_text,
		       size_t *ret_len)
{
	/* O_NONBLOCK: a pipe is refused, not waited for. */
	int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY), errnum, rc;
	struct stat st = {0};
	char *path = NULL;

	if (fd < 0)
		return unc_linux_fail(folder->ctx, errno, "%s/%s", folder->path, name);
	errnum = ret_held ? unc_linux_lock(fd, 0, 0, UNC_CLAIM_ASK) : 0;
	if (errnum && errnum != EBUSY)
		rc = unc_linux_fail(folder->ctx, errnum, "%s/%s: ask for its lock", folder->path, name);
	else
		rc = check_file(folder, name, fd, &st);
	if (rc == UNC_OK && !(path = unc_text_new("%s/%s", folder->path, name)))
		rc = unc_fail(folder->ctx, UNC_ENOMEM, "%s/%s: out of memory", folder->path, name);
	if (rc == UNC_OK)
		rc = unc_linux_fill(folder->ctx, path, fd, max, st.st_size, ret_text, ret_len);
	if (rc == UNC_OK && ret_held)
		*ret_held = errnum == EBUSY;
	free(path);
	close(fd);
	return rc;
}

/* Locks it.  Between opening and locking, the file may have been removed and another made in its place. */
static int take_lock(const struct unc_os_held *held)
{
	const struct unc_os_folder *folder = held->folder;
	int errnum = unc_linux_lock(held->fd, 0, 0, UNC_CLAIM_TAKE), rc;
	struct stat st = {0};

	if (errnum == EBUSY)
		return unc_fail_named(folder->ctx, UNC_EBUSY, "EBUSY", "%s/%s: another process holds it", folder->path,
				      held->name);
	if (errnum)
		return unc_linux_fail(folder->ctx, errnum, "%s/%s: lock it", folder->path, held->name);
	rc = check_file(folder, held->name, held->fd, &st);
	if (rc == UNC_OK && st.st_nlink == 0)
		return unc_fail_named(folder->ctx, UNC_ENODEV, "ENOENT", "%s/%s: it was removed meanwhile",
				      folder->path, held->name);
	return rc;
}

int unc_os_folder_hold(struct unc_os_folder *folder, const char *name, bool new, struct unc_os_held **ret_held)
{
	int how = new ? O_CREAT | O_EXCL : O_NONBLOCK, rc;
	struct unc_os_held *held = calloc(1, sizeof(*held));

	if (!held || !(held->name = unc_text_dup(name))) {
		free(held);
		return unc_fail(folder->ctx, UNC_ENOMEM, "%s/%s: out of memory", folder->path, name);
	}
	held->folder = folder;
	held->fd = openat(folder->fd, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | how, S_IRUSR | S_IWUSR);
	if (held->fd < 0 && errno == EEXIST)
		rc = unc_fail_named(folder->ctx, UNC_EBUSY, "EEXIST", "%s/%s: it is there already", folder->path, name);
	else if (held->fd < 0)
		rc = unc_linux_fail(folder->ctx, errno, "%s/%s", folder->path, name);
	else
		rc = take_lock(held);
	if (rc == UNC_ENODEV && new)
		rc = UNC_EBUSY;
	if (rc < 0)
		unc_os_held_end(held, false);
	else
		*ret_held = held;
	return rc;
}

int unc_os_held_write(struct unc_os_held *held, uint64_t off, const void *bytes, size_t len)
{
	const char *from = bytes;
	ssize_t n;

	while (len) {
		n = pwrite(held->fd, from, len, (off_t)off);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return unc_linux_fail(held->folder->ctx, n < 0 ? errno : ENOSPC, "%s/%s", held->folder->path,
					      held->name);
		from += n;
		off += (uint64_t)n;
		len -= (size_t)n;
	}
	return UNC_OK;
}

int unc_os_held_sync(struct unc_os_held *held)
{
	if (fsync(held->fd) < 0)
		return unc_linux_fail(held->folder->ctx, errno, "%s/%s", held->folder->path, held->name);
	return UNC_OK;
}

/*
 * In one step if the kernel and the file system can: a file of that name belongs to another process, and may be the
 * only copy.
 */
static int rename_new(int fd, const char *from, const char *to)
{
	enum { NO_REPLACE = 1 }; /* renameat2(2): RENAME_NOREPLACE */
	struct stat st;

	if (syscall(SYS_renameat2, fd, from, fd, to, NO_REPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	if (fstatat(fd, to, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return EEXIST;
	return renameat(fd, from, fd, to) < 0 ? errno : 0;
}

int unc_os_held_rename(struct unc_os_held *held, const char *name)
{
	const struct unc_os_folder *folder = held->folder;
	char *copy = unc_text_dup(name);
	int errnum;

	if (!copy)
		return unc_fail(folder->ctx, UNC_ENOMEM, "%s/%s: out of memory", folder->path, name);
	errnum = rename_new(folder->fd, held->name, name);
	if (errnum) {
		free(copy);
		return errnum == EEXIST ? unc_fail_named(folder->ctx, UNC_EBUSY, "EEXIST", "%s/%s: it is there already",
							 folder->path, name)
					: unc_linux_fail(folder->ctx, errnum, "%s/%s", folder->path, name);
	}
	free(held->name);
	held->name = copy;
	return UNC_OK;
}

int unc_os_held_end(struct unc_os_held *held, bool remove)
{
	int rc = UNC_OK;

	if (!held)
		return UNC_OK;
	/*
	 * The lock is released after the name is removed: the next process to get the lock then sees that the file is
	 * gone.
	 */
	if (remove && unlinkat(held->folder->fd, held->name, 0) < 0 && errno != ENOENT)
		rc = unc_linux_fail(held->folder->ctx, errno, "%s/%s: remove it", held->folder->path, held->name);
	if (held->fd >= 0)
		close(held->fd);
	free(held->name);
	free(held);
	return rc;
}

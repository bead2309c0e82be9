// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names in a directory, without opendir(): opening a machine lists many directories, and this is one system call less
 * for each.
 */
#define _GNU_SOURCE
#include "os/linux/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/text.h"
#include "os/linux/fail.h"

int unc_linux_names(int fd, const char *const **ret_names, size_t *ret_n)
{
	_Alignas(struct dirent64) char entries[32768];
	struct unc_names names = {0};
	const char *const *list;
	int errnum = 0;
	size_t n_names;
	ssize_t n;

	do {
		n = getdents64(fd, (void *)entries, sizeof(entries));
		if (n < 0)
			errnum = errno;
		/* Entries are as the kernel returns them, each with its own length. */
		for (ssize_t at = 0; at < n && !errnum;) {
			const struct dirent64 *entry = (const struct dirent64 *)(entries + at);

			if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
			    !unc_names_add(&names, entry->d_name))
				errnum = ENOMEM;
			at += entry->d_reclen;
		}
	} while (n > 0 && !errnum);
	n_names = names.n;
	list = unc_names_list(&names, true);
	if (errnum || !list) {
		free((void *)list);
		return errnum ? errnum : ENOMEM;
	}
	*ret_names = list;
	*ret_n = n_names;
	return 0;
}

const char *unc_linux_path(const struct unc_linux_root *root, struct unc_linux_path *path, const char *fmt, ...)
{
	int len = snprintf(path->text, sizeof(path->text), "%s", root->path);
	va_list args;

	va_start(args, fmt);
	vsnprintf(path->text + len, sizeof(path->text) - (size_t)len, fmt, args);
	va_end(args);
	return path->text;
}

bool unc_linux_is_there(struct unc_linux_root *root, const char *path)
{
	struct stat st;
	int fd;

	/* Not access(): it checks the real user, and without capabilities unless that is root (access(2)). */
	if (!root || root->fd < 0)
		return stat(path, &st) == 0;
	fd = unc_linux_open(root, path, O_PATH);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int unc_linux_short_file(struct unc_linux_root *root, const char *path, char *buf, size_t size)
{
	int fd = unc_linux_open(root, path, O_RDONLY), errnum = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	n = read(fd, buf, size);
	if (n < 0)
		errnum = errno;
	else if ((size_t)n == size)
		errnum = EFBIG;
	else
		buf[n] = '\0';
	close(fd);
	return errnum;
}

int unc_linux_number_file(struct unc_linux_root *root, const char *path, int64_t *ret_number)
{
	char text[64], *end;
	long long number;
	int errnum = unc_linux_short_file(root, path, text, sizeof(text));

	if (errnum)
		return errnum;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || (*end != '\n' && *end != '\0'))
		return EINVAL;
	*ret_number = number;
	return 0;
}

bool unc_linux_number_after(const char *text, const char *name, uint64_t *ret_number)
{
	size_t len = strlen(name);
	const char *line = text;

	while (line && (strncmp(line, name, len) != 0 || line[len] != ' ')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return false;
	line += len + 1;
	return unc_text_take(&line, ret_number) && strchr("\n", *line);
}

int unc_os_identity(struct unc_ctx *ctx, const char *path, const char *prefix, char *buf, size_t size)
{
	char *real = realpath(path, NULL);
	struct stat st;
	int errnum = 0;

	if (!real || stat(real, &st) < 0)
		errnum = errno;
	else
		snprintf(buf, size, "%s%.480s %llx:%llu", prefix, real, (unsigned long long)st.st_dev,
			 (unsigned long long)st.st_ino);
	free(real);
	return errnum ? unc_linux_fail(ctx, errnum, "%s", path) : UNC_OK;
}

static int read_link(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, char **ret_text)
{
	bool below = root && root->fd >= 0;
	int fd = below ? unc_linux_open(root, path, O_PATH | O_NOFOLLOW) : -1, errnum = 0;
	char target[UNC_LINUX_PATH_MAX];
	ssize_t n = -1;

	if (!below)
		n = readlink(path, target, sizeof(target) - 1);
	else if (fd >= 0)
		n = readlinkat(fd, "", target, sizeof(target) - 1);
	if (n < 0)
		errnum = fd >= 0 && errno == ENOENT ? EINVAL : errno; /* the errno for a file that is not a link */
	if (fd >= 0)
		close(fd);
	if (errnum == EINVAL)
		return unc_fail_named(ctx, UNC_ENODEV, "EINVAL", "%s: not a symbolic link", path);
	if (errnum)
		return unc_linux_fail(ctx, errnum, "%s", path);
	target[n] = '\0';
	*ret_text = unc_text_dup(target);
	return *ret_text ? UNC_OK : unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path);
}

int unc_linux_look(struct unc_ctx *ctx, struct unc_linux_root *root, enum unc_look what, const char *path, size_t max,
		   struct unc_os_found *ret_found)
{
	switch (what) {
	case UNC_LOOK_TEXT:
		return unc_linux_file_read(ctx, root, path, max, UNC_TRUST_ANY, &ret_found->text, &ret_found->n);
	case UNC_LOOK_NAMES:
		return unc_linux_dir_list(ctx, root, path, &ret_found->names, &ret_found->n);
	default:
		return read_link(ctx, root, path, &ret_found->text);
	}
}

int unc_os_look(struct unc_ctx *ctx, enum unc_look what, const char *path, size_t max, struct unc_os_found *ret_found)
{
	return unc_linux_look(ctx, NULL, what, path, max, ret_found);
}

/* openat2(2): headers before Linux 5.6 lack it; its number is the same on all architectures except Alpha. */
#ifndef SYS_openat2
#define SYS_openat2 437
#endif
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif

enum {
	NO_SYMLINKS = 0x04, /* RESOLVE_NO_SYMLINKS */
	IN_ROOT = 0x10,     /* RESOLVE_IN_ROOT */
	TRIES = 16,         /* EAGAIN: a directory was moved while the kernel resolved ".." */
	LINKS_MAX = 40,     /* as in the kernel */
	DEPTH_MAX = 64,     /* depth of a path */
};

struct how { /* struct open_how */
	uint64_t flags, mode, resolve;
};

/* ---- opening the directory ---- */

static int root_failed(struct unc_ctx *ctx, const char *path, int errnum)
{
	struct unc_linux_root computer = {.path = "", .fd = -1};
	struct unc_linux_refusal refusal = {&computer, path, UNC_LINUX_OPEN_READ, .errnum = errnum};
	struct stat st;

	if (errnum == ENOTDIR && stat(path, &st) == 0)
		return unc_fail_named(ctx, UNC_EARG, "ENOTDIR", "root:%s: not a directory", path);
	if (errnum == ENOENT || errnum == ENOTDIR)
		return unc_fail_named(ctx, UNC_EARG, "ENOENT", "root:%s: no such directory", path);
	if (unc_linux_is_refusal(errnum))
		return unc_linux_refused(ctx, &refusal, "root:%s", path);
	return unc_linux_fail(ctx, errnum, "root:%s", path);
}

int unc_linux_root_open(struct unc_ctx *ctx, const char *path, struct unc_linux_root *ret_root)
{
	struct unc_linux_root root = {.path = unc_text_dup(path ? path : ""), .fd = -1, .uid = (unsigned)geteuid()};
	int rc = UNC_OK;

	if (!root.path)
		return unc_fail(ctx, UNC_ENOMEM, "machine: out of memory");
	for (size_t len = strlen(root.path); len && root.path[len - 1] == '/';)
		root.path[--len] = '\0';
	if (strlen(root.path) > UNC_LINUX_ROOT_MAX) {
		rc = unc_fail_named(ctx, UNC_EARG, "ENAMETOOLONG", "%.60s...: this path is longer than Linux can open",
				    root.path);
	} else if (*root.path) {
		root.fd = open(root.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (root.fd < 0)
			rc = root_failed(ctx, root.path, errno);
	}
	if (rc < 0)
		free(root.path);
	else
		*ret_root = root;
	return rc;
}

void unc_linux_root_close(struct unc_linux_root *root)
{
	if (root->path && root->fd >= 0)
		close(root->fd);
	free(root->path);
	*root = (struct unc_linux_root){.fd = -1};
}

/* ---- resolving paths without openat2() ---- */

struct walk {
	int folders[DEPTH_MAX + 1]; /* [0] is the root; the others are owned */
	size_t n;                   /* the depth: folders[n] is the current directory */
	unsigned links;
	bool guarded; /* every directory on the way must be safe from other users */
	char rest[2 * UNC_LINUX_PATH_MAX];
};

static void walk_up(struct walk *walk)
{
	if (walk->n)
		close(walk->folders[walk->n--]);
}

/* Returns true if it belongs to root or the caller, and no other user can make or rename files in it. */
static bool is_safe(const struct stat *st)
{
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return false;
	return !(st->st_mode & S_IWOTH) && !(st->st_mode & S_IWGRP && st->st_gid != getegid() && st->st_gid != 0);
}

/* 0 or an errno. */
static int walk_down(struct walk *walk, int fd)
{
	struct stat st;

	if (walk->n == DEPTH_MAX) {
		close(fd);
		return ENAMETOOLONG;
	}
	walk->folders[++walk->n] = fd;
	return walk->guarded && (fstat(fd, &st) < 0 || !is_safe(&st)) ? EXDEV : 0;
}

/* Replaces that name by the target of the link.  0, or an errno: EINVAL if it is not a link. */
static int walk_link(struct walk *walk, const char *name)
{
	char target[sizeof(walk->rest)];
	ssize_t n = readlinkat(walk->folders[walk->n], name, target, UNC_LINUX_PATH_MAX);
	size_t len = strlen(walk->rest);

	if (n < 0)
		return errno;
	if (++walk->links > LINKS_MAX)
		return ELOOP;
	if ((size_t)n + 1 + len >= sizeof(walk->rest) || n == UNC_LINUX_PATH_MAX)
		return ENAMETOOLONG;
	while (n && target[0] == '/' && walk->n)
		walk_up(walk);
	target[n] = '/';
	memcpy(target + n + 1, walk->rest, len + 1);
	memcpy(walk->rest, target, (size_t)n + len + 2);
	return 0;
}

/* Takes the next name from the front of the rest; false: there is none. */
static bool walk_next(struct walk *walk, char name[NAME_MAX + 1], int *ret_errnum)
{
	const char *at = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(at, "/");

	*ret_errnum = len > NAME_MAX ? ENAMETOOLONG : 0;
	if (!len || *ret_errnum)
		return false;
	memcpy(name, at, len);
	name[len] = '\0';
	at += len + strspn(at + len, "/");
	memmove(walk->rest, at, strlen(at) + 1);
	return true;
}

/* All names left are directories except the last one, which is opened as requested.  *ret_fd stays -1 until then. */
static int walk_step(struct walk *walk, const char *name, int flags, int *ret_fd)
{
	bool is_last = !walk->rest[0], follows = !(is_last && flags & O_NOFOLLOW);
	int how = is_last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC, fd, errnum;

	if (strcmp(name, ".") == 0)
		return 0;
	if (strcmp(name, "..") == 0) {
		walk_up(walk);
		return 0;
	}
	/* O_PATH would open the link itself. */
	errnum = is_last && follows && flags & O_PATH ? walk_link(walk, name) : EINVAL;
	if (errnum != EINVAL)
		return errnum;
	fd = openat(walk->folders[walk->n], name, how | O_NOFOLLOW);
	errnum = fd < 0 ? errno : 0;
	if (follows && (errnum == ELOOP || errnum == ENOTDIR)) {
		errnum = walk_link(walk, name);
		return errnum == EINVAL ? ENOTDIR : errnum;
	}
	if (errnum)
		return errnum;
	if (!is_last)
		return walk_down(walk, fd);
	*ret_fd = fd;
	return 0;
}

static int walk_open(const struct unc_linux_root *root, const char *below, int flags, bool guarded)
{
	struct walk walk = {.folders = {root->fd}, .guarded = guarded};
	char name[NAME_MAX + 1];
	int fd = -1, errnum = 0;

	if (strlen(below) >= UNC_LINUX_PATH_MAX)
		errnum = ENAMETOOLONG;
	else
		snprintf(walk.rest, sizeof(walk.rest), "%s", below);
	while (fd < 0 && !errnum && walk_next(&walk, name, &errnum))
		errnum = walk_step(&walk, name, flags, &fd);
	if (fd < 0 && !errnum) {
		/* The path ends with a directory that is open. */
		fd = openat(walk.folders[walk.n], ".", flags);
		errnum = fd < 0 ? errno : 0;
	}
	while (walk.n)
		walk_up(&walk);
	errno = errnum;
	return fd;
}

/* ---- opening a file ---- */

static int kernel_open(const struct unc_linux_root *root, const char *below, int flags, uint64_t resolve)
{
	const struct how how = {.flags = (uint64_t)(unsigned)flags, .resolve = resolve};
	long fd;

	for (unsigned i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, root->fd, below, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return (int)fd;
}

/* A filter of system calls may answer EPERM to an unknown call, as a driver does to a process without a capability. */
static bool kernel_lacks_it(const struct unc_linux_root *root, int errnum)
{
	int fd;

	if (errnum != ENOSYS && errnum != EPERM)
		return false;
	fd = kernel_open(root, ".", O_PATH | O_CLOEXEC, IN_ROOT);
	if (fd < 0)
		return true;
	close(fd);
	return false;
}

static const char *below_of(const struct unc_linux_root *root, const char *path)
{
	const char *below = path + strlen(root->path);

	while (*below == '/')
		below++;
	return *below ? below : ".";
}

int unc_linux_open(struct unc_linux_root *root, const char *path, int flags)
{
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	const char *below;
	int fd = -1, errnum;

	flags |= O_CLOEXEC;
	if (!(flags & O_PATH))
		flags |= O_NOCTTY | O_NONBLOCK;
	if (!root || root->fd < 0)
		return open(path, flags);
	below = below_of(root, path);
	if (!root->walks) {
		/* Writing is first tried without links: then unc_linux_may_write() need not find out who could have made them. */
		if (writes && !root->links) {
			fd = kernel_open(root, below, flags, IN_ROOT | NO_SYMLINKS);
			root->links = fd < 0 && errno == ELOOP;
		}
		if (!writes || root->links)
			fd = kernel_open(root, below, flags, IN_ROOT);
		errnum = errno;
		root->walks = fd < 0 && kernel_lacks_it(root, errnum);
		errno = errnum;
	}
	if (!root->walks)
		return fd;
	root->links |= writes; /* the walk does not report links */
	return walk_open(root, below, flags, false);
}

/* ---- before the first write ---- */

/* A directory above may be writable by all if its entries are safe from other users (S_ISVTX), as /tmp is. */
static int check_folders(struct unc_ctx *ctx, struct unc_linux_root *root)
{
	char up[3 * DEPTH_MAX + 1] = "";
	struct stat st, below = {0};
	size_t len = 0;

	for (unsigned i = 0; i < DEPTH_MAX; i++, below = st) {
		if (fstatat(root->fd, up, &st, AT_EMPTY_PATH) < 0)
			return unc_linux_fail(ctx, errno, "%s/%s", root->path, up);
		if (i && st.st_ino == below.st_ino && st.st_dev == below.st_dev)
			break; /* "/" */
		if (i && st.st_mode & S_ISVTX)
			st.st_mode &= ~(mode_t)(S_IWOTH | S_IWGRP);
		if (!is_safe(&st))
			return unc_fail(ctx, UNC_EPERM,
					"%s/%s: others than root and you can change this folder (user %u, mode %04o); "
					"use a copy of the tree elsewhere",
					root->path, up, (unsigned)st.st_uid, (unsigned)(st.st_mode & 07777));
		len += (size_t)snprintf(up + len, sizeof(up) - len, "%s..", len ? "/" : "");
	}
	root->is_checked = true;
	return UNC_OK;
}

/* Returns true if only directories that are safe from other users lead to the same file. */
static bool is_reached_safely(const struct unc_linux_root *root, const char *path, const struct stat *st)
{
	int fd = walk_open(root, below_of(root, path), O_PATH | O_CLOEXEC, true);
	struct stat there;
	bool same = fd >= 0 && fstat(fd, &there) == 0 && there.st_ino == st->st_ino && there.st_dev == st->st_dev;

	if (fd >= 0)
		close(fd);
	return same;
}

/* Returns why it must not be written; NULL: it may be. */
static const char *why_not(const struct unc_linux_root *root, const char *path, int fd, const struct stat *st)
{
	bool is_ours = st->st_uid == root->uid && st->st_nlink == 1;
	struct statfs fs;

	if (is_ours && !root->links)
		return NULL;
	/* A file of a machine. */
	if (fstatfs(fd, &fs) == 0 &&
	    (fs.f_type == SYSFS_MAGIC || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == FUSE_SUPER_MAGIC))
		return NULL;
	if (st->st_uid != root->uid)
		return "this file belongs to another user";
	if (!is_ours)
		return "this file has a second name (a hard link), so it may be more than a captured register";
	return is_reached_safely(root, path, st) ? NULL
						 : "other users can change a folder or a link on the way to this file";
}

int unc_linux_may_write(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, int fd, unsigned driver)
{
	const char *why = "this is not a register's file, but something else";
	struct stat st;
	int rc;

	if (root->fd < 0)
		return UNC_OK;
	rc = root->is_checked ? UNC_OK : check_folders(ctx, root);
	if (rc < 0)
		return rc;
	if (fstat(fd, &st) < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	if (S_ISCHR(st.st_mode) && driver && major(st.st_rdev) == driver)
		return UNC_OK;
	if (S_ISREG(st.st_mode))
		why = why_not(root, path, fd, &st);
	return why ? unc_fail(ctx, UNC_EPERM, "%s: not written: %s; use a copy of the tree", path, why) : UNC_OK;
}

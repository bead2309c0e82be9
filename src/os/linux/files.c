// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/files.h"

#include "base/os.h"
#include "base/text.h"
#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int unc_linux_path(struct unc_ctx *ctx, struct unc_linux_path *ret_path, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(ret_path->text, sizeof(ret_path->text), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(ret_path->text))
		return unc_fail_named(ctx, UNC_EARG, "ENAMETOOLONG",
				      "%.60s...: this path is longer than Linux can open", ret_path->text);
	return UNC_OK;
}

bool unc_linux_is_there(struct unc_linux_root *root, const char *path)
{
	struct stat st;
	int fd;

	/* Not access(): it asks what the real user may, and without capabilities unless that is root (access(2)). */
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

/* As readlink(). */
static ssize_t link_text(struct unc_linux_root *root, const char *path, char *buf, size_t size)
{
	ssize_t n;
	int fd;

	if (!root || root->fd < 0)
		return readlink(path, buf, size);
	fd = unc_linux_open(root, path, O_PATH | O_NOFOLLOW);
	if (fd < 0)
		return -1;
	n = readlinkat(fd, "", buf, size);
	if (n < 0 && errno == ENOENT)
		errno = EINVAL; /* so it answers of a file that is no link */
	close(fd);
	return n;
}

int unc_linux_link_read(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, char **ret_text)
{
	char target[UNC_LINUX_PATH_MAX];
	ssize_t n = link_text(root, path, target, sizeof(target) - 1);

	if (n < 0 && errno == EINVAL)
		return unc_fail_named(ctx, UNC_ENODEV, "EINVAL", "%s: not a symbolic link", path);
	if (n < 0)
		return unc_linux_fail(ctx, errno, "%s", path);
	target[n] = '\0';
	*ret_text = unc_text_dup(target);
	return *ret_text ? UNC_OK : unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path);
}

int unc_os_link_read(struct unc_ctx *ctx, const char *path, char **ret_text)
{
	return unc_linux_link_read(ctx, NULL, path, ret_text);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

int unc_linux_short_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), errnum = 0;
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

int unc_linux_number_file(const char *path, int64_t *ret_number)
{
	char text[64], *end;
	long long number;
	int errnum = unc_linux_short_file(path, text, sizeof(text));

	if (errnum)
		return errnum;
	errno = 0;
	number = strtoll(text, &end, 10);
	if (errno || end == text || (*end != '\n' && *end != '\0'))
		return EINVAL;
	*ret_number = number;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "os/linux/fail.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct errno_row {
	int errnum;
	int err;
	const char *name;
	const char *text; /* NULL: strerror() says it well enough */
};

#define ROW(errnum, err) errnum, err, #errnum

static const struct errno_row rows[] = {
	{ROW(EACCES, UNC_EPERM), NULL},
	{ROW(EAGAIN, UNC_EIO), NULL},
	{ROW(EBADF, UNC_EIO), NULL},
	{ROW(EBUSY, UNC_EBUSY), NULL},
	{ROW(EEXIST, UNC_EIO), NULL},
	{ROW(EFAULT, UNC_EIO), NULL},
	{ROW(EFBIG, UNC_EIO), NULL},
	{ROW(EINTR, UNC_EIO), NULL},
	{ROW(EINVAL, UNC_EIO), NULL},
	{ROW(EIO, UNC_EIO), NULL},
	{ROW(EISDIR, UNC_EIO), NULL},
	{ROW(ELOOP, UNC_EPERM), "it is a symbolic link, or there are too many on the way to it"},
	{ROW(EMFILE, UNC_EIO), "this process has too many files open; allow more with `ulimit -n`"},
	{ROW(ENAMETOOLONG, UNC_EARG), NULL},
	{ROW(ENFILE, UNC_EIO), "the system has too many files open"},
	{ROW(ENODEV, UNC_ENODEV), NULL},
	{ROW(ENOENT, UNC_ENODEV), NULL},
	{ROW(ENOMEM, UNC_ENOMEM), "out of memory"},
	{ROW(ENOSPC, UNC_EIO), NULL},
	{ROW(ENOSYS, UNC_EIO), NULL},
	{ROW(ENOTCONN, UNC_EIO), "the server of this file system has gone; mount it again"},
	{ROW(ENOTDIR, UNC_ENODEV), NULL},
	{ROW(ENXIO, UNC_ENODEV), NULL},
	{ROW(EOPNOTSUPP, UNC_EIO), NULL},
	{ROW(EPERM, UNC_EPERM), NULL},
	{ROW(EPIPE, UNC_EIO), NULL},
	{ROW(ERANGE, UNC_EIO), NULL},
	{ROW(EROFS, UNC_EPERM), NULL},
	{ROW(ESRCH, UNC_ENODEV), NULL}, /* a file of a process that has just ended */
	{ROW(ESTALE, UNC_EIO), NULL},
	{ROW(ETIMEDOUT, UNC_EIO), NULL},
};

static const struct errno_row *find(int errnum)
{
	static const struct errno_row unknown = {0, UNC_EIO, "errno", NULL};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].errnum == errnum)
			return &rows[i];
	return &unknown;
}

const char *unc_linux_err_name(int errnum)
{
	return find(errnum)->name;
}

int unc_linux_errno(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].errnum;
	return EIO;
}

int unc_linux_err(int errnum)
{
	return find(errnum)->err;
}

const char *unc_linux_err_text(int errnum)
{
	const char *text = find(errnum)->text;

	return text ? text : strerror(errnum);
}

int unc_linux_fail(struct unc_ctx *ctx, int errnum, const char *fmt, ...)
{
	char what[UNC_MSG_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return unc_fail_named(ctx, unc_linux_err(errnum), unc_linux_err_name(errnum), "%s: %s", what,
			      unc_linux_err_text(errnum));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_ERRNO_H
#define UNC_COMMAND_ERRNO_H
int *__errno_location(void);
#define errno (*__errno_location())
enum {
	ENOENT = 2,
	EINTR = 4,
	EIO = 5,
	EBADF = 9,
	EAGAIN = 11,
	ENOMEM = 12,
	EACCES = 13,
	EBUSY = 16,
	EEXIST = 17,
	ENODEV = 19,
	ENOTDIR = 20,
	EISDIR = 21,
	EINVAL = 22,
	EMFILE = 24,
	ENOSPC = 28,
	EROFS = 30,
	EPIPE = 32,
	ENOSYS = 38
};
#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_FCNTL_H
#define UNC_COMMAND_FCNTL_H
enum {
	O_RDONLY = 0,
	O_WRONLY = 1,
	O_RDWR = 2,
	O_CREAT = 0x40,
	O_EXCL = 0x80,
	O_NOCTTY = 0,
	O_TRUNC = 0x200,
	O_CLOEXEC = 0,
	F_GETFD = 1
};
int open(const char *path, int flags, ...);
static inline int fcntl(int fd, int what)
{
	(void)what;
	return fd >= 0 ? 0 : -1;
}
#endif

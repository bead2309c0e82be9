/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_UNISTD_H
#define UNC_COMMAND_UNISTD_H
#include <sys/types.h>
enum { STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO };
ssize_t read(int fd, void *bytes, size_t len);
ssize_t write(int fd, const void *bytes, size_t len);
int close(int fd);
int dup(int fd);
static inline int isatty(int fd) /* no sequence of a terminal is sure to work on firmware's consoles */
{
	(void)fd;
	return 0;
}
#endif

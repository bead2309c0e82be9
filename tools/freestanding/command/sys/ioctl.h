/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_SYS_IOCTL_H
#define UNC_COMMAND_SYS_IOCTL_H
struct winsize {
	unsigned short ws_row, ws_col;
};
enum { TIOCGWINSZ };
int ioctl(int fd, int what, struct winsize *ret_size);
#endif

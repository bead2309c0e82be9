/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time of a directory tree that brings its own: DIR/clock, as uncore-simfs serves it with clock=step.  It reads
 *
 *     raw 1000000000000
 *     mono 2000000000000
 *     boot 3000000000000
 *     real 1577836800000000000
 *
 * in nanoseconds, and a number written to it lets so many nanoseconds pass.
 */
#ifndef UNC_OS_LINUX_CLOCK_H
#define UNC_OS_LINUX_CLOCK_H

#include "base/os.h"
#include "os/linux/root.h"

struct unc_linux_clock {
	int fd; /* owned; -1: the tree has no time of its own */
};

/* Without such a file, or with one that reads otherwise, fd is -1.  UNC_EPERM: it is there and cannot be opened. */
int unc_linux_clock_open(struct unc_ctx *ctx, struct unc_linux_root *root, struct unc_linux_clock *ret_clock);
void unc_linux_clock_close(struct unc_linux_clock *clock);
/* 0 when the tree is gone. */
uint64_t unc_linux_clock_now(const struct unc_linux_clock *clock, enum unc_clock which);
/* As unc_os_sleep_until(); UNC_EAGAIN also where time does not pass by sleeping: without a deadline, or the tree is gone. */
int unc_linux_clock_sleep(const struct unc_linux_clock *clock, uint64_t mono_ns, int wake_fd);

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded: FIXED_CTR of the memory channels in plain files counts a DRAM clock of 800 MHz, as what is read there is replaced.  In
 * files alone nothing ticks, and a channel without a clock is taken for one that stands still.
 */
#undef _FORTIFY_SOURCE /* with it pread() is defined in the header */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIXED_CTR = 0xd0, BLOCK_MAX = 64 }; /* Intel 327043-001, table 2-58 */

static uint64_t clock_value(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ((uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec) * 4 / 5 & ((UINT64_C(1) << 48) - 1);
}

static ssize_t read_ticking(int fd, void *bytes, size_t len, off_t off)
{
	ssize_t n = syscall(SYS_pread64, fd, bytes, len, off);
	uint64_t value;

	if (len > BLOCK_MAX || off > FIXED_CTR + 4 || off + n < FIXED_CTR + 4)
		return n;
	value = clock_value();
	for (off_t i = 0; i < (off_t)sizeof(value); i++)
		if (FIXED_CTR + i >= off && FIXED_CTR + i < off + n)
			((unsigned char *)bytes)[FIXED_CTR + i - off] = (unsigned char)(value >> 8 * i);
	return n;
}

__attribute__((visibility("default"))) ssize_t pread(int fd, void *bytes, size_t len, off_t off)
{
	return read_ticking(fd, bytes, len, off);
}

__attribute__((visibility("default"))) ssize_t pread64(int fd, void *bytes, size_t len, off64_t off)
{
	return read_ticking(fd, bytes, len, off);
}

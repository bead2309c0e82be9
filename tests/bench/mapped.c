// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * To be preloaded: a device in the place of /dev/mem can be mapped at any physical address.  What is mapped is memory of zeros, so that
 * nothing counts; which system calls are made, and how many, is as on hardware.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void *map(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISCHR(st.st_mode)) {
		flags = MAP_SHARED | MAP_ANONYMOUS;
		fd = -1;
		off = 0;
	}
	return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, off);
}

__attribute__((visibility("default"))) void *mmap(void *at, size_t len, int prot, int flags, int fd, off_t off)
{
	return map(at, len, prot, flags, fd, off);
}

__attribute__((visibility("default"))) void *mmap64(void *at, size_t len, int prot, int flags, int fd, off64_t off)
{
	return map(at, len, prot, flags, fd, off);
}

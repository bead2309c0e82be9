/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In place of musl's own syscall.h, pthread_impl.h, atomic.h and lock.h, whose names it takes: there is one thread, and a system call is
 * a function of src/os/efi.  Compiled before each file of musl.
 */
#define _INTERNAL_SYSCALL_H
#define _PTHREAD_IMPL_H
#define _ATOMIC_H
#define LOCK_H

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libc.h"

/* musl keeps errno and the locale there. */
struct pthread {
	int errno_val, tid;
	struct __locale_struct *locale;
};
__declspec(selectany) struct pthread unc_only_thread = {0, 1, &libc.global_locale};
#define __pthread_self() (&unc_only_thread)

#define LOCK(lock)                        ((void)(lock))
#define UNLOCK(lock)                      ((void)(lock))
#define a_cas(p, from, to)                __sync_val_compare_and_swap(p, from, to)
#define a_swap(p, to)                     __sync_lock_test_and_set(p, to)
#define __futexwait(address, value, priv) ((void)0)
#define __wake(address, n, priv)          ((void)0)
/* It is asked for the lowest bit of an unsigned long, and given a size_t, which has more bits here. */
#define a_ctz_l(x) ((x) ? __builtin_ctzll(x) : 0)

int ioctl(int fd, int what, ...);
static inline ssize_t unc_writev(int fd, const struct iovec *pieces, int n)
{
	ssize_t len = 0;

	for (; n; n--, pieces++) {
		if (pieces->iov_len && write(fd, pieces->iov_base, pieces->iov_len) < 0)
			return -1;
		len += pieces->iov_len;
	}
	return len;
}
/* Streams are only written, from the beginning on. */
static inline int unc_no_call(int fd, ...)
{
	errno = ENOSYS;
	return -1;
}
#define SYS_writev           unc_writev
#define SYS_close            close
#define SYS_ioctl            ioctl
#define SYS_readv            unc_no_call
#define SYS_read             unc_no_call
#define SYS_lseek            unc_no_call
#define SYS_fcntl            unc_no_call
#define __syscall(call, ...) call(__VA_ARGS__)
#define syscall(call, ...)   call(__VA_ARGS__)

/* Times have no zone. */
struct tm;
__declspec(selectany) const char __utc[] = "UTC";
static inline const char *__tm_to_tzname(const struct tm *tm)
{
	return __utc;
}

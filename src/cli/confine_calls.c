// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The system calls that stay allowed.  Any other, or one with other arguments, fails with EPERM and does not kill the process:
 * registers that are programmed are then put back as after any other failure.  Each call is listed under the names by which
 * different C libraries and architectures call it.  src/cli/README.md describes how to find what is missing.
 */
#define _GNU_SOURCE
#include "cli/confine.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* musl has macros of these names, for a C library with two sizes of off_t. */
#undef pread64
#undef pwrite64
#ifndef TCGETS2 /* as for POWER */
#define TCGETS2 TCGETS
#endif

const bool confine_has_filter = true;

#define LOW UINT64_C(0xffffffff) /* an int: the bits above it in its register are undefined */

/* A call that is allowed: with any arguments, or only with this value of one argument, or these of two (then n is 2). */
struct rule {
	int call;
	unsigned n;
	struct scmp_arg_cmp args[2];
};

/* clang-format off */
#define ANY(name) {.call = SCMP_SYS(name)}
#define EQUALS(arg, value) SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, LOW, (uint64_t)(unsigned)(value))
#define HAS(arg, bits)     SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, (uint64_t)(unsigned)(bits), (uint64_t)(unsigned)(bits))
#define HAS_NOT(arg, bits) SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, (uint64_t)(unsigned)(bits), 0)
/* All flags that create or change a file, or request the right to. */
#define WRITES (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define SIGN   UINT64_C(0x80000000) /* the sign of an int: AT_FDCWD has it, the descriptor of an open folder does not */

/* Allowed with any arguments. */
static const struct rule calls[] = {
	/* open files */
	ANY(read), ANY(readv), ANY(pread64), ANY(write), ANY(writev), ANY(pwrite64), ANY(lseek), ANY(_llseek), ANY(close),
	ANY(fstat), ANY(fstat64), ANY(getdents64), ANY(flock), ANY(fsync), ANY(ftruncate), ANY(ftruncate64),
	/* file metadata */
	ANY(stat), ANY(stat64), ANY(lstat), ANY(lstat64), ANY(newfstatat), ANY(fstatat64), ANY(statx), ANY(fstatfs),
	ANY(fstatfs64), ANY(access), ANY(faccessat), ANY(faccessat2), ANY(readlink), ANY(readlinkat),
	/* time and waiting */
	ANY(clock_gettime), ANY(clock_gettime64), ANY(gettimeofday), ANY(time), ANY(poll), ANY(ppoll),
	ANY(ppoll_time64), ANY(nanosleep), ANY(clock_nanosleep), ANY(clock_nanosleep_time64), ANY(restart_syscall),
	ANY(wait4), ANY(waitid), ANY(waitpid),
	/* signals, and the alarm that interrupts blocking calls */
	ANY(rt_sigaction), ANY(rt_sigprocmask), ANY(rt_sigreturn), ANY(sigreturn), ANY(alarm), ANY(setitimer),
	/* memory */
	ANY(brk), ANY(munmap), ANY(mremap), ANY(madvise), ANY(futex), ANY(futex_time64), ANY(getrandom),
	ANY(sysinfo), /* qsort() asks it for the amount of memory */
	/* own ids, and the current CPU: CPUID is executed on a given CPU */
	ANY(getpid), ANY(gettid), ANY(getuid), ANY(getuid32), ANY(geteuid), ANY(geteuid32), ANY(getgid),
	ANY(getgid32), ANY(getegid), ANY(getegid32), ANY(capget), ANY(sched_getaffinity),
	/* exit */
	ANY(exit), ANY(exit_group),
};

/* Calls that create and remove files in a folder. */
static const struct rule changes[] = {
	ANY(open), ANY(openat), ANY(mkdir), ANY(mkdirat), ANY(unlink), ANY(rename), ANY(renameat), ANY(renameat2),
	ANY(fchmod), ANY(fchown), ANY(fallocate), ANY(fdatasync), ANY(openat2),
	/* folders are never removed */
	{SCMP_SYS(unlinkat), 1, {EQUALS(2, 0)}},
};

/* Calls for a thread, and for the node of its memory. */
static const struct rule threads[] = {
	ANY(set_robust_list), ANY(rseq), ANY(mbind),
	{SCMP_SYS(clone), 1, {HAS(0, CLONE_THREAD)}}, /* a thread, but no process */
};

/*
 * The calls of a sample come first.  From Linux 5.11 on a call that is allowed with any arguments is cached (commit 8e01b51a31a1,
 * "seccomp/cache: Add \"emulator\" to check if filter is constant allow"); before that each call runs the filter.
 */
static const int of_a_sample[] = {SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(write), SCMP_SYS(ppoll)};

static const struct rule rules[] = {
	{SCMP_SYS(mprotect), 1, {HAS_NOT(2, PROT_EXEC)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_GETFD)}}, {SCMP_SYS(fcntl64), 1, {EQUALS(1, F_GETFD)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_SETFD)}}, {SCMP_SYS(fcntl64), 1, {EQUALS(1, F_SETFD)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_GETFL)}}, {SCMP_SYS(fcntl64), 1, {EQUALS(1, F_GETFL)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_OFD_GETLK)}}, {SCMP_SYS(fcntl64), 1, {EQUALS(1, F_OFD_GETLK)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_OFD_SETLK)}}, {SCMP_SYS(fcntl64), 1, {EQUALS(1, F_OFD_SETLK)}},
	/* is it a terminal, and how large */
	{SCMP_SYS(ioctl), 1, {EQUALS(1, TCGETS)}}, {SCMP_SYS(ioctl), 1, {EQUALS(1, TCGETS2)}},
	{SCMP_SYS(ioctl), 1, {EQUALS(1, TIOCGWINSZ)}},
	/* a kernel event that is open; events are opened before the filter */
	{SCMP_SYS(ioctl), 1, {EQUALS(1, PERF_EVENT_IOC_ENABLE)}},
	{SCMP_SYS(ioctl), 1, {EQUALS(1, PERF_EVENT_IOC_DISABLE)}},
	/* before this process ends itself by a signal */
	{SCMP_SYS(setrlimit), 1, {EQUALS(0, RLIMIT_CORE)}},
	{SCMP_SYS(prlimit64), 2, {EQUALS(0, 0), EQUALS(1, RLIMIT_CORE)}},
	{SCMP_SYS(sched_setaffinity), 1, {EQUALS(0, 0)}},
};

static const struct rule maps_files[] = {
	{SCMP_SYS(mmap), 1, {HAS_NOT(2, PROT_EXEC)}}, {SCMP_SYS(mmap2), 1, {HAS_NOT(2, PROT_EXEC)}},
};

/* Memory of its own, and no file: not another window of /dev/mem, which is still open. */
static const struct rule maps_nothing[] = {
	{SCMP_SYS(mmap), 2, {HAS_NOT(2, PROT_EXEC), HAS(3, MAP_ANONYMOUS)}},
	{SCMP_SYS(mmap2), 2, {HAS_NOT(2, PROT_EXEC), HAS(3, MAP_ANONYMOUS)}},
};

static const struct rule read_only[] = {
	{SCMP_SYS(open), 1, {HAS_NOT(1, WRITES)}}, {SCMP_SYS(openat), 1, {HAS_NOT(2, WRITES)}},
};

/* Used while registers are held open. The last one removes a journal that is not needed any more.  The filter does not see the path: confine_paths.c restricts it. */
static const struct rule held_only[] = {
	/* top: keys wake it no more when it ends, and the terminal gets its settings back */
	ANY(epoll_ctl),
	{SCMP_SYS(ioctl), 1, {EQUALS(1, TCSETS)}}, {SCMP_SYS(ioctl), 1, {EQUALS(1, TCSETSW)}},
	{SCMP_SYS(ioctl), 1, {EQUALS(1, TCSETSF)}},
	{SCMP_SYS(unlinkat), 2, {HAS_NOT(0, SIGN), EQUALS(2, 0)}},
};

/* A new file in an open folder, which replaces another one there.  An absolute path is for confine_paths.c. */
static const struct rule replacing[] = {
	{SCMP_SYS(openat), 2, {HAS_NOT(0, SIGN), EQUALS(2, REPLACED_FLAGS)}},
	{SCMP_SYS(renameat), 2, {HAS_NOT(0, SIGN), HAS_NOT(2, SIGN)}},
	{SCMP_SYS(renameat2), 2, {HAS_NOT(0, SIGN), EQUALS(4, 0)}},
};

/* Connections that others open, and libmicrohttpd's waiting for them.  None is opened, and no socket is made. */
static const struct rule serving[] = {
	ANY(accept4), ANY(recvfrom), ANY(sendto), ANY(sendmsg), ANY(shutdown), ANY(epoll_wait), ANY(epoll_pwait),
	ANY(getsockname),
	{SCMP_SYS(setsockopt), 1, {EQUALS(1, IPPROTO_TCP)}}, {SCMP_SYS(getsockopt), 1, {EQUALS(1, SOL_SOCKET)}},
};
/* clang-format on */

#define BIT(to)     (1U << (to))
#define EVERY       (~0U)
#define HELD        (BIT(CONFINE_HELD) | BIT(CONFINE_REPLACING) | BIT(CONFINE_SERVING))
#define MAKES_FILES (BIT(CONFINE_WRITING) | BIT(CONFINE_FILES) | BIT(CONFINE_SEARCHING))
#define LIST(list)  (list), sizeof(list) / sizeof((list)[0])

static const struct {
	const struct rule *rules;
	size_t n;
	unsigned to; /* the confinements that allow them, as bits */
} lists[] = {
	{LIST(calls), EVERY},
	{LIST(rules), EVERY},
	{LIST(maps_nothing), HELD},
	{LIST(maps_files), ~HELD},
	{LIST(changes), MAKES_FILES},
	{LIST(read_only), ~MAKES_FILES},
	{LIST(held_only), HELD},
	{LIST(replacing), BIT(CONFINE_REPLACING)},
	{LIST(serving), BIT(CONFINE_SERVING)},
	{LIST(threads), BIT(CONFINE_TRAFFIC)},
};

/* Each rule is added, except those of calls that this architecture does not have. */
static int add(scmp_filter_ctx filter, const struct rule *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, list[i].call, list[i].n, list[i].args);

		if (rc != 0 && rc != -EDOM)
			return rc;
	}
	return 0;
}

int confine_calls(enum confine_to to, int command_pid)
{
	/* Signals may be sent only to this process (raise(), in its variants) and the COMMAND. */
	const struct rule kills[] = {
		{SCMP_SYS(kill), 1, {EQUALS(0, getpid())}},
		{SCMP_SYS(tgkill), 1, {EQUALS(0, getpid())}},
		{SCMP_SYS(tkill), 1, {EQUALS(0, gettid())}},
		{SCMP_SYS(kill), 1, {EQUALS(0, command_pid)}},
	};
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc;

	if (!filter)
		return ENOMEM;
	/* Calls of another architecture (32 bits) would kill the process by default. */
	rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));
	/* Avoids slower loads: this process runs no foreign code.  If the kernel does not support it, nothing is lost. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	for (size_t i = 0; i < sizeof(of_a_sample) / sizeof(of_a_sample[0]); i++)
		seccomp_syscall_priority(filter, of_a_sample[i], UINT8_MAX);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && rc == 0; i++)
		if (lists[i].to & BIT(to))
			rc = add(filter, lists[i].rules, lists[i].n);
	/*
	 * The filter cannot see the arguments of these two: if they fail with ENOSYS, os/linux/files.c resolves paths by openat(), and
	 * the C library uses clone().
	 */
	if (rc == 0 && !(MAKES_FILES & BIT(to)))
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0);
	if (rc == 0 && to == CONFINE_TRAFFIC)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	if (rc == 0)
		rc = add(filter, kills, sizeof(kills) / sizeof(kills[0]) - (command_pid == 0));
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return -rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The system calls that stay allowed.  Any other, or one with other arguments, fails with EPERM and does not kill the process:
 * registers that are programmed are then put back as after any other failure.  Each call is listed under the names by which
 * different C libraries and architectures call it.  src/cli/README.md describes how to find what is missing.
 */
#define _GNU_SOURCE
#include "cli/confine.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

const bool confine_has_filter = true;

#define LOW UINT64_C(0xffffffff) /* an int: the bits above it in its register are undefined */

/* Allowed with any arguments. */
static const int calls[] = {
	/* open files */
	SCMP_SYS(read),
	SCMP_SYS(pread64),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(lseek),
	SCMP_SYS(_llseek),
	SCMP_SYS(close),
	SCMP_SYS(fstat),
	SCMP_SYS(fstat64),
	SCMP_SYS(getdents64),
	SCMP_SYS(flock),
	SCMP_SYS(fsync),
	SCMP_SYS(ftruncate),
	SCMP_SYS(ftruncate64),
	/* file metadata */
	SCMP_SYS(stat),
	SCMP_SYS(stat64),
	SCMP_SYS(lstat),
	SCMP_SYS(lstat64),
	SCMP_SYS(newfstatat),
	SCMP_SYS(fstatat64),
	SCMP_SYS(statx),
	SCMP_SYS(fstatfs),
	SCMP_SYS(fstatfs64),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	/* time and waiting */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_gettime64),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(ppoll_time64),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(clock_nanosleep_time64),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(wait4),
	SCMP_SYS(waitid),
	SCMP_SYS(waitpid),
	/* signals, and the alarm that interrupts blocking calls */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigreturn),
	SCMP_SYS(alarm),
	SCMP_SYS(setitimer),
	/* memory */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(futex),
	SCMP_SYS(futex_time64),
	SCMP_SYS(getrandom),
	SCMP_SYS(sysinfo), /* qsort() asks it for the amount of memory */
	/* own ids, and the current CPU: CPUID is executed on a given CPU */
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getuid),
	SCMP_SYS(getuid32),
	SCMP_SYS(geteuid),
	SCMP_SYS(geteuid32),
	SCMP_SYS(getgid),
	SCMP_SYS(getgid32),
	SCMP_SYS(getegid),
	SCMP_SYS(getegid32),
	SCMP_SYS(capget),
	SCMP_SYS(sched_getaffinity),
	/* exit */
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};

/* Calls that create and remove files in a folder. */
static const int changes[] = {
	SCMP_SYS(open),      SCMP_SYS(openat),    SCMP_SYS(mkdir),     SCMP_SYS(mkdirat), SCMP_SYS(unlink),
	SCMP_SYS(rename),    SCMP_SYS(renameat),  SCMP_SYS(renameat2), SCMP_SYS(fchmod),  SCMP_SYS(fchown),
	SCMP_SYS(fallocate), SCMP_SYS(fdatasync), SCMP_SYS(openat2),
};

/* Calls for a thread, and for the node of its memory. */
static const int threads[] = {
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(mbind),
};

/*
 * The calls of a sample come first.  From Linux 5.11 on a call that is allowed with any arguments is cached (commit 8e01b51a31a1,
 * "seccomp/cache: Add \"emulator\" to check if filter is constant allow"); before that each call runs the filter.
 */
static const int of_a_sample[] = {SCMP_SYS(pread64), SCMP_SYS(pwrite64), SCMP_SYS(write), SCMP_SYS(ppoll)};

/* Allowed only with this value of one argument, or these of two (then n is 2). */
struct rule {
	int call;
	unsigned n;
	struct scmp_arg_cmp args[2];
};

#define EQUALS(arg, value) SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, LOW, (uint64_t)(unsigned)(value))
#define HAS(arg, bits)     SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, (uint64_t)(unsigned)(bits), (uint64_t)(unsigned)(bits))
#define HAS_NOT(arg, bits) SCMP_CMP64(arg, SCMP_CMP_MASKED_EQ, (uint64_t)(unsigned)(bits), 0)
/* All flags that create or change a file, or request the right to. */
#define WRITES (O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define SIGN   UINT64_C(0x80000000) /* the sign of an int: AT_FDCWD has it, the descriptor of an open folder does not */

static const struct rule rules[] = {
	{SCMP_SYS(mprotect), 1, {HAS_NOT(2, PROT_EXEC)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_GETFD)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_SETFD)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_GETFL)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_OFD_GETLK)}},
	{SCMP_SYS(fcntl), 1, {EQUALS(1, F_OFD_SETLK)}},
	{SCMP_SYS(fcntl64), 1, {EQUALS(1, F_GETFD)}},
	{SCMP_SYS(fcntl64), 1, {EQUALS(1, F_SETFD)}},
	{SCMP_SYS(fcntl64), 1, {EQUALS(1, F_GETFL)}},
	{SCMP_SYS(fcntl64), 1, {EQUALS(1, F_OFD_GETLK)}},
	{SCMP_SYS(fcntl64), 1, {EQUALS(1, F_OFD_SETLK)}},
	/* is it a terminal, and how large */
	{SCMP_SYS(ioctl), 1, {EQUALS(1, TCGETS)}},
	{SCMP_SYS(ioctl), 1, {EQUALS(1, TCGETS2)}},
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
	{SCMP_SYS(mmap), 1, {HAS_NOT(2, PROT_EXEC)}},
	{SCMP_SYS(mmap2), 1, {HAS_NOT(2, PROT_EXEC)}},
};

/* Memory of its own, and no file: not another window of /dev/mem, which is still open. */
static const struct rule maps_nothing[] = {
	{SCMP_SYS(mmap), 2, {HAS_NOT(2, PROT_EXEC), HAS(3, MAP_ANONYMOUS)}},
	{SCMP_SYS(mmap2), 2, {HAS_NOT(2, PROT_EXEC), HAS(3, MAP_ANONYMOUS)}},
};

static const struct rule read_only[] = {
	{SCMP_SYS(open), 1, {HAS_NOT(1, WRITES)}},
	{SCMP_SYS(openat), 1, {HAS_NOT(2, WRITES)}},
};

/* Folders are never removed. */
static const struct rule changes_only[] = {
	{SCMP_SYS(unlinkat), 1, {EQUALS(2, 0)}},
};

/* Removes a journal that is not needed any more.  The filter does not see the path: confine_paths.c restricts it. */
static const struct rule held_only[] = {
	{SCMP_SYS(unlinkat), 2, {HAS_NOT(0, SIGN), EQUALS(2, 0)}},
};

/* Allows a thread, but no process. */
static const struct rule threads_only[] = {
	{SCMP_SYS(clone), 1, {SCMP_CMP64(0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)}},
};

/* A call that this architecture does not have needs no rule. */
static int add(scmp_filter_ctx filter, const struct rule *rule)
{
	int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, rule->call, rule->n, rule->args);

	return rc == -EDOM ? 0 : rc;
}

static int add_rules(scmp_filter_ctx filter, const struct rule *list, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add(filter, &list[i]);
	return rc;
}

static int add_calls(scmp_filter_ctx filter, const int *list, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = add(filter, &(struct rule){.call = list[i]});
	return rc;
}

/* The filter cannot see the arguments of clone3(): if it fails with ENOSYS, the C library uses clone(). */
static int add_threads(scmp_filter_ctx filter)
{
	int rc = add_calls(filter, threads, sizeof(threads) / sizeof(threads[0]));

	if (rc == 0)
		rc = add_rules(filter, threads_only, sizeof(threads_only) / sizeof(threads_only[0]));
	if (rc == 0)
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	return rc;
}

/* Signals may be sent only to this process (raise(), in its variants) and the COMMAND. */
static int add_signals(scmp_filter_ctx filter, int command_pid)
{
	const struct rule kills[] = {
		{SCMP_SYS(kill), 1, {EQUALS(0, getpid())}},
		{SCMP_SYS(tgkill), 1, {EQUALS(0, getpid())}},
		{SCMP_SYS(tkill), 1, {EQUALS(0, gettid())}},
		{SCMP_SYS(kill), 1, {EQUALS(0, command_pid)}},
	};

	return add_rules(filter, kills, sizeof(kills) / sizeof(kills[0]) - (command_pid == 0));
}

static bool makes_files(enum confine_to to)
{
	return to == CONFINE_WRITING || to == CONFINE_FILES || to == CONFINE_SEARCHING;
}

static int fill(scmp_filter_ctx filter, enum confine_to to, int command_pid)
{
	/* Calls of another architecture (32 bits) would kill the process by default. */
	int rc = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM));

	/* Avoids slower loads: this process runs no foreign code.  If the kernel does not support it, nothing is lost. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	for (size_t i = 0; i < sizeof(of_a_sample) / sizeof(of_a_sample[0]); i++)
		seccomp_syscall_priority(filter, of_a_sample[i], UINT8_MAX);
	if (rc == 0)
		rc = add_calls(filter, calls, sizeof(calls) / sizeof(calls[0]));
	if (rc == 0)
		rc = add_rules(filter, rules, sizeof(rules) / sizeof(rules[0]));
	if (rc == 0 && to == CONFINE_HELD)
		rc = add_rules(filter, maps_nothing, sizeof(maps_nothing) / sizeof(maps_nothing[0]));
	else if (rc == 0)
		rc = add_rules(filter, maps_files, sizeof(maps_files) / sizeof(maps_files[0]));
	if (rc == 0 && makes_files(to))
		rc = add_calls(filter, changes, sizeof(changes) / sizeof(changes[0]));
	if (rc == 0 && makes_files(to))
		rc = add_rules(filter, changes_only, sizeof(changes_only) / sizeof(changes_only[0]));
	else if (rc == 0)
		rc = add_rules(filter, read_only, sizeof(read_only) / sizeof(read_only[0]));
	if (rc == 0 && to == CONFINE_HELD)
		rc = add_rules(filter, held_only, sizeof(held_only) / sizeof(held_only[0]));
	/* The filter cannot see the arguments of openat2(): if it fails with ENOSYS, os/linux/files.c resolves paths by openat(). */
	if (rc == 0 && !makes_files(to))
		rc = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(openat2), 0);
	if (rc == 0 && to == CONFINE_TRAFFIC)
		rc = add_threads(filter);
	return rc == 0 ? add_signals(filter, command_pid) : rc;
}

int confine_calls(enum confine_to to, int command_pid)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int rc;

	if (!filter)
		return ENOMEM;
	rc = fill(filter, to, command_pid);
	if (rc == 0)
		rc = seccomp_load(filter);
	seccomp_release(filter);
	return -rc;
}

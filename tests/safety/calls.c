// SPDX-License-Identifier: GPL-2.0-or-later
/* A process that is followed from one system call to the next, and killed at one of them. */
#define _GNU_SOURCE
#include "safety.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__x86_64__)
static long number_of(const struct user_regs_struct *regs)
{
	return (long)regs->orig_rax;
}
#else
#error "tests/safety: where does this processor have the number of a system call?"
#endif

/* Those that leave something behind, in a file or in hardware, and those around them. */
static bool matters(long number, const struct death *death)
{
	switch (number) {
	case SYS_pread64:
	case SYS_pwrite64:
		return true;
	case SYS_openat:
	case SYS_write:
	case SYS_fsync:
	case SYS_fdatasync:
	case SYS_ftruncate:
	case SYS_unlink:
	case SYS_unlinkat:
	case SYS_rename:
	case SYS_renameat:
	case SYS_mkdir:
	case SYS_mkdirat:
	case SYS_fcntl:
		return !death->registers;
	default:
		return false;
	}
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The file that its first argument is open on is in that folder, or is that folder. */
static bool is_in(pid_t pid, const struct user_regs_struct *regs, const char *folder)
{
	char link[64], path[PATH_TEXT];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, (int)regs->rdi);
	len = readlink(link, path, sizeof(path) - 1);
	path[len < 0 ? 0 : len] = '\0';
	return strncmp(path, folder, strlen(folder)) == 0;
}

static bool is_one(pid_t pid, const struct death *death)
{
	struct user_regs_struct regs = {0};

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs) < 0 || !matters(number_of(&regs), death))
		return false;
	return !death->folder || is_in(pid, &regs, death->folder);
}

/* There is no such call, in front of it; and behind it that is what it failed with. */
static void fail_call(pid_t pid, const struct death *death, bool inside)
{
	struct user_regs_struct regs = {0};

	if (ptrace(PTRACE_GETREGS, pid, 0, &regs) < 0)
		return;
	if (inside)
		regs.orig_rax = UINT64_MAX;
	else
		regs.rax = (unsigned long long)-death->error;
	ptrace(PTRACE_SETREGS, pid, 0, &regs);
}

/* From its exec() on.  Every call stops twice: in front of its effect and behind it. */
int follow_calls(pid_t pid, const struct death *death, bool *ret_reached)
{
	bool inside = false, chosen = false;
	unsigned n = 0;
	int status, signal = 0;

	*ret_reached = false;
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return status_of(status);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		ptrace(PTRACE_SYSCALL, pid, 0, signal);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return status_of(status);
		signal = WSTOPSIG(status);
		if (signal != (SIGTRAP | 0x80))
			continue; /* it is handed on */
		signal = 0;
		inside = !inside;
		if (inside)
			chosen = is_one(pid, death) && ++n == death->place;
		*ret_reached |= chosen;
		if (chosen && death->error)
			fail_call(pid, death, inside);
		if (!chosen || death->error || inside == death->behind)
			continue;
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		return status_of(status);
	}
}

bool calls_can_be_followed(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 ? 0 : 1);
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* System calls that asif answers, or has to know of. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <unistd.h>

#include "asif.h"

static bool read_memory(pid_t tid, uint64_t address, void *buf, size_t len)
{
	struct iovec here = {buf, len}, there = {(void *)address, len};

	return process_vm_readv(tid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

static bool write_memory(pid_t tid, uint64_t address, const void *buf, size_t len)
{
	struct iovec here = {(void *)buf, len}, there = {(void *)address, len};

	return process_vm_writev(tid, &here, 1, &there, 1, 0) == (ssize_t)len;
}

static int64_t set_affinity(struct tracer *tracer, struct thread *thread, pid_t of, uint64_t len, uint64_t address)
{
	struct thread *target = of ? thread_of(tracer, of) : thread;
	uint64_t mask[ASIF_MAX_CPUS / 64] = {0};
	unsigned lowest = ASIF_MAX_CPUS;

	if (!read_memory(thread->tid, address, mask, len < sizeof(mask) ? len : sizeof(mask)))
		return -EFAULT;
	if (!target)
		return -ESRCH;
	for (unsigned cpu = ASIF_MAX_CPUS; cpu-- > 0;)
		if (mask[cpu / 64] >> (cpu % 64) & 1 && tree_is_online(&tracer->tree, cpu))
			lowest = cpu;
	if (lowest == ASIF_MAX_CPUS)
		return -EINVAL;
	target->cpu = lowest;
	for (size_t i = 0; i < ASIF_MAX_CPUS / 64; i++)
		target->mask[i] = mask[i] & tracer->tree.online[i];
	return 0;
}

static int64_t get_affinity(struct tracer *tracer, struct thread *thread, pid_t of, uint64_t len, uint64_t address)
{
	struct thread *target = of ? thread_of(tracer, of) : thread;
	uint64_t bytes = (tracer->tree.n_possible + 63) / 64 * 8;

	if (len % 8 != 0 || len * 8 < tracer->tree.n_possible)
		return -EINVAL;
	if (!target)
		return -ESRCH;
	if (len < bytes)
		bytes = len;
	return write_memory(thread->tid, address, target->mask, bytes) ? (int64_t)bytes : -EFAULT;
}

static int64_t get_cpu(struct tracer *tracer, struct thread *thread, uint64_t cpu_address, uint64_t node_address)
{
	uint32_t cpu = thread->cpu, node = tree_node(&tracer->tree, thread->cpu);

	if ((cpu_address && !write_memory(thread->tid, cpu_address, &cpu, sizeof(cpu))) ||
	    (node_address && !write_memory(thread->tid, node_address, &node, sizeof(node))))
		return -EFAULT;
	return 0;
}

/* Code of a file is going to be mapped: remember which, look again when it is done. */
static void start_of_mmap(struct thread *thread, const struct user_regs_struct *regs)
{
	char path[64], name[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", thread->tid, (int)regs->r8);
	len = readlink(path, name, sizeof(name) - 1);
	name[len > 0 ? len : 0] = '\0';
	thread->mapping = object_of(path, name);
	thread->mapping_offset = regs->r9;
	thread->mapping_len = regs->rsi;
	trace(thread->mapping ? PTRACE_SYSCALL : PTRACE_CONT, thread->tid, NULL, NULL, "continue");
}

void end_of_mmap(struct thread *thread)
{
	const struct object *object = thread->mapping;
	struct user_regs_struct regs;

	thread->mapping = NULL;
	if (!trace(PTRACE_GETREGS, thread->tid, NULL, &regs, "read its registers"))
		return;
	if (regs.rax < (uint64_t)-4095)
		plant_object(thread, object, regs.rax, thread->mapping_offset, thread->mapping_len);
	go_on(thread, 0);
}

/* Is told of before it is done. */
void system_call(struct tracer *tracer, struct thread *thread)
{
	struct user_regs_struct regs;
	int64_t result;

	if (!trace(PTRACE_GETREGS, thread->tid, NULL, &regs, "read its registers"))
		return;
	switch (regs.orig_rax) {
	case SYS_mmap:
		start_of_mmap(thread, &regs);
		return;
	case SYS_sched_setaffinity:
		result = set_affinity(tracer, thread, (pid_t)regs.rdi, (uint32_t)regs.rsi, regs.rdx);
		break;
	case SYS_sched_getaffinity:
		result = get_affinity(tracer, thread, (pid_t)regs.rdi, (uint32_t)regs.rsi, regs.rdx);
		break;
	default:
		result = get_cpu(tracer, thread, regs.rdi, regs.rsi);
		break;
	}
	regs.orig_rax = (unsigned long long)-1; /* not done at all */
	regs.rax = (unsigned long long)result;
	if (trace(PTRACE_SETREGS, thread->tid, NULL, &regs, "write its registers"))
		go_on(thread, 0);
}

int install_filter(void)
{
#define ARGUMENT(n) (offsetof(struct seccomp_data, args) + 8 * (n))
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 10),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_setaffinity, 10, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 9, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getcpu, 8, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rseq, 6, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(4)), /* no file: nothing to look at */
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)-1, 2, 0),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(2)),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 2, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

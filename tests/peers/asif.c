// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * asif [-r] [-c CPU] TREE COMMAND...: runs COMMAND as if on the machine whose file tree is mounted at TREE.
 * asif -l FILE...: names the instructions of FILEs that it would answer for.
 *
 * CPUID, RDTSC and RDTSCP of the program and its libraries (not of ld.so, libc, libm, libstdc++) become breakpoints, set
 * when the file is mapped and never taken out again, so that threads need not wait for one another; each is answered from
 * TREE/dev/cpu/N/{cpuid,msr}, where N is the CPU the thread believes to be on.  sched_setaffinity() decides which, for
 * any CPU of TREE/sys/devices/system/cpu/online, and changes nothing real.  Follows threads, forks and exec.
 * With -r time stamps come from real time, at the machine's nominal rate: for programs that will not start where time
 * stands still.
 *
 * The C library would read the number of the CPU from memory that the kernel keeps (rseq) or by code of the kernel's
 * (vdso), where nothing can be put in between: so there is no rseq here, and a started program is not told of a vdso.
 *
 * Exit status: the command's (it is killed by the same signal), 126 or 127 if it could not be started, 2 after wrong
 * usage, 125 if asif itself failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asif.h"

/* A breakpoint in the memory of a process. */
struct planted {
	uint64_t address;
	const struct site *site; /* outlives this: files are never forgotten */
};

/* What is planted in one address space; threads share it. */
struct space {
	unsigned n_threads;
	struct planted *planted; /* owned */
	size_t n_planted;
};

struct thread {
	pid_t tid, tgid;
	unsigned cpu;                      /* on which it believes to be */
	uint64_t mask[ASIF_MAX_CPUS / 64]; /* on which it believes it may run */
	struct space *space;               /* shared, counted */
	bool is_known, is_waiting;         /* a child that was seen before its parent told of it waits */
	const struct object *mapping;      /* in an mmap() of this file, else NULL */
	uint64_t mapping_offset, mapping_len;
	struct thread *next; /* owned */
};

struct tracer {
	struct tree tree;
	struct thread *threads; /* owned */
	unsigned first_cpu;
	int status; /* of the command, as wait() gave it */
};

static pid_t command_pid; /* for the signal handler, which can be told no other way */

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("asif: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(ASIF_FAILED);
}

/* ---- threads and address spaces */

static struct thread *thread_of(struct tracer *tracer, pid_t tid)
{
	for (struct thread *thread = tracer->threads; thread; thread = thread->next)
		if (thread->tid == tid)
			return thread;
	return NULL;
}

static struct thread *add_thread(struct tracer *tracer, pid_t tid)
{
	struct thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		die("out of memory");
	thread->tid = tid;
	thread->next = tracer->threads;
	tracer->threads = thread;
	return thread;
}

static struct space *new_space(const struct space *like)
{
	struct space *space = calloc(1, sizeof(*space));

	if (space && like && like->n_planted) {
		space->planted = malloc(like->n_planted * sizeof(*like->planted));
		if (space->planted)
			memcpy(space->planted, like->planted, like->n_planted * sizeof(*like->planted));
		space->n_planted = like->n_planted;
	}
	if (!space || (space->n_planted && !space->planted))
		die("out of memory");
	space->n_threads = 1;
	return space;
}

static void leave_space(struct thread *thread)
{
	struct space *space = thread->space;

	thread->space = NULL;
	if (space && --space->n_threads == 0) {
		free(space->planted);
		free(space);
	}
}

static void remove_thread(struct tracer *tracer, struct thread *gone)
{
	for (struct thread **link = &tracer->threads; *link; link = &(*link)->next) {
		if (*link != gone)
			continue;
		*link = gone->next;
		leave_space(gone);
		free(gone);
		return;
	}
}

static pid_t tgid_of(pid_t tid)
{
	char path[64], line[256];
	int tgid = tid;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Tgid: %d", &tgid) == 1)
			break;
	if (f)
		fclose(f);
	return tgid;
}

/* ---- breakpoints */

/* A thread may be killed at any time; its end is told by wait(), so what fails with ESRCH is nobody's business. */
static bool trace(enum __ptrace_request request, pid_t tid, void *address, void *data, const char *what)
{
	if (ptrace(request, tid, address, data) == 0)
		return true;
	if (errno != ESRCH)
		die("thread %d: %s: %s", tid, what, strerror(errno));
	return false;
}

static void go_on(const struct thread *thread, int signal)
{
	trace(PTRACE_CONT, thread->tid, NULL, (void *)(intptr_t)signal, "continue");
}

static void plant(struct thread *thread, uint64_t address, const struct site *site)
{
	struct space *space = thread->space;
	uint64_t word;

	errno = 0;
	word = (uint64_t)ptrace(PTRACE_PEEKTEXT, thread->tid, (void *)address, NULL);
	if (errno)
		die("thread %d: read the code at 0x%lx: %s", thread->tid, address, strerror(errno));
	word = (word & ~UINT64_C(0xff)) | 0xcc; /* int3 */
	if (!trace(PTRACE_POKETEXT, thread->tid, (void *)address, (void *)word, "set a breakpoint"))
		return;
	space->planted = realloc(space->planted, (space->n_planted + 1) * sizeof(*space->planted));
	if (!space->planted)
		die("out of memory");
	space->planted[space->n_planted++] = (struct planted){address, site};
}

/* LEN bytes of OBJECT from OFFSET are now at ADDRESS, and nothing else is. */
static void plant_object(struct thread *thread, const struct object *object, uint64_t address, uint64_t offset,
			 uint64_t len)
{
	struct space *space = thread->space;
	size_t kept = 0;

	for (size_t i = 0; i < space->n_planted; i++)
		if (space->planted[i].address - address >= len)
			space->planted[kept++] = space->planted[i];
	space->n_planted = kept;
	for (size_t i = 0; i < object->n_sites; i++)
		if (object->sites[i].offset - offset < len)
			plant(thread, address + object->sites[i].offset - offset, &object->sites[i]);
}

/* After exec: the program itself is mapped, its libraries will be. */
static void plant_program(struct thread *thread)
{
	char path[64], line[PATH_MAX + 128], name[PATH_MAX];
	const struct object *object;
	ssize_t len;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/exe", thread->tid);
	len = readlink(path, name, sizeof(name) - 1);
	if (len < 0)
		return; /* gone */
	name[len] = '\0';
	object = object_of(path, name);
	snprintf(path, sizeof(path), "/proc/%d/maps", thread->tid);
	maps = fopen(path, "re");
	while (object && maps && fgets(line, sizeof(line), maps)) {
		unsigned long from, to, offset;
		char may[5];
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx %4s %lx %*s %*s %n", &from, &to, may, &offset, &at) == 4 && at &&
		    may[2] == 'x' && strcmp(line + at, name) == 0)
			plant_object(thread, object, from, offset, to - from);
	}
	if (maps)
		fclose(maps);
}

/* The vdso is there but the program will not find it: its entry in the auxiliary vector (above argv, envp) says nothing. */
static void hide_vdso(const struct thread *thread)
{
	struct user_regs_struct regs;
	uint64_t words[2], at;
	unsigned zeros = 0;
	struct iovec here = {words, sizeof(words)}, there = {NULL, sizeof(words)};

	if (!trace(PTRACE_GETREGS, thread->tid, NULL, &regs, "read its registers"))
		return;
	for (at = regs.rsp + 8; zeros < 2; at += 8) {
		there.iov_base = (void *)at;
		here.iov_len = there.iov_len = 8;
		if (process_vm_readv(thread->tid, &here, 1, &there, 1, 0) != 8)
			return;
		zeros += words[0] == 0;
	}
	for (here.iov_len = there.iov_len = 16;; at += 16) {
		there.iov_base = (void *)at;
		if (process_vm_readv(thread->tid, &here, 1, &there, 1, 0) != 16 || words[0] == AT_NULL)
			return;
		if (words[0] == AT_SYSINFO_EHDR)
			trace(PTRACE_POKEDATA, thread->tid, (void *)at, (void *)AT_IGNORE, "change its start");
	}
}

static void answer(struct tracer *tracer, struct thread *thread, const struct planted *planted,
		   struct user_regs_struct *regs)
{
	uint32_t out[4];
	uint64_t tsc;

	switch (planted->site->kind) {
	case CPUID:
		tree_cpuid(&tracer->tree, thread->cpu, (uint32_t)regs->rax, (uint32_t)regs->rcx, out);
		regs->rax = out[0];
		regs->rbx = out[1];
		regs->rcx = out[2];
		regs->rdx = out[3];
		break;
	case RDTSCP:
		regs->rcx = (uint64_t)tree_node(&tracer->tree, thread->cpu) << 12 | thread->cpu;
		/* fallthrough */
	case RDTSC:
		tsc = tree_tsc(&tracer->tree, thread->cpu);
		regs->rax = (uint32_t)tsc;
		regs->rdx = tsc >> 32;
		break;
	}
	regs->rip = planted->address + planted->site->length;
}

static void breakpoint(struct tracer *tracer, struct thread *thread)
{
	struct user_regs_struct regs;

	if (!trace(PTRACE_GETREGS, thread->tid, NULL, &regs, "read its registers"))
		return;
	for (size_t i = 0; i < thread->space->n_planted; i++) {
		if (thread->space->planted[i].address != regs.rip - 1)
			continue;
		answer(tracer, thread, &thread->space->planted[i], &regs);
		if (trace(PTRACE_SETREGS, thread->tid, NULL, &regs, "write its registers"))
			go_on(thread, 0);
		return;
	}
	go_on(thread, SIGTRAP); /* the program's own */
}

/* ---- system calls */

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

static void end_of_mmap(struct thread *thread)
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
static void system_call(struct tracer *tracer, struct thread *thread)
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

static int install_filter(void)
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

/* ---- events */

/* A new process or thread starts where the one that made it is, with what it has. */
static void introduce(struct tracer *tracer, const struct thread *parent, pid_t tid)
{
	struct thread *child = thread_of(tracer, tid);

	if (!child)
		child = add_thread(tracer, tid);
	child->tgid = tgid_of(tid);
	child->cpu = parent->cpu;
	memcpy(child->mask, parent->mask, sizeof(child->mask));
	if (child->tgid == parent->tgid) {
		child->space = parent->space;
		child->space->n_threads++;
	} else {
		child->space = new_space(parent->space);
	}
	child->is_known = true;
	if (child->is_waiting)
		go_on(child, 0);
	child->is_waiting = false;
}

/* The thread that did it has the process's number now, the others are gone. */
static void executed(struct tracer *tracer, struct thread *thread)
{
	unsigned long former = 0;

	if (trace(PTRACE_GETEVENTMSG, thread->tid, NULL, &former, "ask for its former number") &&
	    (pid_t)former != thread->tid) {
		struct thread *old = thread_of(tracer, (pid_t)former);

		if (old) {
			thread->cpu = old->cpu;
			memcpy(thread->mask, old->mask, sizeof(thread->mask));
			remove_thread(tracer, old);
		}
	}
	leave_space(thread);
	thread->space = new_space(NULL);
	thread->mapping = NULL;
	hide_vdso(thread);
	plant_program(thread);
	go_on(thread, 0);
}

static bool stops_a_process(int signal)
{
	return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static void stopped(struct tracer *tracer, struct thread *thread, int status)
{
	int signal = WSTOPSIG(status);
	unsigned long child;

	if (!thread->is_known) {
		thread->is_waiting = true;
		return;
	}
	switch (status >> 16) {
	case 0:
		if (signal == (SIGTRAP | 0x80))
			end_of_mmap(thread);
		else if (signal == SIGTRAP)
			breakpoint(tracer, thread);
		else
			go_on(thread, signal);
		return;
	case PTRACE_EVENT_SECCOMP:
		system_call(tracer, thread);
		return;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_VFORK:
	case PTRACE_EVENT_CLONE:
		if (trace(PTRACE_GETEVENTMSG, thread->tid, NULL, &child, "ask for its child"))
			introduce(tracer, thread, (pid_t)child);
		break;
	case PTRACE_EVENT_EXEC:
		executed(tracer, thread);
		return;
	case PTRACE_EVENT_STOP:
		if (stops_a_process(signal)) {
			trace(PTRACE_LISTEN, thread->tid, NULL, NULL, "leave it stopped");
			return;
		}
		break;
	default:
		break;
	}
	go_on(thread, 0);
}

static void loop(struct tracer *tracer)
{
	int status;
	pid_t tid;

	while ((tid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
		struct thread *thread;

		if (tid <= 0)
			continue;
		thread = thread_of(tracer, tid);
		if (WIFSTOPPED(status)) {
			stopped(tracer, thread ? thread : add_thread(tracer, tid), status);
			continue;
		}
		if (tid == command_pid)
			tracer->status = status;
		if (thread)
			remove_thread(tracer, thread);
	}
	if (errno != ECHILD)
		die("wait: %s", strerror(errno));
}

/* ---- starting and ending */

/* What a person typed has reached the command already. */
static void pass_on(int signal, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code <= 0 && command_pid > 0)
		kill(command_pid, signal);
	errno = saved;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT};
	struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

static void run_command(int ready, char **command)
{
	char byte;

	/* Until the tracer is there. */
	if (read(ready, &byte, 1) != 1)
		_exit(ASIF_FAILED);
	if (install_filter() < 0) {
		fprintf(stderr, "asif: no system call filter: %s\n", strerror(errno));
		_exit(ASIF_FAILED);
	}
	execvp(command[0], command);
	fprintf(stderr, "asif: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

static void start(struct tracer *tracer, char **command)
{
	const unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEFORK |
				      PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
				      PTRACE_O_EXITKILL;
	struct thread *thread;
	int ready[2];

	if (pipe(ready) < 0)
		die("pipe: %s", strerror(errno));
	command_pid = fork();
	if (command_pid < 0)
		die("fork: %s", strerror(errno));
	if (command_pid == 0) {
		close(ready[1]);
		run_command(ready[0], command);
	}
	close(ready[0]);
	catch_signals();
	if (ptrace(PTRACE_SEIZE, command_pid, NULL, options) < 0) {
		int error = errno;

		kill(command_pid, SIGKILL);
		die("%s: cannot be traced: %s", command[0], strerror(error));
	}
	thread = add_thread(tracer, command_pid);
	thread->tgid = command_pid;
	thread->cpu = tracer->first_cpu;
	memcpy(thread->mask, tracer->tree.online, sizeof(thread->mask));
	thread->space = new_space(NULL);
	thread->is_known = true;
	if (write(ready[1], "", 1) != 1)
		die("%s: does not start", command[0]);
	close(ready[1]);
}

static int end(int status)
{
	const struct rlimit none = {0, 0};

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	setrlimit(RLIMIT_CORE, &none); /* if there is a core, it is the command's */
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static int list_sites(char **files)
{
	for (; *files; files++) {
		const struct object *object = object_of(*files, *files);

		if (!object)
			die("%s: %s", *files, strerror(errno));
		for (size_t i = 0; i < object->n_sites; i++)
			printf("%s 0x%lx %s\n", *files, object->sites[i].offset, kind_name(object->sites[i].kind));
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct tracer tracer = {0};
	const char *cpu_text = NULL;
	char *rest;
	bool list = false, real_time = false;
	int option;

	while ((option = getopt(argc, argv, "+c:lr")) != -1) {
		if (option == 'c')
			cpu_text = optarg;
		else if (option == 'l')
			list = true;
		else if (option == 'r')
			real_time = true;
		else
			argc = 0;
	}
	if (argc - optind < (list ? 1 : 2)) {
		fprintf(stderr, "usage: asif [-r] [-c CPU] TREE COMMAND...\n       asif -l FILE...\n");
		return 2;
	}
	if (list)
		return list_sites(argv + optind);
	tree_open(&tracer.tree, argv[optind]);
	tracer.tree.real_time = real_time;
	while (!tree_is_online(&tracer.tree, tracer.first_cpu))
		tracer.first_cpu++;
	if (cpu_text) {
		tracer.first_cpu = (unsigned)strtoul(cpu_text, &rest, 10);
		if (*rest || rest == cpu_text || !tree_is_online(&tracer.tree, tracer.first_cpu)) {
			fprintf(stderr, "asif: -c %s: no CPU that is online in %s\n", cpu_text, argv[optind]);
			return 2;
		}
	}
	start(&tracer, argv + optind + 1);
	loop(&tracer);
	while (tracer.threads)
		remove_thread(&tracer, tracer.threads);
	return end(tracer.status);
}

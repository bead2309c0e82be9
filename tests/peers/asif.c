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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asif.h"

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

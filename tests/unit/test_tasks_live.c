// SPDX-License-Identifier: GPL-2.0-or-later
/* Tasks on the real /proc of this computer, by way of a simulated machine, which has CPUs of the same numbers. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "onsim.h"
#include "tree.h"
#include "test.h"
#include "uncore/task.h"

enum { CPUS_HERE_MAX = 16 }; /* those of sim:snbep,sockets=1 */

struct live {
	struct unc_ctx *ctx;
	struct unc_machine *m;
	struct unc_task *task;
	unsigned cpus[CPUS_HERE_MAX]; /* that this process may run on */
	unsigned n_cpus;
};

static void live_open(struct live *l, pid_t command)
{
	struct unc_machine_cfg cfg = {.machine = "sim:snbep,sockets=1", .command_pid = command};
	cpu_set_t set;

	memset(l, 0, sizeof(*l));
	CU_ASSERT_FATAL(unc_new(&l->ctx) == 0);
	OK(l, unc_machine_open(l->ctx, &cfg, &l->m));
	CU_ASSERT_FATAL(sched_getaffinity(0, sizeof(set), &set) == 0);
	for (unsigned i = 0; i < CPUS_HERE_MAX; i++)
		if (CPU_ISSET(i, &set))
			l->cpus[l->n_cpus++] = i;
	CU_ASSERT_FATAL(l->n_cpus > 0);
}

static void live_close(struct live *l)
{
	unc_task_close(l->task);
	OK(l, unc_machine_close(l->m));
	unc_free(l->ctx);
}

static void bind_to(pid_t pid, unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CU_ASSERT_EQUAL(sched_setaffinity(pid, sizeof(set), &set), 0);
}

/* A process that does nothing but exist, until it is killed. */
static pid_t child_new(void)
{
	pid_t pid = fork();

	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		for (;;)
			pause();
	}
	return pid;
}

static void has_cpu(struct live *l, unsigned expected)
{
	const unsigned *cpus = NULL;
	size_t n = 0;

	OK(l, unc_task_cpus(l->task, &cpus, &n));
	CU_ASSERT_EQUAL_FATAL(n, 1);
	EQ(cpus[0], expected);
}

/* Sooner or later, as a look that took long is not repeated at once. */
static void comes_to(struct live *l, unsigned flags)
{
	unsigned now = 0xdead;

	for (unsigned i = 0; i < 200; i++) {
		nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
		OK(l, unc_task_look(l->task, &now));
		if (now == flags)
			break;
	}
	EQ(now, flags);
}

TEST(a_process_is_followed_to_its_end)
{
	pid_t child = child_new();
	siginfo_t info;
	struct live l;

	live_open(&l, 0);
	bind_to(child, l.cpus[0]);
	OK(&l, unc_task_open(l.m, (unsigned)child, &l.task));
	has_cpu(&l, l.cpus[0]);
	comes_to(&l, 0);
	if (l.n_cpus > 1) {
		bind_to(child, l.cpus[1]);
		comes_to(&l, UNC_TASK_MOVED | UNC_TASK_NARROWED);
		has_cpu(&l, l.cpus[1]);
		bind_to(child, l.cpus[0]);
	}
	comes_to(&l, 0);
	kill(child, SIGKILL);
	waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT); /* a zombie */
	comes_to(&l, UNC_TASK_GONE);
	waitpid(child, NULL, 0);
	comes_to(&l, UNC_TASK_GONE);
	unc_task_close(l.task);
	l.task = NULL;
	FAILS(&l, UNC_ENODEV, unc_task_open(l.m, (unsigned)child, &l.task), "there is no such process");
	live_close(&l);
}

/* The command starts a process of its own, which it says the number of. */
static pid_t child_with_child(pid_t *ret_grandchild)
{
	int fds[2];
	pid_t pid;

	CU_ASSERT_FATAL(pipe(fds) == 0);
	pid = fork();
	CU_ASSERT_FATAL(pid >= 0);
	if (pid == 0) {
		pid_t own = child_new();

		if (write(fds[1], &own, sizeof(own)) != sizeof(own))
			_exit(1);
		for (;;)
			pause();
	}
	CU_ASSERT_FATAL(read(fds[0], ret_grandchild, sizeof(*ret_grandchild)) == sizeof(*ret_grandchild));
	close(fds[0]);
	close(fds[1]);
	return pid;
}

TEST(what_the_command_started_is_followed_too)
{
	pid_t grandchild = 0, child = child_with_child(&grandchild);
	struct live l;

	live_open(&l, child);
	bind_to(child, l.cpus[0]);
	bind_to(grandchild, l.cpus[0]);
	OK(&l, unc_task_open(l.m, 0, &l.task));
	has_cpu(&l, l.cpus[0]);
	comes_to(&l, 0);
	if (l.n_cpus > 1) {
		bind_to(grandchild, l.cpus[1]);
		comes_to(&l, UNC_TASK_MOVED);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	comes_to(&l, UNC_TASK_GONE);
	kill(grandchild, SIGKILL);
	live_close(&l);
}

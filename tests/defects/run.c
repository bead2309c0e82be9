// SPDX-License-Identifier: GPL-2.0-or-later
/* The command on a machine: one that is mounted by a process of its own, or one in its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "defects.h"

enum { WORKERS_MAX = 16, RUN_S = 300, MOUNT_TRIES = 5000, TRY_NS = 2000000, COULD_NOT = 99, PATH_TEXT = 5000 };

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What the process prints goes there; it ends when we do. */
static pid_t start(const char *const *argv, const char *out, const char *err)
{
	pid_t parent = getpid(), pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(COULD_NOT);
	dup2(open("/dev/null", O_RDWR), 0);
	dup2(open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
	dup2(open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
	execv(argv[0], (char *const *)argv);
	_exit(COULD_NOT);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return COULD_NOT;
	return WIFEXITED(status) ? WEXITSTATUS(status) : COULD_NOT;
}

static bool appears(const char *path, pid_t pid)
{
	const struct timespec pause = {.tv_nsec = TRY_NS};

	for (unsigned i = 0; i < MOUNT_TRIES; i++) {
		if (access(path, F_OK) == 0)
			return true;
		if (waitpid(pid, NULL, WNOHANG) != 0)
			return false;
		nanosleep(&pause, NULL);
	}
	return false;
}

static int check(const struct places *places, const struct run *run, const char *machine)
{
	char uncorectl[PATH_TEXT], err[PATH_TEXT];
	const char *argv[] = {uncorectl, "--machine", machine, "check", "--format", "jsonl", run->of->option, NULL};

	snprintf(uncorectl, sizeof(uncorectl), "%s/uncorectl", places->build);
	snprintf(err, sizeof(err), "%s.err", run->file);
	return wait_for(start(argv, run->file, err));
}

static int check_mounted(const struct places *places, const struct run *run, const char *machine)
{
	char simfs[PATH_TEXT], mnt[PATH_TEXT], there[PATH_TEXT + 20], root[PATH_TEXT + 20], out[PATH_TEXT];
	const char *argv[] = {simfs, machine, mnt, NULL};
	int status = COULD_NOT;
	pid_t server;

	snprintf(simfs, sizeof(simfs), "%s/uncore-simfs", places->build);
	snprintf(mnt, sizeof(mnt), "%s.mnt", run->file);
	snprintf(there, sizeof(there), "%s/truth.json", mnt);
	snprintf(root, sizeof(root), "root:%s", mnt);
	snprintf(out, sizeof(out), "%s.err", run->file);
	if (mkdir(mnt, 0700) < 0)
		return COULD_NOT;
	server = start(argv, "/dev/null", out);
	if (appears(there, server)) {
		status = check(places, run, root);
		kill(server, SIGTERM);
		wait_for(server);
	}
	umount2(mnt, MNT_DETACH); /* in case the server died */
	rmdir(mnt);
	return status;
}

/* In a process of its own. */
static int run_one(const struct places *places, const struct run *run)
{
	char machine[TEXT_MAX], journals[PATH_TEXT], seed[32] = "";
	const struct defect_case *of = run->of;

	snprintf(journals, sizeof(journals), "%s.journals", run->file);
	setenv("UNCORECTL_STATE", journals, 1);
	alarm(RUN_S);
	if (run->seed)
		snprintf(seed, sizeof(seed), ",seed=%u", run->seed);
	snprintf(machine, sizeof(machine), "sim:%s,clock=step%s%s%s", of->machine, seed, of->defect ? ",defect=" : "",
		 of->defect ? of->defect : "");
	return of->inside ? check(places, run, machine) : check_mounted(places, run, machine);
}

struct worker {
	pid_t pid;
	struct run *run;
	double begun;
	cpu_set_t cpu; /* where it stays */
};

static void begin(const struct places *places, struct worker *worker, struct run *run, size_t nth)
{
	snprintf(run->file, sizeof(run->file), "%.4000s/%zu", places->work, nth);
	run->status = -1;
	worker->run = run;
	worker->begun = now();
	worker->pid = fork();
	if (worker->pid)
		return;
	sched_setaffinity(0, sizeof(worker->cpu), &worker->cpu); /* it only saves time */
	_exit(run_one(places, run));
}

static void finish(struct worker *workers, unsigned n)
{
	int status;
	pid_t pid = wait(&status);

	for (unsigned i = 0; i < n; i++) {
		if (workers[i].pid != pid)
			continue;
		workers[i].run->seconds = now() - workers[i].begun;
		workers[i].run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		workers[i].pid = 0;
	}
}

/*
 * A worker for each CPU that we may use.  The command and the server that mounts its machine wait for each other at every access, and
 * where one CPU wakes the other that takes twice as long as the access.
 */
static unsigned employ(struct worker *workers, unsigned most)
{
	unsigned n = 0, cpu;
	cpu_set_t all;

	if (sched_getaffinity(0, sizeof(all), &all) < 0)
		CPU_ZERO(&all);
	for (cpu = 0; cpu < CPU_SETSIZE && n < most; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&workers[n].cpu);
		CPU_SET(cpu, &workers[n++].cpu);
	}
	if (n == 0)
		workers[n++].cpu = all;
	return n;
}

double run_all(const struct places *places, struct run *runs, size_t n)
{
	double begun = now();
	struct worker workers[WORKERS_MAX] = {0};
	unsigned n_workers = employ(workers, WORKERS_MAX), busy = 0, i;
	size_t next = 0;

	while (next < n || busy) {
		for (i = 0; next < n && i < n_workers; i++) {
			if (workers[i].pid)
				continue;
			begin(places, &workers[i], &runs[next], next);
			next++;
			busy++;
		}
		finish(workers, n_workers);
		busy--;
	}
	return now() - begun;
}

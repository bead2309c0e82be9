// SPDX-License-Identifier: GPL-2.0-or-later
/* Whom asif traces: threads, and the address spaces that they share. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "asif.h"

struct thread *thread_of(struct tracer *tracer, pid_t tid)
{
	for (struct thread *thread = tracer->threads; thread; thread = thread->next)
		if (thread->tid == tid)
			return thread;
	return NULL;
}

struct thread *add_thread(struct tracer *tracer, pid_t tid)
{
	struct thread *thread = calloc(1, sizeof(*thread));

	if (!thread)
		die("out of memory");
	thread->tid = tid;
	thread->next = tracer->threads;
	tracer->threads = thread;
	return thread;
}

struct space *new_space(const struct space *like)
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

void leave_space(struct thread *thread)
{
	struct space *space = thread->space;

	thread->space = NULL;
	if (space && --space->n_threads == 0) {
		free(space->planted);
		free(space);
	}
}

void remove_thread(struct tracer *tracer, struct thread *gone)
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

pid_t tgid_of(pid_t tid)
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

/* A thread may be killed at any time; its end is told by wait(), so a call that fails with ESRCH is no failure. */
bool trace(enum __ptrace_request request, pid_t tid, void *address, void *data, const char *what)
{
	if (ptrace(request, tid, address, data) == 0)
		return true;
	if (errno != ESRCH)
		die("thread %d: %s: %s", tid, what, strerror(errno));
	return false;
}

void go_on(const struct thread *thread, int signal)
{
	trace(PTRACE_CONT, thread->tid, NULL, (void *)(intptr_t)signal, "continue");
}

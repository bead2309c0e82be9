/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine whose /proc a test writes, and a task on it. */
#ifndef UNC_TESTS_FAKEPROC_H
#define UNC_TESTS_FAKEPROC_H

#include "fakefiles.h"
#include "machine/tasks.h"
#include "uncore/task.h"

enum { PID = 100 };

struct times { /* in ticks */
	unsigned user, system, waited_user, waited_system;
};

struct desk {
	struct fake f;
	struct unc_task *task;
	char proc[32];
};

static inline void put(struct desk *d, const char *text, const char *fmt, ...) UNC_PRINTF(3, 4);
static inline void put(struct desk *d, const char *text, const char *fmt, ...)
{
	char name[100], path[FAKE_PATH];
	va_list args;

	va_start(args, fmt);
	vsnprintf(name, sizeof(name), fmt, args);
	va_end(args);
	snprintf(path, sizeof(path), "%s/%s", d->proc, name);
	fake_put(&d->f, path, text);
}

static inline void drop(struct desk *d, const char *name)
{
	char path[FAKE_PATH];

	snprintf(path, sizeof(path), "%s/%s", d->proc, name);
	fake_drop(&d->f, path);
}

/* The stat of a process that began at a tick. */
static inline void put_stat(struct desk *d, const char *pid, char state, unsigned n_threads, unsigned start,
			    struct times t)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "%s (a ) S 9 (b) %c 1 1 1 0 -1 4194304 10 0 0 0 %u %u %u %u 20 0 %u 0 %u 8192000 390 "
		 "18446744073709551615 0 0\n",
		 pid, state, t.user, t.system, t.waited_user, t.waited_system, n_threads, start);
	put(d, text, "%s/stat", pid);
}

static inline void put_process(struct desk *d, const char *pid, unsigned start, struct times t)
{
	put_stat(d, pid, 'S', 1, start, t);
}

static inline void put_thread(struct desk *d, const char *pid, const char *tid, const char *cpus, const char *children)
{
	char text[400];

	snprintf(text, sizeof(text),
		 "Name:\tb\nUmask:\t0022\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n", cpus);
	put(d, text, "%s/task/%s/status", pid, tid);
	put(d, children, "%s/task/%s/children", pid, tid);
}

static inline void desk_close(struct desk *d)
{
	unc_task_close(d->task);
	if (d->f.ctx)
		fake_close(&d->f);
	memset(d, 0, sizeof(*d));
}

/* A process of one thread. */
static inline void put_alone(struct desk *d, const char *pid, unsigned start, struct times t, const char *cpus,
			     const char *children)
{
	put_process(d, pid, start, t);
	put_thread(d, pid, pid, cpus, children);
}

/* One process of one thread, after closing the former desk. */
static inline void desk_new(struct desk *d)
{
	desk_close(d);
	fake_open(&d->f);
	snprintf(d->proc, sizeof(d->proc), "/proc");
	put_alone(d, "100", 5000, (struct times){10, 20, 0, 0}, "2-3", "");
}

static inline void desk_open(struct desk *d)
{
	OK(&d->f, unc_task_open(d->f.m, PID, &d->task));
	CU_ASSERT_PTR_NOT_NULL_FATAL(d->task);
}

static inline void has_cpus(struct desk *d, const char *expected)
{
	const unsigned *cpus = NULL;
	char text[200] = "";
	size_t n = 0;

	OK(&d->f, unc_task_cpus(d->task, &cpus, &n));
	for (size_t i = 0; i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? " " : "", cpus[i]);
	SAME(text, expected);
}

static inline unsigned look(struct desk *d)
{
	unsigned flags = 0xdead;

	OK(&d->f, unc_task_look(d->task, &flags));
	return flags;
}

struct cpu_ticks {
	unsigned user, nice, system, idle, iowait, irq, softirq, steal, guest;
};

static inline void put_cpus(struct desk *d, const struct cpu_ticks *cpus, unsigned first, unsigned n)
{
	char text[4000] = "cpu  9 9 9 9 9 9 9 9 9 9\n";

	for (unsigned i = 0; i < n; i++) {
		const struct cpu_ticks *c = &cpus[i];

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "cpu%u %u %u %u %u %u %u %u %u %u 0\n",
			 first + i, c->user, c->nice, c->system, c->idle, c->iowait, c->irq, c->softirq, c->steal,
			 c->guest);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "intr 7 0 0\nctxt 5\nbtime 1\n");
	fake_put(&d->f, "/proc/stat", text);
}

static const struct cpu_ticks at_first[4] = {
	{.user = 1000}, {.user = 1000}, {500, 3, 50, 9000, 11, 2, 3, 4, 0}, {.user = 600, .idle = 8000}};

/* One that has a child, 200, which has used so much. */
static inline void desk_with_child(struct desk *d, struct times t)
{
	desk_new(d);
	put_cpus(d, at_first, 0, 4);
	put_thread(d, "100", "100", "2-3", "200 ");
	put_alone(d, "200", 6000, t, "2", "");
}

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes: where they may run, and whether others run there too. */
#include "machine/tasks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { LOOKS_PART = 20 /* at most one in so many parts of the time goes into looking */ };

static const char *name_of(const struct unc_task *task, char *buf, size_t size)
{
	if (strcmp(task->root.name, "COMMAND") == 0)
		return "COMMAND";
	snprintf(buf, size, "process %s", task->root.name);
	return buf;
}

/* CPUs that are online.  A mask may have others too: that of a process that was never bound has all CPUs that could ever exist. */
static int find_online(struct unc_task *task)
{
	struct unc_host *host = task->m->host;
	struct unc_host_cpu *cpus;
	size_t n;
	int rc = host->ops->cpus(host, &cpus, &n);

	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	task->online_told = true;
	for (size_t i = 0; i < n; i++)
		if (cpus[i].online && cpus[i].cpu < UNC_CPUSET_MAX)
			task->online.has[cpus[i].cpu] = true;
	free(cpus);
	return UNC_OK;
}

/* A simulated machine has processes of its own only where it was given files; else they are those of this computer. */
static int find_proc(struct unc_task *task)
{
	struct unc_host *host = task->m->host;
	const char *const *names;
	size_t n;
	int rc;

	task->proc = "/proc";
	if (!host->simulated)
		return UNC_OK;
	rc = host->ops->names(host, "/proc", &names, &n);
	if (rc == 0)
		free((void *)names);
	else if (rc == UNC_ENOMEM)
		return rc;
	else
		task->proc = "own:/proc";
	return UNC_OK;
}

static int name_it(struct unc_task *task, unsigned pid)
{
	int command = task->m->host->command;

	if (pid) {
		task->root.pid = pid;
		snprintf(task->root.name, sizeof(task->root.name), "%u", pid);
		return find_proc(task);
	}
	if (command <= 0)
		return unc_fail(task->m->ctx, UNC_EARG, "there is no COMMAND whose CPUs could be told");
	task->root.pid = (uint64_t)command;
	snprintf(task->root.name, sizeof(task->root.name), "COMMAND");
	task->proc = "own:/proc";
	return UNC_OK;
}

static int first_look(struct unc_task *task)
{
	struct unc_ctx *ctx = task->m->ctx;
	struct unc_task_walk walk;
	char name[40];
	int rc = unc_task_walk(task, &walk);

	if (rc < 0)
		return unc_wrap(ctx, rc, "%s", name_of(task, name, sizeof(name)));
	task->last = walk;
	task->root = walk.members[0];
	if (walk.gone)
		return unc_fail(ctx, UNC_ENODEV, "%s: there is no such process, or it has ended",
				name_of(task, name, sizeof(name)));
	if (unc_cpuset_count(&walk.cpus) == 0)
		return unc_fail(ctx, UNC_ENODEV, "%s: it may run on no CPU that is online on this machine",
				name_of(task, name, sizeof(name)));
	task->at_open = walk.cpus;
	if (walk.no_children)
		unc_note(ctx,
			 "%s: this kernel does not tell what it started (CONFIG_PROC_CHILDREN), so only the process "
			 "itself is looked at, and not whether others use its CPUs",
			 name_of(task, name, sizeof(name)));
	return UNC_OK;
}

static void note_cut(struct unc_task *task)
{
	char name[40];

	if (!task->last.cut || task->cut_told)
		return;
	task->cut_told = true;
	unc_note(task->m->ctx,
		 "%s: of its threads only the first %d are looked at, and not whether others use its CPUs",
		 name_of(task, name, sizeof(name)), UNC_TASK_THREADS_MAX);
}

int unc_task_open(struct unc_machine *machine, unsigned pid, struct unc_task **ret_task)
{
	struct unc_task *task = calloc(1, sizeof(*task));
	int rc;

	if (!task)
		return unc_fail(machine->ctx, UNC_ENOMEM, "out of memory");
	task->m = machine;
	rc = name_it(task, pid);
	if (rc == 0)
		rc = find_online(task);
	if (rc == 0)
		rc = first_look(task);
	if (rc == 0)
		rc = unc_task_time_open(task);
	if (rc < 0) {
		unc_task_close(task);
		return rc;
	}
	note_cut(task);
	*ret_task = task;
	return UNC_OK;
}

void unc_task_close(struct unc_task *task)
{
	if (!task)
		return;
	free(task->last.members);
	free(task->begun);
	free(task->latest);
	free(task->cpus);
	free(task);
}

int unc_task_cpus(struct unc_task *task, const unsigned **ret_cpus, size_t *ret_n)
{
	size_t n = unc_cpuset_count(&task->last.cpus), k = 0;
	unsigned *cpus = calloc(n ? n : 1, sizeof(*cpus));

	if (!cpus)
		return unc_fail(task->m->ctx, UNC_ENOMEM, "out of memory");
	for (unsigned i = 0; i < UNC_CPUSET_MAX; i++)
		if (task->last.cpus.has[i])
			cpus[k++] = i;
	free(task->cpus);
	task->cpus = cpus;
	*ret_cpus = cpus;
	*ret_n = n;
	return UNC_OK;
}

/* An empty set is not known, so it is not a move.  If only some threads were read, another one may still run on a missing CPU. */
static unsigned compare(const struct unc_task *task, const struct unc_task_walk *now)
{
	unsigned flags = 0;

	if (unc_cpuset_count(&now->cpus) == 0)
		return 0;
	for (size_t i = 0; i < UNC_CPUSET_MAX; i++) {
		if (now->cpus.has[i] && !task->at_open.has[i])
			flags |= UNC_TASK_MOVED;
		if (!now->cpus.has[i] && task->at_open.has[i] && !now->cut)
			flags |= UNC_TASK_NARROWED;
	}
	return flags;
}

static int look(struct unc_task *task)
{
	struct unc_task_walk walk;
	char name[40];
	int rc = unc_task_walk(task, &walk);

	if (rc < 0)
		return unc_wrap(task->m->ctx, rc, "%s", name_of(task, name, sizeof(name)));
	if (walk.gone) {
		task->flags = UNC_TASK_GONE | (task->flags & UNC_TASK_OTHERS);
		free(walk.members);
		return UNC_OK;
	}
	task->flags = (task->flags & UNC_TASK_OTHERS) | compare(task, &walk);
	rc = unc_task_time_look(task, &walk);
	free(task->last.members);
	task->last = walk;
	note_cut(task);
	return rc;
}

int unc_task_look(struct unc_task *task, unsigned *ret_flags)
{
	struct unc_host *host = task->m->host;
	uint64_t begun_ns = host->ops->now_ns(host, UNC_CLOCK_MONO);
	int rc = UNC_OK;

	if (!(task->flags & UNC_TASK_GONE) && begun_ns - task->looked_ns >= (LOOKS_PART - 1) * task->look_cost_ns) {
		rc = look(task);
		task->looked_ns = host->ops->now_ns(host, UNC_CLOCK_MONO);
		task->look_cost_ns = task->looked_ns - begun_ns;
	}
	if (rc == 0)
		*ret_flags = task->flags;
	return rc;
}

void unc_task_begin(struct unc_task *task)
{
	if (task->flags & UNC_TASK_GONE)
		task->flags = UNC_TASK_GONE;
	else
		unc_task_time_begin(task);
}

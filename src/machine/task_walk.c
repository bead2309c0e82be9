// SPDX-License-Identifier: GPL-2.0-or-later
/* The tree of a process: its threads, the children of each (/proc/PID/task/TID/children), and so on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "machine/tasks.h"

enum { STAT_MAX = 4096, STATUS_MAX = 1 << 20, CHILDREN_MAX = 1 << 20, PATH_LEN = 96 };

static int read_file(struct unc_task *task, const struct unc_task_member *member, const char *tid, const char *file,
		     size_t max, char **ret_text)
{
	struct unc_host *host = task->m->host;
	char path[PATH_LEN];

	if (tid)
		snprintf(path, sizeof(path), "%s/%.24s/task/%.20s/%s", task->proc, member->name, tid, file);
	else
		snprintf(path, sizeof(path), "%s/%.24s/%s", task->proc, member->name, file);
	return host->ops->file(host, path, max, ret_text, NULL);
}

/* Fills in what stat says of a process.  UNC_ENODEV: it has ended, or the number is another process's by now. */
static int look_at_process(struct unc_task *task, struct unc_task_member *member, bool known)
{
	struct unc_proc_stat stat;
	char *text;
	bool good;
	int rc = read_file(task, member, NULL, "stat", STAT_MAX, &text);

	if (rc < 0)
		return rc;
	good = unc_proc_stat_parse(text, &stat);
	free(text);
	if (!good)
		return unc_fail(task->m->ctx, UNC_EIO, "%s/%s/stat: this is not what Linux writes there", task->proc,
				member->name);
	if (known && stat.starttime != member->starttime)
		return unc_fail(task->m->ctx, UNC_ENODEV, "process %s has ended, and its number is another's by now",
				member->name);
	member->starttime = stat.starttime;
	member->waited = stat.cutime + stat.cstime;
	member->total = stat.utime + stat.stime + member->waited;
	member->alive = !unc_proc_ended(&stat);
	return UNC_OK;
}

static bool has_member(const struct unc_task_walk *walk, uint64_t pid)
{
	for (size_t i = 0; i < walk->n_members; i++)
		if (walk->members[i].pid == pid)
			return true;
	return false;
}

/* Adds one, if it is there at all and not yet among them.  UNC_ENOMEM. */
static int add_member(struct unc_task *task, struct unc_task_walk *walk, const struct unc_task_member *member,
		      bool known)
{
	struct unc_task_member *more, found = *member;
	int rc;

	if (has_member(walk, member->pid))
		return UNC_OK;
	if (walk->n_members >= UNC_TASK_THREADS_MAX) {
		walk->cut = true;
		return UNC_OK;
	}
	rc = look_at_process(task, &found, known);
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	more = unc_array_more(walk->members, walk->n_members, sizeof(*more));
	if (!more)
		return unc_fail(task->m->ctx, UNC_ENOMEM, "out of memory");
	walk->members = more;
	more[walk->n_members++] = found;
	return UNC_OK;
}

static int add_children(struct unc_task *task, struct unc_task_walk *walk, size_t of, const char *tid)
{
	const char *rest;
	uint64_t pid;
	char *text;
	int rc = read_file(task, &walk->members[of], tid, "children", CHILDREN_MAX, &text);

	if (rc < 0) {
		/* A thread may have ended, but the first one was there a moment ago, and is until its process ends. */
		if (of == 0 && rc == UNC_ENODEV && unc_text_u64(tid, &pid) && pid == walk->members[0].pid)
			walk->no_children = true;
		if (rc == UNC_ERANGE)
			walk->cut = true;
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	}
	rest = text;
	rc = UNC_OK;
	while (rc == 0 && unc_proc_next_number(&rest, &pid)) {
		struct unc_task_member child = {.pid = pid};

		snprintf(child.name, sizeof(child.name), "%llu", (unsigned long long)pid);
		rc = add_member(task, walk, &child, false);
	}
	free(text);
	return rc;
}

static int look_at_thread(struct unc_task *task, struct unc_task_walk *walk, size_t of, const char *tid)
{
	struct unc_cpuset cpus;
	char *text;
	int rc = read_file(task, &walk->members[of], tid, "status", STATUS_MAX, &text);

	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	walk->n_threads++;
	if (unc_proc_status_cpus(text, &cpus))
		for (size_t i = 0; i < UNC_CPUSET_MAX; i++)
			walk->cpus.has[i] |= cpus.has[i] && (!task->online_told || task->online.has[i]);
	free(text);
	return walk->no_children ? UNC_OK : add_children(task, walk, of, tid);
}

static int look_at_threads(struct unc_task *task, struct unc_task_walk *walk, size_t of)
{
	struct unc_host *host = task->m->host;
	char path[PATH_LEN];
	const char *const *tids;
	uint64_t tid;
	size_t n;
	int rc;

	snprintf(path, sizeof(path), "%s/%.24s/task", task->proc, walk->members[of].name);
	rc = host->ops->names(host, path, &tids, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (walk->n_threads >= UNC_TASK_THREADS_MAX) {
			walk->cut = true;
			break;
		}
		if (unc_text_u64(tids[i], &tid))
			rc = look_at_thread(task, walk, of, tids[i]);
	}
	free((void *)tids);
	return rc;
}

/* Those that were of the tree before are so still, though one whose parent ended is no child of any of it any more. */
static int add_orphans(struct unc_task *task, struct unc_task_walk *walk)
{
	int rc = UNC_OK;

	for (size_t i = 1; i < task->last.n_members && rc == 0; i++)
		rc = add_member(task, walk, &task->last.members[i], true);
	return rc;
}

/* Members are added behind while we go through them. */
static int look_at_members(struct unc_task *task, struct unc_task_walk *walk, size_t from)
{
	for (size_t i = from; i < walk->n_members; i++) {
		int rc = walk->members[i].alive ? look_at_threads(task, walk, i) : UNC_OK;

		if (rc == UNC_ENOMEM || (rc < 0 && rc != UNC_ENODEV && i == 0))
			return rc;
	}
	return UNC_OK;
}

int unc_task_walk(struct unc_task *task, struct unc_task_walk *ret_walk)
{
	struct unc_task_walk *walk = ret_walk;
	size_t n;
	int rc;

	*walk = (struct unc_task_walk){.no_children = task->last.no_children};
	walk->members = unc_array_more(NULL, 0, sizeof(*walk->members));
	if (!walk->members)
		return unc_fail(task->m->ctx, UNC_ENOMEM, "out of memory");
	walk->members[0] = task->root;
	walk->n_members = 1;
	rc = look_at_process(task, &walk->members[0], task->root.starttime != 0);
	walk->gone = rc == UNC_ENODEV || (rc == 0 && !walk->members[0].alive);
	if (walk->gone)
		return UNC_OK;
	if (rc == 0)
		rc = look_at_members(task, walk, 0);
	n = walk->n_members;
	if (rc == 0)
		rc = add_orphans(task, walk);
	if (rc == 0)
		rc = look_at_members(task, walk, n);
	if (rc < 0) {
		free(walk->members);
		walk->members = NULL;
	}
	return rc;
}

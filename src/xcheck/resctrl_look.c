// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Finds which CPU carries which group's RMID.  A runnable task need not be running now, nor when the register was read.  So a CPU
 * proves nothing if a task of a third group was runnable there before or after the read, and the root group's RMID is never taken
 * for that of another group.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "rdt/leaves.h"
#include "xcheck/resctrl.h"

enum { NOBODY = 0xffff, SEVERAL = 0xfffe, GROUPS_MAX = SEVERAL };
enum { TASKS_MAX = 4096, STAT_MAX = 4096 };
enum { ROOT = 0 }; /* its index among all groups */

struct carried {
	unsigned cpu, rmid;
};

struct unc_xr_look {
	struct unc_xresctrl *xr;   /* not owned */
	struct unc_xr_member *all; /* all groups; owned */
	size_t n_all;
	struct unc_cpuset set;          /* scratch */
	uint16_t owner[UNC_CPUSET_MAX]; /* group whose RMID a CPU carries while it runs a task of the root group */
	uint16_t runner
		[2][UNC_CPUSET_MAX]; /* groups, except the root, with runnable tasks there: before and after the read */
	bool wanted[UNC_CPUSET_MAX];
	struct carried carried[UNC_CPUSET_MAX];
	size_t n_carried;
};

int unc_xr_look_new(struct unc_xresctrl *xr, struct unc_xr_look **ret_look)
{
	struct unc_xr_look *look = calloc(1, sizeof(*look));

	if (!look)
		return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	look->xr = xr;
	*ret_look = look;
	return UNC_OK;
}

void unc_xr_look_free(struct unc_xr_look *look)
{
	if (!look)
		return;
	unc_xr_members_free(look->all, look->n_all);
	free(look);
}

/* A group or task that has gone in the meantime has no CPUs and runs nothing. */
static int unless_gone(int rc)
{
	return rc == UNC_ENODEV ? UNC_OK : rc;
}

static void clear(uint16_t *groups)
{
	for (size_t i = 0; i < UNC_CPUSET_MAX; i++)
		groups[i] = NOBODY;
}

/* CPUs of a monitoring group are also in the list of its control group. */
static bool is_monitoring(const struct unc_xr_member *group)
{
	return strstr(group->path, "mon_groups/") != NULL;
}

static int find_owners(struct unc_xr_look *look, bool monitoring)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < look->n_all && rc == 0; i++) {
		if (is_monitoring(&look->all[i]) != monitoring)
			continue;
		memset(&look->set, 0, sizeof(look->set));
		rc = unless_gone(unc_xr_cpus(look->xr, look->all[i].path, &look->set));
		for (size_t cpu = 0; cpu < UNC_CPUSET_MAX && rc == 0; cpu++)
			if (look->set.has[cpu])
				look->owner[cpu] = (uint16_t)i;
	}
	return rc;
}

static void runs(uint16_t *runner, size_t group, uint64_t cpu)
{
	if (cpu < UNC_CPUSET_MAX)
		runner[cpu] = runner[cpu] == NOBODY || runner[cpu] == group ? (uint16_t)group : SEVERAL;
}

static int look_at_task(struct unc_xr_look *look, uint16_t *runner, size_t group, uint64_t tid)
{
	struct unc_host *host = look->xr->machine->host;
	struct unc_proc_stat stat;
	char path[80], *text;
	int rc;

	/* The thread with that number, in any process; a record has other numbers (access/record_private.h). */
	snprintf(path, sizeof(path), "/proc/%llu/task/%llu/stat", (unsigned long long)tid, (unsigned long long)tid);
	rc = host->ops->file(host, path, STAT_MAX, &text, NULL);
	if (rc < 0)
		return rc == UNC_ENOMEM ? rc : UNC_OK;
	if (unc_proc_stat_parse(text, &stat) && stat.state == 'R' && stat.processor_told)
		runs(runner, group, stat.processor);
	free(text);
	return UNC_OK;
}

/* A group with more tasks than can be looked at may run anywhere. */
static void runs_anywhere(uint16_t *runner, size_t group)
{
	for (size_t cpu = 0; cpu < UNC_CPUSET_MAX; cpu++)
		if (runner[cpu] != group)
			runner[cpu] = SEVERAL;
}

static int look_at_tasks(struct unc_xr_look *look, uint16_t *runner, size_t group)
{
	const char *rest;
	char *text;
	uint64_t tid;
	unsigned n = 0;
	int rc = unc_xr_file(look->xr, look->all[group].path, "tasks", &text);

	if (rc == UNC_ERANGE)
		runs_anywhere(runner, group);
	if (rc < 0)
		return rc == UNC_ERANGE ? UNC_OK : unless_gone(rc);
	for (rest = text; rc == 0 && n < TASKS_MAX && unc_proc_next_number(&rest, &tid); n++) {
		rc = look_at_task(look, runner, group, tid);
		rest += strspn(rest, "\n");
	}
	if (n == TASKS_MAX)
		runs_anywhere(runner, group);
	free(text);
	return rc;
}

static int look_at_runners(struct unc_xr_look *look, uint16_t *runner)
{
	int rc = UNC_OK;

	clear(runner);
	for (size_t i = ROOT + 1; i < look->n_all && rc == 0; i++)
		rc = look_at_tasks(look, runner, i);
	return rc;
}

static bool is_group(const struct unc_xr_look *look, uint16_t group, const char *path)
{
	return group < look->n_all && strcmp(look->all[group].path, path) == 0;
}

static void want(struct unc_xr_look *look, const char *path)
{
	unsigned n = 0;

	for (size_t cpu = 0; cpu < UNC_CPUSET_MAX && n < UNC_XR_CPUS; cpu++) {
		if (!is_group(look, look->runner[0][cpu], path) && !is_group(look, look->owner[cpu], path))
			continue;
		look->wanted[cpu] = true;
		n++;
	}
}

/* A CPU that went offline, or that returns an impossible RMID, carries nothing. */
static int look_at_cpu(struct unc_xr_look *look, unsigned cpu)
{
	struct unc_xresctrl *xr = look->xr;
	uint64_t rmid;
	int rc = unc_rdt_field(xr->machine, cpu, "PQR_ASSOC", 0, "rmid", &rmid);

	if (rc == 0 && rmid <= xr->rdt->info.cpuid_max_rmid)
		look->carried[look->n_carried++] = (struct carried){.cpu = cpu, .rmid = (unsigned)rmid};
	return unless_gone(rc);
}

static int look_at_cpus(struct unc_xr_look *look)
{
	const struct unc_rdt *rdt = look->xr->rdt;
	int rc = UNC_OK;

	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		for (size_t k = 0; k < rdt->l3s[i].n_cpus && rc == 0; k++)
			if (rdt->l3s[i].cpus[k] < UNC_CPUSET_MAX && look->wanted[rdt->l3s[i].cpus[k]])
				rc = look_at_cpu(look, rdt->l3s[i].cpus[k]);
	return rc;
}

int unc_xr_look(struct unc_xr_look *look, const struct unc_xr_member *members, size_t n)
{
	int rc;

	unc_xr_members_free(look->all, look->n_all);
	look->all = NULL;
	look->n_all = look->n_carried = 0;
	rc = unc_xr_all(look->xr, &look->all, &look->n_all);
	if (rc == 0 && look->n_all >= GROUPS_MAX)
		rc = unc_fail(look->xr->machine->ctx, UNC_ENODATA, "resctrl has %zu groups", look->n_all);
	clear(look->owner);
	memset(look->wanted, 0, sizeof(look->wanted));
	if (rc == 0)
		rc = find_owners(look, false);
	if (rc == 0)
		rc = find_owners(look, true);
	if (rc == 0)
		rc = look_at_runners(look, look->runner[0]);
	for (size_t i = 0; i < n; i++)
		if (members[i].how != UNC_XR_TOLD)
			want(look, members[i].path);
	if (rc == 0)
		rc = look_at_cpus(look);
	return rc == 0 ? look_at_runners(look, look->runner[1]) : rc;
}

/* True if only tasks of this group or of the root group were runnable. */
static bool is_undisputed(const struct unc_xr_look *look, unsigned cpu, const char *path)
{
	for (size_t i = 0; i < 2; i++)
		if (look->runner[i][cpu] != NOBODY && !is_group(look, look->runner[i][cpu], path))
			return false;
	return true;
}

static bool ran_all_the_time(const struct unc_xr_look *look, unsigned cpu, const char *path)
{
	return is_group(look, look->runner[0][cpu], path) && is_group(look, look->runner[1][cpu], path);
}

void unc_xr_seen(const struct unc_xr_look *look, const char *path, void (*add)(void *arg, unsigned cpu, unsigned rmid),
		 void *arg)
{
	for (size_t i = 0; i < look->n_carried; i++) {
		unsigned cpu = look->carried[i].cpu, rmid = look->carried[i].rmid;
		bool own = is_group(look, look->owner[cpu], path);

		if (!is_undisputed(look, cpu, path))
			continue;
		/* On a CPU of the root group, the task that ran may have been one of the root group. */
		if (own || (look->owner[cpu] == ROOT && ran_all_the_time(look, cpu, path) && rmid != 0))
			add(arg, cpu, rmid);
	}
}

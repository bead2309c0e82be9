// SPDX-License-Identifier: GPL-2.0-or-later
/*
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

enum { IDLE = 0xffff, SEVERAL = 0xfffe, GROUPS_MAX = SEVERAL };
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
		groups[i] = IDLE;
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
		runner[cpu] = runner[cpu] == IDLE || runner[cpu] == group ? (uint16_t)group : SEVERAL;
}

static int look_at_task(struct unc_xr_look *look, uint16_t *runner, size_t group, uint64_t tid)
{
	struct unc_host *host = look->xr->machine->host;
	struct unc_proc_stat stat;
	char path[80], *text;
	int rc;

	/* The thread with that number, in any process; a record has other numbers (access/record_files.h). */
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
		if (look->runner[i][cpu] != IDLE && !is_group(look, look->runner[i][cpu], path))
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

/* Groups and their RMIDs come and go: what is read follows them. */

/* ---- descriptions ---- */

/* Appends the RMIDs for "RMIDs 0, 7" or "rmid=0+7". */
static void list_rmids(const struct unc_xr_group *group, const char *between, char *buf, size_t size)
{
	size_t len = strlen(buf);

	for (size_t i = 0; i < group->n_members && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%u", i ? between : "", group->members[i].rmid);
}

void unc_xr_describe(struct unc_xr_group *group)
{
	const struct unc_xr_member *first = group->members;
	size_t told = 0, len;

	for (size_t i = 0; i < group->n_members; i++)
		told += first[i].how == UNC_XR_TOLD;
	snprintf(group->counter, sizeof(group->counter), "RMID%s ", group->n_members > 1 ? "s" : "");
	list_rmids(group, ", ", group->counter, sizeof(group->counter));
	snprintf(group->config, sizeof(group->config), "rmid=");
	list_rmids(group, "+", group->config, sizeof(group->config) - sizeof(first->seen) - 40);
	len = strlen(group->config);
	if (told == group->n_members)
		snprintf(group->config + len, sizeof(group->config) - len, " (mon_hw_id)");
	else if (group->n_members == 1)
		snprintf(group->config + len, sizeof(group->config) - len, " (IA32_PQR_ASSOC of cpu %s)", first->seen);
	else
		snprintf(group->config + len, sizeof(group->config) - len, " (IA32_PQR_ASSOC of their CPUs)");
}

/* ---- our reading ---- */

void unc_xr_llc_close(struct unc_xresctrl *xr, int *ret_rc)
{
	int rc = unc_llc_close(xr->llc);

	xr->llc = NULL;
	if (*ret_rc == 0)
		*ret_rc = rc;
}

static int open_llc(struct unc_xresctrl *xr)
{
	static const struct unc_llc_cfg cfg = {.shared = true};
	size_t n = 0;
	int rc = unc_llc_open(xr->machine, &cfg, &xr->llc), ignored = 0;

	for (size_t i = 0; i < xr->n_groups && rc == 0; i++) {
		const struct unc_xr_group *group = &xr->groups[i];

		for (size_t k = 0; k < group->n_members && rc == 0 && !group->unknown[0]; k++, n++)
			rc = unc_llc_add_rmid(xr->llc, group->members[k].rmid);
	}
	if (rc == 0 && n)
		rc = unc_llc_start(xr->llc);
	if (rc < 0 || n == 0) {
		struct unc_saved_msg why;

		unc_msg_save(xr->machine->ctx, &why);
		unc_xr_llc_close(xr, &ignored);
		unc_msg_restore(xr->machine->ctx, &why);
	}
	return rc;
}

/* True if all RMIDs of the group are being read. */
static bool has_rmids(const struct unc_xresctrl *xr, const struct unc_xr_group *group)
{
	for (size_t i = 0; i < group->n_members && !group->unknown[0]; i++)
		if (!xr->llc || !xr->llc->rmids[group->members[i].rmid])
			return false;
	return true;
}

/* ---- changes of groups ---- */

static int gone(struct unc_xr_group *group)
{
	char name[240];

	snprintf(group->unknown, sizeof(group->unknown), "%s is gone",
		 unc_xr_group_name(group->members[0].path, name, sizeof(name)));
	return UNC_OK;
}

static bool same_paths(const struct unc_xr_member *a, size_t n_a, const struct unc_xr_member *b, size_t n_b)
{
	if (n_a != n_b)
		return false;
	for (size_t i = 0; i < n_a; i++)
		if (strcmp(a[i].path, b[i].path) != 0)
			return false;
	return true;
}

/* Keeps the message as what is wrong with the group, unless memory ran out. */
static int not_known(struct unc_xresctrl *xr, struct unc_xr_group *group, int rc)
{
	if (rc == UNC_ENOMEM)
		return rc;
	snprintf(group->unknown, sizeof(group->unknown), "%.*s", (int)sizeof(group->unknown) - 1,
		 xr->machine->ctx->msg);
	return UNC_OK;
}

static int find_anew(struct unc_xresctrl *xr, struct unc_xr_group *group, struct unc_xr_member *members, size_t n)
{
	int rc = unc_xr_find_rmids(xr, members, n, UNC_XR_FEW_LOOKS);

	unc_xr_members_free(group->members, group->n_members);
	group->members = members;
	group->n_members = n;
	group->unknown[0] = '\0';
	if (rc < 0)
		return not_known(xr, group, rc);
	unc_xr_describe(group);
	return UNC_OK;
}

/* Checks whether the group still has the RMIDs that it had, and finds its new ones. */
static int look_after(struct unc_xresctrl *xr, struct unc_xr_group *group)
{
	const char *const *names;
	struct unc_xr_member *members;
	bool changed = true;
	size_t n;
	int rc = unc_xr_names(xr, group->members[0].path, "mon_data", &names, &n);

	if (rc == UNC_ENODEV)
		return gone(group);
	if (rc < 0)
		return not_known(xr, group, rc);
	free((void *)names);
	rc = unc_xr_members(xr, group->members[0].path, &members, &n);
	if (rc < 0)
		return not_known(xr, group, rc);
	if (!group->unknown[0] && same_paths(members, n, group->members, group->n_members))
		rc = unc_xr_check_rmids(xr, group->members, group->n_members, &changed);
	if (rc == 0 && changed)
		return find_anew(xr, group, members, n);
	unc_xr_members_free(members, n);
	return rc < 0 ? not_known(xr, group, rc) : UNC_OK;
}

/* If RMIDs are needed that are not being read, a new session is started, in which everything is counted from the beginning. */
int unc_xr_follow(struct unc_xresctrl *xr)
{
	bool all = true;
	int rc = UNC_OK;

	for (size_t i = 0; i < xr->n_groups && rc == 0; i++) {
		rc = look_after(xr, &xr->groups[i]);
		all = all && has_rmids(xr, &xr->groups[i]);
	}
	if (rc == 0 && !all) {
		unc_xr_llc_close(xr, &rc);
		for (size_t i = 0; i < xr->n_rows; i++)
			xr->rows[i].begun_anew = "a group has other RMIDs now, so all reading was begun anew; it is "
						 "compared from here on";
		if (rc == 0)
			rc = open_llc(xr);
	}
	return rc == 0 ? unc_xr_rows_point(xr) : rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds which RMID a group has, if resctrl does not show it: which CPU carries which group's RMID.  A runnable task need not be
 * running now, nor when the register was read.  So a CPU proves nothing if a task of a third group was runnable there before or
 * after the read, and the root group's RMID is never taken for that of another group.
 */

#include "rdt/leaves.h"
#include "xcheck/resctrl.h"

/* ---- a look at CPUs ---- */

enum { IDLE = 0xffff, SEVERAL = 0xfffe, GROUPS_MAX = SEVERAL };
enum { TASKS_MAX = 4096, STAT_MAX = 4096 };
enum { ROOT = 0 };      /* its index among all groups */
enum { CPUS_MAX = 32 }; /* the most CPUs that are looked at for one group */

struct carried {
	unsigned cpu, rmid;
};

/*
 * A look at IA32_PQR_ASSOC of CPUs, between two looks at which tasks run there.  A CPU carries the RMID of the task that it runs;
 * if that task is in the root group, the RMID of the group that has the CPU (Linux arch/x86/include/asm/resctrl.h,
 * __resctrl_sched_in()).
 */
struct look {
	struct unc_xresctrl *xr;        /* not owned */
	struct unc_xr_members all;      /* all groups; owned */
	struct unc_cpuset set;          /* scratch */
	uint16_t owner[UNC_CPUSET_MAX]; /* group whose RMID a CPU carries while it runs a task of the root group */
	/* Groups, except the root, with runnable tasks there: before and after the read. */
	uint16_t runner[2][UNC_CPUSET_MAX];
	bool wanted[UNC_CPUSET_MAX];
	struct carried carried[UNC_CPUSET_MAX];
	size_t n_carried;
};

/* Reads a list of CPUs, which may be empty.  Fails as unc_xr_number(). */
static int read_cpus(struct unc_xresctrl *xr, const char *group, struct unc_cpuset *ret_set)
{
	char *text;
	int rc = unc_xr_file(xr, group, "cpus_list", &text);

	if (rc < 0)
		return rc;
	if (!text[0])
		memset(ret_set, 0, sizeof(*ret_set));
	else if (!unc_cpuset_of_list(text, ret_set))
		rc = unc_fail(xr->machine->ctx, UNC_ENODATA,
			      "%s/%s%scpus_list says \"%.60s\", which is not a list of CPUs", xr->mount.dir, group,
			      group[0] ? "/" : "", text);
	free(text);
	return rc;
}

/* As unc_xr_members(), for every directory that has an RMID; the root is the first. */
static int find_all(struct unc_xresctrl *xr, struct unc_xr_members *members)
{
	const char *const *names = NULL;
	size_t n = 0;
	int rc = unc_xr_names(xr, "", "", &names, &n);

	if (rc == 0)
		rc = unc_xr_members(xr, "", members);
	for (size_t i = 0; i < n && rc == 0; i++)
		if (!unc_users_is_of_resctrl(names[i]))
			rc = unc_xr_members(xr, names[i], members);
	free((void *)names);
	return rc;
}

static void free_look(struct look *look)
{
	if (look)
		unc_xr_members_clear(&look->all);
	free(look);
}

/* A group or task that has gone in the meantime has no CPUs and runs nothing. */
static int unless_gone(int rc)
{
	return rc == UNC_ENODEV ? UNC_OK : rc;
}

/* Monitoring groups come last: their CPUs are also in the list of their control group. */
static int find_owners(struct look *look)
{
	int rc = UNC_OK;

	memset(look->owner, 0xff, sizeof(look->owner)); /* IDLE */
	for (unsigned monitoring = 0; monitoring < 2; monitoring++) {
		for (size_t i = 0; i < look->all.n && rc == 0; i++) {
			const char *path = look->all.list[i].path;

			if ((strstr(path, "mon_groups/") != NULL) != monitoring)
				continue;
			memset(&look->set, 0, sizeof(look->set));
			rc = unless_gone(read_cpus(look->xr, path, &look->set));
			for (size_t cpu = 0; cpu < UNC_CPUSET_MAX && rc == 0; cpu++)
				if (look->set.has[cpu])
					look->owner[cpu] = (uint16_t)i;
		}
	}
	return rc;
}

static int read_tasks(struct look *look, uint16_t *runner, size_t group)
{
	struct unc_host *host = look->xr->machine->host;
	const char *rest;
	char *text = NULL;
	uint64_t tid;
	unsigned n = 0;
	int rc = unc_xr_file(look->xr, look->all.list[group].path, "tasks", &text);

	if (rc < 0 && rc != UNC_ERANGE)
		return unless_gone(rc);
	for (rest = text; rc == 0 && n < TASKS_MAX && unc_proc_next_number(&rest, &tid); n++) {
		struct unc_proc_stat stat;
		char path[80], *shows;

		rest += strspn(rest, "\n");
		/* The thread with that number, in any process; a record has other numbers (access/record_files.h). */
		snprintf(path, sizeof(path), "/proc/%llu/task/%llu/stat", (unsigned long long)tid,
			 (unsigned long long)tid);
		rc = unc_host_file(host, path, STAT_MAX, &shows, NULL);
		if (rc < 0) {
			rc = rc == UNC_ENOMEM ? rc : UNC_OK;
			continue;
		}
		if (unc_proc_stat_parse(shows, &stat) && stat.state == 'R' && stat.processor_told &&
		    stat.processor < UNC_CPUSET_MAX) {
			uint16_t *of_cpu = &runner[stat.processor];

			*of_cpu = *of_cpu == IDLE || *of_cpu == group ? (uint16_t)group : SEVERAL;
		}
		free(shows);
	}
	/* A group with more tasks than can be looked at may run anywhere. */
	for (size_t cpu = 0; cpu < UNC_CPUSET_MAX && (rc == UNC_ERANGE || n == TASKS_MAX); cpu++)
		if (runner[cpu] != group)
			runner[cpu] = SEVERAL;
	free(text);
	return rc == UNC_ERANGE ? UNC_OK : rc;
}

static int read_runners(struct look *look, uint16_t runner[UNC_CPUSET_MAX])
{
	int rc = UNC_OK;

	memset(runner, 0xff, UNC_CPUSET_MAX * sizeof(*runner)); /* IDLE */
	for (size_t i = ROOT + 1; i < look->all.n && rc == 0; i++)
		rc = read_tasks(look, runner, i);
	return rc;
}

static bool is_group(const struct look *look, uint16_t group, const char *path)
{
	return group < look->all.n && strcmp(look->all.list[group].path, path) == 0;
}

/* A CPU that went offline, or that returns an impossible RMID, carries nothing. */
static int read_rmids_of_cpus(struct look *look)
{
	const struct unc_rdt *rdt = look->xr->rdt;
	int rc = UNC_OK;

	for (size_t i = 0; i < rdt->info.n_l3s; i++) {
		for (size_t k = 0; k < rdt->l3s[i].n_cpus && rc == 0; k++) {
			unsigned cpu = rdt->l3s[i].cpus[k];
			uint64_t rmid;

			if (cpu >= UNC_CPUSET_MAX || !look->wanted[cpu])
				continue;
			rc = unc_rdt_field(look->xr->machine, cpu, "PQR_ASSOC", 0, "rmid", &rmid);
			if (rc == 0 && rmid <= rdt->info.cpuid_max_rmid)
				look->carried[look->n_carried++] = (struct carried){cpu, (unsigned)rmid};
			rc = unless_gone(rc);
		}
	}
	return rc;
}

/*
 * Looks at CPUs that may carry the RMIDs of those members for which resctrl does not show them.  UNC_ENODEV: resctrl is gone;
 * UNC_EPERM, UNC_EIO, UNC_ENOMEM.
 */
static int read_members(struct look *look, const struct unc_xr_members *members)
{
	int rc;

	unc_xr_members_clear(&look->all);
	look->n_carried = 0;
	memset(look->wanted, 0, sizeof(look->wanted));
	rc = find_all(look->xr, &look->all);
	if (rc == 0 && look->all.n >= GROUPS_MAX)
		rc = unc_fail(look->xr->machine->ctx, UNC_ENODATA, "resctrl has %zu groups", look->all.n);
	if (rc == 0)
		rc = find_owners(look);
	if (rc == 0)
		rc = read_runners(look, look->runner[0]);
	for (size_t i = 0; i < members->n && rc == 0; i++) {
		const char *path = members->list[i].path;
		unsigned n = members->list[i].how == UNC_XR_TOLD ? CPUS_MAX : 0;

		for (size_t cpu = 0; cpu < UNC_CPUSET_MAX && n < CPUS_MAX; cpu++) {
			if (!is_group(look, look->runner[0][cpu], path) && !is_group(look, look->owner[cpu], path))
				continue;
			look->wanted[cpu] = true;
			n++;
		}
	}
	if (rc == 0)
		rc = read_rmids_of_cpus(look);
	return rc == 0 ? read_runners(look, look->runner[1]) : rc;
}

/* ---- evidence ---- */

/* Number of consecutive looks that must agree, and the time between them. */
enum { AGREEING = 3 };
#define BETWEEN_NS UINT64_C(5000000)

struct evidence {               /* evidence for one member */
	unsigned agreeing;      /* consecutive looks that agree */
	unsigned rmid;          /* RMID in these looks */
	bool any, clash;        /* in this look */
	unsigned cpu;           /* the first CPU of this look */
	char cpus[40];          /* CPUs of this look, as text */
	char contradiction[80]; /* the last contradiction; "" */
};

/* The CPU carried the RMID of the member. */
static void weigh(struct evidence *e, bool is_root, unsigned cpu, unsigned rmid)
{
	size_t len = strlen(e->cpus);

	/* RMID 0 belongs only to the root group: another program writes that register. */
	if (rmid == 0 && !is_root) {
		snprintf(e->contradiction, sizeof(e->contradiction), "cpu %u has RMID 0, the root group's", cpu);
		e->clash = true;
	} else if (!e->any) {
		e->any = true;
		e->cpu = cpu;
		if (rmid != e->rmid && e->agreeing)
			snprintf(e->contradiction, sizeof(e->contradiction), "RMID %u was seen, then %u on cpu %u",
				 e->rmid, rmid, cpu);
		if (rmid != e->rmid)
			e->agreeing = 0;
		e->rmid = rmid;
		snprintf(e->cpus, sizeof(e->cpus), "%u", cpu);
	} else if (rmid != e->rmid) {
		snprintf(e->contradiction, sizeof(e->contradiction), "cpu %u has RMID %u, cpu %u RMID %u", e->cpu,
			 e->rmid, cpu, rmid);
		e->clash = true;
	} else if (len + 16 < sizeof(e->cpus)) {
		snprintf(e->cpus + len, sizeof(e->cpus) - len, ",%u", cpu);
	}
}

static void collect_evidence(const struct look *look, const struct unc_xr_member *member, struct evidence *e)
{
	e->any = e->clash = false;
	for (size_t i = 0; i < look->n_carried; i++) {
		unsigned cpu = look->carried[i].cpu, rmid = look->carried[i].rmid;
		uint16_t before = look->runner[0][cpu], after = look->runner[1][cpu], owner = look->owner[cpu];
		bool ran_before = is_group(look, before, member->path), ran_after = is_group(look, after, member->path);

		/* A task of a third group may have run there. */
		if ((before != IDLE && !ran_before) || (after != IDLE && !ran_after))
			continue;
		/* On a CPU of the root group, the task that ran may have been one of the root group. */
		if (is_group(look, owner, member->path) || (owner == ROOT && ran_before && ran_after && rmid != 0))
			weigh(e, member->path[0] == '\0', cpu, rmid);
	}
	if (e->clash)
		e->agreeing = 0;
	else if (e->any)
		e->agreeing++;
}

/* Returns how many members have an RMID that is still not known. */
static size_t take(const struct look *look, struct unc_xr_members *members, struct evidence *evidence)
{
	size_t unknown = 0;

	for (size_t i = 0; i < members->n; i++) {
		struct unc_xr_member *member = &members->list[i];

		if (member->how != UNC_XR_UNKNOWN)
			continue;
		collect_evidence(look, member, &evidence[i]);
		if (evidence[i].agreeing < AGREEING) {
			unknown++;
			continue;
		}
		member->how = UNC_XR_SEEN;
		member->rmid = evidence[i].rmid;
		snprintf(member->seen, sizeof(member->seen), "%s", evidence[i].cpus);
	}
	return unknown;
}

static int see_all(struct look *look, struct unc_xr_members *members, struct evidence *evidence, unsigned looks)
{
	struct unc_machine *m = look->xr->machine;
	size_t unknown = members->n;
	char name[240];
	int rc = UNC_OK;

	for (unsigned i = 0; i < looks && unknown && rc == 0; i++) {
		if (i)
			rc = m->host->ops->sleep_until(m->host, unc_machine_mono_ns(m) + BETWEEN_NS);
		if (rc == UNC_EAGAIN) /* woken early, so there is no more time to look */
			break;
		if (rc == 0)
			rc = read_members(look, members);
		if (rc == 0)
			unknown = take(look, members, evidence);
	}
	for (size_t i = 0; i < members->n && (rc == 0 || rc == UNC_EAGAIN); i++) {
		const char *contradiction = evidence[i].contradiction;

		if (members->list[i].how != UNC_XR_UNKNOWN)
			continue;
		return unc_fail(
			m->ctx, UNC_ENODATA,
			"%s: which RMID it has cannot be told: resctrl shows no mon_hw_id (it does only when it is "
			"mounted with -o debug, and unmounting removes all groups), and %s%s%s",
			unc_xr_group_name(members->list[i].path, name, sizeof(name)),
			*contradiction
				? "what its CPUs carry changes or is contradictory ("
				: "no CPU was seen to carry it: let something run in the group, or give it a CPU",
			contradiction, *contradiction ? "): let others keep off them" : "");
	}
	return rc;
}

/* ---- the RMIDs of groups ---- */

/*
 * Linux Documentation/filesystems/resctrl.rst, "mon_hw_id": "Available only with debug option. The identifier used by hardware
 * for the monitor group. On x86 this is the RMID." *ret_how: UNC_XR_TOLD, or UNC_XR_UNKNOWN if resctrl does not show it.
 */
static int ask(struct unc_xresctrl *xr, const char *path, enum unc_xr_how *ret_how, unsigned *ret_rmid)
{
	uint64_t number;
	int rc = unc_xr_number(xr, path, "mon_hw_id", &number);
	char name[240];

	*ret_how = rc == 0 ? UNC_XR_TOLD : UNC_XR_UNKNOWN;
	if (rc < 0)
		return unless_gone(rc);
	if (number > xr->rdt->info.max_rmid)
		return unc_fail(xr->machine->ctx, UNC_ENODATA,
				"%s: mon_hw_id says %llu, and the highest RMID of this CPU is %u",
				unc_xr_group_name(path, name, sizeof(name)), (unsigned long long)number,
				xr->rdt->info.max_rmid);
	*ret_rmid = (unsigned)number;
	return UNC_OK;
}

int unc_xr_find_rmids(struct unc_xresctrl *xr, struct unc_xr_members *members, unsigned looks)
{
	struct evidence *evidence;
	struct look *look;
	size_t unknown = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < members->n && rc == 0; i++) {
		rc = ask(xr, members->list[i].path, &members->list[i].how, &members->list[i].rmid);
		unknown += members->list[i].how == UNC_XR_UNKNOWN;
	}
	if (rc < 0 || !unknown)
		return rc;
	look = calloc(1, sizeof(*look));
	evidence = calloc(members->n, sizeof(*evidence));
	if (look && evidence) {
		look->xr = xr;
		rc = see_all(look, members, evidence, looks);
	} else {
		rc = unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	}
	free(evidence);
	free_look(look);
	return rc;
}

int unc_xr_check_rmids(struct unc_xresctrl *xr, const struct unc_xr_members *members, bool *ret_changed)
{
	struct look *look;
	bool seen = false;
	int rc = UNC_OK;

	*ret_changed = false;
	for (size_t i = 0; i < members->n && rc == 0; i++) {
		const struct unc_xr_member *member = &members->list[i];
		enum unc_xr_how how = member->how;
		unsigned rmid = member->rmid;

		seen |= how == UNC_XR_SEEN;
		if (how == UNC_XR_TOLD)
			rc = ask(xr, member->path, &how, &rmid);
		*ret_changed |= rc == 0 && (how != member->how || rmid != member->rmid);
	}
	if (rc < 0 || !seen)
		return rc;
	look = calloc(1, sizeof(*look));
	if (!look)
		return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	look->xr = xr;
	rc = read_members(look, members);
	for (size_t i = 0; i < members->n && rc == 0; i++) {
		struct evidence e = {0};

		if (members->list[i].how != UNC_XR_SEEN)
			continue;
		collect_evidence(look, &members->list[i], &e);
		*ret_changed |= e.clash || (e.any && e.rmid != members->list[i].rmid);
	}
	free_look(look);
	return rc;
}

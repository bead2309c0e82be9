// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the files of resctrl. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "rdt/leaves.h"
#include "xcheck/resctrl.h"

/*
 * Joins "mon_groups/one/tasks": a file or directory of a group, "" for the root.  free() it; NULL, with a message: out of memory.
 */
static char *xr_path(struct unc_xresctrl *xr, const char *group, const char *name)
{
	size_t size = strlen(group) + strlen(name) + 2;
	char *path = malloc(size);

	if (path)
		snprintf(path, size, "%s%s%s", group, group[0] && name[0] ? "/" : "", name);
	else
		unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	return path;
}

/* Returns the path as the machine's host takes it. */
static char *whole_path(struct unc_xresctrl *xr, const char *group, const char *name)
{
	char *below = xr_path(xr, group, name), *path = below ? xr_path(xr, xr->mount.dir, below) : NULL;

	free(below);
	return path;
}

int unc_xr_file(struct unc_xresctrl *xr, const char *group, const char *name, char **ret_text)
{
	char *path = whole_path(xr, group, name);
	int rc;

	if (!path)
		return UNC_ENOMEM;
	rc = xr->machine->host->ops->file(xr->machine->host, path, UNC_XR_FILE_MAX, ret_text, NULL);
	free(path);
	return rc;
}

int unc_xr_names(struct unc_xresctrl *xr, const char *group, const char *name, const char *const **ret_names,
		 size_t *ret_n)
{
	char *path = whole_path(xr, group, name);
	int rc;

	if (!path)
		return UNC_ENOMEM;
	rc = xr->machine->host->ops->names(xr->machine->host, path, ret_names, ret_n);
	free(path);
	return rc;
}

/* Drops the newline at the end of a file. */
static void drop_newline(char *text)
{
	size_t len = strlen(text);

	if (len && text[len - 1] == '\n')
		text[len - 1] = '\0';
}

static bool is_number(const char *text, uint64_t *ret_number)
{
	return strspn(text, "0123456789") == strlen(text) && unc_text_u64(text, ret_number);
}

int unc_xr_number(struct unc_xresctrl *xr, const char *group, const char *name, uint64_t *ret_number)
{
	char *text;
	int rc = unc_xr_file(xr, group, name, &text);

	if (rc < 0)
		return rc;
	drop_newline(text);
	if (!is_number(text, ret_number))
		rc = unc_fail(xr->machine->ctx, UNC_ENODATA, "%s/%s%s%s says \"%.60s\"", xr->mount.dir, group,
			      group[0] && name[0] ? "/" : "", name, text);
	free(text);
	return rc;
}

int unc_xr_cpus(struct unc_xresctrl *xr, const char *group, struct unc_cpuset *ret_set)
{
	char *text;
	int rc = unc_xr_file(xr, group, "cpus_list", &text);

	if (rc < 0)
		return rc;
	drop_newline(text);
	if (!text[0])
		memset(ret_set, 0, sizeof(*ret_set));
	else if (!unc_cpuset_of_list(text, ret_set))
		rc = unc_fail(xr->machine->ctx, UNC_ENODATA,
			      "%s/%s%scpus_list says \"%.60s\", which is not a list of CPUs", xr->mount.dir, group,
			      group[0] ? "/" : "", text);
	free(text);
	return rc;
}

const char *unc_xr_event_name(unsigned event)
{
	static const char *const names[UNC_LLC_EVENTS] = {
		[UNC_LLC_OCCUPANCY] = "llc_occupancy",
		[UNC_LLC_TOTAL] = "mbm_total_bytes",
		[UNC_LLC_LOCAL] = "mbm_local_bytes",
	};

	return names[event];
}

/* Finds which RMID a group has. */

/* Number of consecutive looks that must agree, and the time between them. */
enum { AGREEING = 3 };
#define BETWEEN_NS UINT64_C(5000000)

/* ---- from mon_hw_id ---- */

/*
 * Linux Documentation/filesystems/resctrl.rst, "mon_hw_id": "Available only with debug option. The identifier used by hardware
 * for the monitor group. On x86 this is the RMID." *ret_there: resctrl shows it.
 */
static int ask(struct unc_xresctrl *xr, const char *path, bool *ret_there, unsigned *ret_rmid)
{
	uint64_t number;
	int rc = unc_xr_number(xr, path, "mon_hw_id", &number);
	char name[240];

	*ret_there = rc == 0;
	if (rc == UNC_ENODEV)
		return UNC_OK;
	if (rc < 0)
		return rc;
	if (number > xr->rdt->info.max_rmid)
		return unc_fail(xr->machine->ctx, UNC_ENODATA,
				"%s: mon_hw_id says %llu, and the highest RMID of this CPU is %u",
				unc_xr_group_name(path, name, sizeof(name)), (unsigned long long)number,
				xr->rdt->info.max_rmid);
	*ret_rmid = (unsigned)number;
	return UNC_OK;
}

static int ask_all(struct unc_xresctrl *xr, struct unc_xr_member *members, size_t n, size_t *ret_n_unknown)
{
	int rc = UNC_OK;

	*ret_n_unknown = 0;
	for (size_t i = 0; i < n && rc == 0; i++) {
		bool there;

		rc = ask(xr, members[i].path, &there, &members[i].rmid);
		members[i].how = there ? UNC_XR_TOLD : UNC_XR_UNKNOWN;
		*ret_n_unknown += !there;
	}
	return rc;
}

/* ---- from CPUs ---- */

struct evidence { /* evidence for one member */
	bool root;
	unsigned agreeing;      /* consecutive looks that agree */
	unsigned rmid;          /* RMID in these looks */
	bool any, clash;        /* in this look */
	unsigned cpu;           /* the first CPU of this look */
	char cpus[40];          /* CPUs of this look, as text */
	char contradiction[80]; /* the last contradiction; "" */
};

static void weigh(void *arg, unsigned cpu, unsigned rmid)
{
	struct evidence *e = arg;
	size_t len = strlen(e->cpus);

	/* RMID 0 belongs only to the root group: another program writes that register. */
	if (rmid == 0 && !e->root) {
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

static void weigh_look(const struct unc_xr_look *look, const struct unc_xr_member *member, struct evidence *e)
{
	e->any = e->clash = false;
	e->root = member->path[0] == '\0';
	unc_xr_seen(look, member->path, weigh, e);
	if (e->clash)
		e->agreeing = 0;
	else if (e->any)
		e->agreeing++;
}

static size_t take(const struct unc_xr_look *look, struct unc_xr_member *members, struct evidence *evidence, size_t n)
{
	size_t unknown = 0;

	for (size_t i = 0; i < n; i++) {
		if (members[i].how != UNC_XR_UNKNOWN)
			continue;
		weigh_look(look, &members[i], &evidence[i]);
		if (evidence[i].agreeing < AGREEING) {
			unknown++;
			continue;
		}
		members[i].how = UNC_XR_SEEN;
		members[i].rmid = evidence[i].rmid;
		snprintf(members[i].seen, sizeof(members[i].seen), "%s", evidence[i].cpus);
	}
	return unknown;
}

static int cannot_tell(struct unc_xresctrl *xr, const struct unc_xr_member *member, const struct evidence *e)
{
	char name[240];

	unc_xr_group_name(member->path, name, sizeof(name));
	if (e->contradiction[0])
		return unc_fail(
			xr->machine->ctx, UNC_ENODATA,
			"%s: which RMID it has cannot be told: resctrl shows no mon_hw_id (it does only when it "
			"is mounted with -o debug, and unmounting removes all groups), and what its CPUs carry "
			"changes or is contradictory (%s): let others keep off them",
			name, e->contradiction);
	return unc_fail(
		xr->machine->ctx, UNC_ENODATA,
		"%s: which RMID it has cannot be told: resctrl shows no mon_hw_id (it does only when it is mounted "
		"with -o debug, and unmounting removes all groups), and no CPU was seen to carry it: let something "
		"run in the group, or give it a CPU",
		name);
}

static int pause_a_little(struct unc_machine *m)
{
	return m->host->ops->sleep_until(m->host, unc_machine_mono_ns(m) + BETWEEN_NS);
}

static int see_all(struct unc_xresctrl *xr, struct unc_xr_look *look, struct unc_xr_member *members,
		   struct evidence *evidence, size_t n, unsigned looks)
{
	size_t unknown = n;
	int rc = UNC_OK;

	for (unsigned i = 0; i < looks && unknown && rc == 0; i++) {
		if (i)
			rc = pause_a_little(xr->machine);
		if (rc == UNC_EAGAIN) /* woken early, so there is no more time to look */
			break;
		if (rc == 0)
			rc = unc_xr_look(look, members, n);
		if (rc == 0)
			unknown = take(look, members, evidence, n);
	}
	for (size_t i = 0; i < n && (rc == 0 || rc == UNC_EAGAIN); i++)
		if (members[i].how == UNC_XR_UNKNOWN)
			return cannot_tell(xr, &members[i], &evidence[i]);
	return rc;
}

int unc_xr_find_rmids(struct unc_xresctrl *xr, struct unc_xr_member *members, size_t n, unsigned looks)
{
	struct evidence *evidence;
	struct unc_xr_look *look;
	size_t unknown;
	int rc = ask_all(xr, members, n, &unknown);

	if (rc < 0 || !unknown)
		return rc;
	rc = unc_xr_look_new(xr, &look);
	if (rc < 0)
		return rc;
	evidence = calloc(n, sizeof(*evidence));
	if (evidence)
		rc = see_all(xr, look, members, evidence, n, looks);
	else
		rc = unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	free(evidence);
	unc_xr_look_free(look);
	return rc;
}

/* ---- changes ---- */

static int check_told(struct unc_xresctrl *xr, const struct unc_xr_member *member, bool *ret_changed)
{
	unsigned rmid = member->rmid;
	bool there;
	int rc = ask(xr, member->path, &there, &rmid);

	if (rc == 0 && (!there || rmid != member->rmid))
		*ret_changed = true;
	return rc;
}

static int check_seen(struct unc_xresctrl *xr, const struct unc_xr_member *members, size_t n, bool *ret_changed)
{
	struct unc_xr_look *look;
	int rc = unc_xr_look_new(xr, &look);

	if (rc < 0)
		return rc;
	rc = unc_xr_look(look, members, n);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct evidence e = {0};

		if (members[i].how != UNC_XR_SEEN)
			continue;
		weigh_look(look, &members[i], &e);
		if (e.clash || (e.any && e.rmid != members[i].rmid))
			*ret_changed = true;
	}
	unc_xr_look_free(look);
	return rc;
}

int unc_xr_check_rmids(struct unc_xresctrl *xr, const struct unc_xr_member *members, size_t n, bool *ret_changed)
{
	bool seen = false;
	int rc = UNC_OK;

	*ret_changed = false;
	for (size_t i = 0; i < n && rc == 0; i++) {
		seen |= members[i].how == UNC_XR_SEEN;
		if (members[i].how == UNC_XR_TOLD)
			rc = check_told(xr, &members[i], ret_changed);
	}
	return rc == 0 && seen ? check_seen(xr, members, n, ret_changed) : rc;
}

/* Finds resctrl, a group of it, and the monitoring groups whose numbers are included in the group's. */

const char *unc_xr_group_name(const char *path, char *buf, size_t size)
{
	if (path[0])
		snprintf(buf, size, "group \"%.200s\"", path);
	else
		snprintf(buf, size, "the root group");
	return buf;
}

/* ---- the mount ---- */

enum { LAST_SKYLAKE_STEPPING = 4 };

/* Linux arch/x86/kernel/cpu/resctrl/core.c, __check_quirks_intel(): "!cmt,!mbmtotal,!mbmlocal,!l3cat". */
static bool is_switched_off_by_linux(const struct unc_cpu_id *cpu)
{
	return cpu->family == UNC_RDT_FAMILY && cpu->model == UNC_RDT_SKYLAKE_X &&
	       cpu->stepping <= LAST_SKYLAKE_STEPPING;
}

static int nothing_monitored(struct unc_xresctrl *xr)
{
	const char *way_out = "this kernel monitors no L3: does its command line switch that off (rdt=!cmt,...)?";

	if (is_switched_off_by_linux(&xr->machine->cpu))
		way_out = "Linux switches that off on Skylake, for its errata, unless booted with "
			  "rdt=cmt,mbmtotal,mbmlocal";
	return unc_fail(xr->machine->ctx, UNC_ENOSUP,
			"resctrl is mounted at %.200s, but there is no info/L3_MON in it: %s; `uncorectl llc` reads "
			"this CPU's monitoring without it",
			xr->mount.dir, way_out);
}

/* Finds the events for which it has files: one name per line; other names are ignored. */
static unsigned events_in(char *text)
{
	unsigned events = 0;
	char *line;

	while ((line = unc_text_cut(&text, '\n')) != NULL)
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			if (strcmp(line, unc_xr_event_name(event)) == 0)
				events |= 1U << event;
	return events;
}

static int find_events(struct unc_xresctrl *xr)
{
	char *text;
	int rc = unc_xr_file(xr, "info/L3_MON", "mon_features", &text);

	if (rc == UNC_ENODEV)
		return nothing_monitored(xr);
	if (rc < 0)
		return rc;
	xr->events = events_in(text);
	free(text);
	if (!xr->events)
		return unc_fail(xr->machine->ctx, UNC_ENOSUP,
				"%.200s/info/L3_MON/mon_features names none of llc_occupancy, mbm_total_bytes and "
				"mbm_local_bytes",
				xr->mount.dir);
	return UNC_OK;
}

int unc_xr_find_mount(struct unc_xresctrl *xr)
{
	int rc = unc_users_resctrl_mount(xr->machine, &xr->mount);

	if (rc < 0)
		return rc;
	if (!xr->mount.mounted)
		return unc_fail(xr->machine->ctx, UNC_ENOSUP,
				"resctrl is not mounted: mount -t resctrl -o debug resctrl /sys/fs/resctrl, and make "
				"the group%s",
				xr->machine->host->simulated
					? " (of a simulated machine: resctrl=on, resctrl_group=NAME:RMID:CPUS)"
					: "");
	return find_events(xr);
}

/* ---- groups ---- */

/* Removes the mount in front and the slashes around from the user's text. */
static int strip(struct unc_xresctrl *xr, const char *text, char **ret_path)
{
	const char *dir = xr->mount.dir + xr->mount.root_len;
	size_t len = strlen(dir);
	char *path;

	if (strcmp(text, "/") == 0 || strcmp(text, ".") == 0)
		text = "";
	if (text[0] == '/') {
		if (strncmp(text, dir, len) != 0 || (text[len] && text[len] != '/'))
			return unc_fail(xr->machine->ctx, UNC_EARG,
					"\"%.200s\" is not below %.200s: a group is its folder there, as \"jobs\" or "
					"\"jobs/mon_groups/one\"",
					text, dir);
		text += len;
	}
	text += strspn(text, "/");
	path = unc_text_dup(text);
	if (!path)
		return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	for (len = strlen(path); len && path[len - 1] == '/';)
		path[--len] = '\0';
	*ret_path = path;
	return UNC_OK;
}

static bool is_name(const char *name)
{
	return name && name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* True for NAME, mon_groups/NAME, NAME/mon_groups/NAME, or "". */
static bool is_group_path(const char *path)
{
	char *copy = unc_text_dup(path), *rest = copy, *name = copy ? unc_text_cut(&rest, '/') : NULL;
	bool is = copy && path[0] == '\0';

	if (is_name(name) && !unc_users_is_of_resctrl(name)) {
		name = unc_text_cut(&rest, '/');
		is = !name;
	}
	if (name && strcmp(name, "mon_groups") == 0)
		is = is_name(unc_text_cut(&rest, '/')) && !unc_text_cut(&rest, '/');
	free(copy);
	return is;
}

int unc_xr_find_group(struct unc_xresctrl *xr, const char *text, char **ret_path)
{
	const char *const *names;
	char *path;
	size_t n;
	int rc = strip(xr, text, &path);

	if (rc < 0)
		return rc;
	if (!is_group_path(path))
		rc = unc_fail(xr->machine->ctx, UNC_EARG,
			      "\"%.200s\" is not a group of resctrl: a group is its folder below %.200s, as \"jobs\", "
			      "\"mon_groups/one\", \"jobs/mon_groups/one\", or \"/\" for the root group",
			      text, xr->mount.dir);
	if (rc == 0) {
		rc = unc_xr_names(xr, path, "mon_data", &names, &n);
		if (rc == 0)
			free((void *)names);
	}
	if (rc == UNC_ENODEV)
		rc = unc_fail(xr->machine->ctx, rc,
			      "resctrl has no group \"%.200s\": there is no %.200s/%.200s/mon_data", path,
			      xr->mount.dir, path);
	if (rc < 0)
		free(path);
	else
		*ret_path = path;
	return rc;
}

/* ---- members ---- */

void unc_xr_members_free(struct unc_xr_member *members, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(members[i].path);
	free(members);
}

struct members {
	struct unc_xr_member *list;
	size_t n;
};

/* Adds a member and takes ownership of path; NULL: there was no memory for it. */
static int add(struct unc_xresctrl *xr, struct members *members, char *path)
{
	struct unc_xr_member *more = path ? unc_array_more(members->list, members->n, sizeof(*more)) : NULL;

	if (!more) {
		free(path);
		return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
	}
	members->list = more;
	more[members->n++].path = path;
	return UNC_OK;
}

/* Adds the monitoring groups in a control group; a monitoring group has none. */
static int add_monitoring(struct unc_xresctrl *xr, struct members *members, const char *path)
{
	const char *const *names = NULL;
	char *dir = xr_path(xr, path, "mon_groups");
	size_t n = 0;
	int rc = dir ? unc_xr_names(xr, dir, "", &names, &n) : UNC_ENOMEM;

	if (rc == UNC_ENODEV) {
		names = NULL;
		n = 0;
		rc = UNC_OK;
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add(xr, members, xr_path(xr, dir, names[i]));
	if (rc == 0 || n)
		free((void *)names);
	free(dir);
	return rc;
}

int unc_xr_members(struct unc_xresctrl *xr, const char *path, struct unc_xr_member **ret_members, size_t *ret_n)
{
	struct members members = {0};
	int rc = add(xr, &members, unc_text_dup(path));

	if (rc == 0)
		rc = add_monitoring(xr, &members, path);
	if (rc < 0) {
		unc_xr_members_free(members.list, members.n);
		return rc;
	}
	*ret_members = members.list;
	*ret_n = members.n;
	return UNC_OK;
}

int unc_xr_all(struct unc_xresctrl *xr, struct unc_xr_member **ret_members, size_t *ret_n)
{
	struct members members = {0};
	const char *const *names = NULL;
	size_t n = 0;
	int rc = unc_xr_names(xr, "", "", &names, &n);

	if (rc == 0)
		rc = add(xr, &members, unc_text_dup(""));
	if (rc == 0)
		rc = add_monitoring(xr, &members, "");
	for (size_t i = 0; i < n && rc == 0; i++) {
		if (unc_users_is_of_resctrl(names[i]))
			continue;
		rc = add(xr, &members, unc_text_dup(names[i]));
		if (rc == 0)
			rc = add_monitoring(xr, &members, names[i]);
	}
	free((void *)names);
	if (rc < 0) {
		unc_xr_members_free(members.list, members.n);
		return rc;
	}
	*ret_members = members.list;
	*ret_n = members.n;
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds resctrl, its groups, and the monitoring groups whose numbers are included in a group's; and follows their changes. */

#include "rdt/leaves.h"
#include "xcheck/resctrl.h"

enum { FILE_MAX = 1 << 20 };

/*
 * Joins "mon_groups/one/tasks": a file or directory of a group, "" for the root.  free() it; NULL, with a message: out of memory.
 */
static char *xr_path(struct unc_xresctrl *xr, const char *group, const char *name)
{
	char *path = unc_text_new("%s%s%s", group, group[0] && name[0] ? "/" : "", name);

	if (!path)
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
	size_t len;
	int rc;

	if (!path)
		return UNC_ENOMEM;
	rc = unc_host_file(xr->machine->host, path, FILE_MAX, ret_text, NULL);
	free(path);
	if (rc < 0)
		return rc;
	len = strlen(*ret_text);
	if (len && (*ret_text)[len - 1] == '\n')
		(*ret_text)[len - 1] = '\0';
	return UNC_OK;
}

int unc_xr_names(struct unc_xresctrl *xr, const char *group, const char *name, const char *const **ret_names,
		 size_t *ret_n)
{
	char *path = whole_path(xr, group, name);
	int rc;

	if (!path)
		return UNC_ENOMEM;
	rc = unc_host_names(xr->machine->host, path, ret_names, ret_n);
	free(path);
	return rc;
}

int unc_xr_number(struct unc_xresctrl *xr, const char *group, const char *name, uint64_t *ret_number)
{
	char *text;
	int rc = unc_xr_file(xr, group, name, &text);

	if (rc < 0)
		return rc;
	if (strspn(text, "0123456789") != strlen(text) || !unc_text_u64(text, ret_number))
		rc = unc_fail(xr->machine->ctx, UNC_ENODATA, "%s/%s%s%s says \"%.60s\"", xr->mount.dir, group,
			      group[0] && name[0] ? "/" : "", name, text);
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

const char *unc_xr_group_name(const char *path, char *buf, size_t size)
{
	if (path[0])
		snprintf(buf, size, "group \"%.200s\"", path);
	else
		snprintf(buf, size, "the root group");
	return buf;
}

/* ---- the mount ---- */

/* Finds the events for which it has files: one name per line; other names are ignored. */
static int find_events(struct unc_xresctrl *xr)
{
	const struct unc_cpu_id *cpu = &xr->machine->cpu;
	/* Linux arch/x86/kernel/cpu/resctrl/core.c, __check_quirks_intel(): "!cmt,!mbmtotal,!mbmlocal,!l3cat". */
	bool is_off = cpu->family == UNC_RDT_FAMILY && cpu->model == UNC_RDT_SKYLAKE_X &&
		      cpu->stepping <= UNC_RDT_LAST_SKYLAKE;
	char *text, *rest, *line;
	int rc = unc_xr_file(xr, "info/L3_MON", "mon_features", &text);

	if (rc == UNC_ENODEV)
		return unc_fail(xr->machine->ctx, UNC_ENOSUP,
				"resctrl is mounted at %.200s, but there is no info/L3_MON in it: %s; `uncorectl llc` "
				"reads this CPU's monitoring without it",
				xr->mount.dir,
				is_off ? "Linux switches that off on Skylake, for its errata, unless booted with "
					 "rdt=cmt,mbmtotal,mbmlocal"
				       : "this kernel monitors no L3: does its command line switch that off "
					 "(rdt=!cmt,...)?");
	if (rc < 0)
		return rc;
	for (rest = text; (line = unc_text_cut(&rest, '\n')) != NULL;)
		for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
			if (strcmp(line, unc_xr_event_name(event)) == 0)
				xr->events |= 1U << event;
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

void unc_xr_members_clear(struct unc_xr_members *members)
{
	for (size_t i = 0; i < members->n; i++)
		free(members->list[i].path);
	free(members->list);
	*members = (struct unc_xr_members){0};
}

/* Adds a member and takes ownership of path; NULL: there was no memory for it. */
static int add(struct unc_xresctrl *xr, struct unc_xr_members *members, char *path)
{
	const struct unc_xr_member member = {.path = path};

	if (path && unc_array_add(&members->list, &members->n, &member, sizeof(member)))
		return UNC_OK;
	free(path);
	return unc_fail(xr->machine->ctx, UNC_ENOMEM, "out of memory");
}

/* Monitoring groups are in control groups only. */
int unc_xr_members(struct unc_xresctrl *xr, const char *path, struct unc_xr_members *members)
{
	const char *const *names = NULL;
	char *dir = NULL;
	size_t n = 0;
	int rc = add(xr, members, unc_text_dup(path));

	if (rc < 0)
		return rc;
	dir = xr_path(xr, path, "mon_groups");
	rc = dir ? unc_xr_names(xr, dir, "", &names, &n) : UNC_ENOMEM;
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add(xr, members, xr_path(xr, dir, names[i]));
	free((void *)names);
	free(dir);
	return rc == UNC_ENODEV ? UNC_OK : rc;
}

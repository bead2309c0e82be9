// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds resctrl, a group of it, and the monitoring groups whose numbers are included in the group's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "rdt/leaves.h"
#include "xcheck/resctrl.h"

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
	int rc = unc_house_resctrl_mount(xr->machine, &xr->mount);

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

	if (is_name(name) && !unc_house_is_of_resctrl(name)) {
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
			      "\"%.200s\" is no group of resctrl: a group is its folder below %.200s, as \"jobs\", "
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
	char *dir = unc_xr_path(xr, path, "mon_groups");
	size_t n = 0;
	int rc = dir ? unc_xr_names(xr, dir, "", &names, &n) : UNC_ENOMEM;

	if (rc == UNC_ENODEV) {
		names = NULL;
		n = 0;
		rc = UNC_OK;
	}
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = add(xr, members, unc_xr_path(xr, dir, names[i]));
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
		if (unc_house_is_of_resctrl(names[i]))
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

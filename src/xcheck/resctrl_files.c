// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the files of resctrl. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "xcheck/resctrl.h"

char *unc_xr_path(struct unc_xresctrl *xr, const char *group, const char *name)
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
	char *below = unc_xr_path(xr, group, name), *path = below ? unc_xr_path(xr, xr->mount.dir, below) : NULL;

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
			      "%s/%s%scpus_list says \"%.60s\", which is no list of CPUs", xr->mount.dir, group,
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * resctrl, the kernel's own user of cache monitoring and allocation (Linux Documentation/filesystems/resctrl.rst): a file
 * system in which control groups are directories, and monitoring groups directories in a directory "mon_groups" of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "machine/house_finders.h"

enum { MOUNTS_MAX = 4 << 20, PATH_MAX_LEN = 1024 };

/* Blanks and backslashes are \ooo in /proc/mounts (fs/proc_namespace.c, mangle()). */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		bool octal = text[0] == '\\' && strspn(text + 1, "01234567") >= 3;

		if (octal) {
			*to++ = (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/* The first directory where it is mounted; text is changed.  NULL: nowhere. */
static const char *mount_point(char *text)
{
	char *rest = text, *line;

	while ((line = unc_text_cut(&rest, '\n')) != NULL) {
		char *fields = line, *dir, *type;

		unc_text_cut(&fields, ' ');
		dir = unc_text_cut(&fields, ' ');
		type = unc_text_cut(&fields, ' ');
		if (!type || strcmp(type, "resctrl") != 0)
			continue;
		unescape(dir);
		return dir;
	}
	return NULL;
}

/* Mounted for us, or at least for process 1, when we are in a mount namespace of our own: there is only one resctrl. */
int unc_house_resctrl_mount(struct unc_machine *m, struct unc_resctrl_mount *ret_mount)
{
	static const struct {
		const char *list, *root, *unmount;
	} views[] = {{"/proc/mounts", "", "umount"},
		     {"/proc/1/mounts", "/proc/1/root", "nsenter --target 1 --mount umount"}};
	struct unc_house house = {.m = m};

	*ret_mount = (struct unc_resctrl_mount){0};
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]) && !ret_mount->mounted; i++) {
		const char *dir;
		char *text;
		int rc = unc_house_file(&house, views[i].list, MOUNTS_MAX, &text, NULL);

		if (rc < 0)
			return rc;
		dir = text ? mount_point(text) : NULL;
		if (dir) {
			ret_mount->mounted = true;
			ret_mount->list = views[i].list;
			ret_mount->unmount = views[i].unmount;
			snprintf(ret_mount->dir, sizeof(ret_mount->dir), "%s%s", views[i].root, dir);
			ret_mount->root_len = strlen(views[i].root);
		}
		free(text);
	}
	return UNC_OK;
}

/* How many names there are in a directory; *ret_there: it is one. */
static int count(struct unc_house *house, const char *dir, const char *name, bool *ret_there, size_t *ret_n)
{
	char path[PATH_MAX_LEN];
	const char *const *names;
	int rc;

	*ret_there = false;
	*ret_n = 0;
	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return UNC_OK;
	rc = unc_house_names(house, path, &names, ret_n);
	*ret_there = names != NULL;
	free((void *)names);
	return rc;
}

struct groups {
	size_t n_control, n_monitoring;
};

/* Files are here only to spare a look. */
bool unc_house_is_of_resctrl(const char *name)
{
	return unc_text_listed("info, mon_data, mon_groups, cpus, cpus_list, ctrl_hw_id, mode, mon_hw_id, schemata, "
			       "size, tasks",
			       name, strlen(name));
}

static int count_groups(struct unc_house *house, const char *root, struct groups *ret_groups)
{
	const char *const *names = NULL;
	size_t n;
	bool there;
	int rc;

	*ret_groups = (struct groups){0};
	rc = count(house, root, "mon_groups", &there, &ret_groups->n_monitoring);
	if (rc == 0)
		rc = unc_house_names(house, root, &names, &n);
	if (rc < 0 || !names)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char path[PATH_MAX_LEN];
		size_t n_own;

		if (unc_house_is_of_resctrl(names[i]))
			continue;
		rc = count(house, root, names[i], &there, &n_own);
		if (rc < 0 || !there)
			continue;
		ret_groups->n_control++;
		if (snprintf(path, sizeof(path), "%s/%s", root, names[i]) >= (int)sizeof(path))
			continue;
		rc = count(house, path, "mon_groups", &there, &n_own);
		ret_groups->n_monitoring += n_own;
	}
	free((void *)names);
	return rc;
}

int unc_house_find_resctrl(struct unc_house *house)
{
	struct unc_resctrl_mount mount;
	struct unc_finding *found;
	struct groups groups;
	int rc = unc_house_resctrl_mount(house->m, &mount);

	if (rc == 0 && mount.mounted)
		rc = count_groups(house, mount.dir, &groups);
	if (rc < 0 || !mount.mounted)
		return rc;
	found = unc_house_add(house, UNC_FOUND_RESCTRL, true);
	if (!found)
		return UNC_ENOMEM;
	snprintf(found->evidence, sizeof(found->evidence), "%s: resctrl at %.120s", mount.list, mount.dir);
	snprintf(found->way_out, sizeof(found->way_out), "unmount it if nobody needs its groups (%s %.120s)",
		 mount.unmount, mount.dir + mount.root_len);
	/*
	 * Linux arch/x86/include/asm/resctrl.h, __resctrl_sched_in(): the register is written when the task that comes has
	 * another CLOS or RMID than the one that goes; monitor.c, mbm_handle_overflow(): it is read every second.
	 */
	snprintf(found->sentence, sizeof(found->sentence),
		 "resctrl is mounted at %.80s, with %zu control and %zu monitoring groups: %s, RMIDs of groups that "
		 "sleep are seen in no register, and writing IA32_QM_EVTSEL may spoil what it reads",
		 mount.dir, groups.n_control, groups.n_monitoring,
		 groups.n_control + groups.n_monitoring
			 ? "its kernel rewrites IA32_PQR_ASSOC at every context switch"
			 : "its kernel rewrites IA32_PQR_ASSOC at every context switch once there is a group");
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups and their RMIDs come and go: what is read follows them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "xcheck/resctrl.h"

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
			xr->rows[i].begun_anew = "a group has other RMIDs by now, for which all reading was begun "
						 "anew; it is compared from here on";
		if (rc == 0)
			rc = open_llc(xr);
	}
	return rc == 0 ? unc_xr_rows_point(xr) : rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The groups of resctrl, and the check that they are possible. */
#include <string.h>

#include "base/err.h"
#include "sim/kernel_files.h"
#include "sim/qm.h"
#include "sim/resctrl.h"

#define MON_GROUPS "mon_groups/"

size_t unc_sim_resctrl_groups(const struct unc_sim *sim)
{
	return sim->options.resctrl.n + 1;
}

const struct unc_sim_group *unc_sim_resctrl_group(const struct unc_sim *sim, size_t i)
{
	static char nothing[] = "";
	static const struct unc_sim_group root = {.path = nothing};

	return i ? &sim->options.resctrl.groups[i - 1] : &root;
}

/* A monitoring group is in the folder of another group, or of mon_groups; control groups are not. */
bool unc_sim_resctrl_monitors(const struct unc_sim_group *group)
{
	return strchr(group->path, '/') != NULL;
}

/* Returns the number of groups if there is none of that path. */
static size_t find(const struct unc_sim *sim, const char *path, size_t len)
{
	size_t n = unc_sim_resctrl_groups(sim), i = 0;

	while (i < n && (strlen(unc_sim_resctrl_group(sim, i)->path) != len ||
			 strncmp(unc_sim_resctrl_group(sim, i)->path, path, len) != 0))
		i++;
	return i;
}

size_t unc_sim_resctrl_parent(const struct unc_sim *sim, const struct unc_sim_group *group)
{
	bool of_root = strncmp(group->path, MON_GROUPS, strlen(MON_GROUPS)) == 0;

	return find(sim, group->path, of_root ? 0 : strcspn(group->path, "/"));
}

static int refuse(const struct unc_sim *sim, const struct unc_sim_group *group, const char *why)
{
	return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: resctrl_group=%.100s:%u: %s", sim->options.model->name,
			group->path, group->rmid, why);
}

static int check_names(const struct unc_sim *sim)
{
	unsigned n_clos = sim->options.model->rdt->n_clos, n_control = 1;
	size_t n = unc_sim_resctrl_groups(sim), i, k;

	for (i = 1; i < n; i++) {
		const struct unc_sim_group *group = unc_sim_resctrl_group(sim, i);

		if (find(sim, group->path, strlen(group->path)) != i)
			return refuse(sim, group, "there is a group of that name already");
		for (k = 0; k < i; k++)
			if (unc_sim_resctrl_group(sim, k)->rmid == group->rmid)
				return refuse(sim, group, "another group has that RMID, or it is 0, the root group's");
		if (group->rmid >= unc_sim_n_rmids(sim))
			return refuse(sim, group, "this processor has not so many RMIDs");
		if (unc_sim_resctrl_monitors(group) && unc_sim_resctrl_parent(sim, group) >= i)
			return refuse(sim, group, "the group in which it is must be given before");
		if (!unc_sim_resctrl_monitors(group) && n_control++ >= n_clos)
			return refuse(sim, group,
				      "this processor has no class of service left for a control group; call it "
				      "mon_groups/NAME");
	}
	return UNC_OK;
}

static bool has_cpu(const struct unc_sim_group *group, unsigned cpu)
{
	size_t i;

	for (i = 0; i < group->cpus.n; i++)
		if (group->cpus.cpus[i] == cpu)
			return true;
	return false;
}

/* Control groups must not share CPUs, nor must monitoring groups, whose CPUs must be CPUs of their control group. */
static int check_cpu(const struct unc_sim *sim, size_t nth, unsigned cpu)
{
	const struct unc_sim_group *group = unc_sim_resctrl_group(sim, nth), *other;
	bool monitors = unc_sim_resctrl_monitors(group);
	size_t parent = monitors ? unc_sim_resctrl_parent(sim, group) : 0, i;

	if (cpu >= sim->n_cpus || !sim->cpus[cpu].online)
		return refuse(sim, group, "one of its CPUs is not there, or offline");
	if (parent && !has_cpu(unc_sim_resctrl_group(sim, parent), cpu))
		return refuse(sim, group, "one of its CPUs is not one of the group in which it is");
	for (i = 1; i < unc_sim_resctrl_groups(sim); i++) {
		other = unc_sim_resctrl_group(sim, i);
		if (i == nth || i == parent || !has_cpu(other, cpu))
			continue;
		if (unc_sim_resctrl_monitors(other) == monitors || (monitors && !parent))
			return refuse(sim, group, "one of its CPUs is another group's");
	}
	return UNC_OK;
}

int unc_sim_resctrl_init(struct unc_sim *sim)
{
	size_t i, k;
	int rc;

	if (!sim->options.resctrl.on)
		return UNC_OK;
	rc = check_names(sim);
	for (i = 1; i < unc_sim_resctrl_groups(sim); i++)
		for (k = 0; rc == UNC_OK && k < unc_sim_resctrl_group(sim, i)->cpus.n; k++)
			rc = check_cpu(sim, i, unc_sim_resctrl_group(sim, i)->cpus.cpus[k]);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* resctrl_group=NAME:RMID:CPUS */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "sim/keys.h"
#include "sim/state.h"

/* These names have a meaning of their own in resctrl's folder: Linux Documentation/filesystems/resctrl.rst. */
static bool is_name(const char *name)
{
	return name && name[0] && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !unc_text_listed("info, mon_data, mon_groups, cpus, cpus_list, ctrl_hw_id, mode, mon_hw_id, schemata, "
				"size, tasks",
				name, strlen(name));
}

/* NAME, mon_groups/NAME or NAME/mon_groups/NAME; text is cut at the slashes. */
static bool is_path(char *text)
{
	char *name = unc_text_cut(&text, '/');

	if (is_name(name)) {
		name = unc_text_cut(&text, '/');
		if (!name)
			return true;
	}
	return name && !strcmp(name, "mon_groups") && is_name(unc_text_cut(&text, '/')) && !text;
}

static bool is_path_of_group(const char *path, bool *ret_no_memory)
{
	char *copy = unc_text_dup(path);
	bool is = copy && is_path(copy);

	*ret_no_memory = !copy;
	free(copy);
	return is;
}

/* Puts PATH, RMID and CPUS into the group, which then owns the path. */
static int set_group(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value,
		     struct unc_sim_group *group)
{
	const char *colon = strchr(value, ':'), *list = colon ? strchr(colon + 1, ':') : NULL;
	char *rmid = NULL;
	bool no_memory;
	uint64_t n;

	group->path = unc_text_dup(value);
	if (!group->path)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	if (!list)
		return unc_sim_bad_value(parse, key, value);
	rmid = group->path + (colon - value);
	*rmid++ = '\0';
	group->path[list - value] = '\0';
	if (!unc_text_u64(rmid, &n) || n >= UNC_SIM_RMIDS_MAX)
		return unc_sim_bad_value(parse, key, value);
	group->rmid = (unsigned)n;
	if (!is_path_of_group(group->path, &no_memory))
		return no_memory ? unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory")
				 : unc_sim_bad_value(parse, key, value);
	return list[1] ? unc_sim_add_cpus(parse, key, value, list + 1, &group->cpus) : UNC_OK;
}

int unc_sim_add_group(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;
	struct unc_sim_group *more = unc_array_more(resctrl->groups, resctrl->n, sizeof(*more));

	if (!more)
		return unc_fail(parse->ctx, UNC_ENOMEM, "sim: out of memory");
	resctrl->groups = more;
	if (resctrl->n + 1 == UNC_SIM_GROUPS)
		return unc_fail(parse->ctx, UNC_EARG, "sim:%s: %s: there can be %d of them",
				parse->options->model->name, key->name, UNC_SIM_GROUPS - 1);
	return set_group(parse, key, value, &more[resctrl->n++]);
}

int unc_sim_add_group_cpus(struct unc_sim_parse *parse, const struct unc_sim_key *key, const char *value)
{
	struct unc_sim_resctrl_options *resctrl = &parse->options->resctrl;

	return unc_sim_add_cpus(parse, key, value, value, &resctrl->groups[resctrl->n - 1].cpus);
}

void unc_sim_groups_clear(struct unc_sim_resctrl_options *resctrl)
{
	size_t i;

	for (i = 0; i < resctrl->n; i++) {
		free(resctrl->groups[i].path);
		free(resctrl->groups[i].cpus.cpus);
	}
	free(resctrl->groups);
}

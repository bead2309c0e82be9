// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of resctrl: Linux Documentation/filesystems/resctrl.rst, and what arch/x86/kernel/cpu/resctrl/rdtgroup.c prints. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "sim/kernel_files.h"
#include "sim/qm.h"
#include "sim/resctrl.h"

#define ROOT     "/sys/fs/resctrl"
#define MOUNTS   "/proc/mounts"
#define MON_DATA "mon_data"

enum { NAME_SIZE = 32 };

static const char *const events[] = {
	[UNC_SIM_RESCTRL_OCCUPANCY] = "llc_occupancy",
	[UNC_SIM_RESCTRL_TOTAL] = "mbm_total_bytes",
	[UNC_SIM_RESCTRL_LOCAL] = "mbm_local_bytes",
};
enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

/* Returns the rest of path after front and "/", or "" if there is no more; NULL: path does not begin with front. */
static const char *below(const char *path, const char *front)
{
	size_t len = strlen(front);

	if (strncmp(path, front, len) != 0 || (path[len] && path[len] != '/' && len))
		return NULL;
	return path + len + (len && path[len] == '/');
}

/* Finds the innermost group and returns the rest of the path below its folder; NULL: it is not a path of resctrl. */
static const char *below_group(const struct unc_sim *sim, const char *path, size_t *ret_group)
{
	const char *in_root = sim->options.resctrl.on ? below(path, ROOT) : NULL, *best = in_root, *rest;
	size_t i;

	*ret_group = 0;
	for (i = 1; in_root && i < unc_sim_resctrl_groups(sim); i++) {
		rest = below(in_root, unc_sim_resctrl_group(sim, i)->path);
		if (rest && rest > best) {
			best = rest;
			*ret_group = i;
		}
	}
	return best;
}

static const char *domain_name(const struct unc_sim *sim, size_t l3, char buf[NAME_SIZE])
{
	snprintf(buf, NAME_SIZE, "mon_L3_%02u", sim->caches[l3].id);
	return buf;
}

/* Returns the rest of the path after mon_data/mon_L3_XX; NULL: there is no such domain. */
static const char *below_domain(const struct unc_sim *sim, const char *rest, size_t *ret_l3)
{
	const char *in_data = below(rest, MON_DATA), *in_domain = NULL;
	char name[NAME_SIZE];
	size_t l3;

	for (l3 = 0; in_data && !in_domain && l3 < sim->n_caches; l3++) {
		in_domain = below(in_data, domain_name(sim, l3, name));
		if (unc_sim_resctrl_cpu(sim, l3) < 0)
			in_domain = NULL;
		*ret_l3 = l3;
	}
	return in_domain;
}

static void value_text(struct unc_sim *sim, size_t group, size_t l3, unsigned event, char *buf, size_t size)
{
	uint64_t bytes;
	int rc = unc_sim_resctrl_read(sim, group, l3, (enum unc_sim_resctrl_event)event, &bytes);

	if (rc == UNC_EIO)
		snprintf(buf, size, "Error\n");
	else if (rc == UNC_EAGAIN)
		snprintf(buf, size, "Unavailable\n");
	else
		snprintf(buf, size, "%" PRIu64 "\n", bytes);
}

static bool data_text(struct unc_sim *sim, size_t group, const char *rest, char *buf, size_t size)
{
	size_t l3 = 0;
	const char *name = below_domain(sim, rest, &l3);
	unsigned event;

	for (event = 0; name && event < N_EVENTS; event++) {
		if (strcmp(name, events[event]) != 0 || !unc_sim_resctrl_has(sim, (enum unc_sim_resctrl_event)event))
			continue;
		value_text(sim, group, l3, event, buf, size);
		return true;
	}
	return false;
}

/* Writes the CPUs of a group; the root group has those that no other control group has. */
static void cpus_text(const struct unc_sim *sim, size_t nth, char *buf, size_t size)
{
	struct unc_sim_cpu_set cpus = {{0}};
	size_t i, k;

	for (i = 0; !nth && i < sim->n_cpus; i++)
		cpus.has[i / 64] |= (uint64_t)sim->cpus[i].online << i % 64;
	for (i = 1; i < unc_sim_resctrl_groups(sim); i++) {
		const struct unc_sim_group *group = unc_sim_resctrl_group(sim, i);

		for (k = 0; k < group->cpus.n && (i == nth || (!nth && !unc_sim_resctrl_monitors(group))); k++)
			cpus.has[group->cpus.cpus[k] / 64] ^= UINT64_C(1) << group->cpus.cpus[k] % 64;
	}
	unc_sim_cpu_list(&cpus, buf, size);
}

/* Returns how many bytes of an RMID may remain in the cache when it is reused: monitor.c, rdt_get_mon_l3_config(). */
static uint64_t threshold(const struct unc_sim *sim)
{
	const struct unc_sim_rdt *rdt = sim->options.model->rdt;
	uint64_t bytes = sim->caches[0].bytes / (rdt->max_rmid + 1);

	return rdt->upscale ? bytes / rdt->upscale * rdt->upscale : bytes;
}

static bool info_text(const struct unc_sim *sim, const char *name, char *buf, size_t size)
{
	size_t len = 0;
	unsigned event;

	if (!strcmp(name, "num_rmids")) {
		snprintf(buf, size, "%u\n", unc_sim_n_rmids(sim));
	} else if (!strcmp(name, "max_threshold_occupancy")) {
		snprintf(buf, size, "%" PRIu64 "\n", threshold(sim));
	} else if (!strcmp(name, "mon_features")) {
		for (event = 0; event < N_EVENTS; event++)
			if (unc_sim_resctrl_has(sim, (enum unc_sim_resctrl_event)event))
				len += (size_t)snprintf(buf + len, size - len, "%s\n", events[event]);
	} else {
		return false;
	}
	return true;
}

bool unc_sim_resctrl_text(struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	const char *rest, *info;
	size_t group;

	if (sim->options.resctrl.on && !strcmp(path, MOUNTS)) {
		snprintf(buf, size, "resctrl " ROOT " resctrl rw,relatime%s 0 0\n",
			 sim->options.resctrl.hw_id ? ",debug" : "");
		return true;
	}
	rest = below_group(sim, path, &group);
	if (!rest)
		return false;
	info = group ? NULL : below(rest, "info/L3_MON");
	if (info)
		return info_text(sim, info, buf, size);
	if (!strcmp(rest, "cpus_list"))
		cpus_text(sim, group, buf, size);
	else if (!strcmp(rest, "tasks"))
		snprintf(buf, size, "%s", group ? "" : "1\n");
	else if (!strcmp(rest, "mon_hw_id") && sim->options.resctrl.hw_id)
		snprintf(buf, size, "%u\n", unc_sim_resctrl_group(sim, group)->rmid);
	else
		return data_text(sim, group, rest, buf, size);
	return true;
}

/* Adds the control groups, or the monitoring groups that are in one control group. */
static void add_groups(const struct unc_sim *sim, size_t in, bool monitoring, struct unc_sim_name_list *list)
{
	size_t i;

	for (i = 1; i < unc_sim_resctrl_groups(sim); i++) {
		const struct unc_sim_group *group = unc_sim_resctrl_group(sim, i);

		if (unc_sim_resctrl_monitors(group) != monitoring)
			continue;
		if (!monitoring)
			unc_sim_name_add(list, group->path);
		else if (unc_sim_resctrl_parent(sim, group) == in)
			unc_sim_name_add(list, strrchr(group->path, '/') + 1);
	}
}

static void add_files(const struct unc_sim *sim, size_t group, struct unc_sim_name_list *list)
{
	unc_sim_name_add(list, "cpus_list");
	unc_sim_name_add(list, "tasks");
	unc_sim_name_add(list, MON_DATA);
	if (sim->options.resctrl.hw_id)
		unc_sim_name_add(list, "mon_hw_id");
	if (!unc_sim_resctrl_monitors(unc_sim_resctrl_group(sim, group)))
		unc_sim_name_add(list, "mon_groups");
	if (group)
		return;
	unc_sim_name_add(list, "info");
	add_groups(sim, 0, false, list);
}

static void add_domains(const struct unc_sim *sim, struct unc_sim_name_list *list)
{
	char name[NAME_SIZE];
	size_t l3;

	for (l3 = 0; l3 < sim->n_caches; l3++)
		if (unc_sim_resctrl_cpu(sim, l3) >= 0)
			unc_sim_name_add(list, domain_name(sim, l3, name));
}

static bool add_events(const struct unc_sim *sim, const char *rest, struct unc_sim_name_list *list)
{
	size_t l3;
	const char *name = below_domain(sim, rest, &l3);
	unsigned event;

	for (event = 0; name && !*name && event < N_EVENTS; event++)
		if (unc_sim_resctrl_has(sim, (enum unc_sim_resctrl_event)event))
			unc_sim_name_add(list, events[event]);
	return name && !*name;
}

static bool add_info(const char *rest, struct unc_sim_name_list *list)
{
	if (!strcmp(rest, "info")) {
		unc_sim_name_add(list, "L3_MON");
	} else if (!strcmp(rest, "info/L3_MON")) {
		unc_sim_name_add(list, "max_threshold_occupancy");
		unc_sim_name_add(list, "mon_features");
		unc_sim_name_add(list, "num_rmids");
	} else {
		return false;
	}
	return true;
}

bool unc_sim_resctrl_names(const struct unc_sim *sim, const char *path, struct unc_sim_name_list *list)
{
	size_t group;
	const char *rest = below_group(sim, path, &group);

	if (!rest)
		return false;
	if (!*rest)
		add_files(sim, group, list);
	else if (!strcmp(rest, "mon_groups") && !unc_sim_resctrl_monitors(unc_sim_resctrl_group(sim, group)))
		add_groups(sim, group, true, list);
	else if (!strcmp(rest, MON_DATA))
		add_domains(sim, list);
	else
		return (!group && add_info(rest, list)) || add_events(sim, rest, list);
	return true;
}

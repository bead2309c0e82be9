// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files in which a kernel reports tables of the firmware (smbios.c), the state of its drivers, and what it refuses:
 * Linux security/lockdown/lockdown.c and arch/x86/kernel/msr.c, get_allow_writes().
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "sim/kernel_files.h"
#include "sim/qm.h"
#include "sim/resctrl.h"

enum { TEXT_SIZE = 8192, LINK_SIZE = 64, LINE_SIZE = 128, RANGE_SIZE = 24 };

static bool has(const struct unc_sim_cpu_set *cpus, unsigned cpu)
{
	return cpu < UNC_SIM_CPUS_MAX && cpus->has[cpu / 64] >> cpu % 64 & 1;
}

void unc_sim_cpu_list(const struct unc_sim_cpu_set *cpus, char *buf, size_t size)
{
	char range[RANGE_SIZE];
	unsigned first, last;
	size_t len = 0;

	for (first = 0; first < UNC_SIM_CPUS_MAX; first = last + 1) {
		last = first;
		if (!has(cpus, first))
			continue;
		while (has(cpus, last + 1))
			last++;
		if (last > first)
			snprintf(range, sizeof(range), "%u-%u", first, last);
		else
			snprintf(range, sizeof(range), "%u", first);
		if (len + strlen(range) + 2 < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "," : "", range);
	}
	snprintf(buf + len, size - len, "\n");
}

/* Linux 6.1 drivers/base/cpu.c, print_cpus_nohz_full(): without CPUs the file has "(null)". */
static bool nohz_full_text(const struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	struct unc_sim_cpu_set cpus = {{0}};

	if (strcmp(path, "/sys/devices/system/cpu/nohz_full") != 0)
		return false;
	for (size_t i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].nohz_full)
			cpus.has[i / 64] |= UINT64_C(1) << i % 64;
	if (sim->options.nohz_full.n)
		unc_sim_cpu_list(&cpus, buf, size);
	else
		snprintf(buf, size, "(null)\n");
	return true;
}

/*
 * Linux drivers/pci/pci-sysfs.c: the node that a function is near, with sub-NUMA clustering the first of its package; -1: not known.
 * Only machines with registers in memory have it here.
 */
static bool numa_node_text(const struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	static const char front[] = "/sys/bus/pci/devices/";
	const struct unc_sim_place *place;
	struct unc_addr addr;
	char name[UNC_ADDR_TEXT], whole[LINE_SIZE];

	if (!sim->options.model->memory || strncmp(path, front, strlen(front)) != 0)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(path + strlen(front), "/"), path + strlen(front));
	place = unc_addr_parse_pci(name, &addr) ? unc_sim_place_find(sim, &addr) : NULL;
	snprintf(whole, sizeof(whole), "%s%s/numa_node", front, name);
	if (!place || place->hidden || strcmp(path, whole) != 0)
		return false;
	snprintf(buf, size, "%d\n", sim->options.numa_off ? -1 : (int)(place->socket * sim->options.snc));
	return true;
}

static bool refusal_text(struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	if (!strcmp(path, "/sys/kernel/security/lockdown"))
		snprintf(buf, size, "%s\n",
			 sim->options.lockdown ? "none [integrity] confidentiality"
					       : "[none] integrity confidentiality");
	else if (!strcmp(path, "/sys/module/msr/parameters/allow_writes") && !sim->options.msr_absent)
		snprintf(buf, size, "%s\n", sim->options.msr_writes_off ? "off" : "on");
	else
		return false;
	return true;
}

static int no_memory(struct unc_sim *sim)
{
	return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
}

static int too_long(struct unc_sim *sim, const char *path, size_t max)
{
	return unc_fail(sim->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here", path, max);
}

/* The files of resctrl: Linux Documentation/filesystems/resctrl.rst, and what arch/x86/kernel/cpu/resctrl/rdtgroup.c prints. */

#define ROOT     "/sys/fs/resctrl"
#define MOUNTS   "/proc/mounts"
#define MON_DATA "mon_data"

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

	*ret_group = 0;
	for (size_t i = 1; in_root && i < unc_sim_resctrl_groups(sim); i++) {
		rest = below(in_root, unc_sim_resctrl_group(sim, i)->path);
		if (rest && rest > best) {
			best = rest;
			*ret_group = i;
		}
	}
	return best;
}

static const char *const events[] = {
	[UNC_SIM_RESCTRL_OCCUPANCY] = "llc_occupancy",
	[UNC_SIM_RESCTRL_TOTAL] = "mbm_total_bytes",
	[UNC_SIM_RESCTRL_LOCAL] = "mbm_local_bytes",
};
enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

enum { NAME_SIZE = 32 };

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

	for (size_t l3 = 0; in_data && !in_domain && l3 < sim->n_caches; l3++) {
		in_domain = below(in_data, domain_name(sim, l3, name));
		if (!unc_sim_resctrl_cpu(sim, l3))
			in_domain = NULL;
		*ret_l3 = l3;
	}
	return in_domain;
}

static bool data_text(struct unc_sim *sim, size_t group, const char *rest, char *buf, size_t size)
{
	size_t l3 = 0;
	const char *name = below_domain(sim, rest, &l3);
	unsigned event = 0;
	uint64_t bytes;
	int rc;

	while (name && event < N_EVENTS &&
	       (strcmp(name, events[event]) != 0 || !unc_sim_resctrl_has(sim, (enum unc_sim_resctrl_event)event)))
		event++;
	if (!name || event == N_EVENTS)
		return false;
	rc = unc_sim_resctrl_read(sim, group, l3, (enum unc_sim_resctrl_event)event, &bytes);
	if (rc < 0)
		snprintf(buf, size, "%s\n", rc == UNC_EIO ? "Error" : "Unavailable");
	else
		snprintf(buf, size, "%" PRIu64 "\n", bytes);
	return true;
}

/* Writes the CPUs of a group; the root group has those that no other control group has. */
static void cpus_text(const struct unc_sim *sim, size_t nth, char *buf, size_t size)
{
	struct unc_sim_cpu_set cpus = {{0}};

	for (size_t i = 0; !nth && i < sim->n_cpus; i++)
		cpus.has[i / 64] |= (uint64_t)sim->cpus[i].online << i % 64;
	for (size_t i = 1; i < unc_sim_resctrl_groups(sim); i++) {
		const struct unc_sim_group *group = unc_sim_resctrl_group(sim, i);

		for (size_t k = 0; k < group->cpus.n && (i == nth || (!nth && !unc_sim_resctrl_monitors(group))); k++)
			cpus.has[group->cpus.cpus[k] / 64] ^= UINT64_C(1) << group->cpus.cpus[k] % 64;
	}
	unc_sim_cpu_list(&cpus, buf, size);
}

static bool info_text(const struct unc_sim *sim, const char *name, char *buf, size_t size)
{
	const struct unc_sim_rdt *rdt = sim->options.model->rdt;
	uint64_t bytes;
	size_t len = 0;

	if (!strcmp(name, "num_rmids")) {
		snprintf(buf, size, "%u\n", unc_sim_n_rmids(sim));
	} else if (!strcmp(name, "max_threshold_occupancy")) {
		/* What may remain in the cache of an RMID that is reused: monitor.c, rdt_get_mon_l3_config(). */
		bytes = sim->caches[0].bytes / (rdt->max_rmid + 1);
		snprintf(buf, size, "%" PRIu64 "\n", rdt->upscale ? bytes / rdt->upscale * rdt->upscale : bytes);
	} else if (!strcmp(name, "mon_features")) {
		for (unsigned event = 0; event < N_EVENTS; event++)
			if (unc_sim_resctrl_has(sim, (enum unc_sim_resctrl_event)event))
				len += (size_t)snprintf(buf + len, size - len, "%s\n", events[event]);
	} else {
		return false;
	}
	return true;
}

/* As those below. Reading a file may let time pass on the machine. */
static bool resctrl_text(struct unc_sim *sim, const char *path, char *buf, size_t size)
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

int unc_sim_kernel_file(struct unc_sim *sim, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	char buf[TEXT_SIZE], *text;
	size_t len;
	int rc = unc_sim_smbios(&sim->host, path, &text, &len);

	if (rc == UNC_ENODEV) {
		if (!refusal_text(sim, path, buf, sizeof(buf)) && !unc_sim_perf_text(sim, path, buf, sizeof(buf)) &&
		    !resctrl_text(sim, path, buf, sizeof(buf)) && !nohz_full_text(sim, path, buf, sizeof(buf)) &&
		    !numa_node_text(sim, path, buf, sizeof(buf)) && !unc_sim_iomem_text(sim, path, buf, sizeof(buf)))
			return UNC_ENODEV;
		len = strlen(buf);
		if (len > max)
			return UNC_ENODEV;
		text = unc_text_dup(buf);
		rc = text ? UNC_OK : no_memory(sim);
	} else if (rc == UNC_OK && len > max) {
		free(text);
		rc = too_long(sim, path, max);
	}
	if (rc < 0)
		return rc;
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return UNC_OK;
}

int unc_sim_kernel_append(struct unc_sim *sim, const char *path, size_t max, char **text, size_t *len)
{
	size_t given = strlen(*text);
	char line[LINE_SIZE], *both;

	/* This is the only file that both files= and the kernel have. */
	if (strcmp(path, "/proc/mounts") != 0 || !resctrl_text(sim, path, line, sizeof(line)))
		return UNC_OK;
	if (given + strlen(line) > max) {
		free(*text);
		return too_long(sim, path, max);
	}
	both = realloc(*text, given + strlen(line) + 1);
	if (!both) {
		free(*text);
		return no_memory(sim);
	}
	memcpy(both + given, line, strlen(line) + 1);
	*text = both;
	if (len)
		*len = strlen(both);
	return UNC_OK;
}

void unc_sim_name_add(struct unc_sim_name_list *list, const char *name)
{
	size_t size = strlen(name) + 1;
	char *bytes = realloc(list->bytes, list->len + size);

	list->no_memory |= !bytes;
	if (!bytes)
		return;
	list->bytes = bytes;
	memcpy(bytes + list->len, name, size);
	list->len += size;
	list->n++;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the control groups, or the monitoring groups that are in one control group. */
static void add_groups(const struct unc_sim *sim, size_t in, bool monitoring, struct unc_sim_name_list *list)
{
	for (size_t i = 1; i < unc_sim_resctrl_groups(sim); i++) {
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

static bool resctrl_names(const struct unc_sim *sim, const char *path, struct unc_sim_name_list *list)
{
	size_t group, l3;
	const char *rest = below_group(sim, path, &group), *in_domain;
	char name[NAME_SIZE];

	if (!rest)
		return false;
	if (!*rest) {
		add_files(sim, group, list);
	} else if (!strcmp(rest, "mon_groups") && !unc_sim_resctrl_monitors(unc_sim_resctrl_group(sim, group))) {
		add_groups(sim, group, true, list);
	} else if (!strcmp(rest, MON_DATA)) {
		for (l3 = 0; l3 < sim->n_caches; l3++)
			if (unc_sim_resctrl_cpu(sim, l3))
				unc_sim_name_add(list, domain_name(sim, l3, name));
	} else if (!group && !strcmp(rest, "info")) {
		unc_sim_name_add(list, "L3_MON");
	} else if (!group && !strcmp(rest, "info/L3_MON")) {
		unc_sim_name_add(list, "max_threshold_occupancy");
		unc_sim_name_add(list, "mon_features");
		unc_sim_name_add(list, "num_rmids");
	} else {
		in_domain = below_domain(sim, rest, &l3);
		if (!in_domain || *in_domain)
			return false;
		for (unsigned event = 0; event < N_EVENTS; event++)
			if (unc_sim_resctrl_has(sim, (enum unc_sim_resctrl_event)event))
				unc_sim_name_add(list, events[event]);
	}
	return true;
}

/* The names are sorted, each once, in one allocation. */
int unc_sim_kernel_names(struct unc_sim *sim, const char *path, const struct unc_sim_names *more,
			 const char *const **ret_names, size_t *ret_n)
{
	struct unc_sim_name_list list = {0};
	const char **names;
	size_t i, n = 0;
	char *at;

	if (!unc_sim_perf_names(sim, path, &list) && !resctrl_names(sim, path, &list))
		return UNC_ENODEV;
	for (i = 0; i < more->n; i++)
		unc_sim_name_add(&list, more->names[i]);
	names = list.no_memory ? NULL : malloc(list.n * sizeof(*names) + list.len + 1);
	if (!names) {
		free(list.bytes);
		return no_memory(sim);
	}
	at = (char *)&names[list.n];
	if (list.len)
		memcpy(at, list.bytes, list.len);
	free(list.bytes);
	for (i = 0; i < list.n; i++, at += strlen(at) + 1)
		names[i] = at;
	qsort(names, list.n, sizeof(*names), by_name);
	for (i = 0; i < list.n; i++)
		if (!n || strcmp(names[n - 1], names[i]) != 0)
			names[n++] = names[i];
	*ret_names = names;
	*ret_n = n;
	return UNC_OK;
}

int unc_sim_kernel_link(struct unc_sim *sim, const char *path, char **ret_text)
{
	char buf[LINK_SIZE];

	if (!unc_sim_perf_link(sim, path, buf, sizeof(buf)))
		return UNC_ENODEV;
	*ret_text = unc_text_dup(buf);
	return *ret_text ? UNC_OK : no_memory(sim);
}

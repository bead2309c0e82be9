// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files in which a kernel reports tables of the firmware (smbios.c), the state of its drivers, and what it refuses:
 * Linux security/lockdown/lockdown.c and arch/x86/kernel/msr.c, get_allow_writes().
 */

#include "sim/nest.h"
#include "sim/qm.h"
#include "sim/resctrl.h"

enum { TEXT_SIZE = 8192, LINK_SIZE = 64, LINE_SIZE = 128, PATH_SIZE = 1024 };

#define ROOT   "/sys/fs/resctrl"
#define MOUNTS "/proc/mounts"

void unc_sim_cpu_list(const struct unc_sim_cpu_set *cpus, char *buf, size_t size)
{
	unsigned first, last;

	buf[0] = '\0';
	for (first = 0; first < UNC_SIM_CPUS_MAX; first = last + 1) {
		last = first;
		if (!unc_sim_has_cpu(cpus, first))
			continue;
		while (unc_sim_has_cpu(cpus, last + 1))
			last++;
		unc_text_join(buf, size, ",", "%u", first);
		if (last > first)
			unc_text_join(buf, size, "-", "%u", last);
	}
	unc_text_join(buf, size, "", "\n");
}

/* Files whose folders cannot be listed. */
static void text_files(const struct unc_sim *sim, struct unc_sim_asked *asked)
{
	static const char front[] = "/sys/bus/pci/devices/";
	char name[UNC_ADDR_TEXT];

	if (unc_sim_asks(asked, "/sys/kernel/security/lockdown"))
		snprintf(asked->text, asked->size, "%s\n",
			 sim->options.lockdown ? "none [integrity] confidentiality"
					       : "[none] integrity confidentiality");
	if (!sim->options.msr_absent && unc_sim_asks(asked, "/sys/module/msr/parameters/allow_writes"))
		snprintf(asked->text, asked->size, "%s\n", sim->options.msr_writes_off ? "off" : "on");
	if (unc_sim_asks(asked, "/sys/devices/system/cpu/present"))
		snprintf(asked->text, asked->size, "0-%zu\n", sim->n_cpus - 1);
	/* Linux 6.1 drivers/base/cpu.c, print_cpus_nohz_full(): without CPUs the file has "(null)". */
	if (unc_sim_asks(asked, "/sys/devices/system/cpu/nohz_full")) {
		unc_sim_cpu_list(&sim->options.nohz_full, asked->text, asked->size);
		if (asked->text[0] == '\n')
			snprintf(asked->text, asked->size, "(null)\n");
	}
	if (sim->options.resctrl.on && unc_sim_asks(asked, MOUNTS))
		snprintf(asked->text, asked->size, "resctrl " ROOT " resctrl rw,relatime%s 0 0\n",
			 sim->options.resctrl.hw_id ? ",debug" : "");
	/*
	 * Linux drivers/pci/pci-sysfs.c: the node that a function is near, with sub-NUMA clustering the first of its
	 * package; -1: not known. Only machines with registers in memory have it here.
	 */
	if (!sim->options.model->memory || strncmp(asked->path, front, strlen(front)) != 0)
		return;
	for (const struct unc_sim_place *place = sim->places; place < sim->places + sim->n_places; place++)
		if (!place->hidden && place->addr.kind == UNC_PCI &&
		    unc_sim_asks(asked, "%s%s/numa_node", front, unc_addr_text(&place->addr, name)))
			snprintf(asked->text, asked->size, "%d\n",
				 sim->options.numa_off ? -1 : (int)(place->socket * sim->options.snc));
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

static const char *const events[] = {
	[UNC_SIM_RESCTRL_OCCUPANCY] = "llc_occupancy",
	[UNC_SIM_RESCTRL_TOTAL] = "mbm_total_bytes",
	[UNC_SIM_RESCTRL_LOCAL] = "mbm_local_bytes",
};
enum { N_EVENTS = sizeof(events) / sizeof(events[0]) };

static void group_files(struct unc_sim *sim, struct unc_sim_asked *asked, size_t nth)
{
	const struct unc_sim_group *group = &sim->groups[nth];
	struct unc_sim_cpu_set cpus = {{0}};
	char folder[PATH_SIZE];

	snprintf(folder, sizeof(folder), ROOT "%s%s", nth ? "/" : "", group->path);
	/* The root group has the CPUs that no other control group has. */
	if (unc_sim_asks(asked, "%s/cpus_list", folder)) {
		for (size_t i = 0; !nth && i < sim->n_cpus; i++)
			cpus.has[i / 64] |= (uint64_t)sim->cpus[i].online << i % 64;
		for (size_t i = 1; i < sim->n_groups; i++) {
			const struct unc_sim_group *of = &sim->groups[i];

			for (size_t k = 0; k < UNC_SIM_N(cpus.has) && (i == nth || (!nth && !of->monitors)); k++)
				cpus.has[k] ^= of->cpus.has[k];
		}
		unc_sim_cpu_list(&cpus, asked->text, asked->size);
	}
	if (unc_sim_asks(asked, "%s/tasks", folder))
		snprintf(asked->text, asked->size, "%s", nth ? "" : "1\n");
	if (sim->options.resctrl.hw_id && unc_sim_asks(asked, "%s/mon_hw_id", folder))
		snprintf(asked->text, asked->size, "%u\n", group->rmid);
	if (!group->monitors)
		unc_sim_asks(asked, "%s/mon_groups/", folder);
	for (size_t k = 0; k < sim->n_caches * N_EVENTS; k++) {
		size_t l3 = k / N_EVENTS;
		unsigned event = k % N_EVENTS;
		uint64_t bytes;
		int rc;

		if (!unc_sim_resctrl_cpu(sim, l3) || !unc_sim_resctrl_has(sim, event) ||
		    !unc_sim_asks(asked, "%s/mon_data/mon_L3_%02u/%s", folder, sim->caches[l3].id, events[event]))
			continue;
		/* This lets time pass on the machine. */
		rc = unc_sim_resctrl_read(sim, nth, l3, event, &bytes);
		if (rc < 0)
			snprintf(asked->text, asked->size, "%s\n", rc == UNC_EIO ? "Error" : "Unavailable");
		else
			snprintf(asked->text, asked->size, "%" PRIu64 "\n", bytes);
	}
}

static void resctrl_files(struct unc_sim *sim, struct unc_sim_asked *asked)
{
	const struct unc_sim_rdt *rdt = sim->options.model->rdt;
	uint64_t bytes;

	if (!sim->options.resctrl.on || strncmp(asked->path, ROOT, strlen(ROOT)) != 0)
		return;
	bytes = sim->caches[0].bytes / (rdt->max_rmid + 1);
	if (unc_sim_asks(asked, ROOT "/info/L3_MON/num_rmids"))
		snprintf(asked->text, asked->size, "%u\n", unc_sim_n_rmids(sim));
	/* What may remain in the cache of an RMID that is reused: monitor.c, rdt_get_mon_l3_config(). */
	if (unc_sim_asks(asked, ROOT "/info/L3_MON/max_threshold_occupancy"))
		snprintf(asked->text, asked->size, "%" PRIu64 "\n",
			 rdt->upscale ? bytes / rdt->upscale * rdt->upscale : bytes);
	if (unc_sim_asks(asked, ROOT "/info/L3_MON/mon_features")) {
		asked->text[0] = '\0';
		for (unsigned event = 0; event < N_EVENTS; event++)
			if (unc_sim_resctrl_has(sim, event))
				unc_text_join(asked->text, asked->size, "", "%s\n", events[event]);
	}
	for (size_t i = 0; i < sim->n_groups; i++)
		group_files(sim, asked, i);
}

bool unc_sim_asks(struct unc_sim_asked *asked, const char *fmt, ...)
{
	size_t len = strlen(asked->path);
	char path[PATH_SIZE], *name;
	va_list args;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	if (strncmp(path, asked->path, len) != 0 || path[len] != (asked->size ? '\0' : '/'))
		return false;
	asked->found = true;
	if (asked->size)
		return true;
	name = path + len + 1;
	name[strcspn(name, "/")] = '\0';
	if (*name)
		asked->no_memory |= !unc_names_add(&asked->names, name);
	return false;
}

static int find_file(struct unc_sim *sim, const char *path, size_t max, struct unc_os_found *ret_found)
{
	char buf[TEXT_SIZE];
	struct unc_sim_asked asked = {.path = path, .text = buf, .size = sizeof(buf)};
	size_t len;
	int rc = unc_sim_smbios(&sim->host, path, &ret_found->text, &ret_found->n);

	if (rc == UNC_OK && ret_found->n > max) {
		free(ret_found->data);
		return too_long(sim, path, max);
	}
	if (rc != UNC_ENODEV)
		return rc;
	unc_sim_perf_files(sim, &asked);
	resctrl_files(sim, &asked);
	text_files(sim, &asked);
	len = unc_sim_nest_files(sim, &asked);
	if (sim->options.model->memory && unc_sim_asks(&asked, "/proc/iomem"))
		unc_sim_iomem_text(sim, buf, sizeof(buf));
	if (!asked.found)
		return UNC_ENODEV;
	ret_found->n = len ? len : strlen(buf);
	if (ret_found->n > max)
		return UNC_ENODEV;
	ret_found->text = malloc(ret_found->n + 1);
	if (!ret_found->text)
		return no_memory(sim);
	memcpy(ret_found->text, buf, ret_found->n);
	ret_found->text[ret_found->n] = '\0';
	return UNC_OK;
}

/* Of a file that files= has, too. */
static int append(struct unc_sim *sim, const char *path, size_t max, struct unc_os_found *found)
{
	size_t given = strlen(found->text);
	char line[LINE_SIZE], *both;
	struct unc_sim_asked asked = {.path = path, .text = line, .size = sizeof(line)};

	/* This is the only file that both files= and the kernel have. */
	if (!strcmp(path, MOUNTS))
		text_files(sim, &asked);
	if (!asked.found)
		return UNC_ENODEV;
	if (given + strlen(line) > max) {
		free(found->data);
		return too_long(sim, path, max);
	}
	both = realloc(found->data, given + strlen(line) + 1);
	if (!both) {
		free(found->data);
		return no_memory(sim);
	}
	memcpy(both + given, line, strlen(line) + 1);
	*found = (struct unc_os_found){.text = both, .n = strlen(both)};
	return UNC_OK;
}

/* The names are sorted, each once. */
static int find_names(struct unc_sim *sim, const char *path, struct unc_os_found *found)
{
	struct unc_sim_asked asked = {.path = path};
	const char **names;
	size_t i, n_all, n = 0;

	unc_sim_perf_files(sim, &asked);
	resctrl_files(sim, &asked);
	unc_sim_nest_files(sim, &asked);
	if (!asked.found)
		return UNC_ENODEV;
	for (i = 0; i < found->n; i++)
		asked.no_memory |= !unc_names_add(&asked.names, found->names[i]);
	free(found->data);
	n_all = asked.names.n;
	names = (const char **)unc_names_list(&asked.names, true);
	if (!names || asked.no_memory) {
		free(names);
		return no_memory(sim);
	}
	for (i = 0; i < n_all; i++)
		if (!n || strcmp(names[n - 1], names[i]) != 0)
			names[n++] = names[i];
	*found = (struct unc_os_found){.names = names, .n = n};
	return UNC_OK;
}

int unc_sim_kernel_look(struct unc_sim *sim, enum unc_look what, const char *path, size_t max,
			struct unc_os_found *found)
{
	char target[LINK_SIZE];
	struct unc_sim_asked asked = {.path = path, .text = target, .size = sizeof(target)};

	if (what == UNC_LOOK_NAMES)
		return find_names(sim, path, found);
	if (what == UNC_LOOK_TEXT)
		return found->data ? append(sim, path, max, found) : find_file(sim, path, max, found);
	if (!found->data)
		unc_sim_perf_links(sim, &asked);
	if (!asked.found)
		return UNC_ENODEV;
	found->text = unc_text_dup(target);
	return found->text ? UNC_OK : no_memory(sim);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of the driver of sim/perf.h: Linux 6.1, Documentation/ABI/testing/sysfs-bus-event_source-devices-*, and
 * arch/x86/events/intel/uncore.c. As there, files of events do not end with a newline, and the others do.
 */
#include <stdio.h>
#include <string.h>

#include "sim/kernel_files.h"
#include "sim/model_parts.h"
#include "sim/perf.h"

#define DEVICES  "/sys/bus/event_source/devices"
#define REAL     "/sys/devices" /* where the links in DEVICES lead */
#define NAME     "uncore_imc_"
#define PARANOID "/proc/sys/kernel/perf_event_paranoid"

enum { PARANOID_DEFAULT = 2, NAME_SIZE = 16, PATH_SIZE = 80 };

/* The size of a CAS, 64 bytes, in MiB. */
#define CAS_SCALE "6.103515625e-5"

struct file {
	const char *folder, *name, *text; /* text NULL: generated */
};

static const struct file files[] = {
	{"", "type", NULL},
	{"", "cpumask", NULL},
	{"", "perf_event_mux_interval_ms", "4\n"},
	{"format", "event", "config:0-7\n"},
	{"format", "umask", "config:8-15\n"},
	{"format", "edge", "config:18\n"},
	{"format", "inv", "config:23\n"},
	{"format", "thresh", "config:24-31\n"},
	{"events", "clockticks", NULL},
	{"events", "cas_count_read", "event=0x04,umask=0x03"},
	{"events", "cas_count_read.scale", CAS_SCALE},
	{"events", "cas_count_read.unit", "MiB"},
	{"events", "cas_count_write", "event=0x04,umask=0x0c"},
	{"events", "cas_count_write.scale", CAS_SCALE},
	{"events", "cas_count_write.unit", "MiB"},
};

/* Returns the rest of a path after "uncore_imc_N", with its "/"; NULL: it is not the path of a PMU that exists. */
static const char *below_pmu(const struct unc_sim *sim, const char *path, unsigned *ret_number)
{
	static const char *const roots[] = {DEVICES "/" NAME, REAL "/" NAME};
	size_t i, len;
	unsigned number;

	for (i = 0; i < UNC_SIM_N(roots); i++) {
		const char *rest = path + strlen(roots[i]);

		if (strncmp(path, roots[i], strlen(roots[i])) != 0)
			continue;
		len = strspn(rest, "0123456789");
		number = (unsigned)(rest[0] - '0') * (len == 2 ? 10 : 1) + (len == 2 ? (unsigned)(rest[1] - '0') : 0);
		if (len < 1 || len > 2 || (len == 2 && rest[0] == '0') || (rest[len] && rest[len] != '/') ||
		    !unc_sim_perf_has(sim, number))
			return NULL;
		*ret_number = number;
		return rest + len;
	}
	return NULL;
}

/* Writes the CPUs that count events, one of each package. */
static void cpumask(const struct unc_sim *sim, char *buf, size_t size)
{
	struct unc_sim_cpu_set cpus = {{0}};
	unsigned package;

	for (package = 0; package < sim->options.sockets; package++) {
		int cpu = unc_sim_perf_cpu(sim, package);

		if (cpu >= 0)
			cpus.has[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	unc_sim_cpu_list(&cpus, buf, size);
}

static void made(const struct unc_sim *sim, const struct file *file, unsigned number, char *buf, size_t size)
{
	if (!strcmp(file->name, "type"))
		snprintf(buf, size, "%u\n", UNC_SIM_PERF_TYPE + number);
	else if (!strcmp(file->name, "cpumask"))
		cpumask(sim, buf, size);
	else
		snprintf(buf, size, "%s", unc_sim_perf_part(sim).clock);
}

/* rest is a path such as "/format/event". */
static bool is_file(const struct file *file, const char *rest)
{
	size_t len = strlen(file->folder);

	if (len) {
		if (rest[0] != '/' || strncmp(rest + 1, file->folder, len) != 0)
			return false;
		rest += 1 + len;
	}
	return rest[0] == '/' && !strcmp(rest + 1, file->name);
}

bool unc_sim_perf_text(const struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	unsigned number = 0;
	const char *rest;
	size_t i;

	if (!sim->options.perf.on)
		return false;
	if (!strcmp(path, PARANOID)) {
		snprintf(buf, size, "%d\n",
			 sim->options.perf.suspicious ? (int)sim->options.perf.paranoid : PARANOID_DEFAULT);
		return true;
	}
	rest = below_pmu(sim, path, &number);
	for (i = 0; rest && i < UNC_SIM_N(files); i++) {
		if (!is_file(&files[i], rest))
			continue;
		if (files[i].text)
			snprintf(buf, size, "%s", files[i].text);
		else
			made(sim, &files[i], number, buf, size);
		return true;
	}
	return false;
}

static bool add_pmus(const struct unc_sim *sim, struct unc_sim_name_list *list)
{
	char name[NAME_SIZE];
	unsigned number;

	for (number = 0; number < UNC_SIM_PERF_NUMBERS; number++) {
		snprintf(name, sizeof(name), NAME "%u", number);
		if (unc_sim_perf_has(sim, number))
			unc_sim_name_add(list, name);
	}
	return true;
}

bool unc_sim_perf_names(const struct unc_sim *sim, const char *path, struct unc_sim_name_list *list)
{
	unsigned number = 0;
	const char *rest;
	size_t i, before = list->n;

	if (!sim->options.perf.on)
		return false;
	if (!strcmp(path, DEVICES) || !strcmp(path, REAL))
		return add_pmus(sim, list);
	rest = below_pmu(sim, path, &number);
	if (!rest)
		return false;
	for (i = 0; i < UNC_SIM_N(files); i++)
		if (!strcmp(files[i].folder, rest + (*rest == '/')))
			unc_sim_name_add(list, files[i].name);
	if (!*rest) {
		unc_sim_name_add(list, "events");
		unc_sim_name_add(list, "format");
	}
	return list->n > before;
}

/* Recognises "/sys/bus/pci/devices/0000:ff:10.0/driver" of a function that the driver has found. */
static bool is_bound(const struct unc_sim *sim, const char *path)
{
	char name[UNC_ADDR_TEXT], whole[PATH_SIZE];
	size_t i;

	for (i = 0; i < sim->n_places; i++) {
		if (unc_sim_perf_number(sim, &sim->places[i]) < 0)
			continue;
		snprintf(whole, sizeof(whole), "/sys/bus/pci/devices/%s/driver",
			 unc_addr_text(&sim->places[i].addr, name));
		if (!strcmp(path, whole))
			return true;
	}
	return false;
}

bool unc_sim_perf_link(const struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	unsigned number = 0;
	const char *rest;

	if (!sim->options.perf.on)
		return false;
	if (is_bound(sim, path)) {
		snprintf(buf, size, "../../../bus/pci/drivers/%s", unc_sim_perf_part(sim).driver);
		return true;
	}
	rest = below_pmu(sim, path, &number);
	if (!rest || *rest || strncmp(path, DEVICES, strlen(DEVICES)) != 0)
		return false;
	snprintf(buf, size, "../../../devices/" NAME "%u", number);
	return true;
}

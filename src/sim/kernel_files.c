// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files in which a kernel reports tables of the firmware (sim/smbios.c), the state of its drivers, and what it refuses:
 * Linux security/lockdown/lockdown.c and arch/x86/kernel/msr.c, get_allow_writes().
 */
#include "sim/kernel_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

enum { TEXT_SIZE = 8192, LINK_SIZE = 64, LINE_SIZE = 128, RANGE_SIZE = 24 };

/* Linux 6.1 drivers/base/cpu.c, print_cpus_nohz_full(): without CPUs the file has "(null)". */
static bool nohz_full_text(const struct unc_sim *sim, const char *path, char *buf, size_t size)
{
	struct unc_sim_cpu_set cpus = {{0}};
	size_t i;

	if (strcmp(path, "/sys/devices/system/cpu/nohz_full") != 0)
		return false;
	for (i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].nohz_full)
			cpus.has[i / 64] |= UINT64_C(1) << i % 64;
	if (sim->options.nohz_full.n)
		unc_sim_cpu_list(&cpus, buf, size);
	else
		snprintf(buf, size, "(null)\n");
	return true;
}

static const char *text_of(struct unc_sim *sim, const char *path)
{
	if (strcmp(path, "/sys/kernel/security/lockdown") == 0)
		return unc_sim_is_locked_down(&sim->host) ? "none [integrity] confidentiality\n"
							  : "[none] integrity confidentiality\n";
	if (strcmp(path, "/sys/module/msr/parameters/allow_writes") == 0 && !sim->options.msr_absent)
		return unc_sim_takes_msr_writes(&sim->host) ? "on\n" : "off\n";
	return NULL;
}

static int table_of(struct unc_sim *sim, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	size_t len;
	char *text;
	int rc = unc_sim_smbios(&sim->host, path, &text, &len);

	if (rc == UNC_OK && len > max) {
		free(text);
		return unc_fail(sim->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here", path,
				max);
	}
	if (rc < 0)
		return rc;
	*ret_text = text;
	if (ret_len)
		*ret_len = len;
	return UNC_OK;
}

static int no_memory(struct unc_sim *sim)
{
	return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
}

static int copy_of(struct unc_sim *sim, const char *text, char **ret_text)
{
	*ret_text = unc_text_dup(text);
	return *ret_text ? UNC_OK : no_memory(sim);
}

int unc_sim_kernel_file(struct unc_sim *sim, const char *path, size_t max, char **ret_text, size_t *ret_len)
{
	const char *text = text_of(sim, path);
	int rc = table_of(sim, path, max, ret_text, ret_len);
	char buf[TEXT_SIZE];

	if (rc != UNC_ENODEV)
		return rc;
	if (!text && (unc_sim_perf_text(sim, path, buf, sizeof(buf)) ||
		      unc_sim_resctrl_text(sim, path, buf, sizeof(buf)) || nohz_full_text(sim, path, buf, sizeof(buf))))
		text = buf;
	if (!text || strlen(text) > max)
		return UNC_ENODEV;
	rc = copy_of(sim, text, ret_text);
	if (rc == UNC_OK && ret_len)
		*ret_len = strlen(text);
	return rc;
}

int unc_sim_kernel_append(struct unc_sim *sim, const char *path, size_t max, char **text, size_t *len)
{
	size_t given = strlen(*text);
	char line[LINE_SIZE], *both;

	/* This is the only file that both files= and the kernel have. */
	if (strcmp(path, "/proc/mounts") != 0 || !unc_sim_resctrl_text(sim, path, line, sizeof(line)))
		return UNC_OK;
	if (given + strlen(line) > max) {
		free(*text);
		return unc_fail(sim->host.ctx, UNC_ERANGE, "%s: longer than the %zu bytes that are allowed here", path,
				max);
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

/* Returns the names sorted, each once, in one allocation; the list is empty afterwards. */
static int hand_out(struct unc_sim *sim, struct unc_sim_name_list *list, const char *const **ret_names, size_t *ret_n)
{
	size_t of_pointers = list->n * sizeof(char *), i, n = 0;
	const char **names = list->no_memory ? NULL : malloc(of_pointers + list->len + 1);
	char *at;

	if (!names) {
		free(list->bytes);
		return no_memory(sim);
	}
	at = (char *)names + of_pointers;
	if (list->len)
		memcpy(at, list->bytes, list->len);
	free(list->bytes);
	for (i = 0; i < list->n; i++, at += strlen(at) + 1)
		names[i] = at;
	qsort(names, list->n, sizeof(*names), by_name);
	for (i = 0; i < list->n; i++)
		if (!n || strcmp(names[n - 1], names[i]) != 0)
			names[n++] = names[i];
	*ret_names = names;
	*ret_n = n;
	return UNC_OK;
}

int unc_sim_kernel_names(struct unc_sim *sim, const char *path, const struct unc_sim_names *more,
			 const char *const **ret_names, size_t *ret_n)
{
	struct unc_sim_name_list list = {0};
	size_t i;

	if (!unc_sim_perf_names(sim, path, &list) && !unc_sim_resctrl_names(sim, path, &list))
		return UNC_ENODEV;
	for (i = 0; i < more->n; i++)
		unc_sim_name_add(&list, more->names[i]);
	return hand_out(sim, &list, ret_names, ret_n);
}

int unc_sim_kernel_link(struct unc_sim *sim, const char *path, char **ret_text)
{
	char buf[LINK_SIZE];

	return unc_sim_perf_link(sim, path, buf, sizeof(buf)) ? copy_of(sim, buf, ret_text) : UNC_ENODEV;
}

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

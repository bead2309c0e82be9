/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What files of a kernel are made of. */
#ifndef UNC_SIM_KERNEL_FILES_H
#define UNC_SIM_KERNEL_FILES_H

#include "sim/computer.h"

/* Names in a directory, until they are handed out. */
struct unc_sim_name_list {
	char *bytes; /* each with its zero, one behind the other; owned */
	size_t len, n;
	bool no_memory;
};
void unc_sim_name_add(struct unc_sim_name_list *list, const char *name);

struct unc_sim_cpu_set {
	uint64_t has[UNC_SIM_CPUS_MAX / 64];
};
/* As Linux writes CPU lists, with a newline behind: "0-3,8". */
void unc_sim_cpu_list(const struct unc_sim_cpu_set *cpus, char *buf, size_t size);

/* Each of these may take the machine's time. */
bool unc_sim_resctrl_text(struct unc_sim *sim, const char *path, char *buf, size_t size);
bool unc_sim_resctrl_names(const struct unc_sim *sim, const char *path, struct unc_sim_name_list *list);

/* Each is true where there is such a file, directory or link. */
bool unc_sim_perf_text(const struct unc_sim *sim, const char *path, char *buf, size_t size);
bool unc_sim_perf_names(const struct unc_sim *sim, const char *path, struct unc_sim_name_list *list);
bool unc_sim_perf_link(const struct unc_sim *sim, const char *path, char *buf, size_t size);

#endif

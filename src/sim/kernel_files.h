/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts from which the files of a simulated kernel are made. */
#ifndef UNC_SIM_KERNEL_FILES_H
#define UNC_SIM_KERNEL_FILES_H

#include "sim/computer.h"

/* Names in a directory, until they are returned. */
struct unc_sim_name_list {
	char *bytes; /* names with their zeros, one after the other; owned */
	size_t len, n;
	bool no_memory;
};
void unc_sim_name_add(struct unc_sim_name_list *list, const char *name);

struct unc_sim_cpu_set {
	uint64_t has[UNC_SIM_CPUS_MAX / 64];
};
/* Writes a list of CPUs as Linux does, with a newline at the end: "0-3,8". */
void unc_sim_cpu_list(const struct unc_sim_cpu_set *cpus, char *buf, size_t size);

/* Each returns true where there is such a file, directory or link. */
bool unc_sim_perf_text(const struct unc_sim *sim, const char *path, char *buf, size_t size);
bool unc_sim_perf_names(const struct unc_sim *sim, const char *path, struct unc_sim_name_list *list);
bool unc_sim_perf_link(const struct unc_sim *sim, const char *path, char *buf, size_t size);

#endif

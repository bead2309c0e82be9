/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts from which the files of a simulated kernel are made. */
#ifndef UNC_SIM_KERNEL_FILES_H
#define UNC_SIM_KERNEL_FILES_H

#include "sim/computer.h"

/* What is asked of the files of the kernel: the text of one, or the names in a folder. */
struct unc_sim_asked {
	const char *path;
	char *text;  /* what the file has is printed there; not owned */
	size_t size; /* of text; 0: the names are asked for */
	bool found;  /* there is such a file or folder */
	struct unc_names names;
	bool no_memory;
};
/*
 * Must be called with the path of each file that there is. Returns whether its text is asked for; the caller then prints
 * it. Where names are asked for, it takes the name of the file, or of the folder that it is in; a path that ends with "/"
 * is an empty folder.
 */
bool unc_sim_asks(struct unc_sim_asked *asked, const char *fmt, ...) UNC_PRINTF(2, 3);

/* Writes a list of CPUs as Linux does, with a newline at the end: "0-3,8". */
void unc_sim_cpu_list(const struct unc_sim_cpu_set *cpus, char *buf, size_t size);

/* Call unc_sim_asks() for the files of PMUs; for links, whose text is where they lead. */
void unc_sim_perf_files(const struct unc_sim *sim, struct unc_sim_asked *asked);
void unc_sim_perf_links(const struct unc_sim *sim, struct unc_sim_asked *asked);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Intel's published event lists, of which ../shared/perfmon has the facts: the maps and the simulated models are compared with them. */
#ifndef UNC_TESTS_PERFMON_LIST_H
#define UNC_TESTS_PERFMON_LIST_H

#include <stdbool.h>
#include <stddef.h>

struct perfmon_event {
	char name[48]; /* as the maps write it: cas_count.rd */
	unsigned code, umask, counters /* a bit each */;
	bool fixed;
};

/* The events of the memory controller in ../shared/perfmon/NAME.tsv, at most MAX.  Returns how many; 0 after a line "skip ..." where
 * there is no such file. */
size_t perfmon_list(const char *name, struct perfmon_event *events, size_t max);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs in the format of Linux: "0-3,8". */
#ifndef UNC_CLI_CPU_LIST_H
#define UNC_CLI_CPU_LIST_H

#include <stdbool.h>
#include <stddef.h>

enum { CPU_LIST_MAX = 65535 }; /* the highest number; Linux is built for 8192 CPUs at most */

struct cpu_list {
	unsigned *cpus; /* sorted, without duplicates; owned */
	size_t n;
};

enum cpu_list_fault { CPU_LIST_GOOD, CPU_LIST_MALFORMED, CPU_LIST_TOO_HIGH, CPU_LIST_NO_MEMORY };
/* Adds the CPUs of a text to a list, which is all zero at first.  After a fault the content of the list is undefined. */
enum cpu_list_fault cpu_list_add(struct cpu_list *list, const char *text);
bool cpu_list_has(const struct cpu_list *list, unsigned cpu);
void cpu_list_clear(struct cpu_list *list);

#endif

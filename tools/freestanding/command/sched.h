/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef UNC_COMMAND_SCHED_H
#define UNC_COMMAND_SCHED_H
/* No thread can be bound before an operating system. */
#include <sys/types.h>
typedef unsigned long long cpu_set_t;
#define CPU_ALLOC(n)                      ((cpu_set_t *)NULL)
#define CPU_ALLOC_SIZE(n)                 ((n) ? sizeof(cpu_set_t) : 0)
#define CPU_FREE(set)                     ((void)(set))
#define CPU_ZERO_S(size, set)             ((void)(size), (void)(set))
#define CPU_SET_S(i, size, set)           ((void)(set))
#define CPU_ISSET_S(i, size, set)         0
#define sched_setaffinity(pid, size, set) ((void)(pid), (void)(size), -1)
#define sched_getaffinity(pid, size, set) ((void)(pid), (void)(size), -1)
#endif

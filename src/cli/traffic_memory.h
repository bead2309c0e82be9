/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The place of traffic on this computer: which CPUs may make it, and memory of a NUMA node. */
#ifndef UNC_CLI_TRAFFIC_MEMORY_H
#define UNC_CLI_TRAFFIC_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore.h"

/* UNC_ENODEV: no such CPU, or it is offline; UNC_EPERM: this process may not run there. */
int traffic_cpu_check(struct unc_ctx *ctx, unsigned cpu);
/* UNC_ENODEV: no such node; UNC_EARG: it has less memory to spare than these bytes. */
int traffic_node_check(struct unc_ctx *ctx, unsigned node, uint64_t bytes);
/*
 * Allocates that much memory of that node and no other; release it with free().  None of it was touched, so no page is taken yet.
 * UNC_ENOMEM; UNC_EPERM: this process may not choose its memory policy, and there are several nodes; UNC_EIO.
 */
int traffic_memory(struct unc_ctx *ctx, unsigned node, size_t bytes, void **ret_memory);

/* For tests: the available memory in a node's or the computer's meminfo.  False: it is not given. */
bool traffic_meminfo_spare(const char *meminfo, uint64_t *ret_bytes);

#endif

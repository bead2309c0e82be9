/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic for checks: from which CPUs to which memory, and how much of it. */
#ifndef UNC_CHECK_STREAM_H
#define UNC_CHECK_STREAM_H

#include "check/check.h"
#include "uncore/traffic.h"

enum { UNC_STREAM_CPUS = 2 };

struct unc_stream_node { /* a node of memory, and the CPUs next to it */
	unsigned node;   /* the number that Linux gives it */
	unsigned socket;
	unsigned cpus[UNC_STREAM_CPUS]; /* the first CPUs that are online */
	size_t n_cpus;
	bool shared;       /* other sockets have CPUs next to the same memory, as far as known */
	uint64_t l3_bytes; /* size of one L3; a safe guess if CPUID does not report it */
};

/*
 * The nodes that have CPUs online, by socket and number; with sub-NUMA clustering a socket has several.  The caller frees
 * *ret_nodes with free().  UNC_ENODATA: this machine does not report them; other errors are those of the host's cpus().
 */
int unc_stream_nodes(struct unc_check *c, struct unc_stream_node **ret_nodes, size_t *ret_n);
/* Does that node have CPUs of more than one socket? */
bool unc_stream_is_shared(const struct unc_host_cpu *cpus, size_t n, unsigned node);
/* The largest share of loads and stores to such buffers that may hit in an L3: 0 to 1. */
double unc_stream_found(const struct unc_stream_node *node);
/*
 * Calls unc_traffic_start() for the CPUs of the node: bytes_per_s is the rate of all together, and the buffers are so large that no
 * L3 can hold a considerable part.
 */
int unc_stream_start(struct unc_check *c, const struct unc_stream_node *node, enum unc_traffic_kind kind,
		     uint64_t bytes_per_s);

#endif

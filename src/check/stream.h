/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traffic for checks: from which CPUs to which memory, and how much of it. */
#ifndef UNC_CHECK_STREAM_H
#define UNC_CHECK_STREAM_H

#include "check/check.h"

enum { UNC_STREAM_CPUS = 2 };

struct unc_stream_node { /* memory, and CPUs beside it */
	unsigned node;   /* Linux's number */
	unsigned socket;
	unsigned cpus[UNC_STREAM_CPUS]; /* the first that are online */
	size_t n_cpus;
	bool shared;       /* the same memory, as far as is known, is beside CPUs of other sockets */
	uint64_t l3_bytes; /* of an L3; a guess at the safe side where CPUID does not tell */
};

/*
 * The nodes that have CPUs online, by socket and number; with sub-NUMA clustering a socket has several.  *ret_nodes is the caller's to
 * free().  UNC_ENODATA: this machine does not tell; else as the host's cpus().
 */
int unc_stream_nodes(struct unc_check *c, struct unc_stream_node **ret_nodes, size_t *ret_n);
/* Has that node CPUs of more than one socket? */
bool unc_stream_is_shared(const struct unc_host_cpu *cpus, size_t n, unsigned node);
/* How much of what is loaded or stored from such buffers an L3 may find in itself, at the most: 0 to 1. */
double unc_stream_found(const struct unc_stream_node *node);
/*
 * unc_traffic_start(): from those CPUs, all of them together as fast as that, with buffers of which no L3 can hold any considerable
 * part.
 */
int unc_stream_start(struct unc_check *c, const struct unc_stream_node *node, enum unc_traffic_kind kind,
		     uint64_t bytes_per_s);

#endif

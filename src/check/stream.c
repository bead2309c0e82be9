// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic that checks make: from which CPUs to which memory, and how much of it. */
#include "check/stream.h"

#include <stdlib.h>

#include "base/text.h"
#include "base/err.h"

static int by_socket(const void *a, const void *b)
{
	const struct unc_stream_node *x = a, *y = b;

	if (x->socket != y->socket)
		return x->socket < y->socket ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

#define MIB UINT64_C(1048576)

static uint64_t buffer_bytes(const struct unc_stream_node *node)
{
	uint64_t bytes = 16 * node->l3_bytes;

	return bytes < 64 * MIB ? 64 * MIB : bytes > 512 * MIB ? 512 * MIB : bytes;
}

/* An adaptive L3 (from Ivy Bridge on) keeps a part of a buffer that passes again and again, at most as much as it can hold. */
double unc_stream_found(const struct unc_stream_node *node)
{
	double found = (double)node->l3_bytes / (double)buffer_bytes(node);

	return found < 1 ? found : 1;
}

/* Memory that is interleaved over sockets is one node, as all memory is for a kernel without NUMA. */
bool unc_stream_is_shared(const struct unc_host_cpu *cpus, size_t n, unsigned node)
{
	int package = -1;

	for (size_t i = 0; i < n; i++) {
		if (!cpus[i].online || cpus[i].package < 0 || (cpus[i].node < 0 ? 0 : (unsigned)cpus[i].node) != node)
			continue;
		if (package >= 0 && cpus[i].package != package)
			return true;
		package = cpus[i].package;
	}
	return false;
}

int unc_stream_nodes(struct unc_check *c, struct unc_stream_node **ret_nodes, size_t *ret_n)
{
	struct unc_stream_node *nodes = NULL;
	const struct unc_host_cpu *cpus;
	struct unc_cpu_info info;
	size_t n_cpus, n = 0;
	bool known;
	int rc = unc_machine_cpus(c->m, &cpus, &n_cpus);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n_cpus; i++) {
		/* A kernel without NUMA has one node. */
		const struct unc_stream_node new = {.node = cpus[i].node < 0 ? 0 : (unsigned)cpus[i].node,
						    .socket = (unsigned)cpus[i].package};
		size_t k = 0;

		if (!cpus[i].online || cpus[i].package < 0)
			continue;
		while (k < n && (nodes[k].node != new.node || nodes[k].socket != new.socket))
			k++;
		if (k == n && !unc_array_add(&nodes, &n, &new, sizeof(new))) {
			free(nodes);
			return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
		}
		if (nodes[k].n_cpus < UNC_STREAM_CPUS)
			nodes[k].cpus[nodes[k].n_cpus++] = cpus[i].cpu;
	}
	if (!nodes)
		return unc_fail(c->m->ctx, UNC_ENODATA, "%s: this machine does not tell which CPU is in which socket",
				c->m->name);
	known = unc_machine_cpu(c->m, &info) == 0 && info.l3_bytes;
	for (size_t i = 0; i < n; i++) {
		nodes[i].l3_bytes = known ? info.l3_bytes : 64 * MIB;
		nodes[i].shared = unc_stream_is_shared(cpus, n_cpus, nodes[i].node);
	}
	qsort(nodes, n, sizeof(*nodes), by_socket);
	*ret_nodes = nodes;
	*ret_n = n;
	return UNC_OK;
}

int unc_stream_start(struct unc_check *c, const struct unc_stream_node *node, enum unc_traffic_kind kind,
		     uint64_t bytes_per_s)
{
	const struct unc_traffic traffic = {.kind = kind,
					    .node = node->node,
					    .cpus = node->cpus,
					    .n_cpus = node->n_cpus,
					    .bytes_per_s = bytes_per_s,
					    .size_bytes = buffer_bytes(node)};

	return unc_traffic_start(c->m, &traffic);
}

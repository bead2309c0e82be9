// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/stream.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/err.h"

static struct unc_stream_node *find(struct unc_stream_node *nodes, size_t n, unsigned node, unsigned socket)
{
	for (size_t i = 0; i < n; i++)
		if (nodes[i].node == node && nodes[i].socket == socket)
			return &nodes[i];
	return NULL;
}

static int by_socket(const void *a, const void *b)
{
	const struct unc_stream_node *x = a, *y = b;

	if (x->socket != y->socket)
		return x->socket < y->socket ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

#define MIB UINT64_C(1048576)

static uint64_t l3_bytes(struct unc_check *c)
{
	struct unc_cpu_info info;

	return unc_machine_cpu(c->m, &info) == 0 && info.l3_bytes ? info.l3_bytes : 64 * MIB;
}

static uint64_t buffer_bytes(const struct unc_stream_node *node)
{
	uint64_t bytes = 4 * node->l3_bytes;

	return bytes < 64 * MIB ? 64 * MIB : bytes > 512 * MIB ? 512 * MIB : bytes;
}

int unc_stream_nodes(struct unc_check *c, struct unc_stream_node **ret_nodes, size_t *ret_n)
{
	struct unc_stream_node *nodes = NULL;
	const struct unc_host_cpu *cpus;
	size_t n_cpus, n = 0;
	int rc = unc_machine_cpus(c->m, &cpus, &n_cpus);

	for (size_t i = 0; i < n_cpus && rc == 0; i++) {
		unsigned number =
			cpus[i].node < 0 ? 0 : (unsigned)cpus[i].node; /* a kernel without NUMA has one node */
		struct unc_stream_node *node;

		if (!cpus[i].online || cpus[i].package < 0)
			continue;
		node = find(nodes, n, number, (unsigned)cpus[i].package);
		if (!node) {
			node = unc_array_more(nodes, n, sizeof(*node));
			if (!node) {
				rc = unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
				break;
			}
			nodes = node;
			node += n++;
			*node = (struct unc_stream_node){.node = number, .socket = (unsigned)cpus[i].package};
		}
		if (node->n_cpus < UNC_STREAM_CPUS)
			node->cpus[node->n_cpus++] = cpus[i].cpu;
	}
	if (rc == 0 && !nodes)
		rc = unc_fail(c->m->ctx, UNC_ENODATA, "%s: this machine does not tell which CPU is in which socket",
			      c->m->name);
	if (rc < 0) {
		free(nodes);
		return rc;
	}
	for (size_t i = 0, bytes = l3_bytes(c); i < n; i++)
		nodes[i].l3_bytes = bytes;
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

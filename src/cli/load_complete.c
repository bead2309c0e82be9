// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses what the command line left open: the CPUs, the node of the memory, and its size. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/load_options.h"
#include "machine/machine.h"

enum { TIMES_L3 = 4, SIZE_UNKNOWN = 256 << 20, SIZE_LEAST = 16 << 20, PAGE = 4096, CPUS_MAX = CPU_LIST_MAX + 1 };

struct cpus {
	struct unc_host_cpu *all; /* owned */
	size_t n;
};

/* Keeps, on this computer, the CPUs on which this process may run; on another machine all of them. */
static void leave_allowed(struct cpus *cpus)
{
	size_t size = CPU_ALLOC_SIZE(CPUS_MAX), n = 0;
	cpu_set_t *set = CPU_ALLOC(CPUS_MAX);

	if (set && sched_getaffinity(0, size, set) == 0) {
		for (size_t i = 0; i < cpus->n; i++)
			if (CPU_ISSET_S(cpus->all[i].cpu, size, set))
				cpus->all[n++] = cpus->all[i];
		cpus->n = n;
	}
	CPU_FREE(set);
}

static void leave_online(struct cpus *cpus)
{
	size_t n = 0;

	for (size_t i = 0; i < cpus->n; i++)
		if (cpus->all[i].online)
			cpus->all[n++] = cpus->all[i];
	cpus->n = n;
}

static int node_of(const struct unc_host_cpu *cpu)
{
	return cpu->node < 0 ? 0 : cpu->node;
}

/* Chooses the node of the CPUs, if they have one in common. */
static int choose_node(struct load_options *options, const struct cpus *cpus)
{
	bool found = false;

	if (options->node_given)
		return EXIT_DONE;
	for (size_t i = 0; i < cpus->n; i++) {
		unsigned node = (unsigned)node_of(&cpus->all[i]);

		if (options->cpus.n && !cpu_list_has(&options->cpus, cpus->all[i].cpu))
			continue;
		if (found && options->node != node && options->cpus.n)
			return usage_error("load: --cpu: these CPUs are of several NUMA nodes, %u and %u; say with "
					   "--node whose memory is meant",
					   options->node, node);
		if (!found)
			options->node = node;
		found = true;
	}
	return EXIT_DONE; /* absent CPUs are refused when the traffic is started */
}

static int choose_cpus(struct load_options *options, const struct cpus *cpus)
{
	if (options->cpus.n)
		return EXIT_DONE;
	for (size_t i = 0; i < cpus->n; i++) {
		char number[16];

		if (node_of(&cpus->all[i]) != (int)options->node)
			continue;
		snprintf(number, sizeof(number), "%u", cpus->all[i].cpu);
		if (cpu_list_add(&options->cpus, number) != CPU_LIST_GOOD) {
			say("out of memory");
			return EXIT_FAILED;
		}
	}
	if (options->cpus.n)
		return EXIT_DONE;
	say("load: node %u: there is no such NUMA node, or no CPU of it is online and may be used; say with --cpu who "
	    "makes the traffic",
	    options->node);
	return EXIT_NOT_HERE;
}

/* The smallest number of chosen CPUs that share an L3. */
static unsigned fewest_at_an_l3(const struct load_options *options, const struct cpus *cpus)
{
	unsigned fewest = 0;

	for (size_t i = 0; i < cpus->n; i++) {
		unsigned n = 0;

		if (!cpu_list_has(&options->cpus, cpus->all[i].cpu))
			continue;
		for (size_t k = 0; k < cpus->n; k++)
			n += cpus->all[k].l3 == cpus->all[i].l3 && cpu_list_has(&options->cpus, cpus->all[k].cpu);
		if (!fewest || n < fewest)
			fewest = n;
	}
	return fewest ? fewest : 1;
}

static void choose_size(struct load_options *options, const struct cpus *cpus, struct unc_machine *machine)
{
	struct unc_cpu_info info;
	uint64_t size = SIZE_UNKNOWN;

	if (options->size_bytes)
		return;
	if (unc_machine_cpu(machine, &info) == 0 && info.l3_bytes) {
		size = TIMES_L3 * info.l3_bytes / fewest_at_an_l3(options, cpus);
		size = size < SIZE_LEAST ? SIZE_LEAST : size;
	}
	options->size_bytes = (size + PAGE - 1) / PAGE * PAGE;
}

int load_options_complete(struct load_options *options, struct unc_machine *machine, struct unc_ctx *ctx, bool allowed)
{
	struct unc_host *host = machine->host;
	struct cpus cpus = {NULL, 0};
	int status, rc = host->ops->cpus(host, &cpus.all, &cpus.n);

	if (rc < 0 && rc != UNC_ENODATA)
		return fail_with(ctx, rc);
	if (rc < 0 && (!options->cpus.n || !options->node_given))
		return usage_error("load: this machine does not tell which CPUs it has; give --cpu and --node");
	leave_online(&cpus);
	if (allowed && !options->cpus.n)
		leave_allowed(&cpus);
	status = choose_node(options, &cpus);
	if (status == EXIT_DONE)
		status = choose_cpus(options, &cpus);
	if (status == EXIT_DONE)
		choose_size(options, &cpus, machine);
	free(cpus.all);
	return status;
}

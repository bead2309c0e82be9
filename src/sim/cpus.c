// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The logical CPUs of the machine.
 *
 * Linux numbers them as firmware lists them: the first threads of all cores, package by package, then the second
 * threads in the same order.  APIC ids run otherwise: package, core, thread, with holes between the cores, since these
 * are counted in groups of up to eight (an E5-2699 v3 has cores 0-4, 8-11, 16-20, 24-27).  The lowest bit is always the
 * thread's, also where there is only one.
 */
#include <stdlib.h>

#include "base/err.h"
#include "sim/computer.h"

enum { GROUP = 8 };

static unsigned groups(unsigned cores)
{
	unsigned n = 1;

	while (n * GROUP < cores)
		n *= 2;
	return n;
}

/* The first core of a group, of which there are n. */
static unsigned group_begin(unsigned cores, unsigned n, unsigned group)
{
	return (cores * group + n - 1) / n;
}

static uint32_t core_id(unsigned cores, unsigned core)
{
	unsigned n = groups(cores), group = 0;

	while (group + 1 < n && group_begin(cores, n, group + 1) <= core)
		group++;
	return group * GROUP + core - group_begin(cores, n, group);
}

unsigned unc_sim_apic_shift(const struct unc_sim_options *options)
{
	unsigned shift = 0;

	while ((1u << shift) < groups(options->cores) * GROUP * UNC_SIM_THREADS_MAX)
		shift++;
	return shift > options->model->apic_shift ? shift : options->model->apic_shift;
}

struct unc_sim_cpu unc_sim_cpu_at(const struct unc_sim_options *options, unsigned number)
{
	unsigned firsts = options->sockets * options->cores;
	struct unc_sim_cpu cpu = {.number = number, .online = true};

	cpu.thread = number / firsts;
	cpu.package = number % firsts / options->cores;
	cpu.core = number % options->cores;
	cpu.apic_id = cpu.package << unc_sim_apic_shift(options) | core_id(options->cores, cpu.core) << 1 | cpu.thread;
	return cpu;
}

static int take_offline(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;
	size_t i, online = 0;

	for (i = 0; i < options->n_offline; i++) {
		if (options->offline[i] >= sim->n_cpus)
			return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: offline=%u: the machine has CPUs 0 to %zu",
					options->model->name, options->offline[i], sim->n_cpus - 1);
		sim->cpus[options->offline[i]].online = false;
	}
	for (i = 0; i < sim->n_cpus; i++)
		online += sim->cpus[i].online;
	return online ? UNC_OK
		      : unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: offline: at least one CPU must stay online",
				 options->model->name);
}

int unc_sim_cpus_init(struct unc_sim *sim)
{
	unsigned i;

	sim->n_cpus = (size_t)sim->options.sockets * sim->options.cores * sim->options.threads;
	sim->cpus = calloc(sim->n_cpus, sizeof(*sim->cpus));
	if (!sim->cpus)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	for (i = 0; i < sim->n_cpus; i++)
		sim->cpus[i] = unc_sim_cpu_at(&sim->options, i);
	return take_offline(sim);
}

int unc_sim_cpu_reach(struct unc_sim *sim, unsigned number, const struct unc_sim_cpu **ret_cpu)
{
	if (number >= sim->n_cpus)
		return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENXIO",
				      "cpu %u: the simulated machine has CPUs 0 to %zu", number, sim->n_cpus - 1);
	if (!sim->cpus[number].online)
		return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENXIO", "cpu %u: the CPU is offline", number);
	*ret_cpu = &sim->cpus[number];
	return UNC_OK;
}

size_t unc_sim_cpus(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim ? sim->n_cpus : 0;
}

int unc_sim_cpu(struct unc_host *host, size_t i, struct unc_sim_cpu *ret_cpu)
{
	const struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return unc_sim_none(host);
	if (i >= sim->n_cpus)
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: there is no CPU %zu, only 0 to %zu",
				sim->options.model->name, i, sim->n_cpus - 1);
	*ret_cpu = sim->cpus[i];
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The loads of the CPUs: idle, or the default load that load.h describes. */
#include <stdlib.h>

#include "base/err.h"
#include "sim/chance.h"

#define KIB     UINT64_C(1024)
#define MILLION UINT64_C(1000000)

enum {
	CHANNELS_BEFORE = 2 * UNC_SIM_SOCKETS_MAX * UNC_SIM_CHANNELS_MAX
}; /* above all numbers that vary rates of channels */

int unc_sim_load_cpus_init(struct unc_sim_load *load, size_t n_cpus)
{
	load->cpus = calloc(n_cpus, sizeof(*load->cpus));
	if (!load->cpus)
		return UNC_ENOMEM;
	load->n_cpus = n_cpus;
	return UNC_OK;
}

/*
 * No two are equal: p is less than 8, and i counts by more. Where the least cache is available for each CPU, on an L3
 * of an EPYC 9655, the last 16 CPUs want 31.6 of 33.6 million bytes.
 */
static int cpu_default(const struct unc_sim_options *options, struct unc_sim_cpu_load *cpu,
		       const struct unc_sim_cpu *of)
{
	unsigned i = of->thread * options->cores + of->core, package = of->package;
	uint64_t occupancy = KIB * (256 + 12 * i + package);
	uint64_t total = MILLION * (200 + 13 * i + package), local = MILLION * (150 + 9 * i + package);
	uint64_t nth = CHANNELS_BEFORE + 3 * (uint64_t)of->number;

	occupancy = unc_sim_varied(options, nth, occupancy);
	total = unc_sim_varied(options, nth + 1, total);
	local = unc_sim_varied(options, nth + 2, local);
	local = local < total ? local : total;

	if (unc_sim_curve_add(&cpu->occupancy, 0, occupancy * UNC_SIM_RATE_ONE, 0) < 0 ||
	    unc_sim_curve_add(&cpu->total, 0, total * UNC_SIM_RATE_ONE, 0) < 0)
		return UNC_ENOMEM;
	return unc_sim_curve_add(&cpu->local, 0, local * UNC_SIM_RATE_ONE, 0);
}

int unc_sim_load_cpus_default(struct unc_sim_load *load, const struct unc_sim_options *options,
			      const struct unc_sim_cpu *cpus)
{
	size_t i;
	int rc;

	for (i = 0; i < load->n_cpus; i++) {
		rc = cpu_default(options, &load->cpus[i], &cpus[i]);
		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

void unc_sim_load_cpus_clear(struct unc_sim_load *load)
{
	size_t i;

	for (i = 0; i < load->n_cpus; i++) {
		unc_sim_curve_clear(&load->cpus[i].occupancy);
		unc_sim_curve_clear(&load->cpus[i].total);
		unc_sim_curve_clear(&load->cpus[i].local);
	}
	free(load->cpus);
}

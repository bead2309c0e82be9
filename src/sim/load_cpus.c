// SPDX-License-Identifier: GPL-2.0-or-later
/* What the CPUs do: none of them anything, or all of them something by default.  load.h says what. */
#include <stdlib.h>

#include "base/err.h"
#include "sim/computer.h"

#define KIB     UINT64_C(1024)
#define MILLION UINT64_C(1000000)

int unc_sim_load_cpus_init(struct unc_sim_load *load, const struct unc_sim_options *options)
{
	size_t n = (size_t)options->sockets * options->cores * options->threads;

	load->cpus = calloc(n, sizeof(*load->cpus));
	if (!load->cpus)
		return UNC_ENOMEM;
	load->n_cpus = n;
	return UNC_OK;
}

/*
 * No two alike: p is less than 8, and i counts by more.  On an 8180, which has the least cache for its CPUs, the 56 of
 * them want 33.6 of 40.4 million bytes.
 */
static int cpu_default(struct unc_sim_cpu_load *cpu, unsigned i, unsigned package)
{
	uint64_t occupancy = KIB * (256 + 12 * i + package);
	uint64_t total = MILLION * (200 + 13 * i + package), local = MILLION * (150 + 9 * i + package);

	if (unc_sim_curve_add(&cpu->occupancy, 0, occupancy * UNC_SIM_RATE_ONE, 0) < 0 ||
	    unc_sim_curve_add(&cpu->total, 0, total * UNC_SIM_RATE_ONE, 0) < 0)
		return UNC_ENOMEM;
	return unc_sim_curve_add(&cpu->local, 0, local * UNC_SIM_RATE_ONE, 0);
}

int unc_sim_load_cpus_default(struct unc_sim_load *load, const struct unc_sim_options *options)
{
	unsigned i;
	int rc;

	for (i = 0; i < load->n_cpus; i++) {
		struct unc_sim_cpu cpu = unc_sim_cpu_at(options, i);

		rc = cpu_default(&load->cpus[i], cpu.thread * options->cores + cpu.core, cpu.package);
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

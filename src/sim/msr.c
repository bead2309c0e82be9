// SPDX-License-Identifier: GPL-2.0-or-later
/* The model-specific registers of a CPU. */
#include "base/err.h"
#include "sim/computer.h"

bool unc_sim_has_msrs(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && !sim->options.msr_absent;
}

static int msr_reach(struct unc_host *host, unsigned cpu, struct unc_sim **ret_sim, const struct unc_sim_cpu **ret_cpu)
{
	struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return unc_fail(host->ctx, UNC_EARG, "this is no simulated machine");
	*ret_sim = sim;
	return unc_sim_cpu_reach(sim, cpu, ret_cpu);
}

int unc_sim_msr_read(struct unc_host *host, unsigned cpu, uint32_t number, uint64_t *ret_value)
{
	const struct unc_sim_cpu *where;
	struct unc_sim *sim;
	int rc;

	rc = msr_reach(host, cpu, &sim, &where);
	if (rc < 0)
		return rc;
	*ret_value = 0;
	return unc_fail_named(host->ctx, UNC_EIO, "EIO", "cpu %u: read MSR 0x%x: there is no such register", cpu,
			      number);
}

int unc_sim_msr_write(struct unc_host *host, unsigned cpu, uint32_t number, uint64_t value)
{
	const struct unc_sim_cpu *where;
	struct unc_sim *sim;
	int rc;

	rc = msr_reach(host, cpu, &sim, &where);
	if (rc < 0)
		return rc;
	(void)value;
	return unc_fail_named(host->ctx, UNC_EIO, "EIO", "cpu %u: write MSR 0x%x: there is no such register", cpu,
			      number);
}

unsigned unc_sim_rmids(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && sim->options.model->rdt ? sim->options.model->rdt->max_rmid + 1 : 0;
}

int unc_sim_truth_llc(struct unc_host *host, unsigned package, unsigned rmid, struct unc_sim_llc *ret_llc)
{
	const struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return unc_fail(host->ctx, UNC_EARG, "this is no simulated machine");
	if (package >= sim->options.sockets || rmid >= unc_sim_rmids(host))
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: there is no RMID %u on package %u",
				sim->options.model->name, rmid, package);
	*ret_llc = (struct unc_sim_llc){0};
	return UNC_OK;
}

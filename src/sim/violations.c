// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes that broke a rule of the manual.  G-JKT: Intel 327043-001, uncore guide for the E5-2600, whose rules the later
 * guides repeat; G-IVT: 329468-002, that for the E5 v2 and E7 v2.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/err.h"
#include "sim/computer.h"

static const char *const rules[UNC_SIM_RULES] = {
	[UNC_SIM_RESERVED] = "these bits are reserved and must be written 0 (G-JKT)",
	[UNC_SIM_MUST_BE_1] = "these bits are reserved and must be written 1 (G-IVT)",
	[UNC_SIM_READ_ONLY] = "this register cannot be written",
	[UNC_SIM_NO_REGISTER] = "there is no register at this offset",
	[UNC_SIM_NEEDS_THRESH] = "edge_det and invert act behind thresh, which must not be 0 (G-JKT table 2-61)",
	[UNC_SIM_INVERT_EDGE] = "invert must not be combined with edge_det (G-JKT)",
	[UNC_SIM_ONE_RANK] = "ranks are not added: one rank per counter (G-JKT)",
};

void unc_sim_violate(const struct unc_sim_cycle *cycle, enum unc_sim_rule rule, uint32_t wrong)
{
	const struct unc_sim_broken broken = {
		.t_ns = cycle->t_ns,
		.place = (uint32_t)(cycle->place - cycle->sim->places),
		.off = cycle->off,
		.value = cycle->value,
		.wrong = wrong,
		.rule = rule,
	};

	if (!cycle->by_kernel)
		unc_sim_state_violate(cycle->sim->store.state, &broken);
}

uint64_t unc_sim_violations(struct unc_host *host)
{
	struct unc_sim *sim = unc_sim_of(host);
	uint64_t n;

	if (!sim)
		return 0;
	unc_sim_lock(sim);
	n = sim->store.state->n_violations;
	unc_sim_unlock(sim);
	return n;
}

int unc_sim_violation(struct unc_host *host, size_t i, struct unc_sim_violation *ret_violation)
{
	struct unc_sim *sim = unc_sim_of(host);
	struct unc_sim_broken broken;
	char name[UNC_ADDR_TEXT];

	if (!sim)
		return unc_sim_none(host);
	if (i >= unc_sim_violations(host) || i >= UNC_SIM_VIOLATIONS_KEPT)
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: there is no violation %zu, or it was not kept",
				sim->options.model->name, i);
	unc_sim_lock(sim);
	broken = sim->store.state->violations[i];
	unc_sim_unlock(sim);
	if (broken.place >= sim->n_places || broken.rule >= UNC_SIM_RULES)
		return unc_fail(host->ctx, UNC_EIO,
				"sim:%s: the state is damaged: violation %zu is of no known place or rule",
				sim->options.model->name, i);
	*ret_violation = (struct unc_sim_violation){
		.t_ns = broken.t_ns,
		.addr = sim->places[broken.place].addr,
		.off = broken.off,
		.value = broken.value,
		.wrong = broken.wrong,
	};
	snprintf(ret_violation->sentence, sizeof(ret_violation->sentence),
		 "%s: 0x%02" PRIx32 " written 0x%08" PRIx32 ": wrong bits 0x%08" PRIx32 ": %s",
		 unc_addr_text(&ret_violation->addr, name), broken.off, broken.value, broken.wrong, rules[broken.rule]);
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bandwidth monitoring event configuration: it selects what AMD's total and local bandwidth count, where CPUID
 * 0x80000020.0 EBX[3] is 1. Numbers and bits: 56375, and Linux, include/linux/resctrl_types.h and
 * mon_event_config_write().
 */
#include "sim/msr.h"
#include "sim/qm.h"

#define EVT_CFG_0 UINT32_C(0xc0000400)

#define CFG_LOCAL    UINT32_C(0x15) /* of local memory: bit 0 reads, 2 non-temporal writes, 4 reads of slow memory */
#define CFG_REMOTE   UINT32_C(0x2a) /* bits 1, 3, 5: likewise, of remote memory */
#define CFG_WRITABLE UINT32_C(0x7f) /* also bit 6, dirty victims, which do not occur here */

static const uint32_t defaults[UNC_SIM_BANDWIDTHS] = {0x7f, 0x15};

unc_sim_wide unc_sim_counted(const struct unc_sim_moment *moment, unsigned bandwidth, unc_sim_wide total,
			     unc_sim_wide local)
{
	const struct unc_sim_l3 *l3 = &moment->sim->store.state->l3s[moment->share / moment->sim->options.snc];
	uint32_t cfg = l3->bandwidths[bandwidth] ^ defaults[bandwidth];

	return (cfg & CFG_LOCAL ? local : 0) + (cfg & CFG_REMOTE ? total - local : 0);
}

static uint32_t *chosen(const struct unc_sim_msr *at)
{
	return &at->sim->store.state->l3s[at->cpu->l3].bandwidths[at->number - EVT_CFG_0];
}

/* Sub-leaf 3 EBX is the number of these registers. */
static bool evt_cfg_exists(const struct unc_sim_msr *at)
{
	struct unc_cpuid_regs all, ours;

	unc_sim_cpuid(at->sim, at->cpu, 0x80000020, 0, &all);
	unc_sim_cpuid(at->sim, at->cpu, 0x80000020, 3, &ours);
	return at->sim->options.model->vendor == UNC_SIM_AMD && unc_sim_n_rmids(at->sim) && all.ebx >> 3 & 1 &&
	       at->number - EVT_CFG_0 < ours.ebx;
}

static uint64_t evt_cfg(const struct unc_sim_msr *at)
{
	return *chosen(at) ^ defaults[at->number - EVT_CFG_0];
}

static bool evt_cfg_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_moment moment = {
		.sim = at->sim, .share = unc_sim_share_of(at->sim, at->cpu), .t_ns = at->t_ns};
	unsigned bandwidth = at->number - EVT_CFG_0;

	if (value & ~(uint64_t)CFG_WRITABLE)
		return false;
	*chosen(at) = (uint32_t)value ^ defaults[bandwidth];
	unc_sim_llc_begin(&moment, bandwidth);
	return true;
}

static const struct unc_sim_msr_reg regs[] = {
	{.first = EVT_CFG_0,
	 .block = 3,
	 .on = UNC_SIM_ON_ANY,
	 .scope = UNC_SIM_OF_L3,
	 .exists = evt_cfg_exists,
	 .base = evt_cfg,
	 .write = evt_cfg_write},
};

const struct unc_sim_msr_table unc_sim_msr_bmec = {regs, sizeof(regs) / sizeof(regs[0])};

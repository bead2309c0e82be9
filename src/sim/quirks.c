// SPDX-License-Identifier: GPL-2.0-or-later
/* Features and errata of some processors' cache monitoring that keys can choose. */
#include "base/err.h"
#include "sim/computer.h"

/* Leaf 1 EAX: family 6; models of Broadwell-EP, and of Skylake-SP, Cascade Lake and Cooper Lake, which share one. */
enum { FAMILY_6 = 6, BROADWELL_X = 0x4f, SKYLAKE_X = 0x55 };

enum { ABMC = 1 << 5 /* leaf 0x80000020.0 EBX: assignable bandwidth counters */ };

static struct unc_cpuid_regs cpuid(const struct unc_sim *sim, uint32_t leaf)
{
	struct unc_cpuid_regs regs;

	unc_sim_cpuid(sim, &sim->cpus[0], leaf, 0, &regs);
	return regs;
}

/* Returns true for the processors that Linux corrects (arch/x86/kernel/cpu/resctrl/monitor.c, intel_rdt_mbm_apply_quirk()). */
static bool has_mbm_erratum(const struct unc_sim *sim)
{
	uint32_t eax = cpuid(sim, 1).eax, model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);

	return sim->options.model->vendor == UNC_SIM_INTEL && (eax >> 8 & 0xf) == FAMILY_6 &&
	       (model == BROADWELL_X || model == SKYLAKE_X);
}

int unc_sim_quirks_init(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;
	const char *model = options->model->name;

	sim->has_abmc = options->model->vendor != UNC_SIM_INTEL && cpuid(sim, 0x80000000).eax >= 0x80000020 &&
			cpuid(sim, 0x80000020).ebx & ABMC;
	sim->mbm_corrected = has_mbm_erratum(sim);
	sim->mbm_erratum = sim->mbm_corrected && options->mbm_erratum != UNC_SIM_NO;
	if (options->mbm_erratum == UNC_SIM_YES && !sim->mbm_erratum)
		return unc_fail(sim->host.ctx, UNC_EARG,
				"sim:%s: mbm_erratum=1: this processor does not have it; bdx, skx, clx and cpx have",
				model);
	if (options->abmc && !sim->has_abmc)
		return unc_fail(sim->host.ctx, UNC_EARG,
				"sim:%s: abmc=1: this processor has no assignable bandwidth counters; zen5 has", model);
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* In a build for another processor, this stands in place of cpuid_x86.c; what processors are called is in os/identify.c. */
#include "os/linux/host.h"

int unc_linux_cpuid_instruction(struct unc_linux_cpuid *cpuid, unsigned cpu, uint32_t leaf, uint32_t subleaf,
				struct unc_cpuid_regs *ret_regs)
{
	(void)leaf, (void)subleaf, (void)ret_regs;
	return unc_fail(cpuid->ctx, UNC_ENOSUP, "cpu %u: this processor has no CPUID instruction", cpu);
}

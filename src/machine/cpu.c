// SPDX-License-Identifier: GPL-2.0-or-later
/* What the CPU is, from CPUID.  Leaves: Intel SDM vol. 2A, CPUID; registers.md section 3 for the model formula. */
#include <string.h>

#include "base/err.h"
#include "machine/machine.h"

unsigned unc_machine_first_cpu(const struct unc_machine *m)
{
	return m->topo.n_packages ? m->topo.first_cpu : 0;
}

static int cpuid(struct unc_machine *m, uint32_t leaf, struct unc_cpuid_regs *ret_regs)
{
	return unc_wrap(m->ctx, m->host->ops->cpuid(m->host, unc_machine_first_cpu(m), leaf, 0, ret_regs),
			"CPUID leaf 0x%x", leaf);
}

/* Family, model and stepping are spread over leaf 1 EAX; CPUID has no map, since maps are chosen by it. */
static void signature(struct unc_cpu_id *cpu, uint32_t eax)
{
	unsigned family = eax >> 8 & 0xf;

	cpu->stepping = eax & 0xf;
	cpu->model = (eax >> 4 & 0xf) | (family == 6 || family == 15 ? (eax >> 16 & 0xf) << 4 : 0);
	cpu->family = family == 15 ? 15 + (eax >> 20 & 0xff) : family;
}

int unc_machine_identify(struct unc_machine *m)
{
	struct unc_cpuid_regs leaf0, leaf1;
	int rc;

	rc = cpuid(m, 0, &leaf0);
	if (rc < 0)
		return rc;
	unc_put_le32(m->cpu.vendor, leaf0.ebx);
	unc_put_le32(m->cpu.vendor + 4, leaf0.edx);
	unc_put_le32(m->cpu.vendor + 8, leaf0.ecx);
	for (unsigned i = 0; i < 12; i++)
		if (m->cpu.vendor[i] < ' ' || m->cpu.vendor[i] > '~')
			return unc_fail(m->ctx, UNC_ENOSUP, "CPUID leaf 0 names no vendor (ebx %08x edx %08x ecx %08x)",
					leaf0.ebx, leaf0.edx, leaf0.ecx);
	if (leaf0.eax < 1)
		return unc_fail(m->ctx, UNC_ENOSUP, "CPUID has no leaf 1, so this CPU's model cannot be known");
	rc = cpuid(m, 1, &leaf1);
	if (rc < 0)
		return rc;
	signature(&m->cpu, leaf1.eax);
	m->cpu.host = m->host;
	m->cpu.cpu = unc_machine_first_cpu(m);
	return UNC_OK;
}

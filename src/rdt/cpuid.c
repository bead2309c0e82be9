// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Reads the CPUID leaves about shared resources: Intel SDM vol. 3, "Enumeration and Detection Support of Cache Monitoring
 * Technology" and "of Cache Allocation Technology"; AMD 56375, "AMD64 Technology Platform Quality of Service Extensions".
 *
 * A leaf above the highest returns the data of another one (on an E5-2687W 0xf has EBX = 0x340), so it is not read.
 */
#include <string.h>

#include "rdt/leaves.h"

#define EXTENDED UINT32_C(0x80000000)
#define AMD_QOS  UINT32_C(0x80000020)

bool unc_rdt_bit(uint32_t reg, unsigned bit)
{
	return reg >> bit & 1;
}

int unc_rdt_cpuid(struct unc_machine *m, unsigned cpu, uint32_t leaf, uint32_t subleaf, struct unc_cpuid_regs *ret_regs)
{
	return unc_wrap(m->ctx, m->host->ops->cpuid(m->host, cpu, leaf, subleaf, ret_regs), "CPUID leaf 0x%x.%x", leaf,
			subleaf);
}

int unc_rdt_cpuid_or_0(struct unc_machine *m, unsigned cpu, uint32_t leaf, uint32_t subleaf,
		       struct unc_cpuid_regs *ret_regs)
{
	int rc = unc_rdt_cpuid(m, cpu, leaf, subleaf, ret_regs);

	if (rc != UNC_ENODATA)
		return rc;
	*ret_regs = (struct unc_cpuid_regs){0};
	return UNC_OK;
}

static enum unc_rdt_vendor vendor_of(const char *vendor)
{
	static const struct {
		const char *name;
		enum unc_rdt_vendor vendor;
	} vendors[] = {{"GenuineIntel", UNC_RDT_INTEL}, {"AuthenticAMD", UNC_RDT_AMD}, {"HygonGenuine", UNC_RDT_HYGON}};

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strcmp(vendors[i].name, vendor) == 0)
			return vendors[i].vendor;
	return UNC_RDT_UNKNOWN;
}

/* Reads the highest basic leaf and the highest extended one; 0 if there are no extended ones. */
static int read_highest(struct unc_machine *m, struct unc_rdt_leaves *leaves)
{
	struct unc_cpuid_regs regs;
	int rc = unc_rdt_cpuid(m, leaves->cpu, 0, 0, &regs);

	if (rc < 0)
		return rc;
	leaves->highest = regs.eax;
	rc = unc_rdt_cpuid_or_0(m, leaves->cpu, EXTENDED, 0, &regs);
	if (rc == 0 && regs.eax >> 16 == EXTENDED >> 16)
		leaves->highest_extended = regs.eax;
	return rc;
}

static int read_monitoring(struct unc_machine *m, struct unc_rdt_leaves *leaves)
{
	int rc;

	if (!unc_rdt_bit(leaves->features, 12) || leaves->highest < 0xf)
		return UNC_OK;
	rc = unc_rdt_cpuid(m, leaves->cpu, 0xf, 0, &leaves->monitoring);
	if (rc == 0 && unc_rdt_bit(leaves->monitoring.edx, 1))
		rc = unc_rdt_cpuid(m, leaves->cpu, 0xf, 1, &leaves->l3_monitoring);
	return rc;
}

static int read_allocation(struct unc_machine *m, struct unc_rdt_leaves *leaves)
{
	int rc;

	if (!unc_rdt_bit(leaves->features, 15) || leaves->highest < 0x10)
		return UNC_OK;
	rc = unc_rdt_cpuid_or_0(m, leaves->cpu, 0x10, 0, &leaves->allocation[0]);
	for (unsigned i = 1; rc == 0 && i < UNC_RDT_RESOURCES; i++)
		if (unc_rdt_bit(leaves->allocation[0].ebx, i))
			rc = unc_rdt_cpuid_or_0(m, leaves->cpu, 0x10, i, &leaves->allocation[i]);
	return rc;
}

/* 0x80000008 EBX bit 6 announces the leaf; EBX of its sub-leaf 0 says which sub-leaves it has. */
static int read_amd(struct unc_machine *m, struct unc_rdt_leaves *leaves)
{
	struct unc_cpuid_regs regs;
	int rc;

	if (leaves->vendor == UNC_RDT_INTEL || leaves->highest_extended < AMD_QOS)
		return UNC_OK;
	rc = unc_rdt_cpuid_or_0(m, leaves->cpu, 0x80000008, 0, &regs);
	if (rc < 0 || !unc_rdt_bit(regs.ebx, 6))
		return rc;
	rc = unc_rdt_cpuid_or_0(m, leaves->cpu, AMD_QOS, 0, &leaves->amd[0]);
	for (unsigned i = 1; rc == 0 && i < UNC_RDT_AMD_LEAVES; i++)
		if (unc_rdt_bit(leaves->amd[0].ebx, i))
			rc = unc_rdt_cpuid_or_0(m, leaves->cpu, AMD_QOS, i, &leaves->amd[i]);
	return rc;
}

int unc_rdt_leaves_read(struct unc_machine *m, struct unc_rdt_leaves *ret_leaves)
{
	struct unc_rdt_leaves leaves = {.cpu = unc_machine_first_cpu(m), .vendor = vendor_of(m->cpu.vendor)};
	struct unc_cpuid_regs regs;
	int rc;

	if (leaves.vendor == UNC_RDT_UNKNOWN) { /* its bits may have another meaning */
		*ret_leaves = leaves;
		return UNC_OK;
	}
	rc = read_highest(m, &leaves);
	if (rc == 0 && leaves.highest >= 7) {
		rc = unc_rdt_cpuid(m, leaves.cpu, 7, 0, &regs);
		leaves.features = rc == 0 ? regs.ebx : 0;
	}
	if (rc == 0)
		rc = read_monitoring(m, &leaves);
	if (rc == 0)
		rc = read_allocation(m, &leaves);
	if (rc == 0)
		rc = read_amd(m, &leaves);
	if (rc == 0)
		*ret_leaves = leaves;
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Describes the allocation of caches and bandwidth in words, from CPUID leaves 0x10 and 0x80000020.  Nothing here uses it. */
#include <inttypes.h>
#include <stdio.h>

#include "rdt/leaves.h"

static void clos(char *text, size_t size, uint32_t edx)
{
	unc_rdt_append(text, size, ", %u CLOS", (unsigned)(edx & 0xffff) + 1);
}

/*
 *
 * EAX[4:0]: ways less 1; EBX: ways shared with devices; ECX[2]: code and data apart; [3]: masks may have gaps; [1]: CLOS of
 * devices.
 */
static void cache(char *text, size_t size, const char *name, const struct unc_cpuid_regs *regs)
{
	unc_rdt_append(text, size, "%s%s", text[0] ? "; " : "", name);
	if (!regs->eax) {
		unc_rdt_append(text, size, " (not told how much)");
		return;
	}
	unc_rdt_append(text, size, " of %u ways", (unsigned)(regs->eax & 0x1f) + 1);
	if (regs->ebx)
		unc_rdt_append(text, size, " (0x%" PRIx32 " used by devices too)", regs->ebx);
	clos(text, size, regs->edx);
	if (unc_rdt_bit(regs->ecx, 2))
		unc_rdt_append(text, size, ", CDP");
	if (unc_rdt_bit(regs->ecx, 3))
		unc_rdt_append(text, size, ", masks with gaps");
	if (unc_rdt_bit(regs->ecx, 1))
		unc_rdt_append(text, size, ", CLOS of devices");
}

/* EAX[11:0]: the greatest delay less 1; ECX[2]: linear, in percent. */
static void intel_bandwidth(char *text, size_t size, const struct unc_cpuid_regs *regs)
{
	unc_rdt_append(text, size, "%sMBA", text[0] ? "; " : "");
	if (!regs->eax && !regs->ecx && !regs->edx) {
		unc_rdt_append(text, size, " (not told how much)");
		return;
	}
	unc_rdt_append(text, size, " of delays up to %u%s", (unsigned)(regs->eax & 0xfff) + 1,
		       unc_rdt_bit(regs->ecx, 2) ? " %" : "");
	clos(text, size, regs->edx);
}

/* EAX: bits of a limit; EDX: the highest CLOS. */
static void amd_bandwidth(char *text, size_t size, const char *name, const struct unc_cpuid_regs *regs)
{
	unc_rdt_append(text, size, "%s%s", text[0] ? "; " : "", name);
	if (!regs->eax) {
		unc_rdt_append(text, size, " (not told how much)");
		return;
	}
	unc_rdt_append(text, size, " of %u-bit limits", (unsigned)regs->eax);
	clos(text, size, regs->edx);
}

void unc_rdt_allocation(const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	uint32_t what = leaves->allocation[0].ebx, amd = leaves->amd[0].ebx;
	char *text = rdt->allocation;
	size_t size = sizeof(rdt->allocation);

	if (unc_rdt_bit(what, UNC_RDT_L3))
		cache(text, size, "L3 CAT", &leaves->allocation[UNC_RDT_L3]);
	if (unc_rdt_bit(what, UNC_RDT_L2))
		cache(text, size, "L2 CAT", &leaves->allocation[UNC_RDT_L2]);
	if (unc_rdt_bit(what, UNC_RDT_MBA))
		intel_bandwidth(text, size, &leaves->allocation[UNC_RDT_MBA]);
	if (unc_rdt_bit(amd, UNC_RDT_AMD_MBA))
		amd_bandwidth(text, size, "MBA", &leaves->amd[UNC_RDT_AMD_MBA]);
	if (unc_rdt_bit(amd, UNC_RDT_AMD_SMBA))
		amd_bandwidth(text, size, "SMBA (slow memory)", &leaves->amd[UNC_RDT_AMD_SMBA]);
	if (!text[0] && unc_rdt_bit(leaves->features, 15)) {
		if (leaves->highest < 0x10)
			snprintf(text, size,
				 "announced by CPUID leaf 7 EBX bit 15 (PQE), but leaf 0x10, which tells of what, lies "
				 "beyond the highest leaf 0x%" PRIx32,
				 leaves->highest);
		else
			snprintf(text, size,
				 "announced by CPUID leaf 7 EBX bit 15 (PQE), but leaf 0x10 EBX 0x%" PRIx32
				 " names nothing to allocate",
				 what);
	}
}

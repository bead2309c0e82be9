// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * APIC IDs, and how many of their low bits distinguish the CPUs that share a resource: Intel SDM vol. 3, "Hierarchical Mapping of
 * Shared Resources"; AMD APM vol. 3, CPUID 0x8000001d and 0x8000001e.
 */
#include <inttypes.h>

#include "rdt/leaves.h"

enum { SUBLEAVES_MAX = 16 };

/* Returns the least number of bits that distinguishes n items. */
static unsigned bits_for(unsigned n)
{
	unsigned bits = 0;

	while (bits < 31 && UINT32_C(1) << bits < n)
		bits++;
	return bits;
}

static uint32_t bits_of(uint32_t reg, unsigned hi, unsigned lo)
{
	return reg >> lo & ((UINT32_C(2) << (hi - lo)) - 1);
}

/* EBX[31:22]: ways; [21:12]: partitions; [11:0]: bytes of a line; ECX: sets; each less 1. */
static uint64_t cache_bytes(const struct unc_cpuid_regs *regs)
{
	return ((uint64_t)bits_of(regs->ebx, 31, 22) + 1) * (bits_of(regs->ebx, 21, 12) + 1) *
	       (bits_of(regs->ebx, 11, 0) + 1) * ((uint64_t)regs->ecx + 1);
}

/* EAX[4:0]: 0 if there are no more caches; [7:5]: level; [25:14]: how many IDs share it, less 1. */
int unc_rdt_l3_shape(struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt_shape *ret_shape)
{
	uint32_t leaf = leaves->vendor == UNC_RDT_INTEL ? 4 : 0x8000001d;
	uint32_t highest = leaf == 4 ? leaves->highest : leaves->highest_extended;
	struct unc_cpuid_regs regs = {0};

	for (uint32_t i = 0; leaf <= highest && i < SUBLEAVES_MAX; i++) {
		int rc = unc_rdt_cpuid_or_0(m, leaves->cpu, leaf, i, &regs);

		if (rc < 0)
			return rc;
		if (!bits_of(regs.eax, 4, 0))
			break;
		if (bits_of(regs.eax, 7, 5) != 3)
			continue;
		ret_shape->id_bits = bits_for(bits_of(regs.eax, 25, 14) + 1);
		ret_shape->bytes = cache_bytes(&regs);
		return UNC_OK;
	}
	return unc_fail(m->ctx, UNC_ENODATA, "CPUID leaf 0x%" PRIx32 " tells of no L3 cache, which would be monitored",
			leaf);
}

/* APIC IDs come from 0x8000001e (EAX) on AMD; else from 0x1f or 0xb (EDX, if EBX is not 0), else from leaf 1 EBX[31:24]. */
int unc_rdt_apic_leaf(struct unc_machine *m, const struct unc_rdt_leaves *leaves, uint32_t *ret_leaf)
{
	const uint32_t basic[] = {0x1f, 0xb};
	struct unc_cpuid_regs regs;

	*ret_leaf = 1;
	if (leaves->vendor != UNC_RDT_INTEL && leaves->highest_extended >= 0x8000001e) {
		*ret_leaf = 0x8000001e;
		return UNC_OK;
	}
	for (size_t i = 0; i < 2 && *ret_leaf == 1; i++) {
		int rc;

		if (leaves->highest < basic[i])
			continue;
		rc = unc_rdt_cpuid_or_0(m, leaves->cpu, basic[i], 0, &regs);
		if (rc < 0)
			return rc;
		if (regs.ebx)
			*ret_leaf = basic[i];
	}
	return UNC_OK;
}

int unc_rdt_apic_id(struct unc_machine *m, uint32_t leaf, unsigned cpu, uint32_t *ret_id)
{
	struct unc_cpuid_regs regs;
	int rc = unc_rdt_cpuid(m, cpu, leaf, 0, &regs);

	if (rc == 0)
		*ret_id = leaf == 1 ? bits_of(regs.ebx, 31, 24) : leaf == 0x8000001e ? regs.eax : regs.edx;
	return rc;
}

/*
 *
 * The levels of leaf 0xb or 0x1f end with one of type 0, ECX[15:8].  EAX[4:0] of the last level is the number of bits in which
 * the IDs of a package differ.
 */
static int bits_of_levels(struct unc_machine *m, unsigned cpu, uint32_t leaf, unsigned *ret_bits)
{
	struct unc_cpuid_regs regs;
	int rc = UNC_OK;

	*ret_bits = 0;
	for (uint32_t i = 0; rc == 0 && i < SUBLEAVES_MAX; i++) {
		rc = unc_rdt_cpuid_or_0(m, cpu, leaf, i, &regs);
		if (rc < 0 || !bits_of(regs.ecx, 15, 8))
			break;
		*ret_bits = bits_of(regs.eax, 4, 0);
	}
	return rc;
}

/*
 *
 * On AMD: 0x80000008 ECX[15:12], or if 0 the bits for ECX[7:0] + 1 CPUs.  With IDs of leaf 1: the bits for EBX[23:16] CPUs.
 */
int unc_rdt_package_bits(struct unc_machine *m, const struct unc_rdt_leaves *leaves, uint32_t leaf, unsigned *ret_bits)
{
	struct unc_cpuid_regs regs;
	int rc;

	if (leaf != 1 && leaf != 0x8000001e)
		return bits_of_levels(m, leaves->cpu, leaf, ret_bits);
	rc = unc_rdt_cpuid_or_0(m, leaves->cpu, leaf == 1 ? 1 : 0x80000008, 0, &regs);
	if (rc < 0)
		return rc;
	if (leaf == 1)
		*ret_bits = bits_for(bits_of(regs.ebx, 23, 16));
	else if (bits_of(regs.ecx, 15, 12))
		*ret_bits = bits_of(regs.ecx, 15, 12);
	else
		*ret_bits = bits_for(bits_of(regs.ecx, 7, 0) + 1);
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers of cache and bandwidth allocation, as far as tools read and write them; masks and delays have no
 * effect. Numbers and bits: Intel SDM vol. 3 ch. 17, "Intel Resource Director Technology": "SDM"; AMD's registers from
 * Linux, arch/x86/include/asm/msr-index.h.
 */
#include "sim/msr.h"

enum { L3_QOS_CFG = 0xc81, L3_MASK_0 = 0xc90, L2_MASK_0 = 0xd10, MBA_0 = 0xd50 };

#define AMD_MBA_0  UINT32_C(0xc0000200)
#define AMD_SMBA_0 UINT32_C(0xc0000280)

/* Bits of 0x80000020.0 EBX; the sub-leaves have the same numbers. */
enum { AMD_MBA = 1, AMD_SMBA = 2 };

static struct unc_cpuid_regs cpuid(const struct unc_sim_msr *at, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs regs;

	unc_sim_cpuid(at->sim, at->cpu, leaf, subleaf, &regs);
	return regs;
}

static bool allocates(const struct unc_sim_msr *at)
{
	const struct unc_sim_rdt *rdt = at->sim->options.model->rdt;

	return rdt && rdt->n_clos;
}

/* Bit 0 separates code and data (CDP), which CPUID 0x10.1 ECX[2] offers. */
static bool l3_cfg_exists(const struct unc_sim_msr *at)
{
	return allocates(at) && cpuid(at, 0x10, 1).ecx >> 2 & 1;
}

/* 0x10.0 EBX says which sub-leaves there are; EDX 15:0 of a sub-leaf is the number of its registers, less one. */
static bool is_within(const struct unc_sim_msr *at, uint32_t first, uint32_t subleaf)
{
	return allocates(at) && cpuid(at, 0x10, 0).ebx >> subleaf & 1 &&
	       at->number - first <= (cpuid(at, 0x10, subleaf).edx & 0xffff);
}

static bool l3_mask_exists(const struct unc_sim_msr *at)
{
	return is_within(at, L3_MASK_0, 1);
}

static bool l2_mask_exists(const struct unc_sim_msr *at)
{
	return is_within(at, L2_MASK_0, 2);
}

static bool mba_exists(const struct unc_sim_msr *at)
{
	return at->sim->options.model->vendor == UNC_SIM_INTEL && is_within(at, MBA_0, 3);
}

/* As many ones as EAX 4:0 of CPUID 0x10.1 (for an L2, 0x10.2) says, plus one (SDM). */
static uint64_t cbm_all(const struct unc_sim_msr *at)
{
	return (UINT64_C(2) << (cpuid(at, 0x10, at->number < L2_MASK_0 ? 1 : 2).eax & 0x1f)) - 1;
}

/* A mask must be one run of ones and not 0, else #GP (SDM). */
static bool mask_write(const struct unc_sim_msr *at, uint64_t value)
{
	uint64_t lowest = value & (~value + 1);

	if (!value || value & ~cbm_all(at) || value & (value + lowest))
		return false;
	return unc_sim_msr_keep(at, value);
}

/* A delay in per cent, at most CPUID 0x10.3 EAX 11:0 plus one (SDM). */
static bool mba_write(const struct unc_sim_msr *at, uint64_t value)
{
	return value <= (cpuid(at, 0x10, 3).eax & 0xfff) + 1 && unc_sim_msr_keep(at, value);
}

static uint32_t amd_subleaf(const struct unc_sim_msr *at)
{
	return at->number < AMD_SMBA_0 ? AMD_MBA : AMD_SMBA;
}

static bool amd_exists(const struct unc_sim_msr *at)
{
	uint32_t subleaf = amd_subleaf(at), first = subleaf == AMD_MBA ? AMD_MBA_0 : AMD_SMBA_0;

	return allocates(at) && at->sim->options.model->vendor == UNC_SIM_AMD &&
	       cpuid(at, 0x80000020, 0).ebx >> subleaf & 1 &&
	       at->number - first <= (cpuid(at, 0x80000020, subleaf).edx & 0xffff);
}

/*
 * Limits are in units of 1/8 GB/s and have as many bits as EAX says. The value with only the next bit set is the reset
 * value: no limit.
 */
static uint64_t amd_unlimited(const struct unc_sim_msr *at)
{
	return UINT64_C(1) << (cpuid(at, 0x80000020, amd_subleaf(at)).eax & 0x1f);
}

static bool amd_write(const struct unc_sim_msr *at, uint64_t value)
{
	return value <= amd_unlimited(at) && unc_sim_msr_keep(at, value);
}

#define ANY_L3 .on = UNC_SIM_ON_ANY, .scope = UNC_SIM_OF_L3
#define MASK   .base = cbm_all, .writable = UINT32_MAX, .write = mask_write
#define AMD_LIMIT                                                                                                      \
	.block = 0xffff, ANY_L3, .exists = amd_exists, .base = amd_unlimited, .writable = UINT32_MAX, .write = amd_write

static const struct unc_sim_msr_reg regs[] = {
	{.first = L3_QOS_CFG, ANY_L3, .exists = l3_cfg_exists, .writable = 1},
	{.first = L3_MASK_0, .block = 0xffff, ANY_L3, .exists = l3_mask_exists, MASK},
	{.first = L2_MASK_0,
	 .block = 0xff,
	 .on = UNC_SIM_ON_ANY, /* on silicon, one for each core */
	 .exists = l2_mask_exists,
	 MASK},
	{.first = MBA_0, .block = 0xffff, ANY_L3, .exists = mba_exists, .writable = 0xfff, .write = mba_write},
	{.first = AMD_MBA_0, AMD_LIMIT},
	{.first = AMD_SMBA_0, AMD_LIMIT},
};

const struct unc_sim_msr_table unc_sim_msr_alloc = {regs, sizeof(regs) / sizeof(regs[0])};

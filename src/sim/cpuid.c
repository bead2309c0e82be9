// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What CPUID answers on a CPU: what such a processor was seen to answer (the model's leaves, or those of the model it
 * is like), and in it what depends on how many cores and threads there are and which of them is asked.  Positions: Intel SDM vol. 2, CPUID.
 *
 * Beyond the highest leaf the processor answers with the data of the highest basic one, so where that is 0xd, leaf 0xf
 * says EBX = 0x340, which is no number of RMIDs.
 */
#include "sim/computer.h"

#define EXTENDED UINT32_C(0x80000000)

static const struct unc_cpuid_regs *leaf_find(const struct unc_sim_model *model, uint32_t leaf, uint32_t subleaf)
{
	size_t i;

	for (; model; model = model->like)
		for (i = 0; i < model->n_leaves; i++)
			if (model->leaves[i].leaf == leaf && model->leaves[i].subleaf == subleaf)
				return &model->leaves[i].regs;
	return NULL;
}

/* These look at ECX; the others answer the same whatever it says. */
static bool has_subleaves(uint32_t leaf)
{
	return leaf == 0x4 || leaf == 0x7 || leaf == 0xb || leaf == 0xd || leaf == 0xf || leaf == 0x10 ||
	       leaf == 0x12 || leaf == 0x14;
}

/* The highest leaf of the half that leaf is in. */
static uint32_t highest(const struct unc_sim_model *model, uint32_t leaf)
{
	const struct unc_cpuid_regs *regs = leaf_find(model, leaf & EXTENDED, 0);

	return regs ? regs->eax : 0;
}

static void leaf1(const struct unc_sim_cpu *cpu, unsigned shift, struct unc_cpuid_regs *regs)
{
	regs->ebx &= 0xffff;
	regs->ebx |= cpu->apic_id << 24 | (1u << shift) << 16; /* initial APIC id; ids in a package */
}

/* 31:26 ids of cores in a package, less 1; 25:14 ids of threads that share this cache, less 1. */
static void leaf4(unsigned shift, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	uint32_t sharing = subleaf == 3 ? (1u << shift) - 1 : 1;

	if (!regs->eax)
		return;
	regs->eax &= 0x3fff;
	regs->eax |= ((1u << (shift - 1)) - 1) << 26 | sharing << 14;
}

/* All of it is made here: the x2APIC id, and how to cut it: level "SMT", level "core", no more. */
static void leaf_b(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint32_t subleaf,
		   struct unc_cpuid_regs *regs)
{
	const struct unc_sim_options *options = &sim->options;

	*regs = (struct unc_cpuid_regs){.ecx = subleaf & 0xff, .edx = cpu->apic_id};
	if (subleaf == 0) {
		regs->eax = 1;
		regs->ebx = options->threads;
		regs->ecx |= 1 << 8;
	} else if (subleaf == 1) {
		regs->eax = unc_sim_apic_shift(options);
		regs->ebx = options->cores * options->threads;
		regs->ecx |= 2 << 8;
	}
}

void unc_sim_cpuid(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		   struct unc_cpuid_regs *ret_regs)
{
	static const struct unc_cpuid_regs none;
	const struct unc_sim_model *model = sim->options.model;
	unsigned shift = unc_sim_apic_shift(&sim->options);
	const struct unc_cpuid_regs *found;

	if (leaf > highest(model, leaf))
		leaf = highest(model, 0);
	if (!has_subleaves(leaf))
		subleaf = 0;
	found = leaf_find(model, leaf, subleaf);
	*ret_regs = found ? *found : none;
	if (leaf == 0x1)
		leaf1(cpu, shift, ret_regs);
	else if (leaf == 0x4)
		leaf4(shift, subleaf, ret_regs);
	else if (leaf == 0xb)
		leaf_b(sim, cpu, subleaf, ret_regs);
}

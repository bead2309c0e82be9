// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What CPUID answers on a CPU: the leaves that were read on such a processor (the model's, or those of the model it is
 * like), with the fields filled in that depend on the number of cores and threads and on the CPU that is asked.
 * Positions: Intel SDM vol. 2, CPUID.
 *
 * For a leaf beyond the highest, Intel processors answer with the data of the highest basic leaf, so where that is 0xd,
 * leaf 0xf says EBX = 0x340, which is not a number of RMIDs. AMD processors answer 0.
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

/* Only these leaves read ECX; the others ignore it. */
static bool has_subleaves(uint32_t leaf)
{
	static const uint32_t leaves[] = {
		0x4,  0x7,  0xb,  0xd,  0xf,  0x10, 0x12, 0x14,       0x17,       0x18,
		0x1b, 0x1d, 0x1e, 0x1f, 0x20, 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026,
	};
	size_t i;

	for (i = 0; i < sizeof(leaves) / sizeof(leaves[0]); i++)
		if (leaves[i] == leaf)
			return true;
	return false;
}

/* Returns the highest leaf of the range (basic or extended) that leaf is in. */
static uint32_t highest(const struct unc_sim_model *model, uint32_t leaf)
{
	const struct unc_cpuid_regs *regs = leaf_find(model, leaf & EXTENDED, 0);

	return regs ? regs->eax : 0;
}

static unsigned at_most(unsigned n, unsigned most)
{
	return n < most ? n : most;
}

static unsigned threads_of_package(const struct unc_sim_options *options)
{
	return options->cores * options->threads;
}

/* EBX 31:24 initial APIC id; 23:16 number of ids in a package, with AMD number of threads */
static void leaf1(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, struct unc_cpuid_regs *regs)
{
	bool intel = options->model->vendor == UNC_SIM_INTEL;
	unsigned ids = intel ? 1u << unc_sim_apic_shift(options) : threads_of_package(options);

	regs->ebx &= 0xffff;
	regs->ebx |= (cpu->apic_id & 0xff) << 24 | at_most(ids, 0xff) << 16;
}

/* EAX 31:26 ids of cores in a package, less 1; 25:14 ids of threads that share this cache, less 1 */
static void leaf4(const struct unc_sim_options *options, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	unsigned shift = unc_sim_apic_shift(options);
	uint32_t sharing = subleaf == 3 ? (1u << shift) - 1 : 1;

	if (!regs->eax)
		return;
	regs->eax &= 0x3fff;
	regs->eax |= at_most((1u << (shift - 1)) - 1, 0x3f) << 26 | sharing << 14;
}

/* This leaf is made completely: the x2APIC id and its two levels, "SMT" and "core". */
static void leaf_b(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, uint32_t subleaf,
		   struct unc_cpuid_regs *regs)
{
	*regs = (struct unc_cpuid_regs){.ecx = subleaf & 0xff, .edx = cpu->apic_id};
	if (subleaf == 0) {
		regs->eax = unc_sim_thread_bits(options);
		regs->ebx = options->threads;
		regs->ecx |= 1 << 8;
	} else if (subleaf == 1) {
		regs->eax = unc_sim_apic_shift(options);
		regs->ebx = threads_of_package(options);
		regs->ecx |= 2 << 8;
	}
}

/* Below here: AMD64 Architecture Programmer's Manual, vol. 3, appendix E. */

/* 80000006 EDX 31:18: size of all L3s of a package, in units of 512 KiB */
static void leaf_caches(const struct unc_sim_options *options, struct unc_cpuid_regs *regs)
{
	uint64_t units = options->l3s * options->model->l3_bytes >> 19;

	regs->edx = (regs->edx & 0x3ffff) | (uint32_t)units << 18;
}

/* 80000008 ECX 7:0 threads of a package, less 1; 15:12 bits of an APIC id that number them */
static void leaf_sizes(const struct unc_sim_options *options, struct unc_cpuid_regs *regs)
{
	regs->ecx = (regs->ecx & ~UINT32_C(0xf0ff)) | at_most(threads_of_package(options) - 1, 0xff) |
		    unc_sim_apic_shift(options) << 12;
}

/* 8000001d EAX 25:14: threads that share this cache, less 1 */
static void leaf_cache(const struct unc_sim_options *options, uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	unsigned of_core = options->threads, of_l3 = threads_of_package(options) / options->l3s;

	if (!regs->eax)
		return;
	regs->eax &= 0x3fff;
	regs->eax |= ((subleaf == 3 ? of_l3 : of_core) - 1) << 14;
}

/* 8000001e EAX x2APIC id; EBX 7:0 core, 15:8 threads of a core, less 1; ECX 7:0 node (here always the package) */
static void leaf_ids(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, struct unc_cpuid_regs *regs)
{
	uint32_t in_package = cpu->apic_id & ((1u << unc_sim_apic_shift(options)) - 1);

	*regs = (struct unc_cpuid_regs){
		.eax = cpu->apic_id,
		.ebx = (options->threads - 1) << 8 | in_package >> unc_sim_thread_bits(options),
		.ecx = cpu->package,
	};
}

/* 80000026: as leaf 0xb, with the levels core, complex (one L3), die (the same) and socket */
static void leaf_levels(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, uint32_t subleaf,
			struct unc_cpuid_regs *regs)
{
	unsigned of_package = threads_of_package(options);
	const struct {
		unsigned shift, threads;
	} levels[] = {
		{unc_sim_thread_bits(options), options->threads},
		{unc_sim_l3_stride_bits(options), of_package / options->l3s},
		{unc_sim_l3_stride_bits(options), of_package / options->l3s},
		{unc_sim_apic_shift(options), of_package},
	};

	*regs = (struct unc_cpuid_regs){.ecx = subleaf & 0xff, .edx = cpu->apic_id};
	if (subleaf >= sizeof(levels) / sizeof(levels[0]))
		return;
	regs->eax = levels[subleaf].shift;
	regs->ebx = levels[subleaf].threads;
	regs->ecx |= (subleaf + 1) << 8;
}

static void complete_amd(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, uint32_t leaf,
			 uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	switch (leaf) {
	case 0x80000006:
		leaf_caches(options, regs);
		break;
	case 0x80000008:
		leaf_sizes(options, regs);
		break;
	case 0x8000001d:
		leaf_cache(options, subleaf, regs);
		break;
	case 0x8000001e:
		leaf_ids(options, cpu, regs);
		break;
	case 0x80000026:
		leaf_levels(options, cpu, subleaf, regs);
		break;
	default:
		break;
	}
}

/* Fills in what depends on the machine and on the CPU that is asked. */
static void complete(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, uint32_t leaf,
		     uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	if (leaf == 0x1)
		leaf1(options, cpu, regs);
	else if (leaf == 0x4)
		leaf4(options, subleaf, regs);
	else if (leaf == 0xb || leaf == 0x1f)
		leaf_b(options, cpu, subleaf, regs);
	else if (options->model->vendor != UNC_SIM_INTEL)
		complete_amd(options, cpu, leaf, subleaf, regs);
}

void unc_sim_cpuid(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		   struct unc_cpuid_regs *ret_regs)
{
	const struct unc_sim_model *model = sim->options.model;
	const struct unc_cpuid_regs *found;

	if (sim->options.dump) {
		unc_sim_dump_cpuid(sim->host.ctx, sim->options.dump, cpu, leaf, subleaf, ret_regs);
		return;
	}
	*ret_regs = (struct unc_cpuid_regs){0};
	if (leaf > highest(model, leaf)) {
		if (model->vendor != UNC_SIM_INTEL)
			return;
		leaf = highest(model, 0);
	}
	if (!has_subleaves(leaf))
		subleaf = 0;
	found = leaf_find(model, leaf, subleaf);
	if (found)
		*ret_regs = *found;
	complete(&sim->options, cpu, leaf, subleaf, ret_regs);
}

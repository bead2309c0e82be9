// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The logical CPUs of the machine, and which of them share an L3.
 *
 * Linux numbers them as firmware lists them: the first threads of all cores, package by package, then the second
 * threads in the same order. APIC ids are made of package, core and thread. Up to the generation of Skylake-SP they
 * have holes between the cores, since cores are counted in groups of up to eight (an E5-2699 v3 has cores 0-4, 8-11,
 * 16-20, 24-27); there the lowest bit is always the thread's, even if there is only one thread. An 8351N and a w9-3475X
 * have no holes. AMD counts the cores of each L3 from a multiple of a power of two on: an EPYC 9124, with four cores on
 * each of its four L3s, has APIC ids 0-7, 16-23, 32-39 and 48-55.
 */

#include "sim/computer.h"

enum { GROUP = 8 };

/* Returns the first core of a group; n is the number of groups. */
static unsigned group_begin(unsigned cores, unsigned n, unsigned group)
{
	return (cores * group + n - 1) / n;
}

unsigned unc_sim_bits_of(unsigned n)
{
	unsigned bits = 0;

	while (n && n - 1 >= UINT32_C(1) << bits)
		bits++;
	return bits;
}

static unsigned l3_core_bits(const struct unc_sim_options *options)
{
	unsigned bits = unc_sim_bits_of(options->cores / options->l3s);

	return bits > options->model->l3_core_bits ? bits : options->model->l3_core_bits;
}

static uint32_t core_id(const struct unc_sim_options *options, unsigned core)
{
	unsigned cores = options->cores, of_l3 = cores / options->l3s, n = 1, group = 0;

	if (options->model->apic == UNC_SIM_APIC_BY_L3)
		return core / of_l3 << l3_core_bits(options) | core % of_l3;
	if (options->model->apic == UNC_SIM_APIC_DENSE)
		return core;
	while (n * GROUP < cores)
		n *= 2;
	while (group + 1 < n && group_begin(cores, n, group + 1) <= core)
		group++;
	return group * GROUP + core - group_begin(cores, n, group);
}

static unsigned thread_bits(const struct unc_sim_options *options)
{
	return options->model->apic == UNC_SIM_APIC_BY_L3 ? unc_sim_bits_of(options->threads) : 1;
}

/*
 * An APIC id shifted right by this is the id of the package; of the core; and of what AMD calls the core complex, which
 * has one L3.
 */
static unsigned apic_shift(const struct unc_sim_options *options)
{
	uint32_t last = core_id(options, options->cores - 1);
	unsigned shift = unc_sim_bits_of(last + 1) + thread_bits(options);

	return shift > options->model->apic_shift ? shift : options->model->apic_shift;
}

/* Returns the CPU of that number; it is online until mark_cpus(). */
static struct unc_sim_cpu cpu_at(const struct unc_sim_options *options, unsigned number)
{
	unsigned firsts = options->sockets * options->cores;
	struct unc_sim_cpu cpu = {.number = number, .online = true};

	cpu.thread = number / firsts;
	cpu.package = number % firsts / options->cores;
	cpu.core = number % options->cores;
	cpu.apic_id =
		cpu.package << apic_shift(options) | core_id(options, cpu.core) << thread_bits(options) | cpu.thread;
	cpu.l3 = cpu.package * options->l3s + cpu.core / (options->cores / options->l3s);
	cpu.node = cpu.package * options->snc + cpu.core / (options->cores / options->snc);
	if (options->model->dies) /* an L3 is on one die */
		cpu.node = (cpu.package * options->l3s + cpu.core / (options->cores / options->l3s)) *
			   options->model->dies / options->l3s;
	return cpu;
}

unsigned unc_sim_node_of(const struct unc_sim *sim, unsigned socket, unsigned imc)
{
	return socket * unc_sim_nodes(&sim->options) + (sim->options.model->dies ? imc : 0);
}

unsigned unc_sim_cpu_of_node(const struct unc_sim *sim, unsigned node)
{
	for (size_t i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].node == node)
			return sim->cpus[i].number;
	return 0;
}

unsigned unc_sim_share_of(const struct unc_sim *sim, const struct unc_sim_cpu *cpu)
{
	return cpu->l3 * sim->options.snc + cpu->node % sim->options.snc;
}

static int mark_cpus(struct unc_sim *sim)
{
	size_t online = 0;

	for (unsigned i = 0; i < 2 * UNC_SIM_CPUS_MAX; i++) {
		bool goes = i < UNC_SIM_CPUS_MAX;
		unsigned number = i % UNC_SIM_CPUS_MAX;

		if (!unc_sim_has_cpu(goes ? &sim->options.offline : &sim->options.nohz_full, number))
			continue;
		if (number >= sim->n_cpus)
			return unc_sim_fail(sim, UNC_EARG, "%s=%u: the machine has CPUs 0 to %zu",
					    goes ? "offline" : "nohz_full", number, sim->n_cpus - 1);
		sim->cpus[number].online &= !goes;
		sim->cpus[number].nohz_full |= !goes;
	}
	for (size_t i = 0; i < sim->n_cpus; i++)
		online += sim->cpus[i].online;
	return online ? UNC_OK : unc_sim_fail(sim, UNC_EARG, "offline: at least one CPU must stay online");
}

int unc_sim_cpus_init(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;
	const struct unc_sim_dump *dump = options->dump;

	sim->n_cpus = dump ? dump->n_cpus : (size_t)options->sockets * options->cores * options->threads;
	sim->n_caches = dump ? dump->n_caches : (size_t)options->sockets * options->l3s;
	sim->n_shares = sim->n_caches * options->snc;
	sim->cpus = calloc(sim->n_cpus, sizeof(*sim->cpus));
	sim->caches = calloc(sim->n_caches, sizeof(*sim->caches));
	sim->of_share = calloc(sim->n_cpus, sizeof(const struct unc_sim_cpu *));
	sim->share_begin = calloc(sim->n_shares + 1, sizeof(*sim->share_begin));
	if (!sim->cpus || !sim->caches || !sim->of_share || !sim->share_begin)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	/* The CPUs are copied, since mark_cpus() takes some offline and the dump must stay as it was. */
	if (dump) {
		memcpy(sim->cpus, dump->cpus, dump->n_cpus * sizeof(*sim->cpus));
		memcpy(sim->caches, dump->caches, dump->n_caches * sizeof(*sim->caches));
	}
	for (unsigned i = 0; !dump && i < sim->n_cpus; i++) {
		struct unc_sim_cpu cpu = cpu_at(options, i);
		/* Linux makes an L3's id by shifting out the bits of the APIC id that number the threads sharing it. */
		unsigned l3_shift = options->model->apic == UNC_SIM_APIC_BY_L3
					    ? unc_sim_bits_of(options->cores / options->l3s * options->threads)
					    : apic_shift(options);

		sim->cpus[i] = cpu;
		sim->caches[cpu.l3] = (struct unc_sim_cache){.id = cpu.apic_id >> l3_shift,
							     .package = cpu.package,
							     .nodes = options->snc,
							     .bytes = options->model->l3_bytes};
	}
	for (size_t share = 0, n = 0; share < sim->n_shares; share++) {
		for (size_t i = 0; i < sim->n_cpus; i++)
			if (unc_sim_share_of(sim, &sim->cpus[i]) == share)
				sim->of_share[n++] = &sim->cpus[i];
		sim->share_begin[share + 1] = n;
	}
	return mark_cpus(sim);
}

int unc_sim_cpu_reach(struct unc_sim *sim, unsigned number, const struct unc_sim_cpu **ret_cpu)
{
	if (number >= sim->n_cpus)
		return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENXIO",
				      "cpu %u: the simulated machine has CPUs 0 to %zu", number, sim->n_cpus - 1);
	if (!sim->cpus[number].online)
		return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENXIO", "cpu %u: the CPU is offline", number);
	*ret_cpu = &sim->cpus[number];
	return UNC_OK;
}

int unc_sim_cpu(struct unc_host *host, size_t i, struct unc_sim_cpu *ret_cpu)
{
	const struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return unc_sim_none(host);
	if (i >= sim->n_cpus)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no CPU %zu, only 0 to %zu", i, sim->n_cpus - 1);
	*ret_cpu = sim->cpus[i];
	if (sim->options.numa_off)
		ret_cpu->node = 0;
	return UNC_OK;
}

/*
 * What CPUID answers on a CPU: the leaves that were read on such a processor (the model's, or those of the model it is
 * like), with the fields filled in that depend on the number of cores and threads and on the CPU that is asked.
 * Positions: Intel SDM vol. 2, CPUID.
 *
 * For a leaf beyond the highest, Intel processors answer with the data of the highest basic leaf, so where that is 0xd,
 * leaf 0xf says EBX = 0x340, which is not a number of RMIDs. AMD processors answer 0.
 */

#define EXTENDED UINT32_C(0x80000000)

static const struct unc_cpuid_regs *leaf_find(const struct unc_sim_model *model, uint32_t leaf, uint32_t subleaf)
{
	for (; model; model = model->like)
		for (size_t i = 0; i < model->n_leaves; i++)
			if (model->leaves[i].leaf == leaf && model->leaves[i].subleaf == subleaf)
				return &model->leaves[i].regs;
	return NULL;
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

/*
 * 0xb, 0x1f, 80000026: the x2APIC id and a level of the topology. Levels are "SMT" and "core", in 80000026 core, complex
 * (one L3), die (the same) and socket.
 */
static struct unc_cpuid_regs level_of(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu,
				      uint32_t leaf, uint32_t subleaf)
{
	unsigned of_package = options->cores * options->threads, l3_bits = l3_core_bits(options) + thread_bits(options);
	const struct level {
		unsigned shift, threads;
	} core = {thread_bits(options), options->threads}, l3 = {l3_bits, of_package / options->l3s},
	  package = {apic_shift(options), of_package};
	const struct level amd[] = {core, l3, l3, package}, basic[] = {core, package};
	const struct level *levels = leaf == 0x80000026 ? amd : basic;
	size_t n = leaf == 0x80000026 ? UNC_SIM_N(amd) : UNC_SIM_N(basic);
	struct unc_cpuid_regs regs = {.ecx = subleaf & 0xff, .edx = cpu->apic_id};

	if (subleaf < n) {
		regs.eax = levels[subleaf].shift;
		regs.ebx = levels[subleaf].threads;
		regs.ecx |= (subleaf + 1) << 8;
	}
	return regs;
}

/* AMD64 Architecture Programmer's Manual, vol. 3, appendix E. */
static void complete_amd(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, uint32_t leaf,
			 uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	unsigned of_package = options->cores * options->threads, shift = apic_shift(options), sharing;

	switch (leaf) {
	case 0x80000001:
		regs->eax = options->model->signature;
		break;
	case 0x80000006: /* EDX 31:18: size of all L3s of a package, in units of 512 KiB */
		regs->edx = (regs->edx & 0x3ffff) | (uint32_t)(options->l3s * options->model->l3_bytes >> 19) << 18;
		break;
	case 0x80000008: /* ECX 7:0 threads of a package, less 1; 15:12 bits of an APIC id that number them */
		regs->ecx = (regs->ecx & ~UINT32_C(0xf0ff)) | at_most(of_package - 1, 0xff) | shift << 12;
		break;
	case 0x8000001d: /* EAX 25:14: threads that share this cache, less 1 */
		sharing = subleaf == 3 ? of_package / options->l3s : options->threads;
		if (regs->eax)
			regs->eax = (regs->eax & 0x3fff) | (sharing - 1) << 14;
		break;
	case 0x80000022: /* PerfMonV2: EBX 15:10 counters of the data fabric, 21:16 of all UMCs; ECX bit for each of these */
		if (!regs->eax)
			break;
		regs->ebx = (regs->ebx & 0x3ff) | options->amd.df_ctrs << 10 |
			    unc_sim_umcs_of(options, cpu->package)->ctrs << 16;
		regs->ecx = unc_sim_umcs_of(options, cpu->package)->mask;
		break;
	/* EAX x2APIC id; EBX 7:0 core, 15:8 threads of a core, less 1; ECX 7:0 node, 10:8 nodes of a package, less 1 */
	case 0x8000001e:
		regs->eax = cpu->apic_id;
		regs->ebx = (options->threads - 1) << 8 | (cpu->apic_id & ((1u << shift) - 1)) >> thread_bits(options);
		regs->ecx = cpu->node | (unc_sim_nodes(options) - 1) << 8;
		regs->edx = 0;
		break;
	case 0x80000026:
		*regs = level_of(options, cpu, leaf, subleaf);
		break;
	default:
		break;
	}
}

/*
 * vm=kvm: an EPYC as KVM shows it: leaf 1 ECX 31 says that there is a hypervisor, 80000001 ECX has no instruction-based
 * sampling (10) and no uncore counters (24, 28), 7 EBX no monitoring (12) and allocation (15), and their leaves are 0.
 */
static void complete_kvm(uint32_t leaf, struct unc_cpuid_regs *regs)
{
	static const uint32_t zeros[] = {0xf, 0x10, 0x8000001b, 0x80000020, 0x80000022};

	for (size_t i = 0; i < UNC_SIM_N(zeros); i++)
		if (leaf == zeros[i])
			*regs = (struct unc_cpuid_regs){0};
	if (leaf == 0x1)
		regs->ecx |= UINT32_C(1) << 31;
	if (leaf == 0x7)
		regs->ebx &= ~UINT32_C(0x9000);
	if (leaf == 0x80000001)
		regs->ecx &= ~UINT32_C(0x11000400);
}

/* Fills in what depends on the machine and on the CPU that is asked. */
static void complete(const struct unc_sim_options *options, const struct unc_sim_cpu *cpu, uint32_t leaf,
		     uint32_t subleaf, struct unc_cpuid_regs *regs)
{
	const struct unc_sim_rdt *rdt = options->model->rdt;
	bool intel = options->model->vendor == UNC_SIM_INTEL, tells = !(options->model->on & UNC_SIM_ON_OLD_ZENS);
	unsigned shift = apic_shift(options), ids = intel ? 1u << shift : options->cores * options->threads;
	char brand[3 * sizeof(*regs)] = "", *part;

	switch (leaf) {
	case 0x1: /* EAX signature; EBX 31:24 initial APIC id; 23:16 ids of a package, with AMD threads of a package */
		regs->eax = options->model->signature;
		regs->ebx = (regs->ebx & 0xffff) | (cpu->apic_id & 0xff) << 24 | at_most(ids, 0xff) << 16;
		break;
	case 0x4: /* EAX 31:26 ids of cores in a package, less 1; 25:14 ids of threads that share this cache, less 1 */
		if (regs->eax)
			regs->eax = (regs->eax & 0x3fff) | at_most((1u << (shift - 1)) - 1, 0x3f) << 26 |
				    (subleaf == 3 ? (1u << shift) - 1 : 1) << 14;
		break;
	case 0xf: /* EBX of sub-leaf 0, ECX of sub-leaf 1: the highest RMID; EDX 1: L3; EAX 7:0: bits above 24, if told */
		if (rdt && !subleaf)
			*regs = (struct unc_cpuid_regs){.ebx = rdt->max_rmid, .edx = 2};
		else if (rdt && subleaf == 1)
			*regs = (struct unc_cpuid_regs){tells ? rdt->width - 24 : 0, rdt->upscale, rdt->max_rmid,
							rdt->events};
		break;
	case 0xb:
	case 0x1f:
		*regs = level_of(options, cpu, leaf, subleaf);
		break;
	case 0x80000002: /* to 80000004: the name, each has 16 characters of it */
	case 0x80000003:
	case 0x80000004:
		snprintf(brand, sizeof(brand), "%s", options->model->brand);
		part = brand + (leaf - 0x80000002) * sizeof(*regs);
		*regs = (struct unc_cpuid_regs){unc_le32(part), unc_le32(part + 4), unc_le32(part + 8),
						unc_le32(part + 12)};
		break;
	default:
		if (!intel)
			complete_amd(options, cpu, leaf, subleaf, regs);
		break;
	}
}

void unc_sim_cpuid(const struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint32_t leaf, uint32_t subleaf,
		   struct unc_cpuid_regs *ret_regs)
{
	/* Only these leaves read ECX; the others ignore it. */
	static const uint32_t with_subleaves[] = {
		0x4,  0x7,  0xb,  0xd,  0xf,  0x10, 0x12, 0x14,       0x17,       0x18,
		0x1b, 0x1d, 0x1e, 0x1f, 0x20, 0x23, 0x24, 0x8000001d, 0x80000020, 0x80000026,
	};
	const struct unc_sim_model *model = sim->options.model;
	const struct unc_cpuid_regs *found;
	bool has_subleaves = false;

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
	for (size_t i = 0; i < UNC_SIM_N(with_subleaves); i++)
		has_subleaves |= with_subleaves[i] == leaf;
	subleaf = has_subleaves ? subleaf : 0;
	found = leaf_find(model, leaf, subleaf);
	if (found)
		*ret_regs = *found;
	complete(&sim->options, cpu, leaf, subleaf, ret_regs);
	if (sim->options.amd.vm == UNC_SIM_VM_KVM)
		complete_kvm(leaf, ret_regs);
}

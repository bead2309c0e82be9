// SPDX-License-Identifier: GPL-2.0-or-later
/* proc/cpuinfo, made of what CPUID answers on each CPU (Linux: arch/x86/kernel/cpu/proc.c, cpufeatures.h). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "flags.h"
#include "fs.h"

enum { ICELAKE_X = 0x6a }; /* its model */

/* "... @ 2.70GHz" */
static double brand_mhz(const char *brand)
{
	const char *at = strstr(brand, "@ ");

	return at ? strtod(at + 2, NULL) * 1000 : 2000;
}

static void out_model(struct fs *fs, unsigned cpu, const char *brand, struct out *out)
{
	struct served_cpu kind = served_cpu(&fs->sim, cpu);

	out_printf(out, "cpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\nstepping\t: %u\nmicrocode\t: 0x1\n",
		   kind.family, kind.model, brand, kind.stepping);
}

/* Of the highest level, but with AMD the second (cpu_detect_cache_sizes()). */
static unsigned cache_kb(struct fs *fs, unsigned cpu)
{
	unsigned level = 0, kb = 0, highest = is_amd(fs, cpu) ? 2 : UINT_MAX;
	struct cache cache;

	for (unsigned i = 0; cache_get(fs, cpu, i, &cache); i++) {
		if (cache.level < level || cache.level > highest)
			continue;
		level = cache.level;
		kb = cache.size_kb;
	}
	return kb;
}

/* What stands in every package's lines: counted once, not for each CPU. */
struct counts {
	unsigned *threads, *cores; /* by package */
};

static void out_place(const struct fs *fs, const struct unc_sim_cpu *cpu, const struct counts *counts, struct out *out)
{
	out_printf(out, "physical id\t: %u\nsiblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\n", cpu->package,
		   counts->threads[cpu->package], core_id(fs, cpu->apic_id), counts->cores[cpu->package]);
	out_printf(out, "apicid\t\t: %u\ninitial apicid\t: %u\n", cpu->apic_id, cpu->apic_id);
}

/* Those of all the parts of that make that are simulated; Ice Lake and later are free of the older ones. */
static void out_bugs(struct fs *fs, unsigned cpu, struct out *out)
{
	uint32_t eax = cpuid_of(fs, cpu, 1, 0).eax, model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);

	out_printf(out, "\nbugs\t\t:");
	if (is_amd(fs, cpu))
		out_printf(out, " sysret_ss_attrs spectre_v1 spectre_v2 spec_store_bypass\n");
	else if (model >= ICELAKE_X)
		out_printf(out, " spectre_v1 spectre_v2 spec_store_bypass swapgs\n");
	else
		out_printf(out,
			   " cpu_meltdown spectre_v1 spectre_v2 spec_store_bypass l1tf mds swapgs itlb_multihit\n");
}

/* Of data and code together, 4 KiB pages; Intel's parts have 0 there (cpu_detect_cache_sizes()). */
static void out_tlb(struct fs *fs, unsigned cpu, struct out *out)
{
	uint32_t ebx = cpuid_of(fs, cpu, 0x80000006, 0).ebx, pages = (ebx >> 16 & 0xfff) + (ebx & 0xfff);

	if (pages)
		out_printf(out, "TLB size\t: %u 4K pages\n", pages);
}

/* Of leaf 0x80000007 EDX (arch/x86/kernel/cpu/powerflags.c); "": it has a name among the flags. */
static void out_power(struct fs *fs, unsigned cpu, struct out *out)
{
	static const char *const names[32] = {
		" ts", " fid", " vid",         " ttp",           " tm",        " stc", " 100mhzsteps", " hwpstate",
		"",    " cpb", " eff_freq_ro", " proc_feedback", " acc_power",
	};
	uint32_t edx = cpuid_of(fs, cpu, 0x80000007, 0).edx;

	out_printf(out, "power management:");
	for (unsigned i = 0; i < 32; i++) {
		if (!(edx >> i & 1))
			continue;
		if (names[i])
			out_printf(out, "%s", names[i]);
		else
			out_printf(out, " [%u]", i);
	}
	out_printf(out, "\n\n");
}

static void out_sizes(struct fs *fs, unsigned cpu, struct out *out)
{
	unsigned line = (cpuid_of(fs, cpu, 1, 0).ebx >> 8 & 0xff) * 8;
	uint32_t bits = cpuid_of(fs, cpu, 0x80000008, 0).eax;

	out_tlb(fs, cpu, out);
	out_printf(out, "clflush size\t: %u\ncache_alignment\t: %u\n", line, line);
	out_printf(out, "address sizes\t: %u bits physical, %u bits virtual\n", bits & 0xff, bits >> 8 & 0xff);
}

static void out_cpu(struct fs *fs, const struct unc_sim_cpu *cpu, const struct counts *counts, struct out *out)
{
	char vendor[13], brand[49];

	vendor_get(fs, cpu->number, vendor);
	served_brand(&fs->sim, cpu->number, brand);
	out_printf(out, "processor\t: %u\nvendor_id\t: %s\n", cpu->number, vendor);
	out_model(fs, cpu->number, brand, out);
	out_printf(out, "cpu MHz\t\t: %.3f\ncache size\t: %u KB\n", brand_mhz(brand), cache_kb(fs, cpu->number));
	out_place(fs, cpu, counts, out);
	out_printf(out, "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: %u\nwp\t\t: yes\nflags\t\t:",
		   cpuid_of(fs, cpu->number, 0, 0).eax);
	flags_print(fs, cpu->number, out);
	out_bugs(fs, cpu->number, out);
	out_printf(out, "bogomips\t: %.2f\n", 2 * brand_mhz(brand));
	out_sizes(fs, cpu->number, out);
	out_power(fs, cpu->number, out);
}

/* A core counts by its lowest thread that is online. */
static bool first_of_core(struct fs *fs, const struct unc_sim_cpu *cpu)
{
	struct some_cpus core = {.fs = fs, .like = *cpu, .shift = fs->smt_shift};

	for (unsigned i = 0; i < cpu->number; i++)
		if (set_some(&core, i))
			return false;
	return true;
}

static void count(struct fs *fs, const struct counts *counts)
{
	size_t n = unc_sim_cpus(fs->sim.host);

	for (size_t i = 0; i < n; i++) {
		struct unc_sim_cpu cpu = cpu_of(fs, i);

		if (!cpu.online)
			continue;
		counts->threads[cpu.package]++;
		counts->cores[cpu.package] += first_of_core(fs, &cpu);
	}
}

static int cpuinfo_print(struct fs *fs, const struct node *node, struct out *out)
{
	size_t n = unc_sim_cpus(fs->sim.host);
	unsigned *numbers = calloc(2 * (size_t)fs->packages, sizeof(*numbers));
	struct counts counts = {.threads = numbers, .cores = numbers + fs->packages};

	(void)node;
	if (!numbers) {
		out->failed = true;
		return 0;
	}
	count(fs, &counts);
	for (size_t i = 0; i < n; i++) {
		struct unc_sim_cpu cpu = cpu_of(fs, i);

		if (cpu.online)
			out_cpu(fs, &cpu, &counts, out);
	}
	free(numbers);
	return 0;
}

void cpuinfo_add(struct fs *fs)
{
	static const struct file_type cpuinfo = {.mode = 0444, .print = cpuinfo_print};

	tree_file(&fs->tree, tree_folder_path(&fs->tree, "proc"), "cpuinfo", &cpuinfo, 0);
}

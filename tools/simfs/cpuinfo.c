// SPDX-License-Identifier: GPL-2.0-or-later
/* proc/cpuinfo, made of what CPUID answers on each CPU (Linux: arch/x86/kernel/cpu/proc.c, cpufeatures.h). */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"
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

/*
 * What Linux calls the bits of CPUID, in the order in which /proc/cpuinfo lists them (asm/cpufeatures.h).  Names that
 * Linux makes up by itself stand with the bit that makes it do so.
 */

enum reg { EAX, EBX, ECX, EDX };

struct flag {
	uint32_t leaf, subleaf;
	enum reg reg;
	uint32_t mask; /* any of them */
	const char *name;
};

#define BIT(leaf, subleaf, reg, bit, name)                                                                             \
	{                                                                                                              \
		leaf, subleaf, reg, UINT32_C(1) << (bit), name                                                         \
	}
#define D1(bit, name) BIT(1, 0, EDX, bit, name)
#define C1(bit, name) BIT(1, 0, ECX, bit, name)
#define D8(bit, name) BIT(0x80000001, 0, EDX, bit, name)
#define C8(bit, name) BIT(0x80000001, 0, ECX, bit, name)
#define A6(bit, name) BIT(6, 0, EAX, bit, name)
#define B7(bit, name) BIT(7, 0, EBX, bit, name)
#define C7(bit, name) BIT(7, 0, ECX, bit, name)
#define D7(bit, name) BIT(7, 0, EDX, bit, name)
#define B8(bit, name) BIT(0x80000008, 0, EBX, bit, name)
#define LM            29

static const struct flag flags[] = {
	D1(0, "fpu"),
	D1(1, "vme"),
	D1(2, "de"),
	D1(3, "pse"),
	D1(4, "tsc"),
	D1(5, "msr"),
	D1(6, "pae"),
	D1(7, "mce"),
	D1(8, "cx8"),
	D1(9, "apic"),
	D1(11, "sep"),
	D1(12, "mtrr"),
	D1(13, "pge"),
	D1(14, "mca"),
	D1(15, "cmov"),
	D1(16, "pat"),
	D1(17, "pse36"),
	D1(18, "pn"),
	D1(19, "clflush"),
	D1(21, "dts"),
	D1(22, "acpi"),
	D1(23, "mmx"),
	D1(24, "fxsr"),
	D1(25, "sse"),
	D1(26, "sse2"),
	D1(27, "ss"),
	D1(28, "ht"),
	D1(29, "tm"),
	D1(31, "pbe"),
	D8(11, "syscall"),
	D8(20, "nx"),
	D8(22, "mmxext"),
	D8(25, "fxsr_opt"),
	D8(26, "pdpe1gb"),
	D8(27, "rdtscp"),
	D8(LM, "lm"),
	BIT(0x80000007, 0, EDX, 8, "constant_tsc"),
	{0xa, 0, EAX, 0xff, "arch_perfmon"}, /* its version */
	D1(21, "pebs"),
	D1(21, "bts"),
	D8(LM, "rep_good"),
	D8(LM, "nopl"),
	{0xb, 0, EBX, 0xffff, "xtopology"}, /* there is a leaf 0xb */
	BIT(0x80000007, 0, EDX, 8, "nonstop_tsc"),
	D8(LM, "cpuid"),
	BIT(6, 0, ECX, 0, "aperfmperf"),
	C1(0, "pni"),
	C1(1, "pclmulqdq"),
	C1(2, "dtes64"),
	C1(3, "monitor"),
	C1(4, "ds_cpl"),
	C1(5, "vmx"),
	C1(6, "smx"),
	C1(7, "est"),
	C1(8, "tm2"),
	C1(9, "ssse3"),
	C1(10, "cid"),
	C1(11, "sdbg"),
	C1(12, "fma"),
	C1(13, "cx16"),
	C1(14, "xtpr"),
	C1(15, "pdcm"),
	C1(17, "pcid"),
	C1(18, "dca"),
	C1(19, "sse4_1"),
	C1(20, "sse4_2"),
	C1(21, "x2apic"),
	C1(22, "movbe"),
	C1(23, "popcnt"),
	C1(24, "tsc_deadline_timer"),
	C1(25, "aes"),
	C1(26, "xsave"),
	C1(28, "avx"),
	C1(29, "f16c"),
	C1(30, "rdrand"),
	C1(31, "hypervisor"),
	C8(0, "lahf_lm"),
	C8(1, "cmp_legacy"),
	C8(2, "svm"),
	C8(3, "extapic"),
	C8(4, "cr8_legacy"),
	C8(5, "abm"),
	C8(6, "sse4a"),
	C8(7, "misalignsse"),
	C8(8, "3dnowprefetch"),
	C8(9, "osvw"),
	C8(10, "ibs"),
	C8(12, "skinit"),
	C8(13, "wdt"),
	C8(17, "tce"),
	C8(22, "topoext"),
	C8(23, "perfctr_core"),
	C8(24, "perfctr_nb"),
	C8(26, "bpext"),
	C8(28, "perfctr_llc"),
	C8(29, "mwaitx"),
	BIT(0x80000007, 0, EDX, 9, "cpb"),
	BIT(6, 0, ECX, 3, "epb"),
	BIT(0x10, 0, EBX, 1, "cat_l3"),
	BIT(0x10, 1, ECX, 2, "cdp_l3"),
	BIT(0x10, 0, EBX, 2, "cat_l2"),
	BIT(0x80000007, 0, EDX, 7, "hw_pstate"),
	BIT(0x10, 0, EBX, 3, "mba"),
	B8(6, "mba"),
	D7(31, "ssbd"),
	D7(26, "ibrs"),
	D7(26, "ibpb"),
	D7(27, "stibp"),
	C1(5, "tpr_shadow"),
	C1(5, "flexpriority"),
	C1(5, "ept"),
	C1(5, "vpid"),
	B7(0, "fsgsbase"),
	B7(1, "tsc_adjust"),
	B7(3, "bmi1"),
	B7(4, "hle"),
	B7(5, "avx2"),
	B7(7, "smep"),
	B7(8, "bmi2"),
	B7(9, "erms"),
	B7(10, "invpcid"),
	B7(11, "rtm"),
	B7(12, "cqm"),
	B7(14, "mpx"),
	B7(15, "rdt_a"),
	B7(16, "avx512f"),
	B7(17, "avx512dq"),
	B7(18, "rdseed"),
	B7(19, "adx"),
	B7(20, "smap"),
	B7(21, "avx512ifma"),
	B7(23, "clflushopt"),
	B7(24, "clwb"),
	B7(25, "intel_pt"),
	B7(26, "avx512pf"),
	B7(27, "avx512er"),
	B7(28, "avx512cd"),
	B7(29, "sha_ni"),
	B7(30, "avx512bw"),
	B7(31, "avx512vl"),
	BIT(0xd, 1, EAX, 0, "xsaveopt"),
	BIT(0xd, 1, EAX, 1, "xsavec"),
	BIT(0xd, 1, EAX, 2, "xgetbv1"),
	BIT(0xd, 1, EAX, 3, "xsaves"),
	BIT(0xf, 0, EDX, 1, "cqm_llc"),
	BIT(0xf, 1, EDX, 0, "cqm_occup_llc"),
	BIT(0xf, 1, EDX, 1, "cqm_mbm_total"),
	BIT(0xf, 1, EDX, 2, "cqm_mbm_local"),
	B8(0, "clzero"),
	B8(1, "irperf"),
	B8(2, "xsaveerptr"),
	B8(4, "rdpru"),
	B8(9, "wbnoinvd"),
	A6(0, "dtherm"),
	A6(1, "ida"),
	A6(2, "arat"),
	A6(4, "pln"),
	A6(6, "pts"),
	A6(7, "hwp"),
	A6(8, "hwp_notify"),
	A6(9, "hwp_act_window"),
	A6(10, "hwp_epp"),
	A6(11, "hwp_pkg_req"),
	C7(1, "avx512vbmi"),
	C7(2, "umip"),
	C7(3, "pku"),
	C7(4, "ospke"),
	C7(6, "avx512_vbmi2"),
	C7(8, "gfni"),
	C7(9, "vaes"),
	C7(10, "vpclmulqdq"),
	C7(11, "avx512_vnni"),
	C7(12, "avx512_bitalg"),
	C7(14, "avx512_vpopcntdq"),
	C7(16, "la57"),
	C7(22, "rdpid"),
	D7(10, "md_clear"),
	D7(28, "flush_l1d"),
	D7(29, "arch_capabilities"),
};

/* A leaf that the processor does not have answers with the data of another one. */
static bool exists(const struct flag *flag, uint32_t highest, uint32_t highest_extended)
{
	return flag->leaf <= (flag->leaf & UINT32_C(0x80000000) ? highest_extended : highest);
}

static uint32_t reg_of(const struct unc_cpuid_regs *regs, enum reg reg)
{
	switch (reg) {
	case EAX:
		return regs->eax;
	case EBX:
		return regs->ebx;
	case ECX:
		return regs->ecx;
	default:
		return regs->edx;
	}
}

/* The names of a CPU's features, each with a blank in front, in Linux's order. */
static void flags_print(struct fs *fs, unsigned cpu, struct out *out)
{
	uint32_t highest = cpuid_of(fs, cpu, 0, 0).eax, highest_extended = cpuid_of(fs, cpu, 0x80000000, 0).eax;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		struct unc_cpuid_regs regs;

		if (!exists(&flags[i], highest, highest_extended))
			continue;
		regs = cpuid_of(fs, cpu, flags[i].leaf, flags[i].subleaf);
		if (reg_of(&regs, flags[i].reg) & flags[i].mask)
			out_printf(out, " %s", flags[i].name);
	}
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
	size_t n = unc_sim_info(fs->sim.host).n_cpus;

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
	size_t n = unc_sim_info(fs->sim.host).n_cpus;
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

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers of cores and packages that measuring tools read and write: time, ratios, energy, temperature, idle
 * states, and the core's own counters. Numbers and bits: Intel SDM vol. 4 (tables of the family 6 processors) and vol.
 * 3 ch. 19 and 20 for the architectural ones: "SDM".
 *
 * Counters advance at a constant rate, the same on all cores. Rates, ratios, powers and temperatures are plausible and
 * made up, except the base frequency. Programmable counters (PMC) can be programmed and count nothing.
 */
#include "sim/msr.h"

#define BIT(n)   (UINT64_C(1) << (n))
#define BUS_HZ   UINT64_C(100000000) /* clock of ratio 1 */
#define BITS_32  UINT64_C(0xffffffff)
#define CTR_BITS (BIT(48) - 1) /* CPUID 0xa EAX 23:16, EDX 12:5 */
/* Skylake-SP: the number of active cores up to which each ratio of 0x1ad applies, one byte each: 4, 8 ... 32. */
#define TURBO_CORES   UINT64_C(0x201c1814100c0804)
#define PMCS_FIXED(n) ((BIT(n) - 1) << 32) /* in PERF_GLOBAL_*: from bit 32 on */

enum {
	IA32_PMC0 = 0xc1,
	IA32_PERFEVTSEL0 = 0x186,
	IA32_FIXED_CTR0 = 0x309,
	IA32_FIXED_CTR_CTRL = 0x38d,
	IA32_PERF_GLOBAL_CTRL = 0x38f,
	MAX_PMCS = 8,
};

/* The values of a model that only this file needs. */
struct part {
	enum unc_sim_on on;
	uint32_t microcode;
	unsigned esu;   /* the unit of package energy is 1 / 2^esu J */
	unsigned turbo; /* the ratio of one active core */
};

static const struct part *part_of(const struct unc_sim_msr *at)
{
	static const struct part parts[] = {
		{UNC_SIM_ON_SNBEP, 0x0000071a, 16, 38}, {UNC_SIM_ON_IVT, 0x0000042e, 16, 35},
		{UNC_SIM_ON_HSX, 0x00000043, 14, 36},   {UNC_SIM_ON_BDX, 0x0b00002e, 14, 36},
		{UNC_SIM_ON_SKX, 0x02000043, 14, 38}, /* from here on the ratio is what CPUID 0x16 says, where that exists */
		{UNC_SIM_ON_CLX, 0x05003604, 14, 40},   {UNC_SIM_ON_CPX, 0x07002503, 14, 43},
		{UNC_SIM_ON_BDXDE, 0x0000001c, 14, 26}, {UNC_SIM_ON_ICX, 0x0d0003a5, 14, 35},
		{UNC_SIM_ON_SPR, 0x2b000461, 14, 48},
	};
	enum unc_sim_on on = at->sim->options.model->on;
	size_t i = 0;

	while (i + 1 < UNC_SIM_N(parts) && parts[i].on != on)
		i++;
	return &parts[i];
}

static uint64_t tsc_hz(const struct unc_sim_msr *at)
{
	return at->sim->options.model->tsc_hz;
}

static uint64_t base_ratio(const struct unc_sim_msr *at)
{
	return tsc_hz(at) / BUS_HZ;
}

/* Cores run one ratio above the base. */
static uint64_t core_hz(const struct unc_sim_msr *at)
{
	return tsc_hz(at) + BUS_HZ;
}

static uint64_t mperf(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(tsc_hz(at), at->t_ns);
}

/* At machine time 0 the TSC has run for UNC_SIM_RAW_AT_START_NS, as firmware and Linux took some time to start. */
static uint64_t tsc(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(tsc_hz(at), UNC_SIM_RAW_AT_START_NS + at->t_ns);
}

static uint64_t aperf(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(core_hz(at), at->t_ns);
}

static uint64_t microcode(const struct unc_sim_msr *at)
{
	return (uint64_t)part_of(at)->microcode << 32;
}

/* 15:8 base ratio; 28 and 29: ratios and power limits can be set; 47:40 lowest ratio */
static uint64_t platform_info(const struct unc_sim_msr *at)
{
	return base_ratio(at) << 8 | BIT(28) | BIT(29) | UINT64_C(12) << 40;
}

/* 15:8 ratio; 47:32 voltage in 1/8192 V */
static uint64_t perf_status(const struct unc_sim_msr *at)
{
	return (base_ratio(at) + 1) << 8 | UINT64_C(8192) << 32;
}

/* 31 valid; 30:27 resolution; 22:16 degrees below TjMax */
static uint64_t therm_status(const struct unc_sim_msr *at)
{
	return BIT(31) | BIT(27) | (uint64_t)(40 + at->cpu->core % 8) << 16;
}

/* The turbo ratio for each number of active cores, one byte each: eight in a register, from 1 core in 0x1ad on. */
static uint64_t turbo_ratios(const struct unc_sim_msr *at)
{
	uint64_t ratios = 0, first = (uint64_t)(at->number - 0x1ad) * 8, i;

	for (i = 0; i < 8; i++)
		ratios |= (part_of(at)->turbo - (first + i) / 3) << 8 * i;
	return ratios;
}

/* 3:0 power in 1/8 W; 12:8 energy; 19:16 time in 1/1024 s */
static uint64_t rapl_unit(const struct unc_sim_msr *at)
{
	return 3 | (uint64_t)part_of(at)->esu << 8 | UINT64_C(10) << 16;
}

/*
 * What the entry's watts have made, in the unit of its esu. That of memory is always 15.3 uJ, even where 0x606 says otherwise
 * (Linux, intel_rapl: Haswell-EP and later).
 */
static uint64_t energy(const struct unc_sim_msr *at)
{
	uint64_t watts = at->reg->watts + at->reg->more_watts * at->cpu->package;

	return unc_sim_msr_ticks(watts << (at->reg->esu ? at->reg->esu : part_of(at)->esu), at->t_ns) & BITS_32;
}

/* Returns the TSC ticks spent in an idle state: one nth of the time, where n is the entry's reset value. */
static uint64_t idle(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(tsc_hz(at) / at->reg->reset, at->t_ns);
}

/* 5:0 LBR format, 6 and 7 PEBS traps and registers, 11:8 PEBS format, 12 freeze in SMM; no full-width writes (13) */
static uint64_t perf_capabilities(const struct unc_sim_msr *at)
{
	unsigned on = part_of(at)->on;

	if (on & (UNC_SIM_ON_SKYLAKES | UNC_SIM_ON_LAKES))
		return 0x13c5;
	return on & UNC_SIM_ON_LATER ? 0x12c4 : 0x11c3;
}

/* CPUID 0xa EAX 15:8 */
static unsigned n_pmcs(const struct unc_sim_msr *at)
{
	struct unc_cpuid_regs platform_regs;
	unsigned n;

	unc_sim_cpuid(at->sim, at->cpu, 0xa, 0, &platform_regs);
	n = platform_regs.eax >> 8 & 0xff;
	return n < MAX_PMCS ? n : MAX_PMCS;
}

static bool pmc_exists(const struct unc_sim_msr *at)
{
	return at->number - at->reg->first < n_pmcs(at);
}

/* Writes bits 31:0 with sign extension, as there are no full-width writes (SDM vol. 3, 20.2.8). */
static bool pmc_write(const struct unc_sim_msr *at, uint64_t value)
{
	*at->kept = (uint64_t)(int64_t)(int32_t)(uint32_t)value & CTR_BITS;
	return true;
}

/* At reset all PMCs are enabled in this register (SDM vol. 3, 20.2.2). */
static uint64_t global_ctrl(const struct unc_sim_msr *at)
{
	return BIT(n_pmcs(at)) - 1;
}

/*
 * Instructions, cycles of the core, cycles of the TSC, and from Ice Lake on slots, five a cycle. FIXED_CTR_CTRL has four bits for each counter, where 1:0 enable
 * rings; PERF_GLOBAL_CTRL has one bit, from 32 on.
 */
static uint64_t fixed_ctr(const struct unc_sim_msr *at)
{
	struct unc_sim_msr ctrl = unc_sim_msr_beside(at, IA32_FIXED_CTR_CTRL);
	struct unc_sim_msr global = unc_sim_msr_beside(at, IA32_PERF_GLOBAL_CTRL);
	unsigned i = at->number - IA32_FIXED_CTR0;
	const uint64_t hz[] = {core_hz(at) / 5 * 4, core_hz(at), tsc_hz(at), core_hz(at) * 5};
	bool enabled = unc_sim_msr_value(&ctrl) >> 4 * i & 3 && unc_sim_msr_value(&global) >> (32 + i) & 1;

	return enabled ? unc_sim_msr_ticks(hz[i], at->t_ns) : 0;
}

static bool global_ctrl_write(const struct unc_sim_msr *at, uint64_t value)
{
	unsigned n_fixed = at->sim->options.model->on & UNC_SIM_ON_LAKES ? 4 : 3;

	return !(value & ~(PMCS_FIXED(n_fixed) | global_ctrl(at))) && unc_sim_msr_keep(at, value);
}

/* 63 valid; a byte for each of a socket's buses (Linux, uncore_snbep.c) */
static uint64_t cpu_bus_number(const struct unc_sim_msr *at)
{
	uint64_t buses = BIT(63);
	uint32_t domain;

	for (unsigned slot = 0; slot < UNC_SIM_SLOTS; slot++)
		buses |= (uint64_t)unc_sim_bus(&at->sim->options, at->cpu->package, slot, &domain) << 8 * slot;
	return buses;
}

#define ALL          .on = UNC_SIM_ON_ALL | UNC_SIM_ON_LAKES
#define BEFORE_LAKES .on = UNC_SIM_ON_ALL
#define LAKES        .on = UNC_SIM_ON_LAKES
#define FIRST        .on = UNC_SIM_ON_FIRST
#define LATER        .on = UNC_SIM_ON_LATER | UNC_SIM_ON_LAKES
#define OF_PKG       .scope = UNC_SIM_OF_PACKAGE
#define FIXED        .ctrs = IA32_FIXED_CTR0, .n_ctrs = 4

/*
 * Uncore PMON registers that are MSRs: the global freeze, the clock counter of the U-box, and, as plain memory, the
 * other boxes that tools program or clear. The counters of those keep what was written, as if nothing ever happened
 * there; their reserved bits are not modelled.
 *
 * Numbers: Linux arch/x86/events/intel/uncore_snbep.c, LIKWID, PCM; for the freeze also G-IVT, Intel 329468-002, uncore
 * guide for the E5 v2 and E7 v2.
 */

#define UCLK_HZ UINT64_C(2000000000)
#define UCLK_EN BIT(22)

/* The counter is the next register; of Granite Rapids the one before (PCM). */
enum { FIRST_UCLK_CTL = 0xc08, LATER_UCLK_CTL = 0x703 };
enum { SNR_UCLK_CTL = 0x1f93, GRR_UCLK_CTL = 0x3f5e, GNR_UCLK_CTL = 0x3ffe };

static struct unc_sim_package *package_of(const struct unc_sim_msr *at)
{
	return &at->sim->store.state->packages[at->cpu->package];
}

/* Cycles of the U-box; they stop while all boxes are frozen. */
static uint64_t uclk(const struct unc_sim_msr *at)
{
	uint32_t number = at->number == GNR_UCLK_CTL - 1 ? GNR_UCLK_CTL : at->number - 1;
	struct unc_sim_msr ctl = unc_sim_msr_beside(at, number);
	bool runs = unc_sim_msr_value(&ctl) & UCLK_EN && !package_of(at)->frozen;
	unsigned throttled = at->sim->options.uncore;

	return runs ? unc_sim_msr_ticks(throttled ? throttled * BUS_HZ : UCLK_HZ, at->t_ns) : 0;
}

/* Snow Ridge and Grand Ridge have their own numbers, and none of the part that they are like (Linux, PCM). */
static bool uclk_exists(const struct unc_sim_msr *at)
{
	const struct unc_sim_model *own = at->number < GRR_UCLK_CTL ? &unc_sim_snr : &unc_sim_grr;

	return (at->sim->options.model == own) == (at->number < GNR_UCLK_CTL - 1);
}

static uint64_t freeze_base(const struct unc_sim_msr *at)
{
	const struct unc_sim_freeze *freeze = &at->sim->options.model->freeze;
	bool reads = (at->sim->options.frz_rw || !freeze->unfrz_all) && package_of(at)->frozen;

	return reads ? freeze->frz_all : 0;
}

/*
 * frz_all and unfrz_all are commands and read 0, unless frz=rw. No source says which one wins: here frz_all does. Without unfrz_all
 * (Sapphire Rapids: LIKWID and PCM write 1 and 0) frz_all is a state, which reads back, and has no clock counter of the U-box beside it.
 */
static bool freeze_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_freeze *freeze = &at->sim->options.model->freeze;

	if (value & ~(freeze->frz_all | freeze->unfrz_all | freeze->writable))
		return false;
	*at->kept = value & freeze->writable;
	if (!freeze->unfrz_all || value & (freeze->frz_all | freeze->unfrz_all)) {
		package_of(at)->frozen = value & freeze->frz_all ? 1 : 0;
		unc_sim_imc_freeze_all(at->sim, at->cpu->package, package_of(at)->frozen, at->t_ns);
	}
	return true;
}

#define FREEZE       .base = freeze_base, .write = freeze_write
#define FIRST_UNCORE .on = UNC_SIM_ON_FIRST, OF_PKG
#define IVT_UNCORE   .on = UNC_SIM_ON_IVT, OF_PKG
#define LATER_UNCORE .on = UNC_SIM_ON_LATER, OF_PKG
/* Ice Lake-SP has the first of these at the same numbers (Linux, LIKWID, PCM). */
#define LAKE_UNCORE .on = UNC_SIM_ON_LATER | UNC_SIM_ON_ICX, OF_PKG
#define SKX_UNCORE  .on = UNC_SIM_ON_SKYLAKES, OF_PKG
#define SNR_UNCORE  .on = UNC_SIM_ON_ICX, OF_PKG, .exists = uclk_exists
#define GNR_UNCORE  .on = UNC_SIM_ON_GNR, OF_PKG, .exists = uclk_exists

/* A C-box: control; CTL0 to 3 from +0xc, followed by a filter; CTR0 to 3 from +0x12, followed by filter 1. */
#define FIRST_CBO (1 | 0x1fu << 12 | 0xfu << 18)
#define IVT_CBO   (FIRST_CBO | 1u << 22)
/* Control, CTL0 to 3, filters, status at +7, CTR0 to 3. */
#define LATER_CBO 0xfffu

/*
 * The registers of AMD's cores and packages that measuring tools read when they start: time, P-states, energy. Numbers
 * and bits: AMD64 Architecture Programmer's Manual, vol. 2, and Linux, arch/x86/include/asm/msr-index.h. Values are
 * plausible and made up, except the base frequency.
 */

enum { ENERGY_UNIT = 16 }; /* 1 / 2^16 J */

/* 7:0 multiplier, 13:8 divisor: 200 MHz * multiplier / divisor; 63 valid */
static uint64_t pstate(const struct unc_sim_msr *at)
{
	return tsc_hz(at) / 25000000 | 8 << 8 | BIT(63);
}

#define ZENS .on = UNC_SIM_ON_ZENS

/* 6:0 the ratio now; the parts that Linux reads it on (uncore-frequency.c) */
#define UNCORE_STATUS                                                                                                  \
	(UNC_SIM_ON_BROADWELLS | UNC_SIM_ON_SKYLAKES | UNC_SIM_ON_ICX | UNC_SIM_ON_SPR | UNC_SIM_ON_CLIENT)

/* Its table lacks Snow Ridge and the first Skylakes of clients. */
static bool uncore_exists(const struct unc_sim_msr *at)
{
	return at->sim->options.model != &unc_sim_snr && at->sim->options.model != &unc_sim_skl;
}

static uint64_t uncore_ratio(const struct unc_sim_msr *at)
{
	const struct unc_sim_msr limits = unc_sim_msr_beside(at, 0x620);
	uint64_t highest = unc_sim_msr_value(&limits) & 0x7f, throttled = at->sim->options.uncore;

	return throttled && throttled < highest ? throttled : highest;
}

/*
 * Instruction-based sampling (APM vol. 2, 13.3): nothing is sampled, so all reads as after a reset and no write is taken. Firmware
 * has set the control, whose bit 8 says that 3:0 is the entry of the local APIC: 0 (made up).
 */
enum { IBS_FETCH_CTL = 0xc0011030, IBS_CTL = 0xc001103a };

static uint64_t ibs(const struct unc_sim_msr *at)
{
	return at->number == IBS_CTL ? BIT(8) : 0;
}

/*
 * The registers of cache and bandwidth allocation, as far as tools read and write them; masks and delays have no
 * effect. Numbers and bits: Intel SDM vol. 3 ch. 17, "Intel Resource Director Technology": "SDM"; AMD's registers from
 * Linux, arch/x86/include/asm/msr-index.h.
 */

enum { L3_QOS_CFG = 0xc81, L3_MASK_0 = 0xc90, L2_MASK_0 = 0xd10, MBA_0 = 0xd50 };

#define AMD_MBA_0  UINT32_C(0xc0000200)
#define AMD_SMBA_0 UINT32_C(0xc0000280)

/* Sub-leaves of leaf 0x10, or 0x80000020: EBX of sub-leaf 0 has a bit for each that there is. */
static uint32_t subleaf_of(const struct unc_sim_msr *at)
{
	if (at->number >= AMD_MBA_0)
		return at->number < AMD_SMBA_0 ? 1 : 2;
	if (at->number < L2_MASK_0)
		return 1;
	return at->number < MBA_0 ? 2 : 3;
}

static struct unc_cpuid_regs cpuid(const struct unc_sim_msr *at, uint32_t leaf, uint32_t subleaf)
{
	struct unc_cpuid_regs alloc_regs;

	unc_sim_cpuid(at->sim, at->cpu, leaf, subleaf, &alloc_regs);
	return alloc_regs;
}

static bool allocates(const struct unc_sim_msr *at)
{
	const struct unc_sim_rdt *rdt = at->sim->options.model->rdt;

	return rdt && rdt->n_clos;
}

/* CPUID 0x80000001 ECX 10; 0x8000001b EAX has a bit for each register that not every part has. */
static bool ibs_exists(const struct unc_sim_msr *at)
{
	static const unsigned bits[] = {[0x103b - 0x1030] = 5, [0x103c - 0x1030] = 9, [0x103d - 0x1030] = 10};

	return cpuid(at, 0x80000001, 0).ecx >> 10 & 1 &&
	       cpuid(at, 0x8000001b, 0).eax >> bits[at->number - IBS_FETCH_CTL] & 1;
}

/* Bit 0 separates code and data (CDP), which CPUID 0x10.1 ECX[2] offers. */
static bool l3_cfg_exists(const struct unc_sim_msr *at)
{
	return allocates(at) && cpuid(at, 0x10, 1).ecx >> 2 & 1;
}

/* EDX 15:0 of a sub-leaf is the number of its registers, less one. The delays of MBA are in 0x10 with Intel. */
static bool is_offered(const struct unc_sim_msr *at)
{
	enum unc_sim_vendor vendor = at->sim->options.model->vendor;
	uint32_t leaf = at->number >= AMD_MBA_0 ? 0x80000020 : 0x10, subleaf = subleaf_of(at);

	if ((leaf != 0x10 && vendor != UNC_SIM_AMD) || (leaf == 0x10 && subleaf == 3 && vendor != UNC_SIM_INTEL))
		return false;
	return allocates(at) && cpuid(at, leaf, 0).ebx >> subleaf & 1 &&
	       at->number - at->reg->first <= (cpuid(at, leaf, subleaf).edx & 0xffff);
}

/* As many ones as EAX 4:0 of CPUID 0x10.1 (for an L2, 0x10.2) says, plus one (SDM). */
static uint64_t cbm_all(const struct unc_sim_msr *at)
{
	return (UINT64_C(2) << (cpuid(at, 0x10, subleaf_of(at)).eax & 0x1f)) - 1;
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

/*
 * Limits are in units of 1/8 GB/s and have as many bits as EAX says. The value with only the next bit set is the reset
 * value: no limit.
 */
static uint64_t amd_unlimited(const struct unc_sim_msr *at)
{
	return UINT64_C(1) << (cpuid(at, 0x80000020, subleaf_of(at)).eax & 0x1f);
}

static bool amd_write(const struct unc_sim_msr *at, uint64_t value)
{
	return value <= amd_unlimited(at) && unc_sim_msr_keep(at, value);
}

#define OF_L3 .scope = UNC_SIM_OF_L3
#define MASK  .base = cbm_all, .writable = UINT32_MAX, .write = mask_write
#define AMD_LIMIT                                                                                                      \
	.block = 0xffff, OF_L3, .exists = is_offered, .base = amd_unlimited, .writable = UINT32_MAX, .write = amd_write

/* What the state keeps of a register depends on its position here: a row goes to the end of its part. */
static const struct unc_sim_msr_reg regs[] = {
	/* allocation */
	{.first = L3_QOS_CFG, OF_L3, .exists = l3_cfg_exists, .writable = 1},
	{L3_MASK_0, 0xffff, OF_L3, .exists = is_offered, MASK},
	{L2_MASK_0, 0xff, .exists = is_offered, MASK}, /* on silicon, one for each core */
	{MBA_0, 0xffff, OF_L3, .exists = is_offered, .writable = 0xfff, .write = mba_write},
	{.first = AMD_MBA_0, AMD_LIMIT},
	{.first = AMD_SMBA_0, AMD_LIMIT},

	/* time; writes of the TSC are not modelled */
	{.first = 0x10, ALL, .base = tsc},
	{.first = 0xe7, ALL, .base = mperf, .counts = true, .writable = UINT64_MAX}, /* IA32_MPERF */
	{.first = 0xe8, ALL, .base = aperf, .counts = true, .writable = UINT64_MAX}, /* IA32_APERF */

	/* identification */
	{.first = 0x17, ALL}, /* IA32_PLATFORM_ID */
	{.first = 0x34, ALL}, /* MSR_SMI_COUNT */
	/* IA32_BIOS_SIGN_ID: software writes 0, executes CPUID and reads it (SDM vol. 3, 9.11) */
	{.first = 0x8b, ALL, .base = microcode, .takes = UINT64_MAX},
	{.first = 0xce, ALL, OF_PKG, .base = platform_info},
	{.first = 0x300, .on = UNC_SIM_ON_SKYLAKES, OF_PKG, .base = cpu_bus_number},

	/* IA32_MISC_ENABLE: fast strings 0, TCC 3, monitoring 7, SpeedStep 16, MONITOR 18, xTPR 23; + CPUID limit 22,
	 * no execution 34, turbo off 38 */
	{.first = 0x1a0, ALL, .reset = 0x850089, .writable = 0xc50001 | BIT(34) | BIT(38)},
	{.first = 0x1a4, ALL, .writable = 0xf},              /* MISC_FEATURE_CONTROL: prefetchers */
	{0x1a6, 3, ALL, .writable = UINT64_C(0x3fffff8fff)}, /* OFFCORE_RSP_0, 1 (Linux) */

	/* ratios */
	{.first = 0x198, ALL, .base = perf_status},
	{.first = 0x199, ALL, .writable = 0xffff | BIT(32)}, /* IA32_PERF_CTL */
	{.first = 0x1ad, ALL, OF_PKG, .base = turbo_ratios},
	{.first = 0x1ae, .on = UNC_SIM_ON_IVT | UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS, OF_PKG, .base = turbo_ratios},
	{.first = 0x1af, .on = UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS, OF_PKG, .base = turbo_ratios},
	{.first = 0x1ae, .on = UNC_SIM_ON_SKYLAKES | UNC_SIM_ON_LAKES, OF_PKG, .reset = TURBO_CORES},
	{.first = 0x1b0, ALL, .reset = 6, .writable = 0xf}, /* IA32_ENERGY_PERF_BIAS */
	/* UNCORE_RATIO_LIMIT, UNCORE_PERF_STATUS */
	{.first = 0x620,
	 LATER | UNC_SIM_ON_CLIENT,
	 OF_PKG,
	 .exists = uncore_exists,
	 .reset = 0x0c18,
	 .writable = 0x7f7f},
	{.first = 0x621, .on = UNCORE_STATUS, OF_PKG, .exists = uncore_exists, .base = uncore_ratio},

	/* temperature */
	{.first = 0x19c, ALL, .base = therm_status},
	{.first = 0x1a2, ALL, OF_PKG, .reset = 95 << 16},                     /* TEMPERATURE_TARGET */
	{.first = 0x1b1, ALL, OF_PKG, .reset = BIT(31) | BIT(27) | 38 << 16}, /* package, as 0x19c */

	/* energy: limits, energy, throttled time, possible powers */
	{.first = 0x606, ALL, OF_PKG, .base = rapl_unit},
	{.first = 0x610, ALL, OF_PKG, .writable = UINT64_C(0x00ffffff00ffffff)},
	{.first = 0x611, ALL, OF_PKG, .base = energy, .watts = 90, .more_watts = 5},
	{.first = 0x613, ALL, OF_PKG},
	{.first = 0x614, ALL, OF_PKG, .reset = 150 * 8 | 70 * 8 << 16 | UINT64_C(300) * 8 << 32},
	{.first = 0x618, ALL, OF_PKG, .writable = 0xffffff},
	{.first = 0x619, ALL, OF_PKG, .base = energy, .watts = 20, .more_watts = 1, .esu = 16},
	{.first = 0x61b, ALL, OF_PKG},
	{.first = 0x61c, ALL, OF_PKG, .reset = 40 * 8 | 10 * 8 << 16 | UINT64_C(80) * 8 << 32},
	{.first = 0x638, FIRST, OF_PKG, .writable = 0xffffff}, /* the cores' plane */
	{.first = 0x639, FIRST, OF_PKG, .base = energy, .watts = 60, .more_watts = 5},
	{.first = 0x63a, FIRST, OF_PKG, .writable = 0x1f},

	/* time in idle states */
	{.first = 0x60d, ALL, OF_PKG, .base = idle, .reset = 32}, /* package C2 */
	{.first = 0x3f8, ALL, OF_PKG, .base = idle, .reset = 16}, /* C3 */
	{.first = 0x3f9, ALL, OF_PKG, .base = idle, .reset = 8},  /* C6 */
	{.first = 0x3fa, ALL, OF_PKG},                            /* C7: never entered */
	{.first = 0x3fc, ALL, .base = idle, .reset = 10},         /* core C3 */
	{.first = 0x3fd, ALL, .base = idle, .reset = 4},          /* C6 */
	{.first = 0x3fe, ALL},                                    /* C7: never entered */

	/* counters of the core */
	{IA32_PMC0, 0xff, ALL, .exists = pmc_exists, .write = pmc_write},
	{IA32_PERFEVTSEL0, 0xff, FIRST, .writable = BITS_32, .exists = pmc_exists},
	/* also bits 33:32, counting in transactions */
	{IA32_PERFEVTSEL0, 0xff, LATER, .writable = BITS_32 | UINT64_C(3) << 32, .exists = pmc_exists},
	{IA32_FIXED_CTR0, 7, ALL, .base = fixed_ctr, .counts = true, .writable = CTR_BITS},
	{.first = 0x345, ALL, .base = perf_capabilities},
	{.first = IA32_FIXED_CTR0 + 3, LAKES, .base = fixed_ctr, .counts = true, .writable = CTR_BITS},
	{.first = IA32_FIXED_CTR_CTRL, BEFORE_LAKES, .writable = 0xfff, FIXED},
	{.first = IA32_FIXED_CTR_CTRL, LAKES, .writable = 0xffff, FIXED},
	{.first = 0x38e, ALL}, /* IA32_PERF_GLOBAL_STATUS: nothing ever overflows */
	{IA32_PERF_GLOBAL_CTRL, ALL, .base = global_ctrl, .writable = PMCS_FIXED(4) | 0xff, .write = global_ctrl_write,
	 FIXED},
	/* IA32_PERF_GLOBAL_OVF_CTRL: + trace 55, uncore 61, buffer 62, changed 63 */
	{.first = 0x390, BEFORE_LAKES, .takes = PMCS_FIXED(3) | 0xff | BIT(55) | UINT64_C(7) << 61},
	{.first = 0x390, LAKES, .takes = PMCS_FIXED(4) | 0xff | BIT(55) | UINT64_C(7) << 61},
	{.first = 0x3f1, ALL, .writable = UINT64_C(0xf) << 32 | 0xf | BIT(63)}, /* IA32_PEBS_ENABLE */
	{.first = 0x3f6, ALL, .writable = 0xffff},                              /* PEBS_LD_LAT_THRESHOLD */

	/* uncore PMON */
	/* U_MSR_PMON_GLOBAL_CTL */
	{.first = 0xc00, IVT_UNCORE, FREEZE, .ctrs = FIRST_UCLK_CTL + 1, .n_ctrs = 1},
	{.first = 0x700, LAKE_UNCORE, FREEZE, .ctrs = LATER_UCLK_CTL + 1, .n_ctrs = 1},
	{.first = 0x2ff0, .on = UNC_SIM_ON_SPR, OF_PKG, FREEZE},
	/* GLOBAL_STATUS, where writing 1 clears, and GLOBAL_CONFIG, to which LIKWID writes ones: no bit is ever set */
	{0xc01, 1 | 1 << 5, IVT_UNCORE, .takes = UINT64_MAX},
	{0x701, 3, LAKE_UNCORE, .takes = UINT64_MAX},

	/* the U-box: fixed control and counter, CTL0 and 1, CTR0 and 1; from Haswell on a status register comes before CTL0 */
	{.first = FIRST_UCLK_CTL, FIRST_UNCORE, .writable = BITS_32, .n_ctrs = 1},
	{.first = FIRST_UCLK_CTL + 1, FIRST_UNCORE, .base = uclk, .counts = true, .writable = CTR_BITS},
	{0xc10, 0xc3, FIRST_UNCORE, .writable = CTR_BITS},
	{.first = LATER_UCLK_CTL, LAKE_UNCORE, .writable = BITS_32, .n_ctrs = 1},
	{.first = LATER_UCLK_CTL + 1, LAKE_UNCORE, .base = uclk, .counts = true, .writable = CTR_BITS},
	{0x705, 3 | 7 << 3, LAKE_UNCORE, .writable = CTR_BITS},
	/* filter: Linux has it for Haswell only */
	{.first = 0x707, .on = UNC_SIM_ON_HSX, OF_PKG, .writable = CTR_BITS},

	/* the PCU: control; CTL0 to 3, filter; CTR0 to 3; from Haswell on one after the other, with a status register */
	{.first = 0xc24, FIRST_UNCORE, .writable = BITS_32},
	{0xc30, 0x1f | 0xf << 6, FIRST_UNCORE, .writable = CTR_BITS},
	{0x710, 0x7ff, LATER_UNCORE, .writable = CTR_BITS},

	/* C-boxes; on Skylake CHAs */
	{0xd04, FIRST_CBO, 0x20, 8, UNC_SIM_ON_SNBEP, UNC_SIM_OF_PACKAGE, .writable = CTR_BITS},
	{0xd04, IVT_CBO, 0x20, 15, IVT_UNCORE, .writable = CTR_BITS},
	{0xe00, LATER_CBO, 0x10, 18, UNC_SIM_ON_HSX, UNC_SIM_OF_PACKAGE, .writable = CTR_BITS},
	{0xe00, LATER_CBO, 0x10, 24, UNC_SIM_ON_BDX, UNC_SIM_OF_PACKAGE, .writable = CTR_BITS},
	{0xe00, LATER_CBO, 0x10, 8, UNC_SIM_ON_BDXDE, UNC_SIM_OF_PACKAGE, .writable = CTR_BITS},
	{0xe00, LATER_CBO, 0x10, 28, SKX_UNCORE, .writable = CTR_BITS},

	/* S-boxes; IIO and IRP */
	{0x720, 0x3ff, 10, 4, UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS, UNC_SIM_OF_PACKAGE, .writable = CTR_BITS},
	{0xa40, 0xffff, 0x20, 6, SKX_UNCORE, .writable = CTR_BITS},
	{0xa58, 0xff, 0x20, 6, SKX_UNCORE, .writable = CTR_BITS},

	/* the U-box of later parts */
	{.first = SNR_UCLK_CTL, SNR_UNCORE, .writable = BITS_32, .n_ctrs = 1},
	{.first = SNR_UCLK_CTL + 1, SNR_UNCORE, .base = uclk, .counts = true, .writable = CTR_BITS},
	{.first = GRR_UCLK_CTL, GNR_UNCORE, .writable = BITS_32, .n_ctrs = 1},
	{.first = GRR_UCLK_CTL + 1, GNR_UNCORE, .base = uclk, .counts = true, .writable = CTR_BITS},
	{.first = GNR_UCLK_CTL, GNR_UNCORE, .writable = BITS_32, .ctrs = GNR_UCLK_CTL - 1, .n_ctrs = 1},
	{.first = GNR_UCLK_CTL - 1, GNR_UNCORE, .base = uclk, .counts = true, .writable = CTR_BITS},

	/* AMD */
	{.first = 0x10, ZENS, .base = tsc},
	{.first = 0xe7, ZENS, .base = mperf, .counts = true, .writable = UINT64_MAX},
	{.first = 0xe8, ZENS, .base = aperf, .counts = true, .writable = UINT64_MAX},
	{.first = 0x8b, ZENS, .reset = 0x08301055},           /* PATCH_LEVEL */
	{.first = 0xc0010015, ZENS, .reset = BIT(24) | 0x11}, /* HWCR: the TSC always runs at the rate of P0 (24) */
	{.first = 0xc0010061, ZENS},                          /* P-state limit, control, status: P0 */
	{.first = 0xc0010062, ZENS, .writable = 7},
	{.first = 0xc0010063, ZENS},
	{.first = 0xc0010064, ZENS, .base = pstate},
	/* energy: 3:0 power in 1/8 W; 12:8 energy; 19:16 time in 1/1024 s */
	{.first = 0xc0010299, ZENS, .reset = 3 | ENERGY_UNIT << 8 | 10 << 16},
	{.first = 0xc001029a, ZENS, .base = energy, .watts = 2, .esu = ENERGY_UNIT},
	{.first = 0xc001029b, ZENS, OF_PKG, .base = energy, .watts = 120, .more_watts = 5, .esu = ENERGY_UNIT},
	{IBS_FETCH_CTL, 0x3fff, ZENS, .base = ibs, .exists = ibs_exists},
};

const struct unc_sim_msr_table unc_sim_msr_regs = {regs, UNC_SIM_N(regs)};

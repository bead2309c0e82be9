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

#define BIT(n)     (UINT64_C(1) << (n))
#define N(table)   (sizeof(table) / sizeof((table)[0]))
#define BUS_HZ     UINT64_C(100000000) /* clock of ratio 1 */
#define BITS_32    UINT64_C(0xffffffff)
#define CTR_BITS   (BIT(48) - 1) /* CPUID 0xa EAX 23:16, EDX 12:5 */
#define N_FIXED    3u
#define PMCS_FIXED (UINT64_C(7) << 32) /* in PERF_GLOBAL_*: bits 34:32 */

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

	while (i + 1 < N(parts) && parts[i].on != on)
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

/* Skylake-SP: the number of active cores up to which each ratio of 0x1ad applies. */
static uint64_t turbo_cores(const struct unc_sim_msr *at)
{
	uint64_t cores = 0, i;

	(void)at;
	for (i = 0; i < 8; i++)
		cores |= 4 * (i + 1) << 8 * i;
	return cores;
}

/* 3:0 power in 1/8 W; 12:8 energy; 19:16 time in 1/1024 s */
static uint64_t rapl_unit(const struct unc_sim_msr *at)
{
	return 3 | (uint64_t)part_of(at)->esu << 8 | UINT64_C(10) << 16;
}

static uint64_t energy(const struct unc_sim_msr *at, uint64_t watts, unsigned esu)
{
	return unc_sim_msr_ticks(watts << esu, at->t_ns) & BITS_32;
}

static uint64_t package_energy(const struct unc_sim_msr *at)
{
	return energy(at, 90 + 5 * at->cpu->package, part_of(at)->esu);
}

static uint64_t core_energy(const struct unc_sim_msr *at)
{
	return energy(at, 60 + 5 * at->cpu->package, part_of(at)->esu);
}

/* The unit is always 15.3 uJ, even where 0x606 says otherwise (Linux, intel_rapl: Haswell-EP and later). */
static uint64_t dram_energy(const struct unc_sim_msr *at)
{
	return energy(at, 20 + at->cpu->package, 16);
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
	struct unc_cpuid_regs regs;
	unsigned n;

	unc_sim_cpuid(at->sim, at->cpu, 0xa, 0, &regs);
	n = regs.eax >> 8 & 0xff;
	return n < MAX_PMCS ? n : MAX_PMCS;
}

static bool pmc_exists(const struct unc_sim_msr *at)
{
	uint32_t first = at->number < IA32_PERFEVTSEL0 ? IA32_PMC0 : IA32_PERFEVTSEL0;

	return at->number - first < n_pmcs(at);
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

/* FIXED_CTR_CTRL has four bits for each counter, where 1:0 enable rings; PERF_GLOBAL_CTRL has one bit, from 32 on. */
static bool fixed_enabled(const struct unc_sim_msr *at, unsigned i)
{
	struct unc_sim_msr ctrl = unc_sim_msr_beside(at, IA32_FIXED_CTR_CTRL);
	struct unc_sim_msr global = unc_sim_msr_beside(at, IA32_PERF_GLOBAL_CTRL);

	return unc_sim_msr_value(&ctrl) >> 4 * i & 3 && unc_sim_msr_value(&global) >> (32 + i) & 1;
}

/* Instructions, cycles of the core, cycles of the TSC. */
static uint64_t fixed_ctr(const struct unc_sim_msr *at)
{
	unsigned i = at->number - IA32_FIXED_CTR0;
	const uint64_t hz[N_FIXED] = {core_hz(at) / 5 * 4, core_hz(at), tsc_hz(at)};

	return fixed_enabled(at, i) ? unc_sim_msr_ticks(hz[i], at->t_ns) : 0;
}

/* Writes a register that starts and stops counters; they keep their counts. */
static bool fixed_ctrl_write(const struct unc_sim_msr *at, uint64_t value)
{
	struct unc_sim_msr ctr;
	uint64_t counted[N_FIXED];
	unsigned i;
	bool taken;

	for (i = 0; i < N_FIXED; i++) {
		ctr = unc_sim_msr_beside(at, IA32_FIXED_CTR0 + i);
		counted[i] = unc_sim_msr_value(&ctr);
	}
	taken = unc_sim_msr_keep(at, value);
	for (i = 0; i < N_FIXED; i++) {
		ctr = unc_sim_msr_beside(at, IA32_FIXED_CTR0 + i);
		unc_sim_msr_keep(&ctr, counted[i]);
	}
	return taken;
}

static bool global_ctrl_write(const struct unc_sim_msr *at, uint64_t value)
{
	return !(value & ~(PMCS_FIXED | global_ctrl(at))) && fixed_ctrl_write(at, value);
}

/* 63 valid; a byte for each of a socket's buses (Linux, uncore_snbep.c) */
static uint64_t cpu_bus_number(const struct unc_sim_msr *at)
{
	enum { BUSES = 4 };
	uint64_t buses = BIT(63);
	uint32_t domain;
	unsigned slot;
	uint8_t bus;

	for (slot = 0; slot < BUSES; slot++) {
		at->sim->options.model->bus(&at->sim->options, at->cpu->package, slot, &domain, &bus);
		buses |= (uint64_t)bus << 8 * slot;
	}
	return buses;
}

#define ALL    .on = UNC_SIM_ON_ALL | UNC_SIM_ON_LAKES
#define FIRST  .on = UNC_SIM_ON_FIRST
#define LATER  .on = UNC_SIM_ON_LATER | UNC_SIM_ON_LAKES
#define OF_PKG .scope = UNC_SIM_OF_PACKAGE

static const struct unc_sim_msr_reg regs[] = {
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
	{.first = 0x1a4, ALL, .writable = 0xf},                                /* MISC_FEATURE_CONTROL: prefetchers */
	{.first = 0x1a6, .block = 3, ALL, .writable = UINT64_C(0x3fffff8fff)}, /* OFFCORE_RSP_0, 1 (Linux) */

	/* ratios */
	{.first = 0x198, ALL, .base = perf_status},
	{.first = 0x199, ALL, .writable = 0xffff | BIT(32)}, /* IA32_PERF_CTL */
	{.first = 0x1ad, ALL, OF_PKG, .base = turbo_ratios},
	{.first = 0x1ae, .on = UNC_SIM_ON_IVT | UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS, OF_PKG, .base = turbo_ratios},
	{.first = 0x1af, .on = UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS, OF_PKG, .base = turbo_ratios},
	{.first = 0x1ae, .on = UNC_SIM_ON_SKYLAKES | UNC_SIM_ON_LAKES, OF_PKG, .base = turbo_cores},
	{.first = 0x1b0, ALL, .reset = 6, .writable = 0xf},                   /* IA32_ENERGY_PERF_BIAS */
	{.first = 0x620, LATER, OF_PKG, .reset = 0x0c18, .writable = 0x7f7f}, /* UNCORE_RATIO_LIMIT */

	/* temperature */
	{.first = 0x19c, ALL, .base = therm_status},
	{.first = 0x1a2, ALL, OF_PKG, .reset = 95 << 16},                     /* TEMPERATURE_TARGET */
	{.first = 0x1b1, ALL, OF_PKG, .reset = BIT(31) | BIT(27) | 38 << 16}, /* package, as 0x19c */

	/* energy: limits, energy, throttled time, possible powers */
	{.first = 0x606, ALL, OF_PKG, .base = rapl_unit},
	{.first = 0x610, ALL, OF_PKG, .writable = UINT64_C(0x00ffffff00ffffff)},
	{.first = 0x611, ALL, OF_PKG, .base = package_energy},
	{.first = 0x613, ALL, OF_PKG},
	{.first = 0x614, ALL, OF_PKG, .reset = 150 * 8 | 70 * 8 << 16 | UINT64_C(300) * 8 << 32},
	{.first = 0x618, ALL, OF_PKG, .writable = 0xffffff},
	{.first = 0x619, ALL, OF_PKG, .base = dram_energy},
	{.first = 0x61b, ALL, OF_PKG},
	{.first = 0x61c, ALL, OF_PKG, .reset = 40 * 8 | 10 * 8 << 16 | UINT64_C(80) * 8 << 32},
	{.first = 0x638, FIRST, OF_PKG, .writable = 0xffffff}, /* the cores' plane */
	{.first = 0x639, FIRST, OF_PKG, .base = core_energy},
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
	{.first = IA32_PMC0, .block = 0xff, ALL, .exists = pmc_exists, .write = pmc_write},
	{.first = IA32_PERFEVTSEL0, .block = 0xff, FIRST, .writable = BITS_32, .exists = pmc_exists},
	/* also bits 33:32, counting in transactions */
	{.first = IA32_PERFEVTSEL0,
	 .block = 0xff,
	 LATER,
	 .writable = BITS_32 | UINT64_C(3) << 32,
	 .exists = pmc_exists},
	{.first = IA32_FIXED_CTR0, .block = 7, ALL, .base = fixed_ctr, .counts = true, .writable = CTR_BITS},
	{.first = 0x345, ALL, .base = perf_capabilities},
	{.first = IA32_FIXED_CTR_CTRL, ALL, .writable = 0xfff, .write = fixed_ctrl_write},
	{.first = 0x38e, ALL}, /* IA32_PERF_GLOBAL_STATUS: nothing ever overflows */
	{.first = IA32_PERF_GLOBAL_CTRL,
	 ALL,
	 .base = global_ctrl,
	 .writable = PMCS_FIXED | 0xff,
	 .write = global_ctrl_write},
	/* IA32_PERF_GLOBAL_OVF_CTRL: + trace 55, uncore 61, buffer 62, changed 63 */
	{.first = 0x390, ALL, .takes = PMCS_FIXED | 0xff | BIT(55) | UINT64_C(7) << 61},
	{.first = 0x3f1, ALL, .writable = UINT64_C(0xf) << 32 | 0xf | BIT(63)}, /* IA32_PEBS_ENABLE */
	{.first = 0x3f6, ALL, .writable = 0xffff},                              /* PEBS_LD_LAT_THRESHOLD */
};

const struct unc_sim_msr_table unc_sim_msr_platform = {regs, N(regs)};

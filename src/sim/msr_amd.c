// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The registers of AMD's cores and packages that measuring tools read when they start: time, P-states, energy. Numbers
 * and bits: AMD64 Architecture Programmer's Manual, vol. 2, and Linux, arch/x86/include/asm/msr-index.h. Values are
 * plausible and made up, except the base frequency.
 */
#include "sim/msr.h"

#define BIT(n) (UINT64_C(1) << (n))

enum { ENERGY_UNIT = 16 }; /* 1 / 2^16 J */

static uint64_t tsc_hz(const struct unc_sim_msr *at)
{
	return at->sim->options.model->tsc_hz;
}

static uint64_t tsc(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(tsc_hz(at), UNC_SIM_RAW_AT_START_NS + at->t_ns);
}

static uint64_t mperf(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(tsc_hz(at), at->t_ns);
}

/* Cores run slightly faster than the base frequency. */
static uint64_t aperf(const struct unc_sim_msr *at)
{
	return unc_sim_msr_ticks(tsc_hz(at) + 100000000, at->t_ns);
}

/* 7:0 multiplier, 13:8 divisor: 200 MHz * multiplier / divisor; 63 valid */
static uint64_t pstate(const struct unc_sim_msr *at)
{
	return tsc_hz(at) / 25000000 | 8 << 8 | BIT(63);
}

static uint64_t energy(const struct unc_sim_msr *at, uint64_t watts)
{
	return unc_sim_msr_ticks(watts << ENERGY_UNIT, at->t_ns) & UINT32_MAX;
}

static uint64_t core_energy(const struct unc_sim_msr *at)
{
	return energy(at, 2);
}

static uint64_t package_energy(const struct unc_sim_msr *at)
{
	return energy(at, 120 + 5 * at->cpu->package);
}

#define ZENS .on = UNC_SIM_ON_ZENS

static const struct unc_sim_msr_reg regs[] = {
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
	{.first = 0xc001029a, ZENS, .base = core_energy},
	{.first = 0xc001029b, ZENS, .scope = UNC_SIM_OF_PACKAGE, .base = package_energy},
};

const struct unc_sim_msr_table unc_sim_msr_amd = {regs, sizeof(regs) / sizeof(regs[0])};

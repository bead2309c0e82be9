// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uncore PMON registers that are MSRs: the global freeze, the clock counter of the U-box, and, as plain memory, the
 * other boxes that tools program or clear. The counters of those keep what was written, as if nothing ever happened
 * there; their reserved bits are not modelled.
 *
 * Numbers: Linux arch/x86/events/intel/uncore_snbep.c, LIKWID, PCM; for the freeze also G-IVT, Intel 329468-002, uncore
 * guide for the E5 v2 and E7 v2.
 */
#include "sim/msr.h"

#define N(table) (sizeof(table) / sizeof((table)[0]))
#define BIT(n)   (UINT64_C(1) << (n))

#define CTL_BITS UINT64_C(0xffffffff)
#define CTR_BITS (BIT(48) - 1)

#define UCLK_HZ UINT64_C(2000000000)
#define UCLK_EN BIT(22)

enum { FIRST_UCLK_CTL = 0xc08, LATER_UCLK_CTL = 0x703 }; /* the counter is the next register */

static struct unc_sim_package *package_of(const struct unc_sim_msr *at)
{
	return &at->sim->store.state->packages[at->cpu->package];
}

static uint32_t uclk_ctl(const struct unc_sim_msr *at)
{
	bool first = at->sim->options.model->on & UNC_SIM_ON_FIRST;

	return first ? FIRST_UCLK_CTL : LATER_UCLK_CTL;
}

/* Cycles of the U-box; they stop while all boxes are frozen. */
static uint64_t uclk(const struct unc_sim_msr *at)
{
	struct unc_sim_msr ctl = unc_sim_msr_beside(at, uclk_ctl(at));
	bool runs = unc_sim_msr_value(&ctl) & UCLK_EN && !package_of(at)->frozen;

	return runs ? unc_sim_msr_ticks(UCLK_HZ, at->t_ns) : 0;
}

/* Writes the U-box's control, which starts and stops the counter; the counter keeps its count. */
static bool uclk_ctl_write(const struct unc_sim_msr *at, uint64_t value)
{
	struct unc_sim_msr ctr = unc_sim_msr_beside(at, at->number + 1);
	uint64_t counted = unc_sim_msr_value(&ctr);
	bool taken = unc_sim_msr_keep(at, value);

	unc_sim_msr_keep(&ctr, counted);
	return taken;
}

static void set_frozen(const struct unc_sim_msr *at, bool frozen)
{
	struct unc_sim_msr ctr = unc_sim_msr_beside(at, uclk_ctl(at) + 1);
	uint64_t counted = unc_sim_msr_value(&ctr);

	package_of(at)->frozen = frozen;
	unc_sim_msr_keep(&ctr, counted);
	unc_sim_imc_freeze_all(at->sim, at->cpu->package, frozen, at->t_ns);
}

static bool freeze_exists(const struct unc_sim_msr *at)
{
	return at->number == at->sim->options.model->freeze.msr;
}

static uint64_t freeze_base(const struct unc_sim_msr *at)
{
	bool reads = at->sim->options.frz_rw && package_of(at)->frozen;

	return reads ? at->sim->options.model->freeze.frz_all : 0;
}

/* frz_all and unfrz_all are commands and read 0, unless frz=rw. No source says which one wins: here frz_all does. */
static bool freeze_write(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_freeze *freeze = &at->sim->options.model->freeze;

	if (value & ~(freeze->frz_all | freeze->unfrz_all | freeze->writable))
		return false;
	*at->kept = value & freeze->writable;
	if (value & (freeze->frz_all | freeze->unfrz_all))
		set_frozen(at, value & freeze->frz_all);
	return true;
}

#define OF_PKG .scope = UNC_SIM_OF_PACKAGE
#define FIRST  .on = UNC_SIM_ON_FIRST, OF_PKG
#define IVT    .on = UNC_SIM_ON_IVT, OF_PKG
#define LATER  .on = UNC_SIM_ON_LATER, OF_PKG
#define SKX    .on = UNC_SIM_ON_SKYLAKES, OF_PKG

/* A C-box: control; CTL0 to 3 from +0xc, followed by a filter; CTR0 to 3 from +0x12, followed by filter 1. */
#define FIRST_CBO (1 | 0x1fu << 12 | 0xfu << 18)
#define IVT_CBO   (FIRST_CBO | 1u << 22)
/* Control, CTL0 to 3, filters, status at +7, CTR0 to 3. */
#define LATER_CBO 0xfffu

static const struct unc_sim_msr_reg regs[] = {
	/* U_MSR_PMON_GLOBAL_CTL */
	{.first = 0xc00, IVT, .exists = freeze_exists, .base = freeze_base, .write = freeze_write},
	{.first = 0x700, LATER, .exists = freeze_exists, .base = freeze_base, .write = freeze_write},
	/* GLOBAL_STATUS, where writing 1 clears, and GLOBAL_CONFIG, to which LIKWID writes ones: no bit is ever set */
	{.first = 0xc01, .block = 1 | 1 << 5, IVT, .takes = UINT64_MAX},
	{.first = 0x701, .block = 3, LATER, .takes = UINT64_MAX},

	/* the U-box: fixed control and counter, CTL0 and 1, CTR0 and 1; from Haswell on a status register comes before CTL0 */
	{.first = FIRST_UCLK_CTL, FIRST, .writable = CTL_BITS, .write = uclk_ctl_write},
	{.first = FIRST_UCLK_CTL + 1, FIRST, .base = uclk, .counts = true, .writable = CTR_BITS},
	{.first = 0xc10, .block = 0xc3, FIRST, .writable = CTR_BITS},
	{.first = LATER_UCLK_CTL, LATER, .writable = CTL_BITS, .write = uclk_ctl_write},
	{.first = LATER_UCLK_CTL + 1, LATER, .base = uclk, .counts = true, .writable = CTR_BITS},
	{.first = 0x705, .block = 3 | 7 << 3, LATER, .writable = CTR_BITS},
	{.first = 0x707,
	 .on = UNC_SIM_ON_HSX,
	 OF_PKG,
	 .writable = CTR_BITS}, /* filter: Linux has it for Haswell only */

	/* the PCU: control; CTL0 to 3, filter; CTR0 to 3; from Haswell on one after the other, with a status register */
	{.first = 0xc24, FIRST, .writable = CTL_BITS},
	{.first = 0xc30, .block = 0x1f | 0xf << 6, FIRST, .writable = CTR_BITS},
	{.first = 0x710, .block = 0x7ff, LATER, .writable = CTR_BITS},

	/* C-boxes; on Skylake CHAs */
	{.first = 0xd04,
	 .block = FIRST_CBO,
	 .step = 0x20,
	 .n = 8,
	 .on = UNC_SIM_ON_SNBEP,
	 OF_PKG,
	 .writable = CTR_BITS},
	{.first = 0xd04, .block = IVT_CBO, .step = 0x20, .n = 15, IVT, .writable = CTR_BITS},
	{.first = 0xe00, .block = LATER_CBO, .step = 0x10, .n = 18, .on = UNC_SIM_ON_HSX, OF_PKG, .writable = CTR_BITS},
	{.first = 0xe00, .block = LATER_CBO, .step = 0x10, .n = 24, .on = UNC_SIM_ON_BDX, OF_PKG, .writable = CTR_BITS},
	{.first = 0xe00,
	 .block = LATER_CBO,
	 .step = 0x10,
	 .n = 8,
	 .on = UNC_SIM_ON_BDXDE,
	 OF_PKG,
	 .writable = CTR_BITS},
	{.first = 0xe00, .block = LATER_CBO, .step = 0x10, .n = 28, SKX, .writable = CTR_BITS},

	/* S-boxes; IIO and IRP */
	{.first = 0x720,
	 .block = 0x3ff,
	 .step = 10,
	 .n = 4,
	 .on = UNC_SIM_ON_HSX | UNC_SIM_ON_BROADWELLS,
	 OF_PKG,
	 .writable = CTR_BITS},
	{.first = 0xa40, .block = 0xffff, .step = 0x20, .n = 6, SKX, .writable = CTR_BITS},
	{.first = 0xa58, .block = 0xff, .step = 0x20, .n = 6, SKX, .writable = CTR_BITS},
};

const struct unc_sim_msr_table unc_sim_msr_uncore = {regs, N(regs)};

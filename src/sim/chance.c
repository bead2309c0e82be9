// SPDX-License-Identifier: GPL-2.0-or-later
/* What varies or disturbs a machine by its keys: seed=, mbm_erratum= and abmc=, sleep= and freeze=. */

#include "sim/chance.h"
#include "sim/msr.h"

enum {
	RARELY = 500, /* one access in this many is interrupted */
	PREEMPTED_LEAST_NS = 10000,
	PREEMPTED_MOST_NS = 60000,
	SELDOM = 5000, /* one access in this many waits for as long as another process has the CPU */
	WAITED_LEAST_NS = 1000000,
	WAITED_MOST_NS = 20000000,
	OVERSHOOT_MOST_NS = 100000,
	FRACTION_BITS = 20, /* fraction bits of a factor */
};

uint64_t unc_sim_chance(uint64_t seed, uint64_t nth)
{
	uint64_t z = seed + (nth + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/*
 * Returns this machine's next pseudo-random number, less than below, from one sequence that all openers share. ~seed
 * keeps it apart from the numbers of the default load.
 */
static uint64_t draw(struct unc_sim *sim, uint64_t below)
{
	return unc_sim_chance(~sim->options.seed, sim->store.state->draws++) % below;
}

void unc_sim_access_pass(struct unc_sim *sim)
{
	uint64_t ns = sim->options.dword_ns;

	if (!sim->options.step)
		return;
	if (sim->options.seeded && ns) {
		ns = ns / 2 + draw(sim, 5 * ns / 2 + 1);
		if (draw(sim, RARELY) == 0)
			ns += PREEMPTED_LEAST_NS + draw(sim, PREEMPTED_MOST_NS - PREEMPTED_LEAST_NS + 1);
		if (draw(sim, SELDOM) == 0)
			ns += WAITED_LEAST_NS + draw(sim, WAITED_MOST_NS - WAITED_LEAST_NS + 1);
	}
	unc_sim_state_pass(sim->store.state, ns);
}

uint64_t unc_sim_overshoot_ns(struct unc_sim *sim)
{
	return sim->options.seeded ? draw(sim, OVERSHOOT_MOST_NS + 1) : 0;
}

uint64_t unc_sim_varied(const struct unc_sim_options *options, uint64_t nth, uint64_t rate)
{
	const uint64_t half = UINT64_C(1) << (FRACTION_BITS - 1);

	if (!options->seeded)
		return rate;
	return (uint64_t)((unc_sim_wide)rate * (half + unc_sim_chance(options->seed, nth) % (half + 1)) >>
			  FRACTION_BITS);
}

/* Features and errata of some processors' cache monitoring that keys can choose. */

/* Leaf 1 EAX: family 6; models of Broadwell-EP, and of Skylake-SP, Cascade Lake and Cooper Lake, which share one. */
enum { FAMILY_6 = 6, BROADWELL_X = 0x4f, SKYLAKE_X = 0x55 };

enum { ABMC = 1 << 5 /* leaf 0x80000020.0 EBX: assignable bandwidth counters */ };

static struct unc_cpuid_regs cpuid(const struct unc_sim *sim, uint32_t leaf)
{
	struct unc_cpuid_regs regs;

	unc_sim_cpuid(sim, &sim->cpus[0], leaf, 0, &regs);
	return regs;
}

int unc_sim_quirks_init(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;
	bool intel = options->model->vendor == UNC_SIM_INTEL;
	uint32_t eax = cpuid(sim, 1).eax, model = (eax >> 4 & 0xf) | (eax >> 12 & 0xf0);

	sim->has_abmc = !intel && cpuid(sim, 0x80000000).eax >= 0x80000020 && cpuid(sim, 0x80000020).ebx & ABMC;
	/* The processors that Linux corrects: arch/x86/kernel/cpu/resctrl/monitor.c, intel_rdt_mbm_apply_quirk(). */
	sim->mbm_corrected = intel && (eax >> 8 & 0xf) == FAMILY_6 && (model == BROADWELL_X || model == SKYLAKE_X);
	sim->mbm_erratum = sim->mbm_corrected && options->mbm_erratum != UNC_SIM_NO;
	if (options->mbm_erratum == UNC_SIM_YES && !sim->mbm_erratum)
		return unc_sim_fail(sim, UNC_EARG,
				    "mbm_erratum=1: this processor does not have it; bdx, skx, clx and cpx have");
	if (options->abmc && !sim->has_abmc)
		return unc_sim_fail(sim, UNC_EARG,
				    "abmc=1: this processor has no assignable bandwidth counters; zen5 has");
	return UNC_OK;
}

/*
 * sleep=: Intel 327043-001, uncore guide for the E5-2600, section 2.5: DCLK stops in package C3 and C6. freeze=:
 * another program freezes a channel by its BOX_CTL, or a socket by U_MSR_PMON_GLOBAL_CTL (G-IVT, LIKWID), and does not
 * release it.
 */

enum { BOX_CTL = 0xf4 };
#define BOX_FRZ    UINT32_C(0x00100)
#define BOX_FRZ_EN UINT32_C(0x10000)

uint64_t unc_sim_awake_ns(const struct unc_sim_options *options, unsigned socket, uint64_t t_ns)
{
	uint64_t slept_ns = 0;

	for (size_t i = 0; i < options->n_sleeps; i++) {
		const struct unc_sim_sleep *sleep = &options->sleeps[i];

		if (sleep->socket == socket && t_ns > sleep->from_ns)
			slept_ns += unc_sim_least(t_ns, sleep->until_ns) - sleep->from_ns;
	}
	return t_ns - slept_ns;
}

/* ---- freezing ---- */

/* NULL: where names no socket of this machine. */
static const struct unc_sim_cpu *cpu_of_socket(const struct unc_sim *sim, const char *where)
{
	for (size_t i = 0; i < sim->n_cpus; i++) {
		char name[32];

		snprintf(name, sizeof(name), "socket%u", sim->cpus[i].package);
		if (sim->cpus[i].online && !strcmp(name, where))
			return &sim->cpus[i];
	}
	return NULL;
}

static void freeze(struct unc_sim *sim, const char *where, uint64_t t_ns)
{
	const struct unc_sim_model *model = sim->options.model;
	struct unc_sim_cycle cycle = {
		.sim = sim, .place = unc_sim_channel_named(sim, where), .off = BOX_CTL, .t_ns = t_ns};

	if (cycle.place) {
		cycle.value = (model->pmon->box_frz ? model->pmon->box_frz : BOX_FRZ) |
			      (model->pmon->frz_needs_en ? BOX_FRZ_EN : 0) | model->pmon->box_ones;
		cycle.enabled = UINT32_MAX;
		cycle.by_kernel = true;
		unc_sim_cycle_write(&cycle);
	} else {
		struct unc_sim_msr msr = {.sim = sim,
					  .cpu = cpu_of_socket(sim, where),
					  .number = model->freeze.msr,
					  .t_ns = t_ns,
					  .by_kernel = true};

		unc_sim_msr_store(&msr, model->freeze.frz_all);
	}
}

void unc_sim_freezes_catch_up(struct unc_sim *sim)
{
	struct unc_sim_options *options = &sim->options;

	for (size_t i = 0; i < options->n_freezes; i++) {
		struct unc_sim_frozen *frozen = &options->freezes[i];

		if (frozen->done || unc_sim_state_now(sim->store.state) < frozen->from_ns)
			continue;
		frozen->done = true;
		freeze(sim, frozen->where, unc_sim_state_access_at(sim->store.state, frozen->from_ns));
	}
}

int unc_sim_stops_init(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;

	for (size_t i = 0; i < options->n_sleeps; i++)
		if (options->sleeps[i].socket >= options->sockets)
			return unc_sim_fail(sim, UNC_EARG, "sleep=%u: there are sockets 0 to %u",
					    options->sleeps[i].socket, options->sockets - 1);
	for (size_t i = 0; i < options->n_freezes; i++) {
		const char *where = options->freezes[i].where, *why = NULL;

		if (unc_sim_channel_named(sim, where) && options->model->pmon)
			continue;
		if (!cpu_of_socket(sim, where))
			why = "the machine has no such channel or socket";
		else if (!options->model->freeze.msr)
			why = "this processor has no register that freezes a socket";
		if (why)
			return unc_sim_fail(sim, UNC_EARG, "freeze=%.60s: %s", where, why);
	}
	return UNC_OK;
}

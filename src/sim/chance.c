// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/chance.h"

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

uint64_t unc_sim_access_ns(struct unc_sim *sim)
{
	uint64_t ns = sim->options.dword_ns;

	if (!sim->options.seeded || !ns)
		return ns;
	ns = ns / 2 + draw(sim, 5 * ns / 2 + 1);
	if (draw(sim, RARELY) == 0)
		ns += PREEMPTED_LEAST_NS + draw(sim, PREEMPTED_MOST_NS - PREEMPTED_LEAST_NS + 1);
	if (draw(sim, SELDOM) == 0)
		ns += WAITED_LEAST_NS + draw(sim, WAITED_MOST_NS - WAITED_LEAST_NS + 1);
	return ns;
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

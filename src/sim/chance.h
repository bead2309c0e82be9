/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What varies with seed=: it draws pseudo-random numbers, which are the same for the same seed. */
#ifndef UNC_SIM_CHANCE_H
#define UNC_SIM_CHANCE_H

#include "sim/computer.h"

/* Returns the nth number of a seed: splitmix64 (S. Vigna, public domain). */
uint64_t unc_sim_chance(uint64_t seed, uint64_t nth);

/* How long one access takes, and how much too long a sleep lasts, in ns, with clock=step. The caller holds the lock. */
uint64_t unc_sim_access_ns(struct unc_sim *sim);
uint64_t unc_sim_overshoot_ns(struct unc_sim *sim);

/*
 * Returns a rate of the default load between rate / 2 and rate; nth is a different number for each rate. Without seed=
 * it returns rate.
 */
uint64_t unc_sim_varied(const struct unc_sim_options *options, uint64_t nth, uint64_t rate);

#endif

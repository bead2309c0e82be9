/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What seed= has vary: pseudo-random numbers, the same ones for the same seed. */
#ifndef UNC_SIM_CHANCE_H
#define UNC_SIM_CHANCE_H

#include "sim/computer.h"

/* The nth of a seed: splitmix64 (S. Vigna, public domain). */
uint64_t unc_sim_chance(uint64_t seed, uint64_t nth);

/* How long an access takes; and how much longer than it should a sleep does.  clock=step; locked. */
uint64_t unc_sim_access_ns(struct unc_sim *sim);
uint64_t unc_sim_overshoot_ns(struct unc_sim *sim);

/* That rate of the default load, or half of it, or something between; nth: another number for each. */
uint64_t unc_sim_varied(const struct unc_sim_options *options, uint64_t nth, uint64_t rate);

#endif

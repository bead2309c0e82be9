/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What varies with seed=: it draws pseudo-random numbers, which are the same for the same seed. */
#ifndef UNC_SIM_CHANCE_H
#define UNC_SIM_CHANCE_H

#include "sim/computer.h"

/* Returns the nth number of a seed: splitmix64 (S. Vigna, public domain). */
uint64_t unc_sim_chance(uint64_t seed, uint64_t nth);

/* Lets the time of one access pass, with clock=step. The caller holds the lock. */
void unc_sim_access_pass(struct unc_sim *sim);
/* Returns how much too long a sleep lasts, in ns, with clock=step. The caller holds the lock. */
uint64_t unc_sim_overshoot_ns(struct unc_sim *sim);

/*
 * Returns a rate of the default load between rate / 2 and rate; nth is a different number for each rate. Without seed=
 * it returns rate.
 */
uint64_t unc_sim_varied(const struct unc_sim_options *options, uint64_t nth, uint64_t rate);

/* What stops counters, other than their user: sleep of a package, and other programs that freeze them. */

/*
 * Returns how long a socket was awake until t_ns. While its package sleeps deeply (C3, C6), the memory refreshes itself
 * and gets no commands, and DCLK is stopped; a channel's counters keep their values.
 */
uint64_t unc_sim_awake_ns(const struct unc_sim_options *options, unsigned socket, uint64_t t_ns);

/* Checks sleep= and freeze=. UNC_EARG: one names what this machine does not have. */
int unc_sim_stops_init(struct unc_sim *sim);
/* Does the freezes of freeze= that are due until now; the caller holds the lock. */
void unc_sim_freezes_catch_up(struct unc_sim *sim);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rate over time, constant from each step to the next, and its exact integral. */
#ifndef UNC_SIM_CURVE_H
#define UNC_SIM_CURVE_H

#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 unc_sim_wide;

/*
 * The arithmetic uses ticks that divide both a nanosecond and the clock periods of the modelled DRAM (DCLK, half the
 * transfer rate, G-JKT p.62): a cycle is 15 ticks of 1/12 ns at 800 MHz (DDR3-1600, DDR4-1600), and 10 at 1200 MHz
 * (DDR4-2400).
 */
#define UNC_SIM_TICKS_PER_NS 12u

/*
 * Machine time ends at 2^58 ns (9 years), which keeps every product below 2^128: the largest is 32 increments a cycle
 * at 1200 MHz, 3.84e16 millionths a second or 2^55.1, times 2^61.6 ticks, times UNC_SIM_WEIGHT of 2^10.
 */
#define UNC_SIM_TIME_MAX (UINT64_C(1) << 58)

/* Rates are kept in millionths per second. */
#define UNC_SIM_RATE_ONE UINT64_C(1000000)

struct unc_sim_step {
	uint64_t at_ns;
	uint64_t rate;       /* from at_ns on */
	unc_sim_wide before; /* the integral from 0 to at_ns, in rate * ticks */
	unsigned line;       /* line of the load file; 0: none */
};

struct unc_sim_curve {              /* all zero: the rate is always 0 */
	struct unc_sim_step *steps; /* at_ns ascends; the rate before the first is 0; owned */
	size_t n;
};

/* Adds a step; at_ns must be later than the last step. UNC_ENOMEM without a sentence. */
int unc_sim_curve_add(struct unc_sim_curve *curve, uint64_t at_ns, uint64_t rate, unsigned line);
/*
 * Raises the rate by delta from at_ns on; a negative delta lowers it. UNC_ENOMEM without a sentence, but never where a
 * step is at at_ns already.
 */
int unc_sim_curve_raise(struct unc_sim_curve *curve, uint64_t at_ns, uint64_t delta);
int unc_sim_curve_copy(const struct unc_sim_curve *from, struct unc_sim_curve *ret_curve);
void unc_sim_curve_clear(struct unc_sim_curve *curve);

/* Returns the integral from 0 to that time, in rate * ticks. */
unc_sim_wide unc_sim_curve_integral(const struct unc_sim_curve *curve, uint64_t tick);
/* Returns the rate right after that time. */
uint64_t unc_sim_curve_rate(const struct unc_sim_curve *curve, uint64_t tick);
/* Returns the time of the first later step, in ticks; UINT64_MAX: there is none. */
uint64_t unc_sim_curve_next(const struct unc_sim_curve *curve, uint64_t tick);

#endif

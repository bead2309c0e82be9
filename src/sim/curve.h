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
 * (DDR4-2400). AMD's is half of it with DDR5, too: 5 at 2400 MHz, 4 at 3000 MHz.
 */
#define UNC_SIM_TICKS_PER_NS 12u

/*
 * Machine time ends at 2^58 ns (9 years), which keeps every product below 2^128: the largest is 32 increments a cycle
 * at 1200 MHz, 3.84e16 millionths a second or 2^55.1, times 2^61.6 ticks, times UNC_SIM_WEIGHT of 2^10.
 */
#define UNC_SIM_TIME_MAX (UINT64_C(1) << 58)

/* Rates are kept in millionths per second. */
#define UNC_SIM_RATE_ONE UINT64_C(1000000)

static inline uint64_t unc_sim_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

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
/* Replaces what *to holds, which is cleared also after a failure. UNC_ENOMEM without a sentence. */
int unc_sim_curve_copy(const struct unc_sim_curve *from, struct unc_sim_curve *to);
void unc_sim_curve_clear(struct unc_sim_curve *curve);

/* Returns the integral from 0 to that time, in rate * ticks. */
unc_sim_wide unc_sim_curve_integral(const struct unc_sim_curve *curve, uint64_t tick);
/* Returns the rate right after that time. */
uint64_t unc_sim_curve_rate(const struct unc_sim_curve *curve, uint64_t tick);
/* Returns the time of the first later step, in ticks; UINT64_MAX: there is none. */
uint64_t unc_sim_curve_next(const struct unc_sim_curve *curve, uint64_t tick);

/*
 * What arrives at a counter: the occurrences of one event or of several sub-events together.
 *
 * Without a threshold the counter takes the sum of the parts, each of them exact: floor(integral of its rate).
 *
 * Threshold, invert and edge are about single DCLK cycles (G-JKT: increments per cycle are compared with thresh, then
 * inverted, then edges are detected). The model spreads the occurrences evenly: cycle k, from k to k + 1 cycles after
 * the machine's start, adds floor(I(k + 1)) - floor(I(k)), where I is the integral of the sum of the parts' rates. At a
 * constant average of a per cycle that is floor(a) or floor(a) + 1, in the most regular pattern. A cycle counts when it
 * has ended. All of it is calculated in closed form: no cycle is simulated by itself.
 */

enum {
	UNC_SIM_PARTS = 16,    /* the banks of a rank; a umask has only 8 bits */
	UNC_SIM_WEIGHT = 1024, /* the rate of a part is that of its curve times weight / 1024 */
};

/*
 * Counts floor(integral * whole) - floor(integral * less). With less a part is the rest that another part leaves, so
 * that the two together are exactly the whole (reads other than underfill reads).
 */
struct unc_sim_part {
	const struct unc_sim_curve *curve; /* not owned */
	uint16_t whole, less;
};

struct unc_sim_stream {
	struct unc_sim_part parts[UNC_SIM_PARTS];
	size_t n;
	unsigned ticks_per_cycle; /* ticks of a DCLK cycle */
	int off_ppm;              /* millionths that DCLK is too fast; a cycle then begins at the next whole tick */
};

/* Returns how many DCLK cycles have ended at that time; the clock is too fast by off_ppm millionths. */
uint64_t unc_sim_cycles(unsigned ticks_per_cycle, int off_ppm, uint64_t tick);
/* Returns the part's occurrences a second right after that time, in millionths times UNC_SIM_WEIGHT. */
unc_sim_wide unc_sim_part_rate(const struct unc_sim_part *part, uint64_t tick);
uint64_t unc_sim_part_count(const struct unc_sim_part *part, uint64_t t_ns);
/* Returns the sum of the parts' counts. */
uint64_t unc_sim_stream_count(const struct unc_sim_stream *stream, uint64_t t_ns);

struct unc_sim_cycle_counts {
	uint64_t hits;  /* cycles with an increment of at least thresh */
	uint64_t edges; /* hits whose previous cycle is not a hit */
};
/* Counts over all cycles that have ended; thresh must not be 0. */
struct unc_sim_cycle_counts unc_sim_stream_cycles(const struct unc_sim_stream *stream, unsigned thresh, uint64_t t_ns);

#endif

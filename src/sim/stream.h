/* SPDX-License-Identifier: GPL-2.0-or-later */
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
#ifndef UNC_SIM_STREAM_H
#define UNC_SIM_STREAM_H

#include "sim/curve.h"

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

/* Returns how many DCLK cycles have ended t_ns after the start. */
uint64_t unc_sim_cycles(unsigned ticks_per_cycle, uint64_t t_ns);
/* Likewise, for a clock that is too fast by off_ppm millionths. */
uint64_t unc_sim_cycles_off(unsigned ticks_per_cycle, int off_ppm, uint64_t t_ns);
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

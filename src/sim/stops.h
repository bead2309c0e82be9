/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stops counters besides their user: sleep of a package, and other programs that freeze them. */
#ifndef UNC_SIM_STOPS_H
#define UNC_SIM_STOPS_H

#include "sim/computer.h"

/*
 * How long a socket was awake until t_ns.  While its package sleeps deeply (C3, C6), the memory refreshes itself and gets no commands,
 * and DCLK stands still; a channel's counters keep their values.
 */
uint64_t unc_sim_awake_ns(const struct unc_sim_options *options, unsigned socket, uint64_t t_ns);

/* Do the keys sleep= and freeze= name only things that this machine has?  UNC_EARG: one does not. */
int unc_sim_stops_init(struct unc_sim *sim);
/* Does what the keys freeze= say for the time until now; the caller holds the lock. */
void unc_sim_freezes_catch_up(struct unc_sim *sim);

#endif

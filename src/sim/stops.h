/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stops counters, other than their user: sleep of a package, and other programs that freeze them. */
#ifndef UNC_SIM_STOPS_H
#define UNC_SIM_STOPS_H

#include "sim/computer.h"

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic that is made on request: unc_host_ops.traffic lets the model do it. sim.h describes its effects.
 *
 * The state has a list of what began and ended, in the order of time. Each opener has its own curves of the load, and
 * before it uses them it adds what began and ended since its last use: so the curves are the same for all openers, and
 * the past does not change.
 */
#ifndef UNC_SIM_TRAFFIC_H
#define UNC_SIM_TRAFFIC_H

#include "sim/computer.h"

/* As unc_host_ops.traffic. */
int unc_sim_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		    struct unc_traffic_done *ret_done);

/* Ends the traffic of openers that are gone. The caller holds the lock. */
void unc_sim_traffic_bury(struct unc_sim *sim);

#endif

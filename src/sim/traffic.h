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
#include "uncore/traffic.h"

/* As unc_host_ops.traffic. */
int unc_sim_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		    struct unc_traffic_done *ret_done);
/* Ends the traffic of this opener; call it before the store is closed. */
void unc_sim_traffic_close(struct unc_sim *sim);

/* sim/traffic_log.c; the caller holds the lock. */

/* Begin or end traffic now. Errors of begin: UNC_ENOSUP: the list is full; UNC_ENOMEM: the traffic did not begin. */
int unc_sim_traffic_begin(struct unc_sim *sim, const struct unc_sim_traffic *traffic, uint32_t *ret_number);
void unc_sim_traffic_end(struct unc_sim *sim, uint32_t number);
/* Ends the traffic of openers that are gone. */
void unc_sim_traffic_bury(struct unc_sim *sim);
/* Adds to the curves the changes that are not in them yet. */
void unc_sim_traffic_merge(struct unc_sim *sim);

/* Returns whether the memory of that channel exists and belongs to that node. */
bool unc_sim_traffic_reaches(const struct unc_sim *sim, size_t channel, unsigned node);
size_t unc_sim_traffic_channels(const struct unc_sim *sim, unsigned node);
static inline bool unc_sim_traffic_has_cpu(const struct unc_sim_traffic *traffic, unsigned cpu)
{
	return traffic->cpus[cpu / 64] >> cpu % 64 & 1;
}
/* How often channels read and write what instructions move, and how often a CPU's bandwidth counters count it. */
struct unc_sim_traffic_ways {
	unsigned reads, writes, seen;
};
struct unc_sim_traffic_ways unc_sim_traffic_ways(uint32_t kind);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traffic that is made on purpose: what unc_host_ops.traffic has the model do.  sim.h says what becomes of it.
 *
 * It is in the state, as a list of what began and ended when, in the order of time.  Each opener has the curves of the load, and
 * before it looks at anything it adds what was begun and ended since it last looked: so the curves are the same for all, and what
 * was before stays as it was.
 */
#ifndef UNC_SIM_TRAFFIC_H
#define UNC_SIM_TRAFFIC_H

#include "sim/computer.h"

/* As unc_host_ops.traffic. */
int unc_sim_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		    struct unc_traffic_done *ret_done);
/* Before the store is closed: ours ends. */
void unc_sim_traffic_close(struct unc_sim *sim);

/* sim/traffic_log.c, all locked. */

/* Some begins or ends now.  UNC_ENOSUP: the list is full; UNC_ENOMEM: then it did not begin. */
int unc_sim_traffic_begin(struct unc_sim *sim, const struct unc_sim_traffic *traffic, uint32_t *ret_number);
void unc_sim_traffic_end(struct unc_sim *sim, uint32_t number);
/* What was begun by an opener that is gone without having ended it, ends. */
void unc_sim_traffic_bury(struct unc_sim *sim);
/* Adds to the curves what is not in them yet. */
void unc_sim_traffic_merge(struct unc_sim *sim);

/* Whether the memory of that channel belongs to that node, and is there. */
bool unc_sim_traffic_reaches(const struct unc_sim *sim, size_t channel, unsigned node);
size_t unc_sim_traffic_channels(const struct unc_sim *sim, unsigned node);
static inline bool unc_sim_traffic_has_cpu(const struct unc_sim_traffic *traffic, unsigned cpu)
{
	return traffic->cpus[cpu / 64] >> cpu % 64 & 1;
}
/* How often what instructions move is read and written by channels, and how often a CPU's counters of bandwidth see it. */
struct unc_sim_traffic_ways {
	unsigned reads, writes, seen;
};
struct unc_sim_traffic_ways unc_sim_traffic_ways(uint32_t kind);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver of sim/perf.h does with the registers of a channel. The caller holds the lock. */
#ifndef UNC_SIM_PERF_HAND_H
#define UNC_SIM_PERF_HAND_H

#include "sim/perf.h"

enum { UNC_SIM_PERF_SLOT_FIXED = UNC_SIM_CTRS + 1 }; /* slots are numbered from 1 */

#define UNC_SIM_PERF_POLL_NS (60 * UINT64_C(1000000000)) /* UNCORE_PMU_HRTIMER_INTERVAL */

struct unc_sim_perf_hand { /* one occasion on which the driver acts on a channel */
	struct unc_sim *sim;
	struct unc_sim_perf_box *box;
	const struct unc_sim_place *place;
	uint64_t begin_ns; /* when the occasion began; enabled and running times of events use it */
	bool passes;       /* true: each access takes time; false: all happen at begin_ns */
};

struct unc_sim_perf_hand unc_sim_perf_hand_at(struct unc_sim *sim, uint32_t place, uint64_t t_ns, bool passes);
struct unc_sim_perf_hand unc_sim_perf_hand_now(struct unc_sim *sim, uint32_t place);

/* Resets the channel as the driver does when it has found it. */
void unc_sim_perf_reset(const struct unc_sim_perf_hand *hand);
void unc_sim_perf_freeze(const struct unc_sim_perf_hand *hand);
void unc_sim_perf_unfreeze(const struct unc_sim_perf_hand *hand);
/* Gives the event that counter, or takes away the one that it has. */
void unc_sim_perf_start(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event, unsigned slot);
void unc_sim_perf_stop(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event);
/* Adds what its counter has counted since the last read. */
void unc_sim_perf_update(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the driver of sim/perf.h does at a channel's registers; all of it locked. */
#ifndef UNC_SIM_PERF_HAND_H
#define UNC_SIM_PERF_HAND_H

#include "sim/perf.h"

enum { UNC_SIM_PERF_SLOT_FIXED = UNC_SIM_CTRS + 1 }; /* slots are counted from 1 */

#define UNC_SIM_PERF_POLL_NS (60 * UINT64_C(1000000000)) /* UNCORE_PMU_HRTIMER_INTERVAL */

struct unc_sim_perf_hand { /* at one occasion */
	struct unc_sim *sim;
	struct unc_sim_perf_box *box;
	const struct unc_sim_place *place;
	uint64_t begin_ns; /* when that began, in perf's time */
	bool passes;       /* its accesses take time; else all of them are of that one moment */
};

struct unc_sim_perf_hand unc_sim_perf_hand_at(struct unc_sim *sim, uint32_t place, uint64_t t_ns, bool passes);
struct unc_sim_perf_hand unc_sim_perf_hand_now(struct unc_sim *sim, uint32_t place);

/* As the driver does when it has found the channel. */
void unc_sim_perf_reset(const struct unc_sim_perf_hand *hand);
void unc_sim_perf_freeze(const struct unc_sim_perf_hand *hand);
void unc_sim_perf_unfreeze(const struct unc_sim_perf_hand *hand);
/* The event gets that counter, or leaves the one that it has. */
void unc_sim_perf_start(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event, unsigned slot);
void unc_sim_perf_stop(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event);
/* What its counter has moved is added. */
void unc_sim_perf_update(const struct unc_sim_perf_hand *hand, struct unc_sim_perf_event *event);

#endif

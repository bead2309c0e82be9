// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks whether what a state file holds is possible, when it is opened: counts, indices and times. Registers may hold
 * anything, and a violation is checked when it is reported. What another process changes later is bounded where it is
 * used.
 */
#include "sim/computer.h"

#include "base/err.h"
#include "sim/model_parts.h"
#include "sim/perf_hand.h"
#include "sim/qm.h"
#include "uncore.h"
#include "uncore/traffic.h"

static bool is_time(uint64_t t_ns)
{
	return t_ns <= UNC_SIM_TIME_MAX;
}

static bool times_are_good(const struct unc_sim_state *state)
{
	for (size_t i = 0; i < UNC_SIM_N(state->imc); i++)
		if (!is_time(state->imc[i].since_ns))
			return false;
	return is_time(state->now_ns) && is_time(state->seen_ns) && is_time(state->suspended_ns);
}

static bool traffic_is_good(const struct unc_sim *sim, const struct unc_sim_traffic *traffic)
{
	const uint64_t most = INT64_MAX / 4;

	return traffic->kind <= UNC_TRAFFIC_NT_WRITE && traffic->n_cpus && traffic->n_cpus <= sim->n_cpus &&
	       traffic->channel_rate < most && traffic->cpu_rate < most &&
	       traffic->occupancy < most / UNC_SIM_RATE_ONE && is_time(traffic->from_ns) &&
	       (traffic->until_ns == UINT64_MAX ||
		(is_time(traffic->until_ns) && traffic->until_ns >= traffic->from_ns));
}

/* Each begins once, in the order of their numbers; each ends at most once, after its begin. */
static bool traffics_are_good(const struct unc_sim *sim)
{
	const struct unc_sim_state *state = sim->store.state;
	bool has_ended[UNC_SIM_TRAFFICS] = {false};
	uint64_t begun = 0;

	if (state->n_traffics > UNC_SIM_TRAFFICS || state->n_changes > 2 * state->n_traffics)
		return false;
	for (size_t i = 0; i < state->n_traffics; i++)
		if (!traffic_is_good(sim, &state->traffics[i]))
			return false;
	for (size_t i = 0; i < state->n_changes; i++) {
		uint32_t number = state->changes[i] / 2;

		if (state->changes[i] % 2 == 0 ? number != begun++ : number >= begun || has_ended[number])
			return false;
		if (number >= state->n_traffics)
			return false;
		has_ended[number] |= state->changes[i] % 2;
	}
	for (size_t i = 0; i < state->n_traffics; i++)
		if (has_ended[i] != (state->traffics[i].until_ns != UINT64_MAX))
			return false;
	return begun == state->n_traffics;
}

static bool is_channel(const struct unc_sim *sim, uint32_t place)
{
	return place < sim->n_places && sim->places[place].function->kind == UNC_SIM_IMC;
}

static bool perf_is_good(const struct unc_sim *sim)
{
	const struct unc_sim_perf *perf = &sim->store.state->perf;

	if (perf->n > UNC_SIM_PERF_EVENTS)
		return false;
	for (size_t i = 0; i < perf->n; i++) {
		const struct unc_sim_perf_event *event = &perf->events[i];

		if (event->order > perf->orders || event->slot > UNC_SIM_PERF_SLOT_FIXED ||
		    ((event->order || event->on) && !is_channel(sim, event->place)))
			return false;
	}
	for (size_t i = 0; i < UNC_SIM_N(perf->boxes); i++) {
		const struct unc_sim_perf_box *box = &perf->boxes[i];

		if ((box->rotates_ns || box->moves_ns || box->polls_ns) &&
		    (!is_channel(sim, box->place) || sim->places[box->place].channel != i))
			return false;
	}
	return true;
}

static bool resctrl_is_good(const struct unc_sim *sim)
{
	const struct unc_sim_resctrl *resctrl = &sim->store.state->resctrl;

	if (resctrl->n_groups > UNC_SIM_GROUPS || (resctrl->n_groups && !unc_sim_n_rmids(sim)))
		return false;
	for (size_t i = 0; i < resctrl->n_groups; i++)
		if (resctrl->rmids[i] >= unc_sim_n_rmids(sim))
			return false;
	return true;
}

static bool share_is_good(const struct unc_sim *sim, unsigned number)
{
	const struct unc_sim_share *share = unc_sim_share_at(sim, number);

	for (unsigned i = unc_sim_n_accounts(sim) + 1; i < sizeof(share->carried) * 8; i++)
		if (share->carried[i / 64] >> i % 64 & 1)
			return false;
	return is_time(share->changed_ns);
}

static bool shares_are_good(const struct unc_sim *sim)
{
	for (unsigned i = 0; unc_sim_n_rmids(sim) && i < sim->n_shares; i++)
		if (!share_is_good(sim, i))
			return false;
	return true;
}

/* Returns what is wrong, or NULL. */
static const char *wrong(const struct unc_sim *sim)
{
	if (!times_are_good(sim->store.state))
		return "times";
	if (!traffics_are_good(sim))
		return "traffic";
	if (!perf_is_good(sim))
		return "events of its kernel";
	if (!resctrl_is_good(sim))
		return "groups of resctrl";
	return shares_are_good(sim) ? NULL : "caches";
}

int unc_sim_state_check(struct unc_sim *sim)
{
	const char *what;

	if (!sim->options.state)
		return UNC_OK;
	unc_sim_store_lock(&sim->store);
	what = wrong(sim);
	unc_sim_store_unlock(&sim->store);
	if (!what)
		return UNC_OK;
	return unc_fail(sim->host.ctx, UNC_EARG,
			"sim:%s: state=%s: this file is damaged: its %s are impossible; remove it",
			sim->options.model->name, sim->options.state, what);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of traffic that was made, and how it is added to the curves. */
#include "sim/traffic.h"

#include "sim/model_parts.h"
#include "sim/qm.h"

/*
 * Offset after the end of the state file, like the claims of sim/host.c: the opener that locks the byte of an entry
 * makes that traffic.
 */
#define OWNERS (UINT64_C(1) << 62)

struct unc_sim_traffic_ways unc_sim_traffic_ways(uint32_t kind)
{
	switch (kind) {
	case UNC_TRAFFIC_WRITE: /* each line is read before it is changed, and written back */
		return (struct unc_sim_traffic_ways){.reads = 1, .writes = 1, .seen = 2};
	case UNC_TRAFFIC_NT_WRITE:
		return (struct unc_sim_traffic_ways){.writes = 1, .seen = 1};
	case UNC_TRAFFIC_READ:
	default:
		return (struct unc_sim_traffic_ways){.reads = 1, .seen = 1};
	}
}

bool unc_sim_traffic_reaches(const struct unc_sim *sim, size_t channel, unsigned node)
{
	/* Processors with modelled channels have no sub-NUMA clustering here: a node is a socket, or all sockets. */
	return (sim->options.numa_off || sim->load.channels[channel].socket == node) && !(sim->empty >> channel & 1);
}

size_t unc_sim_traffic_channels(const struct unc_sim *sim, unsigned node)
{
	size_t i, n = 0;

	for (i = 0; i < sim->load.n_channels; i++)
		n += unc_sim_traffic_reaches(sim, i, node);
	return n;
}

/* Raises or lowers curves, at most left of them. */
struct raising {
	uint64_t at_ns;
	bool less;
	size_t left;
	size_t done;
};

static int raise(struct raising *raising, struct unc_sim_curve *curve, uint64_t rate)
{
	if (!rate)
		return UNC_OK;
	if (!raising->left)
		return UNC_EAGAIN;
	if (unc_sim_curve_raise(curve, raising->at_ns, raising->less ? 0 - rate : rate) < 0)
		return UNC_ENOMEM;
	raising->left--;
	raising->done++;
	return UNC_OK;
}

/* Bytes become CAS events there, like those of a load: see struct unc_sim_part. */
static int raise_events(struct raising *raising, const struct unc_sim_model *model,
			struct unc_sim_channel_load *channel, enum unc_sim_from from, uint64_t rate)
{
	size_t i;
	int rc = UNC_OK;

	for (i = 0; i < model->n_events && rc == UNC_OK; i++) {
		const struct unc_sim_event *event = &model->events[i];
		uint64_t share =
			(uint64_t)((unc_sim_wide)rate * (unsigned)(event->whole - event->less) / UNC_SIM_WEIGHT);

		if (event->from == from)
			rc = raise(raising, &channel->events[i], share);
	}
	return rc;
}

static int raise_channel(struct raising *raising, struct unc_sim *sim, size_t i, const struct unc_sim_traffic *traffic)
{
	const struct unc_sim_traffic_ways ways = unc_sim_traffic_ways(traffic->kind);
	struct unc_sim_channel_load *channel = &sim->load.channels[i];
	uint64_t read = ways.reads * traffic->channel_rate, write = ways.writes * traffic->channel_rate;
	int rc;

	if (channel->reads_by_event)
		rc = raise_events(raising, sim->load.model, channel, UNC_SIM_FROM_READ, read);
	else
		rc = raise(raising, &channel->read, read);
	if (rc < 0)
		return rc;
	if (channel->writes_by_event)
		return raise_events(raising, sim->load.model, channel, UNC_SIM_FROM_WRITE, write);
	return raise(raising, &channel->write, write);
}

static int raise_cpu(struct raising *raising, struct unc_sim *sim, size_t i, const struct unc_sim_traffic *traffic)
{
	uint64_t rate = unc_sim_traffic_ways(traffic->kind).seen * traffic->cpu_rate;
	struct unc_sim_cpu_load *cpu = &sim->load.cpus[i];
	int rc = raise(raising, &cpu->total, rate);

	if (rc == UNC_OK && sim->cpus[i].node == traffic->node)
		rc = raise(raising, &cpu->local, rate);
	if (rc == UNC_OK)
		rc = raise(raising, &cpu->occupancy, traffic->occupancy * UNC_SIM_RATE_ONE);
	return rc;
}

static int raise_all(struct raising *raising, struct unc_sim *sim, const struct unc_sim_traffic *traffic)
{
	int rc = UNC_OK;
	size_t i;

	for (i = 0; i < sim->load.n_channels && rc == UNC_OK; i++)
		if (unc_sim_traffic_reaches(sim, i, traffic->node))
			rc = raise_channel(raising, sim, i, traffic);
	for (i = 0; i < sim->n_cpus && rc == UNC_OK; i++)
		if (unc_sim_traffic_has_cpu(traffic, (unsigned)i))
			rc = raise_cpu(raising, sim, i, traffic);
	return rc;
}

/* Adds a change to all curves, or to none of them. */
static bool merge_one(struct unc_sim *sim, uint32_t change)
{
	const struct unc_sim_traffic traffic = sim->store.state->traffics[change / 2 % UNC_SIM_TRAFFICS];
	struct raising raising = {
		.at_ns = unc_sim_bounded(change % 2 ? &traffic.until_ns : &traffic.from_ns, UNC_SIM_TIME_MAX),
		.less = change % 2,
		.left = SIZE_MAX};
	struct raising back = raising;

	if (raise_all(&raising, sim, &traffic) == UNC_OK)
		return true;
	back.less = !back.less;
	back.left = raising.done;
	raise_all(&back, sim, &traffic); /* does not fail, as the curves have these steps already */
	return false;
}

static uint64_t n_changes(const struct unc_sim_state *state)
{
	return unc_sim_bounded(&state->n_changes, UNC_SIM_N(state->changes));
}

/* If memory runs out, it is tried again at the next use by this opener. */
void unc_sim_traffic_merge(struct unc_sim *sim)
{
	const struct unc_sim_state *state = sim->store.state;
	uint64_t n = n_changes(state);

	while (sim->merged < n && merge_one(sim, state->changes[sim->merged]))
		sim->merged++;
}

static uint32_t number_of(const struct unc_sim_state *state, const struct unc_sim_traffic *traffic)
{
	return (uint32_t)(traffic - state->traffics);
}

/* Must be called before, and caches_behind() after, what the CPUs of this traffic want and move changes. */
static void caches_before(struct unc_sim *sim, const struct unc_sim_traffic *traffic, uint64_t t_ns)
{
	if (unc_sim_n_rmids(sim))
		unc_sim_llc_before_change(sim, traffic->cpus, t_ns);
}

static void caches_behind(struct unc_sim *sim, const struct unc_sim_traffic *traffic, uint64_t t_ns)
{
	if (unc_sim_n_rmids(sim))
		unc_sim_llc_behind_change(sim, traffic->cpus, t_ns);
}

int unc_sim_traffic_begin(struct unc_sim *sim, const struct unc_sim_traffic *traffic, uint32_t *ret_number)
{
	struct unc_sim_state *state = sim->store.state;
	uint64_t now_ns = unc_sim_state_now(state);
	uint32_t number = (uint32_t)unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS);
	uint64_t change = n_changes(state);

	if (number == UNC_SIM_TRAFFICS || change == UNC_SIM_N(state->changes))
		return unc_fail(sim->host.ctx, UNC_ENOSUP,
				"sim:%s: traffic was made %d times, and this machine remembers no more; take a new one",
				sim->options.model->name, UNC_SIM_TRAFFICS);
	caches_before(sim, traffic, now_ns);
	state->traffics[number] = *traffic;
	state->traffics[number].from_ns = now_ns;
	state->traffics[number].until_ns = UINT64_MAX;
	state->changes[change] = 2 * number;
	state->n_changes = change + 1;
	unc_sim_traffic_merge(sim);
	if (sim->merged <= change) {
		state->n_changes = change;
		caches_behind(sim, traffic, now_ns);
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	}
	state->n_traffics = number + 1;
	caches_behind(sim, traffic, now_ns);
	if (sim->options.state)
		unc_os_shared_claim(&sim->store.shared, OWNERS + number, 1, UNC_CLAIM_TAKE);
	*ret_number = number;
	return UNC_OK;
}

void unc_sim_traffic_end(struct unc_sim *sim, uint32_t number)
{
	struct unc_sim_state *state = sim->store.state;
	struct unc_sim_traffic *traffic = &state->traffics[number];
	uint64_t now_ns = unc_sim_state_now(state), change = n_changes(state);

	caches_before(sim, traffic, now_ns);
	traffic->until_ns = now_ns;
	if (change < UNC_SIM_N(state->changes)) {
		state->changes[change] = 2 * number + 1;
		state->n_changes = change + 1;
	}
	unc_sim_traffic_merge(sim);
	caches_behind(sim, traffic, now_ns);
	if (sim->options.state)
		unc_os_shared_claim(&sim->store.shared, OWNERS + number, 1, UNC_CLAIM_LEAVE);
}

void unc_sim_traffic_bury(struct unc_sim *sim)
{
	struct unc_sim_state *state = sim->store.state;
	size_t i, n = unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS);

	for (i = 0; sim->options.state && i < n; i++) {
		struct unc_sim_traffic *traffic = &state->traffics[i];

		if (traffic->until_ns != UINT64_MAX || (sim->has_traffic && sim->traffic == number_of(state, traffic)))
			continue;
		if (unc_os_shared_claim(&sim->store.shared, OWNERS + i, 1, UNC_CLAIM_TAKE) == UNC_OK)
			unc_sim_traffic_end(sim, number_of(state, traffic));
	}
}

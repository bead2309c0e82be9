// SPDX-License-Identifier: GPL-2.0-or-later
/* What only the simulation knows: the channels of a machine, and what they really did. */

#include "sim/chance.h"
#include "sim/qm.h"

int unc_sim_step(struct unc_host *host, uint64_t ns, bool overshoots)
{
	struct unc_sim *sim = unc_sim_of(host);
	bool fits;

	if (!sim)
		return unc_sim_none(host);
	if (!sim->options.step)
		return unc_sim_fail(sim, UNC_EARG, "time goes by itself; open the machine with clock=step");
	unc_sim_lock(sim);
	fits = ns <= UNC_SIM_TIME_MAX - unc_sim_state_now(sim->store.state);
	if (fits)
		unc_sim_state_pass(sim->store.state, ns + (overshoots ? unc_sim_overshoot_ns(sim) : 0));
	unc_sim_unlock(sim);
	if (!fits)
		return unc_sim_fail(sim, UNC_ERANGE,
				    "a step of %" PRIu64 " ns leads beyond the end of the machine's time, %" PRIu64
				    " ns",
				    ns, UNC_SIM_TIME_MAX);
	return UNC_OK;
}

int unc_sim_channel(struct unc_host *host, size_t i, struct unc_sim_channel *ret_channel)
{
	const struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_place *place;

	if (!sim)
		return unc_sim_none(host);
	if (!sim->load.n_channels)
		return unc_sim_fail(sim, UNC_ENODEV, "of this processor no memory channels are modelled");
	/* Channels are numbered by socket, places are sorted by address. */
	place = sim->places;
	while (place < sim->places + sim->n_places && (place->function->kind != UNC_SIM_IMC || place->channel != i))
		place++;
	if (place == sim->places + sim->n_places)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no channel %zu, only 0 to %zu", i,
				    sim->load.n_channels - 1);
	*ret_channel = (struct unc_sim_channel){
		.socket = place->socket,
		.imc = place->function->imc,
		.channel = place->function->channel,
		.addr = place->addr,
		.hidden = place->hidden,
		.allones = place->gone && place->gone->from_ns == 0 && place->gone->until_ns == UINT64_MAX,
	};
	return UNC_OK;
}

uint64_t unc_sim_raw_at(const struct unc_sim *sim, uint64_t t_ns)
{
	return (sim->options.step ? UNC_SIM_RAW_AT_START_NS : sim->store.state->start_raw_ns) + t_ns;
}

/* Converts a time of the machine's UNC_CLOCK_RAW to machine time. UNC_ERANGE: before its start or after its end. */
static int machine_time(struct unc_sim *sim, uint64_t raw_ns, uint64_t *ret_ns)
{
	uint64_t start_ns = unc_sim_raw_at(sim, 0);

	if (raw_ns == UNC_SIM_NOW)
		raw_ns = sim->host.ops->now_ns(&sim->host, UNC_CLOCK_RAW);
	if (raw_ns < start_ns || raw_ns - start_ns > UNC_SIM_TIME_MAX)
		return unc_sim_fail(sim, UNC_ERANGE,
				    "%" PRIu64 " ns is not a time of this machine, which was started at %" PRIu64 " ns",
				    raw_ns, start_ns);
	*ret_ns = raw_ns - start_ns;
	return UNC_OK;
}

int unc_sim_truth_events_of(struct unc_host *host, size_t i, const char *name, uint64_t raw_ns, uint64_t *ret_count)
{
	struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_event *event;
	const struct unc_sim_sum *sum;
	size_t events[UNC_SIM_PARTS], n = 1;
	uint64_t t_ns, count = 0;
	int rc;

	if (!sim)
		return unc_sim_none(host);
	if (i >= sim->load.n_channels)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no channel %zu", i);
	rc = machine_time(sim, raw_ns, &t_ns);
	if (rc < 0)
		return rc;
	event = unc_sim_event_find(sim->options.model, name);
	sum = unc_sim_sum_find(sim->options.model, name);
	if (!event && !sum)
		return unc_sim_fail(sim, UNC_EARG, "there is no event \"%.60s\"", name);
	if (event)
		events[0] = (size_t)(event - sim->options.model->events);
	else
		n = unc_sim_select(sim->options.model, sum->code, sum->umask, events);
	unc_sim_lock(sim);
	t_ns = unc_sim_awake_ns(&sim->options, sim->load.channels[i].socket, t_ns);
	for (size_t k = 0; k < n; k++) {
		struct unc_sim_part part = unc_sim_load_part(&sim->load, i, events[k]);

		count += unc_sim_part_count(&part, t_ns);
	}
	unc_sim_unlock(sim);
	*ret_count = count;
	return UNC_OK;
}

int unc_sim_truth_bytes_of(struct unc_host *host, size_t i, uint64_t raw_ns, uint64_t *ret_read, uint64_t *ret_write)
{
	/* A channel of two sub-channels has an event for each of them. */
	static const char *const events[] = {"cas_count", "cas_count_sch0", "cas_count_sch1"};
	struct unc_sim *sim = unc_sim_of(host);
	uint64_t counts[2] = {0}; /* reads, writes */
	bool is_one;

	if (!sim)
		return unc_sim_none(host);
	if (raw_ns == UNC_SIM_NOW)
		raw_ns = host->ops->now_ns(host, UNC_CLOCK_RAW);
	is_one = unc_sim_sum_find(sim->options.model, "cas_count.rd");
	for (size_t k = is_one ? 0 : 2; k < (is_one ? 2 : 6); k++) {
		uint64_t count;
		char name[32];
		int rc;

		snprintf(name, sizeof(name), "%s.%s", events[k / 2], k % 2 ? "wr" : "rd");
		rc = unc_sim_truth_events_of(host, i, name, raw_ns, &count);
		if (rc < 0)
			return rc;
		counts[k % 2] += count;
	}
	*ret_read = 64 * counts[0];
	*ret_write = 64 * counts[1];
	return UNC_OK;
}

const char *unc_sim_event_name(struct unc_host *host, size_t i)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && i < sim->options.model->n_events ? sim->options.model->events[i].name : NULL;
}

/* What was really in the last-level caches, and what was moved. */

int unc_sim_truth_llc_at(struct unc_host *host, unsigned l3, unsigned rmid, uint64_t raw_ns,
			 struct unc_sim_llc *ret_llc)
{
	struct unc_sim *sim = unc_sim_of(host);
	struct unc_sim_moment moment = {.sim = sim};
	struct unc_sim_llc llc = {0};
	struct unc_sim_account is;
	uint64_t now_ns;
	unsigned n;
	bool sharing;
	int rc;

	if (!sim)
		return unc_sim_none(host);
	n = unc_sim_n_accounts(sim);
	rc = machine_time(sim, raw_ns, &moment.t_ns);
	if (rc < 0)
		return rc;
	if (l3 >= sim->n_caches || rmid >= unc_sim_n_rmids(sim))
		return unc_sim_fail(sim, UNC_ENODEV, "there is no RMID %u on L3 %u", rmid, l3);
	unc_sim_lock(sim);
	now_ns = unc_sim_state_now(sim->store.state);
	for (unsigned i = 0; i < sim->options.snc && rc == UNC_OK; i++) {
		uint64_t changed_ns;

		moment.share = l3 * sim->options.snc + i;
		changed_ns = unc_sim_share_at(sim, moment.share)->changed_ns;
		if (moment.t_ns > now_ns || moment.t_ns < changed_ns) {
			rc = unc_sim_fail(sim, UNC_ERANGE,
					  "what was in L3 %u is known from the last change, at %" PRIu64
					  " ns of the machine's time, until now, %" PRIu64 " ns, not at %" PRIu64 " ns",
					  l3, changed_ns, now_ns, moment.t_ns);
			break;
		}
		unc_sim_llc_catch_up(&moment);
		sharing = sim->store.state->packages[sim->caches[l3].package].snc_sharing;
		if (rmid / n != (sharing ? 0 : i))
			continue;
		is = unc_sim_llc_account(&moment, rmid % n);
		llc.occupancy_bytes += is.occupancy;
		llc.total_bytes += (uint64_t)is.total;
		llc.local_bytes += (uint64_t)is.local;
	}
	unc_sim_unlock(sim);
	if (rc == UNC_OK)
		*ret_llc = llc;
	return rc;
}

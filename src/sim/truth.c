// SPDX-License-Identifier: GPL-2.0-or-later
/* What only the simulation knows: the channels of a machine, and what they really did. */
#include <inttypes.h>

#include <string.h>

#include "base/err.h"
#include "sim/chance.h"
#include "sim/stops.h"

static int pass(struct unc_host *host, uint64_t ns, bool overshoots)
{
	struct unc_sim *sim = unc_sim_of(host);
	bool fits;

	if (!sim)
		return unc_sim_none(host);
	if (!sim->options.step)
		return unc_fail(host->ctx, UNC_EARG, "sim:%s: time goes by itself; open the machine with clock=step",
				sim->options.model->name);
	unc_sim_lock(sim);
	fits = ns <= UNC_SIM_TIME_MAX - unc_sim_state_now(sim->store.state);
	if (fits)
		unc_sim_state_pass(sim->store.state, ns + (overshoots ? unc_sim_overshoot_ns(sim) : 0));
	unc_sim_unlock(sim);
	if (!fits)
		return unc_fail(host->ctx, UNC_ERANGE,
				"sim:%s: a step of %" PRIu64 " ns leads beyond the end of the machine's time, %" PRIu64
				" ns",
				sim->options.model->name, ns, UNC_SIM_TIME_MAX);
	return UNC_OK;
}

int unc_sim_step(struct unc_host *host, uint64_t ns)
{
	return pass(host, ns, false);
}

int unc_sim_sleep(struct unc_host *host, uint64_t ns)
{
	return pass(host, ns, true);
}

int unc_sim_suspend(struct unc_host *host, uint64_t ns)
{
	struct unc_sim *sim = unc_sim_of(host);
	struct unc_sim_state *state;
	bool fits;

	if (!sim)
		return unc_sim_none(host);
	state = sim->store.state;
	unc_sim_lock(sim);
	fits = ns <= UNC_SIM_TIME_MAX - state->suspended_ns;
	if (fits) {
		state->suspended_ns += ns;
		memset(state->imc, 0, sizeof(state->imc));
		for (size_t i = 0; i < sizeof(state->imc) / sizeof(state->imc[0]); i++)
			state->imc[i].since_ns = unc_sim_state_now(state);
		unc_sim_msr_reset(sim, unc_sim_state_now(state));
	}
	unc_sim_unlock(sim);
	if (!fits)
		return unc_fail(host->ctx, UNC_ERANGE, "sim:%s: suspended for longer than its time can count",
				sim->options.model->name);
	return UNC_OK;
}

size_t unc_sim_channels(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim ? sim->load.n_channels : 0;
}

/* Finds the place of a channel: channels are numbered by socket, places are sorted by address. */
static const struct unc_sim_place *channel_place(const struct unc_sim *sim, size_t channel)
{
	size_t i;

	for (i = 0; i < sim->n_places; i++)
		if (sim->places[i].function->kind == UNC_SIM_IMC && sim->places[i].channel == channel)
			return &sim->places[i];
	return NULL;
}

int unc_sim_channel(struct unc_host *host, size_t i, struct unc_sim_channel *ret_channel)
{
	const struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_place *place;

	if (!sim)
		return unc_sim_none(host);
	place = channel_place(sim, i);
	if (!sim->load.n_channels)
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: of this processor no memory channels are modelled",
				sim->options.model->name);
	if (!place)
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: there is no channel %zu, only 0 to %zu",
				sim->options.model->name, i, sim->load.n_channels - 1);
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

static uint64_t raw_at_start(const struct unc_sim *sim)
{
	return sim->options.step ? UNC_SIM_RAW_AT_START_NS : sim->store.state->start_raw_ns;
}

uint64_t unc_sim_raw_at(const struct unc_sim *sim, uint64_t t_ns)
{
	return raw_at_start(sim) + t_ns;
}

uint64_t unc_sim_start_ns(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim ? raw_at_start(sim) : 0;
}

int unc_sim_machine_time(const struct unc_sim *sim, uint64_t raw_ns, uint64_t *ret_ns)
{
	uint64_t start_ns = raw_at_start(sim);

	if (raw_ns < start_ns || raw_ns - start_ns > UNC_SIM_TIME_MAX)
		return unc_fail(sim->host.ctx, UNC_ERANGE,
				"sim:%s: %" PRIu64 " ns is no time of this machine, which was started at %" PRIu64
				" ns",
				sim->options.model->name, raw_ns, start_ns);
	*ret_ns = raw_ns - start_ns;
	return UNC_OK;
}

struct moment { /* one channel at one time */
	struct unc_sim *sim;
	size_t channel;
	uint64_t t_ns;
};

static int moment_of(struct unc_host *host, const struct unc_addr *addr, uint64_t raw_ns, struct moment *ret_moment)
{
	struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_place *place;
	char name[UNC_ADDR_TEXT];
	uint64_t t_ns;
	int rc;

	if (!sim)
		return unc_sim_none(host);
	place = unc_sim_place_find(sim, addr);
	if (!place || place->function->kind != UNC_SIM_IMC)
		return unc_fail(host->ctx, UNC_ENODEV, "sim:%s: %s is no memory channel of this machine",
				sim->options.model->name, unc_addr_text(addr, name));
	rc = unc_sim_machine_time(sim, raw_ns, &t_ns);
	if (rc < 0)
		return rc;
	*ret_moment = (struct moment){
		.sim = sim, .channel = place->channel, .t_ns = unc_sim_awake_ns(&sim->options, place->socket, t_ns)};
	return UNC_OK;
}

static uint64_t count_of(const struct moment *moment, size_t event)
{
	struct unc_sim_part part = unc_sim_load_part(&moment->sim->load, moment->channel, event);

	return unc_sim_part_count(&part, moment->t_ns);
}

static uint64_t count_sum(const struct moment *moment, const struct unc_sim_sum *sum)
{
	size_t events[UNC_SIM_PARTS], n = unc_sim_select(moment->sim->options.model, sum->code, sum->umask, events), i;
	uint64_t count = 0;

	for (i = 0; i < n; i++)
		count += count_of(moment, events[i]);
	return count;
}

static uint64_t count_locked(const struct moment *moment, const struct unc_sim_event *event,
			     const struct unc_sim_sum *sum)
{
	uint64_t count;

	unc_sim_lock(moment->sim);
	if (event)
		count = count_of(moment, (size_t)(event - moment->sim->options.model->events));
	else
		count = count_sum(moment, sum);
	unc_sim_unlock(moment->sim);
	return count;
}

static int count_named(const struct moment *moment, const char *name, uint64_t *ret_count)
{
	const struct unc_sim_model *model = moment->sim->options.model;
	const struct unc_sim_event *event = unc_sim_event_find(model, name);
	const struct unc_sim_sum *sum = unc_sim_sum_find(model, name);

	if (!event && !sum)
		return unc_fail(moment->sim->host.ctx, UNC_EARG, "sim:%s: there is no event \"%.60s\"", model->name,
				name);
	*ret_count = count_locked(moment, event, sum);
	return UNC_OK;
}

int unc_sim_truth_events_at(struct unc_host *host, const struct unc_addr *addr, const char *event, uint64_t raw_ns,
			    uint64_t *ret_count)
{
	struct moment moment;
	int rc;

	rc = moment_of(host, addr, raw_ns, &moment);
	return rc < 0 ? rc : count_named(&moment, event, ret_count);
}

int unc_sim_truth_events(struct unc_host *host, const struct unc_addr *addr, const char *event, uint64_t *ret_count)
{
	return unc_sim_truth_events_at(host, addr, event, host->ops->now_ns(host, UNC_CLOCK_RAW), ret_count);
}

int unc_sim_truth_bytes_at(struct unc_host *host, const struct unc_addr *addr, uint64_t raw_ns, uint64_t *ret_read,
			   uint64_t *ret_write)
{
	struct moment moment;
	uint64_t reads = 0, writes = 0;
	int rc;

	rc = moment_of(host, addr, raw_ns, &moment);
	if (rc == UNC_OK)
		rc = count_named(&moment, "cas_count.rd", &reads);
	if (rc == UNC_OK)
		rc = count_named(&moment, "cas_count.wr", &writes);
	if (rc < 0)
		return rc;
	*ret_read = 64 * reads;
	*ret_write = 64 * writes;
	return UNC_OK;
}

int unc_sim_truth_bytes(struct unc_host *host, const struct unc_addr *addr, uint64_t *ret_read, uint64_t *ret_write)
{
	return unc_sim_truth_bytes_at(host, addr, host->ops->now_ns(host, UNC_CLOCK_RAW), ret_read, ret_write);
}

const char *unc_sim_event_name(struct unc_host *host, size_t i)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && i < sim->options.model->n_events ? sim->options.model->events[i].name : NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic that is made on request: how much of it is possible, and what was moved. */
#include "sim/traffic.h"

#include <inttypes.h>

#include "base/err.h"
#include "sim/perf.h"
#include "sim/resctrl.h"
#include "sim/stops.h"

/* One byte, in rate * ticks. */
#define BYTE (UNC_SIM_RATE_ONE * UINT64_C(1000000000) * UNC_SIM_TICKS_PER_NS)

/*
 * The most that a CPU's instructions move; and the most that all channels of a node together carry, where channels are
 * not modelled.
 */
#define CPU_BYTES_PER_S  UINT64_C(10000000000)
#define NODE_BYTES_PER_S UINT64_C(204800000000) /* eight of DDR4-3200 */

enum {
	BUS_BYTES = 16,        /* per DCLK cycle: 8 at both edges */
	BUFFER_MAX_SHIFT = 33, /* larger buffers make no difference, as caches are much smaller */
};

/* Returns the bytes per second, in millionths, that a channel's bus carries right after that time. */
static unc_sim_wide carried(const struct unc_sim_load *load, size_t channel, uint64_t tick)
{
	unc_sim_wide sum = 0;
	size_t i;

	for (i = 0; i < load->model->n_events; i++) {
		const struct unc_sim_event *event = &load->model->events[i];
		struct unc_sim_part part = unc_sim_load_part(load, channel, i);

		if (event->from == UNC_SIM_FROM_EVENTS || event->flags & UNC_SIM_AGAIN)
			continue;
		sum += (unc_sim_wide)unc_sim_curve_rate(part.curve, tick) * (unsigned)(part.whole - part.less);
	}
	return sum * 64 / UNC_SIM_WEIGHT;
}

static uint64_t next_step(const struct unc_sim_load *load, size_t channel, uint64_t tick)
{
	uint64_t next = UINT64_MAX;
	size_t i;

	for (i = 0; i < load->model->n_events; i++) {
		uint64_t step = unc_sim_curve_next(unc_sim_load_part(load, channel, i).curve, tick);

		if (load->model->events[i].from != UNC_SIM_FROM_EVENTS && step < next)
			next = step;
	}
	return next;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Returns the part of a channel's bus that is free from now on, whatever its load will do later. */
static uint64_t channel_left(const struct unc_sim *sim, size_t channel, uint64_t t_ns)
{
	const uint64_t most = unc_sim_dclk_hz(sim->load.model) * BUS_BYTES * UNC_SIM_RATE_ONE;
	uint64_t tick = t_ns * UNC_SIM_TICKS_PER_NS, left = most;

	for (; tick != UINT64_MAX; tick = next_step(&sim->load, channel, tick)) {
		unc_sim_wide used = carried(&sim->load, channel, tick);

		left = lesser(left, used < most ? most - (uint64_t)used : 0);
	}
	return left;
}

/* Likewise, for a node without modelled channels, which carries nothing except traffic. */
static uint64_t node_left(const struct unc_sim *sim, unsigned node)
{
	const struct unc_sim_state *state = sim->store.state;
	uint64_t left = NODE_BYTES_PER_S * UNC_SIM_RATE_ONE;
	size_t i, n = unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS);

	for (i = 0; i < n; i++) {
		const struct unc_sim_traffic *traffic = &state->traffics[i];

		if (traffic->until_ns == UINT64_MAX && traffic->node == node)
			left -= lesser(left,
				       traffic->cpu_rate * traffic->n_cpus * unc_sim_traffic_ways(traffic->kind).seen);
	}
	return left;
}

/*
 * Sets equal rates for all channels and equal rates for all CPUs, so that both sums are exactly the same. Returns 0 if
 * nothing more can be moved.
 */
static uint64_t set_rates(const struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	struct unc_sim_traffic_ways ways = unc_sim_traffic_ways(traffic->kind);
	size_t n_channels = unc_sim_traffic_channels(sim, traffic->node), n = n_channels ? n_channels : 1, i;
	uint64_t rate = CPU_BYTES_PER_S * traffic->n_cpus, left = UINT64_MAX;
	uint64_t now_ns = unc_sim_state_now(sim->store.state);

	if (asked->bytes_per_s)
		rate = lesser(rate, asked->bytes_per_s);
	rate = (uint64_t)((unc_sim_wide)rate * UNC_SIM_RATE_ONE / n);
	for (i = 0; i < sim->load.n_channels; i++)
		if (unc_sim_traffic_reaches(sim, i, traffic->node))
			left = lesser(left, channel_left(sim, i, now_ns));
	if (!n_channels)
		left = node_left(sim, traffic->node);
	rate = lesser(rate, left / (ways.reads + ways.writes));
	rate -= rate % traffic->n_cpus;
	traffic->channel_rate = n_channels ? rate : 0;
	traffic->cpu_rate = rate / traffic->n_cpus * n;
	return rate;
}

static int no_such_cpu(const struct unc_sim *sim, unsigned cpu, const char *why)
{
	return unc_fail(sim->host.ctx, UNC_ENODEV, "sim:%s: CPU %u %s, and can make no traffic",
			sim->options.model->name, cpu, why);
}

static int set_cpus(const struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	size_t i;

	for (i = 0; i < asked->n_cpus; i++) {
		unsigned cpu = asked->cpus[i];

		if (cpu >= sim->n_cpus)
			return no_such_cpu(sim, cpu, "is not there");
		if (!sim->cpus[cpu].online)
			return no_such_cpu(sim, cpu, "is offline");
		traffic->n_cpus += !unc_sim_traffic_has_cpu(traffic, cpu);
		traffic->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	return UNC_OK;
}

static int check_node(const struct unc_sim *sim, unsigned node)
{
	size_t i;

	for (i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].node == node)
			break;
	if (i == sim->n_cpus)
		return unc_fail(sim->host.ctx, UNC_ENODEV, "sim:%s: there is no NUMA node %u", sim->options.model->name,
				node);
	if (sim->load.n_channels && !unc_sim_traffic_channels(sim, node))
		return unc_fail(sim->host.ctx, UNC_ENODEV,
				"sim:%s: NUMA node %u has no memory: all its channels are empty",
				sim->options.model->name, node);
	return UNC_OK;
}

/* The caller holds the lock. */
static int begin(struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	int rc;

	unc_sim_traffic_bury(sim);
	if (!set_rates(sim, asked, traffic))
		return unc_fail(sim->host.ctx, UNC_ENOSUP,
				"sim:%s: the memory of NUMA node %u has as much to carry as it can; give the machine "
				"another load",
				sim->options.model->name, traffic->node);
	rc = unc_sim_traffic_begin(sim, traffic, &sim->traffic);
	sim->has_traffic = rc == UNC_OK;
	return rc;
}

static int start(struct unc_sim *sim, const struct unc_traffic *asked)
{
	struct unc_sim_traffic traffic = {.kind = asked->kind, .node = asked->node};
	int rc;

	if (sim->has_traffic)
		return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: traffic is being made already",
				sim->options.model->name);
	rc = check_node(sim, asked->node);
	if (rc == UNC_OK)
		rc = set_cpus(sim, asked, &traffic);
	if (rc < 0)
		return rc;
	if (!traffic.n_cpus || !asked->size_bytes)
		return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: traffic needs a CPU, and a buffer of some size",
				sim->options.model->name);
	if (traffic.kind != UNC_TRAFFIC_NT_WRITE)
		traffic.occupancy = lesser(asked->size_bytes, UINT64_C(1) << BUFFER_MAX_SHIFT);
	unc_sim_lock(sim);
	rc = begin(sim, asked, &traffic);
	unc_sim_unlock(sim);
	return rc;
}

static struct unc_traffic_done done_until(const struct unc_sim *sim, const struct unc_sim_traffic *traffic,
					  uint64_t t_ns)
{
	unc_sim_wide ticks = (unc_sim_wide)(t_ns - traffic->from_ns) * UNC_SIM_TICKS_PER_NS;
	uint64_t bytes = (uint64_t)(ticks * traffic->cpu_rate * traffic->n_cpus / BYTE);

	return (struct unc_traffic_done){
		.loaded_bytes = traffic->kind == UNC_TRAFFIC_READ ? bytes : 0,
		.stored_bytes = traffic->kind == UNC_TRAFFIC_WRITE ? bytes : 0,
		.nt_stored_bytes = traffic->kind == UNC_TRAFFIC_NT_WRITE ? bytes : 0,
		.raw_ns = unc_sim_raw_at(sim, t_ns),
	};
}

static int look(struct unc_sim *sim, bool stop, struct unc_traffic_done *ret_done)
{
	const struct unc_sim_traffic *traffic = &sim->store.state->traffics[sim->traffic];

	if (!sim->has_traffic)
		return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: no traffic is being made", sim->options.model->name);
	unc_sim_lock(sim);
	if (stop)
		unc_sim_traffic_end(sim, sim->traffic);
	*ret_done = done_until(sim, traffic, stop ? traffic->until_ns : unc_sim_state_now(sim->store.state));
	unc_sim_unlock(sim);
	sim->has_traffic = !stop;
	return UNC_OK;
}

int unc_sim_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		    struct unc_traffic_done *ret_done)
{
	struct unc_sim *sim = (struct unc_sim *)host;

	return op == UNC_TRAFFIC_START ? start(sim, traffic) : look(sim, op == UNC_TRAFFIC_STOP, ret_done);
}

void unc_sim_traffic_close(struct unc_sim *sim)
{
	struct unc_traffic_done done;

	if (sim->has_traffic)
		look(sim, true, &done);
}

void unc_sim_lock(struct unc_sim *sim)
{
	unc_sim_store_lock(&sim->store);
	unc_sim_traffic_merge(sim);
	unc_sim_freezes_catch_up(sim);
	unc_sim_perf_catch_up(sim);
	unc_sim_resctrl_catch_up(sim);
}

void unc_sim_unlock(struct unc_sim *sim)
{
	unc_sim_store_unlock(&sim->store);
}

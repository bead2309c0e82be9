// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic that is made on request: how much of it is possible, and what was moved. */
#include <inttypes.h>

#include "base/err.h"
#include "sim/perf.h"
#include "sim/qm.h"
#include "sim/resctrl.h"
#include "sim/chance.h"
#include "sim/traffic.h"

static inline bool has_cpu(const struct unc_sim_traffic *traffic, unsigned cpu)
{
	return traffic->cpus[cpu / 64] >> cpu % 64 & 1;
}

/* How often channels read and write what instructions move, and how often a CPU's bandwidth counters count it. */
struct ways {
	unsigned reads, writes, seen;
};

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

	for (size_t i = 0; i < load->model->n_events; i++) {
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

	for (size_t i = 0; i < load->model->n_events; i++) {
		uint64_t step = unc_sim_curve_next(unc_sim_load_part(load, channel, i).curve, tick);

		if (load->model->events[i].from != UNC_SIM_FROM_EVENTS && step < next)
			next = step;
	}
	return next;
}

/* Returns the part of a channel's bus that is free from now on, whatever its load will do later. */
static uint64_t channel_left(const struct unc_sim *sim, size_t channel, uint64_t t_ns)
{
	const uint64_t most = unc_sim_dclk_hz(sim->load.model) * BUS_BYTES * UNC_SIM_RATE_ONE;
	uint64_t tick = t_ns * UNC_SIM_TICKS_PER_NS, left = most;

	for (; tick != UINT64_MAX; tick = next_step(&sim->load, channel, tick)) {
		unc_sim_wide used = carried(&sim->load, channel, tick);

		left = unc_sim_least(left, used < most ? most - (uint64_t)used : 0);
	}
	return left;
}

static struct ways ways_of(uint32_t kind)
{
	switch (kind) {
	case UNC_TRAFFIC_WRITE: /* each line is read before it is changed, and written back */
		return (struct ways){.reads = 1, .writes = 1, .seen = 2};
	case UNC_TRAFFIC_NT_WRITE:
		return (struct ways){.writes = 1, .seen = 1};
	case UNC_TRAFFIC_READ:
	default:
		return (struct ways){.reads = 1, .seen = 1};
	}
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
			left -= unc_sim_least(left, traffic->cpu_rate * traffic->n_cpus * ways_of(traffic->kind).seen);
	}
	return left;
}

/* Returns whether the memory of that channel exists and belongs to that node. */
static bool reaches(const struct unc_sim *sim, size_t channel, unsigned node)
{
	/* With sub-NUMA clustering the controllers of a socket are shared out, in their order. */
	const struct unc_sim_channel_load *of = &sim->load.channels[channel],
					  *last = &sim->load.channels[sim->load.n_channels - 1];
	unsigned snc = sim->options.snc, here = of->socket * snc + of->imc * snc / (last->imc + 1);

	return (sim->options.numa_off || here == node) && !unc_sim_is_empty(sim, channel);
}

static size_t channels_of(const struct unc_sim *sim, unsigned node)
{
	size_t i, n = 0;

	for (i = 0; i < sim->load.n_channels; i++)
		n += reaches(sim, i, node);
	return n;
}

/*
 * Sets equal rates for all channels and equal rates for all CPUs, so that both sums are exactly the same. Returns 0 if
 * nothing more can be moved.
 */
static uint64_t set_rates(const struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	struct ways ways = ways_of(traffic->kind);
	size_t n_channels = channels_of(sim, traffic->node), n = n_channels ? n_channels : 1, i;
	uint64_t rate = CPU_BYTES_PER_S * traffic->n_cpus, left = UINT64_MAX;
	uint64_t now_ns = unc_sim_state_now(sim->store.state);

	if (asked->bytes_per_s)
		rate = unc_sim_least(rate, asked->bytes_per_s);
	rate = (uint64_t)((unc_sim_wide)rate * UNC_SIM_RATE_ONE / n);
	for (i = 0; i < sim->load.n_channels; i++)
		if (reaches(sim, i, traffic->node))
			left = unc_sim_least(left, channel_left(sim, i, now_ns));
	if (!n_channels)
		left = node_left(sim, traffic->node);
	rate = unc_sim_least(rate, left / (ways.reads + ways.writes));
	rate -= rate % traffic->n_cpus;
	traffic->channel_rate = n_channels ? rate : 0;
	traffic->cpu_rate = rate / traffic->n_cpus * n;
	return rate;
}

static int no_such_cpu(const struct unc_sim *sim, unsigned cpu, const char *why)
{
	return unc_sim_fail(sim, UNC_ENODEV, "CPU %u %s, and can make no traffic", cpu, why);
}

static int set_cpus(const struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	for (size_t i = 0; i < asked->n_cpus; i++) {
		unsigned cpu = asked->cpus[i];

		if (cpu >= sim->n_cpus)
			return no_such_cpu(sim, cpu, "is not there");
		if (!sim->cpus[cpu].online)
			return no_such_cpu(sim, cpu, "is offline");
		traffic->n_cpus += !has_cpu(traffic, cpu);
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
		return unc_sim_fail(sim, UNC_ENODEV, "there is no NUMA node %u", node);
	if (sim->load.n_channels && !channels_of(sim, node))
		return unc_sim_fail(sim, UNC_ENODEV, "NUMA node %u has no memory: all its channels are empty", node);
	return UNC_OK;
}

/* The list of traffic that was made, and how it is added to the curves. */

/*
 * Offset after the end of the state file, like the claims of sim/bus.c: the opener that locks the byte of an entry
 * makes that traffic.
 */
#define OWNERS (UINT64_C(1) << 62)

static uint64_t n_changes(const struct unc_sim_state *state)
{
	return unc_sim_bounded(&state->n_changes, UNC_SIM_N(state->changes));
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
	int rc = UNC_OK;

	for (size_t i = 0; i < model->n_events && rc == UNC_OK; i++) {
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
	const struct ways ways = ways_of(traffic->kind);
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
	uint64_t rate = ways_of(traffic->kind).seen * traffic->cpu_rate;
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

	for (size_t i = 0; i < sim->load.n_channels && rc == UNC_OK; i++)
		if (reaches(sim, i, traffic->node))
			rc = raise_channel(raising, sim, i, traffic);
	for (size_t i = 0; i < sim->n_cpus && rc == UNC_OK; i++)
		if (has_cpu(traffic, (unsigned)i))
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

/* Adds to the curves the changes that are not in them yet; if memory runs out, the opener's next use tries again. */
static void merge_changes(struct unc_sim *sim)
{
	const struct unc_sim_state *state = sim->store.state;
	uint64_t n = n_changes(state);

	while (sim->merged < n && merge_one(sim, state->changes[sim->merged]))
		sim->merged++;
}

/* Begin or end traffic now. Errors of begin: UNC_ENOSUP: the list is full; UNC_ENOMEM: the traffic did not begin. */
static int begin_traffic(struct unc_sim *sim, const struct unc_sim_traffic *traffic, uint32_t *ret_number)
{
	struct unc_sim_state *state = sim->store.state;
	uint64_t now_ns = unc_sim_state_now(state);
	uint32_t number = (uint32_t)unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS);
	uint64_t change = n_changes(state);

	if (number == UNC_SIM_TRAFFICS || change == UNC_SIM_N(state->changes))
		return unc_sim_fail(sim, UNC_ENOSUP,
				    "traffic was made %d times, and this machine remembers no more; take a new one",
				    UNC_SIM_TRAFFICS);
	unc_sim_llc_before_change(sim, traffic->cpus, now_ns);
	state->traffics[number] = *traffic;
	state->traffics[number].from_ns = now_ns;
	state->traffics[number].until_ns = UINT64_MAX;
	state->changes[change] = 2 * number;
	state->n_changes = change + 1;
	merge_changes(sim);
	if (sim->merged <= change) {
		state->n_changes = change;
		unc_sim_llc_after_change(sim, traffic->cpus, now_ns);
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	}
	state->n_traffics = number + 1;
	unc_sim_llc_after_change(sim, traffic->cpus, now_ns);
	if (sim->options.state)
		unc_os_shared_claim(&sim->store.shared, OWNERS + number, 1, UNC_CLAIM_TAKE);
	*ret_number = number;
	return UNC_OK;
}

static uint32_t number_of(const struct unc_sim_state *state, const struct unc_sim_traffic *traffic)
{
	return (uint32_t)(traffic - state->traffics);
}

static void end_traffic(struct unc_sim *sim, uint32_t number)
{
	struct unc_sim_state *state = sim->store.state;
	struct unc_sim_traffic *traffic = &state->traffics[number];
	uint64_t now_ns = unc_sim_state_now(state), change = n_changes(state);

	unc_sim_llc_before_change(sim, traffic->cpus, now_ns);
	traffic->until_ns = now_ns;
	if (change < UNC_SIM_N(state->changes)) {
		state->changes[change] = 2 * number + 1;
		state->n_changes = change + 1;
	}
	merge_changes(sim);
	unc_sim_llc_after_change(sim, traffic->cpus, now_ns);
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
			end_traffic(sim, number_of(state, traffic));
	}
}

/* The caller holds the lock. */
static int begin(struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	int rc;

	unc_sim_traffic_bury(sim);
	if (!set_rates(sim, asked, traffic))
		return unc_sim_fail(sim, UNC_ENOSUP,
				    "the memory of NUMA node %u has as much to carry as it can; give the machine "
				    "another load",
				    traffic->node);
	rc = begin_traffic(sim, traffic, &sim->traffic);
	sim->has_traffic = rc == UNC_OK;
	return rc;
}

void unc_sim_lock(struct unc_sim *sim)
{
	unc_sim_store_lock(&sim->store);
	merge_changes(sim);
	unc_sim_freezes_catch_up(sim);
	unc_sim_perf_catch_up(sim);
	unc_sim_resctrl_catch_up(sim);
}

void unc_sim_unlock(struct unc_sim *sim)
{
	unc_sim_store_unlock(&sim->store);
}

static int start(struct unc_sim *sim, const struct unc_traffic *asked)
{
	struct unc_sim_traffic traffic = {.kind = asked->kind, .node = asked->node};
	int rc;

	if (sim->has_traffic)
		return unc_sim_fail(sim, UNC_EARG, "traffic is being made already");
	rc = check_node(sim, asked->node);
	if (rc == UNC_OK)
		rc = set_cpus(sim, asked, &traffic);
	if (rc < 0)
		return rc;
	if (!traffic.n_cpus || !asked->size_bytes)
		return unc_sim_fail(sim, UNC_EARG, "traffic needs a CPU, and a buffer of some size");
	if (traffic.kind != UNC_TRAFFIC_NT_WRITE)
		traffic.occupancy = unc_sim_least(asked->size_bytes, UINT64_C(1) << BUFFER_MAX_SHIFT);
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

static int report(struct unc_sim *sim, bool stop, struct unc_traffic_done *ret_done)
{
	const struct unc_sim_traffic *traffic = &sim->store.state->traffics[sim->traffic];

	if (!sim->has_traffic)
		return unc_sim_fail(sim, UNC_EARG, "no traffic is being made");
	unc_sim_lock(sim);
	if (stop)
		end_traffic(sim, sim->traffic);
	*ret_done = done_until(sim, traffic, stop ? traffic->until_ns : unc_sim_state_now(sim->store.state));
	unc_sim_unlock(sim);
	sim->has_traffic = !stop;
	return UNC_OK;
}

int unc_sim_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *traffic,
		    struct unc_traffic_done *ret_done)
{
	struct unc_sim *sim = (struct unc_sim *)host;

	return op == UNC_TRAFFIC_START ? start(sim, traffic) : report(sim, op == UNC_TRAFFIC_STOP, ret_done);
}

void unc_sim_traffic_close(struct unc_sim *sim)
{
	struct unc_traffic_done done;

	if (sim->has_traffic)
		report(sim, true, &done);
}

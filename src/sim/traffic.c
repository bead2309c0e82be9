// SPDX-License-Identifier: GPL-2.0-or-later
/* Traffic that is made on request: how much of it is possible, and what was moved. */

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

/* Returns the part of a channel's bus that is free from now on, whatever its load will do later. */
static uint64_t channel_left(const struct unc_sim *sim, size_t channel, uint64_t t_ns)
{
	const struct unc_sim_model *model = sim->load.model;
	const uint64_t most = unc_sim_dclk_hz(model) * BUS_BYTES * UNC_SIM_RATE_ONE;
	uint64_t tick = t_ns * UNC_SIM_TICKS_PER_NS, left = most;

	while (tick != UINT64_MAX) {
		uint64_t next = UINT64_MAX;
		unc_sim_wide used = 0;

		for (size_t i = 0; i < model->n_events; i++) {
			struct unc_sim_part part = unc_sim_load_part(&sim->load, channel, i);

			if (model->events[i].from == UNC_SIM_FROM_EVENTS)
				continue;
			next = unc_sim_least(next, unc_sim_curve_next(part.curve, tick));
			if (!(model->events[i].flags & UNC_SIM_AGAIN))
				used += unc_sim_part_rate(&part, tick);
		}
		used = used * 64 / UNC_SIM_WEIGHT;
		left = unc_sim_least(left, used < most ? most - (uint64_t)used : 0);
		tick = next;
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

/* Returns whether the memory of that channel exists and belongs to that node. */
static bool reaches(const struct unc_sim *sim, size_t channel, unsigned node)
{
	/* With sub-NUMA clustering the controllers of a socket are shared out, in their order. */
	const struct unc_sim_channel_load *of = &sim->load.channels[channel],
					  *last = &sim->load.channels[sim->load.n_channels - 1];
	unsigned n = unc_sim_nodes(&sim->options), here = of->socket * n + of->imc * n / (last->imc + 1);

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
	struct unc_sim_state *state = sim->store.state;
	uint64_t now_ns = unc_sim_state_now(state);

	if (asked->bytes_per_s)
		rate = unc_sim_least(rate, asked->bytes_per_s);
	rate = (uint64_t)((unc_sim_wide)rate * UNC_SIM_RATE_ONE / n);
	for (i = 0; i < sim->load.n_channels; i++)
		if (reaches(sim, i, traffic->node))
			left = unc_sim_least(left, channel_left(sim, i, now_ns));
	/* A node without modelled channels carries nothing except traffic. */
	if (!n_channels)
		left = NODE_BYTES_PER_S * UNC_SIM_RATE_ONE;
	for (i = 0; !n_channels && i < unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS); i++) {
		const struct unc_sim_traffic *other = &state->traffics[i];

		if (other->until_ns == UINT64_MAX && other->node == traffic->node)
			left -= unc_sim_least(left, other->cpu_rate * other->n_cpus * ways_of(other->kind).seen);
	}
	rate = unc_sim_least(rate, left / (ways.reads + ways.writes));
	rate -= rate % traffic->n_cpus;
	traffic->channel_rate = n_channels ? rate : 0;
	traffic->cpu_rate = rate / traffic->n_cpus * n;
	return rate;
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

/* Raises or lowers curves, at most left of them; left becomes 0 when memory runs out. */
struct raising {
	uint64_t at_ns;
	bool less;
	size_t left, done;
};

static void raise(struct raising *raising, struct unc_sim_curve *curve, uint64_t rate)
{
	if (!rate || !raising->left)
		return;
	if (unc_sim_curve_raise(curve, raising->at_ns, raising->less ? 0 - rate : rate) < 0) {
		raising->left = 0;
		return;
	}
	raising->left--;
	raising->done++;
}

/* Where a load gives CAS events, bytes become those, like the bytes of a load: see struct unc_sim_part. */
static void raise_channel(struct raising *raising, const struct unc_sim_model *model,
			  struct unc_sim_channel_load *channel, enum unc_sim_from from, uint64_t rate)
{
	if (!channel->by_event[from]) {
		raise(raising, &channel->bytes[from], rate);
		return;
	}
	for (size_t i = 0; i < model->n_events; i++) {
		const struct unc_sim_event *event = &model->events[i];
		unsigned weight = (unsigned)(event->whole - event->less);

		if (event->from == from)
			raise(raising, &channel->events[i], (uint64_t)((unc_sim_wide)rate * weight / UNC_SIM_WEIGHT));
	}
}

static void raise_all(struct raising *raising, struct unc_sim *sim, const struct unc_sim_traffic *traffic)
{
	const struct unc_sim_model *model = sim->load.model;
	const struct ways ways = ways_of(traffic->kind);

	for (size_t i = 0; i < sim->load.n_channels; i++) {
		struct unc_sim_channel_load *channel = &sim->load.channels[i];

		if (!reaches(sim, i, traffic->node))
			continue;
		raise_channel(raising, model, channel, UNC_SIM_FROM_READ, ways.reads * traffic->channel_rate);
		raise_channel(raising, model, channel, UNC_SIM_FROM_WRITE, ways.writes * traffic->channel_rate);
	}
	for (size_t i = 0; i < sim->n_cpus; i++) {
		struct unc_sim_cpu_load *cpu = &sim->load.cpus[i];

		if (!has_cpu(traffic, (unsigned)i))
			continue;
		raise(raising, &cpu->total, ways.seen * traffic->cpu_rate);
		if (sim->cpus[i].node == traffic->node)
			raise(raising, &cpu->local, ways.seen * traffic->cpu_rate);
		raise(raising, &cpu->occupancy, traffic->occupancy * UNC_SIM_RATE_ONE);
	}
}

/*
 * Adds to the curves the changes that are not in them yet, each to all curves or to none; if memory runs out, the
 * opener's next use tries again.
 */
static void merge_changes(struct unc_sim *sim)
{
	const struct unc_sim_state *state = sim->store.state;
	uint64_t n = n_changes(state);

	for (; sim->merged < n; sim->merged++) {
		uint32_t change = state->changes[sim->merged];
		const struct unc_sim_traffic traffic = state->traffics[change / 2 % UNC_SIM_TRAFFICS];
		struct raising raising = {.less = change % 2, .left = SIZE_MAX};

		raising.at_ns = unc_sim_bounded(raising.less ? &traffic.until_ns : &traffic.from_ns, UNC_SIM_TIME_MAX);
		raise_all(&raising, sim, &traffic);
		if (raising.left)
			continue;
		/* Lowering them again does not fail, as the curves have these steps already. */
		raising.less = !raising.less;
		raising.left = raising.done;
		raise_all(&raising, sim, &traffic);
		return;
	}
}

/* UNC_ENOSUP: the memory or the list is full; UNC_ENOMEM: the traffic did not begin. The caller holds the lock. */
static int begin_traffic(struct unc_sim *sim, const struct unc_traffic *asked, struct unc_sim_traffic *traffic)
{
	struct unc_sim_state *state = sim->store.state;
	uint64_t now_ns, change;
	uint32_t number;

	unc_sim_traffic_bury(sim);
	if (!set_rates(sim, asked, traffic))
		return unc_sim_fail(sim, UNC_ENOSUP,
				    "the memory of NUMA node %u has as much to carry as it can; give the machine "
				    "another load",
				    traffic->node);
	number = (uint32_t)unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS);
	change = n_changes(state);
	if (number == UNC_SIM_TRAFFICS || change == UNC_SIM_N(state->changes))
		return unc_sim_fail(sim, UNC_ENOSUP,
				    "traffic was made %d times, and this machine remembers no more; take a new one",
				    UNC_SIM_TRAFFICS);
	now_ns = unc_sim_state_now(state);
	unc_sim_llc_before_change(sim, traffic->cpus, now_ns);
	traffic->from_ns = now_ns;
	traffic->until_ns = UINT64_MAX;
	state->traffics[number] = *traffic;
	state->changes[change] = 2 * number;
	state->n_changes = change + 1;
	merge_changes(sim);
	unc_sim_llc_after_change(sim, traffic->cpus, now_ns);
	if (sim->merged <= change) {
		state->n_changes = change;
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	}
	state->n_traffics = number + 1;
	unc_os_shared_claim(&sim->store.shared, OWNERS + number, 1, UNC_CLAIM_TAKE);
	sim->traffic = number;
	sim->has_traffic = true;
	return UNC_OK;
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
	unc_os_shared_claim(&sim->store.shared, OWNERS + number, 1, UNC_CLAIM_LEAVE);
}

void unc_sim_traffic_bury(struct unc_sim *sim)
{
	struct unc_sim_state *state = sim->store.state;
	uint32_t i, n = (uint32_t)unc_sim_bounded(&state->n_traffics, UNC_SIM_TRAFFICS);

	for (i = 0; sim->options.state && i < n; i++) {
		if (state->traffics[i].until_ns != UINT64_MAX || (sim->has_traffic && sim->traffic == i))
			continue;
		if (unc_os_shared_claim(&sim->store.shared, OWNERS + i, 1, UNC_CLAIM_TAKE) == UNC_OK)
			end_traffic(sim, i);
	}
}

void unc_sim_lock(struct unc_sim *sim)
{
	unc_os_shared_lock(&sim->store.shared);
	merge_changes(sim);
	unc_sim_freezes_catch_up(sim);
	unc_sim_perf_catch_up(sim);
	unc_sim_resctrl_catch_up(sim);
}

void unc_sim_unlock(struct unc_sim *sim)
{
	unc_os_shared_unlock(&sim->store.shared);
}

static int start(struct unc_sim *sim, const struct unc_traffic *asked)
{
	struct unc_sim_traffic traffic = {.kind = asked->kind, .node = asked->node};
	bool has_cpus = false;
	int rc;

	if (sim->has_traffic)
		return unc_sim_fail(sim, UNC_EARG, "traffic is being made already");
	for (size_t i = 0; i < sim->n_cpus && !has_cpus; i++)
		has_cpus = sim->cpus[i].node == asked->node;
	if (!has_cpus)
		return unc_sim_fail(sim, UNC_ENODEV, "there is no NUMA node %u", asked->node);
	if (sim->load.n_channels && !channels_of(sim, asked->node))
		return unc_sim_fail(sim, UNC_ENODEV, "NUMA node %u has no memory: all its channels are empty",
				    asked->node);
	for (size_t i = 0; i < asked->n_cpus; i++) {
		unsigned cpu = asked->cpus[i];
		bool is_there = cpu < sim->n_cpus;

		if (!is_there || !sim->cpus[cpu].online)
			return unc_sim_fail(sim, UNC_ENODEV, "CPU %u is %s, and can make no traffic", cpu,
					    is_there ? "offline" : "not there");
		traffic.n_cpus += !has_cpu(&traffic, cpu);
		traffic.cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	if (!traffic.n_cpus || !asked->size_bytes)
		return unc_sim_fail(sim, UNC_EARG, "traffic needs a CPU, and a buffer of some size");
	if (traffic.kind != UNC_TRAFFIC_NT_WRITE)
		traffic.occupancy = unc_sim_least(asked->size_bytes, UINT64_C(1) << BUFFER_MAX_SHIFT);
	unc_sim_lock(sim);
	rc = begin_traffic(sim, asked, &traffic);
	unc_sim_unlock(sim);
	return rc;
}

int unc_sim_traffic(struct unc_host *host, enum unc_traffic_op op, const struct unc_traffic *asked,
		    struct unc_traffic_done *ret_done)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	const struct unc_sim_traffic *traffic = &sim->store.state->traffics[sim->traffic];
	bool stop = op == UNC_TRAFFIC_STOP;
	uint64_t t_ns, bytes;

	if (op == UNC_TRAFFIC_START)
		return start(sim, asked);
	if (!sim->has_traffic)
		return unc_sim_fail(sim, UNC_EARG, "no traffic is being made");
	unc_sim_lock(sim);
	if (stop)
		end_traffic(sim, sim->traffic);
	t_ns = stop ? traffic->until_ns : unc_sim_state_now(sim->store.state);
	bytes = (uint64_t)((unc_sim_wide)(t_ns - traffic->from_ns) * UNC_SIM_TICKS_PER_NS * traffic->cpu_rate *
			   traffic->n_cpus / BYTE);
	*ret_done = (struct unc_traffic_done){
		.loaded_bytes = traffic->kind == UNC_TRAFFIC_READ ? bytes : 0,
		.stored_bytes = traffic->kind == UNC_TRAFFIC_WRITE ? bytes : 0,
		.nt_stored_bytes = traffic->kind == UNC_TRAFFIC_NT_WRITE ? bytes : 0,
		.raw_ns = unc_sim_raw_at(sim, t_ns),
	};
	unc_sim_unlock(sim);
	sim->has_traffic = !stop;
	return UNC_OK;
}

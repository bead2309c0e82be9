// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of the simulated machine's kernel, as perf_event_open(2) provides them: which ones an opener may have, and
 * which opener owns them.
 */

#include "sim/chance.h"
#include "sim/perf.h"

struct agent { /* one occasion on which the driver acts on a channel */
	struct unc_sim *sim;
	struct unc_sim_perf_box *box;
	const struct unc_sim_place *place;
	uint64_t begin_ns; /* when the occasion began; enabled and running times of events use it */
	bool passes;       /* true: each access takes time; false: all happen at begin_ns */
};

#define POLL_NS (60 * UINT64_C(1000000000)) /* UNCORE_PMU_HRTIMER_INTERVAL */

/* Offset in the state file, far after its end: one byte for each event, which its opener locks. */
#define OWNERS (UINT64_C(3) << 61)

enum { MILLION = 1000000 };

static struct unc_sim_perf *perf_of(const struct unc_sim *sim)
{
	return &sim->store.state->perf;
}

static bool is_mine(const struct unc_sim *sim, size_t i)
{
	return i < UNC_SIM_PERF_EVENTS && sim->perf_events[i / 64] >> i % 64 & 1;
}

/* Fails with "perf: uncore_imc_2 (PMU 14), config 0x304, CPU 0: Invalid argument: ...". */
static int refuse(const struct unc_sim *sim, const struct unc_perf_attr *attr, int err, const char *name,
		  const char *why)
{
	unsigned number = attr->type - UNC_SIM_PERF_TYPE;
	char pmu[48], known[UNC_SIM_PERF_NAME];

	if (attr->type >= UNC_SIM_PERF_TYPE && number < UNC_SIM_PERF_NUMBERS && unc_sim_perf_numbers(sim) >> number & 1)
		snprintf(pmu, sizeof(pmu), "%s (PMU %" PRIu32 ")", unc_sim_perf_name(sim, number, known), attr->type);
	else
		snprintf(pmu, sizeof(pmu), "PMU %" PRIu32, attr->type);
	return unc_fail_named(sim->host.ctx, err, name, "perf: %s, config 0x%" PRIx64 ", CPU %u: %s", pmu, attr->config,
			      attr->cpu, why);
}

/*
 * As core.c, perf_allow_kernel() and perf_allow_cpu(), do for a process that is not root, and perf_init_event(), and uncore.c,
 * uncore_pmu_event_init().
 */
static int find(struct unc_sim *sim, const struct unc_perf_attr *attr, const struct unc_sim_place **ret_place)
{
	const struct unc_sim_perf_options *perf = &sim->options.perf;
	unsigned number = attr->type - UNC_SIM_PERF_TYPE;
	char why[240];

	if (perf->suspicious && perf->paranoid > 0) {
		snprintf(why, sizeof(why),
			 "Permission denied: kernel.perf_event_paranoid is %" PRId64
			 ", and there is no CAP_PERFMON: run it as root, or give everybody that right with `sysctl "
			 "kernel.perf_event_paranoid=0` (here: without perf_paranoid=, or perf_paranoid=0)",
			 perf->paranoid);
		return refuse(sim, attr, UNC_EPERM, "EACCES", why);
	}
	if (attr->type < UNC_SIM_PERF_TYPE || number >= UNC_SIM_PERF_NUMBERS ||
	    !(unc_sim_perf_numbers(sim) >> number & 1))
		return refuse(sim, attr, UNC_ENODEV, "ENOENT",
			      "No such file or directory: no PMU has that number; /sys/bus/event_source/devices tells "
			      "which there are");
	if (attr->cpu >= sim->n_cpus || !sim->cpus[attr->cpu].online)
		return refuse(sim, attr, UNC_ENODEV, "ENODEV",
			      "No such device: this machine has no such CPU, or it is offline; take one that the PMU's "
			      "cpumask has");
	*ret_place = unc_sim_perf_place(sim, number, sim->cpus[attr->cpu].package);
	if (!*ret_place)
		return refuse(sim, attr, UNC_EARG, "EINVAL",
			      "Invalid argument: the package of that CPU has no channel of that number");
	if (attr->config == UNC_SIM_PERF_FIXED && (!unc_sim_perf_part(sim).clock || number >= UNC_SIM_PERF_HBM))
		return refuse(sim, attr, UNC_EARG, "EINVAL",
			      "Invalid argument: the driver knows no fixed counter of this processor");
	return UNC_OK;
}

/*
 * Assigns counters to the events of a channel: see perf.h. Linux 6.1, kernel/events/core.c, ctx_resched(),
 * perf_rotate_context().
 */

/* Returns the next event in the channel's list, after that order, that is on; NULL: none. */
static struct unc_sim_perf_event *next_on(const struct agent *agent, uint64_t order)
{
	struct unc_sim_perf *perf = perf_of(agent->sim);
	struct unc_sim_perf_event *next = NULL;
	uint32_t i, n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);

	for (i = 0; i < n; i++) {
		struct unc_sim_perf_event *event = &perf->events[i];

		if (event->on && event->order > order &&
		    event->place == (uint32_t)(agent->place - agent->sim->places) &&
		    (!next || event->order < next->order))
			next = event;
	}
	return next;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static uint64_t due_at(const struct unc_sim_perf_box *box)
{
	return sooner(sooner(box->rotates_ns, box->moves_ns), box->polls_ns);
}

static void find_due(struct unc_sim_perf *perf)
{
	perf->due_ns = 0;
	for (size_t i = 0; i < UNC_SIM_N(perf->boxes); i++)
		perf->due_ns = sooner(perf->due_ns, due_at(&perf->boxes[i]));
}

static struct agent agent_at(struct unc_sim *sim, uint32_t place, uint64_t t_ns, bool passes)
{
	if (place >= sim->n_places)
		place = 0; /* the state is damaged */
	return (struct agent){.sim = sim,
			      .box = &sim->store.state->perf.boxes[sim->places[place].channel],
			      .place = &sim->places[place],
			      .begin_ns = t_ns,
			      .passes = passes};
}

static struct agent agent_now(struct unc_sim *sim, uint32_t place)
{
	return agent_at(sim, place, unc_sim_state_now(sim->store.state), true);
}

/*
 * How the driver accesses the registers of a channel: see perf.h. Registers and the order of accesses are as in Linux
 * 6.1, arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_*(), and uncore.c, uncore_pmu_event_start(), _stop(),
 * _update().
 */

enum {
	CTR0 = 0xa0,
	FIXED_CTR = 0xd0,
	CTL0 = 0xd8,
	FIXED_CTL = 0xf0,
	BOX_CTL = 0xf4,
};
#define FIXED_EN UINT32_C(0x400000)
#define CTR_MASK ((UINT64_C(1) << 48) - 1)

/*
 * With clock=real an access that was made meanwhile can be later than the time at which this one was due; time never
 * goes back.
 */
static struct unc_sim_cycle cycle_of(const struct agent *agent, uint32_t off, uint32_t value)
{
	struct unc_sim_state *state = agent->sim->store.state;
	uint64_t since_ns = unc_sim_bounded(&state->imc[agent->place->channel].since_ns, UNC_SIM_TIME_MAX), t_ns;

	t_ns = agent->passes ? unc_sim_state_access(state) : unc_sim_state_access_at(state, agent->begin_ns);
	return (struct unc_sim_cycle){.sim = agent->sim,
				      .place = agent->place,
				      .off = off,
				      .value = value,
				      .enabled = UINT32_MAX,
				      .t_ns = t_ns > since_ns ? t_ns : since_ns,
				      .by_kernel = true};
}

static uint32_t get(const struct agent *agent, uint32_t off)
{
	struct unc_sim_cycle cycle = cycle_of(agent, off, 0);
	uint32_t value = unc_sim_cycle_read(&cycle);

	if (agent->passes)
		unc_sim_access_pass(agent->sim);
	return value;
}

static void put(const struct agent *agent, uint32_t off, uint32_t value)
{
	struct unc_sim_cycle cycle = cycle_of(agent, off, value);

	unc_sim_cycle_write(&cycle);
	if (agent->passes)
		unc_sim_access_pass(agent->sim);
}

static void freeze_box(const struct agent *agent, bool frozen)
{
	uint32_t frz = unc_sim_perf_part(agent->sim).frz, box_ctl = get(agent, BOX_CTL);

	put(agent, BOX_CTL, frozen ? box_ctl | frz : box_ctl & ~frz);
}

static uint32_t ctl_off(unsigned slot)
{
	return slot == UNC_SIM_PERF_SLOT_FIXED ? FIXED_CTL : CTL0 + 4 * (slot - 1);
}

static uint64_t ctr_get(const struct agent *agent, unsigned slot)
{
	uint32_t off = slot == UNC_SIM_PERF_SLOT_FIXED ? FIXED_CTR : CTR0 + 8 * (slot - 1), low, high;

	low = get(agent, off);
	high = get(agent, off + 4);
	return (uint64_t)high << 32 | low;
}

/* Adds what its counter has counted since the last read. */
static void update_count(const struct agent *agent, struct unc_sim_perf_event *event)
{
	uint64_t value = ctr_get(agent, event->slot);

	event->count += (value - event->prev) & CTR_MASK;
	event->prev = value;
}

static void stop_counter(const struct agent *agent, struct unc_sim_perf_event *event)
{
	put(agent, ctl_off(event->slot), unc_sim_perf_part(agent->sim).en ? event->ctl : 0);
	update_count(agent, event);
	event->running_ns += agent->begin_ns - event->runs_ns;
	event->slot = 0;
}

static void switch_off(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct agent agent = agent_now(sim, event->place);
	const struct unc_sim_perf_event *first, *running;

	if (!event->on)
		return;
	if (event->slot) {
		freeze_box(&agent, true);
		stop_counter(&agent, event);
		freeze_box(&agent, false);
	}
	event->on = 0;
	event->enabled_ns += agent.begin_ns - event->on_ns;
	running = first = next_on(&agent, 0);
	while (running && !running->slot)
		running = next_on(&agent, running->order);
	if (!running)
		agent.box->polls_ns = 0;
	if (!first) {
		agent.box->rotates_ns = 0;
		agent.box->moves_ns = 0;
	}
	find_due(perf_of(sim));
}

/* Ends event i. The caller holds the lock. */
static void end(struct unc_sim *sim, size_t i)
{
	struct unc_sim_perf *perf = perf_of(sim);

	switch_off(sim, &perf->events[i]);
	perf->events[i] = (struct unc_sim_perf_event){0};
	sim->perf_events[i / 64] &= ~(UINT64_C(1) << i % 64);
	unc_os_shared_claim(&sim->store.shared, OWNERS + i, 1, UNC_CLAIM_LEAVE);
}

void unc_sim_perf_bury(struct unc_sim *sim)
{
	struct unc_sim_perf *perf = perf_of(sim);
	size_t i, n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);

	for (i = 0; sim->options.state && sim->n_places && i < n; i++)
		if (perf->events[i].order && !is_mine(sim, i) &&
		    unc_os_shared_claim(&sim->store.shared, OWNERS + i, 1, UNC_CLAIM_TAKE) == UNC_OK)
			end(sim, i);
}

/*
 * Appends an event to the list of its channel. Adding the first one also schedules the whole context again (core.c,
 * perf_install_in_context()). The caller holds the lock.
 */
static int add(struct unc_sim *sim, const struct unc_sim_perf_event *event, unsigned *ret_event)
{
	struct unc_sim_perf *perf = perf_of(sim);
	struct agent agent;
	bool is_first = true;
	uint32_t i = 0, n;

	unc_sim_perf_bury(sim);
	n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);
	while (i < n && perf->events[i].order)
		i++;
	if (i == UNC_SIM_PERF_EVENTS)
		return unc_fail_named(sim->host.ctx, UNC_ENOMEM, "EMFILE",
				      "perf: Too many open files: a simulated kernel has %d events at once",
				      UNC_SIM_PERF_EVENTS);
	for (uint32_t k = 0; k < n; k++)
		is_first &= !perf->events[k].order || perf->events[k].place != event->place;
	if (i == n)
		perf->n = n + 1;
	agent = agent_now(sim, event->place);
	perf->events[i] = *event;
	perf->events[i].order = ++perf->orders;
	if (is_first) {
		freeze_box(&agent, true);
		freeze_box(&agent, false);
	}
	sim->perf_events[i / 64] |= UINT64_C(1) << i % 64;
	unc_os_shared_claim(&sim->store.shared, OWNERS + i, 1, UNC_CLAIM_TAKE);
	*ret_event = i;
	return UNC_OK;
}

int unc_sim_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	struct unc_sim_perf_event event = {.fixed = attr->config == UNC_SIM_PERF_FIXED};
	const struct unc_sim_place *place = NULL;
	int rc;

	if (!sim->options.perf.on)
		return unc_sim_fail(sim, UNC_ENOSUP,
				    "its kernel has no driver that counts in memory channels; perf=on gives it one");
	rc = find(sim, attr, &place);
	if (rc < 0)
		return rc;
	event.place = (uint32_t)(place - sim->places);
	/* The driver silently drops bits that it does not know. */
	event.ctl = event.fixed ? 0 : (uint32_t)attr->config & unc_sim_perf_part(sim).mask;
	unc_sim_lock(sim);
	rc = add(sim, &event, ret_event);
	unc_sim_unlock(sim);
	return rc;
}

#define ROTATION_NS (UNC_SIM_PERF_ROTATES_MS * UINT64_C(1000000))
#define HOUR_NS     (3600 * UINT64_C(1000000000))
#define MONTH_NS    (UINT64_C(30) * 24 * HOUR_NS)

/* Assigns all counters of the channel again; with rotate the first event of the list becomes the last. */
static void restart(const struct agent *agent, bool rotate)
{
	const uint32_t en = unc_sim_perf_part(agent->sim).en;
	struct unc_sim_perf_event *first = next_on(agent, 0), *event;
	unsigned used = 0;
	bool fixed_used = false;

	freeze_box(agent, true);
	for (event = first; event; event = next_on(agent, event->order))
		if (event->slot)
			stop_counter(agent, event);
	if (rotate && first)
		first->order = ++perf_of(agent->sim)->orders;
	/* Events that fit are put on counters; if one does not, they are multiplexed. */
	for (event = next_on(agent, 0); event; event = next_on(agent, event->order)) {
		if (event->fixed ? fixed_used : used == UNC_SIM_CTRS)
			break;
		fixed_used |= event->fixed;
		used += !event->fixed;
		if (event->fixed)
			event->slot = UNC_SIM_PERF_SLOT_FIXED;
		else
			event->slot = (uint8_t)(agent->box->moved ? UNC_SIM_CTRS + 1 - used : used);
		event->runs_ns = agent->begin_ns;
		if (!agent->box->polls_ns)
			agent->box->polls_ns = agent->begin_ns + POLL_NS;
		event->prev = ctr_get(agent, event->slot);
		put(agent, ctl_off(event->slot), event->ctl | (event->fixed ? FIXED_EN : en));
	}
	agent->box->rotates_ns = event ? (agent->begin_ns / ROTATION_NS + 1) * ROTATION_NS : 0;
	freeze_box(agent, false);
}

static void switch_on(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct agent agent = agent_now(sim, event->place);
	uint64_t moves_ns = sim->options.perf.moves_ns;

	if (event->on)
		return;
	if (!next_on(&agent, 0)) {
		agent.box->moved = 0;
		agent.box->moves_ns = moves_ns ? agent.begin_ns + moves_ns : 0;
	}
	agent.box->place = event->place;
	event->on = 1;
	event->on_ns = agent.begin_ns;
	restart(&agent, false);
	find_due(perf_of(sim));
}

int unc_sim_perf(struct unc_host *host, enum unc_perf_op op, unsigned i, struct unc_perf_count *ret_count)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	unc_sim_wide factor = (unsigned)(MILLION + sim->options.perf.off_ppm);
	struct unc_sim_perf_event *event;
	struct agent agent;

	if (!is_mine(sim, i))
		return unc_sim_fail(sim, UNC_EARG, "there is no open event %u", i);
	unc_sim_lock(sim);
	event = &perf_of(sim)->events[i];
	switch (op) {
	case UNC_PERF_ON:
		switch_on(sim, event);
		break;
	case UNC_PERF_OFF:
		switch_off(sim, event);
		break;
	case UNC_PERF_READ:
		*ret_count = (struct unc_perf_count){.enabled_ns = event->enabled_ns, .running_ns = event->running_ns};
		agent = agent_now(sim, event->place);
		if (event->on)
			ret_count->enabled_ns += agent.begin_ns - event->on_ns;
		if (event->slot) {
			ret_count->running_ns += agent.begin_ns - event->runs_ns;
			update_count(&agent, event);
		}
		/* perf_off= makes it too high. */
		ret_count->value = (uint64_t)(event->count * factor / MILLION);
		break;
	case UNC_PERF_CLOSE:
		end(sim, i);
		break;
	}
	unc_sim_unlock(sim);
	return UNC_OK;
}

void unc_sim_perf_close(struct unc_sim *sim)
{
	for (size_t i = 0; i < UNC_SIM_PERF_EVENTS; i++) {
		if (!is_mine(sim, i))
			continue;
		unc_sim_lock(sim);
		end(sim, i);
		unc_sim_unlock(sim);
	}
}

static void do_due(struct unc_sim *sim, struct unc_sim_perf_box *box, uint64_t now_ns)
{
	struct agent agent = agent_at(sim, box->place, due_at(box), false);
	struct unc_sim_perf_event *event;

	if (agent.box != box) {
		/* The state is damaged: acting on another channel's box would leave this one due for ever. */
		box->rotates_ns = box->moves_ns = box->polls_ns = 0;
	} else if (agent.begin_ns == box->moves_ns) {
		box->moves_ns = 0;
		box->moved = 1;
		restart(&agent, false);
	} else if (agent.begin_ns == box->polls_ns && now_ns - agent.begin_ns > MONTH_NS) {
		box->polls_ns = now_ns - MONTH_NS;
	} else if (agent.begin_ns == box->polls_ns) {
		for (event = next_on(&agent, 0); event; event = next_on(&agent, event->order))
			if (event->slot)
				update_count(&agent, event);
		box->polls_ns += POLL_NS;
	} else if (now_ns - agent.begin_ns > HOUR_NS) {
		box->rotates_ns = ((now_ns - HOUR_NS) / ROTATION_NS + 1) * ROTATION_NS;
	} else {
		restart(&agent, true);
	}
}

void unc_sim_perf_catch_up(struct unc_sim *sim)
{
	struct unc_sim_perf *perf = perf_of(sim);
	uint64_t now_ns = perf->due_ns ? unc_sim_state_now(sim->store.state) : 0;
	size_t i;

	while (sim->n_places && perf->due_ns && perf->due_ns <= now_ns) {
		for (i = 0; i < UNC_SIM_N(perf->boxes) && due_at(&perf->boxes[i]) != perf->due_ns;)
			i++;
		if (i < UNC_SIM_N(perf->boxes))
			do_due(sim, &perf->boxes[i], now_ns);
		find_due(perf);
	}
}

void unc_sim_perf_load(struct unc_sim *sim)
{
	if (!sim->options.perf.on || perf_of(sim)->loaded)
		return;
	perf_of(sim)->loaded = 1;
	/* The driver resets each channel when it has found it. */
	for (uint32_t i = 0; i < sim->n_places; i++) {
		struct agent agent = agent_now(sim, i);

		if (unc_sim_perf_number(sim, &sim->places[i]) >= 0)
			put(&agent, BOX_CTL, unc_sim_perf_part(sim).box_ctl);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The driver at the registers of a channel: see perf.h.  Registers and the order of accesses as in Linux 6.1,
 * arch/x86/events/intel/uncore_snbep.c, snbep_uncore_pci_*(), and uncore.c.
 */
#include "sim/chance.h"
#include "sim/perf.h"

enum {
	CTR0 = 0xa0,
	FIXED_CTR = 0xd0,
	CTL0 = 0xd8,
	FIXED_CTL = 0xf0,
	BOX_CTL = 0xf4,
};
#define BOX_FRZ  UINT32_C(0x100)
#define CTL_EN   UINT32_C(0x400000)
#define CTR_MASK ((UINT64_C(1) << 48) - 1)

#define TURN_NS (UNC_SIM_PERF_ROTATES_MS * UINT64_C(1000000))
#define POLL_NS (60 * UINT64_C(1000000000))
#define HOUR_NS (3600 * UINT64_C(1000000000))

enum { SLOT_FIXED = UNC_SIM_CTRS + 1 }; /* slots are counted from 1 */

struct hand { /* what the driver does at a channel at one occasion */
	struct unc_sim *sim;
	struct unc_sim_perf_box *box;
	const struct unc_sim_place *place;
	uint64_t begin_ns; /* when it began, in perf's time */
	bool passes;       /* its accesses take time; else all of them are of that one moment */
};

static struct unc_sim_perf *perf_of(const struct unc_sim *sim)
{
	return &sim->store.state->perf;
}

static struct unc_sim_cycle cycle_of(const struct hand *hand, uint32_t off, uint32_t value)
{
	struct unc_sim_state *state = hand->sim->store.state;
	uint64_t since_ns = state->imc[hand->place->channel].since_ns;
	struct unc_sim_cycle cycle = {.sim = hand->sim,
				      .place = hand->place,
				      .off = off,
				      .value = value,
				      .enabled = UINT32_MAX,
				      .t_ns = hand->passes ? unc_sim_state_now(state) : hand->begin_ns,
				      .by_kernel = true};

	/* clock=real: somebody's access took so long that it was due before that ended. */
	if (cycle.t_ns < since_ns)
		cycle.t_ns = since_ns;
	return cycle;
}

static void passed(const struct hand *hand)
{
	if (hand->passes && hand->sim->options.step)
		unc_sim_state_pass(hand->sim->store.state, unc_sim_access_ns(hand->sim));
}

static uint32_t get(const struct hand *hand, uint32_t off)
{
	struct unc_sim_cycle cycle = cycle_of(hand, off, 0);
	uint32_t value = unc_sim_cycle_read(&cycle);

	passed(hand);
	return value;
}

static void put(const struct hand *hand, uint32_t off, uint32_t value)
{
	struct unc_sim_cycle cycle = cycle_of(hand, off, value);

	unc_sim_cycle_write(&cycle);
	passed(hand);
}

static struct hand hand_at(struct unc_sim *sim, uint32_t place, uint64_t t_ns, bool passes)
{
	return (struct hand){.sim = sim,
			     .box = &perf_of(sim)->boxes[sim->places[place].channel],
			     .place = &sim->places[place],
			     .begin_ns = t_ns,
			     .passes = passes};
}

static struct hand hand_now(struct unc_sim *sim, uint32_t place)
{
	return hand_at(sim, place, unc_sim_state_now(sim->store.state), true);
}

static void freeze(const struct hand *hand)
{
	put(hand, BOX_CTL, get(hand, BOX_CTL) | BOX_FRZ);
}

static void unfreeze(const struct hand *hand)
{
	put(hand, BOX_CTL, get(hand, BOX_CTL) & ~BOX_FRZ);
}

static uint32_t ctl_off(unsigned slot)
{
	return slot == SLOT_FIXED ? FIXED_CTL : CTL0 + 4 * (slot - 1);
}

static uint64_t ctr_get(const struct hand *hand, unsigned slot)
{
	uint32_t off = slot == SLOT_FIXED ? FIXED_CTR : CTR0 + 8 * (slot - 1), low, high;

	low = get(hand, off);
	high = get(hand, off + 4);
	return (uint64_t)high << 32 | low;
}

static void update(const struct hand *hand, struct unc_sim_perf_event *event)
{
	uint64_t value = ctr_get(hand, event->slot);

	event->count += (value - event->prev) & CTR_MASK;
	event->prev = value;
}

static void start(const struct hand *hand, struct unc_sim_perf_event *event, unsigned slot)
{
	event->slot = (uint8_t)slot;
	event->runs_ns = hand->begin_ns;
	if (!hand->box->polls_ns)
		hand->box->polls_ns = hand->begin_ns + POLL_NS;
	event->prev = ctr_get(hand, slot);
	put(hand, ctl_off(slot), event->ctl | CTL_EN);
}

static void stop(const struct hand *hand, struct unc_sim_perf_event *event)
{
	put(hand, ctl_off(event->slot), event->ctl);
	update(hand, event);
	event->running_ns += hand->begin_ns - event->runs_ns;
	event->slot = 0;
}

/* The next event behind that order of the channel's list that is on; NULL: none. */
static struct unc_sim_perf_event *next_on(const struct hand *hand, uint64_t order)
{
	struct unc_sim_perf *perf = perf_of(hand->sim);
	struct unc_sim_perf_event *next = NULL;
	uint32_t i;

	for (i = 0; i < perf->n; i++) {
		struct unc_sim_perf_event *event = &perf->events[i];

		if (event->on && event->order > order && &hand->sim->places[event->place] == hand->place &&
		    (!next || event->order < next->order))
			next = event;
	}
	return next;
}

static void stop_all(const struct hand *hand)
{
	struct unc_sim_perf_event *event;
	uint64_t order = 0;

	for (; (event = next_on(hand, order)) != NULL; order = event->order)
		if (event->slot)
			stop(hand, event);
}

/* A counter for an event that comes behind these; 0: none is free. */
static unsigned slot_for(const struct hand *hand, const struct unc_sim_perf_event *event, unsigned *used, bool *fixed)
{
	if (event->fixed) {
		bool was = *fixed;

		*fixed = true;
		return was ? 0 : SLOT_FIXED;
	}
	if (*used == UNC_SIM_CTRS)
		return 0;
	++*used;
	return hand->box->moved ? UNC_SIM_CTRS + 1 - *used : *used;
}

static void start_all(const struct hand *hand)
{
	struct unc_sim_perf_event *event;
	uint64_t order = 0;
	unsigned used = 0;
	bool fixed = false;

	hand->box->rotates_ns = 0;
	for (; (event = next_on(hand, order)) != NULL; order = event->order) {
		unsigned slot = slot_for(hand, event, &used, &fixed);

		if (!slot) {
			hand->box->rotates_ns = (hand->begin_ns / TURN_NS + 1) * TURN_NS;
			return;
		}
		start(hand, event, slot);
	}
}

static void restart(const struct hand *hand)
{
	freeze(hand);
	stop_all(hand);
	start_all(hand);
	unfreeze(hand);
}

static void rotate(const struct hand *hand)
{
	struct unc_sim_perf_event *first = next_on(hand, 0);

	freeze(hand);
	stop_all(hand);
	if (first)
		first->order = ++perf_of(hand->sim)->orders;
	start_all(hand);
	unfreeze(hand);
}

static void poll(const struct hand *hand)
{
	struct unc_sim_perf_event *event;
	uint64_t order = 0;

	for (; (event = next_on(hand, order)) != NULL; order = event->order)
		if (event->slot)
			update(hand, event);
	hand->box->polls_ns += POLL_NS;
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
	size_t i;

	perf->due_ns = 0;
	for (i = 0; i < sizeof(perf->boxes) / sizeof(perf->boxes[0]); i++)
		perf->due_ns = sooner(perf->due_ns, due_at(&perf->boxes[i]));
}

static void do_due(struct unc_sim *sim, struct unc_sim_perf_box *box, uint64_t now_ns)
{
	struct hand hand = hand_at(sim, box->place, due_at(box), false);

	if (hand.begin_ns == box->moves_ns) {
		box->moves_ns = 0;
		box->moved = 1;
		restart(&hand);
	} else if (hand.begin_ns == box->polls_ns) {
		poll(&hand);
	} else if (now_ns - hand.begin_ns > HOUR_NS) {
		box->rotates_ns = ((now_ns - HOUR_NS) / TURN_NS + 1) * TURN_NS;
	} else {
		rotate(&hand);
	}
}

void unc_sim_perf_catch_up(struct unc_sim *sim)
{
	struct unc_sim_perf *perf = perf_of(sim);
	uint64_t now_ns = perf->due_ns ? unc_sim_state_now(sim->store.state) : 0;
	size_t i;

	while (perf->due_ns && perf->due_ns <= now_ns) {
		for (i = 0; due_at(&perf->boxes[i]) != perf->due_ns;)
			i++;
		do_due(sim, &perf->boxes[i], now_ns);
		find_due(perf);
	}
}

void unc_sim_perf_load(struct unc_sim *sim)
{
	uint32_t i;

	if (!sim->options.perf.on || perf_of(sim)->loaded)
		return;
	perf_of(sim)->loaded = 1;
	for (i = 0; i < sim->n_places; i++) {
		struct hand hand;

		if (unc_sim_perf_number(sim, &sim->places[i]) < 0)
			continue;
		hand = hand_now(sim, i);
		put(&hand, BOX_CTL, unc_sim_perf_part(sim).box_ctl);
	}
}

/* An event of the channel that has a counter. */
static bool any_runs(const struct hand *hand)
{
	struct unc_sim_perf_event *event = next_on(hand, 0);

	while (event && !event->slot)
		event = next_on(hand, event->order);
	return event;
}

void unc_sim_perf_on(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct hand hand = hand_now(sim, event->place);
	uint64_t moves_ns = sim->options.perf.moves_ns;

	if (event->on)
		return;
	if (!next_on(&hand, 0)) {
		hand.box->moved = 0;
		hand.box->moves_ns = moves_ns ? hand.begin_ns + moves_ns : 0;
	}
	hand.box->place = event->place;
	event->on = 1;
	event->on_ns = hand.begin_ns;
	restart(&hand);
	find_due(perf_of(sim));
}

void unc_sim_perf_off(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct hand hand = hand_now(sim, event->place);

	if (!event->on)
		return;
	if (event->slot) {
		freeze(&hand);
		stop(&hand, event);
		unfreeze(&hand);
	}
	event->on = 0;
	event->enabled_ns += hand.begin_ns - event->on_ns;
	if (!any_runs(&hand))
		hand.box->polls_ns = 0;
	if (!next_on(&hand, 0)) {
		hand.box->rotates_ns = 0;
		hand.box->moves_ns = 0;
	}
	find_due(perf_of(sim));
}

struct unc_perf_count unc_sim_perf_read(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct hand hand = hand_now(sim, event->place);
	struct unc_perf_count count = {.enabled_ns = event->enabled_ns, .running_ns = event->running_ns};

	if (event->on)
		count.enabled_ns += hand.begin_ns - event->on_ns;
	if (event->slot) {
		count.running_ns += hand.begin_ns - event->runs_ns;
		update(&hand, event);
	}
	count.value = event->count;
	return count;
}

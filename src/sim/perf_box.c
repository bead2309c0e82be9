// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assigns counters to the events of a channel: see perf.h. Linux 6.1, kernel/events/core.c, ctx_resched(),
 * perf_rotate_context().
 */
#include "sim/model_parts.h"
#include "sim/perf_hand.h"

#define TURN_NS  (UNC_SIM_PERF_ROTATES_MS * UINT64_C(1000000))
#define HOUR_NS  (3600 * UINT64_C(1000000000))
#define MONTH_NS (UINT64_C(30) * 24 * HOUR_NS)

static struct unc_sim_perf *perf_of(const struct unc_sim *sim)
{
	return &sim->store.state->perf;
}

/* Returns the next event in the channel's list, after that order, that is on; NULL: none. */
static struct unc_sim_perf_event *next_on(const struct unc_sim_perf_hand *hand, uint64_t order)
{
	struct unc_sim_perf *perf = perf_of(hand->sim);
	struct unc_sim_perf_event *next = NULL;
	uint32_t i, n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);

	for (i = 0; i < n; i++) {
		struct unc_sim_perf_event *event = &perf->events[i];

		if (event->on && event->order > order && event->place == (uint32_t)(hand->place - hand->sim->places) &&
		    (!next || event->order < next->order))
			next = event;
	}
	return next;
}

static void stop_all(const struct unc_sim_perf_hand *hand)
{
	struct unc_sim_perf_event *event;
	uint64_t order = 0;

	for (; (event = next_on(hand, order)) != NULL; order = event->order)
		if (event->slot)
			unc_sim_perf_stop(hand, event);
}

/* Returns a counter for the next event, given which are used already; 0: none is free. */
static unsigned slot_for(const struct unc_sim_perf_hand *hand, const struct unc_sim_perf_event *event, unsigned *used,
			 bool *fixed)
{
	if (event->fixed) {
		bool was = *fixed;

		*fixed = true;
		return was ? 0 : UNC_SIM_PERF_SLOT_FIXED;
	}
	if (*used == UNC_SIM_CTRS)
		return 0;
	++*used;
	return hand->box->moved ? UNC_SIM_CTRS + 1 - *used : *used;
}

static void start_all(const struct unc_sim_perf_hand *hand)
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
		unc_sim_perf_start(hand, event, slot);
	}
}

static void restart(const struct unc_sim_perf_hand *hand)
{
	unc_sim_perf_freeze(hand);
	stop_all(hand);
	start_all(hand);
	unc_sim_perf_unfreeze(hand);
}

static void rotate(const struct unc_sim_perf_hand *hand)
{
	struct unc_sim_perf_event *first = next_on(hand, 0);

	unc_sim_perf_freeze(hand);
	stop_all(hand);
	if (first)
		first->order = ++perf_of(hand->sim)->orders;
	start_all(hand);
	unc_sim_perf_unfreeze(hand);
}

static void poll(const struct unc_sim_perf_hand *hand)
{
	struct unc_sim_perf_event *event;
	uint64_t order = 0;

	for (; (event = next_on(hand, order)) != NULL; order = event->order)
		if (event->slot)
			unc_sim_perf_update(hand, event);
	hand->box->polls_ns += UNC_SIM_PERF_POLL_NS;
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
	for (i = 0; i < UNC_SIM_N(perf->boxes); i++)
		perf->due_ns = sooner(perf->due_ns, due_at(&perf->boxes[i]));
}

static void do_due(struct unc_sim *sim, struct unc_sim_perf_box *box, uint64_t now_ns)
{
	struct unc_sim_perf_hand hand = unc_sim_perf_hand_at(sim, box->place, due_at(box), false);

	if (hand.box != box) {
		/* The state is damaged: acting on another channel's box would leave this one due for ever. */
		box->rotates_ns = box->moves_ns = box->polls_ns = 0;
	} else if (hand.begin_ns == box->moves_ns) {
		box->moves_ns = 0;
		box->moved = 1;
		restart(&hand);
	} else if (hand.begin_ns == box->polls_ns && now_ns - hand.begin_ns > MONTH_NS) {
		box->polls_ns = now_ns - MONTH_NS;
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
	uint32_t i;

	if (!sim->options.perf.on || perf_of(sim)->loaded)
		return;
	perf_of(sim)->loaded = 1;
	for (i = 0; i < sim->n_places; i++) {
		struct unc_sim_perf_hand hand;

		if (unc_sim_perf_number(sim, &sim->places[i]) < 0)
			continue;
		hand = unc_sim_perf_hand_now(sim, i);
		unc_sim_perf_reset(&hand);
	}
}

/* Returns whether an event of the channel has a counter. */
static bool any_runs(const struct unc_sim_perf_hand *hand)
{
	struct unc_sim_perf_event *event = next_on(hand, 0);

	while (event && !event->slot)
		event = next_on(hand, event->order);
	return event;
}

/* Returns whether the channel has another event, on or off. */
static bool has_others(const struct unc_sim *sim, const struct unc_sim_perf_event *event)
{
	struct unc_sim_perf *perf = perf_of(sim);
	uint32_t i, n = unc_sim_bounded32(&perf->n, UNC_SIM_PERF_EVENTS);

	for (i = 0; i < n; i++)
		if (perf->events[i].order && &perf->events[i] != event && perf->events[i].place == event->place)
			return true;
	return false;
}

/* core.c, perf_install_in_context(): adding the first event also schedules the whole context again. */
void unc_sim_perf_add(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct unc_sim_perf_hand hand = unc_sim_perf_hand_now(sim, event->place);

	event->order = ++perf_of(sim)->orders;
	if (has_others(sim, event))
		return;
	unc_sim_perf_freeze(&hand);
	unc_sim_perf_unfreeze(&hand);
}

void unc_sim_perf_on(struct unc_sim *sim, struct unc_sim_perf_event *event)
{
	struct unc_sim_perf_hand hand = unc_sim_perf_hand_now(sim, event->place);
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
	struct unc_sim_perf_hand hand = unc_sim_perf_hand_now(sim, event->place);

	if (!event->on)
		return;
	if (event->slot) {
		unc_sim_perf_freeze(&hand);
		unc_sim_perf_stop(&hand, event);
		unc_sim_perf_unfreeze(&hand);
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
	struct unc_sim_perf_hand hand = unc_sim_perf_hand_now(sim, event->place);
	struct unc_perf_count count = {.enabled_ns = event->enabled_ns, .running_ns = event->running_ns};

	if (event->on)
		count.enabled_ns += hand.begin_ns - event->on_ns;
	if (event->slot) {
		count.running_ns += hand.begin_ns - event->runs_ns;
		unc_sim_perf_update(&hand, event);
	}
	count.value = event->count;
	return count;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Reports what a box is doing, without changing it. */

#include "machine/areas.h"
#include "pmon/counter.h"
#include "pmon/event.h"
#include "pmon/free1.h"
#include "pmon/pmon.h"
#include "pmon/session.h"

int unc_slot_moves(struct unc_pmon_box *pbox, const struct unc_slot *slot, uint64_t pause_ns, bool *ret_moves)
{
	struct unc_machine *m = pbox->box->machine;
	uint64_t first, second = 0;
	int rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &first);

	if (rc == 0 && pause_ns)
		rc = unc_machine_sleep_until(m, unc_machine_mono_ns(m) + pause_ns);
	if (rc == 0 || rc == UNC_EAGAIN)
		rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &second);
	if (rc == 0)
		*ret_moves = first != second;
	return rc;
}

/*
 * No counter moved: finds out whether the box stands still or has nothing to count.  Only a clock, or BOX_CTL on parts where it
 * reads back, shows that.  The pause is there because a package that is asleep may wake up soon.
 */
static int find_whether_stopped(struct unc_pmon_box *pbox, struct unc_box_state *state)
{
	enum { PAUSE_NS = 1000000 };
	const struct unc_slot *clock = unc_box_clock_of_others(pbox);
	bool ticks = false;
	int rc = clock ? unc_slot_moves(pbox, clock, PAUSE_NS, &ticks) : UNC_OK;

	if (rc == 0 && (clock ? !ticks : pbox->frozen))
		state->use = UNC_USE_STOPPED;
	else if (ticks)
		state->use = UNC_USE_COUNTING;
	return rc;
}

int unc_box_state(struct unc_box *box, struct unc_box_state *ret_state)
{
	struct unc_box_state state = {.use = UNC_USE_IDLE};
	struct unc_pmon_box pbox;
	unsigned speed;
	bool moves = false;
	int rc;

	if (unc_free1_init(box, &pbox)) {
		state.use = UNC_USE_COUNTING;
		rc = unc_box_reach(box);
		if (rc == 0 && box->unit->kind == UNC_AREA)
			rc = unc_area_check(box->space, &speed);
		if (rc == UNC_EBUSY || rc == UNC_ENODATA)
			state.use = UNC_USE_STOPPED;
		*ret_state = state;
		return state.use == UNC_USE_STOPPED || rc == UNC_ENOSUP ? UNC_OK : rc;
	}
	rc = unc_pmon1_init(box, &pbox);
	if (rc == 0)
		rc = unc_pmon1_inspect(&pbox);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < pbox.n_slots; i++) {
		const struct unc_slot *slot = &pbox.slots[i];
		struct unc_wanted what;
		bool moved = false;

		state.slots[state.n_slots++] = (struct unc_slot_state){
			.reg = slot->ctl->name,
			.index = slot->index,
			.offset = unc_reg_off(slot->ctl, slot->index),
			.control = slot->found,
			.enabled = slot->enabled,
		};
		if (slot->found != unc_reg_blank(slot->ctl)) {
			unc_wanted_decode(box, slot->ctl, slot->found, &what);
			memcpy(state.slots[i].event, what.text, sizeof(what.text));
		}
		if (slot->enabled)
			rc = unc_slot_moves(&pbox, slot, 0, &moved);
		if (rc < 0)
			return rc;
		moves |= moved;
	}
	state.frozen = pbox.frozen;
	if (pbox.foreign)
		state.use = moves ? UNC_USE_COUNTING : UNC_USE_TAKEN;
	if (!moves)
		rc = find_whether_stopped(&pbox, &state);
	if (rc == 0)
		*ret_state = state;
	return rc;
}

/*
 * A session that only observes.  Slots that another program enabled are read as if they were ours, by the same code; if a control
 * differs from the last look, its new event is followed from a new baseline.  Counters are read before controls: so what was read
 * was counted under what both looks saw.  Nothing here writes.
 */

int unc_observe_look(struct unc_pmon_box *pbox)
{
	int rc = unc_pmon1_inspect(pbox);

	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots && rc == 0; slot++) {
		slot->stolen =
			slot->accumulator &&
			(!slot->enabled || ((slot->found ^ slot->control) & unc_reg_readback_mask(slot->ctl)) != 0);
	}
	return rc;
}

/* ---- which slot counts which event ---- */

/* From now on the slot counts what its control says now, or nothing. */
static void follow_slot(struct unc_pmon_box *pbox, unsigned i)
{
	const struct unc_unit *unit = pbox->box->unit;
	struct unc_accumulator *accumulator = &pbox->accumulators[i];
	struct unc_slot *slot = &pbox->slots[i];

	accumulator->flags |= UNC_COUNT_CHANGED;
	slot->accumulator = slot->enabled ? accumulator : NULL;
	slot->stolen = false;
	slot->has_baseline = false;
	slot->lost = UNC_COUNT_CHANGED;
	slot->control = slot->control_before = slot->found;
	if (!slot->enabled)
		return;
	unc_wanted_decode(pbox->box, slot->ctl, slot->found, &pbox->observed[i]);
	accumulator->event = &pbox->observed[i].event;
	accumulator->control = slot->found;
	accumulator->wrap_ns = unc_wrap_ns(accumulator->event, unit->max_clock_hz, unit->counter_bits);
}

static bool counts(const struct unc_pmon_box *pbox, unsigned i, const struct unc_wanted *wanted)
{
	const struct unc_slot *slot = &pbox->slots[i];

	return slot->accumulator && unc_wanted_is(pbox->box, wanted, slot->ctl, slot->found);
}

/*
 * The shared code marks a changed control stolen; a counter that is not ours cannot be stolen, so it becomes UNC_COUNT_CHANGED.
 */
static unsigned flags_of_slot(const struct unc_pmon_box *pbox, unsigned i)
{
	unsigned flags = pbox->accumulators[i].flags;

	return flags & UNC_COUNT_STOLEN ? (flags & ~(unsigned)UNC_COUNT_STOLEN) | UNC_COUNT_CHANGED : flags;
}

/* Finds the slot that counts an event; the slot that counted it before is kept if it still does. */
static void find_slot(const struct unc_pmon_box *pbox, struct unc_request *request)
{
	struct unc_observing *observing = &request->observing;
	bool was_bound = observing->bound;

	if (observing->any || (was_bound && counts(pbox, request->slot, request->wanted)))
		return;
	if (was_bound)
		observing->flags |= flags_of_slot(pbox, request->slot);
	observing->bound = false;
	for (unsigned i = 0; i < pbox->n_slots && !observing->bound; i++) {
		observing->bound = counts(pbox, i, request->wanted);
		request->slot = i;
	}
	if (was_bound || observing->bound)
		observing->flags |= UNC_COUNT_CHANGED;
}

/* After a look: follows the slots whose controls have changed. */
static int follow(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	bool changed = false;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];

		if (!slot->stolen && slot->enabled == (slot->accumulator != NULL))
			continue;
		follow_slot(pbox, i);
		changed = true;
	}
	if (!changed)
		return UNC_OK;
	for (size_t i = 0; i < s->n_requests; i++)
		if (s->requests[i].pbox == number)
			find_slot(pbox, &s->requests[i]);
	unc_pmon_aim(pbox);
	unc_box_clock_borrow(pbox);
	return pbox->n_running ? unc_pmon_read(pbox, NULL, UNC_READ_BASELINE) : UNC_OK;
}

/* ---- a look ---- */

int unc_observe_visit(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	int rc;

	if (pbox->n_running) {
		rc = unc_pmon_read(pbox, NULL, UNC_READ_AND_LOOK);
	} else { /* another program may have enabled a counter since */
		rc = unc_observe_look(pbox);
		pbox->end_ns = unc_machine_raw_ns(s->machine);
		rc = rc < 0 ? unc_pmon_missing(pbox, rc) : UNC_OK;
	}
	pbox->resumed = false; /* this look has just seen what suspending did to the controls */
	return rc < 0 ? rc : follow(s, number);
}

/* ---- start ---- */

int unc_observe_plan(struct unc_session *s)
{
	bool counted = false;

	for (struct unc_pmon_box *pbox = s->pboxes; pbox < s->pboxes + s->n_pboxes; pbox++) {
		pbox->observed = calloc(pbox->n_slots, sizeof(*pbox->observed));
		pbox->accumulators = calloc(pbox->n_slots, sizeof(*pbox->accumulators));
		if (!pbox->observed || !pbox->accumulators)
			return unc_fail(s->machine->ctx, UNC_ENOMEM, "out of memory");
		pbox->n_accumulators = pbox->n_slots;
		for (unsigned k = 0; k < pbox->n_slots; k++)
			follow_slot(pbox, k);
		unc_pmon_aim(pbox);
		unc_box_clock_find_event(pbox);
		unc_box_clock_borrow(pbox);
		pbox->shortest_ns = UINT64_MAX;
	}
	for (struct unc_request *request = s->requests; request < s->requests + s->n_requests; request++) {
		request->observing.bound =
			request->observing.any && s->pboxes[request->pbox].slots[request->slot].accumulator;
		find_slot(&s->pboxes[request->pbox], request);
		request->observing.flags = 0; /* no interval has begun yet */
		counted |= request->observing.bound;
	}
	if (counted)
		return UNC_OK;
	return unc_fail(s->machine->ctx, UNC_ENODEV,
			"no program counts %s (boxes looked at: %zu), so there is nothing to observe; the program that "
			"counts must have begun before",
			!s->requests[0].wanted         ? "anything"
			: s->n_requests == s->n_pboxes ? s->requests[0].wanted->text
						       : "any of these events",
			s->n_pboxes);
}

int unc_observe_start(struct unc_pmon_box *pbox)
{
	int rc = pbox->n_running ? unc_pmon_read(pbox, NULL, UNC_READ_BASELINE) : UNC_OK;

	pbox->end_ns = unc_machine_raw_ns(pbox->box->machine);
	unc_pmon_next_interval(pbox);
	return rc;
}

/* ---- counts ---- */

const char *unc_observe_event(const struct unc_session *s, const struct unc_request *request)
{
	return request->observing.bound ? s->pboxes[request->pbox].observed[request->slot].text : NULL;
}

void unc_observe_fill(const struct unc_session *s, struct unc_request *request, uint64_t real_offset_ns,
		      struct unc_count *count)
{
	const struct unc_pmon_box *pbox = &s->pboxes[request->pbox];
	struct unc_observing *observing = &request->observing;
	const struct unc_wanted *what = observing->any ? &pbox->observed[request->slot] : request->wanted;
	const struct unc_slot *slot = &pbox->slots[request->slot];

	/* For a counter requested by number: bound means that it was enabled at some time of this interval. */
	if (observing->any)
		observing->bound = slot->accumulator || flags_of_slot(pbox, request->slot) & UNC_COUNT_CHANGED;
	*count = (struct unc_count){
		.flags = observing->flags | (observing->bound ? flags_of_slot(pbox, request->slot) : 0),
		.scale = what->event.scale,
		.unit = what->event.unit,
		.interval_ns = pbox->end_ns > pbox->begin_ns ? pbox->end_ns - pbox->begin_ns : 0,
		.time_ns = pbox->end_ns + real_offset_ns,
	};
	if (!observing->bound && pbox->failing)
		count->flags |= UNC_COUNT_MISSING;
	else if (!observing->bound && !count->flags)
		count->flags = UNC_COUNT_UNPROGRAMMED;
	if (!(count->flags & UNC_COUNT_NO_NUMBER)) {
		count->delta = pbox->accumulators[request->slot].delta;
		count->interval_ns = slot->times->raw_ns - slot->times->start_ns;
		count->time_ns = slot->times->raw_ns + real_offset_ns;
	}
	count->enabled_ns = count->running_ns = count->interval_ns;
	unc_session_doubt(count, slot->times->start_doubt_ns + slot->times->doubt_ns);
	request->total += count->delta;
	count->total = request->total;
	observing->flags = 0;
}

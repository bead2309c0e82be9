// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * A session that only observes.  Slots that another program enabled are read as if they were ours, by the same code; if a control
 * differs from the last look, its new event is followed from a new baseline.  Counters are read before controls: so what was read
 * was counted under what both looks saw.  Nothing here writes.
 */
#include <stdlib.h>

#include "base/err.h"
#include "pmon/counter.h"
#include "pmon/session.h"

/*
 *
 * perf writes controls whenever one of its events starts or stops, every few ms if its events are multiplexed: more frequent
 * looks miss fewer of these changes.  A look costs two reads per box.
 */
enum { LOOK_NS = 100000000 };

int unc_observe_look(struct unc_pmon_box *pbox)
{
	int rc = unc_pmon1_inspect(pbox);

	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->stolen = slot->tally && (!slot->enabled ||
					       ((slot->found ^ slot->control) & unc_reg_readback_mask(slot->ctl)) != 0);
	}
	return rc;
}

/* ---- which slot counts which event ---- */

/* From now on the slot counts what its control says now, or nothing. */
static void follow_slot(struct unc_pmon_box *pbox, unsigned i)
{
	const struct unc_unit *unit = pbox->box->unit;
	struct unc_tally *tally = &pbox->tallies[i];
	struct unc_slot *slot = &pbox->slots[i];

	tally->flags |= UNC_COUNT_CHANGED;
	slot->tally = slot->enabled ? tally : NULL;
	slot->stolen = false;
	slot->has_baseline = false;
	slot->lost = UNC_COUNT_CHANGED;
	slot->control = slot->control_before = slot->found;
	if (!slot->enabled)
		return;
	unc_wanted_decode(pbox->box, slot->ctl, slot->found, &pbox->observed[i]);
	tally->event = &pbox->observed[i].event;
	tally->control = slot->found;
	tally->wrap_ns = unc_wrap_ns(tally->event, unit->max_clock_hz, unit->counter_bits);
}

static bool counts(const struct unc_pmon_box *pbox, unsigned i, const struct unc_wanted *wanted)
{
	const struct unc_slot *slot = &pbox->slots[i];

	return slot->tally && unc_wanted_is(pbox->box, wanted, slot->ctl, slot->found);
}

/*
 * The shared code marks a changed control stolen; a counter that is not ours cannot be stolen, so it becomes UNC_COUNT_CHANGED.
 */
static unsigned flags_of_slot(const struct unc_pmon_box *pbox, unsigned i)
{
	unsigned flags = pbox->tallies[i].flags;

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

static void bind_all(struct unc_session *s, size_t pbox)
{
	for (size_t i = 0; i < s->n_requests; i++)
		if (s->requests[i].pbox == pbox)
			find_slot(&s->pboxes[pbox], &s->requests[i]);
}

/* After a look: follows the slots whose controls have changed. */
static int follow(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	bool changed = false;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];

		if (!slot->stolen && slot->enabled == (slot->tally != NULL))
			continue;
		follow_slot(pbox, i);
		changed = true;
	}
	if (!changed)
		return UNC_OK;
	bind_all(s, number);
	unc_pmon_aim(pbox);
	unc_box_clock_borrow(pbox);
	return pbox->n_running ? unc_pmon_read(pbox, NULL, UNC_READ_BASELINE) : UNC_OK;
}

/* ---- a look ---- */

/* No counter is enabled in this box: checks whether another program has enabled one since. */
static int look_alone(struct unc_pmon_box *pbox)
{
	int rc = unc_observe_look(pbox);

	pbox->end_ns = unc_machine_raw_ns(pbox->box->machine);
	return rc < 0 ? unc_pmon_missing(pbox, rc) : UNC_OK;
}

int unc_observe_visit(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	int rc = pbox->n_running ? unc_pmon_read(pbox, NULL, UNC_READ_AND_LOOK) : look_alone(pbox);

	pbox->resumed = false; /* this look has just seen what suspending did to the controls */
	return rc < 0 ? rc : follow(s, number);
}

/* ---- start ---- */

static int plan_box(struct unc_session *s, struct unc_pmon_box *pbox)
{
	pbox->observed = calloc(pbox->n_slots, sizeof(*pbox->observed));
	pbox->tallies = calloc(pbox->n_slots, sizeof(*pbox->tallies));
	if (!pbox->observed || !pbox->tallies)
		return unc_fail(s->machine->ctx, UNC_ENOMEM, "out of memory");
	pbox->n_tallies = pbox->n_slots;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		follow_slot(pbox, i);
	unc_pmon_aim(pbox);
	unc_box_clock_find_event(pbox);
	unc_box_clock_borrow(pbox);
	pbox->shortest_ns = UINT64_MAX;
	return UNC_OK;
}

int unc_observe_plan(struct unc_session *s)
{
	bool counted = false;
	int rc = UNC_OK;

	for (size_t i = 0; i < s->n_pboxes && rc == 0; i++)
		rc = plan_box(s, &s->pboxes[i]);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < s->n_requests; i++) {
		struct unc_request *request = &s->requests[i];

		request->observing.bound =
			request->observing.any && s->pboxes[request->pbox].slots[request->slot].tally;
		find_slot(&s->pboxes[request->pbox], request);
		request->observing.flags = 0; /* no interval has begun yet */
		counted |= request->observing.bound;
	}
	if (counted)
		return UNC_OK;
	return unc_fail(
		s->machine->ctx, UNC_ENODEV,
		"nobody counts %s (boxes looked at: %zu), so there is nothing to observe; who counts must have begun "
		"before",
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

uint64_t unc_observe_poll_ns(const struct unc_session *s)
{
	uint64_t shortest = LOOK_NS;

	for (size_t i = 0; i < s->n_pboxes; i++) {
		const struct unc_unit *unit = s->pboxes[i].box->unit;
		uint64_t wrap_ns = unc_wrap_ns(NULL, unit->max_clock_hz, unit->counter_bits); /* of any event */

		if (wrap_ns / 4 < shortest)
			shortest = wrap_ns / 4;
	}
	return shortest;
}

/* ---- counts ---- */

const char *unc_observe_event(const struct unc_session *s, const struct unc_request *request)
{
	return request->observing.bound ? s->pboxes[request->pbox].observed[request->slot].text : NULL;
}

static unsigned flags_of(const struct unc_pmon_box *pbox, const struct unc_request *request)
{
	const struct unc_observing *observing = &request->observing;
	unsigned flags = observing->flags | (observing->bound ? flags_of_slot(pbox, request->slot) : 0);

	if (!observing->bound && pbox->failing)
		flags |= UNC_COUNT_MISSING;
	else if (!observing->bound && !flags)
		flags = UNC_COUNT_UNPROGRAMMED;
	return flags;
}

void unc_observe_fill(const struct unc_session *s, struct unc_request *request, uint64_t real_offset_ns,
		      struct unc_count *count)
{
	const struct unc_pmon_box *pbox = &s->pboxes[request->pbox];
	const struct unc_wanted *what = request->observing.any ? &pbox->observed[request->slot] : request->wanted;
	const struct unc_slot *slot = &pbox->slots[request->slot];

	/* For a counter requested by number: bound means that it was enabled at some time of this interval. */
	if (request->observing.any)
		request->observing.bound = slot->tally || flags_of_slot(pbox, request->slot) & UNC_COUNT_CHANGED;
	*count = (struct unc_count){
		.flags = flags_of(pbox, request),
		.scale = what->event.scale,
		.unit = what->event.unit,
		.interval_ns = pbox->end_ns > pbox->begin_ns ? pbox->end_ns - pbox->begin_ns : 0,
		.time_ns = pbox->end_ns + real_offset_ns,
	};
	if (!(count->flags & UNC_COUNT_NO_NUMBER)) {
		count->delta = pbox->tallies[request->slot].delta;
		count->interval_ns = slot->raw_ns - slot->start_ns;
		count->time_ns = slot->raw_ns + real_offset_ns;
	}
	count->enabled_ns = count->running_ns = count->interval_ns;
	unc_session_doubt(count, slot->start_doubt_ns + slot->doubt_ns);
	request->total += count->delta;
	count->total = request->total;
	request->observing.flags = 0;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters that always run (free1): each event has a register of its own, which is only read.  Nothing selects what they count, stops
 * or clears them, so that nothing is planned, claimed or written, and any number of programs may read them.
 */
#include "pmon/free1.h"

#include "pmon/counter.h"
#include "pmon/nest1.h"

/* Returns the slot of the event's register, or a new one; NULL: there are too many. */
static struct unc_slot *slot_of(struct unc_pmon_box *pbox, const struct unc_event *event)
{
	const struct unc_reg *ctr = unc_unit_reg(pbox->box->unit, event->reg);

	for (unsigned i = 0; i < pbox->n_slots; i++)
		if (pbox->slots[i].ctr == ctr)
			return &pbox->slots[i];
	if (pbox->n_slots == UNC_PMON_SLOTS)
		return NULL;
	pbox->slots[pbox->n_slots] = (struct unc_slot){.ctr = ctr};
	return &pbox->slots[pbox->n_slots++];
}

static void give(struct unc_pmon_box *pbox, struct unc_slot *slot, struct unc_accumulator *accumulator,
		 const struct unc_event *event)
{
	const struct unc_unit *unit = pbox->box->unit;

	*accumulator = (struct unc_accumulator){.event = event,
						.slot = (unsigned)(slot - pbox->slots),
						.wrap_ns = unc_wrap_ns(event, unit->max_clock_hz, unit->counter_bits),
						.flags = pbox->first_flags};
	pbox->mux_sets[0].of[accumulator->slot] = accumulator;
}

/* The clock is read even where no event of the session counts it. */
static int add_clock(struct unc_pmon_box *pbox)
{
	struct unc_slot *slot;

	unc_box_clock_find_event(pbox);
	slot = pbox->clock_event ? slot_of(pbox, &pbox->clock_event->event) : NULL;
	if (slot && !pbox->mux_sets[0].of[slot - pbox->slots])
		give(pbox, slot, &pbox->clock_accumulator, &pbox->clock_event->event);
	pbox->clock = (struct unc_box_clock){.slot = slot};
	return UNC_OK;
}

int unc_free1_plan(struct unc_session *s, size_t number)
{
	struct unc_pmon_box *pbox = &s->pboxes[number];
	struct unc_ctx *ctx = s->machine->ctx;
	const char *doubt = NULL; /* what was noted */

	pbox->n_slots = 0;
	pbox->accumulators = calloc(UNC_PMON_SLOTS, sizeof(*pbox->accumulators));
	pbox->mux_sets = calloc(1, sizeof(*pbox->mux_sets));
	if (!pbox->accumulators || !pbox->mux_sets)
		return unc_fail(ctx, UNC_ENOMEM, "out of memory");
	pbox->n_mux_sets = 1;
	for (struct unc_request *request = s->requests; request < s->requests + s->n_requests; request++) {
		struct unc_slot *slot;

		if (request->pbox != number)
			continue;
		slot = slot_of(pbox, &request->wanted->event);
		if (!slot)
			return unc_fail(ctx, UNC_EARG, "%s: %s: a session reads at most %d counters of a box",
					pbox->box->name, request->wanted->text, UNC_PMON_SLOTS);
		request->slot = (unsigned)(slot - pbox->slots);
		request->accumulator = pbox->mux_sets[0].of[request->slot];
		if (request->accumulator)
			continue;
		if (request->wanted->event.verify)
			pbox->first_flags |= UNC_COUNT_ESTIMATE;
		request->accumulator = &pbox->accumulators[pbox->n_accumulators++];
		give(pbox, slot, request->accumulator, &request->wanted->event);
		if (number == 0 && request->wanted->event.verify && request->wanted->event.verify != doubt)
			unc_note(ctx, "%s: not confirmed: %s", request->wanted->text, request->wanted->event.verify);
		doubt = request->wanted->event.verify;
	}
	return add_clock(pbox);
}

/* A register as a whole, by one load of its width.  All ones is how absent hardware reads: a counter does not stay there. */
static int read_one(struct unc_pmon_box *pbox, const struct unc_reg *ctr, uint64_t *ret_value)
{
	uint64_t all = unc_reg_all(ctr), value = all;
	uint32_t low;
	int rc = UNC_OK;

	for (unsigned try = 0; try < 2 && value == all && rc == 0; try++) {
		rc = ctr->bits == 32 ? unc_read32(pbox->box->space, ctr->off, &low)
				     : unc_read64(pbox->box->space, ctr->off, &value);
		if (rc == 0 && ctr->bits == 32)
			value = low;
	}
	if (rc == 0 && (value == all || value & ~pbox->counter_mask))
		rc = unc_gate_gone(pbox->box);
	*ret_value = value;
	return rc;
}

/* UNC_ENODEV: all ones, or more bits than a counter has. */
static int read_all(struct unc_pmon_box *pbox, struct unc_block *block)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_running && rc == 0; i++) {
		uint64_t value;

		rc = read_one(pbox, pbox->running[i]->ctr, &value);
		if (rc == 0)
			unc_put_le64(block->counters[i], value);
	}
	return rc;
}

/* Reads the clock, if there is one. */
static int see_clock(struct unc_pmon_box *pbox)
{
	struct unc_machine *m = pbox->box->machine;
	struct unc_box_clock *clock = &pbox->clock;
	uint64_t before_ns, took_ns, shortest_ns = UINT64_MAX, value;
	int rc = UNC_OK;

	/* An interrupt may come in the middle: of three reads the quickest. */
	for (unsigned try = 0; clock->slot && try < 3 && rc == 0; try++) {
		before_ns = unc_machine_raw_ns(m);
		rc = read_one(pbox, clock->slot->ctr, &value);
		took_ns = unc_machine_raw_ns(m) - before_ns;
		if (rc < 0 || took_ns >= shortest_ns)
			continue;
		shortest_ns = took_ns;
		clock->seen = value;
		clock->seen_when = (struct unc_stop){before_ns, before_ns + took_ns};
		clock->stands = false;
	}
	return rc;
}

static int reach(struct unc_session *s, size_t number)
{
	return unc_box_reach(s->pboxes[number].box);
}

bool unc_free1_init(struct unc_box *box, struct unc_pmon_box *ret_pbox)
{
	static const struct unc_pmon_way free1 = {.reach = reach, .read = read_all, .look = see_clock};
	bool in_area = strcmp(box->unit->model, "nest1") == 0;

	if (strcmp(box->unit->model, "free1") != 0 && !in_area)
		return false;
	*ret_pbox = (struct unc_pmon_box){.box = box,
					  .always = in_area ? &unc_nest1_way : &free1,
					  .in_memory = true,
					  .first_flags = in_area ? 0 : UNC_COUNT_FREE_RUNNING};
	return true;
}

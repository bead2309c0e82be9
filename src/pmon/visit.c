// SPDX-License-Identifier: GPL-2.0-or-later
/* One visit to a box: stops it, reads it, gives its counters to the next turn, and releases it. */
#include "base/err.h"
#include "machine/uncertain.h"
#include "pmon/pmon.h"

/* Stopping a box in which another program has begun to count would stop that program's counters too. */
static bool may_freeze(struct unc_pmon_box *pbox)
{
	if (pbox->freezes && pbox->foreign) {
		pbox->freezes = false;
		pbox->quickest_ns = 0; /* reads are of another kind from now on */
		unc_pmon_aim(pbox);
		unc_note(pbox->box->machine->ctx,
			 "%s: somebody else has begun to count there: it is read without freezing from now on",
			 pbox->box->name);
	}
	return pbox->freezes;
}

/*
 *
 * Takes the first look after the machine was suspended.  If the registers were lost, nothing counts for us any more, and nothing
 * is written there again: they may be another program's by now.
 */
static int read_resumed(struct unc_pmon_box *pbox)
{
	int rc = unc_pmon_read(pbox, NULL, UNC_READ_AND_LOOK);

	if (rc < 0)
		return rc;
	pbox->resumed = false;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->lost |= pbox->slots[i].stolen;
	if (pbox->lost) {
		pbox->freezes = false;
		unc_gate_keep(pbox->box, pbox->regs.box_ctl, 0);
		for (unsigned i = 0; i < pbox->n_slots; i++)
			if (pbox->slots[i].stolen)
				unc_gate_keep(pbox->box, pbox->slots[i].ctl, pbox->slots[i].index);
		unc_note(pbox->box->machine->ctx,
			 "%s: its control registers were lost while the machine was suspended; start again to measure "
			 "it",
			 pbox->box->name);
	}
	return UNC_OK;
}

/* Switches to the next turn, after the last one was read and its controls were looked at. */
static int next_turn(struct unc_pmon_box *pbox, const struct unc_stop *stop, const void *owner)
{
	int rc, baseline;

	pbox->turn = (pbox->turn + 1) % pbox->n_turns;
	rc = unc_pmon1_switch(pbox, &pbox->turns[pbox->turn], owner);
	unc_pmon_aim(pbox);
	baseline = unc_pmon_read(pbox, stop, UNC_READ_BASELINE);
	pbox->checked = false; /* what was written is read back before its counts are used */
	return rc < 0 ? rc : baseline;
}

static int visit_running(struct unc_pmon_box *pbox, bool turn_over, enum unc_how how, const void *owner)
{
	int rc = unc_pmon_read(pbox, NULL, how);

	return rc == 0 && turn_over ? next_turn(pbox, NULL, owner) : rc;
}

static int release(struct unc_pmon_box *pbox, const void *owner)
{
	const struct unc_box_clock *clock = &pbox->clock;
	bool watched = clock->slot && !clock->slot->stolen && clock->has_from && clock->ticked && !pbox->stood_still &&
		       unc_box_clock_is_in_block(pbox);
	uint64_t before_ns = unc_machine_raw_ns(pbox->box->machine);
	int rc = unc_pmon1_release(pbox, !watched, owner);

	unc_pmon_released(pbox, before_ns, unc_machine_raw_ns(pbox->box->machine), watched ? 1 : 2);
	return rc;
}

static int stop_box(struct unc_pmon_box *pbox, struct unc_stop *ret_stop, const void *owner)
{
	struct unc_machine *m = pbox->box->machine;
	int rc;

	ret_stop->before_ns = unc_machine_raw_ns(m);
	rc = unc_pmon1_freeze(pbox, owner);
	ret_stop->after_ns = unc_machine_raw_ns(m);
	return rc;
}

/* If a box is stopped for reading, all its counts also begin at one instant. */
static int first_baseline(struct unc_pmon_box *pbox, const void *owner)
{
	struct unc_stop stop;
	int rc, released;

	if (!may_freeze(pbox))
		return unc_pmon_read(pbox, NULL, UNC_READ_BASELINE);
	rc = stop_box(pbox, &stop, owner);
	if (rc == 0)
		rc = unc_pmon_read(pbox, &stop, UNC_READ_BASELINE);
	released = release(pbox, owner);
	pbox->quickest_ns = unc_half_ns(stop.before_ns, stop.after_ns) + pbox->slots[0].from_doubt_ns;
	return rc < 0 ? rc : released;
}

/* Comes before the first baseline, so that the clock covers all the time that is counted. */
static int start_clock(struct unc_pmon_box *pbox)
{
	enum { INTERRUPTED_NS = 1000000 };
	const struct unc_slot *slot = pbox->clock.slot;
	uint64_t now_ns;

	if (!slot)
		return UNC_OK;
	if (!slot->rested_ns)
		return unc_box_clock_is_in_block(pbox) ? UNC_OK : unc_pmon_look(pbox, false);
	now_ns = unc_machine_raw_ns(pbox->box->machine);
	/* If the start was interrupted, a stop of that length in the first count would not be seen. */
	if (now_ns - slot->rested_ns > INTERRUPTED_NS)
		return unc_pmon_look(pbox, false);
	unc_box_clock_begin(pbox, slot->rested, slot->rested_ns, now_ns);
	return UNC_OK;
}

int unc_pmon_start(struct unc_pmon_box *pbox, const void *owner)
{
	int rc;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].tally = pbox->turns[0].of[i];
	unc_pmon_aim(pbox);
	rc = unc_pmon1_program(pbox, owner);
	pbox->checked = true;
	pbox->shortest_ns = UINT64_MAX;
	pbox->frozen = false; /* it was released */
	pbox->clock.by_look = pbox->n_turns < 2;
	if (rc == 0)
		rc = start_clock(pbox);
	if (rc == 0)
		rc = first_baseline(pbox, owner);
	for (unsigned i = 0; i < pbox->n_running; i++)
		pbox->end_ns = pbox->slots[pbox->running[i]].raw_ns;
	unc_pmon_next_interval(pbox);
	return rc;
}

static int visit_stopped(struct unc_pmon_box *pbox, bool turn_over, enum unc_how how, const void *owner)
{
	struct unc_stop stop;
	int rc, released;

	rc = stop_box(pbox, &stop, owner);
	rc = rc < 0 ? unc_pmon_missing(pbox, rc) : unc_pmon_read(pbox, &stop, how);
	if (rc == 0 && turn_over)
		rc = next_turn(pbox, &stop, owner);
	released = release(pbox, owner);
	if (released < 0) /* it may stand still from now on: its next value is not a count of the next interval */
		rc = unc_pmon_missing(pbox, released);
	return rc;
}

int unc_pmon_visit(struct unc_pmon_box *pbox, bool turn_over, bool look, const void *owner)
{
	enum unc_how how;

	turn_over = turn_over && pbox->n_turns > 1 && !pbox->lost;
	how = turn_over || look ? UNC_READ_AND_LOOK : UNC_READ;
	if (pbox->resumed)
		return read_resumed(pbox);
	if (may_freeze(pbox) || (turn_over && !pbox->foreign))
		return visit_stopped(pbox, turn_over, how, owner);
	return visit_running(pbox, turn_over, how, owner);
}

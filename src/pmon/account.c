// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of what was read: counts, or the reason why there is no number. */
#include "base/err.h"
#include "machine/uncertain.h"
#include "pmon/counter.h"
#include "pmon/reading.h"

enum { CHECK_NS = 100000000 };
/* A DRAM clock has ticked by then, however slow: 400 MHz is the slowest that DDR3 is made for. */
enum { TICKS_NS = 1000 };

/* Is what this slot gained more than it can have counted? */
static bool implausible(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct unc_reading *reading)
{
	const struct unc_unit *unit = pbox->box->unit;

	return slot->has_baseline &&
	       unc_delta(slot->raw, reading->value, unit->counter_bits) >
		       unc_most(slot->tally->event->max_inc, unit->max_clock_hz, reading->after_ns - slot->earliest_ns);
}

static void add(struct unc_pmon_box *pbox, struct unc_slot *slot, const struct unc_reading *reading)
{
	struct unc_tally *tally = slot->tally;

	tally->delta += unc_delta(slot->raw, reading->value, pbox->box->unit->counter_bits);
	if (pbox->n_turns > 1) {
		uint64_t raw_ns = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;

		tally->running_ns += raw_ns > slot->from_ns ? raw_ns - slot->from_ns : 0;
		tally->doubt_ns += slot->from_doubt_ns + unc_half_ns(reading->before_ns, reading->after_ns);
	}
}

/* It jumped: another program may have programmed it anew, to the same value. */
static void was_reset(struct unc_pmon_box *pbox, struct unc_slot *slot)
{
	slot->tally->flags |= UNC_COUNT_RESET;
	slot->disputed |= slot->ours;
	pbox->foreign |= slot->ours;
}

static void account(struct unc_pmon_box *pbox, struct unc_slot *slot, const struct unc_reading *reading)
{
	struct unc_tally *tally = slot->tally;

	if (!slot->has_baseline && slot->lost == UNC_COUNT_GAP)
		tally->flags |= UNC_COUNT_GAP; /* suspended: whatever became of the control since */
	else if (slot->stolen || (slot->disputed && slot->control != tally->control))
		tally->flags |= UNC_COUNT_STOLEN;
	else if (slot->control != tally->control)
		tally->flags |= UNC_COUNT_MISSING; /* a write that was lost: it counts something else */
	else if (!slot->has_baseline)
		tally->flags |= slot->lost;
	else if (pbox->stood_still)
		tally->flags |= UNC_COUNT_STOPPED;
	else if (reading->implausible)
		was_reset(pbox, slot);
	else if (reading->after_ns - slot->earliest_ns > tally->wrap_ns / 2)
		tally->flags |= UNC_COUNT_GAP;
	else
		add(pbox, slot, reading);
	slot->has_baseline = !slot->stolen;
	slot->lost = UNC_COUNT_STOLEN;
	slot->raw = reading->value;
	slot->earliest_ns = reading->before_ns;
	slot->raw_ns = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;
	slot->doubt_ns = unc_half_ns(reading->before_ns, reading->after_ns);
	slot->from_ns = slot->raw_ns;
	slot->from_doubt_ns = slot->doubt_ns;
}

int unc_pmon_missing(struct unc_pmon_box *pbox, int rc)
{
	pbox->end_ns = unc_machine_raw_ns(pbox->box->machine);
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->has_baseline = false;
		slot->lost = UNC_COUNT_MISSING;
		slot->raw_ns = slot->from_ns = pbox->end_ns;
	}
	for (unsigned i = 0; i < pbox->n_tallies; i++)
		pbox->tallies[i].flags |= UNC_COUNT_MISSING;
	pbox->checked_ns = 0;
	return rc;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/*
 * Has the clock that should run all the time not moved since the box was released, long enough ago?  In one that we do not
 * release, since it was read.
 */
static bool stood_still(const struct unc_pmon_box *pbox, const struct unc_stop *stop,
			const struct unc_reading *readings)
{
	const struct unc_slot *witness = pbox->witness;
	uint64_t since_ns;

	if (!(stop || pbox->left) || !witness || !witness->has_baseline || witness->stolen)
		return false;
	since_ns = later(witness->raw_ns, pbox->released_ns);
	for (unsigned i = 0; i < pbox->n_running; i++)
		if (&pbox->slots[pbox->running[i]] == witness)
			return readings[i].value == witness->raw && readings[i].before_ns > since_ns + TICKS_NS;
	return false;
}

/* Are our controls still ours?  They are in the block, unless something in it is odd: then they are read by themselves. */
static int look(struct unc_pmon_box *pbox, const struct unc_block *block, uint64_t now_ns)
{
	int rc = UNC_OK;

	if (pbox->observed)
		rc = unc_observe_look(pbox);
	else if (!block || !block->look || !unc_pmon1_all_ours(pbox, block->bytes, pbox->first))
		rc = unc_pmon1_check(pbox);
	if (rc == 0)
		pbox->checked_ns = now_ns;
	return rc;
}

static bool look_is_due(const struct unc_pmon_box *pbox, uint64_t now_ns)
{
	return pbox->checked_ns == 0 || now_ns - pbox->checked_ns >= CHECK_NS;
}

/* Whatever asks for a look at the controls. */
static int judge(struct unc_pmon_box *pbox, const struct unc_block *block, enum unc_how how,
		 struct unc_reading *readings)
{
	bool suspicious = how == UNC_READ_AND_LOOK;
	uint64_t now_ns = 0;
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_running; i++) {
		const struct unc_slot *slot = &pbox->slots[pbox->running[i]];

		if (unc_pmon_is_mere_witness(pbox, slot))
			continue;
		readings[i].implausible = implausible(pbox, slot, &readings[i]);
		suspicious |= readings[i].implausible;
		now_ns = readings[i].after_ns;
	}
	pbox->end_ns = now_ns;
	pbox->stood_still = stood_still(pbox, block->stop, readings);
	/* After the counters: then what was just read was counted under the control that is seen now. */
	if (suspicious || pbox->stood_still || look_is_due(pbox, now_ns))
		rc = look(pbox, block, now_ns);
	pbox->stood_still = pbox->stood_still && !pbox->witness->stolen;
	return rc;
}

int unc_pmon_read(struct unc_pmon_box *pbox, const struct unc_stop *stop, enum unc_how how)
{
	struct unc_reading readings[UNC_PMON_SLOTS];
	struct unc_block block;
	int rc;

	block.stop = stop;
	block.look = stop && pbox->look_len && how != UNC_READ_BASELINE &&
		     (how == UNC_READ_AND_LOOK || look_is_due(pbox, stop->after_ns));
	rc = unc_pmon_fetch(pbox, &block, readings);
	if (rc < 0)
		return unc_pmon_missing(pbox, unc_wrap(pbox->box->machine->ctx, rc, "%s", pbox->box->name));
	if (how != UNC_READ_BASELINE)
		rc = judge(pbox, &block, how, readings);
	if (rc < 0)
		return unc_pmon_missing(pbox, rc);
	for (unsigned i = 0; i < pbox->n_running; i++) {
		struct unc_slot *slot = &pbox->slots[pbox->running[i]];

		if (how != UNC_READ_BASELINE || !slot->has_baseline)
			account(pbox, slot, &readings[i]);
	}
	return UNC_OK;
}

void unc_pmon_suspended(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].has_baseline = false;
		pbox->slots[i].lost = UNC_COUNT_GAP;
	}
	for (unsigned i = 0; i < pbox->n_tallies; i++)
		pbox->tallies[i].flags |= UNC_COUNT_GAP;
	pbox->checked_ns = 0;
	pbox->resumed = true;
}

void unc_pmon_released(struct unc_pmon_box *pbox, uint64_t before_ns, uint64_t after_ns, unsigned writes)
{
	/* In the middle of the first of the writes that release it; or in another one, if that was lost. */
	pbox->released_ns = before_ns + (after_ns - before_ns) / 2 / writes;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].from_ns = pbox->released_ns;
		pbox->slots[i].from_doubt_ns = after_ns - pbox->released_ns;
	}
}

unsigned unc_pmon_flags(const struct unc_pmon_box *pbox, const struct unc_tally *tally)
{
	bool no_turns = pbox->lost && pbox->n_turns > 1 && !(tally->flags & UNC_COUNT_GAP);

	return tally->flags | (no_turns ? UNC_COUNT_STOLEN : 0);
}

void unc_pmon_next_interval(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_tallies; i++) {
		struct unc_tally *tally = &pbox->tallies[i];

		tally->total += unc_pmon_flags(pbox, tally) & UNC_COUNT_NO_NUMBER ? 0 : tally->delta;
		tally->delta = 0;
		tally->running_ns = 0;
		tally->doubt_ns = 0;
		tally->flags = 0;
	}
	for (unsigned i = 0; i < pbox->n_running; i++) {
		struct unc_slot *slot = &pbox->slots[pbox->running[i]];

		slot->start_ns = slot->from_ns;
		slot->start_doubt_ns = slot->from_doubt_ns;
	}
	pbox->begin_ns = later(pbox->end_ns, pbox->released_ns);
}

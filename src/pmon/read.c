// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/uncertain.h"
#include "pmon/counter.h"
#include "pmon/reading.h"

/*
 * Reading counters that run.  A 48-bit counter is two dwords, read low then high by one block read; what that can get wrong
 * is described in src/pmon/README.md under "Reading a 48-bit counter".
 */

enum { AGREE_TRIES = 8, TRIES = 3 };

static uint64_t raw_now(const struct unc_pmon_box *pbox)
{
	return unc_machine_raw_ns(pbox->box->machine);
}

static uint32_t counter_off(const struct unc_slot *slot)
{
	return unc_reg_off(slot->ctr, slot->index);
}

/* No 48-bit counter has these bits, so the function did not answer.  Its vendor ID shows whether it is still there. */
static int no_number(struct unc_pmon_box *pbox, const struct unc_slot *slot)
{
	struct unc_space *space = pbox->box->space;
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	uint32_t ids = 0;
	int rc = pbox->in_msrs ? UNC_OK : unc_read32(space, 0, &ids);

	if (rc < 0)
		return rc;
	if (ids == UINT32_MAX)
		return unc_gate_gone(pbox->box);
	return unc_fail(ctx, UNC_EIO, "%s %s: %s[%u] at 0x%x reads more than %u bits", space->bus->ops->name,
			pbox->box->pci, slot->ctr->name, slot->index, counter_off(slot), pbox->box->unit->counter_bits);
}

static bool too_wide(const struct unc_pmon_box *pbox, uint64_t value)
{
	return value & ~unc_low_bits(pbox->box->unit->counter_bits);
}

int unc_pmon_read_whole(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct unc_reading *reading)
{
	struct unc_space *space = pbox->box->space;
	uint32_t off = counter_off(slot), high, low = 0, again = 0;
	int rc;

	if (pbox->in_memory || pbox->in_msrs) {
		reading->before_ns = raw_now(pbox);
		rc = unc_read64(space, off, &reading->value);
		reading->after_ns = raw_now(pbox);
		return rc == 0 && reading->value == UINT64_MAX ? no_number(pbox, slot) : rc;
	}
	rc = unc_read32(space, off + 4, &high);
	for (unsigned try = 0; try < AGREE_TRIES && rc == 0; try++) {
		uint32_t last = low;

		reading->before_ns = raw_now(pbox);
		rc = unc_read32(space, off, &low);
		reading->after_ns = raw_now(pbox);
		if (rc == 0)
			rc = unc_read32(space, off + 4, &again);
		if (rc == 0 && high == again && (low != UINT32_MAX || last == low)) {
			reading->value = (uint64_t)high << 32 | low;
			return reading->value == UINT64_MAX ? no_number(pbox, slot) : UNC_OK;
		}
		high = again;
	}
	if (rc < 0)
		return rc;
	return unc_fail(pbox->box->machine->ctx, UNC_EIO, "pci %s: %s[%u] at 0x%x: the high half never stands still",
			pbox->box->pci, slot->ctr->name, slot->index, off);
}

int unc_pmon_read_halves(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct unc_reading *reading)
{
	int rc = unc_pmon_read_whole(pbox, slot, reading);

	return rc == 0 && too_wide(pbox, reading->value) ? no_number(pbox, slot) : rc;
}

/* True if the slot only counts the box's clock: no event of the session asks for it, so its count is not reported. */
static bool is_mere_clock(const struct unc_pmon_box *pbox, const struct unc_slot *slot)
{
	return slot->accumulator == &pbox->clock_accumulator;
}

void unc_pmon_aim(struct unc_pmon_box *pbox)
{
	uint32_t first = UINT32_MAX, end = 0, ctl_first = UINT32_MAX, ctl_end = 0;

	pbox->n_running = 0;
	pbox->soonest_ns = UINT64_MAX;
	pbox->together = pbox->in_memory && pbox->n_mux_sets < 2 && !pbox->observed;
	pbox->rarest = 1;
	pbox->counter_mask = unc_low_bits(pbox->box->unit->counter_bits);
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		const struct unc_event *event = slot->accumulator ? slot->accumulator->event : NULL;
		uint32_t off = counter_off(slot), ctl = slot->ctl ? unc_reg_off(slot->ctl, slot->index) : 0;

		slot->times = pbox->together ? &pbox->times : &slot->own_times;
		ctl_first = ctl < ctl_first ? ctl : ctl_first;
		ctl_end = ctl + 4 > ctl_end ? ctl + 4 : ctl_end;
		/* The clock is in the block if the box is stopped for each sample; else only looks read it. */
		if (!slot->accumulator || (is_mere_clock(pbox, slot) && !pbox->freezes))
			continue;
		pbox->at[pbox->n_running] = off;
		pbox->running[pbox->n_running++] = slot;
		if (slot->accumulator->wrap_ns < pbox->soonest_ns)
			pbox->soonest_ns = slot->accumulator->wrap_ns;
		if (!event)
			pbox->rarest = 0;
		else if (pbox->rarest && event->one_per > pbox->rarest)
			pbox->rarest = event->one_per;
		first = off < first ? off : first;
		end = off + 8 > end ? off + 8 : end;
	}
	pbox->first = first;
	pbox->len = end - first;
	for (unsigned i = 0; i < pbox->n_running; i++)
		pbox->at[i] -= first;
	/* The controls come after the counters: so what was just read was counted under the control that is seen. */
	pbox->look_len = !pbox->in_memory && !pbox->in_msrs && ctl_first >= end && ctl_end - first <= UNC_BLOCK_MAX
				 ? ctl_end - first
				 : 0;
}

/*
 * True if the counter stands still: a value equal to the last one is not a torn pair, unless the counter could have wrapped to
 * the same low half since.
 */
static bool stands_still(const struct unc_pmon_box *pbox, const struct unc_slot *slot,
			 const struct unc_reading *reading)
{
	return slot->has_baseline && reading->value == slot->raw &&
	       unc_most(slot->accumulator->event, pbox->box->unit->max_clock_hz,
			reading->after_ns - slot->times->earliest_ns) < UINT32_MAX;
}

/*
 * For the first value: if the counter can have reached it from the value at rest, it is not a torn pair, since a carry that was
 * missed or came too early would be 2^32 counts.
 */
static bool follows_rest(const struct unc_pmon_box *pbox, const struct unc_slot *slot,
			 const struct unc_reading *reading)
{
	const struct unc_unit *unit = pbox->box->unit;
	uint64_t most;

	if (!slot->rested_ns || slot->has_baseline || (uint32_t)reading->value == UINT32_MAX)
		return false;
	most = unc_most(slot->accumulator->event, unit->max_clock_hz, reading->after_ns - slot->rested_ns);
	return most < UINT32_MAX / 2 && unc_delta(slot->rested, reading->value, unit->counter_bits) <= most;
}

static bool may_be_torn(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct unc_reading *reading,
			uint64_t read_ns)
{
	const uint64_t hz = pbox->box->unit->max_clock_hz;

	return unc_may_be_torn((uint32_t)reading->value, unc_reach(slot->accumulator->event, hz, read_ns)) &&
	       !stands_still(pbox, slot, reading) && !follows_rest(pbox, slot, reading);
}

/* Reads the counters one after the other; read_ns is that of the slowest read, since each has a time of its own. */
static int read_msrs(struct unc_pmon_box *pbox, struct unc_block *block)
{
	uint64_t last_ns = raw_now(pbox), slowest_ns = 0;
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_running && rc == 0; i++) {
		struct unc_stop *time = &block->times[i];

		time->before_ns = last_ns;
		rc = unc_read_block(pbox->box->space, pbox->first + pbox->at[i], block->counters[i], 8);
		time->after_ns = last_ns = raw_now(pbox);
		if (time->after_ns - time->before_ns > slowest_ns)
			slowest_ns = time->after_ns - time->before_ns;
	}
	block->read_ns = slowest_ns;
	return rc;
}

static int read_block(struct unc_pmon_box *pbox, struct unc_block *block)
{
	uint32_t len = block->look ? pbox->look_len : pbox->len;
	struct unc_space *space = pbox->box->space;

	if (pbox->always)
		return pbox->always->read(pbox, block);
	if (pbox->in_msrs)
		return read_msrs(pbox, block);
	if (pbox->in_memory)
		return unc_read_qwords(space, pbox->first, pbox->at, pbox->n_running, block->counters);
	if (len > sizeof(block->bytes))
		return unc_fail(pbox->box->machine->ctx, UNC_ENOSUP, "%s: counters are too far apart", pbox->box->name);
	return unc_read_block(space, pbox->first, block->bytes, len);
}

/*
 * An interrupt between the two clock reads would blur the interval, so such a read is repeated.  If the box was stopped before,
 * another read would not make the time more precise.
 */
static int fetch(struct unc_pmon_box *pbox, struct unc_block *block)
{
	const struct unc_slot *first = pbox->running[0];
	uint64_t known_ns = pbox->quickest_ns, took_ns, interval_ns;
	struct unc_stop when;
	int rc;

	for (unsigned try = 0; try < TRIES; try++) {
		block->when.after_ns = 0;
		when.before_ns = raw_now(pbox);
		rc = read_block(pbox, block);
		when.after_ns = raw_now(pbox);
		if (block->when.after_ns)
			when = block->when;
		if (!pbox->in_msrs)
			block->read_ns = when.after_ns - when.before_ns;
		took_ns = block->read_ns;
		block->when = block->stop ? *block->stop : when;
		if (rc < 0 || block->stop)
			break;
		if (pbox->quickest_ns == 0 || took_ns < pbox->quickest_ns)
			pbox->quickest_ns = took_ns;
		/* The time since the last read, or the requested interval if there was none. */
		interval_ns = first->has_baseline ? when.after_ns - first->times->earliest_ns : pbox->interval_ns;
		if (!unc_read_again(took_ns, known_ns, interval_ns))
			break;
	}
	return rc;
}

struct limits { /* of what counters can gain in a time */
	uint64_t ns, hz;
	/* A little less than what any event of the box can count, so that most values need no exact limit; 0: not known. */
	uint64_t enough;
	bool may_wrap; /* some counter can */
};

static inline struct limits limits_of(const struct unc_pmon_box *pbox, uint64_t ns)
{
	struct limits limits = {.ns = ns, .hz = pbox->box->unit->max_clock_hz, .may_wrap = ns > pbox->soonest_ns / 2};

	/* 2^30 is a little more than 1e9. */
	if (ns < UINT32_MAX && pbox->rarest)
		limits.enough = ((limits.hz >> 10) * ns >> 20) / pbox->rarest;
	return limits;
}

/* Flags a reading that is no count. */
static inline void flag(struct unc_block *block, const struct limits *limits, const struct unc_accumulator *accumulator,
			struct unc_reading *reading)
{
	if (reading->gained >= limits->enough &&
	    reading->gained > unc_most(accumulator->event, limits->hz, limits->ns)) {
		reading->flag = UNC_COUNT_RESET;
		block->implausible = block->is_odd = true;
	} else if (limits->may_wrap && limits->ns > accumulator->wrap_ns / 2) {
		reading->flag = UNC_COUNT_GAP;
		block->is_odd = true;
	}
}

/* Takes the values of counters that are read together: the time since the last value is the same for all of them, and none is torn. */
static int take_together(struct unc_pmon_box *pbox, struct unc_block *block, struct unc_reading *readings, unsigned n)
{
	const struct limits limits = limits_of(pbox, block->when.after_ns - pbox->times.earliest_ns);
	const struct unc_slot *clock = pbox->clock.slot;
	uint64_t mask = pbox->counter_mask, moved = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct unc_slot *slot = pbox->running[i];
		struct unc_reading *reading = &readings[i];

		reading->value = unc_le64(block->counters[i]);
		reading->gained = 0;
		reading->flag = 0;
		if (reading->value & ~mask)
			return no_number(pbox, slot);
		if (slot->has_baseline)
			reading->gained = (reading->value - slot->raw) & mask;
		else
			block->is_odd = true;
		if (slot == clock) {
			reading->before_ns = block->when.before_ns;
			reading->after_ns = block->when.after_ns;
			block->clock = reading;
			if (is_mere_clock(pbox, slot))
				continue;
		} else {
			moved |= reading->gained;
		}
		if (!slot->has_baseline)
			continue;
		block->shortest_ns = limits.ns;
		flag(block, &limits, slot->accumulator, reading);
	}
	block->moved = moved;
	block->end_ns = block->when.after_ns;
	return UNC_OK;
}

/* Takes the values from the block, and reads again those that may be torn. */
static int take_values(struct unc_pmon_box *pbox, struct unc_block *block, struct unc_reading *readings, unsigned n)
{
	bool by_one = pbox->in_memory || pbox->in_msrs, saturated;
	const struct unc_slot *clock = pbox->clock.slot;
	struct limits limits = {0};

	block->moved = false;
	for (unsigned i = 0; i < n; i++) {
		const struct unc_slot *slot = pbox->running[i];
		struct unc_reading *reading = &readings[i];
		uint64_t span_ns;

		const struct unc_stop *when = pbox->in_msrs ? &block->times[i] : &block->when;

		*reading = (struct unc_reading){
			.value = unc_le64(by_one ? block->counters[i] : block->bytes + pbox->at[i]),
			.before_ns = when->before_ns,
			.after_ns = when->after_ns,
		};
		saturated = pbox->box->unit->saturates && reading->value >> pbox->box->unit->counter_bits;
		if (reading->value & ~pbox->counter_mask && !saturated)
			return no_number(pbox, slot);
		if (!by_one && may_be_torn(pbox, slot, reading, block->read_ns)) {
			int rc = unc_pmon_read_halves(pbox, slot, reading);

			if (rc < 0)
				return rc;
			if (block->stop) { /* the box stood still during the whole read */
				reading->before_ns = block->stop->before_ns;
				reading->after_ns = block->stop->after_ns;
			}
		}
		block->end_ns = reading->after_ns;
		if (slot == clock)
			block->clock = reading;
		if (is_mere_clock(pbox, slot) || !slot->has_baseline)
			continue;
		span_ns = reading->after_ns - slot->times->earliest_ns;
		if (span_ns != limits.ns) /* mostly all have the same */
			limits = limits_of(pbox, span_ns);
		reading->gained = (reading->value - slot->raw) & pbox->counter_mask;
		flag(block, &limits, slot->accumulator, reading);
		if (saturated || (pbox->box->unit->saturates && reading->value < slot->raw)) {
			/* It stopped at its highest value at an unknown time, or another program set it back. */
			reading->flag = saturated ? UNC_COUNT_GAP : UNC_COUNT_RESET;
			block->implausible |= !saturated;
		}
		block->moved |= slot != clock && reading->gained;
		if (span_ns < block->shortest_ns)
			block->shortest_ns = span_ns;
	}
	return UNC_OK;
}

/* Turns what was read into counts, or into the reason why there is no number. */

/* Returns 0, or why the slot has no number, as found by the last look at the controls. */
static unsigned control_flags(const struct unc_slot *slot)
{
	if (slot->stolen)
		return UNC_COUNT_STOLEN;
	if (slot->control == slot->accumulator->control)
		return 0;
	/* If it is not another program's, the write was lost, so the slot counts another event. */
	return slot->disputed ? UNC_COUNT_STOLEN : UNC_COUNT_MISSING;
}

/* Returns 0, or why no slot of the box has a number. */
static unsigned box_flags(const struct unc_pmon_box *pbox)
{
	if (pbox->stood_still)
		return UNC_COUNT_STOPPED;
	return pbox->doubted ? UNC_COUNT_UNCONFIRMED : 0;
}

static void set_times(struct unc_times *times, uint64_t before_ns, uint64_t after_ns)
{
	times->doubt_ns = times->from_doubt_ns = unc_half_ns(before_ns, after_ns);
	times->raw_ns = times->from_ns = after_ns - times->doubt_ns;
	times->earliest_ns = before_ns;
}

static void add_running_time(struct unc_accumulator *accumulator, const struct unc_times *times,
			     const struct unc_reading *reading)
{
	uint64_t doubt_ns = unc_half_ns(reading->before_ns, reading->after_ns), raw_ns = reading->after_ns - doubt_ns;

	accumulator->running_ns += raw_ns > times->from_ns ? raw_ns - times->from_ns : 0;
	accumulator->doubt_ns += times->from_doubt_ns + doubt_ns;
}

/* of_box: box_flags() */
static void account(struct unc_pmon_box *pbox, struct unc_slot *slot, const struct unc_reading *reading,
		    unsigned of_box)
{
	struct unc_accumulator *accumulator = slot->accumulator;
	unsigned flags = control_flags(slot);
	bool counted = false;

	if (!slot->has_baseline) /* after a suspend, whatever happened to the control since */
		flags = flags && slot->lost != UNC_COUNT_GAP ? flags : slot->lost;
	else if (flags || of_box)
		flags = flags ? flags : of_box;
	else if (reading->flag)
		flags = reading->flag;
	else if (pbox->unproven && !reading->gained)
		flags = UNC_COUNT_UNCONFIRMED;
	else
		counted = true;
	accumulator->flags |= flags;
	if (flags == UNC_COUNT_RESET) { /* another program may have programmed it again, with the same value */
		slot->disputed |= slot->ours;
		pbox->foreign |= slot->ours;
	}
	if (counted)
		accumulator->delta += reading->gained;
	if (counted && pbox->n_mux_sets > 1)
		add_running_time(accumulator, slot->times, reading);
	slot->has_baseline = !slot->stolen;
	slot->lost = UNC_COUNT_STOLEN;
	slot->raw = reading->value;
	if (!pbox->together)
		set_times(slot->times, reading->before_ns, reading->after_ns);
}

/*
 * The short form of account() for boxes in memory, in a block without odd readings: it takes a few instructions a counter.  Returns
 * the number of readings that it accounted; account() must do the others.
 */
static unsigned account_usual(struct unc_pmon_box *pbox, const struct unc_reading *reading, unsigned n)
{
	struct unc_slot *const *slot = pbox->running, *const *end = slot + n;

	for (; slot < end; slot++, reading++) {
		struct unc_accumulator *accumulator = (*slot)->accumulator;

		if ((*slot)->control != accumulator->control)
			break;
		accumulator->delta += reading->gained;
		(*slot)->raw = reading->value;
	}
	return (unsigned)(slot - pbox->running);
}

/* No later look can confirm what was counted until now. */
static void never_confirmed(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_accumulators && pbox->unlooked; i++)
		pbox->accumulators[i].look_flags |= UNC_COUNT_UNCONFIRMED;
	pbox->unlooked = false;
	unc_box_clock_forget(pbox);
}

int unc_pmon_missing(struct unc_pmon_box *pbox, int rc)
{
	never_confirmed(pbox);
	pbox->end_ns = unc_machine_raw_ns(pbox->box->machine);
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		slot->has_baseline = false;
		slot->lost = UNC_COUNT_MISSING;
		slot->times->raw_ns = slot->times->from_ns = pbox->end_ns;
	}
	for (unsigned i = 0; i < pbox->n_accumulators; i++)
		pbox->accumulators[i].flags |= UNC_COUNT_MISSING;
	pbox->checked = false;
	return rc;
}

/* Judges the box by this value of its clock.  The next verdict covers the time after it, whatever the verdict is now. */
static int classify_clock(struct unc_pmon_box *pbox, uint64_t value, const struct unc_stop *when, uint64_t shortest_ns)
{
	enum unc_box_clock_verdict verdict = unc_box_clock_see(pbox, value, when, shortest_ns);
	struct unc_box_clock *clock = &pbox->clock;
	int rc = UNC_OK;

	if (verdict == UNC_CLOCK_PAUSED) {
		rc = unc_pmon1_see_ticks(pbox, value, when->after_ns);
		clock->stood = clock->stands; /* for the next verdict */
		verdict = clock->stands ? UNC_CLOCK_STOOD : verdict;
		clock->stands = false;
	}
	/* Part of the stop may come after the last read of the counters: then the next count lacks it. */
	if (verdict == UNC_CLOCK_STOOD && when->after_ns > pbox->end_ns &&
	    when->after_ns - pbox->end_ns > shortest_ns / UNC_STILL_PART)
		clock->stood = true;
	pbox->stood_still |= verdict == UNC_CLOCK_STOOD;
	pbox->doubted |= verdict == UNC_CLOCK_PAUSED || verdict == UNC_CLOCK_JUMPED;
	pbox->unproven &= verdict == UNC_CLOCK_UNKNOWN;
	return rc;
}

static void begin_judging(struct unc_pmon_box *pbox)
{
	pbox->stood_still = pbox->doubted = false;
	pbox->unproven = true;
}

static bool has_clock(const struct unc_pmon_box *pbox)
{
	return pbox->clock.slot && !pbox->clock.slot->stolen;
}

/*
 * Checks that our controls are still ours, and that the box ran.  The controls are in the block; if anything in it is odd, they are
 * read separately.  shortest_ns: the shortest interval of the counts that this look confirms.
 */
static int check_box(struct unc_pmon_box *pbox, const struct unc_block *block, uint64_t shortest_ns)
{
	bool was_frozen = pbox->frozen, had_clock = has_clock(pbox);
	int rc = UNC_OK;

	if (pbox->always)
		rc = pbox->always->look(pbox);
	else if (pbox->observed)
		rc = unc_observe_look(pbox);
	else if (!(block && block->look && unc_pmon1_all_ours(pbox, block, pbox->first)))
		rc = unc_pmon1_check(pbox, block ? block->stop : NULL);
	if (rc < 0)
		return rc;
	pbox->doubted |= had_clock && !has_clock(pbox);
	pbox->checked = true;
	if (pbox->clock.slot && (pbox->starting || !unc_box_clock_is_sampled(pbox)))
		rc = classify_clock(pbox, pbox->clock.seen, &pbox->clock.seen_when, shortest_ns);
	pbox->read_frozen |= pbox->frozen;
	pbox->stood_still |= was_frozen || pbox->frozen;
	return rc;
}

/* Confirms the counts that were read before this look, or gives them the reason why they are not confirmed. */
static void confirm(struct unc_pmon_box *pbox)
{
	bool sampled = unc_box_clock_is_sampled(pbox);
	unsigned of_box = sampled ? 0 : box_flags(pbox);

	pbox->rows_unproven |= pbox->no_verdict && !sampled;
	for (unsigned i = 0; i < pbox->n_running; i++) {
		const struct unc_slot *slot = pbox->running[i];

		slot->accumulator->look_flags |= of_box | control_flags(slot);
	}
	pbox->unlooked = false;
	pbox->clock.by_look &= !unc_box_clock_is_known(pbox);
}

/* All counts up to this reading have been judged, so the next judgement starts here. */
static void next_judgement(struct unc_pmon_box *pbox)
{
	pbox->moved = false;
	pbox->shortest_ns = UINT64_MAX;
}

/* Judges what was read, and looks at the controls if anything in it calls for that. */
static int classify_block(struct unc_pmon_box *pbox, const struct unc_block *block, enum unc_how how)
{
	const struct unc_reading *clock = block->clock;
	bool judged = clock && unc_box_clock_is_sampled(pbox);
	bool was_frozen = pbox->frozen;
	int rc = UNC_OK;

	if (block->shortest_ns < pbox->shortest_ns)
		pbox->shortest_ns = block->shortest_ns;
	pbox->moved |= block->moved;
	pbox->end_ns = block->end_ns;
	begin_judging(pbox);
	if (unc_is_judged(pbox))
		pbox->always->judge(pbox, block);
	if (clock)
		rc = classify_clock(pbox, clock->value, &(struct unc_stop){clock->before_ns, clock->after_ns},
				    judged ? pbox->shortest_ns : UINT64_MAX);
	/* The look comes after the counters were read: so they were counted under the control that is seen now. */
	pbox->unlooked = !(how == UNC_READ_AND_LOOK || block->implausible || box_flags(pbox) || !pbox->checked ||
			   unc_is_judged(pbox));
	if (rc == 0 && !pbox->unlooked)
		rc = check_box(pbox, block, pbox->shortest_ns);
	if (rc < 0)
		return rc;
	if (pbox->clock.slot && !has_clock(pbox)) { /* changed at an unknown time: its ticks prove nothing */
		pbox->stood_still = was_frozen || pbox->frozen; /* this is known without a clock */
		pbox->unproven = true;
	}
	pbox->unproven &= (judged || !pbox->unlooked) && !pbox->shared;
	pbox->no_verdict = pbox->unproven;
	pbox->unproven &= !block->moved;
	if (!pbox->unlooked)
		confirm(pbox);
	if (judged || !pbox->unlooked)
		next_judgement(pbox);
	return UNC_OK;
}

int unc_pmon_look(struct unc_pmon_box *pbox, bool judge)
{
	bool judged = judge && pbox->shortest_ns != UINT64_MAX;
	int rc;

	begin_judging(pbox);
	pbox->starting = !judge;
	rc = check_box(pbox, NULL, judge ? pbox->shortest_ns : UINT64_MAX);
	pbox->starting = false;
	if (rc < 0)
		never_confirmed(pbox);
	/* The next look may find the control restored, so the counts that wait for a look are marked stolen now. */
	for (unsigned i = 0; i < pbox->n_running && rc == 0 && !judge; i++) {
		const struct unc_slot *slot = pbox->running[i];

		if (slot->stolen && pbox->unlooked)
			slot->accumulator->look_flags |= UNC_COUNT_STOLEN;
	}
	if (rc < 0 || !judge)
		return rc;
	pbox->no_verdict = pbox->unproven && judged && !pbox->shared;
	confirm(pbox);
	if (judged)
		next_judgement(pbox);
	return UNC_OK;
}

/*
 * A counter that stops at its highest value begins at 0 again when half of its range is counted, as Linux does it; the count until
 * the next read has no number.  The former value is of no use to any program, so it is not put back.
 */
static int begin_again(struct unc_pmon_box *pbox, bool *ret_any)
{
	unsigned half = pbox->box->unit->counter_bits - 1;
	int rc = UNC_OK;

	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots && rc == 0; slot++) {
		bool is_clock = slot == pbox->clock.slot && pbox->clock.has_from;
		uint64_t value = is_clock ? pbox->clock.from : slot->raw;

		if (!slot->accumulator || !slot->ours || slot->disputed || pbox->observed || value >> half == 0)
			continue;
		rc = unc_gate_write(pbox->box, slot->ctr, slot->index, 0, pbox->owner);
		unc_gate_keep(pbox->box, slot->ctr, slot->index);
		slot->has_baseline = false;
		slot->lost = UNC_COUNT_GAP;
		slot->raw = 0;
		if (is_clock)
			unc_box_clock_forget(pbox);
		*ret_any = true;
	}
	return rc;
}

int unc_pmon_read(struct unc_pmon_box *pbox, const struct unc_stop *stop, enum unc_how how)
{
	struct unc_reading readings[UNC_PMON_SLOTS];
	struct unc_block block;
	unsigned n = pbox->n_running, of_box;
	bool is_usual, again = false;
	int rc;

	block.stop = stop;
	block.look = stop && pbox->look_len && how != UNC_READ_BASELINE && (how == UNC_READ_AND_LOOK || !pbox->checked);
	rc = fetch(pbox, &block);
	block.clock = NULL;
	block.implausible = block.is_odd = false;
	block.shortest_ns = UINT64_MAX;
	if (rc == 0)
		rc = pbox->together ? take_together(pbox, &block, readings, n) : take_values(pbox, &block, readings, n);
	if (rc != 0)
		return unc_pmon_missing(pbox, unc_wrap(pbox->box->machine->ctx, rc, "%s", pbox->box->name));
	if (how != UNC_READ_BASELINE)
		rc = classify_block(pbox, &block, how);
	else if (unc_is_judged(pbox))
		pbox->always->judge(pbox, &block);
	else if (block.clock)
		unc_box_clock_see(pbox, block.clock->value,
				  &(struct unc_stop){block.clock->before_ns, block.clock->after_ns}, UINT64_MAX);
	if (rc < 0)
		return unc_pmon_missing(pbox, rc);
	of_box = box_flags(pbox);
	is_usual = how == UNC_READ && pbox->unlooked && !of_box && !pbox->unproven && pbox->together && !block.is_odd;
	for (unsigned i = is_usual ? account_usual(pbox, readings, n) : 0; i < n; i++) {
		struct unc_slot *slot = pbox->running[i];

		if (how != UNC_READ_BASELINE || !slot->has_baseline)
			account(pbox, slot, &readings[i], of_box);
	}
	set_times(&pbox->times, block.when.before_ns, block.when.after_ns);
	pbox->times.doubt_ns += pbox->update_ns / 2;
	pbox->times.from_doubt_ns += pbox->update_ns / 2;
	if (pbox->box->unit->saturates)
		rc = begin_again(pbox, &again);
	/* At the start nothing was counted yet: it begins with the next read. */
	return rc == 0 && again && how == UNC_READ_BASELINE ? unc_pmon_read(pbox, stop, how) : rc;
}

static void begin_interval(struct unc_times *times)
{
	times->start_ns = times->from_ns;
	times->start_doubt_ns = times->from_doubt_ns;
}

void unc_pmon_next_interval(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_accumulators; i++) {
		struct unc_accumulator *accumulator = &pbox->accumulators[i];

		accumulator->delta = accumulator->running_ns = accumulator->doubt_ns = 0;
		accumulator->flags = pbox->first_flags;
	}
	begin_interval(&pbox->times);
	for (unsigned i = 0; i < pbox->n_running && !pbox->together; i++)
		begin_interval(pbox->running[i]->times);
	pbox->begin_ns = pbox->end_ns > pbox->released_ns ? pbox->end_ns : pbox->released_ns;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading counters that run.  A 48-bit counter is two dwords, read low then high by one block read; what that can get wrong
 * is described in CONTRIBUTING.md under "Reading a 48-bit counter".
 */
#include "base/err.h"
#include "pmon/counter.h"
#include "pmon/pmon.h"

enum { MAX_BLOCK = 256, AGREE_TRIES = 8, CHECK_NS = 100000000, LATE_TRIES = 3, LATE_FACTOR = 4, DOUBT_PART = 500 };
/* A DRAM clock has ticked by then, however slow: 400 MHz is the slowest that DDR3 is made for. */
enum { TICKS_NS = 1000 };

struct reading { /* of one slot */
	uint64_t value;
	uint64_t before_ns, after_ns; /* raw time around the read of its low half */
	bool implausible;             /* more than the hardware can count */
	bool late;
};

struct block {                       /* what was read in one call */
	const struct unc_stop *stop; /* NULL: the box runs */
	bool look;                   /* controls too */
	unsigned char bytes[MAX_BLOCK];
	uint64_t took_ns; /* the clock bracket that says when: around the read, or around what stopped the box */
};

static uint64_t raw_now(const struct unc_pmon_box *pbox)
{
	return unc_machine_raw_ns(pbox->box->machine);
}

static uint32_t counter_off(const struct unc_slot *slot)
{
	return unc_reg_off(slot->ctr, slot->index);
}

/* No 48-bit counter has these bits: the function did not answer.  Its vendor id tells whether it is still there. */
static int no_number(struct unc_pmon_box *pbox, const struct unc_slot *slot)
{
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	uint32_t ids;
	int rc = unc_read32(pbox->box->space, 0, &ids);

	if (rc < 0)
		return rc;
	if (ids == UINT32_MAX)
		return unc_fail(ctx, UNC_ENODEV, "pci %s: reads as all ones: the function is gone", pbox->box->pci);
	return unc_fail(ctx, UNC_EIO, "pci %s: %s[%u] at 0x%x reads more than %u bits", pbox->box->pci, slot->ctr->name,
			slot->index, counter_off(slot), pbox->box->unit->counter_bits);
}

static bool too_wide(const struct unc_pmon_box *pbox, uint64_t value)
{
	unsigned bits = pbox->box->unit->counter_bits;

	return bits < 64 && value >> bits;
}

/* The halves one by one, until the high half is the same before and after the low one.  A low half of all ones is what a
 * failed read looks like, too: it counts when it is read twice. */
static int read_halves(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct reading *reading)
{
	struct unc_space *space = pbox->box->space;
	uint32_t off = counter_off(slot), high, low = 0, again = 0;
	int rc;

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
			return too_wide(pbox, reading->value) ? no_number(pbox, slot) : UNC_OK;
		}
		high = again;
	}
	if (rc < 0)
		return rc;
	return unc_fail(pbox->box->machine->ctx, UNC_EIO, "pci %s: %s[%u] at 0x%x: the high half never stands still",
			pbox->box->pci, slot->ctr->name, slot->index, off);
}

void unc_pmon_aim(struct unc_pmon_box *pbox)
{
	uint32_t first = UINT32_MAX, end = 0, ctl_first = UINT32_MAX, ctl_end = 0;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		uint32_t off = counter_off(slot), ctl = unc_reg_off(slot->ctl, slot->index);

		ctl_first = ctl < ctl_first ? ctl : ctl_first;
		ctl_end = ctl + 4 > ctl_end ? ctl + 4 : ctl_end;
		if (!slot->tally)
			continue;
		first = off < first ? off : first;
		end = off + 8 > end ? off + 8 : end;
	}
	pbox->first = first;
	pbox->len = end - first;
	/* Behind the counters: then what was just read was counted under the control that is seen. */
	pbox->look_len = ctl_first >= end && ctl_end - first <= MAX_BLOCK ? ctl_end - first : 0;
}

/*
 * A value that is exactly the last one is no torn pair, unless the counter could have come round to the same low half
 * since: it stands still.
 */
static bool stands_still(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading)
{
	return slot->has_baseline && reading->value == slot->raw &&
	       unc_most(slot->tally->event->max_inc, pbox->box->unit->max_clock_hz,
			reading->after_ns - slot->earliest_ns) < UINT32_MAX;
}

/* Of the witness nobody wants a number: whether it moved is seen of any pair of halves. */
static bool is_mere_witness(const struct unc_pmon_box *pbox, const struct unc_slot *slot)
{
	return slot->tally == &pbox->witness_tally;
}

static bool may_be_torn(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading,
			uint64_t read_ns)
{
	uint64_t reach = unc_reach(slot->tally->event->max_inc, pbox->box->unit->max_clock_hz, read_ns);

	return unc_may_be_torn((uint32_t)reading->value, reach) && !stands_still(pbox, slot, reading) &&
	       !is_mere_witness(pbox, slot);
}

static int read_all(struct unc_pmon_box *pbox, struct block *block, struct reading *readings)
{
	uint32_t first = pbox->first, len = block->look ? pbox->look_len : pbox->len;
	struct unc_stop when;
	uint64_t read_ns;
	int rc;

	if (len > sizeof(block->bytes))
		return unc_fail(pbox->box->machine->ctx, UNC_ENOSUP, "%s: counters are too far apart", pbox->box->name);
	when.before_ns = raw_now(pbox);
	rc = unc_read_block(pbox->box->space, first, block->bytes, len);
	when.after_ns = raw_now(pbox);
	read_ns = when.after_ns - when.before_ns;
	if (block->stop)
		when = *block->stop;
	block->took_ns = when.after_ns - when.before_ns;
	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		struct reading *reading = &readings[i];

		if (!slot->tally)
			continue;
		reading->value = unc_le64(block->bytes + (counter_off(slot) - first));
		reading->before_ns = when.before_ns;
		reading->after_ns = when.after_ns;
		if (too_wide(pbox, reading->value))
			rc = no_number(pbox, slot);
		else if (may_be_torn(pbox, slot, reading, read_ns))
			rc = read_halves(pbox, slot, reading);
		if (block->stop) { /* whenever it was read, it stood still */
			reading->before_ns = when.before_ns;
			reading->after_ns = when.after_ns;
		}
	}
	return rc;
}

/*
 * Whether a read took so long that its time says little.  What is usual follows what is seen: slowly, but faster where
 * every read is late, since then that is the usual now.
 */
static bool is_late(const struct unc_pmon_box *pbox, uint64_t took_ns)
{
	return pbox->usual_ns && took_ns > LATE_FACTOR * pbox->usual_ns;
}

static void learn_usual(struct unc_pmon_box *pbox, uint64_t took_ns)
{
	if (pbox->fastest_ns == 0 || took_ns < pbox->fastest_ns)
		pbox->fastest_ns = took_ns;
	if (is_late(pbox, took_ns))
		pbox->usual_ns += pbox->usual_ns / 4 + 1;
	else if (pbox->usual_ns == 0 || took_ns < pbox->usual_ns / 2)
		pbox->usual_ns = took_ns;
	else
		pbox->usual_ns += (uint64_t)(((int64_t)took_ns - (int64_t)pbox->usual_ns) / 8);
}

/*
 * An interrupt between two looks at the clock would blur the interval: such a read is done again.  Where the box was stopped
 * before, reading again would tell no better when.
 */
static int read_in_time(struct unc_pmon_box *pbox, struct block *block, struct reading *readings, bool *ret_late)
{
	unsigned tries = block->stop ? 1 : LATE_TRIES;
	int rc = UNC_OK;

	for (unsigned try = 0; try < tries && (try == 0 || is_late(pbox, block->took_ns)) && rc == 0; try++)
		rc = read_all(pbox, block, readings);
	if (rc < 0)
		return rc;
	*ret_late = false;
	if (block->stop && !pbox->freezes)
		return UNC_OK; /* that write is no measure for reads */
	*ret_late = is_late(pbox, block->took_ns);
	learn_usual(pbox, block->took_ns);
	return UNC_OK;
}

/* Is what this slot gained more than it can have counted? */
static bool implausible(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading)
{
	const struct unc_unit *unit = pbox->box->unit;

	return slot->has_baseline &&
	       unc_delta(slot->raw, reading->value, unit->counter_bits) >
		       unc_most(slot->tally->event->max_inc, unit->max_clock_hz, reading->after_ns - slot->earliest_ns);
}

/* Half of either clock bracket is how uncertain an interval is. */
static uint64_t doubt_ns(const struct unc_slot *slot, const struct reading *reading)
{
	return slot->raw_ns - slot->earliest_ns + (reading->after_ns - reading->before_ns) / 2;
}

/*
 * Is it by more than 0.2 %, where it mostly is not: since it is short, after a read that came late, or a bracket is long?
 * (Where even the fastest read is so long, everybody knows.)
 */
static bool is_doubtful(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading)
{
	uint64_t span_ns = reading->after_ns - slot->earliest_ns;

	return doubt_ns(slot, reading) > span_ns / DOUBT_PART && pbox->fastest_ns <= slot->span_ns / DOUBT_PART;
}

bool unc_pmon_is_doubtful(const struct unc_pmon_box *pbox, const struct unc_tally *tally)
{
	return tally->doubt_ns > tally->running_ns / DOUBT_PART &&
	       pbox->fastest_ns <= (pbox->end_ns - pbox->begin_ns) / DOUBT_PART / pbox->n_turns;
}

static void learn_span(struct unc_slot *slot, const struct reading *reading)
{
	uint64_t span_ns = reading->after_ns - slot->earliest_ns;

	slot->span_ns = slot->span_ns ? slot->span_ns / 8 * 7 + span_ns / 8 : span_ns;
}

static void add(struct unc_pmon_box *pbox, struct unc_slot *slot, const struct reading *reading)
{
	struct unc_tally *tally = slot->tally;
	uint64_t raw_ns = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;

	tally->delta += unc_delta(slot->raw, reading->value, pbox->box->unit->counter_bits);
	tally->running_ns += raw_ns > slot->from_ns ? raw_ns - slot->from_ns : 0;
	if (pbox->n_turns > 1)
		tally->doubt_ns += doubt_ns(slot, reading);
	else
		tally->flags |= reading->late || slot->late || is_doubtful(pbox, slot, reading) ? UNC_COUNT_LATE : 0;
	learn_span(slot, reading);
}

static void account(struct unc_pmon_box *pbox, struct unc_slot *slot, const struct reading *reading)
{
	struct unc_tally *tally = slot->tally;

	if (!slot->has_baseline && slot->lost == UNC_COUNT_GAP)
		tally->flags |= UNC_COUNT_GAP; /* suspended: whatever became of the control since */
	else if (slot->stolen)
		tally->flags |= UNC_COUNT_STOLEN;
	else if (slot->control != tally->control)
		tally->flags |= UNC_COUNT_MISSING; /* a write that was lost: it counts something else */
	else if (!slot->has_baseline)
		tally->flags |= slot->lost;
	else if (pbox->stood_still)
		tally->flags |= UNC_COUNT_STOPPED;
	else if (reading->implausible)
		tally->flags |= UNC_COUNT_RESET;
	else if (reading->after_ns - slot->earliest_ns > tally->wrap_ns / 2)
		tally->flags |= UNC_COUNT_GAP;
	else
		add(pbox, slot, reading);
	slot->late = reading->late;
	slot->has_baseline = !slot->stolen;
	slot->lost = UNC_COUNT_STOLEN;
	slot->raw = reading->value;
	slot->earliest_ns = reading->before_ns;
	slot->raw_ns = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;
	slot->from_ns = slot->raw_ns;
}

int unc_pmon_missing(struct unc_pmon_box *pbox, int rc)
{
	pbox->end_ns = raw_now(pbox);
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->has_baseline = false;
		slot->lost = UNC_COUNT_MISSING;
		slot->raw_ns = pbox->end_ns;
		if (slot->tally)
			slot->tally->flags |= UNC_COUNT_MISSING;
	}
	return rc;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Has the clock that should run all the time not moved since the box was released, long enough ago? */
static bool stood_still(const struct unc_pmon_box *pbox, const struct unc_stop *stop, const struct reading *readings)
{
	const struct unc_slot *witness = pbox->witness;
	uint64_t since_ns;

	if (!stop || !witness || !witness->has_baseline || witness->stolen)
		return false;
	since_ns = later(witness->raw_ns, pbox->released_ns);
	return readings[witness - pbox->slots].value == witness->raw && stop->before_ns > since_ns + TICKS_NS;
}

/* Are our controls still ours?  They are in the block, unless something in it is odd: then they are read by themselves. */
static int look(struct unc_pmon_box *pbox, const struct block *block, uint64_t now_ns)
{
	int rc = UNC_OK;

	if (!block || !block->look || !unc_pmon1_all_ours(pbox, block->bytes, pbox->first))
		rc = unc_pmon1_check(pbox);
	if (rc == 0)
		pbox->checked_ns = now_ns;
	return rc;
}

/* Whatever asks for a look at the controls. */
static int judge(struct unc_pmon_box *pbox, const struct block *block, enum unc_how how, struct reading *readings)
{
	bool suspicious = how == UNC_READ_AND_LOOK;
	uint64_t now_ns = 0;
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		if (!pbox->slots[i].tally || is_mere_witness(pbox, &pbox->slots[i]))
			continue;
		readings[i].implausible = implausible(pbox, &pbox->slots[i], &readings[i]);
		suspicious |= readings[i].implausible;
		now_ns = readings[i].after_ns;
	}
	pbox->end_ns = now_ns;
	pbox->stood_still = stood_still(pbox, block->stop, readings);
	/* After the counters: then what was just read was counted under the control that is seen now. */
	if (suspicious || pbox->stood_still || now_ns - pbox->checked_ns >= CHECK_NS)
		rc = look(pbox, block, now_ns);
	pbox->stood_still = pbox->stood_still && !pbox->witness->stolen;
	return rc;
}

int unc_pmon_read(struct unc_pmon_box *pbox, const struct unc_stop *stop, enum unc_how how)
{
	struct reading readings[UNC_PMON_SLOTS] = {{0}};
	struct block block;
	bool late = false;
	int rc;

	block.stop = stop;
	block.look = stop && pbox->look_len && how != UNC_READ_BASELINE &&
		     (how == UNC_READ_AND_LOOK || stop->after_ns - pbox->checked_ns >= CHECK_NS);
	rc = read_in_time(pbox, &block, readings, &late);
	if (rc < 0)
		return unc_pmon_missing(pbox, unc_wrap(pbox->box->machine->ctx, rc, "%s", pbox->box->name));
	if (how != UNC_READ_BASELINE)
		rc = judge(pbox, &block, how, readings);
	if (rc < 0)
		return unc_pmon_missing(pbox, rc);
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		readings[i].late = late;
		if (slot->tally && !(how == UNC_READ_BASELINE && slot->has_baseline))
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
	bool late = pbox->freezes && is_late(pbox, (after_ns - before_ns) / writes);

	/* In the middle of the first of the writes that release it. */
	pbox->released_ns = before_ns + (after_ns - before_ns) / (2 * writes);
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		pbox->slots[i].from_ns = pbox->released_ns;
		pbox->slots[i].late |= late;
	}
}

void unc_pmon_next_interval(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_tallies; i++) {
		struct unc_tally *tally = &pbox->tallies[i];

		tally->total += tally->flags & UNC_COUNT_NO_NUMBER ? 0 : tally->delta;
		tally->delta = 0;
		tally->running_ns = 0;
		tally->doubt_ns = 0;
		tally->flags = 0;
	}
	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].start_ns = later(pbox->slots[i].raw_ns, pbox->released_ns);
	pbox->begin_ns = later(pbox->end_ns, pbox->released_ns);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading counters that run.  A 48-bit counter is two dwords, read low then high by one block read; what that can get wrong
 * is described in CONTRIBUTING.md under "Reading a 48-bit counter".
 */
#include "base/err.h"
#include "pmon/counter.h"
#include "pmon/pmon.h"

enum { MAX_BLOCK = 128, AGREE_TRIES = 8, CHECK_NS = 100000000, LATE_TRIES = 3, LATE_FACTOR = 4, DOUBT_PART = 500 };

struct reading { /* of one slot */
	uint64_t value;
	uint64_t before_ns, after_ns; /* raw time around the read of its low half */
	bool implausible;             /* more than the hardware can count */
	bool late;
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

/* Offsets of all our counters, as one block. */
static uint32_t block_of(const struct unc_pmon_box *pbox, uint32_t *ret_first)
{
	uint32_t first = UINT32_MAX, end = 0;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		uint32_t off = counter_off(&pbox->slots[i]);

		if (!pbox->slots[i].event)
			continue;
		first = off < first ? off : first;
		end = off + 8 > end ? off + 8 : end;
	}
	*ret_first = first;
	return end - first;
}

/*
 * A value that is exactly the last one is no torn pair, unless the counter could have come round to the same low half
 * since: it stands still.
 */
static bool stands_still(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading)
{
	return slot->has_baseline && reading->value == slot->raw &&
	       unc_most(slot->event->max_inc, pbox->box->unit->max_clock_hz, reading->after_ns - slot->earliest_ns) <
		       UINT32_MAX;
}

/* ret_took_ns: the clock bracket around the block. */
static int read_all(struct unc_pmon_box *pbox, struct reading *readings, uint64_t *ret_took_ns)
{
	const struct unc_unit *unit = pbox->box->unit;
	unsigned char bytes[MAX_BLOCK];
	uint64_t before_ns, after_ns;
	uint32_t first, len = block_of(pbox, &first);
	int rc;

	if (len > sizeof(bytes))
		return unc_fail(pbox->box->machine->ctx, UNC_ENOSUP, "%s: counters are too far apart", pbox->box->name);
	before_ns = raw_now(pbox);
	rc = unc_read_block(pbox->box->space, first, bytes, len);
	after_ns = raw_now(pbox);
	*ret_took_ns = after_ns - before_ns;
	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		uint64_t reach;

		if (!slot->event)
			continue;
		reach = unc_reach(slot->event->max_inc, unit->max_clock_hz, after_ns - before_ns);
		readings[i].value = unc_le64(bytes + (counter_off(slot) - first));
		readings[i].before_ns = before_ns;
		readings[i].after_ns = after_ns;
		if (too_wide(pbox, readings[i].value))
			rc = no_number(pbox, slot);
		else if (unc_may_be_torn((uint32_t)readings[i].value, reach) && !stands_still(pbox, slot, &readings[i]))
			rc = read_halves(pbox, slot, &readings[i]);
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

/* An interrupt between two looks at the clock would blur the interval: such a read is done again. */
static int read_in_time(struct unc_pmon_box *pbox, struct reading *readings, bool *ret_late)
{
	uint64_t took_ns = 0;
	int rc = UNC_OK;

	for (unsigned try = 0; try < LATE_TRIES && (try == 0 || is_late(pbox, took_ns)) && rc == 0; try++)
		rc = read_all(pbox, readings, &took_ns);
	if (rc < 0)
		return rc;
	*ret_late = is_late(pbox, took_ns);
	learn_usual(pbox, took_ns);
	return UNC_OK;
}

/* Is what this slot gained more than it can have counted? */
static bool implausible(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading)
{
	const struct unc_unit *unit = pbox->box->unit;

	return slot->has_baseline &&
	       unc_delta(slot->raw, reading->value, unit->counter_bits) >
		       unc_most(slot->event->max_inc, unit->max_clock_hz, reading->after_ns - slot->earliest_ns);
}

/*
 * Half of either clock bracket is how uncertain an interval is.  Is it by more than 0.2 %, where it mostly is not: since it is
 * short, after a read that came late, or a bracket is long?  (Where even the fastest read is so long, everybody knows.)
 */
static bool is_doubtful(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct reading *reading)
{
	uint64_t span_ns = reading->after_ns - slot->earliest_ns;
	uint64_t doubt_ns = slot->raw_ns - slot->earliest_ns + (reading->after_ns - reading->before_ns) / 2;

	return doubt_ns > span_ns / DOUBT_PART && pbox->fastest_ns <= slot->span_ns / DOUBT_PART;
}

static void learn_span(struct unc_slot *slot, const struct reading *reading)
{
	uint64_t span_ns = reading->after_ns - slot->earliest_ns;

	slot->span_ns = slot->span_ns ? slot->span_ns / 8 * 7 + span_ns / 8 : span_ns;
}

static void account(struct unc_pmon_box *pbox, struct unc_slot *slot, const struct reading *reading)
{
	uint64_t gained = unc_delta(slot->raw, reading->value, pbox->box->unit->counter_bits);

	if (!slot->has_baseline && slot->lost == UNC_COUNT_GAP) {
		slot->flags |= UNC_COUNT_GAP; /* suspended: whatever became of the control since */
	} else if (slot->stolen) {
		slot->flags |= UNC_COUNT_STOLEN;
	} else if (!slot->has_baseline) {
		slot->flags |= slot->lost;
	} else if (reading->implausible) {
		slot->flags |= UNC_COUNT_RESET;
	} else if (reading->after_ns - slot->earliest_ns > slot->wrap_ns / 2) {
		slot->flags |= UNC_COUNT_GAP;
	} else {
		slot->delta += gained;
		slot->flags |= reading->late || slot->late || is_doubtful(pbox, slot, reading) ? UNC_COUNT_LATE : 0;
		learn_span(slot, reading);
	}
	slot->late = reading->late;
	slot->has_baseline = !slot->stolen;
	slot->lost = UNC_COUNT_STOLEN;
	slot->raw = reading->value;
	slot->earliest_ns = reading->before_ns;
	slot->raw_ns = reading->before_ns + (reading->after_ns - reading->before_ns) / 2;
}

int unc_pmon_missing(struct unc_pmon_box *pbox, int rc)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->has_baseline = false;
		slot->lost = UNC_COUNT_MISSING;
		slot->flags |= UNC_COUNT_MISSING;
		slot->raw_ns = raw_now(pbox);
	}
	return rc;
}

int unc_pmon_read(struct unc_pmon_box *pbox)
{
	struct reading readings[UNC_PMON_SLOTS] = {{0}};
	bool suspicious = false, late = false;
	uint64_t now_ns = 0;
	int rc;

	rc = read_in_time(pbox, readings, &late);
	if (rc < 0)
		return unc_pmon_missing(pbox, unc_wrap(pbox->box->machine->ctx, rc, "%s", pbox->box->name));
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		if (!pbox->slots[i].event)
			continue;
		readings[i].implausible = implausible(pbox, &pbox->slots[i], &readings[i]);
		suspicious |= readings[i].implausible;
		readings[i].late = late;
		now_ns = readings[i].after_ns;
	}
	/* After the counters: then what was just read was counted under the control that is seen now. */
	if (suspicious || now_ns - pbox->checked_ns >= CHECK_NS) {
		rc = unc_pmon1_check(pbox);
		if (rc < 0)
			return unc_pmon_missing(pbox, rc);
		pbox->checked_ns = now_ns;
	}
	for (unsigned i = 0; i < pbox->n_slots; i++)
		if (pbox->slots[i].event)
			account(pbox, &pbox->slots[i], &readings[i]);
	return UNC_OK;
}

void unc_pmon_suspended(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->has_baseline = false;
		slot->lost = UNC_COUNT_GAP;
		slot->flags |= UNC_COUNT_GAP;
	}
	pbox->checked_ns = 0;
	pbox->resumed = true;
}

void unc_pmon_stopped(struct unc_pmon_box *pbox, uint64_t stopped_ns)
{
	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].raw_ns = pbox->slots[i].earliest_ns = stopped_ns;
}

void unc_pmon_next_interval(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->total += slot->flags & UNC_COUNT_NO_NUMBER ? 0 : slot->delta;
		slot->delta = 0;
		slot->flags = 0;
		slot->start_ns = slot->raw_ns > pbox->released_ns ? slot->raw_ns : pbox->released_ns;
	}
}

uint64_t unc_pmon_wrap_ns(const struct unc_pmon_box *pbox)
{
	uint64_t shortest = UINT64_MAX;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		if (pbox->slots[i].event && pbox->slots[i].wrap_ns < shortest)
			shortest = pbox->slots[i].wrap_ns;
	}
	return shortest;
}

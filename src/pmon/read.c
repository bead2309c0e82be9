// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/err.h"
#include "machine/uncertain.h"
#include "pmon/counter.h"
#include "pmon/reading.h"

enum { UNKNOWN_INC = 255 }; /* 8 bits go into a counter per clock (Intel 329468-002, p.83) */
#define NS_PER_S 1000000000u

uint64_t unc_delta(uint64_t before, uint64_t after, unsigned bits)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	return (after - before) & mask;
}

static unsigned in_one_clock(const struct unc_event *event)
{
	return event && event->max_inc ? event->max_inc : UNKNOWN_INC;
}

/* The value is mostly below 2^64, where dividing is cheap: this is done several times in every sample. */
static unsigned __int128 divide(unsigned __int128 n, uint64_t by)
{
	return n >> 64 ? n / by : (uint64_t)n / by;
}

static uint64_t saturated(unsigned __int128 n)
{
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

uint64_t unc_most(const struct unc_event *event, uint64_t clock_hz, uint64_t interval_ns)
{
	unsigned inc = in_one_clock(event);
	unsigned __int128 clocks = divide((unsigned __int128)clock_hz * interval_ns, NS_PER_S);

	if (clock_hz == 0)
		return UINT64_MAX;
	if (event && event->one_per)
		return saturated(divide(clocks, event->one_per) + inc);
	return saturated((clocks + 1) * inc);
}

uint64_t unc_reach(const struct unc_event *event, uint64_t clock_hz, uint64_t read_ns)
{
	struct unc_event burst = {.max_inc = in_one_clock(event)};
	uint64_t most = unc_most(&burst, clock_hz, read_ns);

	return most > UINT64_MAX / 2 ? UINT64_MAX : 2 * most;
}

bool unc_may_be_torn(uint32_t low, uint64_t reach)
{
	/* From this reach on, every low half is close enough to a carry on one side or the other. */
	if (reach >= UINT64_C(1) << 31)
		return true;
	return low < reach || low >= (UINT64_C(1) << 32) - reach;
}

uint64_t unc_wrap_ns(const struct unc_event *event, uint64_t clock_hz, unsigned bits)
{
	unsigned __int128 clocks_ns = ((unsigned __int128)1 << (bits < 64 ? bits : 64)) * NS_PER_S;

	if (clock_hz == 0)
		return UINT64_MAX;
	if (event && event->one_per)
		return saturated(clocks_ns * event->one_per / clock_hz);
	return saturated(clocks_ns / clock_hz / in_one_clock(event));
}

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
	uint32_t ids;
	int rc = unc_read32(space, 0, &ids);

	if (rc < 0)
		return rc;
	if (ids == UINT32_MAX)
		return unc_gate_gone(pbox->box);
	return unc_fail(ctx, UNC_EIO, "%s %s: %s[%u] at 0x%x reads more than %u bits", space->bus->ops->name,
			pbox->box->pci, slot->ctr->name, slot->index, counter_off(slot), pbox->box->unit->counter_bits);
}

static bool too_wide(const struct unc_pmon_box *pbox, uint64_t value)
{
	unsigned bits = pbox->box->unit->counter_bits;

	return bits < 64 && value >> bits;
}

int unc_pmon_read_whole(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct unc_reading *reading)
{
	struct unc_space *space = pbox->box->space;
	uint32_t off = counter_off(slot), high, low = 0, again = 0;
	int rc;

	if (pbox->in_memory) {
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

void unc_pmon_aim(struct unc_pmon_box *pbox)
{
	uint32_t first = UINT32_MAX, end = 0, ctl_first = UINT32_MAX, ctl_end = 0;

	pbox->n_running = 0;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		uint32_t off = counter_off(slot), ctl = unc_reg_off(slot->ctl, slot->index);

		ctl_first = ctl < ctl_first ? ctl : ctl_first;
		ctl_end = ctl + 4 > ctl_end ? ctl + 4 : ctl_end;
		/* The clock is in the block if the box is stopped for each sample; else only looks read it. */
		if (!slot->accumulator || (unc_pmon_is_mere_clock(pbox, slot) && !pbox->freezes))
			continue;
		pbox->running[pbox->n_running++] = (unsigned char)i;
		first = off < first ? off : first;
		end = off + 8 > end ? off + 8 : end;
	}
	pbox->first = first;
	pbox->len = end - first;
	/* The controls come after the counters: so what was just read was counted under the control that is seen. */
	pbox->look_len = !pbox->in_memory && ctl_first >= end && ctl_end - first <= UNC_BLOCK_MAX ? ctl_end - first : 0;
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
			reading->after_ns - slot->earliest_ns) < UINT32_MAX;
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

bool unc_pmon_is_mere_clock(const struct unc_pmon_box *pbox, const struct unc_slot *slot)
{
	return slot->accumulator == &pbox->clock_accumulator;
}

static bool may_be_torn(const struct unc_pmon_box *pbox, const struct unc_slot *slot, const struct unc_reading *reading,
			uint64_t read_ns)
{
	const uint64_t hz = pbox->box->unit->max_clock_hz;

	return !pbox->in_memory &&
	       unc_may_be_torn((uint32_t)reading->value, unc_reach(slot->accumulator->event, hz, read_ns)) &&
	       !stands_still(pbox, slot, reading) && !follows_rest(pbox, slot, reading);
}

static int read_block(struct unc_pmon_box *pbox, unsigned char *bytes, uint32_t len)
{
	struct unc_space *space = pbox->box->space;
	int rc = UNC_OK;

	if (!pbox->in_memory)
		return unc_read_block(space, pbox->first, bytes, len);
	for (unsigned i = 0; i < pbox->n_running && rc == 0; i++) {
		uint32_t off = counter_off(&pbox->slots[pbox->running[i]]);

		rc = unc_read_block(space, off, bytes + (off - pbox->first), 8);
	}
	return rc;
}

static int read_all(struct unc_pmon_box *pbox, struct unc_block *block, struct unc_reading *readings)
{
	uint32_t first = pbox->first, len = block->look ? pbox->look_len : pbox->len;
	struct unc_stop when;
	uint64_t read_ns;
	int rc;

	if (len > sizeof(block->bytes))
		return unc_fail(pbox->box->machine->ctx, UNC_ENOSUP, "%s: counters are too far apart", pbox->box->name);
	when.before_ns = raw_now(pbox);
	rc = read_block(pbox, block->bytes, len);
	when.after_ns = raw_now(pbox);
	read_ns = when.after_ns - when.before_ns;
	if (block->stop)
		when = *block->stop;
	block->took_ns = when.after_ns - when.before_ns;
	for (unsigned i = 0; i < pbox->n_running && rc == 0; i++) {
		const struct unc_slot *slot = &pbox->slots[pbox->running[i]];
		struct unc_reading *reading = &readings[i];

		*reading = (struct unc_reading){
			.value = unc_le64(block->bytes + (counter_off(slot) - first)),
			.before_ns = when.before_ns,
			.after_ns = when.after_ns,
		};
		if (too_wide(pbox, reading->value))
			rc = no_number(pbox, slot);
		else if (may_be_torn(pbox, slot, reading, read_ns))
			rc = unc_pmon_read_halves(pbox, slot, reading);
		if (block->stop) { /* the box stood still during the whole read */
			reading->before_ns = when.before_ns;
			reading->after_ns = when.after_ns;
		}
	}
	return rc;
}

/*
 * An interrupt between the two clock reads would blur the interval, so such a read is repeated.  If the box was stopped before,
 * another read would not make the time more precise.
 */
int unc_pmon_fetch(struct unc_pmon_box *pbox, struct unc_block *block, struct unc_reading *readings)
{
	const struct unc_slot *first = &pbox->slots[pbox->running[0]];
	uint64_t known_ns = pbox->quickest_ns, interval_ns;
	int rc = UNC_OK;

	for (unsigned try = 0; try < TRIES; try++) {
		rc = read_all(pbox, block, readings);
		if (rc < 0 || block->stop)
			break;
		if (pbox->quickest_ns == 0 || block->took_ns < pbox->quickest_ns)
			pbox->quickest_ns = block->took_ns;
		/* The time since the last read, or the requested interval if there was none. */
		interval_ns = first->has_baseline ? readings[0].after_ns - first->earliest_ns : pbox->interval_ns;
		if (!unc_read_again(block->took_ns, known_ns, interval_ns))
			break;
	}
	return rc;
}

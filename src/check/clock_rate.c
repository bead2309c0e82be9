// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measures the clock of a channel, counted by its fixed counter (and by an event, where the part has one), against the machine's
 * raw time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "check/clock.h"

double unc_clock_middle(struct unc_clock_rate rate)
{
	return (rate.low_hz + rate.high_hz) / 2;
}

double unc_clock_doubt(struct unc_clock_rate rate)
{
	return (rate.high_hz - rate.low_hz) / 2;
}

bool unc_clock_may_agree(struct unc_clock_rate a, struct unc_clock_rate b)
{
	return a.low_hz <= b.high_hz && b.low_hz <= a.high_hz;
}

const char *unc_clock_slot_name(const struct unc_check_box *b, unsigned slot, char *buf)
{
	return unc_gate_reg_text(b->pbox.slots[slot].ctr, b->pbox.slots[slot].index, buf);
}

/* Returns the first general counter that can count the clock. */
static unsigned event_slot(const struct unc_check_box *b)
{
	const char *name = unc_drive_clock_event(b);
	const struct unc_event *event = name ? unc_unit_event(b->box->unit, name) : NULL;

	for (unsigned i = 0; event && i < b->pbox.n_slots; i++)
		if (unc_slot_can_count(&b->pbox.slots[i], event))
			return i;
	return UNC_CLOCK_NONE;
}

unsigned unc_clock_slot(const struct unc_check_box *b)
{
	unsigned slot = unc_drive_fixed(b);

	return slot == UNC_CLOCK_NONE ? event_slot(b) : slot;
}

int unc_clock_start(struct unc_check_box *b, unsigned slot)
{
	uint64_t control = 0;
	int rc = b->pbox.slots[slot].fixed ? UNC_OK : unc_drive_event(b, unc_drive_clock_event(b), &control);

	return rc == 0 ? unc_drive_set(b, slot, control, true) : rc;
}

static bool fits(const struct unc_check_box *b, const struct unc_drive_reading *reading)
{
	return unc_drive_gained(b, 0, reading->value) == reading->value;
}

int unc_clock_rate(const struct unc_check_box *b, const struct unc_drive_reading *first,
		   const struct unc_drive_reading *last, uint64_t *ret_ticks, struct unc_clock_rate *ret_rate)
{
	uint64_t longest_ns = last->after_ns - first->before_ns, shortest_ns = last->before_ns - first->after_ns;
	uint64_t ticks;

	if (!fits(b, first) || !fits(b, last))
		return unc_fail(b->box->machine->ctx, UNC_EIO, "%s: its counter read 0x%016" PRIx64 ", and has %u bits",
				b->box->name, fits(b, first) ? last->value : first->value, b->box->unit->counter_bits);
	ticks = unc_drive_gained(b, first->value, last->value);
	*ret_ticks = ticks;
	ret_rate->low_hz = longest_ns && ticks ? (double)(ticks - 1) * 1e9 / (double)longest_ns : 0;
	ret_rate->high_hz = (double)(ticks + 1) * 1e9 / (double)(shortest_ns ? shortest_ns : 1);
	return UNC_OK;
}

/* Another process may have had the CPU in the middle of a read: the read that took least time is the most exact. */
static int read_closely(struct unc_check_box *b, unsigned slot, struct unc_drive_reading *ret_reading)
{
	enum { TIMES = 3 };
	int rc = unc_drive_count(b, slot, ret_reading);

	for (unsigned i = 1; i < TIMES && rc == 0; i++) {
		struct unc_drive_reading again;

		rc = unc_drive_count(b, slot, &again);
		if (rc == 0 && again.after_ns - again.before_ns < ret_reading->after_ns - ret_reading->before_ns)
			*ret_reading = again;
	}
	return rc;
}

/* ---- all channels in one wait ---- */

struct measured { /* in addition to what is kept */
	struct unc_drive_reading first, last;
};

static int keep_why(struct unc_check *c, struct unc_clock_seen *seen, int rc)
{
	if (rc == UNC_ENOMEM)
		return rc;
	memcpy(seen->why, c->m->ctx->msg, sizeof(seen->why));
	return UNC_OK;
}

static int start(struct unc_check_box *b, struct unc_clock_seen *seen, struct measured *event)
{
	int rc = unc_clock_start(b, seen->slot);

	if (rc == 0 && seen->event_slot != UNC_CLOCK_NONE)
		rc = unc_clock_start(b, seen->event_slot);
	if (rc == 0)
		rc = read_closely(b, seen->slot, &seen->first);
	if (rc == 0 && seen->event_slot != UNC_CLOCK_NONE)
		rc = read_closely(b, seen->event_slot, &event->first);
	return rc;
}

static int start_all(struct unc_check *c, struct unc_check_clocks *clocks, struct measured *events)
{
	for (size_t i = 0; i < clocks->n; i++) {
		struct unc_check_box *b = &c->boxes[i];
		struct unc_clock_seen *seen = &clocks->seen[i];
		int rc;

		if (!b->usable)
			continue;
		seen->slot = unc_clock_slot(b);
		seen->event_slot = event_slot(b) == seen->slot ? UNC_CLOCK_NONE : event_slot(b);
		if (seen->slot == UNC_CLOCK_NONE) {
			snprintf(seen->why, sizeof(seen->why), "the map of %s knows nothing that counts its clock",
				 b->box->unit->title);
			continue;
		}
		rc = start(b, seen, &events[i]);
		seen->measured = rc == 0;
		if (rc < 0 && keep_why(c, seen, rc) < 0)
			return rc;
	}
	return UNC_OK;
}

static int end(struct unc_check_box *b, struct unc_clock_seen *seen, struct measured *event)
{
	int rc = read_closely(b, seen->slot, &seen->last);

	if (rc == 0 && seen->event_slot != UNC_CLOCK_NONE)
		rc = read_closely(b, seen->event_slot, &event->last);
	if (rc == 0)
		rc = unc_clock_rate(b, &seen->first, &seen->last, &seen->ticks, &seen->rate);
	if (rc == 0 && seen->event_slot != UNC_CLOCK_NONE)
		rc = unc_clock_rate(b, &event->first, &event->last, &seen->event_ticks, &seen->event_rate);
	return rc;
}

static int end_all(struct unc_check *c, struct unc_check_clocks *clocks, struct measured *events)
{
	for (size_t i = 0; i < clocks->n; i++) {
		struct unc_clock_seen *seen = &clocks->seen[i];
		int rc = seen->measured ? end(&c->boxes[i], seen, &events[i]) : UNC_OK;

		if (rc == 0)
			continue;
		seen->measured = false;
		if (keep_why(c, seen, rc) < 0)
			return rc;
	}
	return UNC_OK;
}

int unc_clocks_measure(struct unc_check *c)
{
	struct unc_check_clocks *clocks;
	struct measured *events;
	int rc;

	if (c->clocks)
		return UNC_OK;
	rc = unc_drive_take(c);
	if (rc < 0)
		return rc;
	clocks = calloc(1, sizeof(*clocks) + c->n_boxes * sizeof(clocks->seen[0]));
	events = calloc(c->n_boxes + 1, sizeof(*events));
	if (!clocks || !events) {
		free(clocks);
		free(events);
		return unc_fail(c->m->ctx, UNC_ENOMEM, "out of memory");
	}
	clocks->n = c->n_boxes;
	rc = start_all(c, clocks, events);
	if (rc == 0)
		rc = unc_check_wait(c, unc_check_ms(c, 20, 200, 500));
	if (rc == 0)
		rc = end_all(c, clocks, events);
	free(events);
	if (rc == 0)
		c->clocks = clocks;
	else
		free(clocks);
	return rc;
}

void unc_check_clocks_free(struct unc_check_clocks *clocks)
{
	free(clocks);
}

const struct unc_clock_seen *unc_clock_begin(struct unc_check *c, size_t i)
{
	const struct unc_clock_seen *seen = &c->clocks->seen[i];

	if (!unc_check_begin_box(c, &c->boxes[i], false))
		return NULL;
	if (!seen->measured)
		unc_check_fail(c, "%s", seen->why);
	else if (!seen->ticks)
		unc_check_skip(c, "its clock does not tick; clock.rate tells of it");
	return seen->measured && seen->ticks ? seen : NULL;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Drives a channel register by register, and puts its registers back after a check. */
#include "check/drive.h"

#include "pmon/counter.h"

/* ==== what other programs use, and putting back ==== */

/*
 * After a check all registers of a channel are put back, except those that another program has begun to use meanwhile: perf does
 * not use our locks.  A counter belongs to another program if its control is enabled, was not enabled when it was found, and
 * neither of our last two writes enabled it (the last write may not have arrived); or if we enabled it, and the control has changed
 * since.
 */

/* What the controls hold, and which of them another program uses. */
struct controls {
	bool known; /* the controls could be read */
	uint64_t held[UNC_PMON_SLOTS];
	bool other[UNC_PMON_SLOTS];
	bool any_other;
};

static bool holds(const struct unc_slot *slot, uint64_t now, uint64_t value)
{
	return ((now ^ value) & unc_reg_mask(slot->ctl, UNC_RW)) == 0;
}

/* Is it what one of our last two writes wrote to control i of that channel, in the bits of this slot? */
static bool was_written(const struct unc_check_box *b, unsigned i, const struct unc_slot *slot, uint64_t now)
{
	uint64_t last[2];

	unc_gate_wrote(b->box, b->pbox.slots[i].ctl, b->pbox.slots[i].index, last);
	return holds(slot, now, last[0]) || holds(slot, now, last[1]);
}

/*
 * In the end: one of our last two writes enabled it, and it reads neither as it did after that nor as any control of the channel was
 * written; on broken silicon a control may show what was written to another one.
 */
static bool is_foreign(const struct unc_check_box *b, unsigned i, uint64_t now)
{
	const struct unc_check_enabled *enabled = &b->enabled[i];
	const struct unc_slot *slot = &b->pbox.slots[i];
	bool written = false;
	uint64_t last[2];

	if (now == unc_reg_all(slot->ctl) || !unc_slot_counts(slot, now) || unc_slot_counts(slot, slot->found))
		return false;
	unc_gate_wrote(b->box, slot->ctl, slot->index, last);
	if (!unc_slot_counts(slot, last[0]) && !unc_slot_counts(slot, last[1]))
		return true;
	for (unsigned k = 0; k < b->pbox.n_slots; k++)
		written |= was_written(b, k, slot, now);
	return enabled->known && (enabled->wrote == last[0] || enabled->wrote == last[1]) && now != enabled->read &&
	       !written;
}

static struct controls read_controls(const struct unc_check_box *b)
{
	struct unc_pmon_box now = b->pbox;
	struct controls controls = {.known = unc_pmon1_inspect(&now) == 0};

	for (unsigned i = 0; controls.known && i < now.n_slots; i++) {
		controls.held[i] = now.slots[i].found;
		controls.other[i] = is_foreign(b, i, now.slots[i].found);
		controls.any_other |= controls.other[i];
	}
	return controls;
}

/* Looks twice, since reads may go wrong. */
static bool confirm_others(const struct unc_check_box *b, struct controls *controls)
{
	struct controls again = read_controls(b);

	controls->any_other = false;
	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		controls->other[i] &= again.known && again.other[i];
		controls->any_other |= controls->other[i];
	}
	return controls->any_other;
}

static int lose_channel(struct unc_check_box *b, unsigned i, uint64_t now)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	const struct unc_check *c = b->owner;
	const struct unc_check_box *other = NULL; /* to whose control of that number the value was written */
	char name[UNC_GATE_TEXT];
	uint64_t last[2];
	int rc;

	for (size_t k = 0; c && k < c->n_boxes && !other; k++)
		if (&c->boxes[k] != b && c->boxes[k].taken && i < c->boxes[k].pbox.n_slots &&
		    was_written(&c->boxes[k], i, slot, now))
			other = &c->boxes[k];
	unc_gate_wrote(b->box, slot->ctl, slot->index, last);
	b->busy = true;
	b->usable = false;
	b->lost.is = true;
	b->lost.seen =
		unc_seen_wrote(unc_seen(b->box, slot->ctl, slot->index, "not what was written there", now), last[0]);
	b->lost.seen.has_expected = true;
	b->lost.seen.expected = last[0];
	rc = unc_fail(b->box->machine->ctx, UNC_EBUSY,
		      "%s: %s: it is enabled with 0x%08" PRIx64
		      ", which was not written there%s%s: %s; the channel is left alone from now on",
		      b->box->name, unc_gate_reg_text(slot->ctl, slot->index, name), now, other ? " but to " : "",
		      other ? other->box->name : "",
		      other ? "that write landed here too, or another program began to count"
			    : "another program began to count while it was checked");
	snprintf(b->why, sizeof(b->why), "%s", b->box->machine->ctx->msg);
	return rc;
}

/* The channel stays released.  If it was found frozen that is not put back, since the other program would count nothing. */
static int leave(struct unc_check_box *b, const struct controls *controls)
{
	unsigned i = 0;

	while (!controls->other[i])
		i++;
	if (b->pbox.frozen)
		unc_gate_keep(b->box, b->pbox.regs.box_ctl, 0);
	return lose_channel(b, i, controls->held[i]);
}

/* ---- accesses ---- */

int unc_drive_end(struct unc_check_box *b)
{
	int failed = b->failed;

	b->failed = UNC_OK;
	return failed;
}

void unc_drive_write(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	b->touched = true;
	if (!b->failed)
		b->failed = unc_gate_write(b->box, reg, index, value, b->owner);
}

void unc_drive_write_low(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	b->touched = true;
	if (!b->failed)
		b->failed = unc_gate_write_low(b->box, reg, index, value, b->owner);
}

uint64_t unc_drive_read(struct unc_check_box *b, const struct unc_reg *reg, unsigned index)
{
	uint64_t value = 0;

	if (!b->failed)
		b->failed = unc_reg_get(b->box, reg, index, &value);
	return value;
}

uint64_t unc_drive_with(struct unc_check_box *b, const struct unc_field *field, uint64_t number, uint64_t value)
{
	if (!b->failed)
		b->failed = unc_field_set(b->box->machine->ctx, field, number, &value);
	return value;
}

void unc_drive_box_ctl(struct unc_check_box *b, const char *const *fields)
{
	uint64_t value = unc_reg_blank(b->pbox.regs.box_ctl);

	for (; *fields && !b->failed; fields++) {
		const struct unc_field *field = unc_reg_field(b->pbox.regs.box_ctl, *fields);

		if (field)
			value = unc_drive_with(b, field, 1, value);
		else
			b->failed = unc_fail(b->box->machine->ctx, UNC_ENOREG, "%s: BOX_CTL of %s has no field %s",
					     b->box->name, b->box->unit->path, *fields);
	}
	unc_drive_write(b, b->pbox.regs.box_ctl, 0, value);
}

void unc_drive_freeze(struct unc_check_box *b)
{
	b->touched = true;
	if (!b->failed && b->pbox.regs.box_ctl)
		b->failed = unc_pmon1_freeze(&b->pbox, b->owner);
}

void unc_drive_release(struct unc_check_box *b)
{
	b->touched = true;
	if (!b->failed && b->pbox.regs.box_ctl)
		b->failed = unc_pmon1_release(&b->pbox, false, b->owner);
}

uint64_t unc_drive_event(struct unc_check_box *b, const char *event)
{
	struct unc_wanted *wanted = NULL;
	uint64_t control = 0;

	if (!b->failed)
		b->failed = unc_wanted_new(b->box, event, &wanted);
	if (wanted)
		control = wanted->control;
	unc_wanted_free(wanted);
	return control;
}

const char *unc_drive_clock_event(const struct unc_check_box *b)
{
	static const char *const events[] = {"clockticks", "dclockticks", "clockticks_p"};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		const struct unc_event *event = unc_unit_event(b->box->unit, events[i]);

		if (event && !event->fixed)
			return events[i];
	}
	return NULL;
}

static void write_twice(struct unc_check_box *b, unsigned i, uint64_t control)
{
	b->touched = true;
	if (!b->failed)
		b->failed = unc_pmon1_write_twice(&b->pbox, &b->pbox.slots[i], control, b->owner);
}

void unc_drive_set(struct unc_check_box *b, unsigned i, uint64_t control, bool enable)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	uint64_t value = slot->fixed ? unc_reg_blank(slot->ctl) : control, last[2], now = 0;

	/* UNC_EBUSY: another program uses the slot. */
	if (!b->failed)
		b->failed = unc_reg_get(b->box, slot->ctl, slot->index, &now);
	if (!b->failed && is_foreign(b, i, now)) {
		b->failed = unc_reg_get(b->box, slot->ctl, slot->index, &now);
		if (!b->failed && is_foreign(b, i, now))
			b->failed = lose_channel(b, i, now);
	}
	if (!enable) {
		write_twice(b, i, unc_slot_off(slot, value));
		return;
	}
	unc_drive_write(b, slot->ctl, slot->index, value);
	write_twice(b, i, unc_slot_on(slot, value));
	if (b->failed)
		return;
	unc_gate_wrote(b->box, slot->ctl, slot->index, last);
	b->enabled[i].known = unc_reg_get(b->box, slot->ctl, slot->index, &now) == 0 && now != unc_reg_all(slot->ctl);
	b->enabled[i].wrote = last[0];
	b->enabled[i].read = now;
}

void unc_drive_off(struct unc_check_box *b)
{
	for (unsigned i = 0; i < b->pbox.n_slots; i++)
		unc_drive_set(b, i, unc_reg_blank(b->pbox.slots[i].ctl), false);
}

unsigned unc_drive_fixed(const struct unc_check_box *b)
{
	return unc_drive_slot_for(b, &(struct unc_event){.fixed = true}, 0);
}

unsigned unc_drive_slot_for(const struct unc_check_box *b, const struct unc_event *event, unsigned from)
{
	for (unsigned i = from; event && i < b->pbox.n_slots; i++)
		if (event->fixed ? b->pbox.slots[i].fixed : unc_slot_can_count(&b->pbox.slots[i], event))
			return i;
	return UNC_PMON_SLOTS;
}

void unc_drive_preset(struct unc_check_box *b, unsigned i, uint64_t value)
{
	unc_drive_write(b, b->pbox.slots[i].ctr, b->pbox.slots[i].index, value);
}

struct unc_reading unc_drive_count(struct unc_check_box *b, unsigned i)
{
	struct unc_reading reading = {0};
	int rc;

	if (!b->failed) {
		rc = unc_pmon_read_whole(&b->pbox, &b->pbox.slots[i], &reading);
		b->failed = unc_wrap(b->box->machine->ctx, rc, "%s", b->box->name);
	}
	return reading;
}

int unc_drive_fits(const struct unc_check_box *b, const struct unc_reading *reading)
{
	if (unc_drive_gained(b, 0, reading->value) == reading->value)
		return UNC_OK;
	return unc_fail(b->box->machine->ctx, UNC_EIO, "%s: its counter read 0x%016" PRIx64 ", and has %u bits",
			b->box->name, reading->value, b->box->unit->counter_bits);
}

uint64_t unc_drive_gained(const struct unc_check_box *b, uint64_t before, uint64_t after)
{
	return unc_delta(before, after, b->box->unit->counter_bits);
}

void unc_drive_clear_status(struct unc_check_box *b, uint64_t was)
{
	uint64_t now = b->box_status ? unc_drive_read(b, b->box_status, 0) : 0, set;

	if (!b->box_status || now == unc_reg_all(b->box_status))
		return;
	set = now & ~was & unc_reg_mask(b->box_status, UNC_RW1C);
	if (set)
		unc_drive_write(b, b->box_status, 0, unc_reg_blank(b->box_status) | set);
}

/* ---- putting back ---- */

/* Ends an access that may fail without the others being left out. */
static void end_one(struct unc_check_box *b, int *first)
{
	int rc = unc_drive_end(b);

	*first = *first < 0 ? *first : rc;
}

/* Blanks the controls, too, since freezing alone may not stop a counter: that is what is checked. */
static void stop(struct unc_check_box *b, const struct controls *controls, int *first)
{
	if (!controls->any_other) /* a freeze would stop the other program's counters, too */
		unc_drive_freeze(b);
	end_one(b, first);
	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		if (!controls->other[i])
			write_twice(b, i, unc_reg_blank(b->pbox.slots[i].ctl));
		end_one(b, first);
	}
}

int unc_drive_put_back(struct unc_check_box *b)
{
	struct controls controls = read_controls(b), now;
	int first = UNC_OK;

	b->failed = UNC_OK;
	stop(b, &controls, &first);
	/* Looks once more when all others are blank: on broken silicon a control may show what was written to another one. */
	if (controls.any_other && !confirm_others(b, &controls))
		stop(b, &controls, &first);
	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		/* What cannot be written here (a reserved bit that another program set) the gate puts back in the end. */
		if (!controls.other[i]) {
			unc_drive_preset(b, i, b->counters[i] & unc_reg_mask(slot->ctr, UNC_RW));
			write_twice(b, i, unc_reg_base(slot->ctl, slot->found));
		}
		end_one(b, &first);
	}
	if (!controls.any_other) /* checks made counters wrap */
		unc_drive_clear_status(b, b->status);
	end_one(b, &first);
	/*
	 * If a control still holds what it held before, none of the writes arrived.  So the value is not another program's, although
	 * it was written long ago.  The gate puts it back in the end, or reports that it cannot.
	 */
	now = read_controls(b);
	for (unsigned i = 0; controls.known && now.known && i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		if (!controls.other[i] && now.held[i] == controls.held[i] &&
		    ((now.held[i] ^ slot->found) & unc_reg_mask(slot->ctl, UNC_RW)))
			unc_gate_still_holds(b->box, slot->ctl, slot->index, now.held[i]);
	}
	unc_drive_release(b);
	end_one(b, &first);
	b->touched = false;
	return controls.any_other ? leave(b, &controls) : first;
}

/* ---- the plan ---- */

static uint64_t writable(const struct unc_reg *reg)
{
	return unc_reg_mask(reg, UNC_RW) | unc_reg_mask(reg, UNC_WO) | unc_reg_mask(reg, UNC_RW1C);
}

/* Plans any value that the map allows; so a walk over its bits takes one line on the disk. */
static int plan(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, const uint64_t *was)
{
	const uint64_t blank = unc_reg_blank(reg);
	const struct unc_gate_intent intent = {
		.reg = reg, .index = index, .values = &blank, .n_values = 1, .any = writable(reg), .was = was};

	return unc_gate_plan(b->box, &intent, b->owner);
}

static int take(struct unc_check_box *b)
{
	const struct unc_reg *status = unc_unit_reg(b->box->unit, "BOX_STATUS");
	int rc = unc_pmon1_inspect(&b->pbox);

	if (rc == 0 && b->pbox.regs.box_ctl)
		rc = unc_pmon1_plan_box_ctl(&b->pbox, writable(b->pbox.regs.box_ctl), b->owner);
	/* Bits of the status that were set stay set, since a bit that is cleared cannot be set again. */
	b->box_status = status && unc_reg_writable(status) ? status : NULL;
	if (rc == 0 && b->box_status)
		rc = unc_reg_get(b->box, status, 0, &b->status);
	if (rc == 0 && b->box_status)
		rc = plan(b, status, 0, &b->status);
	for (unsigned i = 0; i < b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		rc = unc_reg_get(b->box, slot->ctr, slot->index, &b->counters[i]);
		if (rc == 0)
			rc = plan(b, slot->ctr, slot->index, &b->counters[i]);
		if (rc == 0)
			rc = plan(b, slot->ctl, slot->index, &slot->found);
	}
	return rc;
}

static void give_up(struct unc_check *c, struct unc_check_box *b, int rc)
{
	b->usable = false;
	b->busy |= rc == UNC_EBUSY;
	b->rc = rc;
	memcpy(b->why, c->m->ctx->msg, sizeof(b->why));
}

int unc_drive_claim(struct unc_check *c)
{
	bool any = false;
	int rc = UNC_OK;

	for (size_t i = 0; i < c->n_boxes; i++) {
		struct unc_check_box *b = &c->boxes[i];

		if (!b->usable || b->taken)
			continue;
		b->owner = c;
		rc = take(b);
		if (rc == UNC_ENOMEM)
			return rc;
		if (rc < 0)
			give_up(c, b, rc);
		any |= b->taken = rc == 0;
	}
	rc = any ? unc_gate_ready(c->m) : UNC_OK;
	for (size_t i = 0; i < c->n_boxes && rc < 0; i++)
		if (c->boxes[i].usable)
			give_up(c, &c->boxes[i], rc);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

int unc_drive_take(struct unc_check *c)
{
	int rc = unc_drive_claim(c);

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];
		struct controls controls;
		int failed;

		if (!b->usable || b->touched)
			continue;
		b->failed = UNC_OK;
		controls = read_controls(b);
		if (controls.any_other && confirm_others(b, &controls)) {
			failed = leave(b, &controls);
		} else {
			unc_drive_off(b);
			if (b->rested)
				unc_drive_release(b);
			failed = unc_drive_end(b);
			if (failed == 0 && !b->rested)
				failed = unc_running_release(b);
		}
		if (failed < 0) {
			give_up(c, b, failed);
			b->lost.is |= b->rested; /* the channel could be written before */
		}
		b->rested |= failed == 0;
	}
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * After a check all registers of a channel are put back, except those that another program has begun to use meanwhile: perf does
 * not use our locks.  A counter belongs to another program if its control is enabled, was not enabled when it was found, and
 * neither of our last two writes enabled it (the last write may not have arrived); or if we enabled it, and the control has changed
 * since.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "check/drive.h"
#include "pmon/pmon1.h"

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

/* On broken silicon a control may show what was written to another one. */
static bool is_of_another(const struct unc_check_box *b, const struct unc_slot *slot, uint64_t now)
{
	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_slot *other = &b->pbox.slots[i];
		uint64_t last[2];

		unc_gate_wrote(b->box, other->ctl, other->index, last);
		if (other != slot && (holds(slot, now, last[0]) || holds(slot, now, last[1])))
			return true;
	}
	return false;
}

/* One of our last two writes enabled it, and it reads neither as it did after that nor as one of those writes. */
static bool has_changed(const struct unc_check_box *b, unsigned i, uint64_t now, const uint64_t last[2])
{
	const struct unc_check_enabled *enabled = &b->enabled[i];
	const struct unc_slot *slot = &b->pbox.slots[i];

	return enabled->known && (enabled->wrote == last[0] || enabled->wrote == last[1]) && now != enabled->read &&
	       !holds(slot, now, last[0]) && !holds(slot, now, last[1]) && !is_of_another(b, slot, now);
}

static bool is_others(const struct unc_check_box *b, unsigned i, uint64_t now)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	uint64_t last[2];

	if (now == unc_reg_all(slot->ctl) || !unc_field_get(slot->en, now) || unc_field_get(slot->en, slot->found))
		return false;
	unc_gate_wrote(b->box, slot->ctl, slot->index, last);
	if (!unc_field_get(slot->en, last[0]) && !unc_field_get(slot->en, last[1]))
		return true;
	return has_changed(b, i, now, last);
}

static struct controls look(const struct unc_check_box *b)
{
	struct unc_pmon_box now = b->pbox;
	struct controls controls = {.known = unc_pmon1_inspect(&now) == 0};

	for (unsigned i = 0; controls.known && i < now.n_slots; i++) {
		controls.held[i] = now.slots[i].found;
		controls.other[i] = is_others(b, i, now.slots[i].found);
		controls.any_other |= controls.other[i];
	}
	return controls;
}

/* Looks twice, since reads may go wrong. */
static bool look_again(const struct unc_check_box *b, struct controls *controls)
{
	struct controls again = look(b);

	controls->any_other = false;
	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		controls->other[i] &= again.known && again.other[i];
		controls->any_other |= controls->other[i];
	}
	return controls->any_other;
}

/* Returns another channel of this run to whose control of that number this value was written last; NULL: none. */
static const struct unc_check_box *whose(const struct unc_check_box *b, unsigned i, uint64_t now)
{
	const struct unc_check *c = b->owner;

	for (size_t k = 0; c && k < c->n_boxes; k++) {
		const struct unc_check_box *other = &c->boxes[k];
		uint64_t last[2];

		if (other == b || !other->taken || i >= other->pbox.n_slots)
			continue;
		unc_gate_wrote(other->box, other->pbox.slots[i].ctl, other->pbox.slots[i].index, last);
		if (holds(&b->pbox.slots[i], now, last[0]) || holds(&b->pbox.slots[i], now, last[1]))
			return other;
	}
	return NULL;
}

static int is_his(struct unc_check_box *b, unsigned i, uint64_t now)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	struct unc_ctx *ctx = b->box->machine->ctx;
	const struct unc_check_box *other = whose(b, i, now);
	char name[UNC_GATE_TEXT];
	uint64_t last[2];
	int rc;

	unc_gate_wrote(b->box, slot->ctl, slot->index, last);
	b->busy = true;
	b->usable = false;
	b->lost = (struct unc_check_lost){.is = true,
					  .told = b->lost.told,
					  .reg = slot->ctl,
					  .index = slot->index,
					  .wrote = last[0],
					  .holds = now};
	rc = unc_fail(ctx, UNC_EBUSY,
		      "%s: %s: it is enabled with 0x%08" PRIx64
		      ", which was not written there%s%s: %s; the channel is left alone "
		      "from now on",
		      b->box->name, unc_gate_reg_text(slot->ctl, slot->index, name), now, other ? " but to " : "",
		      other ? other->box->name : "",
		      other ? "that write landed here too, or another program began to count"
			    : "another program began to count while it was checked");
	snprintf(b->why, sizeof(b->why), "%s", ctx->msg);
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
	return is_his(b, i, controls->held[i]);
}

int unc_drive_look_for_others(struct unc_check_box *b)
{
	struct controls controls = look(b);

	return controls.any_other && look_again(b, &controls) ? leave(b, &controls) : UNC_OK;
}

int unc_drive_is_free(struct unc_check_box *b, unsigned i)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	uint64_t now = 0, again = 0;
	int rc = unc_drive_read(b, slot->ctl, slot->index, &now);

	if (rc < 0 || !is_others(b, i, now))
		return rc;
	rc = unc_drive_read(b, slot->ctl, slot->index, &again);
	return rc == 0 && is_others(b, i, again) ? is_his(b, i, again) : rc;
}

void unc_drive_enabled(struct unc_check_box *b, unsigned i)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	uint64_t last[2], now = 0;
	int rc = unc_drive_read(b, slot->ctl, slot->index, &now);

	unc_gate_wrote(b->box, slot->ctl, slot->index, last);
	b->enabled[i] = (struct unc_check_enabled){
		.known = rc == 0 && now != unc_reg_all(slot->ctl), .wrote = last[0], .read = now};
}

/* Writes what was found.  What cannot be written here (a reserved bit that another program set) the gate puts back in the end. */
static int put_slot_back(struct unc_check_box *b, unsigned i)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	uint64_t found = unc_reg_base(slot->ctl, slot->found);
	int rc = unc_drive_preset(b, i, b->counters[i] & unc_reg_mask(slot->ctr, UNC_RW));

	for (unsigned twice = 0; twice < 2 && rc == 0; twice++)
		rc = unc_drive_write(b, slot->ctl, slot->index, found);
	return rc;
}

int unc_drive_clear_status(struct unc_check_box *b, uint64_t was)
{
	uint64_t now = 0, set;
	int rc = b->box_status ? unc_drive_read(b, b->box_status, 0, &now) : UNC_OK;

	if (rc < 0 || !b->box_status || now == unc_reg_all(b->box_status))
		return rc;
	set = now & ~was & unc_reg_mask(b->box_status, UNC_RW1C);
	return set ? unc_drive_write(b, b->box_status, 0, unc_reg_blank(b->box_status) | set) : UNC_OK;
}

/*
 * If a control still holds what it held before, none of the writes arrived.  So the value is not another program's, although it was
 * written long ago.  The gate puts it back in the end, or reports that it cannot.
 */
static void look_what_arrived(struct unc_check_box *b, const struct controls *before)
{
	struct controls now = look(b);

	for (unsigned i = 0; before->known && now.known && i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		if (!before->other[i] && now.held[i] == before->held[i] &&
		    ((now.held[i] ^ slot->found) & unc_reg_mask(slot->ctl, UNC_RW)))
			unc_gate_still_holds(b->box, slot->ctl, slot->index, now.held[i]);
	}
}

static void first_of(int *first, int rc)
{
	*first = *first < 0 ? *first : rc;
}

/* Blanks the controls, too, since freezing alone may not stop a counter: that is what is checked. */
static int stop(struct unc_check_box *b, const struct controls *controls)
{
	/* A freeze would stop the other program's counters, too. */
	int first = controls->any_other ? UNC_OK : unc_drive_freeze(b);

	for (unsigned i = 0; i < b->pbox.n_slots; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];

		for (unsigned twice = 0; twice < 2 && !controls->other[i]; twice++)
			first_of(&first, unc_drive_write(b, slot->ctl, slot->index, unc_reg_blank(slot->ctl)));
	}
	return first;
}

int unc_drive_put_back(struct unc_check_box *b)
{
	struct controls controls = look(b);
	int first = stop(b, &controls);

	/* Looks once more when all others are blank: on broken silicon a control may show what was written to another one. */
	if (controls.any_other && !look_again(b, &controls))
		first_of(&first, stop(b, &controls));
	for (unsigned i = 0; i < b->pbox.n_slots; i++)
		if (!controls.other[i])
			first_of(&first, put_slot_back(b, i));
	if (!controls.any_other) /* checks made counters wrap */
		first_of(&first, unc_drive_clear_status(b, b->status));
	look_what_arrived(b, &controls);
	first_of(&first, unc_drive_release(b));
	b->touched = false;
	return controls.any_other ? leave(b, &controls) : first;
}

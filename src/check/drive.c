// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/drive.h"

#include <stdio.h>
#include <string.h>

#include "access/access.h"
#include "base/err.h"
#include "check/running.h"
#include "map/field.h"
#include "pmon/counter.h"

enum { TRIES = 16 };

static const void *owner_of(const struct unc_check_box *b)
{
	return b->owner;
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

	return unc_gate_plan(b->box, &intent, owner_of(b));
}

static int box_ctl(struct unc_check_box *b, const char *const *fields, uint64_t *ret_value)
{
	const struct unc_pmon_regs *regs = &b->pbox.regs;
	struct unc_ctx *ctx = b->box->machine->ctx;
	int rc = UNC_OK;

	*ret_value = unc_reg_blank(regs->box_ctl);
	for (; *fields && rc == 0; fields++) {
		const struct unc_field *field = unc_reg_field(regs->box_ctl, *fields);

		rc = field ? unc_field_set(ctx, field, 1, ret_value)
			   : unc_fail(ctx, UNC_ENOREG, "%s: BOX_CTL of %s has no field %s", b->box->name,
				      b->box->unit->path, *fields);
	}
	return rc;
}

static const char *const frozen_armed[] = {"frz", "frz_en", NULL}, *const frozen[] = {"frz", NULL},
			 *const armed[] = {"frz_en", NULL}, *const none[] = {NULL};

static const char *const *released_fields(const struct unc_check_box *b)
{
	return b->pbox.regs.frz_en ? armed : none;
}

/* Not every part reads BOX_CTL back; there it is left armed and released in the end. */
static int plan_box_ctl(struct unc_check_box *b)
{
	const struct unc_pmon_regs *regs = &b->pbox.regs;
	uint64_t idle = 0;
	struct unc_gate_intent intent = {.reg = regs->box_ctl,
					 .values = &idle,
					 .n_values = 1,
					 .any = writable(regs->box_ctl),
					 .was = &b->pbox.found};
	int rc = box_ctl(b, released_fields(b), &idle);

	if (regs->frz_en) {
		intent.doubted = unc_field_mask(regs->frz_en);
		intent.idle = idle;
	}
	return rc == 0 ? unc_gate_plan(b->box, &intent, owner_of(b)) : rc;
}

static int plan_slot(struct unc_check_box *b, unsigned i)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	int rc = unc_reg_get(b->box, slot->ctr, slot->index, &b->counters[i]);

	if (rc == 0)
		rc = plan(b, slot->ctr, slot->index, &b->counters[i]);
	return rc == 0 ? plan(b, slot->ctl, slot->index, &slot->found) : rc;
}

/* Bits that were set stay set, since a bit that is cleared cannot be set again. */
static int plan_status(struct unc_check_box *b)
{
	const struct unc_reg *status = unc_unit_reg(b->box->unit, "BOX_STATUS");
	int rc = UNC_OK;

	b->box_status = status && unc_reg_writable(status) ? status : NULL;
	if (b->box_status)
		rc = unc_reg_get(b->box, status, 0, &b->status);
	return rc == 0 && b->box_status ? plan(b, status, 0, &b->status) : rc;
}

static int take(struct unc_check_box *b)
{
	int rc = unc_pmon1_inspect(&b->pbox);

	if (rc == 0)
		rc = plan_box_ctl(b);
	if (rc == 0)
		rc = plan_status(b);
	for (unsigned i = 0; i < b->pbox.n_slots && rc == 0; i++)
		rc = plan_slot(b, i);
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

/* ---- writes ---- */

int unc_drive_write(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	b->touched = true;
	return unc_gate_write(b->box, reg, index, value, owner_of(b));
}

int unc_drive_write_low(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	b->touched = true;
	return unc_gate_write_low(b->box, reg, index, value, owner_of(b));
}

int unc_drive_read(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return unc_reg_get(b->box, reg, index, ret_value);
}

int unc_drive_box_ctl(struct unc_check_box *b, const char *const *fields)
{
	uint64_t value;
	int rc = box_ctl(b, fields, &value);

	return rc == 0 ? unc_drive_write(b, b->pbox.regs.box_ctl, 0, value) : rc;
}

bool unc_drive_has_box_field(const struct unc_check_box *b, const char *field)
{
	const struct unc_field *found = unc_reg_field(b->pbox.regs.box_ctl, field);

	return found && found->acc != UNC_RSVD;
}

int unc_drive_freeze(struct unc_check_box *b)
{
	return unc_drive_box_ctl(b, b->pbox.regs.frz_en ? frozen_armed : frozen);
}

int unc_drive_release(struct unc_check_box *b)
{
	return unc_drive_box_ctl(b, released_fields(b));
}

int unc_drive_event(struct unc_check_box *b, const char *event, uint64_t *ret_control)
{
	struct unc_wanted *wanted;
	int rc = unc_wanted_new(b->box, event, &wanted);

	if (rc < 0)
		return rc;
	*ret_control = wanted->control;
	unc_wanted_free(wanted);
	return UNC_OK;
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

int unc_drive_set(struct unc_check_box *b, unsigned i, uint64_t control, bool enable)
{
	const struct unc_slot *slot = &b->pbox.slots[i];
	uint64_t value = slot->fixed ? unc_reg_blank(slot->ctl) : control;
	int rc = unc_drive_is_free(b, i);

	if (rc == 0 && enable)
		rc = unc_drive_write(b, slot->ctl, slot->index, value);
	if (rc == 0 && enable)
		rc = unc_field_set(b->box->machine->ctx, slot->en, 1, &value);
	for (unsigned twice = 0; twice < 2 && rc == 0; twice++)
		rc = unc_drive_write(b, slot->ctl, slot->index, value);
	if (rc == 0 && enable)
		unc_drive_enabled(b, i);
	return rc;
}

unsigned unc_drive_fixed(const struct unc_check_box *b)
{
	unsigned i = 0;

	while (i < b->pbox.n_slots && !b->pbox.slots[i].fixed)
		i++;
	return i < b->pbox.n_slots ? i : UNC_PMON_SLOTS;
}

int unc_drive_preset(struct unc_check_box *b, unsigned i, uint64_t value)
{
	return unc_drive_write(b, b->pbox.slots[i].ctr, b->pbox.slots[i].index, value);
}

/* Makes all controls and the fixed one blank, and BOX_CTL armed and released. */
static int rest(struct unc_check_box *b)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < b->pbox.n_slots && rc == 0; i++)
		rc = unc_drive_set(b, i, unc_reg_blank(b->pbox.slots[i].ctl), false);
	if (rc < 0)
		return rc;
	return b->rested ? unc_drive_release(b) : unc_running_release(b);
}

int unc_drive_take(struct unc_check *c)
{
	int rc = unc_drive_claim(c);

	for (size_t i = 0; i < c->n_boxes && rc == 0; i++) {
		struct unc_check_box *b = &c->boxes[i];
		int failed;

		if (!b->usable || b->touched)
			continue;
		failed = unc_drive_look_for_others(b);
		if (failed == 0)
			failed = rest(b);
		if (failed == 0)
			b->rested = true;
		else
			give_up(c, b, failed);
		if (failed < 0 && b->rested) /* the channel could be written before */
			b->lost.is = true;
	}
	return rc;
}

/* ---- reading ---- */

static int read_dword(struct unc_check_box *b, uint32_t off, uint32_t *ret)
{
	int rc = b->box->space ? unc_read32(b->box->space, off, ret)
			       : unc_fail(b->box->machine->ctx, b->box->rc, "%s", b->box->why);

	return unc_wrap(b->box->machine->ctx, rc, "%s", b->box->name);
}

int unc_drive_count(struct unc_check_box *b, unsigned i, struct unc_drive_reading *ret_reading)
{
	struct unc_machine *m = b->box->machine;
	uint32_t off = unc_reg_off(b->pbox.slots[i].ctr, b->pbox.slots[i].index), low = 0, high = 0, again = 0;
	char name[UNC_GATE_TEXT];
	int rc = read_dword(b, off + 4, &high);

	for (unsigned try = 0; rc == 0 && try < TRIES; try++) {
		ret_reading->before_ns = unc_machine_raw_ns(m);
		rc = read_dword(b, off, &low);
		ret_reading->after_ns = unc_machine_raw_ns(m);
		if (rc == 0)
			rc = read_dword(b, off + 4, &again);
		if (rc == 0 && again == high) {
			ret_reading->value = (uint64_t)high << 32 | low;
			return UNC_OK;
		}
		high = again;
	}
	if (rc < 0)
		return rc;
	unc_gate_reg_text(b->pbox.slots[i].ctr, b->pbox.slots[i].index, name);
	return unc_fail(m->ctx, UNC_EIO, "%s: %s: its high half read otherwise %d times one after the other",
			b->box->name, name, TRIES);
}

int unc_drive_counts(struct unc_check_box *b, struct unc_drive_reading ret_readings[UNC_PMON_SLOTS])
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < b->pbox.n_slots && rc == 0; i++)
		rc = unc_drive_count(b, i, &ret_readings[i]);
	return rc;
}

uint64_t unc_drive_gained(const struct unc_check_box *b, uint64_t before, uint64_t after)
{
	return unc_delta(before, after, b->box->unit->counter_bits);
}

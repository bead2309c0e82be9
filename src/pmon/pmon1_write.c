// SPDX-License-Identifier: GPL-2.0-or-later
/* What is written to a box driven as pmon1, and the plan for it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "pmon/pmon1.h"

/* BOX_CTL is written whole: with freezing armed, and frozen or not. */
static int box_ctl_value(const struct unc_pmon_box *pbox, bool frozen, uint64_t *ret_value)
{
	const struct unc_pmon_regs *regs = &pbox->regs;
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	int rc = UNC_OK;

	*ret_value = unc_reg_blank(regs->box_ctl);
	if (regs->frz_en)
		rc = unc_field_set(ctx, regs->frz_en, 1, ret_value);
	return rc == 0 ? unc_field_set(ctx, regs->frz, frozen, ret_value) : rc;
}

static int write_box_ctl(struct unc_pmon_box *pbox, bool frozen, const void *owner)
{
	uint64_t box_ctl;
	int rc = box_ctl_value(pbox, frozen, &box_ctl);

	return rc == 0 ? unc_gate_write(pbox->box, pbox->regs.box_ctl, 0, box_ctl, owner) : rc;
}

/* ---- the plan ---- */

/*
 * The exact value can be restored only if frz_en reads back, on which sources differ; if it does not, the box is left released.
 */
int unc_pmon1_plan_box_ctl(struct unc_pmon_box *pbox, uint64_t any, const void *owner)
{
	uint64_t values[2];
	struct unc_gate_intent intent = {
		.reg = pbox->regs.box_ctl,
		.values = values,
		.n_values = 2,
		.any = any,
		.was = &pbox->found,
	};
	int rc = box_ctl_value(pbox, false, &values[0]);

	if (rc == 0)
		rc = box_ctl_value(pbox, true, &values[1]);
	if (pbox->regs.frz_en) {
		intent.doubted = unc_field_mask(pbox->regs.frz_en);
		intent.idle = values[0];
	}
	return rc == 0 ? unc_gate_plan(pbox->box, &intent, owner) : rc;
}

/* Returns what the slot's control holds while the slot counts that accumulator's event, or nothing. */
static uint64_t control_of(const struct unc_slot *slot, const struct unc_accumulator *accumulator)
{
	return accumulator ? accumulator->control : unc_reg_blank(slot->ctl);
}

int unc_pmon1_plan(struct unc_pmon_box *pbox, const void *owner)
{
	uint64_t *values = calloc(pbox->n_mux_sets + 1, sizeof(*values));
	int rc = UNC_OK;

	if (!values)
		return unc_fail(pbox->box->machine->ctx, UNC_ENOMEM, "out of memory");
	if (!pbox->foreign)
		rc = unc_pmon1_plan_box_ctl(pbox, 0, owner);
	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		const struct unc_accumulator *first = slot->ours ? pbox->mux_sets[0].of[i] : NULL;
		struct unc_gate_intent intent = {
			.reg = slot->ctl, .index = slot->index, .values = values, .was = &slot->found};

		if (!slot->ours)
			continue;
		if (first)
			values[intent.n_values++] = unc_slot_off(slot, first->control);
		for (unsigned k = 0; k < pbox->n_mux_sets; k++)
			values[intent.n_values++] = control_of(slot, pbox->mux_sets[k].of[i]);
		rc = unc_gate_plan(pbox->box, &intent, owner);
	}
	free(values);
	return rc;
}

/* ---- BOX_CTL ---- */

int unc_pmon1_freeze(struct unc_pmon_box *pbox, const void *owner)
{
	return write_box_ctl(pbox, true, owner);
}

/*
 * No register shows whether a box stands still, and the loss of a single write must not leave it stopped, since its counters
 * would then seem to count nothing.
 */
int unc_pmon1_release(struct unc_pmon_box *pbox, bool twice, const void *owner)
{
	int rc = write_box_ctl(pbox, false, owner), again;

	if (rc == 0 && !twice)
		return rc;
	again = write_box_ctl(pbox, false, owner);
	return again < 0 ? rc : again;
}

/* ---- controls ---- */

/*
 * Includes the counters if they are close enough: the value of a counter while it stands still shows later whether its first
 * value is torn.
 */
static void include_counters(const struct unc_pmon_box *pbox, struct unc_control_block *block)
{
	struct unc_control_block all = *block;

	for (const struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		if (!slot->accumulator)
			continue;
		unc_pmon1_include(&all, slot->ctl, slot->index);
		unc_pmon1_include(&all, slot->ctr, slot->index);
	}
	if (all.end - all.first <= sizeof(all.bytes))
		*block = all;
}

static void note_rested(struct unc_pmon_box *pbox, const struct unc_control_block *block, uint64_t before_ns)
{
	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		uint32_t off = unc_reg_off(slot->ctr, slot->index);

		if (!slot->accumulator || off < block->first || off + 8 > block->end)
			continue;
		slot->rested = unc_le64(block->bytes + (off - block->first));
		slot->rested_ns = before_ns;
	}
}

/* Linux hides a failed configuration write: only reading back shows it, and whether BOX_CTL is armed, on parts that show this. */
static int read_back(struct unc_pmon_box *pbox)
{
	struct unc_control_block block = {0};
	uint64_t before_ns = unc_machine_raw_ns(pbox->box->machine);
	int rc;

	if (!pbox->foreign) {
		unc_pmon1_include(&block, pbox->regs.box_ctl, 0);
		include_counters(pbox, &block);
	}
	rc = unc_pmon1_read_own_controls(pbox, &block);
	if (rc < 0)
		return rc;
	if (!pbox->foreign) {
		unc_gate_was_read_back(pbox->box, pbox->regs.box_ctl, 0,
				       unc_pmon1_control_in(&block, pbox->regs.box_ctl, 0));
		note_rested(pbox, &block, before_ns);
	}
	for (const struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots; slot++) {
		uint32_t now;

		if (!slot->accumulator)
			continue;
		now = unc_pmon1_control_in(&block, slot->ctl, slot->index);
		if (!unc_pmon1_is_ours(slot, now))
			return unc_fail(pbox->box->machine->ctx, UNC_EIO,
					"%s (%s): %s[%u] at 0x%x did not take the write: wrote 0x%08" PRIx64
					", reads back 0x%08" PRIx32
					"; is the box locked by the firmware, or used by another program?",
					pbox->box->name, pbox->box->pci, slot->ctl->name, slot->index,
					unc_reg_off(slot->ctl, slot->index), slot->control, now);
	}
	return UNC_OK;
}

/*
 * Writes each event first, then the same with enable: so nothing is counted under a half-built control, and parts on which one
 * write does not stick (HSX, BDX) get two.  The fixed counter's control has nothing to select, and no source writes it twice, nor
 * those without an enable bit: there the first write is left out if it would change nothing.
 */
static int write_controls(struct unc_pmon_box *pbox, const void *owner)
{
	int rc = UNC_OK;

	for (struct unc_slot *slot = pbox->slots; slot < pbox->slots + pbox->n_slots && rc == 0; slot++) {
		uint64_t control, disabled;

		if (!slot->accumulator)
			continue;
		control = slot->accumulator->control;
		disabled = unc_slot_off(slot, control);
		if (disabled != slot->found || (!slot->fixed && slot->en))
			rc = unc_gate_write(pbox->box, slot->ctl, slot->index, disabled, owner);
		if (rc < 0)
			break;
		slot->control = slot->control_before = control;
		rc = unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);
	}
	return rc < 0 ? rc : read_back(pbox);
}

/*
 * Programs a box while it is frozen.  It is released after any failure: a control with an unexpected value may belong to another
 * program by now, and then closing does not write BOX_CTL.
 */
int unc_pmon1_program(struct unc_pmon_box *pbox, const void *owner)
{
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	struct unc_saved_msg why;
	int rc, released;

	if (pbox->foreign)
		return write_controls(pbox, owner);
	rc = write_box_ctl(pbox, false, owner);
	if (rc < 0)
		return rc;
	rc = unc_pmon1_freeze(pbox, owner);
	if (rc == 0)
		rc = write_controls(pbox, owner);
	unc_msg_save(ctx, &why);
	released = unc_pmon1_release(pbox, true, owner);
	if (rc == 0)
		return released;
	unc_msg_restore(ctx, &why);
	return rc;
}

/*
 * Writes the same value twice, for the parts on which one write does not stick.  Until it is read back the control may hold the
 * new value or the old one; but a write that the operating system refuses has not reached the register.
 */
int unc_pmon1_write_twice(struct unc_pmon_box *pbox, struct unc_slot *slot, uint64_t control, const void *owner)
{
	int rc = unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);

	if (rc == UNC_EPERM)
		return rc;
	slot->control_before = slot->control;
	slot->control = control;
	return rc < 0 ? rc : unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);
}

int unc_pmon1_switch(struct unc_pmon_box *pbox, const struct unc_mux_set *mux_set, const void *owner)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];
		struct unc_accumulator *next = mux_set->of[i];
		uint64_t control = control_of(slot, next);

		if (!slot->ours || (next == slot->accumulator && control == slot->control))
			continue;
		slot->accumulator = next;
		slot->has_baseline = false;
		slot->lost = 0;
		if (rc == 0 && !slot->disputed && control != slot->control)
			rc = unc_pmon1_write_twice(pbox, slot, control, owner);
		if (rc < 0)
			slot->lost = UNC_COUNT_MISSING;
	}
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Freeze in BOX_CTL, an enable bit in each control: Intel 327043-001, section 2.1; registers.md, section 2.5. */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "pmon/pmon.h"

static const struct unc_field *field(const struct unc_reg *reg, const char *name)
{
	return reg ? unc_reg_field(reg, name) : NULL;
}

static void add_slot(struct unc_pmon_box *pbox, const struct unc_reg *ctl, const struct unc_reg *ctr, unsigned index,
		     bool fixed)
{
	struct unc_slot *slot = &pbox->slots[pbox->n_slots++];

	slot->ctl = ctl;
	slot->ctr = ctr;
	slot->en = fixed ? pbox->regs.fixed_en : pbox->regs.en;
	slot->index = index;
	slot->fixed = fixed;
}

int unc_pmon1_init(struct unc_box *box, struct unc_pmon_box *ret_pbox)
{
	const struct unc_unit *unit = box->unit;
	struct unc_pmon_box pbox = {.box = box};
	struct unc_pmon_regs *regs = &pbox.regs;

	regs->ctl = unc_unit_reg(unit, "CTL");
	regs->ctr = unc_unit_reg(unit, "CTR");
	regs->box_ctl = unc_unit_reg(unit, "BOX_CTL");
	regs->fixed_ctl = unc_unit_reg(unit, "FIXED_CTL");
	regs->fixed_ctr = unc_unit_reg(unit, "FIXED_CTR");
	regs->en = field(regs->ctl, "en");
	regs->fixed_en = field(regs->fixed_ctl, "en");
	regs->frz = field(regs->box_ctl, "frz");
	regs->frz_en = field(regs->box_ctl, "frz_en");
	if (strcmp(unit->model, "pmon1") != 0 || !regs->en || !regs->ctr || !regs->frz)
		return unc_fail(box->machine->ctx, UNC_ENOSUP, "%s: %s does not describe a box driven as pmon1",
				box->name, unit->path);
	if (regs->ctl->count >= UNC_PMON_SLOTS)
		return unc_fail(box->machine->ctx, UNC_ENOSUP,
				"%s: %s has %u counters in a box; this program drives at most %d and the fixed one",
				box->name, unit->path, regs->ctl->count, UNC_PMON_SLOTS - 1);
	for (unsigned i = 0; i < regs->ctl->count; i++)
		add_slot(&pbox, regs->ctl, regs->ctr, i, false);
	if (regs->fixed_en && regs->fixed_ctr)
		add_slot(&pbox, regs->fixed_ctl, regs->fixed_ctr, 0, true);
	*ret_pbox = pbox;
	return UNC_OK;
}

/* All controls of the box and BOX_CTL lie close together: one read gets them. */
struct control_block {
	uint32_t first, end;
	unsigned char bytes[256];
};

static void include(struct control_block *block, uint32_t off)
{
	if (block->end == 0 || off < block->first)
		block->first = off;
	if (off + 4 > block->end)
		block->end = off + 4;
}

static bool all_ones(const struct control_block *block)
{
	for (uint32_t i = 0; i < block->end - block->first; i++)
		if (block->bytes[i] != 0xff)
			return false;
	return true;
}

/* All ones is how a function that is gone reads, and a configuration cycle that failed. */
static int read_controls(struct unc_pmon_box *pbox, struct control_block *block)
{
	struct unc_box *box = pbox->box;
	struct unc_ctx *ctx = box->machine->ctx;
	int rc;

	if (!box->space)
		return unc_fail(ctx, box->rc, "%s", box->why);
	if (block->end - block->first > sizeof(block->bytes))
		return unc_fail(ctx, UNC_ENOSUP, "%s: controls are too far apart", box->name);
	rc = unc_read_block(box->space, block->first, block->bytes, block->end - block->first);
	if (rc == 0 && all_ones(block))
		rc = unc_fail(ctx, UNC_ENODEV, "pci %s: reads as all ones: the function is gone", box->pci);
	return unc_wrap(ctx, rc, "%s", box->name);
}

static uint32_t control_at(const struct control_block *block, uint32_t off)
{
	return unc_le32(block->bytes + (off - block->first));
}

static bool holds(const struct unc_slot *slot, uint64_t now, uint64_t value)
{
	return ((now ^ value) & unc_reg_readback_mask(slot->ctl)) == 0;
}

static bool is_ours(const struct unc_slot *slot, uint64_t now)
{
	return slot->ours && holds(slot, now, slot->control);
}

static bool enabled_in(const struct unc_slot *slot, const struct control_block *block)
{
	return unc_field_get(slot->en, control_at(block, unc_reg_off(slot->ctl, slot->index)));
}

int unc_pmon1_inspect(struct unc_pmon_box *pbox)
{
	struct control_block block = {0};
	int rc;

	for (unsigned i = 0; i < pbox->n_slots; i++)
		include(&block, unc_reg_off(pbox->slots[i].ctl, pbox->slots[i].index));
	include(&block, pbox->regs.box_ctl->off);
	rc = read_controls(pbox, &block);
	if (rc < 0)
		return rc;
	pbox->foreign = false;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->found = control_at(&block, unc_reg_off(slot->ctl, slot->index));
		slot->enabled = enabled_in(slot, &block);
		pbox->foreign |= slot->enabled && !is_ours(slot, slot->found) &&
				 !(slot->ours && holds(slot, slot->found, slot->control_before));
	}
	pbox->frozen = unc_field_get(pbox->regs.frz, control_at(&block, pbox->regs.box_ctl->off));
	return UNC_OK;
}

/* BOX_CTL is written whole: freezing armed, and frozen or not. */
static int write_box_ctl(struct unc_pmon_box *pbox, bool frozen, const void *owner)
{
	const struct unc_pmon_regs *regs = &pbox->regs;
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	uint64_t box_ctl = unc_reg_blank(regs->box_ctl);
	int rc = UNC_OK;

	if (regs->frz_en)
		rc = unc_field_set(ctx, regs->frz_en, 1, &box_ctl);
	if (rc == 0)
		rc = unc_field_set(ctx, regs->frz, frozen, &box_ctl);
	if (rc == 0)
		rc = unc_gate_write(pbox->box, regs->box_ctl, 0, box_ctl, owner);
	return rc;
}

/* Freezing is armed; whether that can be undone exactly depends on whether frz_en reads back, on which sources differ. */
static int arm(struct unc_pmon_box *pbox, const void *owner)
{
	const struct unc_pmon_regs *regs = &pbox->regs;
	uint64_t idle = unc_reg_blank(regs->box_ctl);
	int rc;

	rc = write_box_ctl(pbox, false, owner);
	if (rc < 0 || !regs->frz_en)
		return rc;
	rc = unc_field_set(pbox->box->machine->ctx, regs->frz_en, 1, &idle);
	if (rc == 0)
		rc = unc_gate_settle(pbox->box, regs->box_ctl, 0, unc_field_mask(regs->frz_en), idle);
	return rc;
}

int unc_pmon1_freeze(struct unc_pmon_box *pbox, const void *owner)
{
	return write_box_ctl(pbox, true, owner);
}

/*
 * Whether a box stands still cannot be read, and no single write that is lost may leave it so, as then its counters would
 * seem to count nothing.
 */
int unc_pmon1_release(struct unc_pmon_box *pbox, bool twice, const void *owner)
{
	int rc = write_box_ctl(pbox, false, owner), again;

	if (rc == 0 && !twice)
		return rc;
	again = write_box_ctl(pbox, false, owner);
	return again < 0 ? rc : again;
}

/* First what to count, then the same with enable: so nothing counts by a half-built control, and parts on which one write
 * does not stick (HSX, BDX) get two. */
static int write_control(struct unc_pmon_box *pbox, struct unc_slot *slot, const void *owner)
{
	uint64_t disabled = slot->tally->control;
	int rc;

	rc = unc_field_set(pbox->box->machine->ctx, slot->en, 0, &disabled);
	if (rc == 0)
		rc = unc_gate_write(pbox->box, slot->ctl, slot->index, disabled, owner);
	if (rc == 0) {
		slot->control = slot->control_before = slot->tally->control;
		rc = unc_gate_write(pbox->box, slot->ctl, slot->index, slot->control, owner);
	}
	return rc;
}

/* Who stops a box now and then must know who else counts there. */
static bool stops(const struct unc_pmon_box *pbox)
{
	return pbox->freezes || pbox->n_turns > 1;
}

/* Our controls, and everybody's where we stop the box, in one read. */
static int read_own_controls(struct unc_pmon_box *pbox, struct control_block *block)
{
	for (unsigned i = 0; i < pbox->n_slots; i++)
		if (pbox->slots[i].ours || stops(pbox))
			include(block, unc_reg_off(pbox->slots[i].ctl, pbox->slots[i].index));
	return read_controls(pbox, block);
}

/* Linux hides a failed configuration write: only reading back shows it. */
static int read_back(struct unc_pmon_box *pbox)
{
	struct control_block block = {0};
	int rc;

	rc = read_own_controls(pbox, &block);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		uint32_t now;

		if (!slot->tally)
			continue;
		now = control_at(&block, unc_reg_off(slot->ctl, slot->index));
		if (!is_ours(slot, now))
			return unc_fail(pbox->box->machine->ctx, UNC_EIO,
					"%s (%s): %s[%u] at 0x%x did not take the write: wrote 0x%08" PRIx64
					", reads back 0x%08" PRIx32
					"; is the box locked by the firmware, or used by somebody?",
					pbox->box->name, pbox->box->pci, slot->ctl->name, slot->index,
					unc_reg_off(slot->ctl, slot->index), slot->control, now);
	}
	return UNC_OK;
}

static int write_controls(struct unc_pmon_box *pbox, const void *owner)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_slots && rc == 0; i++)
		if (pbox->slots[i].tally)
			rc = write_control(pbox, &pbox->slots[i], owner);
	return rc < 0 ? rc : read_back(pbox);
}

/*
 * Whatever fails, the box is released: a control that holds something else may be somebody's by now, and then its BOX_CTL
 * is not written in the end.
 */
static int write_frozen(struct unc_pmon_box *pbox, const void *owner)
{
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	struct unc_saved_msg why;
	int rc = unc_pmon1_freeze(pbox, owner), released;

	if (rc == 0)
		rc = write_controls(pbox, owner);
	unc_msg_save(ctx, &why);
	released = unc_pmon1_release(pbox, true, owner);
	if (rc == 0)
		return released;
	unc_msg_restore(ctx, &why);
	return rc;
}

int unc_pmon1_program(struct unc_pmon_box *pbox, const void *owner)
{
	int rc;

	if (pbox->foreign)
		return write_controls(pbox, owner);
	rc = arm(pbox, owner);
	return rc < 0 ? rc : write_frozen(pbox, owner);
}

/*
 * Twice the same, for the parts on which one write does not stick.  Until it is read back the control may hold this or
 * what was there before; but what the operating system refuses it has not handed on.
 */
static int rewrite_control(struct unc_pmon_box *pbox, struct unc_slot *slot, uint64_t control, const void *owner)
{
	int rc = unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);

	if (rc == UNC_EPERM)
		return rc;
	slot->control_before = slot->control;
	slot->control = control;
	return rc < 0 ? rc : unc_gate_write(pbox->box, slot->ctl, slot->index, control, owner);
}

int unc_pmon1_switch(struct unc_pmon_box *pbox, const struct unc_turn *turn, const void *owner)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];
		struct unc_tally *next = turn->of[i];
		uint64_t control = next ? next->control : unc_reg_blank(slot->ctl);

		if (!slot->ours || (next == slot->tally && control == slot->control))
			continue;
		slot->tally = next;
		slot->has_baseline = false;
		slot->lost = 0;
		if (rc == 0 && !slot->stolen && control != slot->control)
			rc = rewrite_control(pbox, slot, control, owner);
		if (rc < 0)
			slot->lost = UNC_COUNT_MISSING;
	}
	return rc;
}

/* Lost without a word, or somebody's? */
static void judge(struct unc_pmon_box *pbox, struct unc_slot *slot, uint64_t now)
{
	slot->stolen = false;
	if (!is_ours(slot, now)) {
		slot->stolen = !holds(slot, now, slot->control_before);
		if (slot->stolen)
			return;
		unc_gate_missed(pbox->box, slot->ctl, slot->index);
		slot->control = slot->control_before;
	}
	slot->control_before = slot->control;
}

int unc_pmon1_check(struct unc_pmon_box *pbox)
{
	struct control_block block = {0};
	int rc;

	rc = read_own_controls(pbox, &block);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		if (slot->ours)
			judge(pbox, slot, control_at(&block, unc_reg_off(slot->ctl, slot->index)));
		if (stops(pbox) && (!slot->ours || slot->stolen))
			pbox->foreign |= enabled_in(slot, &block);
	}
	return UNC_OK;
}

bool unc_pmon1_all_ours(struct unc_pmon_box *pbox, const unsigned char *bytes, uint32_t first)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		uint32_t now = unc_le32(bytes + (unc_reg_off(slot->ctl, slot->index) - first));

		if (slot->ours ? !is_ours(slot, now) : unc_field_get(slot->en, now) != 0)
			return false;
	}
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];

		slot->stolen = false;
		slot->control_before = slot->control;
	}
	return true;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts back what was written: decides by what a register holds now; then all registers of an owner, last written first.
 */

#include "machine/areas.h"
#include "machine/gate.h"
#include "machine/nodes.h"
#include "map/field.h"

/* ---- one register ---- */

/*
 * Called when doubted bits turn out to read back: then the value that was read from the write-only bits is the former value, or 0
 * if a bit is really write-only.  Reserved bits that were read are not written back.
 */
static void trust(struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t doubted = entry->line.doubted, known = doubted | unc_reg_mask(entry->reg, UNC_WO);
	bool back;

	if (!entry->line.has_idle)
		return;
	/* It is not known whether an ended process wrote at all: then only a bit that reads 1 shows that it did. */
	back = ((now ^ entry->wrote) & doubted) == 0 && (!entry->adopted || now & doubted);
	for (size_t i = 0; entry->adopted && now & doubted && i < entry->line.n_values; i++)
		back |= ((now ^ entry->line.values[i]) & doubted) == 0;
	if (!back)
		return;
	entry->line.has_idle = false;
	entry->seen |= doubted;
	entry->line.before = (entry->line.before & known) | (entry->line.idle & ~known);
}

void unc_gate_was_read_back(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t now)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	if (entry && entry->written)
		trust(entry, now);
}

int unc_gate_verify_readback(struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	uint64_t now;
	int rc = unc_gate_get(box, reg, index, &now);

	if (rc == 0 && unc_gate_is_ones(box, reg, now))
		rc = unc_gate_gone(box);
	if (rc == 0)
		unc_gate_was_read_back(box, reg, index, now);
	return unc_gate_wrap(box, reg, index, rc);
}

/* Returns true if the register holds value in the bits that are ours, as far as they can be read. */
static bool holds(const struct unc_journal_entry *entry, uint64_t now, uint64_t value)
{
	return ((now ^ value) & entry->seen & entry->line.ours) == 0;
}

/* One try, with readback. */
static int try_target(struct unc_journal_entry *entry, uint64_t target)
{
	struct unc_box *box = entry->box;
	const struct unc_reg *reg = entry->reg;
	int digits = (int)reg->bits / 4, rc;
	uint64_t now;
	bool begun;

	rc = unc_gate_hand_over(entry, target, false, &begun);
	if (rc < 0)
		return rc;
	rc = unc_gate_get(box, reg, entry->index, &now);
	if (rc == 0 && unc_gate_is_ones(box, reg, now) && !unc_gate_is_ones(box, reg, target))
		rc = unc_gate_gone(box);
	if (rc < 0)
		return rc;
	if (!holds(entry, now, target))
		return unc_fail(box->machine->ctx, UNC_EIO,
				"wrote 0x%0*" PRIx64 " to put it back, but it reads 0x%0*" PRIx64, digits, target,
				digits, now);
	return UNC_OK;
}

/* Reads the register; two tries, since Linux returns all ones for a read that failed. */
static int read_now(const struct unc_journal_entry *entry, uint64_t *ret_now)
{
	int rc = UNC_EIO;

	for (unsigned try = 0; try < 2 && rc < 0; try++) {
		rc = unc_gate_get(entry->box, entry->reg, entry->index, ret_now);
		if (rc == UNC_ENODEV && unc_node_box_move(entry->box) == 0)
			rc = unc_gate_get(entry->box, entry->reg, entry->index, ret_now);
		if (rc == 0 && unc_gate_is_ones(entry->box, entry->reg, *ret_now) &&
		    !unc_gate_is_ones(entry->box, entry->reg, entry->wrote))
			rc = unc_gate_gone(entry->box);
	}
	return rc;
}

/*
 * Bits that writing 1 clears, that are set now and were not: those that the planner called any, since it makes the
 * hardware set them.
 */
static uint64_t newly_set(const struct unc_journal_entry *entry, uint64_t now)
{
	return now & ~entry->line.before & entry->line.any & unc_reg_mask(entry->reg, UNC_RW1C);
}

/*
 * Returns the value that puts the register back.  Reserved bits that the map wants written as 1 are written so, unless
 * they read 0 before and keep what is written.  Bits that writing 1 clears cannot be set again, and writing them as
 * they were read would clear others: only those are written 1 that are to be cleared.
 */
static uint64_t target_of(const struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t ones = unc_reg_blank(entry->reg), target = entry->line.before;

	if (((now ^ entry->line.before) & ones) == 0)
		target |= ones;
	if (entry->line.has_idle)
		target = entry->line.idle;
	target = (target & entry->line.ours) | (unc_reg_base(entry->reg, now) & ~entry->line.ours);
	return (target & ~unc_reg_mask(entry->reg, UNC_RW1C)) | newly_set(entry, now);
}

/* If it is not known whether anything was written, the former value, too, may hide bits that were. */
static bool holds_ours(const struct unc_journal_entry *entry, uint64_t now)
{
	const struct unc_journal_line *line = &entry->line;
	const uint64_t last[] = {entry->wrote, entry->wrote_before}, *values = entry->adopted ? line->values : last;
	size_t n_values = entry->adopted ? line->n_values : 2;
	uint64_t any = entry->adopted ? line->any : 0, high = UINT64_MAX << 32;
	bool whole = entry->adopted && holds(entry, now & ~any, line->before & ~any);
	/* Of two dwords written one after the other the second may not have arrived, also while putting back. */
	bool halves = entry->box->addr.kind == UNC_PCI && entry->reg->bits == 64;
	bool low_is_known = holds(entry, (uint32_t)now, (uint32_t)line->before),
	     high_is_known = holds(entry, now & high, line->before & high);

	for (size_t i = 0; i < n_values; i++) {
		whole |= holds(entry, now & ~any, values[i] & ~any);
		low_is_known |= holds(entry, (uint32_t)now, (uint32_t)values[i]);
		high_is_known |= holds(entry, now & high, values[i] & high);
	}
	return whole || (halves && low_is_known && high_is_known);
}

/* Returns true if the register is not there any more, with all that it held, since another is 0. */
static bool is_gone(const struct unc_journal_entry *entry)
{
	const struct unc_reg *reg = entry->reg->within ? unc_unit_reg(entry->box->unit, entry->reg->within) : NULL;
	uint64_t value;

	return reg && unc_gate_get(entry->box, reg, 0, &value) == 0 &&
	       unc_field_get(&reg->fields[reg->n_fields - 1], value) == 0;
}

int unc_gate_judge(struct unc_journal_entry *entry, struct unc_gate_verdict *ret_verdict)
{
	uint64_t cleared = unc_reg_mask(entry->reg, UNC_RW1C);
	struct unc_gate_verdict verdict = {.state = UNC_GATE_CHANGED};
	int rc = read_now(entry, &verdict.now);

	if (rc < 0 && is_gone(entry)) {
		*ret_verdict = (struct unc_gate_verdict){
			.state = UNC_GATE_BACK, .now = entry->line.before, .target = entry->line.before};
		return UNC_OK;
	}
	if (rc < 0)
		return rc;
	trust(entry, verdict.now);
	verdict.target = target_of(entry, verdict.now);
	/* The former value is there already and no bit of it is hidden: then there is nothing to write, and no write that can fail. */
	if (!newly_set(entry, verdict.now) && !entry->line.has_idle && unc_reg_mask(entry->reg, UNC_WO) == 0 &&
	    ((verdict.now ^ entry->line.before) & ~cleared & entry->line.ours) == 0)
		verdict.state = UNC_GATE_BACK;
	else if (holds_ours(entry, verdict.now))
		verdict.state = UNC_GATE_OURS;
	else if (holds(entry, verdict.now, verdict.target))
		verdict.state = UNC_GATE_BACK;
	if (verdict.state == UNC_GATE_OURS && entry->box->addr.kind == UNC_AREA)
		rc = unc_area_users(entry->box->machine, verdict.shared, sizeof(verdict.shared));
	if (*verdict.shared)
		verdict.state = UNC_GATE_CHANGED;
	*ret_verdict = verdict;
	return rc;
}

/* Two tries: then no single failing access can leave the machine changed. */
static int put_target(struct unc_journal_entry *entry, uint64_t target)
{
	uint64_t unseen = unc_reg_mask(entry->reg, UNC_WO) & ~entry->seen;
	int rc = try_target(entry, target);

	if (rc < 0)
		return try_target(entry, target);
	/*
	 * Again if it changes bits that cannot be read back, so that its arrival cannot be verified, or clears bits, which may stay
	 * set in silicon that does not do as documented: that is no failure.
	 */
	if (target & unc_reg_mask(entry->reg, UNC_RW1C) || (entry->wrote ^ target) & unseen)
		try_target(entry, target);
	return UNC_OK;
}

int unc_gate_put_back(struct unc_journal_entry *entry, struct unc_gate_verdict *verdict)
{
	bool tells = entry->line.has_idle && entry->line.idle & entry->line.doubted;
	int rc = put_target(entry, verdict->target);

	if (rc < 0 || !tells)
		return rc;
	rc = read_now(entry, &verdict->now);
	if (rc < 0)
		return rc;
	entry->wrote = verdict->target;
	trust(entry, verdict->now);
	if (entry->line.has_idle)
		return UNC_OK;
	verdict->target = target_of(entry, verdict->now);
	return put_target(entry, verdict->target);
}

uint64_t unc_gate_becomes(const struct unc_journal_entry *entry, const struct unc_gate_verdict *verdict)
{
	uint64_t cleared = unc_reg_mask(entry->reg, UNC_RW1C);

	return (verdict->target & ~cleared) | (verdict->now & ~verdict->target & cleared);
}

/* ---- all of an owner ---- */

static int restore(struct unc_journal_entry *entry)
{
	int digits = (int)entry->reg->bits / 4, rc;
	struct unc_gate_verdict verdict;
	char name[UNC_GATE_TEXT];

	rc = unc_gate_judge(entry, &verdict);
	if (rc < 0 || verdict.state == UNC_GATE_BACK)
		return rc;
	if (verdict.state == UNC_GATE_OURS)
		return unc_gate_put_back(entry, &verdict);
	if (*verdict.shared) {
		unc_note(entry->box->machine->ctx, "%s: %s is left as it is (0x%" PRIx64 "): %s", entry->box->name,
			 unc_gate_reg_text(entry->reg, entry->index, name), verdict.now, verdict.shared);
		return UNC_OK;
	}
	unc_note(entry->box->machine->ctx,
		 unc_gate_counts(entry->reg) ? "%s: %s has counted on since it was written (0x%0*" PRIx64
					       ", now 0x%0*" PRIx64 "): left alone, its former count is not put back"
					     : "%s: %s no longer holds what was written (0x%0*" PRIx64
					       ", now 0x%0*" PRIx64 "): another program changed it, left alone",
		 entry->box->name, unc_gate_reg_text(entry->reg, entry->index, name), digits, entry->wrote, digits,
		 verdict.now);
	return UNC_OK;
}

/* Registers of one box that could not be put back, for one message about all of them. */
struct not_back {
	struct unc_box *box; /* NULL: none */
	char regs[160];      /* "CTL[3], CTL[2], BOX_CTL" */
	unsigned n;
	char why[UNC_MSG_MAX]; /* why the first could not */
};

/* The first message is the failure, which the caller reports; the others are notes. */
static void report_not_back(struct unc_machine *m, struct not_back *lost, struct unc_saved_msg *first, int *ret)
{
	if (!lost->box)
		return;
	if (m->dry_run) /* nothing was written */
		unc_fail(m->ctx, UNC_EIO, "what would be put back cannot be told: %s: %s: %.700s", lost->box->name,
			 lost->regs, lost->why);
	else
		unc_fail(m->ctx, UNC_EIO, "register%s not put back: %s: %s: %.700s", lost->n == 1 ? "" : "s",
			 lost->box->name, lost->regs, lost->why);
	if (*ret == 0)
		unc_msg_save(m->ctx, first);
	else
		unc_note(m->ctx, "%s", m->ctx->msg);
	*ret = UNC_EIO;
	lost->box = NULL;
}

int unc_gate_restore(struct unc_machine *m, const void *owner)
{
	struct unc_journal *journal = &m->journal;
	struct not_back lost = {0};
	struct unc_saved_msg first;
	char fields[120], name[UNC_GATE_TEXT];
	unsigned n_idle = 0;
	struct unc_journal_entry idle_entry = {0};
	int ret = UNC_OK;

	for (size_t i = journal->n; i-- > 0;) {
		struct unc_journal_entry *entry = &journal->entries[i];
		int rc;

		if (entry->lost || (owner && entry->owner != owner))
			continue;
		rc = entry->written ? restore(entry) : UNC_OK;
		/*
		 * It is not ours any more.  What could not be put back stays on disk for `recover`, and in memory: the next
		 * planner must not take our value for the former one.
		 */
		entry->lost = rc < 0;
		entry->dropped = !entry->lost;
		if (rc == 0 && !entry->adopted)
			unc_journal_disk_drop(m->disk, &entry->box->addr, unc_reg_off(entry->reg, entry->index));
		if (lost.box && lost.box != entry->box) {
			struct unc_saved_msg failure;

			unc_msg_save(m->ctx, &failure);
			report_not_back(m, &lost, &first, &ret);
			unc_msg_restore(m->ctx, &failure);
		}
		if (rc < 0 && !lost.box) {
			lost = (struct not_back){.box = entry->box};
			memcpy(lost.why, m->ctx->msg, sizeof(lost.why));
		}
		if (rc < 0) {
			unc_text_join(lost.regs, sizeof(lost.regs), ", ", "%s",
				      unc_gate_reg_text(entry->reg, entry->index, name));
			lost.n++;
		} else if (entry->written && entry->line.has_idle) {
			n_idle++;
			idle_entry = *entry;
		}
	}
	report_not_back(m, &lost, &first, &ret);
	unc_journal_sweep(journal);
	/*
	 * Noted at once if other owners still write: a register that is back may soon be another program's.  If the
	 * note cannot be written, `recover` finds the register as it was.
	 */
	if (journal->n == 0)
		unc_journal_disk_done(m->disk);
	else if (ret == 0)
		unc_journal_disk_sync(m->disk);
	unc_claim_leave(m, owner);
	if (n_idle && !m->dry_run)
		unc_remark(m->ctx, "%s cannot be read back on this part; it was left idle (%s) on %u box%s",
			   idle_entry.reg->name,
			   unc_reg_text(idle_entry.reg, idle_entry.line.idle, fields, sizeof(fields)), n_idle,
			   n_idle == 1 ? "" : "es");
	if (ret < 0)
		unc_msg_restore(m->ctx, &first);
	return ret;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/gate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "access/write.h"
#include "base/err.h"
#include "machine/journal_disk.h"
#include "map/field.h"

enum { PCI_HEADER_BYTES = 0x40 }; /* PCI Local Bus Specification 3.0, section 6.1: predefined header */

enum { REG_TEXT = 64 };
/* "CTL[3]".  Returns buf. */
static const char *reg_text(const struct unc_reg *reg, unsigned index, char buf[REG_TEXT])
{
	snprintf(buf, REG_TEXT, reg->count > 1 ? "%.40s[%u]" : "%.40s", reg->name, index);
	return buf;
}

/* "socket0.imc0.ch2: CTL[3]" */
static int wrap_reg(const struct unc_box *box, const struct unc_reg *reg, unsigned index, int rc)
{
	char name[REG_TEXT];

	if (rc >= 0)
		return rc;
	return unc_wrap(box->machine->ctx, rc, "%s: %s", box->name, reg_text(reg, index, name));
}

static int get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	unsigned char bytes[8] = {0};
	int rc;

	rc = unc_box_reach(box);
	if (rc < 0)
		return rc;
	rc = unc_read_block(box->space, unc_reg_off(reg, index), bytes, reg->bits / 8);
	if (rc < 0)
		return rc;
	*ret_value = unc_le64(bytes);
	return UNC_OK;
}

/* How a configuration cycle reads that nobody answered.  A model-specific register that is not there is refused instead. */
static bool is_ones(const struct unc_box *box, const struct unc_reg *reg, uint64_t value)
{
	return box->addr.kind == UNC_PCI && value == unc_reg_all(reg);
}

static int gone(const struct unc_box *box)
{
	return unc_fail(box->machine->ctx, UNC_ENODEV, "pci %s: reads as all ones: the function is gone", box->pci);
}

int unc_reg_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return wrap_reg(box, reg, index, get(box, reg, index, ret_value));
}

/* All ones count only when they are read twice from a function that has ids. */
static int get_surely(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	uint64_t value = 0;
	uint32_t ids;
	int rc;

	rc = get(box, reg, index, &value);
	if (rc == 0 && is_ones(box, reg, value)) {
		rc = unc_read32(box->space, 0, &ids);
		if (rc == 0 && ids == UINT32_MAX)
			rc = gone(box);
		if (rc == 0)
			rc = get(box, reg, index, &value);
	}
	if (rc == 0)
		*ret_value = value;
	return rc;
}

int unc_reg_look(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return wrap_reg(box, reg, index, get_surely(box, reg, index, ret_value));
}

static int place_allowed(const struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	struct unc_ctx *ctx = box->machine->ctx;
	const struct unc_unit *unit = box->unit;

	if (reg < unit->regs || reg >= unit->regs + unit->n_regs || index >= reg->count)
		return unc_fail(ctx, UNC_EDENIED, "not a register of %s", unit->path);
	if (box->raw && reg->never)
		return unc_fail(ctx, UNC_EDENIED, "%s", box->why);
	if (unit->kind == UNC_MSR && reg->bits == 64)
		return UNC_OK;
	if (unit->kind != UNC_PCI)
		return unc_fail(ctx, UNC_EDENIED,
				"only registers of PCI configuration space and 64-bit MSRs are written");
	if (unc_reg_off(reg, index) < PCI_HEADER_BYTES)
		return unc_fail(ctx, UNC_EDENIED, "the configuration header (0x00-0x3f) is never written");
	if (box->bridge && unit == box->raw)
		return unc_fail(ctx, UNC_EDENIED,
				"this is a PCI bridge: its registers are never written by their offset");
	if (unit->loaded && box->bridge)
		return unc_fail(ctx, UNC_EDENIED, "%s is a PCI bridge, and %s was not built in", box->pci, unit->path);
	return UNC_OK;
}

/* Does the map allow it, whoever asks? */
static int map_allows(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	int rc;

	if (box->presence != UNC_PRESENT)
		return unc_fail(box->machine->ctx, box->rc, "%s", box->why);
	rc = place_allowed(box, reg, index);
	return rc < 0 ? rc : unc_reg_allows(box->machine->ctx, reg, value);
}

int unc_gate_allows(const struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	return wrap_reg(box, reg, index, map_allows(box, reg, index, value));
}

static int allowed(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	int rc;

	if (!box->machine->writable)
		return unc_fail(box->machine->ctx, UNC_EDENIED, "the machine was opened read-only");
	rc = unc_box_reach(box);
	return rc < 0 ? rc : map_allows(box, reg, index, value);
}

/* What it holds before the first write.  A control is never all ones; of what no map names nobody knows. */
static int get_before(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_before)
{
	int rc = box->raw ? get_surely(box, reg, index, ret_before) : get(box, reg, index, ret_before);

	return rc == 0 && !box->raw && is_ones(box, reg, *ret_before) ? gone(box) : rc;
}

/* A write to be done: of which the journal knows, or whose former value it is to get. */
struct write {
	struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
	const void *owner;
	uint64_t value;
	uint64_t ours;       /* the bits of it that are */
	const uint64_t *was; /* what it was read to hold just now; NULL: it was not */
};

/* The former value is in the journal before the first write, or there is no write. */
static int journal(const struct write *w, struct unc_journal_entry **ret_entry)
{
	struct unc_box *box = w->box;
	struct unc_journal_entry *entry;
	uint64_t before = 0;
	int rc = UNC_OK;

	if (w->was)
		before = *w->was;
	else
		rc = get_before(box, w->reg, w->index, &before);
	if (rc < 0)
		return rc;
	entry = unc_journal_add(&box->machine->journal, box);
	if (!entry)
		return unc_fail(box->machine->ctx, UNC_ENOMEM, "out of memory");
	entry->owner = w->owner;
	entry->reg = w->reg;
	entry->index = w->index;
	entry->before = before;
	entry->wrote = before;
	entry->wrote_before = before;
	entry->seen = unc_reg_readback_mask(w->reg);
	*ret_entry = entry;
	return UNC_OK;
}

/* "write socket0.imc0.ch2 (0000:7f:10.4) CTL[3] at 0xe4: 0x00400304 (en=1 umask=0x3 ev_sel=0x4)" */
static void tell_write(const struct unc_journal_entry *entry, uint64_t value)
{
	const struct unc_box *box = entry->box;
	const struct unc_reg *reg = entry->reg;
	char fields[200], line[400], name[REG_TEXT], addr[UNC_ADDR_TEXT];
	uint32_t off = unc_reg_off(reg, entry->index);
	int digits = (int)reg->bits / 4;

	if (box->raw)
		snprintf(line, sizeof(line), "write %s at 0x%" PRIx32 ": 0x%0*" PRIx64, box->name, off, digits, value);
	else
		snprintf(line, sizeof(line), "write %s (%s) %s at 0x%" PRIx32 ": 0x%0*" PRIx64 " (%s)", box->name,
			 unc_addr_text(&box->addr, addr), reg_text(reg, entry->index, name), off, digits, value,
			 unc_reg_text(reg, value, fields, sizeof(fields)));
	box->machine->dry_run(box->machine->dry_run_arg, line);
}

/*
 * One access: an MSR, or a dword of configuration space; a register of 64 bits there is two, the low one first.
 * *ret_begun: something of it may have arrived although it failed.
 */
static int hand_to_bus(const struct unc_journal_entry *entry, uint64_t value, bool *ret_begun)
{
	struct unc_space *space = entry->box->space;
	uint32_t off = unc_reg_off(entry->reg, entry->index);
	unsigned char bytes[8];
	int rc;

	*ret_begun = false;
	if (entry->box->addr.kind == UNC_MSR)
		return unc_write64(space, off, value);
	unc_put_le64(bytes, value);
	rc = unc_write32(space, off, unc_le32(bytes));
	if (rc < 0 || entry->reg->bits == 32)
		return rc;
	*ret_begun = true;
	return unc_write32(space, off + 4, unc_le32(bytes + 4));
}

/*
 * The write itself, or with --dry-run what it would be.  Then the bus keeps what would read back: bits that the map calls
 * write-only stay as they were.
 */
static int hand_over(const struct unc_journal_entry *entry, uint64_t value, bool *ret_begun)
{
	uint64_t kept = unc_reg_readback_mask(entry->reg);

	if (entry->box->machine->dry_run) {
		tell_write(entry, value);
		value = (value & kept) | (entry->before & ~kept);
	}
	return hand_to_bus(entry, value, ret_begun);
}

/*
 * In the journal before the write: one that fails may have arrived all the same.  But what the operating system refuses
 * it has not handed on, so there is nothing to put back.
 */
static int write_journalled(struct unc_journal_entry *entry, uint64_t value, uint64_t ours, bool first)
{
	struct unc_journal_entry was = *entry;
	bool begun;
	int rc;

	if (value != entry->wrote) /* the same once more does not forget what may still be there */
		entry->wrote_before = entry->wrote;
	entry->wrote = value;
	entry->ours |= ours;
	rc = hand_over(entry, value, &begun);
	if (rc != UNC_EPERM || begun)
		return rc;
	*entry = was;
	if (first)
		unc_gate_keep(entry->box, entry->reg, entry->index);
	return rc;
}

static int write_through(const struct write *w)
{
	struct unc_journal_entry *entry = unc_journal_find(&w->box->machine->journal, w->box, w->reg, w->index);
	bool first = !entry;
	int rc;

	rc = allowed(w->box, w->reg, w->index, w->value);
	if (rc == 0 && first)
		rc = journal(w, &entry);
	return rc == 0 ? write_journalled(entry, w->value, w->ours, first) : rc;
}

int unc_gate_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value, const void *owner)
{
	const struct write w = {
		.box = box, .reg = reg, .index = index, .owner = owner, .value = value, .ours = UINT64_MAX};

	return wrap_reg(box, reg, index, write_through(&w));
}

int unc_gate_set_field(struct unc_box *box, const struct unc_gate_field *place, uint64_t was, uint64_t number,
		       const void *owner)
{
	struct write w = {
		.box = box,
		.reg = place->reg,
		.index = place->index,
		.owner = owner,
		.value = unc_reg_base(place->reg, was),
		.ours = unc_field_mask(place->field),
		.was = &was,
	};
	int rc = unc_field_set(box->machine->ctx, place->field, number, &w.value);

	if (rc == 0)
		rc = write_through(&w);
	return wrap_reg(box, place->reg, place->index, rc);
}

/*
 * Bits in doubt that read back after all: then what was read of the write-only bits is the former value, or 0 where a bit
 * is write-only indeed.  Reserved bits that were read are not written back.
 */
static void trust(struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t known = entry->doubted | unc_reg_mask(entry->reg, UNC_WO);

	if (!entry->has_idle || ((now ^ entry->wrote) & entry->doubted))
		return;
	entry->has_idle = false;
	entry->seen |= entry->doubted;
	entry->before = (entry->before & known) | (entry->idle & ~known);
}

int unc_gate_settle(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t mask, uint64_t idle)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	uint64_t now;
	int rc;

	if (!entry)
		return unc_fail(box->machine->ctx, UNC_EARG, "%s: %s was never written", box->name, reg->name);
	rc = unc_reg_get(box, reg, index, &now);
	if (rc == 0 && is_ones(box, reg, now))
		rc = wrap_reg(box, reg, index, gone(box));
	if (rc < 0)
		return rc;
	entry->doubted = mask;
	entry->has_idle = true;
	entry->idle = idle;
	trust(entry, now);
	return UNC_OK;
}

/* Its value changes by itself, and nobody but the hardware did it. */
static bool counts(const struct unc_reg *reg)
{
	return unc_reg_field(reg, "event_count") != NULL;
}

int unc_gate_see(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_now)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	uint64_t now = 0;
	int rc;

	rc = unc_reg_look(box, reg, index, &now);
	if (rc < 0)
		return rc;
	if (entry && !counts(reg))
		entry->seen &= ~(now ^ entry->wrote);
	*ret_now = now;
	return UNC_OK;
}

void unc_gate_missed(struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	if (entry)
		entry->wrote = entry->wrote_before;
}

void unc_gate_keep(struct unc_box *box, const struct unc_reg *reg, unsigned index)
{
	struct unc_journal *journal = &box->machine->journal;
	struct unc_journal_entry *entry = unc_journal_find(journal, box, reg, index);

	if (!entry)
		return;
	entry->dropped = true;
	unc_journal_sweep(journal);
}

/* Does the register hold value in the bits that are ours, as far as they can be read? */
static bool holds(const struct unc_journal_entry *entry, uint64_t now, uint64_t value)
{
	return ((now ^ value) & entry->seen & entry->ours) == 0;
}

/* One try, read back. */
static int put_back(struct unc_journal_entry *entry, uint64_t target)
{
	struct unc_box *box = entry->box;
	const struct unc_reg *reg = entry->reg;
	int digits = (int)reg->bits / 4, rc;
	uint64_t now;
	bool begun;

	rc = hand_over(entry, target, &begun);
	if (rc < 0)
		return rc;
	rc = get(box, reg, entry->index, &now);
	if (rc == 0 && is_ones(box, reg, now) && !is_ones(box, reg, target))
		rc = gone(box);
	if (rc < 0)
		return rc;
	if (!holds(entry, now, target))
		return unc_fail(box->machine->ctx, UNC_EIO,
				"wrote 0x%0*" PRIx64 " to put it back, but it reads 0x%0*" PRIx64, digits, target,
				digits, now);
	return UNC_OK;
}

/* What the register holds; two tries, as Linux makes all ones of a read that failed. */
static int look(const struct unc_journal_entry *entry, uint64_t *ret_now)
{
	int rc = UNC_OK;

	for (unsigned try = 0; try < 2; try++) {
		rc = get(entry->box, entry->reg, entry->index, ret_now);
		if (rc == 0 && is_ones(entry->box, entry->reg, *ret_now) &&
		    !is_ones(entry->box, entry->reg, entry->wrote))
			rc = gone(entry->box);
		if (rc == 0)
			return UNC_OK;
	}
	return rc;
}

static void note_changed(const struct unc_journal_entry *entry, uint64_t now)
{
	struct unc_ctx *ctx = entry->box->machine->ctx;
	int digits = (int)entry->reg->bits / 4;
	char name[REG_TEXT];

	reg_text(entry->reg, entry->index, name);
	if (counts(entry->reg))
		unc_note(ctx,
			 "%s: %s has counted on since it was written (0x%0*" PRIx64 ", now 0x%0*" PRIx64
			 "): left alone, its former count is not put back",
			 entry->box->name, name, digits, entry->wrote, digits, now);
	else
		unc_note(ctx,
			 "%s: %s no longer holds what was written (0x%0*" PRIx64 ", now 0x%0*" PRIx64
			 "): somebody else's, left alone",
			 entry->box->name, name, digits, entry->wrote, digits, now);
}

/* Is the former value there already, with no bit of it hidden?  Then there is nothing to write, and no write to fail. */
static bool is_back(const struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t cleared = unc_reg_mask(entry->reg, UNC_RW1C);

	return !entry->has_idle && unc_reg_mask(entry->reg, UNC_WO) == 0 &&
	       ((now ^ entry->before) & ~cleared & entry->ours) == 0;
}

/* Would it change bits that cannot be read back, so that nobody sees whether it arrives? */
static bool is_unseen(const struct unc_journal_entry *entry, uint64_t target)
{
	return ((entry->wrote ^ target) & unc_reg_mask(entry->reg, UNC_WO) & ~entry->seen) != 0;
}

/*
 * What is written to put it back.  Reserved bits that the map wants written 1 are, unless they show that they were 0 before and
 * keep what is written to them.  Bits that writing 1 clears cannot be set again, and written as they were read they would
 * clear others.
 */
static uint64_t target_of(const struct unc_journal_entry *entry, uint64_t now)
{
	uint64_t ones = unc_reg_blank(entry->reg), target = entry->before;

	if (((now ^ entry->before) & ones) == 0)
		target |= ones;
	if (entry->has_idle)
		target = entry->idle;
	target = (target & entry->ours) | (unc_reg_base(entry->reg, now) & ~entry->ours);
	return target & ~unc_reg_mask(entry->reg, UNC_RW1C);
}

static int restore(struct unc_journal_entry *entry)
{
	uint64_t target, now;
	int rc;

	rc = look(entry, &now);
	if (rc < 0)
		return rc;
	trust(entry, now);
	if (is_back(entry, now))
		return UNC_OK;
	target = target_of(entry, now);
	if (!holds(entry, now, entry->wrote) && !holds(entry, now, entry->wrote_before)) {
		if (!holds(entry, now, target))
			note_changed(entry, now);
		return UNC_OK;
	}
	/* Two tries: then no single failing access can leave the machine changed. */
	rc = put_back(entry, target);
	if (rc < 0)
		return put_back(entry, target);
	if (is_unseen(entry, target))
		put_back(entry, target);
	return UNC_OK;
}

static void note_idle(struct unc_machine *m, unsigned n, const struct unc_journal_entry *entry)
{
	char text[120];

	if (n && !m->dry_run)
		unc_note(m->ctx, "%s cannot be read back on this part; it was left idle (%s) on %u box%s",
			 entry->reg->name, unc_reg_text(entry->reg, entry->idle, text, sizeof(text)), n,
			 n == 1 ? "" : "es");
}

/* Registers of one box that could not be put back: one sentence for all of them. */
struct not_back {
	struct unc_box *box; /* NULL: none */
	char regs[160];      /* "CTL[3], CTL[2], BOX_CTL" */
	unsigned n;
	char why[UNC_MSG_MAX]; /* the first could not */
};

/* The first sentence is the failure, which is left to the caller; the others are notes. */
static void tell_not_back(struct unc_machine *m, struct not_back *lost, struct unc_saved_msg *first, int *ret)
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

/* An entry's failure, whose sentence is in the context, joins those of its box: of one box they stand together. */
static void add_not_back(const struct unc_journal_entry *entry, struct not_back *lost)
{
	char name[REG_TEXT];
	size_t len;

	if (!lost->box) {
		*lost = (struct not_back){.box = entry->box};
		memcpy(lost->why, entry->box->machine->ctx->msg, sizeof(lost->why));
	}
	len = strlen(lost->regs);
	snprintf(lost->regs + len, sizeof(lost->regs) - len, "%s%s", lost->n ? ", " : "",
		 reg_text(entry->reg, entry->index, name));
	lost->n++;
}

int unc_gate_restore(struct unc_machine *m, const void *owner)
{
	struct unc_journal *journal = &m->journal;
	struct unc_journal_entry idle_entry = {0};
	struct not_back lost = {0};
	struct unc_saved_msg first;
	unsigned n_idle = 0;
	int ret = UNC_OK;

	for (size_t i = journal->n; i-- > 0;) {
		struct unc_journal_entry *entry = &journal->entries[i];
		int rc;

		if (owner && entry->owner != owner)
			continue;
		rc = restore(entry);
		entry->dropped = true;
		if (lost.box && lost.box != entry->box) {
			struct unc_saved_msg failure;

			unc_msg_save(m->ctx, &failure);
			tell_not_back(m, &lost, &first, &ret);
			unc_msg_restore(m->ctx, &failure);
		}
		if (rc < 0) {
			add_not_back(entry, &lost);
		} else if (entry->has_idle) {
			n_idle++;
			idle_entry = *entry;
		}
	}
	tell_not_back(m, &lost, &first, &ret);
	unc_journal_sweep(journal);
	note_idle(m, n_idle, &idle_entry);
	if (ret < 0)
		unc_msg_restore(m->ctx, &first);
	return ret;
}

int unc_gate_plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner)
{
	(void)box;
	(void)intent;
	(void)owner;
	return UNC_OK;
}

int unc_gate_ready(struct unc_machine *m)
{
	return unc_journal_disk_sync(m->disk);
}

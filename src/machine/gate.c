// SPDX-License-Identifier: GPL-2.0-or-later
/* The write: the only file that hands one to a bus. */
#include "machine/gate.h"

#include <inttypes.h>
#include <stdio.h>

#include "access/write.h"
#include "base/err.h"
#include "machine/gate_entry.h"
#include "map/field.h"

/* A write to be done. */
struct write {
	struct unc_box *box;
	const struct unc_reg *reg;
	unsigned index;
	const void *owner;
	uint64_t value;
	uint64_t ours;       /* the bits of it that are */
	const uint64_t *was; /* what it was read to hold just now; NULL: it was not */
	bool only_low;       /* of the two dwords of a 64-bit register of configuration space */
};

/* "write socket0.imc0.ch2 (0000:7f:10.4) CTL[3] at 0xe4: 0x00400304 (en=1 umask=0x3 ev_sel=0x4)" */
static void tell_write(const struct unc_journal_entry *entry, uint64_t value)
{
	const struct unc_box *box = entry->box;
	const struct unc_reg *reg = entry->reg;
	char fields[200], line[400], name[UNC_GATE_TEXT], addr[UNC_ADDR_TEXT];
	uint32_t off = unc_reg_off(reg, entry->index);
	int digits = (int)reg->bits / 4;

	if (box->raw)
		snprintf(line, sizeof(line), "write %s at 0x%" PRIx32 ": 0x%0*" PRIx64, box->name, off, digits, value);
	else
		snprintf(line, sizeof(line), "write %s (%s) %s at 0x%" PRIx32 ": 0x%0*" PRIx64 " (%s)", box->name,
			 unc_addr_text(&box->addr, addr), unc_gate_reg_text(reg, entry->index, name), off, digits,
			 value, unc_reg_text(reg, value, fields, sizeof(fields)));
	box->machine->dry_run(box->machine->dry_run_arg, line);
}

/*
 * One access: an MSR, or a dword of configuration space; a register of 64 bits there is two, the low one first.
 * *ret_begun: something of it may have arrived although it failed.
 */
static int hand_to_bus(const struct unc_journal_entry *entry, uint64_t value, bool only_low, bool *ret_begun)
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
	if (rc < 0 || entry->reg->bits == 32 || only_low)
		return rc;
	*ret_begun = true;
	return unc_write32(space, off + 4, unc_le32(bytes + 4));
}

/* In a dry run the bus keeps what would read back: bits that the map calls write-only stay as they were. */
static int hand_over(const struct unc_journal_entry *entry, uint64_t value, bool only_low, bool *ret_begun)
{
	uint64_t kept = unc_reg_readback_mask(entry->reg);

	if (entry->box->machine->dry_run) {
		tell_write(entry, value);
		value = (value & kept) | (entry->before & ~kept);
	}
	return hand_to_bus(entry, value, only_low, ret_begun);
}

int unc_gate_hand_over(const struct unc_journal_entry *entry, uint64_t value, bool *ret_begun)
{
	return hand_over(entry, value, false, ret_begun);
}

/*
 * In the journal before the write: one that fails may have arrived all the same.  But what the operating system refuses
 * it has not handed on, so there is nothing to put back.
 */
static int write_journalled(struct unc_journal_entry *entry, const struct write *w)
{
	struct unc_journal_entry was = *entry;
	bool begun;
	int rc;

	if (!entry->written)
		entry->owner = w->owner;
	entry->written = true;
	if (w->value != entry->wrote) /* the same once more does not forget what may still be there */
		entry->wrote_before = entry->wrote;
	entry->wrote = w->value;
	rc = hand_over(entry, w->value, w->only_low, &begun);
	if (rc == UNC_EPERM && !begun)
		*entry = was;
	return rc;
}

static int write_through(const struct write *w)
{
	struct unc_journal_entry *entry = unc_journal_find(&w->box->machine->journal, w->box, w->reg, w->index);
	bool first = !entry;
	int rc;

	rc = unc_gate_may_write(w->box, w->reg, w->index, w->value);
	if (rc == 0 && !first)
		rc = unc_gate_regain(entry, entry->any, w->owner);
	else if (rc == 0)
		rc = unc_gate_enter(w->box, &(struct unc_gate_intent){.reg = w->reg, .index = w->index, .was = w->was},
				    w->owner, &entry);
	if (rc < 0 || !entry)
		return rc;
	rc = unc_gate_foresee(entry, w->value, w->ours);
	if (rc == 0)
		rc = write_journalled(entry, w);
	if (rc < 0 && first && !entry->written)
		unc_gate_keep(w->box, w->reg, w->index);
	return rc;
}

int unc_gate_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value, const void *owner)
{
	const struct write w = {
		.box = box, .reg = reg, .index = index, .owner = owner, .value = value, .ours = UINT64_MAX};

	return unc_gate_wrap(box, reg, index, write_through(&w));
}

int unc_gate_write_low(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value,
		       const void *owner)
{
	const struct write w = {.box = box,
				.reg = reg,
				.index = index,
				.owner = owner,
				.value = value,
				.ours = UINT64_MAX,
				.only_low = true};

	return unc_gate_wrap(box, reg, index, write_through(&w));
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
	return unc_gate_wrap(box, place->reg, place->index, rc);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Writing registers by their names. */
#include "base/err.h"
#include "machine/gate.h"
#include "machine/machine.h"
#include "map/field.h"
#include "uncore/reg.h"

static const char by_name[1]; /* whose writes these are, for unc_gate_restore() */

int unc_box_reg_base(const struct unc_box *box, size_t reg, uint64_t was, uint64_t *ret_value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	if (!found)
		return UNC_ENOREG;
	*ret_value = unc_reg_base(found, was);
	return UNC_OK;
}

static int cannot_write(const struct unc_box *box, const struct unc_reg *reg, const struct unc_field *field)
{
	return unc_fail(box->machine->ctx, UNC_EDENIED, "%s: %s.%s is %s", box->name, reg->name, field->name,
			field->acc == UNC_RO ? "read-only" : "reserved: nothing may be written there");
}

int unc_box_field_put(const struct unc_box *box, size_t reg, size_t field, uint64_t number, uint64_t *value)
{
	struct unc_ctx *ctx = box->machine->ctx;
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);
	const struct unc_field *f;

	if (!found)
		return UNC_ENOREG;
	if (field >= found->n_fields)
		return unc_fail(ctx, UNC_ENOREG, "%s: %s has no field number %zu", box->name, found->name, field);
	f = &found->fields[field];
	if (f->acc == UNC_RO || f->acc == UNC_RSVD)
		return cannot_write(box, found, f);
	return unc_wrap(ctx, unc_field_set(ctx, f, number, value), "%s: %s", box->name, found->name);
}

int unc_box_reg_allows(const struct unc_box *box, size_t reg, uint64_t value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	return found ? unc_gate_allows(box, found, index, value) : UNC_ENOREG;
}

/*
 * Write-only bits: where those just set read back, what was read before is what was there; else it is not known, and in the
 * end they are 0.
 */
static int settle(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t was, uint64_t value)
{
	uint64_t hidden = unc_reg_mask(reg, UNC_WO), idle = unc_reg_base(reg, was);

	return hidden ? unc_gate_settle(box, reg, index, value & hidden, idle) : UNC_OK;
}

/* What was there before the first of our writes. */
static int before(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_was)
{
	const struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);

	if (!entry || !entry->written)
		return unc_fail(box->machine->ctx, UNC_EARG, "%s: %s was never written", box->name, reg->name);
	*ret_was = entry->before;
	return UNC_OK;
}

/* The line on the disk has what settle() will ask. */
static int plan(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	const struct unc_journal_entry *entry = unc_journal_find(&box->machine->journal, box, reg, index);
	struct unc_gate_intent intent = {.reg = reg, .index = index, .values = &value, .n_values = 1};
	uint64_t was;
	int rc;

	rc = entry ? UNC_OK : unc_reg_look(box, reg, index, &was);
	if (rc < 0)
		return rc;
	if (entry)
		was = entry->before;
	intent.was = &was;
	intent.doubted = value & unc_reg_mask(reg, UNC_WO);
	intent.idle = unc_reg_base(reg, was);
	return unc_gate_plan(box, &intent, by_name);
}

int unc_box_reg_plan(struct unc_box *box, size_t reg, uint64_t value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	return found ? plan(box, found, index, value) : UNC_ENOREG;
}

int unc_box_reg_write(struct unc_box *box, size_t reg, uint64_t value, uint64_t *ret_now)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);
	uint64_t was, now;
	int rc;

	if (!found)
		return UNC_ENOREG;
	rc = unc_gate_write(box, found, index, value, by_name);
	if (rc == 0)
		rc = before(box, found, index, &was);
	if (rc == 0)
		rc = settle(box, found, index, was, value);
	if (rc == 0)
		rc = unc_gate_see(box, found, index, &now);
	if (rc == 0)
		*ret_now = now;
	return rc;
}

int unc_box_reg_keep(struct unc_box *box, size_t reg)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	if (!found)
		return UNC_ENOREG;
	unc_gate_keep(box, found, index);
	return UNC_OK;
}

int unc_machine_put_back(struct unc_machine *m)
{
	return unc_gate_restore(m, by_name);
}

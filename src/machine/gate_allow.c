// SPDX-License-Identifier: GPL-2.0-or-later
/* May a register be written? */
#include "base/err.h"
#include "machine/gate.h"
#include "machine/gate_entry.h"
#include "map/field.h"

enum { PCI_HEADER_BYTES = 0x40 }; /* PCI Local Bus Specification 3.0, section 6.1: predefined header */

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

/* Does the map allow it at all? */
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
	return unc_gate_wrap(box, reg, index, map_allows(box, reg, index, value));
}

int unc_gate_may_write(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t value)
{
	int rc;

	if (!box->machine->writable)
		return unc_fail(box->machine->ctx, UNC_EDENIED, "the machine was opened read-only");
	rc = unc_box_reach(box);
	return rc < 0 ? rc : map_allows(box, reg, index, value);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What registers hold. */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "machine/gate.h"
#include "machine/gate_entry.h"
#include "map/field.h"

const char *unc_gate_reg_text(const struct unc_reg *reg, unsigned index, char buf[UNC_GATE_TEXT])
{
	snprintf(buf, UNC_GATE_TEXT, reg->count > 1 ? "%.40s[%u]" : "%.40s", reg->name, index);
	return buf;
}

int unc_gate_wrap(const struct unc_box *box, const struct unc_reg *reg, unsigned index, int rc)
{
	const struct unc_ctx *ctx = box->machine->ctx;
	char name[UNC_GATE_TEXT];

	if (rc >= 0 || strncmp(ctx->msg, box->name, strlen(box->name)) == 0)
		return rc;
	return unc_wrap(box->machine->ctx, rc, "%s: %s", box->name, unc_gate_reg_text(reg, index, name));
}

int unc_gate_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
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

bool unc_gate_is_ones(const struct unc_box *box, const struct unc_reg *reg, uint64_t value)
{
	return box->addr.kind == UNC_PCI && value == unc_reg_all(reg);
}

int unc_gate_gone(const struct unc_box *box)
{
	return unc_fail(box->machine->ctx, UNC_ENODEV, "pci %s: reads as all ones: the function is gone", box->pci);
}

int unc_reg_get(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return unc_gate_wrap(box, reg, index, unc_gate_get(box, reg, index, ret_value));
}

int unc_gate_get_surely(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	uint64_t value = 0;
	uint32_t ids;
	int rc;

	rc = unc_gate_get(box, reg, index, &value);
	if (rc == 0 && unc_gate_is_ones(box, reg, value)) {
		rc = unc_read32(box->space, 0, &ids);
		if (rc == 0 && ids == UINT32_MAX)
			rc = unc_gate_gone(box);
		if (rc == 0)
			rc = unc_gate_get(box, reg, index, &value);
	}
	if (rc == 0)
		*ret_value = value;
	return rc;
}

int unc_reg_look(struct unc_box *box, const struct unc_reg *reg, unsigned index, uint64_t *ret_value)
{
	return unc_gate_wrap(box, reg, index, unc_gate_get_surely(box, reg, index, ret_value));
}

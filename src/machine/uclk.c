// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock of a socket's uncore, and its limits: unit uclk. */
#include "machine/gate.h"
#include "map/field.h"

/* Ratios count in 100 MHz (Linux, uncore-frequency.c). */
#define RATIO_MHZ UINT64_C(100)

static int ratio(struct unc_box *box, const char *name, const char *first, const char *second, uint64_t ret_mhz[2])
{
	const struct unc_reg *reg = unc_unit_reg(box->unit, name);
	struct unc_ctx *ctx = box->machine->ctx;
	uint64_t value;
	int rc;

	if (!reg)
		return unc_fail(ctx, UNC_ENOSUP, "%s: %s: it is not read", box->name, box->unit->title);
	rc = unc_reg_get(box, reg, 0, &value);
	if (rc < 0)
		return rc;
	ret_mhz[0] = RATIO_MHZ * unc_field_get(unc_reg_field(reg, first), value);
	ret_mhz[1] = second ? RATIO_MHZ * unc_field_get(unc_reg_field(reg, second), value) : 0;
	return ret_mhz[0] ? UNC_OK
			  : unc_fail(ctx, UNC_ENODATA, "%s: %s.%s is 0: the part does not report it", box->name, name,
				     first);
}

int unc_uncore_clock(struct unc_machine *m, unsigned socket, struct unc_uncore_clock *ret_clock)
{
	struct unc_box *box = NULL;
	uint64_t now_mhz[2], limits_mhz[2];
	int rc;

	for (size_t i = 0; !box && i < unc_box_count(m, "uclk"); i++)
		if (unc_box_at(m, "uclk", i)->socket == socket)
			box = unc_box_at(m, "uclk", i);
	if (!box)
		return unc_fail(m->ctx, UNC_ENOSUP, "no register with the clock of the uncore is known for this part");
	rc = unc_box_reach(box);
	if (rc == 0)
		rc = ratio(box, "UNCORE_PERF_STATUS", "ratio", NULL, now_mhz);
	if (rc == 0)
		rc = ratio(box, "UNCORE_RATIO_LIMIT", "max_ratio", "min_ratio", limits_mhz);
	if (rc == 0)
		*ret_clock = (struct unc_uncore_clock){now_mhz[0], limits_mhz[1], limits_mhz[0]};
	return rc;
}

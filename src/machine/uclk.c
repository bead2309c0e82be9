// SPDX-License-Identifier: GPL-2.0-or-later
/* The clock of a socket's uncore, and its limits: unit uclk. */

#include "machine/gate.h"
#include "machine/uncertain.h"
#include "map/field.h"

/* Ratios count in 100 MHz (Linux, uncore-frequency.c). */
#define RATIO_MHZ UINT64_C(100)
/* No uncore is as fast: the counter was written, or wrapped more than once. */
#define MHZ_MOST UINT64_C(10000)

static int by_ratio(struct unc_box *box, struct unc_uncore_clock *clock)
{
	const struct unc_reg *status = unc_unit_reg(box->unit, "UNCORE_PERF_STATUS");
	const struct unc_reg *limits = unc_unit_reg(box->unit, "UNCORE_RATIO_LIMIT");
	struct unc_ctx *ctx = box->machine->ctx;
	uint64_t now = 0, limit = 0;
	int rc;

	if (!status || !limits)
		return unc_fail(ctx, UNC_ENOSUP, "%s: %s: it is not read", box->name, box->unit->title);
	rc = unc_reg_get(box, status, 0, &now);
	if (rc == 0)
		rc = unc_reg_get(box, limits, 0, &limit);
	if (rc < 0)
		return rc;
	clock->mhz = RATIO_MHZ * unc_value_get(status, "ratio", now);
	clock->lowest_mhz = RATIO_MHZ * unc_value_get(limits, "min_ratio", limit);
	clock->highest_mhz = RATIO_MHZ * unc_value_get(limits, "max_ratio", limit);
	return clock->mhz ? UNC_OK
			  : unc_fail(ctx, UNC_ENODATA, "%s: %s is 0: the part does not report it", box->name,
				     status->name);
}

/* The fixed counter of the U box: another program switches it on, and this one only looks. */
static int by_counter(struct unc_box *box, const struct unc_reg *ctl, const struct unc_reg *ctr,
		      struct unc_uncore_clock *clock)
{
	const struct unc_field *en = unc_reg_field(ctl, "en");
	const struct unc_uncore_clock last = *clock;
	struct unc_ctx *ctx = box->machine->ctx;
	uint64_t gained, interval_ns, mhz, before_ns;
	int rc = unc_reg_get(box, ctl, 0, &clock->control);

	clock->raw_ns = 0;
	before_ns = unc_machine_raw_ns(box->machine);
	if (rc == 0)
		rc = unc_reg_get(box, ctr, 0, &clock->count);
	if (rc < 0)
		return rc;
	if (!unc_value_get(ctl, "en", clock->control))
		return unc_fail(ctx, UNC_ENODATA, "%s: %s: no program has enabled its counter; %s", box->name,
				box->unit->title, en && en->desc ? en->desc : ctl->name);
	clock->raw_ns = unc_machine_raw_ns(box->machine);
	clock->doubt_ns = unc_half_ns(before_ns, clock->raw_ns);
	clock->raw_ns -= clock->doubt_ns;
	if (!last.raw_ns || last.control != clock->control)
		return unc_fail(ctx, UNC_EAGAIN, "%s: %s: its counter was read only once since %s was written",
				box->name, box->unit->title, ctl->name);
	gained = (clock->count - last.count) & unc_value_max(ctr, "count");
	interval_ns = clock->raw_ns - last.raw_ns;
	mhz = interval_ns ? (gained * 1000 + interval_ns / 2) / interval_ns : 0;
	if (!mhz || mhz > MHZ_MOST || unc_is_late(clock->doubt_ns + last.doubt_ns, interval_ns))
		return unc_fail(ctx, UNC_ENODATA,
				"%s: %s: its counter went up by %" PRIu64 " in %" PRIu64
				" ns: it stands still, was written, or is read too slowly",
				box->name, box->unit->title, gained, interval_ns);
	clock->mhz = mhz;
	return UNC_OK;
}

int unc_uncore_clock(struct unc_machine *m, unsigned socket, struct unc_uncore_clock *clock)
{
	const struct unc_reg *ctl, *ctr;
	struct unc_box *box = NULL;
	int rc;

	for (size_t i = 0; !box && i < unc_box_count(m, "uclk"); i++)
		if (unc_box_at(m, "uclk", i)->socket == socket)
			box = unc_box_at(m, "uclk", i);
	if (!box)
		return unc_fail(m->ctx, UNC_ENOSUP, "no register with the clock of the uncore is known for this part");
	clock->mhz = clock->lowest_mhz = clock->highest_mhz = 0;
	ctl = unc_unit_reg(box->unit, "UCLK_FIXED_CTL");
	ctr = unc_unit_reg(box->unit, "UCLK_FIXED_CTR");
	rc = unc_box_reach(box);
	if (rc < 0)
		return rc;
	return ctl && ctr ? by_counter(box, ctl, ctr, clock) : by_ratio(box, clock);
}

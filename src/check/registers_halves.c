// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A counter has two dwords: if the low one is written alone, the high one must keep its value.  The effect of a write of the high
 * one shows in registers.bits, since it is always written last.
 */
#include <inttypes.h>

#include "check/registers.h"
#include "map/field.h"

static int try_low(struct unc_check *c, struct unc_check_box *b, const struct unc_slot *slot)
{
	const struct unc_registers_one ctr = {slot->ctr, slot->index};
	uint64_t high = ~(uint64_t)UINT32_MAX, all = unc_registers_writable(slot->ctr), held = 0, read = 0;
	uint64_t first = UINT64_C(0x5a5a5a5aa5a5a5a5) & all, second = (first & high) | (~first & all & ~high);
	char name[UNC_GATE_TEXT];
	int rc = unc_registers_try(b, &ctr, first, &held);

	if (rc == 0)
		rc = unc_drive_write_low(b, slot->ctr, slot->index, second);
	if (rc == 0)
		rc = unc_drive_read(b, slot->ctr, slot->index, &read);
	if (rc < 0 || unc_check_see(c, &(struct unc_check_seen){.what = "only its low dword was written",
								.box = b->box,
								.reg = slot->ctr,
								.index = slot->index,
								.has_wrote = true,
								.has_expected = true,
								.wrote = second,
								.read = read,
								.expected = (held & high) | (second & ~high),
								.compared = all & high}))
		return rc;
	unc_check_fail(c,
		       "%s: a write of its low dword changed the high one: it held 0x%08" PRIx64 ", and 0x%08" PRIx64
		       " after it",
		       unc_gate_reg_text(slot->ctr, slot->index, name), held >> 32, read >> 32);
	return rc;
}

static int look(struct unc_check *c, struct unc_check_box *b)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < b->pbox.n_slots && rc == 0; i++)
		rc = try_low(c, b, &b->pbox.slots[i]);
	if (rc == 0)
		unc_check_pass(c, "the high dword of %u counters kept its value while the low one was written",
			       b->pbox.n_slots);
	return rc;
}

int unc_registers_halves(struct unc_check *c)
{
	return unc_registers_each(c, look);
}

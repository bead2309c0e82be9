// SPDX-License-Identifier: GPL-2.0-or-later
/* How many bits does a counter have?  Each bit is set by itself, and the bits above the width must read 0. */
#include <inttypes.h>

#include "check/registers.h"
#include "map/field.h"

struct width {                /* one for each counter */
	uint64_t held, above; /* bits that can be set; bits above them that read 1 */
};

static int measure(struct unc_check *c, struct unc_check_box *b, const struct unc_slot *slot, struct width *ret_width)
{
	const struct unc_registers_one ctr = {slot->ctr, slot->index};
	uint64_t bits = unc_field_mask(unc_reg_field(slot->ctr, "event_count")), read = 0;
	int rc = unc_registers_try(b, &ctr, bits, &read);

	*ret_width = (struct width){.above = read & ~bits};
	if (rc == 0)
		unc_check_see(c, &(struct unc_check_seen){.what = "all bits",
							  .box = b->box,
							  .reg = ctr.reg,
							  .index = ctr.index,
							  .has_wrote = true,
							  .has_expected = true,
							  .wrote = bits,
							  .read = read,
							  .expected = bits});
	for (uint64_t left = bits; left && rc == 0; left &= left - 1) {
		uint64_t bit = unc_registers_lowest(left);

		rc = unc_registers_try(b, &ctr, bit, &read);
		ret_width->held |= read & bit;
		ret_width->above |= read & ~bits;
	}
	return rc == 0 ? unc_registers_try(b, &ctr, 0, &read) : rc;
}

/* The number of bits up to the highest that holds. */
static unsigned bits_held(uint64_t held)
{
	unsigned n = 0;

	for (; held; held &= held - 1)
		n = unc_registers_number(unc_registers_lowest(held)) + 1;
	return n;
}

static int look(struct unc_check *c, struct unc_check_box *b)
{
	unsigned want = b->box->unit->counter_bits;
	int rc = UNC_OK;

	for (unsigned i = 0; i < b->pbox.n_slots && rc == 0; i++) {
		const struct unc_slot *slot = &b->pbox.slots[i];
		struct width width;
		char name[UNC_GATE_TEXT];

		rc = measure(c, b, slot, &width);
		if (rc < 0)
			break;
		unc_gate_reg_text(slot->ctr, slot->index, name);
		if (bits_held(width.held) != want)
			unc_check_fail(c, "%s holds %u bits, not %u: above, 0 is read whatever is written", name,
				       bits_held(width.held), want);
		if (width.above)
			unc_check_fail(c, "%s reads 0x%" PRIx64 " above its %u bits, where 0 is expected", name,
				       width.above, want);
	}
	if (rc == 0)
		unc_check_pass(c, "all %u counters hold %u bits, and read 0 above", b->pbox.n_slots, want);
	return rc;
}

int unc_registers_width(struct unc_check *c)
{
	return unc_registers_each(c, look);
}

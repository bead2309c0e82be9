// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes walking one, walking zero, all ones and all zeros to every bit that can be written and read back.  A control is never
 * enabled while its channel runs, and never has a value that the guide forbids: see unc_registers_legal().
 */
#include <inttypes.h>
#include <stdio.h>

#include "check/registers.h"
#include "map/field.h"

struct walk { /* the test of one register */
	struct unc_check *c;
	struct unc_check_box *b;
	struct unc_registers_one one;
	uint64_t bits, judged;            /* bits that are tried, and those of them that are not in doubt */
	uint64_t tried_1, tried_0;        /* bits that were written 1, and 0 */
	uint64_t held_1, held_0;          /* bits that read back 1, and 0, at least once */
	uint64_t doubted_wrong;           /* bits in doubt that read back wrong */
	uint64_t first_wrote, first_read; /* the first value that read back wrong */
	unsigned n, n_wrong;
};

struct sum { /* totals of all registers of a channel */
	unsigned n_regs, n_bits, n_values;
};

static int try(struct walk *w, const char *what, uint64_t value)
{
	uint64_t read = 0, wrote = unc_registers_legal(w->b, w->one.reg, value);
	int rc = unc_registers_try(w->b, &w->one, wrote, &read);

	if (rc < 0)
		return rc;
	w->n++;
	w->tried_1 |= wrote & w->bits;
	w->tried_0 |= ~wrote & w->bits;
	w->held_1 |= wrote & read & w->bits;
	w->held_0 |= ~wrote & ~read & w->bits;
	w->doubted_wrong |= (wrote ^ read) & w->bits & ~w->judged;
	if (!unc_check_see(w->c, &(struct unc_check_seen){.what = what,
							  .box = w->b->box,
							  .reg = w->one.reg,
							  .index = w->one.index,
							  .has_wrote = true,
							  .has_expected = true,
							  .wrote = wrote,
							  .read = read,
							  .expected = wrote,
							  .compared = w->judged}) &&
	    w->n_wrong++ == 0) {
		w->first_wrote = wrote;
		w->first_read = read;
	}
	return rc;
}

/* edge_det and invert exclude each other, so each other bit is tried twice: without the first, and without the second. */
static int walk(struct walk *w)
{
	const struct unc_field *edge = unc_reg_field(w->one.reg, "edge_det");
	uint64_t left, without = w->bits & ~(edge ? unc_field_mask(edge) : 0);
	int rc = try(w, "none", 0);

	for (left = w->bits; left && rc == 0; left &= left - 1)
		rc = try(w, "walking one", unc_registers_lowest(left));
	if (rc == 0)
		rc = try(w, "all", w->bits);
	for (left = w->bits; left && rc == 0; left &= left - 1)
		rc = try(w, "walking zero", w->bits & ~unc_registers_lowest(left));
	for (left = without; left && edge && rc == 0; left &= left - 1)
		rc = try(w, "walking zero without edge_det", without & ~unc_registers_lowest(left));
	return rc == 0 ? try(w, "none", 0) : rc;
}

static void tell_wrong(const struct walk *w)
{
	uint64_t stuck_0 = w->tried_1 & ~w->held_1 & w->judged, stuck_1 = w->tried_0 & ~w->held_0 & w->judged;
	uint64_t stuck = stuck_0 ? stuck_0 : stuck_1;
	int digits = (int)w->one.reg->bits / 4;
	char name[UNC_GATE_TEXT];

	unc_gate_reg_text(w->one.reg, w->one.index, name);
	if (stuck)
		unc_check_fail(w->c, "%s: bit %u (%s) stays %u whatever is written%s", name,
			       unc_registers_number(unc_registers_lowest(stuck)),
			       unc_registers_field_of(w->one.reg, unc_registers_lowest(stuck))->name, stuck_0 ? 0U : 1U,
			       (stuck & (stuck - 1)) || (stuck_0 && stuck_1) ? ", and others with it" : "");
	else
		unc_check_fail(w->c,
			       "%s: %u of %u values read back otherwise; the first: wrote 0x%0*" PRIx64
			       ", read 0x%0*" PRIx64,
			       name, w->n_wrong, w->n, digits, w->first_wrote, digits, w->first_read);
}

/* Reports, for bits that a document doubts, whether all of them can be set and cleared. */
static void tell_doubted(const struct walk *w)
{
	for (size_t i = 0; i < w->one.reg->n_fields; i++) {
		const struct unc_field *field = &w->one.reg->fields[i];
		uint64_t mask = unc_field_mask(field) & w->bits & ~w->judged;
		char name[UNC_GATE_TEXT], what[UNC_GATE_TEXT + 80];

		if (!mask)
			continue;
		snprintf(what, sizeof(what), "%.40s.%.60s", unc_gate_reg_text(w->one.reg, w->one.index, name),
			 field->name);
		if (w->doubted_wrong & mask)
			unc_check_tested(w->c, what, "bit %u does not hold what is written",
					 unc_registers_number(unc_registers_lowest(w->doubted_wrong & mask)));
		else
			unc_check_tested(w->c, what, "every bit sets and clears");
	}
}

static int look_at_one(struct unc_check *c, struct unc_check_box *b, const struct unc_registers_one *one,
		       struct sum *sum)
{
	struct walk w = {.c = c, .b = b, .one = *one, .bits = unc_registers_writable(one->reg)};
	int rc;

	w.judged = w.bits & ~unc_registers_doubtful(one->reg);
	rc = walk(&w);
	if (rc < 0)
		return rc;
	if (w.n_wrong)
		tell_wrong(&w);
	tell_doubted(&w);
	sum->n_regs++;
	sum->n_values += w.n;
	for (uint64_t left = w.bits; left; left &= left - 1)
		sum->n_bits++;
	return rc;
}

static int look(struct unc_check *c, struct unc_check_box *b)
{
	struct unc_registers_one ones[UNC_REGISTERS_MAX];
	size_t n = unc_registers_of(b, ones);
	struct sum sum = {0};
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0; i++)
		rc = look_at_one(c, b, &ones[i], &sum);
	if (rc == 0)
		rc = unc_registers_box(c, b);
	if (rc == 0)
		unc_check_pass(c,
			       "each of %u bits of %u registers was set and cleared, by %u values that all read back",
			       sum.n_bits, sum.n_regs, sum.n_values);
	return rc;
}

int unc_registers_bits(struct unc_check *c)
{
	return unc_registers_each(c, look);
}

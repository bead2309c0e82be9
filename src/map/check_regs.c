// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of registers and fields. */
#include <inttypes.h>

#include "map/checker.h"
#include "map/field.h"

static unsigned width_bytes(const struct unc_unit *unit, const struct unc_reg *reg)
{
	return unit->kind == UNC_MSR ? 1 : reg->bits / 8; /* an MSR is one number, however wide */
}

/* Past the last element, without wrapping. */
static uint64_t end_of(const struct unc_unit *unit, const struct unc_reg *reg)
{
	uint64_t last = reg->count ? reg->count - 1 : 0;

	return reg->off + last * reg->step + width_bytes(unit, reg);
}

static void at_reg(struct unc_checker *c, const struct unc_reg *reg, const char *why)
{
	unc_found_at(c, reg->path, reg->line, "%s %s", reg->name, why);
}

void unc_check_register_aligned(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (unit->kind != UNC_MSR && (reg->off % 4 != 0 || reg->step % 4 != 0))
			at_reg(c, reg, "is not aligned; its offset and step are to be multiples of 4");
	}
}

void unc_check_register_in_space(struct unc_checker *c, const struct unc_unit *unit)
{
	uint64_t len = unit->kind == UNC_PCI ? 0x1000 : UINT64_C(0x100000000);

	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (reg->count == 0)
			at_reg(c, reg, "has a count of 0; leave the register out");
		if (end_of(unit, reg) > len)
			unc_found_at(c, reg->path, reg->line,
				     "%s ends at 0x%" PRIx64 ", beyond the 0x%" PRIx64 " of its space", reg->name,
				     end_of(unit, reg), len);
		if (unit->kind == UNC_MSR && reg->bits != 64)
			at_reg(c, reg, "is an MSR, which are 64 bits wide; write bits: 64");
	}
}

/* Do any two elements share a byte?  Arrays interleave (lo, hi, lo, hi), so each element is looked at. */
static bool overlap(const struct unc_unit *unit, const struct unc_reg *a, const struct unc_reg *b)
{
	if (end_of(unit, a) <= b->off || end_of(unit, b) <= a->off)
		return false;
	for (unsigned i = 0; i < a->count; i++) {
		for (unsigned k = 0; k < b->count; k++) {
			uint64_t x = a->off + (uint64_t)i * a->step, y = b->off + (uint64_t)k * b->step;

			if (x < y + width_bytes(unit, b) && y < x + width_bytes(unit, a))
				return true;
		}
	}
	return false;
}

static void report_overlap(struct unc_checker *c, const struct unc_unit *unit, const struct unc_reg *a,
			   const struct unc_reg *b)
{
	bool second = unc_blame_second(unit, a->path, a->line, b->path, b->line);
	const struct unc_reg *reg = second ? b : a, *other = second ? a : b;

	unc_found_at(c, reg->path, reg->line, "%s overlaps %s", reg->name, other->name);
}

void unc_check_registers_overlap(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (reg->count > 1 && reg->step < width_bytes(unit, reg))
			at_reg(c, reg, "overlaps itself; its step is smaller than its width");
		for (size_t k = 0; k < i; k++) {
			if (overlap(unit, &unit->regs[k], reg))
				report_overlap(c, unit, &unit->regs[k], reg);
		}
	}
}

typedef void field_check(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field);

static void each_field(struct unc_checker *c, const struct unc_unit *unit, field_check *check)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		for (size_t k = 0; k < unit->regs[i].n_fields; k++)
			check(c, &unit->regs[i], &unit->regs[i].fields[k]);
	}
}

static void bits_of_field(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field)
{
	if (field->hi < field->lo)
		unc_found_at(c, field->path, field->line, "%s.%s: bits are written [high, low], so [%u, %u]", reg->name,
			     field->name, field->lo, field->hi);
	else if (field->hi >= reg->bits)
		unc_found_at(c, field->path, field->line, "%s.%s: bit %u is outside of a register of %u bits",
			     reg->name, field->name, field->hi, reg->bits);
}

void unc_check_field_bits(struct unc_checker *c, const struct unc_unit *unit)
{
	each_field(c, unit, bits_of_field);
}

static void report_common_bits(struct unc_checker *c, const struct unc_unit *unit, const struct unc_reg *reg,
			       const struct unc_field *a, const struct unc_field *b)
{
	bool second = unc_blame_second(unit, a->path, a->line, b->path, b->line);
	const struct unc_field *field = second ? b : a, *other = second ? a : b;

	unc_found_at(c, field->path, field->line, "%s.%s has bits in common with %s", reg->name, field->name,
		     other->name);
}

static void overlaps_of_reg(struct unc_checker *c, const struct unc_unit *unit, const struct unc_reg *reg)
{
	for (size_t i = 0; i < reg->n_fields; i++) {
		for (size_t k = 0; k < i; k++) {
			if (unc_field_mask(&reg->fields[k]) & unc_field_mask(&reg->fields[i]))
				report_common_bits(c, unit, reg, &reg->fields[k], &reg->fields[i]);
		}
	}
}

void unc_check_fields_overlap(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++)
		overlaps_of_reg(c, unit, &unit->regs[i]);
}

/* A bit that the map forgets would be written 0 and shown nowhere. */
void unc_check_fields_cover(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];
		uint64_t missing = unc_reg_all(reg);

		for (size_t k = 0; k < reg->n_fields; k++)
			missing &= ~unc_field_mask(&reg->fields[k]);
		if (missing)
			unc_found_at(c, reg->path, reg->line,
				     "%s: no field has the bits 0x%" PRIx64 "; name them, if only as reserved",
				     reg->name, missing);
	}
}

static void reset_of_field(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field)
{
	if (field->reset > unc_field_max(field))
		unc_found_at(c, field->path, field->line, "%s.%s: reset 0x%" PRIx64 " does not fit into its bits",
			     reg->name, field->name, field->reset);
}

void unc_check_reset_fits(struct unc_checker *c, const struct unc_unit *unit)
{
	each_field(c, unit, reset_of_field);
}

static void write_of_field(struct unc_checker *c, const struct unc_reg *reg, const struct unc_field *field)
{
	if (field->write > unc_field_max(field))
		unc_found_at(c, field->path, field->line, "%s.%s: write 0x%" PRIx64 " does not fit into its bits",
			     reg->name, field->name, field->write);
	else if (field->write && field->acc != UNC_RSVD)
		unc_found_at(c, field->path, field->line, "%s.%s: write is for reserved bits only", reg->name,
			     field->name);
}

void unc_check_write_fits(struct unc_checker *c, const struct unc_unit *unit)
{
	each_field(c, unit, write_of_field);
}

void unc_check_write_whole_said(struct unc_checker *c, const struct unc_unit *unit)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		if (unc_reg_mask(reg, UNC_WO) && !reg->write_whole)
			at_reg(c, reg, "has write-only bits, which cannot be read back and kept; say write: whole");
	}
}

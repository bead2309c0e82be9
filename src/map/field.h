/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only place outside sim/ that shifts and masks a hardware register; all bits come from the map. */
#ifndef UNC_MAP_FIELD_H
#define UNC_MAP_FIELD_H

#include "map/map.h"

/* Returns the n lowest bits set. */
static inline uint64_t unc_low_bits(unsigned n)
{
	return n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX;
}

uint64_t unc_field_get(const struct unc_field *field, uint64_t reg);
/* UNC_ERANGE: value is wider than the field (*reg is untouched). */
int unc_field_set(struct unc_ctx *ctx, const struct unc_field *field, uint64_t value, uint64_t *reg);
uint64_t unc_field_mask(const struct unc_field *field);
/* Returns the largest value that fits the field. */
uint64_t unc_field_max(const struct unc_field *field);
/*
 * A value of several fields: those called F_hi and F_top have the bits above those of F.  Reserved ones do not take part.
 * The largest value and the value now are 0 if there is no F.
 */
uint64_t unc_value_max(const struct unc_reg *reg, const char *name);
uint64_t unc_value_get(const struct unc_reg *reg, const char *name, uint64_t bits);
/* UNC_ENOREG: no such field; UNC_ERANGE: value is too wide (*bits is untouched). */
int unc_value_set(struct unc_ctx *ctx, const struct unc_reg *reg, const char *name, uint64_t value, uint64_t *bits);
/*
 * Returns a mask as wide as the register, and the bits of all its fields with that access.
 */
uint64_t unc_reg_all(const struct unc_reg *reg);
uint64_t unc_reg_mask(const struct unc_reg *reg, enum unc_acc acc);
/* Returns the bits that some field names. */
uint64_t unc_reg_named(const struct unc_reg *reg);
/* Returns the bits that read back what was written to them: those of rw fields. */
uint64_t unc_reg_readback_mask(const struct unc_reg *reg);
/*
 * Returns the value to start from when a register is written whole: reserved bits as the map wants them, all others 0.
 */
uint64_t unc_reg_blank(const struct unc_reg *reg);
/*
 * Returns the value to start from when a field of it is changed: the bits that were read, if they can be written, and
 * reserved bits as the map says.
 */
uint64_t unc_reg_base(const struct unc_reg *reg, uint64_t was);
/* Returns how many reserved bits are not as the map wants them written. */
unsigned unc_reg_wrong_bits(const struct unc_reg *reg, uint64_t value);
/* Returns true if a field can be written and the map does not forbid it with `use: never`. */
bool unc_reg_writable(const struct unc_reg *reg);
/*
 * Checks whether a value that was built from nothing may be written.  UNC_EDENIED: the register has no writable field
 * or is marked `never`; a reserved bit, or one that no field names, is not as the map says; bits of a read-only field
 * are set.
 */
int unc_reg_allows(struct unc_ctx *ctx, const struct unc_reg *reg, uint64_t value);
/*
 * The value of CTL, without the enable bit, for an event that is not fixed; NULL: what all of the unit select.  UNC_ENOREG,
 * UNC_ERANGE: as unc_value_set(), which the checks of maps rule out.
 */
int unc_event_control(struct unc_ctx *ctx, const struct unc_unit *unit, const struct unc_event *event,
		      uint64_t *ret_control);
/* Writes "en=1 umask=0x3 ev_sel=0x4": the fields that are not zero, or "0"; cut at size.  Returns buf. */
const char *unc_reg_text(const struct unc_reg *reg, uint64_t value, char *buf, size_t size);

#endif

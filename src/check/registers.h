/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of the theme "registers" that are in other files than check/registers.c, and what all of them share. */
#ifndef UNC_CHECK_REGISTERS_H
#define UNC_CHECK_REGISTERS_H

#include "check/window.h"

/*
 * The frame of these checks, unc_registers_check(), calls them for each channel that may be written, one after the other, when its
 * result has begun, and it is stopped with nothing programmed.  If an access fails the result fails with its sentence.
 */
void unc_registers_readonly(struct unc_check *c, struct unc_check_box *b);
void unc_registers_alias(struct unc_check *c, struct unc_check_box *b);
void unc_registers_halves(struct unc_check *c, struct unc_check_box *b);
void unc_registers_width(struct unc_check *c, struct unc_check_box *b);
void unc_registers_writes(struct unc_check *c, struct unc_check_box *b);
extern const struct unc_windows_def unc_registers_channels;

/* A control or a counter of a channel. */
struct unc_registers_one {
	const struct unc_reg *reg;
	unsigned index;
};
enum { UNC_REGISTERS_MAX = 2 * UNC_PMON_SLOTS };
/* Controls first, then counters.  Returns how many there are. */
size_t unc_registers_of(const struct unc_check_box *b, struct unc_registers_one ret_ones[UNC_REGISTERS_MAX]);

/* The bits of that field; 0: the register has no such field. */
uint64_t unc_registers_bits(const struct unc_reg *reg, const char *name);
/*
 * Bits of the register that can be written and read back, without overflow enable, which is never set, and without the overflow
 * of a counter, beside which no document says what it holds.
 */
uint64_t unc_registers_writable(const struct unc_reg *reg);
/* Those of them that no document doubts. */
uint64_t unc_registers_judged(const struct unc_reg *reg);
/*
 * The nearest value that may be written to a control: thresh is not 0 where edge_det or invert is set, these two are never both
 * set, and an event of ranks names one (Intel 327043-001 table 2-61).  For other registers it is the value itself, with reserved
 * bits as the map wants them.
 */
uint64_t unc_registers_legal(const struct unc_check_box *b, const struct unc_reg *reg, uint64_t value);
/* Writes the value as often as needed on parts on which one write of a control does not stick, and reads it back. */
uint64_t unc_registers_try(struct unc_check_box *b, const struct unc_registers_one *one, uint64_t value);
/* What a register read after a value was written there, and what it should read in these bits. */
struct unc_check_seen unc_registers_seen(const struct unc_check_box *b, const struct unc_registers_one *one,
					 const char *what, uint64_t wrote, uint64_t read);
/* "CTL[2].thresh".  Returns buf. */
enum { UNC_REGISTERS_TEXT = UNC_GATE_TEXT + 80 };
const char *unc_registers_field_text(const struct unc_registers_one *one, const struct unc_field *field,
				     char buf[UNC_REGISTERS_TEXT]);

uint64_t unc_registers_lowest(uint64_t mask); /* the lowest bit that is set */

#endif

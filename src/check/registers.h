/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The checks of registers that have a file of their own, and what they share. */
#ifndef UNC_CHECK_REGISTERS_H
#define UNC_CHECK_REGISTERS_H

#include "check/drive.h"

int unc_registers_bits(struct unc_check *c);     /* check/registers_bits.c */
int unc_registers_readonly(struct unc_check *c); /* check/registers_readonly.c */
int unc_registers_alias(struct unc_check *c);    /* check/registers_alias.c */
int unc_registers_channels(struct unc_check *c); /* check/registers_channels.c */
int unc_registers_halves(struct unc_check *c);   /* check/registers_halves.c */
int unc_registers_width(struct unc_check *c);    /* check/registers_width.c */
int unc_registers_writes(struct unc_check *c);   /* check/registers_writes.c */

/* Of registers.bits: BOX_CTL and BOX_STATUS, as far as they read back (check/registers_box.c). */
int unc_registers_box(struct unc_check *c, struct unc_check_box *b);

/* A control or a counter of a channel. */
struct unc_registers_one {
	const struct unc_reg *reg;
	unsigned index;
};
enum { UNC_REGISTERS_MAX = 2 * UNC_PMON_SLOTS };
/* Controls first, then counters.  Returns how many. */
size_t unc_registers_of(const struct unc_check_box *b, struct unc_registers_one ret_ones[UNC_REGISTERS_MAX]);

/*
 * For each channel that may be written, one after the other: begins its result, stops it while nothing is programmed, and does that;
 * what it fails with is the result's failure.
 */
int unc_registers_each(struct unc_check *c, int (*look)(struct unc_check *c, struct unc_check_box *b));

/* Bits of it that can be written and read back, without overflow enable, which is never set. */
uint64_t unc_registers_writable(const struct unc_reg *reg);
/* Those of them that some document doubts. */
uint64_t unc_registers_doubtful(const struct unc_reg *reg);
/*
 * The value nearest to this that may be written to a control: thresh is not 0 where edge_det or invert is set, these two never are
 * both, and an event of ranks names one (Intel 327043-001 table 2-61).  Of other registers it is the value; reserved bits as the map
 * wants them.
 */
uint64_t unc_registers_legal(const struct unc_check_box *b, const struct unc_reg *reg, uint64_t value);
/* Writes it so often that it sticks on parts on which one write of a control does not, and reads it. */
int unc_registers_try(struct unc_check_box *b, const struct unc_registers_one *one, uint64_t value, uint64_t *ret_read);

/* The lowest bit that is set in a mask, and its number. */
uint64_t unc_registers_lowest(uint64_t mask);
unsigned unc_registers_number(uint64_t bit);
/* The field that has that bit; the map's registers have one for each. */
const struct unc_field *unc_registers_field_of(const struct unc_reg *reg, uint64_t bit);

#endif

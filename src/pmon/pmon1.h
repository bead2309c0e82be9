/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of pmon1 share: reading all controls in one block. */
#ifndef UNC_PMON_PMON1_H
#define UNC_PMON_PMON1_H

#include "pmon/reading.h"

/* All controls of the box and BOX_CTL are close together: one read gets them. */
struct unc_control_block {
	uint32_t first, end;
	uint64_t dwords; /* in memory: which of the first 64 dwords of the box were included */
	unsigned char bytes[256];
};

void unc_pmon1_include(struct unc_control_block *block, const struct unc_reg *reg, unsigned index);
/*
 * Reads in one block: our controls, all controls if this session stops the box at times, and what block included before.
 * UNC_ENODEV: all ones, which is what a removed function and a failed configuration cycle read as.
 */
int unc_pmon1_read_own_controls(struct unc_pmon_box *pbox, struct unc_control_block *block);
/* Returns a control, or BOX_CTL, that was included. */
uint32_t unc_pmon1_control_in(const struct unc_control_block *block, const struct unc_reg *reg, unsigned index);
/*
 * As unc_pmon1_check(), for a block with controls that was read while the box was stopped.  False: a control is not as expected;
 * then nothing is changed.
 */
bool unc_pmon1_all_ours(struct unc_pmon_box *pbox, const struct unc_block *block, uint32_t first);
/* True if it holds what we wrote last. */
bool unc_pmon1_is_ours(const struct unc_slot *slot, uint64_t now);

#endif

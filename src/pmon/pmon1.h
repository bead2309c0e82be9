/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of pmon1 share: its controls, read together. */
#ifndef UNC_PMON_PMON1_H
#define UNC_PMON_PMON1_H

#include "pmon/reading.h"

/* All controls of the box and BOX_CTL lie close together: one read gets them. */
struct unc_control_block {
	uint32_t first, end;
	unsigned char bytes[256];
};

void unc_pmon1_include(struct unc_control_block *block, uint32_t off);
/*
 * Our controls, everybody's where we stop the box, and what was included before, in one read.  UNC_ENODEV: all ones, which is how a
 * function that is gone reads, and a configuration cycle that failed.
 */
int unc_pmon1_read_own_controls(struct unc_pmon_box *pbox, struct unc_control_block *block);
uint32_t unc_pmon1_control_at(const struct unc_control_block *block, uint32_t off);
/*
 * As unc_pmon1_check(), from a block with controls that was read while the box was stopped.  False: something is not as it should
 * be, and nothing is noted.
 */
bool unc_pmon1_all_ours(struct unc_pmon_box *pbox, const struct unc_block *block, uint32_t first);
/* Does it hold what we wrote last? */
bool unc_pmon1_is_ours(const struct unc_slot *slot, uint64_t now);

#endif

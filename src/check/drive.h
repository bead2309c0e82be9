/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Driving a channel register by register, as the manual says it, without the care that pmon/ takes to give right numbers: checks want
 * to see what each write does.  All of it is pmon1's: freeze and resets in BOX_CTL, an enable bit in each control.  A slot is an
 * index of b->pbox.slots: the general counters, then the fixed one (.fixed).
 */
#ifndef UNC_CHECK_DRIVE_H
#define UNC_CHECK_DRIVE_H

#include "check/check.h"

/*
 * Claims every channel that is usable, and plans its registers: their former values are on the disk with one fsync.  A channel that
 * cannot be had is not usable any more.  Not 0: the run ends.
 */
int unc_drive_claim(struct unc_check *c);
/*
 * Before the first write of a check: the same for what was not claimed yet, and all of them rest: controls blank, BOX_CTL armed
 * and released.
 */
int unc_drive_take(struct unc_check *c);
/*
 * All as it was found: counters and controls by value, the status as far as it can, then BOX_CTL idle.  UNC_EBUSY: somebody who knows
 * nothing of locks has begun to count there meanwhile.  What is his is left alone, and the channel is not usable any more.
 */
int unc_drive_put_back(struct unc_check_box *b);
/* Of a channel that is as it was found.  UNC_EBUSY: somebody counts there since. */
int unc_drive_look_for_others(struct unc_check_box *b);
/* Likewise of one slot. */
int unc_drive_is_free(struct unc_check_box *b, unsigned slot);
/* Clears the status bits that are set and are not in was.  Nothing is done where there are none that can be cleared. */
int unc_drive_clear_status(struct unc_check_box *b, uint64_t was);
/* Notes how a control reads that was just written. */
void unc_drive_enabled(struct unc_check_box *b, unsigned slot);

/* BOX_CTL whole, armed where there is frz_en, and frozen or released. */
int unc_drive_freeze(struct unc_check_box *b);
int unc_drive_release(struct unc_check_box *b);
/* BOX_CTL whole: blank, and these fields 1 (NULL ends them).  UNC_ENOREG: the map has no such field. */
int unc_drive_box_ctl(struct unc_check_box *b, const char *const *fields);
/* The slot of the fixed counter; UNC_PMON_SLOTS: there is none. */
unsigned unc_drive_fixed(const struct unc_check_box *b);
bool unc_drive_has_box_field(const struct unc_check_box *b, const char *field);

/* The control of an event without enable: "cas_count.rd", "clockticks:thresh=1:edge".  As unc_session_add() fails. */
int unc_drive_event(struct unc_check_box *b, const char *event, uint64_t *ret_control);
/* A general event that this part's map has and that counts every clock, "clockticks"; NULL: none. */
const char *unc_drive_clock_event(const struct unc_check_box *b);
/*
 * Writes a slot's control, with enable first without en, so that nothing counts by half a control.  Its last value is written twice,
 * since on some parts one write is said not to stick: which the write before may have been that changed nothing, too.  Of the fixed
 * one control is ignored.  UNC_EBUSY: somebody has begun to use it since our last write, and the channel is not usable any more.
 */
int unc_drive_set(struct unc_check_box *b, unsigned slot, uint64_t control, bool enable);
/* Any value that the map allows: CTL, CTR, FIXED_CTL, FIXED_CTR, BOX_CTL and BOX_STATUS were planned, others wait for the disk. */
int unc_drive_write(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value);
/* Only the low dword of a 64-bit register; value is what the whole register is to hold then. */
int unc_drive_write_low(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value);
int unc_drive_read(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t *ret_value);
/* Writes the slot's counter; the box should stand still. */
int unc_drive_preset(struct unc_check_box *b, unsigned slot, uint64_t value);

struct unc_drive_reading {
	uint64_t value;               /* all 64 bits */
	uint64_t before_ns, after_ns; /* raw time around the access that read the low half */
};
/* High, low, high until the highs agree: right while it runs, too.  UNC_EIO: they never do. */
int unc_drive_count(struct unc_check_box *b, unsigned slot, struct unc_drive_reading *ret_reading);
/* Every slot, one after the other. */
int unc_drive_counts(struct unc_check_box *b, struct unc_drive_reading ret_readings[UNC_PMON_SLOTS]);
/* What it gained, as a counter of that box's width. */
uint64_t unc_drive_gained(const struct unc_check_box *b, uint64_t before, uint64_t after);

#endif

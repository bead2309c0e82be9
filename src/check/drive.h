/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drives a channel register by register, as the manual describes it, without the care that pmon/ takes to give right numbers:
 * checks want to see what each write does.  All of it is for pmon1: freeze and resets in BOX_CTL, an enable bit in each control;
 * and for node1, which has the latter alone: at rest all controls are blank.  A
 * slot is an index of b->pbox.slots: the general counters, then the fixed one (.fixed).
 */
#ifndef UNC_CHECK_DRIVE_H
#define UNC_CHECK_DRIVE_H

#include "check/check.h"
#include "pmon/reading.h"

/*
 * Claims every usable channel and plans its registers: one fsync puts their former values on the disk.  A channel that cannot be
 * claimed is not usable any more.  Not 0: the run ends.
 */
int unc_drive_claim(struct unc_check *c);
/*
 * Call this before the first write of a check.  It claims what was not claimed yet, and puts all channels at rest: controls blank,
 * BOX_CTL armed and released.
 */
int unc_drive_take(struct unc_check *c);
/*
 * Puts everything back as it was found: counters and controls by value, the status as far as possible, then BOX_CTL idle.
 * UNC_EBUSY: another program, which does not use our locks, has begun to count there meanwhile.  Its registers are left alone, and
 * the channel is not usable any more.
 */
int unc_drive_put_back(struct unc_check_box *b);

/*
 * The functions below access a channel.  After one of them has failed, the others do nothing and return 0, until unc_drive_end()
 * returns the failure, whose sentence is in the context, and forgets it.
 */
int unc_drive_end(struct unc_check_box *b);
/* Clears the status bits that are set and are not in was.  It does nothing where no bit can be cleared. */
void unc_drive_clear_status(struct unc_check_box *b, uint64_t was);
/* Write the whole of BOX_CTL, armed where there is frz_en, and frozen or released.  They do nothing where there is no BOX_CTL. */
void unc_drive_freeze(struct unc_check_box *b);
void unc_drive_release(struct unc_check_box *b);
/* Writes the whole of BOX_CTL: blank except these fields, which are 1 (NULL ends them).  UNC_ENOREG: the map has no such field. */
void unc_drive_box_ctl(struct unc_check_box *b, const char *const *fields);
/* The control of an event without enable: "cas_count.rd", "clockticks:thresh=1:edge".  It fails as unc_session_add() does. */
uint64_t unc_drive_event(struct unc_check_box *b, const char *event);
/* The value with that number in the field.  UNC_ERANGE: it does not fit. */
uint64_t unc_drive_with(struct unc_check_box *b, const struct unc_field *field, uint64_t number, uint64_t value);
/*
 * Writes a slot's control; with enable it is first written without en, so that nothing counts with half a control.  The last value
 * is written twice, since on some parts one write is said not to stick; the write that is lost may also be an earlier one that
 * changed nothing.  For the fixed counter, control is ignored.  UNC_EBUSY: another program has begun to use the slot since our last
 * write, and the channel is not usable any more.
 */
void unc_drive_set(struct unc_check_box *b, unsigned slot, uint64_t control, bool enable);
void unc_drive_off(struct unc_check_box *b); /* the same for all slots, with blank controls */
/*
 * Writes any value that the map allows.  CTL, CTR, FIXED_CTL, FIXED_CTR, BOX_CTL and BOX_STATUS were planned; other registers wait
 * for the disk.
 */
void unc_drive_write(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value);
/* Writes only the low dword of a 64-bit register; value is what the whole register should hold after that. */
void unc_drive_write_low(struct unc_check_box *b, const struct unc_reg *reg, unsigned index, uint64_t value);
uint64_t unc_drive_read(struct unc_check_box *b, const struct unc_reg *reg, unsigned index);
/* Writes the slot's counter; the box should be stopped. */
void unc_drive_preset(struct unc_check_box *b, unsigned slot, uint64_t value);
/* As unc_pmon_read_whole(): high, low, high, which is also right while the counter runs. */
struct unc_reading unc_drive_count(struct unc_check_box *b, unsigned slot);

/* ---- what needs no access ---- */

/* The slot of the fixed counter; UNC_PMON_SLOTS: there is none. */
unsigned unc_drive_fixed(const struct unc_check_box *b);
/* The first slot from that on that can count the event; UNC_PMON_SLOTS: none, also if event is NULL. */
unsigned unc_drive_slot_for(const struct unc_check_box *b, const struct unc_event *event, unsigned from);
/* A general event of this part's map that counts every clock, "clockticks"; NULL: there is none. */
const char *unc_drive_clock_event(const struct unc_check_box *b);
/* UNC_EIO: the reading is not a number that a counter of that box can hold. */
int unc_drive_fits(const struct unc_check_box *b, const struct unc_reading *reading);
/* The gain from before to after, modulo the width of that box's counters. */
uint64_t unc_drive_gained(const struct unc_check_box *b, uint64_t before, uint64_t after);

/* ---- does a channel count at all? (check/running.c) ---- */

/* Releases a channel for the first time, when all controls are blank, and notes whether it stood still until then. */
int unc_running_release(struct unc_check_box *b);
/*
 * Called before the first check that needs channels that count.  A socket in which no channel counts is one failure, and its
 * channels are not usable any more.  Not 0: the run ends.
 */
int unc_running_look(struct unc_check *c);
/*
 * Called after such a check, when its registers are put back; its results begin with first.  If a socket has stopped since, that is
 * the failure, and results that failed only because of it are skipped.
 */
int unc_running_look_again(struct unc_check *c, size_t first);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic for counters that are narrower than their count and are read in two halves.  All functions are pure.
 *
 * Only the bounds of an event matter.  With event NULL nothing is known about it, so it may add 255 in each clock, the most that
 * 8 bits hold.  clock_hz is the fastest clock that the counter can have; 0 means unknown, and then the result is the cautious
 * one.
 */
#ifndef UNC_PMON_COUNTER_H
#define UNC_PMON_COUNTER_H

#include "map/field.h"

/* Returns what a counter of that width gained, if it wrapped at most once. */
static inline uint64_t unc_delta(uint64_t before, uint64_t after, unsigned bits)
{
	return (after - before) & unc_low_bits(bits);
}

/*
 * Returns how far a counter can run during a read of that length, on either side: twice the most it can gain.  A read may be so
 * short that only the bound of a single clock is certain.  Saturates at UINT64_MAX.
 */
uint64_t unc_reach(const struct unc_event *event, uint64_t clock_hz, uint64_t read_ns);
/*
 * Tells whether a low and a high half that were read one after the other, within that reach, may belong to different values.
 * That takes a carry of the low half in between: it is about to carry, or it just has (then the order of the halves does not
 * matter).
 */
bool unc_may_be_torn(uint32_t low, uint64_t reach);

/* Returns the most a counter can gain in that time; saturates at UINT64_MAX. */
uint64_t unc_most(const struct unc_event *event, uint64_t clock_hz, uint64_t interval_ns);
/* Returns the shortest time in which a counter of that width can wrap. */
uint64_t unc_wrap_ns(const struct unc_event *event, uint64_t clock_hz, unsigned bits);

#endif

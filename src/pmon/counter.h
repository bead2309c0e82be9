/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arithmetic of counters that are narrower than their count and are read in two halves.  Pure functions.
 * Only the bounds of an event matter.  NULL: nothing is known about it, so it may add 255 in each clock, all that 8 bits hold.
 * clock_hz is the fastest clock that it can have (0, unknown: then nothing is certain, and the answer is the cautious one). */
#ifndef UNC_PMON_COUNTER_H
#define UNC_PMON_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include "map/map.h"

/* What a counter of that width gained; it wrapped at most once. */
uint64_t unc_delta(uint64_t before, uint64_t after, unsigned bits);

/*
 * How far a counter can run during a read of that length, on either side: twice the most it can gain.  A read may be
 * so short that only the bound of a single clock is certain.  Saturates at UINT64_MAX.
 */
uint64_t unc_reach(const struct unc_event *event, uint64_t clock_hz, uint64_t read_ns);
/*
 * May a low and a high half that were read one after the other, within that reach, belong to different values?  Only if
 * the low half carried in between: it is about to carry, or it just has (then the order of the halves does not matter).
 */
bool unc_may_be_torn(uint32_t low, uint64_t reach);

/* The most a counter can gain in a time; saturates. */
uint64_t unc_most(const struct unc_event *event, uint64_t clock_hz, uint64_t interval_ns);
/* The shortest time in which a counter of that width can wrap. */
uint64_t unc_wrap_ns(const struct unc_event *event, uint64_t clock_hz, unsigned bits);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How exactly the time of a read is known.  A read lies between two readings of the clock, its bracket.  The middle of
 * the bracket counts as its time, so that is wrong by up to half of the bracket.  An interval is uncertain by the sum
 * for its two ends. This is the one rule for counters of memory channels and of caches.
 */
#ifndef UNC_MACHINE_UNCERTAIN_H
#define UNC_MACHINE_UNCERTAIN_H

#include "machine/machine.h"

/* Half of a bracket, rounded up. */
static inline uint64_t unc_half_ns(uint64_t before_ns, uint64_t after_ns)
{
	uint64_t took_ns = after_ns - before_ns;

	return took_ns - took_ns / 2;
}

/* Returns by what part of itself an interval may be wrong; 100 for an interval of no length. */
static inline double unc_uncertainty_percent(uint64_t doubt_ns, uint64_t interval_ns)
{
	return interval_ns ? 100 * (double)doubt_ns / (double)interval_ns : 100;
}

enum { UNC_LATE_PART = 500 }; /* 0.2 % */

/* True if an interval may be wrong by more than that part of itself: then it is `late`. */
static inline bool unc_is_late(uint64_t doubt_ns, uint64_t interval_ns)
{
	return interval_ns == 0 || doubt_ns > interval_ns / UNC_LATE_PART;
}

/*
 * Returns true if a read should be repeated: two brackets like this one would make an interval of that length late, and
 * two of the quickest read that is known would not.  quickest_ns 0: no read is known yet; interval_ns 0: its length is
 * not known.
 */
static inline bool unc_read_again(uint64_t took_ns, uint64_t quickest_ns, uint64_t interval_ns)
{
	return interval_ns && unc_is_late(took_ns, interval_ns) && !unc_is_late(quickest_ns, interval_ns);
}

/*
 * Notes that no read is quick enough for intervals of that length, and which interval is long enough.  mux_ns: no
 * interval is longer than that, since events are multiplexed; 0: they are not.
 */
void unc_note_shortest(struct unc_ctx *ctx, uint64_t quickest_ns, uint64_t interval_ns, uint64_t mux_ns);

/* Whether the machine was suspended: then UNC_CLOCK_BOOT, which goes on meanwhile, has run ahead of UNC_CLOCK_MONO. */

struct unc_suspend {
	int64_t asleep_ns; /* the most that the machine can have been suspended before the last call */
};

void unc_suspend_init(struct unc_suspend *suspend, struct unc_machine *m);
/* Returns true if it was suspended since the last call. */
bool unc_was_suspended(struct unc_suspend *suspend, struct unc_machine *m);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How exactly it is known when a counter was read.  A read lies between two looks at the clock, its bracket.  The middle of the bracket
 * is taken as its time, so half of the bracket is how wrong that may be.  An interval is uncertain by what both of its ends are.
 * This is the one rule for counters of memory channels and of caches.
 */
#ifndef UNC_MACHINE_UNCERTAIN_H
#define UNC_MACHINE_UNCERTAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "machine/machine.h"

/* Half of a bracket, rounded up. */
uint64_t unc_half_ns(uint64_t before_ns, uint64_t after_ns);
/* The part of an interval by which it may be wrong; 100 where it lasts no time. */
double unc_uncertainty_percent(uint64_t doubt_ns, uint64_t interval_ns);
/* True where that is more than 0.2 %: then the interval is `late`. */
bool unc_is_late(uint64_t doubt_ns, uint64_t interval_ns);

/*
 * Should a read be done again?  True where two brackets like this one would make an interval of that length late, unless the quickest
 * read that is known would make it late too.  quickest_ns 0: no read is known yet; interval_ns 0: its length is not known.
 */
bool unc_read_again(uint64_t took_ns, uint64_t quickest_ns, uint64_t interval_ns);
/*
 * Notes where no read is quick enough for intervals of that length, and which interval is long enough.  turn_ns: no interval is longer
 * than that, since events take turns; 0: they do not.
 */
void unc_note_shortest(struct unc_ctx *ctx, uint64_t quickest_ns, uint64_t interval_ns, uint64_t turn_ns);

/* Was the machine suspended?  Then UNC_CLOCK_BOOT, which goes on meanwhile, has run ahead of UNC_CLOCK_MONO. */

struct unc_suspend {
	int64_t asleep_ns; /* the most that the machine can have been suspended before we last looked */
};

void unc_suspend_init(struct unc_suspend *suspend, struct unc_machine *m);
/* Was it, since this was last asked? */
bool unc_was_suspended(struct unc_suspend *suspend, struct unc_machine *m);

#endif

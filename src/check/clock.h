/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the clock of each channel runs, measured once for all checks of the theme. */
#ifndef UNC_CHECK_CLOCK_H
#define UNC_CHECK_CLOCK_H

#include "check/window.h"

/*
 * A frequency lies between two bounds: the ticks counted, plus or minus the one that a read cuts, divided by the longest and the
 * shortest time that can have passed between the two reads.  This is its middle, in MHz.
 */
double unc_clock_mhz(struct unc_span rate);
/* Half of the distance between the bounds. */
double unc_clock_doubt_mhz(struct unc_span rate);

enum { UNC_CLOCK_NONE = UNC_PMON_SLOTS };
struct unc_clock_count { /* what a slot counted of the clock */
	unsigned slot;   /* UNC_CLOCK_NONE: there is none */
	struct unc_reading first, last;
	uint64_t ticks;
	struct unc_span rate;
};
struct unc_clock_seen { /* one for each channel, in the order of unc_check.boxes */
	bool measured;
	char why[UNC_MSG_MAX];        /* not measured: what failed */
	struct unc_clock_count clock; /* by the fixed counter, or else by a general one */
	struct unc_clock_count event; /* by a general one beside it */
};
struct unc_check_clocks {
	size_t n;
	struct unc_clock_seen seen[];
};

/* Measures, on the first call only.  Not 0: the run ends. */
int unc_clocks_measure(struct unc_check *c);
/*
 * Begins the result of channel i.  NULL: the channel may not be written and is skipped; or it could not be measured and has failed;
 * or its clock does not tick, which clock.rate reports.
 */
const struct unc_clock_seen *unc_clock_begin(struct unc_check *c, size_t i);
/* The slot of a channel from which its clock can be read; UNC_CLOCK_NONE: none. */
unsigned unc_clock_slot(const struct unc_check_box *b);
/* True if the fixed counter counts DCLK; on some parts it counts a slower clock of the controller. */
bool unc_clock_is_fixed(const struct unc_check_box *b);
/* Makes that slot count the clock; an access of drive.h. */
void unc_clock_start(struct unc_check_box *b, unsigned slot);
/* check/clock_rate.c: clock.steady, and the same for a short time: does the clock run at the end as when it was measured? */
extern const struct unc_windows_def unc_clock_steady, unc_clock_after;

#endif

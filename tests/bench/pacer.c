// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pacer INTERVAL_NS COUNT: sleeps to absolute deadlines until it has met COUNT of them, by the scheme of `uncorectl mem -i -n`,
 * and does nothing else.  Prints how many it missed.
 */
#define _GNU_SOURCE
#include <sys/prctl.h>

#include "bench.h"

int main(int argc, char **argv)
{
	uint64_t interval = argc == 3 ? strtoull(argv[1], NULL, 10) : 0,
		 count = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t deadline, missed = 0;

	if (interval == 0)
		return usage("INTERVAL_NS COUNT");
	prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
	deadline = now_ns(CLOCK_MONOTONIC);
	for (uint64_t met = 0; met < count; met++) {
		uint64_t now = now_ns(CLOCK_MONOTONIC);
		struct timespec until;

		deadline += interval;
		if (deadline <= now) {
			uint64_t late = (now - deadline) / interval + 1;

			missed += late;
			deadline += late * interval;
		}
		until.tv_sec = (time_t)(deadline / 1000000000);
		until.tv_nsec = (long)(deadline % 1000000000);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0)
			;
	}
	printf("%llu\n", (unsigned long long)missed);
	return 0;
}

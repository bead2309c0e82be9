/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The most that memory channels can move: the rate of a channel's clock, times the bytes that it moves in a tick. */
#ifndef UNC_CLI_PEAK_H
#define UNC_CLI_PEAK_H

#include "cli/counting.h"

struct peaks {             /* all zeros at first */
	uint64_t given;    /* --peak: bytes per second of each channel; 0: its clock tells */
	double configured; /* transfers per second to which the firmware has set all memory; 0: not asked, or not known */
	double *of;        /* of each channel in bytes per second; 0: not known; owned */
	uint64_t time_ns; /* of the sample with which they were looked up */
};

option_fn peaks_take; /* uint64_t: struct peaks.given */
#define OPTION_PEAK(type, member)                                                                                      \
	{                                                                                                              \
		"peak", "RATE", peaks_take, offsetof(type, member.given),                                              \
			.help = "what a channel could move, such as 25.6GB/s, instead of what its clock tells"         \
	}

/*
 * Call it when the counters have been started.  If the map of a channel does not tell what it moves in a tick of its clock, it asks the
 * firmware for the speed of the memory (SMBIOS).  UNC_ENOMEM.
 */
int peaks_start(struct peaks *peaks, const struct counting *counting, struct unc_machine *machine);
/*
 * Looks up the peaks of all channels, at most once a second of the samples' time; call it with each sample.  Accesses nothing: the
 * session measures its boxes' clocks in any case.  At the first sample they choose the units of a table.  False: out of memory,
 * after a message.
 */
bool peaks_update(struct peaks *peaks, const struct counting *counting, uint64_t time_ns);
/* Of the channels from first to end together; 0: that of one of them is not known. */
double peaks_sum(const struct peaks *peaks, size_t first, size_t end);
/* The highest of n channels, at which a bar is full; 0: none is known. */
double peaks_most(const struct peaks *peaks, size_t n);
void peaks_clear(struct peaks *peaks);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When each part of a rate is due.  Pure functions. */
#ifndef UNC_CLI_TRAFFIC_PACE_H
#define UNC_CLI_TRAFFIC_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRAFFIC_CHUNK = 256 * 1024 }; /* the most that is moved, and not yet reported, between two reads of the time */

struct traffic_pace {
	bool paced;           /* false: as fast as possible */
	uint64_t bytes_per_s; /* 0: nothing is moved */
	uint64_t start_ns;
};
/* The share of thread index of n threads that make a rate together; bytes_per_s 0: as fast as possible. */
struct traffic_pace traffic_pace_of(uint64_t bytes_per_s, size_t index, size_t n);
/* How much is moved in one go: what is due in a millisecond, in whole cache lines, at most a chunk. */
size_t traffic_pace_burst(const struct traffic_pace *pace);
/*
 * The time at which to go on after done_bytes, 0: at once.  A thread that is late catches up by at most a second: the rest is
 * dropped, and start_ns moves on.
 */
uint64_t traffic_pace_next_ns(struct traffic_pace *pace, uint64_t done_bytes, uint64_t now_ns);

#endif

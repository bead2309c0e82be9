/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When which part of a rate is due.  Pure. */
#ifndef UNC_CLI_TRAFFIC_PACE_H
#define UNC_CLI_TRAFFIC_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TRAFFIC_CHUNK = 256 * 1024 }; /* the most that is moved between two looks at the time, and told of late */

struct traffic_pace {
	bool paced;           /* else as fast as it goes */
	uint64_t bytes_per_s; /* 0: nothing at all */
	uint64_t start_ns;
};
/* The share of one of n who make a rate together, the index-th; bytes_per_s 0: as fast as they can. */
struct traffic_pace traffic_pace_of(uint64_t bytes_per_s, size_t index, size_t n);
/* How much is moved in one go: what is due in a millisecond, whole cache lines, a chunk at most. */
size_t traffic_pace_burst(const struct traffic_pace *pace);
/*
 * With so much done by now: when to go on, 0: at once.  Who is late catches up, but not on what he has missed by more than a
 * second: that is forgotten, and start_ns moves on.
 */
uint64_t traffic_pace_next_ns(struct traffic_pace *pace, uint64_t done_bytes, uint64_t now_ns);

#endif

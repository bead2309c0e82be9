// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/traffic_pace.h"

#include "cli/traffic_loops.h"

enum { NS_PER_S = 1000000000, BURSTS_PER_S = 1000, FORGOTTEN_NS = 1000000000 };

struct traffic_pace traffic_pace_of(uint64_t bytes_per_s, size_t index, size_t n)
{
	return (struct traffic_pace){
		.paced = bytes_per_s != 0,
		.bytes_per_s = bytes_per_s / n + (index < bytes_per_s % n),
	};
}

size_t traffic_pace_burst(const struct traffic_pace *pace)
{
	uint64_t burst = pace->bytes_per_s / BURSTS_PER_S / TRAFFIC_LINE * TRAFFIC_LINE;

	if (!pace->paced || burst > TRAFFIC_CHUNK)
		return TRAFFIC_CHUNK;
	return burst ? (size_t)burst : TRAFFIC_LINE;
}

uint64_t traffic_pace_next_ns(struct traffic_pace *pace, uint64_t done_bytes, uint64_t now_ns)
{
	uint64_t rate = pace->bytes_per_s, due;

	if (!pace->paced)
		return 0;
	if (rate == 0)
		return UINT64_MAX;
	due = pace->start_ns + done_bytes / rate * NS_PER_S +
	      (uint64_t)((double)(done_bytes % rate) * NS_PER_S / (double)rate);
	if (due > now_ns)
		return due;
	if (now_ns - due > FORGOTTEN_NS)
		pace->start_ns += now_ns - due - FORGOTTEN_NS;
	return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes memory traffic of known volume on the CPUs of this computer: one thread on each of them, which goes through its own buffer
 * again and again.  What they have done is in memory that may be shared with another process, which can read it at any time.
 */
#ifndef UNC_CLI_TRAFFIC_MAKE_H
#define UNC_CLI_TRAFFIC_MAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore.h"
#include "uncore/traffic.h"

struct traffic_slot { /* one for each thread, in its own cache line */
	/* Moved since the start; it is updated after each chunk, and exact once the thread has stopped. */
	_Alignas(64) _Atomic uint64_t bytes;
};

struct traffic_board {
	_Atomic bool quit;         /* set to end the traffic, even before it has begun */
	_Atomic uint64_t began_ns; /* CLOCK_MONOTONIC_RAW */
	_Atomic uint64_t ended_ns; /* end of the last thread; 0: not yet */
	size_t n_slots;
	struct traffic_slot slots[];
};
size_t traffic_board_size(size_t n_slots);
uint64_t traffic_board_bytes(const struct traffic_board *board, size_t n_cpus);

struct traffic_make;
/*
 * When it returns, all threads make traffic. board: n_slots for at least that many CPUs; outlives it.  UNC_ENODEV: no such CPU or
 * node; UNC_ENOSUP: no such stores on this computer; UNC_EARG: a CPU twice, or too many, or more memory than the node has to spare;
 * UNC_EPERM: not permitted on that CPU or node; UNC_EAGAIN: board->quit was set meanwhile; UNC_EIO, UNC_ENOMEM.
 */
int traffic_make_start(struct unc_ctx *ctx, const struct unc_traffic *traffic, struct traffic_board *board,
		       struct traffic_make **ret_make);
/* Ends all threads, after the current chunk of each, and frees them and the buffers.  NULL is fine. */
void traffic_make_stop(struct traffic_make *make);

#endif

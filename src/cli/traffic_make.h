/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes memory traffic of known volume on the CPUs of this computer: a thread on each of them, which goes through a buffer of its own
 * again and again.  What they have done lies in memory that may be shared with another process, which can look at any time.
 */
#ifndef UNC_CLI_TRAFFIC_MAKE_H
#define UNC_CLI_TRAFFIC_MAKE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uncore.h"

struct traffic_slot { /* of one thread, a cache line of its own */
	_Alignas(64) _Atomic uint64_t
		bytes; /* moved since the start, told after each chunk, exact once it has stopped */
};

struct traffic_board {
	_Atomic bool quit;         /* set by whoever wants it to end, before it has begun too */
	_Atomic uint64_t began_ns; /* CLOCK_MONOTONIC_RAW */
	_Atomic uint64_t ended_ns; /* of the last thread; 0: not yet */
	size_t n_slots;
	struct traffic_slot slots[];
};
size_t traffic_board_size(size_t n_slots);
uint64_t traffic_board_bytes(const struct traffic_board *board, size_t n_cpus);

struct traffic_make;
/*
 * When it returns, all threads are at it.  board: n_slots for as many CPUs or more; outlives it.  UNC_ENODEV: no such CPU or node;
 * UNC_ENOSUP: no such stores on this computer; UNC_EARG: a CPU twice, or too many, or more memory than the node has to spare;
 * UNC_EPERM: not on that CPU or node; UNC_EAGAIN: board->quit was set meanwhile; UNC_EIO, UNC_ENOMEM.
 */
int traffic_make_start(struct unc_ctx *ctx, const struct unc_traffic *traffic, struct traffic_board *board,
		       struct traffic_make **ret_make);
/* Ends all threads, after the chunk that each is at, and frees them and the buffers.  NULL is fine. */
void traffic_make_stop(struct traffic_make *make);

#endif

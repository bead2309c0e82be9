/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory traffic of known volume on this computer. */
#ifndef UNC_CLI_TRAFFIC_H
#define UNC_CLI_TRAFFIC_H

#include <stdatomic.h>

#include "cli/cli.h"

/*
 * Memory traffic on this computer, made by a child process: the system call filter of this process allows neither threads nor pages
 * of a node.  The child has its own filter, no capability, and its caller's rights.  It ends with its parent.
 */

struct traffic_child;

/*
 * Call this before confine(), and before a machine is opened: the child inherits whatever is open, and closes it.  EXIT_DONE, or
 * the exit status after a message.  SIGPIPE is ignored from then on.  The child, which outlives globals, becomes their maker of
 * traffic; it makes only system calls that every confined process may make.  *ret_child stays as it is on a machine that is
 * certainly not this computer; root:DIR may be this computer, as seen from a container.
 */
int traffic_child_start(struct globals *globals, struct traffic_child **ret_child);
/* The time when the last traffic began, CLOCK_MONOTONIC_RAW; 0: no traffic was made. */
uint64_t traffic_child_began_ns(const struct traffic_child *child);
/* Ends the child and its traffic.  NULL is fine. */
void traffic_child_end(struct traffic_child *child);

/*
 * The innermost loops of memory traffic: an instruction of these functions moved every byte that is reported, once, and they move
 * no others. tests/cli/test_load_claims.sh counts that.
 */

enum {
	TRAFFIC_LINE = 64, /* bytes of a cache line: addresses and lengths are multiples of it */
#ifdef __SSE2__
	TRAFFIC_WIDTH = 16, /* bytes that one instruction moves */
#else
	TRAFFIC_WIDTH = 8,
#endif
};

void traffic_load(const void *at, size_t bytes);
void traffic_store(void *at, size_t bytes);
/* The stores have left the CPU when it returns.  Only if traffic_has_nt. */
void traffic_nt_store(void *at, size_t bytes);
extern const bool traffic_has_nt;

/*
 * Makes memory traffic of known volume on the CPUs of this computer: one thread on each of them, which goes through its own buffer
 * again and again.  What they have done is in memory that may be shared with another process, which can read it at any time.
 */

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

/* The place of traffic on this computer: which CPUs may make it, and memory of a NUMA node. */

/* For tests: the available memory in a node's or the computer's meminfo.  False: it is not given. */
bool traffic_meminfo_spare(const char *meminfo, uint64_t *ret_bytes);

/* When each part of a rate is due.  Pure functions. */

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

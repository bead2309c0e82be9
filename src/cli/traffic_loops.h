/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The innermost loops of memory traffic: every byte that is claimed was moved by an instruction of these functions, once, and
 * they move no other.  tests/cli/test_load_claims.sh counts that.
 */
#ifndef UNC_CLI_TRAFFIC_LOOPS_H
#define UNC_CLI_TRAFFIC_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TRAFFIC_LINE = 64, /* bytes of a cache line: addresses and lengths are multiples of it */
#ifdef __SSE2__
	TRAFFIC_WIDTH = 16, /* bytes that an instruction moves */
#else
	TRAFFIC_WIDTH = 8,
#endif
};

void traffic_load(const void *at, size_t bytes);
void traffic_store(void *at, size_t bytes);
/* What was stored so has left the CPU when it returns.  Only where traffic_has_nt. */
void traffic_nt_store(void *at, size_t bytes);
extern const bool traffic_has_nt;

#endif

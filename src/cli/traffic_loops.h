/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The innermost loops of memory traffic: an instruction of these functions moved every byte that is reported, once, and they move
 * no others. tests/cli/test_load_claims.sh counts that.
 */
#ifndef UNC_CLI_TRAFFIC_LOOPS_H
#define UNC_CLI_TRAFFIC_LOOPS_H

#include <stdbool.h>
#include <stddef.h>

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

#endif

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * volatile, since each access must be one instruction: a compiler would drop loads whose result is not used, and turn stores into a
 * memset(), which may bypass the caches.
 */
#include "cli/traffic.h"

/*
 * What an access is, and what is stored: not zeros, since some caches (Ice Lake) do not write back a line of zeros that is stored over
 * zeros.  A word of all ones needs no load from memory.
 */
#ifdef __SSE2__
#include <emmintrin.h>
typedef __m128i word;
#define PATTERN             _mm_set1_epi8(-1)
#define STREAM(to, pattern) _mm_stream_si128(to, pattern)
#define FENCE()             _mm_sfence()
const bool traffic_has_nt = true;
#else
typedef uint64_t word;
#define PATTERN             UINT64_MAX
#define STREAM(to, pattern) (*(volatile word *)(to) = (pattern))
#define FENCE()             ((void)0)
const bool traffic_has_nt = false;
#endif

_Static_assert(sizeof(word) == TRAFFIC_WIDTH, "an access is as wide as it is said to be");
enum { LINE_WORDS = TRAFFIC_LINE / TRAFFIC_WIDTH };

void traffic_load(const void *at, size_t bytes)
{
	const volatile word *from = at, *end = from + bytes / sizeof(*from);

	for (; from < end; from += LINE_WORDS) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < LINE_WORDS; i++)
			(void)from[i];
	}
}

void traffic_store(void *at, size_t bytes)
{
	volatile word *to = at, *end = to + bytes / sizeof(*to);
	const word pattern = PATTERN;

	for (; to < end; to += LINE_WORDS) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < LINE_WORDS; i++)
			to[i] = pattern;
	}
}

void traffic_nt_store(void *at, size_t bytes)
{
	word *to = at, *end = to + bytes / sizeof(*to);
	const word pattern = PATTERN;

	for (; to < end; to += LINE_WORDS) {
#pragma GCC unroll 8
		for (unsigned i = 0; i < LINE_WORDS; i++)
			STREAM(to + i, pattern);
	}
	FENCE();
}

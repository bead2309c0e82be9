// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * volatile, since each access must be one instruction: a compiler would drop loads whose result is not used, and turn stores into a
 * memset(), which may bypass the caches.
 */
#include "cli/traffic.h"

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
typedef __m128i word;
#else
typedef uint64_t word;
#endif

_Static_assert(sizeof(word) == TRAFFIC_WIDTH, "an access is as wide as it is said to be");
enum { LINE_WORDS = TRAFFIC_LINE / TRAFFIC_WIDTH };

/*
 * Not zeros: some caches (Ice Lake) do not write back a line of zeros that is stored over zeros.  A word of all ones needs no load
 * from memory.
 */
static word pattern(void)
{
#ifdef __SSE2__
	return _mm_set1_epi8(-1);
#else
	return UINT64_MAX;
#endif
}

void traffic_load(const void *at, size_t bytes)
{
	const volatile word *from = at, *end = from + bytes / sizeof(*from);

	for (; from < end; from += LINE_WORDS) {
		(void)from[0];
		(void)from[1];
		(void)from[2];
		(void)from[3];
#ifndef __SSE2__
		(void)from[4];
		(void)from[5];
		(void)from[6];
		(void)from[7];
#endif
	}
}

void traffic_store(void *at, size_t bytes)
{
	volatile word *to = at, *end = to + bytes / sizeof(*to);
	const word value = pattern();

	for (; to < end; to += LINE_WORDS) {
		to[0] = value;
		to[1] = value;
		to[2] = value;
		to[3] = value;
#ifndef __SSE2__
		to[4] = value;
		to[5] = value;
		to[6] = value;
		to[7] = value;
#endif
	}
}

#ifdef __SSE2__
const bool traffic_has_nt = true;

void traffic_nt_store(void *at, size_t bytes)
{
	word *to = at, *end = to + bytes / sizeof(*to);
	const word value = pattern();

	for (; to < end; to += LINE_WORDS) {
		_mm_stream_si128(to, value);
		_mm_stream_si128(to + 1, value);
		_mm_stream_si128(to + 2, value);
		_mm_stream_si128(to + 3, value);
	}
	_mm_sfence();
}
#else
const bool traffic_has_nt = false;

void traffic_nt_store(void *at, size_t bytes)
{
	traffic_store(at, bytes);
}
#endif

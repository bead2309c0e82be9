// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/counter.h"

enum { UNKNOWN_INC = 255 }; /* 8 bits go into a counter per clock (Intel 329468-002, p.83) */
#define NS_PER_S 1000000000u

uint64_t unc_delta(uint64_t before, uint64_t after, unsigned bits)
{
	uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;

	return (after - before) & mask;
}

uint64_t unc_most(unsigned max_inc, uint64_t clock_hz, uint64_t interval_ns)
{
	unsigned __int128 most = (unsigned __int128)clock_hz * interval_ns;

	if (clock_hz == 0)
		return UINT64_MAX;
	/* Mostly below 2^64, where dividing is cheap: this is done several times in every sample. */
	most = (most >> 64 ? most / NS_PER_S : (uint64_t)most / NS_PER_S) + 1;
	most *= max_inc ? max_inc : UNKNOWN_INC;
	return most > UINT64_MAX ? UINT64_MAX : (uint64_t)most;
}

uint64_t unc_reach(unsigned max_inc, uint64_t clock_hz, uint64_t read_ns)
{
	uint64_t most = unc_most(max_inc, clock_hz, read_ns);

	return most > UINT64_MAX / 2 ? UINT64_MAX : 2 * most;
}

bool unc_may_be_torn(uint32_t low, uint64_t reach)
{
	/* From here on every low half is within reach of a carry on one side or the other. */
	if (reach >= UINT64_C(1) << 31)
		return true;
	return low < reach || low >= (UINT64_C(1) << 32) - reach;
}

uint64_t unc_wrap_ns(unsigned max_inc, uint64_t clock_hz, unsigned bits)
{
	unsigned __int128 wrap;

	if (clock_hz == 0)
		return UINT64_MAX;
	wrap = ((unsigned __int128)1 << (bits < 64 ? bits : 64)) * NS_PER_S;
	wrap /= clock_hz;
	wrap /= max_inc ? max_inc : UNKNOWN_INC;
	return wrap > UINT64_MAX ? UINT64_MAX : (uint64_t)wrap;
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "pmon/counter.h"

enum { UNKNOWN_INC = 255 }; /* 8 bits go into a counter per clock (Intel 329468-002, p.83) */
#define NS_PER_S 1000000000u

static unsigned in_one_clock(const struct unc_event *event)
{
	return event && event->max_inc ? event->max_inc : UNKNOWN_INC;
}

/* The value is mostly below 2^64, where dividing is cheap: this is done several times in every sample. */
static unsigned __int128 divide(unsigned __int128 n, uint64_t by)
{
	return n >> 64 ? n / by : (uint64_t)n / by;
}

static uint64_t saturated(unsigned __int128 n)
{
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

uint64_t unc_most(const struct unc_event *event, uint64_t clock_hz, uint64_t interval_ns)
{
	unsigned inc = in_one_clock(event);
	unsigned __int128 clocks = divide((unsigned __int128)clock_hz * interval_ns, NS_PER_S);

	if (clock_hz == 0)
		return UINT64_MAX;
	if (event && event->one_per)
		return saturated(divide(clocks, event->one_per) + inc);
	return saturated((clocks + 1) * inc);
}

uint64_t unc_reach(const struct unc_event *event, uint64_t clock_hz, uint64_t read_ns)
{
	struct unc_event burst = {.max_inc = in_one_clock(event)};
	uint64_t most = unc_most(&burst, clock_hz, read_ns);

	return most > UINT64_MAX / 2 ? UINT64_MAX : 2 * most;
}

bool unc_may_be_torn(uint32_t low, uint64_t reach)
{
	/* From this reach on, every low half is close enough to a carry on one side or the other. */
	if (reach >= UINT64_C(1) << 31)
		return true;
	return low < reach || low >= (UINT64_C(1) << 32) - reach;
}

uint64_t unc_wrap_ns(const struct unc_event *event, uint64_t clock_hz, unsigned bits)
{
	unsigned __int128 clocks_ns = ((unsigned __int128)1 << (bits < 64 ? bits : 64)) * NS_PER_S;

	if (clock_hz == 0)
		return UINT64_MAX;
	if (event && event->one_per)
		return saturated(clocks_ns * event->one_per / clock_hz);
	return saturated(clocks_ns / clock_hz / in_one_clock(event));
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* A histogram of rates: each bin is a 64th of a power of two, so that its middle is off by 0.8 % at most. */
#include "cli/rates.h"

static unsigned bin_of(double rate)
{
	uint64_t number = rate < 1e18 ? (uint64_t)rate : UINT64_C(1000000000000000000);
	unsigned power, step;

	if (number >> RATE_LOW == 0)
		return 0;
	power = 63 - (unsigned)__builtin_clzll(number);
	if (power >= RATE_HIGH)
		return RATE_BINS - 1;
	step = (unsigned)(number >> (power - 6)) - RATE_STEPS; /* RATE_STEPS is 2^6 */
	return (power - RATE_LOW) * RATE_STEPS + step + 1;
}

/* The middle of a bin. */
static double rate_of(unsigned bin)
{
	unsigned power = RATE_LOW + (bin - 1) / RATE_STEPS, step = (bin - 1) % RATE_STEPS;

	if (bin == 0)
		return 1 << (RATE_LOW - 1);
	return ((double)(RATE_STEPS + step) + 0.5) * (double)(UINT64_C(1) << (power - 6));
}

void rates_add(struct rates *rates, double rate)
{
	if (rates->n == 0 || rate < rates->min)
		rates->min = rate;
	if (rates->n == 0 || rate > rates->max)
		rates->max = rate;
	rates->n++;
	rates->bins[bin_of(rate)]++;
}

double rates_percentile(const struct rates *rates, unsigned percent)
{
	uint64_t below = 0, wanted = (rates->n * percent + 99) / 100;
	unsigned bin = 0;
	double rate;

	while (bin < RATE_BINS - 1 && below + rates->bins[bin] < wanted)
		below += rates->bins[bin++];
	rate = rate_of(bin);
	rate = rate < rates->min ? rates->min : rate;
	return rate > rates->max ? rates->max : rate;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* A histogram of rates: each bin is a 64th of a power of two, so that its middle is off by 0.8 % at most. */
#include "cli/rates.h"

#include <string.h>

/* A double has 52 bits below its exponent, of which the first six tell the step (RATE_STEPS is 2^6). */
enum { BELOW_STEP = 52 - 6, FIRST = (1023 + RATE_LOW) * RATE_STEPS };

static unsigned bin_of(double rate)
{
	uint64_t bits;

	memcpy(&bits, &rate, sizeof(bits));
	bits >>= BELOW_STEP;
	if (rate < 1 << RATE_LOW)
		return 0;
	return bits < FIRST + RATE_BINS - 1 ? (unsigned)bits - FIRST + 1 : RATE_BINS - 1;
}

/* The middle of a bin. */
static double rate_of(unsigned bin)
{
	uint64_t bits = ((uint64_t)(FIRST + bin) * 2 - 1) << (BELOW_STEP - 1);
	double rate;

	memcpy(&rate, &bits, sizeof(rate));
	return bin ? rate : 1 << (RATE_LOW - 1);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram of rates, for percentiles in memory that does not grow with the samples. */
#ifndef UNC_CLI_RATES_H
#define UNC_CLI_RATES_H

#include <stdint.h>

enum { RATE_STEPS = 64, RATE_LOW = 16, RATE_HIGH = 48, RATE_BINS = (RATE_HIGH - RATE_LOW) * RATE_STEPS + 1 };

struct rates { /* all zeros at first */
	uint64_t n;
	double min, max;
	uint32_t bins[RATE_BINS]; /* below 2^RATE_LOW bytes per second, then RATE_STEPS in each power of two */
};
void rates_add(struct rates *rates, double rate);
/* The rate that so many percent of the samples do not exceed, known to 0.8 %, or below 2^RATE_LOW to that. */
double rates_percentile(const struct rates *rates, unsigned percent);

#endif

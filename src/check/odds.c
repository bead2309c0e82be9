// SPDX-License-Identifier: GPL-2.0-or-later
#include "check/odds.h"

#include <inttypes.h>
#include <stdio.h>

/* The probability that all n tries succeed is (1 - 1/N)^n < e^(-n/N), which is below 0.01 from n = N ln 100 = 4.60517 N on. */
uint64_t unc_odds_rate(uint64_t n)
{
	return n / 4606 * 1000 + n % 4606 * 1000 / 4606;
}

const char *unc_odds_text(uint64_t n, uint64_t n_bad, char buf[UNC_ODDS_TEXT])
{
	if (n_bad)
		snprintf(buf, UNC_ODDS_TEXT, "one in %" PRIu64, n / n_bad);
	else
		snprintf(buf, UNC_ODDS_TEXT, "one in %" PRIu64 " would have been seen with 99 %%", unc_odds_rate(n));
	return buf;
}

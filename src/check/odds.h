/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The probability that a fault which occurs now and then would have been detected. */
#ifndef UNC_CHECK_ODDS_H
#define UNC_CHECK_ODDS_H

#include <stdint.h>

enum { UNC_ODDS_TEXT = 100 };

/*
 * The largest N such that n tries show at least one failure with 99 % probability, if one in N fails. 0: n is too small for any N.
 */
uint64_t unc_odds_rate(uint64_t n);
/* "one in 434 would have been seen with 99 %", or if n_bad of n failed, "one in 120".  Returns buf. */
const char *unc_odds_text(uint64_t n, uint64_t n_bad, char buf[UNC_ODDS_TEXT]);

#endif

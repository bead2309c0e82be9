/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes and rates as people write them. */
#ifndef UNC_CLI_AMOUNT_H
#define UNC_CLI_AMOUNT_H

#include <stdbool.h>
#include <stdint.h>

/*
 * A number of bytes, "4096", "2e9", "1.5GB", "64M": kB, MB, GB and TB are powers of 1000; k, M, G and T, also as KiB and so on, are
 * powers of 1024, as in dd and head.  The result is rounded to whole bytes.  False: the text is not such a number, or it is above a
 * PiB.
 */
bool amount_of_bytes(const char *text, uint64_t *ret_bytes);
/* The same per second, with or without "/s" after it. */
bool amount_of_rate(const char *text, uint64_t *ret_bytes_per_s);

#endif

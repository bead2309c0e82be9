/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that measure something need. */
#ifndef UNC_TESTS_BENCH_H
#define UNC_TESTS_BENCH_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "uncore.h"

static inline uint64_t now_ns(clockid_t clock)
{
	struct timespec ts = {0};

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

_Noreturn static inline void die(const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
	exit(1);
}

static inline void must(const struct unc_ctx *ctx, int rc)
{
	if (rc != 0)
		die("it failed", unc_errmsg(ctx));
}

static inline int usage(const char *arguments)
{
	fprintf(stderr, "usage: %s %s\n", program_invocation_short_name, arguments);
	return 2;
}

static inline int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static inline uint64_t median(uint64_t *values, size_t n)
{
	qsort(values, n, sizeof(*values), by_value);
	return values[n / 2];
}

#endif

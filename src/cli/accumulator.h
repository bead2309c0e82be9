/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the value of one event or metric from the counts of one sample: of a channel, or of several added up. */
#ifndef UNC_CLI_ACCUMULATOR_H
#define UNC_CLI_ACCUMULATOR_H

#include "uncore.h"

enum { ACCUMULATOR_COUNTS_MAX = 16 };

struct accumulator {
	bool adds;  /* the value of several channels is the sum of theirs: an event, or a metric that adds */
	bool given; /* every count is there */
	size_t n;
	uint64_t counts[ACCUMULATOR_COUNTS_MAX]; /* as the hardware counted */
	double scaled[ACCUMULATOR_COUNTS_MAX];   /* extended to the whole time in which they should have counted */
	double doubts[ACCUMULATOR_COUNTS_MAX];   /* possible errors of the scaled counts */
	uint64_t counted_ns;                     /* that time; for a sum, the total of all channels */

	/* Of a rate that is a sum of counts (struct amount_sum): exact, where the value is rounded. */
	uint64_t amount; /* in the unit whose rate the value is: bytes */
	uint64_t events; /* counts that are added, less those that are subtracted */

	bool has_value;
	double value;                    /* set by the caller; for a sum that adds, the sum of the values */
	double doubt;                    /* possible error of the value; DBL_MAX: not known */
	double per_s;                    /* set by the caller, 0 if it has no meaning */
	uint64_t time_ns, interval_ns;   /* for a sum, the latest and the mean; interval 0: not known */
	uint64_t enabled_ns, running_ns; /* the smallest of the counts; for a sum, the mean */
	double uncertainty_percent;      /* the largest of any count */
	unsigned flags;                  /* bits of enum unc_count_flag, and FLAG_PARTIAL, FLAG_BELOW_ZERO */

	unsigned n_timed;  /* for a sum: channels with an interval */
	unsigned of_lacks; /* the flags of the channels that a sum lacks */
};

/* The amount whose rate a metric is: counts, each times a whole number, such as 64 bytes. */
struct amount_sum {
	size_t n;
	size_t which[ACCUMULATOR_COUNTS_MAX]; /* indices of the counts */
	int64_t weights[ACCUMULATOR_COUNTS_MAX];
};

/* The accumulator of the n counts whose indices are in which; n is at most ACCUMULATOR_COUNTS_MAX.  The caller must set the value. */
void accumulator_of(const struct unc_count *counts, const size_t *which, size_t n, struct accumulator *acc);
/* The same for one count, with its value. */
struct accumulator accumulator_of_event(const struct unc_count *count);
/*
 * The same for the first of several sums that give the same amount whose counts are all there; with its value, the rate.  Without
 * one the flags are those of the first that fails for another reason than that no program counts its events.
 */
void accumulator_of_amount(const struct unc_count *counts, const struct amount_sum *sums, size_t n,
			   struct accumulator *ret_acc);
/* The accumulator of a channel that is missing, at the time of the sample. */
struct accumulator accumulator_missing(uint64_t time_ns);
void accumulator_set_value(struct accumulator *acc, double value, double per_s);
/* counted_ns in seconds. */
double accumulator_seconds(const struct accumulator *acc);

/* Adds a channel to a sum, which is all zero at first except adds. */
void accumulator_add(struct accumulator *sum, const struct accumulator *member);
/* Call this after the last member.  A sum that does not add has no value yet. */
void accumulator_end_sum(struct accumulator *sum);

#endif

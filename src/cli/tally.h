/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes the value of one event or metric from the counts of one sample: of a channel, or of several added up. */
#ifndef UNC_CLI_TALLY_H
#define UNC_CLI_TALLY_H

#include "uncore.h"

enum { TALLY_COUNTS_MAX = 16 };

struct tally {
	bool adds;  /* the value of several channels is the sum of theirs: an event, or a metric that adds */
	bool given; /* every count is there */
	size_t n;
	uint64_t counts[TALLY_COUNTS_MAX]; /* as the hardware counted */
	double scaled[TALLY_COUNTS_MAX];   /* extended to the whole time in which they should have counted */
	double doubts[TALLY_COUNTS_MAX];   /* possible errors of the scaled counts */
	uint64_t counted_ns;               /* that time; for a sum, the total of all channels */

	bool has_value;
	double value;                    /* set by the caller; for a sum that adds, the sum of the values */
	double doubt;                    /* possible error of the value; DBL_MAX: not known */
	double per_s;                    /* set by the caller, 0 if it has no meaning */
	uint64_t time_ns, interval_ns;   /* for a sum, the latest and the mean; interval 0: not known */
	uint64_t enabled_ns, running_ns; /* the smallest of the counts; for a sum, the mean */
	double uncertainty_percent;      /* the largest of any count */
	unsigned flags;                  /* bits of enum unc_count_flag */
	bool partial;                    /* a sum that lacks a channel */

	unsigned n_timed;  /* for a sum: channels with an interval */
	unsigned of_lacks; /* the flags of the channels that a sum lacks */
};

/* The tally of the n counts whose indices are in which; n is at most TALLY_COUNTS_MAX.  The caller must set the value. */
struct tally tally_of(const struct unc_count *counts, const size_t *which, size_t n);
/* The same for one count, with its value. */
struct tally tally_of_event(const struct unc_count *count);
/* The tally of a channel that is missing, at the time of the sample. */
struct tally tally_missing(uint64_t time_ns);
void tally_set_value(struct tally *tally, double value, double per_s);
/* counted_ns in seconds. */
double tally_seconds(const struct tally *tally);

/* Adds a channel to a sum, which is all zero at first except adds. */
void tally_add(struct tally *sum, const struct tally *member);
/* Call this after the last member.  A sum that does not add has no value yet. */
void tally_end_sum(struct tally *sum);

#endif

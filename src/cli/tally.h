/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the counts of one sample to a value of one event or one metric: of a channel, or of several summed up. */
#ifndef UNC_CLI_TALLY_H
#define UNC_CLI_TALLY_H

#include "uncore.h"

enum { TALLY_COUNTS_MAX = 16 };

struct tally {
	bool adds;  /* the value of several channels is the sum of theirs: an event, or such a metric */
	bool given; /* every count is there */
	size_t n;
	uint64_t counts[TALLY_COUNTS_MAX]; /* as the hardware counted */
	double scaled[TALLY_COUNTS_MAX];   /* extended to the whole time in which they were to be counted */
	double doubts[TALLY_COUNTS_MAX];   /* by how much these may be off */
	uint64_t counted_ns;               /* that time; of a sum, of all channels together */

	bool has_value;
	double value;                    /* the caller's, from the above; a sum of them where it adds */
	double doubt;                    /* by how much it may be off, DBL_MAX: not known */
	double per_s;                    /* likewise, and 0 where that makes no sense */
	uint64_t time_ns, interval_ns;   /* of a sum, the latest and the mean; interval 0: not known */
	uint64_t enabled_ns, running_ns; /* the least of the counts; of a sum, the mean */
	double uncertainty_percent;      /* the most of any count */
	unsigned flags;                  /* of enum unc_count_flag */
	bool partial;                    /* a sum that lacks somebody */

	unsigned n_timed;  /* of a sum: channels with an interval */
	unsigned of_lacks; /* the flags of those that it lacks */
};

/* Of the n counts whose numbers are in which; n is at most TALLY_COUNTS_MAX.  The value is for the caller to fill in. */
struct tally tally_of(const struct unc_count *counts, const size_t *which, size_t n);
/* The same of one count, with its value. */
struct tally tally_of_event(const struct unc_count *count);
/* Of a channel that is not there, at the time of the sample. */
struct tally tally_missing(uint64_t time_ns);
void tally_set_value(struct tally *tally, double value, double per_s);
/* counted_ns in seconds. */
double tally_seconds(const struct tally *tally);

/* Adds a channel to a sum that began as all zero but for adds. */
void tally_add(struct tally *sum, const struct tally *member);
/* After the last.  A sum that does not add has no value yet. */
void tally_end_sum(struct tally *sum);

#endif

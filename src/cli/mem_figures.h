/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the counts of one sample to what is shown: a figure per channel, and sums over iMC, socket and machine. */
#ifndef UNC_CLI_MEM_FIGURES_H
#define UNC_CLI_MEM_FIGURES_H

#include "cli/emit.h"
#include "uncore.h"

enum per { PER_CHANNEL, PER_IMC, PER_SOCKET, PER_MACHINE };

struct flow { /* reads or writes */
	bool given;
	uint64_t count, bytes;
	double bytes_per_s;
};

struct figure {
	struct flow read, write;
	uint64_t time_ns, interval_ns; /* interval 0: not given */
	double uncertainty_percent;    /* of its rates; of a sum, the most of any channel */
	unsigned flags;                /* of enum unc_count_flag */
	bool partial;                  /* a sum that lacks somebody */
};

/* Of one channel. */
struct figure figure_of(const struct unc_count *read, const struct unc_count *write);
/* Of a channel that is not there, at the time of the sample. */
struct figure figure_missing(uint64_t time_ns);
/* Adds a channel to a sum that began as all zero. */
void figure_add(struct figure *sum, const struct figure *member);
/* After the last member, n_timed of which had an interval: the sum's is their mean. */
void figure_end_sum(struct figure *sum, unsigned n_timed);

#endif

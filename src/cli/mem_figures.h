/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Computes what is shown from the counts of one sample: a figure per channel, and sums over iMC, socket and machine. */
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
	uint64_t time_ns, interval_ns; /* interval 0: not known */
	double uncertainty_percent;    /* uncertainty of its rates; for a sum, the largest of any channel */
	unsigned flags;                /* bits of enum unc_count_flag */
	bool partial;                  /* a sum that lacks a channel */
};

/* The figure of one channel. */
struct figure figure_of(const struct unc_count *read, const struct unc_count *write);
/* The figure of a channel that is missing, at the time of the sample. */
struct figure figure_missing(uint64_t time_ns);
/* Adds a channel to a sum, which is all zero at first. */
void figure_add(struct figure *sum, const struct figure *member);
/* Call this after the last member. n_timed: how many members had an interval; the sum's interval is their mean. */
void figure_end_sum(struct figure *sum, unsigned n_timed);

#endif

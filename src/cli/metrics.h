/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as series of numbers for Prometheus: gathers the rows of samples, whatever command emits them, and writes the text format
 * 0.0.4 or OpenMetrics 1.0.0.  Counters begin at 0 with the process and never fall.  A value that hardware did not give has no series,
 * and the reason is a series of its own.
 */
#ifndef UNC_CLI_METRICS_H
#define UNC_CLI_METRICS_H

#include "cli/emit.h"

enum { METRICS_GROUPS_MAX = 64, METRICS_SERIES_MAX = 2000 };

struct metrics;

/* Where the columns are that the rows of one command have. */
struct metrics_rows {
	struct metrics *metrics; /* not owned */
	const struct column *columns;
	size_t n_columns;
	bool found; /* the places are known */
	int at[32]; /* by enum metrics_column; below 0: there is none */
};

/* interval_ns: between two samples; 0: not known.  NULL: out of memory, after a message.  ctx and machine outlive it. */
struct metrics *metrics_new(struct unc_ctx *ctx, struct unc_machine *machine, uint64_t interval_ns);
void metrics_free(struct metrics *metrics);
/* Takes a row of a sample; one of a sum is left out.  Out of memory: it is counted as dropped. */
void metrics_take(struct metrics_rows *rows, const struct row *row);
/* Call it before the rows of a sample, when it is read: what has no value from now on has no series. */
void metrics_begin(struct metrics *metrics);
/* The sample is complete.  At the times of samples, and not between them, the histograms have it. */
void metrics_end(struct metrics *metrics, bool on_time);
/* A read that was due at due_ns began and ended then, in pacing time. on_time as above. */
void metrics_timed(struct metrics *metrics, uint64_t due_ns, uint64_t began_ns, uint64_t ended_ns, bool on_time);
/* It serves: from now on it also has scrapes and the time of the CPU.  fresh: registers were read for this one. */
void metrics_scraped(struct metrics *metrics, bool fresh);
/* Writes everything. */
void metrics_write(struct metrics *metrics, bool openmetrics, struct output *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What metrics.c gathers and metrics_text.c writes. */
#ifndef UNC_CLI_METRICS_STORE_H
#define UNC_CLI_METRICS_STORE_H

#include "cli/metrics.h"

/* Families of series, in the order in which they are written. */
enum metrics_family {
	M_EXPECTED,
	M_INFO,
	M_UP,
	M_STATE,
	M_READ,
	M_WRITTEN,
	M_BOTH,
	M_PMEM_READ,
	M_PMEM_WRITTEN,
	M_CYCLES,
	M_UNCORE,
	M_PEAK,
	M_EVENT,
	M_METRIC,
	M_OCCUPANCY,
	M_SIZE,
	M_BANDWIDTH,
	M_LLC_ERRORS,
	M_ERRORS,
	M_FAMILIES,
};

struct metrics_series {
	char *labels; /* socket="0",imc="1",channel="2"; owned */
	bool given;   /* the last sample has it */
	bool real;    /* its value is a number, and not total */
	uint64_t total;
	double part; /* of a count that was extended to the whole time: what total lacks, below 1 */
	double number;
	size_t of; /* of M_STATE: the place of its channel in M_UP */
};

struct metrics_list {
	struct metrics_series *series; /* owned */
	size_t n, next;                /* next: where the next one is expected, since samples have one order */
};

enum { METRICS_SHARES = 11, METRICS_INTERVALS = 7 };
extern const double metrics_shares[METRICS_SHARES];       /* upper bounds, as shares of the peak; and no bound */
extern const double metrics_intervals[METRICS_INTERVALS]; /* the same as multiples of the interval */

struct metrics_histogram {
	uint64_t buckets[METRICS_SHARES + 1], count; /* each bucket by itself */
	double sum;
};

struct metrics_channel { /* beside M_UP: what a channel moved since the last sample that was on time */
	unsigned socket;
	uint64_t bytes, ns;
	double peak; /* 0: not known */
	bool whole;  /* no part of it is missing */
};

struct metrics_socket {
	unsigned number;
	double peak; /* the first that was known: the bounds of a histogram stay */
	struct metrics_histogram throughput;
};

struct metrics {
	struct unc_ctx *ctx; /* outlives it, as does machine */
	struct unc_machine *machine;
	bool simulated;
	uint64_t started_ns, interval_ns;
	struct metrics_list lists[M_FAMILIES];
	struct metrics_channel *channels; /* as many as M_UP has series; owned */
	struct metrics_socket *sockets;   /* owned */
	size_t n_sockets;
	char **groups; /* owned, as are its names */
	size_t n_groups;
	uint64_t n_series, dropped;   /* dropped: in this sample */
	bool has_expected, has_sizes; /* those series are made */
	uint64_t samples, late, last_ns, read_ns;
	uint64_t time_ns, newest_ns; /* wall clock of the last sample, and of the rows of this one */
	struct metrics_histogram intervals;
	bool serves;
	uint64_t scrapes[2]; /* of the last values, and fresh ones */
};

enum { METRICS_VALUE_MAX = 600 }; /* bytes of the text of one label */
struct metrics_labels {           /* all zeros: none */
	char text[1024];
	size_t len;
	bool cut; /* a text was too long: these labels are well-formed, but may be those of another series */
};
/* Adds NAME="TEXT".  Both formats want UTF-8, in which a backslash, a quote and the end of a line are escaped. */
void metrics_label(struct metrics_labels *labels, const char *name, const char *text);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Turns the rows of mem, stat and llc into curves: for each place, such as a channel, one curve per quantity over time.  It reads
 * outputs of version 1 and 2; version 1 has no column box.
 */
#ifndef UNC_CLI_CURVES_H
#define UNC_CLI_CURVES_H

#include "cli/series.h"

enum { CURVES_ROLES = 16, CURVES_QUANTITIES = 10, CURVES_FLAGS = 64, CURVES_PLACES = 1024, CURVES_NAME = 96 };

struct curve_place {
	/* "": it has none of these */
	char box[CURVES_NAME], group[CURVES_NAME], event[CURVES_NAME];
	/* Of "socket0.imc0.ch2"; -1: it is in none, or it is all of them. */
	int socket, imc, channel;
	char unit[24];   /* of the quantity "value": "bytes/s", "/s", or that of a metric; "": not known yet, or none */
	char *key;       /* owned: how it is found */
	uint64_t sample; /* the last one in which it was */
};

struct curves {
	struct series series;
	struct curve_place *places; /* owned; in the order in which they were seen first */
	size_t n_places;
	/* Columns that are quantities; "value" of `stat` is a rate, unless it is that of a metric. */
	const char *quantities[CURVES_QUANTITIES];
	size_t n_quantities;
	char *flags[CURVES_FLAGS]; /* owned */
	size_t n_flags;
	uint64_t n_samples;

	/* The current row. */
	size_t place;
	double values[CURVES_QUANTITIES]; /* NAN: not given */
	double peak;                      /* bytes per second; 0: not known */
	uint64_t time_ns, interval_ns;
	uint64_t flag_bits;
	bool new_sample; /* it is the first row of one */

	/* Private: the number of the column with that role, from 1, or 0: there is none; and of how many columns that is known. */
	size_t n_seen, column[CURVES_ROLES], quantity_columns[CURVES_QUANTITIES];
};

/* As series_open(); *curves is cleared with curves_close(). */
int curves_open(struct curves *curves, const struct globals *globals, const char *command, const char *path);
/* Reads the next row of a sample.  False: there is none, as in rows of something else, or curves->series.failed. */
bool curves_next(struct curves *curves);
/* "bytes/s", "%"; "": none, or it is not known. */
const char *curves_unit(const struct curves *curves, const struct curve_place *place, size_t quantity);
void curves_close(struct curves *curves);

#endif

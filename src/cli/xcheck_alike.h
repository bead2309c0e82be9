/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What xcheck found to differ, for its final report: equal differences are one finding. */
#ifndef UNC_CLI_XCHECK_ALIKE_H
#define UNC_CLI_XCHECK_ALIKE_H

#include "cli/emit.h"
#include "uncore/xcheck.h"

struct difference {     /* of a row, the first time that it differed */
	char *report;   /* lines; owned; NULL: it never differed */
	char name[120]; /* "socket0.imc0.ch2 cas_count.rd (uncore_imc_2)" */
	double percent; /* by how much of the raw count the kernel's differs; 0: not known */
	double doubt;   /* what is not certain of that */
};

struct origin { /* where and when it was found */
	const struct unc_machine_info *info;
	const char *kernel; /* "" if not known */
	uint64_t n_samples;
};

/* By how many percent a count is more than the raw one, which is not 0. */
double difference_percent(uint64_t count, uint64_t raw);
/* Writes the name of a row: of an event, an L3 has one for each group. */
void difference_name(const struct unc_xcheck_row *row, struct output *lines);
/* Takes a row that differs.  False: out of memory, after a message. */
bool difference_take(struct difference *difference, const struct unc_xcheck_row *row, const struct origin *origin);
/* The report of each, or of the first of those that are equal, with the names of the others. */
void differences_print(const struct difference *list, size_t n, struct output *out);

#endif

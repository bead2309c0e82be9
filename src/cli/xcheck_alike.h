/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What xcheck found to differ, for its final report: equal differences are one finding. */
#ifndef UNC_CLI_XCHECK_ALIKE_H
#define UNC_CLI_XCHECK_ALIKE_H

#include "cli/emit.h"

struct difference {     /* of a row, the first time that it differed */
	char *report;   /* lines; owned; NULL: it never differed */
	char name[120]; /* "socket0.imc0.ch2 cas_count.rd (uncore_imc_2)" */
	double percent; /* by how much of the raw count the kernel's differs; 0: not known */
	double doubt;   /* what is not certain of that */
};

/* The report of each, or of the first of those that are equal, with the names of the others. */
void differences_print(const struct difference *list, size_t n, struct output *out);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `xcheck` prints: a row for each count, and in the end how many agreed, and for each that did not, all that a bug report
 * needs.
 */
#ifndef UNC_CLI_XCHECK_H
#define UNC_CLI_XCHECK_H

#include "cli/emit.h"
#include "uncore.h"
#include "uncore/xcheck.h"

extern const struct column xcheck_columns[];
extern const size_t xcheck_n_columns;

/* One row over all samples.  Texts are made as soon as they are needed, since they do not outlive the cross-check. */
struct xcheck_story {
	uint64_t n_not_comparable;
	char *why_not; /* "socket0.imc0.ch2 cas_count.rd: SENTENCE", the first one; owned; NULL: none */
	char *differs; /* lines of the first difference; owned; NULL: it never differed */
};

struct xcheck_report {
	struct unc_machine *machine; /* not owned */
	char kernel[200];            /* "" if not known */
	bool simulated;
	bool observes;                /* we count nothing, so nothing can be missed */
	struct xcheck_story *stories; /* one for each row; owned */
	size_t n_stories;
	uint64_t n_samples, n_ok, n_differ, n_not_comparable;
};

/* Reads from the machine what a report needs.  UNC_ENOMEM, with its sentence in ctx. */
int xcheck_report_open(struct unc_ctx *ctx, struct unc_machine *machine, bool observes, size_t n_rows,
		       struct xcheck_report *report);
void xcheck_report_close(struct xcheck_report *report);
/* Emits a row of this sample, and takes it into the report.  label: in a table, below its heading.  False: out of memory. */
bool xcheck_report_row(struct xcheck_report *report, size_t index, const struct unc_xcheck_row *row, const char *label,
		       struct emitter *emitter);
/* Emits a line of the table only, for the rows below it: how many there are of each verdict. */
void xcheck_report_heading(const char *label, const size_t n[3], struct emitter *emitter);
/* Prints the results: into out, below a table; NULL: only their sum on standard error, unless the verdict prints it. */
void xcheck_report_print(const struct xcheck_report *report, struct output *out);
/* EXIT_DONE, or EXIT_FAILED after a message: something differs, or nothing could be compared. */
int xcheck_report_verdict(const struct xcheck_report *report);

#endif

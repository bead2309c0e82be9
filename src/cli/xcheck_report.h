/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `xcheck` says in the end: how many counts agreed, and of each that did not all that a report of the defect has to say. */
#ifndef UNC_CLI_XCHECK_REPORT_H
#define UNC_CLI_XCHECK_REPORT_H

#include "cli/output.h"

/* One row over all samples.  Texts are made when there is something to tell of it, as they do not outlive the cross-check. */
struct xcheck_story {
	uint64_t n_not_comparable;
	char *why_not; /* "socket0.imc0.ch2 cas_count.rd: SENTENCE", the first one; owned; NULL: none */
	char *differs; /* lines, of the first time; owned; NULL: it never did */
	bool seen;     /* at all */
};

struct xcheck_report {
	struct unc_machine *machine;  /* not owned */
	char kernel[200];             /* "" where this machine does not tell */
	struct xcheck_story *stories; /* a row beside the next; owned */
	size_t n_stories;
	uint64_t n_samples, n_ok, n_differ, n_not_comparable;
};

/* Asks the machine for what a report wants to know of it.  UNC_ENOMEM, its sentence in ctx. */
int xcheck_report_open(struct unc_ctx *ctx, struct unc_machine *machine, size_t n_rows, struct xcheck_report *report);
void xcheck_report_close(struct xcheck_report *report);
/* A row of this sample.  False: out of memory. */
bool xcheck_report_take(struct xcheck_report *report, size_t index, const struct unc_xcheck_row *row);
/* What was found: into out, below a table; NULL: its sum on standard error, where that is not the verdict's. */
void xcheck_report_print(const struct xcheck_report *report, struct output *out);
/* EXIT_DONE, or EXIT_FAILED and said: something differs, or nothing could be compared. */
int xcheck_report_verdict(const struct xcheck_report *report);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the kernel's own numbers with ours.  Two sides obtain such a number: perf.c for memory channels, resctrl.c for caches;
 * xcheck.c calls both.  judge.c is the arithmetic for both, and depends on neither.
 */
#ifndef UNC_XCHECK_XCHECK_H
#define UNC_XCHECK_XCHECK_H

#include "machine/machine.h"
#include "uncore/xcheck.h"

enum { UNC_XCHECK_WHY = 400 };

struct unc_xperf;    /* perf.c */
struct unc_xresctrl; /* resctrl.c */

struct unc_xcheck {
	struct unc_machine *machine; /* not owned */
	struct unc_xcheck_cfg cfg;
	bool started;
	struct unc_xperf *perf;       /* owned; NULL: no event was added */
	struct unc_xresctrl *resctrl; /* owned; NULL: no group was added */
};

/* The interface of the two sides, for the public functions. */
/* UNC_ENOSUP: what such boxes count is not compared with perf. */
int unc_xperf_compares(const struct unc_box *box);
int unc_xperf_add(struct unc_xcheck *xcheck, struct unc_box *box, const char *event);
int unc_xperf_start(struct unc_xperf *perf);
int unc_xperf_sleep_until(struct unc_xperf *perf, uint64_t mono_ns);
int unc_xperf_sample(struct unc_xperf *perf);
void unc_xperf_row(const struct unc_xperf *perf, size_t index, struct unc_xcheck_row *ret_row);
int unc_xperf_close(struct unc_xperf *perf); /* NULL is fine */

int unc_xresctrl_add(struct unc_xcheck *xcheck, const char *group);
int unc_xresctrl_start(struct unc_xresctrl *resctrl);
int unc_xresctrl_sleep_until(struct unc_xresctrl *resctrl, uint64_t mono_ns);
int unc_xresctrl_sample(struct unc_xresctrl *resctrl);
void unc_xresctrl_row(const struct unc_xresctrl *resctrl, size_t index, struct unc_xcheck_row *ret_row);
int unc_xresctrl_close(struct unc_xresctrl *resctrl); /* NULL is fine */

#endif

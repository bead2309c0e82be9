/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cross-check on a simulated machine, whose time the test makes. */
#ifndef UNC_TESTS_ONXCHECK_H
#define UNC_TESTS_ONXCHECK_H

#include "every.h"
#include "onsim.h"
#include "uncore.h"
#include "uncore/xcheck.h"

struct onxcheck {
	struct onsim o;
	struct unc_xcheck *x;
	struct unc_xcheck_row row;      /* the last that was looked at */
	struct onsim_controls controls; /* before */
};

struct onxcheck_setup {
	const char *model, *common, *own;
	struct unc_xcheck_cfg cfg;
};

void onxcheck_open_setup(struct onxcheck *r, const struct onxcheck_setup *setup);
void onxcheck_open(struct onxcheck *r, const char *model, const char *common);
void onxcheck_add(struct onxcheck *r, const char *box, const char *event);
void onxcheck_add_everywhere(struct onxcheck *r, const char *event);
void onxcheck_start(struct onxcheck *r);
void onxcheck_go_on(struct onxcheck *r, uint64_t ns);
const struct unc_xcheck_row *onxcheck_row(struct onxcheck *r, size_t i);
void onxcheck_close(struct onxcheck *r);
void onxcheck_show(const struct unc_xcheck_row *is);
/* All three are what happened between some instant of the one bracket and some of the other. */
bool onxcheck_is_true(struct onxcheck *r, const struct unc_xcheck_row *is);
/* Row i agrees, and with the truth; with a count of ours, or without. */
void onxcheck_is_ok(struct onxcheck *r, size_t i, bool ours);
void onxcheck_is_not(struct onxcheck *r, size_t i, enum unc_xcheck_verdict verdict, const char *why);
/* Reads of the first channel, and one second in which all is well. */
void onxcheck_begin_well(struct onxcheck *r);
/* Another opener of the machine, with perf's events of his own. */
unsigned onxcheck_somebody_counts(struct onxcheck *r, uint64_t config);
void onxcheck_he_does(struct onxcheck *r, enum unc_perf_op op, unsigned event);
void onxcheck_sleep_for(struct onxcheck *r, uint64_t ns);
/* Of every channel that is there: CTL[0..3], FIXED_CTL. */
struct onsim_controls onxcheck_controls(struct onxcheck *r);
/* Nothing counts that did not before; what perf had is left with its event, as Linux does, what was ours as it was. */
void onxcheck_is_left_as_found(struct onxcheck *r);

#endif

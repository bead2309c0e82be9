/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the column flags, and of the status of a value of a cache. */
#ifndef UNC_CLI_FLAGS_H
#define UNC_CLI_FLAGS_H

#include <stdbool.h>

#include "uncore.h"
#include "uncore/task.h"

enum { FLAGS_TEXT_MAX = 136 };

/* Used in addition to enum unc_count_flag: a metric is below zero by more than its uncertainty, so it has no number. */
enum { FLAG_BELOW_ZERO = 1 << 30 };

/* "stolen;simulated": flags of enum unc_count_flag; partial: a sum that lacks a channel.  Returns buf. */
const char *flags_text(unsigned flags, bool partial, bool simulated, char buf[FLAGS_TEXT_MAX]);

struct llc_flags {
	unsigned row;  /* of enum unc_llc_flag */
	unsigned task; /* of enum unc_task_flag */
	bool sum, simulated;
};
/* "hijacked;simulated": the flags of a row of `llc`.  Returns buf. */
const char *llc_flags_text(const struct llc_flags *flags, char buf[FLAGS_TEXT_MAX]);
/* "ok"; "" if the event is not monitored. */
const char *llc_status_text(enum unc_llc_status status);

#endif

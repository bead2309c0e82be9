/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the column flags, and of the status of a value of a cache. */
#ifndef UNC_CLI_FLAGS_H
#define UNC_CLI_FLAGS_H

#include "uncore.h"
#include "uncore/task.h"

enum { FLAGS_TEXT_MAX = 136 }; /* room for every word of a text */

/* Bits besides those of enum unc_count_flag and enum unc_llc_flag. */
enum {
	FLAG_TASKS = 16,           /* the bit from which on those of enum unc_task_flag are */
	FLAG_SUM = 1 << 27,        /* of a group on several L3s */
	FLAG_SIMULATED = 1 << 28,  /* the machine is */
	FLAG_PARTIAL = 1 << 29,    /* a sum that lacks a channel */
	FLAG_BELOW_ZERO = 1 << 30, /* a metric is below zero by more than its uncertainty, so it has no number */
};

/* "stolen;simulated": of a count, or a sum of counts.  Returns buf. */
const char *flags_text(unsigned flags, char buf[FLAGS_TEXT_MAX]);
/* "hijacked;simulated": of a row of `llc`.  Returns buf. */
const char *llc_flags_text(unsigned flags, char buf[FLAGS_TEXT_MAX]);
/* "ok"; "" if the event is not monitored. */
const char *llc_status_text(enum unc_llc_status status);

#endif

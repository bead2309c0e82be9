/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of the column flags. */
#ifndef UNC_CLI_FLAGS_H
#define UNC_CLI_FLAGS_H

#include <stdbool.h>

#include "uncore.h"

enum { FLAGS_TEXT_MAX = 120 };

/* Used in addition to enum unc_count_flag: a metric is below zero by more than its uncertainty, so it has no number. */
enum { FLAG_BELOW_ZERO = 1 << 30 };

/* "stolen;simulated": flags of enum unc_count_flag; partial: a sum that lacks a channel.  Returns buf. */
const char *flags_text(unsigned flags, bool partial, bool simulated, char buf[FLAGS_TEXT_MAX]);

#endif

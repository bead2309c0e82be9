/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of `llc` for the status of a value, and for the flags of a row. */
#ifndef UNC_CLI_LLC_FLAGS_H
#define UNC_CLI_LLC_FLAGS_H

#include "uncore.h"

enum { LLC_FLAGS_MAX = 120 };

/* "ok"; "" if the event is not monitored. */
const char *llc_status_text(enum unc_llc_status status);

struct llc_flags {
	unsigned row;  /* of enum unc_llc_flag */
	unsigned task; /* of enum unc_task_flag */
	bool sum, simulated;
};
/* "hijacked;simulated".  Returns buf. */
const char *llc_flags_text(const struct llc_flags *flags, char buf[LLC_FLAGS_MAX]);

#endif

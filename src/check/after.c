// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks at the channels once more after all other checks, since a channel may stop only after a while. */
#include "check/clock.h"

static const struct unc_check_def defs[] = {
	{
		.about = {.name = "after.clock",
			  .proves = "after all other checks the clock of each channel still runs as it did when it was "
				    "measured",
			  .src = "327043-001 section 2.5, FIXED_CTR",
			  .ms = {5, 16, 51},
			  .writes = true},
		.counts = true,
		.run = unc_clock_run_after,
	},
};

const struct unc_check_theme unc_check_after = {defs, sizeof(defs) / sizeof(defs[0])};

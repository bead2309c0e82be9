// SPDX-License-Identifier: GPL-2.0-or-later
/* Do counters count, stop, begin anew and add up as the manual says? */
#include "check/behaviour.h"

static const struct unc_check_def defs[] = {
	{
		.about = {.name = "behaviour.freeze",
			  .proves = "frz stops every counter of the channel, and nothing else",
			  .src = "327043-001 section 2.1.1 and table 2-60",
			  .ms = {8, 15, 60},
			  .writes = true},
		.run = unc_check_freeze,
	},
	{
		.about = {.name = "behaviour.frz_en",
			  .proves = "frz without frz_en does nothing, where there is frz_en",
			  .src = "327043-001 table 2-60",
			  .ms = {6, 11, 51},
			  .writes = true},
		.run = unc_check_frz_en,
	},
};

const struct unc_check_theme unc_check_behaviour = {defs, sizeof(defs) / sizeof(defs[0])};

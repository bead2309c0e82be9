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
	{
		.about = {.name = "behaviour.enable",
			  .proves = "en gates its own counter, and no other",
			  .src = "327043-001 table 2-61",
			  .ms = {14, 14, 110},
			  .writes = true},
		.run = unc_check_enable,
	},
	{
		.about = {.name = "behaviour.resume",
			  .proves = "counters that are frozen and released lose nothing",
			  .src = "327043-001 section 2.1.1",
			  .ms = {15, 30, 330},
			  .writes = true},
		.run = unc_check_resume,
	},
	{
		.about = {.name = "behaviour.carry",
			  .proves = "what runs over in the low dword of a counter is carried into the high one",
			  .src = "327043-001 page 62",
			  .ms = {4, 8, 60},
			  .writes = true},
		.run = unc_check_carry,
	},
	{
		.about = {.name = "behaviour.wrap",
			  .proves = "counters wrap at 2^48 and count on",
			  .src = "327043-001 page 62",
			  .ms = {4, 8, 60},
			  .writes = true},
		.run = unc_check_wrap,
	},
	{
		.about = {.name = "behaviour.status",
			  .proves = "a wrap sets the status bit of its counter alone, and writing 1 clears it",
			  .src = "329468-002 section 2.5; LGA-2011 datasheet volume 2, page 532",
			  .ms = {8, 14, 110},
			  .writes = true},
		.run = unc_check_status,
	},
	{
		.about = {.name = "behaviour.twice",
			  .proves = "a control takes what is written once, or at least what is written twice",
			  .src = "LIKWID perfmon_haswellEP.h; 327043-001 table 2-61",
			  .ms = {1, 1, 1},
			  .writes = true},
		.run = unc_check_twice,
	},
	{
		.about = {.name = "behaviour.agree",
			  .proves = "counters that are given one event agree to the last count",
			  .src = "327043-001 section 2.1.1",
			  .ms = {5, 15, 210},
			  .writes = true},
		.run = unc_check_agree,
	},
	{
		.about = {.name = "behaviour.sums",
			  .proves = "reads, writes and all commands are the sums of their parts",
			  .src = "327043-001 table of CAS_COUNT",
			  .ms = {6, 18, 260},
			  .writes = true},
		.run = unc_check_sums,
	},
	{
		.about = {.name = "behaviour.threshold",
			  .proves = "threshold, invert and edge_det obey their algebra",
			  .src = "327043-001 table 2-61",
			  .ms = {8, 13, 110},
			  .writes = true},
		.run = unc_check_threshold,
	},
};

const struct unc_check_theme unc_check_behaviour = {defs, sizeof(defs) / sizeof(defs[0])};

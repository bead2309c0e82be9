/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What analyzer.h says of unc_fail(), for the simulator's own function; for every file of src/sim/ but host.c, which has it. */
#ifndef UNC_TOOLS_ANALYZER_SIM_H
#define UNC_TOOLS_ANALYZER_SIM_H

#include "sim/computer.h"

#define unc_sim_fail(sim, err, ...)                                                                                    \
	({                                                                                                             \
		int sim_err_ = (err);                                                                                  \
		unc_sim_fail(sim, sim_err_, __VA_ARGS__);                                                              \
		if (sim_err_ >= 0)                                                                                     \
			__builtin_unreachable();                                                                       \
		sim_err_;                                                                                              \
	})

#endif

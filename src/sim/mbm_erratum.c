// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/mbm_erratum.h"

#include <stddef.h>

enum { ONE = 1000000 };

struct row {
	unsigned n_rmids, threshold, millionths;
};

/* Linux Documentation/filesystems/resctrl.rst and arch/x86/kernel/cpu/resctrl/monitor.c; only the latter has the row of 40. */
static const struct row rows[] = {
	{24, 15, 969650},    {40, 31, 1066667},   {48, 31, 969650},    {56, 47, 1142857},   {72, 63, 1185115},
	{80, 63, 1066553},   {88, 79, 1454545},   {104, 95, 1230769},  {112, 95, 1142857},  {120, 95, 1066667},
	{136, 127, 1254863}, {144, 127, 1185255}, {160, 127, 1066667}, {176, 159, 1454334}, {192, 127, 969744},
	{200, 191, 1280246}, {208, 191, 1230921}, {224, 191, 1143118},
};

unsigned unc_sim_mbm_millionths(unsigned max_rmid, unsigned rmid)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].n_rmids == max_rmid + 1 && rmid > rows[i].threshold)
			return rows[i].millionths;
	return ONE;
}

unc_sim_wide unc_sim_mbm_counted(unsigned max_rmid, unsigned rmid, unc_sim_wide bytes)
{
	return bytes * ONE / unc_sim_mbm_millionths(max_rmid, rmid);
}

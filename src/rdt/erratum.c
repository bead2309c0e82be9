// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Errata BDF102 and SKX99: bandwidth of RMIDs above a threshold is too low or too high by a factor; threshold and factor depend
 * on how many RMIDs there are.  Numbers and parts are those of Linux (arch/x86/kernel/cpu/resctrl, mbm_cf_table;
 * __check_quirks_intel applies it to models 0x4f and 0x55), which took them from Intel 338822-001.  Broadwell-DE, 0x56, is not
 * among them, and no document says that it is affected.
 */
#include "rdt/leaves.h"

enum { SKYLAKE_X = 0x55, LAST_SKYLAKE = 4 };

static const struct correction {
	unsigned n_rmids;
	unsigned exact; /* the highest RMID that counts correctly */
	double factor;
} corrections[] = {
	{24, 15, 0.969650},   {40, 31, 1.066667},   {48, 31, 0.969650},   {56, 47, 1.142857},   {72, 63, 1.185115},
	{80, 63, 1.066553},   {88, 79, 1.454545},   {104, 95, 1.230769},  {112, 95, 1.142857},  {120, 95, 1.066667},
	{136, 127, 1.254863}, {144, 127, 1.185255}, {160, 127, 1.066667}, {176, 159, 1.454334}, {192, 127, 0.969744},
	{200, 191, 1.280246}, {208, 191, 1.230921}, {224, 191, 1.143118},
};

void unc_rdt_erratum(const struct unc_machine *m, const struct unc_rdt_leaves *leaves, struct unc_rdt *rdt)
{
	bool skylake = m->cpu.model == SKYLAKE_X;
	unsigned n_rmids = (rdt->info.cpuid_max_rmid + 1) / 8 * 8; /* Linux counts them in multiples of 8 */

	rdt->info.exact_rmid = rdt->info.max_rmid;
	rdt->info.factor = 1;
	if (leaves->vendor != UNC_RDT_INTEL || m->cpu.family != UNC_RDT_FAMILY ||
	    (!skylake && m->cpu.model != UNC_RDT_BROADWELL_X))
		return;
	for (size_t i = 0; i < sizeof(corrections) / sizeof(corrections[0]); i++) {
		if (corrections[i].n_rmids != n_rmids)
			continue;
		rdt->info.exact_rmid = corrections[i].exact;
		rdt->info.factor = corrections[i].factor;
	}
	if (skylake && m->cpu.stepping <= LAST_SKYLAKE)
		unc_rdt_warn(rdt, "errata SKZ4, SKZ14 and SKZ15: Linux does not use the cache monitoring of this "
				  "stepping unless it is told rdt=cmt,mbmtotal,mbmlocal, and its numbers may be wrong");
}

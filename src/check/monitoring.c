// SPDX-License-Identifier: GPL-2.0-or-later
/* Do the registers of cache monitoring (CMT, MBM) report what the caches do? */
#include "check/monitoring.h"

#define SDM "Intel SDM vol. 3 ch. 17; AMD 56375"

/* clang-format off */
static const struct unc_check_def defs[] = {
	{.about = {.name = "monitoring.cpuid",
		   .proves = "what CPUID says of cache monitoring does not contradict itself, and is the same on every CPU",
		   .src = SDM ", CPUID leaves 0x7, 0xF, 0x10, 0x80000020",
		   .ms = {1, 1, 1}},
	 .need = UNC_CHECK_CACHE_CPUID, .run = unc_mon_cpuid},
	{.about = {.name = "monitoring.assoc",
		   .proves = "IA32_PQR_ASSOC of every CPU holds an RMID of its own, and keeps its class of service",
		   .src = SDM ", IA32_PQR_ASSOC", .writes = true,
		   .ms = {1, 1, 1}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_assoc},
	{.about = {.name = "monitoring.rmids",
		   .proves = "there are as many RMIDs as CPUID says: the highest is taken, one more is refused",
		   .src = SDM ", IA32_PQR_ASSOC, IA32_QM_EVTSEL", .writes = true,
		   .ms = {1, 1, 1}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_rmids},
	{.about = {.name = "monitoring.error",
		   .proves = "IA32_QM_CTR says Error of an event that does not exist, and not of one that does",
		   .src = SDM ", IA32_QM_CTR", .writes = true,
		   .ms = {1, 1, 1}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_error},
	{.about = {.name = "monitoring.scope",
		   .proves = "which CPUs have one IA32_QM_EVTSEL together, on which sources disagree",
		   .src = SDM ", IA32_QM_EVTSEL; Linux resctrl and Intel PCM", .writes = true,
		   .ms = {1, 1, 1}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_scope},
	{.about = {.name = "monitoring.occupancy",
		   .proves = "occupancy of an RMID rises by as much as its CPU walks, and stays below the L3",
		   .src = SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true,
		   .ms = {20, 20, 20}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_occupancy},
	{.about = {.name = "monitoring.follows",
		   .proves = "occupancy goes to the RMID that the CPU carries, and to no other; with --full, for every CPU",
		   .src = SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true,
		   .ms = {75, 75, 110}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_follows},
	{.about = {.name = "monitoring.falls",
		   .proves = "occupancy of a former RMID falls when the cache is filled under another",
		   .src = SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true,
		   .ms = {20, 20, 20}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_falls},
	{.about = {.name = "monitoring.sum",
		   .proves = "all RMIDs together own no more than the L3 has",
		   .src = SDM ", Cache Monitoring Technology", .writes = true, .makes_traffic = true,
		   .ms = {30, 30, 30}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_sum},
	{.about = {.name = "monitoring.bandwidth",
		   .proves = "bandwidth of an RMID is what the memory channels count, or what its CPU loads, within 8 %, and not "
			     "local where that is another node's",
		   .src = SDM ", Memory Bandwidth Monitoring", .writes = true, .makes_traffic = true,
		   .ms = {160, 1280, 3680}},
	 .need = UNC_CHECK_CACHES, .run = unc_mon_bandwidth},
};
/* clang-format on */

const struct unc_check_theme unc_check_monitoring = {defs, sizeof(defs) / sizeof(defs[0])};

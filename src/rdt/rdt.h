/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What CPUID and the topology say of cache monitoring on this machine, found once and kept by the machine.  Registers are those
 * of the unit "rdt" of the maps, of which every CPU has one.  Sections: Intel SDM vol. 3, "Intel Resource Director Technology".
 */
#ifndef UNC_RDT_RDT_H
#define UNC_RDT_RDT_H

#include "machine/machine.h"

struct unc_l3 { /* one L3 cache and the CPUs that share it */
	unsigned id;
	unsigned package;
	uint64_t bytes;
	unsigned *cpus; /* online ones, sorted; owned */
	size_t n_cpus;
	int *nodes; /* which of the info.nodes parts each of these is in, from 0; owned */
	char *text; /* of cpus; owned */
};

/*
 * How RMIDs are divided where sub-NUMA clustering is on: RMID_SNC_CONFIG.  Of n RMIDs (info.cpuid_max_rmid + 1), part k of an L3
 * has those from k * n / info.nodes on, and these alone tell of it (Intel 356688, "SNC Enabled and RMID Distribution Mode").
 */
enum unc_snc {
	UNC_SNC_NONE,
	/* As after power-on: a CPU carries one of them as it is, and what it does in other parts than this one's is not counted. */
	UNC_SNC_LOCAL,
	/* A CPU carries a number below n / info.nodes, which stands for one of each part: all of them are read and added up. */
	UNC_SNC_SHARING,
};

struct unc_rdt {
	struct unc_llc_info info;
	struct unc_l3 *l3s; /* by id; owned; none are looked for where there is no monitoring */
	enum unc_snc snc;
	bool amd;               /* and Hygon: an RMID that hardware does not follow is Unavailable, and begins at 0 */
	bool assigned_counters; /* AMD's ABMC is on, or may be: what QM_CTR says of bandwidth by RMID is nothing */
	bool assigned_unknown;  /* whether it is could not be read */
	unsigned *present;      /* CPUs that there are, offline ones too, sorted; owned; NULL: not told */
	size_t n_present;
	char no_monitoring[400], allocation[400], warning[1000], features[400]; /* texts of info */
};

/* Finds it out when it is first asked for; borrowed.  As unc_llc_info(). */
int unc_rdt_of(struct unc_machine *m, const struct unc_rdt **ret_rdt);

/* Sorted CPUs as "0-17,36-53"; free() it.  NULL: out of memory. */
char *unc_rdt_cpu_list(const unsigned *cpus, size_t n);

#endif

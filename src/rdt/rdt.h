/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What CPUID and the topology report about cache monitoring on this machine, found once and kept with the machine.  Registers are
 * those of the unit "rdt" of the maps; every CPU has one such unit.  Sections: Intel SDM vol. 3, "Intel Resource Director
 * Technology".
 */
#ifndef UNC_RDT_RDT_H
#define UNC_RDT_RDT_H

#include "machine/machine.h"

enum { UNC_RDT_COUNTERS_MAX = 32 }; /* L3_QOS_ABMC_CFG has five bits for a counter's number */

struct unc_l3 { /* one L3 cache and the CPUs that share it */
	unsigned id;
	unsigned package;
	uint64_t bytes;
	unsigned *cpus; /* online ones, sorted; owned */
	size_t n_cpus;
	int *nodes; /* for each of cpus: its part of the info.nodes parts, from 0; owned */
	char *text; /* cpus as text; owned */
};

/*
 * How RMIDs are divided with sub-NUMA clustering: RMID_SNC_CONFIG.  Of n RMIDs (info.cpuid_max_rmid + 1), part k of an L3 has
 * those from k * n / info.nodes on, and only these report about it (Intel 356688, "SNC Enabled and RMID Distribution Mode").
 */
enum unc_snc {
	UNC_SNC_NONE,
	/*
	 * State after power-on: a CPU carries one of the n RMIDs itself, and what it does in other parts than that RMID's is not
	 * counted.
	 */
	UNC_SNC_LOCAL,
	/* A CPU carries a number below n / info.nodes, which means one RMID of each part: all of them are read and added up. */
	UNC_SNC_SHARING,
};

struct unc_rdt {
	struct unc_llc_info info;
	struct unc_l3 *l3s; /* sorted by id; owned; empty if there is no monitoring */
	enum unc_snc snc;
	bool amd; /* AMD or Hygon: an RMID that hardware does not track is Unavailable, and starts at 0 when it is tracked */
	bool own_selectors; /* each CPU has its own IA32_QM_EVTSEL, so reads on two CPUs of an L3 do not disturb each other */
	bool assigned_counters; /* AMD's ABMC is on, or may be: then an RMID has bandwidth only if a counter is assigned to it */
	bool assigned_unknown;  /* the state of ABMC could not be read */
	unsigned n_counters;    /* that ABMC can assign, on each L3; 0: there is no ABMC */
	unsigned assigned_bits; /* their width */
	uint64_t types;         /* BMEC: what bandwidth events can be set to count; 0: they cannot be set */
	unsigned *present;      /* all CPUs, including offline ones, sorted; owned; NULL: not known */
	size_t n_present;
	char no_monitoring[400], allocation[400], warning[1000], features[400]; /* texts that info points to */
};

/* Finds all this on first use; the result belongs to the machine.  Fails as unc_llc_info(). */
int unc_rdt_of(struct unc_machine *m, const struct unc_rdt **ret_rdt);

/* The name of an L3 among boxes, "socket0.l3-1", or "l3-1" if this machine has none of that number.  Returns buf. */
enum { UNC_L3_NAME = 24 };
const char *unc_l3_name(const struct unc_rdt *rdt, unsigned id, char buf[UNC_L3_NAME]);

/* Formats sorted CPUs as "0-17,36-53"; free() it.  NULL: out of memory. */
char *unc_rdt_cpu_list(const unsigned *cpus, size_t n);

#endif

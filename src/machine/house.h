/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who else is in the house: other programs that use what we are about to use, with the evidence.  Evidence is a file that
 * says so; no list of processes is searched.
 */
#ifndef UNC_MACHINE_HOUSE_H
#define UNC_MACHINE_HOUSE_H

#include "machine/machine.h"

enum unc_finding_kind { UNC_FOUND_RESCTRL, UNC_FOUND_PQOS, UNC_FOUND_PCM };

struct unc_finding {
	enum unc_finding_kind kind;
	/* It is in use now.  False: it was, and may still be, which the file does not tell; the sentence says "possible". */
	bool certain;
	char evidence[160]; /* the file, and what stands in it */
	char sentence[400]; /* who, and what that means for us */
	char way_out[220];  /* what a person can do about it: "stop it" */
};

/*
 * Looks for those that use cache monitoring: a mounted resctrl, marks that pqos and PCM leave while they run.  Reads files of
 * the operating system only.  *ret_findings is the caller's to free(); none found: NULL and 0.  UNC_ENOMEM.
 *
 * What leaves no mark is not found here: PCM since 202203 with MSRs, and pqos before v26.03 beyond the file that it leaves
 * behind.  Their RMIDs show in IA32_PQR_ASSOC.
 */
int unc_house_of_caches(struct unc_machine *m, struct unc_finding **ret_findings, size_t *ret_n);

#endif

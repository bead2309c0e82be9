// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Detects other users of cache monitoring.  Hardware has no owner of an RMID: only the CPUs that carry it, in IA32_PQR_ASSOC, can
 * be seen.  An RMID that its user has taken off all CPUs for now (a task of resctrl that sleeps) looks free, so the programs are
 * looked for as well.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "machine/gate.h"
#include "machine/users.h"
#include "rdt/llc.h"

static int busy_or_note(struct unc_llc *llc, const char *sentence, const char *what_to_do)
{
	if (!llc->cfg.shared)
		return unc_fail(llc->machine->ctx, UNC_EBUSY, "%s; %s, or go on beside it with --shared", sentence,
				what_to_do);
	unc_note(llc->machine->ctx, "%s", sentence);
	return UNC_OK;
}

static const char *way_out(const struct unc_llc *llc, const struct unc_llc_domain *domain)
{
	for (size_t i = 0; i < domain->n_cpus; i++)
		if (domain->cpus[i].rmid && unc_gate_left(domain->cpus[i].box, llc->regs.pqr, 0))
			return "put back what a killed process left (uncorectl recover)";
	return "stop that program, or, if none monitors any more, take the RMIDs off the CPUs (uncorectl reg set "
	       "'cpu*.rdt.PQR_ASSOC.rmid=0' --write --keep)";
}

/* Reports "L3 0: cpus 0-3 carry RMID 7 already, and 2 more of its CPUs others: ...". */
static int look_for_carriers(struct unc_llc *llc, const struct unc_llc_domain *domain)
{
	unsigned *cpus = malloc(domain->n_cpus * sizeof(*cpus)), rmid = 0, others = 0;
	char sentence[300], more[60] = "", *text;
	size_t n = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < domain->n_cpus && cpus; i++) {
		if (domain->cpus[i].rmid == 0)
			continue;
		rmid = n ? rmid : domain->cpus[i].rmid;
		if (domain->cpus[i].rmid == rmid)
			cpus[n++] = domain->cpus[i].number;
		else
			others++;
	}
	text = cpus ? unc_rdt_cpu_list(cpus, n) : NULL;
	if (others)
		snprintf(more, sizeof(more), ", and %u more of its CPUs others", others);
	snprintf(sentence, sizeof(sentence),
		 "L3 %u: cpu%s %.120s carr%s RMID %u already%s: another program monitors, or left it there",
		 domain->l3->id, n == 1 ? "" : "s", text ? text : "", n == 1 ? "ies" : "y", rmid, more);
	if (!text)
		rc = unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	else if (n)
		rc = busy_or_note(llc, sentence, way_out(llc, domain));
	free(text);
	free(cpus);
	return rc;
}

int unc_llc_look_around(struct unc_llc *llc)
{
	struct unc_finding *findings;
	unsigned taken = 0;
	size_t n;
	int rc = unc_users_of_caches(llc->machine, &findings, &n);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n && rc == 0; i++) {
		char sentence[sizeof(findings->sentence) + sizeof(findings->evidence) + 4];

		snprintf(sentence, sizeof(sentence), "%s (%s)", findings[i].sentence, findings[i].evidence);
		rc = busy_or_note(llc, sentence, findings[i].way_out);
	}
	free(findings);
	/* Without groups no RMID is given to a CPU: then the RMIDs of other programs are what is to be read. */
	for (size_t i = 0; i < llc->n_domains && rc == 0 && llc->n_groups; i++)
		rc = look_for_carriers(llc, &llc->domains[i]);
	/*
	 * While one of our CPUs carries our RMID, its work is counted for ours and is missing from the numbers of the program
	 * whose RMID it had, which is not told.  This happens only with --shared.
	 */
	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++)
			taken += llc->domains[i].cpus[k].group != UNC_LLC_NO_GROUP && llc->domains[i].cpus[k].rmid != 0;
	if (rc == 0 && taken)
		unc_note(llc->machine->ctx,
			 "%u CPU%s of the groups here carr%s another program's RMID and get%s another one until the "
			 "end: what %s do%s until then is missing in that program's numbers",
			 taken, taken == 1 ? "" : "s", taken == 1 ? "ies" : "y", taken == 1 ? "s" : "",
			 taken == 1 ? "it" : "they", taken == 1 ? "es" : "");
	return rc;
}

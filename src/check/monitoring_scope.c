// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Does IA32_QM_EVTSEL belong to a cache or to a CPU?  Sources disagree: Linux (arch/x86/kernel/cpu/resctrl) treats it as one of a
 * cache, Intel PCM as one of each CPU.  The check writes that of one CPU only and reads those of all: a CPU that shares the
 * register shows what was written.
 */
#include <stdlib.h>

#include "check/monitoring.h"
#include "machine/gate.h"
#include "map/field.h"

struct look { /* one for each CPU */
	const struct unc_llc_cpu *cpu;
	uint64_t found;
	bool follows[2]; /* its register showed what was written on the first CPU */
};

static int look(struct unc_mon *mon, struct look *looks, size_t n, int nth, uint64_t wrote)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t now = 0;
		int rc = unc_reg_get(looks[i].cpu->box, mon->llc->regs.evtsel, 0, &now);

		if (rc < 0)
			return rc;
		if (nth < 0)
			looks[i].found = now;
		else
			looks[i].follows[nth] = now == wrote;
		if (nth < 0)
			continue;
		unc_check_see(mon->c, &(struct unc_check_seen){.what = "after a write on the first CPU of the L3",
							       .box = looks[i].cpu->box,
							       .reg = mon->llc->regs.evtsel,
							       .has_wrote = i == 0,
							       .wrote = wrote,
							       .read = now});
	}
	return UNC_OK;
}

enum { OCCUPANCY = 1 }; /* an event of IA32_QM_EVTSEL; any would do, since no counter is read */

/* Finds a value that no CPU has there now. */
static int fresh(struct unc_mon *mon, const struct look *looks, size_t n, unsigned *rmid, uint64_t *ret_value)
{
	bool had = true;
	int rc = UNC_OK;

	while (rc == 0 && had) {
		rc = unc_llc_evtsel(mon->llc, OCCUPANCY, ++*rmid, ret_value);
		had = false;
		for (size_t i = 0; i < n; i++)
			had |= looks[i].found == *ret_value;
	}
	return rc;
}

enum { NOT_TOLD, OF_L3, OF_CPU, OF_SOME };

/* Reports it for the map, once, unless caches differ. */
static void tell(struct unc_mon *mon, int whose)
{
	static const char *const texts[] = {
		[OF_L3] = "one for the L3 (as Linux takes it): a write shows on every CPU that shares it",
		[OF_CPU] = "one for each CPU (as PCM takes it): a write shows on no other",
		[OF_SOME] = "one for some CPUs of an L3 together, as for the threads of a core",
	};
	const struct unc_reg *evtsel = mon->llc->regs.evtsel;

	if (whose != mon->told && unc_check_is_doubtful(evtsel, NULL))
		unc_check_tested(mon->c, evtsel->name, "%s", texts[whose]);
	mon->told = whose;
}

static void judge(struct unc_mon *mon, const struct look *looks, size_t n)
{
	unsigned *cpus = malloc(n * sizeof(*cpus)), first = looks[0].cpu->number;
	char *text = NULL;
	size_t n_with = 0;
	bool steady = true;

	for (size_t i = 0; i < n && cpus; i++) {
		steady &= looks[i].follows[0] == looks[i].follows[1];
		if (looks[i].follows[0])
			cpus[n_with++] = looks[i].cpu->number;
	}
	text = cpus ? unc_rdt_cpu_list(cpus, n_with) : NULL;
	if (!looks[0].follows[0] || !looks[0].follows[1])
		unc_check_fail(mon->c, "QM_EVTSEL does not hold on cpu %u what was written there", first);
	else if (!steady || !text)
		unc_check_skip(mon->c,
			       "of two writes on cpu %u one showed on other CPUs: somebody else writes QM_EVTSEL",
			       first);
	else
		unc_check_pass(mon->c,
			       "what cpu %u writes to QM_EVTSEL shows on cpu%s %.80s, of %zu that share the L3%s",
			       first, n_with == 1 ? "" : "s", text, n,
			       n_with == n   ? ": it has one, as Linux takes it"
			       : n_with == 1 ? ": each has its own, as PCM takes it"
					     : "");
	if (!unc_check_failed(mon->c) && steady)
		tell(mon, n_with == n ? OF_L3 : n_with == 1 ? OF_CPU : OF_SOME);
	free(text);
	free(cpus);
}

static int two_writes(struct unc_mon *mon, struct look *looks, size_t n)
{
	unsigned rmid = 0;
	int rc = look(mon, looks, n, -1, 0);

	if (rc == 0)
		rc = unc_mon_plan_selector(mon, looks[0].cpu->box);
	for (int nth = 0; nth < 2 && rc == 0; nth++) {
		uint64_t value = 0;

		rc = fresh(mon, looks, n, &rmid, &value);
		if (rc == 0)
			rc = unc_gate_write(looks[0].cpu->box, mon->llc->regs.evtsel, 0, value, mon->llc);
		if (rc == 0)
			rc = look(mon, looks, n, nth, value);
	}
	return rc;
}

static int scope(struct unc_mon *mon, struct unc_mon_l3 *l3)
{
	const struct unc_llc_domain *domain = l3->domain;
	struct look *looks = calloc(domain->n_cpus, sizeof(*looks));
	int rc;

	if (!looks)
		return unc_fail(mon->c->m->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < domain->n_cpus; i++)
		looks[i].cpu = &domain->cpus[i];
	rc = two_writes(mon, looks, domain->n_cpus);
	if (rc == 0 && domain->n_cpus == 1)
		unc_check_skip(mon->c, "cpu %u has the L3 for itself: there is nobody to share QM_EVTSEL with",
			       looks[0].cpu->number);
	else if (rc == 0)
		judge(mon, looks, domain->n_cpus);
	free(looks);
	return rc;
}

int unc_mon_scope(struct unc_check *c)
{
	return unc_mon_each(c, scope);
}

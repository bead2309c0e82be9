// SPDX-License-Identifier: GPL-2.0-or-later
/* The L3 caches concerned: each is read on one of its CPUs, and those of its CPUs that are in a group are given an RMID. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

static struct unc_llc_domain *domain_of(struct unc_llc *llc, const struct unc_l3 *l3)
{
	for (size_t i = 0; i < llc->n_domains; i++)
		if (llc->domains[i].l3 == l3)
			return &llc->domains[i];
	return NULL;
}

static int domain_init(struct unc_llc *llc, const struct unc_l3 *l3, struct unc_llc_domain *domain)
{
	int rc = UNC_OK;

	*domain = (struct unc_llc_domain){.l3 = l3};
	domain->cpus = calloc(l3->n_cpus, sizeof(*domain->cpus));
	domain->taken = calloc(llc->n_rmids, sizeof(*domain->taken));
	if (!domain->cpus || !domain->taken)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	domain->taken[0] = true; /* of everything that was given none */
	domain->n_cpus = l3->n_cpus;
	for (size_t i = 0; i < l3->n_cpus && rc == 0; i++) {
		domain->cpus[i] = (struct unc_llc_cpu){
			.number = l3->cpus[i], .part = (unsigned)l3->nodes[i], .group = UNC_LLC_NO_GROUP};
		rc = unc_machine_cpu_box(llc->machine, "rdt", l3->cpus[i], &domain->cpus[i].box);
	}
	return rc;
}

static bool is_concerned(const struct unc_llc *llc, const struct unc_l3 *l3)
{
	size_t of, index;

	for (size_t i = 0; i < llc->n_groups; i++)
		for (size_t k = 0; k < llc->groups[i].n_cpus; k++)
			if (unc_llc_l3_of(llc->rdt, llc->groups[i].cpus[k], &of, &index) && &llc->rdt->l3s[of] == l3)
				return true;
	return llc->all_rmids;
}

static void place_groups(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_groups; i++) {
		for (size_t k = 0; k < llc->groups[i].n_cpus; k++) {
			size_t l3, index;

			if (unc_llc_l3_of(llc->rdt, llc->groups[i].cpus[k], &l3, &index))
				domain_of(llc, &llc->rdt->l3s[l3])->cpus[index].group = i;
		}
	}
}

/* Not a CPU that is measured: reading wakes it, and uses it. */
static void choose_reader(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	for (size_t i = 0; i < llc->cfg.n_read_cpus; i++) {
		for (size_t k = 0; k < domain->n_cpus; k++) {
			if (domain->cpus[k].number != llc->read_cpus[i])
				continue;
			domain->reader = k;
			return;
		}
	}
	for (size_t i = 0; i < domain->n_cpus; i++) {
		if (domain->cpus[i].group == UNC_LLC_NO_GROUP) {
			domain->reader = i;
			return;
		}
	}
	domain->reader = 0;
}

/* What it carries now. */
static int look(struct unc_llc *llc, struct unc_llc_cpu *cpu)
{
	const struct unc_reg *pqr = llc->regs.pqr;
	int rc = unc_reg_get(cpu->box, pqr, 0, &cpu->pqr);

	if (rc < 0)
		return rc;
	cpu->rmid = (unsigned)unc_field_get(llc->regs.pqr_rmid, cpu->pqr);
	if (cpu->rmid > llc->rdt->info.cpuid_max_rmid)
		return unc_fail(llc->machine->ctx, UNC_EIO,
				"%s: %s reads 0x%016" PRIx64 ", RMID %u, but by CPUID %u is the highest: no such "
				"register answered",
				cpu->box->name, pqr->name, cpu->pqr, cpu->rmid, llc->rdt->info.cpuid_max_rmid);
	return UNC_OK;
}

static int look_at_all(struct unc_llc *llc)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		struct unc_llc_domain *domain = &llc->domains[i];

		for (size_t k = 0; k < domain->n_cpus && rc == 0; k++) {
			rc = look(llc, &domain->cpus[k]);
			if (rc == 0)
				domain->taken[domain->cpus[k].rmid % llc->n_rmids] = true;
		}
	}
	return rc;
}

int unc_llc_domains_find(struct unc_llc *llc)
{
	const struct unc_rdt *rdt = llc->rdt;
	int rc = UNC_OK;

	llc->domains = calloc(rdt->info.n_l3s, sizeof(*llc->domains));
	if (!llc->domains)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < rdt->info.n_l3s && rc == 0; i++)
		if (is_concerned(llc, &rdt->l3s[i]))
			rc = domain_init(llc, &rdt->l3s[i], &llc->domains[llc->n_domains++]);
	if (rc < 0)
		return rc;
	place_groups(llc);
	for (size_t i = 0; i < llc->n_domains; i++)
		choose_reader(llc, &llc->domains[i]);
	return look_at_all(llc);
}

void unc_llc_domains_free(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_domains; i++) {
		free(llc->domains[i].cpus);
		free(llc->domains[i].taken);
	}
	free(llc->domains);
	llc->domains = NULL;
	llc->n_domains = 0;
}

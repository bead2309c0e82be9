// SPDX-License-Identifier: GPL-2.0-or-later
/* The L3 caches in use: each is read on one of its CPUs, and those of its CPUs that are in a group get an RMID. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/text.h"
#include "machine/claim.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

#define NOHZ_FULL "/sys/devices/system/cpu/nohz_full"
enum { NOHZ_FULL_MAX = 65536 };

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
	domain->taken[0] = true; /* used by everything that has no other RMID */
	domain->n_cpus = l3->n_cpus;
	for (size_t i = 0; i < l3->n_cpus && rc == 0; i++) {
		domain->cpus[i] = (struct unc_llc_cpu){
			.number = l3->cpus[i],
			.part = (unsigned)l3->nodes[i],
			.group = UNC_LLC_NO_GROUP,
			.shared_row = UNC_LLC_NO_ROW,
		};
		rc = unc_machine_cpu_box(llc->machine, "rdt", l3->cpus[i], &domain->cpus[i].box);
	}
	return rc;
}

/* Marks the L3s that have CPUs of groups; free() the result. */
static bool *find_concerned(const struct unc_llc *llc)
{
	bool *concerned = calloc(llc->rdt->info.n_l3s, sizeof(*concerned));
	size_t l3, index;

	for (size_t i = 0; i < llc->n_groups && concerned; i++)
		for (size_t k = 0; k < llc->groups[i].n_cpus; k++)
			if (unc_llc_l3_of(llc->rdt, llc->groups[i].cpus[k], &l3, &index))
				concerned[l3] = true;
	return concerned;
}

static int domains_make(struct unc_llc *llc)
{
	const struct unc_rdt *rdt = llc->rdt;
	bool *concerned = find_concerned(llc);
	int rc = UNC_OK;

	llc->domains = calloc(rdt->info.n_l3s, sizeof(*llc->domains));
	if (!llc->domains || !concerned)
		rc = unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < rdt->info.n_l3s && rc == 0; i++)
		if (unc_llc_has_rmids(llc) || concerned[i])
			rc = domain_init(llc, &rdt->l3s[i], &llc->domains[llc->n_domains++]);
	free(concerned);
	return rc;
}

static void place(struct unc_llc_domain *domain, size_t cpu, size_t group)
{
	domain->cpus[cpu].group = group;
	domain->has_groups = true;
}

static void place_groups(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_groups; i++) {
		for (size_t k = 0; k < llc->groups[i].n_cpus; k++) {
			size_t l3, index;

			if (unc_llc_l3_of(llc->rdt, llc->groups[i].cpus[k], &l3, &index))
				place(domain_of(llc, &llc->rdt->l3s[l3]), index, i);
		}
	}
}

static void be_quiet(void *arg, uint64_t number)
{
	struct unc_llc *llc = arg;

	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus; k++)
			llc->domains[i].cpus[k].quiet |= llc->domains[i].cpus[k].number == number;
}

/*
 *
 * Finds the CPUs that the kernel interrupts as little as it can.  If there are none, the file is empty or has "(null)" (Linux
 * drivers/base/cpu.c, print_cpus_nohz_full()); a kernel without that feature has no such file.
 */
static void find_quiet(struct unc_llc *llc)
{
	struct unc_host *host = llc->machine->host;
	struct unc_saved_msg before;
	char *text = NULL;

	if (!host->ops->file)
		return;
	unc_msg_save(llc->machine->ctx, &before);
	if (host->ops->file(host, NOHZ_FULL, NOHZ_FULL_MAX, &text, NULL) == 0)
		unc_text_list(text, UINT32_MAX, be_quiet, llc);
	unc_msg_restore(llc->machine->ctx, &before);
	free(text);
}

/* Prefers a CPU that is not measured, since reading wakes it and uses it; a CPU of nohz_full is the last choice. */
static void choose_reader(struct unc_llc_domain *domain)
{
	unsigned best = UINT32_MAX;

	for (size_t i = 0; i < domain->n_cpus; i++) {
		const struct unc_llc_cpu *cpu = &domain->cpus[i];
		unsigned harm = 2 * cpu->quiet + (cpu->group != UNC_LLC_NO_GROUP);

		if (harm < best)
			domain->reader = i;
		best = harm < best ? harm : best;
	}
}

/* Uses the CPUs of cfg.read_cpus instead, each for its L3. */
static int take_readers(struct unc_llc *llc)
{
	struct unc_ctx *ctx = llc->machine->ctx;

	for (size_t i = 0; i < llc->cfg.n_read_cpus; i++) {
		unsigned cpu = llc->read_cpus[i];
		struct unc_llc_domain *domain = NULL;
		size_t l3, index = 0;

		if (unc_llc_l3_of(llc->rdt, cpu, &l3, &index))
			domain = domain_of(llc, &llc->rdt->l3s[l3]);
		if (!domain)
			return unc_fail(ctx, UNC_EARG, "CPU to read from: cpu %u shares its L3 with no group", cpu);
		if (domain->reader_asked && domain->reader != index)
			return unc_fail(ctx, UNC_EARG,
					"CPU to read from: cpus %u and %u share an L3, which is read on one of them",
					domain->cpus[domain->reader].number, cpu);
		domain->reader_asked = true;
		domain->reader = index;
	}
	return UNC_OK;
}

/* Reads which RMID the CPU carries now. */
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

int unc_llc_domains_look(struct unc_llc *llc)
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
	int rc = domains_make(llc);

	if (rc < 0)
		return rc;
	place_groups(llc);
	find_quiet(llc);
	for (size_t i = 0; i < llc->n_domains; i++)
		choose_reader(&llc->domains[i]);
	rc = take_readers(llc);
	/*
	 *
	 * The L3s are claimed before the RMIDs that CPUs carry are read, so that no other process changes them after that.  Any
	 * CPU of an L3 claims it.
	 */
	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		const struct unc_llc_domain *domain = &llc->domains[i];

		if (domain->cpus)
			rc = unc_claim_box(domain->cpus[domain->reader].box, llc);
	}
	return rc < 0 ? rc : unc_llc_domains_look(llc);
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

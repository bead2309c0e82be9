// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of CPUs, and the checks of whether a CPU can be in one. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "rdt/llc.h"

bool unc_llc_l3_of(const struct unc_rdt *rdt, unsigned cpu, size_t *ret_l3, size_t *ret_index)
{
	for (size_t i = 0; i < rdt->info.n_l3s; i++) {
		for (size_t k = 0; k < rdt->l3s[i].n_cpus; k++) {
			if (rdt->l3s[i].cpus[k] != cpu)
				continue;
			*ret_l3 = i;
			*ret_index = k;
			return true;
		}
	}
	return false;
}

int unc_llc_check_cpu(struct unc_llc *llc, unsigned cpu, const char *cannot)
{
	const struct unc_rdt *rdt = llc->rdt;
	size_t l3, index;

	if (unc_llc_l3_of(rdt, cpu, &l3, &index))
		return UNC_OK;
	for (size_t i = 0; i < rdt->n_present; i++)
		if (rdt->present[i] == cpu)
			return unc_fail(llc->machine->ctx, UNC_ENODEV,
					"cpu %u is offline: %s; bring it online, or leave it out", cpu, cannot);
	if (!rdt->present)
		return unc_fail(llc->machine->ctx, UNC_ENODEV, "cpu %u: there is no such CPU online", cpu);
	return unc_fail(llc->machine->ctx, UNC_ENODEV, "cpu %u: this machine has no such CPU", cpu);
}

void unc_llc_groups_free(struct unc_llc *llc)
{
	for (size_t i = 0; i < llc->n_groups; i++) {
		free(llc->groups[i].name);
		free(llc->groups[i].cpus);
	}
	free(llc->groups);
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Sorts the CPUs and drops duplicates.  Returns how many are left. */
static size_t sort(unsigned *cpus, size_t n)
{
	size_t kept = 0;

	qsort(cpus, n, sizeof(*cpus), by_number);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || cpus[i] != cpus[kept - 1])
			cpus[kept++] = cpus[i];
	return kept;
}

static bool has_cpu(const struct unc_llc_group *group, unsigned cpu)
{
	for (size_t i = 0; i < group->n_cpus; i++)
		if (group->cpus[i] == cpu)
			return true;
	return false;
}

static int check(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n)
{
	struct unc_ctx *ctx = llc->machine->ctx;
	int rc = UNC_OK;

	if (llc->started)
		return unc_fail(ctx, UNC_EARG, "group \"%s\": monitoring has started already", name);
	if (n == 0)
		return unc_fail(ctx, UNC_EARG, "group \"%s\": a group has one CPU at least", name);
	for (size_t i = 0; i < llc->n_groups; i++)
		if (strcmp(llc->groups[i].name, name) == 0)
			return unc_fail(ctx, UNC_EARG,
					"there is a group \"%s\" already; give one of the two another name", name);
	for (size_t i = 0; i < n && rc == 0; i++) {
		rc = unc_wrap(ctx, unc_llc_check_cpu(llc, cpus[i], "nothing can be given to it"), "group \"%s\"", name);
		for (size_t k = 0; k < llc->n_groups && rc == 0; k++)
			if (has_cpu(&llc->groups[k], cpus[i]))
				rc = unc_fail(ctx, UNC_EARG,
					      "group \"%s\": cpu %u is in group \"%s\" already, and a CPU carries one "
					      "RMID only",
					      name, cpus[i], llc->groups[k].name);
	}
	return rc;
}

int unc_llc_add(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n_cpus)
{
	struct unc_llc_group *group;
	void *more;
	int rc;

	rc = check(llc, name, cpus, n_cpus);
	if (rc < 0)
		return rc;
	more = unc_array_more(llc->groups, llc->n_groups, sizeof(*llc->groups));
	if (!more)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	llc->groups = more;
	group = &llc->groups[llc->n_groups];
	group->name = unc_text_dup(name);
	group->cpus = malloc(n_cpus * sizeof(*cpus));
	if (!group->name || !group->cpus) {
		free(group->name);
		free(group->cpus);
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	}
	memcpy(group->cpus, cpus, n_cpus * sizeof(*cpus));
	group->n_cpus = sort(group->cpus, n_cpus);
	llc->n_groups++;
	return UNC_OK;
}

int unc_llc_add_rmids(struct unc_llc *llc)
{
	if (llc->started)
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring has started already");
	llc->all_rmids = true;
	return UNC_OK;
}

int unc_llc_add_rmid(struct unc_llc *llc, unsigned rmid)
{
	unsigned max = llc->rdt->info.max_rmid;

	if (llc->started)
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring has started already");
	if (rmid > max)
		return unc_fail(llc->machine->ctx, UNC_EARG, "there is no RMID %u: %u is the highest", rmid, max);
	if (!llc->rmids)
		llc->rmids = calloc((size_t)max + 1, sizeof(*llc->rmids));
	if (!llc->rmids)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	llc->rmids[rmid] = true;
	return UNC_OK;
}

bool unc_llc_has_rmids(const struct unc_llc *llc)
{
	return llc->all_rmids || llc->rmids;
}

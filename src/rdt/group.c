// SPDX-License-Identifier: GPL-2.0-or-later
/* Chooses the RMID of a group: one that no CPU carries, and that owns no cache from an earlier use. */

#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

#define RECHECK_NS UINT64_C(1000000000) /* as often as Linux does (CQM_LIMBOCHECK_INTERVAL) */

/* ---- choosing ---- */

enum cleanness { CLEAN, DIRTY, UNKNOWN, CLEANNESSES };

bool unc_llc_has_group(const struct unc_llc_domain *domain, size_t group)
{
	for (size_t i = 0; i < domain->n_cpus; i++)
		if (domain->cpus[i].group == group)
			return true;
	return false;
}

/* Checks the RMID on every L3 of the group. */
static int classify_rmid(struct unc_llc *llc, size_t group, unsigned rmid, enum cleanness *ret_is)
{
	enum cleanness is = CLEAN;
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains && rc == 0 && is == CLEAN; i++) {
		struct unc_llc_domain *domain = &llc->domains[i];
		struct unc_llc_value owned;

		if (!unc_llc_has_group(domain, group))
			continue;
		rc = unc_llc_read_owned(llc, domain, rmid, llc->nodes, &owned);
		/* AMD: hardware does not track this RMID, so it owns nothing. */
		if (owned.status == UNC_LLC_UNAVAILABLE && llc->rdt->amd)
			continue;
		if (owned.status != UNC_LLC_OK)
			is = UNKNOWN;
		else if (owned.bytes > domain->l3->bytes / llc->n_rmids)
			is = DIRTY; /* above the limit at which Linux reuses it (resctrl_rmid_realloc_threshold) */
	}
	*ret_is = is;
	return rc;
}

static unsigned highest(const struct unc_llc *llc)
{
	return llc->rdt->info.exact_rmid < llc->n_rmids ? llc->rdt->info.exact_rmid : llc->n_rmids - 1;
}

/* Sets the highest free RMID of each kind, until there is a clean one; 0: there is none. */
static int find_free_rmids(struct unc_llc *llc, size_t group, unsigned rmids[CLEANNESSES])
{
	bool can_look = !llc->machine->dry_run && llc->rdt->info.events & 1 << UNC_LLC_OCCUPANCY;
	int rc = UNC_OK;

	memset(rmids, 0, CLEANNESSES * sizeof(*rmids));
	for (unsigned rmid = highest(llc); rmid > 0 && rc == 0 && !rmids[CLEAN]; rmid--) {
		enum cleanness is = UNKNOWN;
		bool taken = false;

		for (size_t i = 0; i < llc->n_domains; i++)
			taken |= llc->domains[i].taken[rmid] && unc_llc_has_group(&llc->domains[i], group);
		if (taken)
			continue;
		if (can_look)
			rc = classify_rmid(llc, group, rmid, &is);
		if (!rmids[is])
			rmids[is] = rmid;
		if (!can_look)
			break;
	}
	return rc;
}

static int none_left(struct unc_llc *llc, size_t group)
{
	const char *exactly = highest(llc) < llc->n_rmids - 1 ? " that count exactly" : "",
		   *name = llc->groups[group].name;
	unsigned most = highest(llc);
	size_t neighbours = 0; /* earlier groups that share an L3 with this group, on the L3 that has most of them */

	for (size_t i = 0; i < llc->n_domains; i++) {
		size_t n = 0;

		for (size_t k = 0; k < group && unc_llc_has_group(&llc->domains[i], group); k++)
			n += unc_llc_has_group(&llc->domains[i], k);
		neighbours = n > neighbours ? n : neighbours;
	}
	if (neighbours >= most)
		return unc_fail(llc->machine->ctx, UNC_EARG,
				"group \"%s\": there are more groups than RMIDs: an L3 of it has %u (1-%u)%s; ask for "
				"fewer groups",
				name, most, most, exactly);
	return unc_fail(llc->machine->ctx, UNC_EBUSY,
			"group \"%s\": no RMID is left for it on every L3 of it: there are %u (1-%u)%s, some carried "
			"by others and the rest taken by our groups; ask for fewer groups",
			name, most, most, exactly);
}

static int choose(struct unc_llc *llc, size_t index)
{
	struct unc_llc_group *group = &llc->groups[index];
	struct unc_host *host = llc->machine->host;
	unsigned rmids[CLEANNESSES];
	bool said = false;
	int rc;

	for (;;) {
		rc = find_free_rmids(llc, index, rmids);
		if (rc < 0)
			return rc;
		if (rmids[CLEAN] || !rmids[DIRTY])
			break;
		if (llc->cfg.no_wait)
			unc_note(
				llc->machine->ctx,
				"group \"%s\": every RMID that is free still owns cache of its former user: RMID %u is "
				"taken as it is, and its occupancy begins with that",
				group->name, rmids[DIRTY]);
		else if (!said)
			unc_note(llc->machine->ctx,
				 "group \"%s\": every RMID that is free (RMID %u is the highest) still owns cache of "
				 "its "
				 "former user before: waiting until one does not; %s takes it as it is",
				 group->name, rmids[DIRTY], unc_setting(llc->machine->ctx, "--no-wait"));
		said = true;
		if (llc->cfg.no_wait)
			break;
		rc = host->ops->sleep_until(host, host->ops->now_ns(host, UNC_CLOCK_MONO) + RECHECK_NS);
		if (rc == UNC_EAGAIN)
			return unc_fail(llc->machine->ctx, rc,
					"woken while waiting for an RMID that owns no cache any more");
		/* While waiting, CPUs may have got another class of service, or an RMID that was free. */
		if (rc == 0)
			rc = unc_llc_domains_look(llc);
		if (rc < 0)
			return rc;
	}
	group->rmid = rmids[CLEAN] ? rmids[CLEAN] : rmids[DIRTY] ? rmids[DIRTY] : rmids[UNKNOWN];
	if (group->rmid == 0)
		return none_left(llc, index);
	if (group->rmid == rmids[UNKNOWN])
		unc_note(llc->machine->ctx,
			 "group \"%s\": whether RMID %u still owns cache of its former user cannot be told%s: its "
			 "occupancy may begin with that",
			 group->name, group->rmid,
			 llc->machine->dry_run ? " in a dry run" : ", hardware gives no occupancy");
	for (size_t i = 0; i < llc->n_domains; i++)
		if (unc_llc_has_group(&llc->domains[i], index))
			llc->domains[i].taken[group->rmid] = true;
	return UNC_OK;
}

int unc_llc_choose(struct unc_llc *llc)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_groups && rc == 0; i++)
		rc = choose(llc, i);
	return rc;
}

/* ---- giving ---- */

static unsigned rmid_of(const struct unc_llc *llc, const struct unc_llc_cpu *cpu)
{
	unsigned part = llc->rdt->snc == UNC_SNC_LOCAL ? cpu->part : 0;

	return llc->groups[cpu->group].rmid + part * llc->n_rmids;
}

static int plan(struct unc_llc *llc, struct unc_llc_cpu *cpu)
{
	uint64_t value = unc_reg_base(llc->regs.pqr, cpu->pqr);
	const struct unc_gate_intent intent = {
		.reg = llc->regs.pqr,
		.values = &value,
		.n_values = 1,
		.ours = unc_field_mask(llc->regs.pqr_rmid),
		.was = &cpu->pqr,
	};
	int rc = unc_field_set(llc->machine->ctx, llc->regs.pqr_rmid, rmid_of(llc, cpu), &value);

	return rc == 0 ? unc_gate_plan(cpu->box, &intent, llc) : rc;
}

/* The CLOS in the same register belongs to the program that divides the cache, so only the RMID field is set. */
static int assign(struct unc_llc *llc, struct unc_llc_cpu *cpu)
{
	const struct unc_llc_regs *regs = &llc->regs;
	unsigned rmid = rmid_of(llc, cpu);
	uint64_t now = 0;
	int rc = unc_gate_set_field(cpu->box, regs->pqr, regs->pqr_rmid, cpu->pqr, rmid, llc);

	if (rc == 0)
		rc = unc_reg_get(cpu->box, regs->pqr, 0, &now);
	if (rc < 0)
		return rc;
	if (unc_field_get(regs->pqr_rmid, now) != rmid)
		return unc_fail(llc->machine->ctx, UNC_EIO,
				"%s: %s: RMID %u was written, but it reads 0x%016" PRIx64
				": the write did not stick, or another program changed it at once",
				cpu->box->name, regs->pqr->name, rmid, now);
	cpu->rmid = rmid;
	return UNC_OK;
}

static int each_cpu_of_groups(struct unc_llc *llc, int (*what)(struct unc_llc *llc, struct unc_llc_cpu *cpu))
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains; i++)
		for (size_t k = 0; k < llc->domains[i].n_cpus && rc == 0; k++)
			if (llc->domains[i].cpus[k].group != UNC_LLC_NO_GROUP)
				rc = what(llc, &llc->domains[i].cpus[k]);
	return rc;
}

int unc_llc_assign(struct unc_llc *llc)
{
	int rc = each_cpu_of_groups(llc, plan);

	if (rc == 0)
		rc = unc_gate_ready(llc->machine);
	return rc == 0 ? each_cpu_of_groups(llc, assign) : rc;
}

/* Groups of CPUs, and the checks of whether a CPU can be in one. */

size_t unc_llc_group_of(const struct unc_llc *llc, unsigned cpu)
{
	for (size_t i = 0; i < llc->n_groups; i++)
		for (size_t k = 0; k < llc->groups[i].n_cpus; k++)
			if (llc->groups[i].cpus[k] == cpu)
				return i;
	return UNC_LLC_NO_GROUP;
}

int unc_llc_check_cpu(struct unc_llc *llc, unsigned cpu, const char *cannot)
{
	const struct unc_rdt *rdt = llc->rdt;

	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		for (size_t k = 0; k < rdt->l3s[i].n_cpus; k++)
			if (rdt->l3s[i].cpus[k] == cpu)
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

static int check(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n)
{
	struct unc_ctx *ctx = llc->machine->ctx;
	size_t group;
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
		group = unc_llc_group_of(llc, cpus[i]);
		if (rc == 0 && group != UNC_LLC_NO_GROUP)
			rc = unc_fail(
				ctx, UNC_EARG,
				"group \"%s\": cpu %u is in group \"%s\" already, and a CPU carries one RMID only",
				name, cpus[i], llc->groups[group].name);
	}
	return rc;
}

int unc_llc_add(struct unc_llc *llc, const char *name, const unsigned *cpus, size_t n_cpus)
{
	struct unc_llc_group group = {.name = NULL};
	int rc = check(llc, name, cpus, n_cpus);

	if (rc < 0)
		return rc;
	group.name = unc_text_dup(name);
	group.cpus = malloc(n_cpus * sizeof(*cpus));
	if (group.cpus) {
		memcpy(group.cpus, cpus, n_cpus * sizeof(*cpus));
		qsort(group.cpus, n_cpus, sizeof(*cpus), unc_order_unsigned);
	}
	for (size_t i = 0; i < n_cpus && group.cpus; i++) /* drops duplicates */
		if (group.n_cpus == 0 || group.cpus[i] != group.cpus[group.n_cpus - 1])
			group.cpus[group.n_cpus++] = group.cpus[i];
	if (group.name && group.cpus && unc_array_add(&llc->groups, &llc->n_groups, &group, sizeof(group)))
		return UNC_OK;
	free(group.name);
	free(group.cpus);
	return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
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

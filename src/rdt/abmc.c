// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD's bandwidth counters that are assigned to RMIDs (ABMC), and what bandwidth events count (BMEC): AMD APM volume 2, section 19.3.
 * If resctrl is mounted its kernel assigns the counters, from a table of its own: then they are only looked for.  A counter belongs
 * to an event if its type is that of QOS_EVT_CFG.
 */
#include "machine/gate.h"
#include "machine/users.h"
#include "map/field.h"
#include "rdt/leaves.h"
#include "rdt/llc.h"

enum { EXTENDED_EVENT = 1 };

static struct unc_box *box_of(const struct unc_llc_domain *domain)
{
	return domain->cpus[domain->reader].box;
}

static const struct unc_reg *counters_of(const struct unc_llc_domain *domain)
{
	return unc_unit_reg(box_of(domain)->unit, "ABMC_COUNTER");
}

/* ---- what is set for a run ---- */

/* With write, after all registers are planned.  A write of the same value, too, would clear counters. */
static int set(struct unc_llc *llc, struct unc_box *box, const char *name, unsigned index, uint64_t bits, bool write)
{
	const struct unc_reg *reg = unc_unit_reg(box->unit, name);
	uint64_t was = 0, now = 0, value;
	int rc = reg ? unc_reg_get(box, reg, index, &was)
		     : unc_fail(llc->machine->ctx, UNC_EMAP, "%s: unit rdt has no %s", box->unit->path, name);

	if (rc < 0)
		return rc;
	value = unc_reg_base(reg, was);
	/* The field is the lowest of its register. */
	rc = unc_field_set(llc->machine->ctx, &reg->fields[reg->n_fields - 1], bits, &value);
	if (rc < 0 || value == was)
		return rc;
	if (!write)
		return unc_gate_plan(box,
				     &(struct unc_gate_intent){
					     .reg = reg, .index = index, .values = &value, .n_values = 1, .was = &was},
				     llc);
	rc = unc_gate_write(box, reg, index, value, llc);
	if (rc == 0)
		rc = unc_reg_get(box, reg, index, &now);
	if (rc == 0 && now != value)
		rc = unc_fail(llc->machine->ctx, UNC_EIO,
			      "%s: %s: the write did not stick, or another program changed it at once", box->name,
			      name);
	return rc;
}

/* ABMC is set on every CPU of an L3, what events count on one. */
static int set_all(struct unc_llc *llc, bool write)
{
	int rc = UNC_OK;

	for (struct unc_llc_domain *domain = llc->domains; domain < llc->domains + llc->n_domains; domain++) {
		for (size_t k = 0; llc->cfg.assign && k < domain->n_cpus && rc == 0; k++)
			rc = set(llc, domain->cpus[k].box, "L3_QOS_EXT_CFG", 0, 1, write);
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && rc == 0; event++)
			if (llc->cfg.types[event])
				rc = set(llc, box_of(domain), "QOS_EVT_CFG", event - UNC_LLC_TOTAL,
					 llc->cfg.types[event], write);
	}
	return rc;
}

/* Checks that no other program relies on what is to be changed, and that it can be changed everywhere. */
static int may_set(struct unc_llc *llc, const struct unc_resctrl_mount *mount)
{
	const struct unc_rdt *rdt = llc->rdt;
	struct unc_ctx *ctx = llc->machine->ctx;
	size_t n_online = 0;

	if (mount->mounted)
		return unc_fail(ctx, UNC_EBUSY,
				"resctrl is mounted at %.80s: its kernel decides how bandwidth is counted; unmount it "
				"(%s %.80s)",
				mount->dir, mount->unmount, mount->dir + mount->root_len);
	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		n_online += rdt->l3s[i].n_cpus;
	if (!rdt->present || n_online != rdt->n_present)
		return unc_fail(ctx, UNC_ENODEV,
				"how bandwidth is counted is set on every CPU of an L3, and some are offline: bring "
				"them online");
	unc_note(ctx,
		 "all bandwidth counters of %zu L3%s restart now, and again at the end: other programs that read them "
		 "get wrong numbers",
		 llc->n_domains, llc->n_domains == 1 ? "" : "s");
	return UNC_OK;
}

/* Reads whether counters are assigned on an L3, and what its events count. */
static int look_at_switch(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	unsigned reader = domain->cpus[domain->reader].number;
	uint64_t on = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < domain->n_cpus && rc == 0; i++) {
		rc = unc_rdt_field(llc->machine, domain->cpus[i].number, "L3_QOS_EXT_CFG", 0, "abmc", &on);
		if (rc == 0 && i && on != domain->assigned)
			rc = unc_fail(
				llc->machine->ctx, UNC_ENOSUP,
				"L3 %u: cpu %u and cpu %u differ in L3_QOS_EXT_CFG (ABMC), so its bandwidth means "
				"nothing; ask for occupancy alone, or set it on all of them (%s)",
				domain->l3->id, domain->cpus->number, domain->cpus[i].number,
				unc_setting(llc->machine->ctx, "--abmc"));
		domain->assigned = on;
	}
	for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && domain->assigned && rc == 0; event++)
		rc = unc_rdt_field(llc->machine, reader, "QOS_EVT_CFG", event - UNC_LLC_TOTAL, "events",
				   &domain->types[event]);
	return rc;
}

int unc_llc_set_up(struct unc_llc *llc)
{
	bool sets = llc->cfg.assign || llc->cfg.types[UNC_LLC_TOTAL] || llc->cfg.types[UNC_LLC_LOCAL];
	bool may_be_on = llc->rdt->n_counters && llc->events != 1 << UNC_LLC_OCCUPANCY;
	struct unc_resctrl_mount mount = {.mounted = false};
	int rc = sets || may_be_on ? unc_users_resctrl_mount(llc->machine, &mount) : UNC_OK;

	llc->kernel_assigns = mount.mounted;
	if (rc == 0 && sets)
		rc = may_set(llc, &mount);
	if (rc == 0 && sets)
		rc = set_all(llc, false);
	if (rc == 0 && sets)
		rc = unc_gate_ready(llc->machine);
	if (rc == 0 && sets)
		rc = set_all(llc, true);
	for (size_t i = 0; i < llc->n_domains && rc == 0 && may_be_on; i++)
		rc = look_at_switch(llc, &llc->domains[i]);
	return rc;
}

/* ---- counters ---- */

/* Looking at a counter writes L3_QOS_ABMC_CFG.  Its bit apply is not put back, since it would assign a counter once more. */
static int plan_selection(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	struct unc_box *box = box_of(domain);
	const struct unc_reg *reg = unc_unit_reg(box->unit, "L3_QOS_ABMC_CFG");
	const uint64_t blank = unc_reg_blank(reg);
	uint64_t was = 0;
	const struct unc_gate_intent intent = {
		.reg = reg, .values = &blank, .n_values = 1, .any = UINT64_MAX, .was = &was};
	/* In a dry run it may be off still. */
	int rc = llc->machine->dry_run ? UNC_OK : unc_reg_get(box, reg, 0, &was);

	was &= ~unc_field_mask(unc_reg_field(reg, "apply"));
	if (rc == 0)
		rc = unc_gate_plan(box, &intent, llc);
	if (rc == 0)
		rc = unc_gate_ready(llc->machine);
	domain->looks = rc == 0 ? box : NULL;
	return rc;
}

/* If the kernel selects another counter between our write and our read, the number that is shown is another, too. */
static int look(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned counter, uint64_t *ret_value)
{
	int rc = domain->looks == box_of(domain) ? UNC_OK : plan_selection(llc, domain);

	return rc < 0 ? rc : unc_reg_get(box_of(domain), counters_of(domain), counter, ret_value);
}

static int scan(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < llc->rdt->n_counters && rc == 0; i++)
		rc = look(llc, domain, i, &domain->counters[i]);
	return rc;
}

/* Returns how a counter shows that it is assigned to that event of an RMID. */
static uint64_t assigned_to(const struct unc_llc_domain *domain, unsigned counter, unsigned rmid, unsigned event)
{
	const struct {
		const char *field;
		uint64_t value;
	} parts[] = {{"en", 1}, {"number", counter}, {"source", rmid}, {"type", domain->types[event]}};
	const struct unc_reg *reg = counters_of(domain);
	uint64_t value = unc_reg_blank(reg);

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) /* they all fit */
		unc_field_set(domain->cpus->box->machine->ctx, unc_reg_field(reg, parts[i].field), parts[i].value,
			      &value);
	return value;
}

/* Returns the counter of that event of an RMID; n_counters: none. */
static unsigned counter_for(const struct unc_llc *llc, const struct unc_llc_domain *domain, unsigned rmid,
			    unsigned event)
{
	unsigned i = 0;

	while (i < llc->rdt->n_counters && domain->counters[i] != assigned_to(domain, i, rmid, event))
		i++;
	return i;
}

/* Plans the highest free counter for that event of an RMID; if there is none, it stays without. */
static int plan_counter(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned rmid, unsigned event)
{
	const struct unc_field *en = unc_reg_field(counters_of(domain), "en");
	unsigned i = llc->rdt->n_counters;
	uint64_t was, value;

	while (i > 0 && unc_field_get(en, domain->counters[i - 1]))
		i--;
	if (i-- == 0)
		return UNC_OK;
	was = domain->counters[i];
	value = domain->counters[i] = assigned_to(domain, i, rmid, event);
	domain->ours |= UINT64_C(1) << i;
	return unc_gate_plan(
		box_of(domain),
		&(struct unc_gate_intent){
			.reg = counters_of(domain), .index = i, .values = &value, .n_values = 1, .was = &was},
		llc);
}

int unc_llc_assign_counters(struct unc_llc *llc)
{
	int rc = UNC_OK;

	for (struct unc_llc_domain *domain = llc->domains; domain < llc->domains + llc->n_domains && rc == 0;
	     domain++) {
		if (domain->assigned)
			rc = scan(llc, domain);
		for (size_t k = 0; k < llc->n_groups * UNC_LLC_EVENTS && domain->assigned && rc == 0; k++) {
			unsigned event = (unsigned)(k % UNC_LLC_EVENTS), rmid = llc->groups[k / UNC_LLC_EVENTS].rmid;

			if (event != UNC_LLC_OCCUPANCY && llc->events >> event & 1 && !llc->kernel_assigns &&
			    unc_llc_has_group(domain, k / UNC_LLC_EVENTS) &&
			    counter_for(llc, domain, rmid, event) == llc->rdt->n_counters)
				rc = plan_counter(llc, domain, rmid, event);
		}
	}
	if (rc == 0)
		rc = unc_gate_ready(llc->machine);
	for (size_t i = 0; i < llc->n_domains; i++)
		for (unsigned k = 0; k < llc->rdt->n_counters && rc == 0; k++)
			if (llc->domains[i].ours >> k & 1)
				rc = unc_gate_write(box_of(&llc->domains[i]), counters_of(&llc->domains[i]), k,
						    llc->domains[i].counters[k], llc);
	llc->scanned_ns = unc_machine_mono_ns(llc->machine);
	return rc;
}

static void leave(struct unc_llc_counter *counter)
{
	counter->unassigned = true;
	counter->evtsel = 0;
	unc_llc_lose(&counter->account);
}

int unc_llc_find_counter(struct unc_llc *llc, const struct unc_llc_domain *domain, unsigned rmid, unsigned event,
			 struct unc_llc_counter *counter)
{
	unsigned i = counter_for(llc, domain, rmid, event);
	uint64_t evtsel = 0;
	int rc = UNC_OK;

	if (i == llc->rdt->n_counters) {
		leave(counter);
		return UNC_OK;
	}
	rc = unc_llc_evtsel(llc, EXTENDED_EVENT, i, &evtsel);
	if (rc == 0)
		rc = unc_field_set(llc->machine->ctx, llc->regs.ext, 1, &evtsel);
	if (evtsel != counter->evtsel)
		unc_llc_lose(&counter->account);
	counter->unassigned = false;
	counter->evtsel = evtsel;
	counter->number = i;
	counter->shows = domain->counters[i];
	return rc;
}

int unc_llc_still_assigned(struct unc_llc *llc, struct unc_llc_domain *domain, struct unc_llc_counter *counter)
{
	uint64_t now = 0;
	int rc = look(llc, domain, counter->number, &now);

	if (rc < 0 || now == counter->shows)
		return rc;
	if (!llc->kernel_assigns)
		unc_note(llc->machine->ctx,
			 "L3 %u: another program took bandwidth counter %u, or its assignment failed", domain->l3->id,
			 counter->number);
	leave(counter);
	return UNC_OK;
}

bool unc_llc_was_switched(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	unsigned reader = domain->cpus[domain->reader].number;
	uint64_t on = domain->assigned;

	/* Linux from 6.18 on switches it on when resctrl is mounted. */
	if (llc->rdt->n_counters && llc->events != 1 << UNC_LLC_OCCUPANCY && !domain->switched)
		unc_rdt_field(llc->machine, reader, "L3_QOS_EXT_CFG", 0, "abmc", &on);
	if (on == domain->assigned)
		return domain->switched;
	unc_note(llc->machine->ctx,
		 "L3 %u: another program switched ABMC %s: there are no numbers of bandwidth any more", domain->l3->id,
		 on ? "on" : "off");
	domain->switched = true;
	for (struct unc_llc_line *line = llc->lines; line < llc->lines + llc->n_lines; line++)
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (line->domain == domain - llc->domains && line->events[event].counters)
				leave(line->events[event].counters);
	return true;
}

void unc_llc_follow_kernel(struct unc_llc *llc)
{
	uint64_t now_ns = unc_machine_mono_ns(llc->machine);

	if (!llc->kernel_assigns || now_ns - llc->scanned_ns < UNC_LLC_LOOK_NS)
		return;
	llc->scanned_ns = now_ns;
	for (size_t i = 0; i < llc->n_domains; i++)
		if (llc->domains[i].assigned && !llc->domains[i].switched)
			scan(llc, &llc->domains[i]); /* if that fails, what is read next does, too */
	for (struct unc_llc_line *line = llc->lines; line < llc->lines + llc->n_lines; line++)
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (line->events[event].counters && llc->domains[line->domain].assigned &&
			    !llc->domains[line->domain].switched)
				unc_llc_find_counter(llc, &llc->domains[line->domain], line->rmid, event,
						     line->events[event].counters);
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * AMD's bandwidth counters that are assigned to RMIDs (ABMC), and what bandwidth events count (BMEC): AMD APM volume 2, section 19.3.
 * If resctrl is mounted its kernel assigns the counters, from a table of its own: then they are only looked for.  A counter belongs
 * to an event if its type is that of QOS_EVT_CFG.
 */
#include "base/err.h"
#include "machine/gate.h"
#include "machine/users.h"
#include "map/field.h"
#include "rdt/leaves.h"
#include "rdt/llc.h"

enum { EXTENDED_EVENT = 1, TRIES = 3 };

static struct unc_box *box_of(const struct unc_llc_domain *domain)
{
	return domain->cpus[domain->reader].box;
}

static const struct unc_reg *counters_of(const struct unc_llc_domain *domain)
{
	return unc_unit_reg(box_of(domain)->unit, "ABMC_COUNTER");
}

static uint64_t part(const struct unc_llc_domain *domain, const char *field, uint64_t value)
{
	return unc_field_get(unc_reg_field(counters_of(domain), field), value);
}

/* ---- what is set for a run ---- */

struct setting {
	struct unc_box *box;
	const char *reg, *field;
	unsigned index;
	uint64_t value;
	bool beside; /* other fields of the register belong to other programs */
};

/* With write, after all settings are planned. */
static int set(struct unc_llc *llc, const struct setting *setting, bool write)
{
	const struct unc_reg *reg = unc_unit_reg(setting->box->unit, setting->reg);
	const struct unc_field *field = reg ? unc_reg_field(reg, setting->field) : NULL;
	struct unc_ctx *ctx = llc->machine->ctx;
	uint64_t was, value, now = 0;
	int rc;

	if (!field)
		return unc_fail(ctx, UNC_EMAP, "%s: unit rdt has no %s.%s", setting->box->unit->path, setting->reg,
				setting->field);
	rc = unc_reg_get(setting->box, reg, setting->index, &was);
	value = unc_reg_base(reg, was);
	if (rc == 0)
		rc = unc_field_set(ctx, field, setting->value, &value);
	if (rc == 0 && !write) {
		const struct unc_gate_intent intent = {
			.reg = reg,
			.index = setting->index,
			.values = &value,
			.n_values = 1,
			.ours = setting->beside ? unc_field_mask(field) : 0,
			.was = &was,
		};

		return unc_gate_plan(setting->box, &intent, llc);
	}
	if (rc < 0 || value == was) /* a write of the same value, too, would clear counters */
		return rc;
	rc = setting->beside ? unc_gate_set_field(setting->box, reg, field, was, setting->value, llc)
			     : unc_gate_write(setting->box, reg, setting->index, value, llc);
	if (rc == 0)
		rc = unc_reg_get(setting->box, reg, setting->index, &now);
	if (rc == 0 && unc_field_get(field, now) != setting->value)
		rc = unc_fail(ctx, UNC_EIO, "%s: %s: the write did not stick, or another program changed it at once",
			      setting->box->name, reg->name);
	return rc;
}

/* ABMC is set on every CPU of an L3, what events count on one. */
static int set_all(struct unc_llc *llc, bool write)
{
	int rc = UNC_OK;

	for (size_t i = 0; i < llc->n_domains; i++) {
		const struct unc_llc_domain *domain = &llc->domains[i];

		for (size_t k = 0; llc->cfg.assign && k < domain->n_cpus && rc == 0; k++)
			rc = set(llc, &(struct setting){domain->cpus[k].box, "L3_QOS_EXT_CFG", "abmc", 0, 1, true},
				 write);
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && rc == 0; event++)
			if (llc->cfg.types[event])
				rc = set(llc,
					 &(struct setting){box_of(domain), "QOS_EVT_CFG", "events",
							   event - UNC_LLC_TOTAL, llc->cfg.types[event], false},
					 write);
	}
	return rc;
}

/* Checks that no other program relies on what is to be changed, and that it can be changed everywhere. */
static int may_set(struct unc_llc *llc)
{
	const struct unc_rdt *rdt = llc->rdt;
	struct unc_ctx *ctx = llc->machine->ctx;
	struct unc_resctrl_mount mount;
	size_t n_online = 0;
	int rc = unc_users_resctrl_mount(llc->machine, &mount);

	if (rc < 0)
		return rc;
	if (mount.mounted)
		return unc_fail(ctx, UNC_EBUSY,
				"resctrl is mounted at %.80s: its kernel decides how bandwidth is counted; unmount it "
				"(%s %.80s)",
				mount.dir, mount.unmount, mount.dir + mount.root_len);
	for (size_t i = 0; i < rdt->info.n_l3s; i++)
		n_online += rdt->l3s[i].n_cpus;
	if (!rdt->present || n_online != rdt->n_present)
		return unc_fail(ctx, UNC_ENODEV,
				"how bandwidth is counted is set on every CPU of an L3, and some are offline: bring "
				"them online");
	unc_note(ctx,
		 "all bandwidth counters of %zu L3%s restart now, and again at the end: other programs that read "
		 "them get wrong numbers",
		 llc->n_domains, llc->n_domains == 1 ? "" : "s");
	return UNC_OK;
}

static int look_at_switch(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	uint64_t on = 0;

	for (size_t i = 0; i < domain->n_cpus; i++) {
		int rc = unc_rdt_field(llc->machine, domain->cpus[i].number, "L3_QOS_EXT_CFG", 0, "abmc", &on);

		if (rc < 0)
			return rc;
		if (i && on != domain->assigned)
			return unc_fail(llc->machine->ctx, UNC_ENOSUP,
					"L3 %u: counters are assigned (ABMC) by cpu %u, and not by cpu %u: while its "
					"CPUs differ, its bandwidth means nothing; ask for occupancy alone, or set it "
					"on all of them (--abmc)",
					domain->l3->id, domain->cpus[on ? i : 0].number,
					domain->cpus[on ? 0 : i].number);
		domain->assigned = on;
	}
	for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS && domain->assigned; event++) {
		int rc = unc_rdt_field(llc->machine, domain->cpus[domain->reader].number, "QOS_EVT_CFG",
				       event - UNC_LLC_TOTAL, "events", &domain->types[event]);

		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

int unc_llc_set_up(struct unc_llc *llc)
{
	bool sets = llc->cfg.assign || llc->cfg.types[UNC_LLC_TOTAL] || llc->cfg.types[UNC_LLC_LOCAL];
	int rc = sets ? may_set(llc) : UNC_OK;

	if (rc == 0 && sets)
		rc = set_all(llc, false);
	if (rc == 0 && sets)
		rc = unc_gate_ready(llc->machine);
	if (rc == 0 && sets)
		rc = set_all(llc, true);
	for (size_t i = 0; i < llc->n_domains && rc == 0 && unc_llc_may_be_assigned(llc); i++)
		rc = look_at_switch(llc, &llc->domains[i]);
	return rc;
}

bool unc_llc_may_be_assigned(const struct unc_llc *llc)
{
	return llc->rdt->n_counters && llc->events & (1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL);
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

/* The kernel may select another counter between our write and our read. */
static int look(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned counter, uint64_t *ret_value)
{
	int rc = domain->looks == box_of(domain) ? UNC_OK : plan_selection(llc, domain);

	for (unsigned i = 0; i < TRIES && rc == 0; i++) {
		rc = unc_reg_get(box_of(domain), counters_of(domain), counter, ret_value);
		if (rc == 0 && (part(domain, "number", *ret_value) == counter || llc->machine->dry_run))
			return UNC_OK;
	}
	return rc < 0 ? rc
		      : unc_fail(llc->machine->ctx, UNC_EIO,
				 "L3 %u: bandwidth counter %u does not show how it is assigned", domain->l3->id,
				 counter);
}

static int scan(struct unc_llc *llc, struct unc_llc_domain *domain)
{
	int rc = UNC_OK;

	for (unsigned i = 0; i < llc->rdt->n_counters && rc == 0; i++)
		rc = look(llc, domain, i, &domain->counters[i]);
	return rc;
}

/* Returns the counter of that event of an RMID; n_counters: none. */
static unsigned counter_for(const struct unc_llc *llc, const struct unc_llc_domain *domain, unsigned rmid,
			    unsigned event)
{
	unsigned i = 0;

	for (; i < llc->rdt->n_counters; i++) {
		uint64_t value = domain->counters[i];

		if (part(domain, "en", value) && !part(domain, "is_cos", value) && !part(domain, "error", value) &&
		    part(domain, "source", value) == rmid && part(domain, "type", value) == domain->types[event])
			break;
	}
	return i;
}

/* Plans the highest free counter for that event of an RMID; if there is none, it stays without. */
static int plan_counter(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned rmid, unsigned event)
{
	const struct unc_reg *reg = counters_of(domain);
	uint64_t value = unc_reg_blank(reg);
	unsigned i = llc->rdt->n_counters;
	int rc = UNC_OK;

	while (i > 0 && part(domain, "en", domain->counters[i - 1]))
		i--;
	if (i-- == 0) {
		llc->n_lacking++;
		return UNC_OK;
	}
	const struct {
		const char *field;
		uint64_t value;
	} fields[] = {{"en", 1}, {"number", i}, {"source", rmid}, {"type", domain->types[event]}};

	for (size_t k = 0; k < sizeof(fields) / sizeof(fields[0]) && rc == 0; k++)
		rc = unc_field_set(llc->machine->ctx, unc_reg_field(reg, fields[k].field), fields[k].value, &value);
	if (rc == 0)
		rc = unc_gate_plan(
			box_of(domain),
			&(struct unc_gate_intent){
				.reg = reg, .index = i, .values = &value, .n_values = 1, .was = &domain->counters[i]},
			llc);
	domain->counters[i] = value;
	domain->ours |= UINT64_C(1) << i;
	return rc;
}

static int assign(struct unc_llc *llc, struct unc_llc_domain *domain, unsigned counter)
{
	const struct unc_reg *reg = counters_of(domain);
	uint64_t now = domain->counters[counter];
	int rc = unc_gate_write(box_of(domain), reg, counter, now, llc);

	if (rc == 0 && !llc->machine->dry_run)
		rc = look(llc, domain, counter, &now);
	if (rc == 0 && now != domain->counters[counter])
		rc = unc_fail(llc->machine->ctx, UNC_EIO,
			      "L3 %u: bandwidth counter %u was assigned, but does not show it", domain->l3->id,
			      counter);
	return rc;
}

int unc_llc_assign_counters(struct unc_llc *llc)
{
	struct unc_resctrl_mount mount;
	int rc = unc_users_resctrl_mount(llc->machine, &mount);

	llc->kernel_assigns = rc == 0 && mount.mounted;
	for (size_t i = 0; i < llc->n_domains && rc == 0; i++) {
		struct unc_llc_domain *domain = &llc->domains[i];

		if (!domain->assigned)
			continue;
		rc = scan(llc, domain);
		for (size_t k = 0; k < llc->n_groups * UNC_LLC_EVENTS && rc == 0 && !llc->kernel_assigns; k++) {
			unsigned event = (unsigned)(k % UNC_LLC_EVENTS), rmid = llc->groups[k / UNC_LLC_EVENTS].rmid;

			if (event != UNC_LLC_OCCUPANCY && llc->events >> event & 1 &&
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
				rc = assign(llc, &llc->domains[i], k);
	if (llc->n_lacking)
		unc_note(llc->machine->ctx,
			 "%zu bandwidth value%s unassigned: an L3 has %u counters, and no free one is left",
			 llc->n_lacking, llc->n_lacking == 1 ? " is" : "s are", llc->rdt->n_counters);
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
		unc_note(llc->machine->ctx, "L3 %u: another program took bandwidth counter %u, which was assigned here",
			 domain->l3->id, counter->number);
	leave(counter);
	return UNC_OK;
}

void unc_llc_follow_kernel(struct unc_llc *llc)
{
	uint64_t now_ns = unc_machine_mono_ns(llc->machine);

	if (!llc->kernel_assigns || now_ns - llc->scanned_ns < UNC_LLC_LOOK_NS)
		return;
	llc->scanned_ns = now_ns;
	for (size_t i = 0; i < llc->n_lines; i++) {
		struct unc_llc_line *line = &llc->lines[i];
		struct unc_llc_domain *domain = llc->domains + (line->domain == UNC_LLC_NO_DOMAIN ? 0 : line->domain);

		if (line->domain == UNC_LLC_NO_DOMAIN || !domain->assigned)
			continue;
		if (domain->followed_ns != now_ns && scan(llc, domain) < 0)
			continue; /* what is read next fails, too */
		domain->followed_ns = now_ns;
		for (unsigned event = UNC_LLC_TOTAL; event < UNC_LLC_EVENTS; event++)
			if (line->events[event].counters)
				unc_llc_find_counter(llc, domain, line->rmid, event, line->events[event].counters);
	}
}

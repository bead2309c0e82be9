// SPDX-License-Identifier: GPL-2.0-or-later
/* A monitoring session from opening to closing. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "machine/gate.h"
#include "map/field.h"
#include "rdt/llc.h"

/* ---- opening ---- */

struct named_field {
	const char *reg, *field;
	const struct unc_reg **ret_reg;
	const struct unc_field **ret_field; /* where the field is stored */
};

static int regs_find(struct unc_llc *llc)
{
	struct unc_llc_regs *regs = &llc->regs;
	const struct named_field wanted[] = {
		{"PQR_ASSOC", "rmid", &regs->pqr, &regs->pqr_rmid},
		{"QM_EVTSEL", "event", &regs->evtsel, &regs->event},
		{"QM_EVTSEL", "rmid", &regs->evtsel, &regs->rmid},
		{"QM_CTR", "data", &regs->ctr, &regs->data},
		{"QM_CTR", "unavailable", &regs->ctr, &regs->unavailable},
		{"QM_CTR", "error", &regs->ctr, &regs->error},
	};
	struct unc_box *box;
	int rc;

	rc = unc_machine_cpu_box(llc->machine, "rdt", llc->rdt->l3s[0].cpus[0], &box);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]) && rc == 0; i++) {
		const struct unc_reg *reg = unc_unit_reg(box->unit, wanted[i].reg);
		const struct unc_field *field = reg ? unc_reg_field(reg, wanted[i].field) : NULL;

		if (!field)
			return unc_fail(llc->machine->ctx, UNC_EMAP, "%s: unit rdt has no %s.%s", box->unit->path,
					wanted[i].reg, wanted[i].field);
		*wanted[i].ret_reg = reg;
		*wanted[i].ret_field = field;
	}
	if (rc == 0)
		regs->evtsel_seen = unc_reg_readback_mask(regs->evtsel);
	return rc;
}

static int check_events(struct unc_llc *llc)
{
	const struct unc_llc_info *info = &llc->rdt->info;
	const unsigned bandwidth = 1 << UNC_LLC_TOTAL | 1 << UNC_LLC_LOCAL;
	const char *why = llc->rdt->assigned_unknown
				  ? "may be assigned one by one here (ABMC; L3_QOS_EXT_CFG cannot be read)"
				  : "are assigned one by one here (ABMC, L3_QOS_EXT_CFG bit 0 is 1)";
	struct unc_ctx *ctx = llc->machine->ctx;
	unsigned asked = llc->cfg.events;

	for (unsigned event = 0; event < UNC_LLC_EVENTS; event++)
		if (asked >> event & 1 && !(info->events >> event & 1))
			return unc_fail(ctx, UNC_ENOSUP, "this CPU does not monitor %s: CPUID 0xF.1 EDX bit %u is 0",
					unc_llc_event_name(event), event);
	if (asked >> UNC_LLC_EVENTS)
		return unc_fail(ctx, UNC_EARG, "there is no such event");
	llc->events = asked ? asked : info->events;
	if (!llc->rdt->assigned_counters || !(llc->events & bandwidth))
		return UNC_OK;
	/* AMD: with ABMC, what QM_CTR reports for the bandwidth of an RMID has no meaning. */
	if (asked || !(info->events & 1 << UNC_LLC_OCCUPANCY))
		return unc_fail(ctx, UNC_ENOSUP,
				"bandwidth counters %s: read by RMID they show 0; ask for occupancy alone, or have "
				"resctrl switch that off (mbm_assign_mode)",
				why);
	llc->events &= ~bandwidth;
	if (llc->rdt->assigned_unknown) /* if it is known, it is a warning, which is noted at the start */
		unc_note(ctx, "bandwidth counters %s: read by RMID they show 0, so there is occupancy alone", why);
	return UNC_OK;
}

static int copy_read_cpus(struct unc_llc *llc)
{
	size_t n = llc->cfg.n_read_cpus;
	int rc = UNC_OK;

	llc->read_cpus = malloc((n + 1) * sizeof(*llc->read_cpus));
	if (!llc->read_cpus)
		return unc_fail(llc->machine->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n && rc == 0; i++) {
		llc->read_cpus[i] = llc->cfg.read_cpus[i];
		rc = unc_wrap(llc->machine->ctx, unc_llc_check_cpu(llc, llc->read_cpus[i], "nothing can be read there"),
			      "CPU to read from");
	}
	return rc;
}

static void llc_free(struct unc_llc *llc)
{
	unc_llc_groups_free(llc);
	unc_llc_lines_free(llc);
	unc_llc_domains_free(llc);
	free(llc->read_cpus);
	free(llc->rmids);
	free(llc);
}

static int set_up(struct unc_llc *llc, const struct unc_rdt *rdt)
{
	int rc;

	if (rdt->info.no_monitoring)
		return unc_fail(llc->machine->ctx, UNC_ENOSUP, "%s", rdt->info.no_monitoring);
	rc = check_events(llc);
	if (rc == 0)
		rc = regs_find(llc);
	if (rc == 0)
		rc = copy_read_cpus(llc);
	llc->nodes = rdt->snc == UNC_SNC_NONE ? 1 : rdt->info.nodes;
	llc->n_rmids = (rdt->info.cpuid_max_rmid + 1) / llc->nodes;
	unc_llc_meter_init(&llc->meter, &rdt->info);
	return rc;
}

int unc_llc_open(struct unc_machine *machine, const struct unc_llc_cfg *cfg, struct unc_llc **ret_llc)
{
	const struct unc_rdt *rdt;
	struct unc_llc *llc;
	int rc;

	rc = unc_rdt_of(machine, &rdt);
	if (rc < 0)
		return rc;
	llc = calloc(1, sizeof(*llc));
	if (!llc)
		return unc_fail(machine->ctx, UNC_ENOMEM, "out of memory");
	llc->machine = machine;
	llc->rdt = rdt;
	llc->cfg = *cfg;
	rc = set_up(llc, rdt);
	if (rc < 0)
		llc_free(llc);
	else
		*ret_llc = llc;
	return rc;
}

unsigned unc_llc_events(const struct unc_llc *llc)
{
	return llc->events;
}

/* ---- starting ---- */

/* Undoes what a failed start had made. */
static void forget(struct unc_llc *llc)
{
	struct unc_saved_msg why;

	unc_msg_save(llc->machine->ctx, &why);
	if (unc_gate_restore(llc->machine, llc) < 0)
		unc_note(llc->machine->ctx, "%s", llc->machine->ctx->msg);
	unc_msg_restore(llc->machine->ctx, &why);
	unc_llc_lines_free(llc);
	unc_llc_domains_free(llc);
}

int unc_llc_start(struct unc_llc *llc)
{
	int rc;

	if (llc->started || (llc->n_groups == 0 && !unc_llc_has_rmids(llc)))
		return unc_fail(llc->machine->ctx, UNC_EARG, "monitoring starts once, with one group at least");
	if (llc->rdt->info.warning)
		unc_note(llc->machine->ctx, "%s", llc->rdt->info.warning);
	unc_suspend_init(&llc->suspend, llc->machine);
	/* All that can be read is read before anything is written. */
	rc = unc_llc_domains_find(llc);
	if (rc == 0)
		rc = unc_llc_look_around(llc);
	if (rc == 0)
		rc = unc_llc_plan_selectors(llc);
	if (rc == 0)
		rc = unc_llc_choose(llc);
	if (rc == 0)
		rc = unc_llc_assign(llc);
	if (rc == 0)
		rc = unc_llc_lines_make(llc);
	if (rc == 0)
		rc = unc_llc_baseline(llc);
	if (rc < 0)
		forget(llc);
	llc->started = rc == 0;
	return rc;
}

int unc_llc_close(struct unc_llc *llc)
{
	int rc;

	if (!llc)
		return UNC_OK;
	rc = unc_gate_restore(llc->machine, llc);
	llc_free(llc);
	return rc;
}

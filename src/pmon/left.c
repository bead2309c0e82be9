// SPDX-License-Identifier: GPL-2.0-or-later
/* Boxes in which a killed process has left changed registers. */
#include "base/err.h"
#include "pmon/pmon.h"

void unc_pmon_see_left(struct unc_pmon_box *pbox)
{
	pbox->left = unc_gate_left(pbox->box, pbox->regs.box_ctl, 0) != NULL;
	pbox->foreign |= pbox->left;
	for (unsigned i = 0; i < pbox->n_slots; i++)
		pbox->slots[i].left = unc_gate_left(pbox->box, pbox->slots[i].ctl, pbox->slots[i].index) != NULL;
}

/* If BOX_CTL was left changed, the box's clock, if enabled, shows whether the box stands still. */
static int clock_runs(struct unc_pmon_box *pbox, bool *ret_runs)
{
	enum { TICKS_NS = 10000 };
	struct unc_host *host = pbox->box->machine->host;
	uint64_t first = 0, second = 0;
	int rc;

	*ret_runs = true;
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];

		if (!slot->fixed || !slot->enabled)
			continue;
		rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &first);
		if (rc == 0)
			rc = host->ops->sleep_until(host, unc_machine_mono_ns(pbox->box->machine) + TICKS_NS);
		if (rc == 0 || rc == UNC_EAGAIN)
			rc = unc_reg_get(pbox->box, slot->ctr, slot->index, &second);
		if (rc < 0)
			return rc;
		*ret_runs = first != second;
	}
	return UNC_OK;
}

int unc_pmon_check_left(struct unc_pmon_box *pbox)
{
	struct unc_ctx *ctx = pbox->box->machine->ctx;
	bool runs = true;
	int rc = clock_runs(pbox, &runs);

	if (rc == 0 && (pbox->frozen || !runs))
		return unc_fail(ctx, UNC_EBUSY,
				"%s (%s): it stands still: it was left frozen by %s; `uncorectl recover` puts it back",
				pbox->box->name, pbox->box->pci, unc_gate_left(pbox->box, pbox->regs.box_ctl, 0));
	if (rc == 0 && pbox->freezes)
		return unc_fail(
			ctx, UNC_EBUSY,
			"%s (%s): BOX_CTL, which freezes it, was left changed by %s; `uncorectl recover` puts it "
			"back; or measure without --freeze, and without sets in braces, which freeze too",
			pbox->box->name, pbox->box->pci, unc_gate_left(pbox->box, pbox->regs.box_ctl, 0));
	return rc;
}

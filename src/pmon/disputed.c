// SPDX-License-Identifier: GPL-2.0-or-later
/* Counters that somebody else has programmed to our very value. */
#include "base/err.h"
#include "pmon/pmon1.h"

static void leave(struct unc_pmon_box *pbox, const struct unc_slot *slot)
{
	const char *box = pbox->box->name;
	char name[UNC_GATE_TEXT];

	unc_gate_reg_text(slot->ctl, slot->index, name);
	unc_gate_keep(pbox->box, slot->ctl, slot->index);
	unc_note(pbox->box->machine->ctx,
		 "%s: somebody else wrote %s or its counter meanwhile, and it holds what we wrote: it may be his, and "
		 "stays on; if nobody counts there, `uncorectl reg set '%s.%s.%s=0' --write --keep` switches it off",
		 box, name, box, name, slot->en->name);
}

void unc_pmon_leave_disputed(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		const struct unc_slot *slot = &pbox->slots[i];
		uint64_t now;

		if (slot->disputed && unc_reg_get(pbox->box, slot->ctl, slot->index, &now) == 0 &&
		    unc_pmon1_is_ours(slot, now))
			leave(pbox, slot);
	}
}

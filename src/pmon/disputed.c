// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *
 * Decides, before controls are put back, about counters in which something was seen that we did not do.  A counter may jump
 * because another program cleared it, because it is narrower than its map says, or because a carry came late.  Only evidence
 * makes it another program's counter.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "machine/house.h"
#include "pmon/pmon1.h"

enum { EVIDENCE_MAX = 600 };

/* A bound driver counts nothing by itself: a program that counts through it has a perf event open. */
static int find_program(const struct unc_pmon_box *pbox, char evidence[EVIDENCE_MAX])
{
	struct unc_finding *findings = NULL;
	size_t n = 0;
	int rc = unc_house_of_box(pbox->box->machine, pbox->box, &findings, &n);

	evidence[0] = '\0';
	for (size_t i = 0; i < n && rc == 0 && !evidence[0]; i++)
		if (findings[i].kind != UNC_FOUND_DRIVER)
			snprintf(evidence, EVIDENCE_MAX, "%s [%s]", findings[i].sentence, findings[i].evidence);
	free(findings);
	return rc;
}

static void leave(struct unc_pmon_box *pbox, const struct unc_slot *slot, const char *name, const char *evidence)
{
	const char *box = pbox->box->name;

	unc_gate_keep(pbox->box, slot->ctl, slot->index);
	unc_note(pbox->box->machine->ctx,
		 "%s: %s: another program may count there (%s), so it stays on; if none does, `uncorectl reg set "
		 "'%s.%s.%s=0' --write --keep` switches it off",
		 box, name, evidence, box, name, slot->en->name);
}

/* The control holds what we wrote: decides whether the counter is another program's by now. */
static void settle(struct unc_pmon_box *pbox, struct unc_slot *slot)
{
	char name[UNC_GATE_TEXT], evidence[EVIDENCE_MAX];

	unc_gate_reg_text(slot->ctl, slot->index, name);
	if (slot->seen_other) {
		leave(pbox, slot, name, "it held another value meanwhile");
		return;
	}
	if (find_program(pbox, evidence) < 0 || evidence[0]) {
		leave(pbox, slot, name, evidence[0] ? evidence : "which could not be looked for");
		return;
	}
	slot->disputed = false;
	unc_note(pbox->box->machine->ctx,
		 "%s: the counter of %s jumped by more than it can count, but its control holds what we wrote and no "
		 "other program was found: it is put back",
		 pbox->box->name, name);
}

void unc_pmon_settle_disputed(struct unc_pmon_box *pbox)
{
	for (unsigned i = 0; i < pbox->n_slots; i++) {
		struct unc_slot *slot = &pbox->slots[i];
		uint64_t now;

		if (slot->disputed && unc_reg_get(pbox->box, slot->ctl, slot->index, &now) == 0 &&
		    unc_pmon1_is_ours(slot, now))
			settle(pbox, slot);
	}
}

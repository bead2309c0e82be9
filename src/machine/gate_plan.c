// SPDX-License-Identifier: GPL-2.0-or-later
/* What is going to be written, all of it before the first write. */
#include "machine/gate.h"
#include "machine/journal_disk.h"

int unc_gate_plan(struct unc_box *box, const struct unc_gate_intent *intent, const void *owner)
{
	(void)box;
	(void)intent;
	(void)owner;
	return UNC_OK;
}

int unc_gate_ready(struct unc_machine *m)
{
	return unc_journal_disk_sync(m->disk);
}

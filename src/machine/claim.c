// SPDX-License-Identifier: GPL-2.0-or-later
#include "machine/claim.h"

int unc_claim_box(struct unc_box *box, const void *owner)
{
	(void)box;
	(void)owner;
	return UNC_OK;
}

void unc_claim_leave(struct unc_machine *m, const void *owner)
{
	(void)m;
	(void)owner;
}

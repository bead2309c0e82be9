// SPDX-License-Identifier: GPL-2.0-or-later
/* Boxes of which every CPU has one: its own model-specific registers. */
#include "base/err.h"
#include "machine/machine.h"

int unc_machine_cpu_box(struct unc_machine *m, const char *unit, unsigned cpu, struct unc_box **ret_box)
{
	(void)cpu, (void)ret_box;
	return unc_fail(m->ctx, UNC_ENOSUP, "no register map of this CPU has a unit %s", unit);
}

void unc_machine_cpu_boxes_free(struct unc_machine *m)
{
	(void)m;
}

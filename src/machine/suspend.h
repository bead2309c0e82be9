/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Was the machine suspended?  Then UNC_CLOCK_BOOT, which goes on meanwhile, has run ahead of UNC_CLOCK_MONO. */
#ifndef UNC_MACHINE_SUSPEND_H
#define UNC_MACHINE_SUSPEND_H

#include "machine/machine.h"

struct unc_suspend {
	int64_t asleep_ns; /* the most that the machine can have been suspended before we last looked */
};

void unc_suspend_init(struct unc_suspend *suspend, struct unc_machine *m);
/* Was it, since this was last asked? */
bool unc_was_suspended(struct unc_suspend *suspend, struct unc_machine *m);

#endif

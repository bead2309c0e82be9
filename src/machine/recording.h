/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine that is recorded (access/record.h): how it is called where no path of the person at the keyboard may stand. */
#ifndef UNC_MACHINE_RECORDING_H
#define UNC_MACHINE_RECORDING_H

#include "access/record.h"
#include "machine/machine.h"

struct unc_recording { /* what outlives the host that records; owned by the machine */
	char *name;    /* "root:DIR", "sim:snbep,state=FILE": what the machine is called */
	size_t room;   /* of it */
	char *paths;   /* where the paths of the aliases stand */
	struct unc_record_alias aliases[UNC_RECORD_ALIASES];
	unsigned n_aliases;
};

/* Puts the host that records around m->host.  UNC_EARG: a replay is not recorded again; UNC_ENOMEM. */
int unc_machine_record(struct unc_machine *m, const struct unc_machine_cfg *cfg);
void unc_recording_free(struct unc_recording *recording); /* NULL is fine */

#endif

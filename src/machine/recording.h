/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine that is recorded (access/record.h), and its name without paths of the user. */
#ifndef UNC_MACHINE_RECORDING_H
#define UNC_MACHINE_RECORDING_H

#include "access/record.h"
#include "machine/machine.h"

struct unc_recording { /* outlives the host that records; owned by the machine */
	char *name;    /* the machine's name, in which "root:DIR" and "sim:snbep,state=FILE" have aliases for paths */
	char *paths;   /* the paths that the aliases replace */
	struct unc_record_alias aliases[UNC_RECORD_ALIASES];
	unsigned n_aliases;
};

/* Puts the recording host around m->host.  UNC_EARG: a replay is not recorded again; UNC_ENOMEM. */
int unc_machine_record(struct unc_machine *m, const struct unc_machine_cfg *cfg);
void unc_recording_free(struct unc_recording *recording); /* NULL is fine */

#endif

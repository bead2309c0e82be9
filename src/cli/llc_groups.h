/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The groups that `llc` monitors, found on the machine: CPUs that were named, those of a process, or one for each L3. */
#ifndef UNC_CLI_LLC_GROUPS_H
#define UNC_CLI_LLC_GROUPS_H

#include "cli/llc_options.h"

struct llc_task {              /* a process whose CPUs are a group */
	char *group;           /* name; owned */
	bool is_pid;           /* of --pid: the run is over when all these are */
	struct unc_task *task; /* owned */
	unsigned seen;         /* of enum unc_task_flag, in this interval so far */
	unsigned flags;        /* in the one before */
};

struct llc_groups {
	struct llc_task *tasks; /* owned */
	size_t n_tasks;
};

/* Adds them to llc, which is not started yet.  A negative enum unc_err, its sentence in ctx. */
int llc_groups_add(struct unc_ctx *ctx, struct unc_machine *machine, const struct llc_want *want, struct unc_llc *llc,
		   struct llc_groups *ret_groups);
void llc_groups_clear(struct llc_groups *groups); /* all zero is fine */
/* Looks at each process now.  As above. */
int llc_groups_look(struct llc_groups *groups);
/* What was seen until now is that of the interval before. */
void llc_groups_end_interval(struct llc_groups *groups);
/*
 * That of the process whose CPUs are this group; 0 of a group of none.  That the COMMAND has ended is not in it: that ends the run
 * anyhow.
 */
unsigned llc_groups_flags(const struct llc_groups *groups, const char *group);
/* Have all processes ended that --pid named, if it did? */
bool llc_groups_ended(const struct llc_groups *groups);

#endif

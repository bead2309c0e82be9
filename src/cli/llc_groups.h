/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The groups that `llc` monitors: CPUs that were named, the CPUs of a process, or one group for each L3. */
#ifndef UNC_CLI_LLC_GROUPS_H
#define UNC_CLI_LLC_GROUPS_H

#include "cli/llc_options.h"

struct llc_task {              /* a process whose CPUs are a group */
	char *group;           /* name; owned */
	bool is_pid;           /* named by --pid: the run ends when all of these have ended */
	struct unc_task *task; /* owned */
	unsigned seen;         /* bits of enum unc_task_flag, in this interval so far */
	unsigned flags;        /* the same of the interval before */
};

struct llc_groups {
	struct llc_task *tasks; /* owned */
	size_t n_tasks;
};

/* Adds the groups to llc, which is not started yet.  Returns 0 or a negative enum unc_err, with its sentence in ctx. */
int llc_groups_add(struct unc_ctx *ctx, struct unc_machine *machine, const struct llc_want *want, struct unc_llc *llc,
		   struct llc_groups *ret_groups);
void llc_groups_clear(struct llc_groups *groups); /* all zero is fine */
/* Examines each process now.  Errors as above. */
int llc_groups_look(struct llc_groups *groups);
/* Ends the interval: what was seen until now becomes the flags of the interval before. */
void llc_groups_end_interval(struct llc_groups *groups);
/*
 * The flags of the process whose CPUs are this group; 0 if it belongs to no process.  The end of the COMMAND is not among them,
 * since that ends the run anyway.
 */
unsigned llc_groups_flags(const struct llc_groups *groups, const char *group);
/* Have all processes that --pid named ended, if there are any? */
bool llc_groups_ended(const struct llc_groups *groups);

#endif

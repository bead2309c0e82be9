/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `llc` monitors: groups of CPUs that were named, the CPUs of a process, or one group for each L3; and a sample as rows. */
#ifndef UNC_CLI_LLC_H
#define UNC_CLI_LLC_H

#include "cli/number.h"
#include "cli/emit.h"
#include "uncore.h"

#define LLC_COMMAND_GROUP "COMMAND"

struct llc_want_group {
	char *name; /* owned */
	struct cpu_list cpus;
	unsigned pid; /* the process whose CPUs form the group; 0: the CPUs above */
};

struct llc_want {                      /* what the options ask for */
	struct llc_want_group *groups; /* in the order of the options; owned */
	size_t n_groups;
	bool all_rmids;
	bool command; /* the CPUs of the COMMAND are a group, too */
	struct cpu_list bind;
	struct cpu_list read_cpus;
	unsigned events;      /* as unc_llc_cfg.events */
	uint64_t interval_ns; /* as unc_llc_cfg.interval_ns */
	bool shared, no_wait, no_verify;
};

struct llc_task;

struct llc_groups {
	struct llc_task *tasks; /* processes whose CPUs are a group; owned */
	size_t n_tasks;
};

/* Adds the groups to llc, which is not started yet.  Returns 0 or a negative enum unc_err, with its sentence in ctx. */
int llc_groups_add(struct unc_ctx *ctx, struct unc_machine *machine, const struct llc_want *want, struct unc_llc *llc,
		   struct llc_groups *ret_groups);
void llc_groups_clear(struct llc_groups *groups); /* all zero is fine */
/* Examines each process now.  Errors as above. */
int llc_groups_examine(struct llc_groups *groups);
/* Have all processes that --pid named ended, if there are any? */
bool llc_groups_ended(const struct llc_groups *groups);

extern const struct column llc_columns[];
extern const size_t llc_n_columns;

/* Changes a copy of these columns so that a table shows only events that are monitored: bits as in unc_llc_cfg.events. */
void llc_columns_of(unsigned events, struct column *columns);

struct llc_rows {            /* all zeros is fine for llc_rows_clear() */
	struct unc_llc *llc; /* owned by the caller, as is groups */
	struct llc_groups *groups;
	bool simulated;
	size_t n;
	size_t read_bytes;              /* size of a read for the functions below */
	struct unc_llc_row_info *infos; /* owned */
};

/* Makes the rows of llc, which has started. llc and groups outlive the rows.  UNC_ENOMEM. */
int llc_rows_init(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_llc *llc, struct llc_groups *groups,
		  struct llc_rows *rows);
void llc_rows_clear(struct llc_rows *rows);
/*
 * Reads llc once, and examines the processes, without emitting rows. *ret_pending: the read must be confirmed.  Errors as
 * unc_llc_read().
 */
int llc_rows_read(struct llc_rows *rows, void *read, bool *ret_pending);
/* Confirms n reads, one after the other, as unc_llc_confirm(). */
void llc_rows_confirm(struct llc_rows *rows, void *reads, size_t n);
/* Emits the rows of a read. */
void llc_rows_emit(const struct llc_rows *rows, const void *read, struct emitter *emitter);

#endif

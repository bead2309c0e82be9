/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of `llc`, and what it monitors: groups of CPUs that were named, the CPUs of a process, or one group for each L3. */
#ifndef UNC_CLI_LLC_H
#define UNC_CLI_LLC_H

#include "cli/emit.h"
#include "cli/number.h"
#include "cli/options.h"

#define LLC_COMMAND_GROUP "COMMAND"

struct llc_group {  /* a group that an option names */
	char *name; /* owned */
	struct cpu_list cpus;
	unsigned pid; /* the process whose CPUs form the group; 0: the CPUs above, or those of one of these: */
	const char *cgroup, *program; /* as they were given; or NULL; not owned */
};

struct llc_task;

/* Of what the records are.  LLC_PER_USUAL: of each group on each L3, and the sum of a group on several; LLC_PER_ALL: also the others. */
enum llc_per { LLC_PER_USUAL, LLC_PER_L3, LLC_PER_GROUP, LLC_PER_SOCKET, LLC_PER_MACHINE, LLC_PER_ALL };

struct llc_sum { /* of rows; llc_sums.c */
	enum llc_per per;
	size_t first, n;              /* its first row, and how many it has */
	struct unc_llc_row_info info; /* group NULL: of all groups */
	char box[24];                 /* "socket0", "machine" */
};

struct llc {
	/* What the options ask for. */
	struct unc_llc_cfg cfg;
	struct llc_group *groups; /* in the order of the options; owned */
	size_t n_groups;
	bool all_rmids;
	bool command; /* the CPUs of the COMMAND are a group, too */
	struct cpu_list bind, read_cpus;
	const char *patterns; /* of the names of L3s, or NULL: all are shown */
	enum llc_per per;

	struct unc_ctx *ctx;         /* not owned, as is machine */
	struct unc_machine *machine; /* with n_l3s caches */
	size_t n_l3s;
	bool simulated;
	struct unc_llc *llc;    /* owned */
	struct llc_task *tasks; /* processes whose CPUs are a group; owned */
	size_t n_tasks;
	uint64_t examine_ns;            /* time until processes are examined again */
	struct unc_llc_row_info *infos; /* of the rows of a read; owned, as are their boxes */
	char (*boxes)[24];              /* "socket0.l3-1", as Linux numbers L3s; of a sum "socket0" or "machine" */
	size_t n_rows;
	struct llc_sum *sums; /* owned */
	size_t n_sums;
	struct column *columns; /* as sampler_options.columns */
	bool sampled;
	char lacks[500]; /* what was never obtained, or may be wrong; "": nothing */
};

option_fn llc_take_cpus, llc_take_group, llc_take_pid, llc_take_cgroup, llc_take_program; /* struct llc */
/* Adds all groups to llc->llc, which is not started yet.  Returns 0 or a negative enum unc_err, with its sentence in ctx. */
int llc_groups_add(struct llc *llc);
void llc_groups_clear(struct llc *llc);
/* Examines each process now.  Errors as above. */
int llc_tasks_examine(struct llc *llc);
/*
 * Ends the interval: what was seen until now becomes the flags of the interval before.  True: all processes that --pid named have
 * ended, if there are any.
 */
bool llc_tasks_end_interval(struct llc *llc);
/*
 * The flags, of enum unc_task_flag, of the process whose CPUs are this group; 0 if it belongs to no process.  The end of the COMMAND
 * is not among them, since that ends the run anyway.
 */
unsigned llc_task_flags(const struct llc *llc, const char *group);

/* Finds the sums that llc->per asks for, when the rows are known. */
int llc_sums_make(struct llc *llc);
/* Adds up the rows of one.  task: the flags of the rows' processes.  Returns those of the sum. */
uint64_t llc_sum_up(const struct llc *llc, const struct llc_sum *sum, const struct unc_llc_row *rows,
		    const uint64_t *task, struct unc_llc_row *ret_row);
/* Is this row a record of its own? */
bool llc_row_is_shown(const struct llc *llc, size_t row);

/* What a sampler of it has. */
extern const size_t n_llc_columns;
int llc_read(void *arg, void *read, bool *ret_pending);
int llc_emit(void *arg, const void *read, struct emitter *emitter);
/* Caches that are shown beside memory channels, which go on without them. */
struct llc_beside {
	struct llc llc;
	bool on; /* they are monitored */
	struct column columns[EMIT_COLUMNS_MAX];
	void *rows; /* of the last read; owned by the caller */
};
/* Errors as a sampler's start; llc_beside_end() comes after them, too. */
int llc_beside_start(struct llc_beside *beside, struct unc_ctx *ctx, struct unc_machine *machine);
/* noted: prints the failure that ended them.  *failed becomes the failure to put back a register. */
void llc_beside_end(struct llc_beside *beside, bool noted, int *failed);
void llc_close(void *arg);
/* The words of the status of a value, by enum unc_llc_status, then those of a row's flags. */
extern const struct flag_word llc_words[];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample of monitored caches as rows: each group on each L3, and the sum of each group. */
#ifndef UNC_CLI_LLC_ROWS_H
#define UNC_CLI_LLC_ROWS_H

#include "cli/emit.h"
#include "cli/llc_groups.h"

extern const struct column llc_columns[];
extern const size_t llc_n_columns;

/* Changes a copy of these columns so that a table shows only events that are monitored: bits as in unc_llc_cfg.events. */
void llc_columns_of(unsigned events, struct column *columns);

struct llc_rows;

/*
 * Makes the rows of llc, which has started. llc and groups outlive the rows. *ret_size: the bytes of a read for the functions
 * below.  UNC_ENOMEM.
 */
int llc_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_llc *llc, struct llc_groups *groups,
		  struct llc_rows **ret_rows, size_t *ret_size);
void llc_rows_free(struct llc_rows *rows); /* NULL is fine */
/*
 * Reads llc once, and examines the processes, without emitting rows. *ret_pending: the read must be confirmed.  Errors as
 * unc_llc_read().
 */
int llc_rows_read(struct llc_rows *rows, void *read, bool *ret_pending);
/* Confirms a read, as unc_llc_confirm(). */
void llc_rows_confirm(struct llc_rows *rows, void *read);
/* Emits the rows of a read. */
void llc_rows_emit(struct llc_rows *rows, void *read, struct emitter *emitter);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sample of monitored caches as rows: each group on each L3, and its sum. */
#ifndef UNC_CLI_LLC_ROWS_H
#define UNC_CLI_LLC_ROWS_H

#include "cli/emit.h"
#include "cli/llc_groups.h"

extern const struct column llc_columns[];
extern const size_t llc_n_columns;

/* Of a copy of these columns, a table shows only those of events that are monitored: bits as in unc_llc_cfg.events. */
void llc_columns_of(unsigned events, struct column *columns);

struct llc_rows;

/*
 * Of llc, which has started, and which outlives the rows, as groups does.  *ret_size: how many bytes a read needs in the functions
 * below.  UNC_ENOMEM.
 */
int llc_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_llc *llc, struct llc_groups *groups,
		  struct llc_rows **ret_rows, size_t *ret_size);
void llc_rows_free(struct llc_rows *rows); /* NULL is fine */
/* Reads llc once, and looks at the processes; hands nothing over.  *ret_pending: the read must be confirmed.  As unc_llc_read(). */
int llc_rows_read(struct llc_rows *rows, void *read, bool *ret_pending);
/* Confirms a read, as unc_llc_confirm(). */
void llc_rows_confirm(struct llc_rows *rows, void *read);
/* Hands over the rows of a read. */
void llc_rows_emit(struct llc_rows *rows, void *read, struct emitter *emitter);

#endif

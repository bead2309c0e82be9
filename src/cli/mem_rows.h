/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The channels that `mem` shows, and a sample of them as rows. */
#ifndef UNC_CLI_MEM_ROWS_H
#define UNC_CLI_MEM_ROWS_H

#include "cli/mem_figures.h"

extern const struct column mem_columns[];
extern const size_t mem_n_columns;

struct mem_rows;

struct mem_want {
	enum per per;
	bool observe; /* show what other programs count: the session only reads */
};

/*
 * Finds every channel of the machine; those that are present get their events in the session.  Absent channels are reported once.
 * UNC_ENODEV: there is none at all; UNC_EPERM: the operating system denies access to one.
 */
int mem_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session,
		  const struct mem_want *want, struct mem_rows **ret_rows, size_t *ret_n_counts);
void mem_rows_free(struct mem_rows *rows);
/* Emits the rows of one read of the session. */
void mem_rows_show(struct mem_rows *rows, const struct unc_count *counts, struct emitter *emitter);

#endif

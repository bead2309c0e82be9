/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `stat --observe` shows if no event is named: every counter that another program enabled, and what it counts. */
#ifndef UNC_CLI_STAT_OBSERVE_H
#define UNC_CLI_STAT_OBSERVE_H

#include "cli/emit.h"
#include "uncore.h"

extern const struct column stat_observe_columns[];
extern const size_t stat_observe_n_columns;

struct stat_observe;

/*
 * Adds every counter of the boxes whose name matches one of boxes (NULL: all) to a session that only observes.  Errors are those of
 * channels_open() and unc_box_state().
 */
int stat_observe_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session, const char *boxes,
		      struct stat_observe **ret_observe, size_t *ret_n_counts);
void stat_observe_close(struct stat_observe *observe); /* NULL is fine */
/* Emits the rows of the session's last read: of counters that are enabled, or were in this interval. */
void stat_observe_show(struct stat_observe *observe, const struct unc_count *counts, struct emitter *emitter);

#endif

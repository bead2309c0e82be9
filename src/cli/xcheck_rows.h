/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `xcheck` shows: a row for each event of each channel, and of each group of resctrl on each L3. */
#ifndef UNC_CLI_XCHECK_ROWS_H
#define UNC_CLI_XCHECK_ROWS_H

#include "cli/channels.h"
#include "cli/emit.h"
#include "cli/event_list.h"
#include "cli/xcheck_report.h"

struct xcheck_want {
	struct event_list events; /* if empty: the events that perf has names for, unless only groups are wanted */
	const char *boxes;        /* patterns joined by commas, or NULL */
	const char **groups;      /* folders of resctrl, as they were given; only the list is owned */
	size_t n_groups;
	struct unc_xcheck_cfg cfg;
};

struct xcheck_rows {
	struct unc_machine *machine; /* not owned */
	struct unc_xcheck *xcheck;   /* owned */
	bool simulated, observes;
	struct event_list defaults; /* the default events, if none are given */
	const struct event_list *events;
	struct channels channels;
	struct xcheck_line *lines; /* the lines of a sample; owned */
	size_t n_lines;
	struct xcheck_report report;
};

/*
 * Adds what is wanted, for every channel that is present.  Errors are those of channels_open(), unc_xcheck_open(), _add() and
 * _add_resctrl(); after an error, call xcheck_rows_stop() and _close() all the same.
 */
int xcheck_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, const struct xcheck_want *want,
		     struct xcheck_rows *rows);
/* Errors as unc_xcheck_start(). */
int xcheck_rows_start(struct unc_ctx *ctx, struct xcheck_rows *rows);
/* Takes the next bracket, and emits the rows. */
int xcheck_rows_sample(struct xcheck_rows *rows, struct emitter *emitter);
/* As unc_xcheck_close(); an all-zero object is fine for both. */
int xcheck_rows_stop(struct xcheck_rows *rows);
void xcheck_rows_close(struct xcheck_rows *rows);

#endif

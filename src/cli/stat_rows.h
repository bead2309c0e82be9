/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `stat` shows: each event and metric of each channel, and a sample of them as rows. */
#ifndef UNC_CLI_STAT_ROWS_H
#define UNC_CLI_STAT_ROWS_H

#include "cli/channels.h"
#include "cli/emit.h"
#include "cli/stat_plan.h"

extern const struct column stat_columns[];
extern const size_t stat_n_columns;

enum stat_per { STAT_PER_BOX, STAT_PER_SOCKET, STAT_PER_MACHINE };

struct stat_want {
	struct event_list events;
	const char *metrics; /* patterns joined by commas, or NULL */
	const char *boxes;   /* the same */
	const char *perfmon; /* a file with more names of events, or NULL */
	enum stat_per per;
};

struct stat_rows {
	struct unc_ctx *ctx; /* not owned, as are machine and session */
	struct unc_machine *machine;
	struct unc_session *session;
	enum stat_per per;
	bool simulated;
	struct stat_plan plan;
	struct channels channels;
	const struct unc_count *counts; /* counts of the read that is shown; not owned */
	/* Of the last sample, n_things of the plan for each channel or group; owned. */
	struct tally *of_channels, *of_sockets, *of_machine;
};

/*
 * Plans what is wanted, whose names of events may change, and adds it to the session, for every channel that is present.  Errors
 * are those of stat_import(), stat_plan_make(), channels_open() and unc_session_add().
 */
int stat_rows_open(struct unc_ctx *ctx, struct unc_machine *machine, struct unc_session *session,
		   struct stat_want *want, struct stat_rows *ret_rows);
void stat_rows_close(struct stat_rows *rows); /* all zero is fine */
/* Emits the rows of one read of the session. */
void stat_rows_show(struct stat_rows *rows, const struct unc_count *counts, struct emitter *emitter);

/* Prints how the metrics of the last sample follow from their counts: into out; NULL: on standard error. cli/stat_explain.c */
void stat_explain(const struct stat_rows *rows, struct output *out);

#endif

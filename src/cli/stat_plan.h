/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `stat` counts in each channel, and what it shows of that. */
#ifndef UNC_CLI_STAT_PLAN_H
#define UNC_CLI_STAT_PLAN_H

#include "cli/event_list.h"
#include "cli/tally.h"
#include "uncore/event.h"

struct stat_add {     /* one event of a channel, in the order in which they are added */
	char *event;  /* owned */
	unsigned set; /* events with the same number, above 0, are counted together; they are adjacent */
	bool freeze;  /* the set is read at one instant */
};

struct stat_thing { /* a row of each channel: an event or a metric */
	bool is_metric;
	size_t metric;               /* its index */
	struct unc_metric_info info; /* if it is a metric */
	const char *name;            /* of the event or metric */
	bool is_named;               /* an event that is shown by this name, whatever the session writes */
	const char *unit;            /* or NULL; for an event it is known after the first read */
	size_t n;                    /* number of counts that it is computed from */
	size_t adds[TALLY_COUNTS_MAX];
	const char *inputs[TALLY_COUNTS_MAX]; /* for a metric: their names in the formula */
};

struct stat_plan {
	struct stat_add *adds; /* owned */
	size_t n_adds;
	struct stat_thing *things; /* owned */
	size_t n_things;
	unsigned n_sets;
};

/*
 * Plans the events of the list, each as it was written, and the metrics that match one of metrics (joined by commas, with * and ?,
 * or the beginning up to a dot; NULL: none).  The events of a metric are a set; a set that holds all of them may serve several
 * metrics.  UNC_ENOREG: no metric of that name; UNC_ENOSUP: this machine lacks it; UNC_EARG: an empty name; UNC_ENOMEM.
 */
int stat_plan_make(struct unc_ctx *ctx, const struct unc_machine *machine, const struct event_list *events,
		   const char *metrics, struct stat_plan *ret_plan);
void stat_plan_clear(struct stat_plan *plan);

/* Adds the whole plan to a session, for one channel.  Errors as unc_session_add(). */
int stat_plan_add(const struct stat_plan *plan, struct unc_session *session, struct unc_box *box);

#endif

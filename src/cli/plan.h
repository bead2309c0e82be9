/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command counts in each memory channel, and the items that it shows of that: events and metrics. */
#ifndef UNC_CLI_PLAN_H
#define UNC_CLI_PLAN_H

#include "cli/accumulator.h"
#include "cli/number.h"
#include "cli/options.h"
#include "uncore/event.h"

option_fn event_list_take; /* struct event_list */

struct plan_add {     /* one event of a channel, in the order in which they are added */
	char *event;  /* owned */
	unsigned set; /* events with the same number, above 0, are counted together; they are adjacent */
	bool freeze;  /* the set is read at one instant */
};

struct plan_item { /* an event or a metric, of each channel */
	bool is_metric;
	size_t metric;               /* its index */
	struct unc_metric_info info; /* if it is a metric */
	const char *name;            /* of the event or metric */
	bool is_named;               /* an event that is shown by this name, whatever the session writes */
	const char *unit;            /* or NULL; for an event it is known after the first read */
	size_t n;                    /* number of counts that it is computed from */
	size_t adds[ACCUMULATOR_COUNTS_MAX];
	const char *inputs[ACCUMULATOR_COUNTS_MAX]; /* for a metric: their names in the formula */
	/* With plan_want.amounts: from which counts its amount follows, in the order in which they are tried; owned. */
	struct amount_sum *sums;
	size_t n_sums;
};

struct plan {
	struct unc_ctx *ctx; /* not owned, as is machine */
	const struct unc_machine *machine;
	const char *unit;      /* whose events and metrics these are */
	struct plan_add *adds; /* owned */
	size_t n_adds;
	struct plan_item *items; /* owned */
	size_t n_items;
	unsigned n_sets;
};

struct plan_want {
	const char *unit;         /* "imc", or another unit of the machine */
	struct event_list events; /* each as it was written */
	/*
	 * --import-perfmon FILE, an event list of the intel/perfmon project, or NULL: every name in events that only the file has,
	 * and every one that begins with UNC_, is replaced by the file's encoding; a note says if a name that was used has another
	 * meaning in the machine's map.
	 */
	const char *perfmon;
	/* Metrics that match one of these, joined by commas, with * and ?, or the beginning up to a dot; NULL: none. */
	const char *metrics;
	const char *
		also; /* with amounts: further metrics, which need not be rates; they and the events come after those */
	bool amounts; /* each metric is named in full and is a rate; its exact amount is shown, too */
	bool stand_ins; /* with amounts: they also follow from other events, since nothing is programmed (--observe) */
};

/* UNC_ENODEV: the machine has no unit of this name that counts events; the sentence names those it has. */
int plan_find_unit(struct unc_ctx *ctx, const struct unc_machine *machine, const char *unit);
/*
 * Plans the events and the metrics.  The events of a metric are a set; a set that holds all of them may serve several metrics.
 * UNC_ENOREG: no metric of that name, or the file has no such event; UNC_ENOSUP: this machine lacks it, or it is no rate; UNC_EARG:
 * an empty name; UNC_ENOMEM; or an error of perfmon_read().
 */
int plan_make(struct unc_ctx *ctx, const struct unc_machine *machine, struct plan_want *want, struct plan *plan);
void plan_clear(struct plan *plan);
/* Adds the whole plan to a session, for one channel.  Errors as unc_session_add(). */
int plan_add(const struct plan *plan, struct unc_session *session, struct unc_box *box);

#endif

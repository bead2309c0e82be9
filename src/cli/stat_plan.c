// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/stat_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "base/text.h"
#include "cli/name_match.h"

struct planner {
	struct unc_ctx *ctx;
	const struct unc_machine *machine;
	struct stat_plan plan;
};

void stat_plan_clear(struct stat_plan *plan)
{
	for (size_t i = 0; i < plan->n_adds; i++)
		free(plan->adds[i].event);
	free(plan->adds);
	free(plan->things);
	*plan = (struct stat_plan){0};
}

static int new_add(struct planner *planner, const char *event, unsigned set, bool freeze)
{
	struct stat_plan *plan = &planner->plan;
	struct stat_add *adds = unc_array_more(plan->adds, plan->n_adds, sizeof(*adds));
	char *copy = unc_text_dup(event);

	if (adds)
		plan->adds = adds;
	if (!adds || !copy) {
		free(copy);
		return unc_fail(planner->ctx, UNC_ENOMEM, "out of memory");
	}
	adds[plan->n_adds++] = (struct stat_add){.event = copy, .set = set, .freeze = freeze};
	return UNC_OK;
}

static struct stat_thing *new_thing(struct planner *planner)
{
	struct stat_plan *plan = &planner->plan;
	struct stat_thing *things = unc_array_more(plan->things, plan->n_things, sizeof(*things));

	if (!things) {
		unc_fail(planner->ctx, UNC_ENOMEM, "out of memory");
		return NULL;
	}
	plan->things = things;
	return &things[plan->n_things++];
}

/* The index of an event among those of a set; n_adds: it is not there. */
static size_t find_add(const struct stat_plan *plan, unsigned set, const char *event)
{
	size_t i = 0;

	while (i < plan->n_adds && (plan->adds[i].set != set || strcmp(plan->adds[i].event, event) != 0))
		i++;
	return i;
}

static int plan_event(struct planner *planner, const struct event_item *item)
{
	size_t add = planner->plan.n_adds;
	struct stat_thing *thing;
	int rc = new_add(planner, item->text, item->set, item->set != 0);

	if (rc < 0)
		return rc;
	thing = new_thing(planner);
	if (!thing)
		return UNC_ENOMEM;
	thing->n = 1;
	thing->adds[0] = add;
	thing->name = item->shown ? item->shown : item->text;
	thing->is_named = item->shown != NULL;
	return UNC_OK;
}

/* A metric that matches two patterns is one row. */
static bool is_planned(const struct stat_plan *plan, size_t metric)
{
	for (size_t i = 0; i < plan->n_things; i++)
		if (plan->things[i].is_metric && plan->things[i].metric == metric)
			return true;
	return false;
}

static int want_metric(struct planner *planner, size_t metric, const struct unc_metric_info *info)
{
	struct stat_thing *thing;

	if (is_planned(&planner->plan, metric))
		return UNC_OK;
	if (info->n_events == 0 || info->n_events > TALLY_COUNTS_MAX)
		return unc_fail(planner->ctx, UNC_ENOSUP, "%s: a metric is of 1 to %d events, not of %zu", info->name,
				TALLY_COUNTS_MAX, info->n_events);
	thing = new_thing(planner);
	if (!thing)
		return UNC_ENOMEM;
	thing->is_metric = true;
	thing->metric = metric;
	thing->info = *info;
	thing->name = info->name;
	thing->unit = info->unit;
	thing->n = info->n_events;
	return UNC_OK;
}

/* Adds the metrics of a pattern that this machine has; if it has none of them, reports why. */
static int want_matching(struct planner *planner, const char *pattern)
{
	size_t n = unc_metric_count(planner->machine, "imc"), n_matching = 0;
	struct unc_metric_info info, lacked = {0};
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (unc_metric_info(planner->machine, "imc", i, &info) < 0 || name_match(pattern, info.name) < 2)
			continue;
		if (info.lacks) {
			lacked = info;
			continue;
		}
		n_matching++;
		rc = want_metric(planner, i, &info);
	}
	if (rc < 0 || n_matching)
		return rc;
	if (lacked.lacks)
		return unc_fail(planner->ctx, UNC_ENOSUP, "%s: %s", lacked.name, lacked.lacks);
	return unc_fail(planner->ctx, UNC_ENOREG,
			"-m %s: no metric has such a name; `uncorectl events --metrics` shows them", pattern);
}

static int want_metrics(struct planner *planner, const char *patterns)
{
	size_t len;
	int rc = UNC_OK;

	for (; rc == 0; patterns += len + 1) {
		char one[64];

		len = strcspn(patterns, ",");
		if (len == 0)
			return unc_fail(planner->ctx, UNC_EARG,
					"-m: an empty name: a metric stands before and behind each comma");
		snprintf(one, sizeof(one), "%.*s", (int)len, patterns);
		rc = want_matching(planner, one);
		if (!patterns[len])
			break;
	}
	return rc;
}

static int take_from_set(const struct planner *planner, struct stat_thing *thing, unsigned set, bool *ret_all)
{
	*ret_all = true;
	for (size_t i = 0; i < thing->n; i++) {
		struct unc_metric_event event;
		int rc = unc_metric_event(planner->machine, "imc", thing->metric, i, &event);

		if (rc < 0)
			return rc;
		thing->inputs[i] = event.name;
		thing->adds[i] = find_add(&planner->plan, set, event.event);
		*ret_all &= thing->adds[i] < planner->plan.n_adds;
	}
	return UNC_OK;
}

static int plan_metric(struct planner *planner, struct stat_thing *thing, unsigned first_set)
{
	struct stat_plan *plan = &planner->plan;
	bool all = false;
	int rc = UNC_OK;

	for (unsigned set = first_set; set <= plan->n_sets && !all; set++) {
		rc = take_from_set(planner, thing, set, &all);
		if (rc < 0)
			return rc;
	}
	if (all)
		return UNC_OK;
	plan->n_sets++;
	for (size_t i = 0; i < thing->n && rc == 0; i++) {
		struct unc_metric_event event;

		rc = unc_metric_event(planner->machine, "imc", thing->metric, i, &event);
		if (rc == 0 && find_add(plan, plan->n_sets, event.event) == plan->n_adds)
			rc = new_add(planner, event.event, plan->n_sets, false);
	}
	return rc < 0 ? rc : take_from_set(planner, thing, plan->n_sets, &all);
}

/* The largest come first, so that smaller ones find all they need in an existing set. */
static int plan_metrics(struct planner *planner)
{
	unsigned first_set = planner->plan.n_sets + 1;
	int rc = UNC_OK;

	for (size_t size = TALLY_COUNTS_MAX; size > 0; size--)
		for (size_t i = 0; i < planner->plan.n_things && rc == 0; i++) {
			struct stat_thing *thing = &planner->plan.things[i];

			if (thing->is_metric && thing->n == size)
				rc = plan_metric(planner, thing, first_set);
		}
	return rc;
}

int stat_plan_make(struct unc_ctx *ctx, const struct unc_machine *machine, const struct event_list *events,
		   const char *metrics, struct stat_plan *ret_plan)
{
	struct planner planner = {.ctx = ctx, .machine = machine, .plan = {.n_sets = events->n_sets}};
	int rc = UNC_OK;

	for (size_t i = 0; i < events->n && rc == 0; i++)
		rc = plan_event(&planner, &events->items[i]);
	if (rc == 0 && metrics)
		rc = want_metrics(&planner, metrics);
	if (rc == 0)
		rc = plan_metrics(&planner);
	if (rc < 0) {
		stat_plan_clear(&planner.plan);
		return rc;
	}
	*ret_plan = planner.plan;
	return UNC_OK;
}

int stat_plan_add(const struct stat_plan *plan, struct unc_session *session, struct unc_box *box)
{
	unsigned open = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < plan->n_adds && rc == 0; i++) {
		const struct stat_add *add = &plan->adds[i];

		if (open && open != add->set)
			rc = unc_session_end_set(session);
		if (rc == 0 && add->set && open != add->set)
			rc = unc_session_begin_set(session, add->freeze);
		open = add->set;
		if (rc == 0)
			rc = unc_session_add(session, box, add->event, NULL);
	}
	/* Done after a failure too, so that another box can be tried. */
	if (open && unc_session_end_set(session) < 0 && rc == 0)
		return UNC_EARG;
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* What a command counts in each memory channel, and the items that it shows of that. */
#include "cli/plan.h"

#include <math.h>
#include <strings.h>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/perfmon.h"
#include "machine/machine.h"
#include "map/metric.h"

void plan_clear(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_adds; i++)
		free(plan->adds[i].event);
	for (size_t i = 0; i < plan->n_items; i++)
		free(plan->items[i].sums);
	free(plan->adds);
	free(plan->items);
	*plan = (struct plan){0};
}

static int new_add(struct plan *plan, const char *event, unsigned set, bool freeze)
{
	const struct plan_add add = {.event = unc_text_dup(event), .set = set, .freeze = freeze};

	if (add.event && unc_array_add(&plan->adds, &plan->n_adds, &add, sizeof(add)))
		return UNC_OK;
	free(add.event);
	return unc_fail(plan->ctx, UNC_ENOMEM, "out of memory");
}

/* The index of an event among those of a set; n_adds: it is not there. */
static size_t find_add(const struct plan *plan, unsigned set, const char *event)
{
	size_t i = 0;

	while (i < plan->n_adds && (plan->adds[i].set != set || strcmp(plan->adds[i].event, event) != 0))
		i++;
	return i;
}

static int want_metric(struct plan *plan, size_t metric, const struct unc_metric_info *info)
{
	const struct plan_item item = {.is_metric = true,
				       .metric = metric,
				       .info = *info,
				       .name = info->name,
				       .unit = info->unit,
				       .n = info->n_events};

	for (size_t i = 0; i < plan->n_items; i++)
		if (plan->items[i].is_metric && plan->items[i].metric == metric)
			return UNC_OK; /* a metric that matches two patterns is one row */
	if (info->n_events == 0 || info->n_events > ACCUMULATOR_COUNTS_MAX)
		return unc_fail(plan->ctx, UNC_ENOSUP, "%s: a metric is of 1 to %d events, not of %zu", info->name,
				ACCUMULATOR_COUNTS_MAX, info->n_events);
	return unc_list_add(plan->ctx, &plan->items, &plan->n_items, &item, sizeof(item));
}

/* Adds the metrics of a pattern that this machine has; if it has none of them, reports why. */
static int want_matching(struct plan *plan, const char *pattern)
{
	size_t n = unc_metric_count(plan->machine, plan->unit), n_matching = 0;
	struct unc_metric_info info, lacked = {0};
	struct unc_nearest nearest = {.asked = pattern};
	struct unc_event_info event;
	char near[UNC_NEAREST_TEXT];
	int rc = UNC_OK;

	for (size_t i = 0; i < n && rc == 0; i++) {
		if (unc_metric_info(plan->machine, plan->unit, i, &info) < 0)
			continue;
		unc_nearest_offer(&nearest, info.name);
		if (name_match(pattern, info.name) < 2)
			continue;
		if (info.lacks) {
			lacked = info;
			continue;
		}
		n_matching++;
		rc = want_metric(plan, i, &info);
	}
	if (rc < 0 || n_matching)
		return rc;
	if (lacked.lacks)
		return unc_fail(plan->ctx, UNC_ENOSUP, "%s: %s", lacked.name, lacked.lacks);
	for (size_t i = 0; i < unc_event_count(plan->machine, plan->unit); i++)
		if (unc_event_info(plan->machine, plan->unit, i, &event) == 0 && strcmp(event.name, pattern) == 0)
			return unc_fail(plan->ctx, UNC_ENOREG, "-m %s: that is an event and no metric; use -e %s",
					pattern, pattern);
	return unc_fail(plan->ctx, UNC_ENOREG,
			"-m %s: no metric has such a name%s; `uncorectl events --metrics` shows them", pattern,
			unc_nearest_text(&nearest, near));
}

static int want_metrics(struct plan *plan, const char *patterns, bool amounts)
{
	struct unc_metric_info info;
	size_t len, metric;
	int rc = UNC_OK;

	for (; rc == 0; patterns += len + 1) {
		char one[64];

		len = strcspn(patterns, ",");
		if (len == 0)
			return unc_fail(plan->ctx, UNC_EARG,
					"-m: an empty name: there is a metric before and after each comma");
		snprintf(one, sizeof(one), "%.*s", (int)len, patterns);
		if (!amounts) {
			rc = want_matching(plan, one);
		} else {
			/* The metric of exactly that name, so that files of other metrics need not be read. */
			rc = unc_metric_find(plan->machine, plan->unit, one, &metric);
			if (rc == 0)
				rc = unc_metric_info(plan->machine, plan->unit, metric, &info);
			if (rc == 0 && info.lacks)
				rc = unc_fail(plan->ctx, UNC_ENOSUP, "%s: %s", info.name, info.lacks);
			if (rc == 0)
				rc = want_metric(plan, metric, &info);
		}
		if (!patterns[len])
			break;
	}
	return rc;
}

/* Takes the events of a metric from a set; add: those that it lacks are added to it.  *ret_all: all are in it. */
static int take_from_set(struct plan *plan, struct plan_item *item, unsigned set, bool add, bool *ret_all)
{
	int rc = UNC_OK;

	*ret_all = true;
	for (size_t i = 0; i < item->n && rc == 0; i++) {
		struct unc_metric_event event;

		rc = unc_metric_event(plan->machine, plan->unit, item->metric, i, &event);
		if (rc < 0)
			break;
		item->inputs[i] = event.name;
		item->adds[i] = find_add(plan, set, event.event);
		if (item->adds[i] == plan->n_adds && add)
			rc = new_add(plan, event.event, set, false);
		*ret_all &= item->adds[i] < plan->n_adds;
	}
	return rc;
}

/* The largest come first, so that smaller ones find all they need in an existing set. */
static int plan_metrics(struct plan *plan)
{
	unsigned first_set = plan->n_sets + 1;
	int rc = UNC_OK;

	for (size_t size = ACCUMULATOR_COUNTS_MAX; size > 0; size--) {
		for (size_t k = 0; k < plan->n_items && rc == 0; k++) {
			struct plan_item *item = &plan->items[k];
			bool all = false;

			if (!item->is_metric || item->n != size)
				continue;
			for (unsigned set = first_set; set <= plan->n_sets && !all && rc == 0; set++)
				rc = take_from_set(plan, item, set, false, &all);
			if (!all && rc == 0)
				rc = take_from_set(plan, item, ++plan->n_sets, true, &all);
		}
	}
	return rc;
}

/* ---- amounts ---- */

/*
 * Finds the weights of the counts in the formula of a rate, which is a sum of counts by time: 64 and -64 in "64 * (all - wr) / time".
 */
static int find_weights(struct plan *plan, const struct unc_metric *metric, int64_t *weights)
{
	double counts[ACCUMULATOR_COUNTS_MAX] = {0}, value = 0, sum = 0;
	bool is_sum = true;

	for (size_t i = 0; i < metric->n_inputs && is_sum; i++) {
		counts[i] = 1;
		is_sum = unc_formula_value(metric->formula, counts, 1, &value) == 0 && fabs(value) < 1e6;
		weights[i] = is_sum ? (int64_t)value : 0;
		is_sum &= (double)weights[i] == value;
		sum += value;
		counts[i] = 0;
	}
	for (size_t i = 0; i < metric->n_inputs; i++)
		counts[i] = 4;
	is_sum = is_sum && unc_formula_value(metric->formula, counts, 2, &value) == 0 && value == 2 * sum;
	if (is_sum)
		return UNC_OK;
	return unc_fail(plan->ctx, UNC_ENOSUP, "metric %s: %s is not a sum of counts, times whole numbers, by time",
			metric->name, metric->text);
}

/* The ways to get the amount of an item; their events are added where they are not planned yet. */
static int plan_sums(struct plan *plan, struct plan_item *item, bool stand_ins)
{
	const struct unc_metric *ways[UNC_METRIC_WAYS_MAX];
	size_t n = unc_metric_ways(plan->machine, plan->unit, item->metric, stand_ins, ways);
	int rc = UNC_OK;

	item->sums = calloc(n, sizeof(*item->sums));
	if (!item->sums)
		return unc_fail(plan->ctx, UNC_ENOMEM, "out of memory");
	for (; item->n_sums < n && rc == 0; item->n_sums++) {
		const struct unc_metric *metric = ways[item->n_sums];
		struct amount_sum *sum = &item->sums[item->n_sums];

		rc = find_weights(plan, metric, sum->weights);
		for (; sum->n < metric->n_inputs && rc == 0; sum->n++) {
			const char *event = metric->inputs[sum->n].event->name;
			size_t add = 0;

			while (add < plan->n_adds && strcmp(plan->adds[add].event, event) != 0)
				add++;
			sum->which[sum->n] = add;
			if (add == plan->n_adds)
				rc = new_add(plan, event, 0, false);
		}
	}
	return rc;
}

/* ---- names of a file of perfmon ---- */

enum { NAME_SIZE = 128, TEXT_SIZE = 256 };

/* ":thresh=8:edge" after the name of an event becomes ",thresh=8,edge" between the slashes of a raw one. */
static bool add_options(char *text, size_t size, const char *options)
{
	size_t len = strlen(text);
	bool raw = text[len - 1] == '/';

	if (!*options)
		return true;
	if (raw)
		text[--len] = '\0';
	if ((size_t)snprintf(text + len, size - len, "%s%s", options, raw ? "/" : "") >= size - len)
		return false;
	for (; raw && text[len]; len++)
		if (text[len] == ':')
			text[len] = ',';
	return true;
}

/* A name that only the file has: replaces the text for the session; the name stays what is shown. */
static int import_item(struct plan *plan, const char *path, const struct perfmon *file, struct event_item *item)
{
	size_t len = strcspn(item->text, ":"), n = unc_event_count(plan->machine, plan->unit);
	char name[NAME_SIZE], text[TEXT_SIZE], what[PERFMON_DISAGREEMENT_MAX], *copy;
	const struct perfmon_event *event;
	struct unc_event_info ours;

	if (strchr(item->text, '/') || len >= sizeof(name))
		return UNC_OK; /* not a name, or not one of the file */
	snprintf(name, sizeof(name), "%.*s", (int)len, item->text);
	for (size_t i = 0; i < n; i++)
		if (unc_event_info(plan->machine, plan->unit, i, &ours) == 0 && strcmp(ours.name, name) == 0)
			return UNC_OK;
	event = perfmon_find(file, name);
	if (!event && strncasecmp(name, "UNC_", 4) == 0)
		return unc_fail(plan->ctx, UNC_ENOREG, "-e %s: %s has no such event", name, path);
	if (!event)
		return UNC_OK;
	if (!perfmon_event_text(plan->machine, event, text, sizeof(text)))
		return unc_fail(plan->ctx, UNC_ENOSUP, "-e %s: this machine has no such counter", item->text);
	if (!add_options(text, sizeof(text), item->text + len))
		return unc_fail(plan->ctx, UNC_EARG, "-e %s: too long", item->text);
	copy = unc_text_dup(text);
	if (!copy)
		return unc_fail(plan->ctx, UNC_ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++)
		if (unc_event_info(plan->machine, plan->unit, i, &ours) == 0 && perfmon_is_named(event, ours.name) &&
		    perfmon_disagrees(event, &ours, what))
			say("note: %s of %s is not %s here: %s; the file's is counted", event->name, path, ours.name,
			    what);
	item->shown = item->text;
	item->text = copy;
	return UNC_OK;
}

int event_list_take(void *member, const struct option_given *given)
{
	char complaint[EVENT_LIST_COMPLAINT];

	if (event_list_add(member, given->value, complaint))
		return EXIT_DONE;
	return usage_error("%s: -e %s: %s", given->command, given->value, complaint);
}

/* ---- the plan ---- */

int plan_find_unit(struct unc_ctx *ctx, const struct unc_machine *machine, const char *unit)
{
	char units[200] = "";

	for (size_t i = 0; i < machine->map->n_units; i++) {
		const struct unc_unit *one = &machine->map->units[i];

		if (one->n_events && strcmp(one->name, unit) == 0)
			return UNC_OK;
		if (one->n_events)
			unc_text_enlist(units, sizeof(units), one->name, strlen(one->name));
	}
	return unc_fail(ctx, UNC_ENODEV, "--block %s: this machine has none that counts events; it has %s", unit,
			units[0] ? units : "none that does");
}

static int plan_event(struct plan *plan, const struct event_item *event, const char *text)
{
	const struct plan_item item = {.n = 1,
				       .adds = {plan->n_adds},
				       .name = event->shown ? event->shown : text,
				       .is_named = event->shown != NULL};
	int rc = new_add(plan, text, event->set, event->set != 0);

	return rc < 0 ? rc : unc_list_add(plan->ctx, &plan->items, &plan->n_items, &item, sizeof(item));
}

/* A pattern stands for the events that match it and can be counted, in the order of the map. */
static int plan_events(struct plan *plan, const struct event_list *events)
{
	const struct unc_unit *unit = unc_map_unit(plan->machine->map, plan->unit);
	int rc = UNC_OK;

	if (events->n && unit && unit->refused && plan->machine->map->catalogue)
		return unc_fail(plan->ctx, UNC_ENOSUP, "--block %s: %s", unit->name, unit->refused);
	for (size_t i = 0; i < events->n && rc == 0; i++) {
		const struct event_item *event = &events->items[i];
		bool is_pattern = !strchr(event->text, '/') && strpbrk(event->text, "*?");
		size_t n = plan->n_items;

		if (!is_pattern)
			rc = plan_event(plan, event, event->text);
		for (size_t k = 0; is_pattern && unit && k < unit->n_events && rc == 0; k++)
			if (!unit->events[k].refused && name_match(event->text, unit->events[k].name) == 2)
				rc = plan_event(plan, event, unit->events[k].name);
		if (rc == 0 && plan->n_items == n)
			rc = unc_fail(plan->ctx, UNC_ENOREG,
				      "-e %s: no event that can be counted has such a name; `uncorectl events` shows "
				      "them",
				      event->text);
	}
	return rc;
}

int plan_make(struct unc_ctx *ctx, const struct unc_machine *machine, struct plan_want *want, struct plan *plan)
{
	struct perfmon file = {.events = NULL};
	int rc = want->perfmon ? perfmon_read(ctx, want->perfmon, &file) : UNC_OK;
	size_t n_rates;

	*plan = (struct plan){.ctx = ctx, .machine = machine, .unit = want->unit, .n_sets = want->events.n_sets};
	for (size_t i = 0; want->perfmon && i < want->events.n && rc == 0; i++)
		rc = import_item(plan, want->perfmon, &file, &want->events.items[i]);
	perfmon_clear(&file);
	if (rc == 0 && !want->amounts)
		rc = plan_events(plan, &want->events);
	if (rc == 0 && want->metrics)
		rc = want_metrics(plan, want->metrics, want->amounts);
	n_rates = plan->n_items;
	if (rc == 0 && want->also)
		rc = want_metrics(plan, want->also, false);
	if (rc == 0 && want->amounts)
		rc = plan_events(plan, &want->events);
	if (rc == 0)
		rc = plan_metrics(plan);
	for (size_t i = 0; want->amounts && i < n_rates && rc == 0; i++)
		rc = plan_sums(plan, &plan->items[i], want->stand_ins);
	if (rc < 0)
		plan_clear(plan);
	return rc;
}

int plan_add(const struct plan *plan, struct unc_session *session, struct unc_box *box)
{
	unsigned open = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < plan->n_adds && rc == 0; i++) {
		const struct plan_add *add = &plan->adds[i];

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

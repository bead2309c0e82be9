// SPDX-License-Identifier: GPL-2.0-or-later
/* The metrics of a map: whose they are, and which events of the map they are made of. */
#include "map/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "base/text.h"

static void metric_clear(struct unc_metric *metric)
{
	for (size_t i = 0; i < metric->n_inputs; i++)
		for (size_t k = 0; k < metric->inputs[i].n_choices; k++)
			free(metric->inputs[i].choices[k]);
	free(metric->name);
	free(metric->formula);
	free(metric->lacks);
	memset(metric, 0, sizeof(*metric));
}

void unc_metrics_clear(struct unc_metrics *metrics)
{
	for (size_t i = 0; i < metrics->n_metrics; i++)
		metric_clear(&metrics->metrics[i]);
	free(metrics->metrics);
	unc_map_tree_free(metrics->tree);
	memset(metrics, 0, sizeof(*metrics));
}

void unc_map_free_metrics(struct unc_map *map)
{
	struct unc_metrics all = {.metrics = map->metrics, .n_metrics = map->n_metrics};

	unc_metrics_clear(&all);
	for (size_t i = 0; i < map->n_metric_trees; i++)
		unc_map_tree_free(map->metric_trees[i]);
	free(map->metric_trees);
}

static struct unc_metric *find(const struct unc_map *map, const struct unc_metric *like)
{
	for (size_t i = 0; i < map->n_metrics; i++) {
		struct unc_metric *metric = &map->metrics[i];

		if (strcmp(metric->unit, like->unit) == 0 && strcmp(metric->name, like->name) == 0)
			return metric;
	}
	return NULL;
}

/* Moves it; what was not moved is still the file's. */
static int add(struct unc_ctx *ctx, struct unc_map *map, struct unc_metric *metric)
{
	const struct unc_metric *old = find(map, metric);
	struct unc_metric *metrics;

	if (old && !metric->loaded)
		return 0;
	if (old)
		return unc_fail(ctx, UNC_EMAP, "%s:%u: another metric %s; the first is %s:%u; keep one", metric->path,
				metric->line, metric->name, old->path, old->line);
	metrics = unc_array_more(map->metrics, map->n_metrics, sizeof(*metrics));
	if (!metrics)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", metric->path);
	map->metrics = metrics;
	metrics[map->n_metrics++] = *metric;
	memset(metric, 0, sizeof(*metric));
	return 0;
}

int unc_map_add_metrics(struct unc_ctx *ctx, struct unc_map *map, struct unc_metrics *metrics)
{
	struct unc_map_tree **trees;
	int rc = 0;

	trees = unc_array_more(map->metric_trees, map->n_metric_trees, sizeof(struct unc_map_tree *));
	if (!trees) {
		unc_metrics_clear(metrics);
		return unc_fail(ctx, UNC_ENOMEM, "metrics: out of memory");
	}
	map->metric_trees = trees;
	trees[map->n_metric_trees++] = metrics->tree;
	metrics->tree = NULL;
	for (size_t i = 0; rc == 0 && i < metrics->n_metrics; i++)
		rc = add(ctx, map, &metrics->metrics[i]);
	unc_metrics_clear(metrics);
	return rc;
}

/* A sentence that grows, and is cut where there is no more room. */
struct sentence {
	char text[512];
	size_t len;
};

static void say(struct sentence *s, const char *text)
{
	size_t len = strlen(text), room = sizeof(s->text) - 1 - s->len;

	if (len > room)
		len = room;
	memcpy(s->text + s->len, text, len);
	s->len += len;
	s->text[s->len] = '\0';
}

/* "Haswell-EP has no event rpq_occupancy, and no event wpq_inserts" */
static void say_lacking(struct sentence *s, const struct unc_unit *unit, const struct unc_metric_input *input)
{
	if (s->len) {
		say(s, ", and no event ");
	} else {
		say(s, unit->title);
		say(s, " has no event ");
	}
	for (size_t i = 0; i < input->n_choices; i++) {
		say(s, i ? " or " : "");
		say(s, input->choices[i]);
	}
}

static const struct unc_event *choose(const struct unc_unit *unit, const struct unc_metric_input *input)
{
	const struct unc_event *event = NULL;

	for (size_t i = 0; i < input->n_choices && !event; i++)
		event = unc_unit_event(unit, input->choices[i]);
	return event;
}

static int resolve(struct unc_ctx *ctx, const struct unc_unit *unit, struct unc_metric *metric)
{
	struct sentence lacks = {.len = 0};

	if (metric->lacks)
		return 0;
	for (size_t i = 0; i < metric->n_inputs; i++) {
		struct unc_metric_input *input = &metric->inputs[i];

		input->event = choose(unit, input);
		if (!input->event)
			say_lacking(&lacks, unit, input);
	}
	if (lacks.len == 0)
		return 0;
	metric->lacks = unc_text_dup(lacks.text);
	return metric->lacks ? 0 : unc_fail(ctx, UNC_ENOMEM, "metrics: out of memory");
}

int unc_map_resolve_metrics(struct unc_ctx *ctx, struct unc_map *map)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < map->n_metrics; i++) {
		const struct unc_unit *unit = unc_map_unit(map, map->metrics[i].unit);

		if (unit)
			rc = resolve(ctx, unit, &map->metrics[i]);
	}
	return rc;
}

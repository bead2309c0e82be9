// SPDX-License-Identifier: GPL-2.0-or-later
/* From a tree that passed the checks to metrics, the members of a family each. */
#include "map/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/parse.h"

/* The member of that number; of a name without ranges a copy.  NULL: out of memory. */
static char *member_name(const char *name, size_t member)
{
	char text[UNC_FAMILY_NAME];
	struct unc_family family;

	if (!unc_family_parse(name, &family))
		return NULL; /* the checks refused it */
	unc_family_member(&family, family.n_ranges ? member : 0, text);
	return unc_text_dup(text);
}

size_t unc_metric_names(const struct unc_yaml *metric, const char *names[UNC_FORMULA_NAMES_MAX])
{
	const struct unc_yaml *events = unc_yaml_get(metric, "events");
	size_t n = 0;

	for (const struct unc_yaml *event = events->child; event && n < UNC_FORMULA_NAMES_MAX; event = event->next)
		names[n++] = event->key;
	return n;
}

static bool parse_input(const struct unc_yaml *node, size_t member, struct unc_metric_input *input)
{
	const struct unc_yaml *choice = node->kind == UNC_YAML_LIST ? node->child : node;

	input->name = node->key;
	for (; choice; choice = node->kind == UNC_YAML_LIST ? choice->next : NULL) {
		input->choices[input->n_choices] = member_name(choice->text, member);
		if (!input->choices[input->n_choices])
			return false;
		input->n_choices++;
	}
	return true;
}

/* False: out of memory; what was made so far is the metric's. */
static bool parse_metric(struct unc_ctx *ctx, const struct unc_map_tree *tree, const struct unc_yaml *node,
			 size_t member, struct unc_metric *metric)
{
	const char *names[UNC_FORMULA_NAMES_MAX];
	size_t n = unc_metric_names(node, names);

	metric->unit = unc_yaml_text(unc_yaml_get(tree->root, "unit"));
	metric->desc = unc_yaml_text(unc_yaml_get(node, "is"));
	metric->text = unc_yaml_text(unc_yaml_get(node, "formula"));
	metric->measure = unc_yaml_text(unc_yaml_get(node, "in"));
	metric->src = unc_yaml_text(unc_yaml_get(node, "src"));
	metric->verify = unc_yaml_text(unc_yaml_get(node, "verify"));
	metric->instead_of = unc_yaml_text(unc_yaml_get(node, "instead_of"));
	metric->adds = strcmp(unc_yaml_text(unc_yaml_get(node, "adds")), "true") == 0;
	metric->may_be_negative = unc_yaml_get(node, "signed") != NULL;
	metric->path = tree->path[0];
	metric->line = node->key_line;
	metric->loaded = !tree->built_in[0];
	metric->name = member_name(node->key, member);
	if (!metric->name)
		return false;
	for (const struct unc_yaml *event = unc_yaml_get(node, "events")->child; event; event = event->next) {
		if (!parse_input(event, member, &metric->inputs[metric->n_inputs++]))
			return false;
	}
	return unc_formula_parse(ctx, metric->text, names, n, &metric->formula) == 0;
}

static size_t count_members(const struct unc_yaml *metric)
{
	struct unc_family family;

	return unc_family_parse(metric->key, &family) ? unc_family_count(&family) : 0;
}

size_t unc_metric_members(const struct unc_yaml *metrics)
{
	size_t n = 0;

	for (const struct unc_yaml *metric = metrics->child; metric; metric = metric->next)
		n += count_members(metric);
	return n;
}

int unc_metrics_parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_metrics *ret_metrics)
{
	const struct unc_yaml *table = unc_yaml_get(tree->root, "metrics");
	struct unc_metrics all = {0};
	size_t n = unc_metric_members(table);

	all.metrics = calloc(n ? n : 1, sizeof(*all.metrics));
	if (!all.metrics)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", tree->path[0]);
	for (const struct unc_yaml *node = table->child; node; node = node->next) {
		for (size_t i = 0; i < count_members(node); i++) {
			if (parse_metric(ctx, tree, node, i, &all.metrics[all.n_metrics++]))
				continue;
			unc_metrics_clear(&all);
			return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", tree->path[0]);
		}
	}
	all.tree = tree;
	*ret_metrics = all;
	return 0;
}

/* Files of metrics: how they are told from maps, and what may be wrong with them. */

#define FORMAT "uncorectl-metrics/"

/* Is the word anywhere in the text?  No zero need stand behind that. */
static bool has_format(const struct unc_map_file *file)
{
	static const char format[] = FORMAT;
	const char *at = file->text, *end = at + file->len;

	while ((size_t)(end - at) >= strlen(format)) {
		at = memchr(at, format[0], (size_t)(end - at) - strlen(format) + 1);
		if (!at)
			return false;
		if (memcmp(at, format, strlen(format)) == 0)
			return true;
		at++;
	}
	return false;
}

bool unc_metrics_known(struct unc_ctx *ctx, const struct unc_map_file *file)
{
	struct unc_saved_msg saved;
	struct unc_yaml *root;
	const char *format;
	bool known = false;

	/* Maps are many, and read often: a head is parsed only where there is a reason to. */
	if (!has_format(file))
		return false;
	unc_msg_save(ctx, &saved);
	if (unc_yaml_parse_head(ctx, file->path, file->text, file->len, "format", &root) == 0) {
		format = unc_yaml_text(unc_yaml_get(root, "format"));
		known = format && strncmp(format, FORMAT, strlen(FORMAT)) == 0;
		unc_yaml_free(root);
	}
	unc_msg_restore(ctx, &saved);
	return known;
}

void unc_check_metric_name(struct unc_checker *c, const struct unc_yaml *metric)
{
	struct unc_family family;

	if (!unc_family_parse(metric->key, &family))
		unc_found(c, metric,
			  "name \"%.80s\" is to be at most 63 of a-z, 0-9, _ and ., with up to %d ranges such as [0-7] "
			  "in it",
			  metric->key, UNC_FAMILY_RANGES);
}

static bool same_ranges(const struct unc_family *a, const struct unc_family *b)
{
	if (a->n_ranges != b->n_ranges)
		return false;
	for (unsigned k = 0; k < a->n_ranges; k++) {
		if (a->first[k] != b->first[k] || a->len[k] != b->len[k])
			return false;
	}
	return true;
}

static void check_event(struct unc_checker *c, const struct unc_yaml *metric, const struct unc_yaml *at,
			const char *event)
{
	struct unc_family family, wanted;

	if (!unc_family_parse(event, &family))
		unc_found(c, at, "%.64s: \"%.80s\" is not the name of an event", metric->key, event);
	else if (family.n_ranges && (!unc_family_parse(metric->key, &wanted) || !same_ranges(&family, &wanted)))
		unc_found(c, at, "%.64s: %.80s is to have the ranges that the metric has in its name, or none",
			  metric->key, event);
}

static void check_choice(struct unc_checker *c, const struct unc_yaml *metric, const struct unc_yaml *node)
{
	size_t n = 0;

	if (!unc_formula_name_valid(node->key) || strcmp(node->key, "time") == 0)
		unc_found(c, node, "%.64s: \"%.80s\" cannot be a name in a formula; it is to be of a-z, 0-9 and _",
			  metric->key, node->key);
	if (node->kind != UNC_YAML_LIST) {
		check_event(c, metric, node, node->text);
		return;
	}
	for (const struct unc_yaml *choice = node->child; choice; choice = choice->next, n++)
		check_event(c, metric, choice, choice->text);
	if (n > UNC_METRIC_CHOICES_MAX)
		unc_found(c, node, "%.64s: %s: more than %d events to choose from", metric->key, node->key,
			  UNC_METRIC_CHOICES_MAX);
}

void unc_check_metric_events(struct unc_checker *c, const struct unc_yaml *metric)
{
	const struct unc_yaml *events = unc_yaml_get(metric, "events");
	size_t n = 0;

	for (const struct unc_yaml *node = events->child; node; node = node->next, n++)
		check_choice(c, metric, node);
	if (n == 0 || n > UNC_FORMULA_NAMES_MAX)
		unc_found(c, events, "%.64s: a metric is made of 1 to %d events", metric->key, UNC_FORMULA_NAMES_MAX);
}

void unc_check_metric_formula(struct unc_checker *c, const struct unc_yaml *metric)
{
	const struct unc_yaml *formula = unc_yaml_get(metric, "formula");
	const char *names[UNC_FORMULA_NAMES_MAX];
	size_t n = unc_metric_names(metric, names);
	struct unc_formula *parsed;
	int rc = unc_formula_parse(c->ctx, formula->text, names, n, &parsed);

	if (rc < 0) {
		unc_found(c, formula, "%.64s: %s", metric->key, c->ctx->msg);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		if (!unc_formula_uses(parsed, i))
			unc_found(c, formula, "%.64s: formula \"%s\" does not use %.64s", metric->key, formula->text,
				  names[i]);
	}
	free(parsed);
}

void unc_check_metric_source(struct unc_checker *c, const struct unc_yaml *metric)
{
	const struct unc_yaml *src = unc_yaml_get(metric, "src");

	unc_check_src(
		c, src->text,
		&(struct unc_place){metric->key, c->tree->path[src->file], src->key_line ? src->key_line : src->line});
}

/* What only shows when each range is counted out. */
static void check_members(struct unc_checker *c, const struct unc_metrics *all)
{
	c->check = "metric_name";
	for (size_t i = 0; i < all->n_metrics; i++) {
		const struct unc_metric *metric = &all->metrics[i];

		for (size_t k = 0; k < i; k++) {
			const struct unc_metric *first = &all->metrics[k];

			if (strcmp(first->name, metric->name) == 0)
				unc_found_at(c, metric->path, metric->line,
					     "another metric %s; the first is in line %u; keep one", metric->name,
					     first->line);
		}
	}
}

/* Each step relies on the one before. */
static int examine_tree(struct unc_checker *c, struct unc_map_tree *tree, struct unc_metrics *metrics)
{
	const struct unc_yaml *table;
	int rc;

	c->root = tree->root;
	unc_map_check_shape(c, &unc_metrics_keys, tree->root);
	if (c->errors)
		return 0;
	table = unc_yaml_get(tree->root, "metrics");
	unc_map_check_metrics(c, table);
	if (unc_metric_members(table) > UNC_METRICS_MAX) {
		c->check = "metric_name";
		unc_found(c, table, "more than %d metrics in one file", UNC_METRICS_MAX);
	}
	if (c->errors)
		return 0;
	rc = unc_metrics_parse(c->ctx, tree, metrics);
	if (rc == 0)
		check_members(c, metrics);
	return rc;
}

int unc_metrics_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_metrics *ret_metrics)
{
	struct unc_metrics metrics = {0};
	struct unc_map_tree *tree;
	int rc;

	rc = unc_checked_tree(c, file, &tree);
	if (rc < 0 || !tree)
		return rc;
	rc = examine_tree(c, tree, &metrics);
	if (!metrics.tree)
		unc_map_tree_free(tree); /* else it is theirs */
	if (rc < 0 || c->errors)
		unc_metrics_clear(&metrics);
	c->tree = NULL;
	*ret_metrics = metrics;
	return rc;
}

/* The metrics of a map: whose they are, and which events of the map they are made of. */

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

	if (old && !metric->loaded)
		return 0;
	if (old)
		return unc_fail(ctx, UNC_EMAP, "%s:%u: another metric %s; the first is %s:%u; keep one", metric->path,
				metric->line, metric->name, old->path, old->line);
	if (!unc_array_add(&map->metrics, &map->n_metrics, metric, sizeof(*metric)))
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", metric->path);
	memset(metric, 0, sizeof(*metric));
	return 0;
}

int unc_map_add_metrics(struct unc_ctx *ctx, struct unc_map *map, struct unc_metrics *metrics)
{
	int rc = 0;

	if (!unc_array_add(&map->metric_trees, &map->n_metric_trees, &metrics->tree, sizeof(metrics->tree))) {
		unc_metrics_clear(metrics);
		return unc_fail(ctx, UNC_ENOMEM, "metrics: out of memory");
	}
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

/* Gives a metric whose events are missing the formula of one that may stand for it; its own is then the one that is missing. */
static void stand_in(struct unc_map *map, struct unc_metric *metric)
{
	for (size_t i = 0; i < map->n_metrics && metric->lacks && !metric->instead_of; i++) {
		struct unc_metric *other = &map->metrics[i], was = *metric;

		if (!other->instead_of || other->lacks || strcmp(other->unit, metric->unit) != 0 ||
		    strcmp(other->instead_of, metric->name) != 0)
			continue;
		*metric = *other;
		*other = was;
		other->name = metric->name;
		other->instead_of = metric->instead_of;
		metric->name = was.name;
		metric->instead_of = NULL;
	}
}

int unc_map_resolve_metrics(struct unc_ctx *ctx, struct unc_map *map)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < map->n_metrics; i++) {
		const struct unc_unit *unit = unc_map_unit(map, map->metrics[i].unit);

		if (unit)
			rc = resolve(ctx, unit, &map->metrics[i]);
	}
	for (size_t i = 0; rc == 0 && i < map->n_metrics; i++)
		stand_in(map, &map->metrics[i]);
	return rc;
}

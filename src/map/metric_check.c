// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of metrics: how they are told from maps, and what may be wrong with them. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "map/family.h"
#include "map/metric.h"

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
		unc_found(c, at, "%.64s: \"%.80s\" is no name of an event", metric->key, event);
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

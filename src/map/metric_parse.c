// SPDX-License-Identifier: GPL-2.0-or-later
/* From a tree that passed the checks to metrics: a metric with a range in its name is one for each number of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/metric.h"

static bool number(const char **text, unsigned *ret_number)
{
	size_t len = strspn(*text, "0123456789");
	unsigned value = 0;

	if (len == 0 || len > 2)
		return false;
	while (len--)
		value = value * 10 + (unsigned)(*(*text)++ - '0');
	*ret_number = value;
	return true;
}

bool unc_metric_range(const char *name, struct unc_metric_range *ret_range)
{
	struct unc_metric_range range = {.at = strcspn(name, "[]")};
	const char *text = name + range.at;

	if (*text) {
		if (*text++ != '[' || !number(&text, &range.low) || *text++ != '-' || !number(&text, &range.high) ||
		    *text++ != ']' || strpbrk(text, "[]") || range.low > range.high ||
		    range.high > UNC_METRIC_RANGE_MAX)
			return false;
		range.len = (size_t)(text - name) - range.at;
	}
	*ret_range = range;
	return true;
}

/* The name with a number in place of its range, or just a copy.  NULL: out of memory. */
static char *member_name(const char *name, unsigned member)
{
	struct unc_metric_range range;
	size_t size = strlen(name) + 1;
	char *copy = malloc(size);

	if (!copy || !unc_metric_range(name, &range))
		return copy;
	if (range.len == 0)
		memcpy(copy, name, size);
	else
		snprintf(copy, size, "%.*s%u%s", (int)range.at, name, member, name + range.at + range.len);
	return copy;
}

size_t unc_metric_names(const struct unc_yaml *metric, const char *names[UNC_FORMULA_NAMES_MAX])
{
	const struct unc_yaml *events = unc_yaml_get(metric, "events");
	size_t n = 0;

	for (const struct unc_yaml *event = events->child; event && n < UNC_FORMULA_NAMES_MAX; event = event->next)
		names[n++] = event->key;
	return n;
}

static bool parse_input(const struct unc_yaml *node, unsigned member, struct unc_metric_input *input)
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
			 unsigned member, struct unc_metric *metric)
{
	const char *names[UNC_FORMULA_NAMES_MAX];
	size_t n = unc_metric_names(node, names);

	metric->unit = unc_yaml_text(unc_yaml_get(tree->root, "unit"));
	metric->desc = unc_yaml_text(unc_yaml_get(node, "is"));
	metric->text = unc_yaml_text(unc_yaml_get(node, "formula"));
	metric->measure = unc_yaml_text(unc_yaml_get(node, "in"));
	metric->src = unc_yaml_text(unc_yaml_get(node, "src"));
	metric->verify = unc_yaml_text(unc_yaml_get(node, "verify"));
	metric->adds = strcmp(unc_yaml_text(unc_yaml_get(node, "adds")), "true") == 0;
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

static struct unc_metric_range range_of(const struct unc_yaml *metric)
{
	struct unc_metric_range range = {0};

	unc_metric_range(metric->key, &range);
	return range;
}

int unc_metrics_parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_metrics *ret_metrics)
{
	const struct unc_yaml *table = unc_yaml_get(tree->root, "metrics");
	struct unc_metrics all = {0};
	size_t n = 0;

	for (const struct unc_yaml *node = table->child; node; node = node->next)
		n += range_of(node).high - range_of(node).low + 1;
	all.metrics = calloc(n ? n : 1, sizeof(*all.metrics));
	if (!all.metrics)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", tree->path[0]);
	for (const struct unc_yaml *node = table->child; node; node = node->next) {
		struct unc_metric_range range = range_of(node);

		for (unsigned i = range.low; i <= range.high; i++) {
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

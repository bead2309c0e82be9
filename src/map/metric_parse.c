// SPDX-License-Identifier: GPL-2.0-or-later
/* From a tree that passed the checks to metrics, the members of a family each. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/family.h"
#include "map/metric.h"

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

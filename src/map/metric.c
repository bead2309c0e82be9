// SPDX-License-Identifier: GPL-2.0-or-later
/* From a tree that passed the checks to metrics, the members of a family each. */
#include "map/metric.h"

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

/* The names of the events of a metric as they stand in the file; how many. */
static size_t names_of(const struct unc_yaml *metric, const char *names[UNC_FORMULA_NAMES_MAX])
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
	for (; choice; choice = node->kind == UNC_YAML_LIST ? choice->next : NULL, input->n_choices++) {
		input->choices[input->n_choices] = member_name(choice->text, member);
		if (!input->choices[input->n_choices])
			return false;
	}
	return true;
}

static const char *text(const struct unc_yaml *node, const char *key)
{
	return unc_yaml_text(unc_yaml_get(node, key));
}

/* False: out of memory; what was made so far is the metric's. */
static bool parse_metric(struct unc_ctx *ctx, const struct unc_map_tree *tree, const struct unc_yaml *node,
			 size_t member, struct unc_metric *metric)
{
	const char *names[UNC_FORMULA_NAMES_MAX];
	size_t n = names_of(node, names);

	*metric = (struct unc_metric){.name = member_name(node->key, member),
				      .unit = text(tree->root, "unit"),
				      .desc = text(node, "is"),
				      .text = text(node, "formula"),
				      .measure = text(node, "in"),
				      .src = text(node, "src"),
				      .verify = text(node, "verify"),
				      .path = tree->path[0],
				      .line = node->key_line,
				      .instead_of = text(node, "instead_of"),
				      .loaded = !tree->built_in[0],
				      .adds = strcmp(text(node, "adds"), "true") == 0,
				      .may_be_negative = unc_yaml_get(node, "signed") != NULL};
	if (!metric->name)
		return false;
	for (const struct unc_yaml *event = unc_yaml_get(node, "events")->child; event; event = event->next)
		if (!parse_input(event, member, &metric->inputs[metric->n_inputs++]))
			return false;
	return unc_formula_parse(ctx, metric->text, names, n, &metric->formula) == 0;
}

static size_t count_members(const struct unc_yaml *metric)
{
	struct unc_family family;

	return unc_family_parse(metric->key, &family) ? unc_family_count(&family) : 0;
}

/* How many there are, each member of a family counted; one whose name is wrong is none. */
static size_t count_all(const struct unc_yaml *metrics)
{
	size_t n = 0;

	for (const struct unc_yaml *metric = metrics->child; metric; metric = metric->next)
		n += count_members(metric);
	return n;
}

/* From a tree of the right shape, which is that of *ret_metrics from then on.  UNC_ENOMEM: the tree is still the caller's. */
static int parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_metrics *ret_metrics)
{
	const struct unc_yaml *table = unc_yaml_get(tree->root, "metrics");
	struct unc_metrics all = {.metrics = calloc(count_all(table) + 1, sizeof(*all.metrics))};
	bool good = all.metrics;

	for (const struct unc_yaml *node = table->child; good && node; node = node->next)
		for (size_t i = 0; good && i < count_members(node); i++)
			good = parse_metric(ctx, tree, node, i, &all.metrics[all.n_metrics++]);
	if (!good) {
		unc_metrics_clear(&all);
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", tree->path[0]);
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
	const char *at = file->text, *end = at + file->len;
	size_t len = strlen(FORMAT);

	for (; (at = memchr(at, FORMAT[0], (size_t)(end - at))); at++)
		if ((size_t)(end - at) >= len && memcmp(at, FORMAT, len) == 0)
			return true;
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

static void metric_name(struct unc_checker *c, const struct unc_yaml *metric)
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
	bool same = a->n_ranges == b->n_ranges;

	for (unsigned k = 0; same && k < a->n_ranges; k++)
		same = a->first[k] == b->first[k] && a->len[k] == b->len[k];
	return same;
}

static void check_event(struct unc_checker *c, const struct unc_yaml *metric, const struct unc_yaml *at)
{
	struct unc_family family, wanted;

	if (!unc_family_parse(at->text, &family))
		unc_found(c, at, "%.64s: \"%.80s\" is not the name of an event", metric->key, at->text);
	else if (family.n_ranges && (!unc_family_parse(metric->key, &wanted) || !same_ranges(&family, &wanted)))
		unc_found(c, at, "%.64s: %.80s is to have the ranges that the metric has in its name, or none",
			  metric->key, at->text);
}

static void metric_events(struct unc_checker *c, const struct unc_yaml *metric)
{
	const struct unc_yaml *events = unc_yaml_get(metric, "events");
	size_t n = 0;

	for (const struct unc_yaml *node = events->child; node; node = node->next, n++) {
		size_t n_choices = 0;

		if (!unc_formula_name_valid(node->key) || strcmp(node->key, "time") == 0)
			unc_found(c, node,
				  "%.64s: \"%.80s\" cannot be a name in a formula; it is to be of a-z, 0-9 and _",
				  metric->key, node->key);
		if (node->kind != UNC_YAML_LIST)
			check_event(c, metric, node);
		for (const struct unc_yaml *choice = node->child; choice; choice = choice->next, n_choices++)
			check_event(c, metric, choice);
		if (n_choices > UNC_METRIC_CHOICES_MAX)
			unc_found(c, node, "%.64s: %s: more than %d events to choose from", metric->key, node->key,
				  UNC_METRIC_CHOICES_MAX);
	}
	if (n == 0 || n > UNC_FORMULA_NAMES_MAX)
		unc_found(c, events, "%.64s: a metric is made of 1 to %d events", metric->key, UNC_FORMULA_NAMES_MAX);
}

static void metric_formula(struct unc_checker *c, const struct unc_yaml *metric)
{
	const struct unc_yaml *formula = unc_yaml_get(metric, "formula");
	const char *names[UNC_FORMULA_NAMES_MAX];
	size_t n = names_of(metric, names);
	struct unc_formula *parsed;

	if (unc_formula_parse(c->ctx, formula->text, names, n, &parsed) < 0) {
		unc_found(c, formula, "%.64s: %s", metric->key, c->ctx->msg);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (!unc_formula_uses(parsed, i))
			unc_found(c, formula, "%.64s: formula \"%s\" does not use %.64s", metric->key, formula->text,
				  names[i]);
	free(parsed);
}

static void metric_source(struct unc_checker *c, const struct unc_yaml *metric)
{
	const struct unc_yaml *src = unc_yaml_get(metric, "src");

	c->path = c->tree->path[src->file];
	c->line = unc_yaml_line(src);
	unc_check_src(c, metric->key, src->text);
}

const struct unc_check unc_metric_checks[] = {
	/* The name of a metric consists of a-z, 0-9, _, . and up to two ranges such as [0-7]; no two are the same. */
	{"metric_name", .metric = metric_name},
	/* A metric's events are names of events, with the ranges of the metric or none. */
	{"metric_events", .metric = metric_events},
	/* A formula has numbers, time and the names of its events, each of them, + - * / and parentheses. */
	{"metric_formula", .metric = metric_formula},
	/* The src of a metric begins each of its parts with a tag from sources. */
	{"metric_source", .metric = metric_source},
	{0},
};

/* What only shows when each range is counted out. */
static void check_members(struct unc_checker *c, const struct unc_metrics *all)
{
	for (size_t i = 0; i < all->n_metrics; i++) {
		const struct unc_metric *metric = &all->metrics[i];

		for (const struct unc_metric *first = all->metrics; first < all->metrics + i; first++) {
			if (strcmp(first->name, metric->name) == 0)
				unc_found_at(c, metric->path, metric->line,
					     "another metric %s; the first is in line %u; keep one", metric->name,
					     first->line);
		}
	}
}

/* Each step relies on the one before. */
int unc_metrics_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_metrics *ret_metrics)
{
	struct unc_metrics metrics = {0};
	const struct unc_yaml *table;
	struct unc_map_tree *tree;
	int rc = unc_checked_tree(c, file, &tree);

	if (rc < 0)
		return rc;
	c->root = tree->root;
	unc_map_check_shape(c, &unc_metrics_keys, tree->root);
	table = c->errors ? NULL : unc_yaml_get(tree->root, "metrics");
	for (const struct unc_check *check = unc_metric_checks; table && check->name; check++) {
		c->check = check->name;
		for (const struct unc_yaml *metric = table->child; metric; metric = metric->next)
			check->metric(c, metric);
	}
	c->check = "metric_name";
	if (table && count_all(table) > UNC_METRICS_MAX)
		unc_found(c, table, "more than %d metrics in one file", UNC_METRICS_MAX);
	if (!c->errors)
		rc = parse(c->ctx, tree, &metrics);
	check_members(c, &metrics);
	if (!metrics.tree)
		unc_map_tree_free(tree); /* else it is theirs */
	if (rc == 0 && c->errors)
		rc = UNC_EMAP;
	if (rc < 0)
		unc_metrics_clear(&metrics);
	else
		*ret_metrics = metrics;
	return rc;
}

/* The metrics of a map: whose they are, and which events of the map they are made of. */

void unc_metrics_clear(struct unc_metrics *metrics)
{
	for (size_t i = 0; i < metrics->n_metrics; i++) {
		struct unc_metric *metric = &metrics->metrics[i];

		for (size_t k = 0; k < metric->n_inputs; k++)
			for (size_t choice = 0; choice < metric->inputs[k].n_choices; choice++)
				free(metric->inputs[k].choices[choice]);
		free(metric->name);
		free(metric->formula);
		free(metric->lacks);
	}
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

struct unc_metric *unc_map_metric(const struct unc_map *map, const char *unit, const char *name)
{
	for (size_t i = 0; i < map->n_metrics; i++)
		if (strcmp(map->metrics[i].unit, unit) == 0 && strcmp(map->metrics[i].name, name) == 0)
			return &map->metrics[i];
	return NULL;
}

int unc_map_add_metrics(struct unc_ctx *ctx, struct unc_map *map, struct unc_metrics *metrics)
{
	int rc = 0;

	if (!unc_array_add(&map->metric_trees, &map->n_metric_trees, &metrics->tree, sizeof(metrics->tree))) {
		unc_metrics_clear(metrics);
		return unc_fail(ctx, UNC_ENOMEM, "metrics: out of memory");
	}
	metrics->tree = NULL;
	for (size_t i = 0; rc == 0 && i < metrics->n_metrics; i++) {
		struct unc_metric *metric = &metrics->metrics[i];
		const struct unc_metric *old = unc_map_metric(map, metric->unit, metric->name);

		if (old && !metric->loaded)
			continue;
		if (old)
			rc = unc_fail(ctx, UNC_EMAP, "%s:%u: another metric %s; the first is %s:%u; keep one",
				      metric->path, metric->line, metric->name, old->path, old->line);
		else if (!unc_array_add(&map->metrics, &map->n_metrics, metric, sizeof(*metric)))
			rc = unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", metric->path);
		else
			memset(metric, 0, sizeof(*metric)); /* it is the map's now */
	}
	unc_metrics_clear(metrics);
	return rc;
}

/* "Haswell-EP has no event rpq_occupancy, and no event wpq_inserts" */
static void say_lacking(char *text, size_t size, const struct unc_unit *unit, const struct unc_metric_input *input)
{
	if (!text[0])
		snprintf(text, size, "%s has no event %s", unit->title, input->choices[0]);
	else
		unc_text_join(text, size, ", and no event ", "%s", input->choices[0]);
	for (size_t i = 1; i < input->n_choices; i++)
		unc_text_join(text, size, " or ", "%s", input->choices[i]);
}

static int resolve(struct unc_ctx *ctx, const struct unc_unit *unit, struct unc_metric *metric)
{
	char lacks[512] = "";

	if (metric->lacks)
		return 0;
	for (size_t i = 0; i < metric->n_inputs; i++) {
		struct unc_metric_input *input = &metric->inputs[i];

		input->event = NULL;
		for (size_t k = 0; k < input->n_choices && !input->event; k++)
			input->event = unc_unit_event(unit, input->choices[k]);
		if (!input->event)
			say_lacking(lacks, sizeof(lacks), unit, input);
		else if (unit->kind == UNC_AREA)
			unc_formula_scale(metric->formula, i, input->event->scale);
	}
	if (!lacks[0])
		return 0;
	metric->lacks = unc_text_dup(lacks);
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

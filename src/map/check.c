// SPDX-License-Identifier: GPL-2.0-or-later
/* How a map file goes through the checks; and the checks of its head. */
#include "map/check.h"

#include "base/text.h"
#include "map/field.h"
#include "map/metric.h"
#include "map/parse.h"

static bool is_key(const struct unc_yaml *node, const char *key)
{
	return node && strcmp(node->key, key) == 0;
}

/* Runs before the bases are known: each check gets the file's own root in c->root. */
static void check_head_first(struct unc_checker *c)
{
	const struct unc_yaml *first = c->root->kind == UNC_YAML_MAP ? c->root->child : NULL;

	if (c->root->kind != UNC_YAML_MAP)
		unc_found(c, c->root, "a map file is a mapping that begins with `format:` and `cpus:`");
	else if (!is_key(first, "format"))
		unc_found(c, first ? first : c->root, "the first key is to be format");
	else if (!is_key(first->next, "cpus"))
		unc_found(c, first->next ? first->next : first, "the second key is to be cpus");
}

static void check_when(struct unc_checker *c, const struct unc_yaml *when)
{
	const struct unc_yaml *cpuid = unc_yaml_get(when, "cpuid"), *is = unc_yaml_get(when, "is"),
			      *not = unc_yaml_get(when, "not");
	struct unc_cpuid_bits bits;

	if (!unc_cpuid_bits_parse(cpuid->text, &bits))
		unc_found(c, cpuid,
			  "cpuid: \"%.40s\" is to be like \"7.0:ebx[12]\": leaf and sub-leaf in hex, register, bits",
			  cpuid->text);
	else if (is && not )
		unc_found(c, not, "is and not exclude each other; say one of them");
	else if (unc_yaml_number(is ? is : not, 0) > unc_field_max(&bits.bits))
		unc_found(c, is ? is : not, "%s: %s does not fit into the bits of %s", is ? "is" : "not",
			  (is ? is : not )->text, cpuid->text);
}

static void check_cpus_valid(struct unc_checker *c)
{
	const struct unc_yaml *cpus = unc_yaml_get(c->root, "cpus");

	if (!cpus)
		return;
	if (!cpus->child)
		unc_found(c, cpus, "cpus: no CPU is named, so this map would never be used");
	for (const struct unc_yaml *cpu = cpus->child; cpu; cpu = cpu->next) {
		const struct unc_yaml *stepping = unc_yaml_get(cpu, "stepping"), *when = unc_yaml_get(cpu, "when");
		bool is_list = when && when->kind == UNC_YAML_LIST;

		for (const struct unc_yaml *key = cpu->child; key; key = key->next)
			if (strcmp(key->key, "when") != 0 && key->kind == UNC_YAML_LIST &&
			    unc_yaml_number(key->child, 0) > unc_yaml_number(key->child->next, 0))
				unc_found(c, key, "%s: [low, high] is wanted, and %s is above %s", key->key,
					  key->child->text, key->child->next->text);
		if (unc_yaml_get(cpu, "model") && !unc_yaml_get(cpu, "family"))
			unc_found(c, cpu, "cpus: a model without a family means another CPU in each of them; say both");
		if (stepping && !unc_yaml_get(cpu, "model"))
			unc_found(c, cpu, "cpus: a stepping without a model means nothing; say which");
		for (when = is_list ? when->child : when; when; when = is_list ? when->next : NULL)
			check_when(c, when);
	}
}

/* The checks of the head and the shape, in the order in which a map file goes through them; those of the meaning follow. */
static const struct unc_check tree_checks[] = {
	/* The file is YAML: one document, no anchors, aliases, tags, no key twice, bounded size and depth. */
	{.name = "yaml"},

	/* Format and cpus are the first two keys, so that a map is chosen without reading all of it. */
	{"head_first", .head = check_head_first},
	/* The format is one that this program reads. */
	{"format_known", .shape = unc_check_words},
	/* At least one CPU; its stepping is [low, high]; its conditions name a CPUID leaf and bits. */
	{"cpus_valid", .head = check_cpus_valid},

	/* The base is a map that exists, and no base leads back to a file before it. */
	{.name = "base_found"},
	/* A source tag means the same document as in the base. */
	{.name = "sources_kept"},
	/* `none` is allowed only where the base has something to remove. */
	{.name = "none_removes"},

	/* Every key is one that the format has at this place. */
	{"unknown_key", .shape = unc_check_unknown_key},
	/* Every key is there that the format wants at this place. */
	{"missing_key", .shape = unc_check_missing_key},
	/* Every value is a text, number, list or mapping as the format wants. */
	{"wrong_type", .shape = unc_check_wrong_type},
	/* Every number is one, and not larger than what it counts. */
	{"bad_number", .shape = unc_check_bad_number},
	/* Bits, write, use, optional, fixed, per and bus have a value that means something. */
	{"word_known", .shape = unc_check_words},
	/* The space is a way to reach registers. */
	{"space_known", .shape = unc_check_words},
	/* The model is a way of driving that this program has. */
	{"model_known", .shape = unc_check_words},
	/* The access of a field, and what is said of it, is ro, rw, wo, rw1c or reserved. */
	{"access_known", .shape = unc_check_words},
	/* Names consist of letters, digits and underscores. */
	{"name_valid", .shape = unc_check_name_valid},
	{0},
};

const char *unc_map_check_name(size_t number)
{
	static const struct unc_check *const tables[] = {tree_checks, unc_unit_checks, unc_event_checks,
							 unc_metric_checks};

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (const struct unc_check *check = tables[i]; check->name; check++)
			if (number-- == 0)
				return check->name;
	return NULL;
}

void unc_found_at(struct unc_checker *c, const char *path, unsigned line, const char *fmt, ...)
{
	char sentence[UNC_MSG_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(sentence, sizeof(sentence), fmt, args);
	va_end(args);
	c->errors++;
	if (c->report)
		c->report(c->arg, path, line, c->check, sentence);
	else if (c->errors == 1)
		unc_fail(c->ctx, UNC_EMAP, "%s:%u: error (%s): %s", path, line, c->check, sentence);
}

bool unc_blame_second(const struct unc_unit *unit, const char *path1, unsigned line1, const char *path2, unsigned line2)
{
	if (path1 != path2 && (path1 == unit->path || path2 == unit->path))
		return path2 == unit->path;
	return line2 >= line1;
}

void unc_found_yaml(struct unc_checker *c, const char *path)
{
	const char *sentence = c->ctx->msg; /* "PATH:LINE: ..." */
	size_t len = strlen(path);
	unsigned long long line = 1;

	if (strncmp(sentence, path, len) == 0 && sentence[len] == ':') {
		char *end;

		line = strtoull(sentence + len + 1, &end, 10);
		sentence = strncmp(end, ": ", 2) == 0 ? end + 2 : end;
	}
	c->check = "yaml";
	unc_found_at(c, path, (unsigned)line, "%s", sentence);
}

/* Runs all of them at one place of the tree. */
static void shape_checks(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	for (const struct unc_check *check = tree_checks; check->name; check++) {
		c->check = check->name;
		if (check->shape)
			check->shape(c, key, node);
	}
}

/* Most trees are right, and one walk shows that; faults are reported check by check. */
void unc_map_check_shape(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node)
{
	struct unc_checker counter = {.ctx = c->ctx, .tree = c->tree, .root = c->root};

	unc_shape_walk(&counter, shape_checks, key, node);
	for (const struct unc_check *check = tree_checks; counter.errors && check->name; check++) {
		c->check = check->name;
		if (check->shape)
			unc_shape_walk(c, check->shape, key, node);
	}
}

/* The shape of format and cpus comes first, since the other checks of the head rely on it. */
void unc_map_check_head(struct unc_checker *c, const struct unc_yaml *root)
{
	static const char *const names[] = {"format", "cpus"};
	unsigned before = c->errors;

	c->root = root;
	for (size_t i = 0; i < 2; i++) {
		const struct unc_yaml *node = unc_yaml_get(root, names[i]);

		if (node)
			unc_map_check_shape(c, unc_key_find(unc_map_keys.sub, names[i]), node);
	}
	for (const struct unc_check *check = tree_checks; c->errors == before && check->name; check++) {
		c->check = check->name;
		if (check->head)
			check->head(c);
	}
}

static void set_place(struct unc_checker *c, const char *path, unsigned line)
{
	c->path = path;
	c->line = line;
}

/* Runs one check on the unit, and on each of its registers, fields and events. */
static void check_unit(struct unc_checker *c, const struct unc_check *check)
{
	const struct unc_unit *unit = c->unit;

	c->check = check->name;
	if (check->unit)
		check->unit(c, unit);
	for (size_t i = 0; (check->reg || check->field) && i < unit->n_regs; i++) {
		c->reg = &unit->regs[i];
		set_place(c, c->reg->path, c->reg->line);
		if (check->reg)
			check->reg(c, c->reg);
		for (size_t k = 0; check->field && k < c->reg->n_fields; k++) {
			set_place(c, c->reg->fields[k].path, c->reg->fields[k].line);
			check->field(c, &c->reg->fields[k]);
		}
	}
	for (size_t i = 0; check->event && i < unit->n_events; i++) {
		set_place(c, unit->events[i].path, unit->events[i].line);
		check->event(c, &unit->events[i]);
	}
}

int unc_checked_tree(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree **ret_tree)
{
	int rc = unc_map_tree_parse(c->ctx, file, NULL, ret_tree);

	if (rc == UNC_EMAP)
		unc_found_yaml(c, file->path);
	if (rc == 0)
		c->tree = *ret_tree;
	return rc;
}

/*
 * Each step relies on the one before: head, bases, shape, meaning.  A built-in map passes the checks of the last two, as the test
 * built_in_maps_pass shows; so they are run only where a report is wanted, since they take a third of the time of a load.
 */
int unc_map_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_unit *ret_unit)
{
	bool is_proven = !file->loaded && !c->report;
	struct unc_unit unit = {0};
	struct unc_map_tree *tree;
	int rc = unc_checked_tree(c, file, &tree);

	if (rc < 0)
		return rc;
	unc_map_check_head(c, tree->root);
	if (!c->errors)
		rc = unc_map_tree_rebase(c, file, tree);
	c->root = tree->root;
	if (rc == 0 && !c->errors && !is_proven)
		unc_map_check_shape(c, &unc_map_keys, tree->root);
	if (rc == 0 && !c->errors)
		rc = unc_unit_parse(c->ctx, tree, &unit);
	if (!unit.tree)
		unc_map_tree_free(tree);
	c->unit = &unit;
	for (const struct unc_check *check = unc_unit_checks; unit.tree && !is_proven && check->name; check++)
		check_unit(c, check);
	for (const struct unc_check *check = unc_event_checks; unit.tree && !is_proven && check->name; check++)
		check_unit(c, check);
	c->unit = NULL;
	if (rc == 0 && c->errors)
		rc = UNC_EMAP;
	if (rc < 0)
		unc_unit_clear(&unit);
	else
		*ret_unit = unit;
	return rc;
}

int unc_map_check_text(struct unc_ctx *ctx, const char *path, const char *text, size_t len, bool loaded,
		       unc_map_report_fn *report, void *arg, unsigned *ret_errors)
{
	struct unc_checker c = {.ctx = ctx, .report = report, .arg = arg};
	struct unc_map_file file = {.path = path, .text = text, .len = len, .loaded = loaded};
	const char *slash = strrchr(path, '/');
	/* "regs" for "regs/x.yaml", "." for "x.yaml", "/" for "/x.yaml" */
	char *dir = loaded ? unc_text_new("%.*s", slash > path ? (int)(slash - path) : 1, slash ? path : ".") : NULL;
	struct unc_metrics metrics = {0};
	struct unc_unit unit = {0};
	int rc;

	if (loaded && !dir)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", path);
	file.dir = dir;
	if (unc_metrics_known(ctx, &file)) {
		rc = unc_metrics_examine(&c, &file, &metrics);
		unc_metrics_clear(&metrics);
	} else {
		rc = unc_map_examine(&c, &file, &unit);
		unc_unit_clear(&unit);
	}
	free(dir);
	if (rc < 0 && rc != UNC_EMAP)
		return rc;
	*ret_errors = c.errors;
	return 0;
}

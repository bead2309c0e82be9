// SPDX-License-Identifier: GPL-2.0-or-later
/* Which maps fit this CPU: heads first, then those that fit as a whole.  And all metrics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"
#include "base/err.h"
#include "base/text.h"
#include "map/checker.h"
#include "map/cpus.h"
#include "map/metric.h"
#include "map/parse.h"

struct loader {
	struct unc_ctx *ctx;
	const struct unc_cpu_id *cpu;
	const char *dir; /* NULL: none */
	struct unc_map *map;
	char titles[256]; /* of the maps that do not fit, for the sentence when none does */
};

/* The first fault becomes the sentence. */
static void first_fault(void *arg, const char *file, unsigned line, const char *check, const char *sentence)
{
	struct unc_checker *c = arg;

	if (c->errors == 1)
		unc_fail(c->ctx, UNC_EMAP, "%s:%u: error (%s): %s", file, line, check, sentence);
}

static int head_fits(struct loader *l, const struct unc_map_file *file, bool *ret_fits)
{
	struct unc_checker c = {.ctx = l->ctx, .report = first_fault};
	struct unc_map_tree *tree;
	int rc;

	c.arg = &c;
	rc = unc_map_tree_parse(l->ctx, file, "cpus", &tree);
	if (rc < 0)
		return rc;
	c.tree = tree;
	unc_map_check_head(&c, tree->root);
	rc = c.errors ? UNC_EMAP : unc_cpus_match(l->ctx, unc_yaml_get(tree->root, "cpus"), l->cpu, ret_fits);
	unc_map_tree_free(tree);
	return rc;
}

/* Each part once, as far as there is room; a map for several names them all: "Haswell-EP, Broadwell-EP". */
static void remember_title(struct loader *l, const char *title)
{
	while (*title) {
		size_t used = strlen(l->titles), len = strcspn(title, ",");

		if (len && !unc_text_listed(l->titles, title, len) && used + len + 3 <= sizeof(l->titles))
			snprintf(l->titles + used, sizeof(l->titles) - used, "%s%.*s", used ? ", " : "", (int)len,
				 title);
		title += len;
		title += strspn(title, ", ");
	}
}

/* A map for every CPU that has some property is not looked for by name. */
static bool names_a_part(const struct unc_yaml *root)
{
	const struct unc_yaml *cpus = unc_yaml_get(root, "cpus");

	for (const struct unc_yaml *cpu = cpus ? cpus->child : NULL; cpu; cpu = cpu->next)
		if (unc_yaml_get(cpu, "model"))
			return true;
	return false;
}

/* Only asked for when there is nothing better to say: a title that cannot be read is left out. */
static void read_title(struct loader *l, const struct unc_map_file *file)
{
	struct unc_saved_msg saved;
	struct unc_yaml *root;
	const char *title;

	unc_msg_save(l->ctx, &saved);
	if (unc_yaml_parse_head(l->ctx, file->path, file->text, file->len, "title", &root) == 0) {
		title = unc_yaml_text(unc_yaml_get(root, "title"));
		if (title && names_a_part(root))
			remember_title(l, title);
		unc_yaml_free(root);
	}
	unc_msg_restore(l->ctx, &saved);
}

static struct unc_unit *find_unit(struct unc_map *map, const char *name)
{
	for (size_t i = 0; i < map->n_units; i++) {
		if (strcmp(map->units[i].name, name) == 0)
			return &map->units[i];
	}
	return NULL;
}

/* The map owns the unit from then on, but not when this fails. */
static int add_unit(struct loader *l, struct unc_unit *unit)
{
	struct unc_unit *old = find_unit(l->map, unit->name), *units;

	if (old && old->loaded == unit->loaded)
		return unc_fail(l->ctx, UNC_EMAP,
				"%s:%u: another map for unit %s of this CPU; the first is %s:%u; keep one", unit->path,
				unit->line, unit->name, old->path, old->line);
	if (old) {
		unc_unit_clear(old);
		*old = *unit;
		return 0;
	}
	units = unc_array_more(l->map->units, l->map->n_units, sizeof(*units));
	if (!units)
		return unc_fail(l->ctx, UNC_ENOMEM, "%s: out of memory", unit->path);
	l->map->units = units;
	units[l->map->n_units++] = *unit;
	return 0;
}

/* Fails for a map with a fault, too. */
static int examine(struct loader *l, const struct unc_map_file *file, struct unc_unit *ret_unit)
{
	struct unc_checker c = {.ctx = l->ctx, .report = first_fault};
	int rc;

	c.arg = &c;
	rc = unc_map_examine(&c, file, ret_unit);
	return rc == 0 && c.errors ? UNC_EMAP : rc;
}

static int load_whole(struct loader *l, const struct unc_map_file *file)
{
	struct unc_unit unit = {0};
	int rc = examine(l, file, &unit);

	if (rc == 0)
		rc = add_unit(l, &unit);
	if (rc < 0)
		unc_unit_clear(&unit);
	return rc;
}

static int load_metrics(struct loader *l, const struct unc_map_file *file)
{
	struct unc_checker c = {.ctx = l->ctx, .report = first_fault};
	struct unc_metrics metrics = {0};
	int rc;

	c.arg = &c;
	rc = unc_metrics_examine(&c, file, &metrics);
	if (rc == 0 && c.errors)
		rc = UNC_EMAP;
	return rc < 0 ? rc : unc_map_add_metrics(l->ctx, l->map, &metrics);
}

static int consider(struct loader *l, const struct unc_map_file *file)
{
	bool fits = false;
	int rc;

	if (unc_metrics_known(l->ctx, file))
		return file->loaded ? load_metrics(l, file) : 0; /* those built in are loaded when asked for */
	rc = head_fits(l, file, &fits);
	if (rc == 0 && fits)
		rc = load_whole(l, file);
	return rc;
}

static int each_built_in(struct loader *l, int (*use)(struct loader *l, const struct unc_map_file *file))
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < unc_n_maps_built_in; i++) {
		const struct unc_map_text *map = &unc_maps_built_in[i];
		char *path = unc_map_join("regs/", map->name, ".yaml (built in)");

		if (!path)
			return unc_fail(l->ctx, UNC_ENOMEM, "register maps: out of memory");
		rc = use(l, &(struct unc_map_file){.path = path, .text = map->text, .len = map->len});
		free(path);
	}
	return rc;
}

static bool is_map_name(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 && strcmp(name + len - 5, ".yaml") == 0;
}

static int use_file(struct loader *l, const char *path, int (*use)(struct loader *l, const struct unc_map_file *file))
{
	struct unc_map_file file = {.path = path, .dir = l->dir, .loaded = true};
	char *text;
	int rc = unc_files_read(l->ctx, path, UNC_YAML_MAX_BYTES, UNC_TRUST_OWNED, &text, &file.len);

	if (rc < 0)
		return rc;
	file.text = text;
	rc = use(l, &file);
	free(text);
	return rc;
}

static int each_in_dir(struct loader *l, int (*use)(struct loader *l, const struct unc_map_file *file))
{
	const char *const *names;
	size_t n;
	int rc;

	rc = unc_files_list(l->ctx, l->dir, &names, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		char *path;

		if (!is_map_name(names[i]))
			continue;
		path = unc_map_join(l->dir, "/", names[i]);
		rc = path ? use_file(l, path, use) : unc_fail(l->ctx, UNC_ENOMEM, "%s: out of memory", l->dir);
		free(path);
	}
	free((void *)names);
	return rc;
}

static int use_title(struct loader *l, const struct unc_map_file *file)
{
	read_title(l, file);
	return 0;
}

static bool has_counters(const struct unc_map *map)
{
	for (size_t i = 0; i < map->n_units; i++)
		if (map->units[i].counter_bits)
			return true;
	return false;
}

static int say_no_counters(struct loader *l)
{
	char sentence[UNC_MSG_MAX];
	int rc = each_built_in(l, use_title);

	if (rc == 0 && l->dir)
		rc = each_in_dir(l, use_title);
	if (rc < 0)
		return rc;
	snprintf(sentence, sizeof(sentence),
		 "%s family %u model 0x%x stepping %u: no register map fits this CPU; there are maps for %s; "
		 "--regs DIR adds one from a file (regs/README.md is the format)",
		 l->cpu->vendor, l->cpu->family, l->cpu->model, l->cpu->stepping, l->titles[0] ? l->titles : "none");
	l->map->no_counters = unc_text_dup(sentence);
	return l->map->no_counters ? 0 : unc_fail(l->ctx, UNC_ENOMEM, "register maps: out of memory");
}

int unc_map_load(struct unc_ctx *ctx, const struct unc_cpu_id *cpu, const char *map_dir, struct unc_map **ret_map)
{
	struct loader l = {.ctx = ctx, .cpu = cpu, .dir = map_dir};
	int rc;

	l.map = calloc(1, sizeof(*l.map));
	if (!l.map)
		return unc_fail(ctx, UNC_ENOMEM, "register maps: out of memory");
	rc = each_built_in(&l, consider);
	if (rc == 0 && map_dir)
		rc = each_in_dir(&l, consider);
	if (rc == 0 && !has_counters(l.map))
		rc = say_no_counters(&l);
	if (rc < 0) {
		unc_map_free(l.map);
		return rc;
	}
	*ret_map = l.map;
	return 0;
}

static int use_metrics(struct loader *l, const struct unc_map_file *file)
{
	return unc_metrics_known(l->ctx, file) ? load_metrics(l, file) : 0;
}

int unc_map_metrics(struct unc_ctx *ctx, struct unc_map *map)
{
	struct loader l = {.ctx = ctx, .map = map};
	int rc;

	if (map->metrics_complete)
		return 0;
	rc = each_built_in(&l, use_metrics);
	if (rc == 0)
		rc = unc_map_resolve_metrics(ctx, map);
	map->metrics_complete = rc == 0;
	return rc;
}

/* One more, whatever CPU and unit it is for. */
static int add_any(struct loader *l, const struct unc_map_file *file)
{
	struct unc_unit unit = {0}, *units;
	int rc;

	if (unc_metrics_known(l->ctx, file))
		return 0;
	rc = examine(l, file, &unit);
	units = rc == 0 ? unc_array_more(l->map->units, l->map->n_units, sizeof(*units)) : NULL;
	if (units) {
		l->map->units = units;
		units[l->map->n_units++] = unit;
		return 0;
	}
	unc_unit_clear(&unit);
	return rc < 0 ? rc : unc_fail(l->ctx, UNC_ENOMEM, "%s: out of memory", file->path);
}

int unc_map_load_all(struct unc_ctx *ctx, const char *map_dir, struct unc_map **ret_map)
{
	struct loader l = {.ctx = ctx, .dir = map_dir};
	int rc;

	l.map = calloc(1, sizeof(*l.map));
	if (!l.map)
		return unc_fail(ctx, UNC_ENOMEM, "register maps: out of memory");
	rc = each_built_in(&l, add_any);
	if (rc == 0 && map_dir)
		rc = each_in_dir(&l, add_any);
	if (rc < 0) {
		unc_map_free(l.map);
		return rc;
	}
	*ret_map = l.map;
	return 0;
}

void unc_map_free(struct unc_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->n_units; i++)
		unc_unit_clear(&map->units[i]);
	free(map->units);
	free(map->no_counters);
	unc_map_free_metrics(map);
	free(map);
}

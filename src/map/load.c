// SPDX-License-Identifier: GPL-2.0-or-later
/* Combines what one file says with what its base says. */

#include "base/text.h"
#include "map/parse.h"
#include "map/metric.h"

static bool is_none(const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node);

	return text && strcmp(text, "none") == 0;
}

/*
 * Puts top over under: mappings key by key, all else as a whole; `none` removes.  Both are mappings; top is empty
 * afterwards; the order is that of under, then new keys.  Check: none_removes.
 */
static void map_overlay(struct unc_checker *c, struct unc_yaml *under, struct unc_yaml *top)
{
	under->line = top->line;
	under->key_line = top->key_line;
	under->file = top->file;
	while (top->child) {
		struct unc_yaml *child = top->child, **slot = &under->child, *old;

		while (*slot && strcmp((*slot)->key, child->key) != 0)
			slot = &(*slot)->next;
		old = *slot;
		top->child = child->next;
		child->next = NULL;
		if (!old) {
			if (is_none(child))
				unc_found(c, child, "%s: none, but no base has it; leave the line out", child->key);
			*slot = child;
		} else if (old->kind == UNC_YAML_MAP && child->kind == UNC_YAML_MAP) {
			map_overlay(c, old, child);
			unc_yaml_free(child);
		} else {
			*slot = is_none(child) ? old->next : child;
			child->next = is_none(child) ? NULL : old->next;
			old->next = is_none(child) ? child : NULL;
			unc_yaml_free(old);
		}
	}
}

/*
 * Check sources_kept: top must not give the name of one of under's documents to another.  Then `src: man p.79`, written
 * about the old one, would silently mean the new one.
 */
static void map_check_sources_kept(struct unc_checker *c, const struct unc_yaml *under, const struct unc_yaml *top)
{
	const struct unc_yaml *theirs = unc_yaml_get(under, "sources"), *ours = unc_yaml_get(top, "sources");

	if (!theirs || !ours || ours->kind != UNC_YAML_MAP)
		return;
	for (const struct unc_yaml *source = ours->child; source; source = source->next) {
		const char *old = unc_yaml_text(unc_yaml_get(theirs, source->key));
		const char *now = unc_yaml_text(source);

		if (old && now && strcmp(old, now) != 0)
			unc_found(c, source,
				  "source %s is another document in the base (%.80s); give this one a new tag",
				  source->key, old);
	}
}

/* `base:`: finds the file that a map is based on, and the base of that. */

static bool is_used(const struct unc_map_tree *tree, const char *name, bool built_in)
{
	for (unsigned i = 0; i < tree->n_files; i++)
		if (tree->built_in[i] == built_in && strcmp(tree->name[i], name) == 0)
			return true;
	return false;
}

/* Frees the texts of a file that one of the next two functions has made, or of none. */
static void release(struct unc_map_file *file)
{
	free((void *)file->path);
	if (file->loaded)
		free((void *)file->text);
}

static int hold_file(struct unc_ctx *ctx, const char *dir, const char *name, const char *suffix,
		     struct unc_map_file *ret_file)
{
	char *path = unc_text_new("%s/%s%s", dir, name, suffix), *text;
	size_t len;
	int rc = path ? unc_files_read(ctx, path, UNC_YAML_MAX_BYTES, UNC_TRUST_OWNED, &text, &len)
		      : unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", name);

	if (rc < 0)
		free(path);
	else
		*ret_file = (struct unc_map_file){.path = path, .text = text, .len = len, .dir = dir, .loaded = true};
	return rc;
}

static int hold_built_in(struct unc_ctx *ctx, const struct unc_map_text *map, struct unc_map_file *ret_file)
{
	char *path = unc_text_new("regs/%s.yaml (built in)", map->name);

	if (!path)
		return unc_fail(ctx, UNC_ENOMEM, "register maps: out of memory");
	*ret_file = (struct unc_map_file){.path = path, .text = map->text, .len = map->len};
	return 0;
}

/* Reads the base that this node names.  UNC_EMAP: a fault was reported. */
static int read_base(struct unc_checker *c, const char *dir, const struct unc_yaml *said, struct unc_map_tree *tree,
		     struct unc_yaml **ret_root)
{
	const char *name = unc_yaml_text(said);
	const struct unc_map_text *built_in;
	struct unc_map_file base = {0};
	int rc = UNC_ENODEV;

	c->check = "base_found";
	if (!name || !*name || strlen(name) != strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_")) {
		unc_found(c, said,
			  "base is to be the name of a map, such as intel-snbep-imc, without folder and .yaml");
		return UNC_EMAP;
	}
	if (tree->n_files == UNC_MAP_MAX_FILES) {
		unc_found(c, said, "a base of a base of a base: more than %d files for one map", UNC_MAP_MAX_FILES);
		return UNC_EMAP;
	}
	if (tree->built_in[said->file])
		dir = NULL; /* a built-in map does not change because of a file in a folder */
	/* A file that is already part of the chain is passed over, so that a map may change the built-in one of its own name. */
	built_in = is_used(tree, name, true) ? NULL : unc_map_built_in(name);
	if (dir && !is_used(tree, name, false))
		rc = hold_file(c->ctx, dir, name, ".yaml", &base);
	if (rc == UNC_ENODEV && built_in)
		rc = hold_built_in(c->ctx, built_in, &base);
	if (rc == UNC_ENODEV) {
		if (is_used(tree, name, true) || is_used(tree, name, false))
			unc_found(c, said,
				  "base %.80s leads back to a file that is based on this one; one must have no base",
				  name);
		else if (dir)
			unc_found(c, said, "there is no map %.80s to be the base, neither in %s nor built in", name,
				  dir);
		else
			unc_found(c, said, "there is no built-in map %.80s to be the base", name);
		return UNC_EMAP;
	}
	if (rc == 0)
		rc = unc_map_tree_add(c->ctx, &base, NULL, tree, ret_root);
	if (rc == UNC_EMAP)
		unc_found_yaml(c, base.path);
	release(&base);
	return rc;
}

int unc_map_tree_rebase(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree *tree)
{
	struct unc_yaml *roots[UNC_MAP_MAX_FILES] = {tree->root}; /* the file's own, its base's... */
	const struct unc_yaml *said;
	unsigned n = 1;
	int rc = 0;

	while (rc == 0 && c->errors == 0 && (said = unc_yaml_get(roots[n - 1], "base")) != NULL) {
		rc = read_base(c, file->dir, said, tree, &roots[n]);
		if (rc == 0)
			unc_map_check_head(c, roots[n++]);
	}
	if (rc < 0 || c->errors > 0) {
		while (n-- > 1)
			unc_yaml_free(roots[n]);
		return rc;
	}
	for (; n > 1; n--) {
		struct unc_yaml *under = roots[n - 1], *top = roots[n - 2];

		c->check = "sources_kept";
		map_check_sources_kept(c, under, top);
		c->check = "none_removes";
		map_overlay(c, under, top);
		unc_yaml_free(top);
		roots[n - 2] = under;
	}
	tree->root = roots[0];
	return 0;
}

/* Finds the maps that fit this CPU: heads first, then those that fit as a whole; and all metrics. */

struct loader {
	struct unc_ctx *ctx;
	const struct unc_cpu_id *cpu;
	const char *dir; /* NULL: none */
	struct unc_map *map;
	char refused[600]; /* why a part that is known cannot be driven; "": no map says so */
	char unit[40];     /* what was refused: a map from dir may drive it all the same */
};

/* The map owns the unit from then on, but not if this fails. */
static int add_unit(struct loader *l, struct unc_unit *unit)
{
	struct unc_unit *old = (struct unc_unit *)unc_map_unit(l->map, unit->name);

	if (old && old->loaded == unit->loaded)
		return unc_fail(l->ctx, UNC_EMAP,
				"%s:%u: another map for unit %s of this CPU; the first is %s:%u; keep one", unit->path,
				unit->line, unit->name, old->path, old->line);
	if (old) {
		unc_unit_clear(old);
		*old = *unit;
		return 0;
	}
	if (!unc_array_add(&l->map->units, &l->map->n_units, unit, sizeof(*unit)))
		return unc_fail(l->ctx, UNC_ENOMEM, "%s: out of memory", unit->path);
	return 0;
}

static int load_metrics(struct loader *l, const struct unc_map_file *file)
{
	struct unc_checker c = {.ctx = l->ctx};
	struct unc_metrics metrics = {0};
	int rc = unc_metrics_examine(&c, file, &metrics);

	return rc < 0 ? rc : unc_map_add_metrics(l->ctx, l->map, &metrics);
}

typedef int use_fn(struct loader *l, const struct unc_map_file *file);

/* Loads a map that fits. */
static int use_fitting(struct loader *l, const struct unc_map_file *file)
{
	struct unc_checker c = {.ctx = l->ctx};
	struct unc_map_tree *head;
	struct unc_unit unit = {0};
	bool fits = false;
	int rc;

	/* A built-in map names the vendor of its CPUs.  Most name another vendor, and need not be parsed. */
	if (!file->loaded && !strstr(file->text, l->cpu->vendor))
		return 0;
	if (unc_metrics_known(l->ctx, file)) /* built-in ones are loaded when they are first requested */
		return file->loaded ? load_metrics(l, file) : 0;
	rc = unc_map_tree_parse(l->ctx, file, "cpus", &head);
	if (rc < 0)
		return rc;
	c.tree = head;
	unc_map_check_head(&c, head->root);
	rc = c.errors ? UNC_EMAP : unc_cpus_match(l->ctx, unc_yaml_get(head->root, "cpus"), l->cpu, &fits);
	unc_map_tree_free(head);
	if (rc < 0 || !fits)
		return rc;
	c = (struct unc_checker){.ctx = l->ctx};
	rc = unc_map_examine(&c, file, &unit);
	if (rc == 0 && unit.refused) {
		snprintf(l->refused, sizeof(l->refused), "%.60s: %.530s", unit.title, unit.refused);
		snprintf(l->unit, sizeof(l->unit), "%s", unit.name);
	} else if (rc == 0) {
		rc = add_unit(l, &unit);
	}
	if (rc < 0 || unit.refused)
		unc_unit_clear(&unit);
	return rc;
}

/* Loads a map for any CPU, and any unit as often as there are maps for it. */
static int use_any(struct loader *l, const struct unc_map_file *file)
{
	struct unc_checker c = {.ctx = l->ctx};
	struct unc_unit unit = {0};
	int rc;

	if (unc_metrics_known(l->ctx, file))
		return 0;
	rc = unc_map_examine(&c, file, &unit);
	if (rc < 0 || unc_array_add(&l->map->units, &l->map->n_units, &unit, sizeof(unit)))
		return rc;
	unc_unit_clear(&unit);
	return unc_fail(l->ctx, UNC_ENOMEM, "%s: out of memory", file->path);
}

static int use_metrics(struct loader *l, const struct unc_map_file *file)
{
	return unc_metrics_known(l->ctx, file) ? load_metrics(l, file) : 0;
}

static int use_built_in(struct loader *l, size_t i, use_fn *use)
{
	struct unc_map_file file;
	int rc = hold_built_in(l->ctx, &unc_maps_built_in[i], &file);

	if (rc < 0)
		return rc;
	rc = use(l, &file);
	release(&file);
	return rc;
}

/* All maps, up to the first that fails: the built-in ones, then those of the folder. */
static int use_each(struct loader *l, use_fn *use)
{
	const char *const *names;
	size_t n;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < unc_n_maps_built_in; i++)
		rc = use_built_in(l, i, use);
	if (rc < 0 || !l->dir)
		return rc;
	rc = unc_files_list(l->ctx, l->dir, &names, &n);
	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t len = strlen(names[i]);
		struct unc_map_file file;

		if (names[i][0] == '.' || len <= 5 || strcmp(names[i] + len - 5, ".yaml") != 0)
			continue;
		rc = hold_file(l->ctx, l->dir, names[i], "", &file);
		if (rc < 0)
			break;
		rc = use(l, &file);
		release(&file);
	}
	free((void *)names);
	return rc;
}

static int say_no_counters(struct loader *l)
{
	const struct unc_cpu_id *cpu = l->cpu;

	l->map->no_counters = unc_text_new(
		"%s family %u model 0x%x stepping %u: %s", cpu->vendor, cpu->family, cpu->model, cpu->stepping,
		l->refused[0] ? l->refused
			      : "no register map fits this CPU; `uncorectl maps list` shows those there are, "
				"--regs DIR adds one, see uncorectl-regs(5)");
	return l->map->no_counters ? 0 : unc_fail(l->ctx, UNC_ENOMEM, "register maps: out of memory");
}

static int load(struct loader *l, use_fn *use, struct unc_map **ret_map)
{
	bool has_counters = false;
	int rc;

	l->map = calloc(1, sizeof(*l->map));
	if (!l->map)
		return unc_fail(l->ctx, UNC_ENOMEM, "register maps: out of memory");
	rc = use_each(l, use);
	for (size_t i = 0; i < l->map->n_units; i++)
		has_counters |= l->map->units[i].counter_bits != 0;
	/* A part is refused as a whole, although its other counters may be known. */
	if (rc == 0 && l->cpu && (!has_counters || (l->refused[0] && !unc_map_unit(l->map, l->unit))))
		rc = say_no_counters(l);
	if (rc < 0)
		unc_map_free(l->map);
	else
		*ret_map = l->map;
	return rc;
}

int unc_map_load(struct unc_ctx *ctx, const struct unc_cpu_id *cpu, const char *map_dir, struct unc_map **ret_map)
{
	return load(&(struct loader){.ctx = ctx, .cpu = cpu, .dir = map_dir}, use_fitting, ret_map);
}

int unc_map_load_all(struct unc_ctx *ctx, const char *map_dir, struct unc_map **ret_map)
{
	return load(&(struct loader){.ctx = ctx, .dir = map_dir}, use_any, ret_map);
}

int unc_map_metrics_to(struct unc_ctx *ctx, struct unc_map *map, const char *unit, const char *name)
{
	struct loader l = {.ctx = ctx, .map = map};
	int rc = 0;

	for (; map->n_metrics_asked < unc_n_maps_built_in && rc == 0; map->n_metrics_asked++) {
		/* For the events of a catalogue they are in another file than for those of maps. */
		if (name && !map->catalogue && unc_map_metric(map, unit, name))
			break;
		rc = use_built_in(&l, map->n_metrics_asked, use_metrics);
	}
	return rc < 0 ? rc : unc_map_resolve_metrics(ctx, map);
}

int unc_map_metrics(struct unc_ctx *ctx, struct unc_map *map)
{
	return map->n_metrics_asked < unc_n_maps_built_in ? unc_map_metrics_to(ctx, map, NULL, NULL) : 0;
}

void unc_map_free(struct unc_map *map)
{
	if (!map)
		return;
	for (size_t i = 0; i < map->n_units; i++)
		unc_unit_clear(&map->units[i]);
	free(map->units);
	free(map->no_counters);
	free(map->catalogue);
	unc_map_free_metrics(map);
	free(map);
}

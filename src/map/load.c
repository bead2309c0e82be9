// SPDX-License-Identifier: GPL-2.0-or-later
/* Combines what one file says with what its base says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"
#include "map/check.h"
#include "map/parse.h"
#include "map/metric.h"

static bool is_none(const struct unc_yaml *node)
{
	const char *text = unc_yaml_text(node);

	return text && strcmp(text, "none") == 0;
}

static struct unc_yaml **find_slot(struct unc_yaml *map, const char *key)
{
	struct unc_yaml **slot = &map->child;

	while (*slot && strcmp((*slot)->key, key) != 0)
		slot = &(*slot)->next;
	return slot;
}

static void replace(struct unc_yaml **slot, struct unc_yaml *by)
{
	struct unc_yaml *old = *slot;

	by->next = old->next;
	old->next = NULL;
	*slot = by;
	unc_yaml_free(old);
}

static void remove_slot(struct unc_yaml **slot)
{
	struct unc_yaml *old = *slot;

	*slot = old->next;
	old->next = NULL;
	unc_yaml_free(old);
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
		struct unc_yaml *child = top->child, **slot = find_slot(under, child->key);

		top->child = child->next;
		child->next = NULL;
		if (!*slot && is_none(child))
			unc_found(c, child, "%s: none, but no base has it; leave the line out", child->key);
		if (!*slot) {
			*slot = child;
		} else if (is_none(child)) {
			remove_slot(slot);
			unc_yaml_free(child);
		} else if ((*slot)->kind == UNC_YAML_MAP && child->kind == UNC_YAML_MAP) {
			map_overlay(c, *slot, child);
			unc_yaml_free(child);
		} else {
			replace(slot, child);
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

static bool name_is_plain(const char *name)
{
	return name[0] && strlen(name) == strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_");
}

static bool is_used(const struct unc_map_tree *tree, const char *name, bool built_in)
{
	for (unsigned i = 0; i < tree->n_files; i++) {
		if (tree->built_in[i] == built_in && strcmp(tree->name[i], name) == 0)
			return true;
	}
	return false;
}

struct found { /* a base */
	struct unc_map_file file;
	char *path, *text; /* owned; text: NULL for a built-in map */
};

static void found_clear(struct found *base)
{
	free(base->path);
	free(base->text);
	memset(base, 0, sizeof(*base));
}

static int find_in_dir(struct unc_ctx *ctx, const char *dir, const char *file_name, struct found *base)
{
	int rc;

	base->path = unc_map_join(dir, "/", file_name);
	if (!base->path)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", file_name);
	rc = unc_files_read(ctx, base->path, UNC_YAML_MAX_BYTES, UNC_TRUST_OWNED, &base->text, &base->file.len);
	if (rc < 0) {
		found_clear(base);
		return rc;
	}
	base->file.path = base->path;
	base->file.text = base->text;
	base->file.loaded = true;
	return 0;
}

static int find_built_in(struct unc_ctx *ctx, const char *name, const char *file_name, struct found *base)
{
	const struct unc_map_text *map = unc_map_built_in(name);

	if (!map)
		return UNC_ENODEV;
	base->path = unc_map_join("regs/", file_name, " (built in)");
	if (!base->path)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", file_name);
	base->file = (struct unc_map_file){.path = base->path, .text = map->text, .len = map->len};
	return 0;
}

/*
 * Looks in the folder, then among the built-in maps.  A file that is already part of the chain is passed over, so that
 * a map may change the built-in one of its own name.  UNC_ENODEV (perhaps without a message): there is none.
 */
static int find_base(struct unc_ctx *ctx, const struct unc_map_tree *tree, const char *dir, const char *name,
		     struct found *base)
{
	char *file_name = unc_map_join(name, ".yaml", "");
	int rc = UNC_ENODEV;

	if (!file_name)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", name);
	if (dir && !is_used(tree, name, false))
		rc = find_in_dir(ctx, dir, file_name, base);
	if (rc == UNC_ENODEV && !is_used(tree, name, true))
		rc = find_built_in(ctx, name, file_name, base);
	free(file_name);
	return rc;
}

static void report_no_base(struct unc_checker *c, const char *dir, const struct unc_yaml *said)
{
	const char *name = said->text;

	if (is_used(c->tree, name, true) || is_used(c->tree, name, false))
		unc_found(c, said, "base %.80s leads back to a file that is based on this one; one must have no base",
			  name);
	else if (dir)
		unc_found(c, said, "there is no map %.80s to be the base, neither in %s nor built in", name, dir);
	else
		unc_found(c, said, "there is no built-in map %.80s to be the base", name);
}

/* Checks that the value is a name, and that there is room for one more file. */
static bool base_possible(struct unc_checker *c, const struct unc_yaml *said, const struct unc_map_tree *tree)
{
	const char *name = unc_yaml_text(said);

	if (!name || !name_is_plain(name))
		unc_found(c, said,
			  "base is to be the name of a map, such as intel-snbep-imc, without folder and .yaml");
	else if (tree->n_files == UNC_MAP_MAX_FILES)
		unc_found(c, said, "a base of a base of a base: more than %d files for one map", UNC_MAP_MAX_FILES);
	else
		return true;
	return false;
}

/* Reads the base that this node names.  *ret_root stays NULL when a fault was reported. */
static int read_base(struct unc_checker *c, const char *dir, const struct unc_yaml *said, struct unc_map_tree *tree,
		     struct unc_yaml **ret_root)
{
	struct found base = {0};
	int rc;

	c->check = "base_found";
	if (!base_possible(c, said, tree))
		return 0;
	if (tree->built_in[said->file])
		dir = NULL; /* a built-in map does not change because of a file in a folder */
	rc = find_base(c->ctx, tree, dir, said->text, &base);
	if (rc == UNC_ENODEV) {
		report_no_base(c, dir, said);
		return 0;
	}
	if (rc == 0)
		rc = unc_map_tree_add(c->ctx, &base.file, NULL, tree, ret_root);
	if (rc == UNC_EMAP) {
		unc_found_yaml(c, base.path);
		rc = 0;
	}
	found_clear(&base);
	return rc;
}

/* roots[0] is the file's own; the other *ret_n - 1 are the caller's to free, whatever is returned. */
static int read_chain(struct unc_checker *c, const char *dir, struct unc_map_tree *tree, struct unc_yaml **roots,
		      unsigned *ret_n)
{
	const struct unc_yaml *said;
	unsigned n = 1;
	int rc = 0;

	while (rc == 0 && c->errors == 0 && (said = unc_yaml_get(roots[n - 1], "base")) != NULL) {
		struct unc_yaml *root = NULL;

		rc = read_base(c, dir, said, tree, &root);
		if (!root)
			break;
		roots[n++] = root;
		unc_map_check_head(c, root);
	}
	*ret_n = n;
	return rc;
}

int unc_map_tree_rebase(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree *tree)
{
	struct unc_yaml *roots[UNC_MAP_MAX_FILES] = {tree->root};
	unsigned n;
	int rc = read_chain(c, file->dir, tree, roots, &n);

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
	char titles[600];  /* of the maps that do not fit, for the message when none does */
	char refused[600]; /* why a part that is known cannot be driven; "": no map says so */
};

/* The first fault becomes the message. */
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

/* Names each part once, as far as there is room; a map for several parts names them all: "Haswell-EP, Broadwell-EP". */
static void remember_title(struct loader *l, const char *title)
{
	while (*title) {
		size_t len = strcspn(title, ",");

		unc_text_enlist(l->titles, sizeof(l->titles), title, len);
		title += len;
		title += strspn(title, ", ");
	}
}

/* A map for every CPU with some property is not found by name. */
static bool names_a_part(const struct unc_yaml *root)
{
	const struct unc_yaml *cpus = unc_yaml_get(root, "cpus");

	for (const struct unc_yaml *cpu = cpus ? cpus->child : NULL; cpu; cpu = cpu->next)
		if (unc_yaml_get(cpu, "model"))
			return true;
	return false;
}

/* Only for the message: a title that cannot be read is left out. */
static void read_title(struct loader *l, const struct unc_map_file *file)
{
	struct unc_saved_msg saved;
	struct unc_yaml *root;
	const char *title;

	unc_msg_save(l->ctx, &saved);
	if (unc_yaml_parse_head(l->ctx, file->path, file->text, file->len, "title", &root) == 0) {
		title = unc_yaml_text(unc_yaml_get(root, "title"));
		if (title && names_a_part(root) && !unc_yaml_get(root, "refused"))
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

/* The map owns the unit from then on, but not if this fails. */
static int add_unit(struct loader *l, struct unc_unit *unit)
{
	struct unc_unit *old = find_unit(l->map, unit->name);

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

	if (rc == 0 && unit.refused)
		snprintf(l->refused, sizeof(l->refused), "%.60s: %.530s", unit.title, unit.refused);
	else if (rc == 0)
		rc = add_unit(l, &unit);
	if (rc < 0 || unit.refused)
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
		return file->loaded ? load_metrics(l, file)
				    : 0; /* built-in ones are loaded when they are first requested */
	rc = head_fits(l, file, &fits);
	if (rc == 0 && fits)
		rc = load_whole(l, file);
	return rc;
}

static int use_built_in(struct loader *l, size_t i, int (*use)(struct loader *l, const struct unc_map_file *file))
{
	const struct unc_map_text *map = &unc_maps_built_in[i];
	char *path = unc_map_join("regs/", map->name, ".yaml (built in)");
	int rc;

	if (!path)
		return unc_fail(l->ctx, UNC_ENOMEM, "register maps: out of memory");
	rc = use(l, &(struct unc_map_file){.path = path, .text = map->text, .len = map->len});
	free(path);
	return rc;
}

static int each_built_in(struct loader *l, int (*use)(struct loader *l, const struct unc_map_file *file))
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < unc_n_maps_built_in; i++)
		rc = use_built_in(l, i, use);
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
	const struct unc_cpu_id *cpu = l->cpu;
	char sentence[UNC_MSG_MAX];
	int len, rc = UNC_OK;

	len = snprintf(sentence, sizeof(sentence), "%s family %u model 0x%x stepping %u: ", cpu->vendor, cpu->family,
		       cpu->model, cpu->stepping);
	if (!l->refused[0])
		rc = each_built_in(l, use_title);
	if (!l->refused[0] && rc == 0 && l->dir)
		rc = each_in_dir(l, use_title);
	if (rc < 0)
		return rc;
	if (l->refused[0])
		snprintf(sentence + len, sizeof(sentence) - (size_t)len, "%s", l->refused);
	else
		snprintf(sentence + len, sizeof(sentence) - (size_t)len,
			 "no register map fits this CPU; there are maps for %s; --regs DIR adds one from a file "
			 "(regs/README.md is the format)",
			 l->titles[0] ? l->titles : "none");
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

static bool has_metric(const struct unc_map *map, const char *unit, const char *name)
{
	for (size_t i = 0; i < map->n_metrics; i++)
		if (strcmp(map->metrics[i].unit, unit) == 0 && strcmp(map->metrics[i].name, name) == 0)
			return true;
	return false;
}

int unc_map_metrics_to(struct unc_ctx *ctx, struct unc_map *map, const char *unit, const char *name)
{
	struct loader l = {.ctx = ctx, .map = map};
	int rc = 0;

	for (; map->n_metrics_asked < unc_n_maps_built_in && rc == 0; map->n_metrics_asked++) {
		if (name && has_metric(map, unit, name))
			break;
		rc = use_built_in(&l, map->n_metrics_asked, use_metrics);
	}
	return rc < 0 ? rc : unc_map_resolve_metrics(ctx, map);
}

int unc_map_metrics(struct unc_ctx *ctx, struct unc_map *map)
{
	return map->n_metrics_asked < unc_n_maps_built_in ? unc_map_metrics_to(ctx, map, NULL, NULL) : 0;
}

/* Adds one more, for any CPU and unit. */
static int add_any(struct loader *l, const struct unc_map_file *file)
{
	struct unc_unit unit = {0};
	int rc;

	if (unc_metrics_known(l->ctx, file))
		return 0;
	rc = examine(l, file, &unit);
	if (rc == 0 && unc_array_add(&l->map->units, &l->map->n_units, &unit, sizeof(unit)))
		return 0;
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

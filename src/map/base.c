// SPDX-License-Identifier: GPL-2.0-or-later
/* `base:` - finding the file that a map is based on, and the one that is based on. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/err.h"
#include "map/overlay.h"

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
 * In the folder, and else among the built-in maps.  A file that is already part of the chain is passed over, so that a
 * map may change the built-in one of its own name.  UNC_ENODEV (perhaps without a sentence): there is none.
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
		unc_found(c, said, "base %.80s leads back to a file that is based on this one; one must stand alone",
			  name);
	else if (dir)
		unc_found(c, said, "there is no map %.80s to be the base, neither in %s nor built in", name, dir);
	else
		unc_found(c, said, "there is no built-in map %.80s to be the base", name);
}

/* Is what stands there a name, and is there room for one more file? */
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
		dir = NULL; /* what is built in does not change because a file lies somewhere */
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

/* roots[0] is the file's own; of the others *ret_n - 1 are the caller's to free, whatever comes back. */
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
		unc_map_check_sources_kept(c, under, top);
		c->check = "none_removes";
		unc_map_overlay(c, under, top);
		unc_yaml_free(top);
		roots[n - 2] = under;
	}
	tree->root = roots[0];
	return 0;
}

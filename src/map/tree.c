// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/text.h"

char *unc_map_join(const char *a, const char *b, const char *c)
{
	size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
	char *text = malloc(la + lb + lc + 1);

	if (!text)
		return NULL;
	memcpy(text, a, la);
	memcpy(text + la, b, lb);
	memcpy(text + la + lb, c, lc + 1);
	return text;
}

char *unc_map_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = unc_text_dup(slash ? slash + 1 : path);
	char *end = name ? strstr(name, ".yaml") : NULL;

	if (end)
		*end = '\0';
	return name;
}

const struct unc_map_text *unc_map_built_in(const char *name)
{
	for (size_t i = 0; i < unc_n_maps_built_in; i++) {
		if (strcmp(unc_maps_built_in[i].name, name) == 0)
			return &unc_maps_built_in[i];
	}
	return NULL;
}

void unc_map_tree_free(struct unc_map_tree *tree)
{
	if (!tree)
		return;
	unc_yaml_free(tree->root);
	for (unsigned i = 0; i < tree->n_files; i++) {
		free(tree->name[i]);
		free(tree->path[i]);
	}
	free(tree);
}

static void set_file(struct unc_yaml *node, unsigned file)
{
	for (; node; node = node->next) {
		node->file = file;
		set_file(node->child, file);
	}
}

int unc_map_tree_add(struct unc_ctx *ctx, const struct unc_map_file *file, const char *stop_key,
		     struct unc_map_tree *tree, struct unc_yaml **ret_root)
{
	unsigned index = tree->n_files;
	int rc;

	tree->path[index] = unc_text_dup(file->path);
	tree->name[index] = unc_map_name(file->path);
	tree->built_in[index] = !file->loaded;
	tree->n_files++;
	if (!tree->path[index] || !tree->name[index])
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", file->path);
	rc = stop_key ? unc_yaml_parse_head(ctx, file->path, file->text, file->len, stop_key, ret_root)
		      : unc_yaml_parse(ctx, file->path, file->text, file->len, ret_root);
	if (rc == 0)
		set_file(*ret_root, index);
	return rc;
}

int unc_map_tree_parse(struct unc_ctx *ctx, const struct unc_map_file *file, const char *stop_key,
		       struct unc_map_tree **ret_tree)
{
	struct unc_map_tree *tree = calloc(1, sizeof(*tree));
	int rc;

	if (!tree)
		return unc_fail(ctx, UNC_ENOMEM, "%s: out of memory", file->path);
	rc = unc_map_tree_add(ctx, file, stop_key, tree, &tree->root);
	if (rc < 0) {
		unc_map_tree_free(tree);
		return rc;
	}
	*ret_tree = tree;
	return 0;
}

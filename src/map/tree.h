/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map file and the files it is based on, as one YAML tree. */
#ifndef UNC_MAP_TREE_H
#define UNC_MAP_TREE_H

#include "base/yaml.h"
#include "map/map.h"

enum { UNC_MAP_MAX_FILES = 8 }; /* a file, its base, the base of that... */

struct unc_map_file {     /* one text to be read; nothing is owned */
	const char *path; /* for sentences */
	const char *text;
	size_t len;
	const char *dir; /* where its bases are looked for before the built-in ones; NULL: nowhere */
	bool loaded;     /* it was not built in */
};

struct unc_map_tree {
	struct unc_yaml *root;                                   /* owned; .file of each node is an index of path[] */
	char *name[UNC_MAP_MAX_FILES], *path[UNC_MAP_MAX_FILES]; /* owned */
	bool built_in[UNC_MAP_MAX_FILES];
	unsigned n_files;
};

struct unc_checker;

/* "intel-snbep-imc" of "regs/intel-snbep-imc.yaml (built in)"; NULL: out of memory.  free() it. */
char *unc_map_name(const char *path);
/* The pieces joined.  NULL: out of memory; free() it. */
char *unc_map_join(const char *a, const char *b, const char *c);
/* The built-in map of that name; NULL: there is none. */
const struct unc_map_text *unc_map_built_in(const char *name);

/* Parses one more file and adds its name and path to the tree; the root is the caller's.  As unc_map_tree_parse(). */
int unc_map_tree_add(struct unc_ctx *ctx, const struct unc_map_file *file, const char *stop_key,
		     struct unc_map_tree *tree, struct unc_yaml **ret_root);
/* Parses a file, or with stop_key only its head.  UNC_EMAP: no such YAML; UNC_ENOMEM. */
int unc_map_tree_parse(struct unc_ctx *ctx, const struct unc_map_file *file, const char *stop_key,
		       struct unc_map_tree **ret_tree);
/*
 * Puts the tree on its base, and that on its own; to be called once.  What is wrong is reported through the checker.
 * UNC_ENOMEM, or what reading a base failed with.
 */
int unc_map_tree_rebase(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree *tree);
void unc_map_tree_free(struct unc_map_tree *tree);

#endif

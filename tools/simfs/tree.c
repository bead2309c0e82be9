// SPDX-License-Identifier: GPL-2.0-or-later
#define _GNU_SOURCE
#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"

enum { BLOCK = 65536 };

/* FNV-1a. */
static uint32_t hash_of(uint32_t parent, const char *name)
{
	uint32_t hash = UINT32_C(2166136261) ^ parent;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
	return hash ^ hash >> 15;
}

static void hash_in(struct tree *tree, uint32_t ino)
{
	struct node *node = &tree->nodes[ino];
	uint32_t *head = &tree->hash[hash_of(node->parent, node->name) & (tree->n_hash - 1)];

	node->hash_next = *head;
	*head = ino;
}

/* As many heads as nodes, at least: a name is found at the first or second look. */
static bool hash_grow(struct tree *tree)
{
	size_t n_hash = tree->n_hash ? 2 * tree->n_hash : 1024;
	uint32_t *hash = calloc(n_hash, sizeof(*hash));

	if (!hash)
		return false;
	free(tree->hash);
	tree->hash = hash;
	tree->n_hash = n_hash;
	for (uint32_t ino = TREE_ROOT + 1; ino < tree->n; ino++)
		hash_in(tree, ino);
	return true;
}

static uint32_t node_new(struct tree *tree)
{
	struct node *nodes;

	if (tree->failed)
		return 0;
	nodes = unc_array_more(tree->nodes, tree->n, sizeof(*nodes));
	if (nodes)
		tree->nodes = nodes;
	if (!nodes || (tree->n >= tree->n_hash && !hash_grow(tree))) {
		tree->failed = true;
		return 0;
	}
	return (uint32_t)tree->n++;
}

static uint32_t add(struct tree *tree, uint32_t parent, const char *name)
{
	uint32_t ino = parent && name ? node_new(tree) : 0;
	struct node *node, *folder;

	if (!ino)
		return 0;
	node = &tree->nodes[ino];
	folder = &tree->nodes[parent];
	node->name = name;
	node->parent = parent;
	if (folder->last)
		tree->nodes[folder->last].next = ino;
	else
		folder->first = ino;
	folder->last = ino;
	hash_in(tree, ino);
	return ino;
}

void tree_init(struct tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	node_new(tree); /* inode 0 is none */
	if (node_new(tree)) {
		tree->nodes[TREE_ROOT].name = "";
		tree->nodes[TREE_ROOT].parent = TREE_ROOT;
	}
}

void tree_clear(struct tree *tree)
{
	char *block = tree->names;

	while (block) {
		char *older;

		memcpy(&older, block, sizeof(older));
		free(block);
		block = older;
	}
	free(tree->nodes);
	free(tree->hash);
	memset(tree, 0, sizeof(*tree));
}

/* From the end of the newest block, whose first bytes point to the one before. */
const char *tree_name(struct tree *tree, const char *name)
{
	size_t size = strlen(name) + 1;

	if (tree->failed || size > BLOCK - sizeof(char *)) {
		tree->failed = true;
		return NULL;
	}
	if (size > tree->names_left) {
		char *block = malloc(BLOCK);

		if (!block) {
			tree->failed = true;
			return NULL;
		}
		memcpy(block, &tree->names, sizeof(tree->names));
		tree->names = block;
		tree->names_left = BLOCK - sizeof(char *);
	}
	tree->names_left -= size;
	return memcpy(tree->names + sizeof(char *) + tree->names_left, name, size);
}

uint32_t tree_folder(struct tree *tree, uint32_t parent, const char *name)
{
	uint32_t ino = add(tree, parent, tree_name(tree, name));

	if (ino)
		tree->nodes[parent].folders++;
	return ino;
}

uint32_t tree_folder_path(struct tree *tree, const char *path)
{
	uint32_t ino = TREE_ROOT;

	while (*path && !tree->failed) {
		size_t len = strcspn(path, "/");
		char name[256];
		uint32_t next;

		if (len >= sizeof(name)) {
			tree->failed = true;
			return 0;
		}
		memcpy(name, path, len);
		name[len] = '\0';
		next = tree_find(tree, ino, name);
		ino = next ? next : tree_folder(tree, ino, name);
		path += len + (path[len] == '/');
	}
	return tree->failed ? 0 : ino;
}

uint32_t tree_link(struct tree *tree, uint32_t parent, const char *name, const char *target)
{
	const char *copy = tree_name(tree, target);
	uint32_t ino = copy ? add(tree, parent, tree_name(tree, name)) : 0;

	if (ino)
		tree->nodes[ino].target = copy;
	return ino;
}

struct node *tree_file(struct tree *tree, uint32_t parent, const char *name, const struct file_type *type,
		       uint32_t which)
{
	uint32_t ino = add(tree, parent, name);

	if (!ino)
		return NULL;
	tree->nodes[ino].type = type;
	tree->nodes[ino].which = which;
	return &tree->nodes[ino];
}

uint32_t tree_find(const struct tree *tree, uint32_t parent, const char *name)
{
	uint32_t ino = tree->hash[hash_of(parent, name) & (tree->n_hash - 1)];

	while (ino && (tree->nodes[ino].parent != parent || strcmp(tree->nodes[ino].name, name) != 0))
		ino = tree->nodes[ino].hash_next;
	return ino;
}

const struct node *tree_node(const struct tree *tree, uint64_t ino)
{
	return ino >= TREE_ROOT && ino < tree->n ? &tree->nodes[ino] : NULL;
}

mode_t tree_mode(const struct node *node)
{
	if (node->target)
		return S_IFLNK | 0777;
	return node->type ? S_IFREG | node->type->mode : S_IFDIR | 0755;
}

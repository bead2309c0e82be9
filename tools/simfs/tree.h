/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is where.  The tree is built once and does not change: a machine's CPUs and functions are there from the start.
 * Inode numbers are places in one array, names are found through one hash table of (folder, name).
 */
#ifndef SIMFS_TREE_H
#define SIMFS_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fs;
struct handle;
struct out;
struct node;

/* One table per kind of file.  A file has either print() or read(). */
struct file_type {
	mode_t mode; /* permissions */
	unsigned
		shown_size; /* what stat() says: 4096 in sysfs, 0 in procfs and devices; a node's own size goes before */
	/* The whole content, of the moment when it is opened.  0 or -errno. */
	int (*print)(struct fs *fs, const struct node *node, struct out *out);
	/* NULL: opening needs no more than the permissions.  0 or -errno. */
	int (*open)(struct fs *fs, struct handle *handle);
	/* Bytes, or -errno. */
	int (*read)(struct fs *fs, const struct handle *handle, uint64_t off, char *buf, size_t len);
	int (*write)(struct fs *fs, const struct handle *handle, uint64_t off, const char *buf, size_t len);
	void (*close)(struct fs *fs, const struct handle *handle); /* NULL: nothing is to be done */
};

struct node {
	const char *name;                   /* static, or the tree's */
	const struct file_type *type;       /* NULL: a folder, or a symbolic link */
	const char *target;                 /* of a symbolic link; the tree's */
	uint32_t parent, first, last, next; /* 0: none; the root is 1 */
	uint32_t hash_next;
	uint32_t folders; /* folders in a folder */
	uint32_t size;    /* of a file, if not 0 */
	uint32_t which;   /* CPU, function or node: the place in the machine's list */
	uint32_t part;    /* cache index */
};

struct tree {
	struct node *nodes; /* by inode number; owned */
	size_t n;
	uint32_t *hash; /* heads; owned */
	size_t n_hash;  /* a power of two */
	char *names;    /* the newest block of names, the older ones chained; owned */
	size_t names_left;
	bool failed; /* out of memory, or a path too long: what is there is not whole */
};

enum { TREE_ROOT = 1 };

void tree_init(struct tree *tree);
void tree_clear(struct tree *tree);

/* Names are copied when they are not static.  Each is the new inode, or 0 after a failure, which the tree remembers. */
uint32_t tree_folder(struct tree *tree, uint32_t parent, const char *name);
uint32_t tree_folder_path(struct tree *tree, const char *path); /* "sys/bus/pci": with what is missing on the way */
uint32_t tree_link(struct tree *tree, uint32_t parent, const char *name, const char *target);
/* name stays where it is. */
struct node *tree_file(struct tree *tree, uint32_t parent, const char *name, const struct file_type *type,
		       uint32_t which);
const char *tree_name(struct tree *tree, const char *name); /* a copy that lives as long as the tree */

/* 0: there is none. */
uint32_t tree_find(const struct tree *tree, uint32_t parent, const char *name);
/* NULL: no such inode. */
const struct node *tree_node(const struct tree *tree, uint64_t ino);
mode_t tree_mode(const struct node *node); /* with its type */

#endif

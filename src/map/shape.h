/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which keys a map file may have, where, and what their values look like: regs/README.md as tables. */
#ifndef UNC_MAP_SHAPE_H
#define UNC_MAP_SHAPE_H

#include "base/yaml.h"
#include "map/map.h"

enum unc_shape {
	UNC_IS_TEXT,    /* anything but nothing */
	UNC_IS_WORD,    /* one of .words */
	UNC_IS_NUMBER,  /* whole, decimal or 0x-hex, at most .max */
	UNC_IS_REAL,    /* decimal, not negative */
	UNC_IS_NUMBERS, /* a CPU-list of numbers, "0-3,5", each at most .max */
	UNC_IS_BITS,    /* one bit number, or [high, low]; at most .max */
	UNC_IS_RANGE,   /* [low, high]; at most .max */
	UNC_IS_SPAN,    /* a number, or [low, high]; at most .max */
	UNC_IS_OFFSET,  /* a number, or a record */
	UNC_IS_RECORD,  /* a mapping with the keys .sub */
	UNC_IS_LIST,    /* a list of such records */
	UNC_IS_RECORDS, /* one such record, or a list of them */
	UNC_IS_TABLE,   /* a mapping of names to such records */
	UNC_IS_VALUES,  /* a mapping of names to UNC_IS_SERIES */
	UNC_IS_SERIES,  /* a number, or a list of them */
	UNC_IS_NAMES,   /* a list of names */
	UNC_IS_TEXTS,   /* a mapping of names to texts */
	UNC_IS_WORDS,   /* a mapping of names to words, each one of .words */
	UNC_IS_CHOICES, /* a mapping of names to choices */
	UNC_IS_CHOICE,  /* a text, or a list of texts of which one is taken */
};

struct unc_key {
	const char *name; /* or several of one kind, "imc, channel"; NULL ends a table */
	enum unc_shape shape;
	bool required;
	const char *unless; /* another key: with that one, it is not required */
	uint64_t max;
	const char *const *words; /* NULL ends it */
	const char *words_check;  /* the check that reports another word; NULL: "word_known" */
	const struct unc_key *sub;
};

/* The whole file, a record: a map, and a file of metrics. */
extern const struct unc_key unc_map_keys;
extern const struct unc_key unc_metrics_keys;

extern const char *const unc_words_access[]; /* in the order of enum unc_acc */
extern const char *const unc_words_space[];  /* in the order of enum unc_kind */
extern const char *const unc_words_bus[];    /* in the order of enum unc_ubox_bus from UNC_BUS_LOWER on */
extern const char *const unc_words_found[];  /* in the order of enum unc_window_way, then "cpuid" */
extern const char *const unc_words_per[];    /* in the order of enum unc_scope from UNC_PER_NODE on */

/* The key of that name in such a table; NULL: there is none. */
const struct unc_key *unc_key_find(const struct unc_key *keys, const char *name);
/* Where the word stands in the list, or -1. */
int unc_word_find(const char *const *words, const char *word);

/* A map file and the files it is based on, as one YAML tree. */

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

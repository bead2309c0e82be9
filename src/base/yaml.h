/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * YAML text in memory as a tree that remembers lines.  Strict and bounded, because such files control what is done as
 * root: one document, no anchors, aliases or tags, no key twice in a mapping, limited size and depth.
 */
#ifndef UNC_BASE_YAML_H
#define UNC_BASE_YAML_H

#include "uncore.h"

enum { UNC_YAML_MAX_BYTES = 1 << 20, UNC_YAML_MAX_DEPTH = 16, UNC_YAML_MAX_NODES = 100000 };

enum unc_yaml_kind { UNC_YAML_SCALAR, UNC_YAML_LIST, UNC_YAML_MAP };

struct unc_yaml {
	enum unc_yaml_kind kind;
	unsigned line;          /* from 1 */
	unsigned file;          /* for callers that combine trees: index of its text; 0 as parsed */
	char *key;              /* in a mapping: this child's key; else NULL; in the node's own memory */
	unsigned key_line;      /* line of the key; 0 without a key */
	char *text;             /* UNC_YAML_SCALAR; in the node's own memory */
	struct unc_yaml *child; /* first of a list or mapping; owned */
	struct unc_yaml *next;  /* sibling; owned by the parent */
};

/*
 * Parses a whole text.  name is put in front of each message ("name:LINE: ..."). UNC_EMAP: not such YAML; UNC_ENOMEM.
 * Free with unc_yaml_free().
 */
int unc_yaml_parse(struct unc_ctx *ctx, const char *name, const char *text, size_t len, struct unc_yaml **ret_root);
/*
 * Parses a mapping until the value of its key stop_key is complete, and returns what was read so far: the head of a
 * long file, without the cost of the rest.  UNC_EMAP also if the key is missing.  stop_key NULL: the whole text.
 */
int unc_yaml_parse_head(struct unc_ctx *ctx, const char *name, const char *text, size_t len, const char *stop_key,
			struct unc_yaml **ret_root);
void unc_yaml_free(struct unc_yaml *node);

/* Returns the child of a mapping with that key, or NULL (also if node is NULL or not a mapping). */
const struct unc_yaml *unc_yaml_get(const struct unc_yaml *node, const char *key);
/* Returns the text of a scalar, or NULL if node is NULL or not a scalar. */
const char *unc_yaml_text(const struct unc_yaml *node);
/* Returns the number that a scalar is; otherwise: node is NULL, or not a number. */
uint64_t unc_yaml_number(const struct unc_yaml *node, uint64_t otherwise);
/* Returns the line where a value with its key begins. */
unsigned unc_yaml_line(const struct unc_yaml *node);

#endif

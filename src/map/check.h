/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a register map: tables of named checks. */
#ifndef UNC_MAP_CHECK_H
#define UNC_MAP_CHECK_H

#include "map/shape.h"

/* Reports one finding: FILE:LINE: error (CHECK): SENTENCE. */
typedef void unc_map_report_fn(void *arg, const char *file, unsigned line, const char *check, const char *sentence);

/*
 * Runs every check on a map file's text; path is what reports call it.  loaded: it was not built in, so that stricter
 * rules hold, and its `base:` is looked for in the folder of path before it is looked for among the built-in maps. What
 * is wrong in a base is reported with the path of the base.  *ret_errors counts the reports.
 * 0 also when errors were found; UNC_ENOMEM; UNC_EPERM, UNC_EIO, UNC_ERANGE: a base could not be read.
 */
int unc_map_check_text(struct unc_ctx *ctx, const char *path, const char *text, size_t len, bool loaded,
		       unc_map_report_fn *report, void *arg, unsigned *ret_errors);

/* Returns the name of the check with that number, counted from 0; NULL: there are no more. */
const char *unc_map_check_name(size_t number);

/* Shared by the checks.  Each is a function of one idea that reports every fault. */

struct unc_checker {
	struct unc_ctx *ctx;
	unc_map_report_fn *report; /* NULL: the first fault becomes the message */
	void *arg;
	unsigned errors;   /* reports so far */
	const char *check; /* that runs now */
	const struct unc_map_tree *tree;
	const struct unc_yaml *root; /* of the file, or of the file put on its bases */
	const struct unc_unit *unit; /* NULL while only the tree is known */
	const struct unc_reg *reg;   /* the register that is checked now, or whose field is */
	const char *path;            /* where the file says what is checked now, */
	unsigned line;               /* for unc_found_here() */
};

/* Reports a fault at a place, in the value at a node, or of the remark, register, field or event that is checked now. */
void unc_found_at(struct unc_checker *c, const char *path, unsigned line, const char *fmt, ...) UNC_PRINTF(4, 5);
#define unc_found(c, node, ...) unc_found_at(c, (c)->tree->path[(node)->file], unc_yaml_line(node), __VA_ARGS__)
#define unc_found_here(c, ...)  unc_found_at(c, (c)->path, (c)->line, __VA_ARGS__)

/*
 * Decides where to report what two items share: true for the second, if that is in the file itself, or if both are in
 * one file and it is the later one.
 */
bool unc_blame_second(const struct unc_unit *unit, const char *path1, unsigned line1, const char *path2,
		      unsigned line2);

/* Reports the fault that unc_yaml_parse() left in the context, as the check "yaml". */
void unc_found_yaml(struct unc_checker *c, const char *path);
/* Makes the tree of a file.  UNC_EMAP: it is not YAML, which was reported; UNC_ENOMEM. */
int unc_checked_tree(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree **ret_tree);

/*
 * Reads, checks and parses one map file and its bases.  Free *ret_unit with unc_unit_clear().  UNC_EMAP: something was
 * reported; UNC_ENOMEM; and the errors of reading a base.
 */
int unc_map_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_unit *ret_unit);
/* The checks of the head of a file, its format and cpus. */
void unc_map_check_head(struct unc_checker *c, const struct unc_yaml *root);
/* Runs all checks of the shape. */
void unc_map_check_shape(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node);

/* A check of the shape of the tree gets every key that may be there, with its value. */
typedef void unc_shape_check(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node);
void unc_shape_walk(struct unc_checker *c, unc_shape_check *check, const struct unc_key *key,
		    const struct unc_yaml *node);
unc_shape_check unc_check_unknown_key, unc_check_missing_key, unc_check_wrong_type, unc_check_bad_number;
unc_shape_check unc_check_words, unc_check_name_valid;

/* Without any function: reading the file finds the fault.  All but head and shape may rely on the shape. */
struct unc_check {
	const char *name; /* NULL ends a table */
	void (*head)(struct unc_checker *c);
	unc_shape_check *shape;
	/* The meaning of the unit as a whole, and of each of its registers, fields and events. */
	void (*unit)(struct unc_checker *c, const struct unc_unit *unit);
	void (*reg)(struct unc_checker *c, const struct unc_reg *reg);
	void (*field)(struct unc_checker *c, const struct unc_field *field);
	void (*event)(struct unc_checker *c, const struct unc_event *event);
	void (*metric)(struct unc_checker *c, const struct unc_yaml *metric);
};
extern const struct unc_check unc_unit_checks[], unc_event_checks[], unc_metric_checks[];

/* Checks that each part of "g_jkt p.62; krn" begins with a tag of the sources in c->root.  src: NULL is fine. */
void unc_check_src(struct unc_checker *c, const char *what, const char *src);

#endif

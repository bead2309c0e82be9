/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a register map: a table of named checks. */
#ifndef UNC_MAP_CHECK_H
#define UNC_MAP_CHECK_H

#include "base/yaml.h"
#include "map/map.h"
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

/* Returns the name of the check with that number, counted from 0, and its purpose; NULL: there are no more. */
const char *unc_map_check_name(size_t number, const char **ret_help);

/* Shared by the checks.  Each is a function of one idea that calls unc_found() for every fault. */

struct unc_checker {
	struct unc_ctx *ctx;
	unc_map_report_fn *report;
	void *arg;
	unsigned errors;   /* reports so far */
	const char *check; /* that runs now */
	const struct unc_map_tree *tree;
	const struct unc_yaml *root; /* of the file, or of the file put on its bases */
	const struct unc_unit *unit; /* NULL while only the tree is known */
};

/* Reports a fault in the value at that node. */
void unc_found(struct unc_checker *c, const struct unc_yaml *at, const char *fmt, ...) UNC_PRINTF(3, 4);
void unc_found_at(struct unc_checker *c, const char *path, unsigned line, const char *fmt, ...) UNC_PRINTF(4, 5);

/*
 * Decides where to report what two items share: true for the second, if that is in the file itself, or if both are in
 * one file and it is the later one.
 */
bool unc_blame_second(const struct unc_unit *unit, const char *path1, unsigned line1, const char *path2,
		      unsigned line2);
/* Reports the fault that unc_yaml_parse() left in the context, as the check "yaml". */
void unc_found_yaml(struct unc_checker *c, const char *path);
/* Returns the tree of a file; NULL: it is not YAML, which was reported.  UNC_ENOMEM. */
int unc_checked_tree(struct unc_checker *c, const struct unc_map_file *file, struct unc_map_tree **ret_tree);

/*
 * Reads, checks and parses one map file and its bases.  If something was reported, *ret_unit is all zeros; else free it
 * with unc_unit_clear().  0 also when errors were found; UNC_ENOMEM; and the errors of reading a base.
 */
int unc_map_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_unit *ret_unit);
/* The checks of the head of a file, its format and cpus. */
void unc_map_check_head(struct unc_checker *c, const struct unc_yaml *root);

/* The shape of the tree: each function gets every key that may be there, with its value. */
typedef void unc_shape_check(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node);
void unc_shape_walk(struct unc_checker *c, unc_shape_check *check, const struct unc_key *key,
		    const struct unc_yaml *node);
unc_shape_check unc_check_unknown_key, unc_check_missing_key, unc_check_wrong_type, unc_check_bad_number;
unc_shape_check unc_check_words, unc_check_name_valid;

/* Runs all checks of the shape; and for a file of metrics all checks of a metric, on each one. */
void unc_map_check_shape(struct unc_checker *c, const struct unc_key *key, const struct unc_yaml *node);
void unc_map_check_metrics(struct unc_checker *c, const struct unc_yaml *metrics);

/* The meaning of a metric; these may rely on the shape, and on c->root. */
typedef void unc_metric_check(struct unc_checker *c, const struct unc_yaml *metric);
unc_metric_check unc_check_metric_name, unc_check_metric_events, unc_check_metric_formula, unc_check_metric_source;

struct unc_place { /* the place of a src, for the report */
	const char *what, *path;
	unsigned line;
};
/* Checks that each part of "g_jkt p.62; krn" begins with a tag of the sources in c->root.  NULL is fine. */
void unc_check_src(struct unc_checker *c, const char *src, const struct unc_place *at);

/* The meaning of the unit; these may rely on the shape. */
typedef void unc_unit_check(struct unc_checker *c, const struct unc_unit *unit);
unc_unit_check unc_check_source_known, unc_check_register_has_source, unc_check_event_has_source;
unc_unit_check unc_check_register_aligned, unc_check_register_in_space, unc_check_registers_overlap;
unc_unit_check unc_check_field_bits, unc_check_fields_overlap, unc_check_fields_cover;
unc_unit_check unc_check_reset_fits, unc_check_write_fits, unc_check_write_whole_said;
unc_unit_check unc_check_event_field_known, unc_check_event_counters, unc_check_event_max_inc;
unc_unit_check unc_check_event_family, unc_check_event_names;
unc_unit_check unc_check_event_fixed, unc_check_event_unit, unc_check_event_unique;
unc_unit_check unc_check_instance_valid, unc_check_instances_unique;
unc_unit_check unc_check_bus_meant, unc_check_found_meant, unc_check_per_meant;
unc_unit_check unc_check_model_registers, unc_check_counter_bits_fit;
unc_unit_check unc_check_header_writable, unc_check_msr_writable;

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is wrong with a register map: a table of named checks. */
#ifndef UNC_MAP_CHECK_H
#define UNC_MAP_CHECK_H

#include "map/map.h"

/* One finding: FILE:LINE: error (CHECK): SENTENCE. */
typedef void unc_map_report_fn(void *arg, const char *file, unsigned line, const char *check, const char *sentence);

/*
 * Runs every check on a map file's text; path is what reports call it.  loaded: it was not built in, so that stricter
 * rules hold, and its `base:` is looked for in the folder of path before it is looked for among the built-in maps. What
 * is wrong in a base is reported with the path of the base.  *ret_errors counts the reports.
 * 0 also when errors were found; UNC_ENOMEM; UNC_EPERM, UNC_EIO, UNC_ERANGE: a base could not be read.
 */
int unc_map_check_text(struct unc_ctx *ctx, const char *path, const char *text, size_t len, bool loaded,
		       unc_map_report_fn *report, void *arg, unsigned *ret_errors);

/* The name of the check with that number, counted from 0, and what it is for; NULL: there are no more. */
const char *unc_map_check_name(size_t number, const char **ret_help);

#endif

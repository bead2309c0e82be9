/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a tree of the right shape to a unit. */
#ifndef UNC_MAP_PARSE_H
#define UNC_MAP_PARSE_H

#include "map/tree.h"

/* *ret_unit owns the tree from then on, its strings being the tree's.  UNC_ENOMEM: the tree is still the caller's. */
int unc_unit_parse(struct unc_ctx *ctx, struct unc_map_tree *tree, struct unc_unit *ret_unit);
void unc_unit_clear(struct unc_unit *unit); /* all zeros is fine */

#endif

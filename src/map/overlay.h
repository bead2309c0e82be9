/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting what one file says over what another says. */
#ifndef UNC_MAP_OVERLAY_H
#define UNC_MAP_OVERLAY_H

#include "map/checker.h"

/*
 * What top says goes over what under says: mappings key by key, all else as a whole, `none` takes away.  Both are
 * mappings; top is empty afterwards; the order is under's, then what is new.  Check: none_removes.
 */
void unc_map_overlay(struct unc_checker *c, struct unc_yaml *under, struct unc_yaml *top);
/*
 * Check sources_kept: does top give the name of one of under's documents to another?  Then `src: man p.79`, said of the
 * old one, would silently mean the new one.
 */
void unc_map_check_sources_kept(struct unc_checker *c, const struct unc_yaml *under, const struct unc_yaml *top);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Suggests event names for a name that does not exist. */
#ifndef UNC_PMON_NEAREST_H
#define UNC_PMON_NEAREST_H

#include "map/map.h"

/* Returns the least number of letters to insert, drop or replace to make b from a, ignoring case; at most 99. */
unsigned unc_text_distance(const char *a, const char *b);
/* Writes "cas_count.rd, cas_count.wr": up to four event names of a unit, the nearest first; "" if none is near.  Returns buf. */
const char *unc_nearest_events(const struct unc_unit *unit, const char *name, char *buf, size_t size);

#endif

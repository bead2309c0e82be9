/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which names somebody may have meant who wrote one that there is not. */
#ifndef UNC_PMON_NEAREST_H
#define UNC_PMON_NEAREST_H

#include "map/map.h"

/* The least number of letters to insert, drop or replace to make b of a, whatever their case; at most 99. */
unsigned unc_text_distance(const char *a, const char *b);
/* "cas_count.rd, cas_count.wr": up to four event names of a unit, the nearest first; "" where none is near.  Returns buf. */
const char *unc_nearest_events(const struct unc_unit *unit, const char *name, char *buf, size_t size);

#endif

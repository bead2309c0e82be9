/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bus around a bus for --dry-run: reads go through, writes stay in memory, and later reads see them as if they had
 * arrived.  The inner bus may be, and better is, open for reading only.
 */
#ifndef UNC_ACCESS_DRY_H
#define UNC_ACCESS_DRY_H

#include "access/access.h"

/* *ret_bus, which can be written, owns inner from then on.  UNC_ENOMEM: inner is still the caller's. */
int unc_dry_wrap(struct unc_bus *inner, struct unc_bus **ret_bus);

#endif

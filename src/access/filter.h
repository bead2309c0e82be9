/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bus around a bus, for filters that report, change or refuse accesses.  A filter implements the functions in which it is
 * interested; the others pass through to the inner bus.
 */
#ifndef UNC_ACCESS_FILTER_H
#define UNC_ACCESS_FILTER_H

#include "access/access.h"

struct unc_filter_bus { /* a filter's bus begins with it */
	struct unc_bus bus;
	struct unc_bus_ops
		ops; /* under the name of the inner bus, so that sentences are the same with and without a filter */
	struct unc_bus *inner; /* owned */
};

struct unc_filter_space {
	struct unc_space space;
	struct unc_space *inner; /* owned */
	void *own;               /* of the filter; freed with the space */
};

/*
 * Returns a bus of size bytes, zero after its first member, which owns inner; it can be written if inner can.  ops has read and
 * write; of list, space_open and claim those that are NULL pass through.  NULL: out of memory, and inner is closed.
 */
void *unc_filter_wrap(struct unc_bus *inner, const struct unc_bus_ops *ops, size_t size);

struct unc_bus *unc_filter_inner_bus(const struct unc_bus *bus);
struct unc_space *unc_filter_inner(const struct unc_space *space);
/* What passes through: for a filter that does something before or after it. */
int unc_filter_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space);
int unc_filter_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how);

/*
 * A bus around a bus for --dry-run: reads go through, writes stay in memory, and later reads see them as if they had
 * arrived.  The inner bus may be, and better is, open for reading only.  *ret_bus, which can be written, owns inner from then
 * on.  UNC_ENOMEM: inner is closed.
 */
int unc_dry_wrap(struct unc_bus *inner, struct unc_bus **ret_bus);

#endif

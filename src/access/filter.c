// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/filter.h"

#include <stdlib.h>

#include "base/err.h"

struct unc_bus *unc_filter_inner_bus(const struct unc_bus *bus)
{
	return ((const struct unc_filter_bus *)bus)->inner;
}

struct unc_space *unc_filter_inner(const struct unc_space *space)
{
	return ((const struct unc_filter_space *)space)->inner;
}

static void close_both(struct unc_bus *bus)
{
	unc_bus_close(unc_filter_inner_bus(bus));
	free(bus);
}

static int list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_bus_list(unc_filter_inner_bus(bus), ret_addrs, ret_n);
}

int unc_filter_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_filter_space *space = calloc(1, sizeof(*space));
	int rc;

	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "out of memory");
	rc = unc_space_open(unc_filter_inner_bus(bus), addr, &space->inner);
	if (rc < 0) {
		free(space);
		return rc;
	}
	space->space = (struct unc_space){.bus = bus, .addr = space->inner->addr, .len = space->inner->len};
	*ret_space = &space->space;
	return UNC_OK;
}

static void space_close(struct unc_space *space)
{
	unc_space_close(unc_filter_inner(space));
	free(((struct unc_filter_space *)space)->own);
	free(space);
}

int unc_filter_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	return unc_space_claim(unc_filter_inner(space), first, n, how);
}

int unc_filter_wrap(struct unc_bus *inner, const struct unc_bus_ops *ops, size_t size, void *ret_bus)
{
	struct unc_filter_bus *bus = calloc(1, size);

	if (!bus)
		return unc_fail(inner->ctx, UNC_ENOMEM, "%s: out of memory", ops->name);
	bus->ops = (struct unc_bus_ops){.name = inner->ops->name,
					.help = inner->ops->help,
					.close = close_both,
					.list = ops->list ? ops->list : list,
					.space_open = ops->space_open ? ops->space_open : unc_filter_space_open,
					.space_close = space_close,
					.read = ops->read,
					.write = ops->write,
					.claim = ops->claim ? ops->claim : unc_filter_claim};
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = inner->ctx, .writable = inner->writable};
	bus->inner = inner;
	*(struct unc_filter_bus **)ret_bus = bus;
	return UNC_OK;
}

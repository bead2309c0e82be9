// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/dry.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/err.h"

struct dry_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops; /* ours, under the name of the bus inside */
	struct unc_bus *inner;  /* owned */
};

struct dry_write {
	uint64_t off;
	size_t len;
	unsigned char bytes[8];
};

struct dry_space {
	struct unc_space space;
	struct unc_space *inner;  /* owned */
	struct dry_write *writes; /* owned; one per place written */
	size_t n_writes;
};

static void dry_close(struct unc_bus *bus)
{
	struct dry_bus *dry = (struct dry_bus *)bus;

	unc_bus_close(dry->inner);
	free(dry);
}

static int dry_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_bus_list(((struct dry_bus *)bus)->inner, ret_addrs, ret_n);
}

static int dry_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct dry_space *space = calloc(1, sizeof(*space));
	int rc;

	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "out of memory");
	rc = unc_space_open(((struct dry_bus *)bus)->inner, addr, &space->inner);
	if (rc < 0) {
		free(space);
		return rc;
	}
	space->space = *space->inner;
	space->space.bus = bus;
	*ret_space = &space->space;
	return UNC_OK;
}

static void dry_space_close(struct unc_space *base)
{
	struct dry_space *space = (struct dry_space *)base;

	unc_space_close(space->inner);
	free(space->writes);
	free(space);
}

/* What of a write lies in a block that was read. */
static void patch(const struct dry_write *write, uint64_t off, unsigned char *buf, size_t len)
{
	for (size_t i = 0; i < write->len; i++)
		if (write->off + i >= off && write->off + i - off < len)
			buf[write->off + i - off] = write->bytes[i];
}

static int dry_read(struct unc_space *base, uint64_t off, void *buf, size_t len)
{
	struct dry_space *space = (struct dry_space *)base;
	bool msr = base->addr.kind == UNC_MSR; /* numbers, not bytes: neighbours do not overlap */
	int rc;

	rc = unc_read_block(space->inner, off, buf, len);
	for (size_t i = 0; i < space->n_writes && rc == 0; i++) {
		if (!msr)
			patch(&space->writes[i], off, buf, len);
		else if (space->writes[i].off == off)
			memcpy(buf, space->writes[i].bytes, len);
	}
	return rc;
}

static int dry_write(struct unc_space *base, uint64_t off, const void *buf, size_t len)
{
	struct dry_space *space = (struct dry_space *)base;
	struct dry_write *write = NULL;
	void *more;

	for (size_t i = 0; i < space->n_writes && !write; i++)
		if (space->writes[i].off == off && space->writes[i].len == len)
			write = &space->writes[i];
	if (!write) {
		more = unc_array_more(space->writes, space->n_writes, sizeof(*space->writes));
		if (!more || len > sizeof(write->bytes))
			return unc_fail(base->bus->ctx, UNC_ENOMEM, "out of memory");
		space->writes = more;
		write = &space->writes[space->n_writes++];
	}
	write->off = off;
	write->len = len;
	memcpy(write->bytes, buf, len);
	return UNC_OK;
}

/* Where nothing is written nothing is taken. */
static int dry_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	if (how == UNC_CLAIM_LEAVE)
		return UNC_OK;
	return unc_space_claim(((struct dry_space *)space)->inner, first, n, UNC_CLAIM_ASK);
}

static const struct unc_bus_ops dry_ops = {
	.name = "dry",
	.help = "reads go through, writes stay in memory",
	.close = dry_close,
	.list = dry_list,
	.space_open = dry_space_open,
	.space_close = dry_space_close,
	.read = dry_read,
	.write = dry_write,
	.claim = dry_claim,
};

int unc_dry_wrap(struct unc_bus *inner, struct unc_bus **ret_bus)
{
	struct dry_bus *dry = calloc(1, sizeof(*dry));

	if (!dry)
		return unc_fail(inner->ctx, UNC_ENOMEM, "out of memory");
	dry->ops = dry_ops;
	dry->ops.name = inner->ops->name;
	dry->bus.ops = &dry->ops;
	dry->bus.ctx = inner->ctx;
	dry->bus.writable = true;
	dry->inner = inner;
	*ret_bus = &dry->bus;
	return UNC_OK;
}

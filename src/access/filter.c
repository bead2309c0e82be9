// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/filter.h"

#include "access/trace.h"
#include "base/text.h"

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

void *unc_filter_wrap(struct unc_bus *inner, const struct unc_bus_ops *ops, size_t size)
{
	struct unc_filter_bus *bus = calloc(1, size);

	if (!bus) {
		unc_fail(inner->ctx, UNC_ENOMEM, "%s: out of memory", ops->name);
		unc_bus_close(inner);
		return NULL;
	}
	bus->ops = (struct unc_bus_ops){.name = inner->ops->name,
					.close = close_both,
					.list = ops->list ? ops->list : list,
					.space_open = ops->space_open ? ops->space_open : unc_filter_space_open,
					.space_close = space_close,
					.read = ops->read,
					.write = ops->write,
					.claim = ops->claim ? ops->claim : unc_filter_claim};
	bus->bus = *inner;
	bus->bus.ops = &bus->ops;
	bus->inner = inner;
	return bus;
}

/* ---- writes that stay in memory ---- */

struct dry_write {
	uint64_t off;
	size_t len;
	unsigned char bytes[8];
};

struct dry_writes { /* of a space */
	size_t n;
	struct dry_write items[]; /* one per place written */
};

static int dry_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	const struct dry_writes *writes = ((struct unc_filter_space *)space)->own;
	bool msr = space->addr.kind == UNC_MSR; /* numbers, not bytes: neighbours do not overlap */
	int rc = unc_read_block(unc_filter_inner(space), off, buf, len);

	for (size_t i = 0; writes && i < writes->n && rc == 0; i++) {
		const struct dry_write *write = &writes->items[i];

		if (msr && write->off == off)
			memcpy(buf, write->bytes, len);
		for (size_t k = 0; k < write->len && !msr; k++)
			if (write->off + k >= off && write->off + k - off < len)
				((unsigned char *)buf)[write->off + k - off] = write->bytes[k];
	}
	return rc;
}

static int dry_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_filter_space *own = (struct unc_filter_space *)space;
	struct dry_writes *writes = own->own;
	size_t n = writes ? writes->n : 0, i = 0;

	if (len > sizeof(writes->items[0].bytes))
		return unc_fail(space->bus->ctx, UNC_ERANGE, "a write of %zu bytes: a register has 8 at most", len);
	while (i < n && (writes->items[i].off != off || writes->items[i].len != len))
		i++;
	if (i == n) {
		writes = realloc(writes, sizeof(*writes) + (n + 1) * sizeof(writes->items[0]));
		if (!writes)
			return unc_fail(space->bus->ctx, UNC_ENOMEM, "out of memory");
		own->own = writes;
		writes->n = n + 1;
	}
	writes->items[i] = (struct dry_write){.off = off, .len = len};
	memcpy(writes->items[i].bytes, buf, len);
	return UNC_OK;
}

/* Where nothing is written nothing is taken. */
static int dry_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	if (how == UNC_CLAIM_LEAVE)
		return UNC_OK;
	return unc_filter_claim(space, first, n, UNC_CLAIM_ASK);
}

int unc_dry_wrap(struct unc_bus *inner, struct unc_bus **ret_bus)
{
	static const struct unc_bus_ops ops = {.name = "dry", .read = dry_read, .write = dry_write, .claim = dry_claim};
	struct unc_filter_bus *bus = unc_filter_wrap(inner, &ops, sizeof(*bus));

	if (!bus)
		return UNC_ENOMEM;
	bus->bus.writable = true;
	*ret_bus = &bus->bus;
	return UNC_OK;
}

struct trace_bus {
	struct unc_filter_bus filter;
	const struct unc_trace *trace; /* outlives the bus */
};

const char *unc_trace_line(const struct unc_trace_access *access, char line[UNC_TRACE_LINE])
{
	bool is_64 =
		access->addr->kind != UNC_PCI && access->len == 8; /* in configuration space there is no such access */
	bool is_32 = !is_64 && access->len == 4 && access->off % 4 == 0;
	size_t shown = access->len < UNC_TRACE_SHOWN ? access->len : UNC_TRACE_SHOWN, len;
	char name[UNC_ADDR_TEXT];

	len = (size_t)snprintf(line, UNC_TRACE_LINE, "%" PRIu64 " %s %s %c%s 0x%" PRIx64 " ", access->t_ns, access->bus,
			       unc_addr_text(access->addr, name), access->write ? 'w' : 'r',
			       is_64   ? "64"
			       : is_32 ? "32"
				       : "blk",
			       access->off);
	if (!access->write && access->failure)
		snprintf(line + len, UNC_TRACE_LINE - len, "-");
	else if (is_64)
		snprintf(line + len, UNC_TRACE_LINE - len, "0x%016" PRIx64, unc_le64(access->bytes));
	else if (is_32)
		snprintf(line + len, UNC_TRACE_LINE - len, "0x%08" PRIx32, unc_le32(access->bytes));
	else
		unc_text_put_hex(line + len, access->bytes, shown);
	len += strlen(line + len);
	if (shown < access->len)
		len += (size_t)snprintf(line + len, UNC_TRACE_LINE - len, "...");
	if (access->failure)
		snprintf(line + len, UNC_TRACE_LINE - len, " !%s", access->failure);
	return line;
}

/* The sink may well fail by itself, at a full disk: the sentence of the access must survive that. */
static int ended(struct unc_space *space, struct unc_trace_access *access, int rc)
{
	const struct trace_bus *bus = (const struct trace_bus *)space->bus;
	const struct unc_trace *trace = bus->trace;
	char line[UNC_TRACE_LINE];
	struct unc_saved_msg saved;

	access->t_ns = trace->host->ops->now_ns(trace->host, UNC_CLOCK_RAW) - trace->t0_ns;
	access->bus = space->bus->ops->name;
	access->addr = &space->addr;
	if (rc < 0) {
		access->failure = unc_err_name(space->bus->ctx, rc);
		unc_msg_save(space->bus->ctx, &saved);
	}
	trace->sink(trace->arg, unc_trace_line(access, line));
	if (rc < 0)
		unc_msg_restore(space->bus->ctx, &saved);
	return rc;
}

static int trace_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = unc_filter_inner(space);
	int rc = inner->bus->ops->read(inner, off, buf, len);

	return ended(space, &(struct unc_trace_access){.off = off, .bytes = buf, .len = len}, rc);
}

static int trace_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = unc_filter_inner(space);
	int rc = inner->bus->ops->write(inner, off, buf, len);

	return ended(space, &(struct unc_trace_access){.write = true, .off = off, .bytes = buf, .len = len}, rc);
}

int unc_trace_wrap(struct unc_bus *inner, const struct unc_trace *trace, struct unc_bus **ret_bus)
{
	static const struct unc_bus_ops ops = {.name = "trace", .read = trace_read, .write = trace_write};
	struct trace_bus *bus = unc_filter_wrap(inner, &ops, sizeof(*bus));

	if (!bus)
		return UNC_ENOMEM;
	bus->trace = trace;
	*ret_bus = &bus->filter.bus;
	return UNC_OK;
}

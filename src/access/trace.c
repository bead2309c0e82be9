// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/trace.h"

#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct trace_bus {
	struct unc_bus bus;
	struct unc_bus_ops
		ops; /* ours, under the name of the bus inside: sentences read the same with and without trace */
	struct unc_bus *inner;         /* owned */
	const struct unc_trace *trace; /* outlives the bus */
};

struct trace_space {
	struct unc_space space;
	struct unc_space *inner; /* owned */
};

static int put_op(char *at, size_t room, const struct unc_trace_access *access)
{
	const char *width = "blk";

	if (access->addr->kind == UNC_MSR)
		width = "64";
	else if (access->len == 4 && access->off % 4 == 0)
		width = "32";
	return snprintf(at, room, "%c%s 0x%" PRIx64 " ", access->write ? 'w' : 'r', width, access->off);
}

static int put_hex(char *at, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t shown = len < UNC_TRACE_SHOWN ? len : UNC_TRACE_SHOWN;
	char *p = at;

	for (size_t i = 0; i < shown; i++) {
		*p++ = digits[bytes[i] >> 4];
		*p++ = digits[bytes[i] & 0xf];
	}
	for (unsigned i = 0; shown < len && i < 3; i++)
		*p++ = '.';
	*p = '\0';
	return (int)(p - at);
}

static int put_value(char *at, size_t room, const struct unc_trace_access *access)
{
	if (!access->write && access->failure)
		return snprintf(at, room, "-");
	if (access->addr->kind == UNC_MSR)
		return snprintf(at, room, "0x%016" PRIx64, unc_le64(access->bytes));
	if (access->len == 4 && access->off % 4 == 0)
		return snprintf(at, room, "0x%08" PRIx32, unc_le32(access->bytes));
	return put_hex(at, access->bytes, access->len);
}

const char *unc_trace_line(const struct unc_trace_access *access, char line[UNC_TRACE_LINE])
{
	char name[UNC_ADDR_TEXT];
	int n;

	n = snprintf(line, UNC_TRACE_LINE, "%" PRIu64 " %s %s ", access->t_ns, access->bus,
		     unc_addr_text(access->addr, name));
	n += put_op(line + n, UNC_TRACE_LINE - (size_t)n, access);
	n += put_value(line + n, UNC_TRACE_LINE - (size_t)n, access);
	if (access->failure)
		snprintf(line + n, UNC_TRACE_LINE - (size_t)n, " !%s", access->failure);
	return line;
}

/* The sink may well fail by itself, at a full disk: the sentence of the access must survive that. */
static void ended(struct unc_space *space, struct unc_trace_access *access, int rc)
{
	const struct trace_bus *bus = (const struct trace_bus *)space->bus;
	const struct unc_trace *trace = bus->trace;
	char line[UNC_TRACE_LINE];
	struct unc_saved_msg saved;

	access->t_ns = trace->host->ops->now_ns(trace->host, UNC_CLOCK_RAW) - trace->t0_ns;
	access->bus = bus->ops.name;
	access->addr = &space->addr;
	if (rc < 0) {
		access->failure = unc_err_name(space->bus->ctx, rc);
		unc_msg_save(space->bus->ctx, &saved);
	}
	trace->sink(trace->arg, unc_trace_line(access, line));
	if (rc < 0)
		unc_msg_restore(space->bus->ctx, &saved);
}

static int trace_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = ((struct trace_space *)space)->inner;
	struct unc_trace_access access = {.off = off, .bytes = buf, .len = len};
	int rc;

	rc = inner->bus->ops->read(inner, off, buf, len);
	ended(space, &access, rc);
	return rc;
}

static int trace_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = ((struct trace_space *)space)->inner;
	struct unc_trace_access access = {.write = true, .off = off, .bytes = buf, .len = len};
	int rc;

	rc = inner->bus->ops->write(inner, off, buf, len);
	ended(space, &access, rc);
	return rc;
}

static int trace_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_bus_list(((struct trace_bus *)bus)->inner, ret_addrs, ret_n);
}

static int trace_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct trace_space *space = calloc(1, sizeof(*space));
	int rc;

	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "trace: out of memory");
	rc = unc_space_open(((struct trace_bus *)bus)->inner, addr, &space->inner);
	if (rc < 0) {
		free(space);
		return rc;
	}
	space->space = (struct unc_space){.bus = bus, .addr = space->inner->addr, .len = space->inner->len};
	*ret_space = &space->space;
	return UNC_OK;
}

static void trace_space_close(struct unc_space *space)
{
	unc_space_close(((struct trace_space *)space)->inner);
	free(space);
}

static void trace_close(struct unc_bus *bus)
{
	unc_bus_close(((struct trace_bus *)bus)->inner);
	free(bus);
}

static int trace_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	return unc_space_claim(((struct trace_space *)space)->inner, first, n, how);
}

static const struct unc_bus_ops trace_ops = {
	.name = "trace",
	.help = "tells of each access",
	.close = trace_close,
	.list = trace_list,
	.space_open = trace_space_open,
	.space_close = trace_space_close,
	.read = trace_read,
	.write = trace_write,
	.claim = trace_claim,
};

int unc_trace_wrap(struct unc_bus *inner, const struct unc_trace *trace, struct unc_bus **ret_bus)
{
	struct trace_bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return unc_fail(inner->ctx, UNC_ENOMEM, "trace: out of memory");
	bus->ops = trace_ops;
	bus->ops.name = inner->ops->name;
	bus->ops.help = inner->ops->help;
	bus->inner = inner;
	bus->trace = trace;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = inner->ctx, .writable = inner->writable};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

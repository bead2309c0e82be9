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

enum {
	SHOWN_MAX =
		4096, /* bytes of one access that are shown: a whole configuration space; "..." stands for the rest */
	LINE_MAX_LEN = 2 * SHOWN_MAX + 160,
};

struct access {
	char letter; /* 'r', 'w' */
	uint64_t off;
	const void *bytes;
	size_t len;
	int rc;
	uint64_t now_ns; /* when it ended */
};

static int put_op(char *at, size_t room, const struct unc_space *space, const struct access *access)
{
	const char *width = "blk";

	if (space->addr.kind == UNC_MSR)
		width = "64";
	else if (access->len == 4)
		width = "32";
	return snprintf(at, room, "%c%s 0x%" PRIx64 " ", access->letter, width, access->off);
}

static int put_hex(char *at, const unsigned char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	size_t shown = len < SHOWN_MAX ? len : SHOWN_MAX;
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

static int put_value(char *at, size_t room, const struct unc_space *space, const struct access *access)
{
	if (access->letter == 'r' && access->rc < 0)
		return snprintf(at, room, "-");
	if (space->addr.kind == UNC_MSR)
		return snprintf(at, room, "0x%016" PRIx64, unc_le64(access->bytes));
	if (access->len == 4)
		return snprintf(at, room, "0x%08" PRIx32, unc_le32(access->bytes));
	return put_hex(at, access->bytes, access->len);
}

static void tell(struct unc_space *space, const struct access *access)
{
	struct trace_bus *bus = (struct trace_bus *)space->bus;
	const struct unc_trace *trace = bus->trace;
	char line[LINE_MAX_LEN], name[UNC_ADDR_TEXT];
	int n;

	n = snprintf(line, sizeof(line), "%" PRIu64 " %s %s ", access->now_ns - trace->t0_ns, bus->ops.name,
		     unc_addr_text(&space->addr, name));
	n += put_op(line + n, sizeof(line) - (size_t)n, space, access);
	n += put_value(line + n, sizeof(line) - (size_t)n, space, access);
	if (access->rc < 0)
		snprintf(line + n, sizeof(line) - (size_t)n, " !%s", unc_err_name(space->bus->ctx, access->rc));
	trace->sink(trace->arg, line);
}

/* The sink may well fail by itself, at a full disk: the sentence of the access must survive that. */
static void ended(struct unc_space *space, struct access *access)
{
	const struct unc_trace *trace = ((struct trace_bus *)space->bus)->trace;
	struct unc_saved_msg saved;

	access->now_ns = trace->host->ops->now_ns(trace->host, UNC_CLOCK_RAW);
	if (access->rc < 0)
		unc_msg_save(space->bus->ctx, &saved);
	tell(space, access);
	if (access->rc < 0)
		unc_msg_restore(space->bus->ctx, &saved);
}

static int trace_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = ((struct trace_space *)space)->inner;
	struct access access = {.letter = 'r', .off = off, .bytes = buf, .len = len};

	access.rc = inner->bus->ops->read(inner, off, buf, len);
	ended(space, &access);
	return access.rc;
}

static int trace_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = ((struct trace_space *)space)->inner;
	struct access access = {.letter = 'w', .off = off, .bytes = buf, .len = len};

	access.rc = inner->bus->ops->write(inner, off, buf, len);
	ended(space, &access);
	return access.rc;
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

static const struct unc_bus_ops trace_ops = {
	.name = "trace",
	.help = "tells of each access",
	.close = trace_close,
	.list = trace_list,
	.space_open = trace_space_open,
	.space_close = trace_space_close,
	.read = trace_read,
	.write = trace_write,
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

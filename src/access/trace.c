// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/trace.h"

#include "access/filter.h"
#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct trace_bus {
	struct unc_filter_bus filter;
	const struct unc_trace *trace; /* outlives the bus */
};

/* One access of 8 bytes; in configuration space there is none. */
static bool is_wide(const struct unc_trace_access *access)
{
	return access->addr->kind != UNC_PCI && access->len == 8;
}

static int put_op(char *at, size_t room, const struct unc_trace_access *access)
{
	const char *width = "blk";

	if (is_wide(access))
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
	if (is_wide(access))
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
	access->bus = space->bus->ops->name;
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
	struct unc_space *inner = unc_filter_inner(space);
	struct unc_trace_access access = {.off = off, .bytes = buf, .len = len};
	int rc;

	rc = inner->bus->ops->read(inner, off, buf, len);
	ended(space, &access, rc);
	return rc;
}

static int trace_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = unc_filter_inner(space);
	struct unc_trace_access access = {.write = true, .off = off, .bytes = buf, .len = len};
	int rc;

	rc = inner->bus->ops->write(inner, off, buf, len);
	ended(space, &access, rc);
	return rc;
}

int unc_trace_wrap(struct unc_bus *inner, const struct unc_trace *trace, struct unc_bus **ret_bus)
{
	static const struct unc_bus_ops ops = {.name = "trace", .read = trace_read, .write = trace_write};
	struct trace_bus *bus;
	int rc = unc_filter_wrap(inner, &ops, sizeof(*bus), &bus);

	if (rc < 0)
		return rc;
	bus->trace = trace;
	*ret_bus = &bus->filter.bus;
	return UNC_OK;
}

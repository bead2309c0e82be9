// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/trace.h"

#include "access/filter.h"
#include "base/err.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
	struct trace_bus *bus;
	int rc = unc_filter_wrap(inner, &ops, sizeof(*bus), &bus);

	if (rc < 0)
		return rc;
	bus->trace = trace;
	*ret_bus = &bus->filter.bus;
	return UNC_OK;
}

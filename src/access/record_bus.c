// SPDX-License-Identifier: GPL-2.0-or-later
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/record_parts.h"

const char unc_record_clocks[] = {
	[UNC_CLOCK_RAW] = 'r',  [UNC_CLOCK_MONO] = 'm',     [UNC_CLOCK_BOOT] = 'b',
	[UNC_CLOCK_REAL] = 'w', [UNC_RECORD_CLOCKS] = '\0',
};

const char *const unc_record_kinds[UNC_KINDS] = {[UNC_PCI] = "pci", [UNC_MSR] = "msr", [UNC_MMIO] = "mmio"};

const char *const unc_record_ends[UNC_RECORD_ENDS] = {[UNC_RECORD_SIGNAL] = "signal", [UNC_RECORD_ENDED] = "ended"};

const char *const unc_record_claims[UNC_RECORD_CLAIMS] = {
	[UNC_CLAIM_TAKE] = "take", [UNC_CLAIM_ASK] = "ask", [UNC_CLAIM_LEAVE] = "leave"};

const char *const unc_record_traffic_ops[UNC_RECORD_TRAFFIC_OPS] = {
	[UNC_TRAFFIC_START] = "start", [UNC_TRAFFIC_LOOK] = "look", [UNC_TRAFFIC_STOP] = "stop"};

const char *const unc_record_traffic_kinds[UNC_RECORD_TRAFFIC_KINDS] = {
	[UNC_TRAFFIC_READ] = "read", [UNC_TRAFFIC_WRITE] = "write", [UNC_TRAFFIC_NT_WRITE] = "nt_write"};

const char *const unc_record_perf_ops[UNC_RECORD_PERF_OPS] = {
	[UNC_PERF_ON] = "on", [UNC_PERF_OFF] = "off", [UNC_PERF_READ] = "read", [UNC_PERF_CLOSE] = "close"};

static const struct {
	const char *name;
	int err;
} classes[] = {
	{"nomem", UNC_ENOMEM}, {"arg", UNC_EARG},     {"perm", UNC_EPERM},   {"nodev", UNC_ENODEV},
	{"io", UNC_EIO},       {"noreg", UNC_ENOREG}, {"range", UNC_ERANGE}, {"denied", UNC_EDENIED},
	{"map", UNC_EMAP},     {"busy", UNC_EBUSY},   {"again", UNC_EAGAIN}, {"nodata", UNC_ENODATA},
	{"nosup", UNC_ENOSUP},
};

const char *unc_record_class(int err)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].err == err)
			return classes[i].name;
	return NULL;
}

int unc_record_err(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strcmp(classes[i].name, name) == 0)
			return classes[i].err;
	return 0;
}

const char *unc_record_os_name(const char *name)
{
	static const char *const names[] = {
		"EACCES",     "EAGAIN", "EBADF",  "EBUSY",   "EEXIST", "EFAULT", "EFBIG",  "EINTR",
		"EINVAL",     "EIO",    "EISDIR", "ELOOP",   "EMFILE", "ENFILE", "ENODEV", "ENAMETOOLONG",
		"ENOENT",     "ENOMEM", "ENOSPC", "ENOSYS",  "ENXIO",  "EPERM",  "EPIPE",  "ENOTCONN",
		"EOPNOTSUPP", "ERANGE", "EROFS",  "ENOTDIR", "ESTALE", "errno",  "ESRCH",  "ETIMEDOUT",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return names[i];
	return NULL;
}

const char *unc_record_op(bool write, enum unc_kind kind, uint64_t off, size_t len)
{
	if (kind == UNC_MSR)
		return write ? "w64" : "r64";
	if (len == 4 && off % 4 == 0)
		return write ? "w32" : "r32";
	return write ? "wblk" : "rblk";
}

/* Events of the operating system.  A host that has none is asked, too, so that a replay refuses them with the same words. */

int unc_record_perf_open(struct unc_host *host, const struct unc_perf_attr *attr, unsigned *ret_event)
{
	struct record *record = (struct record *)host;
	unsigned event;
	int rc;

	unc_record_ask(record);
	rc = unc_host_perf_open(record->inner, attr, &event);
	unc_record_answered(record);
	unc_record_put(record, "perf " UNC_RECORD_PERF_OPEN " %" PRIu32 " 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %u",
		       attr->type, attr->config, attr->config1, attr->config2, attr->cpu);
	if (rc == UNC_OK) {
		unc_record_put(record, " =%u", event);
		*ret_event = event;
	}
	return unc_record_finish(record, rc);
}

int unc_record_perf(struct unc_host *host, enum unc_perf_op op, unsigned event, struct unc_perf_count *ret_count)
{
	struct record *record = (struct record *)host;
	struct unc_perf_count count;
	int rc;

	unc_record_ask(record);
	rc = unc_host_perf(record->inner, op, event, op == UNC_PERF_READ ? &count : NULL);
	unc_record_answered(record);
	unc_record_put(record, "perf %s %u", unc_record_perf_ops[op], event);
	if (rc == UNC_OK && op == UNC_PERF_READ) {
		unc_record_put(record, " %" PRIu64 " %" PRIu64 " %" PRIu64, count.value, count.enabled_ns,
			       count.running_ns);
		*ret_count = count;
	}
	return unc_record_finish(record, rc);
}

/* Buses that write down each access. */

struct record_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops; /* ours, under the name of the bus inside */
	struct unc_bus *inner;  /* owned */
	struct record *record;  /* outlives the bus */
	enum unc_kind kind;
};

struct record_space {
	struct unc_space space;
	struct unc_space *inner; /* owned */
};

static struct record *record_of(const struct unc_bus *bus)
{
	return ((const struct record_bus *)bus)->record;
}

static void put_access(struct record *record, const struct unc_space *space, bool write, uint64_t off, size_t len)
{
	char name[UNC_ADDR_TEXT];

	unc_record_put(record, "%s %s 0x%" PRIx64 " ", unc_record_op(write, space->addr.kind, off, len),
		       unc_addr_text(&space->addr, name), off);
}

static void put_data(struct record *record, const struct unc_space *space, uint64_t off, const void *bytes, size_t len)
{
	if (space->addr.kind == UNC_MSR)
		unc_record_put(record, "0x%016" PRIx64, unc_le64(bytes));
	else if (len == 4 && off % 4 == 0)
		unc_record_put(record, "0x%08" PRIx32, unc_le32(bytes));
	else
		unc_record_put_hex(record, bytes, len);
}

static int too_long(const struct unc_space *space, size_t len)
{
	return unc_fail(space->bus->ctx, UNC_ERANGE, "record: an access of %zu bytes; a record has at most %d", len,
			(int)UNC_RECORD_BLOCK);
}

static int record_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = ((struct record_space *)space)->inner;
	struct record *record = record_of(space->bus);
	int rc;

	if (len > UNC_RECORD_BLOCK)
		return too_long(space, len);
	unc_record_ask(record);
	rc = inner->bus->ops->read(inner, off, buf, len);
	unc_record_answered(record);
	put_access(record, space, false, off, len);
	if (rc < 0)
		unc_record_put(record, "*%zu", len);
	else
		put_data(record, space, off, buf, len);
	return unc_record_finish(record, rc);
}

static int record_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = ((struct record_space *)space)->inner;
	struct record *record = record_of(space->bus);
	int rc;

	if (len > UNC_RECORD_BLOCK)
		return too_long(space, len);
	unc_record_ask(record);
	rc = inner->bus->ops->write(inner, off, buf, len);
	unc_record_answered(record);
	put_access(record, space, true, off, len);
	put_data(record, space, off, buf, len);
	return unc_record_finish(record, rc);
}

static int record_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	struct unc_space *inner = ((struct record_space *)space)->inner;
	struct record *record = record_of(space->bus);
	char name[UNC_ADDR_TEXT];
	int rc;

	unc_record_ask(record);
	rc = unc_space_claim(inner, first, n, how);
	unc_record_answered(record);
	unc_record_put(record, "claim %s %s 0x%" PRIx64 " %" PRIu64, unc_record_claims[how],
		       unc_addr_text(&space->addr, name), first, n);
	return unc_record_finish(record, rc);
}

static int record_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	struct record *record = record_of(bus);
	char name[UNC_ADDR_TEXT];
	struct unc_addr *addrs;
	size_t n;
	int rc;

	unc_record_ask(record);
	rc = unc_bus_list(((struct record_bus *)bus)->inner, &addrs, &n);
	unc_record_answered(record);
	unc_record_put(record, "list %s", unc_record_kinds[((struct record_bus *)bus)->kind]);
	if (rc < 0)
		return unc_record_finish(record, rc);
	unc_record_put(record, " %zu", n);
	for (size_t i = 0; i < n; i++) {
		unc_record_part(record, i);
		unc_record_put(record, " %s", unc_addr_text(&addrs[i], name));
	}
	*ret_addrs = addrs;
	*ret_n = n;
	return unc_record_finish(record, rc);
}

static int record_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct record *record = record_of(bus);
	struct record_space *space = calloc(1, sizeof(*space));
	char name[UNC_ADDR_TEXT];
	int rc;

	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "record: out of memory");
	unc_record_ask(record);
	rc = unc_space_open(((struct record_bus *)bus)->inner, addr, &space->inner);
	unc_record_answered(record);
	unc_record_put(record, "open %s", unc_addr_text(addr, name));
	if (rc < 0) {
		free(space);
		return unc_record_finish(record, rc);
	}
	unc_record_put(record, " %" PRIu64, space->inner->len);
	space->space = (struct unc_space){.bus = bus, .addr = space->inner->addr, .len = space->inner->len};
	*ret_space = &space->space;
	return unc_record_finish(record, rc);
}

static void record_space_close(struct unc_space *space)
{
	unc_space_close(((struct record_space *)space)->inner);
	free(space);
}

static void record_bus_close(struct unc_bus *bus)
{
	unc_bus_close(((struct record_bus *)bus)->inner);
	free(bus);
}

static const struct unc_bus_ops record_bus_ops = {
	.name = "record",
	.help = "writes down each access",
	.close = record_bus_close,
	.list = record_list,
	.space_open = record_space_open,
	.space_close = record_space_close,
	.read = record_read,
	.write = record_write,
	.claim = record_claim,
};

int unc_record_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct record *record = (struct record *)host;
	struct record_bus *bus = calloc(1, sizeof(*bus));
	int rc;

	if (!bus)
		return unc_fail(host->ctx, UNC_ENOMEM, "record: out of memory");
	unc_record_ask(record);
	rc = record->inner->ops->bus_open(record->inner, kind, writable, &bus->inner);
	unc_record_answered(record);
	unc_record_put(record, "bus %s %s", unc_record_kinds[kind], writable ? "rw" : "ro");
	if (rc < 0) {
		free(bus);
		return unc_record_finish(record, rc);
	}
	bus->ops = record_bus_ops;
	bus->ops.name = bus->inner->ops->name;
	bus->ops.help = bus->inner->ops->help;
	bus->record = record;
	bus->kind = kind;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = host->ctx, .writable = bus->inner->writable};
	*ret_bus = &bus->bus;
	return unc_record_finish(record, rc);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/fault.h"

#include "base/err.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fault_bus {
	struct unc_bus bus;
	struct unc_bus_ops ops;  /* ours, under the name of the bus inside */
	struct unc_bus *inner;   /* owned */
	struct unc_fault *fault; /* not owned */
};

struct fault_space {
	struct unc_space space;
	struct unc_space *inner; /* owned */
};

/* How each is called, and what it is said to be; err 0: it is not said. */
static const struct {
	const char *name;
	int err;
	const char *text;
} hows[UNC_FAULT_HOWS] = {
	[UNC_FAULT_EIO] = {"EIO", UNC_EIO, "Input/output error"},
	[UNC_FAULT_EPERM] = {"EPERM", UNC_EPERM, "Operation not permitted"},
	[UNC_FAULT_ENODEV] = {"ENODEV", UNC_ENODEV, "No such device"},
	[UNC_FAULT_ENXIO] = {"ENXIO", UNC_ENODEV, "No such device or address"},
	[UNC_FAULT_SHORT] = {"short", UNC_EIO, "fewer bytes were transferred than asked for"},
	[UNC_FAULT_ONES] = {"ones", UNC_OK, ""},
	[UNC_FAULT_DROP] = {"drop", UNC_OK, ""},
};

const char *unc_fault_name(unsigned how)
{
	return how < UNC_FAULT_HOWS ? hows[how].name : NULL;
}

static struct unc_fault *fault_of(const struct unc_bus *bus)
{
	return ((const struct fault_bus *)bus)->fault;
}

/* Does this access go wrong? */
static bool due(struct unc_fault *fault, const struct unc_addr *addr, bool write)
{
	char name[UNC_ADDR_TEXT];

	if ((fault->only && strcmp(fault->only, unc_addr_text(addr, name)) != 0) || (fault->writes_only && !write))
		return false;
	fault->seen++;
	if (!fault->at || fault->seen < fault->at || (fault->seen > fault->at && !fault->forever))
		return false;
	fault->done++;
	fault->done_write = write;
	return true;
}

/* "pci 0000:ff:10.0: read 0xa8: Input/output error (made to fail)" */
static int failure(const struct unc_bus *bus, const struct unc_addr *addr, const char *deed)
{
	enum unc_fault_how how = fault_of(bus)->how;
	const char *name = how == UNC_FAULT_SHORT ? NULL : hows[how].name;
	char place[UNC_ADDR_TEXT];

	return unc_fail_named(bus->ctx, hows[how].err, name, "%s %s: %s: %s (made to fail)", bus->ops->name,
			      unc_addr_text(addr, place), deed, hows[how].text);
}

static int access_failure(const struct unc_space *space, const char *verb, uint64_t off)
{
	char deed[40];

	snprintf(deed, sizeof(deed), "%s 0x%" PRIx64, verb, off);
	return failure(space->bus, &space->addr, deed);
}

static void fault_close(struct unc_bus *bus)
{
	unc_bus_close(((struct fault_bus *)bus)->inner);
	free(bus);
}

static int fault_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_bus_list(((struct fault_bus *)bus)->inner, ret_addrs, ret_n);
}

static int fault_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_fault *fault = fault_of(bus);
	struct fault_space *space;
	int rc;

	if (fault->opens && hows[fault->how].err && due(fault, addr, false))
		return failure(bus, addr, "open");
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "fault: out of memory");
	rc = unc_space_open(((struct fault_bus *)bus)->inner, addr, &space->inner);
	if (rc < 0) {
		free(space);
		return rc;
	}
	space->space = (struct unc_space){.bus = bus, .addr = space->inner->addr, .len = space->inner->len};
	*ret_space = &space->space;
	return UNC_OK;
}

static void fault_space_close(struct unc_space *space)
{
	unc_space_close(((struct fault_space *)space)->inner);
	free(space);
}

static void tell(struct unc_fault *fault, const struct unc_space *space, bool write, uint64_t off)
{
	if (fault->before)
		fault->before(fault->arg, &space->addr, write, off);
}

static void add_bits(const struct unc_fault *fault, uint64_t off, unsigned char *bytes, size_t len)
{
	unsigned char *at;

	if (!fault->or_value || fault->or_off < off || fault->or_off + 4 > off + len)
		return;
	at = bytes + (fault->or_off - off);
	unc_put_le32(at, unc_le32(at) | fault->or_value);
}

static int fault_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = ((struct fault_space *)space)->inner;
	struct unc_fault *fault = fault_of(space->bus);
	int rc;

	tell(fault, space, false, off);
	if (!due(fault, &space->addr, false) || fault->how == UNC_FAULT_DROP) {
		rc = inner->bus->ops->read(inner, off, buf, len);
		if (rc == 0)
			add_bits(fault, off, buf, len);
		return rc;
	}
	fault->done_off = off;
	if (hows[fault->how].err)
		return access_failure(space, "read", off);
	memset(buf, 0xff, len);
	return UNC_OK;
}

static int fault_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = ((struct fault_space *)space)->inner;
	struct unc_fault *fault = fault_of(space->bus);

	tell(fault, space, true, off);
	if (!due(fault, &space->addr, true))
		return inner->bus->ops->write(inner, off, buf, len);
	fault->done_off = off;
	return hows[fault->how].err ? access_failure(space, "write", off) : UNC_OK;
}

static const struct unc_bus_ops fault_ops = {
	.name = "fault",
	.help = "goes wrong where it is told to",
	.close = fault_close,
	.list = fault_list,
	.space_open = fault_space_open,
	.space_close = fault_space_close,
	.read = fault_read,
	.write = fault_write,
};

int unc_fault_wrap(struct unc_bus *inner, struct unc_fault *fault, struct unc_bus **ret_bus)
{
	struct fault_bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return unc_fail(inner->ctx, UNC_ENOMEM, "fault: out of memory");
	bus->ops = fault_ops;
	bus->ops.name = inner->ops->name;
	bus->inner = inner;
	bus->fault = fault;
	bus->bus = (struct unc_bus){.ops = &bus->ops, .ctx = inner->ctx, .writable = inner->writable};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

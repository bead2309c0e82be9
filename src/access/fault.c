// SPDX-License-Identifier: GPL-2.0-or-later
#include "access/fault.h"

#include "access/filter.h"

struct fault_bus {
	struct unc_filter_bus filter;
	struct unc_fault *fault; /* not owned */
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

/* Is this one of the writes that are lost? */
static bool loses(struct unc_fault *fault, bool write)
{
	fault->writes += write;
	if (!write || fault->writes < fault->lose_at || fault->writes - fault->lose_at >= fault->lose)
		return false;
	fault->done++;
	fault->done_write = true;
	return true;
}

static void call_kill(struct unc_fault *fault)
{
	if (fault->kill)
		fault->kill(fault->kill_arg);
	else
		unc_os_kill_self();
}

/* "pci 0000:ff:10.0: read 0xa8: Input/output error (made to fail)" */
static int failure(const struct unc_fault *fault, struct unc_ctx *ctx, const char *bus, const struct unc_addr *addr,
		   const char *deed)
{
	const char *name = fault->how == UNC_FAULT_SHORT ? NULL : hows[fault->how].name;
	char place[UNC_ADDR_TEXT];

	return unc_fail_named(ctx, hows[fault->how].err, name, "%s %s: %s: %s (made to fail)", bus,
			      unc_addr_text(addr, place), deed, hows[fault->how].text);
}

int unc_fault_begin(struct unc_fault *fault, const struct unc_fault_access *access)
{
	bool wrong = due(fault, access->addr, access->write), lost = loses(fault, access->write);
	char deed[40], place[UNC_ADDR_TEXT];

	if (fault->kill_at == fault->seen && fault->kill_at && !fault->kill_after) {
		call_kill(fault);
		/* The process that asked for the access was killed before it, and this one goes on: the access is not made. */
		return unc_fail_named(access->ctx, UNC_EIO, "EINTR", "%s %s: the process was killed before this access",
				      access->bus, unc_addr_text(access->addr, place));
	}
	wrong = wrong && (fault->how != UNC_FAULT_DROP || access->write);
	if (!wrong && !lost)
		return UNC_OK;
	fault->done_off = access->off;
	if (!wrong || !hows[fault->how].err)
		return UNC_FAULT_LOST;
	if (fault->how == UNC_FAULT_SHORT && access->can_be_short)
		return UNC_FAULT_CUT;
	snprintf(deed, sizeof(deed), "%s 0x%" PRIx64, access->write ? "write" : "read", access->off);
	return failure(fault, access->ctx, access->bus, access->addr, deed);
}

void unc_fault_end(struct unc_fault *fault)
{
	if (fault->kill_at == fault->seen && fault->kill_at && fault->kill_after)
		call_kill(fault);
}

static int fault_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_fault *fault = fault_of(bus);

	if (fault->opens && hows[fault->how].err && due(fault, addr, false))
		return failure(fault, bus->ctx, bus->ops->name, addr, "open");
	return unc_filter_space_open(bus, addr, ret_space);
}

static int begin(const struct unc_space *space, bool write, uint64_t off)
{
	struct unc_fault *fault = fault_of(space->bus);

	if (fault->before)
		fault->before(fault->arg, &space->addr, write, off);
	return unc_fault_begin(fault, &(struct unc_fault_access){.ctx = space->bus->ctx,
								 .bus = space->bus->ops->name,
								 .addr = &space->addr,
								 .write = write,
								 .off = off});
}

static int fault_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *inner = unc_filter_inner(space);
	struct unc_fault *fault = fault_of(space->bus);
	int rc = begin(space, false, off);

	if (rc == UNC_FAULT_LOST) {
		memset(buf, 0xff, len);
		rc = UNC_OK;
	} else if (rc == UNC_OK) {
		rc = inner->bus->ops->read(inner, off, buf, len);
		if (rc == UNC_OK && fault->or_value && fault->or_off >= off && fault->or_off + 4 <= off + len) {
			unsigned char *at = (unsigned char *)buf + (fault->or_off - off);

			unc_put_le32(at, unc_le32(at) | fault->or_value);
		}
	}
	unc_fault_end(fault);
	return rc;
}

static int fault_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *inner = unc_filter_inner(space);
	int rc = begin(space, true, off);

	if (rc == UNC_OK)
		rc = inner->bus->ops->write(inner, off, buf, len);
	unc_fault_end(fault_of(space->bus));
	return rc < 0 ? rc : UNC_OK;
}

int unc_fault_wrap(struct unc_bus *inner, struct unc_fault *fault, struct unc_bus **ret_bus)
{
	static const struct unc_bus_ops ops = {
		.name = "fault", .space_open = fault_space_open, .read = fault_read, .write = fault_write};
	struct fault_bus *bus = unc_filter_wrap(inner, &ops, sizeof(*bus));

	if (!bus)
		return UNC_ENOMEM;
	bus->fault = fault;
	*ret_bus = &bus->filter.bus;
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model-specific registers through the kernel's msr driver: /dev/cpu/N/msr, 8 bytes at the offset that is the number.
 * It answers EIO for a register that the processor lacks, ENXIO for a CPU that is offline.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* an offset is a number of 32 bits or more, also if off_t has 32 */
#include "os/linux/host.h"

#include "base/os.h"
#include "base/text.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"
#include "os/linux/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NUMBERS (UINT64_C(1) << 32)

enum { MSR_MAJOR = 202 }; /* Linux Documentation/admin-guide/devices.txt */

struct msr_bus {
	struct unc_bus bus;
	struct unc_linux_root *root; /* outlives it */
	bool said_taint;             /* the note about what a write does to the kernel was sent */
};

struct msr_space {
	struct unc_space space;
	int fd;         /* owned */
	bool is_driver; /* the kernel's driver, not a file of a tree in its place */
	bool may_write; /* unc_linux_may_write() allowed it */
};

static int msr_path(struct unc_bus *bus, unsigned cpu, struct unc_linux_path *ret_path)
{
	return unc_linux_path(bus->ctx, ret_path, "%s/dev/cpu/%u/msr", ((struct msr_bus *)bus)->root->path, cpu);
}

/* The file is missing: finds out whether the CPU or the driver is. */
static int fail_missing(struct unc_bus *bus, unsigned cpu, const char *path)
{
	struct msr_bus *msr_bus = (struct msr_bus *)bus;
	struct unc_linux_path all, one;
	int rc;

	rc = unc_linux_path(bus->ctx, &all, "%s/sys/devices/system/cpu", msr_bus->root->path);
	if (rc == UNC_OK)
		rc = unc_linux_path(bus->ctx, &one, "%s/cpu%u", all.text, cpu);
	if (rc < 0)
		return rc;
	if (unc_linux_is_there(msr_bus->root, all.text) && !unc_linux_is_there(msr_bus->root, one.text))
		return unc_fail_named(bus->ctx, UNC_ENODEV, "ENOENT", "cpu %u: open %s: this machine has no such CPU",
				      cpu, path);
	return unc_fail_named(
		bus->ctx, UNC_ENODEV, "ENOENT",
		"cpu %u: open %s: no such file: the msr driver is not there for this CPU; `modprobe msr`, or bring "
		"the CPU online",
		cpu, path);
}

static int fail_to_open(struct unc_bus *bus, unsigned cpu, const char *path, int errnum)
{
	struct unc_linux_refusal refusal = {
		.root = ((struct msr_bus *)bus)->root,
		.path = path,
		.deed = bus->writable ? UNC_LINUX_OPEN_WRITE : UNC_LINUX_OPEN_READ,
		.msr = true,
		.errnum = errnum,
	};

	if (errnum == ENOENT || errnum == ENOTDIR)
		return fail_missing(bus, cpu, path);
	if (errnum == ENXIO)
		return unc_fail_named(bus->ctx, UNC_ENODEV, "ENXIO", "cpu %u: open %s: the CPU is offline", cpu, path);
	if (unc_linux_is_refusal(errnum))
		return unc_linux_refused(bus->ctx, &refusal, "cpu %u", cpu);
	return unc_linux_fail(bus->ctx, errnum, "cpu %u: open %s", cpu, path);
}

static int msr_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_linux_path path;
	struct msr_space *space;
	struct stat st;
	int rc;

	if (addr->kind != UNC_MSR)
		return unc_fail(bus->ctx, UNC_EARG, "msr: asked for something that is not a CPU");
	rc = msr_path(bus, addr->msr.cpu, &path);
	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "msr: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = NUMBERS};
	space->fd = unc_linux_open(((struct msr_bus *)bus)->root, path.text, bus->writable ? O_RDWR : O_RDONLY);
	if (space->fd < 0) {
		rc = fail_to_open(bus, addr->msr.cpu, path.text, errno);
		free(space);
		return rc;
	}
	space->is_driver = fstat(space->fd, &st) == 0 && S_ISCHR(st.st_mode);
	*ret_space = &space->space;
	return UNC_OK;
}

static void msr_space_close(struct unc_space *space)
{
	close(((struct msr_space *)space)->fd);
	free(space);
}

static int fail_access(struct unc_space *space, enum unc_linux_deed deed, uint64_t number, int errnum)
{
	const char *verb = deed == UNC_LINUX_READ ? "read" : "write";
	unsigned cpu = space->addr.msr.cpu, msr = (unsigned)number;
	struct unc_ctx *ctx = space->bus->ctx;
	struct unc_linux_path path;
	struct unc_linux_refusal refusal = {
		.root = ((struct msr_bus *)space->bus)->root,
		.path = path.text,
		.deed = deed,
		.msr = true,
		.errnum = errnum,
	};
	int rc;

	if (errnum == EIO)
		return unc_fail_named(ctx, UNC_EIO, "EIO", "cpu %u: %s MSR 0x%x: %s", cpu, verb, msr,
				      deed == UNC_LINUX_READ
					      ? "this processor has no such register"
					      : "this processor does not take that value, or has no such register");
	if (errnum == ENXIO)
		return unc_fail_named(ctx, UNC_ENODEV, "ENXIO", "cpu %u: %s MSR 0x%x: the CPU is offline", cpu, verb,
				      msr);
	if (!unc_linux_is_refusal(errnum))
		return unc_linux_fail(ctx, errnum, "cpu %u: %s MSR 0x%x", cpu, verb, msr);
	rc = msr_path(space->bus, cpu, &path);
	return rc < 0 ? rc : unc_linux_refused(ctx, &refusal, "cpu %u: %s MSR 0x%x", cpu, verb, msr);
}

static int came_short(struct unc_space *space, const char *verb, uint64_t number, ssize_t n)
{
	return unc_fail(space->bus->ctx, UNC_EIO, "cpu %u: %s MSR 0x%x: %zd of 8 bytes were transferred",
			space->addr.msr.cpu, verb, (unsigned)number, n);
}

static int msr_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	ssize_t n = pread(((struct msr_space *)space)->fd, buf, len, (off_t)off);

	if (n == (ssize_t)len)
		return UNC_OK;
	return n < 0 ? fail_access(space, UNC_LINUX_READ, off, errno) : came_short(space, "read", off, n);
}

/* Once for each bus, before the first write that the kernel will not refuse. */
static void say_taint(struct msr_bus *bus)
{
	bus->said_taint = true;
	switch (unc_linux_msr_writes(bus->root)) {
	case UNC_LINUX_WRITES_LOGGED:
		unc_note(bus->bus.ctx,
			 "writing model-specific registers taints the kernel (flag S of its bug reports) and "
			 "leaves a line in its log, which cannot be undone; booting with msr.allow_writes=on "
			 "spares the line");
		break;
	case UNC_LINUX_WRITES_TAINT:
		unc_note(bus->bus.ctx,
			 "writing model-specific registers taints the kernel (flag S of its bug reports), which "
			 "cannot be undone");
		break;
	case UNC_LINUX_WRITES_UNSEEN:
	case UNC_LINUX_WRITES_REFUSED:
		break;
	}
}

static int check_writing(struct msr_bus *bus, struct msr_space *space)
{
	unsigned cpu = space->space.addr.msr.cpu;
	struct unc_linux_path path;
	int rc = msr_path(&bus->bus, cpu, &path);

	if (rc == UNC_OK)
		rc = unc_linux_may_write(bus->bus.ctx, bus->root, path.text, space->fd, MSR_MAJOR);
	space->may_write = rc == UNC_OK;
	return rc < 0 ? unc_wrap(bus->bus.ctx, rc, "cpu %u", cpu) : UNC_OK;
}

static int msr_write(struct unc_space *unc_space, uint64_t off, const void *buf, size_t len)
{
	struct msr_space *space = (struct msr_space *)unc_space;
	struct msr_bus *bus = (struct msr_bus *)unc_space->bus;
	int rc = space->may_write ? UNC_OK : check_writing(bus, space);
	ssize_t n;

	if (rc < 0)
		return rc;
	if (space->is_driver && !bus->said_taint)
		say_taint(bus);
	n = pwrite(space->fd, buf, len, (off_t)off);
	if (n == (ssize_t)len)
		return UNC_OK;
	return n < 0 ? fail_access(unc_space, UNC_LINUX_WRITE, off, errno) : came_short(unc_space, "write", off, n);
}

static int msr_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	int errnum = unc_linux_lock(((struct msr_space *)space)->fd, first, n, how), rc;
	struct unc_ctx *ctx = space->bus->ctx;
	struct unc_linux_path path;
	char what[32];

	if (!errnum)
		return UNC_OK;
	snprintf(what, sizeof(what), "cpu %u", space->addr.msr.cpu);
	rc = msr_path(space->bus, space->addr.msr.cpu, &path);
	return rc < 0 ? rc : unc_linux_lock_failed(ctx, errnum, what, path.text);
}

static int by_address(const void *a, const void *b)
{
	return unc_addr_compare(a, b);
}

static bool is_cpu(const char *name, struct unc_addr *ret_addr)
{
	uint64_t cpu;

	if (name[0] < '0' || name[0] > '9' || (name[0] == '0' && name[1]) || !unc_text_u64(name, &cpu) ||
	    cpu > UINT_MAX)
		return false;
	*ret_addr = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = (unsigned)cpu}};
	return true;
}

static int msr_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const char *const *names;
	struct unc_linux_path path;
	struct unc_addr *addrs;
	size_t n_names, n = 0;
	int rc;

	rc = unc_linux_path(bus->ctx, &path, "%s/dev/cpu", ((struct msr_bus *)bus)->root->path);
	if (rc < 0)
		return rc;
	rc = unc_linux_dir_list(bus->ctx, ((struct msr_bus *)bus)->root, path.text, &names, &n_names);
	if (rc < 0)
		return unc_wrap(bus->ctx, rc, "msr");
	addrs = calloc(n_names + 1, sizeof(*addrs));
	for (size_t i = 0; addrs && i < n_names; i++)
		n += is_cpu(names[i], &addrs[n]); /* there is also "microcode" */
	free((void *)names);
	if (!addrs)
		return unc_fail(bus->ctx, UNC_ENOMEM, "msr: out of memory");
	qsort(addrs, n, sizeof(*addrs), by_address);
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

static void msr_close(struct unc_bus *bus)
{
	free(bus);
}

static const struct unc_bus_ops msr_ops = {
	.name = "msr",
	.help = "model-specific registers through /dev/cpu/*/msr",
	.close = msr_close,
	.list = msr_list,
	.space_open = msr_space_open,
	.space_close = msr_space_close,
	.read = msr_read,
	.write = msr_write,
	.claim = msr_claim,
};

int unc_linux_msr_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus)
{
	struct unc_linux_path path;
	struct msr_bus *bus;
	int rc;

	rc = unc_linux_path(ctx, &path, "%s/dev/cpu", root->path);
	if (rc < 0)
		return rc;
	if (!unc_linux_is_there(root, path.text))
		return errno == ENOENT
			       ? unc_fail_named(
					 ctx, UNC_ENODEV, "ENOENT",
					 "msr: %s: no such directory: the msr driver is not loaded; `modprobe msr`",
					 path.text)
			       : unc_linux_fail(ctx, errno, "msr: %s", path.text);
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(ctx, UNC_ENOMEM, "msr: out of memory");
	bus->root = root;
	bus->bus = (struct unc_bus){.ops = &msr_ops, .ctx = ctx, .writable = writable};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

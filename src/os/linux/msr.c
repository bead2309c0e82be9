// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Model-specific registers through the kernel's msr driver: /dev/cpu/N/msr, 8 bytes at the offset that is the number.
 * It answers EIO for a register that the processor lacks, ENXIO for a CPU that is offline.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* an offset is a number of 32 bits or more, also if off_t has 32 */
#include "os/linux/host.h"

#include "base/text.h"
#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

static struct unc_linux_root *root_of(const struct unc_bus *bus)
{
	return ((const struct msr_bus *)bus)->root;
}

static const char *msr_path(const struct unc_bus *bus, unsigned cpu, struct unc_linux_path *path)
{
	return unc_linux_path(root_of(bus), path, "/dev/cpu/%u/msr", cpu);
}

static int fail_to_open(struct unc_bus *bus, unsigned cpu, const char *path, int errnum)
{
	struct unc_linux_root *root = root_of(bus);
	enum unc_linux_deed deed = bus->writable ? UNC_LINUX_OPEN_WRITE : UNC_LINUX_OPEN_READ;
	struct unc_linux_refusal refusal = {root, path, deed, .msr = true, .errnum = errnum};
	struct unc_linux_path all, one;

	if (errnum == ENXIO)
		return unc_fail_named(bus->ctx, UNC_ENODEV, "ENXIO", "cpu %u: open %s: the CPU is offline", cpu, path);
	if (errnum != ENOENT && errnum != ENOTDIR)
		return unc_linux_refused(bus->ctx, &refusal, "cpu %u", cpu);
	/* Either the CPU is missing, or the driver. */
	if (unc_linux_is_there(root, unc_linux_path(root, &all, "/sys/devices/system/cpu")) &&
	    !unc_linux_is_there(root, unc_linux_path(root, &one, "/sys/devices/system/cpu/cpu%u", cpu)))
		return unc_fail_named(bus->ctx, UNC_ENODEV, "ENOENT", "cpu %u: open %s: this machine has no such CPU",
				      cpu, path);
	return unc_fail_named(
		bus->ctx, UNC_ENODEV, "ENOENT",
		"cpu %u: open %s: no such file: the msr driver is not there for this CPU; `modprobe msr`, or bring "
		"the CPU online",
		cpu, path);
}

static int msr_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct msr_space *space;
	struct unc_linux_path path;
	struct stat st;

	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "msr: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = NUMBERS};
	msr_path(bus, addr->msr.cpu, &path);
	space->fd = unc_linux_open(root_of(bus), path.text, bus->writable ? O_RDWR : O_RDONLY);
	if (space->fd < 0) {
		int rc = fail_to_open(bus, addr->msr.cpu, path.text, errno);

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

/* n: what the system call returned, errno its error. */
static int fail_access(struct unc_space *space, enum unc_linux_deed deed, uint64_t number, ssize_t n)
{
	const char *verb = deed == UNC_LINUX_READ ? "read" : "write";
	unsigned cpu = space->addr.msr.cpu, msr = (unsigned)number;
	struct unc_ctx *ctx = space->bus->ctx;
	struct unc_linux_path path;
	struct unc_linux_refusal refusal = {root_of(space->bus), path.text, deed, .msr = true, .errnum = errno};

	if (n >= 0)
		return unc_fail(ctx, UNC_EIO, "cpu %u: %s MSR 0x%x: %zd of 8 bytes were transferred", cpu, verb, msr,
				n);
	if (errno == EIO)
		return unc_fail_named(ctx, UNC_EIO, "EIO", "cpu %u: %s MSR 0x%x: %s", cpu, verb, msr,
				      deed == UNC_LINUX_READ
					      ? "this processor has no such register"
					      : "this processor does not take that value, or has no such register");
	if (errno == ENXIO)
		return unc_fail_named(ctx, UNC_ENODEV, "ENXIO", "cpu %u: %s MSR 0x%x: the CPU is offline", cpu, verb,
				      msr);
	msr_path(space->bus, cpu, &path);
	return unc_linux_refused(ctx, &refusal, "cpu %u: %s MSR 0x%x", cpu, verb, msr);
}

static int msr_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	ssize_t n = pread(((struct msr_space *)space)->fd, buf, len, (off_t)off);

	return n == (ssize_t)len ? UNC_OK : fail_access(space, UNC_LINUX_READ, off, n);
}

/* Once for each bus, before the first write that the kernel will not refuse. */
static void say_taint(struct msr_bus *bus)
{
	enum unc_linux_msr_writes writes = unc_linux_msr_writes(bus->root);
	bool logged = writes == UNC_LINUX_WRITES_LOGGED;

	bus->said_taint = true;
	if (logged || writes == UNC_LINUX_WRITES_TAINT)
		unc_note(bus->bus.ctx,
			 "writing model-specific registers taints the kernel (flag S of its bug reports)%s, which "
			 "cannot "
			 "be undone%s",
			 logged ? " and leaves a line in its log" : "",
			 logged ? "; booting with msr.allow_writes=on spares the line" : "");
}

static int msr_write(struct unc_space *unc_space, uint64_t off, const void *buf, size_t len)
{
	struct msr_space *space = (struct msr_space *)unc_space;
	struct msr_bus *bus = (struct msr_bus *)unc_space->bus;
	unsigned cpu = unc_space->addr.msr.cpu;
	struct unc_linux_path path;
	int rc = UNC_OK;
	ssize_t n;

	if (!space->may_write)
		rc = unc_linux_may_write(bus->bus.ctx, bus->root, msr_path(&bus->bus, cpu, &path), space->fd,
					 MSR_MAJOR);
	if (rc < 0)
		return unc_wrap(bus->bus.ctx, rc, "cpu %u", cpu);
	space->may_write = true;
	if (space->is_driver && !bus->said_taint)
		say_taint(bus);
	n = pwrite(space->fd, buf, len, (off_t)off);
	return n == (ssize_t)len ? UNC_OK : fail_access(unc_space, UNC_LINUX_WRITE, off, n);
}

static int msr_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	struct unc_linux_path path;

	msr_path(space->bus, space->addr.msr.cpu, &path);
	return unc_linux_claim(space, ((struct msr_space *)space)->fd, first, n, how, path.text);
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

/* There is also "microcode". */
static int msr_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_linux_list(bus, root_of(bus), "/dev/cpu", is_cpu, ret_addrs, ret_n);
}

static const struct unc_bus_ops msr_ops = {
	.name = "msr",
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

	if (!unc_linux_is_there(root, unc_linux_path(root, &path, "/dev/cpu")))
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
	bus->bus = (struct unc_bus){.ops = &msr_ops, .ctx = ctx, .writable = writable, .kind = UNC_MSR};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

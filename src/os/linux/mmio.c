// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers in memory through /dev/mem (Linux drivers/char/mem.c): a window is the one or two pages that hold it, mapped without
 * a cache, since the file is opened with O_SYNC.  An access is one load or one store: registers of hardware do more than
 * hold a value, so nothing here may be split, merged or repeated by the compiler.
 *
 * In a directory tree dev/mem may be a file that takes each access as a read or write of as many bytes, at the
 * physical address.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "os/linux/host.h"

#include "base/os.h"
#include "os/linux/fail.h"
#include "os/linux/files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MEM_MAJOR = 1 }; /* Linux Documentation/admin-guide/devices.txt */

struct mmio_bus {
	struct unc_bus bus;
	struct unc_linux_root *root; /* outlives it */
	struct unc_linux_path path;
	int fd;         /* owned */
	bool is_device; /* it is mapped; else it is a file that is read and written */
	bool may_write; /* unc_linux_may_write() allowed it */
};

struct mmio_space {
	struct unc_space space;
	unsigned char *pages; /* owned; NULL: not mapped */
	size_t len;
	unsigned char *at; /* the first register */
};

static struct mmio_bus *bus_of(const struct unc_space *space)
{
	return (struct mmio_bus *)space->bus;
}

/* ---- a bus error ---- */

/* A driver may take a page away that is mapped here (Linux kernel/resource.c, revoke_iomem()); its next access is a SIGBUS. */
/* Where the access that this thread is in goes on after one, as a signal handler has no argument. */
static _Thread_local sigjmp_buf landing;
static _Thread_local volatile sig_atomic_t is_touching;
/* What a bus error did before the first bus was opened: as a signal's handler, one for the whole process. */
static struct sigaction before;
static atomic_uint n_buses;

static void on_sigbus(int number)
{
	if (is_touching)
		siglongjmp(landing, 1);
	sigaction(SIGBUS, &before, NULL); /* another's: the access is repeated, and what would have come comes */
	(void)number;
}

/* ---- windows ---- */

static int fail_to_map(struct mmio_bus *bus, const struct unc_addr *addr, int errnum)
{
	struct unc_linux_refusal refusal = {bus->root, bus->path.text, UNC_LINUX_MAP, .errnum = errnum};
	char name[UNC_ADDR_TEXT];

	unc_addr_text(addr, name);
	if (errnum == EAGAIN)
		return unc_fail_named(
			bus->bus.ctx, UNC_EBUSY, "EAGAIN",
			"mmio %s: map %s: the kernel has this page mapped with another kind of cache, for a "
			"driver: see its log (`dmesg`), and unload that driver",
			name, bus->path.text);
	return unc_linux_refused(bus->bus.ctx, &refusal, "mmio %s", name);
}

/* Nothing beyond these pages: the kernel checks whether each of them may be mapped. */
static int map_pages(struct mmio_bus *bus, const struct unc_addr *addr, struct mmio_space *space)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = addr->mmio.base & ~(page - 1);
	int prot = bus->bus.writable ? PROT_READ | PROT_WRITE : PROT_READ;
	void *pages;

	space->len = (size_t)((addr->mmio.base + addr->mmio.len - first + page - 1) & ~(page - 1));
	pages = mmap(NULL, space->len, prot, MAP_SHARED, bus->fd, (off_t)first);
	if (pages == MAP_FAILED)
		return fail_to_map(bus, addr, errno);
	space->pages = pages;
	space->at = space->pages + (addr->mmio.base - first);
	return UNC_OK;
}

static int mmio_space_open(struct unc_bus *unc_bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct mmio_bus *bus = (struct mmio_bus *)unc_bus;
	struct mmio_space *space;
	int rc = UNC_OK;

	if (addr->kind != UNC_MMIO)
		return unc_fail(unc_bus->ctx, UNC_EARG, "mmio: asked for something that is not in memory");
	if (addr->mmio.base % 4 != 0 || addr->mmio.len == 0 || addr->mmio.base > INT64_MAX - addr->mmio.len)
		return unc_fail(unc_bus->ctx, UNC_ERANGE, "mmio 0x%" PRIx64 ": no register is at such an address",
				addr->mmio.base);
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(unc_bus->ctx, UNC_ENOMEM, "mmio: out of memory");
	space->space = (struct unc_space){.bus = unc_bus, .addr = *addr, .len = addr->mmio.len};
	if (bus->is_device)
		rc = map_pages(bus, addr, space);
	if (rc < 0)
		free(space);
	else
		*ret_space = &space->space;
	return rc;
}

static int mmio_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	const struct mmio_bus *bus = bus_of(space);

	return unc_linux_claim(space, bus->fd, space->addr.mmio.base + first, n ? n : space->len, how, bus->path.text);
}

static void mmio_space_close(struct unc_space *unc_space)
{
	struct mmio_space *space = (struct mmio_space *)unc_space;

	unc_linux_lock(bus_of(unc_space)->fd, unc_space->addr.mmio.base, unc_space->len, UNC_CLAIM_LEAVE);
	if (space->pages)
		munmap(space->pages, space->len);
	free(space);
}

/* ---- accesses ---- */

static int access_failed(struct unc_space *space, const char *verb, uint64_t off, ssize_t n, int errnum)
{
	const char *path = bus_of(space)->path.text;
	struct unc_ctx *ctx = space->bus->ctx;
	char name[UNC_ADDR_TEXT];

	unc_addr_text(&space->addr, name);
	if (n < 0 && unc_linux_is_refusal(errnum))
		return unc_linux_fail(ctx, errnum, "mmio %s: %s 0x%" PRIx64 " of %s", name, verb, off, path);
	if (n < 0)
		return unc_linux_fail(ctx, errnum, "mmio %s: %s 0x%" PRIx64 " through %s", name, verb, off, path);
	return unc_fail(ctx, UNC_EIO, "mmio %s: %s 0x%" PRIx64 " through %s: only %zd bytes were transferred", name,
			verb, off, path, n);
}

static int bus_error(struct unc_space *space, const char *verb, uint64_t off)
{
	char name[UNC_ADDR_TEXT];

	is_touching = 0;
	return unc_fail_named(space->bus->ctx, UNC_EIO, "SIGBUS",
			      "mmio %s: %s 0x%" PRIx64
			      ": bus error: nothing answers there, or a driver has taken the page",
			      unc_addr_text(&space->addr, name), verb, off);
}

static int mmio_read(struct unc_space *unc_space, uint64_t off, void *buf, size_t len)
{
	const struct mmio_space *space = (const struct mmio_space *)unc_space;
	const unsigned char *at = space->at + off;
	ssize_t n;

	if (!space->pages) {
		n = pread(bus_of(unc_space)->fd, buf, len, (off_t)(unc_space->addr.mmio.base + off));
		return n == (ssize_t)len ? UNC_OK : access_failed(unc_space, "read", off, n, errno);
	}
	if (sigsetjmp(landing, 0) != 0)
		return bus_error(unc_space, "read", off);
	is_touching = 1;
	if (len == 8)
		unc_put_le64(buf, *(const volatile uint64_t *)at);
	else
		unc_put_le32(buf, *(const volatile uint32_t *)at);
	is_touching = 0;
	return UNC_OK;
}

int unc_linux_mmio_write(struct unc_space *unc_space, uint64_t off, const void *buf, size_t len)
{
	const struct mmio_space *space = (const struct mmio_space *)unc_space;
	unsigned char *at = space->at + off;
	struct mmio_bus *bus = bus_of(unc_space);
	int rc = UNC_OK;
	ssize_t n;

	if (!bus->may_write)
		rc = unc_linux_may_write(bus->bus.ctx, bus->root, bus->path.text, bus->fd, MEM_MAJOR);
	if (rc < 0)
		return rc;
	bus->may_write = true;
	if (!space->pages) {
		n = pwrite(bus->fd, buf, len, (off_t)(unc_space->addr.mmio.base + off));
		return n == (ssize_t)len ? UNC_OK : access_failed(unc_space, "write", off, n, errno);
	}
	if (sigsetjmp(landing, 0) != 0)
		return bus_error(unc_space, "write", off);
	is_touching = 1;
	if (len == 8)
		*(volatile uint64_t *)at = unc_le64(buf);
	else
		*(volatile uint32_t *)at = unc_le32(buf);
	is_touching = 0;
	return UNC_OK;
}

/* ---- the bus ---- */

/* No file says what is in memory. */
static int mmio_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	*ret_n = 0;
	*ret_addrs = calloc(1, sizeof(**ret_addrs));
	return *ret_addrs ? UNC_OK : unc_fail(bus->ctx, UNC_ENOMEM, "mmio: out of memory");
}

static void mmio_close(struct unc_bus *bus)
{
	if (--n_buses == 0)
		sigaction(SIGBUS, &before, NULL);
	close(((struct mmio_bus *)bus)->fd);
	free(bus);
}

static const struct unc_bus_ops mmio_ops = {
	.name = "mmio",
	.close = mmio_close,
	.list = mmio_list,
	.space_open = mmio_space_open,
	.space_close = mmio_space_close,
	.read = mmio_read,
	.write = unc_linux_mmio_write,
	.claim = mmio_claim,
};

int unc_linux_mmio_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus)
{
	struct mmio_bus *bus = calloc(1, sizeof(*bus));
	struct stat st;
	int rc;

	if (!bus)
		return unc_fail(ctx, UNC_ENOMEM, "mmio: out of memory");
	bus->root = root;
	bus->bus = (struct unc_bus){.ops = &mmio_ops, .ctx = ctx, .writable = writable};
	unc_linux_path(root, &bus->path, "/dev/mem");
	bus->fd = unc_linux_open(root, bus->path.text, (writable ? O_RDWR : O_RDONLY) | O_SYNC);
	if (bus->fd < 0) {
		const struct unc_linux_refusal refusal = {root, bus->path.text,
							  writable ? UNC_LINUX_OPEN_WRITE : UNC_LINUX_OPEN_READ,
							  .raw = true, .errnum = errno};

		rc = errno == ENOENT || errno == ENXIO
			     ? unc_fail_named(
				       ctx, UNC_ENODEV, unc_linux_err_name(errno),
				       "mmio: open %s: it is not there: this kernel was built without it "
				       "(CONFIG_DEVMEM), or this is a container without devices; run on the host",
				       bus->path.text)
			     : unc_linux_refused(ctx, &refusal, "mmio");
		free(bus);
		return rc;
	}
	bus->is_device = fstat(bus->fd, &st) == 0 && S_ISCHR(st.st_mode);
	if (n_buses++ == 0) {
		struct sigaction action = {.sa_handler = on_sigbus, .sa_flags = SA_NODEFER};

		sigemptyset(&action.sa_mask);
		sigaction(SIGBUS, &action, &before);
	}
	*ret_bus = &bus->bus;
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers in memory through /dev/mem (Linux drivers/char/mem.c): a window is the one or two pages that hold it, mapped without
 * a cache, since the file is opened with O_SYNC.  An access is one load or one store: registers of hardware do more than
 * hold a value, so nothing here may be split, merged or repeated by the compiler.
 *
 * Where /dev/mem is missing or refuses a page, a window in a BAR of a PCI function is mapped through resourceN of that function in
 * sysfs (Linux drivers/pci/pci-sysfs.c).  Both files map the same memory in the same way.
 *
 * In a directory tree these may be files that take each access as a read or write of as many bytes, at the
 * physical address, or as far from the beginning of the BAR.
 */
#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64
#include "os/linux/host.h"

#include "base/text.h"
#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { MEM_MAJOR = 1 }; /* Linux Documentation/admin-guide/devices.txt */

/* resource has a line for each BAR: first and last address, flags (Linux include/linux/ioport.h). */
enum { BARS = 6, RESOURCE_TEXT = 1024, IORESOURCE_MEM = 0x200, PAGE_MASK = 0xfff };
#define FUNCTIONS "/sys/bus/pci/devices"

struct mmio_file { /* with registers: /dev/mem, or a BAR */
	struct unc_linux_path path;
	uint64_t first; /* physical address of its first byte */
	int fd;         /* owned; -1: it is not open */
	bool is_mapped; /* else it is read and written */
	bool may_write; /* unc_linux_may_write() allowed it */
};

struct mmio_bar {
	struct unc_addr function;
	unsigned number;
	uint64_t first, last;
};

struct mmio_bus {
	struct unc_bus bus;
	struct unc_linux_root *root; /* outlives it */
	struct mmio_file mem;
	int errnum;            /* why mem is not open */
	struct mmio_bar *bars; /* owned; read when /dev/mem refuses something */
	size_t n_bars;
	bool noted; /* that a BAR is used */
};

struct mmio_space {
	struct unc_space space;
	struct mmio_file *file, bar; /* the bus's mem, or bar */
	unsigned char *pages;        /* owned; NULL: not mapped */
	size_t len;
	unsigned char *at; /* the first register */
};

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

static int fail_to_open(struct mmio_bus *bus)
{
	const char *path = bus->mem.path.text;
	const struct unc_linux_refusal refusal = {bus->root, path,
						  bus->bus.writable ? UNC_LINUX_OPEN_WRITE : UNC_LINUX_OPEN_READ,
						  .raw = true, .errnum = bus->errnum};

	if (bus->errnum == ENOENT || bus->errnum == ENXIO)
		return unc_fail_named(bus->bus.ctx, UNC_ENODEV, unc_linux_err_name(bus->errnum),
				      "mmio: open %s: it is not there: this kernel was built without it "
				      "(CONFIG_DEVMEM), or this is a container without devices; run on the host",
				      path);
	return unc_linux_refused(bus->bus.ctx, &refusal, "mmio");
}

static int fail_to_map(struct mmio_bus *bus, const struct mmio_file *file, const struct unc_addr *addr, int errnum)
{
	struct unc_linux_refusal refusal = {bus->root, file->path.text, UNC_LINUX_MAP, .errnum = errnum};
	char name[UNC_ADDR_TEXT];

	unc_addr_text(addr, name);
	if (errnum == EAGAIN)
		return unc_fail_named(
			bus->bus.ctx, UNC_EBUSY, "EAGAIN",
			"mmio %s: map %s: the kernel has this page mapped with another kind of cache, for a "
			"driver: see its log (`dmesg`), and unload that driver",
			name, file->path.text);
	return unc_linux_refused(bus->bus.ctx, &refusal, "mmio %s", name);
}

/* Nothing beyond these pages: the kernel checks whether each of them may be mapped. */
static int map_pages(struct mmio_bus *bus, const struct unc_addr *addr, struct mmio_space *space)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), first = addr->mmio.base & ~(page - 1);
	int prot = bus->bus.writable ? PROT_READ | PROT_WRITE : PROT_READ;
	const struct mmio_file *file = space->file;
	void *pages;

	space->len = (size_t)((addr->mmio.base + addr->mmio.len - first + page - 1) & ~(page - 1));
	pages = mmap(NULL, space->len, prot, MAP_SHARED, file->fd, (off_t)(first - file->first));
	if (pages == MAP_FAILED)
		return fail_to_map(bus, file, addr, errno);
	space->pages = pages;
	space->at = space->pages + (addr->mmio.base - first);
	return UNC_OK;
}

static int open_in(struct mmio_bus *bus, struct mmio_file *file, const struct unc_addr *addr, struct mmio_space *space)
{
	space->file = file;
	return file->is_mapped ? map_pages(bus, addr, space) : UNC_OK;
}

/* ---- BARs ---- */

static int read_bars(struct mmio_bus *bus)
{
	const char *const *names = NULL;
	struct unc_linux_path path;
	size_t n = 0;
	int rc;

	rc = unc_linux_dir_list(bus->bus.ctx, bus->root, unc_linux_path(bus->root, &path, FUNCTIONS), &names, &n);
	for (size_t i = 0; i < n && rc == UNC_OK; i++) {
		struct mmio_bar bar = {.number = 0};
		char text[RESOURCE_TEXT], *rest = text, *line;
		uint64_t flags;

		unc_linux_path(bus->root, &path, FUNCTIONS "/%s/resource", names[i]);
		if (!unc_addr_parse_pci(names[i], &bar.function) ||
		    unc_linux_short_file(bus->root, path.text, text, sizeof(text)) != 0)
			continue;
		for (; bar.number < BARS && (line = unc_text_cut(&rest, '\n')) != NULL && rc == UNC_OK; bar.number++) {
			const char *first = unc_text_cut(&line, ' '), *last = unc_text_cut(&line, ' ');

			if (line && unc_text_u64(first, &bar.first) && unc_text_u64(last, &bar.last) &&
			    unc_text_u64(line, &flags) && flags & IORESOURCE_MEM && !(bar.first & PAGE_MASK))
				rc = unc_list_add(bus->bus.ctx, &bus->bars, &bus->n_bars, &bar, sizeof(bar));
		}
	}
	free((void *)names);
	return rc == UNC_ENOMEM ? rc : UNC_OK;
}

/* Opens the window in the BAR that has it; failed: the error of /dev/mem, which is the result if none has it or that fails. */
static int open_in_bar(struct mmio_bus *bus, const struct unc_addr *addr, struct mmio_space *space, int failed)
{
	uint64_t last = addr->mmio.base + addr->mmio.len - 1;
	struct mmio_file *file = &space->bar;
	const struct mmio_bar *bar = NULL;
	struct unc_ctx *ctx = bus->bus.ctx;
	struct unc_saved_msg said;
	char name[UNC_ADDR_TEXT];
	struct statfs fs;
	int rc;

	unc_msg_save(ctx, &said);
	if (!bus->n_bars && read_bars(bus) < 0)
		return UNC_ENOMEM;
	unc_msg_restore(ctx, &said);
	for (size_t i = 0; i < bus->n_bars && !bar; i++)
		if (addr->mmio.base >= bus->bars[i].first && last <= bus->bars[i].last)
			bar = &bus->bars[i];
	if (!bar)
		return failed;
	unc_linux_path(bus->root, &file->path, FUNCTIONS "/%s/resource%u", unc_addr_text(&bar->function, name),
		       bar->number);
	file->first = bar->first;
	file->fd = unc_linux_open(bus->root, file->path.text, (bus->bus.writable ? O_RDWR : O_RDONLY) | O_SYNC);
	if (file->fd < 0)
		return failed;
	file->is_mapped = fstatfs(file->fd, &fs) == 0 && fs.f_type == SYSFS_MAGIC;
	rc = open_in(bus, file, addr, space);
	if (rc < 0) { /* a kernel that is locked down refuses both, and says why only of /dev/mem */
		close(file->fd);
		unc_msg_restore(ctx, &said);
		return failed;
	}
	if (!bus->noted)
		unc_note(ctx, "registers in memory are reached through %s, since %s", file->path.text, said.msg);
	bus->noted = true;
	return UNC_OK;
}

static int mmio_space_open(struct unc_bus *unc_bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct mmio_bus *bus = (struct mmio_bus *)unc_bus;
	struct mmio_space *space;
	int rc;

	if (addr->mmio.base % 4 != 0 || addr->mmio.len == 0 || addr->mmio.base > INT64_MAX - addr->mmio.len)
		return unc_fail(unc_bus->ctx, UNC_ERANGE, "mmio 0x%" PRIx64 ": no register is at such an address",
				addr->mmio.base);
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(unc_bus->ctx, UNC_ENOMEM, "mmio: out of memory");
	space->space = (struct unc_space){.bus = unc_bus, .addr = *addr, .len = addr->mmio.len};
	rc = bus->mem.fd < 0 ? fail_to_open(bus) : open_in(bus, &bus->mem, addr, space);
	if (rc == UNC_EPERM || rc == UNC_ENODEV)
		rc = open_in_bar(bus, addr, space, rc);
	if (rc < 0)
		free(space);
	else
		*ret_space = &space->space;
	return rc;
}

static const struct mmio_file *file_of(const struct unc_space *space)
{
	return ((const struct mmio_space *)space)->file;
}

static int mmio_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	const struct mmio_file *file = file_of(space);

	return unc_linux_claim(space, file->fd, space->addr.mmio.base - file->first + first, n ? n : space->len, how,
			       file->path.text);
}

static void mmio_space_close(struct unc_space *unc_space)
{
	struct mmio_space *space = (struct mmio_space *)unc_space;
	const struct mmio_file *file = space->file;

	unc_linux_lock(file->fd, unc_space->addr.mmio.base - file->first, unc_space->len, UNC_CLAIM_LEAVE);
	if (space->pages)
		munmap(space->pages, space->len);
	if (file == &space->bar)
		close(file->fd);
	free(space);
}

/* ---- accesses ---- */

static int access_failed(struct unc_space *space, const char *verb, uint64_t off, ssize_t n, int errnum)
{
	const char *path = file_of(space)->path.text;
	struct unc_ctx *ctx = space->bus->ctx;
	char name[UNC_ADDR_TEXT];

	unc_addr_text(&space->addr, name);
	if (n < 0)
		return unc_linux_fail(ctx, errnum, "mmio %s: %s 0x%" PRIx64 " %s %s", name, verb, off,
				      unc_linux_is_refusal(errnum) ? "of" : "through", path);
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
		n = pread(space->file->fd, buf, len, (off_t)(unc_space->addr.mmio.base - space->file->first + off));
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
	const struct mmio_bus *bus = (const struct mmio_bus *)unc_space->bus;
	struct mmio_file *file = space->file;
	int rc = UNC_OK;
	ssize_t n;

	if (!file->may_write)
		rc = unc_linux_may_write(bus->bus.ctx, bus->root, file->path.text, file->fd,
					 file == &bus->mem ? MEM_MAJOR : 0);
	if (rc < 0)
		return rc;
	file->may_write = true;
	if (!space->pages) {
		n = pwrite(file->fd, buf, len, (off_t)(unc_space->addr.mmio.base - file->first + off));
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

static void mmio_close(struct unc_bus *unc_bus)
{
	struct mmio_bus *bus = (struct mmio_bus *)unc_bus;

	if (--n_buses == 0)
		sigaction(SIGBUS, &before, NULL);
	if (bus->mem.fd >= 0)
		close(bus->mem.fd);
	free(bus->bars);
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
	int rc = UNC_OK;

	if (!bus)
		return unc_fail(ctx, UNC_ENOMEM, "mmio: out of memory");
	bus->root = root;
	bus->bus = (struct unc_bus){.ops = &mmio_ops, .ctx = ctx, .writable = writable, .kind = UNC_MMIO};
	unc_linux_path(root, &bus->mem.path, "/dev/mem");
	bus->mem.fd = unc_linux_open(root, bus->mem.path.text, (writable ? O_RDWR : O_RDONLY) | O_SYNC);
	bus->errnum = errno;
	bus->mem.is_mapped = bus->mem.fd >= 0 && fstat(bus->mem.fd, &st) == 0 && S_ISCHR(st.st_mode);
	if (bus->mem.fd < 0)
		rc = read_bars(bus);
	if (rc == UNC_OK && bus->mem.fd < 0 && !bus->n_bars)
		rc = fail_to_open(bus);
	if (rc < 0) {
		free(bus->bars);
		free(bus);
		return rc;
	}
	if (n_buses++ == 0) {
		struct sigaction action = {.sa_handler = on_sigbus, .sa_flags = SA_NODEFER};

		sigemptyset(&action.sa_mask);
		sigaction(SIGBUS, &action, &before);
	}
	*ret_bus = &bus->bus;
	return UNC_OK;
}

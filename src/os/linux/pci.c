// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI configuration space through libpci.  One struct pci_access for each function, because libpci keeps one open file
 * in each: so a block is exactly one pread().
 */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/text.h"
#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <pci/pci.h>
#include <setjmp.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYSFS "/sys/bus/pci"

enum { CONFIG_LEN = 256, EXTENDED_LEN = 4096, HEADER_LEN = 64 };

struct pci_bus {
	struct unc_bus bus;
	struct unc_linux_root *root; /* outlives it */
	char *sysfs;                 /* owned; ROOT/sys/bus/pci, for libpci */
};

struct pci_space {
	struct unc_space space;
	struct pci_access *access; /* owned; holds the open file */
	struct pci_dev *dev;       /* owned */
	int fd;                    /* owned until libpci has it; then -1 */
	bool may_write;            /* unc_linux_may_write() allowed it */
	bool measured;             /* space.len is the size of this function, not the largest possible one */
};

/* The result of one call into libpci. */
struct frame {
	jmp_buf out;
	int errnum;     /* of the system call that failed; 0: none failed, but it was short */
	char text[128]; /* libpci's message when it gave up */
};

/*
 * The frame of the call that this thread is in.  libpci's callbacks get no argument of ours, and error() must not
 * return: without a pointer per thread only exit() would leave it.  NULL outside of guarded().
 */
static _Thread_local struct frame *frame;

static void PCI_NONRET on_error(char *msg, ...)
{
	va_list args;

	frame->errnum = errno;
	va_start(args, msg);
	vsnprintf(frame->text, sizeof(frame->text), msg, args);
	va_end(args);
	longjmp(frame->out, 1);
}

/*
 * Reads "sysfs_read: read failed: ...", or "tried to write 4 bytes at 244, but only 2 succeeded", which leaves errno 0.
 */
static void on_warning(char *msg, ...)
{
	(void)msg;
	frame->errnum = errno;
}

static void on_debug(char *msg, ...)
{
	(void)msg;
}

/* Calls fn(arg), which calls libpci; false: libpci gave up, and mine has the reason. */
static bool guarded(struct frame *mine, void (*fn)(void *arg), void *arg)
{
	mine->errnum = 0;
	mine->text[0] = '\0';
	frame = mine;
	if (setjmp(mine->out)) {
		frame = NULL;
		return false;
	}
	errno = 0;
	fn(arg);
	frame = NULL;
	return true;
}

static void set_up(void *arg)
{
	struct pci_space *space = arg;
	const struct pci_bus *bus = (const struct pci_bus *)space->space.bus;
	const struct unc_addr *addr = &space->space.addr;

	space->access = pci_alloc();
	space->access->error = on_error;
	space->access->warning = on_warning;
	space->access->debug = on_debug;
	space->access->method = PCI_ACCESS_SYS_BUS_PCI;
	space->access->writeable = bus->bus.writable;
	if (pci_set_param(space->access, "sysfs.path", bus->sysfs) != 0)
		return; /* dev stays NULL */
	pci_init(space->access);
	space->dev = pci_get_dev(space->access, (int)addr->pci.domain, addr->pci.bus, addr->pci.dev, addr->pci.fn);
	/*
	 * libpci opens a function's file at its first access, without O_CLOEXEC, and reports neither the error nor the
	 * size of the file.  So we open it first, and put it where libpci keeps its own.
	 */
	space->access->fd = space->fd;
	space->access->fd_rw = bus->bus.writable;
	space->access->cached_dev = space->dev;
	space->fd = -1;
}

static void tear_down(void *arg)
{
	struct pci_space *space = arg;

	if (space->dev)
		pci_free_dev(space->dev); /* closes the file */
	space->dev = NULL;
	if (space->access)
		pci_cleanup(space->access);
	space->access = NULL;
}

static void space_free(struct pci_space *space)
{
	struct frame mine;

	guarded(&mine, tear_down, space);
	if (space->fd >= 0)
		close(space->fd);
	free(space);
}

static const char *config_path(const struct pci_bus *bus, const char *name, struct unc_linux_path *path)
{
	return unc_linux_path(bus->root, path, SYSFS "/devices/%s/config", name);
}

/* One system call; no register is read. */
static int config_open(struct pci_bus *bus, struct pci_space *space)
{
	enum unc_linux_deed deed = bus->bus.writable ? UNC_LINUX_OPEN_WRITE : UNC_LINUX_OPEN_READ;
	struct unc_linux_path path;
	struct unc_linux_refusal refusal = {bus->root, path.text, deed, .errnum = 0};
	char name[UNC_ADDR_TEXT];

	config_path(bus, unc_addr_text(&space->space.addr, name), &path);
	space->fd = unc_linux_open(bus->root, path.text, bus->bus.writable ? O_RDWR : O_RDONLY);
	if (space->fd >= 0)
		return UNC_OK;
	refusal.errnum = errno;
	return unc_linux_refused(bus->bus.ctx, &refusal, "pci %s", name);
}

static int libpci_start(struct unc_ctx *ctx, struct pci_space *space)
{
	char name[UNC_ADDR_TEXT];
	struct frame mine;
	/*
	 * pci_alloc() allocates before its error handler can be set, and calls exit() if that fails: so we first check
	 * that there is memory.
	 */
	void *room = malloc(8192);

	free(room);
	if (!room)
		return unc_fail(ctx, UNC_ENOMEM, "pci: out of memory");
	if (!guarded(&mine, set_up, space))
		return unc_fail(ctx, UNC_ENOSUP, "pci %s: libpci: %s", unc_addr_text(&space->space.addr, name),
				mine.text);
	if (!space->dev)
		return unc_fail(ctx, UNC_ENOSUP, "pci: this libpci was built without its sysfs method");
	return UNC_OK;
}

static int pci_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct pci_space *space;
	int rc;

	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "pci: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = EXTENDED_LEN};
	rc = config_open((struct pci_bus *)bus, space);
	if (rc == UNC_OK)
		rc = libpci_start(bus->ctx, space);
	if (rc < 0)
		space_free(space);
	else
		*ret_space = &space->space;
	return rc;
}

static void pci_space_close(struct unc_space *space)
{
	space_free((struct pci_space *)space);
}

struct transfer {
	struct pci_dev *dev;
	int (*move)(struct pci_dev *dev, int off, u8 *bytes, int len); /* pci_read_block(), pci_write_block() */
	int off;
	u8 *bytes;
	int len;
	int done;
};

static void do_transfer(void *arg)
{
	struct transfer *transfer = arg;

	transfer->done = transfer->move(transfer->dev, transfer->off, transfer->bytes, transfer->len);
}

/* For users other than root the kernel ends the file after the 64 bytes that every function has. */
static bool only_header(struct pci_space *space)
{
	u8 bytes[4];
	struct transfer last = {space->dev, pci_read_block, HEADER_LEN - 4, bytes, sizeof(bytes), .done = 0};
	struct transfer next = {space->dev, pci_read_block, HEADER_LEN, bytes, sizeof(bytes), .done = 0};
	struct frame mine;

	return guarded(&mine, do_transfer, &last) && last.done && guarded(&mine, do_transfer, &next) && !next.done &&
	       mine.errnum == 0;
}

static int transfer_failed(struct pci_space *space, const char *verb, int off, const struct frame *mine)
{
	struct pci_bus *bus = (struct pci_bus *)space->space.bus;
	enum unc_linux_deed deed = *verb == 'r' ? UNC_LINUX_READ : UNC_LINUX_WRITE;
	struct unc_linux_rights rights;
	struct unc_linux_path path;
	struct unc_linux_refusal refusal = {bus->root, path.text, deed, .errnum = mine->errnum};
	struct unc_ctx *ctx = bus->bus.ctx;
	char name[UNC_ADDR_TEXT], why[256];

	config_path(bus, unc_addr_text(&space->space.addr, name), &path);
	if (mine->text[0])
		return unc_fail(ctx, UNC_EIO, "pci %s: %s 0x%x: libpci: %s", name, verb, off, mine->text);
	if (mine->errnum)
		return unc_linux_refused(ctx, &refusal, "pci %s: %s 0x%x", name, verb, off);
	if (*verb != 'r' || !only_header(space))
		return unc_fail(ctx, UNC_EIO, "pci %s: %s 0x%x: fewer bytes were transferred than asked for", name,
				verb, off);
	rights = unc_linux_rights();
	return unc_fail(ctx, UNC_EPERM, "pci %s: %s 0x%x: only the first 64 bytes can be read: %s", name, verb, off,
			unc_linux_short_why(&rights, why, sizeof(why)));
}

/*
 * Every function has 256 bytes.  Whether this one has 4096 is found out at the first access beyond, since many are
 * opened at the start only for their ids.
 */
static int within(struct pci_space *space, const char *verb, uint64_t off, size_t len)
{
	struct unc_ctx *ctx = space->space.bus->ctx;
	char name[UNC_ADDR_TEXT];
	struct stat st;

	if (off + len <= CONFIG_LEN)
		return UNC_OK;
	unc_addr_text(&space->space.addr, name);
	if (!space->measured) {
		if (fstat(space->access->fd, &st) < 0)
			return unc_linux_fail(ctx, errno, "pci %s: how long its configuration space is", name);
		space->space.len = st.st_size >= EXTENDED_LEN ? EXTENDED_LEN : CONFIG_LEN;
		space->measured = true;
	}
	if (off + len <= space->space.len)
		return UNC_OK;
	if (off + len <= EXTENDED_LEN)
		return unc_fail(ctx, UNC_ERANGE,
				"pci %s: %s 0x%x: only the first 256 bytes of it can be reached; start the kernel "
				"without pci=nommconf, or switch MMCONFIG (ECAM) on in the firmware",
				name, verb, (unsigned)off);
	return unc_fail(ctx, UNC_ERANGE,
			"pci %s: %s of %zu bytes at 0x%x: that is not within the registers of this space", name, verb,
			len, (unsigned)off);
}

static int pci_read(struct unc_space *unc_space, uint64_t off, void *buf, size_t len)
{
	struct pci_space *space = (struct pci_space *)unc_space;
	struct transfer transfer = {space->dev, pci_read_block, (int)off, buf, (int)len, .done = 0};
	struct frame mine;
	int rc = within(space, "read", off, len);

	if (rc < 0)
		return rc;
	if (guarded(&mine, do_transfer, &transfer) && transfer.done)
		return UNC_OK;
	return transfer_failed(space, "read", (int)off, &mine);
}

static int pci_write(struct unc_space *unc_space, uint64_t off, const void *buf, size_t len)
{
	struct pci_space *space = (struct pci_space *)unc_space;
	const struct pci_bus *bus = (const struct pci_bus *)unc_space->bus;
	struct transfer transfer = {space->dev, pci_write_block, (int)off, (u8 *)buf, (int)len, .done = 0};
	char name[UNC_ADDR_TEXT];
	struct unc_linux_path path;
	struct frame mine;
	int rc = within(space, "write", off, len);

	if (rc == UNC_OK && !space->may_write) {
		config_path(bus, unc_addr_text(&unc_space->addr, name), &path);
		rc = unc_linux_may_write(bus->bus.ctx, bus->root, path.text, space->access->fd, 0);
		rc = unc_wrap(bus->bus.ctx, rc, "pci %s", name);
		space->may_write = rc == UNC_OK;
	}
	if (rc < 0)
		return rc;
	if (guarded(&mine, do_transfer, &transfer) && transfer.done)
		return UNC_OK;
	return transfer_failed(space, "write", (int)off, &mine);
}

static int pci_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	char name[UNC_ADDR_TEXT];
	struct unc_linux_path path;

	config_path((struct pci_bus *)space->bus, unc_addr_text(&space->addr, name), &path);
	return unc_linux_claim(space, ((struct pci_space *)space)->access->fd, first, n, how, path.text);
}

/* Accepts only names as the kernel writes them, since they are opened later. */
static bool is_function(const char *name, struct unc_addr *ret_addr)
{
	char canonical[UNC_ADDR_TEXT];

	return unc_addr_parse_pci(name, ret_addr) && strcmp(unc_addr_text(ret_addr, canonical), name) == 0;
}

/* We list the directory ourselves: libpci's scan opens several files for every function. */
static int pci_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_linux_list(bus, ((struct pci_bus *)bus)->root, SYSFS "/devices", is_function, ret_addrs, ret_n);
}

static void pci_close(struct unc_bus *unc_bus)
{
	struct pci_bus *bus = (struct pci_bus *)unc_bus;

	free(bus->sysfs);
	free(bus);
}

static const struct unc_bus_ops pci_ops = {
	.name = "pci",
	.close = pci_close,
	.list = pci_list,
	.space_open = pci_space_open,
	.space_close = pci_space_close,
	.read = pci_read,
	.write = pci_write,
	.claim = pci_claim,
};

int unc_linux_pci_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus)
{
	struct unc_linux_path path;
	struct pci_bus *bus;

	if (!unc_linux_is_there(root, unc_linux_path(root, &path, SYSFS "/devices")))
		return unc_linux_fail(ctx, errno, "pci: %s", path.text);
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(ctx, UNC_ENOMEM, "pci: out of memory");
	bus->bus = (struct unc_bus){.ops = &pci_ops, .ctx = ctx, .writable = writable, .kind = UNC_PCI};
	bus->root = root;
	bus->sysfs = unc_text_new("%s" SYSFS, root->path);
	if (!bus->sysfs) {
		pci_close(&bus->bus);
		return unc_fail(ctx, UNC_ENOMEM, "pci: out of memory");
	}
	*ret_bus = &bus->bus;
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The area of memory in which the microcode of each POWER chip counts, as firmware exports it: /sys/firmware/opal/exports/imc_nest_chip_N,
 * big-endian words, for reading only (Linux arch/powerpc/platforms/powernv/opal.c).  Linux gives at most a page by one read.  One word
 * can be written: the status, by a command of the same number, through debugfs (opal-imc.c there).
 */
#define _GNU_SOURCE
#include "os/linux/host.h"

#include "base/text.h"
#include "os/linux/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXPORTS "/sys/firmware/opal/exports"
#define COMMAND "/sys/kernel/debug/powerpc/imc/imc_cmd_%u"
enum { STATUS = 0x3fc00, RESUME = 1, PAUSE = 2 };

static const char front[] = "imc_nest_chip_"; /* then the chip's number in hex */

struct area_bus {
	struct unc_bus bus;
	struct unc_linux_root *root; /* outlives it */
};

struct area_space {
	struct unc_space space;
	int fd, command_fd; /* owned; -1: not open */
};

static const char *area_path(const struct unc_space *space, struct unc_linux_path *path)
{
	return unc_linux_path(((struct area_bus *)space->bus)->root, path, EXPORTS "/%s%x", front,
			      space->addr.area.chip);
}

static int area_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct area_space *area = calloc(1, sizeof(*area));
	struct unc_linux_path path;
	struct stat st = {0};
	int error = 0;

	if (!area)
		return unc_fail(bus->ctx, UNC_ENOMEM, "area: out of memory");
	area->space = (struct unc_space){.bus = bus, .addr = *addr};
	area->command_fd = -1;
	area->fd = unc_linux_open(((struct area_bus *)bus)->root, area_path(&area->space, &path), O_RDONLY);
	if (area->fd < 0 || fstat(area->fd, &st) < 0)
		error = errno;
	if (!error) {
		area->space.len = (uint64_t)st.st_size / 8 * 8;
		*ret_space = &area->space;
		return UNC_OK;
	}
	if (area->fd >= 0)
		close(area->fd);
	free(area);
	return unc_linux_is_refusal(error)
		       ? unc_linux_refused(bus->ctx,
					   &(struct unc_linux_refusal){((struct area_bus *)bus)->root, path.text,
								       UNC_LINUX_OPEN_READ, .errnum = error},
					   "chip %u", addr->area.chip)
		       : unc_linux_fail(bus->ctx, error, "chip %u: open %s", addr->area.chip, path.text);
}

static void area_space_close(struct unc_space *space)
{
	struct area_space *area = (struct area_space *)space;

	close(area->fd);
	if (area->command_fd >= 0)
		close(area->command_fd);
	free(area);
}

static int area_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	ssize_t n = pread(((struct area_space *)space)->fd, buf, len, (off_t)off);
	unsigned char *word = buf;
	struct unc_linux_path path;

	if (n < 0)
		return unc_linux_fail(space->bus->ctx, errno, "chip %u: read %s", space->addr.area.chip,
				      area_path(space, &path));
	if (n != (ssize_t)len)
		return unc_fail(space->bus->ctx, UNC_EIO,
				"chip %u: read %s: %zd of %zu bytes at 0x%" PRIx64 ": it ends there",
				space->addr.area.chip, area_path(space, &path), n, len, off);
	for (; len; word += 8, len -= 8) {
		uint64_t value = 0;

		for (unsigned i = 0; i < 8; i++)
			value = value << 8 | word[i];
		unc_put_le64(word, value);
	}
	return UNC_OK;
}

/* The microcode takes a command when it runs next, within ms. */
static int await_status(struct unc_space *space, const char *path, uint64_t status)
{
	enum { TRIES = 200, NS = 1000000 };
	unsigned char word[8];

	for (unsigned try = 0; try < TRIES; try++) {
		int rc = area_read(space, STATUS, word, sizeof(word));

		if (rc < 0 || unc_le64(word) == status)
			return rc;
		unc_os_sleep_until(unc_os_now_ns(UNC_CLOCK_MONO) + NS, -1);
	}
	return unc_fail(
		space->bus->ctx, UNC_EIO,
		"chip %u: wrote %" PRIu64 " to %s, but its status is still %" PRIu64
		" after %d ms: its microcode takes no command; /sys/firmware/opal/msglog may tell whether the OCC runs",
		space->addr.area.chip, status, path, unc_le64(word), TRIES);
}

/* It is opened for the first write, and stays open, since later this process may be allowed to open nothing. */
static int area_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct area_space *area = (struct area_space *)space;
	struct unc_linux_root *root = ((struct area_bus *)space->bus)->root;
	unsigned chip = space->addr.area.chip;
	uint64_t status = unc_le64(buf);
	struct unc_linux_path path;
	char text[24];
	int n;

	if (off != STATUS || len != 8 || (status != RESUME && status != PAUSE))
		return unc_fail(space->bus->ctx, UNC_EDENIED,
				"chip %u: in its area only the status is written, and only 1 and 2", chip);
	unc_linux_path(root, &path, COMMAND, chip);
	if (area->command_fd < 0)
		area->command_fd = unc_linux_open(root, path.text, O_WRONLY);
	if (area->command_fd < 0 && errno == ENOENT)
		return unc_fail_named(space->bus->ctx, UNC_ENODEV, "ENOENT",
				      "chip %u: open %s: no such file: debugfs is not mounted (mount -t debugfs none "
				      "/sys/kernel/debug), or the kernel knows no unit of the nest",
				      chip, path.text);
	if (area->command_fd < 0)
		return unc_linux_refused(
			space->bus->ctx,
			&(struct unc_linux_refusal){root, path.text, UNC_LINUX_OPEN_WRITE, .errnum = errno}, "chip %u",
			chip);
	n = snprintf(text, sizeof(text), "0x%" PRIx64 "\n", status);
	if (pwrite(area->command_fd, text, (size_t)n, 0) != n)
		return unc_linux_fail(space->bus->ctx, errno, "chip %u: write %s", chip, path.text);
	return await_status(space, path.text, status);
}

static bool is_area(const char *name, struct unc_addr *ret_addr)
{
	const char *digits = name + sizeof(front) - 1;
	uint64_t chip;

	if (strncmp(name, front, sizeof(front) - 1) != 0 || !unc_text_digits(&digits, 16, 8, &chip) || *digits ||
	    chip > INT_MAX)
		return false;
	*ret_addr = (struct unc_addr){.kind = UNC_AREA, .area = {.chip = (unsigned)chip}};
	return true;
}

static int area_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_linux_list(bus, ((struct area_bus *)bus)->root, EXPORTS, is_area, ret_addrs, ret_n);
}

static const struct unc_bus_ops area_ops = {
	.name = "area",
	.list = area_list,
	.space_open = area_space_open,
	.space_close = area_space_close,
	.read = area_read,
	.write = area_write,
};

int unc_linux_area_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus)
{
	struct unc_linux_path path;
	struct area_bus *bus;

	if (!unc_linux_is_there(root, unc_linux_path(root, &path, EXPORTS)))
		return unc_linux_fail(ctx, errno, "area: %s", path.text);
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(ctx, UNC_ENOMEM, "area: out of memory");
	bus->root = root;
	bus->bus = (struct unc_bus){.ops = &area_ops, .ctx = ctx, .writable = writable, .kind = UNC_AREA};
	*ret_bus = &bus->bus;
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI configuration space in memory (PCI Express, "enhanced configuration access mechanism"): 4 KiB for each function, so that an
 * access is a load or a store and no system call.  Where it is, the kernel shows in /proc/iomem, and firmware in the table MCFG
 * (PCI Firmware Specification 3.0, section 4.1.2); both must say the same.  Functions are found, identified and locked through sysfs.
 */
#include "os/linux/host.h"

#include "base/text.h"

enum { FUNCTION_BYTES = 4096, FUNCTION_AT = 12, DEVICE_AT = 15, BUS_AT = 20, FILE_MAX = 1 << 20 };
enum { MCFG_RECORDS = 44, MCFG_RECORD = 16, MCFG_SEGMENT = 8, MCFG_FIRST_BUS = 10, MCFG_LAST_BUS = 11 };

struct ecam_range {
	uint64_t base; /* of bus 0 of the segment */
	uint32_t segment;
	unsigned first_bus, last_bus;
};

struct ecam_bus {
	struct unc_bus bus;
	struct unc_bus *config, *memory; /* owned: sysfs, and /dev/mem */
	struct ecam_range *ranges;       /* that the kernel shows and firmware confirms; owned */
	size_t n_ranges;
};

struct ecam_space {
	struct unc_space space;
	struct unc_space *config, *window; /* owned: in sysfs, and in memory */
};

/* ---- where it is ---- */

/* "80000000-8fffffff : PCI MMCONFIG 0000 [bus 00-ff]", since Linux 6.9 "PCI ECAM": the first address is that of the first bus. */
static bool parse_range(char *line, struct ecam_range *ret_range)
{
	const char *first_text = unc_text_cut(&line, '-'), *last_text = unc_text_cut(&line, ' ');
	const char *colon = unc_text_cut(&line, ' '), *pci = unc_text_cut(&line, ' '), *name = unc_text_cut(&line, ' ');
	const char *segment_text = unc_text_cut(&line, ' '), *word = unc_text_cut(&line, ' ');
	const char *first_bus_text = unc_text_cut(&line, '-'), *last_bus_text = unc_text_cut(&line, ']');
	uint64_t first, last, segment, first_bus, last_bus;

	if (!last_bus_text || strcmp(colon, ":") != 0 || strcmp(pci, "PCI") != 0 || strcmp(word, "[bus") != 0 ||
	    (strcmp(name, "MMCONFIG") != 0 && strcmp(name, "ECAM") != 0))
		return false;
	if (!unc_text_hex(first_text + strspn(first_text, " "), &first) || !unc_text_hex(last_text, &last) ||
	    !unc_text_hex(segment_text, &segment) || !unc_text_hex(first_bus_text, &first_bus) ||
	    !unc_text_hex(last_bus_text, &last_bus))
		return false;
	if (last <= first || first_bus > last_bus || last_bus > 0xff || segment > UINT16_MAX)
		return false;
	*ret_range = (struct ecam_range){.base = first - (first_bus << BUS_AT),
					 .segment = (uint32_t)segment,
					 .first_bus = (unsigned)first_bus,
					 .last_bus = (unsigned)last_bus};
	return last - first + 1 >= (last_bus - first_bus + 1) << BUS_AT;
}

static bool is_in_mcfg(const struct ecam_range *range, const char *mcfg, size_t len)
{
	for (size_t at = MCFG_RECORDS; at + MCFG_RECORD <= len; at += MCFG_RECORD) {
		const unsigned char *record = (const unsigned char *)mcfg + at;

		if (unc_le64(record) == range->base && (unc_le32(record + MCFG_SEGMENT) & 0xffff) == range->segment &&
		    record[MCFG_FIRST_BUS] <= range->first_bus && record[MCFG_LAST_BUS] >= range->last_bus)
			return true;
	}
	return false;
}

static int read_file(struct unc_ctx *ctx, struct unc_linux_root *root, const char *path, char **ret_text,
		     size_t *ret_len)
{
	struct unc_linux_path real;

	unc_linux_path(root, &real, "%s", path);
	return unc_wrap(ctx, unc_linux_file_read(ctx, root, real.text, FILE_MAX, UNC_TRUST_ANY, ret_text, ret_len),
			"ecam");
}

static int find_ranges(struct ecam_bus *bus, struct unc_linux_root *root)
{
	struct unc_ctx *ctx = bus->bus.ctx;
	char *iomem = NULL, *mcfg = NULL;
	size_t len = 0, mcfg_len = 0;
	int rc = read_file(ctx, root, "/proc/iomem", &iomem, &len);

	if (rc == UNC_OK)
		rc = read_file(ctx, root, "/sys/firmware/acpi/tables/MCFG", &mcfg, &mcfg_len);
	for (char *rest = iomem, *line; rc == UNC_OK && (line = unc_text_cut(&rest, '\n')) != NULL;) {
		struct ecam_range range;

		if (parse_range(line, &range) && is_in_mcfg(&range, mcfg, mcfg_len) &&
		    !unc_array_add(&bus->ranges, &bus->n_ranges, &range, sizeof(range)))
			rc = unc_fail(ctx, UNC_ENOMEM, "ecam: out of memory");
	}
	free(iomem);
	free(mcfg);
	if (rc == UNC_OK && bus->n_ranges == 0)
		rc = unc_fail(ctx, UNC_ENODEV,
			      "ecam: /proc/iomem shows no \"PCI MMCONFIG\" that the ACPI table MCFG confirms, so "
			      "configuration "
			      "space is not in memory here, or it is hidden: be root, or leave out ,ecam");
	return rc;
}

/* ---- a function ---- */

static int find_window(struct ecam_bus *bus, const struct unc_addr *addr, struct unc_addr *ret_window)
{
	char name[UNC_ADDR_TEXT];

	for (const struct ecam_range *range = bus->ranges; range < bus->ranges + bus->n_ranges; range++) {
		uint64_t at = range->base + ((uint64_t)addr->pci.bus << BUS_AT) +
			      ((uint64_t)addr->pci.dev << DEVICE_AT) + ((uint64_t)addr->pci.fn << FUNCTION_AT);

		if (addr->pci.domain != range->segment || addr->pci.bus < range->first_bus ||
		    addr->pci.bus > range->last_bus)
			continue;
		*ret_window = (struct unc_addr){.kind = UNC_MMIO, .mmio = {.base = at, .len = FUNCTION_BYTES}};
		return UNC_OK;
	}
	return unc_fail(bus->bus.ctx, UNC_ENODEV, "pci %s: /proc/iomem shows no \"PCI MMCONFIG\" that has its bus",
			unc_addr_text(addr, name));
}

/* Vendor and device are what sysfs says they are; otherwise that memory is something else. */
static int check_ids(const struct ecam_space *space)
{
	uint32_t by_sysfs = 0, in_memory = 0;
	char name[UNC_ADDR_TEXT], at[UNC_ADDR_TEXT];
	int rc = unc_read32(space->config, 0, &by_sysfs);

	if (rc == UNC_OK)
		rc = unc_read32(space->window, 0, &in_memory);
	if (rc < 0 || by_sysfs == in_memory)
		return rc;
	return unc_fail(space->space.bus->ctx, UNC_EIO,
			"pci %s: its ids are 0x%08" PRIx32 " in sysfs and 0x%08" PRIx32
			" in memory at %s: that memory is not its "
			"configuration space",
			unc_addr_text(&space->space.addr, name), by_sysfs, in_memory,
			unc_addr_text(&space->window->addr, at));
}

static void ecam_space_close(struct unc_space *unc_space)
{
	struct ecam_space *space = (struct ecam_space *)unc_space;

	unc_space_close(space->window);
	unc_space_close(space->config);
	free(space);
}

static int ecam_space_open(struct unc_bus *unc_bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct ecam_bus *bus = (struct ecam_bus *)unc_bus;
	struct ecam_space *space = calloc(1, sizeof(*space));
	struct unc_addr window;
	int rc;

	if (!space)
		return unc_fail(unc_bus->ctx, UNC_ENOMEM, "ecam: out of memory");
	space->space = (struct unc_space){.bus = unc_bus, .addr = *addr, .len = FUNCTION_BYTES};
	rc = unc_space_open(bus->config, addr, &space->config);
	if (rc == UNC_OK)
		rc = find_window(bus, addr, &window);
	if (rc == UNC_OK)
		rc = unc_space_open(bus->memory, &window, &space->window);
	if (rc == UNC_OK)
		rc = check_ids(space);
	if (rc < 0)
		ecam_space_close(&space->space);
	else
		*ret_space = &space->space;
	return rc;
}

/* Root complexes need not take more than 4 bytes at a time (PCI Express 3.0, section 7.2.2). */
static int ecam_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct unc_space *window = ((struct ecam_space *)space)->window;
	int rc = UNC_OK;

	for (size_t at = 0; at < len && rc == UNC_OK; at += 4)
		rc = window->bus->ops->read(window, off + at, (unsigned char *)buf + at, 4);
	return rc;
}

static int ecam_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct unc_space *window = ((struct ecam_space *)space)->window;
	int rc = UNC_OK;

	for (size_t at = 0; at < len && rc == UNC_OK; at += 4)
		rc = unc_linux_mmio_write(window, off + at, (const unsigned char *)buf + at, 4);
	return rc;
}

/* The same locks as without ECAM, so that one copy sees the other. */
static int ecam_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	return unc_space_claim(((struct ecam_space *)space)->config, first, n, how);
}

/* ---- the bus ---- */

static int ecam_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return unc_bus_list(((struct ecam_bus *)bus)->config, ret_addrs, ret_n);
}

static void ecam_close(struct unc_bus *unc_bus)
{
	struct ecam_bus *bus = (struct ecam_bus *)unc_bus;

	unc_bus_close(bus->memory);
	unc_bus_close(bus->config);
	free(bus->ranges);
	free(bus);
}

static const struct unc_bus_ops ecam_ops = {
	.name = "pci",
	.close = ecam_close,
	.list = ecam_list,
	.space_open = ecam_space_open,
	.space_close = ecam_space_close,
	.read = ecam_read,
	.write = ecam_write,
	.claim = ecam_claim,
};

/*
 * Opens the first window, and reads nothing.  The bus of memory opens without /dev/mem too, since BARs have files of their own, but
 * configuration space is in no BAR: so this fails once, and not for each function.
 */
static int try_memory(struct ecam_bus *bus)
{
	const struct ecam_range *range = &bus->ranges[0];
	const struct unc_addr addr = {
		.kind = UNC_MMIO,
		.mmio = {.base = range->base + ((uint64_t)range->first_bus << BUS_AT), .len = FUNCTION_BYTES}};
	struct unc_space *space;
	int rc = unc_space_open(bus->memory, &addr, &space);

	if (rc == UNC_OK)
		unc_space_close(space);
	return rc;
}

int unc_linux_ecam_open(struct unc_ctx *ctx, struct unc_linux_root *root, bool writable, struct unc_bus **ret_bus)
{
	struct ecam_bus *bus = calloc(1, sizeof(*bus));
	int rc;

	if (!bus)
		return unc_fail(ctx, UNC_ENOMEM, "ecam: out of memory");
	bus->bus = (struct unc_bus){.ops = &ecam_ops, .ctx = ctx, .writable = writable, .kind = UNC_PCI};
	rc = unc_linux_pci_open(ctx, root, writable, &bus->config);
	if (rc == UNC_OK)
		rc = find_ranges(bus, root);
	if (rc == UNC_OK)
		rc = unc_linux_mmio_open(ctx, root, writable, &bus->memory);
	if (rc == UNC_OK)
		rc = try_memory(bus);
	if (rc < 0)
		ecam_close(&bus->bus);
	else
		*ret_bus = &bus->bus;
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PCI configuration space in memory (ECAM), where the ACPI table MCFG says that it is, and the ids that are read there are those that
 * firmware's root bridges or the ports give; else through these.
 */

#include "os/efi/host.h"

enum { FUNCTION_AT = 12, DEVICE_AT = 15, BUS_AT = 20, BUSES = 256 };
enum { CONFIG_LEN = 256, EXTENDED_LEN = 4096, ID = 0, HEADER_TYPE = 0xc, MULTIFUNCTION = 1 << 23 };

struct segment {                        /* a range of buses, and the way to it */
	uint64_t ecam;                  /* the address of its bus 0; 0: not in memory */
	struct efi_root_bridge *bridge; /* firmware's; NULL: the ports, for segment 0 */
	uint32_t number;
	unsigned first_bus, last_bus;
};
enum { SEGMENTS_MAX = 64 };

struct pci_bus {
	struct unc_efi_bus bus; /* must be first */
	struct segment segments[SEGMENTS_MAX];
	size_t n_segments;
};

struct pci_space {
	struct unc_space space; /* must be first */
	const struct segment *segment;
};

/* ---- the three ways ---- */

static uint32_t ports(uint32_t at, bool write, uint32_t value)
{
	/* PCI Local Bus Specification 3.0, 3.2.2.3.2: the address to CONFIG_ADDRESS, then the data at CONFIG_DATA. */
	__asm__ __volatile__("outl %0, %1" ::"a"(0x80000000 | at), "d"((uint16_t)0xcf8));
	if (write)
		__asm__ __volatile__("outl %0, %1" ::"a"(value), "d"((uint16_t)0xcfc));
	else
		__asm__ __volatile__("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc));
	return value;
}

/* false: firmware reports an error. */
static bool slow_access(const struct segment *segment, const struct unc_addr *addr, uint64_t off, bool write,
			uint32_t *value)
{
	uint32_t at = (uint32_t)(addr->pci.bus << 16 | addr->pci.dev << 11 | addr->pci.fn << 8);
	uint64_t address = (uint64_t)addr->pci.bus << 24 | (uint64_t)addr->pci.dev << 16 | (uint64_t)addr->pci.fn << 8;

	if (!segment->bridge) {
		*value = ports(at | (uint32_t)off, write, *value);
		return true;
	}
	address |= off < CONFIG_LEN ? off : off << 32;
	return (write ? segment->bridge->PciWrite(segment->bridge, 2, address, 1, value)
		      : segment->bridge->PciRead(segment->bridge, 2, address, 1, value)) == EFI_SUCCESS;
}

static uint64_t in_memory(const struct segment *segment, const struct unc_addr *addr)
{
	return segment->ecam + ((uint64_t)addr->pci.bus << BUS_AT | (uint64_t)addr->pci.dev << DEVICE_AT |
				(uint64_t)addr->pci.fn << FUNCTION_AT);
}

/* All ones also where the table MCFG names memory that is not mapped. */
static uint32_t read_register(const struct segment *segment, const struct unc_addr *addr, uint64_t off)
{
	uint32_t value = UINT32_MAX;
	uint64_t there = UINT32_MAX;

	if (segment->ecam) {
		unc_efi_touch(in_memory(segment, addr) + off, 4, false, &there);
		return (uint32_t)there;
	}
	slow_access(segment, addr, off, false, &value);
	return value;
}

/* ---- which buses there are ---- */

static struct unc_addr address(const struct segment *segment, unsigned bus, unsigned dev, unsigned fn)
{
	return (struct unc_addr){
		.kind = UNC_PCI,
		.pci = {.domain = segment->number, .bus = (uint8_t)bus, .dev = (uint8_t)dev, .fn = (uint8_t)fn},
	};
}

static void add_segment(struct pci_bus *bus, const struct segment *segment)
{
	if (bus->n_segments < SEGMENTS_MAX)
		bus->segments[bus->n_segments++] = *segment;
}

/*
 * Configuration() of a root bridge returns a list of its resources (UEFI 14.2), as ACPI address space descriptors (ACPI 6.5, 6.4.3.5.1).
 * A descriptor of type 2 is a range of buses.
 */
static void find_bridges(struct pci_bus *bus)
{
	enum { QWORD_SPACE = 0x8a, LENGTH = 46, TYPE_AT = 3, TYPE_BUS = 2, FIRST_AT = 14, LAST_AT = 22 };
	EFI_HANDLE *handles = NULL;
	size_t n = 0;

	if (efi->boot->LocateHandleBuffer(EFI_BY_PROTOCOL, &EFI_ROOT_BRIDGE, NULL, &n, &handles) != EFI_SUCCESS)
		n = 0;
	for (size_t i = 0; i < n; i++) {
		struct efi_root_bridge *bridge;
		const uint8_t *at;

		if (efi->boot->HandleProtocol(handles[i], &EFI_ROOT_BRIDGE, (void **)&bridge) != EFI_SUCCESS ||
		    bridge->Configuration(bridge, &at) != EFI_SUCCESS)
			continue;
		for (; at[0] == QWORD_SPACE; at += LENGTH)
			if (at[TYPE_AT] == TYPE_BUS)
				add_segment(bus, &(struct segment){.bridge = bridge,
								   .number = bridge->SegmentNumber,
								   .first_bus = at[FIRST_AT],
								   .last_bus = at[LAST_AT]});
	}
	if (handles)
		efi->boot->FreePool(handles);
	if (bus->n_segments == 0)
		add_segment(bus, &(struct segment){.last_bus = BUSES - 1});
}

/* Compares what memory says of device 0 to 31 of each known bus with what the other way says.  One function at least must be there. */
static bool is_confirmed(const struct pci_bus *bus, const struct segment *ecam)
{
	unsigned same = 0;

	for (size_t i = 0; i < bus->n_segments; i++) {
		const struct segment *other = &bus->segments[i];

		for (unsigned dev = 0; dev < 32 && other->number == ecam->number &&
				       other->first_bus >= ecam->first_bus && other->first_bus <= ecam->last_bus;
		     dev++) {
			struct unc_addr addr = address(other, other->first_bus, dev, 0);
			uint32_t id = read_register(other, &addr, ID);

			if (id != read_register(ecam, &addr, ID))
				return false;
			same += id != UINT32_MAX;
		}
	}
	return same > 0;
}

/* PCI Firmware Specification 3.3, 4.1.2: records of 16 bytes from 44 on. */
static void find_memory(struct pci_bus *bus)
{
	enum { RECORDS = 44, RECORD = 16, SEGMENT_AT = 8, FIRST_AT = 10, LAST_AT = 11 };
	const uint8_t *mcfg = unc_efi_acpi("MCFG");
	struct segment found[SEGMENTS_MAX];
	size_t n = 0;

	if (!mcfg || unc_le32(mcfg + 4) < RECORDS + RECORD) {
		unc_note(bus->bus.bus.ctx,
			 "pci: firmware has no table MCFG, or an empty one, so configuration space is reached %s, "
			 "which is slower",
			 bus->segments[0].bridge ? "through its root bridges" : "through ports");
		return;
	}
	for (const uint8_t *at = mcfg + RECORDS; at + RECORD <= mcfg + unc_le32(mcfg + 4) && n < SEGMENTS_MAX;
	     at += RECORD) {
		struct segment ecam = {.ecam = unc_le64(at),
				       .number = at[SEGMENT_AT] | (uint32_t)at[SEGMENT_AT + 1] << 8,
				       .first_bus = at[FIRST_AT],
				       .last_bus = at[LAST_AT]};

		if (ecam.ecam && is_confirmed(bus, &ecam))
			found[n++] = ecam;
		else
			unc_note(bus->bus.bus.ctx,
				 "pci: firmware's table MCFG says that segment %u is at 0x%llx, but the functions "
				 "that answer there are not those of the root bridges; it is "
				 "reached %s, which is slower",
				 ecam.number, (unsigned long long)ecam.ecam,
				 bus->segments[0].bridge ? "through root bridges" : "through ports");
	}
	/* What is in memory comes first, and is taken where both know a bus. */
	for (size_t i = 0; i < bus->n_segments && n < SEGMENTS_MAX; i++)
		found[n++] = bus->segments[i];
	memcpy(bus->segments, found, n * sizeof(found[0]));
	bus->n_segments = n;
}

static const struct segment *find_segment(const struct pci_bus *bus, const struct unc_addr *addr)
{
	for (size_t i = 0; i < bus->n_segments; i++) {
		const struct segment *segment = &bus->segments[i];

		if (segment->number == addr->pci.domain && addr->pci.bus >= segment->first_bus &&
		    addr->pci.bus <= segment->last_bus)
			return segment;
	}
	return NULL;
}

/* ---- the bus ---- */

static int by_address(const void *a, const void *b)
{
	return unc_addr_compare(a, b);
}

/* Functions of a device are looked for as PCI says: the others exist only if function 0 does and says that there are more. */
static int pci_list(struct unc_bus *unc_bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	struct pci_bus *bus = (struct pci_bus *)unc_bus;
	struct unc_addr *addrs = NULL;
	size_t n = 0;
	int rc = UNC_OK;

	for (size_t i = 0; i < bus->n_segments; i++) {
		const struct segment *segment = &bus->segments[i];

		for (unsigned at = segment->first_bus << 8; at < (segment->last_bus + 1) << 8 && rc == UNC_OK; at++) {
			struct unc_addr addr = address(segment, at >> 8, at >> 3 & 0x1f, at & 7);
			bool is_there;

			if (find_segment(bus, &addr) != segment)
				continue;
			is_there = (read_register(segment, &addr, ID) & 0xffff) != 0xffff;
			if (is_there)
				rc = unc_list_add(unc_bus->ctx, &addrs, &n, &addr, sizeof(addr));
			if (addr.pci.fn == 0 &&
			    (!is_there || !(read_register(segment, &addr, HEADER_TYPE) & MULTIFUNCTION)))
				at |= 7;
		}
	}
	if (rc < 0) {
		free(addrs);
		return rc;
	}
	qsort(addrs, n, sizeof(*addrs), by_address);
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

static int pci_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	const struct segment *segment = find_segment((struct pci_bus *)bus, addr);
	char name[UNC_ADDR_TEXT];
	struct pci_space *space;

	if (!segment || (read_register(segment, addr, ID) & 0xffff) == 0xffff)
		return unc_fail(bus->ctx, UNC_ENODEV, "pci %s: there is no such function", unc_addr_text(addr, name));
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "pci %s: out of memory", unc_addr_text(addr, name));
	space->space = (struct unc_space){
		.bus = bus, .addr = *addr, .len = segment->ecam || segment->bridge ? EXTENDED_LEN : CONFIG_LEN};
	space->segment = segment;
	*ret_space = &space->space;
	return UNC_OK;
}

static int firmware_failed(const struct unc_space *space, const char *verb, uint64_t off)
{
	char name[UNC_ADDR_TEXT];

	return unc_fail(space->bus->ctx, UNC_EIO, "pci %s: %s 0x%x: firmware's root bridge reports an error",
			unc_addr_text(&space->addr, name), verb, (unsigned)off);
}

static int pci_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	const struct segment *segment = ((struct pci_space *)space)->segment;

	for (size_t i = 0; i < len; i += 4) {
		uint32_t value = UINT32_MAX;

		if (segment->ecam)
			value = unc_efi_load32(in_memory(segment, &space->addr) + off + i);
		else if (!slow_access(segment, &space->addr, off + i, false, &value))
			return firmware_failed(space, "read", off + i);
		unc_put_le32((char *)buf + i, value);
	}
	return UNC_OK;
}

static int pci_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	const struct segment *segment = ((struct pci_space *)space)->segment;

	for (size_t i = 0; i < len; i += 4) {
		uint32_t value = unc_le32((const char *)buf + i);

		if (segment->ecam)
			unc_efi_store32(in_memory(segment, &space->addr) + off + i, value);
		else if (!slow_access(segment, &space->addr, off + i, true, &value))
			return firmware_failed(space, "write", off + i);
	}
	return UNC_OK;
}

static const struct unc_bus_ops pci_ops = {
	.name = "pci",
	.list = pci_list,
	.space_open = pci_space_open,
	.read = pci_read,
	.write = pci_write,
};

int unc_efi_pci_open(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus)
{
	struct unc_bus *bus;
	int rc = unc_efi_bus_new(host, &pci_ops, UNC_PCI, writable, sizeof(struct pci_bus), &bus);

	if (rc < 0)
		return rc;
	find_bridges((struct pci_bus *)bus);
	find_memory((struct pci_bus *)bus);
	*ret_bus = bus;
	return UNC_OK;
}

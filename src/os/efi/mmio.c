// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers in memory: each access is one load or one store.  A window is reached only where the processor has the page mapped to itself
 * and does not cache it, as its page tables and MTRRs say.  What lies in memory is firmware's memory map, in the form of /proc/iomem.
 */

#include "os/efi/host.h"

enum { PAGE = 4096, FIRST_MB = 1 << 20 };
#define ADDRESS UINT64_C(0x000ffffffffff000)

uint32_t unc_efi_load32(uint64_t at)
{
	return *(const volatile uint32_t *)at;
}

void unc_efi_store32(uint64_t at, uint32_t value)
{
	*(volatile uint32_t *)at = value;
}

/* ---- may this page be touched? ---- */

/* Intel SDM, volume 3, 4.5: the entry for that page, and which of its bits select a field of IA32_PAT.  False: it is not mapped to itself. */
static bool find_page(uint64_t at, unsigned *ret_field)
{
	enum {
		PRESENT = 1,
		PWT_PCD = 3,
		LARGE = 1 << 7,
		LARGE_PAT = 1 << 12,
		FIVE_LEVELS = 1 << 12,
		NINE_BITS = 0x1ff
	};
	uint64_t entry, cr4, inside;
	unsigned level;

	__asm__ __volatile__("movq %%cr3, %0" : "=r"(entry));
	__asm__ __volatile__("movq %%cr4, %0" : "=r"(cr4));
	for (level = cr4 & FIVE_LEVELS ? 5 : 4;; level--) {
		const uint64_t *table = (const uint64_t *)(entry & ADDRESS);

		entry = table[at >> (3 + 9 * level) & NINE_BITS];
		if (!(entry & PRESENT))
			return false;
		if (level == 1 || entry & LARGE)
			break;
	}
	*ret_field = (entry >> 3 & PWT_PCD) | (entry & (level == 1 ? LARGE : LARGE_PAT) ? 4 : 0);
	inside = (UINT64_C(1) << (3 + 9 * level)) - 1;
	return (entry & ADDRESS & ~inside) == (at & ~inside);
}

/* Intel SDM, volume 3, 12.11 and 12.12.  What PAT and MTRR say together: table 12-7. */
static bool is_cached(uint64_t at, unsigned field)
{
	enum { MTRRCAP = 0xfe, PAT = 0x277, DEF_TYPE = 0x2ff, PHYSBASE0 = 0x200, ON = 1 << 11 };
	enum { UC = 0, WC = 1, UC_MINUS = 7, TYPE = 0xff };
	uint64_t pat, ranges, value, base, mask;
	unsigned of_page, of_range;

	if (!unc_efi_msr(PAT, &pat) || !unc_efi_msr(MTRRCAP, &ranges) || !unc_efi_msr(DEF_TYPE, &value))
		return true;
	of_page = pat >> (8 * field) & 7;
	of_range = value & ON ? value & TYPE : UC;
	for (uint32_t i = 0, found = 0; i < (ranges & TYPE) && value & ON; i++) {
		if (!unc_efi_msr(PHYSBASE0 + 2 * i, &base) || !unc_efi_msr(PHYSBASE0 + 2 * i + 1, &mask))
			return true;
		if (!(mask & ON) || ((at ^ base) & mask & ADDRESS))
			continue;
		if (!found || (base & TYPE) == UC)
			of_range = base & TYPE;
		found = 1;
		if (of_range == UC)
			break;
	}
	return !(of_page == UC || (of_page == UC_MINUS && of_range != WC) || (of_page != WC && of_range == UC));
}

/* Devices, and what is reserved, where some firmware puts them, have the name that machine/windows.c takes for a mere place. */
int unc_efi_memory_map(struct unc_ctx *ctx, struct unc_os_found *ret_found)
{
	enum { SPARE = 4096, LINE = 64 }; /* to make room for the map makes it longer */
	size_t size = 0, key, each = 0, len = 0;
	uint32_t version;
	char *map, *text;
	EFI_STATUS status = efi->boot->GetMemoryMap(&size, NULL, &key, &each, &version);

	if (status != EFI_BUFFER_TOO_SMALL || each < sizeof(struct efi_memory))
		return unc_fail(ctx, UNC_EIO, "firmware does not tell where memory is (error %u)", (unsigned)status);
	size += SPARE;
	map = malloc(size);
	text = malloc(size / each * LINE + 1);
	status = map && text ? efi->boot->GetMemoryMap(&size, map, &key, &each, &version) : EFI_SUCCESS;
	for (size_t i = 0; map && text && status == EFI_SUCCESS && i + each <= size; i += each) {
		const struct efi_memory *memory = (const struct efi_memory *)(map + i);
		uint64_t last = memory->PhysicalStart + memory->NumberOfPages * PAGE - 1;
		bool is_place = memory->Type == EfiReservedMemoryType || memory->Type == EfiMemoryMappedIO ||
				memory->Type == EfiMemoryMappedIOPortSpace;

		len += (size_t)snprintf(text + len, LINE, "%" PRIx64 "-%" PRIx64 " : %s %" PRIu32 "\n",
					memory->PhysicalStart, last,
					is_place ? "Reserved" : "memory of firmware's type", memory->Type);
	}
	free(map);
	if (!map || !text || status != EFI_SUCCESS) {
		free(text);
		return map && text ? unc_fail(ctx, UNC_EIO, "firmware does not tell where memory is (error %u)",
					      (unsigned)status)
				   : unc_fail(ctx, UNC_ENOMEM, "out of memory");
	}
	*ret_found = (struct unc_os_found){.text = text, .n = len};
	return UNC_OK;
}

static int may_touch(struct unc_ctx *ctx, uint64_t first, uint64_t last)
{
	unsigned field;
	int rc = UNC_OK;

	for (uint64_t at = first & ~(uint64_t)(PAGE - 1); rc == UNC_OK && at <= last; at += PAGE) {
		if (!find_page(at, &field))
			rc = unc_fail(ctx, UNC_EPERM, "mmio 0x%" PRIx64 ": firmware has not mapped this page", at);
		else if (is_cached(at, field))
			rc = unc_fail(ctx, UNC_EPERM,
				      "mmio 0x%" PRIx64
				      ": the processor would cache what is there, so no register is read",
				      at);
	}
	return rc;
}

/* ---- the bus ---- */

struct mmio_space {
	struct unc_space space; /* must be first */
	bool touched[];         /* by page */
};

static int mmio_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	*ret_n = 0;
	*ret_addrs = calloc(1, sizeof(**ret_addrs));
	return *ret_addrs ? UNC_OK : unc_fail(bus->ctx, UNC_ENOMEM, "mmio: out of memory");
}

static int mmio_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct mmio_space *space;
	int rc;

	if (addr->mmio.base % 4 != 0 || addr->mmio.base < FIRST_MB || addr->mmio.len == 0 ||
	    addr->mmio.base > INT64_MAX - addr->mmio.len)
		return unc_fail(bus->ctx, UNC_ERANGE, "mmio 0x%" PRIx64 ": no register is at such an address",
				addr->mmio.base);
	rc = may_touch(bus->ctx, addr->mmio.base, addr->mmio.base + addr->mmio.len - 1);
	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space) + addr->mmio.len / PAGE + 2);
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "mmio: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = addr->mmio.len};
	*ret_space = &space->space;
	return UNC_OK;
}

/* The first access to a page may be a page fault, which is caught; those after it are one load or store, without a call. */
static int touch(struct unc_space *space, uint64_t off, size_t len, bool write, uint64_t *value)
{
	uint64_t at = space->addr.mmio.base + off;
	bool *touched = &((struct mmio_space *)space)->touched[at / PAGE - space->addr.mmio.base / PAGE];

	if (!*touched) {
		*touched = unc_efi_touch(at, len, write, value);
		return *touched ? UNC_OK
				: unc_fail(space->bus->ctx, UNC_EIO,
					   "mmio 0x%" PRIx64 ": %s 0x%" PRIx64
					   ": a page fault: firmware has taken the page",
					   space->addr.mmio.base, write ? "write" : "read", off);
	}
	if (len == 8 && write)
		*(volatile uint64_t *)at = *value;
	else if (len == 8)
		*value = *(const volatile uint64_t *)at;
	else if (write)
		unc_efi_store32(at, (uint32_t)*value);
	else
		*value = unc_efi_load32(at);
	return UNC_OK;
}

static int mmio_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	uint64_t value = 0;
	int rc = touch(space, off, len, false, &value);

	if (rc == UNC_OK && len == 8)
		unc_put_le64(buf, value);
	else if (rc == UNC_OK)
		unc_put_le32(buf, (uint32_t)value);
	return rc;
}

static int mmio_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	uint64_t value = len == 8 ? unc_le64(buf) : unc_le32(buf);

	return touch(space, off, len, true, &value);
}

static const struct unc_bus_ops mmio_ops = {
	.name = "mmio",
	.list = mmio_list,
	.space_open = mmio_space_open,
	.read = mmio_read,
	.write = mmio_write,
};

int unc_efi_mmio_open(struct unc_efi_host *host, bool writable, struct unc_bus **ret_bus)
{
	return unc_efi_bus_new(host, &mmio_ops, UNC_MMIO, writable, sizeof(struct unc_efi_bus), ret_bus);
}

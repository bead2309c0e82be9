// SPDX-License-Identifier: GPL-2.0-or-later
/* Ways to PCI configuration space under firmware, whose table MCFG may lie.  The file is no part of a build for Linux. */
#include "../../src/os/efi/pci.c"

#include "onsim.h"
#include "test.h"

/* Two root bridges, of the buses from 0 and from 0x7f on; a function each, and what memory has of them. */
enum { ECAM = 0x80000000, BUS_2 = 0x7f, FUNCTIONS = 3 };
static const struct function {
	unsigned bus, dev, fn;
	uint32_t id;
} functions[FUNCTIONS] = {{0, 0, 0, 0x3c008086}, {BUS_2, 0x10, 0, 0x3cb08086}, {BUS_2, 0x10, 4, 0x3cb48086}};

static struct {
	struct unc_ctx *ctx;
	struct unc_efi_host host;
	struct unc_bus *bus;
	char notes[2000];
	bool has_mcfg, is_mapped, firmware_fails;
	uint32_t lie; /* added to ids that memory has */
	unsigned first_bus, calls;
	uint8_t mcfg[60];
} t;

static uint32_t config(unsigned bus, unsigned dev, unsigned fn, unsigned off)
{
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const struct function *f = &functions[i];

		if (f->bus == bus && f->dev == dev && f->fn == fn)
			return off == ID ? f->id : off == HEADER_TYPE ? MULTIFUNCTION : off;
	}
	return UINT32_MAX;
}

/* ---- firmware ---- */

static EFI_STATUS pci_access(struct efi_root_bridge *self, int width, uint64_t address, size_t n, void *bytes)
{
	unsigned off = address & 0xff ? address & 0xff : (unsigned)(address >> 32);
	uint32_t value = config(address >> 24 & 0xff, address >> 16 & 0xff, address >> 8 & 0xff, off);

	(void)self;
	t.calls++;
	CU_ASSERT_TRUE(width == 2 && n == 1);
	if (t.firmware_fails)
		return EFI_NOT_FOUND;
	memcpy(bytes, &value, sizeof(value));
	return EFI_SUCCESS;
}

static EFI_STATUS configuration(struct efi_root_bridge *self, const uint8_t **ret_resources);
static struct efi_root_bridge bridges[2] = {{.PciRead = pci_access, .Configuration = configuration},
					    {.PciRead = pci_access, .Configuration = configuration}};

static EFI_STATUS configuration(struct efi_root_bridge *self, const uint8_t **ret_resources)
{
	static uint8_t resources[2][46 + 2];
	uint8_t *at = resources[self - bridges];

	at[0] = 0x8a;
	at[3] = 2;
	at[14] = self == bridges ? 0 : BUS_2;
	at[22] = self == bridges ? BUS_2 - 1 : 0xff;
	at[46] = 0x79; /* the end */
	*ret_resources = at;
	return EFI_SUCCESS;
}

static EFI_STATUS locate(int how, const EFI_GUID *protocol, void *key, size_t *ret_n, EFI_HANDLE **ret_handles)
{
	static EFI_HANDLE handles[] = {&bridges[0], &bridges[1]};

	(void)how, (void)protocol, (void)key;
	*ret_n = 2;
	*ret_handles = handles;
	return EFI_SUCCESS;
}

static EFI_STATUS handle(EFI_HANDLE handle, const EFI_GUID *protocol, void **ret_interface)
{
	(void)protocol;
	*ret_interface = handle;
	return EFI_SUCCESS;
}

static EFI_STATUS free_pool(void *memory)
{
	(void)memory;
	return EFI_SUCCESS;
}

static struct efi_boot boot = {.LocateHandleBuffer = locate, .HandleProtocol = handle, .FreePool = free_pool};
static const struct unc_efi self = {.boot = &boot};
const struct unc_efi *efi = &self;

const uint8_t *unc_efi_acpi(const char name[4])
{
	return t.has_mcfg && memcmp(name, "MCFG", 4) == 0 ? t.mcfg : NULL;
}

uint32_t unc_efi_load32(uint64_t at)
{
	unsigned place = (unsigned)(at - ECAM), off = place & 0xfff;
	uint32_t value = config(place >> 20, place >> 15 & 0x1f, place >> 12 & 7, off);

	return off == ID && value != UINT32_MAX ? value + t.lie : value;
}

void unc_efi_store32(uint64_t at, uint32_t value)
{
	(void)at, (void)value;
	CU_FAIL("nothing is written");
}

bool unc_efi_touch(uint64_t at, size_t len, bool write, uint64_t *value)
{
	CU_ASSERT_TRUE(len == 4 && !write);
	if (t.is_mapped)
		*value = unc_efi_load32(at);
	return t.is_mapped;
}

int unc_efi_bus_new(struct unc_efi_host *host, const struct unc_bus_ops *ops, enum unc_kind kind, bool writable,
		    size_t size, struct unc_bus **ret_bus)
{
	struct unc_efi_bus *bus = calloc(1, size);

	bus->bus = (struct unc_bus){.ops = ops, .ctx = host->host.ctx, .writable = writable, .kind = kind};
	bus->host = host;
	*ret_bus = &bus->bus;
	return UNC_OK;
}

/* ---- tests ---- */

static void note(void *arg, const char *sentence)
{
	(void)arg;
	snprintf(t.notes, sizeof(t.notes), "%s", sentence);
}

static void begin(void)
{
	memset(&t, 0, sizeof(t));
	CU_ASSERT_FATAL(unc_new(&t.ctx) == 0);
	unc_set_log(t.ctx, note, NULL);
	t.host.host.ctx = t.ctx;
	t.has_mcfg = t.is_mapped = true;
	unc_put_le32((char *)t.mcfg + 4, sizeof(t.mcfg));
	unc_put_le32((char *)t.mcfg + 44, ECAM);
	t.mcfg[55] = 0xff;
}

static void end(void)
{
	if (t.bus)
		unc_bus_close(t.bus);
	unc_free(t.ctx);
}

EACH(begin, end)

/* Opens the bus, which must find each function, and a register of the last; returns how many calls of firmware the read was. */
static unsigned read_one(void)
{
	struct unc_addr *addrs = NULL, last = {.kind = UNC_PCI, .pci = {.bus = BUS_2, .dev = 0x10, .fn = 4}};
	struct unc_space *space = NULL;
	uint32_t value = 0;
	unsigned calls;
	size_t n = 0;

	OK(&t, unc_efi_pci_open(&t.host, false, &t.bus));
	OK(&t, t.bus->ops->list(t.bus, &addrs, &n));
	EQ(n, FUNCTIONS);
	EQ(unc_addr_compare(&addrs[n - 1], &last), 0);
	free(addrs);
	OK(&t, t.bus->ops->space_open(t.bus, &last, &space));
	calls = t.calls;
	OK(&t, t.bus->ops->read(space, 0xd8, &value, 4));
	EQ(value, 0xd8);
	OK(&t, t.bus->ops->read(space, 0x104, &value, 4));
	EQ(value, 0x104);
	calls = t.calls - calls;
	free(space);
	return calls;
}

TEST(what_the_table_says_is_read_in_memory_without_a_call)
{
	EQ(read_one(), 0);
	SAME(t.notes, "");
}

TEST(without_the_table_root_bridges_are_called)
{
	t.has_mcfg = false;
	EQ(read_one(), 2);
	HAS(t.notes, "so configuration space is reached through its root bridges");
}

TEST(a_table_that_lies_is_not_believed)
{
	t.lie = 1;
	EQ(read_one(), 2);
	HAS(t.notes, "at 0x80000000, but the functions that answer there are not those of the root bridges");
}

TEST(a_table_that_names_memory_which_is_not_there_is_not_believed)
{
	t.is_mapped = false;
	EQ(read_one(), 2);
	HAS(t.notes, "at 0x80000000, but");
}

TEST(a_table_of_buses_without_any_function_is_not_believed)
{
	t.mcfg[54] = 0x20;
	t.mcfg[55] = 0x30;
	EQ(read_one(), 2);
	HAS(t.notes, "at 0x80000000, but");
}

TEST(a_table_that_is_cut_has_no_record)
{
	unc_put_le32((char *)t.mcfg + 4, 59);
	EQ(read_one(), 2);
	HAS(t.notes, "no table MCFG, or an empty one");
}

TEST(an_error_of_a_root_bridge_is_one)
{
	struct unc_addr first = {.kind = UNC_PCI};
	struct unc_space *space = NULL;
	uint32_t value;

	t.has_mcfg = false;
	OK(&t, unc_efi_pci_open(&t.host, false, &t.bus));
	OK(&t, t.bus->ops->space_open(t.bus, &first, &space));
	t.firmware_fails = true;
	FAILS(&t, UNC_EIO, t.bus->ops->read(space, 0xd8, &value, 4),
	      "pci 0000:00:00.0: read 0xd8: firmware's root bridge reports an error");
	free(space);
	FAILS(&t, UNC_ENODEV, t.bus->ops->space_open(t.bus, &(struct unc_addr){.kind = UNC_PCI, .pci.bus = 3}, &space),
	      "there is no such function");
}

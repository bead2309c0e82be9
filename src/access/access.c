// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of spaces: to text, from text, in order. */
#include "access/access.h"

#include "access/write.h"
#include "base/text.h"

/* Writes a number in hex of at least so many digits, and what follows it, which may be its zero.  Returns the end. */
static char *put_hex(char *to, uint64_t n, unsigned digits, char end)
{
	while (digits < 16 && n >> 4 * digits)
		digits++;
	while (digits > 0)
		*to++ = "0123456789abcdef"[n >> 4 * --digits & 0xf];
	*to++ = end;
	return to;
}

/* A replay writes and reads millions of them. */
const char *unc_addr_text(const struct unc_addr *addr, char buf[UNC_ADDR_TEXT])
{
	if (addr->kind == UNC_PCI) {
		char *to = put_hex(buf, addr->pci.domain, 4, ':');

		to = put_hex(to, addr->pci.bus, 2, ':');
		to = put_hex(to, addr->pci.dev, 2, '.');
		put_hex(to, addr->pci.fn, 1, '\0');
	} else if (addr->kind == UNC_MMIO) {
		memcpy(buf, "0x", 2);
		put_hex(buf + 2, addr->mmio.base, 1, '\0');
	} else {
		bool cpu = addr->kind == UNC_MSR;

		snprintf(buf, UNC_ADDR_TEXT, cpu ? "cpu%u" : "chip%u", cpu ? addr->msr.cpu : addr->area.chip);
	}
	return buf;
}

/* One to most hex digits, at most max, and the character end, which is passed over. */
static bool hex_piece(const char **text, unsigned most, uint64_t max, char end, uint64_t *ret_value)
{
	return unc_text_digits(text, 16, most, ret_value) && *ret_value <= max && *(*text)++ == end;
}

bool unc_addr_parse_pci(const char *text, struct unc_addr *ret_addr)
{
	uint64_t domain = 0, bus, dev, fn;

	/* Linux numbers the domains it makes up itself (VMD, Hyper-V) from 0x10000 on: more than four digits. */
	if (strchr(text, ':') != strrchr(text, ':') && !hex_piece(&text, 8, UINT32_MAX, ':', &domain))
		return false;
	if (!hex_piece(&text, 2, 0xff, ':', &bus) || !hex_piece(&text, 2, 0x1f, '.', &dev) ||
	    !hex_piece(&text, 1, 7, '\0', &fn))
		return false;
	*ret_addr = (struct unc_addr){
		.kind = UNC_PCI,
		.pci = {.domain = (uint32_t)domain, .bus = (uint8_t)bus, .dev = (uint8_t)dev, .fn = (uint8_t)fn},
	};
	return true;
}

static uint64_t rank(const struct unc_addr *addr)
{
	if (addr->kind == UNC_PCI)
		return (uint64_t)addr->pci.domain << 32 | (uint64_t)addr->pci.bus << 16 | (uint64_t)addr->pci.dev << 8 |
		       addr->pci.fn;
	if (addr->kind == UNC_AREA)
		return addr->area.chip;
	return addr->kind == UNC_MSR ? addr->msr.cpu : addr->mmio.base;
}

bool unc_addr_parse(const char *text, struct unc_addr *ret_addr)
{
	struct unc_addr addr = {.kind = UNC_MSR};
	char again[UNC_ADDR_TEXT];
	uint64_t number;

	if (strncmp(text, "cpu", 3) == 0) {
		if (!unc_text_u64(text + 3, &number) || number > INT32_MAX)
			return false;
		addr.msr.cpu = (unsigned)number;
	} else if (strncmp(text, "chip", 4) == 0) {
		if (!unc_text_u64(text + 4, &number) || number > INT32_MAX)
			return false;
		addr = (struct unc_addr){.kind = UNC_AREA, .area = {.chip = (unsigned)number}};
	} else if (strncmp(text, "0x", 2) == 0) {
		addr = (struct unc_addr){.kind = UNC_MMIO};
		if (!unc_text_u64(text, &addr.mmio.base))
			return false;
	} else if (!unc_addr_parse_pci(text, &addr)) {
		return false;
	}
	if (strcmp(unc_addr_text(&addr, again), text) != 0)
		return false;
	*ret_addr = addr;
	return true;
}

int unc_addr_compare(const struct unc_addr *a, const struct unc_addr *b)
{
	return a->kind != b->kind ? unc_order(a->kind, b->kind) : unc_order(rank(a), rank(b));
}

/* The checks in front of every backend: what each of them would otherwise repeat lives here, once. */

void unc_bus_close(struct unc_bus *bus)
{
	if (bus && bus->ops->close)
		bus->ops->close(bus);
	else
		free(bus);
}

int unc_bus_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	return bus->ops->list(bus, ret_addrs, ret_n);
}

int unc_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	if (addr->kind != bus->kind)
		return unc_fail(bus->ctx, UNC_EARG, "%s: asked for an address of another bus", bus->ops->name);
	return bus->ops->space_open(bus, addr, ret_space);
}

void unc_space_close(struct unc_space *space)
{
	if (space && space->bus->ops->space_close)
		space->bus->ops->space_close(space);
	else
		free(space);
}

static int reject(const struct unc_space *space, const char *verb, uint64_t off, size_t len, int err, const char *why)
{
	char name[UNC_ADDR_TEXT];

	return unc_fail(space->bus->ctx, err, "%s %s: %s of %zu bytes at 0x%" PRIx64 ": %s", space->bus->ops->name,
			unc_addr_text(&space->addr, name), verb, len, off, why);
}

static int check(const struct unc_space *space, const char *verb, uint64_t off, size_t len)
{
	bool is_msr = space->addr.kind == UNC_MSR, is_window = space->addr.kind == UNC_MMIO;
	unsigned word = space->addr.kind == UNC_AREA ? 8 : 4;

	if (is_msr && len != 8)
		return reject(space, verb, off, len, UNC_EARG,
			      "a model-specific register is read and written as 8 bytes");
	if (is_msr && off >= space->len)
		return reject(space, verb, off, len, UNC_ERANGE,
			      "the numbers of model-specific registers end at 0xffffffff");
	if (is_msr)
		return UNC_OK;
	/* One access is one load or store: a register that is read in pieces of another width reads wrong, and a block of them is none. */
	if (is_window && len != 4 && len != 8)
		return reject(space, verb, off, len, UNC_EARG,
			      "a memory-mapped register is read and written as 4 or 8 bytes");
	if (is_window && off % len)
		return reject(space, verb, off, len, UNC_ERANGE,
			      "a memory-mapped register is at a multiple of its width");
	if (off % word || len % word || len == 0)
		return reject(space, verb, off, len, UNC_ERANGE,
			      word == 8 ? "an area is read by whole words of 8 bytes"
					: "offset and length must be multiples of 4, and the length not 0");
	if (off >= space->len || len > space->len - off)
		return reject(space, verb, off, len, UNC_ERANGE, "that is not within the registers of this space");
	return UNC_OK;
}

int unc_read_block(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	int rc = check(space, "read", off, len);

	space->bus->ctx->n_reads++;
	return rc < 0 ? rc : space->bus->ops->read(space, off, buf, len);
}

int unc_read32(struct unc_space *space, uint64_t off, uint32_t *ret_value)
{
	unsigned char bytes[4];
	int rc = unc_read_block(space, off, bytes, sizeof(bytes));

	if (rc == UNC_OK)
		*ret_value = unc_le32(bytes);
	return rc;
}

int unc_space_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	if (how == UNC_CLAIM_TAKE && !space->bus->writable)
		return reject(space, "claim", first, n, UNC_EDENIED, "the bus was opened for reading only");
	return space->bus->ops->claim ? space->bus->ops->claim(space, first, n, how) : UNC_OK;
}

/* A register of configuration space is 32 bits wide: a caller that wants two at once must know that they are two reads. */
static int check_64_bits(const struct unc_space *space, const char *verb, uint64_t off)
{
	if (space->addr.kind == UNC_PCI)
		return reject(space, verb, off, 8, UNC_EARG, "registers of PCI configuration space are 4 bytes wide");
	return UNC_OK;
}

int unc_read64(struct unc_space *space, uint64_t off, uint64_t *ret_value)
{
	unsigned char bytes[8];
	int rc = check_64_bits(space, "read", off);

	if (rc == UNC_OK)
		rc = unc_read_block(space, off, bytes, sizeof(bytes));
	if (rc == UNC_OK)
		*ret_value = unc_le64(bytes);
	return rc;
}

static int write_checked(struct unc_space *space, uint64_t off, const void *bytes, size_t len)
{
	int rc;

	if (!space->bus->writable)
		return reject(space, "write", off, len, UNC_EDENIED, "the bus was opened for reading only");
	rc = check(space, "write", off, len);
	space->bus->ctx->n_writes++;
	return rc < 0 ? rc : space->bus->ops->write(space, off, bytes, len);
}

int unc_write32(struct unc_space *space, uint64_t off, uint32_t value)
{
	unsigned char bytes[4];

	unc_put_le32(bytes, value);
	return write_checked(space, off, bytes, sizeof(bytes));
}

int unc_write64(struct unc_space *space, uint64_t off, uint64_t value)
{
	unsigned char bytes[8];
	int rc = check_64_bits(space, "write", off);

	if (rc < 0)
		return rc;
	unc_put_le64(bytes, value);
	return write_checked(space, off, bytes, sizeof(bytes));
}

void unc_put_le32(void *bytes, uint32_t value)
{
	unsigned char *b = bytes;

	for (unsigned i = 0; i < 4; i++)
		b[i] = (unsigned char)(value >> 8 * i);
}

void unc_put_le64(void *bytes, uint64_t value)
{
	unsigned char *b = bytes;

	unc_put_le32(b, (uint32_t)value);
	unc_put_le32(b + 4, (uint32_t)(value >> 32));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reaching registers without knowing what they mean.  A bus is a way in (pci, msr, mmio, area), a space one window
 * of registers on it (a PCI function's configuration space, one CPU's MSRs, the area of memory in which a POWER chip's firmware counts).
 *
 * Reads are here.  Writes are in access/write.h, which only machine/gate.c includes: see "The gate" in
 * src/machine/README.md.
 */
#ifndef UNC_ACCESS_ACCESS_H
#define UNC_ACCESS_ACCESS_H

#include "base/err.h"

enum unc_kind { UNC_PCI, UNC_MSR, UNC_MMIO, UNC_AREA, UNC_KINDS };

struct unc_addr { /* names one space */
	enum unc_kind kind;
	union {
		struct {
			uint32_t domain;
			uint8_t bus, dev, fn;
		} pci;
		struct {
			unsigned cpu; /* the operating system's CPU number */
		} msr;
		struct {
			uint64_t base, len; /* physical address, bytes */
		} mmio;
		struct {
			unsigned chip; /* firmware's number */
		} area;
	};
};

enum { UNC_ADDR_TEXT = 48 };
/* "0000:ff:10.0", "cpu3", "0xfed15000", "chip8": as in traces, sentences and records.  Returns buf. */
const char *unc_addr_text(const struct unc_addr *addr, char buf[UNC_ADDR_TEXT]);
/* "[DDDD:]BB:DD.F" in hex; without a domain it is 0. */
bool unc_addr_parse_pci(const char *text, struct unc_addr *ret_addr);
/* Exactly what unc_addr_text() writes; the length of a window, which is not in it, is 0. */
bool unc_addr_parse(const char *text, struct unc_addr *ret_addr);
/* By kind, then domain, bus, device, function, or CPU, or base (whatever the length): for qsort() and for finding. */
int unc_addr_compare(const struct unc_addr *a, const struct unc_addr *b);

struct unc_bus {
	const struct unc_bus_ops *ops;
	struct unc_ctx *ctx; /* outlives the bus */
	bool writable;       /* opened for writing; else every write is UNC_EDENIED */
	enum unc_kind kind;  /* of its addresses */
};

struct unc_space {
	struct unc_bus *bus; /* outlives the space */
	struct unc_addr addr;
	uint64_t len; /* bytes that can be addressed; for MSRs 2^32 numbers */
};

/*
 * One const table per backend.  A backend embeds unc_bus and unc_space as first members.  When read() or write()
 * runs, alignment, length, range and writability have been checked by the functions below.  Lengths and offsets:
 * PCI counts bytes, aligned to 4, a multiple of 4; MMIO is 4 or 8 bytes, aligned to that; an MSR is 8 bytes at its
 * number; an area is read by up to 4096 bytes, multiples of 8 at such, in one system call.  Bytes are little-endian; of an area each 8 of
 * them are.  In PCI one call is one system call, and hardware sees ascending 32-bit accesses; of MMIO and MSRs one call is one access of that width.
 */
struct unc_bus_ops {
	const char *name;                   /* "pci": how traces call it */
	void (*close)(struct unc_bus *bus); /* NULL: free() */
	/* All spaces there are, sorted; the caller frees *ret_addrs.  Touches no register. */
	int (*list)(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n);
	/* space_close() runs if and only if space_open() succeeded.
	 * UNC_ENODEV: not there; UNC_EPERM: the operating system refuses, and the sentence says why. */
	int (*space_open)(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space);
	void (*space_close)(struct unc_space *space); /* NULL: free() */
	int (*read)(struct unc_space *space, uint64_t off, void *buf, size_t len);
	int (*write)(struct unc_space *space, uint64_t off, const void *buf, size_t len);
	/* As unc_space_claim().  NULL: no other program can reach the space. */
	int (*claim)(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how);
};

void unc_bus_close(struct unc_bus *bus); /* NULL is fine */
int unc_bus_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n);
int unc_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space);
void unc_space_close(struct unc_space *space); /* NULL is fine */
/*
 * The n registers' offsets from first on; n 0: the whole space.  No register is touched.  UNC_EBUSY: another opener has some of
 * it, of this process or any other, and who that is the operating system does not tell; UNC_EDENIED: taking asks for a bus that
 * was opened for writing; UNC_EIO.
 */
int unc_space_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how);

/*
 * Each is one access of the backend.  UNC_EARG: a width that such a register does not have (an MSR is 8 bytes, a PCI
 * register 4, one in memory 4 or 8, of an area 8); UNC_ERANGE: outside the space or not aligned; UNC_ENODEV: the function or
 * CPU is gone; UNC_EPERM: refused; UNC_EIO: failed or came back short.  The sentence names bus, space and offset.
 * All ones is no failure here: configuration cycles that no device answers read as ones with full success.
 */
int unc_read_block(struct unc_space *space, uint64_t off, void *buf, size_t len);
int unc_read32(struct unc_space *space, uint64_t off, uint32_t *ret_value);
int unc_read64(struct unc_space *space, uint64_t off, uint64_t *ret_value); /* an MSR, or 8 bytes of MMIO */

/*
 * Reads 8 bytes at first + at[i] for each i, as unc_read_block() does.  Each sample reads its counters in memory with this.  It calls
 * the backend directly where the offset is plainly good, which saves 30 instructions a counter, and leaves every other case to
 * unc_read_block(), which knows why it fails.
 */
static inline int unc_read_qwords(struct unc_space *space, uint64_t first, const uint32_t *at, unsigned n,
				  unsigned char (*bytes)[8])
{
	int (*read)(struct unc_space *, uint64_t, void *, size_t) = space->bus->ops->read;
	uint64_t end = space->addr.kind == UNC_MMIO && space->len >= 8 ? space->len - 7 : 0;

	space->bus->ctx->n_reads += n;
	for (unsigned i = 0; i < n; i++) {
		uint64_t off = first + at[i];
		bool is_good = off < end && off % 8 == 0;
		int rc = (is_good ? read : unc_read_block)(space, off, bytes[i], 8); /* the latter tells why not */

		if (rc < 0)
			return rc;
	}
	return UNC_OK;
}

/* Little-endian bytes to numbers, whatever the host. */
static inline uint32_t unc_le32(const void *bytes)
{
	const unsigned char *b = bytes;

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline uint64_t unc_le64(const void *bytes)
{
	const unsigned char *b = bytes;

	return (uint64_t)unc_le32(b) | (uint64_t)unc_le32(b + 4) << 32;
}

void unc_put_le32(void *bytes, uint32_t value);
void unc_put_le64(void *bytes, uint64_t value);

#endif

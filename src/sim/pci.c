// SPDX-License-Identifier: GPL-2.0-or-later
/* The PCI bus of a simulated machine, and its configuration space as a file. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "sim/computer.h"

struct bus {
	struct unc_bus bus;  /* must be first: pointers are cast to this */
	struct unc_sim *sim; /* not owned; outlives the bus */
};

struct space {
	struct unc_space space;            /* must be first: pointers are cast to this */
	struct unc_sim *sim;               /* not owned */
	const struct unc_sim_place *place; /* owned by the machine */
	bool claimed;
};

static void bus_close(struct unc_bus *bus)
{
	free(bus);
}

static int bus_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const struct unc_sim *sim = ((struct bus *)bus)->sim;
	struct unc_addr *addrs;
	size_t i, n = 0;

	addrs = calloc(sim->n_places + 1, sizeof(*addrs));
	if (!addrs)
		return unc_fail(bus->ctx, UNC_ENOMEM, "sim: out of memory");
	for (i = 0; i < sim->n_places; i++)
		if (!sim->places[i].hidden)
			addrs[n++] = sim->places[i].addr;
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

static int place_reach(struct unc_sim *sim, const struct unc_addr *addr, const struct unc_sim_place **ret_place)
{
	const struct unc_sim_place *place = unc_sim_place_find(sim, addr);
	char name[UNC_ADDR_TEXT];

	if (!place || place->hidden)
		return unc_fail(sim->host.ctx, UNC_ENODEV, "pci %s: the simulated machine has no such function%s",
				unc_addr_text(addr, name), place ? " (hide= or defect=hidden took it away)" : "");
	*ret_place = place;
	return UNC_OK;
}

static int bus_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_sim *sim = ((struct bus *)bus)->sim;
	const struct unc_sim_place *place = NULL;
	struct space *space;
	int rc;

	rc = place_reach(sim, addr, &place);
	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "sim: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = sim->options.model->config_bytes};
	space->sim = sim;
	space->place = place;
	*ret_space = &space->space;
	return UNC_OK;
}

static int bus_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	const struct unc_sim_claim claim = {.first = first, .n = n, .how = how};

	((struct space *)space)->claimed |= how == UNC_CLAIM_TAKE;
	return unc_sim_claim(((struct space *)space)->sim, space, &claim);
}

static void bus_space_close(struct unc_space *space)
{
	if (((struct space *)space)->claimed)
		bus_claim(space, 0, 0, UNC_CLAIM_LEAVE);
	free(space);
}

static int bus_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	struct space *s = (struct space *)space;
	size_t i;

	for (i = 0; i < len; i += 4)
		unc_put_le32((char *)buf + i, unc_sim_config_read(s->sim, s->place, (uint32_t)(off + i)));
	return UNC_OK;
}

/* Linux asks its security modules at each write to configuration space, as it does for MSRs. */
static int check_lockdown(const struct unc_sim *sim, const struct unc_addr *addr, uint64_t off)
{
	char name[UNC_ADDR_TEXT];

	if (!sim->options.lockdown)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, UNC_EPERM, "EPERM",
			      "pci %s: write 0x%x: Operation not permitted: the simulated kernel is locked down "
			      "(lockdown=1)",
			      unc_addr_text(addr, name), (unsigned)off);
}

static int bus_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	struct space *s = (struct space *)space;
	int rc = check_lockdown(s->sim, &space->addr, off);
	size_t i;

	if (rc < 0)
		return rc;
	for (i = 0; i < len; i += 4)
		unc_sim_config_write(s->sim, s->place, (uint32_t)(off + i), unc_le32((const char *)buf + i),
				     UINT32_MAX);
	return UNC_OK;
}

static const struct unc_bus_ops pci_ops = {
	.name = "pci",
	.help = "configuration space of the simulated machine",
	.close = bus_close,
	.list = bus_list,
	.space_open = bus_space_open,
	.space_close = bus_space_close,
	.read = bus_read,
	.write = bus_write,
	.claim = bus_claim,
};

int unc_sim_pci_bus_open(struct unc_sim *sim, bool writable, struct unc_bus **ret_bus)
{
	struct bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	bus->bus = (struct unc_bus){.ops = &pci_ops, .ctx = sim->host.ctx, .writable = writable};
	bus->sim = sim;
	*ret_bus = &bus->bus;
	return UNC_OK;
}

/*
 * Returns the length of the next cycle of an access at any offset, as Linux splits it (pci_read_config, pci-sysfs.c): a
 * byte at an odd offset, a word up to a dword boundary if more than one byte is left, then dwords, then a word, then a
 * byte.
 */
static unsigned cycle_len(uint64_t off, size_t left)
{
	if (off & 1)
		return 1;
	if (off & 2 || left < 4)
		return left >= 2 ? 2 : 1;
	return 4;
}

static size_t len_within(const struct unc_sim *sim, uint64_t off, size_t len)
{
	uint64_t end = sim->options.model->config_bytes;

	if (off >= end)
		return 0;
	return len < end - off ? len : (size_t)(end - off);
}

static int pci_reach(struct unc_host *host, const struct unc_addr *addr, struct unc_sim **ret_sim,
		     const struct unc_sim_place **ret_place)
{
	struct unc_sim *sim = unc_sim_of(host);

	if (!sim)
		return unc_sim_none(host);
	*ret_sim = sim;
	return place_reach(sim, addr, ret_place);
}

/* Begins one access to the file; *len becomes the number of bytes to transfer. */
static int fault_begin(struct unc_sim *sim, const struct unc_addr *addr, bool write, uint64_t off, size_t *len)
{
	const struct unc_fault_access access = {
		.ctx = sim->host.ctx, .bus = "pci", .addr = addr, .write = write, .off = off, .can_be_short = true};
	int rc = unc_fault_begin(&sim->fault, &access);

	/* One cycle writes a whole dword, so a write cannot be cut in half. */
	if (rc == UNC_FAULT_CUT) {
		*len = write ? 0 : *len / 2;
		rc = UNC_OK;
	}
	return rc;
}

static void file_read(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t off, void *buf, size_t len)
{
	unsigned char dword[4];
	size_t done;
	unsigned n;

	for (done = 0; done < len; done += n) {
		uint32_t at = (uint32_t)(off + done);

		n = cycle_len(at, len - done);
		unc_put_le32(dword, unc_sim_config_read(sim, place, at & ~UINT32_C(3)));
		memcpy((char *)buf + done, dword + at % 4, n);
	}
}

int unc_sim_pci_read(struct unc_host *host, const struct unc_addr *addr, uint64_t off, void *buf, size_t len,
		     size_t *ret_done)
{
	const struct unc_sim_place *place = NULL;
	struct unc_sim *sim = NULL;
	int rc;

	rc = pci_reach(host, addr, &sim, &place);
	if (rc < 0)
		return rc;
	len = len_within(sim, off, len);
	rc = fault_begin(sim, addr, false, off, &len);
	if (rc == UNC_FAULT_LOST)
		memset(buf, 0xff, len);
	else if (rc == UNC_OK)
		file_read(sim, place, off, buf, len);
	unc_fault_end(&sim->fault);
	if (rc >= 0)
		*ret_done = len;
	return rc < 0 ? rc : UNC_OK;
}

static void file_write(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t off, const void *buf,
		       size_t len)
{
	size_t done;
	unsigned n;

	for (done = 0; done < len; done += n) {
		uint32_t at = (uint32_t)(off + done);
		unsigned char value[4] = {0}, enabled[4] = {0};

		n = cycle_len(at, len - done);
		memcpy(value + at % 4, (const char *)buf + done, n);
		memset(enabled + at % 4, 0xff, n);
		unc_sim_config_write(sim, place, at & ~UINT32_C(3), unc_le32(value), unc_le32(enabled));
	}
}

int unc_sim_pci_write(struct unc_host *host, const struct unc_addr *addr, uint64_t off, const void *buf, size_t len,
		      size_t *ret_done)
{
	const struct unc_sim_place *place = NULL;
	struct unc_sim *sim = NULL;
	int rc;

	rc = pci_reach(host, addr, &sim, &place);
	if (rc < 0)
		return rc;
	len = len_within(sim, off, len);
	rc = fault_begin(sim, addr, true, off, &len);
	if (rc == UNC_OK)
		rc = check_lockdown(sim, addr, off);
	if (rc == UNC_OK)
		file_write(sim, place, off, buf, len);
	unc_fault_end(&sim->fault);
	if (rc >= 0)
		*ret_done = len;
	return rc < 0 ? rc : UNC_OK;
}

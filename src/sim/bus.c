// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The buses of a simulated machine: a space for each PCI function, one with the MSRs of each CPU that is online, and one for each
 * window that is opened in memory.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "sim/computer.h"

#define MSR_NUMBERS (UINT64_C(1) << 32)

struct bus {
	struct unc_bus bus;  /* must be first: pointers are cast to this */
	enum unc_kind kind;  /* of its addresses */
	struct unc_sim *sim; /* not owned; outlives the bus */
};

struct space {
	struct unc_space space;            /* must be first: pointers are cast to this */
	const struct unc_sim_place *place; /* of a PCI function; owned by the machine */
	bool claimed;
};

static struct unc_sim *sim_of(const struct unc_space *space)
{
	return ((struct bus *)space->bus)->sim;
}

static const struct unc_sim_place *place_of(const struct unc_space *space)
{
	return ((const struct space *)space)->place;
}

static void bus_close(struct unc_bus *bus)
{
	free(bus);
}

static int bus_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const struct unc_sim *sim = ((struct bus *)bus)->sim;
	enum unc_kind kind = ((struct bus *)bus)->kind;
	struct unc_addr *addrs = calloc(sim->n_places + sim->n_cpus + 1, sizeof(*addrs));
	size_t n = 0;

	if (!addrs)
		return unc_fail(bus->ctx, UNC_ENOMEM, "sim: out of memory");
	for (size_t i = 0; kind == UNC_PCI && i < sim->n_places; i++)
		if (!sim->places[i].hidden && sim->places[i].addr.kind == UNC_PCI)
			addrs[n++] = sim->places[i].addr;
	for (size_t i = 0; kind == UNC_MSR && i < sim->n_cpus; i++)
		if (sim->cpus[i].online)
			addrs[n++] = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = sim->cpus[i].number}};
	/* Memory has no list of what is in it. */
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

static int space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_sim *sim = ((struct bus *)bus)->sim;
	enum unc_kind kind = ((struct bus *)bus)->kind;
	const struct unc_sim_place *place = NULL;
	uint64_t len = sim->options.model->config_bytes;
	const struct unc_sim_cpu *cpu;
	struct space *space;
	int rc = UNC_OK;

	if (kind == UNC_MSR && addr->kind != UNC_MSR)
		return unc_fail(bus->ctx, UNC_EARG, "msr: asked for something that is not a CPU");
	/* Linux drivers/char/mem.c, with CONFIG_STRICT_DEVMEM: main memory is not mapped. */
	if (kind == UNC_MMIO && unc_sim_is_ram(addr->mmio.base))
		return unc_fail_named(bus->ctx, UNC_EPERM, "EPERM",
				      "mmio 0x%" PRIx64
				      ": map /dev/mem: Operation not permitted: main memory is there, "
				      "which the simulated kernel does not show",
				      addr->mmio.base);
	if (kind == UNC_MMIO) {
		len = addr->mmio.len;
	} else if (kind == UNC_MSR) {
		len = MSR_NUMBERS;
		rc = unc_sim_cpu_reach(sim, addr->msr.cpu, &cpu);
	} else {
		rc = unc_sim_place_reach(sim, addr, &place);
	}
	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "sim: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = len};
	space->place = place;
	*ret_space = &space->space;
	return UNC_OK;
}

/*
 * Locks a range of the state file, far after its end: 4096 bytes for each function, 2^32 for the MSRs of each CPU.
 * Without state= no other program can use the machine, and there is nothing to lock.
 */
static int space_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	struct unc_sim *sim = sim_of(space);
	const struct unc_addr *addr = &space->addr;
	uint64_t at, len = n ? n : space->len;
	char name[UNC_ADDR_TEXT];
	int rc;

	((struct space *)space)->claimed |= how == UNC_CLAIM_TAKE;
	if (!sim->options.state)
		return UNC_OK;
	if (addr->kind == UNC_MMIO)
		at = UINT64_C(1) << 62 | addr->mmio.base;
	else if (addr->kind == UNC_MSR)
		at = UINT64_C(1) << 61 | (uint64_t)addr->msr.cpu << 32;
	else
		at = UINT64_C(1) << 60 | (uint64_t)addr->pci.domain << 28 | (uint64_t)addr->pci.bus << 20 |
		     (uint64_t)addr->pci.dev << 15 | (uint64_t)addr->pci.fn << 12;
	rc = unc_os_shared_claim(&sim->store.shared, at + first, len, how);
	if (rc == UNC_OK)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, rc, rc == UNC_EBUSY ? "EBUSY" : NULL, "%s %s: %s %s",
			      space->bus->ops->name, unc_addr_text(addr, name),
			      rc == UNC_EBUSY ? "another program writes there that has" : "no lock can be had of",
			      sim->options.state);
}

static void space_close(struct unc_space *space)
{
	if (((struct space *)space)->claimed)
		space_claim(space, 0, 0, UNC_CLAIM_LEAVE);
	free(space);
}

static int pci_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	for (size_t i = 0; i < len; i += 4)
		unc_put_le32((char *)buf + i, unc_sim_config_read(sim_of(space), place_of(space), (uint32_t)(off + i)));
	return UNC_OK;
}

static int pci_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	int rc = unc_sim_check_lockdown(sim_of(space), &space->addr, off);

	for (size_t i = 0; rc == UNC_OK && i < len; i += 4)
		unc_sim_config_write(sim_of(space), place_of(space), (uint32_t)(off + i),
				     unc_le32((const char *)buf + i), UINT32_MAX);
	return rc;
}

static int msr_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	uint64_t value;
	int rc;

	(void)len; /* always 8: access.c checks that */
	rc = unc_sim_msr_get(sim_of(space), space->addr.msr.cpu, (uint32_t)off, &value);
	if (rc == UNC_OK)
		unc_put_le64(buf, value);
	return rc;
}

static int msr_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	(void)len;
	return unc_sim_msr_set(sim_of(space), space->addr.msr.cpu, (uint32_t)off, unc_le64(buf));
}

static int memory_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	uint64_t value = unc_sim_memory_read(sim_of(space), space->addr.mmio.base + off, (unsigned)len);

	if (len == 4)
		unc_put_le32(buf, (uint32_t)value);
	else
		unc_put_le64(buf, value);
	return UNC_OK;
}

static int memory_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	unc_sim_memory_write(sim_of(space), space->addr.mmio.base + off, (unsigned)len,
			     len == 4 ? unc_le32(buf) : unc_le64(buf));
	return UNC_OK;
}

/* clang-format off */
#define COMMON \
	.close = bus_close, .list = bus_list, .space_open = space_open, .space_close = space_close, .claim = space_claim
/* clang-format on */
static const struct unc_bus_ops ops[] = {
	[UNC_PCI] = {.name = "pci",
		     .help = "configuration space of the simulated machine",
		     .read = pci_read,
		     .write = pci_write,
		     COMMON},
	[UNC_MSR] = {.name = "msr",
		     .help = "model-specific registers of the simulated machine",
		     .read = msr_read,
		     .write = msr_write,
		     COMMON},
	[UNC_MMIO] = {.name = "mmio",
		      .help = "memory of the simulated machine, where registers are",
		      .read = memory_read,
		      .write = memory_write,
		      COMMON},
};

int unc_sim_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	struct bus *bus;
	int rc;

	if (kind == UNC_MMIO && !sim->options.model->memory)
		return unc_sim_fail(sim, UNC_ENOSUP,
				    "the simulated machine has no register windows in memory; its registers are "
				    "reached through PCI and MSRs");
	if (kind == UNC_MMIO && sim->options.lockdown)
		return unc_fail_named(
			host->ctx, UNC_EPERM, "EPERM",
			"mmio: open /dev/mem: Operation not permitted: the simulated kernel is locked down "
			"(lockdown=1)");
	if (kind == UNC_MSR && sim->options.msr_absent)
		return unc_fail_named(host->ctx, UNC_ENODEV, "ENOENT",
				      "msr: /dev/cpu: no such directory: the msr driver is not loaded; `modprobe msr` "
				      "(here: msr=absent)");
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(host->ctx, UNC_ENOMEM, "sim: out of memory");
	bus->bus = (struct unc_bus){.ops = &ops[kind], .ctx = host->ctx, .writable = writable};
	bus->kind = kind;
	bus->sim = sim;
	if (!sim->fault.at && !sim->fault.kill_at && !sim->fault.lose) {
		*ret_bus = &bus->bus;
		return UNC_OK;
	}
	rc = unc_fault_wrap(&bus->bus, &sim->fault, ret_bus);
	if (rc < 0)
		bus_close(&bus->bus);
	return rc;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The buses of a simulated machine: a space for each PCI function, one with the MSRs of each CPU that is online, and one for each
 * window that is opened in memory.
 */

#include "sim/nest.h"

enum { CUT = 0x600 }; /* nest=short: where an area ends as far as its counters are read */
#define MSR_NUMBERS (UINT64_C(1) << 32)

struct bus {
	struct unc_bus bus;  /* must be first: pointers are cast to this */
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

static int bus_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const struct unc_sim *sim = ((struct bus *)bus)->sim;
	enum unc_kind kind = bus->kind;
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
	for (size_t i = 0; kind == UNC_AREA && i < sim->options.sockets; i++)
		addrs[n++] = (struct unc_addr){.kind = UNC_AREA, .area = {.chip = (unsigned)i * UNC_SIM_CHIP_STEP}};
	/* Memory has no list of what is in it. */
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

/* *ret_place is of a PCI function. */
static int reach(struct unc_sim *sim, const struct unc_addr *addr, const struct unc_sim_place **ret_place)
{
	const struct unc_sim_cpu *cpu;

	if (addr->kind == UNC_PCI)
		return unc_sim_place_reach(sim, addr, ret_place);
	if (addr->kind == UNC_AREA &&
	    (addr->area.chip % UNC_SIM_CHIP_STEP || addr->area.chip / UNC_SIM_CHIP_STEP >= sim->options.sockets))
		return unc_sim_fail(sim, UNC_ENODEV, "there is no chip %u", addr->area.chip);
	return addr->kind == UNC_MSR ? unc_sim_msr_reach(sim, addr->msr.cpu, &cpu) : UNC_OK;
}

static int space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	struct unc_sim *sim = ((struct bus *)bus)->sim;
	enum unc_kind kind = bus->kind;
	const struct unc_sim_place *place = NULL;
	uint64_t len = sim->options.model->config_bytes;
	struct space *space;
	int rc;

	/* Linux drivers/char/mem.c, with CONFIG_STRICT_DEVMEM: main memory is not mapped. */
	if (kind == UNC_MMIO && unc_sim_is_ram(addr->mmio.base))
		return unc_fail_named(bus->ctx, UNC_EPERM, "EPERM",
				      "mmio 0x%" PRIx64
				      ": map /dev/mem: Operation not permitted: main memory is there, "
				      "which the simulated kernel does not show",
				      addr->mmio.base);
	if (kind == UNC_MMIO)
		len = addr->mmio.len;
	else if (kind == UNC_MSR)
		len = MSR_NUMBERS;
	else if (kind == UNC_AREA)
		len = UNC_SIM_AREA_BYTES;
	rc = reach(sim, addr, &place);
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

/* One access, without the faults of fail=: a read if in is not NULL, else a write of out. */
static int access(struct unc_sim *sim, const struct unc_addr *addr, const struct unc_sim_place *place, uint64_t off,
		  void *in, const void *out, size_t len)
{
	unsigned char bytes[8] = {0};
	uint64_t value = 0;
	int rc = UNC_OK;

	if (addr->kind == UNC_PCI)
		return unc_sim_config_access(sim, place, off, in, out, len);
	if (addr->kind == UNC_AREA && out)
		return unc_sim_nest_write(sim, addr->area.chip, off, unc_le64(out));
	if (addr->kind == UNC_AREA && sim->options.nest == UNC_SIM_NEST_SHORT && off < CUT && off + len > CUT)
		return unc_sim_fail(sim, UNC_EIO, "the area of chip %u ends at 0x%x", addr->area.chip, CUT);
	if (addr->kind == UNC_AREA) {
		unc_sim_nest_read(sim, addr->area.chip, off, in, len);
		return UNC_OK;
	}
	if (out) {
		memcpy(bytes, out, len);
		value = unc_le64(bytes);
	}
	if (addr->kind == UNC_MSR)
		rc = unc_sim_msr_access(sim, addr->msr.cpu, (uint32_t)off, out, &value);
	else
		value = unc_sim_memory_access(sim, addr->mmio.base + off, (unsigned)len, out, value);
	if (rc == UNC_OK && in) {
		unc_put_le64(bytes, value);
		memcpy(in, bytes, len);
	}
	return rc;
}

static int space_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	return access(sim_of(space), &space->addr, ((const struct space *)space)->place, off, buf, NULL, len);
}

static int space_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	return access(sim_of(space), &space->addr, ((const struct space *)space)->place, off, NULL, buf, len);
}

/* clang-format off */
#define BUS(called) \
	{.name = called, .list = bus_list, .space_open = space_open, .space_close = space_close, \
	 .read = space_read, .write = space_write, .claim = space_claim}
/* clang-format on */
static const struct unc_bus_ops ops[] = {
	[UNC_PCI] = BUS("pci"), [UNC_MSR] = BUS("msr"), [UNC_MMIO] = BUS("mmio"), [UNC_AREA] = BUS("area")};

int unc_sim_access(struct unc_host *host, const struct unc_addr *addr, bool write, uint64_t off, void *buf, size_t len,
		   size_t *ret_done)
{
	struct unc_sim *sim = unc_sim_of(host);
	const struct unc_fault_access fault = {.ctx = host->ctx,
					       .bus = ops[addr->kind].name,
					       .addr = addr,
					       .write = write,
					       .off = off,
					       .can_be_short = addr->kind == UNC_PCI};
	const struct unc_sim_place *place = NULL;
	uint64_t end = UINT64_MAX;
	int rc = sim ? reach(sim, addr, &place) : unc_sim_none(host);

	if (rc < 0)
		return rc;
	if (addr->kind == UNC_PCI)
		end = sim->options.model->config_bytes;
	else if (addr->kind == UNC_AREA)
		end = UNC_SIM_AREA_BYTES;
	else if (addr->kind == UNC_MMIO && !sim->options.model->memory)
		return unc_sim_fail(sim, UNC_ENOSUP, "it has no registers in memory");
	else if (addr->kind == UNC_MMIO && (!len || len > 8 || len & (len - 1)))
		return unc_sim_fail(sim, UNC_EARG, "no load or store is %zu bytes", len);
	else if (addr->kind == UNC_MMIO && (sim->options.lockdown || unc_sim_is_ram(addr->mmio.base)))
		return unc_sim_fail(sim, UNC_EPERM, "0x%" PRIx64 " is not to be reached through /dev/mem",
				    addr->mmio.base);
	len = off < end ? (size_t)unc_sim_least(len, end - off) : 0;
	rc = unc_fault_begin(&sim->fault, &fault);
	if (rc == UNC_FAULT_CUT) {
		/* One cycle writes a whole dword, so a write cannot be cut in half. */
		len = write ? 0 : len / 2;
		rc = UNC_OK;
	}
	if (rc == UNC_OK)
		rc = access(sim, addr, place, off, write ? NULL : buf, write ? buf : NULL, len);
	else if (rc == UNC_FAULT_LOST && !write)
		memset(buf, 0xff, len);
	unc_fault_end(&sim->fault);
	if (rc < 0)
		return rc;
	*ret_done = len;
	return UNC_OK;
}

int unc_sim_bus_open(struct unc_host *host, enum unc_kind kind, bool writable, struct unc_bus **ret_bus)
{
	struct unc_sim *sim = (struct unc_sim *)host;
	struct bus *bus;

	if ((kind == UNC_AREA) != (sim->options.model->nest != NULL))
		return unc_sim_fail(sim, kind == UNC_AREA ? UNC_ENOSUP : UNC_ENODEV,
				    kind == UNC_AREA ? "it has no chips that count in memory"
						     : "a POWER machine has no such registers");
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
	bus->bus = (struct unc_bus){.ops = &ops[kind], .ctx = host->ctx, .writable = writable, .kind = kind};
	bus->sim = sim;
	if (sim->fault.at || sim->fault.kill_at || sim->fault.lose)
		return unc_fault_wrap(&bus->bus, &sim->fault, ret_bus);
	*ret_bus = &bus->bus;
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The MSR bus of a simulated machine: a space for each CPU that is online. */
#include <stdlib.h>

#include "base/err.h"
#include "sim/computer.h"

#define NUMBERS (UINT64_C(1) << 32)

struct bus {
	struct unc_bus bus;  /* must be first: pointers are cast to this */
	struct unc_sim *sim; /* not owned; outlives the bus */
};

struct space {
	struct unc_space space; /* must be first: pointers are cast to this */
	bool claimed;
};

static struct unc_sim *sim_of(const struct unc_space *space)
{
	return ((struct bus *)space->bus)->sim;
}

static void bus_close(struct unc_bus *bus)
{
	free(bus);
}

static int bus_list(struct unc_bus *bus, struct unc_addr **ret_addrs, size_t *ret_n)
{
	const struct unc_sim *sim = ((struct bus *)bus)->sim;
	struct unc_addr *addrs;
	size_t i, n = 0;

	addrs = calloc(sim->n_cpus, sizeof(*addrs));
	if (!addrs)
		return unc_fail(bus->ctx, UNC_ENOMEM, "sim: out of memory");
	for (i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].online)
			addrs[n++] = (struct unc_addr){.kind = UNC_MSR, .msr = {.cpu = sim->cpus[i].number}};
	*ret_addrs = addrs;
	*ret_n = n;
	return UNC_OK;
}

static int bus_space_open(struct unc_bus *bus, const struct unc_addr *addr, struct unc_space **ret_space)
{
	const struct unc_sim_cpu *cpu;
	struct space *space;
	int rc;

	if (addr->kind != UNC_MSR)
		return unc_fail(bus->ctx, UNC_EARG, "msr: asked for something that is no CPU");
	rc = unc_sim_cpu_reach(((struct bus *)bus)->sim, addr->msr.cpu, &cpu);
	if (rc < 0)
		return rc;
	space = calloc(1, sizeof(*space));
	if (!space)
		return unc_fail(bus->ctx, UNC_ENOMEM, "sim: out of memory");
	space->space = (struct unc_space){.bus = bus, .addr = *addr, .len = NUMBERS};
	*ret_space = &space->space;
	return UNC_OK;
}

static int bus_claim(struct unc_space *space, uint64_t first, uint64_t n, enum unc_claim how)
{
	const struct unc_sim_claim claim = {.first = first, .n = n, .how = how};

	((struct space *)space)->claimed |= how == UNC_CLAIM_TAKE;
	return unc_sim_claim(sim_of(space), space, &claim);
}

static void bus_space_close(struct unc_space *space)
{
	if (((struct space *)space)->claimed)
		bus_claim(space, 0, 0, UNC_CLAIM_LEAVE);
	free(space);
}

static int bus_read(struct unc_space *space, uint64_t off, void *buf, size_t len)
{
	uint64_t value;
	int rc;

	(void)len; /* always 8: access.c checks that */
	rc = unc_sim_msr_get(sim_of(space), space->addr.msr.cpu, (uint32_t)off, &value);
	if (rc == UNC_OK)
		unc_put_le64(buf, value);
	return rc;
}

static int bus_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	(void)len;
	return unc_sim_msr_set(sim_of(space), space->addr.msr.cpu, (uint32_t)off, unc_le64(buf));
}

static const struct unc_bus_ops msr_ops = {
	.name = "msr",
	.help = "model-specific registers of the simulated machine",
	.close = bus_close,
	.list = bus_list,
	.space_open = bus_space_open,
	.space_close = bus_space_close,
	.read = bus_read,
	.write = bus_write,
	.claim = bus_claim,
};

int unc_sim_msr_bus_open(struct unc_sim *sim, bool writable, struct unc_bus **ret_bus)
{
	struct bus *bus;

	if (sim->options.msr_absent)
		return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENOENT",
				      "msr: /dev/cpu: no such directory: the msr driver is not loaded; `modprobe msr` "
				      "(here: msr=absent)");
	bus = calloc(1, sizeof(*bus));
	if (!bus)
		return unc_fail(sim->host.ctx, UNC_ENOMEM, "sim: out of memory");
	bus->bus = (struct unc_bus){.ops = &msr_ops, .ctx = sim->host.ctx, .writable = writable};
	bus->sim = sim;
	*ret_bus = &bus->bus;
	return UNC_OK;
}

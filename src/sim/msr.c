// SPDX-License-Identifier: GPL-2.0-or-later
/* Access to model-specific registers: finding a register in the tables, and accesses as the msr driver makes them. */
#include <stdlib.h>

#include "base/err.h"
#include "sim/chance.h"
#include "sim/computer.h"
#include "sim/msr.h"
#include "sim/qm.h"

bool unc_sim_has_msrs(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && !sim->options.msr_absent;
}

bool unc_sim_takes_msr_writes(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && !sim->options.msr_writes_off;
}

void unc_sim_take_msr_writes(struct unc_host *host, bool take)
{
	struct unc_sim *sim = unc_sim_of(host);

	if (sim)
		sim->options.msr_writes_off = !take;
}

bool unc_sim_is_locked_down(struct unc_host *host)
{
	const struct unc_sim *sim = unc_sim_of(host);

	return sim && sim->options.lockdown;
}

uint64_t unc_sim_msr_ticks(uint64_t hz, uint64_t t_ns)
{
	return (uint64_t)((unc_sim_wide)hz * t_ns / 1000000000);
}

static unsigned ones(uint32_t bits)
{
	unsigned n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

static uint32_t block_of(const struct unc_sim_msr_reg *reg)
{
	return reg->block ? reg->block : 1;
}

static unsigned blocks_of(const struct unc_sim_msr_reg *reg)
{
	return reg->n ? reg->n : 1;
}

/* Returns the index of this number among the registers of the entry, or -1. */
static int index_of(const struct unc_sim_msr_reg *reg, uint32_t number)
{
	uint32_t block = block_of(reg), at = number - reg->first, nth = 0;

	if (reg->step) {
		nth = at / reg->step;
		at %= reg->step;
	}
	if (number < reg->first || nth >= blocks_of(reg) || at >= 32 || !(block >> at & 1))
		return -1;
	return (int)(nth * ones(block) + ones(block & ((UINT32_C(1) << at) - 1)));
}

/* How many places of the state are used already, by scope. */
struct places {
	size_t used[UNC_SIM_OF_PACKAGE + 1];
};

static uint64_t *kept_at(const struct unc_sim_msr *msr, size_t place)
{
	struct unc_sim_state *state = msr->sim->store.state;

	switch (msr->reg->scope) {
	case UNC_SIM_OF_L3:
		return &state->l3s[msr->cpu->l3].msrs[place];
	case UNC_SIM_OF_PACKAGE:
		return &state->packages[msr->cpu->package].msrs[place];
	default:
		return &state->threads[msr->cpu->number].msrs[place];
	}
}

static bool find_in(const struct unc_sim_msr_table *table, struct places *places, struct unc_sim_msr *msr,
		    size_t *place)
{
	static const size_t room[] = {
		[UNC_SIM_OF_CPU] = UNC_SIM_MSRS_OF_CPU,
		[UNC_SIM_OF_L3] = UNC_SIM_MSRS_OF_L3,
		[UNC_SIM_OF_PACKAGE] = UNC_SIM_MSRS_OF_PACKAGE,
	};
	enum unc_sim_on on = msr->sim->options.model->on;
	size_t i;

	for (i = 0; i < table->n; i++) {
		const struct unc_sim_msr_reg *reg = &table->regs[i];
		int index;

		if (!(reg->on & on))
			continue;
		index = index_of(reg, msr->number);
		if (index >= 0 && (!reg->exists || reg->exists(msr))) {
			msr->reg = reg;
			*place = places->used[reg->scope] + (size_t)index;
			return *place < room[reg->scope];
		}
		places->used[reg->scope] += (size_t)blocks_of(reg) * ones(block_of(reg));
	}
	return false;
}

static bool find(struct unc_sim_msr *msr, size_t *place)
{
	struct places places = {0};

	/* Monitoring comes first, as it is read most often. */
	return find_in(&unc_sim_msr_qm, &places, msr, place) || find_in(&unc_sim_msr_regs, &places, msr, place);
}

bool unc_sim_msr_exists(struct unc_sim_msr *msr)
{
	size_t place;

	return find(msr, &place);
}

bool unc_sim_msr_find(struct unc_sim_msr *msr)
{
	size_t place;

	if (!find(msr, &place))
		return false;
	msr->kept = kept_at(msr, place);
	return true;
}

struct unc_sim_msr unc_sim_msr_beside(const struct unc_sim_msr *at, uint32_t number)
{
	struct unc_sim_msr msr = {.sim = at->sim, .cpu = at->cpu, .number = number, .t_ns = at->t_ns};

	unc_sim_msr_find(&msr);
	return msr;
}

static uint64_t base_of(const struct unc_sim_msr *at)
{
	return at->reg->base ? at->reg->base(at) : at->reg->reset;
}

uint64_t unc_sim_msr_value(const struct unc_sim_msr *at)
{
	return at->reg->counts ? (base_of(at) + *at->kept) & at->reg->writable : base_of(at) ^ *at->kept;
}

bool unc_sim_msr_keep(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_msr_reg *reg = at->reg;
	uint64_t changed = reg->counts ? value : value ^ base_of(at);

	if (!(reg->writable | reg->takes) || changed & ~(reg->writable | reg->takes))
		return false;
	*at->kept = reg->counts ? value - base_of(at) : changed & reg->writable;
	return true;
}

static bool write_to(const struct unc_sim_msr *at, uint64_t value)
{
	return at->reg->write ? at->reg->write(at, value) : unc_sim_msr_keep(at, value);
}

/* Returns whether the register of that number on another CPU is the same one. */
static bool is_shared(const struct unc_sim_msr *at, const struct unc_sim_cpu *cpu)
{
	if (at->reg->scope == UNC_SIM_OF_PACKAGE)
		return cpu->package == at->cpu->package;
	if (at->reg->scope == UNC_SIM_OF_L3 || unc_sim_msr_is_of_l3(at))
		return cpu->l3 == at->cpu->l3;
	return cpu == at->cpu;
}

/* Returns value with the stuck bits of the register. */
static uint64_t held(const struct unc_sim_msr *at, uint64_t value)
{
	for (size_t i = 0; i < at->sim->n_stuck; i++) {
		const struct unc_sim_stuck *stuck = &at->sim->stuck[i];

		if (stuck->off == at->number && is_shared(at, stuck->cpu))
			value = (value & ~stuck->zeros) | stuck->ones;
	}
	return value;
}

void unc_sim_msr_stick(const struct unc_sim_msr *at)
{
	uint64_t value = unc_sim_msr_value(at), is = held(at, value);

	/* A register that cannot be written has no memory either; its stuck bits show only when it is read. */
	if (is != value)
		write_to(at, is);
}

bool unc_sim_msr_load(struct unc_sim_msr *at, uint64_t *ret_value)
{
	if (!unc_sim_msr_find(at))
		return false;
	*ret_value = held(at, unc_sim_msr_value(at));
	return true;
}

bool unc_sim_msr_store(struct unc_sim_msr *at, uint64_t value)
{
	if (!unc_sim_msr_find(at) || !write_to(at, value))
		return false;
	if (at->sim->n_stuck && held(at, value) != value)
		write_to(at, held(at, value));
	return true;
}

static void begin(struct unc_sim_msr *msr)
{
	unc_sim_lock(msr->sim);
	msr->t_ns = unc_sim_state_access(msr->sim->store.state);
}

static void end(const struct unc_sim_msr *msr)
{
	if (msr->sim->options.step)
		unc_sim_state_pass(msr->sim->store.state, unc_sim_access_ns(msr->sim));
	unc_sim_unlock(msr->sim);
}

/* Access an MSR as the msr driver does, without the faults of fail=. UNC_EIO, UNC_EPERM, UNC_ENODEV: as in sim.h. */
static int get_msr(struct unc_sim *sim, unsigned cpu, uint32_t number, uint64_t *ret_value)
{
	struct unc_sim_msr msr = {.sim = sim, .number = number};
	uint64_t value = 0;
	bool there;
	int rc;

	rc = unc_sim_cpu_reach(sim, cpu, &msr.cpu);
	if (rc < 0)
		return rc;
	begin(&msr);
	there = unc_sim_msr_load(&msr, &value);
	end(&msr);
	if (!there)
		return unc_fail_named(sim->host.ctx, UNC_EIO, "EIO",
				      "cpu %u: read MSR 0x%x: this processor has no such register", cpu, number);
	*ret_value = value;
	return UNC_OK;
}

/* The driver checks these two in this order, before it asks the processor (arch/x86/kernel/msr.c, msr_write). */
static int writes_allowed(const struct unc_sim *sim, unsigned cpu, uint32_t number)
{
	if (sim->options.lockdown)
		return unc_fail_named(sim->host.ctx, UNC_EPERM, "EPERM",
				      "cpu %u: write MSR 0x%x: Operation not permitted: the kernel is locked down "
				      "(lockdown=1)",
				      cpu, number);
	if (sim->options.msr_writes_off)
		return unc_fail_named(sim->host.ctx, UNC_EPERM, "EPERM",
				      "cpu %u: write MSR 0x%x: Operation not permitted: the msr driver filters writes "
				      "(msr_writes=off)",
				      cpu, number);
	return UNC_OK;
}

static int set_msr(struct unc_sim *sim, unsigned cpu, uint32_t number, uint64_t value)
{
	struct unc_sim_msr msr = {.sim = sim, .number = number};
	bool taken;
	int rc;

	rc = unc_sim_cpu_reach(sim, cpu, &msr.cpu);
	if (rc == UNC_OK)
		rc = writes_allowed(sim, cpu, number);
	if (rc < 0)
		return rc;
	begin(&msr);
	taken = unc_sim_msr_store(&msr, value);
	end(&msr);
	if (taken)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, UNC_EIO, "EIO", "cpu %u: write MSR 0x%x: this processor %s", cpu, number,
			      msr.reg ? "does not take that value there" : "has no such register");
}

void unc_sim_msr_reset(struct unc_sim *sim, uint64_t t_ns)
{
	struct unc_sim_state *state = sim->store.state;
	size_t i;

	for (i = 0; i < sim->n_caches; i++)
		state->l3s[i] = (struct unc_sim_l3){0};
	unc_sim_llc_reset(sim, t_ns);
	for (i = 0; i < sim->options.sockets; i++)
		state->packages[i] = (struct unc_sim_package){0};
	for (i = 0; i < sim->n_cpus; i++)
		state->threads[i] = (struct unc_sim_thread){0};
	unc_sim_defects_start(sim, t_ns);
}

static int msr_reach(struct unc_host *host, unsigned cpu, struct unc_sim **ret_sim)
{
	struct unc_sim *sim = unc_sim_of(host);
	const struct unc_sim_cpu *where;

	if (!sim)
		return unc_sim_none(host);
	*ret_sim = sim;
	return unc_sim_cpu_reach(sim, cpu, &where);
}

static int fault_begin(struct unc_sim *sim, unsigned cpu, bool write, uint32_t number)
{
	const struct unc_addr addr = {.kind = UNC_MSR, .msr = {.cpu = cpu}};
	const struct unc_fault_access access = {
		.ctx = sim->host.ctx, .bus = "msr", .addr = &addr, .write = write, .off = number};

	return unc_fault_begin(&sim->fault, &access);
}

int unc_sim_msr_read(struct unc_host *host, unsigned cpu, uint32_t number, uint64_t *ret_value)
{
	struct unc_sim *sim;
	int rc;

	rc = msr_reach(host, cpu, &sim);
	if (rc < 0)
		return rc;
	rc = fault_begin(sim, cpu, false, number);
	if (rc == UNC_FAULT_LOST)
		*ret_value = UINT64_MAX;
	else if (rc == UNC_OK)
		rc = get_msr(sim, cpu, number, ret_value);
	unc_fault_end(&sim->fault);
	return rc < 0 ? rc : UNC_OK;
}

int unc_sim_msr_write(struct unc_host *host, unsigned cpu, uint32_t number, uint64_t value)
{
	struct unc_sim *sim;
	int rc;

	rc = msr_reach(host, cpu, &sim);
	if (rc < 0)
		return rc;
	rc = fault_begin(sim, cpu, true, number);
	if (rc == UNC_OK)
		rc = set_msr(sim, cpu, number, value);
	unc_fault_end(&sim->fault);
	return rc < 0 ? rc : UNC_OK;
}

/* The MSR bus of a simulated machine: a space for each CPU that is online. */

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
	rc = get_msr(sim_of(space), space->addr.msr.cpu, (uint32_t)off, &value);
	if (rc == UNC_OK)
		unc_put_le64(buf, value);
	return rc;
}

static int bus_write(struct unc_space *space, uint64_t off, const void *buf, size_t len)
{
	(void)len;
	return set_msr(sim_of(space), space->addr.msr.cpu, (uint32_t)off, unc_le64(buf));
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

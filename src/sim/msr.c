// SPDX-License-Identifier: GPL-2.0-or-later
/* Access to model-specific registers: finding a register in the tables, and accesses as the msr driver makes them. */

#include "sim/msr.h"
#include "sim/qm.h"

void unc_sim_take_msr_writes(struct unc_host *host, bool take)
{
	struct unc_sim *sim = unc_sim_of(host);

	if (sim)
		sim->options.msr_writes_off = !take;
}

uint64_t unc_sim_msr_ticks(uint64_t hz, uint64_t t_ns)
{
	return (uint64_t)((unc_sim_wide)hz * t_ns / 1000000000);
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
	return (int)(nth * unc_bits_set(block) + unc_bits_set(block & ((UINT32_C(1) << at) - 1)));
}

bool unc_sim_msr_exists(struct unc_sim_msr *msr)
{
	/* Monitoring comes first, as it is read most often. */
	static const struct unc_sim_msr_table *const tables[] = {&unc_sim_msr_qm, &unc_sim_msr_regs, &unc_sim_msr_amd};
	static const size_t room[] = {
		[UNC_SIM_OF_CPU] = UNC_SIM_MSRS_OF_CPU,
		[UNC_SIM_OF_L3] = UNC_SIM_MSRS_OF_L3,
		[UNC_SIM_OF_PACKAGE] = UNC_SIM_MSRS_OF_PACKAGE,
		[UNC_SIM_OF_NODE] = UNC_SIM_MSRS_OF_NODE,
	};
	enum unc_sim_on on = msr->sim->options.model->on;
	size_t used[UNC_SIM_N(room)] = {0}; /* how many places of the state are used by registers before this one */

	for (size_t t = 0; t < UNC_SIM_N(tables); t++) {
		for (size_t i = 0; i < tables[t]->n; i++) {
			const struct unc_sim_msr_reg *reg = &tables[t]->regs[i];
			int index;

			if (reg->on && !(reg->on & on))
				continue;
			index = index_of(reg, msr->number);
			msr->reg = reg;
			if (index >= 0 && (!reg->exists || reg->exists(msr))) {
				msr->place = used[reg->scope] + (size_t)index;
				return msr->place < room[reg->scope];
			}
			used[reg->scope] += (size_t)blocks_of(reg) * unc_bits_set(block_of(reg));
		}
	}
	msr->reg = NULL;
	return false;
}

/* Returns the node that has the register: with defect=same-box not that of the CPU. */
static unsigned node_of(const struct unc_sim_msr *msr)
{
	const struct unc_sim_faults *faults = msr->sim->df_faults;
	unsigned node = msr->cpu->node;

	return faults && faults[node].shows ? faults[node].shows - 1 : node;
}

bool unc_sim_msr_find(struct unc_sim_msr *msr)
{
	struct unc_sim_state *state = msr->sim->store.state;

	if (!unc_sim_msr_exists(msr))
		return false;
	if (msr->reg->scope == UNC_SIM_OF_L3)
		msr->kept = &state->l3s[msr->cpu->l3].msrs[msr->place];
	else if (msr->reg->scope == UNC_SIM_OF_PACKAGE)
		msr->kept = &state->packages[msr->cpu->package].msrs[msr->place];
	else if (msr->reg->scope == UNC_SIM_OF_NODE)
		msr->kept = &state->nodes[node_of(msr)].msrs[msr->place];
	else
		msr->kept = &state->threads[msr->cpu->number].msrs[msr->place];
	return true;
}

struct unc_sim_msr unc_sim_msr_beside(const struct unc_sim_msr *at, uint32_t number)
{
	struct unc_sim_msr msr = {.sim = at->sim, .cpu = at->cpu, .number = number, .t_ns = at->t_ns};

	if (!unc_sim_msr_find(&msr))
		msr.reg = NULL;
	return msr;
}

static uint64_t base_of(const struct unc_sim_msr *at)
{
	return at->reg->base ? at->reg->base(at) : at->reg->reset;
}

uint64_t unc_sim_msr_value(const struct unc_sim_msr *at)
{
	uint64_t count, takes_part;

	if (!at->reg->counts)
		return base_of(at) ^ *at->kept;
	takes_part = at->reg->counting ? at->reg->counting(at) : UINT64_MAX;
	count = ((base_of(at) + *at->kept) & takes_part) | (*at->kept & ~takes_part);
	return at->reg->saturates && count > at->reg->writable >> 1 ? at->reg->writable : count & at->reg->writable;
}

bool unc_sim_msr_keep(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_msr_reg *reg = at->reg;
	uint64_t changed = reg->counts ? value : value ^ base_of(at);
	uint64_t takes_part = reg->counting ? reg->counting(at) : UINT64_MAX;

	if (!(reg->writable | reg->takes) || changed & ~(reg->writable | reg->takes))
		return false;
	*at->kept =
		reg->counts ? ((value - base_of(at)) & takes_part) | (value & ~takes_part) : changed & reg->writable;
	return true;
}

/* Counters that the register starts or stops keep their counts. */
static bool write_to(const struct unc_sim_msr *at, uint64_t value)
{
	const struct unc_sim_msr_reg *reg = at->reg;
	struct unc_sim_msr ctrs[UNC_SIM_MSR_CTRS];
	uint64_t counts[UNC_SIM_MSR_CTRS];
	bool taken;

	for (unsigned i = 0; i < reg->n_ctrs; i++) {
		ctrs[i] = unc_sim_msr_beside(at, (reg->ctrs ? reg->ctrs : at->number + 1) + i);
		counts[i] = ctrs[i].reg ? unc_sim_msr_value(&ctrs[i]) : 0;
	}
	taken = reg->write ? reg->write(at, value) : unc_sim_msr_keep(at, value);
	for (unsigned i = 0; i < reg->n_ctrs; i++)
		if (ctrs[i].reg)
			unc_sim_msr_keep(&ctrs[i], counts[i]);
	return taken;
}

/* Returns whether this is about the register, which is the same one on all CPUs that share it. */
static bool is_of(const struct unc_sim_stuck *stuck, const struct unc_sim_msr *at)
{
	if (stuck->off != at->number)
		return false;
	if (at->reg->scope == UNC_SIM_OF_PACKAGE)
		return stuck->cpu->package == at->cpu->package;
	if (at->reg->scope == UNC_SIM_OF_NODE)
		return stuck->cpu->node == at->cpu->node;
	if (at->reg->scope == UNC_SIM_OF_L3 || unc_sim_msr_is_of_l3(at))
		return stuck->cpu->l3 == at->cpu->l3;
	return stuck->cpu == at->cpu;
}

/* Returns value with the stuck bits of the register. */
static uint64_t held(const struct unc_sim_msr *at, uint64_t value)
{
	for (size_t i = 0; i < at->sim->n_stuck; i++)
		if (is_of(&at->sim->stuck[i], at))
			value = (value & ~at->sim->stuck[i].zeros) | at->sim->stuck[i].ones;
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
	if (!unc_sim_msr_find(at))
		return false;
	for (size_t i = 0; i < at->sim->n_stuck; i++)
		if (at->sim->stuck[i].write_faults && is_of(&at->sim->stuck[i], at))
			return false;
	if (!write_to(at, value))
		return false;
	if (at->sim->n_stuck && held(at, value) != value)
		write_to(at, held(at, value));
	return true;
}

int unc_sim_msr_reach(struct unc_sim *sim, unsigned number, const struct unc_sim_cpu **ret_cpu)
{
	uint64_t now_ns = 0;

	for (size_t i = 0; sim->options.gone && i < sim->options.n_gone; i++) {
		const struct unc_sim_gone *gone = &sim->options.gone[i];

		if (gone->addr.kind != UNC_MSR || gone->addr.msr.cpu != number)
			continue;
		unc_sim_lock(sim);
		now_ns = unc_sim_state_now(sim->store.state);
		unc_sim_unlock(sim);
		if (now_ns >= gone->from_ns)
			return unc_fail_named(sim->host.ctx, UNC_ENODEV, "ENXIO",
					      "cpu %u: the file of its MSRs is gone (vanish=)", number);
	}
	return unc_sim_cpu_reach(sim, number, ret_cpu);
}

int unc_sim_msr_access(struct unc_sim *sim, unsigned cpu, uint32_t number, bool write, uint64_t *value)
{
	struct unc_sim_msr msr = {.sim = sim, .number = number};
	int rc = unc_sim_msr_reach(sim, cpu, &msr.cpu);
	bool done;

	if (rc < 0)
		return rc;
	/* The driver checks these two in this order, before it asks the processor (arch/x86/kernel/msr.c, msr_write). */
	if (write && (sim->options.lockdown || sim->options.msr_writes_off))
		return unc_fail_named(sim->host.ctx, UNC_EPERM, "EPERM",
				      "cpu %u: write MSR 0x%x: Operation not permitted: the %s", cpu, number,
				      sim->options.lockdown ? "kernel is locked down (lockdown=1)"
							    : "msr driver filters writes (msr_writes=off)");
	msr.t_ns = unc_sim_access_begin(sim);
	done = write ? unc_sim_msr_store(&msr, *value) : unc_sim_msr_load(&msr, value);
	unc_sim_access_end(sim);
	if (done)
		return UNC_OK;
	return unc_fail_named(sim->host.ctx, UNC_EIO, "EIO", "cpu %u: %s MSR 0x%x: this processor %s", cpu,
			      write ? "write" : "read", number,
			      write && msr.reg ? "does not take that value there" : "has no such register");
}

void unc_sim_msr_reset(struct unc_sim *sim, uint64_t t_ns)
{
	struct unc_sim_state *state = sim->store.state;

	for (size_t i = 0; i < sim->n_caches; i++)
		state->l3s[i] = (struct unc_sim_l3){0};
	unc_sim_llc_reset(sim, t_ns);
	for (size_t i = 0; i < sim->options.sockets; i++)
		state->packages[i] = (struct unc_sim_package){0};
	memset(state->nodes, 0, sizeof(state->nodes));
	for (size_t i = 0; i < sim->n_cpus; i++)
		state->threads[i] = (struct unc_sim_thread){0};
	unc_sim_defects_start(sim, t_ns);
}

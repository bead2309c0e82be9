// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of what the mesh sends to a memory controller (M2M), in extended configuration space: mmio.md, section 5.5, from Linux
 * arch/x86/events/intel/uncore_snbep.c and PCM.  Here the mesh sends what the channels of the controller move, in lines of 64 bytes.
 */
#include <string.h>

#include "sim/computer.h"

enum { BOX_CTL = 0x438, CTR0 = 0x440, CTR_END = 0x460, CTL0 = 0x468, CTL_END = 0x488, CTL_EN_AT = 22, EXT_AT = 32 };

#define CTR_MASK   ((UINT64_C(1) << 48) - 1)
#define BOX_FRZ_EN UINT32_C(0x00010000)
#define MODIFIERS  UINT64_C(0xff840000) /* thresh, invert, edge_det */
#define EXT        (UINT64_C(0xff) << EXT_AT)

/* What a code and umask count: which bit of the extension has channel 0, and the controls of a channel that count the same. */
struct m2m_event {
	uint32_t select;
	unsigned ext_at;
	uint32_t of_channel[2];
};
static const struct m2m_event of_icx[] = {
	{0x0437, 0, {0x0f04}}, {0x2037, 0, {0x00e3}}, {0x1038, 2, {0x3004}}, {0x8038, 2, {0x00e7}}};
static const struct m2m_event of_spr[] = {
	{0x0424, 0, {0xcf05}}, {0x2024, 0, {0x00e3}}, {0x1025, 3, {0xf005}}, {0x8025, 3, {0x00e7}}};
static const struct m2m_event of_gnr[] = {{0x0424, 0, {0xcf05, 0xcf06}}, {0x1025, 0, {0xf005, 0xf006}}, {0}, {0}};

static const struct unc_sim_pmon *pmon_of(const struct unc_sim_cycle *cycle)
{
	return cycle->sim->options.model->pmon;
}

static struct unc_sim_m2m *m2m_of(const struct unc_sim_cycle *cycle)
{
	return &cycle->sim->store.state->m2m[cycle->place->socket][cycle->place->function->imc];
}

static uint32_t frz(const struct unc_sim_cycle *cycle)
{
	return pmon_of(cycle)->box_frz ? pmon_of(cycle)->box_frz : 0x100;
}

static bool runs(const struct unc_sim_cycle *cycle, uint64_t ctl)
{
	const struct unc_sim_m2m *m2m = m2m_of(cycle);

	if (m2m->frozen_global || m2m->box_ctl & frz(cycle))
		return false;
	return pmon_of(cycle)->no_en ? ctl != 0 : ctl >> CTL_EN_AT & 1;
}

/* Returns the counts of a control from the machine's start to t_ns, as if it had always been enabled. */
static uint64_t arrived(const struct unc_sim_cycle *cycle, uint64_t ctl, uint64_t t_ns)
{
	const struct unc_sim_memory *memory = cycle->sim->options.model->memory;
	const struct m2m_event *event = memory->kind == UNC_SIM_MEMORY_SINGLE  ? of_gnr
					: memory->kind == UNC_SIM_MEMORY_PAIRS ? of_spr
									       : of_icx;
	const struct m2m_event *end = event + UNC_SIM_N(of_icx);
	uint64_t sum = 0;

	while (event < end && (ctl & 0xffff) != event->select)
		event++;
	for (size_t i = 0; event < end && i < cycle->sim->n_places; i++) {
		const struct unc_sim_cycle channel = {.sim = cycle->sim, .place = &cycle->sim->places[i], .t_ns = t_ns};
		const struct unc_sim_function *function = channel.place->function;

		if (function->kind == UNC_SIM_IMC && channel.place->socket == cycle->place->socket &&
		    function->imc == cycle->place->function->imc &&
		    ctl >> (EXT_AT + event->ext_at + function->channel) & 1 &&
		    !(channel.place->faults && channel.place->faults->mesh_misses))
			for (unsigned k = 0; k < 2 && event->of_channel[k]; k++)
				sum += unc_sim_imc_arrived(&channel,
							   event->of_channel[k] | (uint32_t)(ctl & MODIFIERS));
	}
	return sum;
}

static uint64_t value(const struct unc_sim_cycle *cycle, unsigned i)
{
	struct unc_sim_m2m *m2m = m2m_of(cycle);
	uint64_t ctl = m2m->ctl[i], count = 0;

	if (runs(cycle, ctl))
		count = arrived(cycle, ctl, cycle->t_ns) -
			arrived(cycle, ctl, unc_sim_bounded(&m2m->since_ns, cycle->t_ns));
	return (m2m->ctr[i] + count) & CTR_MASK;
}

static void count_until(const struct unc_sim_cycle *cycle)
{
	for (unsigned i = 0; i < UNC_SIM_CTRS; i++)
		m2m_of(cycle)->ctr[i] = value(cycle, i);
	m2m_of(cycle)->since_ns = cycle->t_ns;
}

void unc_sim_m2m_freeze(const struct unc_sim_cycle *cycle, bool frozen_global)
{
	count_until(cycle);
	m2m_of(cycle)->frozen_global = frozen_global;
}

uint32_t unc_sim_m2m_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_options *options = &cycle->sim->options;
	uint32_t off = cycle->off, readable = options->frz_en_rw ? BOX_FRZ_EN : 0;
	unsigned half = off % 8 ? 32 : 0;

	if (off >= CTR0 && off < CTR_END)
		return (uint32_t)(value(cycle, (off - CTR0) / 8) >> half);
	if (off >= CTL0 && off < CTL_END)
		return (uint32_t)(m2m_of(cycle)->ctl[(off - CTL0) / 8] >> half);
	if (options->frz_rw || pmon_of(cycle)->box_frz)
		readable |= frz(cycle);
	return off == BOX_CTL ? m2m_of(cycle)->box_ctl & readable : 0;
}

/* Returns the register of 64 bits after a write of one of its halves. */
static uint64_t merged(const struct unc_sim_cycle *cycle, uint64_t before, uint64_t writable, uint64_t accepted)
{
	unsigned half = cycle->off % 8 ? 32 : 0;
	uint32_t reserved = cycle->value & (uint32_t) ~((writable | accepted) >> half);

	if (reserved)
		unc_sim_violate(cycle, UNC_SIM_RESERVED, reserved);
	before &= ~((uint64_t)cycle->enabled << half);
	return (before | (uint64_t)cycle->value << half) & writable;
}

void unc_sim_m2m_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_pmon *pmon = pmon_of(cycle);
	uint32_t off = cycle->off, kept = frz(cycle) | pmon->box_accepted;
	struct unc_sim_m2m *m2m = m2m_of(cycle);

	count_until(cycle);
	if (off >= CTR0 && off < CTR_END) {
		m2m->ctr[(off - CTR0) / 8] = merged(cycle, m2m->ctr[(off - CTR0) / 8], CTR_MASK, 0);
	} else if (off >= CTL0 && off < CTL_END) {
		m2m->ctl[(off - CTL0) / 8] =
			merged(cycle, m2m->ctl[(off - CTL0) / 8], EXT | pmon->ctl_writable, pmon->ctl_rst);
		if (off % 8 == 0 && cycle->value & pmon->ctl_rst)
			m2m->ctr[(off - CTL0) / 8] = 0;
	} else if (off == BOX_CTL) {
		m2m->box_ctl = (uint32_t)merged(cycle, m2m->box_ctl, kept, pmon->box_rst_ctrl | pmon->box_rst_ctrs);
		if (cycle->value & pmon->box_rst_ctrl)
			memset(m2m->ctl, 0, sizeof(m2m->ctl));
		if (cycle->value & pmon->box_rst_ctrs)
			memset(m2m->ctr, 0, sizeof(m2m->ctr));
	} else {
		unc_sim_violate(cycle, UNC_SIM_NO_REGISTER, cycle->enabled);
	}
}

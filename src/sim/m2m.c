// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counters of a whole memory controller that are programmed.  Of what the mesh sends to it (M2M), in extended configuration space:
 * mmio.md, section 5.5, from Linux arch/x86/events/intel/uncore_snbep.c and PCM.  Here the mesh sends what the channels of the
 * controller move, in lines of 64 bytes.  And of client processors from Alder Lake on, in memory: uncore_snb.c.
 */

#include "sim/computer.h"

enum { CTL_EN_AT = 22, EXT_AT = 32, CHANNELS_AT = 8, CHANNELS = 0xf };

#define BOX_FRZ_EN UINT32_C(0x00010000)
#define MODIFIERS  UINT64_C(0xff840000) /* thresh, invert, edge_det */
#define EXT        (UINT64_C(0xff) << EXT_AT)
#define EDGE_DET   UINT32_C(0x00040000)
#define THRESH_1   UINT32_C(0x01000000)
#define ALL_UMASK  UINT32_C(0x0000ff00)

/* Where the registers are, and what differs in them.  Of a client's, memory.c adds 0x400 to the offset; its GLOBAL_CTL is not modelled. */
struct layout {
	uint32_t box_ctl, ctr, ctl, n, ctl_bytes;
	uint64_t ctr_mask, more_writable; /* bits of a counter; of a control beside those of pmon */
};
static const struct layout of_mesh = {0x438, 0x440, 0x468, 4, 8, (UINT64_C(1) << 48) - 1, EXT};
static const struct layout of_client = {0x404, 0x428, 0x410, 5, 4, UINT64_MAX, 0};
/* Channels of a client have no registers of their own. */
static const struct unc_sim_pmon client_pmon = {.ctl_writable = 0x00040fff, .box_frz = 1, .no_en = true};

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
	const struct unc_sim_pmon *pmon = cycle->sim->options.model->pmon;

	return pmon ? pmon : &client_pmon;
}

static const struct layout *layout_of(const struct unc_sim_cycle *cycle)
{
	return cycle->sim->options.model->pmon ? &of_mesh : &of_client;
}

/* Returns which element of an array the register is, or n: none of them. */
static uint32_t index_in(const struct unc_sim_cycle *cycle, uint32_t first, uint32_t bytes)
{
	uint32_t n = layout_of(cycle)->n, i = (cycle->off - first) / bytes;

	return cycle->off >= first && i < n ? i : n;
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

/* Returns which channels a control counts, and in ret_controls how a channel would be told to count the same; 0: no more. */
static unsigned channels_of(const struct unc_sim_cycle *cycle, uint64_t ctl, uint32_t ret_controls[2])
{
	const struct unc_sim_model *model = cycle->sim->options.model;
	const struct m2m_event *event = model->memory->kind == UNC_SIM_MEMORY_SINGLE  ? of_gnr
					: model->memory->kind == UNC_SIM_MEMORY_PAIRS ? of_spr
										      : of_icx;
	const struct m2m_event *end = event + UNC_SIM_N(of_icx);
	unsigned channels = ctl >> CHANNELS_AT & CHANNELS;

	ret_controls[1] = 0;
	if (layout_of(cycle) == &of_client) {
		const struct unc_sim_event *one = unc_sim_event_of(model, ctl & 0xff);

		ret_controls[0] = (uint32_t)(ctl & 0xff) | (ctl & EDGE_DET ? EDGE_DET | THRESH_1 : 0) |
				  (one && one->umask ? ALL_UMASK : 0);
		channels = channels ? channels : CHANNELS;
		/* All channels have the same clock. */
		return one && one->flags & UNC_SIM_CONSTANT ? channels & (~channels + 1) : channels;
	}
	while (event < end && (ctl & 0xffff) != event->select)
		event++;
	for (unsigned k = 0; k < 2 && event < end; k++)
		ret_controls[k] = event->of_channel[k] ? event->of_channel[k] | (uint32_t)(ctl & MODIFIERS) : 0;
	return event < end ? ctl >> (EXT_AT + event->ext_at) & 0xff : 0;
}

/* Returns the counts of a control from the machine's start to t_ns, as if it had always been enabled. */
static uint64_t arrived(const struct unc_sim_cycle *cycle, uint64_t ctl, uint64_t t_ns)
{
	uint32_t controls[2];
	unsigned channels = channels_of(cycle, ctl, controls);
	uint64_t sum = 0;

	for (size_t i = 0; channels && i < cycle->sim->n_places; i++) {
		const struct unc_sim_cycle channel = {.sim = cycle->sim, .place = &cycle->sim->places[i], .t_ns = t_ns};
		const struct unc_sim_function *function = channel.place->function;

		if (function->kind == UNC_SIM_IMC && channel.place->socket == cycle->place->socket &&
		    function->imc == cycle->place->function->imc && channels >> function->channel & 1 &&
		    !(channel.place->faults && channel.place->faults->mesh_misses))
			for (unsigned k = 0; k < 2 && (k == 0 || controls[k]); k++)
				sum += unc_sim_imc_arrived(&channel, controls[k]);
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
	return (m2m->ctr[i] + count) & layout_of(cycle)->ctr_mask;
}

static void count_until(const struct unc_sim_cycle *cycle)
{
	for (unsigned i = 0; i < layout_of(cycle)->n; i++)
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
	const struct layout *layout = layout_of(cycle);
	uint32_t readable = options->frz_en_rw ? BOX_FRZ_EN : 0, n = layout->n;
	uint32_t ctr = index_in(cycle, layout->ctr, 8), ctl = index_in(cycle, layout->ctl, layout->ctl_bytes);

	if (ctr < n)
		return (uint32_t)(value(cycle, ctr) >> cycle->off % 8 * 8);
	if (ctl < n)
		return (uint32_t)(m2m_of(cycle)->ctl[ctl] >> cycle->off % layout->ctl_bytes * 8);
	if (options->frz_rw || pmon_of(cycle)->box_frz)
		readable |= frz(cycle);
	return cycle->off == layout->box_ctl ? m2m_of(cycle)->box_ctl & readable : 0;
}

/* Returns the register of that many bytes after a write of one of its dwords. */
static uint64_t merged(const struct unc_sim_cycle *cycle, uint32_t bytes, uint64_t before, uint64_t writable,
		       uint64_t accepted)
{
	unsigned half = cycle->off % bytes * 8;
	uint32_t reserved = cycle->value & (uint32_t) ~((writable | accepted) >> half);

	if (reserved)
		unc_sim_violate(cycle, UNC_SIM_RESERVED, reserved);
	before &= ~((uint64_t)cycle->enabled << half);
	return (before | (uint64_t)cycle->value << half) & writable;
}

void unc_sim_m2m_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_pmon *pmon = pmon_of(cycle);
	const struct layout *layout = layout_of(cycle);
	uint32_t kept = frz(cycle) | pmon->box_accepted, n = layout->n;
	uint32_t ctr = index_in(cycle, layout->ctr, 8), ctl = index_in(cycle, layout->ctl, layout->ctl_bytes);
	struct unc_sim_m2m *m2m = m2m_of(cycle);

	count_until(cycle);
	if (ctr < n) {
		m2m->ctr[ctr] = merged(cycle, 8, m2m->ctr[ctr], layout->ctr_mask, 0);
	} else if (ctl < n) {
		m2m->ctl[ctl] = merged(cycle, layout->ctl_bytes, m2m->ctl[ctl],
				       layout->more_writable | pmon->ctl_writable, pmon->ctl_rst);
		if (cycle->off % layout->ctl_bytes == 0 && cycle->value & pmon->ctl_rst)
			m2m->ctr[ctl] = 0;
	} else if (cycle->off == layout->box_ctl) {
		m2m->box_ctl = (uint32_t)merged(cycle, 4, m2m->box_ctl, kept, pmon->box_rst_ctrl | pmon->box_rst_ctrs);
		if (cycle->value & pmon->box_rst_ctrl)
			memset(m2m->ctl, 0, sizeof(m2m->ctl));
		if (cycle->value & pmon->box_rst_ctrs)
			memset(m2m->ctr, 0, sizeof(m2m->ctr));
	} else {
		unc_sim_violate(cycle, UNC_SIM_NO_REGISTER, cycle->enabled);
	}
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* PCI configuration space: the common header (PCI 3.0, 6.1), and the dispatch to a function's own registers. */
#include "sim/chance.h"

enum {
	HDR_ID = 0x00,        /* 15:0 vendor, 31:16 device */
	HDR_CLASS = 0x08,     /* 7:0 revision, 31:8 class code */
	HDR_TYPE = 0x0c,      /* 23:16 header type */
	HDR_SUBSYSTEM = 0x2c, /* 15:0 vendor, 31:16 device */
	HDR_END = 0x40,       /* a function's own registers begin here */

	VENDOR_INTEL = 0x8086,
	TYPE_MULTI_FUNCTION = 0x80,
};

/* Command and status read 0: here these functions own no memory, are no bus masters and have no capability list. */
static uint32_t header_read(const struct unc_sim_place *place, uint32_t off)
{
	switch (off) {
	case HDR_ID:
	case HDR_SUBSYSTEM:
		return (uint32_t)place->function->device_id << 16 | VENDOR_INTEL;
	case HDR_CLASS:
		return place->function->class_code << 8 | place->function->revision;
	case HDR_TYPE:
		return (uint32_t)TYPE_MULTI_FUNCTION << 16;
	default:
		return 0;
	}
}

struct unc_sim_pci unc_sim_pci_of(const struct unc_sim *sim, const struct unc_sim_place *place)
{
	return (struct unc_sim_pci){
		.addr = place->addr,
		.vendor = VENDOR_INTEL,
		.device = place->function->device_id,
		.subsystem_vendor = VENDOR_INTEL,
		.subsystem_device = place->function->device_id,
		.class_code = place->function->class_code,
		.revision = place->function->revision,
		.socket = place->socket,
		.config_bytes = sim->options.model->config_bytes,
	};
}

static bool answers(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_gone *gone = cycle->place->gone;

	return !gone || cycle->t_ns < gone->from_ns || cycle->t_ns >= gone->until_ns;
}

static uint32_t function_read(const struct unc_sim_cycle *cycle)
{
	if (cycle->off < HDR_END)
		return header_read(cycle->place, cycle->off);
	switch (cycle->place->function->kind) {
	case UNC_SIM_UBOX:
		return unc_sim_ubox_read(cycle);
	case UNC_SIM_IMC:
		return unc_sim_imc_read(cycle);
	case UNC_SIM_OTHER:
	default:
		return 0;
	}
}

/* Returns whether the nth access of this kind is a faulty one; one in one_in is. */
static bool strikes(const struct unc_sim_cycle *cycle, unsigned kind, uint64_t nth, uint64_t one_in)
{
	uint64_t lot = unc_sim_chance(cycle->sim->options.seed, 2 * cycle->place->channel + kind);

	return unc_sim_chance(lot, nth) % one_in == 0;
}

/* Reads with the defects of its channel. */
static uint32_t faulty_read(const struct unc_sim_cycle *cycle, const struct unc_sim_faults *faults)
{
	struct unc_sim_imc *imc = &cycle->sim->store.state->imc[cycle->place->channel];

	if (faults->ones_one_in && strikes(cycle, 0, imc->reads++, faults->ones_one_in))
		return UINT32_MAX;
	return unc_sim_faults_hold(faults, cycle->off, function_read(cycle));
}

/* Returns the access as it reaches the registers that answer it. */
static struct unc_sim_cycle redirected(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_faults *faults = cycle->place->faults;
	struct unc_sim_cycle to = *cycle;

	if (faults && faults->instead && cycle->off >= HDR_END)
		to.place = faults->instead;
	return to;
}

uint32_t unc_sim_cycle_read(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_cycle to = redirected(cycle);

	if (!answers(cycle))
		return UINT32_MAX;
	return to.place->faults ? faulty_read(&to, to.place->faults) : function_read(&to);
}

static bool is_dropped(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_faults *faults = cycle->place->faults;
	struct unc_sim_imc *imc = &cycle->sim->store.state->imc[cycle->place->channel];

	return faults && faults->drops_one_in && strikes(cycle, 1, imc->writes++, faults->drops_one_in);
}

/* Does the side effects of a write on a channel with such a defect. */
static void do_sides(const struct unc_sim_cycle *cycle, const struct unc_sim_faults *faults)
{
	size_t i;

	for (i = 0; i < faults->n_sides; i++) {
		const struct unc_sim_side *side = &faults->sides[i];
		struct unc_sim_cycle besides = *cycle;

		if (!side->any && side->off != cycle->off)
			continue;
		if (side->other) {
			besides.place = side->other;
		} else {
			besides.off = side->clears;
			besides.value = 0;
			besides.enabled = UINT32_MAX;
		}
		unc_sim_imc_write(&besides);
	}
}

void unc_sim_cycle_write(const struct unc_sim_cycle *cycle)
{
	const struct unc_sim_cycle to = redirected(cycle);

	if (!answers(cycle) || is_dropped(&to))
		return;
	if (to.off < HDR_END)
		unc_sim_violate(&to, UNC_SIM_READ_ONLY, to.enabled);
	else if (to.place->function->kind == UNC_SIM_UBOX)
		unc_sim_ubox_write(&to);
	else if (to.place->function->kind == UNC_SIM_IMC)
		unc_sim_imc_write(&to);
	if (to.off >= HDR_END && to.place->faults)
		do_sides(&to, to.place->faults);
}

static void cycle_begin(struct unc_sim_cycle *cycle)
{
	unc_sim_lock(cycle->sim);
	cycle->t_ns = unc_sim_state_access(cycle->sim->store.state);
}

static void cycle_end(struct unc_sim_cycle *cycle)
{
	if (cycle->sim->options.step)
		unc_sim_state_pass(cycle->sim->store.state, unc_sim_access_ns(cycle->sim));
	unc_sim_unlock(cycle->sim);
}

uint32_t unc_sim_config_read(struct unc_sim *sim, const struct unc_sim_place *place, uint32_t off)
{
	struct unc_sim_cycle cycle = {.sim = sim, .place = place, .off = off, .enabled = UINT32_MAX};
	uint32_t value;

	cycle_begin(&cycle);
	value = unc_sim_cycle_read(&cycle);
	cycle_end(&cycle);
	return value;
}

void unc_sim_config_write(struct unc_sim *sim, const struct unc_sim_place *place, uint32_t off, uint32_t value,
			  uint32_t enabled)
{
	struct unc_sim_cycle cycle = {
		.sim = sim, .place = place, .off = off, .value = value & enabled, .enabled = enabled};

	cycle_begin(&cycle);
	unc_sim_cycle_write(&cycle);
	cycle_end(&cycle);
}

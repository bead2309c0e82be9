// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which channel is uncore_imc_N: tables of PCI functions in Linux 6.1, arch/x86/events/intel/uncore_snbep.c. A PMU
 * exists only if a package of the machine has a channel of its number.
 */
#include "sim/model_parts.h"
#include "sim/perf.h"

/* clang-format off */
static const struct {
	uint16_t device_id;
	uint8_t number;
} by_id[] = {
	{0x3cb0, 0}, {0x3cb1, 1}, {0x3cb4, 2}, {0x3cb5, 3}, /* Sandy Bridge-EP */
	{0x0eb4, 0}, {0x0eb5, 1}, {0x0eb0, 2}, {0x0eb1, 3}, /* Ivy Bridge-EP */
	{0x0ef4, 4}, {0x0ef5, 5}, {0x0ef0, 6}, {0x0ef1, 7},
	{0x2fb0, 0}, {0x2fb1, 1}, {0x2fb4, 2}, {0x2fb5, 3}, /* Haswell-EP */
	{0x2fd0, 4}, {0x2fd1, 5}, {0x2fd4, 6}, {0x2fd5, 7},
	{0x6fb0, 0}, {0x6fb1, 1}, {0x6fb4, 2}, {0x6fb5, 3}, /* Broadwell-EP, -DE */
	{0x6fd0, 4}, {0x6fd1, 5}, {0x6fd4, 6}, {0x6fd5, 7},
};

/* Skylake-SP, where two functions have the same id. */
static const struct {
	uint8_t dev, fn, number;
} by_slot[] = {
	{0x0a, 2, 0}, {0x0a, 6, 1}, {0x0b, 2, 2}, {0x0c, 2, 3}, {0x0c, 6, 4}, {0x0d, 2, 5},
};
/* clang-format on */

#define CLOCK_FIXED   "event=0xff,umask=0x00"
#define CLOCK_GENERAL "event=0x00,umask=0x00"

/* ev_sel 7:0, umask 15:8, edge 18, invert 23, thresh 31:24; Ivy Bridge-EP has no invert */
#define MASK_ALL       UINT32_C(0xff84ffff)
#define MASK_NO_INVERT UINT32_C(0xff04ffff)

/* BOX_CTL: both resets; frz_en */
#define RESET     UINT32_C(0x3)
#define RESET_ARM UINT32_C(0x10003)

/* The names of struct pci_driver in Linux. */
static const struct {
	unsigned on; /* bits of enum unc_sim_on */
	const char *name;
} drivers[] = {
	{UNC_SIM_ON_SNBEP, "snbep_uncore"},    {UNC_SIM_ON_IVT, "ivbep_uncore"},    {UNC_SIM_ON_HSX, "hswep_uncore"},
	{UNC_SIM_ON_BROADWELLS, "bdx_uncore"}, {UNC_SIM_ON_SKYLAKES, "skx_uncore"},
};

struct unc_sim_perf_part unc_sim_perf_part(const struct unc_sim *sim)
{
	enum unc_sim_on on = sim->options.model->on;
	struct unc_sim_perf_part part = {.box_ctl = RESET_ARM, .mask = MASK_ALL, .clock = CLOCK_GENERAL};

	for (size_t i = 0; i < UNC_SIM_N(drivers); i++)
		if (drivers[i].on & on)
			part.driver = drivers[i].name;
	if (on & UNC_SIM_ON_FIRST)
		part.clock = CLOCK_FIXED;
	if (on & (UNC_SIM_ON_IVT | UNC_SIM_ON_SKYLAKES))
		part.box_ctl = RESET;
	if (on & UNC_SIM_ON_IVT)
		part.mask = MASK_NO_INVERT;
	if (sim->options.perf.masked)
		part.mask = sim->options.perf.mask;
	return part;
}

static int number_in_linux(const struct unc_sim *sim, const struct unc_sim_function *function)
{
	size_t i;

	if (sim->options.model->on & UNC_SIM_ON_SKYLAKES) {
		for (i = 0; i < UNC_SIM_N(by_slot); i++)
			if (by_slot[i].dev == function->dev && by_slot[i].fn == function->fn)
				return by_slot[i].number;
		return -1;
	}
	for (i = 0; i < UNC_SIM_N(by_id); i++)
		if (by_id[i].device_id == function->device_id)
			return by_id[i].number;
	return -1;
}

int unc_sim_perf_number(const struct unc_sim *sim, const struct unc_sim_place *place)
{
	const struct unc_sim_gone *gone = place->gone;

	/* The driver does not find what reads all ones while the machine starts. */
	if (place->function->kind != UNC_SIM_IMC || place->hidden || (gone && !gone->from_ns))
		return -1;
	if (sim->options.perf.ordered)
		return (int)sim->options.perf.order[place->channel % (sim->load.n_channels / sim->options.sockets)];
	return number_in_linux(sim, place->function);
}

/* The driver learns from the UBOX which package a channel belongs to. */
const struct unc_sim_place *unc_sim_perf_place(const struct unc_sim *sim, unsigned number, unsigned package)
{
	size_t i;

	for (i = 0; i < sim->n_places; i++)
		if (unc_sim_perf_number(sim, &sim->places[i]) == (int)number &&
		    sim->tells[sim->places[i].socket] == package)
			return &sim->places[i];
	return NULL;
}

bool unc_sim_perf_has(const struct unc_sim *sim, unsigned number)
{
	size_t i;

	for (i = 0; i < sim->n_places; i++)
		if (unc_sim_perf_number(sim, &sim->places[i]) == (int)number)
			return true;
	return false;
}

int unc_sim_perf_cpu(const struct unc_sim *sim, unsigned package)
{
	size_t i;

	for (i = 0; i < sim->n_cpus; i++)
		if (sim->cpus[i].online && sim->cpus[i].package == package)
			return (int)sim->cpus[i].number;
	return -1;
}

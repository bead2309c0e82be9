// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleep=: Intel 327043-001, uncore guide for the E5-2600, section 2.5: DCLK stops in package C3 and C6. freeze=:
 * another program freezes a channel by its BOX_CTL, or a socket by U_MSR_PMON_GLOBAL_CTL (G-IVT, LIKWID), and does not
 * release it.
 */
#include "sim/stops.h"

#include <stdio.h>
#include <string.h>

#include "sim/msr.h"

enum { BOX_CTL = 0xf4 };
#define BOX_FRZ    UINT32_C(0x00100)
#define BOX_FRZ_EN UINT32_C(0x10000)

uint64_t unc_sim_awake_ns(const struct unc_sim_options *options, unsigned socket, uint64_t t_ns)
{
	uint64_t slept_ns = 0;

	for (size_t i = 0; i < options->n_sleeps; i++) {
		const struct unc_sim_sleep *sleep = &options->sleeps[i];

		if (sleep->socket == socket && t_ns > sleep->from_ns)
			slept_ns += (t_ns < sleep->until_ns ? t_ns : sleep->until_ns) - sleep->from_ns;
	}
	return t_ns - slept_ns;
}

/* ---- freezing ---- */

static const struct unc_sim_place *channel_named(const struct unc_sim *sim, const char *where)
{
	for (size_t i = 0; i < sim->n_places; i++) {
		const struct unc_sim_place *place = &sim->places[i];
		char name[64];

		snprintf(name, sizeof(name), "socket%u.imc%u.ch%u", place->socket, place->function->imc,
			 place->function->channel);
		if (place->function->kind == UNC_SIM_IMC && !strcmp(name, where))
			return place;
	}
	return NULL;
}

/* NULL: where names no socket of this machine. */
static const struct unc_sim_cpu *cpu_of_socket(const struct unc_sim *sim, const char *where)
{
	for (size_t i = 0; i < sim->n_cpus; i++) {
		char name[32];

		snprintf(name, sizeof(name), "socket%u", sim->cpus[i].package);
		if (sim->cpus[i].online && !strcmp(name, where))
			return &sim->cpus[i];
	}
	return NULL;
}

static void freeze_channel(struct unc_sim *sim, const struct unc_sim_place *place, uint64_t t_ns)
{
	const struct unc_sim_pmon *pmon = sim->options.model->pmon;
	const struct unc_sim_cycle cycle = {.sim = sim,
					    .place = place,
					    .off = BOX_CTL,
					    .value = BOX_FRZ | (pmon->frz_needs_en ? BOX_FRZ_EN : 0) | pmon->box_ones,
					    .enabled = UINT32_MAX,
					    .t_ns = t_ns,
					    .by_kernel = true};

	unc_sim_cycle_write(&cycle);
}

static void freeze_socket(struct unc_sim *sim, const struct unc_sim_cpu *cpu, uint64_t t_ns)
{
	const struct unc_sim_freeze *freeze = &sim->options.model->freeze;
	struct unc_sim_msr msr = {.sim = sim, .cpu = cpu, .number = freeze->msr, .t_ns = t_ns, .by_kernel = true};

	unc_sim_msr_store(&msr, freeze->frz_all);
}

static void freeze(struct unc_sim *sim, const char *where, uint64_t t_ns)
{
	const struct unc_sim_place *place = channel_named(sim, where);

	if (place)
		freeze_channel(sim, place, t_ns);
	else
		freeze_socket(sim, cpu_of_socket(sim, where), t_ns);
}

void unc_sim_freezes_catch_up(struct unc_sim *sim)
{
	struct unc_sim_options *options = &sim->options;

	for (size_t i = 0; i < options->n_freezes; i++) {
		struct unc_sim_frozen *frozen = &options->freezes[i];

		if (frozen->done || unc_sim_state_now(sim->store.state) < frozen->from_ns)
			continue;
		frozen->done = true;
		freeze(sim, frozen->where, unc_sim_state_access_at(sim->store.state, frozen->from_ns));
	}
}

static int refuse(const struct unc_sim *sim, const char *where, const char *why)
{
	return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: freeze=%.60s: %s", sim->options.model->name, where, why);
}

int unc_sim_stops_init(struct unc_sim *sim)
{
	const struct unc_sim_options *options = &sim->options;

	for (size_t i = 0; i < options->n_sleeps; i++)
		if (options->sleeps[i].socket >= options->sockets)
			return unc_fail(sim->host.ctx, UNC_EARG, "sim:%s: sleep=%u: there are sockets 0 to %u",
					options->model->name, options->sleeps[i].socket, options->sockets - 1);
	for (size_t i = 0; i < options->n_freezes; i++) {
		const char *where = options->freezes[i].where;

		if (channel_named(sim, where))
			continue;
		if (!cpu_of_socket(sim, where))
			return refuse(sim, where, "the machine has no such channel or socket");
		if (!options->model->freeze.msr)
			return refuse(sim, where, "this processor has no register that freezes a socket");
	}
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of models, what is looked up in their tables, and the buses of their sockets. */

#include "sim/curve.h"
#include "sim/model.h"
#include "sim/options.h"

static const struct unc_sim_model *const models[] = {
	&unc_sim_snbep,  &unc_sim_ivt,  &unc_sim_hsx,  &unc_sim_bdx,  &unc_sim_bdxde, &unc_sim_skx,
	&unc_sim_clx,    &unc_sim_cpx,  &unc_sim_icx,  &unc_sim_icxd, &unc_sim_snr,   &unc_sim_spr,
	&unc_sim_sprhbm, &unc_sim_emr,  &unc_sim_gnr,  &unc_sim_gnrd, &unc_sim_srf,   &unc_sim_grr,
	&unc_sim_cwf,    &unc_sim_zen1, &unc_sim_zen2, &unc_sim_zen3, &unc_sim_zen4,  &unc_sim_zen5,
	&unc_sim_skl,    &unc_sim_tgl,  &unc_sim_adl,  &unc_sim_mtl,  &unc_sim_p9,    &unc_sim_p10,
};

const struct unc_sim_model *unc_sim_model_at(size_t i)
{
	return i < sizeof(models) / sizeof(models[0]) ? models[i] : NULL;
}

bool unc_sim_list(size_t i, const char **ret_name, const char **ret_title, const char **ret_brand)
{
	const struct unc_sim_model *model = unc_sim_model_at(i);

	if (!model)
		return false;
	*ret_name = model->name;
	*ret_title = model->title;
	*ret_brand = model->brand + strspn(model->brand, " ");
	return true;
}

const struct unc_sim_model *unc_sim_model_find(const char *name)
{
	const struct unc_sim_model *model;

	for (size_t i = 0; (model = unc_sim_model_at(i)) != NULL; i++)
		if (!strcmp(model->name, name))
			return model;
	return NULL;
}

uint64_t unc_sim_dclk_hz(const struct unc_sim_model *model)
{
	return UINT64_C(1000000000) * UNC_SIM_TICKS_PER_NS / model->ticks_per_cycle;
}

uint64_t unc_sim_constant_hz(const struct unc_sim_model *model, size_t event)
{
	return unc_sim_dclk_hz(model) / (model->events[event].flags & UNC_SIM_HALF ? 2 : 1);
}

const struct unc_sim_event *unc_sim_event_find(const struct unc_sim_model *model, const char *name)
{
	for (size_t i = 0; i < model->n_events; i++)
		if (!strcmp(model->events[i].name, name))
			return &model->events[i];
	return NULL;
}

const struct unc_sim_sum *unc_sim_sum_find(const struct unc_sim_model *model, const char *name)
{
	for (size_t i = 0; i < model->n_sums; i++)
		if (!strcmp(model->sums[i].name, name))
			return &model->sums[i];
	return NULL;
}

size_t unc_sim_event_base_len(const struct unc_sim_event *event)
{
	const char *dot = strchr(event->name, '.');

	return dot ? (size_t)(dot - event->name) : strlen(event->name);
}

static size_t first_of_code(const struct unc_sim_model *model, uint8_t code)
{
	size_t low = 0, high = model->n_events;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (model->events[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct unc_sim_event *unc_sim_event_of(const struct unc_sim_model *model, uint8_t code)
{
	size_t i = first_of_code(model, code);

	return i < model->n_events && model->events[i].code == code ? &model->events[i] : NULL;
}

/*
 * An event without sub-events is selected by umask 00, which the guides and all tools use, and by 01, which the
 * datasheet of Sandy Bridge-E requires (DS-SNB: "umask bit 8").
 */
static bool picks(const struct unc_sim_event *event, uint8_t umask)
{
	if (event->flags & UNC_SIM_NUMBER)
		return event->umask == umask;
	return event->umask ? (event->umask & umask) != 0 : umask <= 1;
}

size_t unc_sim_select(const struct unc_sim_model *model, uint8_t code, uint8_t umask, size_t *ret_events)
{
	const struct unc_sim_sum *sum = NULL; /* the group of sub-events that this umask means */
	size_t i = first_of_code(model, code), n = 0;
	bool numbered = i < model->n_events && model->events[i].flags & UNC_SIM_NUMBER;

	/* A counter asks for this at each access, and a model has many sums. */
	for (size_t k = 0; numbered && !sum && k < model->n_sums; k++)
		if (model->sums[k].n && model->sums[k].code == code && model->sums[k].umask == umask)
			sum = &model->sums[k];
	for (; i < model->n_events && model->events[i].code == code; i++) {
		const struct unc_sim_event *event = &model->events[i];

		if (sum ? event->umask < sum->first || event->umask - sum->first >= sum->n : !picks(event, umask))
			continue;
		ret_events[n++] = i;
		if (event->flags & UNC_SIM_RANKS)
			break;
	}
	return n;
}

/* Returns the first socket of a domain: all sockets before it are in lower domains. */
static unsigned domain_begin(const struct unc_sim_options *options, unsigned domain)
{
	return (domain * options->sockets + options->domains - 1) / options->domains;
}

uint8_t unc_sim_bus(const struct unc_sim_options *options, unsigned socket, unsigned slot, uint32_t *ret_domain)
{
	const struct unc_sim_model *model = options->model;
	unsigned nth = options->reversed ? options->sockets - 1 - socket : socket;
	unsigned domain = nth * options->domains / options->sockets, begin = domain_begin(options, domain);
	unsigned n = domain_begin(options, domain + 1) - begin, shares = model->bus_shares;

	*ret_domain = domain;
	nth -= begin; /* it is the nth of n sockets in the domain */
	if (n <= 2 && model->buses_of_two)
		return model->buses_of_two[nth][slot];
	while (shares < n)
		shares *= 2;
	return (uint8_t)(256 / shares * (nth + (model->buses[slot] < 0)) + (unsigned)model->buses[slot]);
}

// SPDX-License-Identifier: GPL-2.0-or-later
#include "sim/model.h"

#include <string.h>

static const struct unc_sim_model *const models[] = {&unc_sim_snbep};

const struct unc_sim_model *unc_sim_model_at(size_t i)
{
	return i < sizeof(models) / sizeof(models[0]) ? models[i] : NULL;
}

const struct unc_sim_model *unc_sim_model_find(const char *name)
{
	const struct unc_sim_model *model;
	size_t i;

	for (i = 0; (model = unc_sim_model_at(i)) != NULL; i++)
		if (!strcmp(model->name, name))
			return model;
	return NULL;
}

const struct unc_sim_event *unc_sim_event_find(const struct unc_sim_model *model, const char *name)
{
	size_t i;

	for (i = 0; i < model->n_events; i++)
		if (!strcmp(model->events[i].name, name))
			return &model->events[i];
	return NULL;
}

const struct unc_sim_sum *unc_sim_sum_find(const struct unc_sim_model *model, const char *name)
{
	size_t i;

	for (i = 0; i < model->n_sums; i++)
		if (!strcmp(model->sums[i].name, name))
			return &model->sums[i];
	return NULL;
}

size_t unc_sim_event_base_len(const struct unc_sim_event *event)
{
	const char *dot = strchr(event->name, '.');

	return dot ? (size_t)(dot - event->name) : strlen(event->name);
}

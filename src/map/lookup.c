// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "base/text.h"
#include "map/map.h"
#include "map/tree.h"

const struct unc_unit *unc_map_unit(const struct unc_map *map, const char *name)
{
	for (size_t i = 0; i < map->n_units; i++) {
		if (strcmp(map->units[i].name, name) == 0)
			return &map->units[i];
	}
	return NULL;
}

const struct unc_reg *unc_unit_reg(const struct unc_unit *unit, const char *name)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		if (strcmp(unit->regs[i].name, name) == 0)
			return &unit->regs[i];
	}
	return NULL;
}

const struct unc_event *unc_unit_event(const struct unc_unit *unit, const char *name)
{
	for (size_t i = 0; i < unit->n_events; i++) {
		if (strcmp(unit->events[i].name, name) == 0 ||
		    unc_text_listed(unit->events[i].also, name, strlen(name)))
			return &unit->events[i];
	}
	return NULL;
}

const struct unc_field *unc_reg_field(const struct unc_reg *reg, const char *name)
{
	for (size_t i = 0; i < reg->n_fields; i++) {
		if (strcmp(reg->fields[i].name, name) == 0)
			return &reg->fields[i];
	}
	return NULL;
}

uint32_t unc_reg_off(const struct unc_reg *reg, unsigned index)
{
	return reg->off + index * reg->step;
}

const struct unc_reg *unc_unit_reg_at(const struct unc_unit *unit, uint32_t off, unsigned *ret_index)
{
	for (size_t i = 0; i < unit->n_regs; i++) {
		const struct unc_reg *reg = &unit->regs[i];

		for (unsigned index = 0; index < reg->count; index++) {
			if (unc_reg_off(reg, index) == off) {
				*ret_index = index;
				return reg;
			}
		}
	}
	return NULL;
}

const char *unc_map_source(const struct unc_map *map, const char *unit_name, const char *tag)
{
	const struct unc_unit *unit = unc_map_unit(map, unit_name);
	const char *title = NULL;

	for (size_t i = 0; unit && i < unit->n_sources; i++) {
		if (strcmp(unit->sources[i].tag, tag) == 0)
			return unit->sources[i].title;
	}
	for (size_t i = 0; !title && i < map->n_metric_trees; i++)
		title = unc_yaml_text(unc_yaml_get(unc_yaml_get(map->metric_trees[i]->root, "sources"), tag));
	return title;
}

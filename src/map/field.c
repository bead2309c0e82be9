// SPDX-License-Identifier: GPL-2.0-or-later
#include "map/field.h"

#include "base/text.h"
#include "map/shape.h"

const struct unc_unit *unc_map_unit(const struct unc_map *map, const char *name)
{
	for (size_t i = 0; i < map->n_units; i++)
		if (strcmp(map->units[i].name, name) == 0)
			return &map->units[i];
	return NULL;
}

const struct unc_reg *unc_unit_reg(const struct unc_unit *unit, const char *name)
{
	for (size_t i = 0; i < unit->n_regs; i++)
		if (strcmp(unit->regs[i].name, name) == 0)
			return &unit->regs[i];
	return NULL;
}

const struct unc_event *unc_unit_event(const struct unc_unit *unit, const char *name)
{
	for (size_t i = 0; i < unit->n_events; i++)
		if (unc_text_same(unit->events[i].name, name) || /* catalogues have capitals */
		    unc_text_listed(unit->events[i].also, name, strlen(name)))
			return &unit->events[i];
	return NULL;
}

const struct unc_field *unc_reg_field(const struct unc_reg *reg, const char *name)
{
	for (size_t i = 0; i < reg->n_fields; i++)
		if (strcmp(reg->fields[i].name, name) == 0)
			return &reg->fields[i];
	return NULL;
}

const char *unc_map_source(const struct unc_map *map, const char *unit_name, const char *tag)
{
	const struct unc_unit *unit = unc_map_unit(map, unit_name);
	const char *title = NULL;

	for (size_t i = 0; unit && i < unit->n_sources; i++)
		if (strcmp(unit->sources[i].tag, tag) == 0)
			return unit->sources[i].title;
	for (size_t i = 0; !title && i < map->n_metric_trees; i++)
		title = unc_yaml_text(unc_yaml_get(unc_yaml_get(map->metric_trees[i]->root, "sources"), tag));
	return title;
}

uint64_t unc_field_max(const struct unc_field *field)
{
	return field->hi < field->lo ? 0 : unc_low_bits(field->hi - field->lo + 1);
}

uint64_t unc_field_mask(const struct unc_field *field)
{
	return unc_field_max(field) << field->lo;
}

uint64_t unc_field_get(const struct unc_field *field, uint64_t reg)
{
	return (reg >> field->lo) & unc_field_max(field);
}

int unc_field_set(struct unc_ctx *ctx, const struct unc_field *field, uint64_t value, uint64_t *reg)
{
	if (value > unc_field_max(field))
		return unc_fail(ctx, UNC_ERANGE,
				"%s: 0x%" PRIx64 " does not fit into bits %u:%u; the largest value is 0x%" PRIx64,
				field->name, value, field->hi, field->lo, unc_field_max(field));
	*reg = (*reg & ~unc_field_mask(field)) | value << field->lo;
	return 0;
}

/* Part i of a value: F, F_hi or F_top; NULL: there are no more. */
static const struct unc_field *piece(const struct unc_reg *reg, const char *name, unsigned i)
{
	static const char *const ends[] = {"", "_hi", "_top"};
	size_t len = strlen(name);

	for (const struct unc_field *f = reg->fields; i < 3 && f < reg->fields + reg->n_fields; f++)
		if (strncmp(f->name, name, len) == 0 && strcmp(f->name + len, ends[i]) == 0)
			return f->acc == UNC_RSVD && i > 0 ? NULL : f;
	return NULL;
}

static unsigned bits_of(const struct unc_field *field)
{
	return field->hi - field->lo + 1;
}

uint64_t unc_value_max(const struct unc_reg *reg, const char *name)
{
	const struct unc_field *field;
	unsigned n = 0;

	for (unsigned i = 0; (field = piece(reg, name, i)) != NULL; i++)
		n += bits_of(field);
	return unc_low_bits(n);
}

uint64_t unc_value_get(const struct unc_reg *reg, const char *name, uint64_t bits)
{
	const struct unc_field *field;
	uint64_t value = 0;
	unsigned n = 0;

	for (unsigned i = 0; (field = piece(reg, name, i)) != NULL; n += bits_of(field), i++)
		value |= unc_field_get(field, bits) << n;
	return value;
}

int unc_value_set(struct unc_ctx *ctx, const struct unc_reg *reg, const char *name, uint64_t value, uint64_t *bits)
{
	const struct unc_field *field = unc_reg_field(reg, name);

	if (!field)
		return unc_fail(ctx, UNC_ENOREG, "%s has no field %s", reg->name, name);
	if (value > unc_value_max(reg, name))
		return unc_fail(ctx, UNC_ERANGE, "%s: 0x%" PRIx64 " does not fit; the largest value is 0x%" PRIx64,
				name, value, unc_value_max(reg, name));
	for (unsigned i = 0; (field = piece(reg, name, i)) != NULL; value >>= bits_of(field), i++)
		*bits = (*bits & ~unc_field_mask(field)) | (value & unc_field_max(field)) << field->lo;
	return 0;
}

int unc_event_control(struct unc_ctx *ctx, const struct unc_unit *unit, const struct unc_event *event,
		      uint64_t *ret_control)
{
	const struct unc_reg *ctl = unc_unit_reg(unit, "CTL");
	uint64_t control = unc_reg_blank(ctl);
	int rc = 0;

	for (size_t i = 0; i < unit->n_every && rc == 0; i++)
		rc = unc_value_set(ctx, ctl, unit->selects[i].field, unit->selects[i].value, &control);
	for (size_t i = 0; event && i < event->n_select && rc == 0; i++)
		rc = unc_value_set(ctx, ctl, event->select[i].field, event->select[i].value, &control);
	if (rc == 0)
		*ret_control = control;
	return event ? unc_wrap(ctx, rc, "event %s", event->name) : rc;
}

uint64_t unc_reg_all(const struct unc_reg *reg)
{
	return unc_low_bits(reg->bits);
}

uint64_t unc_reg_mask(const struct unc_reg *reg, enum unc_acc acc)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < reg->n_fields; i++)
		if (reg->fields[i].acc == acc)
			mask |= unc_field_mask(&reg->fields[i]);
	return mask;
}

uint64_t unc_reg_readback_mask(const struct unc_reg *reg)
{
	return unc_reg_mask(reg, UNC_RW);
}

uint64_t unc_reg_blank(const struct unc_reg *reg)
{
	uint64_t value = 0;

	for (const struct unc_field *field = reg->fields; field < reg->fields + reg->n_fields; field++) {
		if (field->acc == UNC_RSVD)
			value |= (field->write & unc_field_max(field)) << field->lo;
	}
	return value;
}

uint64_t unc_reg_base(const struct unc_reg *reg, uint64_t was)
{
	return unc_reg_blank(reg) | (was & unc_reg_mask(reg, UNC_RW));
}

unsigned unc_reg_wrong_bits(const struct unc_reg *reg, uint64_t value)
{
	uint64_t wrong = (value ^ unc_reg_blank(reg)) & unc_reg_mask(reg, UNC_RSVD);
	unsigned n = 0;

	for (; wrong; wrong &= wrong - 1)
		n++;
	return n;
}

bool unc_reg_writable(const struct unc_reg *reg)
{
	return !reg->never &&
	       (unc_reg_mask(reg, UNC_RW) | unc_reg_mask(reg, UNC_WO) | unc_reg_mask(reg, UNC_RW1C)) != 0;
}

uint64_t unc_reg_named(const struct unc_reg *reg)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < reg->n_fields; i++)
		mask |= unc_field_mask(&reg->fields[i]);
	return mask;
}

int unc_reg_allows(struct unc_ctx *ctx, const struct unc_reg *reg, uint64_t value)
{
	uint64_t unnamed = value & ~unc_reg_named(reg);

	if (reg->never)
		return unc_fail(ctx, UNC_EDENIED, "%s: the map says it is never to be used", reg->name);
	if (!unc_reg_writable(reg))
		return unc_fail(ctx, UNC_EDENIED, "%s: the map names no bit in it that can be written", reg->name);
	for (const struct unc_field *field = reg->fields; field < reg->fields + reg->n_fields; field++) {
		uint64_t now = unc_field_get(field, value);

		if (field->acc == UNC_RSVD && now != (field->write & unc_field_max(field)))
			return unc_fail(ctx, UNC_EDENIED,
					"%s: bits %u:%u are reserved and must be written 0x%" PRIx64 ", not 0x%" PRIx64,
					reg->name, field->hi, field->lo, field->write, now);
		if (field->acc == UNC_RO && now != 0)
			return unc_fail(ctx, UNC_EDENIED, "%s.%s: is read-only; write 0 there, not 0x%" PRIx64,
					reg->name, field->name, now);
	}
	if (unnamed != 0)
		return unc_fail(ctx, UNC_EDENIED, "%s: the map names no bits 0x%" PRIx64 "; write 0 there", reg->name,
				unnamed);
	return 0;
}

const char *unc_reg_text(const struct unc_reg *reg, uint64_t value, char *buf, size_t size)
{
	if (!size)
		return buf;
	buf[0] = '\0';
	for (const struct unc_field *field = reg->fields; field < reg->fields + reg->n_fields; field++) {
		uint64_t number = unc_field_get(field, value);

		if (number != 0)
			unc_text_join(buf, size, " ", field->hi == field->lo ? "%s=%" PRIu64 : "%s=0x%" PRIx64,
				      field->name, number);
	}
	value &= ~unc_reg_named(reg);
	if (value != 0)
		unc_text_join(buf, size, " ", "unnamed=0x%" PRIx64, value);
	else if (!buf[0])
		snprintf(buf, size, "0");
	return buf;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Describes boxes and events by the map, for people and programs. */
#include <float.h>

#include "machine/gate.h"
#include "map/field.h"
#include "map/metric.h"
#include "uncore/event.h"
#include "uncore/reg.h"

int unc_box_find(const struct unc_machine *m, const char *name, struct unc_box **ret_box)
{
	const char *unit;
	unsigned cpu;

	if (unc_machine_cpu_box_named(name, &cpu, &unit))
		return unc_machine_cpu_box(m, unit, cpu, ret_box);
	for (size_t i = 0; i < m->n_boxes; i++) {
		if (strcmp(m->boxes[i].name, name) == 0) {
			*ret_box = &m->boxes[i];
			return UNC_OK;
		}
	}
	return unc_fail(m->ctx, UNC_ENODEV, "%s: there is no such box; they are called like socket0.imc0.ch2", name);
}

size_t unc_box_reg_count(const struct unc_box *box)
{
	size_t n = 0;

	for (size_t i = 0; i < box->unit->n_regs; i++)
		n += box->unit->regs[i].count;
	return n;
}

const struct unc_reg *unc_box_nth_reg(const struct unc_box *box, size_t reg, unsigned *ret_index)
{
	size_t left = reg;

	for (size_t i = 0; i < box->unit->n_regs; i++) {
		if (left < box->unit->regs[i].count) {
			*ret_index = (unsigned)left;
			return &box->unit->regs[i];
		}
		left -= box->unit->regs[i].count;
	}
	unc_fail(box->machine->ctx, UNC_ENOREG, "%s: %s has no register number %zu", box->name, box->unit->path, reg);
	return NULL;
}

const struct unc_field *unc_box_nth_field(const struct unc_box *box, size_t reg, size_t field,
					  const struct unc_reg **ret_reg)
{
	unsigned index;

	*ret_reg = unc_box_nth_reg(box, reg, &index);
	if (*ret_reg && field < (*ret_reg)->n_fields)
		return &(*ret_reg)->fields[field];
	if (*ret_reg)
		unc_fail(box->machine->ctx, UNC_ENOREG, "%s: %s has no field number %zu", box->name, (*ret_reg)->name,
			 field);
	return NULL;
}

int unc_box_reg_info(const struct unc_box *box, size_t reg, struct unc_reg_info *ret_info)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	if (!found)
		return UNC_ENOREG;
	*ret_info = (struct unc_reg_info){
		.name = found->name,
		.index = index,
		.count = found->count,
		.offset = unc_reg_off(found, index),
		.bits = found->bits,
		.desc = found->desc,
		.src = found->src,
		.verify = found->verify,
		.never = found->never,
		.optional = found->optional,
		.indirect = found->through != NULL,
		.n_fields = found->n_fields,
	};
	return UNC_OK;
}

int unc_box_field_info(const struct unc_box *box, size_t reg, size_t field, struct unc_field_info *ret_info)
{
	const struct unc_reg *found;
	const struct unc_field *f = unc_box_nth_field(box, reg, field, &found);

	if (!f)
		return UNC_ENOREG;
	*ret_info = (struct unc_field_info){
		.name = f->name,
		.hi = f->hi,
		.lo = f->lo,
		.access = unc_words_access[f->acc],
		.reset_known = f->reset_known,
		.reset = f->reset,
		.desc = f->desc,
		.src = f->src,
		.verify = f->verify,
	};
	return UNC_OK;
}

int unc_box_reg_read(struct unc_box *box, size_t reg, uint64_t *ret_value)
{
	unsigned index;
	const struct unc_reg *found = unc_box_nth_reg(box, reg, &index);

	return found ? unc_reg_look(box, found, index, ret_value) : UNC_ENOREG;
}

int unc_box_field_value(const struct unc_box *box, size_t reg, size_t field, uint64_t value, uint64_t *ret_field)
{
	const struct unc_reg *found;
	const struct unc_field *f = unc_box_nth_field(box, reg, field, &found);

	if (!f)
		return UNC_ENOREG;
	*ret_field = unc_field_get(f, value);
	return UNC_OK;
}

size_t unc_event_count(const struct unc_machine *m, const char *unit_name)
{
	const struct unc_unit *unit = unc_map_unit(m->map, unit_name);

	return unit ? unit->n_events : 0;
}

int unc_event_info(const struct unc_machine *m, const char *unit_name, size_t index, struct unc_event_info *ret_info)
{
	const struct unc_unit *unit = unc_map_unit(m->map, unit_name);
	const struct unc_event *event;

	if (!unit || index >= unit->n_events)
		return unc_fail(m->ctx, UNC_ENOREG, "%s: there is no event number %zu", unit_name, index);
	event = &unit->events[index];
	*ret_info = (struct unc_event_info){
		.name = event->name,
		.also = event->also,
		.desc = event->desc,
		.src = event->src,
		.verify = event->verify,
		.max_inc = event->max_inc,
		.scale = event->scale,
		.unit = event->unit,
	};
	for (size_t i = 0; i < event->n_select; i++)
		unc_text_join(ret_info->encoding, sizeof(ret_info->encoding), ",", "%s=0x%" PRIx64,
			      event->select[i].field, event->select[i].value);
	if (event->reg)
		snprintf(ret_info->encoding, sizeof(ret_info->encoding), "offset=0x%x",
			 (unsigned)unc_unit_reg(unit, event->reg)->off);
	if (!event->n_select && event->fixed)
		snprintf(ret_info->encoding, sizeof(ret_info->encoding), "fixed");
	if (event->fixed)
		snprintf(ret_info->counters, sizeof(ret_info->counters), "fixed");
	for (unsigned i = 0, last; i < 32; i = last + 1) { /* "0-3" or "0,2-3" */
		last = i;
		if (!(event->counters >> i & 1))
			continue;
		while (last < 31 && (event->counters >> (last + 1) & 1))
			last++;
		unc_text_join(ret_info->counters, sizeof(ret_info->counters), ",", last > i ? "%u-%u" : "%u", i, last);
	}
	return UNC_OK;
}

const char *unc_source_title(const struct unc_machine *m, const char *unit, const char *tag)
{
	return unc_map_source(m->map, unit, tag);
}

/* Metrics: values computed from counts. */

/*
 * Returns the map's metrics; the built-in ones are read when they are first requested, which changes the map, not the
 * machine. None: out of memory.
 */
static size_t all_metrics(const struct unc_machine *m)
{
	return unc_map_metrics(m->ctx, m->map) == 0 ? m->map->n_metrics : 0;
}

/*
 * Returns true if it belongs to that unit and this machine has the unit.  A metric that replaces another is not listed.
 */
static bool of_unit(const struct unc_machine *m, const struct unc_metric *metric, const char *unit)
{
	return !metric->instead_of && strcmp(metric->unit, unit) == 0 && unc_map_unit(m->map, unit);
}

size_t unc_metric_count(const struct unc_machine *m, const char *unit)
{
	size_t all = all_metrics(m), n = 0;

	for (size_t i = 0; i < all; i++)
		n += of_unit(m, &m->map->metrics[i], unit);
	return n;
}

/* Looks first among those read so far.  Valid until other metrics are read. */
static const struct unc_metric *metric_at(const struct unc_machine *m, const char *unit, size_t number)
{
	size_t left = number, i = 0;

	do {
		for (; i < m->map->n_metrics; i++)
			if (of_unit(m, &m->map->metrics[i], unit) && left-- == 0)
				return &m->map->metrics[i];
	} while (all_metrics(m) > i);
	return NULL;
}

size_t unc_metric_ways(const struct unc_machine *m, const char *unit, size_t number, bool stand_ins,
		       const struct unc_metric *ret_ways[UNC_METRIC_WAYS_MAX])
{
	/* All are read before the first pointer is taken, since reading moves them. */
	size_t all = stand_ins ? all_metrics(m) : 0, n = 0;
	const struct unc_metric *metric = metric_at(m, unit, number);

	if (metric)
		ret_ways[n++] = metric;
	for (size_t i = 0; metric && i < all && n < UNC_METRIC_WAYS_MAX; i++) {
		const struct unc_metric *other = &m->map->metrics[i];

		if (other->instead_of && !other->lacks && strcmp(other->unit, metric->unit) == 0 &&
		    strcmp(other->instead_of, metric->name) == 0)
			ret_ways[n++] = other;
	}
	return n;
}

/* Returns NULL, with a message, if there is no such metric. */
static const struct unc_metric *find_metric(const struct unc_machine *m, const char *unit, size_t metric)
{
	const struct unc_metric *found = metric_at(m, unit, metric);

	if (!found)
		unc_fail(m->ctx, UNC_ENOREG, "%s: there is no metric number %zu", unit, metric);
	return found;
}

/* The same, also if the machine lacks an event of it. */
static const struct unc_metric *find_usable(const struct unc_machine *m, const char *unit, size_t metric)
{
	const struct unc_metric *found = find_metric(m, unit, metric);

	if (!found || !found->lacks)
		return found;
	unc_fail(m->ctx, UNC_ENOREG, "metric %s: %s", found->name, found->lacks);
	return NULL;
}

int unc_metric_info(const struct unc_machine *m, const char *unit, size_t metric, struct unc_metric_info *ret_info)
{
	const struct unc_metric *found = find_metric(m, unit, metric);

	if (!found)
		return UNC_ENOREG;
	*ret_info = (struct unc_metric_info){
		.name = found->name,
		.desc = found->desc,
		.formula = found->text,
		.unit = found->measure,
		.src = found->src,
		.verify = found->verify,
		.lacks = found->lacks,
		.adds = found->adds,
		.n_events = found->lacks ? 0 : found->n_inputs,
	};
	return UNC_OK;
}

int unc_metric_find(const struct unc_machine *m, const char *unit, const char *name, size_t *ret_metric)
{
	size_t number = 0;
	int rc = unc_map_metrics_to(m->ctx, m->map, unit, name);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < m->map->n_metrics; i++) {
		if (!of_unit(m, &m->map->metrics[i], unit))
			continue;
		if (strcmp(m->map->metrics[i].name, name) == 0) {
			*ret_metric = number;
			return UNC_OK;
		}
		number++;
	}
	return unc_fail(m->ctx, UNC_ENOREG, "%s: there is no metric %s", unit, name);
}

int unc_metric_event(const struct unc_machine *m, const char *unit, size_t metric, size_t event,
		     struct unc_metric_event *ret_event)
{
	const struct unc_metric *found = find_usable(m, unit, metric);

	if (!found)
		return UNC_ENOREG;
	if (event >= found->n_inputs)
		return unc_fail(m->ctx, UNC_ENOREG, "metric %s: there is no event number %zu in it", found->name,
				event);
	*ret_event = (struct unc_metric_event){
		.name = found->inputs[event].name,
		.event = found->inputs[event].event->name,
	};
	return UNC_OK;
}

static int divides_by_zero(const struct unc_machine *m, const struct unc_metric *found)
{
	return unc_fail(m->ctx, UNC_ENODATA, "metric %s: there is no value: %s divides by zero", found->name,
			found->text);
}

int unc_metric_value(const struct unc_machine *m, const char *unit, size_t metric, const double *counts, double seconds,
		     double *ret_value)
{
	const struct unc_metric *found = find_usable(m, unit, metric);

	if (!found)
		return UNC_ENOREG;
	if (unc_formula_value(found->formula, counts, seconds, ret_value) < 0)
		return divides_by_zero(m, found);
	return UNC_OK;
}

int unc_metric_measure(const struct unc_machine *m, const char *unit, size_t metric, const double *counts,
		       const double *doubts, double seconds, double *ret_value, double *ret_doubt)
{
	const struct unc_metric *found = find_usable(m, unit, metric);
	double value, doubt;

	if (!found)
		return UNC_ENOREG;
	if (unc_formula_measure(found->formula, counts, doubts, seconds, &value, &doubt) < 0)
		return divides_by_zero(m, found);
	if (value < 0 && !found->may_be_negative) {
		if (-value > doubt || doubt == DBL_MAX)
			return unc_fail(
				m->ctx, UNC_ERANGE,
				"metric %s: there is no value: %s is %g, below zero by more than its uncertainty",
				found->name, found->text, value);
		value = 0;
	}
	*ret_value = value;
	*ret_doubt = doubt;
	return UNC_OK;
}

int unc_metric_explain(const struct unc_machine *m, const char *unit, size_t metric, const double *counts,
		       double seconds, char *buf, size_t size)
{
	const struct unc_metric *found = find_usable(m, unit, metric);

	if (!found)
		return UNC_ENOREG;
	if (!unc_formula_explain(found->formula, counts, seconds, buf, size))
		return unc_fail(m->ctx, UNC_ERANGE, "metric %s: its formula with numbers is longer than %zu bytes",
				found->name, size);
	return UNC_OK;
}

// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures that follow from counts. */
#include <float.h>
#include <string.h>

#include "base/err.h"
#include "machine/machine.h"
#include "map/metric.h"
#include "uncore/event.h"

/*
 * The map's metrics, the built-in ones among them read when they are first asked for: the map changes, not the machine.
 * None: out of memory.
 */
static size_t all_metrics(const struct unc_machine *m)
{
	return unc_map_metrics(m->ctx, m->map) == 0 ? m->map->n_metrics : 0;
}

/* Does it belong to that unit, and does this machine have the unit?  One that stands in for another is not listed. */
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

const struct unc_metric *unc_metric_at(const struct unc_machine *m, const char *unit, size_t number)
{
	size_t all = all_metrics(m);

	for (size_t i = 0; i < all; i++) {
		if (of_unit(m, &m->map->metrics[i], unit) && number-- == 0)
			return &m->map->metrics[i];
	}
	return NULL;
}

size_t unc_metric_stand_ins(const struct unc_machine *m, const struct unc_metric *metric,
			    const struct unc_metric *ret_metrics[UNC_METRIC_STAND_INS_MAX])
{
	size_t all = all_metrics(m), n = 0;

	for (size_t i = 0; i < all && n < UNC_METRIC_STAND_INS_MAX; i++) {
		const struct unc_metric *other = &m->map->metrics[i];

		if (other->instead_of && !other->lacks && strcmp(other->unit, metric->unit) == 0 &&
		    strcmp(other->instead_of, metric->name) == 0)
			ret_metrics[n++] = other;
	}
	return n;
}

static int no_metric(const struct unc_machine *m, const char *unit, size_t metric)
{
	return unc_fail(m->ctx, UNC_ENOREG, "%s: there is no metric number %zu", unit, metric);
}

int unc_metric_info(const struct unc_machine *m, const char *unit, size_t metric, struct unc_metric_info *ret_info)
{
	const struct unc_metric *found = unc_metric_at(m, unit, metric);

	if (!found)
		return no_metric(m, unit, metric);
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
	size_t all = all_metrics(m), number = 0;

	for (size_t i = 0; i < all; i++) {
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

/* UNC_ENOREG also where the machine lacks an event of it. */
static int find_usable(const struct unc_machine *m, const char *unit, size_t metric,
		       const struct unc_metric **ret_found)
{
	const struct unc_metric *found = unc_metric_at(m, unit, metric);

	if (!found)
		return no_metric(m, unit, metric);
	if (found->lacks)
		return unc_fail(m->ctx, UNC_ENOREG, "metric %s: %s", found->name, found->lacks);
	*ret_found = found;
	return UNC_OK;
}

int unc_metric_event(const struct unc_machine *m, const char *unit, size_t metric, size_t event,
		     struct unc_metric_event *ret_event)
{
	const struct unc_metric *found;
	int rc = find_usable(m, unit, metric, &found);

	if (rc < 0)
		return rc;
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
	const struct unc_metric *found;
	int rc = find_usable(m, unit, metric, &found);

	if (rc < 0)
		return rc;
	if (unc_formula_value(found->formula, counts, seconds, ret_value) < 0)
		return divides_by_zero(m, found);
	return UNC_OK;
}

int unc_metric_measure(const struct unc_machine *m, const char *unit, size_t metric, const double *counts,
		       const double *doubts, double seconds, double *ret_value, double *ret_doubt)
{
	const struct unc_metric *found;
	double value, doubt;
	int rc = find_usable(m, unit, metric, &found);

	if (rc < 0)
		return rc;
	if (unc_formula_measure(found->formula, counts, doubts, seconds, &value, &doubt) < 0)
		return divides_by_zero(m, found);
	if (value < 0 && !found->may_be_negative) {
		if (-value > doubt || doubt == DBL_MAX)
			return unc_fail(m->ctx, UNC_ERANGE,
					"metric %s: there is no value: %s is %g, below zero by more than its "
					"uncertainty",
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
	const struct unc_metric *found;
	int rc = find_usable(m, unit, metric, &found);

	if (rc < 0)
		return rc;
	if (!unc_formula_explain(found->formula, counts, seconds, buf, size))
		return unc_fail(m->ctx, UNC_ERANGE, "metric %s: its formula with numbers is longer than %zu bytes",
				found->name, size);
	return UNC_OK;
}

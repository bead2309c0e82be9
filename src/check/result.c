// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions by which a caller reads the results. */
#include <stdlib.h>

#include "base/err.h"
#include "check/kept.h"

void unc_check_entry_clear(struct unc_check_entry *entry)
{
	for (size_t i = 0; i < entry->n_traces; i++)
		free(entry->traces[i].points);
	free(entry->traces);
	free(entry->values);
	free(entry->tested);
}

size_t unc_check_results(const struct unc_check *c)
{
	return c->n_entries;
}

static const struct unc_check_entry *entry_at(const struct unc_check *c, size_t i)
{
	if (i < c->n_entries)
		return &c->entries[i];
	unc_fail(c->m->ctx, UNC_ENODEV, "there are %zu results, none of number %zu", c->n_entries, i);
	return NULL;
}

int unc_check_result(const struct unc_check *c, size_t index, struct unc_check_result *ret_result)
{
	const struct unc_check_entry *entry = entry_at(c, index);

	if (!entry)
		return UNC_ENODEV;
	*ret_result = (struct unc_check_result){
		.check = entry->def->about.name,
		.subject = entry->subject,
		.state = entry->state,
		.rc = entry->rc,
		.finding = entry->finding,
		.tested = entry->tested,
		.n_values = entry->n_values,
		.n_plots = entry->n_traces,
		.n_dropped = entry->n_dropped,
		.ns = entry->ns,
	};
	return UNC_OK;
}

int unc_check_value(const struct unc_check *c, size_t result, size_t index, struct unc_check_value *ret_value)
{
	const struct unc_check_entry *entry = entry_at(c, result);
	const struct unc_check_kept *kept;

	if (!entry)
		return UNC_ENODEV;
	if (index >= entry->n_values)
		return unc_fail(c->m->ctx, UNC_ENODEV, "result %zu has %zu values, none of number %zu", result,
				entry->n_values, index);
	kept = &entry->values[index];
	*ret_value = (struct unc_check_value){
		.what = kept->what,
		.box = kept->box ? kept->box->name : "",
		.pci = kept->box ? kept->box->pci : "",
		.reg = kept->reg,
		.offset = kept->offset,
		.bits = kept->bits,
		.has_wrote = kept->has_wrote,
		.has_expected = kept->has_expected,
		.wrote = kept->wrote,
		.read = kept->read,
		.expected = kept->expected,
		.compared = kept->compared,
		.good = kept->good,
	};
	return UNC_OK;
}

int unc_check_plot(const struct unc_check *c, size_t result, size_t index, struct unc_check_plot *ret_plot)
{
	const struct unc_check_entry *entry = entry_at(c, result);
	const struct unc_check_trace *trace;

	if (!entry)
		return UNC_ENODEV;
	if (index >= entry->n_traces)
		return unc_fail(c->m->ctx, UNC_ENODEV, "result %zu has %zu plots, none of number %zu", result,
				entry->n_traces, index);
	trace = &entry->traces[index];
	*ret_plot = (struct unc_check_plot){
		.title = trace->title,
		.x_unit = trace->x_unit,
		.y_unit = trace->y_unit,
		.points = trace->points,
		.n_points = trace->n,
		.low = trace->low,
		.high = trace->high,
	};
	return UNC_OK;
}

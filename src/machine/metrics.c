// SPDX-License-Identifier: GPL-2.0-or-later
/* Figures that follow from counts. */
#include "base/err.h"
#include "machine/machine.h"

size_t unc_metric_count(const struct unc_machine *m, const char *unit)
{
	(void)m;
	(void)unit;
	return 0;
}

static int no_metric(const struct unc_machine *m, const char *unit, size_t metric)
{
	return unc_fail(m->ctx, UNC_ENOREG, "%s: there is no metric number %zu", unit, metric);
}

int unc_metric_info(const struct unc_machine *m, const char *unit, size_t metric, struct unc_metric_info *ret_info)
{
	(void)ret_info;
	return no_metric(m, unit, metric);
}

int unc_metric_find(const struct unc_machine *m, const char *unit, const char *name, size_t *ret_metric)
{
	(void)ret_metric;
	return unc_fail(m->ctx, UNC_ENOREG, "%s: there is no metric %s", unit, name);
}

int unc_metric_event(const struct unc_machine *m, const char *unit, size_t metric, size_t event,
		     struct unc_metric_event *ret_event)
{
	(void)event;
	(void)ret_event;
	return no_metric(m, unit, metric);
}

int unc_metric_value(const struct unc_machine *m, const char *unit, size_t metric, const double *counts, double seconds,
		     double *ret_value)
{
	(void)counts;
	(void)seconds;
	(void)ret_value;
	return no_metric(m, unit, metric);
}

int unc_metric_explain(const struct unc_machine *m, const char *unit, size_t metric, const double *counts,
		       double seconds, char *buf, size_t size)
{
	(void)counts;
	(void)seconds;
	(void)buf;
	(void)size;
	return no_metric(m, unit, metric);
}

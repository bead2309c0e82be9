/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that a unit can count, and metrics computed from counts. */
#ifndef UNCORE_EVENT_H
#define UNCORE_EVENT_H

#include <uncore.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An event that boxes of a unit can count. */
struct unc_event_info {
	const char *name;                /* "cas_count.rd" */
	const char *also;                /* its other names, "clockticks, x", or NULL */
	const char *desc, *src, *verify; /* or NULL */
	char encoding[64];               /* "ev_sel=0x4,umask=0x3", or "fixed" */
	char counters[32];               /* "0-3", or "fixed" */
	unsigned max_inc;                /* highest increment per clock; 0: not known */
	double scale;                    /* count * scale is in unit */
	const char *unit;                /* or NULL: the count of events */
};
/* Events of a unit ("imc") in the order of the map. */
UNC_API size_t unc_event_count(const struct unc_machine *machine, const char *unit);
/* UNC_ENOREG: index is too high. */
UNC_API int unc_event_info(const struct unc_machine *machine, const char *unit, size_t event,
			   struct unc_event_info *ret_info);

/*
 * Returns the document for the tag at the start of a src text: "krn" is "Linux 6.12, ...".  It is looked up in the unit's
 * register map, then in the files of metrics.  NULL: no such tag.
 */
UNC_API const char *unc_source_title(const struct unc_machine *machine, const char *unit, const char *tag);

/* A figure that is computed from counts: "page_hit". */
struct unc_metric_info {
	const char *name, *desc;
	const char *formula;      /* uses the names of its events, and `time`, in seconds */
	const char *unit;         /* "bytes/s", "%", "ns", "DCLK" */
	const char *src, *verify; /* verify: or NULL */
	const char *lacks;        /* a sentence why this machine cannot give it; NULL: it can */
	bool adds; /* for several boxes it is the sum of theirs; else the formula is applied to their summed counts and times */
	size_t n_events; /* number of its events; 0 with lacks */
};
struct unc_metric_event {
	const char *name;  /* its name in the formula */
	const char *event; /* as unc_session_add() takes it */
};
/* Metrics of a unit ("imc"), including those that this machine lacks; those of a folder of maps come first. */
UNC_API size_t unc_metric_count(const struct unc_machine *machine, const char *unit);
/* UNC_ENOREG: index is too high, or there is no such name. */
UNC_API int unc_metric_info(const struct unc_machine *machine, const char *unit, size_t metric,
			    struct unc_metric_info *ret_info);
UNC_API int unc_metric_find(const struct unc_machine *machine, const char *unit, const char *name, size_t *ret_metric);
UNC_API int unc_metric_event(const struct unc_machine *machine, const char *unit, size_t metric, size_t event,
			     struct unc_metric_event *ret_event);
/*
 * Computes a metric.  counts: one for each of its events, in their order, plain counts without any event's scale.  seconds: the
 * time in which they were counted.  UNC_ENODATA: the formula divides by zero; UNC_ENOREG: no such metric, or the machine lacks an
 * event of it.
 */
UNC_API int unc_metric_value(const struct unc_machine *machine, const char *unit, size_t metric, const double *counts,
			     double seconds, double *ret_value);
/*
 * As unc_metric_value(), for counts that may each be wrong by up to doubts.  *ret_doubt: the uncertainty of the value, DBL_MAX if
 * a divisor may be zero.  Unless the map calls the metric signed, a value below zero becomes 0 within that uncertainty, and is
 * UNC_ERANGE beyond it: then the counts contradict each other.
 */
UNC_API int unc_metric_measure(const struct unc_machine *machine, const char *unit, size_t metric, const double *counts,
			       const double *doubts, double seconds, double *ret_value, double *ret_doubt);
/* Writes the formula with the numbers in it, "1 - 120 / (400 + 80)".  UNC_ERANGE: longer than size; UNC_ENOREG. */
UNC_API int unc_metric_explain(const struct unc_machine *machine, const char *unit, size_t metric, const double *counts,
			       double seconds, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif

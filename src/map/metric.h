/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures that follow from counts: pure data, read from the files of regs/ whose format is uncorectl-metrics/1. */
#ifndef UNC_MAP_METRIC_H
#define UNC_MAP_METRIC_H

#include "map/check.h"
#include "map/formula.h"

enum { UNC_METRICS_MAX = 1000, UNC_METRIC_CHOICES_MAX = 8 };

struct unc_metric_input { /* a name in the formula, and what it stands for */
	const char *name;
	char *choices[UNC_METRIC_CHOICES_MAX]; /* events: the first one that the map has is taken; owned */
	size_t n_choices;
	const struct unc_event *event; /* the map's; NULL: it has none of them */
};

struct unc_metric {
	char *name;                                       /* "cke_off.rank3"; owned */
	const char *unit;                                 /* whose events these are: "imc" */
	const char *desc, *text, *measure, *src, *verify; /* "is:", formula, what it is measured in; verify: or NULL */
	const char *path;
	unsigned line;
	const char
		*instead_of;  /* the metric whose value it is too, from other events; NULL: it is a metric of its own */
	bool loaded;          /* from --regs, not built in */
	bool adds;            /* of several boxes it is the sum of theirs */
	bool may_be_negative; /* "signed:" */
	struct unc_formula *formula; /* owned; of the names of the inputs, in their order */
	struct unc_metric_input inputs[UNC_FORMULA_NAMES_MAX];
	size_t n_inputs;
	char *lacks; /* why the map cannot give it, as a sentence; NULL: it can; owned */
};

struct unc_metrics {                /* of one file, or, without a tree, of one map */
	struct unc_metric *metrics; /* owned */
	size_t n_metrics;
	struct unc_map_tree *tree; /* owned: the texts it was made of */
};

/* Does the head of that file say that it holds metrics?  Nothing else is looked at. */
bool unc_metrics_known(struct unc_ctx *ctx, const struct unc_map_file *file);
/* Reads, checks and parses a file of metrics.  UNC_EMAP: something was reported; UNC_ENOMEM. */
int unc_metrics_examine(struct unc_checker *c, const struct unc_map_file *file, struct unc_metrics *ret_metrics);
void unc_metrics_clear(struct unc_metrics *metrics); /* all zeros is fine */

/*
 * Puts the metrics of a file among those of the map, which owns them from then on, whatever comes back; but no built-in
 * one where there is already one of its name.  UNC_EMAP: both are loaded; UNC_ENOMEM.
 */
int unc_map_add_metrics(struct unc_ctx *ctx, struct unc_map *map, struct unc_metrics *metrics);
/* The metric of that name, of those that were added so far.  NULL: there is none. */
struct unc_metric *unc_map_metric(const struct unc_map *map, const char *unit, const char *name);
/* Finds the events of each metric among those of its unit.  UNC_ENOMEM. */
int unc_map_resolve_metrics(struct unc_ctx *ctx, struct unc_map *map);
void unc_map_free_metrics(struct unc_map *map);

#endif

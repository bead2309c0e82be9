/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an event as text (event_text.c) and as bits of the control register (event_control.c). */
#ifndef UNC_PMON_EVENT_PARTS_H
#define UNC_PMON_EVENT_PARTS_H

#include "pmon/event_text.h"

enum { UNC_PART_EVENT, UNC_PART_UMASK, UNC_PART_EDGE, UNC_PART_INVERT, UNC_PART_THRESH, UNC_PARTS };

/* Their names are perf's (format/ of its uncore_imc devices), and the map's mean the same. */
struct unc_part_name {
	const char *perf, *field;
};
extern const struct unc_part_name unc_part_names[UNC_PARTS];

struct unc_parts {
	struct unc_ctx *ctx;
	const struct unc_box *box;
	const char *whole; /* as it was written, for sentences */
	const struct unc_reg *ctl;
	const struct unc_event *named; /* the map's; NULL: raw */
	bool perf;                     /* "uncore_imc/": what perf means by it */
	bool config;                   /* all parts came in one number */
	bool given[UNC_PARTS];
	uint64_t values[UNC_PARTS];
};

/* pmon/event_text.c */
/* Reads whole. */
int unc_parts_read(struct unc_parts *parts);
/* "cas_count.rd:thresh=8:edge", "event=0x4,umask=0x3,edge,thresh=8"; buf has UNC_EVENT_TEXT bytes. */
void unc_parts_show(const struct unc_parts *parts, char *buf);
/* The field of the control register; NULL: this CPU has none that can be written. */
const struct unc_field *unc_parts_field(const struct unc_parts *parts, unsigned part);
int unc_parts_refuse(const struct unc_parts *parts, int err, const char *fmt, ...) UNC_PRINTF(3, 4);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of an event as text (event_text.c) and as bits of the control register (event_control.c). */
#ifndef UNC_PMON_EVENT_PARTS_H
#define UNC_PMON_EVENT_PARTS_H

#include "pmon/event_text.h"

enum { UNC_PART_EVENT, UNC_PART_UMASK, UNC_PART_EDGE, UNC_PART_INVERT, UNC_PART_THRESH, UNC_PARTS };

/* perf's names (format/ of its uncore_imc devices) and the map's names of the same parts. */
struct unc_part_name {
	const char *perf, *field;
};
extern const struct unc_part_name unc_part_names[UNC_PARTS];

struct unc_parts {
	struct unc_ctx *ctx;
	const struct unc_box *box;
	const char *whole; /* the event's text as it was given, for messages */
	const struct unc_reg *ctl;
	const struct unc_event *named; /* the map's event; NULL: raw */
	bool perf;                     /* "uncore_imc/" was given: the event has perf's meaning */
	bool config;                   /* all parts came in one number (config=) */
	bool given[UNC_PARTS];
	uint64_t values[UNC_PARTS];
};

/* pmon/event_text.c */
/* Reads parts->whole into the other members. */
int unc_parts_read(struct unc_parts *parts);
/* Writes "cas_count.rd:thresh=8:edge" or "event=0x4,umask=0x3,edge,thresh=8"; buf has UNC_EVENT_TEXT bytes. */
void unc_parts_show(const struct unc_parts *parts, char *buf);
/* Returns the part's field in the control register; NULL: this CPU has none that can be written. */
const struct unc_field *unc_parts_field(const struct unc_parts *parts, unsigned part);
int unc_parts_refuse(const struct unc_parts *parts, int err, const char *fmt, ...) UNC_PRINTF(3, 4);

#endif

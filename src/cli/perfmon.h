/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event lists in the JSON form of the intel/perfmon project: what --import-perfmon FILE reads. */
#ifndef UNC_CLI_PERFMON_H
#define UNC_CLI_PERFMON_H

#include <stdbool.h>
#include <stddef.h>

#include "uncore.h"

struct perfmon_event {
	char *name;        /* "UNC_M_CAS_COUNT.RD"; owned */
	char *desc;        /* one line, or NULL; owned */
	char counters[40]; /* as they stand there: "0,1,2,3", or "fixed"; "": not said */
	bool fixed;
	bool deprecated;
	unsigned ev_sel, umask, thresh; /* 0 to 255 each */
	bool edge, invert;
};

struct perfmon {
	struct perfmon_event *events; /* of the memory controller's channels; owned */
	size_t n_events;
	size_t n_other_units; /* entries for other units */
	size_t n_unusable;    /* entries that were noted and left out */
};

/*
 * Reads a file.  Notes tell of entries that cannot be used, the first few of them.  UNC_EMAP: it is not such a file; the sentence begins
 * with FILE:LINE:COLUMN where it is no JSON; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ERANGE: it cannot be read, or is too long;
 * UNC_ENOMEM.
 */
int perfmon_read(struct unc_ctx *ctx, const char *path, struct perfmon *ret_perfmon);
void perfmon_clear(struct perfmon *perfmon);

/* By its name, upper or lower case, with or without UNC_M_.  NULL: there is none. */
const struct perfmon_event *perfmon_find(const struct perfmon *perfmon, const char *name);
/* The name without UNC_M_, which is how maps call these events. */
const char *perfmon_plain_name(const char *name);
/* Is that a name of this event? */
bool perfmon_is_named(const struct perfmon_event *event, const char *name);
/* Or is one of that event's names, those in its `also` included? */
bool perfmon_belongs(const struct perfmon_event *event, const struct unc_event_info *ours);
enum { PERFMON_NAME_MAX = 80 };
/* Takes the next of an event's other names, "clockticks, x".  False: there is none. */
bool perfmon_next_name(const char **rest, char name[PERFMON_NAME_MAX]);
/* Its encoding as maps say it: "ev_sel=0x4,umask=0x3", or "fixed". */
void perfmon_encoding(const struct perfmon_event *event, char *buf, size_t size);
/*
 * As `stat -e` and unc_session_add() take it: "imc/event=0x04,umask=0x03/", or the machine's own event of the fixed
 * counter, "dclk".  False: the machine has no fixed counter, or buf is too small.
 */
bool perfmon_event_text(const struct unc_machine *machine, const struct perfmon_event *event, char *buf, size_t size);

enum { PERFMON_DISAGREEMENT_MAX = 240 };
/*
 * Does the machine's event select something else than the file's of the same name?  Then buf says what: "umask 0x3 in the map, 0x1
 * in the file"; else it is "".
 */
bool perfmon_disagrees(const struct perfmon_event *event, const struct unc_event_info *ours,
		       char buf[PERFMON_DISAGREEMENT_MAX]);

#endif

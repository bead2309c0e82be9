/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Event lists in the JSON format of the intel/perfmon project, which --import-perfmon FILE reads. */
#ifndef UNC_CLI_PERFMON_H
#define UNC_CLI_PERFMON_H

#include "uncore/event.h"

struct perfmon_event {
	char *name;        /* "UNC_M_CAS_COUNT.RD"; owned */
	char *desc;        /* one line, or NULL; owned */
	char counters[40]; /* as in the file: "0,1,2,3", or "fixed"; "": not given */
	bool fixed;
	bool deprecated;
	unsigned ev_sel, umask, thresh; /* 0 to 255 each */
	bool edge, invert;
};

struct perfmon {
	struct perfmon_event *events; /* events of the memory controller's channels; owned */
	size_t n_events;
	size_t n_other_units; /* entries for other units */
	size_t n_unusable;    /* entries that were noted and left out */
};

/*
 * Reads a file.  Notes report the first few entries that cannot be used.  UNC_EMAP: it is not such a file; if it is not JSON the
 * sentence begins with FILE:LINE:COLUMN; UNC_ENODEV, UNC_EPERM, UNC_EIO, UNC_ERANGE: it cannot be read, or is too long; UNC_ENOMEM.
 */
int perfmon_read(struct unc_ctx *ctx, const char *path, struct perfmon *ret_perfmon);
void perfmon_clear(struct perfmon *perfmon);

/* Finds an event by its name, upper or lower case, with or without UNC_M_. NULL: there is none. */
const struct perfmon_event *perfmon_find(const struct perfmon *perfmon, const char *name);
/* The name without UNC_M_, which is how maps name these events. */
const char *perfmon_plain_name(const char *name);
/* Is that a name of this event? */
bool perfmon_is_named(const struct perfmon_event *event, const char *name);
/* Does the file's event have one of the names of ours, including those in `also`? */
bool perfmon_belongs(const struct perfmon_event *event, const struct unc_event_info *ours);
enum { PERFMON_NAME_MAX = 80 };
/* Takes the next of an event's other names, "clockticks, x".  False: there are no more. */
bool perfmon_next_name(const char **rest, char name[PERFMON_NAME_MAX]);
/* Its encoding in the form of the maps: "ev_sel=0x4,umask=0x3", or "fixed". */
void perfmon_encoding(const struct perfmon_event *event, char *buf, size_t size);
/*
 * The event in the form of `stat -e` and unc_session_add(): "imc/event=0x04,umask=0x03/", or the machine's own event of the fixed
 * counter, "dclk".  False: the machine has no fixed counter, or buf is too small.
 */
bool perfmon_event_text(const struct unc_machine *machine, const struct perfmon_event *event, char *buf, size_t size);

enum { PERFMON_DISAGREEMENT_MAX = 240 };
/*
 * Does the machine's event of the same name select something else?  Then buf says what: "umask 0x3 in the map, 0x1 in the file";
 * else it is "".
 */
bool perfmon_disagrees(const struct perfmon_event *event, const struct unc_event_info *ours,
		       char buf[PERFMON_DISAGREEMENT_MAX]);

#endif

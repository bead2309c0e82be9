/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event as the user or another program wrote it, and the control register's value for it. */
#ifndef UNC_PMON_EVENT_H
#define UNC_PMON_EVENT_H

#include "machine/machine.h"
#include "map/map.h"

struct unc_clock_rate { /* of a channel's clock */
	double hz;      /* 0: not known */
	unsigned bytes; /* the most that the channel moves in a tick; 0: the map does not tell */
	uint64_t ticks; /* all that were seen */
};

enum { UNC_EVENT_TEXT = UNC_EVENT_MAX };
struct unc_wanted {
	struct unc_event event; /* the event of this text: its name is text; select is empty, since control has it */
	uint64_t control;       /* without the enable bit; unused for a fixed event */
	char text[UNC_EVENT_TEXT];
	struct unc_box *by; /* the box that counts it, if not the one that was asked; else NULL */
};

/*
 * Reads "cas_count.rd", "cas_count.rd:thresh=8:edge:invert", "imc/cas_count.rd,thresh=8/", "imc/event=0x4,umask=0x3/" or
 * "uncore_imc/config=0x304/".  Free the result with unc_wanted_free().  Errors are those of unc_session_add().
 */
int unc_wanted_new(const struct unc_box *box, const char *text, struct unc_wanted **ret_wanted);
void unc_wanted_free(struct unc_wanted *wanted);
/* Describes what a control register selects that another program wrote; ctl: CTL or FIXED_CTL. */
void unc_wanted_decode(const struct unc_box *box, const struct unc_reg *ctl, uint64_t control,
		       struct unc_wanted *ret_wanted);
/*
 * True if a control selects exactly that event: with the same threshold, edge and inversion, whether enabled or not.  A control
 * with bits that the map does not know selects no event.
 */
bool unc_wanted_is(const struct unc_box *box, const struct unc_wanted *wanted, const struct unc_reg *ctl,
		   uint64_t control);

enum { UNC_PART_EVENT, UNC_PART_UMASK, UNC_PART_EDGE, UNC_PART_INVERT, UNC_PART_THRESH, UNC_PARTS };

/* perf's names (format/ of its uncore_imc devices) and the map's names of the same parts. */
struct unc_part_name {
	const char *perf, *field;
};
extern const struct unc_part_name unc_part_names[UNC_PARTS];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An event as somebody wrote it, and what the control register wants for it. */
#ifndef UNC_PMON_EVENT_TEXT_H
#define UNC_PMON_EVENT_TEXT_H

#include "machine/machine.h"
#include "uncore.h"

enum { UNC_EVENT_TEXT = UNC_EVENT_MAX };
struct unc_wanted {
	struct unc_event event; /* of this text: name is text, and nothing is selected, since that is in control */
	uint64_t control;       /* without enable; not of an event that is fixed */
	char text[UNC_EVENT_TEXT];
};

/*
 * "cas_count.rd", "cas_count.rd:thresh=8:edge:invert", "imc/cas_count.rd,thresh=8/", "imc/event=0x4,umask=0x3/",
 * "uncore_imc/config=0x304/".  Free with unc_wanted_free().  Errors are those of unc_session_add().
 */
int unc_wanted_new(const struct unc_box *box, const char *text, struct unc_wanted **ret_wanted);
void unc_wanted_free(struct unc_wanted *wanted);
/* What a control register selects that somebody wrote; ctl: CTL or FIXED_CTL. */
void unc_wanted_decode(const struct unc_box *box, const struct unc_reg *ctl, uint64_t control,
		       struct unc_wanted *ret_wanted);
/*
 * Does a control select just that event: with the same threshold, edge and inversion, whether enabled or not?  One with bits
 * that the map does not know selects none.
 */
bool unc_wanted_is(const struct unc_box *box, const struct unc_wanted *wanted, const struct unc_reg *ctl,
		   uint64_t control);

#endif

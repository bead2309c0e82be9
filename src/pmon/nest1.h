/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Boxes in the area of memory in which a POWER chip's microcode counts (nest1): what a session does differently with them. */
#ifndef UNC_PMON_NEST1_H
#define UNC_PMON_NEST1_H

#include "pmon/reading.h"
#include "pmon/session.h"

enum { UNC_NEST_BYTES = 4096 };

struct unc_nest { /* the counters of one chip, which all its boxes in a session take from the same read */
	struct unc_space *space; /* of the first of these boxes, which owns this */
	unsigned char bytes[UNC_NEST_BYTES];
	struct unc_stop when; /* raw time around the read */
	unsigned speed;       /* code of its control block */
	bool starts;          /* it is paused, and the session lets it run */
	int rc;               /* what the read came to */
};

/*
 * Checks that a chip counts, or with cfg.start that it can, and finds what its boxes share.  Fails as unc_area_check(), unc_box_reach(),
 * unc_gate_plan(); UNC_ENOSUP: the area is longer than one read.
 */
int unc_nest1_reach(struct unc_session *s, size_t number);
void unc_nest1_forget(struct unc_pmon_box *pbox);
/* Lets the microcode of paused chips run, and waits until counts are of the time from then on.  Fails as unc_gate_write(), unc_area_check(). */
int unc_nest1_start(struct unc_session *s);
/* Takes the counters, from a new read if the box is the chip's first.  UNC_EIO: in no read they were all of one update. */
int unc_nest1_read(struct unc_pmon_box *pbox, struct unc_block *block);
/* At the start: reads the area to find how often updates come, until that is known (rate_known). */
int unc_nest1_look(struct unc_pmon_box *pbox);
/* Judges by the update counts whether the box ran since its last read. */
void unc_nest1_judge(struct unc_pmon_box *pbox, const struct unc_block *block);

#endif

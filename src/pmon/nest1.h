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

extern const struct unc_pmon_way unc_nest1_way;
void unc_nest1_forget(struct unc_pmon_box *pbox);
/* Lets the microcode of paused chips run, and waits until counts are of the time from then on.  Fails as unc_gate_write(), unc_area_check(). */
int unc_nest1_start(struct unc_session *s);

#endif

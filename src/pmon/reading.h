/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between what is read of a box (read.c) and what becomes of it (account.c). */
#ifndef UNC_PMON_READING_H
#define UNC_PMON_READING_H

#include "pmon/pmon.h"

enum { UNC_BLOCK_MAX = 256 };

struct unc_reading { /* of one slot, in the order of pbox->running */
	uint64_t value;
	uint64_t before_ns, after_ns; /* raw time around the read of its low half */
	bool implausible;             /* more than the hardware can count */
};

struct unc_block {                   /* what was read in one call */
	const struct unc_stop *stop; /* NULL: the box runs */
	bool look;                   /* controls too */
	unsigned char bytes[UNC_BLOCK_MAX];
	uint64_t took_ns; /* the clock bracket that says when: around the read, or around what stopped the box */
};

/*
 * Reads the block, again where that took so long that the interval would be late, and the halves of counters that may be torn.
 */
int unc_pmon_fetch(struct unc_pmon_box *pbox, struct unc_block *block, struct unc_reading *readings);
/*
 * One counter exactly, however it runs: the halves one by one, until the high half is the same before and after the
 * low one.  A low half of all ones is what a failed read looks like, too: it counts when it is read twice.  reading
 * has the time of the low half.
 */
int unc_pmon_read_halves(struct unc_pmon_box *pbox, const struct unc_slot *slot, struct unc_reading *reading);
/* Does the slot only count the box's clock?  No event of the session asks for it, so its count is not reported. */
bool unc_pmon_is_mere_clock(const struct unc_pmon_box *pbox, const struct unc_slot *slot);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds which counter an event of the kernel has.  Only the control registers show it: they are read while the event is switched
 * on, off and on again, and the counter that follows is the event's.  Nothing is written by this program.
 */
#ifndef UNC_XCHECK_FIND_H
#define UNC_XCHECK_FIND_H

#include "pmon/pmon.h"

struct unc_found {
	size_t pbox;
	unsigned slot;
	uint64_t control; /* what the kernel programmed, including enable */
};

/*
 * Finds the counter of an event.  event is a number of unc_host_ops.perf(), and is on afterwards; pboxes are the boxes in which
 * it may be, after unc_pmon1_init(): all controls are read of each box that answers.  UNC_ENODATA: no counter followed, or
 * several did, each time; UNC_EIO: perf failed; UNC_ENODEV, UNC_EPERM: no box could be read.
 */
int unc_find_counter(struct unc_machine *m, unsigned event, struct unc_pmon_box *pboxes, size_t n,
		     struct unc_found *ret_found);

/*
 * Finds an event in a box that was just looked at: a slot that holds exactly that control, and is not taken by another event.
 * The slot where it was is preferred; a counter that another program had before (foreign), and then one that we have (own), come
 * last. -1: there is none.
 */
struct unc_search {
	uint64_t control;
	bool fixed; /* the event is in the fixed counter; else it is in a general one */
	int was;    /* the slot where it was last; -1: not known */
	bool taken[UNC_PMON_SLOTS], foreign[UNC_PMON_SLOTS], own[UNC_PMON_SLOTS];
	bool may_be_foreign, may_be_own; /* false: not in such slots, which may hold the same control */
};
int unc_find_slot(const struct unc_pmon_box *pbox, const struct unc_search *search);
/* True if that slot, which was just looked at, holds that control and is enabled. */
bool unc_slot_has(const struct unc_slot *slot, uint64_t control);

#endif

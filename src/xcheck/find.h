/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which counter an event of the kernel's has.  Nobody tells but the control registers: they are read while the event
 * is switched on, off and on again, and the one that follows is it.  Nothing is written by us.
 */
#ifndef UNC_XCHECK_FIND_H
#define UNC_XCHECK_FIND_H

#include "pmon/pmon.h"

struct unc_found {
	size_t pbox;
	unsigned slot;
	uint64_t control; /* what the kernel programmed, enable included */
};

/*
 * event is a number of unc_host_ops.perf(), and is on afterwards; pboxes are those in which it may be, after
 * unc_pmon1_init(): of each that answers all controls are read.  UNC_ENODATA: none followed, or several did, each
 * time; UNC_EIO: perf failed; UNC_ENODEV, UNC_EPERM: not one box could be read.
 */
int unc_find_counter(struct unc_machine *m, unsigned event, struct unc_pmon_box *pboxes, size_t n,
		     struct unc_found *ret_found);

/*
 * Switches off one that is on, in a box: *ret_slot is the slot, with that control, from which it was taken away; -1: it
 * had none, or several were.  It moves no other, as switching on does.
 */
int unc_find_given_up(struct unc_machine *m, unsigned event, struct unc_pmon_box *pbox, uint64_t control,
		      int *ret_slot);

/*
 * Where it is by now, of a box that was just looked at: a slot that holds just that control, and is not taken by
 * another event.  Best is where it was; a counter that somebody else had before (foreign), or that we have (own),
 * comes last, in this order.  -1: there is none.
 */
struct unc_search {
	uint64_t control;
	bool fixed; /* it is in the fixed counter, else in none of these */
	int was;    /* where it was last; -1: not known */
	bool taken[UNC_PMON_SLOTS], foreign[UNC_PMON_SLOTS], own[UNC_PMON_SLOTS];
	bool may_be_foreign, may_be_own; /* else it is none of these, which may hold the same */
};
int unc_find_slot(const struct unc_pmon_box *pbox, const struct unc_search *search);
/* Does that slot, which was just looked at, hold that control, and enabled? */
bool unc_slot_has(const struct unc_slot *slot, uint64_t control);

#endif

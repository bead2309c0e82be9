/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of a session share. */
#ifndef UNC_PMON_SESSION_H
#define UNC_PMON_SESSION_H

#include "machine/suspend.h"
#include "pmon/event_text.h"
#include "pmon/pmon.h"

struct unc_request { /* one event that was added */
	size_t pbox;
	struct unc_wanted *wanted; /* owned */
	unsigned set;              /* those of one box with the same number are counted together */
	unsigned tally;            /* of its box, once started: the fixed counter's may be of several requests */
	unsigned slot;             /* likewise */
};

struct unc_session {
	struct unc_machine *machine; /* not owned */
	struct unc_session_cfg cfg;
	struct unc_pmon_box *pboxes; /* owned */
	size_t n_pboxes;
	struct unc_request *requests; /* owned */
	size_t n_requests;
	unsigned n_sets;
	bool set_open, set_freezes;
	bool started;
	bool takes_turns;      /* some box has several */
	uint64_t poll_ns;      /* how long it may be from one read to the next: a quarter of the shortest wrap */
	uint64_t read_mono_ns; /* when the counters were last read, in pacing time */
	uint64_t turn_mono_ns; /* when turns last changed */
	struct unc_suspend suspend;
};

/*
 * pmon/turns.c: which events of a box are counted at the same time, and in which slots; the box was looked at before.  Sets
 * are put into turns in their order, each into the first where there is room for it.
 * UNC_EBUSY: no counter is free, or there are more events than counters and they may not take turns; UNC_EARG: counters of
 * this part cannot count it, or not the whole set.
 */
int unc_turns_plan(struct unc_session *s, size_t pbox);

#endif
